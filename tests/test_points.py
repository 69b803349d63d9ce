"""What a changed number is worth: against fair numbers by engagements at other dice."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom
from toy_system import ToySheet

from simlab import lab
from simlab.analysis.readings_paired import Estimate
from simlab.lab import points
from simlab.lab.mix import Terms, read_mix
from simlab.lab.points import Points
from simlab.model.ecv import Ecv

REPEATS = 300
TERMS = Terms(system="toy", n=3200, turns=20)
DEAR = Ecv(value=2000.0, source="rulebook")
UNIT = ToySheet("unit", hit_points=3, faces=20, needs=17, ecv=DEAR)
FOE = ToySheet("foe", hit_points=2, faces=20, needs=18, ecv=DEAR)


def priced(unit, foes, sheet) -> Estimate:
    mix = read_mix(unit, foes, TERMS, "0.01", None)
    return Points(mix, mix.base()).change(sheet)


def fair_number(strong, weak) -> tuple[float, float]:
    """The logarithm of how many of the weak are even with one of the strong, and its standard error."""
    shares = {}
    for size in range(1, 41):
        found = lab.engage([strong], [weak] * size, system="toy", turns=20, range=24, n=40_000, seed=77)
        shares[size] = found.win_share_a
        if found.win_share_a <= 0.5:
            break
    high = size
    above, below = shares[high - 1], shares[high]
    span = math.log(high / (high - 1))
    error = 0.5 / math.sqrt(40_000) * span / (above - below)
    return math.log(high - 1) + (above - 0.5) / (above - below) * span, error


@pytest.mark.parametrize("fields", [{"needs": 16}, {"hit_points": 4}, {"needs": 18}])
def test_a_step_of_the_stronger_unit_is_worth_how_much_more_foes_are_even_with_it(toy, fields):
    sheet = lab.changed(UNIT, fields, "toy")
    found = priced(UNIT, [FOE], sheet)
    before, after = fair_number(UNIT, FOE), fair_number(sheet, FOE)
    change = after[0] - before[0]
    half = (math.log1p(found.high) - math.log1p(found.low)) / 2
    error = math.hypot(before[1], after[1], half / 1.96)
    assert abs(math.log1p(found.value) - change) < 4.5 * error
    assert found.low < found.value < found.high
    assert (found.value > 0) == (fields != {"needs": 18})


def test_a_step_of_the_weaker_unit_is_worth_how_much_fewer_of_it_are_even(toy):
    sheet = lab.changed(FOE, {"needs": 17}, "toy")
    found = priced(FOE, [UNIT], sheet)
    before, after = fair_number(UNIT, FOE), fair_number(UNIT, sheet)
    half = (math.log1p(found.high) - math.log1p(found.low)) / 2
    error = math.hypot(before[1], after[1], half / 1.96)
    assert abs(math.log1p(found.value) - (before[0] - after[0])) < 4.5 * error
    assert found.low > 0


def test_over_opponents_the_mean_of_logarithms_counts(toy):
    sheet, other = lab.changed(UNIT, {"needs": 16}, "toy"), ToySheet("other", 2, 20, 17, ecv=DEAR)
    alone = [math.log1p(priced(UNIT, [foe], sheet).value) for foe in (FOE, other)]
    assert math.log1p(priced(UNIT, [FOE, other], sheet).value) == pytest.approx(np.mean(alone))


def test_what_no_die_sees_is_worth_nothing_and_what_is_beyond_40_is_not_known(toy):
    same = priced(UNIT, [FOE], lab.changed(UNIT, {"name": "Other"}, "toy"))
    assert (same.value, same.low, same.high) == (0, 0, 0)
    unarmed = ToySheet("unarmed", 1, 20, 99, ecv=DEAR)
    unknown = priced(UNIT, [unarmed], lab.changed(UNIT, {"needs": 16}, "toy"))
    assert math.isinf(unknown.high)


def test_the_stronger_side_is_as_many_as_its_price_allows(toy):
    cheap = [
        ToySheet(sheet.id, sheet.hit_points, 20, sheet.needs, ecv=Ecv(value=700.0, source="draft"))
        for sheet in (UNIT, FOE)
    ]
    mix = read_mix(cheap[0], [cheap[1]], TERMS, "0.01", None)
    assert Points(mix, mix.base()).numbers == [points.SIZE // 700] == [3]


@pytest.mark.long
def test_intervals_cover_as_often_as_they_say(toy, monkeypatch):
    sheet = lab.changed(UNIT, {"needs": 16}, "toy")
    monkeypatch.setattr(points, "FIGHTS", 600_000)
    truth = priced(UNIT, [FOE], sheet)
    monkeypatch.setattr(points, "FIGHTS", 3200)
    covered = 0
    for seed in range(REPEATS):
        mix = read_mix(UNIT, [FOE], replace(TERMS, seed=seed), "0.01", None)
        found = Points(mix, mix.base()).change(sheet)
        covered += found.low <= truth.value <= found.high
    low, high = binom.ppf([0.5e-4, 1 - 0.5e-4], REPEATS, 0.95)
    assert low <= covered <= high


def test_nudges_carry_what_they_are_worth(toy, monkeypatch):
    monkeypatch.setattr(points, "FIGHTS", 3200)
    found = lab.sensitivity(UNIT, FOE, system="toy", n=3200, turns=20)
    by_step = {(each.field, each.step): each for each in found.nudges}
    better = by_step["needs", -1]
    assert found.ecv(better).value == pytest.approx(2000 * better.price.value)
    assert found.ecv(by_step["reach", 1]) == Estimate(0.0, 0.0, 0.0)
    numbers = {(each["field"], each["step"]): each["ecv"] for each in found.to_dict()["numbers"]}
    assert numbers["needs", -1]["change"] == found.ecv(better).value
    unpriced = ToySheet("unpriced", 3, 20, 17, ecv=Ecv(value=None, source="draft"))
    none = lab.sensitivity(unpriced, FOE, system="toy", n=3200, turns=20, ecv=False)
    assert none.fights is None
    assert none.to_frame()["ecv"].isna().all()
