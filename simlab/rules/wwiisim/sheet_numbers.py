"""The numbers of a sheet that a designer turns up and down."""

from collections.abc import Mapping
from types import MappingProxyType

from simlab.rules.wwiisim.sheet import Sheet

STEP_INCHES = 6
"""All bands of the table of weapons end at multiples of so many inches (WS-2)."""
STEPS: Mapping[str, float] = MappingProxyType({"weapons.*.short": STEP_INCHES, "weapons.*.long": STEP_INCHES})
"""By how much numbers are moved, by pattern of paths; others by 1."""


def sheet_numbers(sheet: Sheet) -> dict[str, float]:
    """Return the numbers of a sheet by dotted path, those of the table included."""
    found: dict[str, float] = {}
    for name in ("armor", "men", "skill", "initiative"):
        if getattr(sheet, name) is not None:
            found[name] = getattr(sheet, name)
    for key, weapon in sheet.weapons.items():
        for name in ("count", "strength", "short", "long"):
            if getattr(weapon, name) is not None:
                found[f"weapons.{key}.{name}"] = getattr(weapon, name)
    return found
