"""Sheets that are alike in one stage of a shot, and sheets without one of their weapons."""

from collections.abc import Collection
from typing import Any

from simlab.rules.contract import KnockOut, Stage
from simlab.rules.wwiisim.options import Options
from simlab.rules.wwiisim.sheet import FORM, Sheet, SheetFile, to_mapping

ORDER, SKILL, REACH, STRENGTH, ARMOUR, ARMS = "order", "skill", "reach", "strength", "armour", "arms"

STAGES = (
    Stage(ORDER, "order", "initiative"),
    Stage(SKILL, "hit", "firing skill"),
    Stage(REACH, "hit", "bands of range of weapons"),
    Stage(STRENGTH, "armour", "strength of weapons"),
    Stage(ARMOUR, "armour", "armour value, or number of men"),
    Stage(ARMS, "arms", "which weapons, and how many"),
)
_FIELDS = {ORDER: ("initiative",), SKILL: ("skill",), ARMOUR: ("kind", "armor", "men", "tiger")}
_NUMBERS = {STRENGTH: ("strength",), REACH: ("short", "long")}

Mapped = dict[str, Any]


def equalised(a: Sheet, b: Sheet, stages: Collection[str], options: Options) -> tuple[Sheet, Sheet]:
    """Return a and b, alike in what these stages are about: b takes the numbers of a.

    Weapons belong together by their keys, then by their notes in the order of the sheets; a number of a weapon that
    has no counterpart stays.
    """
    own, other = to_mapping(b), to_mapping(a)
    for stage in stages:
        for name in _FIELDS.get(stage, ()):
            own.pop(name, None)
            if name in other:
                own[name] = other[name]
    own["weapons"] = _weapons(b, a, stages)
    return a, FORM.of_values(_ordered(own), b.id)


def _ordered(values: Mapped) -> Mapped:
    """The keys in the order of a sheet's file."""
    return {name: values[name] for name in SheetFile.model_fields if name in values}


def _weapons(own: Sheet, other: Sheet, stages: Collection[str]) -> Mapped:
    """The weapons of the sheet that is to have them, with numbers of the sheet that is to give them."""
    armed, unarmed = (other, own) if ARMS in stages else (own, other)
    matched = counterparts(armed, unarmed)
    found: Mapped = {}
    for key, weapon in armed.weapons.items():
        values = weapon.model_dump(mode="json")
        there = unarmed.weapons.get(matched.get(key, ""))
        for stage, names in _NUMBERS.items():
            if (stage in stages) != (armed is other) and there is not None:
                values.update({name: getattr(there, name) for name in names})
        if None not in (values["short"], values["long"]) and values["long"] < values["short"]:
            values["long"] = None
        found[key] = values
    return found


def counterparts(own: Sheet, other: Sheet) -> dict[str, str]:
    """Return the key of the other sheet's weapon that belongs to each own one."""
    found = {key: key for key in own.weapons if key in other.weapons}
    for key, weapon in own.weapons.items():
        free = [
            theirs
            for theirs, their in other.weapons.items()
            if theirs not in found.values() and their.kind.notes == weapon.kind.notes
        ]
        if key not in found and free:
            found[key] = free[0]
    return found


def knock_outs(sheet: Sheet) -> tuple[KnockOut, ...]:
    """Return the weapons of a sheet, each without a band of range: still there to be lost, it never fires (WS-2).

    A weapon that has no band as it is stands not among them.
    """
    found = []
    for key, weapon in sheet.weapons.items():
        if weapon.short is None and weapon.long is None:
            continue
        values = to_mapping(sheet)
        values["weapons"][key] |= {"short": None, "long": None}
        found.append(KnockOut(key, "never fires", FORM.of_values(values, sheet.id)))
    return tuple(found)
