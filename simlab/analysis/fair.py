"""Fair numbers: how many of B make an even fight against N of A.

The share of A falls as the number M of B grows from 1 to 40 N. Three curves over M are read at one half:
the estimate of the share, and the low and the high end of its interval. A curve crosses at its smallest M
that is not above one half; between that M and the one before, the share is taken as linear in log M.
So a crossing is settled by two neighbouring sizes, and everything else need not be fought: `next_size` says
which M is still missing. Where the interval leaves the crossing open over a few sizes, all of them are asked
for, so that noise between them cannot hide an earlier crossing.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from simlab.analysis.intervals import as_counts, estimate_share

Status = Literal["value", "below", "above"]
Counts = Mapping[int, Sequence[int]]

LIMIT_PER_UNIT = 40
EVEN = 0.5

_WIDEST_FILL = 12
_PATIENCE = 8
_USUAL_SLOPE = 3.0
_LONGEST_LEAP = 4.0


@dataclass(frozen=True)
class FairNumber:
    """The M of B that is even with N of A.

    status: `value`; `below` (one of B is already too many); `above` (40 N of B are too few).
    value: M, NaN unless the status is `value`.
    low, high: the ends of the interval of M, 0 where even one may be too many, infinity where 40 N may be
        too few. For `below` they are 0 and at least 1, for `above` at most 40 N and infinity.
    no_decision: more than half of the fights next to the crossing ended without a winner at the turn limit.
    """

    status: Status
    value: float
    low: float
    high: float
    no_decision: bool


@dataclass(frozen=True)
class _Curve:
    """A share over the sizes fought so far: `sizes` rising."""

    sizes: tuple[int, ...]
    shares: tuple[float, ...]

    def bracket(self) -> tuple[int | None, int | None]:
        """Indices of the last size above one half before the first that is not, and of that first one."""
        high = next((i for i, share in enumerate(self.shares) if share <= EVEN), None)
        low = len(self.sizes) - 1 if high is None else high - 1
        return (low if low >= 0 else None), high

    def settled(self, limit: int) -> bool:
        """Return whether the crossing, or that there is none up to `limit`, follows from the sizes fought."""
        low, high = self.bracket()
        if high is None:
            return low is not None and self.sizes[low] == limit
        return self.sizes[high] == 1 or (low is not None and self.sizes[high] - self.sizes[low] == 1)


def estimate_fair_number(counts: Counts, size_n: int) -> FairNumber:
    """Return the fair number from outcome counts by M (four counts each, see `estimate_share`).

    Raises ValueError where the sizes fought leave it open.
    """
    curves = _curves(counts)
    limit = LIMIT_PER_UNIT * size_n
    if not all(curve.settled(limit) for curve in curves):
        raise ValueError(f"the sizes {sorted(counts)} leave the fair number for {size_n} open")
    (status, value), (low_status, low), (high_status, high) = (_crossing(curve, limit) for curve in curves)
    if low_status != "value":
        low = 0.0 if low_status == "below" else float(limit)
    if high_status != "value":
        high = 1.0 if high_status == "below" else math.inf
    return FairNumber(status, value, low, high, _no_decision(counts, curves[0]))


def next_size(counts: Counts, size_n: int, before: tuple[int, Counts] | None = None) -> int | None:
    """Return the next M to fight, or None when the fair number and its interval are settled.

    `counts` are the outcome counts by M so far. `before` are another N and its settled counts by M: the
    search starts at the same ratio, at N otherwise. Every answer is a new M.
    """
    limit = LIMIT_PER_UNIT * size_n
    if not counts:
        return min(max(_floor(size_n * _ratio(before)), 1), limit)
    curves = _curves(counts)
    for curve in curves:
        if not curve.settled(limit):
            return _probe(curve, limit)
    return _gap(curves, limit)


def next_probe(shares: Mapping[int, float], size_n: int, start: int) -> int | None:
    """Return the next M to fight, or None when the fair number follows from the shares of a by M so far.

    `start`: the M to begin with. Nothing is fought for an interval here.
    """
    limit = LIMIT_PER_UNIT * size_n
    if not shares:
        return min(max(start, 1), limit)
    curve = _curve(shares)
    return None if curve.settled(limit) else _probe(curve, limit)


def find_bracket(shares: Mapping[int, float]) -> tuple[int | None, int | None]:
    """Return the last M with a share above one half before the first M without, and that first one."""
    curve = _curve(shares)
    low, high = curve.bracket()
    return (None if low is None else curve.sizes[low]), (None if high is None else curve.sizes[high])


def _curve(shares: Mapping[int, float]) -> _Curve:
    sizes = tuple(sorted(shares))
    return _Curve(sizes, tuple(shares[size] for size in sizes))


def _ratio(before: tuple[int, Counts] | None) -> float:
    if before is None:
        return 1.0
    number = estimate_fair_number(before[1], before[0])
    if number.status == "value":
        return number.value / before[0]
    return 0.0 if number.status == "below" else float(LIMIT_PER_UNIT)


def _curves(counts: Counts) -> tuple[_Curve, _Curve, _Curve]:
    sizes = tuple(sorted(counts))
    estimates = estimate_share(as_counts([counts[size] for size in sizes]))
    share, low, high = (_Curve(sizes, tuple(values.tolist())) for values in estimates)
    return share, low, high


def _crossing(curve: _Curve, limit: int) -> tuple[Status, float]:
    low, high = curve.bracket()
    if high is None:
        return "above", math.nan
    if curve.shares[high] == EVEN:
        return "value", float(curve.sizes[high])
    if low is None:
        return "below", math.nan
    above, under = curve.shares[low], curve.shares[high]
    start, end = math.log(curve.sizes[low]), math.log(curve.sizes[high])
    return "value", math.exp(start + (above - EVEN) / (above - under) * (end - start))


def _no_decision(counts: Counts, share: _Curve) -> bool:
    low, high = share.bracket()
    sizes = [share.sizes[i] for i in (low, high) if i is not None]
    return any(2 * counts[size][3] > sum(counts[size]) for size in sizes)


def _gap(curves: tuple[_Curve, _Curve, _Curve], limit: int) -> int | None:
    """The first size not fought between the crossings of the interval's two ends, if they are near."""
    first, _ = curves[1].bracket()
    _, last = curves[2].bracket()
    sizes = curves[0].sizes
    start = 1 if first is None else sizes[first]
    end = limit if last is None else sizes[last]
    if end - start > _WIDEST_FILL:
        return None
    return next((size for size in range(start, end) if size not in sizes), None)


def _probe(curve: _Curve, limit: int) -> int:
    """A size between the bracket's ends, or beyond the only end there is."""
    low, high = curve.bracket()
    if high is None:
        assert low is not None
        return min(limit, curve.sizes[low] + _leap_up(curve, low))
    if low is None:
        return max(1, curve.sizes[high] - _leap_down(curve, high))
    start, end = curve.sizes[low], curve.sizes[high]
    if len(curve.sizes) >= _PATIENCE:
        guess = math.sqrt(start * end)
    else:
        rise, fall = _logit(curve.shares[low]), _logit(curve.shares[high])
        guess = start * (end / start) ** (rise / (rise - fall)) if rise > fall else math.sqrt(start * end)
    return min(max(_floor(guess), start + 1), end - 1)


def _leap_up(curve: _Curve, low: int) -> int:
    """Sizes to go up: as far as the share suggests, and twice the last step at least."""
    size = curve.sizes[low]
    factor = min(math.exp(_logit(curve.shares[low]) / _USUAL_SLOPE), _LONGEST_LEAP)
    last_step = size - curve.sizes[low - 1] if low > 0 else 0
    return max(1, _floor(size * factor) - size, 2 * last_step)


def _leap_down(curve: _Curve, high: int) -> int:
    """Sizes to go down: as far as the share suggests, and twice the last step at least."""
    size = curve.sizes[high]
    factor = max(math.exp(_logit(curve.shares[high]) / _USUAL_SLOPE), 1 / _LONGEST_LEAP)
    last_step = curve.sizes[high + 1] - size if high + 1 < len(curve.sizes) else 0
    return max(1, size - _floor(size * factor), 2 * last_step)


def _logit(share: float) -> float:
    inside = min(max(share, 1e-4), 1 - 1e-4)
    return math.log(inside / (1 - inside))


def _floor(value: float) -> int:
    """Floor after a rounding that hides the last bits, in which machines differ."""
    return math.floor(round(value, 6))
