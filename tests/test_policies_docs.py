"""docs/policies.md says what happens: its commands are run, and its table names all policies."""

import re
import shlex
from pathlib import Path

import pytest
from shell import Shell

from simlab.engine.policies import POLICIES

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "policies.md").read_text(encoding="utf-8")
SESSIONS = re.findall(r"^```console\n\$ (.*?)\n(.*?)^```$", TEXT, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(("command", "output"), SESSIONS, ids=lambda text: text.split("\n")[0][:40])
def test_commands_print_what_the_page_says(at_root: Shell, command: str, output: str) -> None:
    said = at_root(*shlex.split(command)[1:])
    assert (said.code, said.errors) == (0, [])
    assert said.out.rstrip() == output.rstrip()


def test_the_table_names_all_policies() -> None:
    assert len(SESSIONS) == 2
    assert set(re.findall(r"^\| `(\w+)`", TEXT, flags=re.MULTILINE)) == set(POLICIES)
