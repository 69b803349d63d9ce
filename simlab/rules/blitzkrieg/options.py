"""Readings and optional rules (BK-50 to BK-65) as data, and the options of a fight.

The catalogue knows every name of the rules page. What is not built yet keeps its default.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TypeAlias

from simlab.model.errors import InputError, Problem, nearest, shown
from simlab.rules.blitzkrieg.constants import HOUSE_NUMBERS, Constants, read_constants
from simlab.rules.blitzkrieg.readings import READINGS, NumberRange, Reading, Value

__all__ = ["READINGS", "NumberRange", "Options", "Reading", "Value"]

Setting: TypeAlias = str | bool | int
_NUMBER = re.compile(r"[0-9]{1,9}")
_BOTH_SIDES = "pintle_policy"
PAIR = ("immobile_targets", "hull_down")
"""One switch with two names: setting either sets both (BK-60)."""
_BY_NAME: Mapping[str, Reading] = MappingProxyType({reading.name: reading for reading in READINGS})


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
        problems = [_checked(_BY_NAME[name], getattr(self, name)) for name in _BUILT]
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
        numbers, problems = read_constants(constants)
        for written, value in settings.items():
            for name in _SHARED.get(written, (written,)):
                checked = _setting(name, value)
                if isinstance(checked, Problem):
                    problems.append(replace(checked, field=shown(written)))
                elif name in _BUILT:
                    _set(values, problems, name, checked)
        if problems:
            raise InputError(dict.fromkeys(problems))
        return cls(**values, constants=Constants(**numbers))  # type: ignore[arg-type]

    def value(self, name: str) -> Value:
        """The value in force of any reading or optional rule. InputError for an unknown name."""
        if name in _BUILT:
            built: Value = getattr(self, name)
            return built
        if name not in _BY_NAME:
            raise InputError([_unknown(name)])
        return _BY_NAME[name].default

    def built(self) -> dict[str, Value]:
        """All built readings and optional rules with their values, in the order of the rules page."""
        return {reading.name: self.value(reading.name) for reading in READINGS if reading.built}

    def house_numbers(self) -> dict[str, int | float | bool]:
        """All house numbers with their values, in the order of the rules page."""
        return self.constants.values()

    def non_default(self) -> dict[str, Value]:
        """The readings and optional rules that differ from their defaults, and house numbers as `constants.<name>`."""
        readings = {name: value for name, value in self.built().items() if value != _BY_NAME[name].default}
        return readings | self.constants.non_default()


_NAMES = "the name of a reading or optional rule"
_PLACE_OF_NUMBERS = "house numbers stand under constants: of a study, in Python under constants="
_HOUSE_NUMBERS = tuple(number.name for number in HOUSE_NUMBERS)
_BUILT = tuple(field.name for field in fields(Options) if field.name in _BY_NAME)
_SHARED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {_BOTH_SIDES: (f"{_BOTH_SIDES}_a", f"{_BOTH_SIDES}_b"), **dict.fromkeys(PAIR, PAIR)}
)


def _set(values: dict[str, Value], problems: list[Problem], name: str, value: Value) -> None:
    """Set a value; one that contradicts an earlier setting of the same name is a problem."""
    if values.setdefault(name, value) != value:
        words = [_BY_NAME[name].word(each) for each in (values[name], value)]
        problems.append(Problem("", None, name, f"both {words[0]} and {words[1]}", "one value"))


def _setting(name: str, value: Setting) -> Value | Problem:
    """The value that a setting means, or what is wrong with it."""
    reading = _BY_NAME.get(name) if isinstance(name, str) else None
    return _unknown(name) if reading is None else _checked(reading, value)


def _unknown(name: object) -> Problem:
    found, allowed, hint = "an unknown name", _NAMES, nearest(name, [*_BY_NAME, _BOTH_SIDES])
    if name in _HOUSE_NUMBERS:
        found, allowed, hint = "a house number", f"{_NAMES}; {_PLACE_OF_NUMBERS}", None
    elif hint is None and (number := nearest(name, _HOUSE_NUMBERS)) is not None:
        allowed, hint = f"{_NAMES}; {_PLACE_OF_NUMBERS}", number
    return Problem("", None, shown(name), found, allowed, hint)


def _checked(reading: Reading, written: object) -> Value | Problem:
    value = _meant(reading, written)
    if value is None:
        hint = nearest(written, [choice for choice in reading.choices() if choice.isidentifier()])
        return Problem("", None, reading.name, shown(written), ", ".join(reading.choices()), hint)
    if not reading.built and value != reading.default:
        allowed = f"{reading.word(reading.default)} (known, not built yet)"
        return Problem("", None, reading.name, shown(written), allowed)
    return value


def _meant(reading: Reading, written: object) -> Value | None:
    """The legal value that is written, or None: the value itself, or the word or digits that stand for it."""
    if isinstance(reading.values, NumberRange):
        number = int(written) if isinstance(written, str) and _NUMBER.fullmatch(written) else written
        return number if type(number) is int and number in reading.values else None
    for value in reading.values:
        if isinstance(written, str):
            if written == reading.word(value):
                return value
        elif type(written) is type(value) and written == value:
            return value
    return None
