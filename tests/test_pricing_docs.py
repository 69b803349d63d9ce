"""docs/pricing.md says what happens: its study is run and priced, and the commands print what it says."""

import re
import shlex
from pathlib import Path

import pytest
from shell import ROOT, Shell

TEXT = (ROOT / "docs" / "pricing.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, flags=re.DOTALL | re.MULTILINE)


def test_the_example_prints_what_the_page_says(
    simlab: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SIMLAB_UNITS", raising=False)
    Path("units").symlink_to(ROOT / "units")
    (study,) = blocks("yaml")
    Path(study.split("\n")[0].removeprefix("# ")).write_text(study, encoding="utf-8")
    (session,) = blocks("console")
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        said = simlab(*shlex.split(command)[1:])
        assert (said.code, said.errors) == (0, [])
        if output.strip() != "...":
            assert said.out.rstrip() == output.rstrip()
