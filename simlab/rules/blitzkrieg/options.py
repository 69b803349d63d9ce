"""Readings and optional rules (BK-50 to BK-65) as data, and the options of a fight.

The catalogue knows every name of the rules page. What is not built yet keeps its default.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TypeAlias

from simlab.model.errors import InputError, Problem
from simlab.rules.blitzkrieg.constants import CATALOGUE, Constants
from simlab.rules.blitzkrieg.readings import PAIR, READINGS
from simlab.rules.common.choices import Value

__all__ = ["PAIR", "READINGS", "Options"]

Setting: TypeAlias = str | bool | int


@dataclass(frozen=True)
class Options:
    """The values of all built readings, defaults where nothing is set, and the house numbers.

    One attribute a built reading, in the order of the rules page. InputError for a value that is not legal.
    """

    dsp: str = "coin"
    snake_eyes_miss: bool = False
    lucky_shot: bool = False
    instant_death: bool = False
    immobile_targets: bool = False
    hull_down: bool = False
    point_blank: bool = False
    zeroing_in: bool = False
    mg_range: str = "hard"
    skip: str = "crossed"
    manifest_overflow: str = "stop"
    engine_hits: str = "first"
    explosion_rolls: str = "per_item"
    explosion_repeat: str = "first"
    empty_bin: str = "explodes"
    bin_in_box: str = "box"
    lost_bin: str = "ammo_lost"
    periscope_scope: str = "unit"
    immobile: str = "both"
    loss_of_function: str = "any"
    volley_order: str = "listed"
    fire_allocation: str = "sequential"
    pintle_policy_a: str = "never"
    pintle_policy_b: str = "never"
    unbuttoned_mix: str = "separate"
    snake_scope: str = "first"
    snake_one_die: str = "never"
    lucky_repeat: str = "once"
    moved_a: bool = False
    moved_b: bool = False
    halving_stack: str = "multiply"
    half_round: str = "up"
    duel_lock: str = "none"
    constants: Constants = field(default_factory=Constants)

    def __post_init__(self) -> None:
        problems = [CATALOGUE.setting(name, getattr(self, name)) for name in _BUILT]
        faults = [problem for problem in problems if isinstance(problem, Problem)]
        if faults:
            raise InputError(faults)
        if any(getattr(self, name) for name in PAIR):
            for name in PAIR:
                object.__setattr__(self, name, True)

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Setting], constants: Mapping[str, object] | None = None
    ) -> "Options":
        """Options from names and values, typed on the command line (`true`, `2`) or read from YAML (True, 2).

        `pintle_policy` sets both sides, and `immobile_targets` and `hull_down` each other. constants: house numbers
        that differ from the book's. Raises InputError that lists all unknown names and values, and those that are
        known but not built yet; a problem's field is the name, of a house number `constants.<name>`.
        """
        values: dict[str, Value] = {}
        numbers, problems = CATALOGUE.house_numbers(constants)
        for written, value in settings.items():
            problems += CATALOGUE.settle(values, written, value)
        if problems:
            raise InputError(dict.fromkeys(problems))
        built = {name: value for name, value in values.items() if name in _BUILT}
        return cls(**built, constants=Constants(**numbers))  # type: ignore[arg-type]

    def value(self, name: str) -> Value:
        """The value in force of any reading or optional rule. InputError for an unknown name."""
        if name in _BUILT:
            built: Value = getattr(self, name)
            return built
        if name not in CATALOGUE.by_name:
            raise InputError([CATALOGUE.unknown(name)])
        return CATALOGUE.by_name[name].default

    def built(self) -> dict[str, Value]:
        """All built readings and optional rules with their values, in the order of the rules page."""
        return {reading.name: self.value(reading.name) for reading in READINGS if reading.built}

    def house_numbers(self) -> dict[str, int | float | bool]:
        """All house numbers with their values, in the order of the rules page."""
        return self.constants.values()

    def non_default(self) -> dict[str, Value]:
        """The readings and optional rules that differ from their defaults, and house numbers as `constants.<name>`."""
        readings = {
            name: value for name, value in self.built().items() if value != CATALOGUE.by_name[name].default
        }
        return readings | self.constants.non_default()


_BUILT = tuple(field.name for field in fields(Options) if field.name in CATALOGUE.by_name)
