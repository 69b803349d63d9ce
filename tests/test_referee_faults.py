"""Faults planted in the sampler alone: the referee rejects each at the size of an ordinary study."""

import importlib
from pathlib import Path
from typing import Any

import pytest

from simlab.lab import controls, referee, run
from simlab.rules import registry
from simlab.rules.blitzkrieg.system import SYSTEM, Blitzkrieg

pytestmark = pytest.mark.long

STUDY = """
name: A few duels
system: blitzkrieg
units: UNITS
situations: {range: RANGE, aspect: [ASPECT]}
"""
ORDINARY = 38_416
"""Fights a row under the precision that studies have unless they say else."""
TESTS = 1508
"""Tests in the family of `studies/panther_vs_sherman.yaml`, which has 135 rows."""

ALONE, BOTH = "[m4a3_sherman_lp]", "[panther_g, m4a3_sherman_lp]"
FAULTS = {
    "separate_coins": (ALONE, 24, "rear"),
    "armor_not_worn": (ALONE, 24, "front"),
    "boxcars_stand": (BOTH, 12, "front_left"),
    "crossed_lines_count": (BOTH, 36, "front_left"),
}
"""Units, range and aspect with which a fault shows in duels that are solved quickly."""


@pytest.fixture(autouse=True)
def _few_controls(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, less in (
        ("DRAWS", 10**6),
        ("FIGHT_PAIRS", 1000),
        ("SELF_FIGHTS", 10_000),
        ("COPY_FIGHTS", 1000),
    ):
        monkeypatch.setattr(controls, name, less)


def faulty(name: str) -> Any:
    """The rules with one kernel function that is wrong."""
    system = Blitzkrieg()
    system.kernels = (*SYSTEM.kernels, importlib.import_module(f"faulty.{name}"))
    return system


def judged(folder: Path, fault: str, place: tuple[str, int, str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The verdict on a study whose fights were fought under a fault, its duels solved under the sound rules."""
    study = folder / f"{fault}.yaml"
    units, distance, aspect = place
    text = STUDY.replace("UNITS", units).replace("RANGE", f"[{distance}]").replace("ASPECT", aspect)
    study.write_text(text, encoding="utf-8")
    with monkeypatch.context() as patch:
        if fault != "none":
            patch.setitem(registry._REGISTERED, "blitzkrieg", faulty(fault))
        found = run(study, results=folder)
    assert found.record["n"] == ORDINARY
    return referee(found, time_limit=0.7, workers=1)


@pytest.mark.long
@pytest.mark.rule("BK-13", "BK-17", "BK-18", "BK-23")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_rejected(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = judged(tmp_path, fault, FAULTS[fault], monkeypatch)
    chances = [*verdict.cells["p_outcomes"].dropna(), *(verdict.cells["p_figures"].dropna() / 10)]
    assert min(chances) < 1e-6 / TESTS
    assert not verdict.passed
    assert verdict.cells["failed"].any()


def test_the_sound_sampler_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = judged(tmp_path, "none", (ALONE, 24, "front"), monkeypatch)
    assert verdict.passed
    assert verdict.record["judged"] >= 1
