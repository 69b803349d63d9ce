"""The readings and optional rules of a system as variants of a study: one at a time, each value that it lacks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simlab.model.errors import InputError, Problem, nearest, shown
from simlab.model.typed_situation import read_number
from simlab.rules.contract import HouseNumber, Options, Reading, System

CONSTANT = "constants."
"""How the names of constants begin among the options that differ from their defaults."""

Settings = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Variant:
    """A study with one reading changed.

    reading, value: the change as it is typed; a reading of each side stands without its `_a` and `_b` where both sides
    change, a house number as `constants.<name>`. settings: the change by name. given: what the base of the comparison
    has beside the study's own options: the optional rule that the reading is about. base, options: the options of both.
    """

    reading: str
    value: str
    settings: Settings
    given: Settings
    given_text: str
    base: Options
    options: Options

    @property
    def label(self) -> str:
        """The variant as it is typed after `--only`."""
        return f"{self.reading}={self.value}"


@dataclass(frozen=True)
class Refusal:
    """A variant that the rules refuse: its label and why, or of which other one it is a double."""

    label: str
    reason: str


@dataclass(frozen=True)
class _Change:
    """How a change is called, its value as a word, the settings that make it, and the reading that it is about."""

    name: str
    word: str
    settings: Settings
    about: Reading | None = None

    @property
    def label(self) -> str:
        return f"{self.name}={self.word}"


@dataclass(frozen=True)
class _Offer:
    """A name under which readings may be changed, and what they are changed to where no value is named."""

    name: str
    readings: tuple[Reading, ...]
    changes: tuple[_Change, ...]


def find_variants(
    system: System, options: Options, only: Sequence[str] = ()
) -> tuple[list[Variant], list[Refusal]]:
    """Return the variants of a study's options in the order of the catalogue, and those that cannot be had.

    only: names, or `name=value` with any legal value of a reading or house number, of what to compare; without any,
    all words of each reading, and of one that is a number the neighbours. Raises InputError for names and values that
    are not in the catalogue or not built.
    """
    built = [reading for reading in system.readings if reading.built]
    changes = [change for offer in _offers(built, options) for change in offer.changes]
    if only:
        changes = _Wanted(system, options, built).changes(only)
    found: list[Variant] = []
    refused: list[Refusal] = []
    for change in changes:
        given = _given(change.about, built, options)
        try:
            base = combine(system, options, dict(given))
            changed = combine(system, options, {**dict(given), **dict(change.settings)})
        except InputError as error:
            refused.append(Refusal(change.label, str(error.problems[0])))
            continue
        double = next((v for v in found if (v.base, v.options) == (base, changed)), None)
        if double is not None:
            refused.append(Refusal(change.label, f"the same as {double.label}"))
        elif changed != base:
            said = ", ".join(f"{each}={_word(system, each, v)}" for each, v in given)
            found.append(Variant(change.name, change.word, change.settings, given, said, base, changed))
    return found, refused


def combine(system: System, options: Options, settings: Mapping[str, Any]) -> Options:
    """Return options with some settings changed; what a changed one had brought with it goes. Raises InputError."""
    readings, constants = _parted(options.non_default())
    changed, numbers = _parted(settings)
    for name in changed:
        if name in readings:
            for brought in system.options({name: readings[name]}).non_default():
                readings.pop(brought, None)
    combined: Options = system.options({**readings, **changed}, {**constants, **numbers})
    return combined


def _parted(settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Readings and house numbers of settings, each by its own name."""
    readings, constants = dict[str, Any](), dict[str, Any]()
    for name, value in settings.items():
        (constants if name.startswith(CONSTANT) else readings)[name.removeprefix(CONSTANT)] = value
    return readings, constants


def _word(system: System, name: str, value: Any) -> str:
    return next(reading.word(value) for reading in system.readings if reading.name == name)


def _others(reading: Reading, current: Any) -> list[Any]:
    """The values that a reading may have instead; of a range of numbers the neighbours."""
    if isinstance(reading.values, tuple):
        return [value for value in reading.values if value != current]
    return [value for value in (current - 1, current + 1) if value in reading.values]


def _offers(built: Sequence[Reading], options: Options) -> Iterator[_Offer]:
    """Every name under which something may be changed, with its changes.

    The two readings of a pair `_a`, `_b` are changed together first, then each alone.
    """
    by_name = {reading.name: reading for reading in built}
    for reading in built:
        current = options.value(reading.name)
        stem, side = reading.name[:-2], reading.name[-2:]
        twin = by_name.get(f"{stem}_b") if side == "_a" else None
        if twin is not None and twin.values == reading.values and options.value(twin.name) == current:
            yield _offer(stem, (reading, twin), current)
        yield _offer(reading.name, (reading,), current)


def _offer(name: str, readings: tuple[Reading, ...], current: Any) -> _Offer:
    first = readings[0]
    values = _others(first, current)
    return _Offer(name, readings, tuple(_change(name, readings, first.word(v), v) for v in values))


def _change(name: str, readings: Sequence[Reading], word: str, value: Any) -> _Change:
    return _Change(name, word, tuple((each.name, value) for each in readings), readings[0])


def _given(about: Reading | None, built: Sequence[Reading], options: Options) -> Settings:
    """The optional rule that a reading is about, switched on, if the study leaves it out."""
    if about is None or about.optional_rule:
        return ()
    rules = [each for each in built if each.optional_rule and each.rule == about.rule]
    if not rules or any(options.value(rule.name) != rule.default for rule in rules):
        return ()
    on = _others(rules[0], rules[0].default)[0]
    return ((rules[0].name, on),)


class _Wanted:
    """Reads what `only` asks for: names of readings, and readings or house numbers with a value."""

    def __init__(self, system: System, options: Options, built: Sequence[Reading]) -> None:
        self.system, self.options = system, options
        self.offers = {offer.name: offer for offer in _offers(built, options)}
        self.unbuilt = {reading.name for reading in system.readings if not reading.built}
        self.numbers: dict[str, HouseNumber] = {number.name: number for number in system.house_numbers}
        self.order = [*self.offers, *(CONSTANT + name for name in self.numbers)]

    def changes(self, only: Sequence[str]) -> list[_Change]:
        """Return the changes that are asked for, each once, in the order of the catalogue. Raises InputError."""
        found: dict[str, _Change] = {}
        problems: list[Problem] = []
        for text in only:
            try:
                found.update({change.label: change for change in self._asked(text)})
            except InputError as error:
                problems += error.problems
        if problems:
            raise InputError(problems)
        return sorted(found.values(), key=self._place)

    def _place(self, change: _Change) -> tuple[int, int]:
        """Names as in the catalogue, words of a reading as there; values that were typed come last."""
        offer = self.offers.get(change.name)
        labels = [] if offer is None else [each.label for each in offer.changes]
        known = change.label in labels
        return self.order.index(change.name), labels.index(change.label) if known else len(labels)

    def _asked(self, text: str) -> Sequence[_Change]:
        name, equals, value = text.partition("=")
        number = self.numbers.get(name.removeprefix(CONSTANT))
        if name in self.unbuilt:
            raise InputError.one("only", shown(name), "a reading that is built already")
        if name in self.offers:
            offer = self.offers[name]
            return [self._reading(text, offer, value)] if equals else offer.changes
        if number is None:
            names = [*self.offers, *self.numbers]
            raise InputError.one("only", shown(name), self._legal_names(), nearest(name, names))
        if not equals:
            raise InputError.one("only", shown(name), f"{name}=VALUE, {number.allowed()}")
        return [self._house_number(text, number, value)]

    def _legal_names(self) -> str:
        optional = any(reading.optional_rule for reading in self.system.readings)
        return "a reading or optional rule" if optional else "a reading"

    def _reading(self, text: str, offer: _Offer, value: str) -> _Change:
        """The change of readings to a value that is typed."""
        first, words = offer.readings[0], [change.word for change in offer.changes]
        numbered = not isinstance(first.values, tuple)
        legal = ", ".join(first.choices() if numbered else words)
        allowed = f"a value that {offer.name} does not have yet: {legal}"
        try:
            read = self.system.options({reading.name: value for reading in offer.readings}).value(first.name)
        except InputError:
            if not legal:
                raise
            raise InputError.one("only", shown(text), allowed, nearest(value, words)) from None
        if read == self.options.value(first.name):
            raise InputError.one("only", shown(text), allowed if legal else f"another value of {offer.name}")
        if numbered or read in first.values:
            return _change(offer.name, offer.readings, first.word(read), read)
        return _change(offer.name, offer.readings, value, value)

    def _house_number(self, text: str, number: HouseNumber, value: str) -> _Change:
        """The change of a house number to a value that is typed."""
        typed = {"true": True, "false": False}.get(value, read_number(value))
        try:
            read = self.system.options({}, {number.name: typed}).house_numbers()[number.name]
        except InputError:
            raise InputError.one("only", shown(text), number.allowed()) from None
        if read == self.options.house_numbers()[number.name]:
            allowed = f"a value that {number.name} does not have yet: {number.allowed()}"
            raise InputError.one("only", shown(text), allowed)
        name = CONSTANT + number.name
        return _Change(name, str(read).lower(), ((name, read),))
