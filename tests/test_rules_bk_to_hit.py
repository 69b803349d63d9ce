"""Who fires, with what, and when it hits: BK-11 to BK-16, BK-67."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from bench import SHERMAN, Duel, tell

from simlab.dice import sampled
from simlab.dice.words import mix
from simlab.rules.blitzkrieg.kernel import layout

TWO_GUNNERS = {"pintle_policy_a": "always"}


@pytest.mark.rule("BK-11")
@pytest.mark.parametrize(
    ("dice", "hits"),
    [
        ("3+4", ()),
        ("4+4/L", ("cannon",)),
        ("5+6/L", ("cannon",)),
        ("6+6+1+1/L", ("cannon", "coaxial")),
    ],
)
def test_one_roll_for_all_weapons_of_a_gunner(dice: str, hits: tuple[str, ...]) -> None:
    assert Duel().shoot(dice).hits == hits


@pytest.mark.rule("BK-11")
def test_each_gunner_rolls_for_himself() -> None:
    duel = Duel(turns=1, **TWO_GUNNERS)
    told = duel.told("3+4 6+6+1+2/L 1+1")
    assert [(event.unit, event.gunner) for event in told.events] == [(0, 0), (0, 1), (1, 0)]
    assert [event.throw.total for event in told.events] == [7, 15, 2]
    assert [event.note & 1 for event in told.events] == [0, 1, 0]


@pytest.mark.rule("BK-11", "BK-13")
def test_box_cars_are_rolled_on_as_long_as_they_come() -> None:
    duel = Duel(SHERMAN, SHERMAN.replaced(**{"defense.ballistic.front_back": 27}))
    assert duel.number("cannon") == 27
    assert duel.shoot("6+6+6+6+1+2/L").hits == ("cannon", "coaxial")
    assert duel.shoot("6+6+6+6+1+1/L").hits == ("coaxial",)


@pytest.mark.rule("BK-12")
def test_the_book_s_example() -> None:
    duel = Duel(distance=14)
    assert [duel.number("cannon"), duel.number("coaxial")] == [8, 13]
    assert duel.shoot("4+5/L").hits == ("cannon",)


@pytest.mark.rule("BK-12")
@pytest.mark.parametrize(
    ("distance", "more"), [(0, 0), (11.99, 0), (12, 1), (23.99, 1), (24, 2), (30, 2), (61, 5)]
)
def test_every_full_twelve_inches_make_it_harder_by_one(distance: float, more: int) -> None:
    assert Duel(distance=distance).number("cannon") == 8 - 1 + more


@pytest.mark.rule("BK-12", "BK-67")
@pytest.mark.parametrize(("defence", "skill"), [(-9, 9), (0, 3), (2, 1)])
def test_there_is_no_floor(defence: int, skill: int) -> None:
    target = SHERMAN.replaced(**{"defense.ballistic.front_back": defence, "defense.ballistic.sides": defence})
    duel = Duel(SHERMAN.replaced(**{"gunners.0.skill": skill}), target, distance=0)
    assert duel.shoot("1+1/L").hits == ("cannon",)
    blind = duel.body("a", crossed=[14])
    assert duel.shoot("1/L", own=blind).hits == (("cannon",) if defence - skill <= 1 else ())


def chance_to_hit(number: int) -> float:
    """Of the Sherman's cannon when the to-hit number is this one."""
    target = SHERMAN.replaced(
        **{"defense.ballistic.front_back": number, "defense.anti_personnel.front_back": 99}
    )
    outcomes = Duel(SHERMAN, target).outcomes()
    return float(outcomes.weights[outcomes.notes & np.uint64(1) != 0].sum())


@pytest.mark.rule("BK-13")
@pytest.mark.parametrize(
    ("numbers", "chance"),
    [
        ((8,), Fraction(15, 36)),
        ((12, 13, 14), Fraction(1, 36)),
        ((15,), Fraction(35, 1296)),
        ((24, 25, 26), Fraction(1, 1296)),
        ((27,), Fraction(35, 36**3)),
    ],
)
def test_totals_of_twelve_and_thirteen_never_stand(numbers: tuple[int, ...], chance: Fraction) -> None:
    for number in numbers:
        assert chance_to_hit(number) == pytest.approx(float(chance), abs=1e-15)


def sampled_totals(count: int) -> Iterator[int]:
    """Totals of the sampler's dice, 6-6 first: the first 32 bits of a word are its two dice."""
    with np.errstate(over="ignore"):
        for number in range(count):
            word = mix(np.uint64(number)) | np.uint64(0xFFFF << 48)
            yield int(sampled.draw_exploding(word, np.uint64(100)))


@pytest.mark.rule("BK-11", "BK-13")
def test_the_sampler_rolls_box_cars_on() -> None:
    totals = list(sampled_totals(400))
    assert min(totals) >= 14
    assert not {24, 25, 36, 37} & set(totals)
    assert max(totals) > 25


ASPECTS = [
    ("front", 8, "front", 1),
    ("rear", 8, "back", 6),
    ("front_left", 4, "left", 2),
    ("rear_left", 4, "left", 4),
    ("front_right", 4, "right", 3),
    ("rear_right", 4, "right", 5),
]


@pytest.mark.rule("BK-14")
@pytest.mark.parametrize(("aspect", "number", "face", "factor"), ASPECTS)
def test_an_aspect_has_its_defence_armour_and_factor(
    aspect: str, number: int, face: str, factor: int
) -> None:
    armor = {"front": 9, "left": 10, "right": 11, "back": 12}
    factors = {f"penetration.{name}": value for name, _, _, value in ASPECTS}
    target = SHERMAN.replaced(armor=armor, internal_amount=[None] * 9 + [99], **factors)
    duel = Duel(SHERMAN.replaced(**{"weapons.cannon.low": [2, 0, 9]}), target, aspect=aspect)
    assert duel.number("cannon") == number
    shot = duel.shoot("4+5/L" if number == 8 else "1+3/L")
    assert shot.armor == {**armor, face: armor[face] - 2}
    assert shot.points == (0, 0, 9 - factor)


@pytest.mark.rule("BK-15")
@pytest.mark.parametrize(
    ("distance", "reaches"), [(0, True), (29.9, True), (30, True), (30.001, False), (48, False)]
)
def test_machine_guns_reach_thirty_inches(distance: float, reaches: bool) -> None:
    weapons = Duel(distance=distance).condition("a").weapons
    assert weapons == (("cannon", "coaxial") if reaches else ("cannon",))


@pytest.mark.rule("BK-15")
def test_a_weapon_s_own_range_counts() -> None:
    own = SHERMAN.replaced(**{"weapons.cannon.max_range": 20, "weapons.coaxial.max_range": 40})
    assert Duel(own, distance=20).condition("a").weapons == ("cannon", "coaxial")
    assert Duel(own, distance=36).condition("a").weapons == ("coaxial",)
    assert Duel(own, distance=48).condition("a").weapons == ()


@pytest.mark.rule("BK-15")
def test_reading_mg_range() -> None:
    """Unlimited lifts the thirty inches that a sheet has by default, and no range that it prints."""
    printed = SHERMAN.replaced(**{"weapons.coaxial.max_range": 30})
    found = {
        (name, value): Duel(sheet, distance=31, mg_range=value).condition("a").weapons
        for name, sheet in (("default", SHERMAN), ("printed", printed))
        for value in ("hard", "unlimited")
    }
    assert found == {
        ("default", "hard"): ("cannon",),
        ("default", "unlimited"): ("cannon", "coaxial"),
        ("printed", "hard"): ("cannon",),
        ("printed", "unlimited"): ("cannon",),
    }


@pytest.mark.rule("BK-16")
@pytest.mark.parametrize("dice", ["1+2", "4+5/L"])
def test_every_weapon_of_a_volley_spends_a_round_hit_or_miss(dice: str) -> None:
    short = SHERMAN.replaced(**{"weapons.cannon.ammo": 1, "weapons.coaxial.ammo": 2})
    unarmed = SHERMAN.replaced(**{f"weapons.{name}.ammo": 0 for name in SHERMAN.weapons})
    told = tell([short], [unarmed], f"{dice} 1+2", turns=4)
    weapons = [event.ability & int(layout.WEAPON_MASK) for event in told.events]
    assert weapons == [0b11, 0b10]


@pytest.mark.rule("BK-16")
def test_rounds_are_counted_by_weapon() -> None:
    short = SHERMAN.replaced(**{"weapons.cannon.ammo": 3, "weapons.coaxial.ammo": 1})
    duel = Duel(short, turns=9)
    memory = duel.spent()
    assert duel.condition("a", memory=memory).weapons == ("cannon",)
    memory = duel.spent(memory)
    assert duel.condition("a", memory=memory).weapons == ("cannon",)
    assert duel.condition("a", memory=duel.spent(memory)).weapons == ()


@pytest.mark.rule("BK-67")
@pytest.mark.parametrize(("policy", "number"), [("never", 13), ("always", 8)])
def test_anti_personnel_weapons_roll_against_the_ballistic_value_of_open_hatches(
    policy: str, number: int
) -> None:
    duel = Duel(pintle_policy_b=policy)
    assert duel.number("coaxial") == number
    assert duel.number("cannon") == 8


@pytest.mark.rule("BK-67")
def test_range_and_skill_come_after_the_defence_value() -> None:
    shooter = SHERMAN.replaced(**{"gunners.0.skill": -4})
    assert Duel(shooter, distance=36, aspect="rear_left").number("cannon") == 4 + 3 + 4
    assert Duel(distance=999).number("cannon") == 8 + 83 - 1
