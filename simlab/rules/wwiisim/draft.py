"""Sheets drafted from facts about real vehicles: every number by a rule of thumb of ours (`docs/wwiisim.md`)."""

from collections.abc import Mapping
from math import cos, floor, radians
from typing import Any

from simlab.rules.common.drafting import Record, drafter, heading, plate_columns
from simlab.rules.common.facts import FactsRow
from simlab.rules.wwiisim.sheet import named_sheet
from simlab.rules.wwiisim.sheet_text import LAYOUT
from simlab.rules.wwiisim.weapons import CLASSES

PROVENANCE = (
    "Drafted by this project from published data of the real vehicle and its gun, by rules of thumb: the rules hold"
    " a table of weapons but no vehicles. Not the author's numbers; the ECV is a draft too."
)
CAUTION = "a draft of ours, not a sheet of the rules' author."
THUMB, CHOSEN, TABLE = "rule of thumb", "chosen", "table of the rules"
LEAST_ARMOR, MOST_ARMOR, MM_A_POINT = 8, 15, 23
SKILL = 5
CALIBRES = (("cannon_5", 60), ("cannon_75", 88), ("cannon_88", 100), ("cannon_105", 150))
"""Classes of cannon by the calibre in mm below which they end; above all of them the largest."""
PENETRATIONS = (("cannon_88", 145), ("cannon_105", 200))
"""Classes that a gun belongs to at least by mm of plate pierced at 500 m."""
CANNONS = ("cannon_5", "cannon_75", "cannon_88", "cannon_105", "cannon_150")
PLACES = {"coaxial": "coaxial", "bow": "bow_mg"}
"""Machine guns of a draft by where they stand: those that a crew fires from under closed hatches."""
HEAVY_MM, SLOW_T = 12, 50


def half_up(value: float) -> int:
    """Return the nearest whole number, halves up."""
    return floor(round(value, 9) + 0.5)


def sight_mm(plate_mm: float, slope: float | None) -> float:
    """Return mm of a plate along a level line of sight, the slope in degrees from upright."""
    return plate_mm / cos(radians(slope or 0.0))


def armor_points(front_mm: float) -> int:
    """Return the armour value of a front, mm along the line of sight: 8 and a point for every 23, at most 15."""
    return min(MOST_ARMOR, LEAST_ARMOR + half_up(front_mm / MM_A_POINT))


def cannon_class(calibre_mm: float, pierced_mm: float) -> str:
    """Return the class of a gun: by its calibre, or a higher one by the plate that it pierces at 500 m."""
    by_calibre = next((name for name, end in CALIBRES if calibre_mm < end), CANNONS[-1])
    by_plate = [name for name, least in PENETRATIONS if pierced_mm >= least]
    return max([by_calibre, *by_plate], key=CANNONS.index)


def machine_gun_class(calibre_mm: float) -> str:
    """Return the class of a machine gun on a vehicle: heavy from 12 mm on, else medium."""
    return "machine_gun_heavy" if calibre_mm >= HEAVY_MM else "machine_gun_medium"


def initiative(full_turret: bool, crew: int, weight_t: float) -> int:
    """Return a draft of the initiative: 4, and 1 for a turret, for a crew of five, and for at most 50 t."""
    return 4 + int(full_turret) + int(crew >= 5) + int(weight_t <= SLOW_T)


def draft_price(armor: int, strength: int, machine_guns: int, initiative_: int) -> int:
    """Return a draft of the price; no simulation is in it."""
    return 10 * (armor - 5) + 10 * (strength - 4) + 4 * machine_guns + 3 * initiative_


def _mapping(row: FactsRow, record: Record) -> dict[str, Any]:
    """The sheet as its file holds it."""
    vehicle = row.vehicle
    front = _front(row, record)
    armor = record.put(
        "armor", armor_points(front), "8 + mm / 23, at most 15", THUMB, **{"front sight mm": front}
    )
    skill = record.put("skill", SKILL, "5 for every crew", CHOSEN)
    rank = record.put(
        "initiative",
        initiative(vehicle.turret.startswith("full"), vehicle.crew, vehicle.weight_t),
        "4, + 1 for a turret, + 1 for five men, + 1 up to 50 t",
        CHOSEN,
        turret=vehicle.turret,
        crew=vehicle.crew,
        weight_t=vehicle.weight_t,
    )
    weapons = _weapons(row, record)
    strength = CLASSES[weapons["cannon"]["type"]].strength
    price = record.put(
        "ecv.value",
        draft_price(armor, strength, len(weapons) - 1, rank),
        "10 (armor - 5) + 10 (strength - 4) + 4 a machine gun + 3 initiative",
        CHOSEN,
        armor=armor,
        strength=strength,
        machine_guns=len(weapons) - 1,
        initiative=rank,
    )
    return {
        **heading("wwiisim", row, price, PROVENANCE, kind="vehicle"),
        "armor": armor,
        "skill": skill,
        "initiative": rank,
        **({"tiger": True} if vehicle.name.startswith("Tiger") else {}),
        "weapons": weapons,
    }


def _front(row: FactsRow, record: Record) -> float:
    """Millimetres of the front along the line of sight: the mean of hull and turret."""
    columns = plate_columns(row, "front")
    plates = [
        sight_mm(columns[f"{part}_front_mm"], columns.get(f"{part}_front_deg"))
        for part in ("hull", "turret")
        if f"{part}_front_mm" in columns
    ]
    mean: float = sum(plates) / len(plates)
    how = "plate / cos(slope), the mean of hull and turret"
    record.put("front sight mm", mean, how, THUMB, **columns)
    return mean


def _weapons(row: FactsRow, record: Record) -> Mapping[str, Any]:
    """The main gun, and the machine guns of closed vehicles."""
    gun = row.gun
    found = {
        "cannon": {
            "name": gun.name,
            "type": record.put(
                "weapons.cannon.type",
                cannon_class(gun.calibre_mm, gun.pen_500_mm),
                "by calibre below 60, 88, 100, 150 mm; cannon_88 and cannon_105 at least from 145 and 200 mm at 500 m",
                THUMB,
                calibre_mm=gun.calibre_mm,
                pen_500_mm=gun.pen_500_mm,
            ),
        }
    }
    for place, key in PLACES.items():
        other = row.vehicle.machine_gun(place)
        if other is not None:
            kind = machine_gun_class(float(other.calibre))
            formula = "heavy from 12 mm, else medium"
            record.put(f"weapons.{key}.type", kind, formula, THUMB, secondary=f"{other.calibre}mm@{place}")
            found[key] = {"name": f"{other.calibre}mm {place} MG", "type": kind}
    for key, weapon in found.items():
        record.put(f"weapons.{key}.strength", CLASSES[weapon["type"]].strength, "by its class", TABLE)
    return found


draft_sheet = drafter(_mapping, named_sheet, LAYOUT, CAUTION)
