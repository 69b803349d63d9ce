"""What a change does to a figure: exact, or sampled at the same dice before and after it.

A figure in one place (an opponent in a situation) is a `Figure`: exact with a bound, or known batch by batch. Figures
of one place that threw the same dice are added and subtracted batch by batch, so that what they share cancels. Between
places dice are independent; `estimate` averages over places, with Student's t over the batches.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simlab.analysis.readings_paired import UNSEEN, Estimate, student_95

Floats = npt.NDArray[np.float64]

OUTCOME_SCORES: Mapping[str, tuple[float, float, float, float]] = {
    "a_wins": (1.0, 0.0, 0.0, 0.0),
    "b_wins": (0.0, 1.0, 0.0, 0.0),
    "both_destroyed": (0.0, 0.0, 1.0, 0.0),
    "neither": (0.0, 0.0, 0.0, 1.0),
}
SHARE_SCORES: Mapping[str, tuple[float, float, float, float]] = {
    "win_share_a": (1.0, 0.0, 0.5, 0.5),
    "win_share_b": (0.0, 1.0, 0.5, 0.5),
    "kill_rate_a": (1.0, 0.0, 1.0, 0.0),
    "kill_rate_b": (0.0, 1.0, 1.0, 0.0),
}
SCORES = {**OUTCOME_SCORES, **SHARE_SCORES}
"""What each figure counts of the four outcomes."""
WIN_SHARE = "win_share_a"


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure in one place.

    values: of an exact figure (1,), else by batch. bound: by how much the exact part of it may be off. least: the
    half-width that its sampled part has at least, for what so few fights cannot show; 0 without one.
    """

    values: Floats
    bound: float = 0.0
    least: float = 0.0

    @property
    def is_exact(self) -> bool:
        """Whether chance has no part in it."""
        return self.least == 0.0

    def __add__(self, other: "Figure") -> "Figure":
        values = np.asarray(self.values + other.values)
        return Figure(values, self.bound + other.bound, max(self.least, other.least))

    def __neg__(self) -> "Figure":
        return Figure(-self.values, self.bound, self.least)

    def __sub__(self, other: "Figure") -> "Figure":
        return self + -other


def constant(value: float) -> Figure:
    """Return a figure that is known for sure."""
    return Figure(np.array([value]))


def exact_figure(outcomes: Sequence[float], bound: float, name: str) -> Figure:
    """Return a figure of an exact duel: outcomes are lower bounds that want at most `bound` in all.

    What is wanting is split evenly in a win share, so that it is off by at most half of the bound.
    """
    value = float(np.dot(outcomes, SCORES[name]))
    if name.startswith("win_share"):
        return Figure(np.array([value + max(1.0 - math.fsum(outcomes), 0.0) / 2]), bound / 2)
    return Figure(np.array([value]), bound)


def sampled_figure(counts: npt.NDArray[np.int64], name: str) -> Figure:
    """Return a figure of counts by outcome of equal batches, shape (batches, 4)."""
    totals = counts.sum(axis=1)
    values = np.asarray(counts @ np.array(SCORES[name]) / totals, np.float64)
    return Figure(values, least=UNSEEN / float(totals.sum()))


def estimate(
    figures: Sequence[Figure], weights: Sequence[float], low: float = -1.0, high: float = 1.0
) -> Estimate:
    """Return the weighted mean of a figure over places with its interval, cut to `low` and `high`.

    Exact places add their bounds to the interval, sampled ones their error: by Student's t over the batches, with
    Satterthwaite's degrees of freedom, and never less than what as many fights without a case leave open. Equal ends
    mean an exact figure without any error.
    """
    value, bound, least, parts = 0.0, 0.0, 0.0, []
    for figure, weight in zip(figures, weights, strict=True):
        value += weight * float(figure.values.mean())
        bound += weight * figure.bound
        least = max(least, weight * figure.least)
        if not figure.is_exact:
            batches = len(figure.values)
            parts.append((weight**2 * float(figure.values.var(ddof=1)) / batches, batches - 1))
    variance = sum(part for part, _ in parts)
    reach = least
    if variance > 0:
        freedom = variance**2 / sum(part**2 / free for part, free in parts)
        reach = max(least, math.sqrt(variance) * student_95(freedom))
    reach += bound
    return Estimate(value, max(value - reach, low), min(value + reach, high))
