"""At which value of a number a duel is as even as wanted: against sweeps over all values."""

import json
from functools import cache
from itertools import pairwise

import pytest
from shell import PAIR, Shell
from toy_system import Toy, ToySheet

from simlab import lab
from simlab.model.errors import InputError

pytestmark = pytest.mark.long

PANTHER, SHERMAN = PAIR
BODY = "defense.ballistic.front_back"
TOY = {"system": "toy", "exact": True, "turns": 30}
TOUGH = ToySheet("tough", hit_points=3)


@cache
def swept(field, values, unit=SHERMAN, against=SHERMAN, system="blitzkrieg", turns=12):
    """Win shares by value, by duels one by one."""
    return {
        value: lab.duel(
            lab.changed(unit, {field: value}, system),
            against,
            system=system,
            turns=turns,
            bound=1e-5,
            exact=True,
        ).win_share_a
        for value in values
    }


def crossings(shares, target):
    """Neighbouring values with the target between their win shares."""
    return [
        (one, other)
        for one, other in pairwise(shares)
        if (shares[one] - target) * (shares[other] - target) < 0
    ]


@pytest.mark.parametrize("target", [0.45, 0.53])
def test_the_answer_is_that_of_a_sweep_over_all_values(target):
    shares = swept("armor.front", tuple(range(2, 13)))
    found = lab.solve(SHERMAN, "armor.front", SHERMAN, target, exact=True, bound=1e-5)
    assert [found.between] == crossings(shares, target)
    assert found.possible == found.between
    assert found.nearest == min(shares, key=lambda value: abs(shares[value] - target))
    assert found.share(found.between[0]).value == pytest.approx(shares[found.between[0]], abs=2e-5)
    assert found.legal == (0, 63)
    assert found.monotone
    assert found.others == ()


def test_a_mirror_is_even_at_what_the_sheet_has():
    found = lab.solve(SHERMAN, "armor.front", SHERMAN, exact=True)
    assert found.between == found.possible == (6, 6)
    assert found.nearest == 6
    assert found.method == "exact"


def test_legal_values_end_where_the_sheet_ends_them():
    """The chart has to rise, and a skill goes from -9 to 9."""
    found = lab.solve(SHERMAN, "gunners.0.skill", PANTHER, 0.3, n=640)
    assert found.legal == (-9, 9)
    chart = lab.solve(SHERMAN, "internal_amount.5", PANTHER, 0.9, n=640)
    assert chart.legal == (5, 5)
    assert chart.between is None
    last = lab.solve(SHERMAN, "internal_amount.9", PANTHER, 0.9, n=640)
    assert last.legal == (8, 99)


@pytest.mark.long
def test_sampled_answers_are_those_of_exact_ones_or_leave_them_open():
    exact = lab.solve(SHERMAN, "armor.front", SHERMAN, 0.52, exact=True, bound=1e-5)
    for seed in range(4):
        found = lab.solve(SHERMAN, "armor.front", SHERMAN, 0.52, n=1600, seed=seed)
        assert found.possible[0] <= exact.between[0] < exact.between[1] <= found.possible[1]
        for value in found.possible:
            share = found.share(value)
            at_the_end = value in found.legal
            assert at_the_end or not share.low <= found.target <= share.high


def test_a_target_that_none_reaches_is_looked_for_between_the_ends_too():
    found = lab.solve(SHERMAN, "armor.front", PANTHER, 0.9, n=640)
    assert found.between is found.possible is None
    assert len(found.tried) >= 10
    assert all(each.share.value < 0.9 for each in found.tried)


def hump(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number that helps up to 5 and hurts beyond."""
    plain = Toy.replace_fields

    def replaced(self, sheet, fields):
        value = fields["needs"]
        if not 1 <= value <= 9:
            raise InputError.one("needs", str(value), "1 to 9")
        return plain(self, sheet, {"needs": 2 + abs(value - 5)})

    monkeypatch.setattr(Toy, "replace_fields", replaced)


def test_what_goes_up_and_down_is_said_to(toy, monkeypatch):
    base = ToySheet("base", needs=4)
    hump(toy, monkeypatch)
    found = lab.solve(base, "needs", ToySheet("other", needs=4), 0.5, **TOY)
    assert not found.monotone
    # Even where it needs 4 as the other one does: at 3 and at 7.
    assert found.between == (3, 3)
    assert any(pair[0] >= 4 for pair in found.others)


def test_a_target_between_the_ends_of_a_hump_is_found(toy, monkeypatch):
    hump(toy, monkeypatch)
    found = lab.solve(ToySheet("base", needs=1), "needs", ToySheet("other", needs=4), 0.65, **TOY)
    shares = {each.value: each.share.value for each in found.tried}
    assert shares[1] < 0.65 > shares[9]
    low, high = found.between
    assert (shares[low] - 0.65) * (shares[high] - 0.65) < 0
    assert high - low == 1


def test_whole_numbers_of_any_system(toy):
    shares = swept("hit_points", tuple(range(1, 9)), TOUGH, ToySheet(), "toy", 30)
    for target in (0.2, 0.7):
        found = lab.solve(TOUGH, "hit_points", ToySheet(), target, **TOY)
        assert [found.between] == crossings(shares, target)
    assert lab.solve(TOUGH, "hit_points", ToySheet(), 0.5, **TOY).between == (2, 2)
    assert shares[2] == pytest.approx(0.5)


def test_the_json(simlab: Shell):
    arguments = ["solve", SHERMAN, BODY, "--against", PANTHER, "--target", "0.4", "--n", "1600"]
    said = simlab(*arguments, "--json")
    assert (said.code, said.errors) == (0, [])
    found = json.loads(said.out)
    assert (found["field"], found["target"], found["value"]) == (BODY, 0.4, 8)
    assert found["between"] == [9, 10]
    assert found["legal"] == [-9, 99]
    values = [each["value"] for each in found["tried"]]
    assert values == sorted(values)
    assert {8, 9, 10, -9, 99} <= set(values)
    text = simlab(*arguments).out
    low, high = (next(each for each in found["tried"] if each["value"] == value) for value in (9, 10))
    assert (
        f"40%: between 9 ({100 * low['win_share_a']:.0f}%) and 10 ({100 * high['win_share_a']:.0f}%)" in text
    )
    assert max(map(len, text.splitlines())) <= 80


def test_no_value_is_said_with_what_there_is(simlab: Shell):
    text = simlab("solve", SHERMAN, "armor.front", "--against", PANTHER, "--n", "640").out
    assert "50%: no value between 0 and 63 does: from " in text


FAULTS = [
    (
        ["armor"],
        "FIELD: found armor, which has 4 numbers, allowed a field of one number; did you mean armor.front?",
    ),
    (["armor.frnt"], "FIELD: found armor.frnt, allowed a number of the sheet"),
    (["name"], "FIELD: found name, allowed a number of the sheet"),
    (["armor.front", "--target", "1.1"], "--target: found 1.1, allowed a number from 0 to 1"),
    (["armor.front", "--target", "x"], "--target: found x, allowed a number from 0 to 1"),
]


@pytest.mark.parametrize(("arguments", "message"), FAULTS, ids=lambda value: str(value)[:40])
def test_faults_are_one_line_and_exit_with_2(simlab: Shell, arguments, message):
    said = simlab("solve", SHERMAN, *arguments, "--against", PANTHER, "--n", "640")
    assert (said.code, said.out, len(said.errors)) == (2, "", 1)
    assert said.errors[0].startswith(message)
