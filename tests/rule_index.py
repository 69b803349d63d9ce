"""Writes docs/rules.md: every rule in one line, with its readings and the tests that name it.

`python -m tests.rule_index` writes the file anew; a test holds it up to date. Tests are found in the text of the test
modules by their `pytest.mark.rule` marks; nothing is imported for it but the catalogue of readings.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import yaml

from simlab.rules.blitzkrieg.constants import HOUSE_NUMBERS
from simlab.rules.blitzkrieg.options import READINGS
from simlab.rules.common.choices import HouseNumber, Reading

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "rules.md"
REFERENCE = "test_reference_"
"""Names of files that test the plain-Python reference begin so."""

_SHORT = yaml.safe_load((TESTS / "rules_in_short.yaml").read_text(encoding="utf-8"))
IN_FORCE: Mapping[str, str] = _SHORT["in_force"]
"""Rules that hold at a fixed range, in own words."""
LATER: Mapping[str, str] = _SHORT["later"]
"""Rules that are known and not built yet, in own words."""
DECIDED: Sequence[Mapping[str, str]] = _SHORT["decided"]
"""Cases of which the text says nothing and no reading offers a choice: rule, case, what was chosen, why."""
RULES = tuple(IN_FORCE)


@cache
def marked_tests(folder: Path = TESTS, system: str = "BK") -> dict[str, dict[str, list[str]]]:
    """Tests by rule of a system, as its rules begin, and file name, in the order of the files and of their text."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(folder.glob("test_*.py")):
        for test, rules in marks_of(ast.parse(path.read_text(encoding="utf-8"))).items():
            for rule in rules:
                if rule.startswith(f"{system}-"):
                    found[rule][path.name].append(test)
    return {rule: dict(files) for rule, files in found.items()}


def marks_of(module: ast.Module) -> dict[str, list[str]]:
    """The tests of a module that name rules: in a decorator, in a case's marks, or in a list of cases by name."""
    lists = {
        target.id: rules_in(node.value, {})
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found: dict[str, list[str]] = {}
    for node in module.body:
        parts = node.body if isinstance(node, ast.ClassDef) else [node]
        above = rules_of(node.decorator_list, lists) if isinstance(node, ast.ClassDef) else []
        for part in parts:
            if isinstance(part, ast.FunctionDef) and part.name.startswith("test_"):
                rules = [*above, *rules_of(part.decorator_list, lists)]
                if rules:
                    found[part.name] = list(dict.fromkeys(rules))
    return found


def rules_of(nodes: Iterable[ast.AST], lists: Mapping[str, list[str]]) -> list[str]:
    """The rules that some expressions name."""
    return [rule for node in nodes for rule in rules_in(node, lists)]


def rules_in(expression: ast.AST, lists: Mapping[str, list[str]]) -> list[str]:
    """The rules that an expression names by `mark.rule(...)`, itself or in the lists that it refers to."""
    found: list[str] = []
    for node in ast.walk(expression):
        if isinstance(node, ast.Name):
            found += lists.get(node.id, [])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "rule":
            found += [str(arg.value) for arg in node.args if isinstance(arg, ast.Constant)]
    return found


def number(rule: str) -> int:
    """The number of a rule."""
    return int(rule.removeprefix("BK-"))


def readings_cell(rule: str) -> str:
    """The readings of a rule with their defaults."""
    return ", ".join(
        f"`{reading.name}` ({reading.word(reading.default)}{'' if reading.built else '; not built'})"
        for reading in READINGS
        if reading.rule == rule
    )


def tests_cell(files: Mapping[str, list[str]]) -> str:
    """Test files with the number of tests that name the rule."""
    return ", ".join(
        f"{name.removeprefix('test_').removesuffix('.py')} {len(tests)}" for name, tests in files.items()
    )


def reading_row(reading: Reading) -> str:
    """A row of the table of readings."""
    cells = [
        f"`{reading.name}`",
        ", ".join(reading.choices()),
        reading.word(reading.default),
        reading.rule,
        "yes" if reading.built else "no",
        reading.effect,
    ]
    return f"| {' | '.join(cells)} |"


def decided_line(decision: Mapping[str, str]) -> str:
    """An item of the list of decisions."""
    return "- {rule}, {case}: {chosen} Why: {why}".format(**decision)


def house_row(number: HouseNumber) -> str:
    """A row of the table of house numbers."""
    cells = (f"`{number.name}`", number.allowed(), str(number.default).lower(), number.rule, number.effect)
    return f"| {' | '.join(cells)} |"


def render(marked: Mapping[str, Mapping[str, list[str]]]) -> str:
    """The page."""
    lines = [
        "# Blitzkrieg: rules, readings, tests",
        "",
        "Written by `python -m tests.rule_index` from the marks of the tests and the catalogue of readings; do not",
        "edit. Where the rules come from: `simlab/rules/blitzkrieg/SOURCE.md`.",
        "",
        "## Rules in force",
        "",
        "Tests: files of `tests/` (without `test_`) and how many of their tests name the rule; by name further down.",
        "",
        "| rule | in short | readings (default) | tests |",
        "|---|---|---|---|",
    ]
    for rule, text in IN_FORCE.items():
        lines.append(f"| {rule} | {text} | {readings_cell(rule)} | {tests_cell(marked.get(rule, {}))} |")
    lines += [
        "",
        "## Rules that are not built yet",
        "",
        "Their readings and options are known by name and accept their defaults only. Tests are those of the",
        "plain-Python reference.",
        "",
        "| rule | in short | readings and options (default) | tests |",
        "|---|---|---|---|",
    ]
    for rule, text in LATER.items():
        lines.append(f"| {rule} | {text} | {readings_cell(rule)} | {tests_cell(marked.get(rule, {}))} |")
    lines += [
        "",
        "## Readings and optional rules",
        "",
        "| name | values | default | rule | built | what other values do |",
        "|---|---|---|---|---|---|",
        *(reading_row(reading) for reading in READINGS),
        "",
        "## Decided where the text is silent",
        "",
        "No reading offers a choice here.",
        "",
        *map(decided_line, DECIDED),
        "",
        "## House numbers",
        "",
        "Under `constants:` in a study; `constants=` in Python.",
        "",
        "| name | values | default | rule | what it is |",
        "|---|---|---|---|---|",
        *(house_row(number) for number in HOUSE_NUMBERS),
        "",
        "## Tests by rule",
    ]
    for rule in sorted(marked, key=number):
        lines += ["", f"### {rule}", ""]
        for name, tests in marked[rule].items():
            lines.append(f"- `{name}`: {', '.join(f'`{test}`' for test in tests)}")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    PAGE.write_text(render(marked_tests()), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(TESTS.parent)}")
