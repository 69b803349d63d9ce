"""Made-up studies of many units: tables of duels as a run stores them, and records that go with them."""

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from simlab.analysis.roster import Roster, describe_roster
from simlab.analysis.tables import COUNTS, OUTCOMES, describe_units

LEAD = {"front": 0.0, "front_left": 1.5, "rear": 0.6}
"""What the first unit of a pair gains by what the second one shows, in logits."""


def strengths(count: int) -> list[float]:
    """Return strengths in logits, the first unit the strongest."""
    return list(np.linspace(1.6, -1.6, count))


def made_units(count: int, names: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return units as in a record: prices that follow strength but not strictly, one printed, the last without any."""
    rows = []
    for place, strength in enumerate(strengths(count)):
        ecv = round(500 * math.exp(0.8 * strength + (0.4 if place % 3 else -0.4)))
        row = {"id": f"unit_{place:02d}", "name": f"Unit {place}", "nation": "nowhere", "ecv": float(ecv)}
        rows.append(row | {"source": "draft", "sheet_hash": f"s{place}", "fight_hash": f"f{place}"})
    for row, name in zip(rows, names, strict=False):
        row["name"] = name
    rows[1]["source"] = "rulebook"
    rows[-1] |= {"ecv": None, "source": "priced"}
    return rows


def made_record(units: list[dict[str, Any]], n: int = 400) -> dict[str, Any]:
    """Return the part of a record that pictures and summaries read."""
    return {
        "name": "A made-up roster", "n": n, "seed": 7, "turns": 12, "engagements": None, "range_unit": "inches",
        "non_default": {}, "units": units,
    }  # fmt: skip


def made_duels(
    units: list[dict[str, Any]],
    ranges: Sequence[Any] = (6.0, 12.0, 24.0),
    aspects: Sequence[str] = tuple(LEAD),
    n: int = 400,
    first_fires: Sequence[str] = ("none",),
) -> pd.DataFrame:
    """Return the duels of all ordered pairs, self-pairs included; nobody has any kill but by a win or by both."""
    rng = np.random.default_rng(len(units))
    power = dict(zip((unit["id"] for unit in units), strengths(len(units)), strict=True))
    rows = []
    situations = list(product(range(len(ranges)), aspects, first_fires))
    for a, b in product(power, repeat=2):
        for place, aspect, first_fire in situations:
            edge = (
                (power[a] - power[b]) * (1.2 - 0.3 * place)
                + LEAD[aspect]
                + (0.5 if first_fire == "a:2" else 0.0)
            )
            win = 0.9 / (1 + math.exp(-edge))
            counts = rng.multinomial(n, [win, 0.9 - win, 0.06, 0.04])
            row = {
                "row": len(rows),
                "a": a,
                "b": b,
                "range": ranges[place],
                "aspect_a": "front",
                "aspect_b": aspect,
            }
            row |= {"first_fire": first_fire, "weight": 1 / len(situations), "method": "monte_carlo", "n": n}
            row |= dict(zip(COUNTS, counts.tolist(), strict=True))
            row |= dict(zip(OUTCOMES, (counts / n).tolist(), strict=True))
            row |= {"error_bound": math.nan, "cannot_fire_a": False, "cannot_fire_b": False}
            row |= {"destroyed_a": (counts[1] + counts[2]) / n, "destroyed_b": (counts[0] + counts[2]) / n}
            rows.append(row)
    return pd.DataFrame(rows).astype({"n": "Int64", **dict.fromkeys(COUNTS, "Int64")})


def made_roster(units: list[dict[str, Any]], duels: pd.DataFrame) -> Roster:
    """Return what the duels say about the units."""
    hashes = {unit["id"]: unit["fight_hash"] for unit in units}
    return describe_roster(duels, describe_units(units), hashes)
