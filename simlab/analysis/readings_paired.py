"""Differences between two ways to fight the same dice, from counts in batches.

Base and variant threw the same dice, batch by batch. The difference of a batch holds what they share, so the spread
of the differences over the batches is the error of their mean: within each situation the batches are independent and
alike, between situations the dice are independent. Student's t, with Satterthwaite's degrees of freedom where
situations are averaged, pays for the few batches.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simlab.analysis.intervals import Z95

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

UNSEEN = -math.log(0.05)
"""So many expected cases go unseen with a chance of 5%."""


@dataclass(frozen=True)
class Estimate:
    """A figure with the ends of its 95% interval; equal ends mean an exact figure."""

    value: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """Whether the whole interval lies on one side of zero."""
        return self.low > 0 or self.high < 0


def student_95(freedom: float) -> float:
    """Return the two-sided 95% point of Student's t for 3 or more degrees of freedom, to 1%."""
    z, x = Z95, 1 / freedom
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term * x ** (power + 1) for power, term in enumerate(terms))


def score(outcomes: Counts) -> Floats:
    """Return the win shares of side a from outcome counts of shape (..., 4)."""
    doubled = 2 * outcomes[..., 0] + outcomes[..., 2] + outcomes[..., 3]
    shares: Floats = doubled / (2 * outcomes.sum(axis=-1))
    return shares


def average(values: Floats, weights: Floats, least: float = 0.0) -> Estimate:
    """Return the weighted mean over situations of batch values, shape (situations, batches), with its interval.

    `least`: a half-width that the interval has at least.
    """
    value = float(weights @ values.mean(axis=1))
    error, freedom = _error(values, weights)
    reach = max(error * student_95(freedom), least)
    return Estimate(value, value - reach, value + reach)


def _error(values: Floats, weights: Floats) -> tuple[float, float]:
    """The standard error of the weighted mean and its degrees of freedom."""
    batches = values.shape[1]
    parts = weights**2 * values.var(axis=1, ddof=1) / batches
    total = float(parts.sum())
    if total <= 0:
        return 0.0, float(batches - 1)
    return math.sqrt(total), total**2 / float((parts**2).sum()) * (batches - 1)


def compare_shares(base: Counts, variant: Counts, weights: Floats, same: npt.NDArray[np.bool_]) -> Estimate:
    """Return how far the win share of side a moves from base to variant, averaged over situations.

    base, variant: counts by outcome, shape (situations, batches, 4), of the same replicates. same: the situations
    whose fights are the same, die by die; they do not move, and add no error. Elsewhere the interval is never
    narrower than what unseen differences leave open: with m fights without a difference, the chance of one may be
    3/m.
    """
    if same.all():
        return Estimate(0.0, 0.0, 0.0)
    fights = base.sum(axis=(1, 2))
    least = UNSEEN * float((weights / fights)[~same].max())
    moved = average(score(variant) - score(base), weights, least)
    return Estimate(moved.value, max(moved.low, -1.0), min(moved.high, 1.0))


def average_share(counts: Counts, weights: Floats) -> Estimate:
    """Return the win share of side a, averaged over situations, from counts of shape (situations, batches, 4).

    The interval is the normal one from the variances of the scores, cut to 0 and 1.
    """
    total = counts.sum(axis=1)
    fights = total.sum(axis=1)
    half = total[:, 2] + total[:, 3]
    share = (2 * total[:, 0] + half) / (2 * fights)
    square = (4 * total[:, 0] + half) / (4 * fights)
    variance = np.maximum(square - share**2, 0.0) / fights
    value = float(weights @ share)
    reach = Z95 * math.sqrt(float(weights**2 @ variance))
    return Estimate(value, max(value - reach, 0.0), min(value + reach, 1.0))


def undecided(counts: Counts, weights: Floats) -> bool:
    """Return whether more than half of the fights, averaged over situations, ended without a decision."""
    total = counts.sum(axis=1)
    return float(weights @ (total[:, 3] / total.sum(axis=1))) > 0.5


@dataclass(frozen=True, eq=False)
class Crossing:
    """Where a share falls through one half: the logarithm of the fair number, and what it is made of.

    slopes: derivative of the logarithm by the share at each of the two sizes; None where there is no such number, or
    where noise hides that the share falls between them.
    """

    value: float
    slopes: tuple[tuple[int, float], tuple[int, float]] | None


def locate_crossing(series: dict[int, Counts], weights: Floats, low: int, high: int) -> Crossing:
    """Return the crossing between two sizes of `series`, counts of shape (situations, batches, 4) by size.

    The share, averaged over situations, is above one half at `low` and not above it at `high`; between them it is
    linear in the logarithm of the size.
    """
    above, under = (score(series[size]) for size in (low, high))
    top, bottom = (float(weights @ shares.mean(axis=1)) for shares in (above, under))
    span, fall = math.log(high) - math.log(low), top - bottom
    value = math.log(low) + (top - 0.5) / fall * span
    error, _ = _error(above - under, weights)
    if fall < 3 * error:
        return Crossing(value, None)
    slopes = ((low, (0.5 - bottom) * span / fall**2), (high, (top - 0.5) * span / fall**2))
    return Crossing(value, slopes)


def spread_crossing(series: dict[int, Counts], crossing: Crossing) -> Floats | None:
    """Return the crossing's linear part batch by batch, shape (situations, batches), or None without slopes."""
    if crossing.slopes is None:
        return None
    (low, one), (high, other) = crossing.slopes
    parts: Floats = one * score(series[low]) + other * score(series[high])
    return parts


def compare_crossings(
    base: dict[int, Counts],
    variant: dict[int, Counts],
    weights: Floats,
    crossings: tuple[Crossing, Crossing],
    same: bool,
) -> Estimate:
    """Return by how much the fair number changes, as the logarithm of the ratio variant / base.

    To first order in the shares, batch by batch, so that what base and variant have in common cancels. same: all
    fights of both are the same, die by die. Without slopes the interval has no ends.
    """
    if same:
        return Estimate(0.0, 0.0, 0.0)
    first, second = crossings
    change = second.value - first.value
    parts = spread_crossing(base, first), spread_crossing(variant, second)
    if parts[0] is None or parts[1] is None:
        return Estimate(change, -math.inf, math.inf)
    sizes = [*(first.slopes or ()), *(second.slopes or ())]
    fights = base[sizes[0][0]].sum(axis=(1, 2))
    least = UNSEEN * float((weights / fights).max()) * max(abs(slope) for _, slope in sizes)
    spread = average(parts[1] - parts[0], weights, least)
    reach = (spread.high - spread.low) / 2
    return Estimate(change, change - reach, change + reach)
