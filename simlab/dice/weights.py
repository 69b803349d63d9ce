"""Exact chances of rolls."""

from fractions import Fraction


def pmf_exploding(limit: int) -> dict[int, Fraction]:
    """Return the distribution of 2d6 whose twelves are rolled again and added, up to `limit`, which stands for itself
    and all above."""
    pmf: dict[int, Fraction] = {}
    weight = Fraction(1)
    base = 0
    while base < limit:
        for roll in range(2, 12):
            total = min(base + roll, limit)
            pmf[total] = pmf.get(total, Fraction(0)) + weight * Fraction(6 - abs(roll - 7), 36)
        weight /= 36
        base += 12
    pmf[limit] = pmf.get(limit, Fraction(0)) + weight
    return pmf


def pmf_tail(number: int) -> float:
    """Return the chance that exploding 2d6 reach a number."""
    if number <= 2:
        return 1.0
    return float(sum(weight for total, weight in pmf_exploding(max(number, 13)).items() if total >= number))


def die_tail(number: int) -> float:
    """Return the chance that one plain d6 reaches a number."""
    return min(6, max(0, 7 - number)) / 6
