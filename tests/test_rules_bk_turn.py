"""The turn, simultaneous fire, open hatches, fixed range: BK-30, BK-31, BK-66, BK-68, BK-70."""

from collections import Counter
from collections.abc import Iterator

import pytest
from bench import SHERMAN, Duel, box, crate, punch, tell
from plain_kernels import plain
from samples import assert_share
from scipy.stats import chisquare

from simlab.rules.blitzkrieg.kernel import layout
from simlab.rules.blitzkrieg.system import SYSTEM
from simlab.rules.contract import Fight
from simlab.traces.told import Told, tell_replicate

KILLER = punch(8)
"""Its cannon destroys a Sherman by the dead column."""
A_GUNNER_A_WEAPON = {
    "gunners": [{"name": name, "skill": 1, "weapons": [name]} for name in ("cannon", "coaxial", "pintle_mg")]
}
SITTING = SHERMAN.replaced(**{f"weapons.{name}.ammo": 0 for name in SHERMAN.weapons})
"""It never fires."""
STURDY = {"internal_amount": [None] * 9 + [99]}


def fired(told: Told) -> list[tuple[int, int, int, int]]:
    """Turn, unit, gunner and target of each exchange."""
    return [(event.turn, event.unit, event.gunner, event.target) for event in told.events]


# Simultaneous fire


@pytest.mark.rule("BK-30")
def test_a_destroyed_unit_still_shoots_in_its_last_turn() -> None:
    told = Duel(KILLER, KILLER, turns=3).told("4+5/L 4+5/L")
    assert fired(told) == [(1, 0, 0, 1), (1, 1, 0, 0)]
    assert told.fell == (1, 1)


@pytest.mark.rule("BK-30")
def test_shooters_use_their_state_at_the_start_of_the_phase() -> None:
    """What side a crosses off, weapon and periscope, matters to b only in the next turn."""
    told = Duel(punch(5), turns=2).told("4+5/L/9/1:1 1+2 1+2 1")
    abilities = [event.ability for event in told.events if event.unit == 1]
    assert [ability & int(layout.WEAPON_MASK) for ability in abilities] == [0b11, 0b10]
    assert [bool(ability & int(layout.ONE_DIE)) for ability in abilities] == [False, True]


@pytest.mark.rule("BK-30")
def test_damage_to_a_target_counts_volley_by_volley() -> None:
    same = {
        "weapons.cannon.low": [4, 0, 0],
        "weapons.coaxial.low": [4, 0, 0],
        "weapons.coaxial.type": "ballistic",
    }
    a = SHERMAN.replaced(**A_GUNNER_A_WEAPON, **same)
    told = tell([a], [SHERMAN.replaced(**STURDY)], "4+5/L 4+5/L 1+1", turns=1)
    shift = layout.ARMOR_SHIFT
    assert [event.after >> shift & 63 for event in told.events[:2]] == [2, 0]


@pytest.mark.rule("BK-30", "BK-66")
def test_side_a_fires_first_units_as_listed_gunners_as_on_the_sheet() -> None:
    gun = SHERMAN.replaced(**A_GUNNER_A_WEAPON, **STURDY)
    told = tell([gun, gun], [gun, gun], "1+1 " * 8, turns=1)
    assert fired(told) == [
        *[(1, 0, 0, 2), (1, 0, 1, 2), (1, 1, 0, 2), (1, 1, 1, 2)],
        *[(1, 2, 0, 0), (1, 2, 1, 0), (1, 3, 0, 0), (1, 3, 1, 0)],
    ]


@pytest.mark.rule("BK-30")
def test_reading_fire_allocation() -> None:
    """Sequential: nobody shoots at the fallen, and another target is chosen. Declared: the shot is lost."""
    two = KILLER.replaced(**A_GUNNER_A_WEAPON)
    sequential = tell([two], [SITTING, SITTING], "4+5/L 1+1", turns=1)
    assert fired(sequential) == [(1, 0, 0, 1), (1, 0, 1, 2)]
    declared = tell([two], [SITTING, SITTING], "4+5/L -", turns=1, fire_allocation="declared")
    assert fired(declared) == [(1, 0, 0, 1), (1, 0, 1, 1)]
    assert declared.events[1].throw is None
    assert declared.events[1].after == declared.events[1].before
    alone = tell([two], [SITTING], "4+5/L", turns=1)
    assert fired(alone) == [(1, 0, 0, 1)]


def told_turns(fight: Fight, count: int) -> Iterator[list[tuple[int, int]]]:
    """Unit and gunner of each exchange of a fight of one turn, by replicate."""
    narrator = SYSTEM.narrator(fight)
    with plain():
        for replicate in range(count):
            told = tell_replicate(
                fight, narrator, seed=5, key=7, replicate=replicate, policy_a="first", policy_b="first"
            )
            yield [(event.unit, event.gunner) for event in told.events]


@pytest.mark.rule("BK-30")
def test_reading_volley_order() -> None:
    """As listed, or in every order alike, the gunners of both sides mixed."""
    gun = SHERMAN.replaced(**A_GUNNER_A_WEAPON, **STURDY)
    listed, shuffled = (
        Counter(map(tuple, told_turns(Duel(gun, gun, turns=1, volley_order=value).fight, count)))
        for value, count in (("listed", 10), ("random", 480))
    )
    assert set(listed) == {((0, 0), (0, 1), (1, 0), (1, 1))}
    assert len(shuffled) == 24
    assert chisquare(list(shuffled.values())).pvalue > 1e-6


@pytest.mark.rule("BK-30")
def test_in_a_random_order_the_killer_may_come_last() -> None:
    """A killer and a harmless gunner at one target: as listed the other fires only where the killer fails."""
    two = KILLER.replaced(**A_GUNNER_A_WEAPON)
    count, kill = 400, 15 / 36
    for value, chance in (("listed", 1 - kill), ("random", 1 - kill / 2)):
        turns = told_turns(Duel(two, SITTING, turns=1, volley_order=value).fight, count)
        assert_share(sum((0, 1) in turn for turn in turns), count, chance, 2)


@pytest.mark.rule("BK-16", "BK-30", "BK-70")
def test_a_lost_shot_costs_its_round() -> None:
    """The second gunner's only round goes at a target that has fallen: in turn 2 he has none."""
    a = KILLER.replaced(**A_GUNNER_A_WEAPON, **{"weapons.coaxial.ammo": 1})
    told = tell([a], [SITTING, SITTING], "4+5/L - 4+5/L", turns=2, fire_allocation="declared")
    assert fired(told) == [(1, 0, 0, 1), (1, 0, 1, 1), (2, 0, 0, 2)]
    assert told.fell == (0, 1, 2)


# Open hatches


@pytest.mark.rule("BK-31")
def test_reading_pintle_policy_b() -> None:
    """Never; with an enemy in its range; or always when it works and has rounds."""
    near, far = 14.0, 36.0
    found = {
        (value, distance): (condition.unbuttoned, "pintle_mg" in condition.weapons)
        for value in ("never", "in_range", "always")
        for distance in (near, far)
        for condition in [Duel(distance=distance, pintle_policy_b=value).condition("b")]
    }
    assert found == {
        ("never", near): (False, False),
        ("never", far): (False, False),
        ("in_range", near): (True, True),
        ("in_range", far): (False, False),
        ("always", near): (True, True),
        ("always", far): (True, False),
    }


@pytest.mark.rule("BK-31")
def test_reading_pintle_policy_a() -> None:
    """Each side has its own."""
    for side in "ab":
        duel = Duel(**{f"pintle_policy_{side}": "always"})
        assert [name for name in "ab" if duel.condition(name).unbuttoned] == [side]
    gunners = [event.gunner for event in Duel(turns=1, pintle_policy_a="in_range").told("1+1 1+1 1+1").events]
    assert gunners == [0, 1, 0]


@pytest.mark.rule("BK-31")
@pytest.mark.parametrize("value", ["in_range", "always"])
def test_nobody_opens_the_hatch_for_a_weapon_that_cannot_fire(value: str) -> None:
    duel = Duel(pintle_policy_b=value)
    assert not duel.condition(body=duel.body(crossed=[5])).unbuttoned
    assert not duel.condition(body=duel.body(crossed=[6])).unbuttoned
    empty = SHERMAN.replaced(**{"weapons.pintle_mg.ammo": 0})
    assert not Duel(b=empty, pintle_policy_b=value).condition("b").unbuttoned


OPEN = {"pintle_policy_b": "always"}
CANNON_4_COAXIAL_5 = SHERMAN.replaced(**{"weapons.cannon.low": [0, 4, 0], "weapons.coaxial.low": [0, 5, 0]})


@pytest.mark.rule("BK-31")
def test_through_open_hatches_cannon_shock_is_internal_in_full() -> None:
    target = SHERMAN.replaced(**STURDY, **{"defense.anti_personnel.front_back": 40})
    duel = Duel(CANNON_4_COAXIAL_5, target, **OPEN)
    assert duel.number("coaxial") == duel.number("cannon") == 8
    cannon_only = CANNON_4_COAXIAL_5.replaced(**{"weapons.coaxial.ammo": 0})
    assert Duel(cannon_only, target, **OPEN).shoot("4+5/L").points == (0, 4, 0)
    assert Duel(cannon_only, target).shoot("4+5/L").points == (0, 4 - 3, 0)


@pytest.mark.rule("BK-31")
def test_reading_unbuttoned_mix() -> None:
    """Separate: the machine guns' shock meets the threshold by itself. Pooled: one other hit lets all of it in."""
    target = SHERMAN.replaced(**STURDY)
    mg_only = CANNON_4_COAXIAL_5.replaced(**{"weapons.cannon.ammo": 0})
    found = {
        value: [
            Duel(shooter, target, unbuttoned_mix=value, **OPEN).shoot("4+5/L").points[1]
            for shooter in (CANNON_4_COAXIAL_5, mg_only)
        ]
        for value in ("separate", "pooled")
    }
    assert found == {"separate": [4 + 2, 2], "pooled": [4 + 5, 2]}


# The turn and the volley


@pytest.mark.rule("BK-66")
def test_at_a_fixed_range_a_turn_is_its_combat_phase() -> None:
    assert Duel().fight.phases == ("combat",)


@pytest.mark.rule("BK-66")
@pytest.mark.parametrize("turns", [1, 2, 5])
def test_a_fight_lasts_as_many_turns_as_it_is_given(turns: int) -> None:
    told = Duel(turns=turns).told("1+1 " * 2 * turns)
    assert [event.turn for event in told.events] == [turn for turn in range(1, turns + 1) for _ in "ab"]
    assert told.fell == (0, 0)


@pytest.mark.rule("BK-66")
def test_a_fight_ends_with_the_turn_in_which_a_side_is_gone() -> None:
    told = Duel(KILLER, SHERMAN, turns=5).told("1+1 1+1 4+5/L 1+1")
    assert told.fell == (0, 2)
    assert told.events[-1].turn == 2


@pytest.mark.rule("BK-68")
@pytest.mark.parametrize(
    ("dice", "points", "asked"),
    [
        ("1+2", 4, ("roll",)),
        ("4+5/L", 0, ("roll", "level")),
        ("4+5/L", 8, ("roll", "level")),
        ("4+5/L/12", 2, ("roll", "level", "start")),
        ("4+5/L/18/1:1", 1, ("roll", "level", "start", "contest 1")),
        ("4+5/L/6/1:1,1:1,1:1", 4, ("roll", "level", "start", "contest 1", "contest 2", "contest 3")),
        ("4+5/L/6/1:1,2:1", 4, ("roll", "level", "start", "contest 1", "contest 2")),
    ],
)
def test_a_volley_asks_for_dice_only_as_far_as_it_gets(
    dice: str, points: int, asked: tuple[str, ...]
) -> None:
    """No hit: no coin. No line, or dead: no start line. No bin: no contest; none after the one that explodes."""
    assert Duel(punch(points)).shoot(dice).asked == asked


@pytest.mark.rule("BK-68")
def test_armour_is_worn_also_when_the_chart_crosses_nothing() -> None:
    shot = Duel().shoot("4+5/L")
    assert (shot.armor["front"], shot.lines) == (3, 0)


@pytest.mark.rule("BK-68")
def test_contests_come_after_all_lines() -> None:
    shot = Duel(punch(4)).shoot("4+5/L/6/2:1")
    assert shot.crossed == (6, 7, 8, 9, 10)
    assert shot.exploded == 1


# Fixed range


@pytest.mark.rule("BK-70", "BK-25")
@pytest.mark.parametrize("mount", ["turret", "fixed", "bow"])
def test_all_weapons_bear_and_locks_have_no_effect(mount: str) -> None:
    duel = Duel(
        b=SHERMAN.replaced(**{"weapons.cannon.mount": mount}), aspect="rear_left", pintle_policy_b="always"
    )
    assert duel.condition("b").weapons == ("cannon", "coaxial", "pintle_mg")
    locked = duel.body(crossed=[12, 13])
    assert duel.condition(body=locked).weapons == ("cannon", "coaxial", "pintle_mg")
    mount_hit = Duel(b=crate(box("pintle_mount", 6), box("crew", 20)), pintle_policy_b="always")
    assert "pintle_mg" in mount_hit.condition(body=mount_hit.body(crossed=[6])).weapons


@pytest.mark.rule("BK-70", "BK-25")
def test_reading_duel_lock() -> None:
    """Weapons of a lost turret or pintle mount fire on, or are silent from the next turn on; others never are."""
    target = crate(box("turret", 12, 13), box("pintle_mount", 6), box("crew", 20))
    turretless = target.replaced(**{"weapons.coaxial.mount": "bow"})
    found = {
        (value, name, line): duel.condition(body=duel.body(crossed=[line])).weapons
        for value in ("none", "silent")
        for name, sheet in (("turret", target), ("bow", turretless))
        for line in (13, 6)
        for duel in [Duel(b=sheet, duel_lock=value, pintle_policy_b="always")]
    }
    everything = ("cannon", "coaxial", "pintle_mg")
    assert {found["none", name, line] for name in ("turret", "bow") for line in (13, 6)} == {everything}
    assert found["silent", "turret", 13] == ("pintle_mg",)
    assert found["silent", "bow", 13] == ("coaxial", "pintle_mg")
    assert found["silent", "turret", 6] == found["silent", "bow", 6] == ("cannon", "coaxial")


@pytest.mark.rule("BK-70", "BK-31")
@pytest.mark.parametrize(("policy", "unbuttoned"), [("in_range", False), ("always", True)])
def test_hatches_and_a_silent_pintle_weapon(policy: str, unbuttoned: bool) -> None:
    """It works and has rounds, but bears on nothing."""
    duel = Duel(b=crate(box("pintle_mount", 6)), duel_lock="silent", pintle_policy_b=policy)
    assert duel.condition(body=duel.body(crossed=[6])).unbuttoned is unbuttoned


@pytest.mark.rule("BK-30", "BK-70")
def test_a_lock_silences_from_the_next_turn_on() -> None:
    target = crate(box("turret", 12), box("crew", 20))
    told = Duel(punch(1), target, turns=2, duel_lock="silent").told("4+5/L/12 1+1 1+1")
    assert [(event.turn, event.unit) for event in told.events] == [(1, 0), (1, 1), (2, 0)]


@pytest.mark.rule("BK-70")
def test_full_rounds_at_the_start() -> None:
    for rounds in (1, 2, 3):
        gun = SHERMAN.replaced(**{"weapons.cannon.ammo": rounds, "weapons.coaxial.ammo": 0})
        told = tell([gun], [SITTING], "1+1 " * rounds, turns=9)
        assert len(told.events) == rounds


@pytest.mark.rule("BK-70")
def test_nobody_moves() -> None:
    """The same number is needed in every turn, by both sides."""
    told = Duel(turns=4, b=SHERMAN.replaced(**STURDY), a=SHERMAN.replaced(**STURDY)).told("3+4 3+5/L " * 4)
    assert [bool(event.note) for event in told.events] == [False, True] * 4
