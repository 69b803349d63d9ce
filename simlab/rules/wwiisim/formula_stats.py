"""The stats of a sheet that a points formula is made of, and sheets that have given ones."""

from collections.abc import Mapping

from simlab.rules.common.stats import moved_stats, renamed
from simlab.rules.wwiisim.sheet import Sheet, replace_fields

ARMOUR, MEN, SKILL, INITIATIVE = "armour", "men", "firing skill", "initiative"
STRENGTH, BURSTS = "gun strength", "machine gun strength"


def formula_stats(sheet: Sheet) -> dict[str, float]:
    """Return the stats of a sheet by name: armour or men, skill, initiative, strength of main gun and machine guns.

    The main gun is the strongest weapon that is no machine gun, the strongest one if all are.
    """
    body = {ARMOUR: float(sheet.armor or 0)} if sheet.is_vehicle else {MEN: float(sheet.men or 0)}
    found = {**body, SKILL: float(sheet.skill), INITIATIVE: float(sheet.initiative)}
    gun = main_gun(sheet)
    found[STRENGTH] = float(sheet.weapons[gun].strength)
    others = machine_guns(sheet, gun)
    if others:
        found[BURSTS] = float(max(sheet.weapons[key].strength for key in others))
    return found


def main_gun(sheet: Sheet) -> str:
    """Return the key of the main gun."""
    guns = [key for key, weapon in sheet.weapons.items() if not weapon.kind.machine_gun]
    return max(guns or sheet.weapons, key=lambda key: sheet.weapons[key].strength)


def machine_guns(sheet: Sheet, gun: str) -> list[str]:
    """Return the keys of the machine guns beside the main gun."""
    return [key for key, weapon in sheet.weapons.items() if weapon.kind.machine_gun and key != gun]


def with_stats(sheet: Sheet, stats: Mapping[str, float], name: str) -> Sheet:
    """Return a sheet with these stats under another id; what is named as it is, or not named, stays as it is.

    Raises InputError for an unknown stat or a number that no sheet may have.
    """
    moved = moved_stats(formula_stats(sheet), stats)
    gun = main_gun(sheet)
    paths = {
        ARMOUR: ["armor"],
        MEN: ["men"],
        SKILL: ["skill"],
        INITIATIVE: ["initiative"],
        STRENGTH: [f"weapons.{gun}.strength"],
        BURSTS: [f"weapons.{key}.strength" for key in machine_guns(sheet, gun)],
    }
    changes = {path: value for stat, value in moved.items() for path in paths[stat]}
    return renamed(sheet, changes, name, replace_fields)
