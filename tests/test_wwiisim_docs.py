"""docs/wwiisim.md says what happens: its commands are run, its tables hold all readings and house numbers."""

import shlex
from pathlib import Path

import pytest
from pages import blocks, commands
from shell import Shell

from simlab.rules.wwiisim.readings import HOUSE_NUMBERS, READINGS
from simlab.rules.wwiisim.sheet import SheetFile
from simlab.rules.wwiisim.system import CAVEAT

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "wwiisim.md").read_text(encoding="utf-8")
SESSIONS = [pair for block in blocks(TEXT, "console") for pair in commands(block)]


@pytest.mark.parametrize(("command", "output"), SESSIONS, ids=lambda text: text.split("\n")[0][:40])
def test_commands_print_what_the_page_says(at_root: Shell, command: str, output: str) -> None:
    said = at_root(*shlex.split(command)[1:])
    assert said.code == 0
    assert all(CAVEAT in line or "compiling" in line for line in said.errors)
    assert said.out.rstrip() == output.rstrip()


def test_the_page_holds_all_readings_house_numbers_and_keys() -> None:
    assert len(SESSIONS) == 3
    for reading in READINGS:
        cells = [
            f"`{reading.name}`",
            ", ".join(reading.choices()),
            reading.word(reading.default),
            reading.rule,
        ]
        assert f"| {' | '.join([*cells, reading.effect])} |" in TEXT
    for number in HOUSE_NUMBERS:
        cells = [
            f"`{number.name}`",
            number.allowed(),
            str(number.default).lower(),
            number.rule,
            number.effect,
        ]
        assert f"| {' | '.join(cells)} |" in TEXT
    assert all(f"`{name}`" in TEXT for name in SheetFile.model_fields)
