"""Sheets, options and fights of every rule system, for tests that hold for all of them, and their tolerances."""

from math import sqrt
from pathlib import Path
from typing import Any

from scipy.stats import norm
from toy_system import SYSTEM as TOY
from toy_system import ToySheet

from simlab.model.situation import Situation
from simlab.rules.contract import Fight, System
from simlab.rules.registry import get_system, system_names

UNITS = Path(__file__).parent.parent / "units"
SYSTEMS = tuple(sorted({*system_names(), TOY.name}))
FAMILY = 1e-6
"""Chance that one of the statistical comparisons of a test fails although all is well."""

TOY_SHEETS = (ToySheet(), ToySheet("brittle", 1, 20, 19), ToySheet("short", rounds=2, reach=12.0))
SETTINGS: dict[str, tuple[dict[str, Any], ...]] = {
    "toy": ({}, {"declared": True}),
    "blitzkrieg": (
        {},
        {
            "pintle_policy": "in_range",
            "fire_allocation": "declared",
            "bin_in_box": "line",
            "lost_bin": "none",
        },
        {
            "pintle_policy": "always",
            "engine_hits": "count",
            "manifest_overflow": "wrap",
            "explosion_rolls": "per_volley",
            "immobile": "one_tread",
            "loss_of_function": "all",
            "mg_range": "unlimited",
            "unbuttoned_mix": "pooled",
        },
    ),
    "tank_d20": (
        {},
        {"hit": "roll_plus_drm_below", "jam_round": "spent", "leader_on": "location", "actions": 3},
    ),
    "wwiisim": (
        {},
        {
            "direction": "at_least",
            "mg_dice": 2,
            "jam_scope": "lost",
            "initiative_zero": "turn",
            "immobilised_again": "none",
            "no_weapon_left": "immobilised",
        },
    ),
}
SAMPLES = ("m4a3_sherman_lp", "panther_g", "sherman_firefly_vc")
"""A few units, the same of each system: all of them would take too long."""
CASES = [(name, number) for name in SYSTEMS for number in range(len(SETTINGS[name]))]
"""Every system under each of its sets of options."""


def system_of(name: str) -> System:
    return TOY if name == TOY.name else get_system(name)


def sheet_paths(name: str) -> list[Path]:
    return sorted((UNITS / name).glob("*.yaml"))


def sample_sheets(name: str) -> list[Any]:
    if name == TOY.name:
        return list(TOY_SHEETS)
    system = get_system(name)
    return [system.load_sheet(UNITS / name / f"{unit}.yaml") for unit in SAMPLES]


def compile_sample(
    name: str,
    sheets_a: Any,
    sheets_b: Any,
    settings: dict[str, Any] | None = None,
    situation: Situation | None = None,
    turns: int = 12,
) -> Fight:
    system = system_of(name)
    where = situation or Situation(10.0)
    return system.compile_fight(sheets_a, sheets_b, where, system.options(settings or {}), turns)


def sherman(**fields: Any) -> Any:
    """The Sherman LP, changed: `__` in a keyword stands for the dot of a path."""
    system = get_system("blitzkrieg")
    sheet = system.load_sheet(UNITS / "blitzkrieg" / "m4a3_sherman_lp.yaml")
    return system.replace_fields(sheet, {path.replace("__", "."): value for path, value in fields.items()})


def family_z(comparisons: int) -> float:
    """How many standard errors a count may be off, where so many are compared in a test."""
    return float(norm.isf(FAMILY / 2 / comparisons))


def assert_share(count: float, n: int, chance: float, comparisons: int = 1) -> None:
    """Assert that a count agrees with the chance of each of n independent trials, by the exact standard error."""
    allowed = family_z(comparisons) * sqrt(chance * (1 - chance) / n) + 1e-12
    assert abs(count / n - chance) <= allowed, f"{count / n} of {n} against {chance}, allowed {allowed}"
