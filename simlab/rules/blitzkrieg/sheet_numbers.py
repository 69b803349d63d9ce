"""The numbers of a record sheet that a designer turns up and down."""

from simlab.rules.blitzkrieg.sheet import Sheet
from simlab.rules.blitzkrieg.sheet_form import to_mapping
from simlab.rules.common.stats import numbers_in

GROUPS = ("defense", "armor", "shock_threshold", "penetration", "internal_amount", "movement")
LEVELS = ("high", "mid", "low")


def sheet_numbers(sheet: Sheet) -> dict[str, float]:
    """Return the numbers of a sheet by dotted path: whole ones, and the reach of weapons (30 where it is left out)."""
    values = to_mapping(sheet)
    found: dict[str, float] = {
        path: number for group in GROUPS for path, number in numbers_in(group, values[group])
    }
    for key, weapon in sheet.weapons.items():
        for level in LEVELS:
            found.update(numbers_in(f"weapons.{key}.{level}", list(getattr(weapon, level))))
        found[f"weapons.{key}.ammo"] = weapon.ammo
        if weapon.max_range is not None:
            found[f"weapons.{key}.max_range"] = weapon.max_range
    found.update({f"gunners.{place}.skill": gunner.skill for place, gunner in enumerate(sheet.gunners)})
    hits = [(place, item.hits) for place, item in enumerate(sheet.manifest)]
    found.update({f"manifest.{place}.hits": number for place, number in hits if number is not None})
    return found
