"""Intervals of prices: what chance in the counts leaves open, and what the mix of opponents and situations does."""

from dataclasses import dataclass

import numpy as np

from simlab.analysis.price_fit import Floats, Problem, fit_prices
from simlab.analysis.price_network import Network
from simlab.analysis.price_rows import Bools

REWEIGHTINGS = 1000
MIX_SEED = 1_918

_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class Anchor:
    """What fixes the level of prices: the geometric mean of these units' prices is `price`.

    units: shape (units,).
    """

    units: Bools
    price: float

    @property
    def level(self) -> float:
        """The mean of the logarithms of the prices."""
        return float(np.log(self.price))


def anchor_unit(network: Network, unit: str, ecv: float) -> Anchor:
    """Return the anchor that keeps one unit at its ECV."""
    return Anchor(np.array([each == unit for each in network.rows.units], bool), ecv)


def anchor_roster(network: Network, ecv: Floats) -> Anchor:
    """Return the anchor that keeps the geometric mean of the ECVs of the priced units that have one.

    `ecv`: shape (units,), NaN without one.
    """
    known = network.priced & np.isfinite(ecv)
    return Anchor(known, float(np.exp(np.log(ecv[known]).mean())) if known.any() else np.nan)


def set_level(log_prices: Floats, anchor: Anchor) -> Floats:
    """Return logarithms of prices at the anchor's level; NaN throughout if the anchor has no price.

    `log_prices`: shape (units,) or (units, columns).
    """
    if not anchor.units.any():
        return np.full(log_prices.shape, np.nan)
    level: Floats = log_prices - log_prices[anchor.units].mean(axis=0) + anchor.level
    return level


def to_prices(levelled: Floats, anchor: Anchor) -> Floats:
    """Return prices from their logarithms at the anchor's level; a single anchor gets its very ECV."""
    prices: Floats = np.exp(levelled - anchor.level) * anchor.price
    return prices


def limit_together(value: Floats, throws: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the ends of intervals that hold all values at once with a chance of `level`.

    `value`: shape (figures,); `throws`: shape (figures, replicates), the figures when the counts are thrown again. The
    half-widths are one and the same number of standard deviations: that which the largest deviation, in its own
    standard deviations, stays within in so many of the replicates. NaN where the value is; what never moves is exact.
    """
    moved = throws - value[:, None]
    spread = np.sqrt((moved**2).mean(axis=1))
    loose = spread > _NOTHING
    if not loose.any():
        return value.copy(), value.copy()
    largest = np.abs(moved[loose] / spread[loose, None]).max(axis=0)
    reach = np.where(loose | np.isnan(value), np.quantile(largest, level) * spread, 0.0)
    return value - reach, value + reach


def limit_each(value: Floats, throws: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the ends of the interval of each value for itself: the middle `level` of its throws."""
    low, high = np.full((2, len(value)), np.nan)
    known = ~np.isnan(value)
    if known.any():
        ends = [(1 - level) / 2, (1 + level) / 2]
        low[known], high[known] = np.quantile(throws[known], ends, axis=1)
    return low, high


def reweigh_prices(network: Network, count: int = REWEIGHTINGS, seed: int = MIX_SEED) -> Floats:
    """Return the logarithms of prices under other mixes, shape (units, count).

    Opponents that fight alike, and independently the situations, get random factors to their stated weights, from
    Dirichlet's flat distribution: any mix of them is as likely as any other. No chance of the dice is in it.
    """
    rows, problem = network.rows, network.problem
    generator = np.random.default_rng(seed)
    alike = _flat(generator, int(rows.alike.max()) + 1, count)
    situation = _flat(generator, len(rows.situations), count)
    opponents = alike[rows.alike[rows.first]] * alike[rows.alike[rows.second]]
    measured = network.use & rows.measured
    shape = (len(rows.first), len(rows.situations))
    cell = (rows.pair * shape[1] + rows.situation)[measured]
    size = shape[0] * shape[1]
    weight = np.bincount(cell, rows.weight[measured], size).reshape(shape)[network.pairs]
    total = np.bincount(cell, (rows.weight * rows.reading)[measured], size).reshape(shape)[network.pairs]
    factor = opponents[network.pairs]
    bounds = None
    if len(network.bound_rows):
        bounds = situation[rows.situation[network.bound_rows]] * opponents[rows.pair[network.bound_rows]]
    mixes = Problem(
        problem.size,
        problem.first,
        problem.second,
        (weight @ situation) * factor,
        (total @ situation) * factor,
        problem.bounds,
        bounds,
    )
    return network.spread(fit_prices(mixes, network.solution.price[:, 0]).price)


def _flat(generator: np.random.Generator, kinds: int, count: int) -> Floats:
    """Shares that add up to 1 in each column, times their number: 1 on average."""
    drawn = generator.standard_exponential((kinds, count))
    flat: Floats = drawn / drawn.mean(axis=0)
    return flat
