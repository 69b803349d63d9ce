"""The choices of a system by name: what is typed is read, and what is wrong with it is said."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

from simlab.model.errors import InputError, Problem, nearest, shown
from simlab.rules.common.choices import HouseNumber, Reading, Value

_ELSEWHERE = "house numbers stand under constants: of a study, in Python under constants="
_NOTHING: Mapping[str, tuple[str, ...]] = MappingProxyType({})


@dataclass(frozen=True)
class Catalogue:
    """The readings and house numbers of a system, in the order of its rules.

    called: what a reading's name is called. true, false: words for the two values of a switch beside its own.
    together: readings that are set as one, by each of their names.
    """

    readings: tuple[Reading, ...]
    numbers: tuple[HouseNumber, ...]
    called: str = "the name of a reading"
    true: tuple[str, ...] = ()
    false: tuple[str, ...] = ()
    together: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _NOTHING)

    @cached_property
    def by_name(self) -> Mapping[str, Reading]:
        """The readings by name."""
        return MappingProxyType({reading.name: reading for reading in self.readings})

    @cached_property
    def number_by_name(self) -> Mapping[str, HouseNumber]:
        """The house numbers by name."""
        return MappingProxyType({number.name: number for number in self.numbers})

    @cached_property
    def shared(self) -> Mapping[str, tuple[str, ...]]:
        """The readings that a name sets which is none of theirs, by that name."""
        names = dict.fromkeys(reading.shared for reading in self.readings if reading.shared)
        return MappingProxyType(
            {name: tuple(each.name for each in self.readings if each.shared == name) for name in names}
        )

    def settle(self, values: dict[str, Value], written: Any, value: object) -> list[Problem]:
        """Set what a name and a value mean among `values`; return what is wrong with them.

        A value that contradicts an earlier one of the same reading is wrong, too.
        """
        problems = []
        for name in self.shared.get(written) or self.together.get(written) or (written,):
            checked = self.setting(name, value)
            if isinstance(checked, Problem):
                problems.append(replace(checked, field=shown(written)))
            elif values.setdefault(name, checked) != checked:
                words = [self.by_name[name].word(each) for each in (values[name], checked)]
                problems.append(Problem("", None, name, f"both {words[0]} and {words[1]}", "one value"))
        return problems

    def setting(self, name: object, written: object) -> Value | Problem:
        """Return the value of a reading that is written, or what is wrong with it."""
        reading = self.by_name.get(name) if isinstance(name, str) else None
        if reading is None:
            return self.unknown(name)
        value = reading.meant(written, self.true, self.false)
        if value is None:
            hint = nearest(written, [choice for choice in reading.choices() if choice.isidentifier()])
            return Problem("", None, reading.name, shown(written), ", ".join(reading.choices()), hint)
        if not reading.built and value != reading.default:
            allowed = f"{reading.word(reading.default)} (known, not built yet)"
            return Problem("", None, reading.name, shown(written), allowed)
        return value

    def unknown(self, name: object) -> Problem:
        """Return what is wrong with a name that no reading has."""
        found, allowed, hint = "an unknown name", self.called, nearest(name, [*self.by_name, *self.shared])
        if name in tuple(self.number_by_name):
            found, allowed, hint = "a house number", f"{self.called}; {_ELSEWHERE}", None
        elif hint is None and (number := nearest(name, self.number_by_name)) is not None:
            allowed, hint = f"{self.called}; {_ELSEWHERE}", number
        return Problem("", None, shown(name), found, allowed, hint)

    def house_numbers(self, written: object) -> tuple[dict[str, Any], list[Problem]]:
        """Return the legal ones of the house numbers that are written, and what is wrong with the others.

        The field of a problem is `constants.<name>`.
        """
        if written is None:
            return {}, []
        if not isinstance(written, Mapping):
            return {}, [Problem("", None, "constants", shown(written), "names and numbers")]
        found: dict[str, Any] = {}
        problems = []
        for name, value in written.items():
            read = self.house_number(name, value)
            if isinstance(read, Problem):
                problems.append(read)
            else:
                found[name] = read
        return found, problems

    def house_number(self, name: object, value: object) -> int | float | bool | Problem:
        """Return the legal value of a house number that is written, or what is wrong with it."""
        number = self.number_by_name.get(name) if isinstance(name, str) else None
        if number is None:
            allowed, hint = ", ".join(self.number_by_name), nearest(str(name), self.number_by_name)
            if name in (*self.by_name, *self.shared):
                allowed, hint = f"{allowed}; {name} stands under readings, in Python under set", None
            return Problem("", None, f"constants.{shown(name)}", "an unknown name", allowed, hint)
        read = number.read(value)
        return (
            Problem("", None, f"constants.{name}", shown(value), number.allowed()) if read is None else read
        )


@dataclass(frozen=True)
class ChosenOptions:
    """Options of a system whose class names its catalogue: what differs from the defaults, sorted by name.

    settings: readings with their values; constants: house numbers with theirs.
    """

    catalogue: ClassVar[Catalogue]
    settings: tuple[tuple[str, Value], ...] = ()
    constants: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def changed(
        cls, values: Mapping[str, Value], numbers: Mapping[str, Any]
    ) -> tuple[tuple[tuple[str, Value], ...], tuple[tuple[str, Any], ...]]:
        """Return those readings and house numbers that differ from their defaults, in the form of the attributes."""
        by_name, number_by_name = cls.catalogue.by_name, cls.catalogue.number_by_name
        settings = {name: value for name, value in values.items() if value != by_name[name].default}
        constants = {name: value for name, value in numbers.items() if value != number_by_name[name].default}
        return tuple(sorted(settings.items())), tuple(sorted(constants.items()))

    def value(self, name: str) -> Any:
        """The value in force of a reading. InputError for an unknown name."""
        if name not in self.catalogue.by_name:
            raise InputError([self.catalogue.unknown(name)])
        return dict(self.settings).get(name, self.catalogue.by_name[name].default)

    def constant(self, name: str) -> Any:
        """The value in force of a house number."""
        return dict(self.constants).get(name, self.catalogue.number_by_name[name].default)

    def built(self) -> dict[str, Any]:
        """All readings with their values, in the order of the rules."""
        return {name: self.value(name) for name in self.catalogue.by_name}

    def house_numbers(self) -> dict[str, Any]:
        """All house numbers with their values, in the order of the rules."""
        return {name: self.constant(name) for name in self.catalogue.number_by_name}

    def non_default(self) -> dict[str, Any]:
        """What differs from the defaults, in the order of the rules; house numbers as `constants.<name>`."""
        changed, numbers = dict(self.settings), dict(self.constants)
        found: dict[str, Any] = {name: changed[name] for name in self.catalogue.by_name if name in changed}
        named = [name for name in self.catalogue.number_by_name if name in numbers]
        return found | {f"constants.{name}": numbers[name] for name in named}
