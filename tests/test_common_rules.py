"""What rule systems have in common, by itself: choices typed and read, texts of sheets, drafts, types of units."""

import subprocess
import sys
from typing import Any

import pytest

from simlab.model.document import parse_document
from simlab.model.errors import Problem
from simlab.model.table import Row
from simlab.rules.common.catalogue import Catalogue
from simlab.rules.common.choices import HouseNumber, NumberRange, Reading, built, sided
from simlab.rules.common.drafting import Record
from simlab.rules.common.sheet_rows import put, row_document
from simlab.rules.common.sheet_text import Layout
from simlab.rules.common.sides import number_types

READINGS = (
    Reading("switch", (False, True), False, "X-1", "", built=True),
    Reading("count", (1, 2), 1, "X-2", "", built=True),
    Reading("drift", NumberRange(-3, 3), 0, "X-3", "", built=True),
    Reading("side_a", (False, "some", True), False, "X-4", "", built=True, shared="side"),
    Reading("side_b", (False, "some", True), False, "X-4", "", built=True, shared="side"),
    Reading("later", ("off", "on"), "off", "X-5", ""),
)
CATALOGUE = Catalogue(
    READINGS,
    (HouseNumber("reach", 12, "X-1", "", 0, 99, whole=True), HouseNumber("sees", True, "X-1", "")),
    true=("aye",),
    false=("nay",),
    together=dict.fromkeys(("switch", "count"), ("switch",)),
)


@pytest.mark.parametrize(
    ("name", "written", "meant"),
    [
        ("switch", "true", True),
        ("switch", "aye", True),
        ("switch", "nay", False),
        ("switch", "yes", None),
        ("switch", 1, None),
        ("count", "1", 1),
        ("count", True, None),
        ("count", "aye", None),
        ("drift", "-3", -3),
        ("drift", "-4", None),
        ("drift", 2, 2),
        ("drift", 2.0, None),
        ("side_a", "no", False),
        ("side_a", "some", "some"),
        ("later", "off", "off"),
        ("later", "on", None),
    ],
)
def test_a_value_is_read_as_itself_or_as_its_words(name: str, written: object, meant: object) -> None:
    found = CATALOGUE.setting(name, written)
    if meant is None:
        assert isinstance(found, Problem)
    else:
        assert (found, type(found)) == (meant, type(meant))


def test_a_reading_of_each_side_is_set_by_one_name() -> None:
    left, right = sided("hatch", ("shut", "open"), "X-6", "hatches of side {side}")
    assert (left.name, right.name, left.shared, right.shared) == ("hatch_a", "hatch_b", "hatch", "hatch")
    assert (left.effect, right.effect) == ("hatches of side a", "hatches of side b")
    assert (left.default, left.built) == ("shut", True)
    assert built("inches", NumberRange(0, 9), "X-7", "", 6).default == 6


@pytest.mark.parametrize("name", ["blitzkrieg", "tank_d20", "wwiisim"])
def test_a_system_imports_modules_of_its_package_when_they_are_asked_for(name: str) -> None:
    late = (
        "display",
        "draft",
        "formula_stats",
        "narrate",
        "report",
        "sheet_numbers",
        "sheet_rows",
        "sheet_text",
    )
    code = (
        "import sys; from simlab.rules.registry import get_system; "
        f"system = get_system('{name}'); loaded = set(sys.modules); system.row_columns; "
        f"print([n for n in {late} if f'simlab.rules.{name}.{{n}}' in loaded], len(sys.modules) > len(loaded))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "[] True\n"


def test_digits_have_a_sign_only_where_numbers_may_be_negative() -> None:
    assert NumberRange(-1).read("-0") == 0
    assert NumberRange(0).read("-0") is None


def test_a_shared_name_sets_all_and_contradictions_are_told() -> None:
    values: dict[str, Any] = {}
    assert CATALOGUE.settle(values, "side", "some") == []
    assert values == {"side_a": "some", "side_b": "some"}
    (problem,) = CATALOGUE.settle(values, "side_b", "yes")
    assert str(problem) == "side_b: found both some and yes, allowed one value"


def test_names_that_are_set_as_one() -> None:
    values: dict[str, Any] = {}
    assert CATALOGUE.settle(values, "count", "aye") == []
    assert values == {"switch": True}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("swich", "swich: found an unknown name, allowed the name of a reading; did you mean switch?"),
        ("sid", "sid: found an unknown name, allowed the name of a reading; did you mean side?"),
        ("reach", "reach: found a house number, allowed the name of a reading; house numbers stand under"),
        ("reech", "did you mean reach?"),
        (3, "3: found an unknown name"),
    ],
)
def test_unknown_names_are_told(name: object, told: str) -> None:
    assert told in str(CATALOGUE.unknown(name))


def test_house_numbers_are_read_and_told_together() -> None:
    found, problems = CATALOGUE.house_numbers({"reach": 7.0, "sees": 1, "side": 2, "rech": 2})
    assert found == {"reach": 7}
    assert [problem.field for problem in problems] == ["constants.sees", "constants.side", "constants.rech"]
    assert [problem.hint for problem in problems] == [None, None, "reach"]
    assert "side stands under readings" in problems[1].allowed


def test_a_layout_reads_as_what_it_was_made_of() -> None:
    mapping = {
        "name": "no",
        "size": 3.0,
        "story": "a word " * 30 + "end",
        "parts": {"gun": {"rounds": 3, "for 2: men": None}, "true": [1, "x, y"]},
        "men": ["one", True],
        "none": [],
    }
    layout = Layout(blocks=("parts", "men", "none"), spaced=("parts", "men"), folded=("story",))
    text = layout.text(mapping, "a comment")
    assert parse_document(text.encode(), "x.yaml").value == mapping
    lines = text.splitlines()
    assert lines[0] == "# a comment"
    assert lines[lines.index("parts:") - 1] == lines[lines.index("men:") - 1] == ""
    assert lines[lines.index("parts:") - 2] != ""
    assert lines[-1] == "none: []"
    assert max(map(len, lines)) <= 122


def test_texts_are_quoted_as_a_layout_says() -> None:
    assert Layout(plain=lambda text: False).text({"name": "Tiger"}) == 'name: "Tiger"\n'


def test_inputs_of_a_draft_are_written_with_what_is_unverified() -> None:
    record = Record(frozenset({"weight"}), between=", ")
    assert record.put("men", ("a", "b"), "all", "guess", weight=12.34567, roof=False, gun=None) == ("a", "b")
    (step,) = record.steps
    assert step.value == "a, b"
    assert step.inputs == ("weight 12.35 (unverified)", "roof no", "gun -")


def test_units_with_one_sheet_are_one_type() -> None:
    one, other = ["sheet"], ["sheet"]
    types: list[str] = ["before"]
    assert number_types([one, other, one], types, lambda sheet: sheet[0]) == (1, 2, 1)
    assert types == ["before", "sheet", "sheet"]


def test_problems_of_a_row_are_named_by_column() -> None:
    document = row_document(Row("f.csv", 2, {}), "toy", {"weapons": "a weapon"}, ("weapon_1", "weapon_2"))
    document.placed["gun"] = "weapon_2"
    put(document.value, ("crew", "men"), 3)
    assert document.value == {"system": "toy", "crew": {"men": 3}}
    told = [
        document.problem(path, "null", "null, true or false")
        for path in (["crew", "men"], ["weapons", "gun", "ends", 1], ["weapons"])
    ]
    assert [problem.field for problem in told] == ["crew.men", "weapon_2.ends", "weapon_1"]
    assert [problem.allowed for problem in told][1:] == ["an empty cell, true or false", "a weapon"]
    assert {problem.line for problem in told} == {2}
