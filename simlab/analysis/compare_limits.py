"""Limits of a mean of scores 1, 1/2 and 0, and of differences and averages of such means, at any level.

The limits of one mean are those of the likelihood ratio: the chances of the three scores that fit the counts best
among all with that mean fit them worse by no more than z²/2. Half a fight is moved towards the limit first, for
counts are whole. Unlike the normal interval this holds for rare scores and far out in the tails, where thousands of
intervals that shall hold together have their ends. Differences and averages put limits together by square and add:
as far as the errors are independent, the distances from the estimates to the limits add up like standard errors.
"""

from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from simlab.analysis.intervals import Z95

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

LEVEL = 0.05
"""Chance that any of a family of intervals misses."""
_HALVINGS = 64


def family_point(tests: int, level: float = LEVEL) -> float:
    """Return the normal point at which `tests` two-sided intervals hold together but for a chance of `level`.

    By Bonferroni's inequality, so whatever they have to do with each other; of a single one it is the usual 1.96.
    """
    return Z95 if tests < 2 and level == LEVEL else NormalDist().inv_cdf(1 - level / (2 * max(tests, 1)))


def limit_mean(ones: Floats, halves: Floats, zeros: Floats, z: float) -> tuple[Floats, Floats]:
    """Return the lower and the upper limit of the mean score of fights, counted by score, at the normal point `z`.

    The arrays have one shape; without any fight the limits are 0 and 1.
    """
    return 1 - _limit_above(zeros, halves, ones, z), _limit_above(ones, halves, zeros, z)


def _limit_above(ones: Floats, halves: Floats, zeros: Floats, z: float) -> Floats:
    """The upper limit.

    The best chances with a higher mean are f / (1 + t x) for a score x of frequency f, made to add up to 1, with t
    from 0 down to -1; by 1 + t = exp(-s) that is one number s to be found for each mean, by halving.
    """
    n = ones + halves + zeros
    moved = np.minimum(zeros, 0.5)
    raised = np.minimum(halves, 1 - 2 * moved)
    counts = (zeros - moved, halves - raised, ones + moved + raised)
    at_most = (counts[0] + counts[1] <= 0) | (n <= 0)
    fights = np.where(at_most, 1.0, n)
    f0, fh, f1 = (np.where(at_most, start, count / fights) for start, count in zip((0.5, 0, 0.5), counts))
    wanted = z * z / (2 * fights)
    low, high = np.zeros_like(fights), np.full_like(fights, 2 * z * z + 50.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        shrunk = np.exp(-middle)
        half = (1 + shrunk) / 2
        # Everything times exp(-s), so that nothing overflows.
        scale = f0 * shrunk + fh * shrunk / half + f1
        worse = fh * np.log(half) - f1 * middle + middle + np.log(scale)
        far = worse > wanted
        low, high = np.where(far, low, middle), np.where(far, middle, high)
    shrunk = np.exp(-high)
    parts = f0 * shrunk, fh * shrunk / ((1 + shrunk) / 2), f1
    mean = (parts[1] / 2 + parts[2]) / (parts[0] + parts[1] + parts[2])
    return np.where(at_most, 1.0, mean)


@dataclass(frozen=True, eq=False)
class Figures:
    """Estimates with the distances to their limits, arrays of one shape.

    below, above: by chance. sure_below, sure_above: by the error bounds of exact figures, which hold for sure.
    """

    value: Floats
    below: Floats
    above: Floats
    sure_below: Floats
    sure_above: Floats

    @property
    def low(self) -> Floats:
        """The lower limits."""
        return self.value - self.below - self.sure_below

    @property
    def high(self) -> Floats:
        """The upper limits."""
        return self.value + self.above + self.sure_above


def subtract(before: Figures, after: Figures, dependent: Flags, same: Flags) -> Figures:
    """Return after - before. `dependent`: where the two may hang together in any way, so that distances add up as
    they are, which is never too little; `same`: where both are one and the same, so that nothing is left."""
    return Figures(
        np.where(same, 0.0, after.value - before.value),
        np.where(same, 0.0, _together(after.below, before.above, dependent)),
        np.where(same, 0.0, _together(after.above, before.below, dependent)),
        np.where(same, 0.0, after.sure_below + before.sure_above),
        np.where(same, 0.0, after.sure_above + before.sure_below),
    )


def _together(one: Floats, other: Floats, dependent: Flags) -> Floats:
    return np.where(dependent, one + other, np.hypot(one, other))


def average(figures: Figures, weights: Floats, groups: npt.NDArray[np.intp], size: int) -> Figures:
    """Return the weighted means over groups, numbered 0 to size - 1, of independent figures.

    The weights of a group add up to 1. Where several figures are averaged, each counts with the longer of its two
    distances: that of a rare score to its lower limit is short, and many short ones would add up to too little.
    """

    def total(values: Floats) -> Floats:
        return np.bincount(groups, values, size).astype(np.float64)

    alone = weights > 1 - 1e-12
    longer = np.maximum(figures.below, figures.above)
    below, above = (np.where(alone, one, longer) for one in (figures.below, figures.above))
    return Figures(
        total(weights * figures.value),
        np.sqrt(total((weights * below) ** 2)),
        np.sqrt(total((weights * above) ** 2)),
        total(weights * figures.sure_below),
        total(weights * figures.sure_above),
    )


def clipped(figures: Figures, least: float, most: float) -> Figures:
    """Return the figures with limits no further out than `least` and `most`."""
    return replace(
        figures,
        below=np.minimum(figures.below, np.maximum(figures.value - figures.sure_below - least, 0.0)),
        above=np.minimum(figures.above, np.maximum(most - figures.value - figures.sure_above, 0.0)),
    )
