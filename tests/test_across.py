"""`simlab across`: one study under several rule systems, here Blitzkrieg and the toy."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from shell import ROOT, Shell
from toy_system import SYSTEM, ToySheet

from simlab import lab

UNITS = ("panther_g", "m4a3_sherman_lp", "t34_85")
STUDY = """
name: Three <b>tanks</b> twice
system: [blitzkrieg, toy]
units: [panther_g, m4a3_sherman_lp, t34_85]
situations:
  range: [6, 24]
  aspect: [front]
n: 500
"""


@pytest.fixture
def place(tmp_path: Path, toy: object) -> Path:
    """A folder with units of both systems and the study; in the toy the T-34 is the best of the three."""
    units = tmp_path / "units"
    (units / "toy").mkdir(parents=True)
    (units / "blitzkrieg").mkdir()
    for number, unit in enumerate(UNITS):
        shutil.copy(ROOT / "units" / "blitzkrieg" / f"{unit}.yaml", units / "blitzkrieg")
        sheet = ToySheet(
            id=unit, name=f"Toy {unit}", needs=5 - 2 * (number == 2), hit_points=2 + (number == 2)
        )
        (units / "toy" / f"{unit}.yaml").write_text(SYSTEM.sheet_text(sheet), encoding="utf-8")
    (tmp_path / "both.yaml").write_text(STUDY, encoding="utf-8")
    return tmp_path


def command(place: Path, *more: str) -> list[str]:
    return [
        "across", str(place / "both.yaml"), "--results", str(place / "results"), "--units", str(place / "units"),
        *more,
    ]  # fmt: skip


def test_each_system_runs_in_a_folder_of_its_own_and_both_are_compared(place: Path, simlab: Shell) -> None:
    said = simlab(*command(place))
    assert said.code == 0
    folder = place / "results" / "both"
    for system in ("blitzkrieg", "toy"):
        assert json.loads((folder / system / "run.json").read_text())["system"] == system
    strengths = pd.read_csv(folder / "strengths.csv")
    first = strengths[strengths["rank"] == 1].set_index("system")["unit"].to_dict()
    assert first == {"blitzkrieg": "panther_g", "toy": "t34_85"}
    winners = pd.read_csv(folder / "winners.csv").set_index(["unit", "opponent"])
    assert winners.loc[("panther_g", "t34_85"), "agreement"] == "differ"
    assert (folder / "systems.png").read_bytes()[:4] == b"\x89PNG"
    assert (
        "\\<b\\>" in (folder / "summary.md").read_text() or "&lt;b&gt;" in (folder / "summary.md").read_text()
    )
    assert "..." not in (folder / "summary.md").read_text()
    assert "Of 3 pairs, both systems name the same winner in" in " ".join(said.out.split())


def test_again_nothing_is_fought_and_nothing_changes(place: Path, simlab: Shell) -> None:
    simlab(*command(place))
    folder = place / "results" / "both"
    before = {path: path.read_bytes() for path in folder.glob("*.*")}
    found = lab.across(place / "both.yaml", results=place / "results", units=place / "units")
    assert all(run.fights == 0 for run in found.runs.values())
    assert {path: path.read_bytes() for path in folder.glob("*.*")} == before


def test_json_is_one_object_without_nan(place: Path, simlab: Shell) -> None:
    found = json.loads(simlab(*command(place, "--json")).out)
    assert {row["system"] for row in found["strengths"]} == {"blitzkrieg", "toy"}
    assert [row for row in found["pairs"] if row["range"] is None]
    assert found["caveats"] == ["Blitzkrieg: 2 of these 3 sheets are drafts, estimates that nobody printed."]


REFUSALS = [
    ("system: [blitzkrieg, toy]", "system: blitzkrieg", "system: found blitzkrieg, allowed a list of two or more rule"),
    ("system: [blitzkrieg, toy]", "system: [toy]", "system: found 1 of them, allowed a list of two or more rule"),
    ("system: [blitzkrieg, toy]", "system: [toy, toy]", "system.1: found toy a second time, allowed each system once"),
    ("system: [blitzkrieg, toy]", "system: [toy, blitzkreig]", "system.1: found blitzkreig, allowed blitzkrieg, "),
    ("t34_85]", "t34_58]", "units.2: found t34_58"),
    (", m4a3_sherman_lp, t34_85]", "]", "units: found 1 of them, allowed three units or more"),
    ("aspect: [front]", "aspect: [front_left]", "front_left"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line"), REFUSALS)
def test_a_faulty_study_is_refused_with_its_line(
    place: Path, simlab: Shell, old: str, new: str, line: str
) -> None:
    file = place / "both.yaml"
    file.write_text(STUDY.replace(old, new), encoding="utf-8")
    said = simlab(*command(place))
    assert said.code == 2
    assert any(line in error for error in said.errors)
    assert all(error.startswith(str(file)) for error in said.errors if "found" in error)
    assert len(said.errors) == len(set(said.errors))


def test_a_study_of_several_systems_is_no_study_of_one(place: Path, simlab: Shell) -> None:
    said = simlab("run", str(place / "both.yaml"), "--units", str(place / "units"))
    assert said.code == 2
    assert any("simlab across" in error for error in said.errors)
