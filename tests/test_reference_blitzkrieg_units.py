"""The plain-Python reference of Blitzkrieg: bins and fuel, what is left of a unit, pintle weapons."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from reference import blitzkrieg as bk
from reference.cases import changed, crossed, shoot
from reference.sherman import sherman


@pytest.mark.rule("BK-26")
def test_contest_odds() -> None:
    assert {(20, 1): Fraction(190, 400), (1, 20): Fraction(210, 400)} == bk.CONTESTS


@pytest.mark.rule("BK-26", "BK-68", "BK-69")
def test_contests_from_the_lowest_line_until_one_explodes() -> None:
    shooter = changed(sherman(), weapons__cannon__low=[0, 0, 7])
    dice = bk.Given(8, "L", 4, [(5, 5), (2, 19), (7, 6)])
    state, record = shoot(dice, shooter=shooter)
    assert record.crossed == tuple(range(4, 12))
    assert [place for place, _, _ in record.contests] == [3, 4, 5]
    assert dice.used_contests == 3
    assert state.cause == "explosion"
    assert record.exploded
    marks = bk.figures(sherman(), state)
    assert marks["catastrophic_kill"]
    assert marks["firepower_kill"]
    assert not marks["crew_kill"]
    with pytest.raises(ValueError, match="contest 2"):
        shoot(bk.Given(8, "L", 4, [(5, 5)]), shooter=shooter)
    _, once = shoot(bk.Given(8, "L", 4, [(5, 5)]), shooter=shooter, explosion_rolls="per_volley")
    assert once.contests == ((3, 5, 5),)
    assert once.destroyed  # by the loss of all weapons


@pytest.mark.rule("BK-26")
def test_later_volleys_at_the_same_fuel() -> None:
    one_line = changed(sherman(), weapons__cannon__low=[0, 0, 2])
    dice = bk.Given(8, "L", 17, [(9, 3)])
    assert shoot(dice, crossed(16), shooter=one_line)[1].contests == ()
    again = shoot(dice, crossed(16), shooter=one_line, explosion_repeat="each_volley")[1]
    assert again.contests == ((8, 9, 3),)
    assert again.exploded


@pytest.mark.rule("BK-26")
@pytest.mark.parametrize(("empty_bin", "contests"), [("explodes", 1), ("inert", 0)])
def test_empty_bin(empty_bin: str, contests: int) -> None:
    one_line = changed(sherman(), weapons__cannon__low=[0, 0, 2])
    state = crossed(rounds=(0, 19, 19))
    _, record = shoot(bk.Given(8, "L", 10, [(1, 1)]), state, shooter=one_line, empty_bin=empty_bin)
    assert len(record.contests) == contests
    _, fuel = shoot(bk.Given(8, "L", 17, [(1, 1)]), state, shooter=one_line, empty_bin=empty_bin)
    assert len(fuel.contests) == 1


@pytest.mark.rule("BK-26")
def test_bin_lines() -> None:
    one_line = changed(sherman(), weapons__cannon__low=[0, 0, 2])

    def lines(reading: str) -> set[int]:
        found = set()
        for start in range(1, 21):
            dice = bk.Given(8, "L", start, [(1, 1)])
            if shoot(dice, shooter=one_line, bin_in_box=reading)[1].contests:
                found.add(start)
        return found

    assert lines("box") == {6, 7, 8, 9, 10, 11, 16, 17, 18}
    assert lines("line") == {6, 7, 10, 16, 17, 18}


@pytest.mark.rule("BK-26", "BK-29")
def test_lost_bin() -> None:
    one_line = changed(sherman(), weapons__cannon__low=[0, 0, 2])
    dice = bk.Given(8, "L", 6, [(4, 4)] * 3)
    state, _ = shoot(dice, shooter=one_line)
    assert state.rounds == (36, 19, 0)
    assert bk.capability(sherman(), state, "a", 14, {"pintle_policy": "always"}).unbuttoned is False
    armed = crossed(5, 7, 9, 6, rounds=(36, 19, 0))
    assert bk.figures(sherman(), armed)["firepower_kill"]
    assert not bk.figures(sherman(), crossed(7, 9, 6, rounds=(0, 0, 0)))["firepower_kill"]
    kept, _ = shoot(dice, shooter=one_line, lost_bin="none")
    assert kept.rounds == (36, 19, 19)
    unnamed = sherman()
    del unnamed["manifest"][7]["weapon"]
    assert shoot(dice, shooter=one_line, target=unnamed)[0].rounds == (36, 19, 19)
    bin_only = changed(sherman(), manifest__7={"lines": [6], "item": "ammo_bin", "weapon": "pintle_mg"})
    assert shoot(bk.Given(8, "L", 6, [(4, 4)]), shooter=one_line, target=bin_only)[0].rounds[2] == 0


@pytest.mark.rule("BK-27")
def test_periscope_and_lost_dice() -> None:
    blind = crossed(15)

    def dice(state: bk.State, causes: int = 0, **options: Any) -> list[int]:
        able = bk.capability(sherman(), state, "a", 14, {"pintle_policy": "always"} | options, causes)
        return [fire.dice for fire in able.gunners]

    assert dice(crossed()) == [2, 2]
    assert dice(blind) == [1, 1]
    assert dice(blind, periscope_scope="enclosed") == [1, 2]
    assert dice(blind, 1) == [1, 1]
    assert dice(blind, 1, one_die="none_left") == [0, 0]
    assert dice(blind, 1, one_die="none_left", periscope_scope="enclosed") == [0, 1]


@pytest.mark.rule("BK-27", "BK-11")
def test_single_die_meets_the_same_thr() -> None:
    near: dict[str, Any] = {"shooter_state": crossed(14), "aspect": "front_left", "distance": 6}
    hit = shoot(bk.Given(3, "L", 1), **near)[1]
    assert (hit.dice, dict(hit.thresholds)[0], hit.hits) == (1, 3, (0,))
    assert shoot(bk.Given((2,)), **near)[1].verdict == "miss"
    six = shoot(bk.Given(6, "L", 1), **near, lucky_shot=True, instant_death=True)[1]
    assert (six.verdict, six.factor) == ("hit", 1)


@pytest.mark.rule("BK-28", "BK-29", "BK-69")
@pytest.mark.parametrize(
    ("lines", "holds"),
    [
        ((), ""),
        ((20,), "crew"),
        ((19,), "mobility"),
        ((3,), ""),
        ((3, 2), "mobility"),
        ((5, 7, 9), "firepower"),
        ((7, 9), ""),
        ((5, 7, 9, 19), "mobility firepower"),
        ((12, 14, 16, 6), ""),
    ],
)
def test_loss_of_function(lines: tuple[int, ...], holds: str) -> None:
    state = crossed(*lines)
    marks = bk.figures(sherman(), state)
    assert {name: marks[f"{name}_kill"] for name in ("crew", "mobility", "firepower", "catastrophic")} == {
        name: name in holds for name in ("crew", "mobility", "firepower", "catastrophic")
    }
    destroyed = {
        reading: bk.figures(sherman(), state, {"loss_of_function": reading})["destroyed"]
        for reading in ("any", "all", "firepower", "crew")
    }
    assert destroyed == {
        "any": holds != "",
        "all": holds in ("crew", "mobility firepower"),
        "firepower": "crew" in holds or "firepower" in holds,
        "crew": holds == "crew",
    }


@pytest.mark.rule("BK-28", "BK-29")
def test_treads() -> None:
    assert bk.figures(sherman(), crossed(3), {"immobile": "one_tread"})["destroyed"]
    single = changed(sherman(), manifest=sherman()["manifest"][:-1])
    assert bk.figures(single, crossed(3))["mobility_kill"]
    none = changed(sherman(), manifest=sherman()["manifest"][:-2])
    assert not bk.figures(none, crossed(1, 2, 3, 4), {"immobile": "one_tread"})["mobility_kill"]


@pytest.mark.rule("BK-29")
def test_weapon_off_the_manifest_is_never_lost() -> None:
    sheet = changed(sherman(), weapons__pintle_mg__off_manifest=True)
    del sheet["manifest"][8]
    assert not bk.figures(sheet, crossed(*range(5, 12)))["firepower_kill"]


@pytest.mark.rule("BK-31")
def test_pintle_policy() -> None:
    def able(distance: float, state: bk.State | None = None, **options: Any) -> bk.Capability:
        return bk.capability(sherman(), state or bk.fresh(sherman()), "b", distance, options)

    assert not able(14).unbuttoned
    assert not able(14, pintle_policy_a="always").unbuttoned
    assert able(14, pintle_policy_b="in_range").gunners[1].weapons == (2,)
    assert not able(31, pintle_policy_b="in_range").unbuttoned
    far = able(31, pintle_policy="always")
    assert far.unbuttoned
    assert far.gunners[1].weapons == ()
    assert not able(14, crossed(5), pintle_policy="always").unbuttoned
    assert not able(14, crossed(rounds=(1, 1, 0)), pintle_policy="always").unbuttoned


@pytest.mark.rule("BK-31", "BK-67")
def test_shooting_at_the_unbuttoned() -> None:
    shooter = changed(sherman(), weapons__coaxial__low=[1, 4, 0])
    for reading, over in (("separate", 2 + 1), ("pooled", 2 + 4)):
        dice = bk.Given(8, "L", 12, [(1, 1)])
        _, record = shoot(dice, shooter=shooter, unbuttoned=True, unbuttoned_mix=reading)
        assert dict(record.thresholds) == {0: 8, 1: 8}
        assert record.points == (0, over, 0)
    mg_only: dict[str, Any] = {
        "shooter_state": crossed(rounds=(0, 19, 19)),
        "shooter": shooter,
        "unbuttoned": True,
    }
    for reading in ("separate", "pooled"):
        _, record = shoot(bk.Given(8, "L", 12), **mg_only, unbuttoned_mix=reading)
        assert record.points == (0, 1, 0)
    _, buttoned = shoot(bk.Given(14, "L", 12, [(1, 1)]), shooter=shooter)
    assert buttoned.points == (0, 3, 0)
