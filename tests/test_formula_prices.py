"""Prices of drawn sheets: the weighted mean of what their fair numbers name, and what chance leaves open."""

import math

import numpy as np
import pandas as pd
import pytest
from planted_prices import chances_of, share_at
from scipy.stats import chi2, norm

from simlab.analysis.formula_prices import price_sheets
from simlab.analysis.price_rungs import COUNTS_0, COUNTS_1, read_crossing

PRICES = pd.Series({"p": 100.0, "q": 400.0, "r": 900.0})
STEP = 0.4


def series(rows, n: int = 0, seed: int = 0) -> pd.DataFrame:
    """Series by sheet, opponent, whether the sheet is first, status, log rho or bound, weight; n fights a rung if any.

    The counts are thrown from the planted curve around the log rho, which then is what they say; without fights the
    log rho stands as it is given.
    """
    generator = np.random.default_rng(seed)
    told = []
    for sheet, foe, first, status, read, weight in rows:
        ends = read - 0.2 * STEP, read + 0.8 * STEP
        counts = np.zeros((2, 4), int)
        value = read
        if n and status == "value":
            counts = np.stack([generator.multinomial(n, chances_of(share_at(end, read))) for end in ends])
            shares = [(c[0] + (c[2] + c[3]) / 2) / n for c in counts]
            value = float(read_crossing(*ends, *shares))
        told.append(
            {
                **dict(zip("ab", (sheet, foe) if first else (foe, sheet), strict=True)),
                **{"status": status, "weight": weight, "x0": ends[0], "x1": ends[1]},
                "log_rho": value if status == "value" else math.nan,
                "bound": read if status in ("above", "below") else math.nan,
                **dict(zip((*COUNTS_0, *COUNTS_1), counts.ravel(), strict=True)),
            }
        )
    return pd.DataFrame(told)


class TestByHand:
    def test_a_price_is_the_weighted_mean_of_what_is_named(self):
        """Two of p for one s name 200; one q for two s the same from its side; half an r for one s 450."""
        two, half = math.log(2), math.log(0.5)
        rows = [("s", "p", True, "value", two, 1.0), ("s", "q", False, "value", two, 1.0)]
        assert price_sheets(series(rows), PRICES).loc["s", "log_price"] == pytest.approx(math.log(200))
        rows.append(("s", "r", True, "value", half, 2.0))
        found = price_sheets(series(rows), PRICES).loc["s"]
        assert found["log_price"] == pytest.approx((math.log(200) + math.log(450)) / 2)
        assert (found["said"], found["one_sided"], found["sd"]) == (1.0, 0.0, 0.0)

    def test_one_sided_numbers_count_where_the_price_contradicts_them(self):
        named = ("s", "p", True, "value", 0.0, 1.0)
        for first, status in ((True, "above"), (False, "below")):  # s is worth more than so many p
            sign = 1 if first else -1
            agrees = ("s", "p", first, status, -sign * 1.0, 1.0)
            contradicts = ("s", "p", first, status, sign * 1.0, 1.0)
            assert self.price(named, agrees) == pytest.approx(math.log(100))
            assert self.price(named, contradicts) == pytest.approx(math.log(100) + 0.5)

    def price(self, *rows) -> float:
        return float(price_sheets(series(rows), PRICES).loc["s", "log_price"])

    def test_a_sheet_of_which_too_little_is_said_has_no_price(self):
        named, silent = ("s", "p", True, "value", 0.3, 1.0), ("s", "q", True, "no decision", 0.0, 1.5)
        found = price_sheets(series([named, silent]), PRICES).loc["s"]
        assert math.isnan(found["log_price"])
        assert found["said"] == pytest.approx(0.4)
        assert math.isnan(self.price(("s", "p", True, "above", 0.3, 1.0)))
        assert self.price(named, (*silent[:5], 0.9)) == pytest.approx(math.log(100) + 0.3)

    def test_sheets_do_not_touch_each_other(self):
        rows = [("s", "p", True, "value", 0.1, 1.0), ("t", "q", False, "value", 0.2, 1.0)]
        both = price_sheets(series(rows), PRICES)
        assert list(both.index) == ["s", "t"]
        assert both["log_price"].tolist() == pytest.approx([math.log(100) + 0.1, math.log(400) - 0.2])


def test_the_sampling_error_is_what_it_is_called():
    """300 sheets of one true price: they scatter as much as `sd` says, and around the truth."""
    count, truth = 300, math.log(300)
    rows = []
    for number in range(count):
        for place, (foe, price) in enumerate(PRICES.items()):
            for first in (True, False):
                gap = truth - math.log(price)
                rows.append((f"s{number}", foe, first, "value", gap if first else -gap, 1.0 + place))
    found = price_sheets(series(rows, n=400, seed=3), PRICES)
    errors = found["log_price"] - truth
    spread, told = errors.std(ddof=1), math.sqrt((found["sd"] ** 2).mean())
    low, high = (chi2.ppf([5e-7, 1 - 5e-7], count - 1) / (count - 1)) ** 0.5
    assert low < spread / told < high
    # The line between rungs is not the curve: where it crosses one half is a little off the truth.
    ends = (-0.2 * STEP, 0.8 * STEP)
    bent = float(read_crossing(*ends, *[float(share_at(end, 0.0)) for end in ends]))
    reach = norm.isf(5e-7) * told / math.sqrt(count)
    assert abs(errors.mean()) < abs(bent) + reach
