"""From the rungs that searches leave to series, and kills a turn beside them."""

import math

import pandas as pd
import pytest

from simlab.analysis.appraisal import appraise_unit
from simlab.analysis.kill_rows import join_kills
from simlab.analysis.price_series import collect_series
from simlab.model.situation import Situation

PLACE = {"range": 12.0, "aspect_a": "front", "aspect_b": "rear", "first_fire": "none"}


def rung(a, b, sizes, counts, size=2350.0, policy="spread", weight=0.5):
    names = ("a_wins", "b_wins", "both_destroyed", "neither")
    row = {"a": a, "b": b, "size_n": sizes[0], "size_m": sizes[1], "size": size, "policy": policy, **PLACE}
    row |= {"weight": weight, "n": sum(counts)}
    return row | {f"count_{name}": count for name, count in zip(names, counts, strict=True)}


def series(*rows):
    return collect_series(pd.DataFrame(rows))


class TestSeries:
    def test_two_rungs_are_read_between(self):
        found = series(rung("x", "y", (4, 5), [60, 40, 0, 0]), rung("x", "y", (4, 6), [30, 60, 4, 6]))
        assert len(found) == 1
        row = found.iloc[0]
        assert row["status"] == "value"
        share = 0.5 + (30 - 60) / 200
        wanted = math.log(5 / 4) + (0.6 - 0.5) / (0.6 - share) * math.log(6 / 5)
        assert row["log_rho"] == pytest.approx(wanted)
        assert (row["x0"], row["x1"]) == pytest.approx((math.log(5 / 4), math.log(6 / 4)))
        assert row[[f"c1_{place}" for place in range(4)]].tolist() == [30, 60, 4, 6]
        assert math.isnan(row["bound"])

    def test_one_rung_says_on_which_side(self):
        above = series(rung("x", "y", (4, 160), [90, 10, 0, 0])).iloc[0]
        below = series(rung("x", "y", (40, 1), [10, 90, 0, 0])).iloc[0]
        assert (above["status"], below["status"]) == ("above", "below")
        assert (above["bound"], below["bound"]) == pytest.approx((math.log(40), -math.log(40)))
        assert math.isnan(above["log_rho"])

    @pytest.mark.parametrize("undecided", [0, 1])
    def test_most_fights_without_a_winner_at_either_rung_say_nothing(self, undecided):
        counts = [[60, 40, 0, 0], [40, 60, 0, 0]]
        counts[undecided] = [30, 10, 0, 60] if undecided == 0 else [10, 30, 0, 60]
        found = series(*(rung("x", "y", (4, 4 + place), each) for place, each in enumerate(counts)))
        assert found["status"].tolist() == ["no decision"]

    @pytest.mark.parametrize(("silent", "status"), [("a", "below"), ("b", "above"), ("none", "no decision")])
    def test_who_alone_can_never_fire_never_wins(self, silent, status):
        rows = rung("x", "y", (4, 160), [10, 0, 0, 90])
        found = series({**rows, "silent": silent}).iloc[0]
        assert found["status"] == status
        assert math.isnan(found["bound"]) == (status == "no decision")

    def test_settings_and_pairs_stay_apart(self):
        rows = [
            rung("x", "y", (4, 5 + more), [60 - 20 * more, 40 + 20 * more, 0, 0], size, policy)
            for size, policy in ((2350.0, "spread"), (1000.0, "spread"), (2350.0, "first"))
            for more in (1, 0)
        ]
        found = series(*rows)
        assert len(found) == 3
        assert (found["status"] == "value").all()


def test_kills_stand_beside_their_own_unit_and_weigh_one_a_pair():
    found = series(rung("x", "y", (4, 5), [60, 40, 0, 0]), rung("x", "y", (4, 6), [40, 60, 0, 0]))
    kills = pd.DataFrame([{"a": "x", "b": "y", **PLACE, "kill_a": 0.3, "kill_b": 0.1}])
    joined = join_kills(found, kills, 2350.0)
    assert joined[["kill_per_turn_a", "kill_per_turn_b", "weight"]].to_numpy().tolist() == [[0.3, 0.1, 1.0]]
    assert join_kills(found, kills, 1000.0).empty


def test_who_fires_first_is_turned_with_the_sides():
    for first, turned in (("a:2", "b:2"), ("b:3", "a:3"), (None, None)):
        assert Situation(12, "front", "rear", first).mirrored() == Situation(12, "rear", "front", turned)


class TestAppraisal:
    PRICES = pd.Series({"y": 100.0, "z": 200.0, "z2": 200.0})
    CROWD = pd.Series({"y": 1, "z": 2, "z2": 2})

    def price(self, *rows):
        return appraise_unit(series(*rows), "x", self.PRICES, self.CROWD)

    @staticmethod
    def even(a, b, ratio):
        """Two rungs, one to either side of a ratio b / a, and symmetric about it."""
        n, m = 100, round(100 * ratio)
        low, high = m * 9 // 10, round(m * m / (m * 9 // 10))
        return [rung(a, b, (n, low), [6000, 4000, 0, 0]), rung(a, b, (n, high), [4000, 6000, 0, 0])]

    def test_both_orders_say_the_same(self):
        one, two = self.price(*self.even("x", "y", 3.0)), self.price(*self.even("y", "x", 1 / 3))
        assert one.priced == pytest.approx(300, rel=0.01)
        assert two.priced == pytest.approx(300, rel=0.02)

    def test_opponents_that_fight_alike_weigh_as_one(self):
        rows = [*self.even("x", "y", 1.0), *self.even("x", "z", 2.0), *self.even("x", "z2", 2.0)]
        assert self.price(*rows).priced == pytest.approx(math.sqrt(100 * 400), rel=0.01)

    @pytest.mark.parametrize("turned", [False, True])
    def test_a_bound_counts_where_it_is_contradicted(self, turned):
        """At least 1000 by z against 100 by y: the mean of both; at least 50: no matter."""
        for least, wanted in ((5.0, math.sqrt(100 * 1000)), (0.25, 100.0)):
            sizes = (100, round(100 * least))
            bound = (
                rung("z", "x", sizes[::-1], [0, 500, 0, 0])
                if turned
                else rung("x", "z", sizes, [500, 0, 0, 0])
            )
            found = appraise_unit(
                series(*self.even("x", "y", 1.0), bound), "x", self.PRICES, self.CROWD * 0 + 1
            )
            assert found.priced == pytest.approx(wanted, rel=0.01)

    @pytest.mark.parametrize(
        ("counts", "status"), [([9, 0, 0, 0], "unbounded above"), ([0, 9, 0, 0], "unbounded below")]
    )
    def test_bounds_alone_name_no_price(self, counts, status):
        sizes = (1, 40) if counts[0] else (40, 1)
        assert self.price(rung("x", "y", sizes, counts)).status == status
