"""docs/whatif.md says what happens: its command lines print what it shows, and so does its Python."""

import doctest
import shlex
from pathlib import Path

import pytest
from pages import COMPILING, blocks
from samples import UNITS
from shell import Shell

TEXT = (Path(__file__).parent.parent / "docs" / "whatif.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIMLAB_UNITS", str(UNITS))


def test_all_four_commands_are_shown() -> None:
    commands = [block.split()[2] for block in blocks(TEXT, "console")]
    assert set(commands) == {"whatif", "sensitivity", "solve", "why"}


def marked(block: str) -> object:
    """What a point is worth takes a while."""
    return pytest.param(block, marks=[pytest.mark.long] if "simlab sensitivity" in block else [])


@pytest.mark.parametrize(
    "block", list(map(marked, blocks(TEXT, "console"))), ids=lambda block: block.split("\n")[0][2:60]
)
def test_commands_print_what_the_page_says(simlab: Shell, block: str) -> None:
    command, _, output = block.removeprefix("$ ").partition("\n")
    said = simlab(*shlex.split(command)[1:])
    errors = [line for line in said.errors if not line.startswith((COMPILING, "note: "))]
    assert "\n".join([*said.out.rstrip().splitlines(), *errors]) == output.rstrip()
    assert said.code == (2 if errors else 0)


def test_python_prints_what_the_page_says() -> None:
    for block in blocks(TEXT, "pycon"):
        test = doctest.DocTestParser().get_doctest(block, {}, "docs/whatif.md", "whatif.md", 0)
        assert test.examples
        assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0
