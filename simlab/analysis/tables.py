"""Tidy frames of estimates from the stored tables of a run."""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import is_numeric_dtype

from simlab.analysis.fair import estimate_fair_number
from simlab.analysis.intervals import as_counts, estimate_share, estimate_wilson
from simlab.model.typed_situation import NO_FIRST_FIRE

OUTCOMES = ("a_wins", "b_wins", "both_destroyed", "neither")
COUNTS = tuple(f"count_{outcome}" for outcome in OUTCOMES)
SITUATION = ("range", "aspect_a", "aspect_b", "first_fire")
"""Columns of a situation: ranges are numbers, or all texts if one goes by turn; `first_fire` is "none" or "a:2"."""
OPEN = "open"
"""Status of an end of an interval beyond which nothing was fought; its number is missing then."""
SERIES = ("a", "b", "size_n", "policy", *SITUATION)


def complete_situations(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a stored table with `first_fire`: tables of before there was any have no such column."""
    return frame if "first_fire" in frame else frame.assign(first_fire=NO_FIRST_FIRE)


def weights_in_groups(
    weights: npt.NDArray[np.float64], groups: npt.NDArray[np.intp], size: int
) -> npt.NDArray[np.float64]:
    """Return weights that add up to 1 in each group, numbered 0 to size - 1; equal ones where all are 0."""
    empty = np.bincount(groups, weights, size)[groups] <= 0
    filled = np.where(empty, 1.0, weights)
    shares: npt.NDArray[np.float64] = filled / np.bincount(groups, filled, size)[groups]
    return shares


def estimate_fair_numbers(engagements: pd.DataFrame) -> pd.DataFrame:
    """Return one row per series of engagements: the fair number of b for `size_n` of a.

    `engagements` has the columns of `SERIES`, `size_m`, `weight`, `n` and the four counts. The result has
    `SERIES`, `weight`, `n`, `status` (value, below, above), `fair`, `fair_low`, `fair_high` (in units of b;
    `fair` is NaN outside 1 to 40 N, and so is an end that is open), the same divided by `size_n` as `ratio`,
    `ratio_low`, `ratio_high`, `low_status` and `high_status` (value, open), and `no_decision`.
    """
    rows = [
        _fair_row(series, entries) for series, entries in _by_series(complete_situations(engagements)).items()
    ]
    types = {**_FAIR_TYPES, "range": "float64" if is_numeric_dtype(engagements["range"]) else "str"}
    if not rows:
        types["range"] = "float64"
    return pd.DataFrame(rows, columns=list(types)).astype(types)


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
    bounded = [number.low > 0, math.isfinite(number.high)]
    ends = [end if known else math.nan for end, known in zip((number.low, number.high), bounded, strict=True)]
    fair = [number.value, *ends]
    ratios = [value / size_n for value in fair]
    _, weight, n, *_ = entries[0]
    statuses = ["value" if known else OPEN for known in bounded]
    return [*series, weight, n, number.status, *fair, *ratios, *statuses, number.no_decision]


_FAIR_TYPES: dict[Hashable, Any] = {
    "a": "str",
    "b": "str",
    "size_n": "int64",
    "policy": "str",
    "range": "float64",
    "aspect_a": "str",
    "aspect_b": "str",
    "first_fire": "str",
    "weight": "float64",
    "n": "int64",
    "status": "str",
    "fair": "float64",
    "fair_low": "float64",
    "fair_high": "float64",
    "ratio": "float64",
    "ratio_low": "float64",
    "ratio_high": "float64",
    "low_status": "str",
    "high_status": "str",
    "no_decision": "bool",
}


def estimate_kill_rates(duels: pd.DataFrame) -> pd.DataFrame:
    """Return the chance that a destroys b by the end of each duel, with its interval.

    Sampled rows get the Wilson interval, exact rows the bounds that follow from `error_bound`. Columns:
    a, b, the situation, weight, n (missing where exact), `error_bound` (missing where sampled), `kill_rate`,
    `kill_rate_low`, `kill_rate_high`, `cannot_fire` (a has no weapon that can ever fire there), `no_decision`.
    """
    duels = complete_situations(duels)
    sampled = duels["method"] == "monte_carlo"
    rate = duels["destroyed_b"].to_numpy(np.float64)
    n = duels["n"].fillna(1).to_numpy(np.int64)
    low, high = estimate_wilson(np.rint(rate * n), n)
    bound = duels["error_bound"].fillna(0.0).to_numpy(np.float64)
    frame = duels[["a", "b", *SITUATION, "weight", "n", "error_bound"]].copy()
    frame["kill_rate"] = rate
    frame["kill_rate_low"] = np.where(sampled, low, rate)
    frame["kill_rate_high"] = np.where(sampled, high, np.minimum(rate + bound, 1.0))
    frame["cannot_fire"] = duels["cannot_fire_a"]
    frame["no_decision"] = duels["neither"] > 0.5
    return frame


def estimate_win_shares(duels: pd.DataFrame) -> pd.DataFrame:
    """Return the win share of a in each sampled duel, with its normal interval.

    Columns: a, b, the situation, weight, n, `win_share`, `win_share_low`, `win_share_high`.
    """
    sampled = complete_situations(duels[duels["method"] == "monte_carlo"])
    share, low, high = estimate_share(as_counts(sampled[list(COUNTS)]))
    frame = sampled[["a", "b", *SITUATION, "weight", "n"]].copy()
    return frame.assign(win_share=share, win_share_low=low, win_share_high=high)


def estimate_mixed_kill_rates(rates: pd.DataFrame, by: tuple[str, ...]) -> pd.DataFrame:
    """Return the kill rates of `estimate_kill_rates` averaged by situation weight within each group of `by`.

    The interval adds the sampled rows' variances (half-widths at 95 %), for independent dice; errors of
    exact rows may all go one way, so these add up as they are. Columns: `by`,
    kill_rate, kill_rate_low, kill_rate_high, `cannot_fire`.
    """
    frame = rates.assign(
        reach=(rates["kill_rate_high"] - rates["kill_rate_low"]) / 2,
        middle=(rates["kill_rate_high"] + rates["kill_rate_low"]) / 2,
        exact=rates["error_bound"].notna(),
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
    reaches, exact = weight * group["reach"].to_numpy(np.float64), group["exact"].to_numpy(bool)
    reach = float(np.sqrt((reaches[~exact] ** 2).sum()) + reaches[exact].sum())
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
