"""All tables of a pricing from planted series; strength in duels; Lanchester's exponent."""

import math

import numpy as np
import pandas as pd
import pytest
from planted_prices import describe, plant
from scipy.stats import kendalltau

from simlab.analysis.lanchester import fit_exponents
from simlab.analysis.price_intervals import limit_each, limit_together
from simlab.analysis.price_tables import PriceTables, describe_prices
from simlab.analysis.strength import compare_orders, estimate_tau, fit_bradley_terry, rate_strengths

PRICES = {"a": 500.0, "b": 550.0, "c": 650.0, "d": 800.0}
NAN = math.nan


@pytest.fixture(scope="module")
def series() -> pd.DataFrame:
    """The setting that is priced, one in which everything but `a` is worth 1.2 times as much, and a one-sided unit."""
    generator = np.random.default_rng(1)
    usual = plant(PRICES, ranges=(6.0, 12.0)).drawn(20_000, generator)
    dearer = {unit: price * (1.2 if unit != "a" else 1) for unit, price in PRICES.items()}
    other = plant(dearer, ranges=(6.0, 12.0)).drawn(20_000, generator).assign(size=7000.0)
    first = usual.iloc[:1]
    beyond = [
        first.assign(a="t", b=unit, status="above", log_rho=NAN, bound=math.log(40), weight=1.0)
        for unit in PRICES
    ]
    return pd.concat([usual, *beyond, other], ignore_index=True)


@pytest.fixture(scope="module")
def units() -> pd.DataFrame:
    frame = describe({**PRICES, "t": 900.0, "z": 100.0}, {"c": 650 * 1.2, "d": None})
    return frame.assign(draft=frame["id"] == "b", fight_hash=frame["id"])


@pytest.fixture(scope="module")
def found(series: pd.DataFrame, units: pd.DataFrame) -> PriceTables:
    strength = pd.Series({"a": 0.1, "b": 0.0, "c": 0.4, "d": 0.6, "t": 3.0})
    keys = {"size": 2350, "policy": "spread", "anchor": "a", "multiple": 5, "strength": strength}
    return describe_prices(series, units, **keys, replicates=300, reweightings=200)


def test_units(found: PriceTables) -> None:
    units = found.units.set_index("id")
    assert found.units["id"].tolist() == ["a", "b", "c", "d", "t", "z"]
    np.testing.assert_allclose(units["priced"], [500, 550, 650, 800, NAN, NAN], rtol=0.01)
    assert (
        units.loc["a", ["priced", "low", "high", "mix_low", "mix_high", "spread_low"]].tolist() == [500.0] * 6
    )
    assert (units["low"] < units["priced"])["bcd"[0] : "d"].all()
    assert units["verdict"].tolist() == [
        "fair",
        "draft",
        "overpriced",
        "no ECV",
        "unbounded above",
        "cannot tell",
    ]
    assert units.loc["c", "ratio"] == pytest.approx(1.2, rel=0.01)
    assert units.loc["c", "ratio_low"] == pytest.approx(780 / units.loc["c", "high"])
    np.testing.assert_allclose(
        units["spread_high"], 1.2 * units["spread_low"] / [1.2, 1, 1, 1, 1, 1], rtol=0.015
    )
    assert (units["spread_low"] == units["priced"])["b":"d"].all()
    assert units["rounded"].iloc[:4].tolist() == [5 * round(price / 5) for price in units["priced"].iloc[:4]]
    assert units["strength"].tolist() == pytest.approx([0.1, 0, 0.4, 0.6, 3, NAN], nan_ok=True)
    assert "fight_hash" not in units


def test_the_roster_keeps_the_geometric_mean_of_its_ecvs(found: PriceTables) -> None:
    """Of those that have an ECV and a price: a, b, c."""
    priced = found.units["priced_roster"].iloc[:3]
    assert np.log(priced).mean() == pytest.approx(np.log([500, 550, 780]).mean())
    ratio = found.units["priced_roster"] / found.units["priced"]
    assert ratio.iloc[:4].to_numpy() == pytest.approx(ratio.iloc[0])
    assert found.units["roster_low"].iloc[0] < found.units["priced_roster"].iloc[0]


def test_head_to_head_is_the_mean_of_the_fights_against_the_anchor(
    found: PriceTables, series: pd.DataFrame
) -> None:
    facing = (series[["a", "b"]] == "a").any(axis=1) & (series["status"] == "value")
    own = series[facing & (series["size"] == 2350)]
    other = own["a"].where(own["a"] != "a", own["b"])
    mean = (own["log_rho"] * np.where(own["a"] == "a", -1, 1)).groupby(other).mean()
    units = found.units.set_index("id")
    np.testing.assert_allclose(units.loc["b":"d", "head_to_head"], 500 * np.exp(mean), rtol=3e-4)
    assert (units["head_low"] < units["head_to_head"])["b":"d"].all()
    assert units.loc["t", "head_to_head"] != units.loc["t", "head_to_head"]


def test_situations_and_settings(found: PriceTables, series: pd.DataFrame, units: pd.DataFrame) -> None:
    table = found.situations
    assert set(zip(table["by"], table["value"], strict=True)) == {
        ("range", 6.0),
        ("range", 12.0),
        ("aspect", "front"),
        ("first_fire", "none"),
    }
    whole = table[table["by"] == "aspect"].set_index("id")["priced"]
    np.testing.assert_allclose(whole, found.units.set_index("id")["priced"])
    parts = table[table["by"] == "range"].groupby("id")["priced"].agg(lambda each: np.log(each).mean())
    np.testing.assert_allclose(np.exp(parts), found.units.set_index("id")["priced"])
    near = describe_prices(series[series["range"] == 6], units, size=2350, policy="spread", anchor="a").units
    six = table[(table["by"] == "range") & (table["value"] == 6)]["priced"]
    np.testing.assert_allclose(six, near["priced"], rtol=4e-4)
    assert abs(six / found.units["priced"].to_numpy() - 1).max() > 1.5e-3
    settings = found.settings.set_index(["size", "id"])["priced"]
    assert settings[7000.0, "c"] == pytest.approx(1.2 * settings[2350.0, "c"], rel=0.015)


def test_neighbours_that_strength_swaps(found: PriceTables) -> None:
    assert found.swapped[["dearer", "cheaper", "stronger_by"]].to_numpy().tolist() == [["b", "a", 0.1]]
    assert found.order["tau"].iloc[0] == pytest.approx(4 / 6)
    assert found.order["units"].iloc[0] == 4


def test_the_same_series_give_the_same_tables(
    found: PriceTables, series: pd.DataFrame, units: pd.DataFrame
) -> None:
    keys = {"size": 2350, "policy": "spread", "anchor": "a", "replicates": 300, "reweightings": 200}
    again = describe_prices(series, units, **keys).units
    pd.testing.assert_frame_equal(again[["low", "mix_low"]], found.units[["low", "mix_low"]])
    other = describe_prices(series, units, **keys, seed=2).units
    assert not np.allclose(other["low"].iloc[1:4], found.units["low"].iloc[1:4], rtol=1e-9)


def test_a_setting_or_an_anchor_that_is_not_there(series: pd.DataFrame, units: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="no series"):
        describe_prices(series, units, size=1, policy="spread")
    for anchor in ("nobody", "d"):
        with pytest.raises(ValueError, match="anchor"):
            describe_prices(series, units, size=2350, policy="spread", anchor=anchor)


def test_without_an_anchor_the_mean_is_kept(series: pd.DataFrame, units: pd.DataFrame) -> None:
    frame = describe_prices(series, units, size=2350, policy="spread", replicates=50, reweightings=20).units
    np.testing.assert_allclose(frame["priced"], frame["priced_roster"])
    assert frame["head_to_head"].isna().all()


STATISTICS = [[714, 730, 498, 221], [33, 425, 68, 17], [320, 813, 1072, 142], [284, 276, 325, 188]]


def test_citations_between_journals() -> None:
    """Stigler 1994, Citation patterns in the journals of statistics: rows are cited, columns cite, 1987 to 1989."""
    found = fit_bradley_terry(STATISTICS)
    np.testing.assert_allclose(found - found[0], [0, -2.949, -0.480, 0.269], atol=5e-4)


def test_strengths_explain_the_wins_that_they_were_made_of() -> None:
    """Shares of logistic form give back their strengths, whatever the weights; mirrored rows count together."""
    strength = {"p": 0.3, "q": -0.5, "r": 1.1}
    rows = [
        (a, b, weight, 1 / (1 + math.exp(strength[b] - strength[a])))
        for a, b, weight in [("p", "q", 0.3), ("q", "p", 0.7), ("q", "r", 1.0), ("r", "p", 0.5)]
    ]
    rows.append(("p", "p", 1.0, 0.9))
    found = rate_strengths(pd.DataFrame(rows, columns=["a", "b", "weight", "win_share"]))
    np.testing.assert_allclose(found - found["p"], [0, -0.8, 0.8], atol=1e-6)


def test_opponents_that_fight_alike_weigh_as_one() -> None:
    rows = [("p", "q", 1.0, 0.7), ("q", "r", 1.0, 0.8), ("p", "r", 1.0, 0.6)]
    copies = [("p", "Q", 1.0, 0.7), ("Q", "r", 1.0, 0.8), ("q", "Q", 1.0, 0.5)]
    columns = ["a", "b", "weight", "win_share"]
    alone = rate_strengths(pd.DataFrame(rows, columns=columns))
    alike = {"q": "x", "Q": "x"}
    both = rate_strengths(pd.DataFrame(rows + copies, columns=columns), alike)
    assert both["p"] - both["r"] == pytest.approx(alone["p"] - alone["r"], abs=1e-6)
    apart = rate_strengths(pd.DataFrame(rows + copies, columns=columns))
    assert abs(apart["p"] - apart["r"] - alone["p"] + alone["r"]) > 0.01


def test_who_always_wins_is_ahead_by_a_finite_step() -> None:
    frame = pd.DataFrame(
        [("p", "q", 1.0, 1.0), ("s", "t", 1.0, 0.5)], columns=["a", "b", "weight", "win_share"]
    )
    found = rate_strengths(frame)
    assert found["p"] - found["q"] == pytest.approx(math.log(9999))
    assert found[["s", "t"]].isna().all()
    with pytest.raises(ValueError, match="no finite strength"):
        fit_bradley_terry([[0, 5], [0, 0]])


def test_tau_is_that_of_scipy() -> None:
    generator = np.random.default_rng(2)
    one, many = generator.integers(0, 6, 12).astype(float), generator.integers(0, 6, (12, 20)).astype(float)
    wanted = [kendalltau(one, many[:, column]).statistic for column in range(20)]
    np.testing.assert_allclose(estimate_tau(one, many), wanted)
    assert np.isnan(estimate_tau(np.ones(3), np.ones((3, 1)))).all()


def test_neighbours_are_swapped_only_where_prices_differ_for_certain() -> None:
    prices = pd.DataFrame({"id": list("xyz"), "log_price": [1.0, 0.98, 0.5]})
    throws = prices["log_price"].to_numpy()[:, None] + np.random.default_rng(3).normal(0, 0.05, (3, 500))
    strength = pd.Series({"x": 0.0, "y": 1.0, "z": 2.0})
    order, swapped = compare_orders(prices, throws, strength)
    assert swapped[["dearer", "cheaper"]].to_numpy().tolist() == [["y", "z"]]
    low, high = limit_together(np.array([0.02, 0.48]), throws[:2] - throws[1:], 0.95)
    assert swapped["low"].iloc[0] == pytest.approx(math.exp(low[1]))
    assert swapped["high"].iloc[0] == pytest.approx(math.exp(high[1]))
    assert order["tau"].iloc[0] == -1
    ends = limit_each(np.zeros(1), estimate_tau(np.array([0.0, 1, 2]), throws)[None], 0.95)
    assert order[["low", "high"]].iloc[0].tolist() == pytest.approx([ends[0][0], ends[1][0]])


def rates(power: float, noise: float, seed: int) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    rows = []
    for pair in range(40):
        number, off = generator.normal(0, 1), generator.normal(0, noise)
        for distance in (6, 12):
            rate = math.exp((power * number + off) / 2)
            row = ("spread", f"u{pair}", f"v{pair}", 0.1 * rate, 0.1 / rate, number, distance)
            rows.append(row)
    columns = ["policy", "a", "b", "kill_per_turn_a", "kill_per_turn_b", "log_rho", "range"]
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize("power", [1.0, 2.0])
def test_the_exponent_of_a_law_is_found(power: float) -> None:
    exact = fit_exponents(rates(power, 0.0, 4)).iloc[0]
    assert exact[["exponent", "low", "high"]].tolist() == pytest.approx([power] * 3)
    assert exact["pairs"] == 40


def test_pairs_are_drawn_whole() -> None:
    """A second situation that says just the same of every pair makes the interval no narrower."""
    frame = rates(2.0, 0.5, 5)
    twice, once = fit_exponents(frame), fit_exponents(frame[frame["range"] == 6])
    pd.testing.assert_frame_equal(twice, once)
    reach = (twice["high"] - twice["low"]).iloc[0] / 2
    number = frame["log_rho"].iloc[::2]
    # 1.96 standard errors, to within the chance in 40 pairs.
    assert reach == pytest.approx(1.96 * 0.5 / math.sqrt((number**2).sum()), rel=0.35)


def test_the_order_in_which_a_pair_is_named_does_not_matter() -> None:
    frame = rates(2.0, 0.5, 5)
    turned = frame.rename(columns={"a": "b", "b": "a"}).rename(
        columns={"kill_per_turn_a": "kill_per_turn_b", "kill_per_turn_b": "kill_per_turn_a"}
    )
    turned = turned.assign(log_rho=-turned["log_rho"])
    half = frame["range"] == 6
    mixed = pd.concat([frame[half], turned[~half]])
    one, two = (fit_exponents(each).drop(columns="policy") for each in (frame, mixed))
    pd.testing.assert_frame_equal(one, two)


def test_rows_without_kills_or_numbers_are_left_out() -> None:
    frame = rates(1.0, 0.0, 6).head(4)
    lost = frame.assign(kill_per_turn_b=0.0), frame.assign(log_rho=NAN), frame.assign(b=frame["a"])
    assert fit_exponents(pd.concat([frame, *lost]))["exponent"].iloc[0] == pytest.approx(1)
    alone = fit_exponents(frame.head(1)).iloc[0]
    assert (alone["pairs"], math.isnan(alone["exponent"])) == (1, True)
