"""Record sheets drafted from facts: every number by a formula of this project, each with its inputs.

A draft is an estimate of ours; `docs/tank_d20.md` says what it rests on.
"""

import math
from collections.abc import Mapping
from typing import Any

from simlab.rules.common.drafting import Record, drafter, heading
from simlab.rules.common.facts import FactsRow, Vehicle
from simlab.rules.tank_d20.names import FACINGS
from simlab.rules.tank_d20.sheet import named_sheet
from simlab.rules.tank_d20.sheet_text import LAYOUT

PROVENANCE = (
    "Estimated by this project from published data of the real vehicle and its gun (plates, hull, calibre, muzzle"
    " velocity, penetration, crew). The published rules print no sheet; the ECV is a rule of thumb."
)
CAUTION = "an estimate of ours, not a sheet of the publisher."
GUESS, MEASURED = "guess", "measured"
ANCHOR_PRICE = 558
SIZES = ((36, "small"), (60, "medium"), (80, "large"), (math.inf, "very_large"))
"""The least volume in cubic metres that is too large for each size."""
GUN_SIZES = ((600, "S"), (800, "standard"), (900, "L"), (math.inf, "XL"))
"""The least muzzle velocity in m/s that is too high for each size."""
LOAD_TIMES = ((57, 0), (100, 1), (130, 2), (math.inf, 3))
"""The least calibre in mm that is too large for each number of actions."""
FULL_CREW = ("commander", "gunner", "loader", "driver", "bow_gunner")
ANCHOR_FIRE, ANCHOR_SKIN = 58.0, 64.6
"""The Sherman LP's, so that its draft costs `ANCHOR_PRICE`."""


def half_up(value: float) -> int:
    """Return the nearest whole number, halves up."""
    return math.floor(value + 0.5)


def sloped(mm: float, degrees: float | None) -> int:
    """Return the mm of a plate along a level line: T / cos(slope)."""
    return half_up(mm / math.cos(math.radians(degrees or 0.0)))


def class_of(value: float, classes: tuple[tuple[float, Any], ...]) -> Any:
    """Return the first class whose bound a value stays below."""
    return next(name for bound, name in classes if value < bound)


def men_of(crew: int) -> tuple[str, ...]:
    """Return the positions of a crew of so many: the bow gunner is the first to be missing, then loader and
    commander; of more than five the others do not count."""
    missing = ("bow_gunner", "loader", "commander", "driver")[: max(0, len(FULL_CREW) - crew)]
    return tuple(man for man in FULL_CREW if man not in missing)


def draft_price(figure: int, load: int, skin: float, men: int) -> int:
    """Return the draft ECV: fire and skin against the Sherman LP's, each to the power 0.8, a tenth less a man."""
    fire = figure / (1 + load)
    factor = (max(fire, 1) / ANCHOR_FIRE * max(skin, 1) / ANCHOR_SKIN) ** 0.8
    return max(1, half_up(ANCHOR_PRICE * factor * (1 - 0.1 * (5 - men))))


def _mapping(row: FactsRow, record: Record) -> dict[str, Any]:
    """The sheet as its file holds it."""
    vehicle = row.vehicle
    volume = vehicle.length_m * vehicle.width_m * vehicle.height_m
    size = record.put(
        "size",
        class_of(volume, SIZES),
        "length x width x height below 36 m3 small, 60 medium, 80 large, else very large",
        "guess, Panzer IV medium as printed",
        length_m=vehicle.length_m,
        width_m=vehicle.width_m,
        height_m=vehicle.height_m,
    )
    men = record.put(
        "crew.positions",
        men_of(vehicle.crew),
        "of five positions, without bow gunner, loader, commander, in this order, if there are fewer men",
        GUESS,
        crew=vehicle.crew,
    )
    gun = _gun(row, record)
    armor = _armor(vehicle, record)
    return {
        **heading("tank_d20", row, _price(gun, armor, len(men), record), PROVENANCE),
        "size": size,
        "open_top": record.put(
            "open_top", vehicle.open_top, "as the turret is", MEASURED, turret=vehicle.turret
        ),
        "crew": {
            "quality": "regular",
            "qualified": True,
            "captured": False,
            "leader": 0,
            "positions": list(men),
        },
        "gun": gun,
        "armor": armor,
    }


def _gun(row: FactsRow, record: Record) -> dict[str, Any]:
    gun = row.gun
    heat = "HEAT" in gun.name
    size = record.put(
        "gun.size",
        class_of(gun.muzzle_velocity_ms, GUN_SIZES),
        "muzzle velocity below 600 m/s S, 800 standard, 900 L, else XL",
        GUESS,
        muzzle_velocity_ms=gun.muzzle_velocity_ms,
    )
    figure = record.put(
        "gun.penetration",
        half_up(gun.pen_500_mm),
        "mm at 500 m, the short band of a standard gun",
        "guess, an inch some 17 m",
        pen_500_mm=gun.pen_500_mm,
    )
    load = record.put(
        "gun.load_time",
        class_of(gun.calibre_mm, LOAD_TIMES),
        "calibre below 57 mm 0, 100 mm 1, 130 mm 2, else 3 actions",
        GUESS,
        calibre_mm=gun.calibre_mm,
    )
    return {
        "name": gun.name,
        "size": size,
        "calibre": gun.calibre_mm,
        "penetration": figure,
        "round": record.put("gun.round", "heat" if heat else "ap", "as the gun's name says", MEASURED),
        "hand_held": False,
        "load_time": load,
        "rounds": record.put(
            "gun.rounds",
            row.vehicle.main_gun_rounds,
            "the stowage",
            MEASURED,
            main_gun_rounds=row.vehicle.main_gun_rounds,
        ),
    }


def _armor(vehicle: Vehicle, record: Record) -> dict[str, dict[str, int]]:
    """Plates by facing; a vehicle of one box has its hull's for a turret."""
    found: dict[str, dict[str, int]] = {}
    for facing in FACINGS:
        hull = {column: getattr(vehicle, column) for column in (f"hull_{facing}_mm", f"hull_{facing}_deg")}
        box = {column: getattr(vehicle, column) for column in (f"turret_{facing}_mm", f"turret_{facing}_deg")}
        used = hull if box[f"turret_{facing}_mm"] is None else box
        plates = {"turret": used, "hull": hull}
        found[facing] = {
            plate: record.put(
                f"armor.{facing}.{plate}",
                sloped(*columns.values()),
                "plate / cos(slope)"
                if columns is not hull or plate == "hull"
                else "the hull's plate / cos(slope)",
                "geometry",
                **{column: value for column, value in columns.items() if value is not None},
            )
            for plate, columns in plates.items()
        }
        thickness = hull[f"hull_{facing}_mm"]
        found[facing]["lower"] = record.put(
            f"armor.{facing}.lower",
            half_up(thickness),
            "the hull's plate, upright",
            GUESS,
            **{f"hull_{facing}_mm": thickness},
        )
    return found


def _price(gun: Mapping[str, Any], armor: Mapping[str, Mapping[str, int]], men: int, record: Record) -> int:
    """The draft ECV, from the numbers of the sheet alone."""
    means = {facing: sum(plates.values()) / len(plates) for facing, plates in armor.items()}
    skin = record.put(
        "skin",
        (2 * means["front"] + means["side"] + means["rear"]) / 4,
        "mean armour: front twice, side, rear",
        GUESS,
        **means,
    )
    price: int = record.put(
        "ecv.value",
        draft_price(gun["penetration"], gun["load_time"], skin, men),
        "558 (figure / (1 + load time) / 58 x skin / 64.6)^0.8 x (1 - 0.1 for each man short of five)",
        GUESS,
        penetration=gun["penetration"],
        load_time=gun["load_time"],
        skin=skin,
        men=men,
    )
    return price


draft_sheet = drafter(_mapping, named_sheet, LAYOUT, CAUTION, between=", ")
