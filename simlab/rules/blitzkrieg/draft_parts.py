"""The parts of a draft that are laid out rather than reckoned: machine guns, gunners, manifest."""

from typing import Any

from simlab.rules.common.facts import MachineGun, Vehicle

MG_ROUNDS = 19
ENGINE_HITS = 5
KEYS = {"coaxial": "coaxial", "bow": "bow_mg", "pintle": "pintle_mg"}
"""The key of a machine gun's weapon by the place where it stands."""

_RIFLE = {"high": (2, 2, 0), "mid": (1, 1, 0), "low": (1, 1, 0)}
_HEAVY = {"high": (3, 2, 2), "mid": (2, 1, 1), "low": (1, 1, 1)}


def machine_gun_strikes(gun: MachineGun) -> dict[str, list[int]]:
    """Damage, shock and penetration of a machine gun on each level, as printed on the Sherman's sheet."""
    return {level: list(strike) for level, strike in (_HEAVY if gun.heavy else _RIFLE).items()}


def placed_guns(vehicle: Vehicle) -> dict[str, MachineGun]:
    """The machine guns on the sheet by key.

    Beside a coaxial and a pintle gun the lines have no room for the bow's, as on the Sherman's sheet.
    """
    crowded = vehicle.machine_gun("coaxial") and vehicle.machine_gun("pintle")
    return {
        key: gun
        for place, key in KEYS.items()
        if (gun := vehicle.machine_gun(place)) is not None and not (place == "bow" and crowded)
    }


def gunners(vehicle: Vehicle) -> list[dict[str, Any]]:
    """The gunner with main gun and coaxial, the bow gunner, the commander at the pintle; skill 1 each."""
    guns = placed_guns(vehicle)
    served = {
        "gunner": ["cannon", *(key for key in ("coaxial",) if key in guns)],
        "bow gunner": [key for key in ("bow_mg",) if key in guns],
        "commander": [key for key in ("pintle_mg",) if key in guns],
    }
    return [{"name": name, "skill": 1, "weapons": keys} for name, keys in served.items() if keys]


def manifest(vehicle: Vehicle) -> list[dict[str, Any]]:
    """The twenty lines as the Sherman's sheet has them, with what the vehicle has in their place.

    A bin outside its weapon's box names the weapon that it feeds. A gun in the hull has its mount on 13-12, which
    does nothing when it is hit.
    """
    guns = placed_guns(vehicle)
    items: list[dict[str, Any]] = [
        {"lines": [20], "item": "crew"},
        {"lines": [19], "item": "engine", "hits": ENGINE_HITS},
        {"lines": [16, 17, 18], "item": "fuel"},
        {"lines": [14, 15], "item": "periscope"},
        {"lines": [12, 13], "item": "other" if vehicle.fixed_gun else "turret"},
        {"lines": [9, 10, 11], "item": "weapon", "weapon": "cannon", "ammo_bin": True},
    ]
    inside = next((key for key in ("coaxial", "bow_mg") if key in guns), None)
    if inside is not None:
        items.append({"lines": [7, 8], "item": "weapon", "weapon": inside, "ammo_bin": True})
    if "pintle_mg" in guns:
        items.append({"lines": [6], "item": "pintle_mount", "ammo_bin": True, "weapon": "pintle_mg"})
        items.append({"lines": [5], "item": "weapon", "weapon": "pintle_mg"})
    elif "bow_mg" in guns and inside != "bow_mg":
        items.append({"lines": [6], "item": "ammo_bin", "weapon": "bow_mg"})
        items.append({"lines": [5], "item": "weapon", "weapon": "bow_mg"})
    return [
        *items,
        {"lines": [3, 4], "item": "tread", "side": "left"},
        {"lines": [1, 2], "item": "tread", "side": "right"},
    ]
