"""Limits of means and of their differences: what they are, and that they miss no more often than they say."""

from itertools import product

import numpy as np
import pytest
from scipy import optimize, stats

from simlab.analysis.compare_limits import (
    LEVEL,
    Figures,
    Floats,
    average,
    clipped,
    family_point,
    limit_mean,
    subtract,
)
from simlab.analysis.intervals import Z95

RARE = 1e-6
"""Chance that a count of misses is as high as a test allows although all is well."""


def limits(ones: float, halves: float, zeros: float, z: float) -> tuple[float, float]:
    low, high = limit_mean(np.array([ones]), np.array([halves]), np.array([zeros]), z)
    return float(low[0]), float(high[0])


def sampled(counts: Floats, z: float) -> Figures:
    """Figures of counts by score 1, 1/2, 0, shape (..., 3)."""
    value = (counts[..., 0] + counts[..., 1] / 2) / counts.sum(axis=-1)
    low, high = limit_mean(counts[..., 0], counts[..., 1], counts[..., 2], z)
    return Figures(value, value - low, high - value, 0 * value, 0 * value)


def level_of(z: float) -> float:
    return float(2 * stats.norm.sf(z))


@pytest.mark.parametrize("tests", [1, 2, 27, 37_544])
def test_the_point_of_a_family_is_that_of_bonferroni(tests: int) -> None:
    assert family_point(tests) == pytest.approx(stats.norm.isf(LEVEL / (2 * tests)), rel=1e-9)


def test_a_family_of_none_or_one_has_the_usual_point() -> None:
    assert family_point(0) == family_point(1) == Z95


@pytest.mark.parametrize("z", [1.0, Z95, 4.8])
@pytest.mark.parametrize("counts", [(40, 20, 40), (3, 1, 96), (0, 5, 95), (90, 10, 0), (700, 200, 100)])
def test_limits_are_where_the_likelihood_has_fallen_by_half_of_z_square(
    counts: tuple[int, int, int], z: float
) -> None:
    """Against the profile of the likelihood by scipy, half a fight moved up from the lowest score that there is."""
    n = sum(counts)
    _, high = limits(*counts, z)
    ones, halves, zeros = map(float, counts)
    moved = (ones + 0.5, halves, zeros - 0.5) if zeros >= 0.5 else (ones + 1, halves - 1, zeros)
    f = np.array(moved) / n
    used = f > 0

    def fit(odds: Floats) -> Floats:
        chances = np.exp(np.append(odds, 0.0))
        chances /= chances.sum()
        return chances

    def loss(odds: Floats) -> float:
        return float(-(f[used] * np.log(fit(odds)[used])).sum())

    middle = np.log(np.maximum(f, 1e-3)[:2] / max(f[2], 1e-3))
    constraint = {"type": "eq", "fun": lambda odds: fit(odds)[0] + fit(odds)[1] / 2 - high}
    best = optimize.minimize(loss, middle, constraints=[constraint], method="SLSQP", tol=1e-14)
    fallen = n * (best.fun + (f[used] * np.log(f[used])).sum())
    assert fallen == pytest.approx(z * z / 2, rel=2e-3)


def test_limits_mirror_each_other() -> None:
    low, high = limits(30, 20, 50, 3.0)
    other_low, other_high = limits(50, 20, 30, 3.0)
    assert (low, high) == pytest.approx((1 - other_high, 1 - other_low), abs=1e-12)
    assert low < 0.4 < high


def test_limits_of_what_never_or_always_happened() -> None:
    low, high = limits(0, 0, 1000, 4.8)
    assert low == 0.0
    assert 0.010 < high < 0.015
    assert limits(1000, 0, 0, 4.8) == pytest.approx((1 - high, 1.0), abs=1e-12)
    assert limits(0, 0, 0, 2.0) == (0.0, 1.0)
    all_half = limits(0, 1000, 0, Z95)
    assert all_half[0] < 0.5 < all_half[1]


@pytest.mark.parametrize("n", [1, 2, 38_416, 10**12])
def test_limits_enclose_the_estimate_and_shrink_with_the_number_of_fights(n: int) -> None:
    ones, halves = n // 2, n // 4
    value = (ones + halves / 2) / n
    low, high = limits(ones, halves, n - ones - halves, 4.0)
    assert 0 <= low <= value <= high <= 1
    assert high - low <= 10 / n**0.5


@pytest.mark.parametrize("level", [0.05, 2e-3, 1e-6])
@pytest.mark.parametrize("n", [50, 400])
def test_limits_miss_a_chance_no_more_often_than_they_say(n: int, level: float) -> None:
    """Exactly, over all counts, for chances from a tenth of a case in n to one half."""
    z = float(stats.norm.isf(level / 2))
    counts = np.arange(n + 1.0)
    low, high = limit_mean(counts, 0 * counts, n - counts, z)
    for expected in (0.1, 0.5, 1, 2, 3, 5, 8, 12, 20, n / 5, n / 3, n / 2):
        chance = expected / n
        missed = stats.binom.pmf(counts, n, chance)[(low > chance) | (high < chance)].sum()
        assert missed <= level, expected


@pytest.mark.parametrize("level", [0.05, 2e-3, 1e-6])
@pytest.mark.parametrize(("n", "m"), [(400, 400), (100, 900)])
def test_differences_miss_no_more_often_than_they_say(n: int, m: int, level: float) -> None:
    """Exactly, over all pairs of counts of two runs with the same chance."""
    z = float(stats.norm.isf(level / 2))
    first, second = (np.arange(size + 1.0) for size in (n, m))
    before = sampled(np.stack([first, 0 * first, n - first], axis=-1), z)
    after = sampled(np.stack([second, 0 * second, m - second], axis=-1), z)
    below = np.hypot(after.below[None], before.above[:, None])
    above = np.hypot(after.above[None], before.below[:, None])
    change = after.value[None] - before.value[:, None]
    missed = (change - below > 0) | (change + above < 0)
    for expected in (0.3, 1, 2, 4, 7, 12, 25, n / 4, n / 2, n - 3):
        weights = np.outer(stats.binom.pmf(first, n, expected / n), stats.binom.pmf(second, m, expected / n))
        assert weights[missed].sum() <= level, expected


SCORES = [(0.4, 0.2, 0.4), (0.02, 0.96, 0.02), (0.05, 0.1, 0.85), (0.0, 0.3, 0.7), (0.3, 0.6, 0.1)]


@pytest.mark.parametrize("level", [0.05, 2e-3])
@pytest.mark.parametrize("chances", SCORES)
def test_differences_of_scores_with_halves_miss_no_more_often_than_they_say(
    chances: tuple[float, float, float], level: float
) -> None:
    n = 30
    table = np.array(
        [(a, h, n - a - h) for a, h in product(range(n + 1), repeat=2) if a + h <= n], np.float64
    )
    figures = sampled(table, float(stats.norm.isf(level / 2)))
    weights = stats.multinomial.pmf(table, n, chances)
    change = figures.value[None] - figures.value[:, None]
    low = change - np.hypot(figures.below[None], figures.above[:, None])
    high = change + np.hypot(figures.above[None], figures.below[:, None])
    missed = ((low > 0) | (high < 0)) * np.outer(weights, weights)
    assert missed.sum() <= level


@pytest.mark.parametrize(
    "chances", [(0.0005, 0.0, 0.9995), (0.005, 0.002, 0.993), (0.4, 0.2, 0.4), (0.01, 0.98, 0.01)]
)
@pytest.mark.parametrize("exact", [False, True])
def test_means_over_situations_miss_no_more_often_than_they_say(
    chances: tuple[float, float, float], exact: bool
) -> None:
    """Two runs against each other, or one against the truth; the tolerance is that of the number of trials."""
    trials, places, n, level = 4000, 6, 600, 0.01
    z = float(stats.norm.isf(level / 2))
    weights = np.tile(np.array([3, 1, 0.5, 3, 1, 0.5]) / 9, trials)
    groups = np.repeat(np.arange(trials), places)
    dice = np.random.default_rng(11)

    def run() -> Figures:
        counts = dice.multinomial(n, chances, (trials, places)).astype(np.float64)
        return sampled(counts.reshape(-1, 3), z)

    truth = chances[0] + chances[1] / 2
    never = np.zeros(len(groups), np.bool_)
    none = np.zeros(len(groups))
    known = Figures(none + truth, none, none, none, none)
    change = average(subtract(known if exact else run(), run(), never, never), weights, groups, trials)
    missed = int(((change.low > 1e-12) | (change.high < -1e-12)).sum())
    assert missed <= stats.binom.isf(RARE, trials, level)


def test_a_whole_family_misses_no_more_often_than_it_says() -> None:
    """Two figures of twelve rows and of their four means, as runs are compared, over and over."""
    trials, rows, n = 4000, 12, 700
    z = family_point(2 * (rows + 4))
    dice = np.random.default_rng(29)
    chances = dice.dirichlet([0.5, 0.5, 0.1, 0.1], rows)
    groups, weights = np.repeat(np.arange(trials * 4), 3), np.full(trials * rows, 1 / 3)
    never = np.zeros(trials * rows, np.bool_)
    runs = [
        np.stack([dice.multinomial(n, each, trials) for each in chances], axis=1)
        .reshape(-1, 4)
        .astype(np.float64)
        for _ in range(2)
    ]
    alarm = np.zeros(trials, np.bool_)
    for scores in ([[0], [2, 3], [1]], [[0, 2], [], [1, 3]]):
        figures = [
            sampled(np.stack([run[:, part].sum(axis=1) for part in scores], axis=-1), z) for run in runs
        ]
        change = subtract(*figures, never, never)
        for each in (change, average(change, weights, groups, trials * 4)):
            alarm |= ((each.low > 0) | (each.high < 0)).reshape(trials, -1).any(axis=1)
    assert 0 < int(alarm.sum()) <= stats.binom.isf(RARE, trials, LEVEL)


def test_intervals_for_any_dependence_hold_where_the_runs_are_opposed() -> None:
    """The worst case: what one run wins the other loses. Independent intervals would miss far too often there."""
    trials, n, level = 4000, 400, 0.01
    z = float(stats.norm.isf(level / 2))
    wins = np.random.default_rng(7).binomial(n, 0.5, trials).astype(np.float64)
    before = sampled(np.stack([wins, 0 * wins, n - wins], axis=-1), z)
    after = sampled(np.stack([n - wins, 0 * wins, wins], axis=-1), z)
    always, never = np.ones(trials, np.bool_), np.zeros(trials, np.bool_)

    def missed(dependent: np.ndarray) -> int:
        change = subtract(before, after, dependent, never)
        return int(((change.low > 0) | (change.high < 0)).sum())

    most = stats.binom.isf(RARE, trials, level)
    assert missed(always) <= most < missed(never)


def test_what_is_the_same_does_not_move_and_bounds_add_up_as_they_are() -> None:
    one = Figures(*(np.array([x, x]) for x in (0.5, 0.01, 0.02, 0.001, 0.002)))
    change = subtract(one, one, np.array([False, False]), np.array([True, False]))
    assert [change.low[0], change.value[0], change.high[0]] == [0.0, 0.0, 0.0]
    reach = np.hypot(0.01, 0.02) + 0.003
    assert (change.low[1], change.high[1]) == pytest.approx((-reach, reach))


def test_the_mean_of_a_single_figure_is_that_figure() -> None:
    one = Figures(*(np.array([x]) for x in (0.5, 0.01, 0.02, 0.001, 0.002)))
    mean = average(one, np.array([1.0]), np.array([0]), 1)
    assert (mean.low[0], mean.high[0]) == pytest.approx((one.low[0], one.high[0]), abs=1e-15)


def test_limits_are_cut_to_what_is_possible() -> None:
    wide = Figures(*(np.array([x]) for x in (0.9, 2.5, 2.5, 0.0, 0.0)))
    cut = clipped(wide, -1.0, 1.0)
    assert (cut.low[0], cut.high[0]) == pytest.approx((-1.0, 1.0))
