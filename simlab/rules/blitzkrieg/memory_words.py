"""What a unit remembers from turn to turn, rounds and turns of fire, as bits of one word."""

from typing import Any

from simlab.model.errors import InputError
from simlab.rules.blitzkrieg import program as place
from simlab.rules.blitzkrieg.kernel import layout
from simlab.rules.blitzkrieg.options import Options
from simlab.rules.blitzkrieg.unit_types import UnitType


def rounds_in_memory(unit: UnitType, turns: int) -> tuple[list[int], list[int], int, int]:
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


def zeroing_words(unit: UnitType, options: Options, turns: int, used: int) -> dict[int, Any]:
    """Return the words about zeroing in: counters of turns of fire, in the memory behind `used` bits (BK-64)."""
    shifts, masks, most, width = [0] * layout.GUNNERS, [0] * layout.GUNNERS, [0] * layout.GUNNERS, 0
    if options.value("zeroing_in"):
        for number in range(firing_gunners(unit, options)):
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


def firing_gunners(unit: UnitType, options: Options) -> int:
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
