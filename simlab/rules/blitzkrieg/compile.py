"""From sheets, situation and options to a program: every number is made by a function of the kernel."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from simlab.model.errors import InputError
from simlab.model.situation import Scene
from simlab.rules.blitzkrieg import program as place
from simlab.rules.blitzkrieg.kernel import layout
from simlab.rules.blitzkrieg.kernel.manifest import attacker_wins
from simlab.rules.blitzkrieg.kernel.to_hit import reaches
from simlab.rules.blitzkrieg.options import Options
from simlab.rules.blitzkrieg.sheet import ManifestItem
from simlab.rules.blitzkrieg.shots import (
    doublings,
    highest_number,
    is_special,
    level_names,
    roll_limit,
    strike_word,
    to_hit,
    verdicts,
    weapon_reach,
)
from simlab.rules.blitzkrieg.unit_types import UnitType, explosive_lines

CONTESTS = tuple((attacker, defender) for attacker in range(1, 21) for defender in range(1, 21))
"""The dice of a contest, attacker's first (BK-26)."""
FACES = {
    "front": "front",
    "front_left": "left",
    "rear_left": "left",
    "front_right": "right",
    "rear_right": "right",
    "rear": "back",
}
"""The armour that each aspect shows (BK-14)."""
ASPECTS = tuple(FACES)
ARMOR_ORDER = ("front", "left", "right", "back")
LOSSES = {
    "any": layout.LOSS_ANY,
    "all": layout.LOSS_ALL,
    "firepower": layout.LOSS_FIREPOWER,
    "crew": layout.LOSS_CREW,
}
PINTLE_POLICIES = {
    "never": layout.PINTLE_NEVER,
    "in_range": layout.PINTLE_IN_RANGE,
    "always": layout.PINTLE_ALWAYS,
}


def _events(unit: UnitType, options: Options) -> list[int]:
    """Return the events of each line, line 1 first."""
    events = [0] * layout.LINES
    tracked = unit.tracked()
    for item in unit.sheet.manifest:
        explosive = explosive_lines(item, str(options.value("bin_in_box")))
        for line in item.lines:
            events[line - 1] |= _item_events(item, unit)
            if item.item == "tread" or line in explosive:
                events[line - 1] |= 1 << tracked.index(item)
            fed = item.weapon if item.item != "fuel" else None
            if line in explosive and fed and options.value("lost_bin") == "ammo_lost":
                events[line - 1] |= 1 << (layout.LOST_SHIFT + unit.weapons.index(fed))
    return events


def _item_events(item: ManifestItem, unit: UnitType) -> int:
    single = {
        "crew": layout.CREW,
        "engine": layout.ENGINE,
        "periscope": layout.PERISCOPE,
        "turret": layout.TURRET,
        "pintle_mount": layout.PINTLE,
    }
    if item.item == "weapon":
        return 1 << (layout.WEAPON_SHIFT + unit.weapons.index(str(item.weapon)))
    return int(single.get(item.item, np.uint64(0)))


def _union_table(events: Sequence[int]) -> list[int]:
    table = [0] * (1 << place.CHUNK)
    for crossed in range(1, 1 << place.CHUNK):
        lowest = crossed & -crossed
        table[crossed] = table[crossed ^ lowest] | events[lowest.bit_length() - 1]
    return table


def _feeds(item: ManifestItem, unit: UnitType) -> int:
    """Return the weapon that an item feeds, as a bit (BK-26)."""
    return 1 << unit.weapons.index(item.weapon) if item.weapon and item.item != "fuel" else 0


def _item_lines(unit: UnitType, options: Options) -> list[int]:
    """Return for each line, line 1 first, all lines of its item; only itself of an engine whose volleys are counted,
    which is not lost with a line (BK-24)."""
    lines = [1 << line for line in range(layout.LINES)]
    for item in unit.sheet.manifest:
        if item.item != "engine" or options.value("engine_hits") != "count":
            for line in item.lines:
                lines[line - 1] |= _bits([line - 1 for line in item.lines])
    return lines


def _chunk_tables(events: Sequence[int]) -> list[int]:
    """Return the unions of the events of lines, for each five lines a table of 32."""
    starts = range(0, layout.LINES, place.CHUNK)
    return [word for start in starts for word in _union_table(events[start : start + place.CHUNK])]


def chart_column(chart: Sequence[int | None], points: int) -> int:
    """Return the last column that the points reach, 1 to 9 lines or 10 for dead; 0 if none (BK-5, BK-22)."""
    reached = [column for column, least in enumerate(chart, 1) if least is not None and points >= least]
    return reached[-1] if reached else 0


def _bits(numbers: Sequence[int]) -> int:
    return sum(1 << number for number in set(numbers))


def _rounds(unit: UnitType, turns: int) -> tuple[list[int], list[int], int, int]:
    """Return widths and shifts of the counters of weapons that can run out, the memory at the start, and how many bits
    of it they take (BK-16)."""
    widths, shifts, memory, used = [0] * layout.WEAPONS, [0] * layout.WEAPONS, 0, 0
    for number, name in enumerate(unit.weapons):
        rounds = unit.sheet.weapons[name].ammo
        if 0 < rounds < turns:
            widths[number], shifts[number] = rounds.bit_length(), used
            memory |= rounds << used
            used += rounds.bit_length()
    if used > 64:
        raise InputError.one(
            "turns",
            f"{turns} turns with {sum(map(bool, widths))} weapons of {unit.sheet.id} that can run out",
            "rounds that fit into 64 bits: fewer turns, or fewer weapons with few rounds",
        )
    return widths, shifts, memory, used


def _zeroing(unit: UnitType, options: Options, turns: int, used: int) -> dict[int, Any]:
    """Return the words about zeroing in: counters of turns of fire, in the memory behind `used` bits (BK-64)."""
    shifts, masks, most, width = [0] * layout.GUNNERS, [0] * layout.GUNNERS, [0] * layout.GUNNERS, 0
    if options.value("zeroing_in"):
        for number in range(_firing_gunners(unit, options)):
            most[number] = max(0, min(unit.sheet.gunners[number].skill, turns))
            shifts[number], masks[number] = width, (1 << most[number].bit_length()) - 1
            width += most[number].bit_length()
    if used + width > 64 or width > layout.BONUS_BITS:
        raise InputError.one(
            "zeroing_in",
            f"{turns} turns with the gunners of {unit.sheet.id}, {width} bits of turns of fire and {used} of rounds",
            f"{layout.BONUS_BITS} bits of turns of fire, 64 in all: fewer turns, gunners or weapons with few rounds",
        )
    return {
        place.ZERO_SHIFT: used if width else 0,
        place.ZERO_MASK: (1 << width) - 1,
        place.ZEROED_SHIFT: shifts,
        place.ZEROED_MASK: masks,
        place.ZEROED_MOST: most,
    }


def _switched(unit: UnitType, options: Options) -> dict[int, Any]:
    """Return the words about readings that play no part unless they are chosen."""
    weapons = [unit.sheet.weapons[name] for name in unit.weapons]
    mounted = {
        mount: _bits([number for number, weapon in enumerate(weapons) if weapon.mount == mount])
        for mount in ("turret", "pintle")
    }
    silent = options.value("duel_lock") == "silent"
    enclosed = options.value("periscope_scope") == "enclosed"
    pintle = [
        number
        for number, gunner in enumerate(unit.sheet.gunners)
        if all(unit.sheet.weapons[name].mount == "pintle" for name in gunner.weapons)
    ]
    return {
        place.TURRET_LOCK: mounted["turret"] * silent,
        place.PINTLE_LOCK: mounted["pintle"] * silent,
        place.INERT: options.value("empty_bin") == "inert",
        place.TWO_DICE: _bits(pintle) * enclosed,
        place.FEEDS: [_feeds(item, unit) for item in unit.tracked()],
        place.ITEM_LINES: _chunk_tables(_item_lines(unit, options)),
    }


def _type_fields(unit: UnitType, options: Options, turns: int) -> dict[int, Any]:
    """Return the words of a type by their place in its block."""
    sheet = unit.sheet
    events = _events(unit, options)
    tracked = unit.tracked()
    engines = [item for item in sheet.manifest if item.item == "engine"]
    widths, shifts, memory, used = _rounds(unit, turns)
    zeroing, switched = _zeroing(unit, options, turns, used), _switched(unit, options)
    extras = (
        zeroing[place.ZERO_MASK],
        *(switched[f] for f in (place.TURRET_LOCK, place.PINTLE_LOCK, place.INERT)),
    )
    armor = sum(
        getattr(sheet.armor, face) << (layout.ARMOR_SHIFT + layout.ARMOR_BITS * place)
        for place, face in enumerate(ARMOR_ORDER)
    )
    return {
        place.EVENTS: _chunk_tables(events),
        place.CHART: [chart_column(sheet.internal_amount, points) for points in range(layout.POINTS_CAP + 1)],
        place.WEAPONS: _bits(range(len(unit.weapons))),
        place.ARMED: _bits([n for n, name in enumerate(unit.weapons) if sheet.weapons[name].ammo > 0]),
        place.PINTLES: _bits(
            [n for n, name in enumerate(unit.weapons) if sheet.weapons[name].mount == "pintle"]
        ),
        place.PINTLE_POLICY: PINTLE_POLICIES[str(options.value(f"pintle_policy_{unit.side}"))],
        place.EXPLOSIVE: _bits([n for n, item in enumerate(tracked) if item.item != "tread"]),
        place.TREADS: _bits([n for n, item in enumerate(tracked) if item.item == "tread"]),
        place.ENGINES: len(engines),
        place.ENGINE_LINES: [_bits([line - 1 for line in item.lines]) for item in engines],
        place.ENGINE_HITS: [item.hits or 1 for item in engines],
        place.ENGINE_COUNT: options.value("engine_hits") == "count",
        place.ONE_TREAD: options.value("immobile") == "one_tread",
        place.ONE_CONTEST: options.value("explosion_rolls") == "per_volley",
        place.LOSS: LOSSES[str(options.value("loss_of_function"))],
        place.FRESH: armor,
        place.FRESH_MEMORY: memory,
        place.LIMITED: any(widths),
        place.WEAPON_COUNT: len(unit.weapons),
        place.ROUND_BITS: widths,
        place.ROUND_SHIFT: shifts,
        place.GUNNER_COUNT: _firing_gunners(unit, options),
        place.GUNNER_SHIFT: [numbers[0] for numbers in unit.gunners],
        place.GUNNER_MASK: [(1 << len(numbers)) - 1 for numbers in unit.gunners],
        place.REMEMBERS: any(widths) or zeroing[place.ZERO_MASK] > 0,
        place.EXTRAS: any(extras),
        **zeroing,
        **switched,
    }


def _firing_gunners(unit: UnitType, options: Options) -> int:
    """Return the number of gunners up to the last who can ever fire: the loop over gunners is not kept waiting for
    pintle gunners who are never unbuttoned (BK-31)."""
    never = options.value(f"pintle_policy_{unit.side}") == "never"
    weapons = unit.sheet.weapons
    armed = [
        number
        for number, gunner in enumerate(unit.sheet.gunners, 1)
        if any(weapons[w].ammo > 0 and not (never and weapons[w].mount == "pintle") for w in gunner.weapons)
    ]
    return armed[-1] if armed else 0


def _reach(unit: UnitType, scene: Scene, options: Options) -> int:
    """Return the weapons whose range reaches; none of a side that holds its fire."""
    if scene.silent_a if unit.side == "a" else scene.silent_b:
        return 0
    limits = [weapon_reach(unit.sheet.weapons[name], options) for name in unit.weapons]
    return _bits([number for number, limit in enumerate(limits) if limit is None or scene.range <= limit])


def _gunner_row(
    unit: UnitType,
    gunner: int,
    foe: UnitType,
    situation: Scene,
    unbuttoned: bool,
    options: Options,
    masks: int,
) -> npt.NDArray[np.uint64]:
    """Return the row of a gunner against a target: weapons that hit by total, strikes by weapons and level.

    `masks`: the number of sets of weapons of the longest gunner's list. The strikes of all sets are there once for each
    number of doublings (BK-54).
    """
    aspect = situation.aspect_a if foe.side == "a" else situation.aspect_b
    pooled = options.value("unbuttoned_mix") == "pooled"
    row = np.zeros(row_length(masks, options), np.uint64)
    row[place.ROW_FACE] = _face(aspect)
    names = unit.sheet.gunners[gunner].weapons
    shot = (foe.sheet, situation.range, aspect, unbuttoned, options, foe.side)
    numbers = [to_hit(unit.sheet, gunner, name, *shot) for name in names]
    totals = np.arange(layout.TOTAL_CAP + 1)
    hits = row[place.ROW_HITS : place.ROW_HITS + len(totals)]
    for weapon, number in enumerate(numbers):
        hits |= reaches(totals, number).astype(np.uint64) << np.uint64(weapon)
    weapons = [unit.sheet.weapons[name] for name in names]
    levels = level_names(options, situation.range)
    for mask in range(1, 1 << len(weapons)):
        hitting = [weapon for number, weapon in enumerate(weapons) if mask >> number & 1]
        for luck in range(doublings(options) + 1):
            start = place.ROW_STRIKES + (luck * masks + mask) * place.ROW_LEVELS
            for level, name in enumerate(levels):
                word = strike_word(hitting, name, foe.sheet, aspect, unbuttoned, pooled, 1 << luck)
                row[start + level] = word
    return row


def row_length(masks: int, options: Options) -> int:
    """Return the number of words of a row for gunners with up to `masks` sets of weapons."""
    return place.ROW_STRIKES + masks * (doublings(options) + 1) * place.ROW_LEVELS


def contest_won(attacker: int, defender: int, options: Options) -> bool:
    """Tell whether a contest lets the unit explode, by how much ever the attacker has to be higher (BK-26)."""
    won: bool = attacker_wins(attacker + 1 - options.constants.contest_lead, defender)
    return won


def compile_program(
    units: Sequence[UnitType], situations: Sequence[Scene], options: Options, turns: int
) -> npt.NDArray[np.uint64]:
    """Return the program of a fight between these types: `situations` are its scenes, `turns` its turns at most."""
    masks = 1 << max(len(numbers) for unit in units for numbers in unit.gunners)
    length = row_length(masks, options)
    scenes = place.scene_place(len(units), 0, 0)
    pairs = scenes + len(situations) * len(units) * place.SCENE_SIZE
    judged = pairs + len(situations) * len(units) ** 2 * layout.GUNNERS * 2 * length
    program = np.zeros(judged + place.VERDICT_SIZE, np.uint64)
    _put(
        program,
        0,
        {
            **_header(units, situations, options, masks),
            place.TYPES: len(units),
            place.SCENES: scenes,
            place.PAIRS: pairs,
            place.ROW: length,
            place.VERDICTS: judged,
        },
    )
    _put(program, judged, {0: verdicts(options, 2), place.VERDICT_ONE: verdicts(options, 1)})
    for number, unit in enumerate(units):
        _put(program, place.type_place(number), {place.NUMBER: number, **_type_fields(unit, options, turns)})
        for scene, situation in enumerate(situations):
            fields = {place.REACH: _reach(unit, situation, options)}
            _put(program, place.scene_place(len(units), scene, number), fields)
    for scene, situation in enumerate(situations):
        for shooter, unit in enumerate(units):
            for target, foe in enumerate(units):
                if unit.side == foe.side:
                    continue
                pair = (scene * len(units) + shooter) * len(units) + target
                for gunner in range(len(unit.sheet.gunners)):
                    for unbuttoned in (False, True):
                        row = _gunner_row(unit, gunner, foe, situation, unbuttoned, options, masks)
                        at = ((pair * layout.GUNNERS + gunner) * 2 + unbuttoned) * length
                        _put(program, pairs + at, {0: row})
    return program


def _header(
    units: Sequence[UnitType], situations: Sequence[Scene], options: Options, masks: int
) -> dict[int, Any]:
    """Return the words of the header that are no places."""
    contests = [contest_won(attacker, defender, options) for attacker, defender in CONTESTS]
    sheets = [unit.sheet for unit in units]
    highest = max(highest_number(sheets, situation.range, options) for situation in situations)
    return {
        place.LIMIT: roll_limit(options, highest),
        place.LEVELS: len(level_names(options, situations[0].range)),
        place.WRAP: options.value("manifest_overflow") == "wrap",
        place.CONTEST_WINS: sum(contests),
        place.CONTEST_FACES: len(contests),
        place.SPECIAL: is_special(options),
        place.LUCK_SHIFT: masks.bit_length() - 1,
        place.HIT_MASK: masks - 1,
        place.SKIP: options.value("skip") == "destroyed",
        place.EACH_VOLLEY: options.value("explosion_repeat") == "each_volley",
    }


def _put(program: npt.NDArray[np.uint64], start: int, fields: Mapping[int, Any]) -> None:
    for field, value in fields.items():
        values = place.words(value)
        program[start + field : start + field + len(values)] = values


def _face(aspect: str) -> int:
    return layout.ARMOR_SHIFT + layout.ARMOR_BITS * ARMOR_ORDER.index(FACES[aspect])
