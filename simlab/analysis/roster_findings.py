"""What stands out in a study of many units: upsets, wheels, ranges that matter, kill rates off the usual."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import is_numeric_dtype

from simlab.analysis.digits import format_percent
from simlab.analysis.roster import SEEN, Roster, share_matrix

Row = Mapping[Hashable, Any]
Floats = npt.NDArray[np.float64]

CLEAR = 0.75
"""Win share from which on a matchup is called clear: three fights in four."""
BREADTH = 0.3
"""How far the usual kill rate at a ratio of ECVs looks around, as a share of the spread of the logarithms of ratios."""
PLACES = 201
"""Ratios at which the usual kill rate is worked out; in between are straight lines."""
MOST_NAMED = 9
MOST_AS_TARGET = 2
FEWEST_EACH = 16
"""Points there are for each one that is named on a side, two excepted."""


def find_upsets(matchups: pd.DataFrame) -> pd.DataFrame:
    """Return the matchups that the cheaper unit wins beyond its interval, the largest ratio of ECVs first."""
    won = matchups[(matchups["verdict"] == "wins") & (matchups["ecv_ratio"] < 1)]
    return won.sort_values(
        ["ecv_ratio", "win_share"], ascending=[True, False], kind="stable", ignore_index=True
    )


def count_priced_pairs(matchups: pd.DataFrame) -> int:
    """Return how many pairs of units have two different ECVs."""
    return int((matchups["ecv_ratio"] < 1).sum())


def count_clear(matchups: pd.DataFrame) -> int:
    """Return how many pairs of units one of the two wins in `CLEAR` of the fights or more, by the interval's end."""
    clear = (matchups["win_share_low"] >= CLEAR) & (matchups["verdict"] == "wins")
    return int(clear.sum())


def find_wheels(roster: Roster) -> pd.DataFrame:
    """Return the threes of units of which each beats the next beyond its interval, the most decided first.

    Columns: first, second, third (ids; the strongest of the three is the first), `least` (smallest of the three win
    shares).
    """
    order = list(roster.ladder["unit"])
    shares = share_matrix(roster.matchups, order)
    beats = (
        share_matrix(roster.matchups.assign(won=roster.matchups["verdict"] == "wins"), order, "won") == 1.0
    )
    rows = []
    for first in range(len(order)):
        later = np.arange(len(order)) > first
        for second in np.flatnonzero(beats[first] & later):
            for third in np.flatnonzero(beats[second] & beats[:, first] & later):
                least = min(shares[first, second], shares[second, third], shares[third, first])
                rows.append((order[first], order[second], order[third], float(least)))
    frame = pd.DataFrame(rows, columns=["first", "second", "third", "least"])
    return frame.sort_values("least", ascending=False, kind="stable", ignore_index=True)


def find_swings(ranges: pd.DataFrame) -> pd.DataFrame:
    """Return how far each unit's win share moves from the shortest to the longest range, falling most first.

    `ranges` is that of `Roster`. Columns: unit, `near`, `far` (win shares), `swing` (far less near) with `swing_low`
    and `swing_high`. No rows where ranges go by turn, or where there is one only.
    """
    columns = ["unit", "near", "far", "swing", "swing_low", "swing_high"]
    if not is_numeric_dtype(ranges["range"]) or ranges["range"].nunique() < 2:
        return pd.DataFrame(columns=columns)
    ends = [
        ranges[ranges["range"] == end].set_index("unit")
        for end in (ranges["range"].min(), ranges["range"].max())
    ]
    near, far = ends[0], ends[1].reindex(ends[0].index)
    swing = far["win_share"] - near["win_share"]
    reach = np.hypot(*((end["win_share_high"] - end["win_share_low"]) / 2 for end in (near, far)))
    frame = pd.DataFrame(
        {
            "near": near["win_share"],
            "far": far["win_share"],
            "swing": swing,
            "swing_low": swing - reach,
            "swing_high": swing + reach,
        }
    )
    frame = frame.rename_axis("unit").reset_index()
    return frame.sort_values("swing", kind="stable", ignore_index=True)[columns]


def find_odd_kills(matchups: pd.DataFrame) -> pd.DataFrame:
    """Return the matchups with two ECVs, and which of them kill far more or less often than pairs of that ratio do.

    Adds `draft` (one of the two ECVs is a draft), `trend` (usual kill rate at that ratio, see `smooth`), `excess`
    (kill rate less trend) and `side`: "above" or "below" for the furthest from the trend, `MOST_NAMED` a
    side or fewer, each unit once as the one that kills and `MOST_AS_TARGET` times as the other; else "".
    """
    known = np.isfinite(matchups["ecv_ratio"].to_numpy(np.float64))
    frame: pd.DataFrame = matchups[known].sort_values("ecv_ratio", kind="stable", ignore_index=True)
    frame = frame.assign(draft=frame["unit_draft"] | frame["opponent_draft"])
    ratios = np.log(frame["ecv_ratio"].to_numpy(np.float64))
    rate = frame["kill_rate"].to_numpy(np.float64)
    trend = _trend(ratios, rate) if len(frame) else rate
    frame = frame.assign(trend=trend, excess=rate - trend, side="")
    limit = min(MOST_NAMED, max(2, len(frame) // FEWEST_EACH))
    for side, ascending in (("above", False), ("below", True)):
        ranked = frame.sort_values("excess", ascending=ascending, kind="stable")
        right = ranked["excess"] < 0 if ascending else ranked["excess"] > 0
        frame.loc[_various(ranked[right], limit), "side"] = side
    return frame


def _trend(ratios: Floats, rate: Floats) -> Floats:
    """The usual rate at each logarithm of a ratio, from places so near to each other that lines between them do."""
    places = np.linspace(ratios.min(), ratios.max(), PLACES)
    usual = smooth(ratios, rate, places, BREADTH * float(ratios.std()))
    trend: Floats = np.clip(np.interp(ratios, places, usual), 0.0, 1.0)
    return trend


def smooth(x: Floats, y: Floats, places: Floats, breadth: float) -> Floats:
    """Return at each place the height of the line through all points, those near to it (normal curve) the heavier.

    Where all x in reach are one, it is their mean.
    """
    apart = x[None, :] - places[:, None]
    weight = np.exp(-0.5 * (apart / breadth) ** 2) if breadth > 0 else np.ones_like(apart)
    total = weight.sum(axis=1)
    middle, mean = (weight * apart).sum(axis=1) / total, weight @ y / total
    spread = (weight * (apart - middle[:, None]) ** 2).sum(axis=1)
    slope = (weight * (apart - middle[:, None]) * (y[None, :] - mean[:, None])).sum(axis=1)
    height: Floats = mean - middle * np.divide(slope, spread, out=np.zeros_like(slope), where=spread > 1e-12)
    return height


def _various(ranked: pd.DataFrame, limit: int) -> list[int]:
    """Index of the first rows that name different units, at most `limit`."""
    killers: set[str] = set()
    targets: dict[str, int] = {}
    chosen: list[int] = []
    for index, unit, opponent in zip(ranked.index, ranked["unit"], ranked["opponent"], strict=True):
        if len(chosen) == limit:
            break
        if unit not in killers and targets.get(opponent, 0) < MOST_AS_TARGET:
            killers.add(unit)
            targets[opponent] = targets.get(opponent, 0) + 1
            chosen.append(int(index))
    return chosen


FINEST = 1e-3
"""Half-width below which a measure gets no more digits: one decimal of a percentage."""


def format_measure(row: Row, measure: str = "win_share") -> str:
    """Return a measure of a row as a percentage with the digits that its interval supports, one decimal at most."""
    value, low, high = (float(row[f"{measure}{end}"]) for end in ("", "_low", "_high"))
    if low < high:
        low, high = max(min(low, value - FINEST), 0.0), min(max(high, value + FINEST), 1.0)
    return format_percent(value, low, high)


def swing_ends(row: Row) -> str:
    """Return the win shares of a row of `find_swings` at both ends: `87.5% to 75.3%`."""
    reach = (float(row["swing_high"]) - float(row["swing_low"])) / 2
    near, far = (
        format_measure({"x": row[end], "x_low": row[end] - reach, "x_high": row[end] + reach}, "x")
        for end in ("near", "far")
    )
    return f"{near} to {far}"


def format_ranks(row: Row) -> str:
    """Return the rank of a unit, or the ranks between which its interval leaves it: `9–10`."""
    best, worst = int(row["best_rank"]), int(row["worst_rank"])
    return str(best) if best == worst else f"{best}–{worst}"


def situations_text(roster: Roster) -> str:
    """Return over how many situations each ordered pair was fought, as a text: `the 12 situations by weight`."""
    once = roster.views[roster.views["first"]]
    count = len(once[list(SEEN)].drop_duplicates())
    return "the one situation" if count == 1 else f"the {count} situations by weight"
