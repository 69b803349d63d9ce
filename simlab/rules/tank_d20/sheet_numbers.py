"""The numbers of a sheet that a designer turns up and down."""

from simlab.rules.common.stats import numbers_in
from simlab.rules.tank_d20.sheet import Sheet, to_mapping


def sheet_numbers(sheet: Sheet) -> dict[str, float]:
    """Return the numbers of a sheet by dotted path, in its order."""
    values = to_mapping(sheet)
    return {path: number for key in ("crew", "gun", "armor") for path, number in numbers_in(key, values[key])}
