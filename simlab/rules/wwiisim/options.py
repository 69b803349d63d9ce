"""The options of a fight: all readings with their values, and the house numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simlab.model.errors import InputError, Problem, nearest, shown
from simlab.rules.wwiisim.readings import HOUSE_NUMBERS, READINGS, HouseNumber, Reading, Value

__all__ = ["HOUSE_NUMBERS", "READINGS", "HouseNumber", "Options", "Reading"]

_READINGS = {reading.name: reading for reading in READINGS}
_NUMBERS = {number.name: number for number in HOUSE_NUMBERS}
_NAMES = "the name of a reading"
_ELSEWHERE = "house numbers stand under constants: of a study, in Python under constants="


@dataclass(frozen=True)
class Options:
    """Values in the order of the catalogues; made by `from_settings`."""

    settings: tuple[Value, ...] = tuple(reading.default for reading in READINGS)
    numbers: tuple[int | float | bool, ...] = tuple(number.default for number in HOUSE_NUMBERS)

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Any], constants: Mapping[str, Any] | None = None
    ) -> "Options":
        """Return options from names and values, typed on the command line or read from YAML.

        InputError lists all that is wrong; the field of a problem is the name, of a house number
        `constants.<name>`.
        """
        values = {reading.name: reading.default for reading in READINGS}
        problems: list[Problem] = []
        for name, written in settings.items():
            found = _setting(name, written)
            if isinstance(found, Problem):
                problems.append(found)
            else:
                values[name] = found
        numbers = _read_constants(constants, problems)
        if problems:
            raise InputError(problems)
        return cls(tuple(values.values()), tuple(numbers.values()))

    def value(self, name: str) -> Any:
        """Return the value in force of a reading. InputError for an unknown name."""
        if name not in _READINGS:
            raise InputError([_unknown(name)])
        return self.settings[_PLACES[name]]

    def constant(self, name: str) -> Any:
        """Return a house number."""
        return self.numbers[_NUMBER_PLACES[name]]

    def built(self) -> dict[str, Any]:
        """Return all readings with their values."""
        return {reading.name: value for reading, value in zip(READINGS, self.settings, strict=True)}

    def house_numbers(self) -> dict[str, Any]:
        """Return all house numbers with their values."""
        return {number.name: value for number, value in zip(HOUSE_NUMBERS, self.numbers, strict=True)}

    def non_default(self) -> dict[str, Any]:
        """Return what differs from its default; house numbers as `constants.<name>`."""
        readings = {name: value for name, value in self.built().items() if value != _READINGS[name].default}
        numbers = {
            f"constants.{name}": value
            for name, value in self.house_numbers().items()
            if value != _NUMBERS[name].default
        }
        return readings | numbers


_PLACES = {reading.name: place for place, reading in enumerate(READINGS)}
_NUMBER_PLACES = {number.name: place for place, number in enumerate(HOUSE_NUMBERS)}


def _setting(name: object, written: object) -> Value | Problem:
    reading = _READINGS.get(name) if isinstance(name, str) else None
    if reading is None:
        return _unknown(name)
    value = reading.meant(written)
    if value is None:
        hint = nearest(written, [choice for choice in reading.choices() if choice.isidentifier()])
        return Problem("", None, reading.name, shown(written), ", ".join(reading.choices()), hint)
    return value


def _unknown(name: object) -> Problem:
    if name in _NUMBERS:
        return Problem("", None, str(name), "a house number", f"{_NAMES}; {_ELSEWHERE}")
    hint = nearest(name, _READINGS)
    if hint is None and (number := nearest(name, _NUMBERS)) is not None:
        return Problem("", None, shown(name), "an unknown name", f"{_NAMES}; {_ELSEWHERE}", number)
    return Problem("", None, shown(name), "an unknown name", _NAMES, hint)


def _read_constants(written: object, problems: list[Problem]) -> dict[str, int | float | bool]:
    numbers: dict[str, int | float | bool] = {number.name: number.default for number in HOUSE_NUMBERS}
    if written is None:
        return numbers
    if not isinstance(written, Mapping):
        problems.append(Problem("", None, "constants", shown(written), "names and numbers"))
        return numbers
    for name, value in written.items():
        number = _NUMBERS.get(name) if isinstance(name, str) else None
        field = f"constants.{name if number else shown(name)}"
        read = number.read(value) if number is not None else None
        if number is not None and read is not None:
            numbers[number.name] = read
        elif number is not None:
            problems.append(Problem("", None, field, shown(value), number.allowed()))
        elif name in _READINGS:
            allowed = f"{', '.join(_NUMBERS)}; {name} stands under readings, in Python under set"
            problems.append(Problem("", None, field, "an unknown name", allowed))
        else:
            hint = nearest(name, _NUMBERS)
            problems.append(Problem("", None, field, "an unknown name", ", ".join(_NUMBERS), hint))
    return numbers
