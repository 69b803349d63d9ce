"""The Sherman LP as the rules page prints it, in the form that a YAML parse of its record sheet gives."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

_SHERMAN: dict[str, Any] = {
    "system": "blitzkrieg",
    "kind": "vehicle",
    "name": "M4A3 Sherman LP",
    "nation": "USA",
    "ecv": {"value": 558, "source": "rulebook"},
    "provenance": "the record sheet quoted in the rules",
    "defense": {
        "ballistic": {"front_back": 8, "sides": 4},
        "indirect": {"front_back": 10, "sides": 6},
        "anti_personnel": {"front_back": 13, "sides": 10},
        "physical": 4,
    },
    "armor": {"front": 6, "left": 2, "right": 2, "back": 1},
    "shock_threshold": 3,
    "penetration": {
        "front": 1,
        "front_left": 0,
        "front_right": 0,
        "rear_left": 0,
        "rear_right": 0,
        "rear": 0,
    },
    "internal_amount": [1, None, 2, 3, 4, 5, None, 6, 7, 8],
    "movement": {
        "speed": 10,
        "road": 15,
        "extra_maneuverable": False,
        "water": 4,
        "trees": 2,
        "one_level": 2,
        "two_levels": 3,
        "amphibious": False,
    },
    "ram": {"damage": 0.58, "shock": 0.58, "penetration": 0.23, "plate": False},
    "weapons": {
        "cannon": {
            "name": "76mm Rifled Cannon",
            "type": "ballistic",
            "high": [5, 4, 3],
            "mid": [4, 3, 2],
            "low": [3, 2, 1],
            "ammo": 36,
            "mount": "turret",
        },
        "coaxial": {
            "name": "7.92mm Coaxial MG",
            "type": "anti_personnel",
            "high": [2, 2, 0],
            "mid": [1, 1, 0],
            "low": [1, 1, 0],
            "ammo": 19,
            "mount": "turret",
        },
        "pintle_mg": {
            "name": "12.7mm Machine Gun",
            "type": "anti_personnel",
            "high": [3, 2, 2],
            "mid": [2, 1, 1],
            "low": [1, 1, 1],
            "ammo": 19,
            "mount": "pintle",
        },
    },
    "gunners": [
        {"name": "gunner", "skill": 1, "weapons": ["cannon", "coaxial"]},
        {"name": "commander", "skill": 1, "weapons": ["pintle_mg"]},
    ],
    "manifest": [
        {"lines": [20], "item": "crew"},
        {"lines": [19], "item": "engine", "hits": 5},
        {"lines": [16, 17, 18], "item": "fuel"},
        {"lines": [14, 15], "item": "periscope"},
        {"lines": [12, 13], "item": "turret"},
        {"lines": [9, 10, 11], "item": "weapon", "weapon": "cannon", "ammo_bin": True},
        {"lines": [7, 8], "item": "weapon", "weapon": "coaxial", "ammo_bin": True},
        {"lines": [6], "item": "pintle_mount", "ammo_bin": True, "weapon": "pintle_mg"},
        {"lines": [5], "item": "weapon", "weapon": "pintle_mg"},
        {"lines": [3, 4], "item": "tread", "side": "left"},
        {"lines": [1, 2], "item": "tread", "side": "right"},
    ],
}


def sherman() -> dict[str, Any]:
    """A fresh copy of the sheet; change it freely."""
    return deepcopy(_SHERMAN)
