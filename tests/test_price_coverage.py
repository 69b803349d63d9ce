"""Honest intervals: over seeded repetitions of planted situations they hold as often as they say."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from planted_prices import Floats, chances_of, describe, plant, share_at
from scipy.stats import binom, multinomial

from simlab.analysis.intervals import estimate_share
from simlab.analysis.price_fit import Solution
from simlab.analysis.price_intervals import anchor_unit, limit_each, limit_together, set_level
from simlab.analysis.price_network import Network
from simlab.analysis.price_residuals import estimate_cyclic_share, estimate_residuals, find_cycles
from simlab.analysis.price_rungs import COUNTS_0, COUNTS_1, estimate_log_rho, read_crossing
from simlab.analysis.price_tables import describe_prices
from simlab.analysis.price_verdicts import rate_units, widest_interval

pytestmark = pytest.mark.long

REPEATS = 2000
OFF = 1e-4
"""Chance that a comparison fails although all is well."""


def within(covered: int, repeats: int, expected: float) -> bool:
    return bool(binom.ppf(OFF / 2, repeats, expected) <= covered <= binom.isf(OFF / 2, repeats, expected))


def test_win_shares_are_covered() -> None:
    """Against the exact coverage of the interval: all counts of 60 fights, with their chances."""
    fights, chances = 60, chances_of(0.56)
    merged = [chances[0], chances[1], chances[2] + chances[3]]
    every = [(a, b, fights - a - b, 0) for a in range(fights + 1) for b in range(fights + 1 - a)]
    _, low, high = estimate_share(every)
    chance = multinomial.pmf([row[:3] for row in every], fights, merged)
    expected = float(chance[(low <= 0.56) & (high >= 0.56)].sum())
    assert 0.93 < expected < 0.97
    drawn = np.random.default_rng(1).multinomial(fights, chances, REPEATS)
    _, low, high = estimate_share(drawn)
    assert within(int(((low <= 0.56) & (high >= 0.56)).sum()), REPEATS, expected)


@pytest.mark.parametrize(("step", "fights", "place"), [(0.4, 500, 0.4), (0.2, 1000, 0.05), (0.7, 200, 0.9)])
def test_fair_numbers_are_covered(step: float, fights: int, place: float) -> None:
    """The rungs are found by their counts, as a search does: near a rung either neighbour may be taken."""
    rungs = 9
    x = step * (np.arange(rungs) - rungs // 2 - place)
    shares = share_at(x, 0.0)
    counts = np.random.default_rng(2).multinomial(fights, chances_of(shares), (REPEATS, rungs))
    seen = (counts[..., 0] + (counts[..., 2] + counts[..., 3]) / 2) / fights
    under = np.argmax(seen < 0.5, axis=1)
    assert under.min() > 0
    frame = pd.DataFrame({"x0": x[under - 1], "x1": x[under]})
    row = np.arange(REPEATS)
    frame[list(COUNTS_0)], frame[list(COUNTS_1)] = counts[row, under - 1], counts[row, under]
    found = estimate_log_rho(frame, replicates=600)
    last = int(np.argmax(shares < 0.5))
    truth = float(read_crossing(x[last - 1], x[last], shares[last - 1], shares[last]))
    covered = int(((found["low"] <= truth) & (truth <= found["high"])).sum())
    assert within(covered, REPEATS, 0.95)
    assert found["sd"].mean() == pytest.approx(found["log_rho"].std(), rel=0.1)


PRICES = {"a": 100.0, "b": 130.0, "c": 180.0}


def at_level(network: Network, thrown: Solution, own: slice, price: float) -> tuple[Floats, Floats]:
    """Logarithms of the prices of a repetition's units where its first unit keeps its price, and as they move."""
    anchor = anchor_unit(network, network.rows.units[own.start], price)
    value, moved = network.log_prices()[own], network.spread(thrown.price)[own]
    anchor = replace(anchor, units=anchor.units[own])
    return set_level(value, anchor), set_level(moved, anchor)


def test_prices_are_covered_all_at_once_and_each_for_itself() -> None:
    planted = plant(PRICES, ranges=(6.0,))
    truth = planted.true_network("a").log_prices()
    truth += np.log(PRICES["a"]) - truth[0]
    together, single = 0, np.zeros(len(PRICES), int)
    for network, thrown, own in planted.repeats(1500, REPEATS, seed=3, centre="a"):
        value, moved = at_level(network, thrown, own, PRICES["a"])
        low, high = limit_together(value, moved, 0.95)
        together += bool(((low - 1e-12 <= truth) & (truth <= high + 1e-12)).all())
        low, high = limit_each(value, moved, 0.95)
        single += (low - 1e-12 <= truth) & (truth <= high + 1e-12)
    assert single[0] == REPEATS
    assert all(within(int(covered), REPEATS, 0.95) for covered in single[1:])
    assert within(together, REPEATS, 0.95)


def test_no_unit_is_called_mispriced_where_all_are_equal() -> None:
    """Without any tolerance, in 1,000 runs: 7.7% is what 5% may come to."""
    prices = dict.fromkeys("abcd", 500.0)
    even = plant(prices, ranges=(6.0,))
    # A curve that is even at the middle of its rungs is read there without error.
    even.series[["x0", "x1"]] = [-0.2, 0.2]
    even = replace(even, chances=chances_of(share_at([[-0.2, 0.2]] * 6, 0.0)))
    called, tolerant, units = 0, 0, describe(prices)
    for place, (network, thrown, own) in enumerate(even.repeats(1500, 1000, seed=5, centre="a")):
        low, high = limit_together(*at_level(network, thrown, own, 500.0), 0.95)
        called += bool(((low > np.log(500)) | (high < np.log(500)))[1:].any())
        if place < 50:
            frame = units.assign(status=network.status[own], no_decision=0.0)
            frame = frame.assign(ratio_low=500 / np.exp(high), ratio_high=500 / np.exp(low))
            tolerant += bool(rate_units(frame).isin(["overpriced", "underpriced"]).any())
    assert within(called, 1000, 0.05)
    assert called <= 77
    assert tolerant == 0


def test_a_unit_15_percent_too_dear_is_found_at_the_default_precision() -> None:
    prices = {"a": 500.0, "b": 550.0, "c": 650.0, "d": 800.0}
    series = plant(prices, ranges=(6.0, 12.0)).drawn(60_000, np.random.default_rng(6))
    units = describe(prices, {**prices, "c": 1.15 * prices["c"], "d": prices["d"] / 1.15})
    found = describe_prices(
        series, units, size=2350, policy="spread", anchor="a", level=0.99, reweightings=10
    ).units
    assert widest_interval(found) <= 0.005
    assert found["verdict"].tolist() == ["fair", "fair", "overpriced", "underpriced"]
    assert found["ratio"].tolist() == pytest.approx([1, 1, 1.15, 1 / 1.15], rel=0.01)


def test_a_planted_cycle_is_reported_and_no_other() -> None:
    """a, b, c cost the same, each 60:40 against the next: their log fair numbers add up to three times log(1.5) / 3."""
    prices = {"a": 400.0, "b": 400.0, "c": 400.0, "d": 300.0, "e": 600.0}
    step = np.log(1.5) / 3
    triple = plant(prices, extra={("a", "b"): step, ("b", "c"): step, ("a", "c"): -step}, ranges=(6.0,))
    found = others = covered = 0
    for network, thrown, place in triple.repeats(2000, 200, seed=7):
        cycles = find_cycles(network, estimate_residuals(network, thrown, 0.95), 0.95)
        own = cycles[cycles["members"] == " > ".join(network.rows.units[place][:3])]
        found += len(own)
        others += len(cycles) > len(own)
        covered += bool(((own["low"] <= 3 * step) & (3 * step <= own["high"])).any())
    assert found >= 190
    assert covered >= 190
    assert others <= binom.isf(OFF, 200, 0.05)


def test_the_cyclic_share_of_a_ladder_contains_nothing() -> None:
    """And that of a planted cycle contains what was planted, and not nothing."""
    prices = {"a": 400.0, "b": 500.0, "c": 600.0, "d": 300.0, "e": 450.0}
    step = 0.08
    extra = {("a", "b"): step, ("b", "c"): step, ("a", "c"): -step}
    contained, shares = {}, {}
    for name, more in (("ladder", {}), ("cycle", extra)):
        situation = plant(prices, extra=more, ranges=(6.0,))
        network = situation.true_network()
        still = estimate_residuals(network, network.refit(np.zeros((10, 2))), 0.95)
        truth = float(estimate_cyclic_share(still)["share"].iloc[0])
        contained[name], shares[name] = 0, []
        for fit, thrown, _ in situation.repeats(500, 200, seed=8):
            share, low, high, _ = estimate_cyclic_share(estimate_residuals(fit, thrown, 0.95)).iloc[0]
            aim = 0.0 if name == "ladder" else truth
            contained[name] += low <= aim <= high
            shares[name].append((share, low))
    assert contained["ladder"] >= 180
    assert contained["cycle"] >= 180
    assert np.mean([low > 0 for _, low in shares["cycle"]]) > 0.9
    # Noise alone would make it an eighth of what was planted, and add as much to that.
    assert np.mean([share for share, _ in shares["ladder"]]) < 0.04 * truth
    found = np.array([share for share, _ in shares["cycle"]])
    assert abs(found.mean() - truth) < 3.9 * found.std() / np.sqrt(len(found))
