"""A study of many units: every matchup averaged over its situations, and the units in order of strength."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from simlab.analysis.intervals import Z95
from simlab.analysis.readings import CANNOT_TELL, NO_DECISION
from simlab.analysis.tables import COUNTS, OUTCOMES, SITUATION, complete_situations, weights_in_groups
from simlab.model.typed_situation import NO_FIRST_FIRE

MANY = 7
"""From so many units on a study is looked at as a whole."""
EVEN = 0.5
DECIMALS = 12
VERDICTS = ("wins", "loses", CANNOT_TELL, NO_DECISION)
MEASURES = ("win_share", "kill_rate", "loss_rate")
SEEN = ("range", "shows", "opponent_shows", "alone")
"""Columns of a situation as a unit sees it; `alone` is "none", or "unit:2" where it alone fires in two turns."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Roster:
    """What a study says about many units.

    units: frame of `describe_units`. views: see `view_duels`. matchups: unit against opponent. ladder: the units,
    the strongest first. ranges: each unit at each range. situations: each unit in each situation as it sees it.
    """

    units: pd.DataFrame
    views: pd.DataFrame
    matchups: pd.DataFrame
    ladder: pd.DataFrame
    ranges: pd.DataFrame
    situations: pd.DataFrame


def is_many(units: pd.DataFrame) -> bool:
    """Return whether a study of these units is looked at as a whole."""
    return len(units) >= MANY


def describe_roster(
    duels: pd.DataFrame, units: pd.DataFrame, fight_hashes: Mapping[str, str] | None = None
) -> Roster:
    """Return what the duels of a study say about its units.

    `units` is the frame of `describe_units`; `fight_hashes` has the fight hash of each unit by id: duels of units
    that fight alike are thrown with the same dice, and are not counted as independent.
    """
    views = view_duels(duels, fight_hashes)
    matchups = _compare_pairs(views, units)
    return Roster(
        units=units,
        views=views,
        matchups=matchups,
        ladder=_rank_units(views, matchups, units),
        ranges=average_views(views, ("unit", "range")),
        situations=average_views(views, ("unit", *SEEN)),
    )


def view_duels(duels: pd.DataFrame, fight_hashes: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return every duel of two different units twice, once as each of them sees it.

    Columns: unit, opponent, those of `SEEN`, weight, n (0 where solved), `win_share`, `kill_rate` (the unit
    destroys the opponent), `loss_rate` (the reverse), each with `_variance` (of the estimate; both drawn in by two
    imagined fights at each end, so that no count of fights gives certainty) and `_slack` (how far an exact figure
    may be off), `neither`, `silent` (the unit can never fire there), `opponent_silent`, `fight` (a number that duels
    with the same dice share) and `first` (the unit stands first in the pair).
    """
    rows = complete_situations(duels[duels["a"] != duels["b"]]).reset_index(drop=True)
    alike = dict(fight_hashes or {})
    known = [rows[side].map(lambda unit: alike.get(unit, unit)) for side in "ab"]
    fights = rows[list(SITUATION)].assign(a=known[0], b=known[1])
    rows = rows.assign(fight=fights.groupby(list(fights.columns), sort=False).ngroup().astype("int64"))
    share, variance, slack = _win_share(rows)
    destroyed = {side: _destroyed(rows, side) for side in "ab"}
    views = [_seen_by(side, rows, (share, variance, slack), destroyed) for side in "ab"]
    return pd.concat(views, ignore_index=True)


def _seen_by(
    side: str,
    rows: pd.DataFrame,
    shares: tuple[Floats, Floats, Floats],
    destroyed: Mapping[str, tuple[Floats, Floats, Floats]],
) -> pd.DataFrame:
    other = "b" if side == "a" else "a"
    fires = {NO_FIRST_FIRE: NO_FIRST_FIRE}
    for first in rows["first_fire"].unique():
        who, colon, turns = str(first).partition(":")
        if colon:
            fires[first] = f"{'unit' if who == side else 'opponent'}:{turns}"
    share, variance, slack = shares
    view = pd.DataFrame(
        {
            "unit": rows[side],
            "opponent": rows[other],
            "range": rows["range"],
            "shows": rows[f"aspect_{side}"],
            "opponent_shows": rows[f"aspect_{other}"],
            "alone": rows["first_fire"].map(fires),
            "weight": rows["weight"],
            "n": rows["n"].fillna(0).astype("int64"),
            "win_share": share if side == "a" else 1.0 - share,
            "win_share_variance": variance,
            "win_share_slack": slack,
        }
    )
    for measure, who in (("kill_rate", other), ("loss_rate", side)):
        names = (measure, f"{measure}_variance", f"{measure}_slack")
        view = view.assign(**dict(zip(names, destroyed[who], strict=True)))
    return view.assign(
        neither=rows["neither"],
        silent=rows[f"cannot_fire_{side}"],
        opponent_silent=rows[f"cannot_fire_{other}"],
        fight=rows["fight"],
        first=side == "a",
    )


def _win_share(rows: pd.DataFrame) -> tuple[Floats, Floats, Floats]:
    """Share of a, its variance, and how far an exact share may be off."""
    chances = rows[list(OUTCOMES)].to_numpy(np.float64)
    share = chances[:, 0] + (1.0 - chances[:, 0] - chances[:, 1]) / 2
    counts = rows[list(COUNTS)].to_numpy(np.float64, na_value=0.0)
    n, sampled = counts.sum(axis=1), (rows["method"] == "monte_carlo").to_numpy(bool)
    half = counts[:, 2] + counts[:, 3]
    variance = _drawn_in(counts[:, 0] + half / 2, counts[:, 0] + half / 4, n)
    bound = rows["error_bound"].fillna(0.0).to_numpy(np.float64)
    return share, np.where(sampled, variance, 0.0), np.where(sampled, 0.0, bound / 2)


def _destroyed(rows: pd.DataFrame, side: str) -> tuple[Floats, Floats, Floats]:
    rate = rows[f"destroyed_{side}"].to_numpy(np.float64)
    n, sampled = (
        rows["n"].to_numpy(np.float64, na_value=0.0),
        (rows["method"] == "monte_carlo").to_numpy(bool),
    )
    variance = _drawn_in(rate * n, rate * n, n)
    never = rows[f"cannot_fire_{'b' if side == 'a' else 'a'}"].to_numpy(bool)
    bound = rows["error_bound"].fillna(0.0).to_numpy(np.float64)
    return rate, np.where(sampled & ~never, variance, 0.0), np.where(sampled | never, 0.0, bound)


def _drawn_in(points: Floats, squares: Floats, n: Floats) -> Floats:
    """Variance of a mean score, from sums of scores and of their squares, with z²/2 fights more at 0 and at 1."""
    more = Z95 * Z95 / 2
    total = n + 2 * more
    mean = (points + more) / total
    return np.maximum((squares + more) / total - mean * mean, 0.0) / total


def average_views(views: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return the views averaged by weight within each group of the columns `by`, in order of appearance.

    Each measure of `MEASURES` gets `_low` and `_high`, the ends of a 95% interval for the sampling alone: variances
    of independent duels add up, those with the same dice move together, and errors of exact ones add up as they
    are. Further columns: `n` (fights), `neither`, `no_decision` (that is above one half), `silent` and
    `opponent_silent` (weight of the situations in which the one or the other can never fire).
    """
    keys = views.groupby(list(by), sort=False)
    group: Ints = np.asarray(keys.ngroup(), np.int64)
    count = keys.ngroups
    frame = views.loc[~views.duplicated(list(by)), list(by)].reset_index(drop=True)
    weight = weights_in_groups(views["weight"].to_numpy(np.float64), group, count)
    fight: Ints = views["fight"].to_numpy(np.int64)
    first = views["first"].to_numpy(bool)
    drawn: dict[Hashable, tuple[Ints, Floats]] = {
        "win_share": (fight, np.where(first, weight, -weight)),
        "kill_rate": (2 * fight + first, weight),
        "loss_rate": (2 * fight + ~first, weight),
    }
    for measure, (draw, coefficient) in drawn.items():
        mean = _mean(views, str(measure), group, weight, count)
        reach = _reach(views, str(measure), group, draw, coefficient, count)
        frame[measure] = mean
        frame[f"{measure}_low"] = np.clip(mean - reach, 0.0, 1.0)
        frame[f"{measure}_high"] = np.clip(mean + reach, 0.0, 1.0)
    once = ~pd.DataFrame({"group": group, "fight": fight}).duplicated().to_numpy(bool)
    fights = np.zeros(count, np.int64)
    np.add.at(fights, group[once], views["n"].to_numpy(np.int64)[once])
    frame["n"] = fights
    for name in ("neither", "silent", "opponent_silent"):
        frame[name] = _mean(views, name, group, weight, count)
    return frame.assign(no_decision=frame["neither"] > EVEN)


def _mean(views: pd.DataFrame, name: str, group: Ints, weight: Floats, count: int) -> Floats:
    """Weighted mean of a column in each group; what sums of weights are off by is cut, so that 0, 1/2 and 1 are so."""
    mean: Floats = np.round(np.bincount(group, weight * views[name].to_numpy(np.float64), count), DECIMALS)
    return mean


def _reach(
    views: pd.DataFrame, measure: str, group: Ints, draw: Ints, coefficient: Floats, count: int
) -> Floats:
    """Half-width of each group's interval; views of one draw share their error, the second with its own sign."""
    cell, place = np.unique(group * (int(draw.max(initial=0)) + 1) + draw, return_inverse=True)
    owner, variance, slack = np.zeros(cell.size, np.int64), np.zeros(cell.size), np.zeros(cell.size)
    owner[place] = group
    variance[place] = views[f"{measure}_variance"].to_numpy(np.float64)
    slack[place] = views[f"{measure}_slack"].to_numpy(np.float64)
    total = np.bincount(place, coefficient, cell.size)
    spread = np.sqrt(np.bincount(owner, total * total * variance, count))
    reach: Floats = Z95 * spread + np.bincount(owner, np.abs(total) * slack, count)
    return np.where(reach < 10.0**-DECIMALS, 0.0, reach)


def _compare_pairs(views: pd.DataFrame, units: pd.DataFrame) -> pd.DataFrame:
    """One row for each unit and opponent, both orders of the pair together, with prices and a verdict."""
    frame = average_views(views, ("unit", "opponent"))
    own = units.set_index("id")
    for side in ("unit", "opponent"):
        frame[f"{side}_ecv"] = frame[side].map(own["ecv"])
        frame[f"{side}_draft"] = frame[side].map(own["draft"]).astype(bool)
    verdict = np.select(
        [frame["no_decision"], frame["win_share_low"] > EVEN, frame["win_share_high"] < EVEN],
        [NO_DECISION, "wins", "loses"],
        CANNOT_TELL,
    )
    return frame.assign(ecv_ratio=frame["unit_ecv"] / frame["opponent_ecv"], verdict=verdict)


def _rank_units(views: pd.DataFrame, matchups: pd.DataFrame, units: pd.DataFrame) -> pd.DataFrame:
    """The units by their mean win share, the strongest first, with the ranks that their intervals leave open."""
    means = average_views(views, ("unit",))
    frame = means.merge(units.rename(columns={"id": "unit"}), on="unit", how="left", validate="one_to_one")
    frame = frame.sort_values("win_share", ascending=False, kind="stable", ignore_index=True)
    low, high = (frame[f"win_share_{end}"].to_numpy(np.float64) for end in ("low", "high"))
    verdicts = pd.crosstab(matchups["unit"], matchups["verdict"]).reindex(
        columns=list(VERDICTS), fill_value=0
    )
    frame = frame.assign(
        rank=np.arange(1, len(frame) + 1),
        best_rank=[1 + int((low > top).sum()) for top in high],
        worst_rank=[len(frame) - int((high < bottom).sum()) for bottom in low],
        opponents=len(frame) - 1,
    )
    named = {"wins": "beats", "loses": "loses_to", CANNOT_TELL: "cannot_tell", NO_DECISION: "undecided"}
    return frame.merge(
        verdicts.rename(columns=named), left_on="unit", right_index=True, validate="one_to_one"
    )


def share_matrix(matchups: pd.DataFrame, order: Sequence[str], column: str = "win_share") -> Floats:
    """Return a column of the matchups as a square array, rows and columns in an order of units; NaN on the diagonal."""
    table: Any = matchups.pivot(index="unit", columns="opponent", values=column)
    return np.array(table.reindex(index=list(order), columns=list(order)), np.float64)
