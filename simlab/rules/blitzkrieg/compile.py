"""From sheets, situation and options to a program: every number is made by a function of the kernel."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from simlab.model.errors import InputError
from simlab.model.situation import Situation
from simlab.rules.blitzkrieg import program as place
from simlab.rules.blitzkrieg.kernel import layout
from simlab.rules.blitzkrieg.kernel.damage import excess, internal_shock
from simlab.rules.blitzkrieg.kernel.manifest import attacker_wins
from simlab.rules.blitzkrieg.kernel.to_hit import range_bonus, reaches, to_hit_number
from simlab.rules.blitzkrieg.options import Options
from simlab.rules.blitzkrieg.sheet import ManifestItem, Sheet, Weapon

RANGE_STEP = 12.0
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


@dataclass(frozen=True)
class UnitType:
    """A sheet on a side, its weapons numbered gunner by gunner."""

    sheet: Sheet
    side: str
    weapons: tuple[str, ...]

    @property
    def gunners(self) -> list[list[int]]:
        """Weapon numbers of each gunner."""
        numbers = {name: number for number, name in enumerate(self.weapons)}
        return [[numbers[name] for name in gunner.weapons] for gunner in self.sheet.gunners]

    def tracked(self) -> list[ManifestItem]:
        """Items that can explode and treads, from the lowest line up: the numbering of tracked items."""
        items = [item for item in self.sheet.manifest if explosive_lines(item, "box") or item.item == "tread"]
        return sorted(items, key=lambda item: min(item.lines))


def unit_type(sheet: Sheet, side: str) -> UnitType:
    """Return the type of a sheet on side "a" or "b"."""
    return UnitType(sheet, side, tuple(name for gunner in sheet.gunners for name in gunner.weapons))


def explosive_lines(item: ManifestItem, bin_in_box: str) -> tuple[int, ...]:
    """Return the lines of an item whose crossing calls for a contest (BK-26): of a weapon's box with a bin all lines,
    or under the reading `line` the second from the top, or its only one."""
    if item.item in ("fuel", "ammo_bin"):
        return item.lines
    if not item.ammo_bin:
        return ()
    lines = tuple(sorted(item.lines, reverse=True))
    return lines if bin_in_box == "box" or len(lines) == 1 else lines[1:2]


def aspect_defence(weapon_type: str, sheet: Sheet, aspect: str, unbuttoned: bool) -> int:
    """Return the defence value that a weapon rolls against (BK-12, BK-14, BK-31)."""
    kind = "ballistic" if weapon_type == "anti_personnel" and unbuttoned else weapon_type
    values = getattr(sheet.defense, kind)
    number: int = values.front_back if aspect in ("front", "rear") else values.sides
    return number


def weapon_reach(weapon: Weapon, options: Options) -> float | None:
    """Return the longest range of a weapon, None without one (BK-15)."""
    if weapon.default_reach and options.value("mg_range") == "unlimited":
        return None
    return weapon.max_range


def to_hit(
    shooter: Sheet, gunner: int, weapon: str, target: Sheet, distance: float, aspect: str, unbuttoned: bool
) -> int:
    """Return the to-hit number of a gunner's weapon against an aspect of a target (BK-12)."""
    defence = aspect_defence(shooter.weapons[weapon].type, target, aspect, unbuttoned)
    number: int = to_hit_number(defence, range_bonus(distance, RANGE_STEP), shooter.gunners[gunner].skill)
    return number


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


def chart_column(chart: Sequence[int | None], points: int) -> int:
    """Return the last column that the points reach, 1 to 9 lines or 10 for dead; 0 if none (BK-5, BK-22)."""
    reached = [column for column, least in enumerate(chart, 1) if least is not None and points >= least]
    return reached[-1] if reached else 0


def _bits(numbers: Sequence[int]) -> int:
    return sum(1 << number for number in set(numbers))


def _rounds(unit: UnitType, turns: int) -> tuple[list[int], list[int], int]:
    """Return widths and shifts of the counters of weapons that can run out, and the memory at the start (BK-16)."""
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
    return widths, shifts, memory


def _type_fields(unit: UnitType, options: Options, turns: int) -> dict[int, Any]:
    """Return the words of a type by their place in its block."""
    sheet = unit.sheet
    events = _events(unit, options)
    tracked = unit.tracked()
    engines = [item for item in sheet.manifest if item.item == "engine"]
    widths, shifts, memory = _rounds(unit, turns)
    armor = sum(
        getattr(sheet.armor, face) << (layout.ARMOR_SHIFT + layout.ARMOR_BITS * place)
        for place, face in enumerate(ARMOR_ORDER)
    )
    chunks = [
        _union_table(events[start : start + place.CHUNK]) for start in range(0, layout.LINES, place.CHUNK)
    ]
    return {
        place.EVENTS: [word for table in chunks for word in table],
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


def _reach(unit: UnitType, distance: float, options: Options) -> int:
    limits = [weapon_reach(unit.sheet.weapons[name], options) for name in unit.weapons]
    return _bits([number for number, limit in enumerate(limits) if limit is None or distance <= limit])


def strike_word(
    weapons: Sequence[Weapon], level: str, target: Sheet, aspect: str, unbuttoned: bool, pooled: bool
) -> int:
    """Return damage and internal points of the weapons that hit at a level (BK-17, BK-19, BK-20, BK-31)."""
    triples = [getattr(weapon, level) for weapon in weapons]
    shock_ap = sum(
        t[1] for weapon, t in zip(weapons, triples, strict=True) if weapon.type == "anti_personnel"
    )
    shock_other = sum(t[1] for t in triples) - shock_ap
    other_hit = any(weapon.type != "anti_personnel" for weapon in weapons)
    shock = internal_shock(shock_ap, shock_other, other_hit, target.shock_threshold, unbuttoned, pooled)
    penetration = excess(sum(t[2] for t in triples), getattr(target.penetration, aspect))
    damage = sum(t[0] for t in triples)
    return int(damage | shock << layout.SHOCK_SHIFT | penetration << layout.PENETRATION_SHIFT)


LEVELS = ("high", "low")
"""Heads is high, tails is low (BK-17)."""


def _gunner_row(
    unit: UnitType,
    gunner: int,
    foe: Sheet,
    situation: Situation,
    aspect: str,
    unbuttoned: bool,
    pooled: bool,
    length: int,
) -> npt.NDArray[np.uint64]:
    """Return the row of a gunner against a target: weapons that hit by total, strikes by weapons and level."""
    row = np.zeros(length, np.uint64)
    row[place.ROW_FACE] = _face(aspect)
    names = unit.sheet.gunners[gunner].weapons
    numbers = [to_hit(unit.sheet, gunner, name, foe, situation.range, aspect, unbuttoned) for name in names]
    totals = np.arange(layout.TOTAL_CAP + 1)
    hits = row[place.ROW_HITS : place.ROW_HITS + len(totals)]
    for weapon, number in enumerate(numbers):
        hits |= reaches(totals, number).astype(np.uint64) << np.uint64(weapon)
    weapons = [unit.sheet.weapons[name] for name in names]
    for mask in range(1, 1 << len(weapons)):
        hitting = [weapon for number, weapon in enumerate(weapons) if mask >> number & 1]
        for level, name in enumerate(LEVELS):
            word = strike_word(hitting, name, foe, aspect, unbuttoned, pooled)
            row[place.ROW_STRIKES + mask * place.ROW_LEVELS + level] = word
    return row


def highest_number(units: Sequence[UnitType], distance: float) -> int:
    """Return a total that hits with every weapon of any unit against any other at this distance."""
    defences = [
        value
        for unit in units
        for values in (
            unit.sheet.defense.ballistic,
            unit.sheet.defense.indirect,
            unit.sheet.defense.anti_personnel,
        )
        for value in (values.front_back, values.sides)
    ]
    skills = [gunner.skill for unit in units for gunner in unit.sheet.gunners]
    highest: int = to_hit_number(max(defences), range_bonus(distance, RANGE_STEP), min(skills))
    return max(highest, 13)


def compile_program(
    units: Sequence[UnitType], situations: Sequence[Situation], options: Options, turns: int
) -> npt.NDArray[np.uint64]:
    """Return the program of a fight between these types: one scene a situation, `turns` turns at most."""
    masks = 1 << max(len(numbers) for unit in units for numbers in unit.gunners)
    length = place.ROW_STRIKES + masks * place.ROW_LEVELS
    scenes = place.scene_place(len(units), 0, 0)
    pairs = scenes + len(situations) * len(units) * place.SCENE_SIZE
    rows = len(situations) * len(units) ** 2 * layout.GUNNERS * 2
    program = np.zeros(pairs + rows * length, np.uint64)
    contests = [attacker_wins(attacker, defender) for attacker, defender in CONTESTS]
    header = {
        place.LIMIT: max(highest_number(units, situation.range) for situation in situations),
        place.LEVELS: len(LEVELS),
        place.WRAP: options.value("manifest_overflow") == "wrap",
        place.CONTEST_WINS: sum(contests),
        place.CONTEST_FACES: len(contests),
        place.TYPES: len(units),
        place.SCENES: scenes,
        place.PAIRS: pairs,
        place.ROW: length,
    }
    _put(program, 0, header)
    for number, unit in enumerate(units):
        _put(program, place.type_place(number), {place.NUMBER: number, **_type_fields(unit, options, turns)})
        for scene, situation in enumerate(situations):
            fields = {place.REACH: _reach(unit, situation.range, options)}
            _put(program, place.scene_place(len(units), scene, number), fields)
    pooled = options.value("unbuttoned_mix") == "pooled"
    for scene, situation in enumerate(situations):
        for shooter, unit in enumerate(units):
            for target, foe in enumerate(units):
                if unit.side == foe.side:
                    continue
                aspect = situation.aspect_a if foe.side == "a" else situation.aspect_b
                pair = (scene * len(units) + shooter) * len(units) + target
                for gunner in range(len(unit.sheet.gunners)):
                    for unbuttoned in (False, True):
                        row = _gunner_row(
                            unit, gunner, foe.sheet, situation, aspect, unbuttoned, pooled, length
                        )
                        _put(
                            program,
                            pairs + ((pair * layout.GUNNERS + gunner) * 2 + unbuttoned) * length,
                            {0: row},
                        )
    return program


def _put(program: npt.NDArray[np.uint64], start: int, fields: Mapping[int, Any]) -> None:
    for field, value in fields.items():
        values = place.words(value)
        program[start + field : start + field + len(values)] = values


def _face(aspect: str) -> int:
    return layout.ARMOR_SHIFT + layout.ARMOR_BITS * ARMOR_ORDER.index(FACES[aspect])
