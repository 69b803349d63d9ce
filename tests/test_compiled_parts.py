"""Parts that compiled fights share: the fights are those that are compiled alone."""

from dataclasses import fields
from itertools import product

import numpy as np
import pytest
from samples import sample_sheets

from simlab.lab.roster import find_sheet
from simlab.model.situation import Situation
from simlab.rules import contract
from simlab.rules.contract import Fight, Parts
from simlab.rules.registry import get_system

SYSTEM = get_system("blitzkrieg")
UNITS = ("panther_g", "m4a3_sherman_lp", "tiger_i_e", "su76m")
SITUATIONS = (
    Situation(6.0),
    Situation(24.0, "front", "rear"),
    Situation((36.0, 12.0), ("rear", "front"), "front_left", "a:2"),
)


def check_same(shared: Fight, alone: Fight) -> None:
    assert np.array_equal(shared.program, alone.program)
    for field in fields(Fight):
        if field.name != "program":
            assert getattr(shared, field.name) == getattr(alone, field.name), field.name


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"dsp": "by_range", "pintle_policy_a": "in_range", "bin_in_box": "line"},
        {"lucky_shot": True, "lucky_repeat": "each", "unbuttoned_mix": "pooled", "pintle_policy_b": "always"},
    ],
)
def test_fights_of_shared_parts_are_those_that_are_compiled_alone(settings):
    options, parts = SYSTEM.options(settings), Parts()
    sheets = [find_sheet(unit) for unit in UNITS]
    for a, b, place in product(sheets, sheets, SITUATIONS):
        compiled = [a, a, b] if place is SITUATIONS[1] else [a]
        shared = SYSTEM.compile_fight(compiled, [b], place, options, 9, parts)
        check_same(shared, SYSTEM.compile_fight(compiled, [b], place, options, 9))


def test_parts_beyond_the_most_are_made_again(monkeypatch):
    monkeypatch.setattr(contract, "MOST_PARTS", 5)
    options, parts = SYSTEM.options({}), Parts()
    sheets = sample_sheets("blitzkrieg")[:3]
    for a, b in product(sheets, repeat=2):
        shared = SYSTEM.compile_fight([a], [b], SITUATIONS[0], options, 12, parts)
        check_same(shared, SYSTEM.compile_fight([a], [b], SITUATIONS[0], options, 12))
    assert len(parts) <= 5
    made: list[int] = []
    assert [parts.get("one", lambda: made.append(1) or 7) for _ in range(3)] == [7, 7, 7]
    assert made == [1]
