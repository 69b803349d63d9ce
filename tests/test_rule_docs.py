"""docs/rules.md says what tests and readings there are, and every rule in force has tests."""

import ast
import inspect
from types import ModuleType

import pytest
import test_rules_bk_manifest
import test_rules_bk_turn
from rule_index import IN_FORCE, LATER, PAGE, REFERENCE, RULES, marked_tests, marks_of, number, render

from simlab.rules.blitzkrieg.options import READINGS


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(marked_tests()), "run: python -m tests.rule_index"


def test_rules_in_force_and_later_are_all_rules() -> None:
    assert sorted(map(number, (*IN_FORCE, *LATER))) == list(range(1, 71))
    assert list(map(number, RULES)) == [*range(1, 32), *range(50, 56), 60, 61, 64, *range(66, 71)]


def test_marks_name_rules() -> None:
    assert set(marked_tests()) <= {*IN_FORCE, *LATER}


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_in_force_has_tests_of_its_own(rule: str) -> None:
    """Tests of the plain-Python reference do not count."""
    assert [name for name in marked_tests().get(rule, {}) if not name.startswith(REFERENCE)]


def test_every_reading_is_listed_with_its_default() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for reading in READINGS:
        cells = [
            "",
            f"`{reading.name}`",
            ", ".join(reading.choices()),
            reading.word(reading.default),
            reading.rule,
        ]
        assert " | ".join([*cells, "yes" if reading.built else "no"]).lstrip() in page


@pytest.mark.parametrize("module", [test_rules_bk_manifest, test_rules_bk_turn])
def test_marks_are_read_from_the_text_as_pytest_sees_them(module: ModuleType) -> None:
    seen = {
        name: [rule for mark in function.pytestmark if mark.name == "rule" for rule in mark.args]
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if name.startswith("test_")
    }
    assert marks_of(ast.parse(inspect.getsource(module))) == seen
