"""docs/compare.md says what happens: its study is run, its sheet edited, and the comparison printed."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from pages import blocks, commands
from samples import UNITS
from shell import Shell

TEXT = (Path(__file__).parent.parent / "docs" / "compare.md").read_text(encoding="utf-8")


def test_the_example_prints_what_the_page_says(
    simlab: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SIMLAB_UNITS", raising=False)
    shutil.copytree(UNITS, "units")
    (study,) = blocks(TEXT, "yaml")
    Path(study.split("\n")[0].removeprefix("# ")).write_text(study, encoding="utf-8")
    (session,) = blocks(TEXT, "console")
    for command, output in commands(session):
        words = shlex.split(command)
        if words[0] != "simlab":
            subprocess.run(words, check=True)
            continue
        said = simlab(*words[1:])
        assert (said.code, said.errors) == (0, [])
        if output.strip() != "...":
            assert said.out.rstrip() == output.rstrip()
    gate = next(line for block in blocks(TEXT, "make") for line in block.splitlines() if "--gate" in line)
    options = gate.split("panther_vs_sherman ")[-1].split()
    assert simlab("compare", "before/sherman", "after/sherman", *options).code == 1
