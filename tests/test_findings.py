"""docs/findings.md says what is found: every row of its tables is fought again."""

import json
import re
import shlex
from pathlib import Path

import pytest
from shell import Shell

TEXT = (Path(__file__).parent.parent / "docs" / "findings.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(--[^`]+)` \| (< )?([0-9.]+)% \|$", TEXT, flags=re.MULTILINE)
COMMAND = re.search(r"^    (simlab engage .*)$", TEXT, flags=re.MULTILINE)


def test_there_are_rows() -> None:
    assert len(ROWS) == TEXT.count("| `--")
    assert len(ROWS) > 20


@pytest.mark.parametrize(("options", "below", "printed"), ROWS)
def test_a_row_is_what_the_command_says(options: str, below: str, printed: str, simlab: Shell) -> None:
    assert COMMAND is not None
    said = simlab(*shlex.split(COMMAND[1])[1:], *shlex.split(options), "--json")
    found = json.loads(said.out)
    low, high = found["intervals"]["win_share_a"]
    if below:
        assert 100 * high < float(printed)
    else:
        assert f"{100 * found['win_share_a']:.1f}" == printed
    assert 50 * (high - low) <= 0.4
