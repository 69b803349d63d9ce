"""Readings of rungs, mixes, residuals, verdicts and stages: by hand and against exact distributions."""

import math

import numpy as np
import pandas as pd
import pytest
from planted_prices import STEP, plant
from scipy.stats import binom
from test_price_fit import rows_of

from simlab.analysis.price_intervals import limit_each, limit_together, reweigh_prices
from simlab.analysis.price_network import fit_network
from simlab.analysis.price_residuals import (
    estimate_cyclic_share,
    estimate_residuals,
    find_cycles,
    judge_residuals,
    tabulate_pairs,
)
from simlab.analysis.price_rows import arrange_rows, throw_readings
from simlab.analysis.price_rungs import Rungs, estimate_log_rho, read_crossing, throw_blocks
from simlab.analysis.price_verdicts import (
    plan_stages,
    rate_units,
    round_price,
    widest_interval,
)

OFF = 1e-4
NAN = math.nan


def test_a_crossing_is_read_between_and_a_step_beyond_the_rungs() -> None:
    assert read_crossing(1, 2, 0.6, 0.4) == pytest.approx(1.5)
    assert read_crossing(1, 2, 0.9, 0.4) == pytest.approx(1.8)
    assert read_crossing(1, 2, 0.7, 0.6) == pytest.approx(3.0)
    assert read_crossing(1, 2, 0.52, 0.51) == pytest.approx(3.0)
    assert read_crossing(1, 2, 0.45, 0.4) == pytest.approx(0.0)
    assert read_crossing(1, 2, 0.55, 0.6) == 3.0
    assert read_crossing(1, 2, 0.3, 0.4) == 0.0
    assert read_crossing(1, 2, 0.5, 0.5) == 1.5


def test_both_and_neither_count_half() -> None:
    counts = np.array([[[50, 30, 15, 5], [20, 60, 10, 10]]])
    assert Rungs(np.array([[0.0, 1.0]]), counts).read() == pytest.approx([0.1 / (0.6 - 0.3)])


def test_a_rung_that_one_side_always_won_is_not_certain() -> None:
    """With 100 fights the share of a rung without a loss may be 3% less: the reading moves."""
    rungs = Rungs(np.array([[0.0, 1.0]]), np.array([[[100, 0, 0, 0], [0, 100, 0, 0]]]))
    moved = rungs.throw(4000, np.random.default_rng(1))
    assert 0.0005 < moved.std() < 0.01
    assert rungs.read() == pytest.approx([0.5])


def test_thrown_readings_move_as_the_delta_method_says() -> None:
    """Far from the edges: variance of the share at each rung times the square of its slope."""
    n, halves, above, under = 20_000, 0.1, 0.62, 0.44
    counts = [[n * (s - halves / 2), n * (1 - s - halves / 2), n * halves, 0] for s in (above, under)]
    rungs = Rungs(np.array([[0.0, STEP]]), np.array([counts]).round().astype(np.int64))
    spread = rungs.throw(20_000, np.random.default_rng(2)).std()
    place = (above - 0.5) / (above - under)
    variance = [s - halves / 4 - s * s for s in (above, under)]
    slopes = [(1 - place) * STEP / (above - under), place * STEP / (above - under)]
    wanted = math.sqrt(sum(v * k * k / n for v, k in zip(variance, slopes, strict=True)))
    # The standard error of a standard deviation is 1/sqrt(2 repetitions) of it: 4.4 of them.
    assert spread == pytest.approx(wanted, rel=4.4 / math.sqrt(40_000))


def test_throws_do_not_depend_on_threads_or_on_rows_that_follow() -> None:
    rungs = Rungs(
        np.tile([0.0, 0.3], (300, 1)), np.tile([[300, 100, 50, 50], [200, 200, 50, 50]], (300, 1, 1))
    )
    one = np.concatenate([block for _, block in throw_blocks(rungs, 20, 7)])
    two = np.concatenate([block for _, block in throw_blocks(rungs, 20, 7)])
    fewer = np.concatenate([block for _, block in throw_blocks(rungs.take(np.arange(256)), 20, 7)])
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one[:256], fewer)
    # No two rows of equal counts are thrown alike.
    assert len(np.unique(one, axis=0)) == 300


def test_series_without_fights_have_no_reading() -> None:
    frame = plant({"a": 1.0, "b": 2.0}).frame(np.zeros(2))
    assert estimate_log_rho(frame, replicates=5).isna().all(axis=None)


def test_bias_is_taken_off_where_the_fall_is_hardly_larger_than_its_noise() -> None:
    """All even fights lie at the first rung: then the plain mean of many readings is off by more than its error."""
    planted = plant({"a": 100.0, "b": 100.0}, ranges=range(400), place=-0.15, step=0.2)
    frame = planted.drawn(500, np.random.default_rng(4))
    rows = arrange_rows(frame, planted.units)
    freed, _ = throw_readings(rows, 200)
    truth = arrange_rows(frame.assign(log_rho=planted.truth), planted.units).reading * rows.sign
    plain, better = ((each.reading * rows.sign - truth) for each in (rows, freed))
    error = better.std() / math.sqrt(len(better))
    assert abs(better.mean()) < 2 * error
    assert abs(plain.mean()) > 2 * error


def test_units_that_fight_alike_share_their_dice() -> None:
    """b and its copy c threw the same dice against a: what chance does to one, it does to the other."""
    planted = plant({"a": 100.0, "b": 130.0}, ranges=(6.0, 12.0))
    frame = planted.drawn(500, np.random.default_rng(5))
    twice = pd.concat([frame, frame.replace({"a": {"b": "c"}, "b": {"b": "c"}})])
    alike = {"a": "x", "b": "y", "c": "y"}
    _, together = throw_readings(arrange_rows(twice, ("a", "b", "c"), alike), 50)
    np.testing.assert_array_equal(together[0], together[1])
    # The pair is read from its earlier unit: b over a, and a over c.
    _, between = throw_readings(arrange_rows(twice, ("b", "a", "c"), alike), 50)
    np.testing.assert_allclose(between[0], -between[1], atol=1e-15)
    assert between[0].std() > 0
    _, apart = throw_readings(arrange_rows(twice, ("a", "b", "c")), 50)
    assert not np.allclose(apart[0], apart[1])


def test_intervals_hold_together_by_the_largest_deviation() -> None:
    """Independent normal figures: the reach is the point that all of them stay within."""
    generator = np.random.default_rng(6)
    throws = generator.normal(0, [[1.0], [2.0], [5.0], [0.0]], (4, 40_000))
    low, high = limit_together(np.zeros(4), throws, 0.95)
    reach = 2.3877
    """Of three normal figures, (2 Phi(z) - 1)^3 = .95."""
    np.testing.assert_allclose(high, reach * np.array([1, 2, 5, 0]), rtol=0.02)
    np.testing.assert_allclose(low, -high)
    low, high = limit_each(np.zeros(4), throws, 0.95)
    np.testing.assert_allclose(high, 1.96 * np.array([1, 2, 5, 0]), rtol=0.03)


def assert_chances(values: np.ndarray, chances: dict[float, float]) -> None:
    """As many values lie below each limit as its chance says, within exact binomial limits."""
    for limit, chance in chances.items():
        below = int((values < limit).sum())
        assert binom.ppf(OFF / 2, len(values), chance) <= below <= binom.isf(OFF / 2, len(values), chance)


UNIFORM = {0.1: 0.1, 0.5: 0.5, 0.9: 0.9}


def test_the_mix_of_two_situations_moves_a_price_between_them() -> None:
    """Two equal shares u and 1 - u, u uniform: so is the price of the other unit between its two readings.

    With stated weights of 4 to 1 it is nearer to the first by more than t if 4 u t > (1 - u) (1 - t).
    """
    even = [("a", "b", "value", 1.0, 0.5, 6.0), ("a", "b", "value", 2.0, 0.5, 12.0)]
    found = reweigh_prices(fit_network(rows_of(even, "ab"), centre="a"), 4000)
    assert_chances(found[0] - found[1] - 1, {**UNIFORM, 0.0: 0.0, 1.0: 1.0})
    uneven = [("a", "b", "value", 1.0, 0.8, 6.0), ("a", "b", "value", 2.0, 0.2, 12.0)]
    found = reweigh_prices(fit_network(rows_of(uneven, "ab"), centre="a"), 4000)
    assert_chances(found[0] - found[1] - 1, {t: 4 * t / (4 * t + 1 - t) for t in (0.05, 0.2, 0.5)})


def test_the_mix_of_opponents_moves_a_price_between_what_they_say() -> None:
    """u is fought against b and c, which are tied to each other firmly, and say 1 and 2."""
    rows = [("b", "c", "value", 0.0, 1e6), ("u", "b", "value", 1.0), ("u", "c", "value", 2.0)]
    found = reweigh_prices(fit_network(rows_of(rows, "bcu"), centre="b"), 4000)
    assert_chances(found[2] - found[0] - 1, UNIFORM)
    alike = fit_network(rows_of(rows, "bcu", {"b": "x", "c": "x"}), centre="b")
    moved = reweigh_prices(alike, 100)
    np.testing.assert_allclose(moved[2] - moved[0], 1.5, atol=1e-4)


def test_mixes_weigh_one_sided_readings_too() -> None:
    """At 12 inches a is worth at least so much more that the bound is always broken: it draws like a reading."""
    rows = rows_of([("a", "b", "value", 1.0, 0.5, 6.0), ("a", "b", "above", 2.0, 0.5, 12.0)], "ab")
    found = reweigh_prices(fit_network(rows, centre="a"), 4000)
    assert_chances(found[0] - found[1] - 1, UNIFORM)


AROUND = [("a", "b", "value", 0.7), ("b", "c", "value", 0.4), ("a", "c", "value", 0.5)]
"""Once round, from a over b and c, it is 0.6: each pair keeps 0.2 of it."""


def still(rows: list[tuple], units: str):  # type: ignore[no-untyped-def, type-arg]
    network = fit_network(rows_of(rows, units))
    return network, estimate_residuals(network, network.refit(np.zeros((len(network.rows.first), 3))), 0.95)


def test_residuals_of_a_triangle_are_a_third_of_once_round() -> None:
    network, residuals = still(AROUND, "abc")
    pairs = tabulate_pairs(network, residuals).set_index(["a", "b"])
    np.testing.assert_allclose(pairs["residual"], [0.2, -0.2, 0.2])
    np.testing.assert_allclose(pairs["log_rho"], [0.7, 0.5, 0.4])
    np.testing.assert_allclose(pairs["fitted"], [0.5, 0.7, 0.2])
    assert (pairs["fixable"] == "no price fixes this pair").all()
    cycle = find_cycles(network, residuals, 0.95).iloc[0]
    assert cycle["members"] == "a > b > c"
    assert cycle[["curl", "low", "high", "weakest"]].tolist() == pytest.approx([0.6, 0.6, 0.6, 0.2])
    share = estimate_cyclic_share(residuals)["share"].iloc[0]
    assert share == pytest.approx(3 * 0.2**2 / (0.7**2 + 0.5**2 + 0.4**2))


def test_a_cycle_is_told_in_the_order_in_which_each_beats_the_next() -> None:
    turned = [(b, a, status, number) for a, b, status, number in AROUND]
    network, residuals = still(turned, "abc")
    assert find_cycles(network, residuals, 0.95)["members"].tolist() == ["a > c > b"]


def test_a_pair_is_averaged_over_its_situations_by_weight() -> None:
    more = [*AROUND[1:], ("a", "b", "value", 0.6, 3.0), ("b", "a", "value", -1.0, 1.0)]
    network, residuals = still(more, "abc")
    pairs = tabulate_pairs(network, residuals).set_index(["a", "b"])
    assert pairs["log_rho"].iloc[0] == pytest.approx((3 * 0.6 + 1.0) / 4)
    np.testing.assert_allclose(pairs["residual"] + pairs["fitted"], pairs["log_rho"])


def test_bounds_that_prices_keep_leave_nothing_and_dilute() -> None:
    rows = [
        *AROUND,
        ("b", "a", "below", 0.3, 3.0),
        ("a", "c", "no decision", NAN, 9.0),
        ("d", "a", "above", 3.0),
    ]
    network, residuals = still(rows, "abcd")
    pairs = tabulate_pairs(network, residuals).set_index(["a", "b"])
    plain, _ = still(AROUND, "abc")
    kept = network.log_prices()[:3]
    np.testing.assert_allclose(kept - kept.mean(), plain.log_prices(), atol=1e-12)
    assert pairs.loc[("a", "b"), "residual"] == pytest.approx(0.2 / 4)
    assert pairs.loc[("a", "b"), "one_sided"] == pytest.approx(0.75)
    assert pairs.loc[("a", "c"), "no_decision"] == pytest.approx(0.9)
    assert pairs["fixable"].tolist() == [
        "a price fits",
        "no decision",
        "cannot tell",
        "no price fixes this pair",
    ]
    assert math.isnan(pairs.loc[("a", "d"), "log_rho"])
    # Two of the three sides are hardly measured: nothing is said of going round.
    assert find_cycles(network, residuals, 0.95).empty


def test_residuals_are_judged_by_their_whole_interval() -> None:
    limit = math.log(1.10)
    ends = [(limit + 0.01, 1), (limit - 0.01, 1), (-0.05, 0.05), (-1, -limit - 0.01), (NAN, NAN)]
    low, high = np.array(ends).T
    words = [
        "no price fixes this pair",
        "cannot tell",
        "a price fits",
        "no price fixes this pair",
        "cannot tell",
    ]
    assert judge_residuals(low, high).tolist() == words


VERDICTS = [
    ("overpriced", 100, False, "priced", 1.06, 1.2, 0),
    ("cannot tell", 100, False, "priced", 1.04, 1.2, 0),
    ("underpriced", 100, False, "priced", 0.8, 0.94, 0),
    ("fair", 100, False, "priced", 0.96, 1.04, 0),
    ("cannot tell", 100, False, "priced", 0.94, 1.04, 0),
    ("cannot tell", 100, False, "priced", 1.06, 1.2, 0.6),
    ("draft", 100, True, "priced", 1.06, 1.2, 0),
    ("no ECV", NAN, False, "priced", NAN, NAN, 0),
    ("unbounded above", 100, True, "unbounded above", NAN, NAN, 0),
    ("unbounded below", NAN, False, "unbounded below", NAN, NAN, 0),
    ("cannot tell", 100, False, "cannot tell", NAN, NAN, 0),
]


def test_verdicts() -> None:
    columns = ["wanted", "ecv", "draft", "status", "ratio_low", "ratio_high", "no_decision"]
    frame = pd.DataFrame(VERDICTS, columns=columns)
    assert rate_units(frame).tolist() == frame["wanted"].tolist()
    assert rate_units(frame, tolerance=0.1).tolist()[:5] == [*["cannot tell"] * 3, "fair", "fair"]


def test_prices_are_rounded_to_a_multiple() -> None:
    rounded = round_price([557.5, 557.4, 1.0, NAN], 5)
    assert rounded[:3].tolist() == [560, 555, 5]
    assert math.isnan(rounded[3])
    assert round_price(0.34, 0.1).tolist() == 0.3


def test_stages_grow_until_every_interval_is_narrow_enough() -> None:
    assert plan_stages(500) == (500, 2000, 8000, 32_000, 128_000)
    units = pd.DataFrame(
        {"status": ["priced", "priced", "unbounded above"], "priced": [100.0, 200, NAN]}
        | {"low": [99.6, 198, NAN], "high": [100.4, 202, NAN]}
    )
    assert widest_interval(units) == pytest.approx(0.01)
    assert widest_interval(units.iloc[2:]) == 0


def test_no_rows_no_prices() -> None:
    network = fit_network(rows_of([("a", "b", "no decision", NAN)], "ab"), centre="a")
    assert network.status == ("priced", "cannot tell")
    residuals = estimate_residuals(network, network.refit(np.zeros((1, 3))), 0.95)
    assert math.isnan(estimate_cyclic_share(residuals)["share"].iloc[0])
    assert find_cycles(network, residuals, 0.95).empty
    assert tabulate_pairs(network, residuals)["fixable"].tolist() == ["no decision"]
