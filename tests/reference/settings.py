"""Readings, optional rules and house constants that can show at a fixed range: names, values, defaults."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

Value = str | bool | int | float | Fraction

# name: values, the default first
READINGS: dict[str, tuple[Value, ...]] = {
    "mg_range": ("hard", "unlimited"),
    "skip": ("crossed", "destroyed"),
    "manifest_overflow": ("stop", "wrap"),
    "engine_hits": ("first", "count"),
    "explosion_rolls": ("per_item", "per_volley"),
    "explosion_repeat": ("first", "each_volley"),
    "empty_bin": ("explodes", "inert"),
    "bin_in_box": ("box", "line"),
    "lost_bin": ("ammo_lost", "none"),
    "periscope_scope": ("unit", "enclosed"),
    "one_die": ("floor", "none_left"),
    "immobile": ("both", "one_tread"),
    "loss_of_function": ("any", "all", "firepower", "crew"),
    "volley_order": ("listed", "random"),
    "fire_allocation": ("sequential", "declared"),
    "pintle_policy_a": ("never", "in_range", "always"),
    "pintle_policy_b": ("never", "in_range", "always"),
    "unbuttoned_mix": ("separate", "pooled"),
    "dsp": ("coin", "mid", "always_high", "three", "by_range"),
    "snake_eyes_miss": (False, True),
    "snake_scope": ("first", "any"),
    "snake_one_die": ("never", "one"),
    "lucky_shot": (False, True),
    "lucky_repeat": ("once", "each"),
    "instant_death": (False, True),
    "immobile_targets": (False, True),
    "hull_down": (False, True),
    "moved_a": (False, True),
    "moved_b": (False, True),
    "point_blank": (False, True),
    "zeroing_in": (False, True),
    "halving_stack": ("multiply", "once"),
    "half_round": ("up", "down"),
    "duel_lock": ("none", "silent"),
}

# house numbers, given under the option `constants`: inches to one more on the THR, reach of AP weapons without a
# range of their own, whether box-cars are rolled on, by how much a contest must be won
CONSTANTS: dict[str, Value] = {"range_step": 12, "ap_reach": 30, "exploding": True, "contest_lead": 1}
PAIR = ("immobile_targets", "hull_down")

_WORDS: dict[Value, bool] = {"yes": True, "true": True, "no": False, "false": False}


class Settings(dict[str, Value]):
    """All readings and constants with their values; made by `settle`, never changed afterwards."""


def settle(options: Mapping[str, Any] | None = None) -> Settings:
    """Fill in the defaults; `pintle_policy` stands for both sides where a side's own is missing.

    `constants` is a mapping of house numbers. Immobile targets and hull down are one switch (BK-60).
    ValueError for a name or value that is not known here.
    """
    if isinstance(options, Settings):
        return options
    given = dict(options or {})
    constants = given.pop("constants", None) or {}
    both = given.pop("pintle_policy", None)
    if both is not None:
        given = {"pintle_policy_a": both, "pintle_policy_b": both} | given
    settings = Settings({name: values[0] for name, values in READINGS.items()})
    for name, written in given.items():
        if name not in READINGS:
            raise ValueError(f"unknown reading {name!r}")
        allowed = READINGS[name]
        value = _WORDS.get(written, written) if allowed[0] is False else written
        if value not in allowed or type(value) is int:
            raise ValueError(f"reading {name} has no value {value!r}")
        settings[name] = value
    if any(settings[name] for name in PAIR):
        settings.update(dict.fromkeys(PAIR, True))
    for name, number in {**CONSTANTS, **constants}.items():
        numbers = int if name == "contest_lead" else (int, float, Fraction)
        is_switch = name == "exploding"
        if name not in CONSTANTS or not isinstance(number, bool if is_switch else numbers):
            raise ValueError(f"constant {name} = {number!r}")
        settings[name] = number
    return settings
