"""From sheets, situation and options to a program: one array of 64-bit words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from simlab.model.errors import InputError
from simlab.model.situation import Scene
from simlab.rules.wwiisim import shots
from simlab.rules.wwiisim.kernel import layout as at
from simlab.rules.wwiisim.options import Options
from simlab.rules.wwiisim.scatter import covered_degrees
from simlab.rules.wwiisim.sheet import Sheet
from simlab.rules.wwiisim.weapons import WeaponClass

MOST_SCATTER = 20
FIRST_NAME, SECOND_NAME = "firing", "secondary firing"
Words = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class UnitType:
    """A sheet on a side, and what may happen to it in this fight.

    armed: its single weapons that reach in some scene, as bits. threatened: some enemy can ever fire.
    """

    sheet: Sheet
    side: str
    armed: int
    threatened: bool

    def can_lose_initiative(self, options: Options) -> bool:
        """Whether a minor hit may put it last in the order, and the order matters (WS-9)."""
        return self.sheet.is_vehicle and self.threatened and options.value("initiative_order") == "descending"


@dataclass(frozen=True)
class PhasePlan:
    """The phases of a turn: which part they belong to, 0 or 1, and the initiative that fires (None: all)."""

    parts: tuple[tuple[int, int | None], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called."""
        return tuple(
            (FIRST_NAME, SECOND_NAME)[part] + ("" if rank is None else f", initiative {rank}")
            for part, rank in self.parts
        ) or (FIRST_NAME,)


def bits(numbers: Iterable[int]) -> int:
    """Return numbers as a set of bits."""
    return sum(1 << number for number in numbers)


def part_of(weapon: WeaponClass) -> int:
    """Return the part of a turn in which a weapon fires: 0, or 1 for heavy ones (WS-3)."""
    return int(weapon.heavy)


def weapons_of_part(sheet: Sheet, part: int) -> int:
    """Return the single weapons that fire in a part of a turn, as bits."""
    return bits(number for number, (_, weapon) in enumerate(sheet.arms) if part_of(weapon.kind) == part)


def plan_phases(units: Sequence[UnitType], options: Options) -> PhasePlan:
    """Return the phases that some unit can use: heavy weapons last, high initiative first (WS-3, WS-9).

    InputError for more than 16.
    """
    parts: list[tuple[int, int | None]] = []
    for part in (0, 1):
        firing = [unit for unit in units if unit.armed & weapons_of_part(unit.sheet, part)]
        if options.value("initiative_order") == "simultaneous":
            parts += [(part, None)] * bool(firing)
            continue
        ranks = {unit.sheet.initiative for unit in firing}
        ranks |= {0 for unit in firing if unit.can_lose_initiative(options)}
        parts += [(part, rank) for rank in sorted(ranks, reverse=True)]
    if len(parts) > at.PHASES:
        allowed = f"so few that a turn has at most {at.PHASES} phases"
        raise InputError.one("initiative", f"{len(parts)} phases of different initiative", allowed)
    return PhasePlan(tuple(parts))


def reach_mask(sheet: Sheet, distance: float, options: Options) -> int:
    """Return the single weapons that a distance is in reach of (WS-2)."""
    numbers = enumerate(sheet.arms)
    return bits(
        number
        for number, (_, weapon) in numbers
        if shots.needed(sheet, weapon, distance, False, options) is not None
    )


def is_silent(scene: Scene, side: str) -> bool:
    """Tell whether a side holds its fire."""
    return scene.silent_a if side == "a" else scene.silent_b


def list_types(
    sheets: Sequence[tuple[Sheet, str]], scenes: Sequence[Scene], options: Options
) -> list[UnitType]:
    """Return the types of a fight: sheets on sides, each with what it can ever do and suffer."""
    armed = []
    for sheet, side in sheets:
        mask = 0
        for scene in scenes:
            mask |= 0 if is_silent(scene, side) else reach_mask(sheet, scene.range, options)
        armed.append(mask)
    firing = {side for (_, side), mask in zip(sheets, armed, strict=True) if mask}
    return [
        UnitType(sheet, side, mask, bool(firing - {side}))
        for (sheet, side), mask in zip(sheets, armed, strict=True)
    ]


def may_jam(weapon: WeaponClass, options: Options) -> bool:
    """Tell whether a weapon may jam: a machine gun that throws two dice or more (WS-4)."""
    return weapon.machine_gun and int(options.value("mg_dice")) > 1


def smoke_turns(options: Options) -> int:
    """Return at how many ends of turns smoke still stands and one more; 0 where it plays no part."""
    return 0 if options.value("smoke_sight") == "none" else int(options.constant("smoke_turns")) + 1


def compile_program(
    types: Sequence[UnitType], scenes: Sequence[Scene], plan: PhasePlan, options: Options
) -> Words:
    """Return the program of a fight between these types in these scenes."""
    number = len(types)
    places = at.HEADER + number * at.TYPE_SIZE
    pairs = places + len(scenes) * number
    size = pairs + len(scenes) * number**2 * at.MOST * 2 * at.ROW_SIZE
    program = np.zeros(size, np.uint64)
    _put(program, 0, _header(options) | {at.TYPES: number, at.SCENES: places, at.PAIRS: pairs})
    for place, unit in enumerate(types):
        _put(program, type_place(place), _type_fields(unit, place, plan, options))
        for turn, scene in enumerate(scenes):
            silent = is_silent(scene, unit.side)
            program[places + turn * number + place] = (
                0 if silent else reach_mask(unit.sheet, scene.range, options)
            )
    for turn, scene in enumerate(scenes):
        for shooter, unit in enumerate(types):
            for target, foe in enumerate(types):
                if unit.side != foe.side:
                    pair = (turn * number + shooter) * number + target
                    start = pairs + pair * at.MOST * 2 * at.ROW_SIZE
                    _put_rows(program, start, unit, foe, scene, options)
    return program


def type_place(number: int) -> int:
    """Return the place of the block of a type."""
    return at.HEADER + number * at.TYPE_SIZE


def _put(program: Words, start: int, fields: Mapping[int, Any]) -> None:
    for field, value in fields.items():
        values = np.ravel(np.asarray(value, np.uint64))
        program[start + field : start + field + len(values)] = values


def _header(options: Options) -> dict[int, Any]:
    return {
        at.DIE: options.value("die"),
        at.AT_LEAST: shots.is_high(options),
        at.JAM_LOST: options.value("jam_scope") == "lost",
        at.SMOKE_TURNS: smoke_turns(options),
        at.SMOKE_BLOCKS: options.value("smoke_sight") == "blocks",
        at.SMOKE_SAME: options.value("minor_smoke") == "same",
        at.REROLL: options.value("immobilised_again") == "reroll",
        at.NONE_HALTS: options.value("no_weapon_left") == "immobilised",
        at.ZERO_ENDS: options.value("initiative_zero") == "turn",
        at.AT_ONCE: options.value("repair") == "at_once",
        at.TEMPLATE_MEN: options.constant("template_men"),
        at.MISS_ONLY: options.value("scatter_bonus") == "miss_only",
        at.SEEN: options.constant("spotter_sees"),
    }


def _type_fields(unit: UnitType, number: int, plan: PhasePlan, options: Options) -> dict[int, Any]:
    """Return the words of a type by their place in its block."""
    sheet, arms = unit.sheet, [weapon for _, weapon in unit.sheet.arms]
    jamming = bits(
        n for n, weapon in enumerate(arms) if unit.armed >> n & 1 and may_jam(weapon.kind, options)
    )
    mends = jamming if options.value("repair") != "never" else 0
    can_zero = unit.can_lose_initiative(options) and bool(unit.armed)
    first, second = weapons_of_part(sheet, 0), weapons_of_part(sheet, 1)
    notes_fire = can_zero or bool(mends)
    spent = [
        (notes_fire * int(at.FIRED_SECOND if weapon.kind.heavy else at.FIRED_FIRST))
        | (1 << n) * (weapon.kind.single_use and options.value("fires_once") == "game")
        for n, weapon in enumerate(arms)
    ]
    smokes = [
        weapon.kind.heavy and smoke_turns(options) > 0 and int(options.value("muzzle_smoke")) > 0
        for weapon in arms
    ]
    counts, places = _shell_counts(unit, options)
    later = len(plan.parts) > 1 or bool(mends)
    return {
        at.NUMBER: number,
        at.ARMS: len(arms),
        at.TEAM: not sheet.is_vehicle,
        at.STANDS: shots.men_or_arms(sheet),
        at.CAN_STUN: sheet.is_vehicle and unit.threatened and later and bool(unit.armed),
        at.CAN_ZERO: can_zero,
        at.REMEMBERS: any(spent) or bool(jamming) or any(smokes) or any(counts),
        at.LEARNS: any(counts) or bool(mends),
        at.FIRST: first,
        at.SECOND: second,
        at.REPAIRABLE: mends,
        at.GONE: [
            bits(shots.silent_weapons(sheet, losses, options))
            for losses in range(shots.men_or_arms(sheet) + 1)
        ],
        at.OWN_PHASE: [
            (first, second)[part] if rank in (None, sheet.initiative) else 0 for part, rank in plan.parts
        ],
        at.ZERO_PHASE: [(first, second)[part] if rank in (None, 0) else 0 for part, rank in plan.parts],
        at.DICE: [shots.dice_of(weapon, options) for weapon in arms],
        at.JAMS: [may_jam(weapon.kind, options) for weapon in arms],
        at.SPENT: spent,
        at.MUZZLES: smokes,
        at.SHELL_PLACE: places,
        at.SHELLS_MOST: counts,
    }


def _shell_counts(unit: UnitType, options: Options) -> tuple[list[int], list[int]]:
    """Return by weapon how many earlier shells help a mortar at most, and the first bit of its count (WS-12)."""
    most = MOST_SCATTER - int(options.constant("spotter_sees"))
    counts, places, place = [], [], at.SHELL_SHIFT
    for number, (_, weapon) in enumerate(unit.sheet.arms):
        used = weapon.kind.mortar and bool(unit.armed >> number & 1)
        counts.append(most if used else 0)
        places.append(place if used else 0)
        place += at.SHELL_BITS * used
    return counts, places


def _put_rows(
    program: Words, start: int, unit: UnitType, foe: UnitType, scene: Scene, options: Options
) -> None:
    """Fill in the rows of all weapons of a type against another, without and with smoke around the target."""
    aspect = scene.aspect_a if foe.side == "a" else scene.aspect_b
    sight = str(options.value("smoke_sight"))
    for number, (_, weapon) in enumerate(unit.sheet.arms):
        clear = shots.needed(unit.sheet, weapon, scene.range, False, options)
        if clear is None:
            continue
        hidden = clear
        if sight == "hinders":
            hidden = shots.needed(unit.sheet, weapon, scene.range, True, options) or 0
        armor = shots.shot_armor(foe.sheet, aspect, weapon, options)
        row = {
            at.ROW_OWN_SMOKE: hidden,
            at.ROW_MINOR: shots.minor_faces(weapon.strength, armor),
            at.ROW_MORTAR: weapon.kind.mortar,
            at.ROW_COVERED: _covered(scene.range, options) if weapon.kind.mortar else 0,
        }
        for smoke in (0, 1):
            there = {at.ROW_NEEDED: (clear, hidden)[smoke], at.ROW_BLOCKED: smoke and sight == "blocks"}
            _put(program, start + (number * 2 + smoke) * at.ROW_SIZE, row | there)


def _covered(distance: float, options: Options) -> list[int]:
    """Return by inches of scatter in how many directions a template covers the target (WS-12)."""
    off = 0.0
    if options.value("range_guess") == "given":
        off = float(options.constant("guessed_range")) - distance
    radius = float(options.constant("template_radius"))
    return [covered_degrees(inches, off, radius) for inches in range(MOST_SCATTER + 1)]
