"""The other rule systems in the hands of a designer: drafts are called drafts, charts that change are noticed."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from shell import ROOT, Shell

from simlab import lab
from simlab.model.errors import InputError
from simlab.rules.registry import get_system

STUDY = """
name: Three with charts of their own
system: tank_d20
units: [panther_g, t34_85, panzer_iv_h]
situations: {range: [24], aspect: [front]}
n: 60
readings: {charts: CHARTS}
"""
CHARTS = ROOT / "simlab" / "rules" / "tank_d20" / "charts"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a study whose charts are a copy of the shipped ones."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(CHARTS, tmp_path / "charts")
    (tmp_path / "own.yaml").write_text(STUDY.replace("CHARTS", "charts"), encoding="utf-8")
    return tmp_path


def test_what_a_run_writes_says_that_charts_are_drafts(place: Path, simlab: Shell) -> None:
    caveat = get_system("tank_d20").caveat
    said = simlab("run", "own.yaml", "--units", str(ROOT / "units"))
    assert said.code == 0
    assert f"note: {caveat}" in said.errors
    summary = (place / "results" / "own" / "summary.md").read_text(encoding="utf-8")
    assert caveat.split(":")[0].replace("_", "\\_") in summary
    assert max(map(len, summary.splitlines())) < 1000
    assert simlab("report", "own", "-o", "page.html").code == 0
    assert caveat.split(":")[0] in (place / "page.html").read_text(encoding="utf-8")
    priced = simlab("price", "own", "--n", "8", "--units", str(ROOT / "units"))
    assert f"note: {caveat}" in priced.errors


def test_every_picture_says_that_charts_are_drafts(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    captions: list[str] = []
    save = Figure.savefig

    def keep(figure: Any, path: Any, **more: Any) -> None:
        captions.append(" ".join(" ".join(text.get_text().split()) for text in figure.texts))
        save(figure, path, **more)

    monkeypatch.setattr(Figure, "savefig", keep)
    files = lab.plot(lab.run("own.yaml", units=ROOT / "units"))
    lab.readings("own.yaml", n=320, only=["hit"], units=ROOT / "units")
    moved = lab.sensitivity("panther_g", "t34_85", n=320, ecv=False, system="tank_d20", units=ROOT / "units")
    moved.draw(place / "tornado.png")
    start = get_system("tank_d20").caveat.split(":")[0]
    assert len(captions) >= len(files) + 2 > 3
    assert [text for text in captions if start not in text] == []


def test_a_run_whose_charts_have_changed_is_to_be_run_again(place: Path) -> None:
    lab.run("own.yaml", units=ROOT / "units")
    lab.price("own", n=8, units=ROOT / "units")
    file = place / "charts" / "crew.yaml"
    text = file.read_text(encoding="utf-8")
    assert "stand_in_load: 1" in text
    file.write_text(text.replace("stand_in_load: 1", "stand_in_load: 2"), encoding="utf-8")
    for ask in (
        lambda: lab.price("own", n=8, units=ROOT / "units"),
        lambda: lab.appraise("is2_late", run="own"),
    ):
        with pytest.raises(InputError, match="run the study again"):
            ask()


def test_a_fault_in_a_chart_is_named_by_its_own_file(place: Path, simlab: Shell) -> None:
    file = place / "charts" / "crew.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("stand_in_load: 1", "stand_in_load: many"), encoding="utf-8")
    said = simlab("check", "own.yaml")
    assert said.code == 2
    assert any(error.startswith("charts/crew.yaml:") and "many" in error for error in said.errors)


@pytest.mark.parametrize(
    ("system", "a", "b", "distance"),
    [
        ("tank_d20", "m5a1_stuart", "hetzer", 24),
        ("wwiisim", "panther_g", "t34_85", 18),
        ("wwiisim", "m5a1_stuart", "tiger_ii", 12),
    ],
)
def test_what_a_turn_does_is_answered_for_every_pair(system: str, a: str, b: str, distance: int) -> None:
    """It is solved, and a little is always lost to rounding."""
    found = lab.odds(a, b, range=distance, system=system, units=ROOT / "units")
    assert found.turn is not None
    assert 0 < found.turn < 1
