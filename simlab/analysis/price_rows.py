"""What a price is made of, as arrays: pairs of units, what was read in each situation, and how much it weighs.

The logarithm of the fair number of b for one a is read as a difference of logarithms of prices, p_a - p_b. A series
whose fair number lies outside the sizes fought says only on which side of a bound it lies. A series in which most
fights ended without a winner says nothing.

Units that fight alike (of equal fight hash) are one opponent met several times, with the same dice: together they weigh
as much as one, and what is thrown again for one of them is thrown for all.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from simlab.analysis.price_rungs import COUNTS_0, COUNTS_1, REPLICATES, SEED, Rungs, throw_blocks
from simlab.analysis.tables import SITUATION

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]

VALUE, ABOVE, BELOW, NO_DECISION = "value", "above", "below", "no decision"


@dataclass(frozen=True, eq=False)
class PriceRows:
    """The series of one setting. Pairs stand in the order of the units, the earlier unit first.

    units: ids. alike: shape (units,), which units fight alike, numbered from 0. first, second: shape (pairs,), the
    units of a pair by place.
    By row: pair; situation (numbered from 0); weight (by the mix and by how many fight alike); measured (a fair number
    was read); sense (1 where the fair number of the pair is at least `reading`, -1 where it is at most that, else 0);
    reading (logarithm of the fair number of the pair's second unit for one of its first, or its bound; 0 for rows that
    say nothing); sign (-1 where the row's first unit is the pair's second); same (rows of one number threw the same
    dice).
    situations: what the numbers of situations mean, the columns of `SITUATION`.
    """

    units: tuple[str, ...]
    alike: Places
    first: Places
    second: Places
    pair: Places
    situation: Places
    weight: Floats
    measured: Bools
    sense: npt.NDArray[np.int64]
    reading: Floats
    sign: Floats
    same: Places
    rungs: Rungs
    situations: pd.DataFrame

    @property
    def usable(self) -> Bools:
        """Shape (rows,): whether a row says anything about a price."""
        found: Bools = (self.measured | (self.sense != 0)) & (self.weight > 0)
        return found

    def weigh(self, rows: Bools) -> Floats:
        """Return the weight of some rows by pair, shape (pairs,)."""
        found: Floats = np.bincount(self.pair[rows], self.weight[rows], len(self.first)).astype(np.float64)
        return found

    def weigh_units(self, rows: Bools) -> Floats:
        """Return the weight of the rows of each unit, shape (units,)."""
        by_pair = self.weigh(rows)
        size = len(self.units)
        found = np.bincount(self.first, by_pair, size) + np.bincount(self.second, by_pair, size)
        return found.astype(np.float64)


def arrange_rows(
    series: pd.DataFrame, units: tuple[str, ...], fight_hashes: Mapping[str, str] | None = None
) -> PriceRows:
    """Return the series of one setting as arrays; duels of a unit with itself are left out.

    `series`: columns a, b, those of a situation, weight, status, log_rho, bound, and the rungs (`Rungs.of`).
    `fight_hashes`: by unit; without them no two units fight alike. Raises KeyError for a unit that is not in `units`.
    """
    rows = series[series["a"] != series["b"]].reset_index(drop=True)
    place = {unit: number for number, unit in enumerate(units)}
    side_a, side_b = (np.array([place[unit] for unit in rows[side]], np.intp) for side in "ab")
    known = fight_hashes or {}
    alike = np.array(pd.factorize(np.array([known.get(unit, unit) for unit in units], object))[0], np.intp)
    crowd = np.bincount(alike)[alike]
    low, high = np.minimum(side_a, side_b), np.maximum(side_a, side_b)
    codes, pair = np.unique(low * len(units) + high, return_inverse=True)
    sign = np.where(side_a == low, 1.0, -1.0)
    status = rows["status"].to_numpy(object)
    measured = np.asarray(status == VALUE, bool)
    sense = np.where(status == ABOVE, 1, np.where(status == BELOW, -1, 0)) * sign.astype(np.int64)
    reading = np.where(measured, rows["log_rho"], np.where(sense != 0, rows["bound"], 0.0)) * sign
    situation = np.asarray(rows.groupby(list(SITUATION), sort=False).ngroup(), np.intp)
    return PriceRows(
        units=units,
        alike=alike,
        first=codes // max(len(units), 1),
        second=codes % max(len(units), 1),
        pair=np.asarray(pair, np.intp),
        situation=situation,
        weight=rows["weight"].to_numpy(np.float64) / (crowd[side_a] * crowd[side_b]),
        measured=measured,
        sense=sense,
        reading=np.asarray(reading, np.float64),
        sign=sign,
        same=_same_dice(rows, alike[side_a], alike[side_b]),
        rungs=Rungs.of(rows),
        situations=rows[list(SITUATION)].drop_duplicates().reset_index(drop=True),
    )


def _same_dice(rows: pd.DataFrame, alike_a: Places, alike_b: Places) -> Places:
    """Rows of units that fight alike, in one situation and with the same counts, are the same fights."""
    keys = rows[[*SITUATION, "x0", "x1", *COUNTS_0, *COUNTS_1]].assign(alike_a=alike_a, alike_b=alike_b)
    return np.asarray(keys.groupby(list(keys.columns), sort=False, dropna=False).ngroup(), np.intp)


def sum_readings(rows: PriceRows, use: Bools) -> Floats:
    """Return weight times reading over the measured rows in use, by pair, shape (pairs,)."""
    chosen = use & rows.measured
    found = np.bincount(rows.pair[chosen], (rows.weight * rows.reading)[chosen], len(rows.first))
    return found.astype(np.float64)


def throw_readings(
    rows: PriceRows, replicates: int = REPLICATES, seed: int = SEED
) -> tuple[PriceRows, Floats]:
    """Return the rows with their readings freed of bias, and how far `sum_readings` moves by chance.

    The movement has shape (pairs, replicates): the fights of all measured rows are counted again. A reading divides by
    the fall of the share between its rungs, and so is a little off on average, more where the fall is hardly larger
    than its noise. That is much less than chance moves one reading, but over many situations chance evens out and this
    need not. When the counts are thrown again it shows, and is taken off both.
    """
    chosen = np.flatnonzero(rows.measured & (rows.weight > 0))
    moved, reading = np.zeros((len(rows.first), replicates)), rows.reading.copy()
    if len(chosen) == 0:
        return rows, moved
    _, place, number = np.unique(rows.same[chosen], return_index=True, return_inverse=True)
    order = np.argsort(number, kind="stable")
    ends = np.searchsorted(number[order], np.arange(len(place) + 1))
    for block, thrown in throw_blocks(rows.rungs.take(chosen[place]), replicates, seed):
        members = order[ends[block.start] : ends[block.stop]]
        found, own = chosen[members], number[members] - block.start
        bias = thrown.mean(axis=1)
        throws = thrown - bias[:, None]
        reading[found] -= rows.sign[found] * bias[own]
        _add_rows(moved, rows.pair[found], (rows.weight * rows.sign)[found], throws[own])
    return replace(rows, reading=reading), moved


def _add_rows(sums: Floats, pairs: Places, factors: Floats, throws: Floats) -> None:
    """Add factor times throw of each row to the sum of its pair."""
    order = np.argsort(pairs, kind="stable")
    found, starts = np.unique(pairs[order], return_index=True)
    sums[found] += np.add.reduceat(factors[order, None] * throws[order], starts, axis=0)
