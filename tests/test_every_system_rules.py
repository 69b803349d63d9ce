"""Every rule of every system is named by a test, and no system leans on another."""

import ast
import re
from pathlib import Path

import pytest
from rule_index import REFERENCE, marked_tests
from samples import SYSTEMS, system_of
from shell import ROOT
from toy_system import SYSTEM as TOY

WITH_RULES = [name for name in SYSTEMS if name != TOY.name]
"""The toy's one rule stands in its own text."""
PAGES = {"blitzkrieg": "rules.md"}
"""Pages that list the rules of a system, where they are not `docs/<system>.md`."""
ROW = re.compile(r"^\| (([A-Z]+)-(\d+)) \|", re.MULTILINE)
for_all_with_rules = pytest.mark.parametrize("name", WITH_RULES)


def rules_of(name: str) -> list[str]:
    """The rules of a system that are in force, by the first table of its page that lists any."""
    text = (ROOT / "docs" / PAGES.get(name, f"{name}.md")).read_text(encoding="utf-8")
    text = text.partition("\n## Rules that are not built yet")[0]
    return [match[1] for match in ROW.finditer(text)]


@for_all_with_rules
def test_every_rule_of_a_system_is_named_by_a_test_of_its_own(name):
    """Tests of the plain-Python reference do not count."""
    rules = rules_of(name)
    assert rules
    assert len(set(rules)) == len(rules)
    begins = {rule.partition("-")[0] for rule in rules}
    assert len(begins) == 1
    marked = marked_tests(system=begins.pop())
    own = {rule for rule, files in marked.items() if any(not file.startswith(REFERENCE) for file in files)}
    assert [rule for rule in rules if rule not in own] == []


@for_all_with_rules
def test_readings_and_house_numbers_are_of_rules_of_the_system(name):
    system = system_of(name)
    page = (ROOT / "docs" / PAGES.get(name, f"{name}.md")).read_text(encoding="utf-8")
    known = {match[1] for match in ROW.finditer(page)}
    for choice in (*system.readings, *system.house_numbers):
        assert choice.rule in known, choice.name
        assert choice.effect
    assert len({choice.name for choice in system.readings}) == len(system.readings)


@for_all_with_rules
def test_options_of_a_system_know_all_its_readings_by_their_defaults(name):
    system = system_of(name)
    options = system.options({})
    assert options.non_default() == {}
    built = options.built()
    for reading in system.readings:
        if reading.built:
            assert built[reading.name] == options.value(reading.name) == reading.default
    assert options.house_numbers() == {number.name: number.default for number in system.house_numbers}
    assert system.options(dict(built)) == options
    assert hash(system.options({})) == hash(options)


@for_all_with_rules
def test_no_rule_begins_like_those_of_another_system(name):
    others = [rule for other in WITH_RULES if other != name for rule in rules_of(other)]
    begins = {rule.partition("-")[0] for rule in others}
    assert rules_of(name)[0].partition("-")[0] not in begins


def imported(path: Path) -> set[str]:
    """The modules that a file imports, by their whole names."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@for_all_with_rules
def test_no_system_imports_another(name):
    """What several systems need belongs to none of them."""
    for path in (ROOT / "simlab" / "rules" / name).rglob("*.py"):
        for module in imported(path):
            for other in WITH_RULES:
                assert other == name or not module.startswith(f"simlab.rules.{other}."), (path.name, module)
