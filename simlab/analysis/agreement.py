"""The same units under several rule systems: who wins where, and how far the systems agree."""

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from simlab.analysis.roster import EVEN, Roster, average_views
from simlab.analysis.strength import estimate_tau

WINS, LOSES = "wins", "loses"
REPLICATES, SEED, LEVEL = 2000, 20_240_901, 0.95

Floats = npt.NDArray[np.float64]


def list_strengths(rosters: Mapping[str, Roster]) -> pd.DataFrame:
    """Return a row for each system and unit: `system`, `unit`, `win_share` (mean over the other units and all
    situations) with `win_share_low`, `win_share_high` (95%, sampling alone), `rank`, `best_rank`, `worst_rank`."""
    columns = ["unit", "win_share", "win_share_low", "win_share_high", "rank", "best_rank", "worst_rank"]
    frames = [roster.ladder[columns].assign(system=name) for name, roster in rosters.items()]
    return pd.concat(frames, ignore_index=True)[["system", *columns]]


def list_pairs(rosters: Mapping[str, Roster]) -> pd.DataFrame:
    """Return a row for each system, pair of units and range, and one of all ranges together (`range` NaN).

    Columns: system, unit, opponent (units in the order of the study), range, `win_share` of the unit with its ends,
    `neither`, `verdict` (wins, loses, cannot tell, no decision).
    """
    frames = []
    for name, roster in rosters.items():
        place = {unit: number for number, unit in enumerate(roster.units["id"])}
        views = roster.views
        views = views[views["unit"].map(place) < views["opponent"].map(place)]
        by_range = average_views(views, ("unit", "opponent", "range"))
        together = average_views(views, ("unit", "opponent")).assign(range=np.nan)
        frames.append(pd.concat([by_range, together], ignore_index=True).assign(system=name))
    found = pd.concat(frames, ignore_index=True)
    told = np.select(
        [found["no_decision"], found["win_share_low"] > EVEN, found["win_share_high"] < EVEN],
        ["no decision", WINS, LOSES],
        "cannot tell",
    )
    columns = [
        "system",
        "unit",
        "opponent",
        "range",
        "win_share",
        "win_share_low",
        "win_share_high",
        "neither",
    ]
    return found.assign(verdict=told)[[*columns, "verdict"]]


def list_flips(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return where, within a system, a pair's winner is another at the next range at which one can be told.

    Columns: system, unit, opponent, `near`, `far` (the two ranges), `wins_near` (which of the two wins at the nearer).
    """
    rows = []
    told = pairs[pairs["range"].notna() & pairs["verdict"].isin([WINS, LOSES])].sort_values("range")
    for (system, unit, opponent), group in told.groupby(["system", "unit", "opponent"], sort=False):
        for near, far in pairwise(group.to_dict("records")):
            if near["verdict"] != far["verdict"]:
                winner = unit if near["verdict"] == WINS else opponent
                rows.append((system, unit, opponent, near["range"], far["range"], winner))
    return pd.DataFrame(rows, columns=["system", "unit", "opponent", "near", "far", "wins_near"])


def compare_winners(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each pair of units, over all ranges: unit, opponent, for each system its verdict, and
    `agreement`: agree, differ (some system has another winner), or open (one cannot tell, the others do not differ)."""
    together = pairs[pairs["range"].isna()]
    table = together.pivot(index=["unit", "opponent"], columns="system", values="verdict")
    systems = list(dict.fromkeys(pairs["system"]))
    order = together.drop_duplicates(["unit", "opponent"]).set_index(["unit", "opponent"]).index
    table = table.reindex(order)[systems]
    found = []
    for _, row in table.iterrows():
        told = {verdict for verdict in row if verdict in (WINS, LOSES)}
        found.append("differ" if len(told) > 1 else "agree" if set(row) == told else "open")
    return table.assign(agreement=found).reset_index()


def correlate_ranks(rosters: Mapping[str, Roster], replicates: int = REPLICATES) -> pd.DataFrame:
    """Return for each pair of systems how alike they order the units: Kendall's tau-b of the mean win shares.

    Columns: `first`, `second`, `tau`, `low`, `high` (middle 95% when every sampled duel is thrown again), `least`,
    `most` (of the taus with one unit left out: what the choice of units does), `units`.
    """
    thrown = {
        name: _throw_strengths(roster, replicates, place)
        for place, (name, roster) in enumerate(rosters.items())
    }
    rows = []
    for first, second in combinations(rosters, 2):
        (own, moved), (other, shifted) = thrown[first], thrown[second]
        tau = float(estimate_tau(own, other[:, None])[0])
        again = [
            float(estimate_tau(moved[:, number], shifted[:, [number]])[0]) for number in range(replicates)
        ]
        low, high = np.quantile(again, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        without = [
            float(estimate_tau(np.delete(own, unit), np.delete(other, unit)[:, None])[0])
            for unit in range(len(own))
        ]
        rows.append((first, second, tau, min(low, tau), max(high, tau), min(without), max(without), len(own)))
    return pd.DataFrame(rows, columns=["first", "second", "tau", "low", "high", "least", "most", "units"])


def _throw_strengths(roster: Roster, replicates: int, place_of_system: int) -> tuple[Floats, Floats]:
    """The units' mean win shares in the order of the study, and the same when sampled duels are thrown again."""
    units = list(roster.units["id"])
    views = roster.views
    place = views["unit"].map({unit: number for number, unit in enumerate(units)}).to_numpy(np.intp)
    weight = views["weight"].to_numpy(np.float64)
    weight = weight / np.bincount(place, weight, len(units))[place]
    share: Floats = np.zeros(len(units))
    np.add.at(share, place, weight * views["win_share"].to_numpy(np.float64))
    fight = views["fight"].to_numpy(np.intp)
    effect = np.zeros((len(units), int(fight.max(initial=0)) + 1))
    np.add.at(effect, (place, fight), np.where(views["first"], weight, -weight))
    spread = np.zeros(effect.shape[1])
    spread[fight] = np.sqrt(views["win_share_variance"].to_numpy(np.float64))
    noise = np.random.default_rng([SEED, place_of_system]).standard_normal((len(spread), replicates))
    return share, share[:, None] + effect @ (spread[:, None] * noise)


def describe_agreement(
    strengths: pd.DataFrame, winners: pd.DataFrame, flips: pd.DataFrame, ranks: pd.DataFrame,
    names: Mapping[str, str], titles: Mapping[str, str], range_unit: str,
) -> list[str]:  # fmt: skip
    """Return the findings as sentences; names: of units by id, titles: of systems by name."""
    counts = winners["agreement"].value_counts()
    total, agree, differ = len(winners), int(counts.get("agree", 0)), int(counts.get("differ", 0))
    every = {2: "both", 3: "all three"}.get(len(titles), f"all {len(titles)}")
    left = total - agree - differ
    said = [
        f"Of {total} pairs, {every} systems name the same winner in {agree} and different ones in {differ}"
        + (f"; in the other {left} some system cannot tell." if left else ".")
    ]
    said += [_places(strengths, unit, names, titles) for unit in dict.fromkeys(strengths["unit"])]
    for row in ranks.to_dict("records"):
        said.append(
            f"{titles[row['first']]} and {titles[row['second']]} order the {row['units']} units with a rank "
            f"correlation (Kendall's tau) of {row['tau']:.2f}; {row['low']:.2f} to {row['high']:.2f} by sampling, "
            f"{row['least']:.2f} to {row['most']:.2f} if any one unit is left out."
        )
    for name, title in titles.items():
        said.append(_flipped(flips[flips["system"] == name].to_dict("records"), title, names, range_unit))
    return said


def _places(strengths: pd.DataFrame, unit: str, names: Mapping[str, str], titles: Mapping[str, str]) -> str:
    own = strengths[strengths["unit"] == unit].to_dict("records")
    places = ", ".join(f"{_rank(row)} in {titles[row['system']]}" for row in own)
    return f"{names[unit]} is {places}."


def _rank(row: Mapping[Any, Any]) -> str:
    best, worst = int(row["best_rank"]), int(row["worst_rank"])
    return f"number {best}" if best == worst else f"number {best} to {worst}"


def _flipped(rows: Sequence[Mapping[Any, Any]], title: str, names: Mapping[str, str], range_unit: str) -> str:
    if not rows:
        return f"{title}: no pair has another winner at another range, as far as can be told."
    told = []
    for row in rows:
        far = row["opponent"] if row["wins_near"] == row["unit"] else row["unit"]
        told.append(
            f"{names[row['wins_near']]} beats {names[far]} at {row['near']:g} {range_unit} "
            f"and loses to it at {row['far']:g}"
        )
    return f"{title}: {'; '.join(told)}."
