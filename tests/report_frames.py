"""Made-up prices for pages: the frames that a price run leaves, and records of readings and the referee."""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from roster_frames import made_duels, made_record, made_roster, made_units, strengths

from simlab.analysis.tables import (
    COUNTS,
    describe_units,
    estimate_fair_numbers,
    estimate_kill_rates,
    no_engagements,
)
from simlab.reports.contents import Contents

NO_PRICE, FITS = "no price fixes this pair", "a price fits"


@dataclass(frozen=True, eq=False)
class MadePrices:
    """Prices like those of `lab.price`, without a fight."""

    units: pd.DataFrame
    pairs: pd.DataFrame
    cycles: pd.DataFrame
    cyclic: pd.DataFrame
    lanchester: pd.DataFrame
    situations: pd.DataFrame
    settings: pd.DataFrame
    record: dict[str, Any] = field(repr=False)

    def headlines(self) -> list[str]:
        return ["Unit 1 is worth what it costs.", "No price fixes one pair."]


def made_prices(units: list[dict[str, Any]]) -> MadePrices:
    """Return prices that follow strength: verdicts of every kind, one unbounded unit, one pair that no price fixes."""
    ids = [unit["id"] for unit in units]
    price = {
        unit: 558 * math.exp(0.7 * strength) for unit, strength in zip(ids, strengths(len(ids)), strict=True)
    }
    frame = pd.DataFrame([_unit(unit, price[unit["id"]], place) for place, unit in enumerate(units)])
    frame.loc[frame.index[-1], ["priced", "low", "high", "ratio", "ratio_low", "ratio_high"]] = np.nan
    frame.loc[frame.index[-1], "verdict"] = "unbounded below"
    pairs = pd.DataFrame([_pair(a, b, price) for place, a in enumerate(ids) for b in ids[place + 1 :]])
    return MadePrices(
        units=frame,
        pairs=pairs,
        cycles=pd.DataFrame([{"members": " > ".join(ids[:3]), "curl": 0.31, "low": 0.22, "high": 0.4}]),
        cyclic=pd.DataFrame([{"share": 0.042, "low": 0.031, "high": 0.055}]),
        lanchester=pd.DataFrame(
            [
                {"policy": "spread", "exponent": 1.62, "low": 1.5, "high": 1.74, "pairs": len(pairs)},
                {"policy": "first", "exponent": 1.93, "low": 1.8, "high": 2.06, "pairs": len(pairs)},
            ]
        ),
        situations=pd.DataFrame(
            [
                {"id": unit, "by": by, "value": value, "priced": price[unit] * (1 + 0.02 * place)}
                for unit in ids
                for place, (by, value) in enumerate(
                    (("range", 6.0), ("range", 24.0), ("aspect", "front"), ("aspect", "rear"))
                )
            ]
        ),
        settings=pd.DataFrame(
            [
                {"id": unit, "size": size, "policy": policy, "priced": price[unit] * factor}
                for unit in ids
                for size, policy, factor in ((1000.0, "spread", 0.94), (2350.0, "spread", 1.0), (2350.0, "first", 1.08))
            ]
        ),
        record={
            "anchor": {"id": ids[1], "ecv": units[1]["ecv"]}, "size": 2350.0, "policy": "spread",
            "sizes": [1000.0, 2350.0],
            "policies": ["spread", "first"], "turns": 20, "mix": "range 6, 24; aspect front", "tolerance": 0.05,
            "level": 0.95, "n": 512, "seed": 7, "stage": 2,
        },
    )  # fmt: skip


VERDICTS = ("overpriced", "underpriced", "fair", "cannot tell")


def _unit(unit: dict[str, Any], priced: float, place: int) -> dict[str, Any]:
    row = {name: unit[name] for name in ("id", "name", "nation", "ecv", "source")}
    ecv = math.nan if unit["ecv"] is None else unit["ecv"]
    draft = unit["source"] == "draft"
    row |= {"ecv": ecv, "draft": draft, "priced": priced, "low": priced * 0.995, "high": priced * 1.005}
    row |= {
        "mix_low": priced * 0.95,
        "mix_high": priced * 1.06,
        "spread_low": priced * 0.9,
        "spread_high": priced * 1.1,
    }
    row |= {"priced_roster": priced * 1.02, "roster_low": priced * 1.01, "roster_high": priced * 1.03}
    row |= {
        "head_to_head": priced * 0.98,
        "head_low": priced * 0.96,
        "head_high": priced,
        "strength": math.log(priced / 558),
    }
    ratio = ecv / priced
    row |= {"ratio": ratio, "ratio_low": ratio * 0.995, "ratio_high": ratio * 1.005}
    return row | {"verdict": "draft" if draft else VERDICTS[place % len(VERDICTS)]}


def _pair(a: str, b: str, price: dict[str, float]) -> dict[str, Any]:
    fitted = math.log(price[a] / price[b])
    odd = a.endswith("00") and b.endswith("02")
    residual = 0.25 if odd else 0.01 * (len(a + b) % 3) + fitted * 0.003
    return {
        "a": a, "b": b, "log_rho": fitted + residual, "fitted": fitted, "residual": residual, "low": residual - 0.02,
        "high": residual + 0.02, "one_sided": 0.25 if odd else 0.0, "fixable": NO_PRICE if odd else FITS,
    }  # fmt: skip


def made_readings(units: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what `readings.json` holds: one variant that moves, one that cannot be told, one without effect."""
    a, b = units[0]["id"], units[1]["id"]
    usual = {"given": "", "a": a, "b": b, "flips": 0, "opens": 0, "settles": 0}
    fair = dict.fromkeys(("fair_change", "fair_change_low", "fair_change_high"))
    moved = {"fair_change": -0.12, "fair_change_low": -0.16, "fair_change_high": -0.08, "flips": 1}
    return {
        "schema": 1, "name": "A made-up roster", "n": 9616, "seed": 7, "rules_version": "made-1",
        "units": {unit["id"]: unit["name"] for unit in units},
        "ranking": [
            {**usual, **fair, **moved, "reading": "loss", "value": "crew", "movement": 0.12, "change": 0.034,
             "change_low": 0.03, "change_high": 0.038, "effect": "moves"},
            {**usual, **fair, "reading": "skip", "value": "all", "given": "skipping", "movement": 0.001,
             "change": 0.001,
             "change_low": -0.002, "change_high": 0.004, "effect": "cannot tell"},
            {**usual, **fair, "reading": "mg_range", "value": "unlimited", "movement": 0.0, "change": 0.0,
             "change_low": 0.0, "change_high": 0.0, "effect": "none"},
        ],
        "flips": [f"loss=crew: {a} against {b}, a to b"],
    }  # fmt: skip


def made_referee(digest: str = "0" * 16, passed: bool = True) -> dict[str, Any]:
    """Return what `referee.json` holds, of the run with this digest."""
    cell = {"row": 0, "judged": True, "p_outcomes": 0.37, "p_figures": 0.8}
    return {
        "schema": 1, "run": digest, "seed": 7, "bound": 1e-6, "judged": 2,
        "cells_of_run": 729, "drawn": 2, "extremes": 1,
        "skipped": ["unit_00 v unit_01, range 6, front v front"],
        "family": {"level": 1e-6, "tests": 8031, "method": "Holm"}, "together": {"p_uniform": 0.5, "p_sum": 0.25},
        "controls": [{"name": "faces", "p": 0.125, "remark": ""}],
        "cells": [cell, {**cell, "p_outcomes": 0.021},
                  {**cell, "judged": False, "p_outcomes": None, "p_figures": None}],
        "failures": [] if passed else ["unit_00 v unit_02"], "passed": passed,
    }  # fmt: skip


def made_contents(
    count: int = 9,
    names: tuple[str, ...] = (),
    prices: bool = True,
    evidence: bool = True,
    n: int = 400,
    **record: Any,
) -> Contents:
    """Return the contents of a page of a made-up roster."""
    units = made_units(count, names)
    for unit in units[4:-1:3]:
        unit["source"] = "rulebook"
    duels = made_duels(units, n=n)
    full = full_record(units, n) | record
    return Contents(
        run="made",
        record=full,
        units=describe_units(units),
        roster=made_roster(units, duels) if count > 1 else None,
        fair_numbers=estimate_fair_numbers(no_engagements()),
        kill_rates=estimate_kill_rates(duels),
        anchor=units[1]["id"],
        headlines=[f"{units[0]['name']} is the strongest.", "37 of 38 ECVs are drafts."],
        prices=made_prices(units) if prices else None,
        readings=made_readings(units) if evidence else None,
        referee=made_referee() if evidence else None,
    )


def full_record(units: list[dict[str, Any]], n: int = 400) -> dict[str, Any]:
    """Return a record as `run.json` holds it."""
    return made_record(units, n) | {
        "schema": 1, "system": "made", "rules_version": "made-1", "kernel": "k" * 16, "digest": "0" * 16,
        "study": {"name": "A made-up roster", "units": "all"}, "readings": {"dsp": "coin", "hull_down": False},
        "versions": {"simlab": "0.1.0"}, "seconds": 1.5,
    }  # fmt: skip


SEARCHED = {("unit_00", "unit_01"): {1: 900, 2: 600, 3: 200}, ("unit_01", "unit_00"): {1: 400}}
"""By pair: of 1,000 fights those that two of the first win against so many of the second."""


def save_run(folder: Path, count: int = 2, **record: Any) -> Path:
    """Write the folder of a made-up run with engagements of two units, and return it."""
    units = made_units(count)
    folder.mkdir(parents=True)
    made_duels(units).to_parquet(folder / "duels.parquet")
    rows = []
    for (a, b), wins in SEARCHED.items():
        for size_m, won in wins.items():
            row = {
                "a": a,
                "b": b,
                "size_n": 2,
                "size_m": size_m,
                "policy": "spread",
                "range": 24.0,
                "aspect_a": "front",
            }
            row |= {"aspect_b": "rear", "first_fire": "none", "weight": 1.0, "n": 1000}
            rows.append(row | dict(zip(COUNTS, (won, 1000 - won, 0, 0), strict=True)))
    pd.DataFrame(rows).to_parquet(folder / "engagements.parquet")
    engagements = {"sizes": [2], "policies": ["spread"], "turns": 20}
    content = full_record(units) | {"engagements": engagements} | record
    (folder / "run.json").write_text(json.dumps(content), encoding="utf-8")
    return folder
