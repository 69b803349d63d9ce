"""Distributions of what was lost: values with counts."""

from collections.abc import Sequence
from math import sqrt

from simlab.analysis.intervals import Z95


def quantile(values: Sequence[float], counts: Sequence[int], share: float) -> float:
    """Return the least value that at least `share` of all counted are not above; values rise, shares are 0 to 1."""
    wanted, so_far = share * sum(counts), 0
    for value, count in zip(values, counts, strict=True):
        so_far += count
        if count and so_far >= wanted:
            return value
    return values[-1]


def quantile_interval(values: Sequence[float], counts: Sequence[int], share: float) -> tuple[float, float]:
    """Return the 95% interval of a quantile, by the binomial spread of how many lie below it."""
    half = Z95 * sqrt(share * (1 - share) / sum(counts))
    low, high = max(0.0, share - half), min(1.0, share + half)
    return quantile(values, counts, low), quantile(values, counts, high)
