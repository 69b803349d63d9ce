"""A shot in numbers: bands, skill, armour and facing, the faces that matter (WS-1, WS-2, WS-6, WS-7)."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from simlab.rules.wwiisim.kernel.shooting import hits, jams
from simlab.rules.wwiisim.kernel.tables import penetrates
from simlab.rules.wwiisim.options import Options
from simlab.rules.wwiisim.sheet import Sheet, Weapon
from simlab.rules.wwiisim.weapons import band, firing_dice

ASPECTS = ("front", "side", "rear")
FACING = {"front": 0, "side": -1, "rear": -2}
"""What an aspect adds to the armour value of the front (WS-6)."""
SIDES = 6


def armor_value(sheet: Sheet, aspect: str) -> int:
    """Return the armour that a vehicle shows (WS-6)."""
    assert sheet.armor is not None
    return sheet.armor + FACING[aspect]


def firing_skill(sheet: Sheet, options: Options) -> int:
    """Return a unit's firing skill (WS-1)."""
    fixed = options.value("firing_skill")
    return sheet.skill if fixed == "sheet" else int(fixed)


def needed(sheet: Sheet, weapon: Weapon, distance: float, smoke: bool, options: Options) -> int | None:
    """Return the number to roll, from 0 to one more than the die has; None out of reach (WS-1, WS-2).

    What lowers the skill raises the number where high rolls hit.
    """
    reached = band(distance, weapon.short, weapon.long)
    if reached is None:
        return None
    change = int(options.value("long_range")) if reached == "long" else 0
    change += int(options.constant("smoke_skill")) if smoke else 0
    number = firing_skill(sheet, options) + (-change if is_high(options) else change)
    return max(0, min(number, int(options.value("die")) + 1))


def is_high(options: Options) -> bool:
    """Tell whether high rolls hit (WS-1)."""
    return bool(options.value("direction") == "at_least")


def shot_armor(target: Sheet, aspect: str, weapon: Weapon, options: Options) -> int:
    """Return the number that d6 and strength must be above: armour, or that of men (WS-6, WS-12)."""
    if not target.is_vehicle:
        return int(options.constant("wound_above"))
    if weapon.kind.mortar:
        return armor_value(target, str(options.value("mortar_armour")))
    return armor_value(target, aspect)


def minor_faces(strength: int, armor: int) -> int:
    """Return how many faces of the d6 do not penetrate, or do not wound (WS-7)."""
    return sum(not penetrates(face, strength, armor) for face in range(1, SIDES + 1))


def burst(number: int, dice: int, may_jam: bool, options: Options) -> dict[tuple[int, bool], Fraction]:
    """Return the chances of hits and of a jam of a volley of so many dice that needs a number (WS-1, WS-4)."""
    die, high = int(options.value("die")), is_high(options)
    found: dict[tuple[int, bool], Fraction] = {}
    for values in product(range(1, die + 1), repeat=dice):
        jam = may_jam and jams(values.count(1), values.count(2))
        struck = sum(bool(hits(value, number, high)) for value in values)
        if jam and options.value("jam_scope") == "lost":
            struck = 0
        found[struck, jam] = found.get((struck, jam), Fraction(0)) + Fraction(1, die**dice)
    return found


def dice_of(weapon: Weapon, options: Options) -> int:
    """Return the firing dice of a weapon's volley (WS-4, WS-5)."""
    return firing_dice(weapon.kind, int(options.value("mg_dice")))


def loss_order(sheet: Sheet, options: Options) -> tuple[int, ...]:
    """Return a vehicle's single weapons in the order in which an attacker destroys them (WS-10)."""
    numbers = range(len(sheet.arms))
    if options.value("weapon_choice") == "first":
        return tuple(numbers)
    return tuple(sorted(numbers, key=lambda number: -sheet.arms[number][1].strength))


def silent_weapons(sheet: Sheet, losses: int, options: Options) -> tuple[int, ...]:
    """Return the weapons that so many losses silence: destroyed ones, or those that no man is left to fire.

    Men keep the weapons that stand first on their sheet.
    """
    if sheet.is_vehicle:
        return loss_order(sheet, options)[:losses]
    assert sheet.men is not None
    return tuple(range(len(sheet.arms)))[max(0, sheet.men - losses) :]


def men_or_arms(sheet: Sheet) -> int:
    """Return what a unit may lose: weapons, or men."""
    return len(sheet.arms) if sheet.men is None else sheet.men


def faces_text(faces: Sequence[int]) -> str:
    """Return faces of a die in words: 4 to 6; 1, 3."""
    if len(faces) > 2 and faces[-1] - faces[0] == len(faces) - 1:
        return f"{faces[0]} to {faces[-1]}"
    return ", ".join(map(str, faces)) or "none"
