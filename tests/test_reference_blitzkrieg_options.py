"""The plain-Python reference of Blitzkrieg: the optional rules that show at a fixed range."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from reference import blitzkrieg as bk
from reference.cases import after, changed, crossed, shoot
from reference.chance import contest_distribution
from reference.sherman import sherman


@pytest.mark.rule("BK-50", "BK-51", "BK-52")
@pytest.mark.parametrize(
    ("dsp", "distance", "letters"),
    [
        ("coin", 14, "HL"),
        ("mid", 14, "M"),
        ("always_high", 14, "H"),
        ("three", 14, "HML"),
        ("by_range", 12, "H"),
        ("by_range", 12.5, "M"),
        ("by_range", 24, "M"),
        ("by_range", 24.5, "L"),
    ],
)
def test_levels(dsp: str, distance: float, letters: str) -> None:
    sums = {"H": (5, 4, 3), "M": (4, 3, 2), "L": (3, 2, 1)}
    for letter in letters:
        given = None if len(letters) == 1 else letter
        _, record = shoot(bk.Given(9, given, 1), dsp=dsp, distance=distance)
        assert record.sums == sums[letter]
    if letters == "HL":
        with pytest.raises(ValueError, match="level"):
            shoot(bk.Given(9, "M", 1), dsp=dsp, distance=distance)


@pytest.mark.rule("BK-53")
def test_snake_eyes() -> None:
    easy = changed(sherman(), defense__ballistic={"front_back": -9, "sides": -9})

    def verdict(rolled: Any, shooter_state: bk.State | None = None, **options: Any) -> str | None:
        given = bk.Given(rolled, "L", 1)
        return shoot(given, target=easy, shooter_state=shooter_state, **options)[1].verdict

    assert verdict((1, 1)) == "hit"
    assert verdict((1, 1), snake_eyes_miss=True) == "snake_eyes"
    assert verdict((1, 2), snake_eyes_miss=True) == "hit"
    assert verdict((6, 6, 1, 1), snake_eyes_miss=True) == "hit"
    assert verdict((6, 6, 1, 1), snake_eyes_miss=True, snake_scope="any") == "snake_eyes"
    assert verdict(1, crossed(14), snake_eyes_miss=True, snake_scope="any") == "hit"
    assert verdict(1, crossed(14), snake_eyes_miss=True, snake_one_die="one") == "snake_eyes"
    assert verdict(2, crossed(14), snake_eyes_miss=True, snake_one_die="one") == "hit"
    assert verdict((1, 1), snake_scope="any") == "hit"


@pytest.mark.rule("BK-54")
def test_lucky_shot() -> None:
    def sums(rolled: Any, **options: Any) -> tuple[int, int, int]:
        return shoot(bk.Given(rolled, "L", 1, [(1, 1)] * 4), lucky_shot=True, **options)[1].sums

    assert sums((5, 4)) == (3, 2, 1)
    assert sums((6, 6, 1, 1)) == (8, 6, 2)
    assert sums((6, 6, 6, 6, 1, 1)) == (8, 6, 2)
    assert sums((6, 6, 6, 6, 1, 1), lucky_repeat="each") == (16, 12, 4)


@pytest.mark.rule("BK-55", "BK-68", "BK-69")
def test_instant_death() -> None:
    hard = changed(sherman(), defense__ballistic={"front_back": 99, "sides": 99})
    hard["defense"]["anti_personnel"] = {"front_back": 99, "sides": 99}
    twice = (6, 6, 6, 6, 1, 1)
    assert shoot(bk.Given(twice), target=hard)[0].cause is None
    assert shoot(bk.Given((6, 6, 5, 6)), target=hard, instant_death=True)[0].cause is None
    options: dict[str, Any] = {"instant_death": True, "snake_eyes_miss": True, "snake_scope": "any"}
    state, record = shoot(bk.Given(twice), target=hard, **options)
    assert (state.cause, record.verdict, record.destroyed) == ("instant_death", "instant_death", True)
    assert (state.armor, state.crossed) == ((6, 2, 2, 1), frozenset())
    assert bk.figures(hard, state)["catastrophic_kill"]


@pytest.mark.rule("BK-60", "BK-61", "BK-67", "BK-70")
@pytest.mark.parametrize(
    ("options", "distance", "thr"),
    [
        ({}, 1, 8),
        ({"immobile_targets": True}, 14, 5),
        ({"immobile_targets": True, "moved_b": True}, 14, 9),
        ({"immobile_targets": True, "moved_a": True}, 14, 5),
        ({"point_blank": True}, 1, 4),
        ({"point_blank": True}, 1.5, 8),
        ({"point_blank": True, "half_round": "down"}, 1, 3),
        ({"point_blank": True, "immobile_targets": True}, 1, 2),
        ({"point_blank": True, "immobile_targets": True, "half_round": "down"}, 1, 1),
        ({"point_blank": True, "immobile_targets": True, "halving_stack": "once"}, 0.5, 4),
    ],
)
def test_halved_defence(options: dict[str, Any], distance: float, thr: int) -> None:
    target = changed(sherman(), defense__ballistic={"front_back": 9, "sides": 4})
    _, record = shoot(bk.Given(2, "L", 1), target=target, distance=distance, **options)
    assert dict(record.thresholds)[0] == thr


@pytest.mark.rule("BK-64")
def test_zeroing_in() -> None:
    sheet = changed(
        sherman(), gunners__0__skill=2, armor__front=63, shock_threshold=99, penetration__front=63
    )
    options = {"zeroing_in": True}
    state = bk.fresh(sheet)
    for running in (1, 2, 2):
        pairs = bk.turn_distribution(sheet, state, sheet, state, 14, options=options)
        assert {later.zeroed for later, _ in pairs} == {((0, running), (None, 0))}
        state = after(state, zeroed=((0, running), (None, 0)))
    _, record = bk.volley(sheet, state, 0, sheet, bk.fresh(sheet), False, "front", 14, options, bk.Given(2))
    assert dict(record.thresholds)[0] == 8 + 1 - 2 - 2
    _, other = bk.volley(
        sheet, state, 0, sheet, bk.fresh(sheet), False, "front", 14, options, bk.Given(2), target_id=1
    )
    assert dict(other.thresholds)[0] == 8 + 1 - 2
    assert bk.fresh(sheet).zeroed == ((None, 0), (None, 0))
    pairs = bk.turn_distribution(sheet, state, sheet, state, 14)
    assert {later.zeroed for later, _ in pairs} == {((None, 0), (None, 0))}


@pytest.mark.rule("BK-60")
def test_hull_down_is_the_other_name_of_one_switch() -> None:
    for name in ("immobile_targets", "hull_down"):
        settings = bk.settle({name: True})
        assert settings["immobile_targets"] is settings["hull_down"] is True


@pytest.mark.rule("BK-11", "BK-12", "BK-15", "BK-26")
def test_house_numbers() -> None:
    def needed(distance: float, **constants: Any) -> int:
        _, record = shoot(bk.Given(2), distance=distance, constants=constants)
        return dict(record.thresholds)[0]

    assert [needed(12), needed(12, range_step=6), needed(29.4, range_step=4.9)] == [8, 9, 13]
    sheet = sherman()
    able = bk.capability(sheet, bk.fresh(sheet), "a", 20, {"constants": {"ap_reach": 19}})
    assert able.gunners[0].weapons == (0,)
    flat = bk.to_hit_total_distribution(2, exploding=False)
    assert (sum(flat.values()), flat[12], max(flat)) == (1, Fraction(1, 36), 12)
    for lead, pairs in ((1, 190), (0, 210), (20, 0), (-19, 400)):
        dist = contest_distribution(lead)
        assert sum(weight for faces, weight in dist.items() if faces[0] - faces[1] >= lead) == Fraction(
            pairs, 400
        )
        assert sum(dist.values()) == 1
    for constants in ({"range": 6}, {"exploding": 1}, {"contest_lead": 1.5}):
        with pytest.raises(ValueError, match="constant"):
            bk.settle({"constants": constants})


def test_unknown_readings_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown reading 'skipp'"):
        bk.settle({"skipp": "crossed"})
    with pytest.raises(ValueError, match="skip has no value"):
        bk.settle({"skip": "none"})
    assert bk.settle({"lucky_shot": "yes"})["lucky_shot"] is True
    assert bk.settle({"pintle_policy": "always", "pintle_policy_b": "never"})["pintle_policy_a"] == "always"
