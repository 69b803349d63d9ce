"""One planted fault a rule, and one a reading: tests that carry the rule's marker must notice it.

The rule tests are plain functions. They are called here twice: as the product is, and with a fault in the place of a
function of the kernel, the compiler, the sheet reader or the display. All runs uncompiled (see `plain_kernels`).
"""

import inspect
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest
import test_rules_bk_damage
import test_rules_bk_function
import test_rules_bk_house_numbers
import test_rules_bk_manifest
import test_rules_bk_options
import test_rules_bk_sheets
import test_rules_bk_to_hit
import test_rules_bk_turn
from faults import FAULTS, Fault
from plain_kernels import planted
from rule_index import RULES

from simlab.rules.blitzkrieg.options import READINGS, Options

MODULES = (
    test_rules_bk_sheets,
    test_rules_bk_to_hit,
    test_rules_bk_damage,
    test_rules_bk_manifest,
    test_rules_bk_function,
    test_rules_bk_turn,
    test_rules_bk_options,
    test_rules_bk_house_numbers,
)


BUILT = [reading.name for reading in READINGS if reading.built]


def parameters(function: Any) -> Iterator[dict[str, Any]]:
    """The arguments of every case of a test, as its `parametrize` marks give them."""
    sets = []
    for mark in getattr(function, "pytestmark", []):
        if mark.name == "parametrize":
            names, values = mark.args
            names = names.replace(" ", "").split(",") if isinstance(names, str) else list(names)
            sets.append([dict(zip(names, row if len(names) > 1 else [row], strict=True)) for row in values])
    for parts in product(*sets):
        yield {name: value for part in parts for name, value in part.items()}


def cases(chosen: Callable[[str, set[str]], bool]) -> list[Callable[[], None]]:
    """The cases of all rule tests whose name and rules are chosen."""
    found = []
    for module in MODULES:
        for name, function in inspect.getmembers(module, inspect.isfunction):
            marks = getattr(function, "pytestmark", [])
            rules = {rule for mark in marks if mark.name == "rule" for rule in mark.args}
            if name.startswith("test_") and function.__module__ == module.__name__ and chosen(name, rules):
                found += [lambda f=function, values=values: f(**values) for values in parameters(function)]
    return found


def failures(tests: list[Callable[[], None]]) -> int:
    """How many cases fail. Whatever is no AssertionError is raised."""
    failed = 0
    for test in tests:
        try:
            test()
        except AssertionError:
            failed += 1
    return failed


def test_every_rule_has_a_fault() -> None:
    assert {fault.rule for fault in FAULTS} == set(RULES)


SOME_FAULTS = [
    pytest.param(fault, marks=pytest.mark.long) if place % 2 else fault for place, fault in enumerate(FAULTS)
]
"""Half of them, unless the run is a long one."""


@pytest.mark.parametrize("fault", SOME_FAULTS, ids=lambda fault: f"{fault.rule}: {fault.says}")
def test_a_rule_s_tests_notice_a_fault(fault: Fault) -> None:
    tests = cases(lambda name, rules: fault.rule in rules)
    assert tests
    assert failures(tests) == 0
    with planted(fault.module, fault.name, fault.make):
        assert failures(tests) > 0


SOME_AND_ALL = [
    pytest.param(reading, marks=pytest.mark.long) if place % 4 else reading
    for place, reading in enumerate(BUILT)
]
"""A quarter of the readings, unless the run is a long one."""


@pytest.mark.parametrize("reading", SOME_AND_ALL)
def test_a_reading_s_test_notices_that_it_is_ignored(reading: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tests = cases(lambda name, rules: name == f"test_reading_{reading}")
    assert tests
    assert failures(tests) == 0
    sound = Options.value
    default = {option.name: option.default for option in READINGS}[reading]
    monkeypatch.setattr(
        Options, "value", lambda self, name: default if name == reading else sound(self, name)
    )
    assert failures(tests) > 0
