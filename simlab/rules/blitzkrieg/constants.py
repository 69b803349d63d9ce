"""House numbers: constants of the rules that a table may set for itself."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from simlab.model.errors import InputError, Problem, nearest, shown
from simlab.rules.blitzkrieg.readings import READINGS


@dataclass(frozen=True)
class HouseNumber:
    """A constant with its legal values: a switch if `low` is None, else from `low` to `high`, whole or any number."""

    name: str
    default: int | bool
    rule: str
    effect: str
    low: int | None = None
    high: int | None = None
    whole: bool = False

    def allowed(self) -> str:
        """Return the legal values in words."""
        if self.low is None:
            return "true or false"
        return f"a {'whole ' if self.whole else ''}number from {self.low} to {self.high}"

    def read(self, value: object) -> int | float | bool | None:
        """Return a legal value, whole numbers as such; None for anything else."""
        if self.low is None or self.high is None:
            return value if isinstance(value, bool) else None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return None
        number = int(value) if float(value).is_integer() else value
        fits = self.low <= number <= self.high and not (self.whole and isinstance(number, float))
        return number if fits else None


HOUSE_NUMBERS = (
    HouseNumber("range_step", 12, "BK-12", "inches that make hitting harder by one", 1, 999),
    HouseNumber(
        "ap_reach", 30, "BK-15", "reach of machine guns whose sheet sets no range of its own", 0, 999
    ),
    HouseNumber("exploding", True, "BK-11", "box-cars are thrown again; without that a 12 stands"),
    HouseNumber(
        "contest_lead",
        1,
        "BK-26",
        "by how much the attacker's die has to be higher to explode a bin: 20 never, -19 always",
        -19,
        20,
        whole=True,
    ),
)
"""All constants, in the order of the rules."""
_BY_NAME = {number.name: number for number in HOUSE_NUMBERS}
_READINGS = {name for reading in READINGS for name in (reading.name, reading.shared or reading.name)}


@dataclass(frozen=True)
class Constants:
    """The constants in force. InputError for a value that is not legal."""

    range_step: int | float = 12
    ap_reach: int | float = 30
    exploding: bool = True
    contest_lead: int = 1

    def __post_init__(self) -> None:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        problems = [problem for name in values for problem in _problems(name, values[name])]
        if problems:
            raise InputError(problems)
        for name, value in values.items():
            object.__setattr__(self, name, _BY_NAME[name].read(value))

    def values(self) -> dict[str, Any]:
        """Return all constants by name, in the order of the rules."""
        return {number.name: getattr(self, number.name) for number in HOUSE_NUMBERS}

    def non_default(self) -> dict[str, Any]:
        """Return the constants that differ from the book, as `constants.<name>`."""
        return {
            f"constants.{name}": value
            for name, value in self.values().items()
            if value != _BY_NAME[name].default
        }


def read_constants(written: object) -> tuple[dict[str, Any], list[Problem]]:
    """Return the legal ones of the constants that are written, and what is wrong with the others.

    The field of a problem is `constants.<name>`.
    """
    if written is None:
        return {}, []
    if not isinstance(written, Mapping):
        return {}, [Problem("", None, "constants", shown(written), "names and numbers")]
    problems = [problem for name, value in written.items() for problem in _problems(name, value)]
    return {name: value for name, value in written.items() if not _problems(name, value)}, problems


def _problems(name: object, value: object) -> list[Problem]:
    number = _BY_NAME.get(name) if isinstance(name, str) else None
    if number is None:
        allowed, hint = ", ".join(_BY_NAME), nearest(str(name), _BY_NAME)
        if name in _READINGS:
            allowed, hint = f"{allowed}; {name} stands under readings, in Python under set", None
        return [Problem("", None, f"constants.{shown(name)}", "an unknown name", allowed, hint)]
    if number.read(value) is None:
        return [Problem("", None, f"constants.{name}", shown(value), number.allowed())]
    return []
