"""Fair numbers of two runs side by side, and the prices that they imply.

A fair number is where the share of a falls through one half, between two neighbouring numbers of b; the ends of its
interval are where the limits of the share do. How far it moved is told in logarithms, whose distances to their limits
are put together like those of win shares. Where a run fought too few numbers to have an end at the level of the whole
family, the next number that it fought stands for it, which is never too near.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from simlab.analysis.compare import CONTRADICTS, MOVED, SAME, Record, by_rules, same_code
from simlab.analysis.compare_limits import limit_mean
from simlab.analysis.fair import EVEN, LIMIT_PER_UNIT, find_bracket
from simlab.analysis.intervals import Z95, as_counts
from simlab.analysis.readings import CANNOT_TELL
from simlab.analysis.tables import COUNTS, SERIES

Key = tuple[Any, ...]
Counts = tuple[int, ...]
Searches = dict[Key, dict[int, Counts]]
"""By series the four counts by M."""

_LIMITS = ("change", "change_low", "change_high", "family_low", "family_high")
_COLUMNS = (
    *SERIES,
    *("ratio_before", "ratio_after", "status_before", "status_after"),
    *(*_LIMITS, "effect", "unit", "priced_before", "priced_after"),
)


@dataclass(frozen=True)
class Anchor:
    """The unit by whose printed ECV others are priced, in both runs."""

    unit: str
    ecv_before: float
    ecv_after: float


@dataclass(frozen=True)
class _Link:
    """What the two searches for a fair number have to do with each other."""

    dice: bool
    identical: bool
    same: bool
    contradicts: bool
    tested: bool


@dataclass(frozen=True, eq=False)
class MatchedSeries:
    """The searches for a fair number that both runs have, and how they are linked."""

    before: Searches
    after: Searches
    links: dict[Key, _Link]

    @property
    def tests(self) -> int:
        """How many fair numbers are compared on which chance has a say."""
        return sum(link.tested for link in self.links.values())


def match_series(before: pd.DataFrame, after: pd.DataFrame, records: tuple[Record, Record]) -> MatchedSeries:
    """Return the series that both tables of engagements have; the tables hold each M of a series once."""
    searches = _searches(before), _searches(after)
    keys = [key for key in searches[0] if key in searches[1]]
    places = pd.DataFrame([key[:2] for key in keys], columns=["a", "b"])
    turns = [(each["engagements"] or {}).get("turns") for each in records]
    law = same_code(records) and turns[0] == turns[1]
    seed = records[0]["seed"] == records[1]["seed"]
    links = {
        key: _link(searches[0][key], searches[1][key], dice=bool(alike) and seed, law=bool(alike) and law)
        for key, alike in zip(keys, by_rules(places, records))
    }
    ours, theirs = ({key: search[key] for key in keys} for search in searches)
    return MatchedSeries(ours, theirs, links)


def _searches(engagements: pd.DataFrame) -> Searches:
    found: Searches = {}
    keys = zip(*(engagements[name].tolist() for name in SERIES))
    counts = zip(*(engagements[name].tolist() for name in COUNTS))
    for key, size, outcomes in zip(keys, engagements["size_m"].tolist(), counts):
        found.setdefault(key, {})[int(size)] = tuple(int(count) for count in outcomes)
    return found


def _link(before: dict[int, Counts], after: dict[int, Counts], dice: bool, law: bool) -> _Link:
    more = [[two - one for one, two in zip(before[size], after[size])] for size in before if size in after]
    broken = dice and law and any(min(row) < 0 < max(row) for row in more)
    return _Link(
        dice=dice,
        identical=dice and law and before == after,
        same=dice and not broken and (law or before == after),
        contradicts=broken,
        tested=not (dice and law),
    )


def tell_fair_numbers(
    matched: MatchedSeries, z: float, more_than: float, anchor: Anchor | None
) -> pd.DataFrame:
    """Return one row a fair number of b for `size_n` of a: how far it moved, as a part of what it was.

    z: normal point of the family's intervals. Columns: `SERIES`; of both runs the ratio (the fair number per unit of a,
    NaN outside 1 to 40 N) and its status (value, below, above; open, if too few numbers were fought); change (NaN
    without both ratios), the ends of its own 95% interval and of the family's, effect; where one of the two units is
    the anchor the other one and the ECVs that the fair number implies for it. What moved comes first.
    """
    levels = [(_crossings(matched.before, point), _crossings(matched.after, point)) for point in (Z95, z)]
    rows = []
    for key, link in matched.links.items():
        (one, two), (first, second) = ([crossings[key] for crossings in level] for level in levels)
        own, shared = _difference(one, two, link), _difference(first, second, link)
        row = dict(zip(SERIES, key))
        size = row["size_n"]
        row |= {"ratio_before": math.exp(one.value) / size, "ratio_after": math.exp(two.value) / size}
        row |= {"status_before": one.status, "status_after": two.status}
        ends = (two.value - one.value, *own, *shared)
        row |= {name: _relative(end) for name, end in zip(_LIMITS, ends)}
        moved = row["family_low"] > more_than or row["family_high"] < -more_than
        row["effect"] = MOVED if moved else CANNOT_TELL
        if link.same or link.contradicts:
            row["effect"] = SAME if link.same else CONTRADICTS
        rows.append(row | _prices(row, anchor))
    return _ordered(pd.DataFrame(rows, columns=list(_COLUMNS)))


def no_fair_numbers() -> pd.DataFrame:
    """Return the empty table of runs without a fair number in common."""
    return pd.DataFrame(columns=list(_COLUMNS))


def is_fair_number_moved(table: pd.DataFrame) -> "pd.Series[bool]":
    """Return by row of the table whether the fair number moved, or contradicts."""
    return table["effect"].isin([MOVED, CONTRADICTS])


@dataclass(frozen=True)
class _Crossing:
    """The logarithm of a fair number (NaN where it is outside 1 to 40 N, or open), and its interval."""

    value: float
    status: str
    low: float
    high: float


def _crossings(searches: Searches, z: float) -> dict[Key, _Crossing]:
    rows = as_counts([counts for search in searches.values() for counts in search.values()])
    table = rows.astype(np.float64)
    share = (table[:, 0] + (table[:, 2] + table[:, 3]) / 2) / table.sum(axis=1)
    low, high = limit_mean(table[:, 0], table[:, 2] + table[:, 3], table[:, 1], z)
    curves = iter(zip(share.tolist(), low.tolist(), high.tolist()))
    found = {}
    for key, search in searches.items():
        points = {size: next(curves) for size in search}
        limit = LIMIT_PER_UNIT * int(key[SERIES.index("size_n")])
        middle, least, most = (
            _fall({size: curve[place] for size, curve in points.items()}, limit) for place in range(3)
        )
        found[key] = _Crossing(*_estimate(middle, limit), least[0], most[1])
    return found


def _fall(shares: Mapping[int, float], limit: int) -> tuple[float, float]:
    """Between which logarithms a share falls through one half; equal ones where it is known."""
    low, high = find_bracket(shares)
    if high is None:
        return math.log(low or limit), math.inf
    if low is None:
        return (0.0, 0.0) if (high, shares[high]) == (1, EVEN) else (-math.inf, math.log(high))
    start, end = math.log(low), math.log(high)
    if high - low > 1:
        return start, end
    place = start + (shares[low] - EVEN) / (shares[low] - shares[high]) * (end - start)
    return place, place


def _estimate(middle: tuple[float, float], limit: int) -> tuple[float, str]:
    low, high = middle
    if low == high:
        return low, "value"
    if (low, high) == (-math.inf, 0.0):
        return math.nan, "below"
    return math.nan, "above" if (low, high) == (math.log(limit), math.inf) else "open"


def _difference(before: _Crossing, after: _Crossing, link: _Link) -> tuple[float, float]:
    """The ends of the interval of after - before; without both values as far as the two intervals reach."""
    if link.identical:
        return 0.0, 0.0
    if math.isnan(before.value) or math.isnan(after.value):
        return after.low - before.high, after.high - before.low
    change = after.value - before.value
    below = (after.value - after.low, before.high - before.value)
    above = (after.high - after.value, before.value - before.low)
    if link.dice:
        return change - sum(below), change + sum(above)
    return change - math.hypot(*below), change + math.hypot(*above)


def _relative(change: float) -> float:
    """A change of a logarithm as a part of what it was: 0.1 is ten percent more."""
    return math.inf if change > 700 else math.expm1(change)


def _prices(row: Mapping[str, Any], anchor: Anchor | None) -> dict[str, Any]:
    """The ECVs that a fair number against the anchor implies for the other unit; nothing for other fair numbers."""
    if anchor is None or row["a"] == row["b"] or anchor.unit not in (row["a"], row["b"]):
        return {"unit": "", "priced_before": math.nan, "priced_after": math.nan}
    counted = anchor.unit == row["b"]
    worths = {"before": anchor.ecv_before, "after": anchor.ecv_after}
    prices = {
        f"priced_{run}": worth * row[f"ratio_{run}"] if counted else worth / row[f"ratio_{run}"]
        for run, worth in worths.items()
    }
    return {"unit": row["a"] if counted else row["b"], **prices}


def _ordered(frame: pd.DataFrame) -> pd.DataFrame:
    """What moved first, then by the size of the change, at least as far as it is known."""
    moved = is_fair_number_moved(frame)
    change, low, high = (frame[name].to_numpy(np.float64) for name in ("change", "family_low", "family_high"))
    with np.errstate(divide="ignore"):
        known = np.abs(np.log1p(change))
        least = np.maximum(np.maximum(np.log1p(low), -np.log1p(high)), 0.0)
    order = pd.DataFrame({"moved": ~moved, "size": -np.where(np.isnan(known), least, known)})
    index = order.sort_values(["moved", "size"], kind="stable").index
    return frame.loc[index].reset_index(drop=True)
