"""Prices as a least-squares potential: against other solvers, by hand, and which units have a price at all."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from planted_prices import SETTING
from reference.potential import settle_prices
from scipy.optimize import lsq_linear

from simlab.analysis.price_fit import Bounds, Problem, fit_prices, merge_bounds
from simlab.analysis.price_network import fit_network
from simlab.analysis.price_rows import PriceRows, arrange_rows
from simlab.analysis.price_rungs import COUNTS_0, COUNTS_1

NAN = math.nan


def series_of(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    """The series of (a, b, status, log rho or bound, weight, range), without counts."""
    frame = pd.DataFrame(
        [(*row, *(1.0, 6.0)[len(row) - 4 :]) for row in rows],
        columns=["a", "b", "status", "number", "weight", "range"],
    )
    value = frame["status"] == "value"
    return frame.assign(
        log_rho=frame["number"].where(value, NAN),
        bound=frame["number"].where(frame["status"].isin(["above", "below"]), NAN),
        aspect_a="front",
        aspect_b="front",
        first_fire="none",
        x0=0.0,
        x1=0.4,
        **dict.fromkeys((*COUNTS_0, *COUNTS_1), 0),
        **SETTING,
    )


def rows_of(rows: list[tuple[Any, ...]], units: str, hashes: dict[str, str] | None = None) -> PriceRows:
    return arrange_rows(series_of(rows), tuple(units), hashes)


def prices_of(
    rows: list[tuple[Any, ...]], units: str, hashes: dict[str, str] | None = None
) -> dict[str, float]:
    """Logarithms of prices less that of the first unit."""
    found = fit_network(rows_of(rows, units, hashes), centre=units[0]).log_prices()
    return dict(zip(units, (found - found[0]).tolist(), strict=True))


def random_rows(seed: int, units: int = 7, bounds: float = 0.4) -> list[tuple[Any, ...]]:
    generator = np.random.default_rng(seed)
    prices = generator.normal(0, 1, units)
    rows: list[tuple[Any, ...]] = []
    for _ in range(60):
        a, b = generator.choice(units, 2, replace=False).tolist()
        number = float(prices[a] - prices[b] + generator.normal(0, 0.5))
        status = "value" if generator.random() > bounds else ["above", "below"][int(generator.integers(2))]
        names = "abcdefghij"
        rows.append((names[a], names[b], status, number, float(generator.uniform(0.1, 2)), 6.0))
    return rows


def design(rows: list[tuple[Any, ...]], units: str) -> np.ndarray:
    matrix = np.zeros((len(rows), len(units)))
    for place, row in enumerate(rows):
        matrix[place, units.index(row[0])] += 1
        matrix[place, units.index(row[1])] -= 1
    return matrix


@pytest.mark.parametrize("seed", range(5))
def test_prices_are_those_of_weighted_least_squares(seed: int) -> None:
    rows, units = random_rows(seed, bounds=0.0), "abcdefg"
    root = np.sqrt([row[4] for row in rows])
    wanted = np.linalg.lstsq(design(rows, units) * root[:, None], root * [row[3] for row in rows])[0]
    found = fit_network(rows_of(rows, units)).log_prices()
    np.testing.assert_allclose(found - found.mean(), wanted - wanted.mean(), atol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_one_sided_readings_are_those_of_a_bounded_optimiser(seed: int) -> None:
    """A reading beyond a bound is the bound and a slack of the right sign: least squares in prices and slacks."""
    rows, units = random_rows(seed), "abcdefg"
    root = np.sqrt([row[4] for row in rows])
    slack = np.zeros((len(rows), len(rows)))
    senses = {"value": 0.0, "above": -1.0, "below": 1.0}
    np.fill_diagonal(slack, [senses[row[2]] for row in rows])
    # The last unit keeps the price 0: without it only differences are settled.
    matrix = np.hstack([design(rows, units)[:, :-1], slack]) * root[:, None]
    low = np.r_[np.full(len(units) - 1, -np.inf), np.zeros(len(rows))]
    wanted = lsq_linear(matrix, root * [row[3] for row in rows], (low, np.inf), tol=1e-14, max_iter=1000).x[
        :6
    ]
    found = fit_network(rows_of(rows, units)).log_prices()
    np.testing.assert_allclose(found[:-1] - found[-1], wanted, atol=1e-5)


@pytest.mark.parametrize("seed", [11, 12])
def test_prices_are_those_of_a_plain_reading(seed: int) -> None:
    rows, units = random_rows(seed, units=4), "abcd"
    readings = [(units.index(row[0]), units.index(row[1]), row[4], row[2], row[3]) for row in rows]
    found = fit_network(rows_of(rows, units)).log_prices()
    np.testing.assert_allclose(found - found.mean(), settle_prices(4, readings, 100), atol=1e-8)


def test_prices_by_hand() -> None:
    """A measured chain is met exactly; a cycle is shared out evenly; a heavier reading draws more."""
    assert prices_of([("a", "b", "value", 0.5), ("c", "b", "value", 0.2)], "abc") == pytest.approx(
        {"a": 0, "b": -0.5, "c": -0.3}
    )
    around = [("a", "b", "value", 0.3), ("b", "c", "value", 0.3), ("c", "a", "value", 0.3)]
    assert prices_of(around, "abc") == pytest.approx({"a": 0, "b": 0, "c": 0}, abs=1e-12)
    two = [("a", "b", "value", 0.1, 3.0), ("b", "a", "value", 0.3, 1.0)]
    assert prices_of(two, "ab")["b"] == pytest.approx(-(3 * 0.1 - 0.3) / 4)


def test_bounds_by_hand() -> None:
    """A bound that the prices keep says nothing; one that they break is met halfway."""
    kept = [("a", "b", "value", 1.0), ("a", "b", "above", 0.7), ("b", "a", "below", -0.2)]
    assert prices_of(kept, "ab")["b"] == pytest.approx(-1.0)
    broken = [("a", "b", "value", 1.0), ("a", "b", "above", 2.0)]
    assert prices_of(broken, "ab")["b"] == pytest.approx(-1.5)
    turned = [("a", "b", "value", 1.0), ("b", "a", "below", -2.0)]
    assert prices_of(turned, "ab")["b"] == pytest.approx(-1.5)


def test_many_problems_at_once_are_those_of_one_after_the_other() -> None:
    generator = np.random.default_rng(3)
    first, second = np.triu_indices(5, 1)
    bounds = Bounds(
        np.repeat(np.arange(10), 3),
        generator.choice([-1, 1], 30),
        generator.normal(0, 1, 30).round(1),
        generator.uniform(0.1, 1, 30),
    )
    weight, total = generator.uniform(0.1, 1, (10, 40)), generator.normal(0, 1, (10, 40))
    factor = generator.uniform(0.5, 2, (30, 40))
    together = fit_prices(Problem(5, first, second, weight, total, bounds, factor)).price
    for column in range(40):
        place = slice(column, column + 1)
        alone = Problem(5, first, second, weight[:, place], total[:, place], bounds, factor[:, place])
        np.testing.assert_allclose(together[:, column], fit_prices(alone).price[:, 0], atol=1e-9)


@pytest.mark.parametrize("seed", [1273, 2350])
def test_a_search_that_full_steps_would_go_round_in_ends(seed: int) -> None:
    """Two in 3,000 such problems: many bounds of very different weights that contradict each other."""
    generator = np.random.default_rng(seed)
    units = int(generator.integers(2, 5))
    first, second = np.triu_indices(units, 1)
    count = int(generator.integers(4, 16))
    bounds = Bounds(
        np.sort(generator.integers(0, len(first), count)),
        generator.choice([-1, 1], count),
        generator.normal(0, 3, count).round(2),
        np.exp(generator.normal(0, 2, count)).round(3),
    )
    weight = np.full(len(first), 1e-3)
    gap = fit_prices(Problem(units, first, second, weight, np.zeros((len(first), 1)), bounds)).gap[:, 0]
    off = bounds.level - gap[bounds.pair]
    pull = np.bincount(bounds.pair, bounds.weight * off * (bounds.sense * off > 0), len(first)) - weight * gap
    on_unit = np.bincount(first, pull, units) - np.bincount(second, pull, units)
    np.testing.assert_allclose(on_unit, 0, atol=1e-9 * bounds.weight.sum())


def test_bounds_that_say_the_same_may_be_taken_together() -> None:
    bounds = Bounds(
        np.array([0, 0, 0, 1]), np.array([1, 1, -1, 1]), np.array([2.0, 2.0, 2.0, 2.0]), np.arange(1.0, 5)
    )
    merged = merge_bounds(bounds)
    assert len(merged) == 3
    measured = (np.ones(2), np.array([[0.3], [0.1]]))
    problems = [Problem(3, np.array([0, 1]), np.array([1, 2]), *measured, each) for each in (bounds, merged)]
    np.testing.assert_allclose(*[fit_prices(each).price for each in problems], atol=1e-12)


def test_a_unit_beyond_every_number_is_left_out_of_the_fit_of_the_others() -> None:
    """Its bounds would draw the others: nothing of them may remain."""
    measured = [("a", "b", "value", 0.5), ("b", "c", "value", 0.5), ("a", "c", "value", 1.0)]
    beyond = [("t", "a", "above", 3.0), ("b", "t", "below", -3.0), ("t", "c", "above", 3.0)]
    network = fit_network(rows_of(measured + beyond, "abct"), centre="a")
    assert network.status == ("priced", "priced", "priced", "unbounded above")
    assert prices_of(measured + beyond, "abct") == pytest.approx(
        {"a": 0, "b": -0.5, "c": -1.0, "t": NAN}, nan_ok=True
    )
    under = [("l", "a", "below", -3.0), ("b", "l", "above", 3.0)]
    assert fit_network(rows_of(measured + under, "abcl"), centre="a").status[3] == "unbounded below"


def test_units_that_only_a_unit_left_out_holds_are_left_out_in_turn() -> None:
    """u is above a and below t; when t has gone, only the reading from below is left."""
    rows = [
        ("a", "b", "value", 0.5),
        ("t", "a", "above", 3.0),
        ("t", "u", "above", 3.0),
        ("u", "a", "above", 3.0),
    ]
    assert fit_network(rows_of(rows, "abtu"), centre="a").status == (
        *("priced", "priced"),
        *("unbounded above", "unbounded above"),
    )


def test_units_that_measure_each_other_can_be_beyond_all_the_rest() -> None:
    rows = [
        ("a", "b", "value", 0.5),
        ("t", "u", "value", 0.1),
        ("t", "a", "above", 3.0),
        ("b", "u", "below", -3.0),
    ]
    assert fit_network(rows_of(rows, "abtu"), centre="a").status[2:] == ("unbounded above", "unbounded above")
    assert fit_network(rows_of(rows, "abtu"), centre="t").status[:2] == ("unbounded below", "unbounded below")


def test_a_unit_in_a_gap_between_bounds_has_no_price() -> None:
    """Any price between the bounds fits; bounds that cross tie it."""
    gap = [("a", "b", "value", 3.0), ("u", "b", "above", 1.0), ("a", "u", "above", 1.0)]
    assert fit_network(rows_of(gap, "abu"), centre="a").status == ("priced", "priced", "cannot tell")
    crossed = [("a", "b", "value", 3.0), ("u", "b", "above", 2.0), ("a", "u", "above", 2.0)]
    network = fit_network(rows_of(crossed, "abu"), centre="a")
    assert network.status == ("priced", "priced", "priced")
    # Each of the three differences gives way by a third of the contradiction of 1.
    assert prices_of(crossed, "abu") == pytest.approx({"a": 0, "b": -3 - 1 / 3, "u": -2 + 1 / 3})


def test_a_unit_without_a_decision_or_without_a_tie_has_no_price() -> None:
    rows = [("a", "b", "value", 0.5), ("c", "d", "value", 0.5), ("e", "a", "no decision", NAN)]
    status = ("priced", "priced", "cannot tell", "cannot tell", "cannot tell")
    assert fit_network(rows_of(rows, "abcde"), centre="a").status == status


def test_units_that_fight_alike_weigh_as_one() -> None:
    """b and its copy against c say together what b alone would."""
    rows = [("a", "b", "value", 0.9), ("b", "c", "value", 0.2), ("a", "c", "value", 0.5)]
    copies = [("a", "B", "value", 0.9), ("B", "c", "value", 0.2), ("b", "B", "value", 0.0)]
    alone = prices_of(rows, "abc")
    both = prices_of(rows + copies, "abcB", {"b": "same", "B": "same"})
    assert both == pytest.approx({**alone, "B": alone["b"]})
    apart = prices_of(rows + copies, "abcB")
    assert abs(apart["c"] - alone["c"]) > 0.01


def test_duels_of_a_unit_with_itself_say_nothing() -> None:
    rows = [("a", "b", "value", 0.5)]
    assert prices_of([*rows, ("a", "a", "value", 0.7)], "ab") == pytest.approx(prices_of(rows, "ab"))
