"""The README says what happens: its command lines and its Python are run and give what it prints."""

import doctest
import re
import shlex
from pathlib import Path

import pytest
from pages import COMPILING, blocks, commands

from simlab.cli import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def examples() -> list[tuple[str, str]]:
    """Command lines of simlab with the output that the README prints below them."""
    told = [each for block in blocks(README, "console") for each in commands(block)]
    return [(command, output) for command, output in told if command.startswith("simlab ")]


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("SIMLAB_UNITS", raising=False)


def assert_prints(wanted: str, said: str) -> None:
    """Assert that lines are said as they are wanted, where `...` stands for any number of lines."""
    pattern = re.escape(wanted.rstrip()).replace(re.escape("\n...\n"), "\n(?:.*\n)+?")
    if not re.fullmatch(pattern, said.rstrip()):
        assert said.rstrip() == wanted.rstrip()


def test_there_are_examples() -> None:
    assert {command.split()[1] for command, _ in examples()} >= {"units", "duel"}
    assert blocks(README, "pycon")


@pytest.mark.parametrize(("command", "output"), examples(), ids=lambda text: text.split("\n")[0][:60])
def test_command_lines_print_what_the_readme_says(
    command: str, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(shlex.split(command)[1:])
    said = capsys.readouterr()
    errors = "".join(line for line in said.err.splitlines(True) if not line.startswith(COMPILING))
    assert code == (2 if errors else 0)
    assert_prints(output, said.out + errors)


def test_python_prints_what_the_readme_says() -> None:
    for place, block in enumerate(blocks(README, "pycon")):
        test = doctest.DocTestParser().get_doctest(block, {}, f"README block {place}", "README.md", 0)
        assert test.examples
        result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
        assert result.failed == 0
