"""From sheets, situation and options to a program: every number is made by a function of the kernel."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from simlab.model.situation import Scene
from simlab.rules.blitzkrieg import program as place
from simlab.rules.blitzkrieg.kernel import layout
from simlab.rules.blitzkrieg.kernel.manifest import attacker_wins
from simlab.rules.blitzkrieg.kernel.to_hit import reaches
from simlab.rules.blitzkrieg.memory_words import firing_gunners, rounds_in_memory, zeroing_words
from simlab.rules.blitzkrieg.options import Options
from simlab.rules.blitzkrieg.sheet import ManifestItem, Sheet
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
from simlab.rules.contract import Parts

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


def _verdict_block(options: Options) -> npt.NDArray[np.uint64]:
    block = np.zeros(place.VERDICT_SIZE, np.uint64)
    _put(block, 0, {0: verdicts(options, 2), place.VERDICT_ONE: verdicts(options, 1)})
    return block


def _type_block(unit: UnitType, options: Options, turns: int) -> npt.NDArray[np.uint64]:
    """Return the block of a type, all but its number."""
    block = np.zeros(place.TYPE_SIZE, np.uint64)
    _put(block, 0, _type_fields(unit, options, turns))
    return block


def _type_fields(unit: UnitType, options: Options, turns: int) -> dict[int, Any]:
    """Return the words of a type by their place in its block."""
    sheet = unit.sheet
    events = _events(unit, options)
    tracked = unit.tracked()
    engines = [item for item in sheet.manifest if item.item == "engine"]
    widths, shifts, memory, used = rounds_in_memory(unit, turns)
    zeroing, switched = zeroing_words(unit, options, turns, used), _switched(unit, options)
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
        place.GUNNER_COUNT: firing_gunners(unit, options),
        place.GUNNER_SHIFT: [numbers[0] for numbers in unit.gunners],
        place.GUNNER_MASK: [(1 << len(numbers)) - 1 for numbers in unit.gunners],
        place.REMEMBERS: any(widths) or zeroing[place.ZERO_MASK] > 0,
        place.EXTRAS: any(extras),
        **zeroing,
        **switched,
    }


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
    parts: Parts,
) -> npt.NDArray[np.uint64]:
    """Return the row of a gunner against a target: weapons that hit by total, strikes by weapons and level.

    `masks`: the number of sets of weapons of the longest gunner's list.
    """
    aspect = situation.aspect_a if foe.side == "a" else situation.aspect_b
    row = np.zeros(row_length(masks, options), np.uint64)
    row[place.ROW_FACE] = _face(aspect)
    names = unit.sheet.gunners[gunner].weapons
    shot = (foe.sheet, situation.range, aspect, unbuttoned, options, foe.side)
    numbers = [to_hit(unit.sheet, gunner, name, *shot) for name in names]
    totals = np.arange(layout.TOTAL_CAP + 1)
    hits = row[place.ROW_HITS : place.ROW_HITS + len(totals)]
    for weapon, number in enumerate(numbers):
        hits |= reaches(totals, number).astype(np.uint64) << np.uint64(weapon)
    levels = level_names(options, situation.range)
    sides = (id(unit.sheet), unit.side, id(foe.sheet), foe.side)
    row[place.ROW_STRIKES :] = parts.get(
        ("strikes", *sides, gunner, aspect, unbuttoned, levels, masks),
        lambda: _strikes(unit, gunner, foe.sheet, (aspect, unbuttoned), levels, options, masks),
    )
    return row


def _strikes(
    unit: UnitType,
    gunner: int,
    foe: Sheet,
    shown: tuple[str, bool],
    levels: Sequence[str],
    options: Options,
    masks: int,
) -> npt.NDArray[np.uint64]:
    """Return the strikes of all sets of a gunner's weapons, once for each number of doublings (BK-54)."""
    pooled = options.value("unbuttoned_mix") == "pooled"
    weapons = [unit.sheet.weapons[name] for name in unit.sheet.gunners[gunner].weapons]
    strikes = np.zeros((doublings(options) + 1, masks, place.ROW_LEVELS), np.uint64)
    for mask in range(1, 1 << len(weapons)):
        hitting = [weapon for number, weapon in enumerate(weapons) if mask >> number & 1]
        for luck, level in product(range(len(strikes)), range(len(levels))):
            strikes[luck, mask, level] = strike_word(hitting, levels[level], foe, *shown, pooled, 1 << luck)
    return strikes.ravel()


def row_length(masks: int, options: Options) -> int:
    """Return the number of words of a row for gunners with up to `masks` sets of weapons."""
    return place.ROW_STRIKES + masks * (doublings(options) + 1) * place.ROW_LEVELS


def contest_won(attacker: int, defender: int, options: Options) -> bool:
    """Tell whether a contest lets the unit explode, by how much ever the attacker has to be higher (BK-26)."""
    won: bool = attacker_wins(attacker + 1 - options.constants.contest_lead, defender)
    return won


def compile_program(
    units: Sequence[UnitType], situations: Sequence[Scene], options: Options, turns: int, parts: Parts
) -> npt.NDArray[np.uint64]:
    """Return the program of a fight between these types: `situations` are its scenes, `turns` its turns at most.

    parts: of fights of the same options and turns; they are taken from there, or added.
    """
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
            **_header(units, situations, options, masks, parts),
            place.TYPES: len(units),
            place.SCENES: scenes,
            place.PAIRS: pairs,
            place.ROW: length,
            place.VERDICTS: judged,
        },
    )
    _put(program, judged, {0: parts.get("verdicts", lambda: _verdict_block(options))})
    for number, unit in enumerate(units):
        block = parts.get(("type", id(unit.sheet), unit.side), partial(_type_block, unit, options, turns))
        _put(program, place.type_place(number), {0: block, place.NUMBER: number})
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
                        row = _gunner_row(unit, gunner, foe, situation, unbuttoned, options, masks, parts)
                        at = pairs + ((pair * layout.GUNNERS + gunner) * 2 + unbuttoned) * length
                        program[at : at + length] = row
    return program


def _header(
    units: Sequence[UnitType], situations: Sequence[Scene], options: Options, masks: int, parts: Parts
) -> dict[int, Any]:
    """Return the words of the header that are no places."""
    won = parts.get("contests", lambda: sum(contest_won(*dice, options) for dice in CONTESTS))
    sheets = [unit.sheet for unit in units]
    highest = max(highest_number(sheets, situation.range, options) for situation in situations)
    return {
        place.LIMIT: roll_limit(options, highest),
        place.LEVELS: len(level_names(options, situations[0].range)),
        place.WRAP: options.value("manifest_overflow") == "wrap",
        place.CONTEST_WINS: won,
        place.CONTEST_FACES: len(CONTESTS),
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
