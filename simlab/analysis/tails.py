"""Tail probabilities: how unlikely a count or a statistic is. Exact or bounded from above, at any depth of tail."""

from collections.abc import Sequence
from math import erfc, exp, fsum, inf, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist

_NORMAL = NormalDist()
_TINY = 1e-300
_MOST_STEPS = 50_000_000


def chi_square_tail(value: float, freedom: int) -> float:
    """Return P(chi-square with `freedom` degrees of freedom >= value), by its finite sum."""
    if value <= 0:
        return 1.0
    if value == inf:
        return 0.0
    half = value / 2
    odd = freedom % 2
    parts = [erfc(sqrt(half))] if odd else []
    power = 0.5 if odd else 0.0
    while power < freedom / 2:
        parts.append(exp(power * log(half) - half - lgamma(power + 1)))
        power += 1
    return min(1.0, fsum(parts))


def score(chance: float) -> float:
    """Return the value that a chi-square of one degree of freedom exceeds with a chance above 0."""
    return _NORMAL.inv_cdf(chance / 2) ** 2 if chance < 1 else 0.0


def combined(chances: Sequence[float]) -> float:
    """Return one p-value for independent ones, by the sum of their scores.

    Where each is uniform or larger under the hypothesis, whatever the others were, so is the result.
    """
    if not chances:
        return 1.0
    if min(chances) <= _TINY:
        return 0.0
    return chi_square_tail(fsum(score(chance) for chance in chances), len(chances))


def binomial_upper(k: int, n: int, chance: float) -> float:
    """Return P(X >= k) for X binomial."""
    if k <= 0:
        return 1.0
    if k > n or chance <= 0:
        return 0.0
    return 1.0 if chance >= 1 else _incomplete_beta(k, n - k + 1, chance)


def binomial_lower(k: int, n: int, chance: float) -> float:
    """Return P(X <= k) for X binomial."""
    return binomial_upper(n - k, n, 1 - chance)


def binomial_both(k: int, n: int, low: float, high: float) -> float:
    """Return the two-sided p-value of a count for a chance between `low` and `high`: twice the smaller tail."""
    return min(1.0, 2 * min(binomial_upper(k, n, high), binomial_lower(k, n, low)))


def binomial_place(k: int, n: int, chance: float, fraction: float) -> float:
    """Return P(X < k) + fraction * P(X = k): uniform, if `fraction` is."""
    above = binomial_upper(k + 1, n, chance)
    below = binomial_lower(k - 1, n, chance)
    return below + fraction * max(0.0, 1 - above - below)


def shared_tail(both: int, first: int, second: int, n: int) -> float:
    """Return Fisher's exact two-sided p-value of a table of two by two: twice the smaller tail.

    `first` and `second` of n trials have a mark each, `both` of them have the two.
    """
    least, most = max(0, first + second - n), min(first, second)
    whole = _log_choose(n, second)
    chances = [
        exp(_log_choose(first, x) + _log_choose(n - first, second - x) - whole)
        for x in range(least, most + 1)
    ]
    place = both - least
    return min(1.0, 2 * min(fsum(chances[: place + 1]), fsum(chances[place:])))


def uniform_distance(values: Sequence[float]) -> tuple[float, float]:
    """Return the largest distance of values from the uniform distribution (Kolmogorov, Smirnov) and its p-value.

    The p-value is twice the exact one of the one-sided distance, which is what the two-sided one is in its tail.
    """
    n = len(values)
    if n == 0:
        return 0.0, 1.0
    ordered = sorted(values)
    distance = max(max((i + 1) / n - x, x - i / n) for i, x in enumerate(ordered))
    return distance, min(1.0, 2 * _one_sided_distance(distance, n))


def mean_tail(total: int, n: int, chances: Sequence[float], missing: float) -> float:
    """Return a bound on the two-sided p-value of a sum of n independent numbers from 0 to len(chances) - 1.

    chances: by number; summed from any number on they are off by `missing` at most. Chernoff's bound on each side.
    """
    mean = total / n
    # What is not known counts where it makes a sum like this one likeliest.
    upper = _moved(chances, missing)
    lower = _moved(chances[::-1], missing)[::-1]
    return min(1.0, 2 * min(exp(n * _least_log(upper, mean, 1)), exp(n * _least_log(lower, mean, -1))))


def _moved(chances: Sequence[float], much: float) -> list[float]:
    """Return chances of which so much is moved from the first ones to the last."""
    left, moved = much, []
    for chance in chances[:-1]:
        taken = min(max(chance, 0.0), left)
        moved.append(chance - taken)
        left -= taken
    return [*moved, chances[-1] + much - left]


def _least_log(chances: Sequence[float], mean: float, sign: int) -> float:
    """Return the least log E(e^(t X)) - t mean over t of a sign; 0 if it lies on the other side."""

    def value(t: float) -> float:
        parts = [log(p) + t * (k - mean) for k, p in enumerate(chances) if p > 0]
        largest = max(parts)
        return largest + log(fsum(exp(part - largest) for part in parts))

    low, high = 0.0, 1.0
    while high < 64 and value(sign * high * 2) < value(sign * high):
        high *= 2
    high *= 2
    for _ in range(100):
        third = (high - low) / 3
        if value(sign * (low + third)) < value(sign * (high - third)):
            high -= third
        else:
            low += third
    return min(0.0, value(sign * (low + high) / 2))


def _one_sided_distance(distance: float, n: int) -> float:
    """P(one-sided distance of n uniform values >= distance), by the formula of Birnbaum and Tingey."""
    if distance >= 1:
        return 0.0
    parts = []
    for j in range(int(n * (1 - distance)) + 1):
        rest = 1 - distance - j / n
        if rest > 0 or j == n:
            below = (j - 1) * log(distance + j / n)
            above = (n - j) * log(rest) if n > j else 0.0
            parts.append(exp(_log_choose(n, j) + below + above))
    return min(1.0, distance * fsum(parts))


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _incomplete_beta(a: int, b: int, x: float) -> float:
    """The regularised incomplete beta function, by its continued fraction on the side where it converges."""
    if x > (a + 1) / (a + b + 2):
        return 1.0 - _beta_fraction(b, a, 1 - x)
    return _beta_fraction(a, b, x)


def _beta_fraction(a: int, b: int, x: float) -> float:
    front = exp(_log_binomial_term(a, b, x)) / a
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > _TINY else _TINY)
    found = d
    for m in range(1, _MOST_STEPS):
        step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 / _kept(1 + step * d), _kept(1 + step / c)
        found *= d * c
        step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / _kept(1 + step * d), _kept(1 + step / c)
        found *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return min(1.0, front * found)


def _kept(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def _log_binomial_term(a: int, b: int, x: float) -> float:
    """log of x^a (1 - x)^b / B(a, b), without the cancellation of large logarithms of factorials."""
    n = a + b
    deviance = a * _log_ratio(x * n, a) + b * _log_ratio((1 - x) * n, b)
    return deviance + 0.5 * log(a * b / (2 * pi * n)) + _stirling(n) - _stirling(a) - _stirling(b)


def _log_ratio(expected: float, count: int) -> float:
    ratio = (expected - count) / count
    return log1p(ratio) if ratio > -1 else -inf


def _stirling(n: int) -> float:
    """What Stirling's formula for log n! leaves out."""
    if n < 16:
        return lgamma(n + 1) - (n + 0.5) * log(n) + n - 0.5 * log(2 * pi)
    square = n * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * square)) / square) / square) / n
