"""A rule system of paper and an engine that only draws counts: studies without a fight, in no time."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simlab.lab import study as lab_study
from simlab.lab.study import Run, run
from simlab.model.ecv import Ecv
from simlab.model.outcome import Tally
from simlab.rules import registry
from simlab.studies import work


@dataclass(frozen=True)
class PaperSheet:
    """A unit that is nothing but a strength; strength 0 cannot fire."""

    id: str
    strength: float
    ecv: Ecv = field(default_factory=lambda: Ecv(value=100.0, source="rulebook"))
    name: str = "Paper"
    nation: str = "nowhere"
    provenance: str = "made up"


class PaperOptions:
    def built(self) -> dict[str, Any]:
        return {"folded": False}

    def non_default(self) -> dict[str, Any]:
        return {}


class PaperSystem:
    """A system whose fights are one weighing of strengths; only the fake `play_fights` below knows it."""

    name, title, version, range_unit, caveat = "paper", "Paper", "paper-1", "inches", ""
    aspects = ("front", "rear")
    kinds = ("torn",)

    def load_sheet(self, path: Path) -> PaperSheet:
        raise NotImplementedError

    def options(self, settings: Any, constants: Any = None) -> PaperOptions:
        return PaperOptions()

    def sheet_hash(self, sheet: PaperSheet) -> str:
        return f"sheet {sheet}"

    def fight_hash(self, sheet: PaperSheet) -> str:
        return f"fight {sheet.strength}"

    def compile_fight(self, sheets_a, sheets_b, situation, options, turns, parts=None):
        power_a, power_b = (sum(sheet.strength for sheet in side) for side in (sheets_a, sheets_b))
        if situation.aspect_b == "rear":
            power_b /= 2
        return SimpleNamespace(
            n_a=len(sheets_a), n_b=len(sheets_b), can_fire_a=power_a > 0, can_fire_b=power_b > 0,
            power=(power_a, power_b),
        )  # fmt: skip


class PaperEngine:
    """Stands for the engine: draws counts, remembers how often it was asked, stops when told to."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, int]] = []
        self.stop_after: int | None = None
        self.delay = False

    def __call__(self, fight, *, n, seed, key, workers=None, first=0, policy_a, policy_b) -> Tally:
        if self.stop_after is not None and len(self.calls) >= self.stop_after:
            raise KeyboardInterrupt
        self.calls.append((first, n))
        if self.delay:
            time.sleep((key + first) % 7 / 5000)
        power_a, power_b = fight.power
        win = 0.9 * power_a**2 / (power_a**2 + power_b**2)
        rng = np.random.default_rng([seed, key, first])
        outcomes = rng.multinomial(n, [win, 0.9 - win, 0.06, 0.04]).astype(np.int64)
        units = fight.n_a + fight.n_b
        flags = np.zeros((units, 4), np.int64)
        flags[: fight.n_a, 1] = outcomes[1] + outcomes[2]
        flags[fight.n_a :, 3] = outcomes[0] + outcomes[2]
        flags[:, 0] = n - flags.sum(axis=1)
        turn_sum = 3 * (n - flags[:, 0])
        zeros = np.zeros(1, np.int64)
        return Tally(n, outcomes, 5 * n, flags, turn_sum, zeros, zeros)


SHEETS = {
    "strong": PaperSheet("strong", 2.0, Ecv(value=150.0, source="draft"), "Strong"),
    "weak": PaperSheet("weak", 1.0, Ecv(value=100.0, source="rulebook"), "Weak"),
    "unpriced": PaperSheet("unpriced", 1.0, Ecv(value=None, source="priced")),
    "silent": PaperSheet("silent", 0.0),
}

COUNTS = [f"count_{name}" for name in ("a_wins", "b_wins", "both_destroyed", "neither")]
STUDY = """\
name: Paper
system: paper
units: [strong, weak]
situations: {range: {6: 1, 12: 3}, aspect: {front: 1, rear: 1}}
method: monte_carlo
n: 1000
engagements: {sizes: [1, 2, 3]}
"""


def install(monkeypatch: pytest.MonkeyPatch) -> PaperEngine:
    """Register the paper system and put its engine in place of the real one."""
    fake = PaperEngine()
    monkeypatch.setitem(registry._REGISTERED, "paper", PaperSystem())
    monkeypatch.setattr(work, "play_fights", fake)
    monkeypatch.setattr(work, "compile_ahead", lambda fight, note, *policies: None)
    monkeypatch.setattr(work, "kernel_id", lambda system: "kernel 1")
    real = lab_study.find_own_sheet
    monkeypatch.setattr(
        lab_study,
        "find_own_sheet",
        lambda unit, system, units: SHEETS[unit] if system == "paper" else real(unit, system, units),
    )
    return fake


def write_study(tmp_path: Path, text: str = STUDY) -> Path:
    path = tmp_path / "paper.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def paper_run(tmp_path: Path, text: str = STUDY, **more: Any) -> Run:
    return run(write_study(tmp_path, text), results=tmp_path / "results", **more)
