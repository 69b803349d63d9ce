"""Differences of figures over places, exact and at the same dice, against what is known."""

import numpy as np
import pytest
from scipy.stats import binom

from simlab.analysis.paired_difference import (
    SCORES,
    Figure,
    constant,
    estimate,
    exact_figure,
    sampled_figure,
)
from simlab.analysis.readings_paired import UNSEEN

REPEATS, BATCHES, SIZE = 2000, 32, 100
EVEN = (0.4, 0.4, 0.1, 0.1)


def limits(chance: float) -> tuple[float, float]:
    """Shares of repeats between which all but 1 in 10,000 tests lie."""
    low, high = binom.ppf([0.5e-4, 1 - 0.5e-4], REPEATS, chance)
    return low / REPEATS, high / REPEATS


def paired_counts(rng: np.random.Generator, flips: float) -> tuple[np.ndarray, np.ndarray]:
    """Counts (repeats, batches, 4) of fights, and of the same fights with so many of b's victories turned into a's."""
    cells = np.array([EVEN[0], EVEN[1] - flips, *EVEN[2:], flips])
    drawn = rng.multinomial(SIZE, cells, size=(REPEATS, BATCHES))
    before, after = drawn[..., :4].copy(), drawn[..., :4].copy()
    before[..., 1] += drawn[..., 4]
    after[..., 0] += drawn[..., 4]
    return before, after


@pytest.mark.parametrize("flips", [0.2, 0.03])
def test_intervals_of_paired_differences_cover_as_often_as_they_say(flips):
    rng = np.random.default_rng(11)
    before, after = paired_counts(rng, flips)
    pairs = zip(before, after, strict=True)
    found = [
        estimate([sampled_figure(b, "win_share_a") - sampled_figure(a, "win_share_a")], [1.0])
        for a, b in pairs
    ]
    covered = np.mean([each.low <= flips <= each.high for each in found])
    low, high = limits(0.95)
    assert low <= covered <= high
    # Without the same dice the interval would be as wide as that of two independent shares.
    apart = 1.96 * np.sqrt(2 * 0.2 / (BATCHES * SIZE))
    assert np.mean([each.high - each.low for each in found]) / 2 < apart * (0.85 if flips > 0.1 else 0.35)


def test_intervals_over_places_of_unlike_weight_and_spread_cover_too():
    rng = np.random.default_rng(12)
    places = [paired_counts(rng, flips) for flips in (0.2, 0.05)]
    weights, truth = [0.8, 0.2], 0.8 * 0.2 + 0.2 * 0.05
    covered = 0
    for repeat in range(REPEATS):
        figures = [
            sampled_figure(after[repeat], "win_share_a") - sampled_figure(before[repeat], "win_share_a")
            for before, after in places
        ]
        found = estimate(figures, weights)
        covered += found.low <= truth <= found.high
    low, high = limits(0.95)
    assert low <= covered / REPEATS <= high


def test_rare_differences_are_covered_at_least_as_often():
    rng = np.random.default_rng(13)
    before, after = paired_counts(rng, 0.0004)
    covered = 0
    for a, b in zip(before, after, strict=True):
        found = estimate([sampled_figure(b, "a_wins") - sampled_figure(a, "a_wins")], [1.0])
        covered += found.low <= 0.0004 <= found.high
    assert covered / REPEATS >= limits(0.95)[0]


def test_what_no_fight_showed_may_still_be_there():
    counts = np.full((BATCHES, 4), 25)
    found = estimate([sampled_figure(counts, "a_wins") - sampled_figure(counts, "a_wins")], [1.0])
    assert found.value == 0.0
    assert found.high == -found.low == pytest.approx(UNSEEN / 3200)
    assert 3200 * np.log1p(-found.high) == pytest.approx(np.log(0.05), rel=1e-3)


def test_figures_count_what_their_names_say():
    counts = np.array([[1, 2, 3, 4], [4, 3, 2, 1]])
    values = {name: sampled_figure(counts, name).values.tolist() for name in SCORES}
    assert values["a_wins"] == [0.1, 0.4]
    assert values["neither"] == [0.4, 0.1]
    assert values["win_share_a"] == pytest.approx([0.45, 0.55])
    assert values["win_share_b"] == pytest.approx([0.55, 0.45])
    assert values["kill_rate_a"] == [0.4, 0.6]
    assert values["kill_rate_b"] == [0.5, 0.5]


def test_bounds_of_exact_figures_add_up_and_stay_known():
    one = exact_figure((0.5, 0.2, 0.1, 0.1), 0.1, "win_share_a")
    other = exact_figure((0.3, 0.4, 0.1, 0.2), 0.0, "win_share_a")
    # 0.1 is wanting, half of it for each side.
    assert one.values[0] == pytest.approx(0.65)
    assert one.bound == pytest.approx(0.05)
    found = estimate([one - other], [1.0])
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.15, 0.25))
    assert exact_figure((0.5, 0.2, 0.1, 0.1), 0.1, "a_wins").bound == 0.1
    sure = estimate([constant(0.5)], [1.0])
    assert sure.value == sure.low == sure.high == 0.5


def test_an_exact_place_beside_a_sampled_one_adds_no_chance():
    values = np.array([0.1, 0.3] * 16)
    alone = estimate([Figure(values, least=1e-3)], [0.5])
    both = estimate([Figure(values, least=1e-3), Figure(np.array([0.4]), bound=0.02)], [0.5, 0.5])
    assert both.value == pytest.approx(alone.value + 0.2)
    assert both.high - both.value == pytest.approx(alone.high - alone.value + 0.01)
    assert estimate([Figure(values, least=1e-3)], [1.0], 0.19, 0.21).high == 0.21
