"""docs/tank_d20.md says what happens: its commands are run, its tables name all readings, its sheet can be read."""

import re
import shlex
from pathlib import Path

import pytest
from pages import blocks, commands
from shell import Shell

from simlab.model.document import parse_document
from simlab.rules.registry import get_system

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "tank_d20.md").read_text(encoding="utf-8")
SYSTEM = get_system("tank_d20")
SESSIONS = [session for block in blocks(TEXT, "console") for session in commands(block)]


@pytest.mark.parametrize(
    ("command", "output"),
    [pytest.param(*each, marks=pytest.mark.long) if "--dice" in each[0] else each for each in SESSIONS],
    ids=lambda text: text[:40],
)
def test_commands_print_what_the_page_says(at_root: Shell, command: str, output: str) -> None:
    said = at_root(*shlex.split(command)[1:])
    assert said.code == 0
    assert said.out.startswith(output.rstrip())


def test_the_page_has_commands() -> None:
    assert len(SESSIONS) == 2


def test_the_table_of_readings_is_that_of_the_catalogue() -> None:
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| ([^|]+) \| (TD-\d+) \|$", TEXT, flags=re.MULTILINE)
    told = {name: (values, rule) for names, values, rule in rows for name in re.findall(r"\w+", names)}
    assert list(told) == [reading.name for reading in SYSTEM.readings]
    for reading in SYSTEM.readings:
        values, rule = told[reading.name]
        assert rule == reading.rule
        if isinstance(reading.values, tuple) and reading.name != "charts":
            assert values == ", ".join(reading.choices())
        assert values.startswith(reading.word(reading.default))
    for number in SYSTEM.house_numbers:
        assert f"`{number.name}` ({number.default})" in TEXT


def test_every_rule_is_said_in_short() -> None:
    said = re.findall(r"^\| (TD-\d+) \|", TEXT, flags=re.MULTILINE)
    assert said == [f"TD-{number}" for number in range(1, 11)]


def test_the_sheet_of_the_page_can_be_read() -> None:
    (text,) = blocks(TEXT, "yaml")
    sheet = SYSTEM.parse_sheet(parse_document(text.encode(), "panther_g.yaml"))
    shipped = SYSTEM.load_sheet(ROOT / "units" / "tank_d20" / "panther_g.yaml")
    changes = {"provenance": sheet.provenance, "gun.name": sheet.gun.name}
    assert SYSTEM.sheet_hash(SYSTEM.replace_fields(shipped, changes)) == SYSTEM.sheet_hash(sheet)
