"""docs/pricing.md says what happens: its study is run and priced, and the commands print what it says."""

import shlex
from pathlib import Path

import pytest
from pages import blocks, commands
from shell import ROOT, Shell

TEXT = (ROOT / "docs" / "pricing.md").read_text(encoding="utf-8")


def test_the_example_prints_what_the_page_says(
    simlab: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SIMLAB_UNITS", raising=False)
    Path("units").symlink_to(ROOT / "units")
    (study,) = blocks(TEXT, "yaml")
    Path(study.split("\n")[0].removeprefix("# ")).write_text(study, encoding="utf-8")
    (session,) = blocks(TEXT, "console")
    for command, output in commands(session):
        said = simlab(*shlex.split(command)[1:])
        assert (said.code, said.errors) == (0, [])
        if output.strip() != "...":
            assert said.out.rstrip() == output.rstrip()
