"""The numbers of a sheet that a designer turns up and down."""

from collections.abc import Mapping
from types import MappingProxyType

from simlab.rules.common.stats import numbers_in
from simlab.rules.tank_d20.sheet import Sheet, to_mapping

STEP_MM = 25
"""Millimetres by which the draft of the chart of effects goes on a line (TD-8, `over`).

So much more armour, or less of a gun's figure, always costs a round that goes through a line of that chart, until it is
at its end; a single millimetre is seen only where it happens to reach the next line.
"""
STEPS: Mapping[str, float] = MappingProxyType(
    {"armor.*": STEP_MM, "gun.penetration": STEP_MM, "gun.calibre": STEP_MM}
)
"""By how much numbers are moved, by pattern of paths; others by 1."""


def sheet_numbers(sheet: Sheet) -> dict[str, float]:
    """Return the numbers of a sheet by dotted path, in its order."""
    values = to_mapping(sheet)
    return {path: number for key in ("crew", "gun", "armor") for path, number in numbers_in(key, values[key])}
