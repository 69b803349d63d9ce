"""The sampler's intervals: over 500 seeds they cover the exact value as often as their exact coverage says."""

from typing import Any

import numpy as np
import pytest
from samples import compile_sample, sample_sheets
from scipy.stats import binom

from simlab.analysis.intervals import estimate_wilson
from simlab.engine.play import play_fights
from simlab.exact.solve import solve_duel
from simlab.lab.fights import fight_key_of
from simlab.model.outcome import OUTCOMES
from simlab.model.situation import Situation

SEEDS = 500
FIGHTS = 2000
BOUND = 1e-9
OFF = 1e-4
"""Chance that a comparison fails although all is well."""
FIGURES = (*OUTCOMES, "destroyed_a", "destroyed_b")


@pytest.fixture(scope="module")
def pair() -> Any:
    """Two Shermans, one hit from behind: all four outcomes occur, and the sides differ."""
    sheet = next(sheet for sheet in sample_sheets("blitzkrieg") if sheet.id == "m4a3_sherman_lp")
    return compile_sample("blitzkrieg", [sheet], [sheet], situation=Situation(24.0, "front", "rear"))


@pytest.fixture(scope="module")
def chances(pair: Any) -> dict[str, float]:
    found = solve_duel(pair, bound=BOUND)
    destroyed = found.figures[:, 0].tolist()
    return dict(zip(FIGURES, [*map(float, found.outcomes), *destroyed], strict=True))


@pytest.fixture(scope="module")
def counts(pair: Any) -> dict[str, Any]:
    key = fight_key_of(pair)
    tallies = [play_fights(pair, n=FIGHTS, seed=seed, key=key, workers=1) for seed in range(SEEDS)]
    table = np.array([[*tally.outcomes, *tally.destroyed()] for tally in tallies])
    return dict(zip(FIGURES, table.T, strict=True))


def coverage(chance: float) -> float:
    """P(the Wilson interval of a binomial count covers its chance)."""
    successes = np.arange(FIGHTS + 1)
    low, high = estimate_wilson(successes, FIGHTS)
    return float(binom.pmf(successes, FIGHTS, chance)[(low <= chance) & (chance <= high)].sum())


@pytest.mark.parametrize("figure", FIGURES)
def test_intervals_cover_as_often_as_they_should(
    figure: str, chances: dict[str, float], counts: dict[str, Any]
) -> None:
    chance = chances[figure]
    low, high = estimate_wilson(counts[figure], FIGHTS)
    covered = int(((low <= chance) & (chance <= high)).sum())
    expected = coverage(chance)
    # An end of an interval within the solution's error of the chance would decide nothing.
    assert min(np.abs(low - chance).min(), np.abs(high - chance).min()) > BOUND
    assert binom.ppf(OFF / 2, SEEDS, expected) <= covered <= binom.isf(OFF / 2, SEEDS, expected)
    assert 0.93 < expected < 0.97


def test_coverage_of_a_rare_outcome_is_that_of_no_count_at_all() -> None:
    """At a chance of 1e-6 the interval of no success covers it, and that of one success lies above it."""
    assert coverage(1e-6) == pytest.approx((1 - 1e-6) ** FIGHTS, rel=1e-9)
