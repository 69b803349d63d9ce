"""Intervals of sampled probabilities, and how many fights a wanted precision takes."""

from decimal import ROUND_CEILING, Context, Decimal, InvalidOperation
from typing import Any

import numpy as np
import numpy.typing as npt

from simlab.model.errors import InputError

Z95 = 1.959963984540054
"""Two-sided 95% point of the normal distribution."""

MAX_FIGHTS = 10**12

_WORK_PER_PRECISION = Decimal("0.9604")
_ALLOWED_PRECISION = f"a half-width above 0 and below 1 that takes at most {MAX_FIGHTS} fights"
_EXACT = Context(prec=80)

Floats = npt.NDArray[np.float64]


def estimate_wilson(k: npt.ArrayLike, n: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return the ends of the Wilson 95% interval for `k` successes in `n` trials.

    Shapes broadcast; the ends have the common shape. No trials give (0, 1); no success gives a low end of
    exactly 0, no failure a high end of exactly 1.
    """
    successes, trials = np.broadcast_arrays(np.asarray(k, np.float64), np.asarray(n, np.float64))
    some = np.where(trials > 0, trials, 1.0)
    share = np.where(trials > 0, successes / some, 0.5)
    square = Z95 * Z95
    centre = share + square / (2 * some)
    spread = Z95 * np.sqrt(share * (1 - share) / some + square / (4 * some * some))
    low = (centre - spread) / (1 + square / some)
    high = (centre + spread) / (1 + square / some)
    low = np.where((successes <= 0) | (trials <= 0), 0.0, np.clip(low, 0.0, 1.0))
    high = np.where((successes >= trials) | (trials <= 0), 1.0, np.clip(high, 0.0, 1.0))
    return low, high


def estimate_share(counts: npt.ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return the win share of side a and the ends of its normal 95% interval.

    `counts`: shape (..., 4), fights by outcome (a wins, b wins, both destroyed, neither), scored 1, 0, 1/2,
    1/2. The results have the leading shape; the ends are clipped to [0, 1]. Every row holds a fight.
    """
    table = np.asarray(counts, np.float64)
    total = table.sum(axis=-1)
    half = table[..., 2] + table[..., 3]
    points = 2 * table[..., 0] + half
    squares = 4 * table[..., 0] + half
    share = points / (2 * total)
    variance = np.maximum(total * squares - points * points, 0.0) / (4 * total * total)
    reach = Z95 * np.sqrt(variance / total)
    return share, np.clip(share - reach, 0.0, 1.0), np.clip(share + reach, 0.0, 1.0)


def fights_for_precision(text: str) -> int:
    """Return how many fights give shares a 95% half-width of `text`: ceil(0.9604 / P²), in exact decimals.

    Raises InputError for what is no number, is not between 0 and 1, or asks for more than 10^12 fights.
    """
    try:
        precision = Decimal(str(text).strip())
    except InvalidOperation:
        precision = Decimal("nan")
    if not precision.is_finite() or not 0 < precision < 1 or precision.adjusted() < -40:
        raise InputError.one("precision", str(text), _ALLOWED_PRECISION)
    needed = _EXACT.divide(_WORK_PER_PRECISION, _EXACT.multiply(precision, precision))
    fights = int(needed.to_integral_value(rounding=ROUND_CEILING))
    if fights > MAX_FIGHTS:
        raise InputError.one("precision", str(text), _ALLOWED_PRECISION)
    return fights


def as_counts(rows: Any) -> npt.NDArray[np.int64]:
    """Return outcome counts as an integer array of shape (rows, 4)."""
    return np.asarray(rows, np.int64).reshape(-1, 4)
