"""What no price can fix: the residual of the prices' own fit (HodgeRank), by pair, in cycles and as a whole.

The residual of a pair is by how much its fair number, on average over the situations and as a logarithm, differs from
what the two prices say. Residuals that go round (a better than its price against b, b against c, c against a) are left
by every choice of prices.

A one-sided reading that the prices do not contradict agrees with them: its residual is 0, with its weight.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pandas as pd

from simlab.analysis.price_fit import Floats, Places, Solution
from simlab.analysis.price_intervals import limit_together
from simlab.analysis.price_network import Network

UNFIXABLE, FITS, CANNOT_TELL, UNDECIDED = (
    "no price fixes this pair",
    "a price fits",
    "cannot tell",
    "no decision",
)
FIXABLE_WITHIN = 1.10
"""A residual up to this factor is no fault of a pair."""
MOST_CYCLES = 20

_CYCLES_AT_ONCE = 1000


@dataclass(frozen=True, eq=False)
class Residuals:
    """Residuals of the pairs of a fit whose two units are priced, and as they come when the counts are thrown again.

    pairs: places among all pairs of the rows. weight: shape (pairs,), of everything that was read. value: shape
    (pairs,). throws: shape (pairs, replicates). low, high: ends of intervals that hold for all pairs at once. gap,
    gap_throws: what the prices say of the pair.
    """

    pairs: Places
    weight: Floats
    value: Floats
    throws: Floats
    low: Floats
    high: Floats
    gap: Floats
    gap_throws: Floats


def estimate_residuals(network: Network, thrown: Solution, level: float) -> Residuals:
    """Return the residuals of the pairs. `thrown`: the fits when the counts are thrown again (`Network.refit`)."""
    rows, solution = network.rows, network.solution
    priced = network.priced
    both = priced[rows.first[network.pairs]] & priced[rows.second[network.pairs]]
    weight = rows.weigh(network.use)[network.pairs][both]
    value = solution.excess[both, 0] / weight
    throws = thrown.excess[both] / weight[:, None]
    low, high = limit_together(value, throws, level)
    gap, gap_throws = solution.gap[both, 0], thrown.gap[both]
    return Residuals(network.pairs[both], weight, value, throws, low, high, gap, gap_throws)


def tabulate_pairs(network: Network, residuals: Residuals) -> pd.DataFrame:
    """Return one row per pair that was fought.

    Columns: a, b; `log_rho` (logarithm of the fair number of b for one a, the weighted mean over situations; where the
    prices agree with a one-sided reading, what they say; NaN where nothing was measured), `fitted` (what the prices
    say), `residual` (their difference) and the ends of its interval, which holds for all pairs at once; `one_sided`,
    `no_decision` (shares of the weight); `fixable`. Numbers are NaN where a unit has no price.
    """
    rows = network.rows
    everything = np.maximum(rows.weigh(rows.weight > 0), np.finfo(np.float64).tiny)
    measured, bound = rows.weigh(rows.measured), rows.weigh(rows.sense != 0)
    undecided = rows.weigh(~rows.measured & (rows.sense == 0)) / everything
    names = np.array(rows.units, object)
    figures = {
        name: np.full(len(rows.first), np.nan) for name in ("log_rho", "fitted", "residual", "low", "high")
    }
    at = residuals.pairs
    figures["fitted"][at], figures["residual"][at] = residuals.gap, residuals.value
    figures["low"][at], figures["high"][at] = residuals.low, residuals.high
    mean = residuals.gap + residuals.value
    figures["log_rho"][at] = np.where(measured[at] > 0, mean, np.nan)
    frame = pd.DataFrame({"a": names[rows.first], "b": names[rows.second], **figures})
    fixable = np.where(undecided > 0.5, UNDECIDED, judge_residuals(figures["low"], figures["high"]))
    return frame.assign(one_sided=bound / everything, no_decision=undecided, fixable=fixable)


def judge_residuals(low: Floats, high: Floats, within: float = FIXABLE_WITHIN) -> npt.NDArray[np.object_]:
    """Return by pair whether its whole interval of the residual lies beyond log `within`, inside, or neither."""
    limit = np.log(within)
    beyond, inside = (low > limit) | (high < -limit), (low >= -limit) & (high <= limit)
    found: npt.NDArray[np.object_] = np.where(beyond, UNFIXABLE, np.where(inside, FITS, CANNOT_TELL)).astype(
        object
    )
    return found


def estimate_cyclic_share(residuals: Residuals, level: float = 0.95) -> pd.DataFrame:
    """Return the share of what fair numbers tell that no price can explain: columns `share`, `low`, `high`, `pairs`.

    Sum of weight times squared residual, over the same sum of the pairs' mean log fair numbers. Noise adds its variance
    to every square; it is taken from how the figures move when the counts are thrown again, prices fitted anew, and
    subtracted from both sums. The interval is the sum's own movement, turned round; it may start at 0.
    """
    weight, mean = residuals.weight, residuals.gap + residuals.value
    throws = residuals.gap_throws + residuals.throws
    loose, loose_throws = _squares(weight, residuals.value, residuals.throws)
    whole, _ = _squares(weight, mean, throws)
    count = len(residuals.pairs)
    if count == 0 or whole <= 0:
        return pd.DataFrame([(np.nan, np.nan, np.nan, count)], columns=["share", "low", "high", "pairs"])
    moved = loose_throws - float(weight @ residuals.value**2)
    ends = np.quantile(moved, [(1 + level) / 2, (1 - level) / 2])
    share, low, high = np.clip(np.array([loose, *(loose - ends)]) / whole, 0.0, 1.0).tolist()
    return pd.DataFrame([(share, low, high, count)], columns=["share", "low", "high", "pairs"])


def _squares(weight: Floats, value: Floats, throws: Floats) -> tuple[float, Floats]:
    """Weighted sum of squares less what noise adds, and the same of each replicate, less what its throw adds."""
    noise = float(weight @ ((throws - value[:, None]) ** 2).mean(axis=1)) if len(value) else 0.0
    return float(weight @ value**2) - noise, weight @ throws**2 - noise


def find_cycles(
    network: Network, residuals: Residuals, level: float, most: int = MOST_CYCLES
) -> pd.DataFrame:
    """Return the worst cycles of three that are certain: columns `members`, `curl`, `low`, `high`, `weakest`.

    `members` "a > b > c": at these prices a is better than its price against b, b against c, c against a. `curl`: the
    sum of the logarithms of the three fair numbers, from which every price cancels. A cycle is listed if each of its
    steps lies above 0 with its whole interval, which holds for all pairs at once; so with a chance of `level` no listed
    cycle comes from chance. Its own interval holds for all triangles at once. `weakest`: the smallest of its steps.
    """
    triangles = _triangles(network, residuals)
    signs = np.tile([1.0, 1.0, -1.0], (len(triangles), 1))
    columns = ["members", "curl", "low", "high", "weakest"]
    if len(triangles) == 0:
        return pd.DataFrame(columns=columns)
    curl = (signs * residuals.value[triangles]).sum(axis=1)
    turn = np.where(curl < 0, -1.0, 1.0)
    signs, curl = signs * turn[:, None], np.abs(curl)
    low, high = _limit_curls(residuals, triangles, signs, curl, level)
    least = np.where(signs > 0, residuals.low[triangles], -residuals.high[triangles]).min(axis=1)
    certain = np.flatnonzero((least > 0) & (low > 0))
    chosen = certain[np.argsort(-curl[certain], kind="stable")][:most]
    steps = (signs * residuals.value[triangles]).min(axis=1)
    rows = [
        (_members(network, residuals, triangles[k], signs[k]), curl[k], low[k], high[k], steps[k])
        for k in chosen
    ]
    return pd.DataFrame(rows, columns=columns)


def _triangles(network: Network, residuals: Residuals) -> Places:
    """Places, in the residuals, of the pairs (i, j), (j, k), (i, k) of three units, shape (triangles, 3).

    Pairs in which most weight is one-sided, or without a decision, say too little to go round.
    """
    rows = network.rows
    measured = rows.weigh(rows.measured)[residuals.pairs]
    told = measured > rows.weigh(rows.weight > 0)[residuals.pairs] / 2
    place = {
        (int(rows.first[pair]), int(rows.second[pair])): number
        for number, pair in enumerate(residuals.pairs)
        if told[number]
    }
    units = sorted({unit for pair in place for unit in pair})
    found = [
        (place[i, j], place[j, k], place[i, k])
        for i, j, k in combinations(units, 3)
        if (i, j) in place and (j, k) in place and (i, k) in place
    ]
    return np.array(found, np.intp).reshape(-1, 3)


def _limit_curls(
    residuals: Residuals, triangles: Places, signs: Floats, curl: Floats, level: float
) -> tuple[Floats, Floats]:
    """Intervals of all curls at once; block by block, for there are many triangles."""
    spread, largest = np.zeros(len(curl)), np.zeros(residuals.throws.shape[1])
    for begin in range(0, len(curl), _CYCLES_AT_ONCE):
        block = slice(begin, begin + _CYCLES_AT_ONCE)
        moved = (signs[block, :, None] * residuals.throws[triangles[block]]).sum(axis=1) - curl[block, None]
        spread[block] = np.sqrt((moved**2).mean(axis=1))
        loose = spread[block] > 1e-12
        if loose.any():
            largest = np.maximum(largest, np.abs(moved[loose] / spread[block][loose, None]).max(axis=0))
    reach = np.quantile(largest, level) * spread
    return curl - reach, curl + reach


def _members(network: Network, residuals: Residuals, triangle: Places, sign: Floats) -> str:
    """The three units in the order in which each beats the next, the first of the roster first."""
    rows = network.rows
    i, j = rows.first[residuals.pairs[triangle[0]]], rows.second[residuals.pairs[triangle[0]]]
    k = rows.second[residuals.pairs[triangle[1]]]
    order = (i, j, k) if sign[0] > 0 else (i, k, j)
    return " > ".join(rows.units[place] for place in order)
