"""The stats of a sheet that a points formula is made of, and sheets that have given ones.

A stat stands for numbers that move together on a sheet: the main gun's damage on a mid hit for that of all its hits,
one armour for both sides.
"""

from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any

from simlab.model.errors import InputError
from simlab.rules.blitzkrieg.draft_formulas import half_up, internal_chart, spread
from simlab.rules.blitzkrieg.sheet import Sheet, replace_fields
from simlab.rules.common.stats import moved_stats, renamed

FRONT, SIDES, BACK = "armour front", "armour sides", "armour back"
DEFENCE_FRONT, DEFENCE_SIDES, PEOPLE = "defence front", "defence sides", "defence machine guns"
SHOCK, INTERNAL, SKILL = "shock threshold", "internal points", "skill"
FACTOR_FRONT, FACTOR_REST = "penetration factor front", "penetration factor elsewhere"
STRIKES = ("gun damage", "gun shock", "gun penetration")
"""Of the main gun, on a mid hit."""
ELSEWHERE = ("front_left", "front_right", "rear_left", "rear_right", "rear")
LEAST_DEAD = 1
LEGAL_DEAD = "a whole number of at least 1"
PEOPLE_SIDES = 0.765
"""Anti-personnel defence of the sides as a share of that of the front, as on the printed sheets."""


def formula_stats(sheet: Sheet) -> dict[str, float]:
    """Return the stats of a sheet by name; a mean where what stands for one number differs on the sheet."""
    gun = sheet.weapons[main_gun(sheet)]
    factors = [float(getattr(sheet.penetration, aspect)) for aspect in ELSEWHERE]
    return {
        FRONT: float(sheet.armor.front),
        SIDES: fmean([sheet.armor.left, sheet.armor.right]),
        BACK: float(sheet.armor.back),
        DEFENCE_FRONT: float(sheet.defense.ballistic.front_back),
        DEFENCE_SIDES: float(sheet.defense.ballistic.sides),
        PEOPLE: float(sheet.defense.anti_personnel.front_back),
        SHOCK: float(sheet.shock_threshold),
        FACTOR_FRONT: float(sheet.penetration.front),
        FACTOR_REST: fmean(factors),
        INTERNAL: float(sheet.internal_amount[-1] or 0),
        **{name: float(gun.mid[place]) for place, name in enumerate(STRIKES)},
        SKILL: fmean(gunner.skill for gunner in sheet.gunners),
    }


def main_gun(sheet: Sheet) -> str:
    """Return the key of the first weapon that is no machine gun, of the first one if all are."""
    guns = (key for key, weapon in sheet.weapons.items() if weapon.type != "anti_personnel")
    return next(guns, next(iter(sheet.weapons)))


def with_stats(sheet: Sheet, stats: Mapping[str, float], name: str) -> Sheet:
    """Return a sheet with these stats under another id; what they leave open, and stats not named, are the sheet's.

    What is named as it is stays as it is, to the last number. High and low hits follow from mid ones, the internal
    chart from its last entry, and the sides' anti-personnel defence from the front's, as on drafts. Raises InputError
    for an unknown stat or a number that no sheet may have.
    """
    moved = moved_stats(formula_stats(sheet), stats)
    return renamed(sheet, dict(_fields(sheet, moved)), name, replace_fields)


def _fields(sheet: Sheet, moved: Mapping[str, int]) -> Iterator[tuple[str, Any]]:
    """The fields of a sheet, by dotted path, that other stats set."""
    for stat, value in moved.items():
        for path in _PLAIN.get(stat, ()):
            yield path, value
    if PEOPLE in moved:
        yield "defense.anti_personnel.sides", half_up(PEOPLE_SIDES * moved[PEOPLE])
    if INTERNAL in moved:
        if moved[INTERNAL] < LEAST_DEAD:
            raise InputError.one(INTERNAL, str(moved[INTERNAL]), LEGAL_DEAD)
        yield "internal_amount", list(internal_chart(moved[INTERNAL]))
    if SKILL in moved:
        yield from ((f"gunners.{place}.skill", moved[SKILL]) for place in range(len(sheet.gunners)))
    if any(name in moved for name in STRIKES):
        yield from _strikes(sheet, moved)


_PLAIN: dict[str, tuple[str, ...]] = {
    FRONT: ("armor.front",),
    SIDES: ("armor.left", "armor.right"),
    BACK: ("armor.back",),
    DEFENCE_FRONT: ("defense.ballistic.front_back",),
    DEFENCE_SIDES: ("defense.ballistic.sides",),
    PEOPLE: ("defense.anti_personnel.front_back",),
    SHOCK: ("shock_threshold",),
    FACTOR_FRONT: ("penetration.front",),
    FACTOR_REST: tuple(f"penetration.{aspect}" for aspect in ELSEWHERE),
}


def _strikes(sheet: Sheet, moved: Mapping[str, int]) -> Iterator[tuple[str, Any]]:
    key = main_gun(sheet)
    gun = sheet.weapons[key]
    levels = {level: list(getattr(gun, level)) for level in ("high", "mid", "low")}
    for place, name in enumerate(STRIKES):
        if name in moved:
            high, low = spread(moved[name])
            for level, value in (("high", high), ("mid", moved[name]), ("low", low)):
                levels[level][place] = value
    yield from ((f"weapons.{key}.{level}", strike) for level, strike in levels.items())
