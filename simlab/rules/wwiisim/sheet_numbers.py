"""The numbers of a sheet that a designer turns up and down."""

from simlab.rules.wwiisim.sheet import Sheet


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
