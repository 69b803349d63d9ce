"""Sheets that are alike in one stage of a shot, and sheets without one of their parts."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from simlab.rules.contract import KnockOut
from simlab.rules.tank_d20 import stage_names as names
from simlab.rules.tank_d20.options import Options
from simlab.rules.tank_d20.sheet import FORM, Sheet, to_mapping

FIELDS: Mapping[str, tuple[tuple[str, ...], ...]] = MappingProxyType(
    {
        names.LOADING: (("gun", "load_time"),),
        names.ROUNDS: (("gun", "rounds"),),
        names.BANDS: (("gun", "size"), ("gun", "round"), ("gun", "hand_held")),
        names.SKILL: (("crew", "quality"), ("crew", "qualified"), ("crew", "captured"), ("crew", "leader")),
        names.SIZE: (("size",),),
        names.FIGURE: (("gun", "penetration"), ("gun", "calibre")),
        names.ARMOUR: (("armor",),),
        names.CREW: (("crew", "positions"), ("open_top",)),
    }
)
"""What of a sheet each stage is about."""


def equalised(a: Sheet, b: Sheet, stages: Collection[str], options: Options) -> tuple[Sheet, Sheet]:
    """Return a, and b with the numbers of a in what these stages are about (TD-3 to TD-9)."""
    values, given = to_mapping(b), to_mapping(a)
    for stage in stages:
        for path in FIELDS[stage]:
            here, there = values, given
            for part in path[:-1]:
                here, there = here[part], there[part]
            here[path[-1]] = there[path[-1]]
    return a, FORM.of_values(values, b.id)


def knock_outs(sheet: Sheet) -> tuple[KnockOut, ...]:
    """Return the gun without rounds, the leader, and each man whom the crew can do without, each with the sheet."""
    found = []
    if sheet.gun.rounds:
        found.append(KnockOut("gun", "never fires", _changed(sheet, "gun", "rounds", 0)))
    if sheet.crew.leader:
        found.append(KnockOut("leader", "is none", _changed(sheet, "crew", "leader", 0)))
    for man in sheet.crew.positions:
        if man != "gunner":
            left = [each for each in sheet.crew.positions if each != man]
            found.append(
                KnockOut(man.replace("_", " "), "is not there", _changed(sheet, "crew", "positions", left))
            )
    return tuple(found)


def _changed(sheet: Sheet, part: str, key: str, value: Any) -> Sheet:
    values = to_mapping(sheet)
    values[part][key] = value
    return FORM.of_values(values, sheet.id)
