"""WWIISIM rule by rule: known values, tables, orders, scatter, and what the text says outright."""

from fractions import Fraction
from itertools import product
from math import acos, pi
from pathlib import Path
from typing import Any

import pytest

from simlab.model.errors import InputError
from simlab.model.situation import Situation
from simlab.rules.contract import Fight
from simlab.rules.wwiisim import movement, scatter, shots
from simlab.rules.wwiisim.kernel import layout as at
from simlab.rules.wwiisim.kernel import tables
from simlab.rules.wwiisim.options import Options
from simlab.rules.wwiisim.sheet import Sheet
from simlab.rules.wwiisim.system import SYSTEM
from simlab.rules.wwiisim.weapons import CLASSES, band, firing_dice
from simlab.tables.expand import Questions, expand_volley

UNITS = Path(__file__).parent.parent / "units" / "wwiisim"
TABLE = {
    "bazooka": (10, 12, None), "cannon_5": (5, 12, 36), "cannon_75": (10, 12, 48), "cannon_88": (11, 18, 48),
    "cannon_105": (12, 18, 48), "cannon_150": (13, 24, 60), "machine_gun_light": (3, 12, 36),
    "machine_gun_medium": (4, 12, 36), "machine_gun_heavy": (5, 12, 36), "mortar_light": (3, 48, None),
    "mortar_medium": (5, 48, None), "mortar_heavy": (7, 60, None), "panzerfaust": (6, 12, None),
    "hand_grenade": (6, 12, None), "panzerschreck": (11, 12, None), "pistol": (2, 12, 12), "rifle": (2, 12, 24),
    "submachine_gun": (2, 12, 24),
}  # fmt: skip
HEAVY = {"bazooka", "panzerschreck", "mortar_heavy", *(name for name in TABLE if name.startswith("cannon"))}


def unit(name: str, **fields: Any) -> Sheet:
    sheet = SYSTEM.load_sheet(UNITS / f"{name}.yaml")
    return SYSTEM.replace_fields(sheet, {key.replace("__", "."): value for key, value in fields.items()})


def fight_of(a: Sheet, b: Sheet, distance: float = 10, aspect: str = "front", **settings: Any) -> Fight:
    constants = {name: settings.pop(name) for name in [*settings] if name in Options().house_numbers()}
    options = SYSTEM.options(settings, constants)
    return SYSTEM.compile_fight([a], [b], Situation(distance, "front", aspect), options, 12)


def phase_of(fight: Fight, start: str) -> int:
    return next(number for number, name in enumerate(fight.phases) if name.startswith(start))


def outcomes(fight: Fight, gunner: int = 0, body: int = 0, memory: int = 0) -> dict[int, float]:
    """What one volley of a's weapon may make of b."""
    ask = Questions(fight)
    a, b = fight.types_a[0], fight.types_b[0]
    for phase in range(len(fight.phases)):
        ability = ask.capability(a, 0, phase, 0, memory)
        if ask.ready(a, gunner, ability):
            found = expand_volley(fight, a, gunner, ability, b, ask.capability(b, 0, phase, body, 0), 0, body)
            rows: dict[int, float] = {}
            for after, weight in zip(found.bodies.tolist(), found.weights.tolist(), strict=True):
                rows[after] = rows.get(after, 0.0) + weight
            return rows
    raise AssertionError("no phase")


def share(rows: dict[int, float], flag: Any) -> float:
    return sum(weight for body, weight in rows.items() if body & int(flag))


@pytest.mark.rule("WS-7", "WS-6")
@pytest.mark.parametrize(
    ("aspect", "chance"), [("front", Fraction(1, 2)), ("side", Fraction(2, 3)), ("rear", Fraction(5, 6))]
)
def test_strength_10_against_armour_13_as_the_faces_show(aspect: str, chance: Fraction) -> None:
    target = unit("panther_g", armor=13)
    armor = shots.armor_value(target, aspect)
    assert 1 - Fraction(shots.minor_faces(10, armor), 6) == chance
    fight = fight_of(unit("m4a3_sherman_lp", skill=9), target, 10, aspect)
    rows = outcomes(fight)
    destroyed = share(rows, at.DESTROYED)
    assert destroyed == pytest.approx(0.9 * float(chance) * 0.5)


@pytest.mark.rule("WS-1")
@pytest.mark.parametrize(("settings", "chance"), [
    ({}, 0.5), ({"direction": "at_least"}, 0.6), ({"die": 20}, 0.25), ({"firing_skill": 7}, 0.7), ({"die": 4}, 1.0),
])  # fmt: skip
def test_a_die_hits_up_to_the_skill_or_from_it_on(settings: dict[str, Any], chance: float) -> None:
    rows = outcomes(fight_of(unit("m4a3_sherman_lp", skill=5), unit("panther_g", armor=0), **settings))
    assert share(rows, at.DESTROYED) == pytest.approx(chance / 2)


@pytest.mark.rule("WS-1", "WS-2")
@pytest.mark.parametrize(("distance", "chance"), [(12, 0.5), (12.01, 0.3), (48, 0.3), (48.01, None)])
def test_bands_end_where_the_table_says_and_the_long_one_costs_two(
    distance: float, chance: float | None
) -> None:
    fight = fight_of(unit("m4a3_sherman_lp", skill=5), unit("panther_g", armor=0), distance)
    assert fight.can_fire_a == (chance is not None)
    if chance is not None:
        assert share(outcomes(fight), at.DESTROYED) == pytest.approx(chance / 2)
    high = fight_of(
        unit("m4a3_sherman_lp", skill=5), unit("panther_g", armor=0), 40, direction="at_least", long_range=-3
    )
    assert share(outcomes(high), at.DESTROYED) == pytest.approx(0.3 / 2)


@pytest.mark.rule("WS-2", "WS-3", "WS-5")
def test_the_table_of_weapons_is_that_of_the_rules() -> None:
    assert {name: (kind.strength, kind.short, kind.long) for name, kind in CLASSES.items()} == TABLE
    assert {name for name, kind in CLASSES.items() if kind.heavy} == HEAVY
    dice = {name: firing_dice(kind, 3) for name, kind in CLASSES.items()}
    assert dice == {name: 3 if "gun_" in name else 2 if name == "submachine_gun" else 1 for name in TABLE}
    assert band(12, 12, None) == "short"
    assert band(12.5, 12, None) is None


@pytest.mark.rule("WS-3")
def test_heavy_weapons_fire_in_the_second_part_of_a_turn_and_others_in_the_first() -> None:
    fight = fight_of(unit("panther_g", initiative=5), unit("t34_85", initiative=5))
    ask = Questions(fight)
    ready = [
        [g for g in range(3) if ask.ready(fight.types_a[0], g, ask.capability(fight.types_a[0], 0, p, 0, 0))]
        for p in range(len(fight.phases))
    ]
    names = (
        "firing, initiative 5",
        "firing, initiative 0",
        "secondary firing, initiative 5",
        "secondary firing, initiative 0",
    )
    assert dict(zip(fight.phases, ready, strict=True)) == dict(zip(names, ([1, 2], [], [0], []), strict=True))
    alone = fight_of(unit("su85"), unit("su100"), initiative_order="simultaneous")
    assert alone.phases == ("secondary firing",)


@pytest.mark.rule("WS-4")
@pytest.mark.parametrize("scope", ["after", "lost"])
@pytest.mark.parametrize("dice", [1, 2, 3])
def test_doubles_of_ones_or_twos_jam(dice: int, scope: str) -> None:
    options = SYSTEM.options({"mg_dice": dice, "jam_scope": scope})
    found = shots.burst(5, dice, True, options)
    throws = list(product(range(1, 11), repeat=dice))
    jammed = [t for t in throws if t.count(1) > 1 or t.count(2) > 1]
    assert sum(chance for (_, jam), chance in found.items() if jam) == Fraction(len(jammed), len(throws))
    fight = fight_of(unit("machine_gun_team_us"), unit("rifle_squad_us"), mg_dice=dice, jam_scope=scope)
    ask = Questions(fight)
    ability = ask.capability(fight.types_a[0], 0, 0, 0, 0)
    rows = expand_volley(fight, fight.types_a[0], 0, ability, fight.types_b[0], 0, 0, 0)
    notes = list(zip(rows.notes.tolist(), rows.weights.tolist(), strict=True))
    assert sum(w for note, w in notes if note & 1) == pytest.approx(len(jammed) / len(throws))
    if jammed:
        hits = [note >> at.HIT_SHIFT & 3 for note, _ in notes if note & 1]
        assert (max(hits) == 0) == (scope == "lost")


@pytest.mark.rule("WS-4")
@pytest.mark.parametrize(("repair", "mended"), [("idle", True), ("at_once", True), ("never", False)])
def test_a_turn_without_fire_mends_a_jam_unless_the_crew_is_stunned(repair: str, mended: bool) -> None:
    fight = fight_of(unit("panther_g"), unit("t34_85"), repair=repair)
    ask, type_, jam = Questions(fight), fight.types_a[0], 0b010
    assert ask._ask("rest", type_, 0, jam)[1] == (0 if mended else jam)
    assert ask._ask("rest", type_, 0, jam | int(at.FIRED_SECOND))[1] == jam
    assert ask._ask("rest", type_, int(at.STUNNED), jam)[1] == jam
    able = [ask.capability(type_, 0, phase, 0, jam) for phase in range(len(fight.phases))]
    assert (sum(able) == 0) == (repair == "at_once")
    fresh_jam = ask.capability(type_, 0, phase_of(fight, "secondary"), 0, jam | int(at.FIRED_FIRST))
    assert fresh_jam == 1


@pytest.mark.rule("WS-5")
@pytest.mark.parametrize(("once", "left"), [("turn", 0), ("game", 1)])
def test_a_panzerfaust_fires_once_a_turn_or_once_a_game(once: str, left: int) -> None:
    fight = fight_of(unit("rifle_squad_german"), unit("t34_85"), fires_once=once)
    ask = Questions(fight)
    spent = int(ask._ask("spend", fight.types_a[0], 0, 1, 0, 0))
    assert int(ask._ask("rest", fight.types_a[0], 0, spent)[1]) == left


@pytest.mark.rule("WS-9", "WS-10")
def test_the_tables_say_what_the_rules_say() -> None:
    minor = [tables.minor_result(face) for face in range(1, 7)]
    serious = [tables.serious_result(face) for face in range(1, 7)]
    assert minor == [at.NOTHING, at.NOTHING, at.ZEROES, at.STUNS, at.DISARMS, at.HALTS]
    assert serious == [at.STUNS, at.DISARMS, at.HALTS, at.ABANDONED, at.CREW_LOST, at.BURNS]


@pytest.mark.rule("WS-9")
@pytest.mark.parametrize(("again", "destroyed"), [("reroll", 1 / 6 * 3 / 5), ("none", 0.0)])
def test_a_further_immobilisation_goes_to_the_serious_table_without_its_threes(
    again: str, destroyed: float
) -> None:
    shooter, target = unit("m4a3_sherman_lp", weapons__cannon__strength=0), unit("panther_g", armor=20)
    rows = outcomes(fight_of(shooter, target, die=4, immobilised_again=again), body=int(at.IMMOBILE))
    assert share(rows, at.DESTROYED) == pytest.approx(destroyed)
    assert share(rows, at.IMMOBILE) == pytest.approx(1)


@pytest.mark.rule("WS-9", "WS-10")
@pytest.mark.parametrize(("reading", "halted"), [("nothing", 1 / 6), ("immobilised", 2 / 6)])
def test_without_a_weapon_left_its_loss_is_nothing_or_an_immobilisation(reading: str, halted: float) -> None:
    shooter, target = unit("m4a3_sherman_lp", weapons__cannon__strength=0), unit("panther_g", armor=20)
    rows = outcomes(fight_of(shooter, target, die=4, no_weapon_left=reading), body=3)
    assert share(rows, at.IMMOBILE) == pytest.approx(halted)


@pytest.mark.rule("WS-10")
def test_the_attacker_takes_the_strongest_weapon_or_the_first() -> None:
    sheet = unit("panther_g", weapons__coaxial__strength=12)
    assert shots.loss_order(sheet, SYSTEM.options({})) == (1, 0, 2)
    assert shots.loss_order(sheet, SYSTEM.options({"weapon_choice": "first"})) == (0, 1, 2)


@pytest.mark.rule("WS-9")
@pytest.mark.parametrize(("zero", "left"), [("game", int(at.ZEROED)), ("turn", 0)])
def test_who_has_lost_his_initiative_fires_last_and_once(zero: str, left: int) -> None:
    fight = fight_of(unit("panther_g", initiative=5), unit("t34_85", initiative=3), initiative_zero=zero)
    ask, type_, body = Questions(fight), fight.types_a[0], int(at.ZEROED)
    able = {name: ask.capability(type_, 0, n, body, 0) for n, name in enumerate(fight.phases)}
    assert {name: a for name, a in able.items() if a} == {
        "firing, initiative 0": 6,
        "secondary firing, initiative 0": 1,
    }
    last = phase_of(fight, "firing, initiative 0")
    assert ask.capability(type_, 0, last, body, int(at.FIRED_FIRST)) == 0
    assert int(ask._ask("rest", type_, body, 0)[0]) == left


@pytest.mark.rule("WS-10")
def test_stun_ends_the_turn_and_wears_off() -> None:
    fight = fight_of(unit("panther_g"), unit("t34_85"))
    ask, stunned = Questions(fight), int(at.STUNNED)
    assert not any(ask.capability(fight.types_a[0], 0, n, stunned, 0) for n in range(len(fight.phases)))
    assert int(ask._ask("rest", fight.types_a[0], stunned, 0)[0]) == 0


@pytest.mark.rule("WS-8")
def test_smoke_multiplies_nothing_where_it_plays_no_part() -> None:
    shooter, target = unit("m4a3_sherman_lp"), unit("panther_g")
    plain, smoky = (outcomes(fight_of(shooter, target, smoke_sight=sight)) for sight in ("none", "hinders"))
    assert not any(body & int(at.SMOKE) for body in plain)
    assert share(smoky, at.SMOKE) > 0
    merged: dict[int, float] = {}
    for body, weight in smoky.items():
        merged[body & ~int(at.SMOKE)] = merged.get(body & ~int(at.SMOKE), 0.0) + weight
    assert merged == pytest.approx(plain)


@pytest.mark.rule("WS-8")
@pytest.mark.parametrize(("minor_smoke", "chance"), [("separate", 4 / 6 * 1 / 2), ("same", 3 / 6)])
def test_a_minor_hit_smokes_on_four_and_more(minor_smoke: str, chance: float) -> None:
    shooter, target = unit("m4a3_sherman_lp", weapons__cannon__strength=0), unit("panther_g", armor=20)
    settings = {"smoke_sight": "hinders", "minor_smoke": minor_smoke, "die": 4}
    assert share(outcomes(fight_of(shooter, target, **settings)), at.SMOKE) == pytest.approx(chance)


@pytest.mark.rule("WS-8", "WS-3")
def test_smoke_hinders_or_blocks_for_as_many_turns_as_it_stands() -> None:
    shooter, target = unit("m4a3_sherman_lp"), unit("panther_g", armor=0)
    for sight, able in (("hinders", True), ("blocks", False)):
        fight = fight_of(shooter, target, smoke_sight=sight)
        ask, type_, phase = (
            Questions(fight),
            fight.types_a[0],
            phase_of(fight, "secondary firing, initiative"),
        )
        memory = int(ask._ask("spend", type_, 0, 1, 0, 0)) & ~int(at.FIRED)
        phase = next(n for n in range(len(fight.phases)) if ask.capability(type_, 0, n, 0, 0) & 1)
        assert ask.ready(type_, 0, ask.capability(type_, 0, phase, 0, memory)) == able
        for _ in range(2):
            memory = int(ask._ask("rest", type_, 0, memory)[1])
        assert memory == 0
        hidden = expand_volley(fight, type_, 0, 1, fight.types_b[0], int(at.SMOKED), 0, 0)
        destroyed = sum(w for b, w in zip(hidden.bodies, hidden.weights, strict=True) if b & at.DESTROYED)
        assert destroyed == pytest.approx(0.3 / 2 if able else 0.0)


@pytest.mark.rule("WS-11")
def test_a_tiger_never_goes_fast_and_vehicles_go_fast_at_will() -> None:
    tiger, panther, squad = unit("tiger_i_e"), unit("panther_g"), unit("rifle_squad_us")
    assert [movement.may_take(sheet, movement.RUN) for sheet in (tiger, panther, squad)] == [
        False,
        True,
        True,
    ]
    assert movement.may_take(tiger, movement.WALK)
    assert [movement.ignores_endurance(sheet) for sheet in (panther, squad)] == [True, False]
    assert [movement.order_name(panther, o) for o in movement.ORDERS] == ["hide", "fire", "go", "go fast"]
    assert movement.order_name(squad, movement.RUN) == "run"


@pytest.mark.rule("WS-3", "WS-4", "WS-12")
def test_orders_say_what_may_fire() -> None:
    panther, squad = unit("panther_g"), unit("rifle_squad_us")

    def allowed(sheet: Sheet, weapon: str, **settings: Any) -> list[str]:
        options = SYSTEM.options(settings)
        return [o for o in movement.ORDERS if movement.may_fire(sheet, CLASSES[weapon], o, options)]

    assert allowed(panther, "cannon_88") == list(movement.ORDERS)
    assert allowed(squad, "bazooka") == ["fire"]
    assert allowed(panther, "machine_gun_medium") == ["hide", "fire", "walk"]
    assert allowed(panther, "machine_gun_medium", mg_go_fast=True) == list(movement.ORDERS)
    assert allowed(squad, "machine_gun_medium", mg_go_fast=True) == ["hide", "fire", "walk"]
    assert allowed(panther, "mortar_medium") == ["fire"]
    assert allowed(panther, "mortar_heavy") == list(movement.ORDERS)
    assert movement.firing_phase(CLASSES["mortar_heavy"]) == movement.SECONDARY
    assert movement.may_repair(squad, "hide", False, False)
    assert not movement.may_repair(squad, "fire", False, False)
    assert not movement.may_repair(panther, "hide", False, True)


@pytest.mark.rule("WS-6")
@pytest.mark.parametrize(("facing", "border"), [("quadrants", 45), ("six", 30)])
def test_sectors_of_front_and_rear(facing: str, border: int) -> None:
    options = SYSTEM.options({"facing": facing})
    for sign in (1, -1):
        assert movement.facing(sign * border, options) == "front"
        assert movement.facing(sign * (border + 0.1), options) == "side"
        assert movement.facing(sign * (180 - border - 0.1), options) == "side"
        assert movement.facing(sign * (180 - border), options) == "rear"


@pytest.mark.rule("WS-12")
def test_a_hit_scatters_by_one_die_and_a_miss_by_two() -> None:
    assert scatter.all_scatters(True) == {inches: Fraction(1, 10) for inches in range(1, 11)}
    miss = scatter.all_scatters(False)
    assert miss[2] == Fraction(1, 100)
    assert miss[11] == Fraction(10, 100)
    assert scatter.all_scatters(True, 3)[0] == Fraction(3, 10)
    assert scatter.all_scatters(True, 3, miss_only=True) == scatter.all_scatters(True)
    assert scatter.all_scatters(False, 3, miss_only=True)[0] == Fraction(3, 100)
    places = scatter.scatter_places(False, 1, 8)
    assert sum(places.values()) == 1
    assert places[0.0, 5.0] == scatter.all_scatters(False, 1)[5] / 8


@pytest.mark.rule("WS-12")
def test_the_share_of_directions_that_cover_a_point() -> None:
    assert scatter.covered_share(2, 0, 2) == 1
    assert scatter.covered_share(2.1, 0, 2) == 0
    assert scatter.covered_share(5, 5, 2) == pytest.approx(acos(1 - 4 / 50) / pi)
    assert scatter.covered_degrees(5, 5, 2) / 180 == pytest.approx(
        scatter.covered_share(5, 5, 2), abs=1 / 180
    )
    assert scatter.chance_covered(True, 1, radius=2) == pytest.approx(0.3)


@pytest.mark.rule("WS-12")
@pytest.mark.parametrize(("settings", "shells", "chance"), [
    ({}, 0, 0.5 * 0.3 + 0.5 * 0.03), ({}, 4, 0.5 * 0.7 + 0.5 * 0.21),
    ({"scatter_bonus": "miss_only"}, 4, 0.5 * 0.2 + 0.5 * 0.21), ({"spotter_sees": False}, 0, 0.5 * 0.2 + 0.5 * 0.01),
    ({"range_guess": "given", "guessed_range": 60}, 0, 0.0),
])  # fmt: skip
def test_a_mortar_ranges_in_on_its_target(settings: dict[str, Any], shells: int, chance: float) -> None:
    shooter, target = unit("mortar_team_81mm"), unit("rifle_squad_us")
    fight = fight_of(shooter, target, 20, wound_above=0, **settings)
    rows = outcomes(fight, memory=shells << at.SHELL_SHIFT)
    assert rows.get(3, 0.0) == pytest.approx(chance)
    assert set(rows) <= {0, 3}
    ask = Questions(fight)
    again = ask._ask("retarget", fight.types_a[0], 0, 1 | 4 << at.SHELL_SHIFT, 4 << at.SHELL_SHIFT)
    assert tuple(map(int, again)) == (1, 0)


@pytest.mark.rule("WS-12")
@pytest.mark.parametrize(("reading", "armor"), [("rear", 11), ("front", 13)])
def test_shells_meet_the_rear_value_of_vehicles(reading: str, armor: int) -> None:
    mortar = unit("mortar_team_81mm").weapons["mortar"]
    options = SYSTEM.options({"mortar_armour": reading})
    assert shots.shot_armor(unit("panther_g", armor=13), "side", mortar, options) == armor


@pytest.mark.rule("WS-12")
def test_men_fall_when_die_and_strength_are_above_the_house_number() -> None:
    rows = outcomes(fight_of(unit("panzerschreck_team", skill=9), unit("bazooka_team"), die=4))
    assert rows == {1: pytest.approx(1)}
    rifle = fight_of(unit("bazooka_team", skill=9), unit("bazooka_team"), die=4)
    assert outcomes(rifle, 1)[1] == pytest.approx(1 / 3)
    last = outcomes(rifle, 0, body=1)
    assert last == {int(at.DESTROYED | at.CREW_DEAD): pytest.approx(1)}


@pytest.mark.rule("WS-13")
def test_smoke_grenades_scatter_only_after_a_miss() -> None:
    assert scatter.grenade_scatters(False) == {0: 1}
    assert scatter.grenade_scatters(True) == {inches: Fraction(1, 6) for inches in range(1, 7)}
    assert scatter.screen_sizes() == {1: Fraction(1, 2), 2: Fraction(1, 2)}
    assert [scatter.may_throw(distance) for distance in (12, 12.1)] == [True, False]


@pytest.mark.rule("WS-14")
def test_commandos_cross_difficult_ground_like_any_other() -> None:
    squad = unit("rifle_squad_us")
    assert movement.ground_factor(squad, 2.0) == 2.0
    assert movement.ground_factor(unit("rifle_squad_us", commandos=True), 2.0) == 1.0


@pytest.mark.rule("WS-15")
def test_hits_on_a_destroyed_vehicle_change_nothing() -> None:
    shooter, target = (
        unit("machine_gun_team_us", skill=9, weapons__machine_gun__strength=20),
        unit("panther_g"),
    )
    rows = outcomes(fight_of(shooter, target, die=4, mg_dice=3))
    fallen = [body for body in rows if body & int(at.DESTROYED)]
    assert {body & int(at.LOSSES | at.STUNNED | at.ZEROED) for body in fallen} == {0}
    # three hits, each destroys by three faces of six, or by three of five where a second 3 is thrown again
    stands = sum(weight for body, weight in rows.items() if not body & int(at.DESTROYED))
    immobile = [(0, 1.0), (1, 0.0)]
    once, halted = 2 / 6, 1 / 6
    for _ in range(3):
        (_, free), (_, stuck) = immobile
        immobile = [(0, free * once), (1, free * halted + stuck * (2 / 6 + 1 / 6 * 2 / 5))]
    assert stands == pytest.approx(sum(weight for _, weight in immobile))


def test_more_phases_than_a_turn_has_are_refused() -> None:
    squads = [unit("rifle_squad_us", initiative=rank, weapons__grenade__type="bazooka") for rank in range(10)]
    with pytest.raises(InputError, match="phases"):
        SYSTEM.compile_fight(squads, [unit("panther_g")], Situation(10.0), SYSTEM.options({}), 4)
