"""Folders of finished runs without a fight: counts drawn from chances that a test knows."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from simlab.lab.comparison import Comparison, compare

OUTCOMES = ("a_wins", "b_wins", "both_destroyed", "neither")
EVEN = (0.4, 0.4, 0.1, 0.1)


@dataclass
class PaperRun:
    """A run: chances by pair and range, and how they are answered.

    units: id to fight hash. chances: by (a, b) and range the four outcomes. exact: rows that are solved, with their
    error bound. record: what the record has beside the usual.
    """

    chances: Mapping[tuple[str, str], Mapping[Any, tuple[float, ...]]]
    n: int = 1000
    seed: int = 1
    draw: int | None = None
    units: dict[str, str] | None = None
    exact: float | None = None
    record: dict[str, Any] = field(default_factory=dict)
    searches: Mapping[tuple[str, str, int], Mapping[int, float]] | None = None

    def duels(self) -> pd.DataFrame:
        """The table of duels; the dice are those of `draw`, which is the seed unless it is given."""
        rows: list[dict[str, Any]] = []
        for (a, b), places in self.chances.items():
            for distance, chances in places.items():
                row = {
                    "row": len(rows),
                    "a": a,
                    "b": b,
                    "range": distance,
                    "aspect_a": "front",
                    "aspect_b": "rear",
                }
                row |= {"first_fire": "none", "weight": 1 / len(places)}
                rows.append(row | self._answer(chances, self._dice(1, len(rows))))
        frame = pd.DataFrame(rows)
        whole = ["n", *(f"count_{name}" for name in OUTCOMES)]
        return frame.astype(dict.fromkeys(whole, "Int64") | {"error_bound": "float64"})

    def _dice(self, table: int, row: int) -> np.random.Generator:
        return np.random.default_rng([self.seed if self.draw is None else self.draw, table, row])

    def _answer(self, chances: Iterable[float], dice: np.random.Generator) -> dict[str, Any]:
        chances = np.array(list(chances))
        silent = {f"cannot_fire_{side}": bool(chances[3] == 1) for side in "ab"}
        if self.exact is not None:
            found = {"method": "exact", "n": None, "error_bound": self.exact}
            found |= dict.fromkeys((f"count_{name}" for name in OUTCOMES), None)
            return found | dict(zip(OUTCOMES, chances * (1 - self.exact / 2), strict=True)) | silent
        counts = dice.multinomial(self.n, chances)
        found = {"method": "monte_carlo", "n": self.n, "error_bound": None}
        found |= {f"count_{name}": int(count) for name, count in zip(OUTCOMES, counts, strict=True)}
        return (
            found | {name: int(count) / self.n for name, count in zip(OUTCOMES, counts, strict=True)} | silent
        )

    def engagements(self) -> pd.DataFrame:
        """The table of engagements: by a, b and N the win share of a by M; nobody ends alive with an enemy."""
        rows: list[dict[str, Any]] = []
        for (a, b, size_n), shares in (self.searches or {}).items():
            for size_m, share in shares.items():
                wins = int(self._dice(2, len(rows)).binomial(self.n, share))
                row = {"a": a, "b": b, "size_n": size_n, "size_m": size_m, "policy": "spread", "range": 24.0}
                row |= {
                    "aspect_a": "front",
                    "aspect_b": "rear",
                    "first_fire": "none",
                    "weight": 1.0,
                    "n": self.n,
                }
                row |= dict(
                    zip((f"count_{name}" for name in OUTCOMES), (wins, self.n - wins, 0, 0), strict=True)
                )
                rows.append(row)
        return pd.DataFrame(rows)

    def content(self) -> dict[str, Any]:
        """What `run.json` holds."""
        names = dict.fromkeys(unit for pair in self.chances for unit in pair)
        hashes = self.units or {unit: f"{unit:0<16}" for unit in names}
        units = [
            {
                "id": unit,
                "name": f"The {unit}",
                "nation": "nowhere",
                "ecv": 100.0,
                "source": "draft" if place else "rulebook",
                "sheet_hash": f"{hashes[unit]}!",
                "fight_hash": hashes[unit],
            }
            for place, unit in enumerate(hashes)
        ]
        usual: dict[str, Any] = {
            "schema": 1,
            "name": "Paper",
            "study": {"method": "monte_carlo"},
            "system": "paper",
            "rules_version": "paper-1",
            "kernel": "code 1",
            "seed": self.seed,
            "n": self.n,
            "turns": 12,
            "engagements": None
            if self.searches is None
            else {"sizes": [1], "policies": ["spread"], "turns": 20},
            "range_unit": "inches",
            "readings": {"folded": False},
            "non_default": {},
            "units": units,
            "versions": {"simlab": "0.1.0", "numpy": "2.0"},
            "digest": "0" * 16,
        }
        return usual | self.record

    def save(self, folder: Path) -> Path:
        """Write the folder and return it."""
        folder.mkdir(parents=True)
        self.duels().to_parquet(folder / "duels.parquet")
        if self.searches is not None:
            self.engagements().to_parquet(folder / "engagements.parquet")
        (folder / "run.json").write_text(json.dumps(self.content()), encoding="utf-8")
        return folder


RARE = 1e-6
RANGES = (6.0, 12.0, 24.0)
PAIRS = [("one", "one"), ("one", "two"), ("two", "one"), ("two", "two")]
OTHER = {"units": {"one": "otherwise", "two": f"{'two':0<16}"}}
"""Another sheet of one: its duels are thrown with other dice."""


def shifted(chances: tuple[float, ...], by: float) -> tuple[float, ...]:
    """Chances with so much taken from b's victories and given to a's."""
    return (chances[0] + by, chances[1] - by, *chances[2:])


def even(**changed: float) -> dict[tuple[str, str], dict[float, tuple[float, ...]]]:
    """Chances of the four pairs at all ranges, `one_two=0.1` with that pair's shifted."""
    return {(a, b): dict.fromkeys(RANGES, shifted(EVEN, changed.get(f"{a}_{b}", 0.0))) for a, b in PAIRS}


class Folders:
    """Saves runs on paper and compares them."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.count = 0

    def save(self, run: PaperRun) -> Path:
        self.count += 1
        return run.save(self.place / f"run{self.count}")

    def compare(self, before: PaperRun, after: PaperRun, **options: Any) -> Comparison:
        return compare(self.save(before), self.save(after), **options)


def row_of(table: pd.DataFrame, **wanted: Any) -> dict[Any, Any]:
    kept = table
    for name, value in wanted.items():
        kept = kept[kept[name] == value]
    (row,) = kept.to_dict("records")
    return row


def records(table: pd.DataFrame) -> list[dict[Any, Any]]:
    return table.to_dict("records")
