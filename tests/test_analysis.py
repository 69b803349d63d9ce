"""Intervals, digits, fair numbers, prices: from given counts."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from simlab.analysis.csv_text import format_csv
from simlab.analysis.digits import format_bound, format_estimate, format_interval, format_percent
from simlab.analysis.fair import LIMIT_PER_UNIT, estimate_fair_number, next_size
from simlab.analysis.intervals import Z95, estimate_share, estimate_wilson, fights_for_precision
from simlab.analysis.prices import (
    choose_anchor,
    estimate_ecv_ratios,
    estimate_prices,
    estimate_typical_ratios,
)
from simlab.analysis.tables import (
    describe_units,
    estimate_fair_numbers,
    estimate_kill_rates,
    estimate_mixed_kill_rates,
    no_engagements,
)
from simlab.lab.summary import _price
from simlab.model.errors import InputError


def test_wilson_agrees_with_a_known_interval():
    low, high = estimate_wilson(906, 1040)
    assert (round(float(low), 4), round(float(high), 4)) == (0.8494, 0.8902)


def test_wilson_agrees_with_statsmodels():
    k = np.array([0, 1, 5, 17, 499_999, 1_000_000])
    n = np.array([3, 9, 5, 40, 1_000_000, 1_000_000])
    low, high = estimate_wilson(k, n)
    wanted_low, wanted_high = proportion_confint(k, n, alpha=0.05, method="wilson")
    np.testing.assert_allclose(low, wanted_low, atol=1e-12)
    np.testing.assert_allclose(high, wanted_high, atol=1e-12)


def test_wilson_ends_are_exact_where_nothing_or_everything_happened():
    low, high = estimate_wilson([0, 7, 0], [7, 7, 0])
    assert low[0] == 0.0
    assert 0 < high[0] < 1
    assert high[1] == 1.0
    assert 0 < low[1] < 1
    assert (low[2], high[2]) == (0.0, 1.0)


def test_share_is_the_mean_score_with_its_standard_error():
    counts = [40, 25, 20, 15]
    scores = np.repeat([1.0, 0.0, 0.5, 0.5], counts)
    share, low, high = estimate_share(counts)
    reach = Z95 * scores.std() / math.sqrt(scores.size)
    assert float(share) == pytest.approx(scores.mean(), abs=1e-15)
    assert (float(low), float(high)) == pytest.approx((scores.mean() - reach, scores.mean() + reach))


def test_share_is_clipped_and_certain_outcomes_have_no_width():
    share, low, high = estimate_share([[9, 0, 0, 0], [0, 0, 3, 6], [99, 1, 0, 0]])
    assert (share[0], low[0], high[0]) == (1.0, 1.0, 1.0)
    assert (share[1], low[1], high[1]) == (0.5, 0.5, 0.5)
    assert high[2] == 1.0


@pytest.mark.parametrize(
    ("text", "fights"),
    [
        (".001", 960_400),
        ("0.005", 38_416),
        ("0.01", 9604),
        ("0.003", 106_712),
        ("1e-6", 960_400_000_000),
        ("0.98", 1),
    ],
)
def test_fights_for_precision(text, fights):
    assert fights_for_precision(text) == fights


@pytest.mark.parametrize(
    "text", ["", "0", "-0.1", "1", "nan", "inf", "x", "1e-7", "1e-999999", "0.1.2", "9" * 500, "0x1"]
)
def test_nonsense_precision_is_refused(text):
    with pytest.raises(InputError) as error:
        fights_for_precision(text)
    assert "precision: found" in str(error.value)


@given(st.integers(1, 10**6 - 1))
def test_fights_for_precision_is_the_exact_ceiling(millionths):
    fights = fights_for_precision(f"{millionths / 10**6:.6f}")
    numerator, square = 9604 * 10**8, millionths * millionths
    assert (fights - 1) * square < numerator <= fights * square


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (0.0, 0.0, 0.0, "0%"),
        (1.0, 1.0, 1.0, "100%"),
        (0.0, 0.0, 0.0000999, "< 0.01%"),
        (1.0, 0.9999001, 1.0, "> 99.99%"),
        (0.87215, 0.8672, 0.8771, "87.2%"),
        (0.87215, 0.85, 0.89, "87%"),
        (0.87215, 0.87195, 0.87235, "87.22%"),
        (0.00001, 0.0, 0.0005, "< 0.05%"),
        (0.99999, 0.9995, 1.0, "> 99.95%"),
        (0.456401, 0.456401, 0.456401, "45.6401%"),
        (1e-9, 1e-9, 1e-9, "< 0.0000001%"),
        (math.nan, 0.0, 1.0, "–"),
    ],
)
def test_percentages_show_what_the_interval_supports(value, low, high, text):
    assert format_percent(value, low, high) == text


@given(st.integers(1, 10**7), st.data())
def test_sampled_percentages_are_never_certain(n, data):
    k = data.draw(st.sampled_from([0, 1, n - 1, n]))
    low, high = estimate_wilson(k, n)
    text = format_percent(k / n, float(low), float(high))
    assert text not in ("0%", "100%")
    assert not text.startswith(("0.0%", "0.00%", "100.0"))


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (801.3, 790.2, 812.4, "800 (790 to 810)"),
        (1.7849, 1.75, 1.82, "1.78 (1.75 to 1.82)"),
        (1.7849, 1.7841, 1.7857, "1.7849 (1.7841 to 1.7857)"),
        (3.0, 3.0, 3.0, "3"),
        (35.0, 31.0, math.inf, "35 (from 31)"),
        (1.2, 0.0, 1.9, "1.2 (0.0 to 1.9)"),
        (569.0, -math.inf, 613.0, "570 (up to 610)"),
        (569.0, -math.inf, 572.0, "569 (up to 572)"),
        (569.0, -math.inf, math.inf, "570 (no bounds)"),
    ],
)
def test_estimates_show_what_the_interval_supports(value, low, high, text):
    assert format_interval(value, low, high) == text


def test_missing_estimates_are_a_dash():
    assert format_estimate(math.nan, 0.0, 1.0) == "–"


def drawn(share: float, n: int, rng: np.random.Generator | None = None) -> tuple[int, int, int, int]:
    """Counts of decided fights with a share: rounded, or drawn."""
    wins = round(share * n) if rng is None else int(rng.binomial(n, share))
    return wins, n - wins, 0, 0


def test_fair_number_is_linear_in_share_over_log_m():
    number = estimate_fair_number({1: (900, 100, 0, 0), 2: (600, 400, 0, 0), 3: (300, 700, 0, 0)}, 1)
    assert number.status == "value"
    assert number.value == pytest.approx(2 * 1.5 ** (1 / 3))
    assert 2 < number.low < number.value < number.high < 3


def test_an_even_size_is_the_fair_number():
    assert estimate_fair_number({1: (70, 30, 0, 0), 2: (25, 25, 20, 30), 3: (30, 70, 0, 0)}, 1).value == 2.0
    assert estimate_fair_number({1: (0, 0, 0, 50)}, 1).value == 1.0


def test_the_smallest_crossing_counts():
    counts = {1: (60, 40), 2: (49, 51), 3: (52, 48), 4: (40, 60), 5: (10, 90)}
    number = estimate_fair_number({m: (100 * a, 100 * b, 0, 0) for m, (a, b) in counts.items()}, 1)
    assert 1 < number.value < 2


def test_interval_is_the_crossing_of_the_ends():
    counts = {1: drawn(0.8, 1000), 2: drawn(0.49, 1000), 3: drawn(0.2, 1000)}
    _, low, high = estimate_share([counts[m] for m in (1, 2, 3)])
    number = estimate_fair_number(counts, 1)
    first = (low[0] - 0.5) / (low[0] - low[1])
    last = (high[1] - 0.5) / (high[1] - high[2])
    assert number.low == pytest.approx(2**first)
    assert number.high == pytest.approx(2 * 1.5**last)


def test_bounds_where_one_is_too_many_or_forty_too_few():
    below = estimate_fair_number({1: (30, 70, 0, 0)}, 1)
    assert (below.status, below.low, below.high) == ("below", 0.0, 1.0)
    assert math.isnan(below.value)
    above = estimate_fair_number({1: (100, 0, 0, 0), 40: (80, 20, 0, 0)}, 1)
    assert (above.status, above.low, above.high) == ("above", 40.0, math.inf)


def test_one_end_may_be_unbounded():
    number = estimate_fair_number({1: (52, 48, 0, 0), 2: (20, 80, 0, 0)}, 1)
    assert number.status == "value"
    assert number.low == 0.0
    assert 1 < number.high < 2
    number = estimate_fair_number(
        {38: (60, 40, 0, 0), 39: (55, 45, 0, 0), 40: (48, 52, 0, 0), 37: (70, 30, 0, 0)}, 1
    )
    assert 39 < number.value < 40
    assert number.low < 39.5
    assert number.high == math.inf


def test_undecided_fights_are_marked():
    assert estimate_fair_number({1: (30, 10, 0, 60), 2: (10, 30, 0, 60)}, 1).no_decision
    assert not estimate_fair_number({1: (55, 25, 0, 20), 2: (20, 60, 0, 20)}, 1).no_decision


def test_open_sizes_are_refused():
    with pytest.raises(ValueError, match="open"):
        estimate_fair_number({1: (90, 10, 0, 0), 3: (10, 90, 0, 0)}, 1)
    with pytest.raises(ValueError, match="open"):
        estimate_fair_number({1: (90, 10, 0, 0)}, 1)


def searched(full: dict[int, tuple[int, int, int, int]], size_n: int, before=None):
    """The sizes that a search asks for, of all that there are."""
    known: dict[int, tuple[int, int, int, int]] = {}
    while (size := next_size(known, size_n, before)) is not None:
        assert size not in known
        assert 1 <= size <= LIMIT_PER_UNIT * size_n
        known[size] = full[size]
    return known


SEARCHES = list(itertools.product((1, 2, 3), (0.3, 0.8, 1.0, 1.7, 4.0, 9.0, 25.0, 60.0), (1.5, 3.0, 8.0)))


@pytest.mark.parametrize(("size_n", "ratio", "slope"), SEARCHES)
def test_search_finds_what_evaluating_every_size_finds(size_n, ratio, slope):
    rng = np.random.default_rng([size_n, round(10 * ratio), round(10 * slope)])
    limit = LIMIT_PER_UNIT * size_n
    full = {m: drawn(1 / (1 + (m / (ratio * size_n)) ** slope), 4000, rng) for m in range(1, limit + 1)}
    known = searched(full, size_n)
    assert repr(estimate_fair_number(known, size_n)) == repr(estimate_fair_number(full, size_n))
    assert len(known) <= 22


def test_search_from_the_ratio_before_needs_few_sizes():
    full = {
        n: {m: drawn(1 / (1 + (m / (1.7 * n)) ** 4), 40_000) for m in range(1, 40 * n + 1)} for n in (5, 6)
    }
    before = searched(full[5], 5)
    assert len(searched(full[6], 6, (5, before))) <= 4
    assert len(searched(full[6], 6)) <= 6


@pytest.mark.parametrize("share", [0.5, 0.5001, 0.51, 0.4999, 0.0, 1.0])
def test_flat_shares_end_soon(share):
    full = {m: drawn(share, 10_000) for m in range(1, 241)}
    assert len(searched(full, 6)) <= 20


def test_share_that_sinks_to_one_half_without_fights_ends_soon():
    full = {m: (max(0, 1000 - 60 * m), 0, 0, 10_000 - max(0, 1000 - 60 * m)) for m in range(1, 241)}
    known = searched(full, 6)
    number = estimate_fair_number(known, 6)
    assert number.value == estimate_fair_number(full, 6).value == 17.0
    assert number.no_decision
    assert len(known) <= 24


def engagement(a, b, size_n, size_m, counts, **other):
    row = {"a": a, "b": b, "size_n": size_n, "policy": "spread", "range": 12.0, "aspect_a": "front"}
    row |= {"aspect_b": "front", "size_m": size_m, "weight": 1.0, "n": sum(counts)}
    names = ("count_a_wins", "count_b_wins", "count_both_destroyed", "count_neither")
    return row | dict(zip(names, counts, strict=True)) | {"ecv_lost_a": 1.0, "ecv_lost_b": 1.0} | other


UNITS = describe_units(
    [
        {"id": "big", "name": "Big", "ecv": 996.0, "source": "draft"},
        {"id": "small", "name": "Small", "ecv": 558.0, "source": "rulebook"},
        {"id": "new", "name": "New", "ecv": None, "source": "priced"},
    ]
)


def fair_frame() -> pd.DataFrame:
    return estimate_fair_numbers(
        pd.DataFrame(
            [
                engagement("big", "small", 2, 3, (700, 300, 0, 0)),
                engagement("big", "small", 2, 4, (300, 700, 0, 0)),
                engagement("small", "big", 1, 1, (100, 900, 0, 0)),
                engagement("small", "new", 2, 1, (900, 100, 0, 0)),
                engagement("small", "new", 2, 2, (500, 500, 0, 0)),
                engagement("small", "new", 2, 3, (100, 900, 0, 0)),
            ]
        )
    )


def test_fair_numbers_of_a_table():
    frame = fair_frame()
    assert frame["status"].tolist() == ["value", "below", "value"]
    first = frame.iloc[0]
    assert first["fair"] == pytest.approx(math.sqrt(12))
    assert first["ratio"] == pytest.approx(math.sqrt(12) / 2)
    assert first["ratio_low"] < first["ratio"] < first["ratio_high"]
    assert frame["size_n"].tolist() == [2, 1, 2]


def test_no_engagements_give_empty_frames():
    frame = estimate_fair_numbers(no_engagements())
    assert frame.empty
    assert "ratio" in frame
    assert estimate_prices(frame, UNITS, "small").empty
    assert estimate_prices(frame, UNITS, None).empty


def test_prices_follow_from_the_anchor_both_ways():
    prices = estimate_prices(fair_frame(), UNITS, "small").set_index(["unit", "asked"])
    by_anchors = prices.loc[("big", "anchors")]
    assert by_anchors["priced"] == pytest.approx(558 * math.sqrt(12) / 2)
    assert by_anchors["low"] < by_anchors["priced"] < by_anchors["high"]
    assert by_anchors["draft"]
    assert by_anchors["ecv"] == 996
    by_units = prices.loc[("big", "units")]
    assert by_units["status"] == "unbounded above"
    assert by_units["low"] == 558.0
    assert math.isnan(by_units["high"])
    assert (by_units["low_status"], by_units["high_status"]) == ("value", "open")
    assert prices.loc[("new", "units"), "priced"] == 558.0


def test_an_open_end_is_missing_and_never_a_nought():
    near = [
        engagement("big", "small", 1, 1, (52, 48, 0, 0)),
        engagement("big", "small", 1, 2, (20, 80, 0, 0)),
        engagement("small", "big", 1, 1, (52, 48, 0, 0)),
        engagement("small", "big", 1, 2, (20, 80, 0, 0)),
    ]
    fair = estimate_fair_numbers(pd.DataFrame(near))
    assert fair[["fair_low", "ratio_low"]].isna().all(axis=None)
    assert fair[["low_status", "high_status"]].to_numpy().tolist() == [["open", "value"]] * 2
    prices = estimate_prices(fair, UNITS, "small").set_index("asked")
    ours, theirs = prices.loc["anchors"], prices.loc["units"]
    assert math.isnan(ours["low"])
    assert ours["high"] == pytest.approx(558 * fair["ratio_high"][0])
    assert math.isnan(theirs["high"])
    assert theirs["low"] == pytest.approx(558 / fair["ratio_high"][1])
    shown = [_price(row) for row in (ours.to_dict(), theirs.to_dict())]
    assert shown[0].partition(" (")[2].startswith("up to ")
    assert shown[1].partition(" (")[2].startswith("from ")
    assert "inf" not in format_csv(prices)


def test_the_anchor_is_the_first_printed_price():
    assert choose_anchor(UNITS) == "small"
    assert choose_anchor(UNITS[UNITS["source"] != "rulebook"]) is None


def test_ecv_ratios_and_their_middle():
    ratios = estimate_ecv_ratios(fair_frame(), UNITS)
    assert ratios[["a", "b"]].to_numpy().tolist() == [["big", "small"], ["small", "big"]]
    assert ratios["ecv_ratio"].tolist() == pytest.approx([996 / 558, 558 / 996])
    assert ratios["draft"].all()
    middle = estimate_typical_ratios(ratios)
    assert middle["ratio"].tolist() == pytest.approx([math.sqrt(12) / 2, 0.0])


def test_typical_ratio_is_the_weighted_median():
    ratios = estimate_ecv_ratios(fair_frame(), UNITS).iloc[[0]]
    several = pd.concat([ratios.assign(ratio=r, weight=w) for r, w in ((1.0, 0.2), (2.0, 0.5), (9.0, 0.3))])
    row = estimate_typical_ratios(several).iloc[0]
    assert (row["ratio"], row["lowest"], row["highest"]) == (2.0, 1.0, 9.0)


def duel_rows() -> pd.DataFrame:
    base = {"a": "x", "b": "y", "aspect_a": "front", "aspect_b": "front", "method": "monte_carlo", "n": 100}
    base |= {"error_bound": None, "neither": 0.1, "cannot_fire_a": False}
    rows = [base | {"range": 6.0, "weight": 0.75, "destroyed_b": 0.8}]
    rows += [base | {"range": 12.0, "weight": 0.25, "destroyed_b": 0.4, "neither": 0.6}]
    rows += [base | {"b": "z", "range": 6.0, "weight": 1.0, "destroyed_b": 0.3, "method": "exact", "n": None}]
    frame = pd.DataFrame(rows)
    return frame.assign(n=frame["n"].astype("Int64"), error_bound=[math.nan, math.nan, 1e-6])


def test_kill_rates_of_sampled_and_exact_rows():
    rates = estimate_kill_rates(duel_rows())
    low, high = estimate_wilson(80, 100)
    assert rates.loc[0, ["kill_rate_low", "kill_rate_high"]].tolist() == pytest.approx(
        [float(low), float(high)]
    )
    assert rates.loc[2, ["kill_rate_low", "kill_rate_high"]].tolist() == pytest.approx([0.3, 0.3 + 1e-6])
    assert rates["no_decision"].tolist() == [False, True, False]
    assert rates["error_bound"].notna().tolist() == [False, False, True]


def test_mixed_kill_rates_are_weighted():
    mixed = estimate_mixed_kill_rates(estimate_kill_rates(duel_rows()), ("a", "b"))
    assert mixed["kill_rate"].tolist() == pytest.approx([0.7, 0.3])
    assert mixed["kill_rate_low"].iloc[0] < 0.7 < mixed["kill_rate_high"].iloc[0]


def test_errors_of_exact_rows_add_up():
    """Each may want all of its bound, so their mean may want the mean of the bounds."""
    exact = duel_rows().assign(
        b="y", weight=[0.5, 0.25, 0.25], method="exact", error_bound=[1e-3, 2e-3, 4e-3]
    )
    mixed = estimate_mixed_kill_rates(estimate_kill_rates(exact), ("a", "b")).iloc[0]
    assert mixed["kill_rate_low"] == mixed["kill_rate"] == pytest.approx(0.575)
    assert mixed["kill_rate_high"] - mixed["kill_rate"] == pytest.approx(2e-3, rel=1e-9)


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        (0.01, "0.01"), (0.0101, "0.02"), (3.4e-7, "4e-7"), (1e-9, "1e-9"), (9.7e-7, "1e-6"), (0.5, "0.5"),
        (1e-4, "1e-4"), (0.00097, "0.001"), (1e-11, "1e-11"),
    ],
)  # fmt: skip
def test_error_bounds_are_rounded_up(bound, text):
    assert format_bound(bound) == text
    assert float(text) >= bound


def test_csv_cells_are_no_formulas():
    frame = pd.DataFrame(
        {"name": ["=1+1", "+x", "-x", "@x", " =x", 'a,b"c', "\x1b[31m", "plain"], "value": [-1.5] * 8}
    )
    lines = format_csv(frame).splitlines()
    assert lines[1:6] == ["'=1+1,-1.5", "'+x,-1.5", "'-x,-1.5", "'@x,-1.5", "' =x,-1.5"]
    assert lines[6] == '"a,b""c",-1.5'
    assert "\x1b" not in lines[7]
    assert lines[8] == "plain,-1.5"
