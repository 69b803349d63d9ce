"""Faults to plant in the rules, one a rule: what stands there instead, made of what stands there."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from simlab.dice import scripted
from simlab.dice.slots import LEVEL
from simlab.engine import loop
from simlab.rules.blitzkrieg import compile as compiler
from simlab.rules.blitzkrieg import display, sheet_checks, shots
from simlab.rules.blitzkrieg.kernel import contract, damage, layout, loss, manifest, to_hit
from simlab.rules.blitzkrieg.program import TREADS
from simlab.rules.common import usual

U64 = np.uint64


@dataclass(frozen=True)
class Fault:
    """What is wrong under it, in words; the place; what stands there instead, made of what stood there."""

    rule: str
    says: str
    module: ModuleType
    name: str
    make: Callable[[Any], Any]


def swapped_speeds(draw: Any) -> Any:
    def faulty(sheet: Any) -> Any:
        move = sheet.movement
        speeds = move.model_copy(update={"speed": move.road, "road": move.speed})
        return draw(sheet.model_copy(update={"movement": speeds}))

    return faulty


def swapped_multipliers(draw: Any) -> Any:
    def faulty(sheet: Any) -> Any:
        ram = sheet.ram
        factors = ram.model_copy(update={"damage": ram.shock, "shock": ram.damage})
        return draw(sheet.model_copy(update={"ram": factors}))

    return faulty


def one_source(draw: Any) -> Any:
    def faulty(sheet: Any) -> Any:
        return draw(sheet.model_copy(update={"ecv": sheet.ecv.model_copy(update={"source": "rulebook"})}))

    return faulty


def full_shock(shock: Any) -> Any:
    def faulty(ap: int, other: int, other_hit: bool, threshold: int, unbuttoned: bool, pooled: bool) -> Any:
        above = shock(ap, other, other_hit, threshold, unbuttoned, pooled)
        return ap + other if above else 0

    return faulty


def scratched(fresh: Any) -> Any:
    def faulty(program: Any, type_: Any) -> Any:
        body, memory = fresh(program, type_)
        return body - (U64(1) << U64(layout.ARMOR_SHIFT)), memory

    return faulty


def weapons_in_the_turret(events: Any) -> Any:
    def faulty(item: Any, unit: Any) -> Any:
        lost = int(layout.WEAPON_MASK) << layout.WEAPON_SHIFT if item.item == "turret" else 0
        return events(item, unit) | lost

    return faulty


def silenced_by_the_lock(capability: Any) -> Any:
    def faulty(program: Any, type_: Any, scene: Any, phase: Any, body: Any, memory: Any) -> Any:
        found = capability(program, type_, scene, phase, body, memory)
        locked = manifest.line_events(program, type_, body) & layout.TURRET
        return found & ~layout.WEAPON_MASK if locked else found

    return faulty


def coin_for_a_miss(throw: Any) -> Any:
    def faulty(*values: Any) -> Any:
        found = throw(*values)
        scripted.draw_face(values[-1], LEVEL, U64(2))
        return found

    return faulty


def one_turn_less(play: Any) -> Any:
    place = list(inspect.signature(play).parameters).index("turns")

    def faulty(*values: Any) -> Any:
        return play(*values[:place], values[place] - 1, *values[place + 1 :])

    return faulty


def crew_in_the_dead_column(flags: Any) -> Any:
    def faulty(program: Any, type_: Any, body: Any) -> Any:
        dead = body & layout.CATASTROPHIC
        return flags(program, type_, body) | (layout.CREW_KILL if dead else U64(0))

    return faulty


FAULTS = [
    Fault(
        "BK-1",
        "the front's defence value counts on all sides",
        shots,
        "aspect_defence",
        lambda f: lambda kind, sheet, aspect, unbuttoned: f(kind, sheet, "front", unbuttoned),
    ),
    Fault("BK-2", "a fresh unit lacks an armour point", contract, "fresh", scratched),
    Fault(
        "BK-3",
        "the shock threshold is one lower",
        damage,
        "internal_shock",
        lambda f: lambda ap, other, hit, threshold, *more: f(ap, other, hit, threshold - 1, *more),
    ),
    Fault(
        "BK-4",
        "the front's penetration factor counts at all angles",
        compiler,
        "strike_word",
        lambda f: lambda weapons, level, target, aspect, *more: f(weapons, level, target, "front", *more),
    ),
    Fault(
        "BK-5",
        "a column takes one point more",
        compiler,
        "chart_column",
        lambda f: lambda chart, points: f(chart, points - 1),
    ),
    Fault(
        "BK-6",
        "the first gunner's skill is everybody's",
        compiler,
        "to_hit",
        lambda f: lambda shooter, gunner, *more: f(shooter, 0, *more),
    ),
    Fault(
        "BK-7",
        "items may share lines",
        sheet_checks,
        "_check_lines",
        lambda f: lambda document, items: iter(()),
    ),
    Fault("BK-8", "speed and road speed change places", display, "movement_lines", swapped_speeds),
    Fault("BK-9", "ram damage and shock change places", display, "ram_lines", swapped_multipliers),
    Fault("BK-10", "every ECV claims to be the rulebook's", display, "header_lines", one_source),
    Fault(
        "BK-11", "a total equal to the number misses", to_hit, "reaches", lambda f: lambda total, n: total > n
    ),
    Fault(
        "BK-12",
        "twelve inches are not yet a full twelve",
        to_hit,
        "range_bonus",
        lambda f: lambda distance, step: f(max(distance - 0.001, 0), step),
    ),
    Fault(
        "BK-13",
        "a twelve stands",
        scripted,
        "draw_exploding",
        lambda f: lambda source, limit: min(f(source, limit), U64(12)),
    ),
    Fault(
        "BK-14",
        "left and right change places",
        compiler,
        "FACES",
        lambda faces: {**faces, "front_left": "right", "front_right": "left"},
    ),
    Fault(
        "BK-15",
        "thirty inches are out of reach",
        compiler,
        "weapon_reach",
        lambda f: lambda weapon, options: (f(weapon, options) or 1000) - 0.5,
    ),
    Fault(
        "BK-16",
        "volleys cost no rounds",
        loss,
        "spend",
        lambda f: lambda program, type_, gunner, ability, memory: memory,
    ),
    Fault(
        "BK-17",
        "heads is low",
        compiler,
        "strike_word",
        lambda f: lambda weapons, level, *more: f(weapons, {"high": "low", "low": "high"}[level], *more),
    ),
    Fault("BK-18", "armour is not worn down", damage, "armor_points", lambda f: lambda points, left: U64(0)),
    Fault("BK-19", "shock above the threshold is internal in full", damage, "internal_shock", full_shock),
    Fault(
        "BK-20",
        "penetration is never internal",
        damage,
        "strike_penetration",
        lambda f: lambda strike: U64(0),
    ),
    Fault(
        "BK-21",
        "shock is left out of the sum",
        damage,
        "internal_points",
        lambda f: lambda by_damage, by_shock, by_penetration: f(by_damage, U64(0), by_penetration),
    ),
    Fault(
        "BK-22", "dead is nine lines", compiler, "chart_column", lambda f: lambda *values: min(f(*values), 9)
    ),
    Fault(
        "BK-23",
        "lines crossed earlier use up the count",
        manifest,
        "crossed_lines",
        lambda f: lambda crossed, start, count, wrap: f(U64(0), start, count, wrap) & ~crossed,
    ),
    Fault("BK-24", "an engine is never lost", loss, "engine_lost", lambda f: lambda *values: False),
    Fault("BK-25", "a hit turret takes the weapons with it", compiler, "_item_events", weapons_in_the_turret),
    Fault(
        "BK-26",
        "equal dice let a bin explode",
        manifest,
        "attacker_wins",
        lambda f: lambda own, other: own >= other,
    ),
    Fault(
        "BK-27",
        "a lost periscope does not matter",
        to_hit,
        "draw_total",
        lambda f: lambda source, ability, limit: f(source, U64(0), limit),
    ),
    Fault(
        "BK-28",
        "one tread is enough",
        loss,
        "is_immobile",
        lambda f: (
            lambda program, type_, body, events: (
                f(program, type_, body, events) or bool(events & program[type_ + U64(TREADS)])
            )
        ),
    ),
    Fault(
        "BK-29",
        "an immobile unit fights on",
        loss,
        "function_lost",
        lambda f: lambda reading, crew, disarmed, immobile: f(reading, crew, disarmed, False),
    ),
    Fault(
        "BK-30",
        "nobody notices a fallen target",
        loss,
        "flags",
        lambda f: lambda *values: f(*values) & ~layout.DESTROYED,
    ),
    Fault(
        "BK-31",
        "hatches stay closed",
        loss,
        "capability",
        lambda f: lambda *values: f(*values) & ~layout.UNBUTTONED,
    ),
    Fault(
        "BK-50",
        "the middle level still leaves it to the coin",
        shots,
        "level_names",
        lambda f: lambda options, distance: ("high", "low") if options.dsp == "mid" else f(options, distance),
    ),
    Fault(
        "BK-51",
        "a d3 has two high faces and no low one",
        shots,
        "level_names",
        lambda f: (
            lambda options, distance: (
                ("mid", "high", "high") if options.dsp == "three" else f(options, distance)
            )
        ),
    ),
    Fault(
        "BK-52",
        "twelve inches are the middle level",
        shots,
        "level_names",
        lambda f: lambda options, distance: f(options, distance + 0.001),
    ),
    Fault(
        "BK-53",
        "1-1 on a roll that goes on misses too",
        shots,
        "_is_snake_eyes",
        lambda f: lambda total, boxcars, *more: f(total, 0, *more),
    ),
    Fault(
        "BK-54",
        "only damage is doubled",
        shots,
        "strike_word",
        lambda f: lambda *values: f(*values[:6]) & ~int(layout.FIELD) | f(*values) & int(layout.FIELD),
    ),
    Fault(
        "BK-55",
        "one 6-6 is enough",
        shots,
        "_verdict",
        lambda f: lambda total, boxcars, *more: f(total, boxcars + 1 if boxcars else 0, *more),
    ),
    Fault(
        "BK-60",
        "who shoots without moving is easier to hit, not who is shot at",
        shots,
        "halvings",
        lambda f: lambda options, distance, side: f(options, distance, {"a": "b", "b": "a"}[side]),
    ),
    Fault(
        "BK-61",
        "point blank reaches two inches",
        shots,
        "halvings",
        lambda f: lambda options, distance, side: f(options, distance - 1, side),
    ),
    Fault(
        "BK-64",
        "a gunner remembers his target through a turn without a shot",
        loss,
        "settle",
        lambda f: lambda program, type_, memory, fired: memory,
    ),
    Fault("BK-66", "the last turn is not played", loop, "play_fight", one_turn_less),
    Fault(
        "BK-67",
        "no number is below two",
        to_hit,
        "to_hit_number",
        lambda f: lambda *values: max(f(*values), 2),
    ),
    Fault("BK-68", "a coin is tossed for a miss", usual, "volley", coin_for_a_miss),
    Fault("BK-69", "the dead column counts as a dead crew", loss, "flags", crew_in_the_dead_column),
    Fault("BK-70", "a locked turret is silent", loss, "capability", silenced_by_the_lock),
]
