"""The plain-Python reference of Blitzkrieg: to hit, damage and the manifest, by the book's examples."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from reference import blitzkrieg as bk
from reference.cases import LINES_3, after, changed, crossed, one_hit, shoot, two_guns
from reference.sherman import sherman


@pytest.mark.rule("BK-11", "BK-13")
def test_tail_of_the_exploding_total() -> None:
    totals = bk.to_hit_total_distribution(2)

    def tail(needed: int) -> Fraction:
        return sum((weight for total, weight in totals.items() if total >= needed), Fraction(0))

    assert sum(totals.values()) == 1
    assert tail(8) == Fraction(15, 36)
    assert tail(12) == tail(13) == tail(14) == Fraction(1, 36)
    assert tail(15) == Fraction(35, 1296)
    assert tail(24) == tail(25) == tail(26) == Fraction(1, 1296)
    assert not {12, 13, 24, 25} & set(totals)
    assert max(totals) == bk.TOP_TOTAL == 17 * 12
    assert bk.to_hit_total_distribution(1) == {face: Fraction(1, 6) for face in range(1, 7)}
    assert bk.to_hit_total_distribution(0) == {0: 1}


@pytest.mark.rule("BK-12")
def test_book_example_at_14_inches() -> None:
    state, record = shoot(bk.Given((4, 5), "L"))
    assert dict(record.thresholds) == {0: 8, 1: 13}
    assert record.total == 9
    assert record.hits == (0,)
    assert record.weapons == (0, 1)
    assert record.sums == (3, 2, 1)
    assert state == after(bk.fresh(sherman()), armor=(3, 2, 2, 1))


@pytest.mark.rule("BK-12")
@pytest.mark.parametrize(("distance", "more"), [(0, 0), (11.99, 0), (12, 1), (23.5, 1), (24, 2), (60, 5)])
def test_range_counts_full_feet(distance: float, more: int) -> None:
    _, record = shoot(bk.Given(2), distance=distance)
    assert dict(record.thresholds)[0] == 7 + more


@pytest.mark.rule("BK-11")
def test_box_cars_are_rolled_on() -> None:
    _, record = shoot(bk.Given((6, 6, 1, 2), "L"))
    assert record.total == 15
    assert record.hits == (0, 1)


@pytest.mark.rule("BK-13")
@pytest.mark.parametrize("rolled", [12, 13, 24, 1, (6, 6), (4, 5, 1, 1), (3,), (6, 6, 3)])
def test_totals_that_cannot_stand(rolled: Any) -> None:
    with pytest.raises(ValueError, match=r"never stands|is no roll|goes on"):
        shoot(bk.Given(rolled, "L"))


@pytest.mark.rule("BK-14")
@pytest.mark.parametrize(
    ("aspect", "thr", "face", "factor"),
    [
        ("front", 8, 0, 1),
        ("front_left", 4, 1, 2),
        ("front_right", 4, 2, 3),
        ("rear_left", 4, 1, 4),
        ("rear_right", 4, 2, 5),
        ("rear", 8, 3, 6),
    ],
)
def test_aspect_picks_defence_armour_and_factor(aspect: str, thr: int, face: int, factor: int) -> None:
    factors = {name: place for place, name in enumerate(bk.ASPECTS, start=1)}
    target = changed(sherman(), penetration=factors, armor={"front": 9, "left": 9, "right": 9, "back": 9})
    shooter = changed(sherman(), weapons__cannon__high=[1, 0, 10])
    dice = bk.Given(8, "H", 1, [(1, 1)] * 9)
    state, record = shoot(dice, target=target, shooter=shooter, aspect=aspect)
    assert dict(record.thresholds)[0] == thr
    assert [place for place in range(4) if state.armor[place] == 8] == [face]
    assert record.points == (0, 0, 10 - factor)


@pytest.mark.rule("BK-15")
def test_machine_guns_reach_30_inches() -> None:
    sheet = sherman()

    def weapons(distance: float, **options: Any) -> tuple[int, ...]:
        return bk.capability(sheet, bk.fresh(sheet), "a", distance, options).gunners[0].weapons

    assert weapons(30) == (0, 1)
    assert weapons(30.01) == (0,)
    assert weapons(900, mg_range="unlimited") == (0, 1)
    sheet["weapons"]["coaxial"]["max_range"] = 20
    assert weapons(20, mg_range="unlimited") == (0, 1)
    assert weapons(20.5, mg_range="unlimited") == (0,)
    sheet["weapons"]["cannon"]["max_range"] = 10.5
    assert weapons(10.5) == (0, 1)
    assert weapons(11) == (1,)


@pytest.mark.rule("BK-16", "BK-68")
def test_every_weapon_of_a_volley_spends_a_round() -> None:
    sheet = changed(sherman(), weapons__coaxial__ammo=1)
    fresh = bk.fresh(sheet)
    harmless = changed(one_hit(99), weapons__cannon__ammo=0)
    pairs = bk.turn_distribution(sheet, fresh, harmless, bk.fresh(harmless), 14)
    (later,) = {state for state, _ in pairs}
    assert later.rounds == (35, 0, 19)
    assert bk.capability(sheet, later, "a", 14).gunners[0].weapons == (0,)


@pytest.mark.rule("BK-17", "BK-18", "BK-19", "BK-20", "BK-21", "BK-22")
@pytest.mark.parametrize(
    ("aspect", "points", "lines", "left"),
    [
        ("front", (0, 1, 3), 5, (0, 2, 2, 1)),
        ("front_left", (4, 1, 4), bk.DEAD, (6, 0, 2, 1)),
        ("rear_right", (4, 1, 4), bk.DEAD, (6, 2, 0, 1)),
        ("rear", (5, 1, 4), bk.DEAD, (6, 2, 2, 0)),
    ],
)
def test_two_weapons_of_low_3_2_2(
    aspect: str, points: tuple[int, int, int], lines: int, left: tuple[int, ...]
) -> None:
    state, record = shoot(bk.Given(8, "L", 1, [(1, 1)] * 9), shooter=two_guns(), aspect=aspect)
    assert record.sums == (6, 4, 4)
    assert record.points == points
    assert record.lines == lines
    assert state.armor == left
    assert state.cause == ("dead_column" if lines == bk.DEAD else None)
    assert (state.crossed == frozenset()) == (lines == bk.DEAD)


@pytest.mark.rule("BK-5", "BK-22")
def test_internal_chart() -> None:
    chart = sherman()["internal_amount"]
    assert [bk.column(chart, points) for points in range(10)] == [0, 1, 3, 4, 5, 6, 8, 9, 10, 10]
    assert bk.column([3, None, None, None, None, None, None, None, None, 5], 2) == 0


@pytest.mark.rule("BK-18", "BK-21")
def test_armour_stays_worn() -> None:
    worn, _ = shoot(bk.Given(8, "L"))
    state, record = shoot(bk.Given(8, "H", 12, [(1, 1)]), worn)
    assert record.points == (2, 1, 2)
    assert state.armor == (0, 2, 2, 1)


@pytest.mark.rule("BK-23", "BK-26")
def test_six_lines_from_seven() -> None:
    shooter = changed(sherman(), weapons__cannon__low=[0, 0, 6])
    state, record = shoot(bk.Given(8, "L", 7, [(10, 10), (3, 9)]), shooter=shooter)
    assert sum(record.points) == 5
    assert record.crossed == (7, 8, 9, 10, 11, 12)
    assert state.crossed == frozenset(range(7, 13))
    unit = bk.read_sheet(sherman())
    assert [unit.items[place].label() for place in record.lost] == ["weapon 1", "weapon 0", "turret"]
    assert state.rounds == (0, 0, 19)
    assert not record.destroyed


@pytest.mark.rule("BK-23")
def test_crossed_lines_are_skipped_without_using_a_count() -> None:
    _, record = shoot(bk.Given(8, "L", 12, [(1, 1)]), crossed(12, 14, 15), shooter=LINES_3)
    assert record.crossed == (13, 16, 17)


@pytest.mark.rule("BK-23")
@pytest.mark.parametrize(("skip", "lines"), [("crossed", (12, 15, 16)), ("destroyed", (16, 17, 18))])
def test_skip_destroyed_items(skip: str, lines: tuple[int, ...]) -> None:
    _, record = shoot(bk.Given(8, "L", 12, [(1, 1)]), crossed(13, 14), shooter=LINES_3, skip=skip)
    assert record.crossed == lines


@pytest.mark.rule("BK-23")
def test_top_of_the_manifest() -> None:
    dice = bk.Given(8, "L", 19)
    assert shoot(dice, shooter=LINES_3)[1].crossed == (19, 20)
    assert shoot(dice, shooter=LINES_3, manifest_overflow="wrap")[1].crossed == (19, 20, 1)
    all_but_two = crossed(*range(1, 9), *range(10, 19), 20)
    assert shoot(dice, all_but_two, shooter=LINES_3)[1].lost_shot
    few = changed(sherman(), manifest=[{"lines": [1, 2], "item": "other"}, *sherman()["manifest"][5:7]])
    state = after(bk.fresh(few), crossed=frozenset(range(1, 19)) - {9, 10, 11, 7, 8, 3})
    wrapped = shoot(dice, state, shooter=LINES_3, target=few, manifest_overflow="wrap")[1]
    assert wrapped.crossed == (19, 20, 3)
    last = after(state, crossed=frozenset(range(1, 21)) - {7, 9, 2})
    wrapped = shoot(bk.Given(8, "L", 10), last, shooter=LINES_3, target=few, manifest_overflow="wrap")[1]
    assert wrapped.crossed == (2, 7, 9)


@pytest.mark.rule("BK-24")
def test_engine_by_hits() -> None:
    target = changed(sherman(), manifest__1__hits=2)
    options: dict[str, Any] = {"engine_hits": "count"}
    shooter = changed(sherman(), weapons__cannon__low=[0, 0, 2])

    def hit(state: bk.State | None, start: int, **more: Any) -> bk.State:
        return shoot(
            bk.Given(8, "L", start, [(1, 1)]), state, shooter=shooter, target=target, **options, **more
        )[0]

    first = hit(None, 19)
    assert first.engine_hits == (1,)
    assert not bk.figures(target, first, options)["destroyed"]
    assert bk.figures(target, first)["mobility_kill"]
    started_on = hit(first, 19)
    assert started_on.engine_hits == (2,)
    assert started_on.crossed == {19, 20}
    assert hit(first, 18).engine_hits == (1,)
    passed = hit(after(first, crossed=frozenset({19, 18})), 18)
    assert passed.engine_hits == (2,)
    assert bk.figures(target, passed, options)["mobility_kill"]


@pytest.mark.rule("BK-25", "BK-70")
def test_locked_mounts() -> None:
    options = {"pintle_policy": "in_range"}
    turret, pintle = crossed(13), crossed(6)
    able = bk.capability(sherman(), turret, "a", 14, options)
    assert able.unbuttoned
    assert [fire.weapons for fire in able.gunners] == [(0, 1), (2,)]
    silent = bk.capability(sherman(), turret, "a", 14, options | {"duel_lock": "silent"})
    assert [fire.weapons for fire in silent.gunners] == [(), (2,)]
    silent = bk.capability(sherman(), pintle, "a", 14, options | {"duel_lock": "silent"})
    assert not silent.unbuttoned
    assert [fire.weapons for fire in silent.gunners] == [(0, 1), ()]
    assert not bk.figures(sherman(), turret, {"duel_lock": "silent"})["firepower_kill"]
