"""Optional rules that show at a fixed range: BK-50 to BK-55, BK-60, BK-61, BK-64."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from bench import SHERMAN, Duel, tell

from simlab.rules.blitzkrieg.kernel import layout
from simlab.rules.blitzkrieg.system import SYSTEM

BARE: dict[str, Any] = {"internal_amount": [None] * 9 + [99], "armor.front": 63}
"""A unit whose armour shows the damage of every volley."""
LUCK = {"lucky_shot": True}
SNAKE = {"snake_eyes_miss": True}


def damages(distance: float = 14.0, **readings: Any) -> dict[int, Fraction]:
    """Damage of the Sherman's cannon when it hits, by its levels 5, 4, 3, and how likely each is."""
    silent = SHERMAN.replaced(**{"weapons.coaxial.ammo": 0})
    outcomes = Duel(silent, SHERMAN.replaced(**BARE), distance=distance, **readings).outcomes()
    hit = outcomes.notes & np.uint64(1) != 0
    left = (outcomes.bodies[hit] >> np.uint64(layout.ARMOR_SHIFT)) & layout.ARMOR_MASK
    shares = outcomes.weights[hit] / outcomes.weights[hit].sum()
    return {
        63 - int(armor): Fraction(float(shares[left == armor].sum())).limit_denominator(1000)
        for armor in np.unique(left)[::-1]
    }


# How the level is chosen


@pytest.mark.rule("BK-50")
@pytest.mark.parametrize(("dsp", "damage"), [("mid", 4), ("always_high", 5)])
def test_without_a_coin_the_level_is_fixed(dsp: str, damage: int) -> None:
    for distance in (6, 14, 36):
        assert damages(distance, dsp=dsp) == {damage: 1}


@pytest.mark.rule("BK-51")
def test_a_d3_chooses_among_three_levels() -> None:
    third = Fraction(1, 3)
    assert damages(dsp="three") == {3: third, 4: third, 5: third}


@pytest.mark.rule("BK-52")
@pytest.mark.parametrize(("distance", "damage"), [(0, 5), (12, 5), (12.01, 4), (24, 4), (24.01, 3), (40, 3)])
def test_the_range_chooses_the_level(distance: float, damage: int) -> None:
    assert damages(distance, dsp="by_range") == {damage: 1}


@pytest.mark.rule("BK-50", "BK-51", "BK-52")
def test_reading_dsp() -> None:
    half = Fraction(1, 2)
    assert damages(dsp="coin") == {3: half, 5: half}
    chosen = {dsp: set(damages(dsp=dsp)) for dsp in ("mid", "always_high", "three", "by_range")}
    assert chosen == {"mid": {4}, "always_high": {5}, "three": {3, 4, 5}, "by_range": {4}}


# What the first roll shows

EASY = SHERMAN.replaced(
    **{f"defense.{kind}.front_back": -9 for kind in ("ballistic", "anti_personnel")}, **BARE
)
"""Every roll hits it."""


def hits(dice: str, *, blind: bool = False, target: Any = EASY, **readings: Any) -> tuple[str, ...]:
    """The weapons that hit; of the shooter without periscope where he is `blind`."""
    duel = Duel(SHERMAN, target, **readings)
    return duel.shoot(dice, own=duel.body("a", crossed=[14]) if blind else None).hits


@pytest.mark.rule("BK-53")
def test_reading_snake_eyes_miss() -> None:
    """1-1 misses with all weapons whatever they need; other low rolls hit."""
    assert hits("1+1/L") == ("cannon", "coaxial")
    assert hits("1+1", **SNAKE) == ()
    assert hits("1+2/L", **SNAKE) == ("cannon", "coaxial")


@pytest.mark.rule("BK-53")
def test_reading_snake_scope() -> None:
    """Only the first roll counts, or any that is rolled on as well."""
    hard = EASY.replaced(**{"defense.ballistic.front_back": 50})
    assert hits("6+6+1+1/L", target=hard, **SNAKE) == ("coaxial",)
    assert hits("6+6+1+1", target=hard, **SNAKE, snake_scope="any") == ()
    assert hits("6+6+1+2/L", target=hard, **SNAKE, snake_scope="any") == ("coaxial",)
    assert hits("1+1", target=hard, **SNAKE, snake_scope="any") == ()


@pytest.mark.rule("BK-53")
def test_reading_snake_one_die() -> None:
    """A single die that shows 1 is no snake-eyes, or is."""
    assert hits("1/L", blind=True, **SNAKE) == ("cannon", "coaxial")
    assert hits("1", blind=True, **SNAKE, snake_one_die="one") == ()
    assert hits("2/L", blind=True, **SNAKE, snake_one_die="one") == ("cannon", "coaxial")


@pytest.mark.rule("BK-53")
def test_snake_eyes_take_a_36th() -> None:
    outcomes = Duel(SHERMAN, EASY, **SNAKE).outcomes()
    missed = outcomes.weights[outcomes.notes == 0].sum()
    assert missed == pytest.approx(1 / 36, abs=1e-15)


def worn(dice: str, *, blind: bool = False, **readings: Any) -> int:
    """Armour points that a volley of cannon (low 3) and coaxial (low 1) wears off."""
    duel = Duel(SHERMAN, EASY, **readings)
    shot = duel.shoot(dice, own=duel.body("a", crossed=[14]) if blind else None)
    return 63 - shot.armor["front"]


@pytest.mark.rule("BK-54")
def test_reading_lucky_shot() -> None:
    """6-6 doubles damage, shock and penetration of all that hit, before threshold and factor are taken off."""
    assert worn("6+6+1+1/L") == 4
    assert worn("6+6+1+1/L", **LUCK) == 8
    assert worn("6+5/L", **LUCK) == 4
    assert worn("6/L", blind=True, **LUCK) == 4
    plain, lucky = (Duel(SHERMAN, EASY, lucky_shot=luck).shoot("6+6+1+1/H").points for luck in (False, True))
    assert plain == (0, 4 + 2 - 3, 3 - 1)
    assert lucky == (0, 2 * (4 + 2) - 3, 2 * 3 - 1)


@pytest.mark.rule("BK-54")
def test_reading_lucky_repeat() -> None:
    """Once, or twice as much again for each further 6-6."""
    hard = EASY.replaced(**{"defense.ballistic.front_back": 30, "defense.anti_personnel.front_back": 99})
    for value, factor in (("once", 2), ("each", 4)):
        duel = Duel(SHERMAN, hard, **LUCK, lucky_repeat=value)
        assert duel.shoot("6+6+6+6+3+4/L").armor["front"] == 63 - factor * 3


@pytest.mark.rule("BK-54")
def test_open_hatches_let_the_doubled_shock_in() -> None:
    target = SHERMAN.replaced(**BARE, **{"defense.anti_personnel.front_back": 99})
    duel = Duel(SHERMAN, target, pintle_policy_b="always", **LUCK)
    shot = duel.shoot("6+6+1+1/L")
    assert shot.hits == ("cannon", "coaxial")
    assert shot.points[1] == 2 * 2 + 0


@pytest.mark.rule("BK-55")
def test_reading_instant_death() -> None:
    """6-6 twice running destroys whatever is needed: no coin, no line, armour as it was; it needs no lucky shot."""
    hard = EASY.replaced(**{f"defense.{kind}.front_back": 99 for kind in ("ballistic", "anti_personnel")})
    twice = "+".join(["6"] * 4)
    duel = Duel(SHERMAN, hard, instant_death=True)
    shot = duel.shoot(twice)
    assert shot.figures == {"destroyed", "catastrophic_kill"}
    assert (shot.asked, shot.crossed, shot.armor["front"]) == (("roll",), (), 63)
    assert duel.shoot("6+6+5+6").figures == frozenset()
    survived = Duel(SHERMAN, hard).outcomes()
    assert all(body & int(layout.INSTANT_LOSS) == 0 for body in survived.bodies.tolist())


@pytest.mark.rule("BK-55", "BK-69")
def test_instant_death_is_one_roll_in_1296() -> None:
    outcomes = Duel(SHERMAN, EASY, instant_death=True, **LUCK).outcomes()
    killed = outcomes.bodies & layout.INSTANT_LOSS != 0
    assert outcomes.weights[killed].sum() == pytest.approx(1 / 1296, abs=1e-15)


@pytest.mark.rule("BK-55")
def test_a_single_die_never_kills_at_once() -> None:
    duel = Duel(SHERMAN, EASY, instant_death=True)
    assert duel.shoot("6/L", own=duel.body("a", crossed=[14])).figures == frozenset()


# Easier targets

NINE = SHERMAN.replaced(**{"defense.ballistic.front_back": 9})
"""At 14 inches by skill +1 a cannon needs 9 + 1 - 1."""


@pytest.mark.rule("BK-60", "BK-67")
def test_reading_immobile_targets() -> None:
    """Standing in the open halves the defence value, rounded up; range and skill come after that."""
    assert Duel(SHERMAN, NINE).number("cannon") == 9
    assert Duel(SHERMAN, NINE, immobile_targets=True).number("cannon") == 5
    assert Duel(SHERMAN, NINE, immobile_targets=True).number("coaxial") == 7


@pytest.mark.rule("BK-60")
def test_reading_hull_down() -> None:
    """The other name of the same switch: cover that would give the full value back needs a map."""
    duel = Duel(SHERMAN, NINE, hull_down=True)
    assert duel.number("cannon") == 5
    assert duel.fight.options.value("immobile_targets") is True


@pytest.mark.rule("BK-60", "BK-70")
def test_reading_moved_b() -> None:
    for moved, number in ((False, 5), (True, 9)):
        assert Duel(SHERMAN, NINE, immobile_targets=True, moved_b=moved).number("cannon") == number
    assert Duel(SHERMAN, NINE, moved_b=True).number("cannon") == 9


@pytest.mark.rule("BK-60", "BK-70")
def test_reading_moved_a() -> None:
    """What a does makes a harder to hit, not b."""
    for moved in (False, True):
        duel = Duel(NINE, NINE, turns=1, immobile_targets=True, moved_a=moved)
        assert duel.number("cannon") == 5
        told = duel.told("1+3 2+3/L" if not moved else "1+3 2+3")
        assert [bool(event.note) for event in told.events] == [False, not moved]


@pytest.mark.rule("BK-61", "BK-67")
@pytest.mark.parametrize(("distance", "number"), [(0, 4), (1, 4), (1.01, 8), (2, 8)])
def test_point_blank_is_up_to_one_inch(distance: float, number: int) -> None:
    assert Duel(SHERMAN, NINE, distance=distance, point_blank=True).number("cannon") == number


@pytest.mark.rule("BK-61")
def test_reading_point_blank() -> None:
    """All kinds of defence values, the ballistic one of open hatches too."""
    numbers = [
        Duel(SHERMAN, SHERMAN, distance=1, point_blank=near, pintle_policy_b=policy).number("coaxial")
        for policy in ("never", "always")
        for near in (False, True)
    ]
    assert numbers == [13 - 1, 7 - 1, 8 - 1, 4 - 1]


NEAR: dict[str, Any] = {"distance": 1, "immobile_targets": True, "point_blank": True}


@pytest.mark.rule("BK-67")
def test_reading_halving_stack() -> None:
    """A quarter of 9 is 2.25, so 3; or half of it, 5."""
    for value, defence in (("multiply", 3), ("once", 5)):
        assert Duel(SHERMAN, NINE, halving_stack=value, **NEAR).number("cannon") == defence - 1


@pytest.mark.rule("BK-67")
@pytest.mark.parametrize(
    ("defence", "up", "down"), [(9, 3, 2), (8, 2, 2), (5, 2, 1), (1, 1, 0), (0, 0, 0), (-3, 0, -1)]
)
def test_halves_are_rounded_after_each_or_at_the_end(defence: int, up: int, down: int) -> None:
    target = SHERMAN.replaced(**{"defense.ballistic.front_back": defence})
    # A skill of -9 keeps numbers above 0, where the lowest total that hits is the number.
    shooter = SHERMAN.replaced(**{"gunners.0.skill": -9})
    for value, left in (("up", up), ("down", down)):
        assert Duel(shooter, target, half_round=value, **NEAR).number("cannon") == left + 9


@pytest.mark.rule("BK-67")
def test_reading_half_round() -> None:
    for value, defence in (("up", 5), ("down", 4)):
        duel = Duel(SHERMAN, NINE, distance=1, point_blank=True, half_round=value)
        assert duel.number("cannon") == defence - 1


# Zeroing in

STEADY = SHERMAN.replaced(**BARE, **{"gunners.0.skill": 2, "defense.anti_personnel.front_back": 99})
"""By skill 2 its cannon needs 7 at its like."""
SITTING = STEADY.replaced(**{f"weapons.{name}.ammo": 0 for name in STEADY.weapons})
ZEROING = {"zeroing_in": True}


def hit_list(dice: str, targets: Any = (SITTING,), shooter: Any = STEADY, **more: Any) -> list[bool]:
    """Whether each volley of a shooter at silent targets hits with the cannon."""
    told = tell([shooter], list(targets), dice, **{"turns": len(dice.split()), **more})
    return [bool(event.note & 1) for event in told.events]


@pytest.mark.rule("BK-64")
def test_reading_zeroing_in() -> None:
    """One easier in the second turn, two from the third on, no more than the skill; misses count."""
    needs = "3+3 3+3/L 1+3 2+3/L 2+2"
    assert hit_list(needs, **ZEROING) == [False, True, False, True, False]
    assert hit_list("3+3 3+3 1+3 2+3 2+2") == [False] * 5


@pytest.mark.rule("BK-64")
@pytest.mark.parametrize(("skill", "more"), [(-2, 0), (0, 0), (1, 1), (3, 3)])
def test_the_skill_limits_zeroing_in(skill: int, more: int) -> None:
    shooter = STEADY.replaced(**{"gunners.0.skill": skill})
    duel = Duel(shooter, SITTING, turns=9, **ZEROING)
    number, memory = duel.number("cannon"), None
    for turn in range(5):
        needed = number - min(turn, more)
        assert duel.shoot(f"{dice_for(needed)}/L", memory=memory).hits[:1] == ("cannon",)
        assert duel.shoot(dice_for(needed - 1), memory=memory).hits == ()
        memory = duel.spent(memory)


def dice_for(total: int) -> str:
    """Two dice with this sum, 2 to 11."""
    return f"{min(6, total - 1)}+{total - min(6, total - 1)}"


@pytest.mark.rule("BK-64")
def test_another_target_begins_anew() -> None:
    killer = STEADY.replaced(**{f"weapons.cannon.{level}": [0, 99, 99] for level in ("high", "mid", "low")})
    dice = "3+3 3+3/L 3+3 3+3/L"
    assert hit_list(dice, (SITTING, SITTING), killer, **ZEROING) == [False, True, False, True]


@pytest.mark.rule("BK-64")
def test_a_turn_without_a_shot_begins_anew() -> None:
    """Out of reach in the third turn."""
    short = STEADY.replaced(**{"weapons.cannon.max_range": 20, "weapons.coaxial.max_range": 20})
    dice = "3+3 3+3/L 3+3 3+3/L"
    told = tell([short], [SITTING], dice, distance=(14, 14, 30, 14), turns=5, **ZEROING)
    assert [event.turn for event in told.events] == [1, 2, 4, 5]
    assert [bool(event.note & 1) for event in told.events] == [False, True, False, True]


@pytest.mark.rule("BK-64")
def test_each_gunner_zeroes_in_for_himself() -> None:
    two = STEADY.replaced(
        gunners=[
            {"name": name, "skill": skill, "weapons": [name]}
            for name, skill in (("cannon", 2), ("coaxial", 0), ("pintle_mg", 1))
        ]
    )
    duel = Duel(two, SITTING, turns=9, **ZEROING)
    memory = duel.spent(gunner=1)
    assert duel.shoot("3+3", memory=memory).hits == ()
    memory = duel.spent(gunner=0)
    assert duel.shoot("3+3/L", memory=memory).hits == ("cannon",)


@pytest.mark.rule("BK-64")
def test_a_lost_periscope_is_no_reason_to_begin_anew() -> None:
    duel = Duel(STEADY, SITTING.replaced(**{"defense.ballistic.front_back": 4}), turns=9, **ZEROING)
    assert duel.number("cannon") == 3
    memory = duel.spent()
    blind = duel.body("a", crossed=[14])
    assert duel.shoot("2/L", own=blind, memory=memory).hits == ("cannon",)
    assert duel.shoot("2", own=blind).hits == ()


# All of them


@pytest.mark.rule("BK-50", "BK-53", "BK-54", "BK-55", "BK-60", "BK-61", "BK-64")
def test_all_optional_rules_are_off_by_default() -> None:
    options = SYSTEM.options({})
    names = ("snake_eyes_miss", "lucky_shot", "instant_death", "immobile_targets", "hull_down")
    assert [options.value(name) for name in (*names, "point_blank", "zeroing_in")] == [False] * 7
    assert options.value("dsp") == "coin"
