"""The options of a fight: readings, charts and house numbers (TD-1 to TD-9)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from simlab.model.errors import InputError, Problem, nearest, shown
from simlab.rules.blitzkrieg.readings import NumberRange, Reading, Value
from simlab.rules.tank_d20.charts_file import Charts, draft_charts, read_charts
from simlab.rules.tank_d20.readings import BOTH_SIDES, HOUSE_NUMBERS, READINGS

CHARTS = "charts"
_NUMBER = re.compile(r"[0-9]{1,9}")
_READINGS: Mapping[str, Reading] = MappingProxyType({reading.name: reading for reading in READINGS})
_NUMBERS = MappingProxyType({number.name: number for number in HOUSE_NUMBERS})
_NAMES = "the name of a reading"
_ELSEWHERE = "house numbers stand under constants: of a study, in Python under constants="


@dataclass(frozen=True)
class Options:
    """What differs from the defaults, sorted by name, and the charts.

    settings: readings with their values; constants: house numbers with theirs.
    """

    settings: tuple[tuple[str, Value], ...] = ()
    constants: tuple[tuple[str, Any], ...] = ()
    charts: Charts = field(default_factory=draft_charts)

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Any], constants: Mapping[str, Any] | None = None
    ) -> "Options":
        """Options from names and values, typed on the command line or read from YAML.

        A name without `_a` or `_b` sets both sides. Raises InputError that lists all that is unknown or not legal;
        a problem's field is the name, of a house number `constants.<name>`.
        """
        problems: list[Problem] = []
        values: dict[str, Value] = {}
        charts = draft_charts()
        for written, value in settings.items():
            if written == CHARTS:
                try:
                    charts = read_charts(value)
                except InputError as error:
                    problems += error.problems
                continue
            for name in _names(written):
                checked = _checked(name, value)
                if isinstance(checked, Problem):
                    problems.append(replace(checked, field=shown(written)))
                elif values.setdefault(name, checked) != checked:
                    both = f"both {_READINGS[name].word(values[name])} and {_READINGS[name].word(checked)}"
                    problems.append(Problem("", None, name, both, "one value"))
        numbers = _house_numbers(constants, problems)
        if problems:
            raise InputError(dict.fromkeys(problems))
        changed = {name: value for name, value in values.items() if value != _READINGS[name].default}
        return cls(tuple(sorted(changed.items())), tuple(sorted(numbers.items())), charts)

    def value(self, name: str) -> Any:
        """The value in force of a reading. InputError for an unknown name."""
        if name == CHARTS:
            return self.charts.name
        if name not in _READINGS:
            raise InputError([_unknown(name)])
        return dict(self.settings).get(name, _READINGS[name].default)

    def number(self, name: str) -> Any:
        """The value in force of a house number."""
        return dict(self.constants).get(name, _NUMBERS[name].default)

    def side(self, name: str, side: str) -> Any:
        """The value in force of a reading that each side has for itself."""
        return self.value(f"{name}_{side}")

    def built(self) -> dict[str, Any]:
        """All readings with their values, in the order of the rules."""
        return {name: self.value(name) for name in _READINGS}

    def house_numbers(self) -> dict[str, Any]:
        """All house numbers with their values, in the order of the rules."""
        return {name: self.number(name) for name in _NUMBERS}

    def non_default(self) -> dict[str, Any]:
        """What differs from the defaults; house numbers as `constants.<name>`, charts with all that they say.

        The charts count by their content, wherever they lie, and can be read again from it.
        """
        changed = dict(self.settings)
        found: dict[str, Any] = {name: changed[name] for name in _READINGS if name in changed}
        if self.charts != draft_charts():
            found[CHARTS] = self.charts.content()
        return found | {f"constants.{name}": value for name, value in self.constants}


def _names(written: object) -> tuple[str, ...]:
    if written in BOTH_SIDES:
        return (f"{written}_a", f"{written}_b")
    return (written if isinstance(written, str) else str(written),)


def _unknown(name: object) -> Problem:
    found, allowed, hint = "an unknown name", _NAMES, nearest(name, [*_READINGS, *BOTH_SIDES])
    if name in _NUMBERS:
        found, allowed, hint = "a house number", f"{_NAMES}; {_ELSEWHERE}", None
    return Problem("", None, shown(name), found, allowed, hint)


def _checked(name: str, written: object) -> Value | Problem:
    """The legal value that is written: the value itself, or the word or digits that stand for it."""
    if name not in _READINGS:
        return _unknown(name)
    reading = _READINGS[name]
    if isinstance(reading.values, NumberRange):
        number = int(written) if isinstance(written, str) and _NUMBER.fullmatch(written) else written
        if type(number) is int and number in reading.values:
            return number
    else:
        for value in reading.values:
            if isinstance(written, str):
                if written == reading.word(value) or (isinstance(value, bool) and written == _plainly(value)):
                    return value
            elif type(written) is type(value) and written == value:
                return value
    hint = nearest(written, [choice for choice in reading.choices() if choice.isidentifier()])
    return Problem("", None, name, shown(written), ", ".join(reading.choices()), hint)


def _plainly(value: bool) -> str:
    return "true" if value else "false"


def _house_numbers(constants: object, problems: list[Problem]) -> dict[str, Any]:
    """The house numbers that differ from their defaults; what is wrong goes to `problems`."""
    if constants is None:
        return {}
    if not isinstance(constants, Mapping):
        problems.append(Problem("", None, "constants", shown(constants), "names and numbers"))
        return {}
    found = {}
    for name, value in constants.items():
        number = _NUMBERS.get(name) if isinstance(name, str) else None
        read = None if number is None else number.read(value)
        if number is None:
            hint = nearest(str(name), _NUMBERS)
            problems.append(
                Problem("", None, f"constants.{shown(name)}", "an unknown name", ", ".join(_NUMBERS), hint)
            )
        elif read is None:
            problems.append(Problem("", None, f"constants.{name}", shown(value), number.allowed()))
        elif read != number.default:
            found[name] = read
    return found
