"""The stats of a sheet that a points formula is made of, and sheets that have given ones."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from simlab.model.errors import InputError
from simlab.rules.common.stats import moved_stats, renamed
from simlab.rules.tank_d20.names import FACINGS, PLATES
from simlab.rules.tank_d20.sheet import Sheet, replace_fields
from simlab.rules.tank_d20.sheet_numbers import sheet_numbers

_PATHS: Mapping[str, str] = MappingProxyType(
    {
        **{f"armour {facing} {plate}": f"armor.{facing}.{plate}" for facing in FACINGS for plate in PLATES},
        "gun figure": "gun.penetration",
        "load time": "gun.load_time",
    }
)
SIZE, GUN_SIZE = "target size", "gun size"
_SIZES = ("very_small", "small", "medium", "large", "very_large")
_GUN_SIZES = ("S", "standard", "L", "XL")


def formula_stats(sheet: Sheet) -> dict[str, float]:
    """Return the stats of a sheet by name: plates and figure in mm, actions of loading, sizes as steps from 0."""
    numbers = sheet_numbers(sheet)
    return {
        **{stat: float(numbers[path]) for stat, path in _PATHS.items()},
        SIZE: float(_SIZES.index(sheet.size)),
        GUN_SIZE: float(_GUN_SIZES.index(sheet.gun.size)),
    }


def with_stats(sheet: Sheet, stats: Mapping[str, float], name: str) -> Sheet:
    """Return a sheet with these stats under another id, else like a given one.

    Raises InputError for an unknown stat or a number that no sheet may have.
    """
    changes: dict[str, Any] = {}
    for stat, value in moved_stats(formula_stats(sheet), stats).items():
        if stat in _PATHS:
            changes[_PATHS[stat]] = value
        else:
            path, words = ("size", _SIZES) if stat == SIZE else ("gun.size", _GUN_SIZES)
            if not 0 <= value < len(words):
                raise InputError.one(stat, f"{value:g}", f"a whole number from 0 to {len(words) - 1}")
            changes[path] = words[value]
    return renamed(sheet, changes, name, replace_fields)
