"""From sheets, situation and options to a program: header, types, scenes, rows (TD-1 to TD-10)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt

from simlab.model.situation import Scene
from simlab.rules.contract import Parts
from simlab.rules.tank_d20 import crews, shots
from simlab.rules.tank_d20.charts_file import Charts, Effect, Place
from simlab.rules.tank_d20.kernel import layout
from simlab.rules.tank_d20.names import FACINGS, POSITIONS, Position
from simlab.rules.tank_d20.options import Options
from simlab.rules.tank_d20.sheet import Sheet

KNOCKS = {
    "wreck": layout.CREW_KILL | layout.CATASTROPHIC,
    "firepower": layout.CREW_KILL | layout.CATASTROPHIC | layout.FIREPOWER,
    "any": layout.CREW_KILL | layout.CATASTROPHIC | layout.FIREPOWER | layout.MOBILITY,
}
_EFFECTS = {
    "gun_out": layout.OUT,
    "immobilised": layout.HALT,
    "fire": layout.BURN,
    "explosion": layout.BLAST,
}
_SEATS = {"gun": layout.AT_GUN, "command": layout.IN_COMMAND, "loading": layout.LOADING}
AUTOMATIC = ("front", "rear")
"""The facings whose location 1 is an automatic penetration (TD-6)."""
AT_THE_GUN = ("commander", "gunner", "loader")
"""Who is exposed in a vehicle without a roof (TD-7)."""


@dataclass(frozen=True, eq=False)
class Unit:
    """A sheet on a side: what a type is made of."""

    sheet: Sheet
    side: str


def type_place(number: int) -> int:
    """Return where the block of a type begins."""
    return layout.HEADER + number * layout.TYPE_SIZE


def compile_program(
    units: Sequence[Unit], scenes: Sequence[Scene], options: Options, turns: int, parts: Parts
) -> npt.NDArray[np.uint64]:
    """Return the program of a fight: uint64."""
    types = len(units)
    blocks = [
        parts.get(("type", id(unit.sheet), unit.side), partial(_type_block, unit, options, turns))
        for unit in units
    ]
    seen = [can_see(unit, scene, options) for scene in scenes for unit in units]
    rows = [
        parts.get(
            ("rows", id(shooter.sheet), shooter.side, id(target.sheet), target.side, scene),
            partial(_rows, shooter, target, scene, options),
        )
        for scene in scenes
        for shooter in units
        for target in units
    ]
    scene_place = type_place(types)
    falling_place = scene_place + len(seen)
    falling = _falling_tables(options.charts)
    pair_place = falling_place + len(falling)
    header = [types, pair_place, scene_place, int(KNOCKS[options.value("knock_out")]), falling_place]
    effects = [_effect_word(row.effects) for row in options.charts.effect_rows()]
    header += effects + [0] * (layout.MOST_ROLL - len(effects))
    numbered = [
        [*block[: layout.NUMBER], number, *block[layout.NUMBER + 1 :]] for number, block in enumerate(blocks)
    ]
    words = [
        *header,
        *(word for block in numbered for word in block),
        *map(int, seen),
        *falling,
        *(word for row in rows for word in row),
    ]
    return np.array(words, np.uint64)


def are_twins(program: npt.NDArray[np.uint64], scenes: int) -> bool:
    """Tell whether the two types of a duel are the same in all that counts."""
    if int(program[layout.TYPES]) != 2:
        return False
    a, b = (program[type_place(number) : type_place(number + 1)].copy() for number in range(2))
    a[layout.NUMBER] = b[layout.NUMBER]
    place, size = int(program[layout.PAIRS]), 2 * layout.ROW
    falling = int(program[layout.FALLING])
    rows = [program[place + number * size : place + (number + 1) * size] for number in range(4 * scenes)]
    seen = program[int(program[layout.SCENES]) : falling]
    alike = all(np.array_equal(rows[4 * n + 1], rows[4 * n + 2]) for n in range(scenes))
    return alike and np.array_equal(a, b) and np.array_equal(seen[::2], seen[1::2])


def can_see(unit: Unit, scene: Scene, options: Options) -> bool:
    """Tell whether a unit may fire in a scene: within its gun's reach, and not silent (TD-1)."""
    silent = scene.silent_a if unit.side == "a" else scene.silent_b
    return not silent and shots.band_at(unit.sheet, scene.range, options) is not None


def ever_fires(unit: Unit, scenes: Sequence[Scene], options: Options) -> bool:
    """Tell whether a unit can fire at all in a fight."""
    placed = crews.stations(unit.sheet.crew.positions, options.value("stand_in"))
    armed = unit.sheet.gun.rounds > 0 and placed.gun is not None
    return armed and any(can_see(unit, scene, options) for scene in scenes)


def aiming(options: Options, side: str) -> int:
    """Return the actions of aiming before a shot (TD-9)."""
    return int(options.side("aim", side) == "always")


def rounds_counted(unit: Unit, options: Options, turns: int) -> int:
    """Return the rounds that have to be counted, 0 if they cannot run out in the fight."""
    placed = crews.stations(unit.sheet.crew.positions, options.value("stand_in"))
    each = 1 + crews.load_actions(unit.sheet, options.charts, placed) + aiming(options, unit.side)
    most = -(-turns * options.value("actions") // each)
    return unit.sheet.gun.rounds if unit.sheet.gun.rounds < most else 0


def _type_block(unit: Unit, options: Options, turns: int) -> list[int]:
    sheet, side = unit.sheet, unit.side
    rounds = rounds_counted(unit, options, turns)
    empty = sheet.gun.rounds == 0
    block = [0] * layout.CREWS
    block[layout.FRESH] = crews.lost_at_start(sheet)
    block[layout.FRESH_MEMORY] = aiming(options, side) | rounds << layout.ROUND_SHIFT
    block[layout.MOVES] = shots.moves(options, side) and "driver" in sheet.crew.positions
    leader = sheet.crew.leader
    block[layout.LEADER_HIT] = leader if options.value("leader_on") == "to_hit" else 0
    block[layout.LEADER_PLACE] = leader if options.value("leader_on") == "location" else 0
    block[layout.AIMING] = aiming(options, side)
    block[layout.CLEARING] = options.constant("clear_actions")
    block[layout.COUNTED] = bool(rounds) or empty
    block[layout.JAM_COSTS] = options.value("jam_round") == "spent"
    block[layout.MORALE] = getattr(options.charts.crew.quality, sheet.crew.quality).morale
    return [*map(int, block), *(_crew_word(unit, lost, options) for lost in range(32))]


def _crew_word(unit: Unit, lost: int, options: Options) -> int:
    """Return what the men who are left of a crew can do (TD-9)."""
    men = [man for man in crews.men_after(lost) if man in unit.sheet.crew.positions]
    placed = crews.stations(men, options.value("stand_in"), options.side("commander", unit.side) == "busy")
    word = 0
    if placed.gun is not None:
        word |= int(layout.SERVED)
        word |= crews.load_actions(unit.sheet, options.charts, placed) << layout.CREW_LOAD_SHIFT
        if placed.gun != "gunner" and unit.sheet.crew.qualified:
            word |= int(layout.STAND_IN)
        if placed.loads_alone:
            word |= int(layout.LOADS_ALONE)
    driven = placed.driving is not None or "driver" not in unit.sheet.crew.positions
    word |= int(layout.DIRECTS) * placed.directs | int(layout.DRIVEN) * driven
    least: int = min(options.constant("least_crew"), len(unit.sheet.crew.positions))
    state = int(layout.MOBILITY) * (not driven) | int(layout.FIREPOWER) * (placed.gun is None)
    word |= (state | int(layout.CREW_KILL) * (len(men) < least)) << layout.STATE_SHIFT
    for place, man in enumerate(POSITIONS):
        if man in men:
            missed = sum(int(_SEATS[seat]) for seat in crews.seats(man, placed))
            word |= missed << (layout.SEAT_SHIFT + layout.SEAT_BITS * place)
    return word


def _rows(shooter: Unit, target: Unit, scene: Scene, options: Options) -> list[int]:
    """Return the row against a target that stands and the one against a target that moves."""
    aspect = scene.aspect_a if target.side == "a" else scene.aspect_b
    band = shots.band_at(shooter.sheet, scene.range, options)
    if band is None or shooter.side == target.side:
        return [0] * (2 * layout.ROW)
    places = [
        _place_word(shooter, target, aspect, band, number, place, options)
        for number, place in enumerate(options.charts.places(aspect), 1)
    ]
    rows: list[int] = []
    for target_moves in (False, True):
        theirs = shots.target_modifiers(target.sheet, options, target.side, aspect, target_moves)
        for moving in (False, True):
            own = shots.shooter_modifiers(shooter.sheet, options, shooter.side, moving)
            fixed = sum(modifier.value for modifier in (*own, *theirs))
            rows += [
                shots.faces_that_hit(band, fixed + code - layout.CODE_ZERO, options, shooter.side, moving)
                for code in range(16)
            ]
        rows += places
    return rows


def _place_word(
    shooter: Unit, target: Unit, aspect: str, band: int, number: int, place: Place, options: Options
) -> int:
    """Return what a hit on a place comes to: a word of a row (TD-5 to TD-7)."""
    armour = getattr(getattr(target.sheet.armor, aspect), place.plate)
    figure = shots.figure_at(shooter.sheet, band, options)
    going = shots.faces_through(figure, armour, options)
    if number == 1 and aspect in AUTOMATIC:
        going = 20
    word = going | shots.over_steps(figure, armour, options) << layout.OVER_SHIFT
    word |= _effect_word(place.penetrating) << layout.ALSO_SHIFT
    word |= _crew_lists(options.charts).index(place.crew) << layout.CREW_SHIFT
    if shooter.sheet.gun.calibre >= options.constant("least_calibre"):
        word |= _skin_word(target, place, options)
    return word


@lru_cache(maxsize=16)
def _crew_lists(charts: Charts) -> tuple[tuple[Position, ...], ...]:
    """Return the lists of men behind places, each once."""
    return tuple(dict.fromkeys(place.crew for facing in FACINGS for place in charts.places(facing)))


@lru_cache(maxsize=16)
def _falling_tables(charts: Charts) -> tuple[int, ...]:
    """Return for each list of men, number of casualties and men lost before who is lost afterwards (TD-8)."""
    return tuple(
        _falling(tuple(POSITIONS.index(man) for man in men), casualties, lost)
        for men in _crew_lists(charts)
        for casualties in range(8)
        for lost in range(32)
    )


def _falling(men: Sequence[int], casualties: int, lost: int) -> int:
    """Return the men lost after so many more: the first ones of a list who are left."""
    left = [man for man in dict.fromkeys(men) if not lost >> man & 1]
    return lost | sum(1 << man for man in left[:casualties])


def _skin_word(target: Unit, place: Place, options: Options) -> int:
    """Return what a round does there that does not go through (TD-7)."""
    word = int(layout.SKIN_TRACK) * place.immobilises
    if place.stuns is not None:
        word |= (POSITIONS.index(place.stuns) + 1) << layout.SKIN_STUN_SHIFT
        if is_exposed(target, place.stuns, options):
            word |= int(layout.SKIN_FATAL if options.value("exposed") == "kia" else layout.SKIN_CHECK)
    return word


def is_exposed(unit: Unit, man: str, options: Options) -> bool:
    """Tell whether a man is exposed: the commander in an open hatch, without a roof all at the gun (TD-7)."""
    if unit.sheet.open_top:
        return man in AT_THE_GUN
    return man == "commander" and not shots.buttoned(unit.sheet, options, unit.side)


def _effect_word(effects: Sequence[Effect]) -> int:
    """Return effects as a word (TD-8)."""
    word = min(effects.count("casualty"), int(layout.CASUALTIES))
    for effect in effects:
        word |= int(_EFFECTS.get(effect, 0))
    return word
