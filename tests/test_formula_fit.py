"""Points formulas from planted laws: found again, with intervals that hold, and errors that are honest."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm

from simlab.analysis.formula_fit import (
    LINEAR,
    SQUARES,
    SURFACE,
    choose_kind,
    fit_law,
    fitting_kinds,
    rate_predictions,
    validate_law,
)
from simlab.analysis.formula_tables import (
    EVERY,
    FORMULA,
    OWN,
    SINGLE,
    UNTOLD,
    WORTH,
    Sample,
    describe_formula,
)

pytestmark = pytest.mark.long

TRUTH = {"armour": 0.02, "gun": 0.05, "skill": 0.2, "paint": 0.0}
CENTRE = pd.Series({"armour": 6.0, "gun": 4.0, "skill": 1.0, "paint": 5.0})
BASE = math.log(500.0)
NOISE = 0.06


def planted(
    seed: int, count: int = 120, noise: float = NOISE, bend: float = 0.0, joint: float = 0.0
) -> Sample:
    """Sheets whose log price grows with their stats by TRUTH; the noise of strong armour is twice that of weak."""
    generator = np.random.default_rng(seed)
    stats = pd.DataFrame(
        {
            "armour": generator.integers(1, 24, count),
            "gun": generator.integers(2, 9, count),
            "skill": generator.integers(0, 3, count),
            "paint": generator.integers(0, 11, count),
        }
    )
    away = stats - CENTRE
    law = away @ pd.Series(TRUTH) + bend * away["armour"] ** 2 + joint * away["armour"] * away["gun"]
    uneven = noise * (0.5 + stats["armour"] / 23)
    return Sample(stats, BASE + law + uneven * generator.standard_normal(count))


class TestLaws:
    def test_a_planted_law_is_found_to_the_last_digit_without_noise(self):
        drawn = planted(1, noise=0.0)
        law = fit_law(drawn.stats, drawn.log_price, CENTRE, LINEAR, 0.95)
        found = law.terms.set_index("term")["coefficient"]
        assert found.to_dict() == pytest.approx({"constant": BASE, **TRUTH}, abs=1e-9)
        assert law.predict(drawn.stats) == pytest.approx(drawn.log_price.to_numpy())

    def test_intervals_hold_as_often_as_they_say(self):
        """Robust intervals of 200 plantings with uneven noise: each coefficient inside the binomial limits."""
        repeats, level = 200, 0.95
        truth = np.array([BASE, *TRUTH.values()])
        hits = np.zeros(len(truth), int)
        for seed in range(repeats):
            drawn = planted(seed)
            terms = fit_law(drawn.stats, drawn.log_price, CENTRE, LINEAR, level).terms
            hits += (terms["low"].to_numpy() <= truth) & (truth <= terms["high"].to_numpy())
        least, most = binom.ppf([5e-5, 1 - 5e-5], repeats, level)
        assert ((least <= hits) & (hits <= most)).all()
        every = (
            len(truth) * repeats
        )  # those of one planting hang together: the sum is only bounded from below
        assert hits.sum() > every * level - norm.isf(1e-6) * math.sqrt(
            every * level * (1 - level) * len(truth)
        )

    def test_coefficients_are_slopes_at_the_centre(self):
        drawn = planted(2, noise=0.0, bend=0.001, joint=-0.003)
        law = fit_law(drawn.stats, drawn.log_price, CENTRE, SURFACE, 0.95)
        found = law.terms.set_index("term")["coefficient"]
        assert found[list(TRUTH)].to_dict() == pytest.approx(TRUTH, abs=1e-9)
        assert found["armour²"] == pytest.approx(0.001)
        assert found["armour × gun"] == pytest.approx(-0.003)
        moved = CENTRE + pd.Series({"armour": 2.0, "gun": 0.0, "skill": 0.0, "paint": 0.0})
        there = fit_law(drawn.stats, drawn.log_price, moved, SURFACE, 0.95).terms.set_index("term")[
            "coefficient"
        ]
        assert there["gun"] == pytest.approx(TRUTH["gun"] - 0.003 * 2)
        assert there["armour"] == pytest.approx(TRUTH["armour"] + 2 * 0.001 * 2)

    def test_a_stat_of_two_values_has_no_square(self):
        stats = pd.DataFrame({"plate": [0, 1] * 30, "gun": [2, 3, 4] * 20})
        centre = pd.Series({"plate": 0.0, "gun": 3.0})
        price = stats["gun"] * 0.1 + np.sin(np.arange(60)) * 0.01
        terms = fit_law(stats, price, centre, SURFACE, 0.95).terms["term"].tolist()
        assert terms == ["constant", "plate", "gun", "gun²", "plate × gun"]


class TestChoice:
    @pytest.mark.parametrize(
        ("bend", "joint", "kind"), [(0.0, 0.0, LINEAR), (0.002, 0.0, SQUARES), (0.002, 0.01, SURFACE)]
    )
    def test_the_law_that_was_planted_is_chosen(self, bend, joint, kind):
        drawn = planted(3, bend=bend, joint=joint)
        errors = {
            each: validate_law(drawn.stats, drawn.log_price, CENTRE, each)
            for each in fitting_kinds(drawn.stats)
        }
        assert set(errors) == {LINEAR, SQUARES, SURFACE}
        assert choose_kind(errors) == kind

    def test_more_terms_need_a_clearly_smaller_error(self):
        assert choose_kind({LINEAR: 0.10, SQUARES: 0.095, SURFACE: 0.091}) == LINEAR
        assert choose_kind({LINEAR: 0.10, SQUARES: 0.095, SURFACE: 0.089}) == SURFACE
        assert choose_kind({LINEAR: 0.10, SQUARES: 0.085, SURFACE: 0.080}) == SQUARES

    def test_few_sheets_tell_few_terms(self):
        drawn = planted(4, count=20)
        assert fitting_kinds(drawn.stats) == (LINEAR, SQUARES)
        assert fitting_kinds(drawn.stats.iloc[:12]) == (LINEAR,)
        assert fitting_kinds(drawn.stats.iloc[:9]) == ()

    def test_a_stat_that_follows_from_others_tells_no_law(self):
        drawn = planted(4)
        assert fitting_kinds(drawn.stats.assign(paint=2 * drawn.stats["gun"] + 1)) == ()
        assert fitting_kinds(drawn.stats.assign(paint=drawn.stats["gun"] ** 2)) == (LINEAR,)

    def test_validated_errors_are_those_of_new_sheets(self):
        """Of 60 sheets and 15 terms the error within the fit is far too small; the validated one is not."""
        within, validated, fresh = [], [], []
        new = planted(999, count=4000)
        for seed in range(20):
            drawn = planted(seed, count=60)
            law = fit_law(drawn.stats, drawn.log_price, CENTRE, SURFACE, 0.95)
            within.append(rate_predictions(law.predict(drawn.stats), drawn.log_price)["rms"])
            validated.append(validate_law(drawn.stats, drawn.log_price, CENTRE, SURFACE))
            fresh.append(rate_predictions(law.predict(new.stats), new.log_price)["rms"])
        spread = np.std(np.array(validated) - np.array(fresh), ddof=1) / math.sqrt(20)
        reach = norm.isf(1e-5) * spread
        assert abs(np.mean(validated) - np.mean(fresh)) < reach + 0.05 * np.mean(
            fresh
        )  # a tenth fewer sheets each
        assert np.mean(within) < 0.85 * np.mean(fresh)


class TestErrors:
    def test_by_hand(self):
        true = np.log([100.0, 200.0, 400.0, 800.0])
        told = true + np.log([1.05, 1.15, 0.7, 1.0])
        found = rate_predictions(told, true)
        errors = np.log([1.05, 1.15, 0.7, 1.0])
        assert found["rms"] == pytest.approx(math.sqrt((errors**2).mean()))
        assert found["bias"] == pytest.approx(errors.mean())
        assert (found["within_10"], found["within_20"]) == (0.5, 0.75)
        assert found["rank"] == pytest.approx(1.0)

    def test_one_price_for_all_orders_nothing(self):
        assert math.isnan(rate_predictions([1.0, 1.0, 1.0], [1.0, 2.0, 3.0])["rank"])


@pytest.fixture(scope="module")
def told():
    drawn, roster = planted(5, count=200), planted(6, count=40)
    units = Sample(
        roster.stats.set_axis([f"u{n}" for n in range(40)]),
        roster.log_price.set_axis([f"u{n}" for n in range(40)]),
    )
    ecv = pd.Series(1.1 * np.exp(units.log_price)).where(np.arange(40) % 2 == 0)
    return drawn, units, ecv, describe_formula(drawn, units, CENTRE, ecv, price=500.0, level=0.95)


class TestFindings:
    def test_a_point_is_told_in_percent_and_in_ecv(self, told):
        *_, found = told
        rows = found.stats.set_index("stat")
        assert rows.loc["skill", "share"] == pytest.approx(math.expm1(0.2), abs=0.05)
        assert rows.loc["skill", "ecv"] == pytest.approx(500 * rows.loc["skill", "share"])
        assert rows["verdict"].to_dict() == {"armour": WORTH, "gun": WORTH, "skill": WORTH, "paint": UNTOLD}
        assert rows.loc["paint", "share_low"] <= 0 <= rows.loc["paint", "share_high"]
        assert rows[["least", "most", "base"]].loc["skill"].tolist() == [0, 2, 1]

    def test_the_roster_tells_the_error_and_nothing_of_the_law(self, told):
        drawn, units, ecv, found = told
        turned = Sample(units.stats, -units.log_price)
        other = describe_formula(drawn, turned, CENTRE, ecv, price=500.0, level=0.95)
        pd.testing.assert_frame_equal(other.law.terms, found.law.terms)
        pd.testing.assert_frame_equal(other.laws, found.laws)
        assert other.errors["rms"].iloc[0] > found.errors["rms"].iloc[0]

    def test_the_formula_stands_beside_simpler_ones(self, told):
        drawn, units, _, found = told
        rows = found.errors.set_index("by")
        assert list(rows.index) == [FORMULA, SINGLE, EVERY, OWN]
        assert rows.loc[SINGLE, "stat"] == "skill"
        assert rows.loc[FORMULA, "rms"] < rows.loc[SINGLE, "rms"] < rows.loc[EVERY, "rms"]
        flat = drawn.log_price.mean() - units.log_price
        assert rows.loc[EVERY, "rms"] == pytest.approx(math.sqrt((flat**2).mean()))
        assert rows.loc[OWN, ["rms", "bias"]].tolist() == pytest.approx([math.log(1.1)] * 2)

    def test_a_stat_that_the_roster_shares_is_no_formula(self, told):
        drawn, units, ecv, _ = told
        alike = Sample(units.stats.assign(skill=1), units.log_price)
        found = describe_formula(drawn, alike, CENTRE, ecv, price=500.0, level=0.95)
        assert found.errors.set_index("by").loc[SINGLE, "stat"] != "skill"

    def test_units_come_worst_first(self, told):
        _, units, _, found = told
        assert found.units["error"].abs().is_monotonic_decreasing
        assert sorted(found.units["id"]) == sorted(units.stats.index)
        row = found.units.iloc[0]
        assert math.log(row["formula"] / row["priced"]) == pytest.approx(row["error"])
        assert row["priced"] == pytest.approx(math.exp(units.log_price[row["id"]]))
