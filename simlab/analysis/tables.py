"""Tidy frames of estimates from the stored tables of a run."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from simlab.analysis.fair import estimate_fair_number
from simlab.analysis.intervals import as_counts, estimate_share, estimate_wilson

OUTCOMES = ("a_wins", "b_wins", "both_destroyed", "neither")
COUNTS = tuple(f"count_{outcome}" for outcome in OUTCOMES)
SERIES = ("a", "b", "size_n", "policy", "range", "aspect_a", "aspect_b")
SITUATION = ("range", "aspect_a", "aspect_b")


def estimate_fair_numbers(engagements: pd.DataFrame) -> pd.DataFrame:
    """Return one row per series of engagements: the fair number of b for `size_n` of a.

    `engagements` has the columns of `SERIES`, `size_m`, `weight`, `n` and the four counts. The result has
    `SERIES`, `weight`, `n`, `status` (value, below, above), `fair`, `fair_low`, `fair_high` (in units of b;
    `fair` is NaN outside 1 to 40 N; ends are 0 or infinite where unbounded), the same divided by `size_n`
    as `ratio`, `ratio_low`, `ratio_high`, and `no_decision`.
    """
    rows = [_fair_row(series, entries) for series, entries in _by_series(engagements).items()]
    return pd.DataFrame(rows, columns=list(_FAIR_TYPES)).astype(_FAIR_TYPES)


def _by_series(engagements: pd.DataFrame) -> dict[tuple[Any, ...], list[tuple[Any, ...]]]:
    """Entries (M, weight, n, the four counts) by series, in the order of the table."""
    grouped: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    keys = zip(*(engagements[name].tolist() for name in SERIES), strict=True)
    entries = zip(*(engagements[name].tolist() for name in ("size_m", "weight", "n", *COUNTS)), strict=True)
    for key, entry in zip(keys, entries, strict=True):
        grouped.setdefault(key, []).append(entry)
    return grouped


def _fair_row(series: tuple[Any, ...], entries: list[tuple[Any, ...]]) -> list[Any]:
    size_n = int(series[SERIES.index("size_n")])
    number = estimate_fair_number({int(entry[0]): entry[3:] for entry in entries}, size_n)
    fair = [number.value, number.low, number.high]
    _, weight, n, *_ = entries[0]
    return [*series, weight, n, number.status, *fair, *(value / size_n for value in fair), number.no_decision]


_FAIR_TYPES: dict[Hashable, Any] = {
    "a": "str",
    "b": "str",
    "size_n": "int64",
    "policy": "str",
    "range": "float64",
    "aspect_a": "str",
    "aspect_b": "str",
    "weight": "float64",
    "n": "int64",
    "status": "str",
    "fair": "float64",
    "fair_low": "float64",
    "fair_high": "float64",
    "ratio": "float64",
    "ratio_low": "float64",
    "ratio_high": "float64",
    "no_decision": "bool",
}


def estimate_kill_rates(duels: pd.DataFrame) -> pd.DataFrame:
    """Return the chance that a destroys b by the end of each duel, with its interval.

    Sampled rows get the Wilson interval, exact rows the bounds that follow from `error_bound`. Columns:
    a, b, range, aspect_a, aspect_b, weight, n, `kill_rate`, `kill_rate_low`, `kill_rate_high`,
    `cannot_fire` (a has no weapon that can ever fire there), `no_decision`.
    """
    sampled = duels["method"] == "monte_carlo"
    rate = duels["destroyed_b"].to_numpy(np.float64)
    n = duels["n"].fillna(1).to_numpy(np.int64)
    low, high = estimate_wilson(np.rint(rate * n), n)
    bound = duels["error_bound"].fillna(0.0).to_numpy(np.float64)
    frame = duels[["a", "b", *SITUATION, "weight", "n"]].copy()
    frame["kill_rate"] = rate
    frame["kill_rate_low"] = np.where(sampled, low, rate)
    frame["kill_rate_high"] = np.where(sampled, high, np.minimum(rate + bound, 1.0))
    frame["cannot_fire"] = duels["cannot_fire_a"]
    frame["no_decision"] = duels["neither"] > 0.5
    return frame


def estimate_win_shares(duels: pd.DataFrame) -> pd.DataFrame:
    """Return the win share of a in each sampled duel, with its normal interval.

    Columns: a, b, range, aspect_a, aspect_b, weight, n, `win_share`, `win_share_low`, `win_share_high`.
    """
    sampled = duels[duels["method"] == "monte_carlo"]
    share, low, high = estimate_share(as_counts(sampled[list(COUNTS)]))
    frame = sampled[["a", "b", *SITUATION, "weight", "n"]].copy()
    return frame.assign(win_share=share, win_share_low=low, win_share_high=high)


def estimate_mixed_kill_rates(rates: pd.DataFrame, by: tuple[str, ...]) -> pd.DataFrame:
    """Return the kill rates of `estimate_kill_rates` averaged by situation weight within each group of `by`.

    The interval adds the rows' variances (half-widths at 95 %), for independent dice. Columns: `by`,
    kill_rate, kill_rate_low, kill_rate_high, `exact` (all rows of the group are exact), `cannot_fire`.
    """
    frame = rates.assign(
        reach=(rates["kill_rate_high"] - rates["kill_rate_low"]) / 2,
        middle=(rates["kill_rate_high"] + rates["kill_rate_low"]) / 2,
    )
    rows = []
    for key, group in frame.groupby(list(by), sort=False):
        rows.append([*(key if isinstance(key, tuple) else (key,)), *_mixed(group)])
    names = ["kill_rate", "kill_rate_low", "kill_rate_high", "cannot_fire"]
    return pd.DataFrame(rows, columns=[*by, *names])


def _mixed(group: pd.DataFrame) -> list[Any]:
    weight = group["weight"].to_numpy(np.float64)
    weight = weight / weight.sum() if weight.sum() > 0 else np.full(len(weight), 1 / len(weight))
    rate, middle = float(weight @ group["kill_rate"]), float(weight @ group["middle"])
    reach = float(np.sqrt((weight**2) @ (group["reach"].to_numpy(np.float64) ** 2)))
    low, high = max(0.0, min(rate, middle - reach)), min(1.0, max(rate, middle + reach))
    return [rate, low, high, bool(group["cannot_fire"].all())]


def describe_units(units: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return the frame of units: id, name, ecv (NaN if not priced), source, draft (an ECV of ours).

    `units` are the entries of a run's record.
    """
    rows = [(unit["id"], unit["name"], unit["ecv"], unit["source"]) for unit in units]
    frame = pd.DataFrame(rows, columns=["id", "name", "ecv", "source"])
    frame["ecv"] = frame["ecv"].astype("float64")
    return frame.assign(draft=frame["source"] == "draft")


def display_names(units: pd.DataFrame) -> dict[str, str]:
    """Return the name of each unit by id, with the id behind it where units share a name."""
    shared = units["name"].duplicated(keep=False)
    rows = zip(units["id"], units["name"], shared, strict=True)
    return {unit: f"{name} ({unit})" if twice else name for unit, name, twice in rows}


def no_engagements() -> pd.DataFrame:
    """Return an empty table of engagements."""
    return pd.DataFrame(columns=[*SERIES, "size_m", "weight", "n", *COUNTS, "ecv_lost_a", "ecv_lost_b"])
