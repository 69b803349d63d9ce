"""The readings and optional rules of a system as variants of a study: one at a time, each value that it lacks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simlab.model.errors import InputError, Problem, nearest, shown
from simlab.rules.contract import Options, Reading, System

CONSTANT = "constants."
"""How the names of constants begin among the options that differ from their defaults."""

Settings = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Variant:
    """A study with one reading changed.

    reading, value: the change as it is typed; a reading of each side stands without its `_a` and `_b` where both sides
    change. settings: the change by name. given: what the base of the comparison has beside the study's own options:
    the optional rule that the reading is about. base, options: the options of both.
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


def find_variants(
    system: System, options: Options, only: Sequence[str] = ()
) -> tuple[list[Variant], list[Refusal]]:
    """Return the variants of a study's options in the order of the catalogue, and those that cannot be had.

    only: names, or `name=value`, of what to compare; everything without any. Raises InputError for names and values
    that are not in the catalogue or not built.
    """
    built = [reading for reading in system.readings if reading.built]
    changes = list(_changes(built, options))
    wanted = _wanted(only, system, built, changes)
    found: list[Variant] = []
    refused: list[Refusal] = []
    for reading, name, value, settings in changes:
        label = f"{name}={reading.word(value)}"
        if only and label not in wanted:
            continue
        given = _given(reading, settings, built, options)
        try:
            base = combine(system, options, dict(given))
            changed = combine(system, options, {**dict(given), **dict(settings)})
        except InputError as error:
            refused.append(Refusal(label, str(error.problems[0])))
            continue
        double = next((v for v in found if (v.base, v.options) == (base, changed)), None)
        if double is not None:
            refused.append(Refusal(label, f"the same as {double.label}"))
        elif changed != base:
            said = ", ".join(f"{each}={_word(system, each, v)}" for each, v in given)
            found.append(Variant(name, reading.word(value), settings, given, said, base, changed))
    return found, refused


def combine(system: System, options: Options, settings: Mapping[str, Any]) -> Options:
    """Return options with some settings changed; what a changed one had brought with it goes. Raises InputError."""
    held = options.non_default()
    constants = {
        name.removeprefix(CONSTANT): value for name, value in held.items() if name.startswith(CONSTANT)
    }
    readings = {name: value for name, value in held.items() if not name.startswith(CONSTANT)}
    for name in settings:
        if name in readings:
            for brought in system.options({name: readings[name]}).non_default():
                readings.pop(brought, None)
    combined: Options = system.options({**readings, **settings}, constants)
    return combined


def _word(system: System, name: str, value: Any) -> str:
    return next(reading.word(value) for reading in system.readings if reading.name == name)


def _others(reading: Reading, current: Any) -> list[Any]:
    """The values that a reading may have instead; of a range of numbers the neighbours."""
    if isinstance(reading.values, tuple):
        return [value for value in reading.values if value != current]
    return [value for value in (current - 1, current + 1) if value in reading.values]


def _changes(built: Sequence[Reading], options: Options) -> Iterator[tuple[Reading, str, Any, Settings]]:
    """Every change of one reading: the reading, how it is called, its new value, the settings that make it.

    The two readings of a pair `_a`, `_b` are changed together first, then each alone.
    """
    by_name = {reading.name: reading for reading in built}
    for reading in built:
        current = options.value(reading.name)
        stem, side = reading.name[:-2], reading.name[-2:]
        twin = by_name.get(f"{stem}_b") if side == "_a" else None
        if twin is not None and twin.values == reading.values and options.value(twin.name) == current:
            for value in _others(reading, current):
                yield reading, stem, value, ((reading.name, value), (twin.name, value))
        for value in _others(reading, current):
            yield reading, reading.name, value, ((reading.name, value),)


def _given(reading: Reading, settings: Settings, built: Sequence[Reading], options: Options) -> Settings:
    """The optional rule that a reading is about, switched on, if the study leaves it out."""
    if reading.optional_rule:
        return ()
    rules = [each for each in built if each.optional_rule and each.rule == reading.rule]
    if not rules or any(options.value(rule.name) != rule.default for rule in rules):
        return ()
    on = _others(rules[0], rules[0].default)[0]
    return ((rules[0].name, on),)


def _wanted(
    only: Sequence[str], system: System, built: Sequence[Reading], changes: Sequence[Any]
) -> set[str]:
    """The labels that `only` asks for; InputError for what it cannot have."""
    labels: dict[str, list[str]] = {}
    for reading, name, value, _ in changes:
        labels.setdefault(name, []).append(f"{name}={reading.word(value)}")
    unbuilt = {reading.name for reading in system.readings} - {reading.name for reading in built}
    wanted: set[str] = set()
    problems = []
    for text in only:
        name, equals, value = text.partition("=")
        if name in unbuilt:
            problems.append(Problem("", None, "only", shown(name), "a reading that is built already"))
        elif name not in labels:
            hint = nearest(name, labels)
            problems.append(Problem("", None, "only", shown(name), "a reading or optional rule", hint))
        elif not equals:
            wanted.update(labels[name])
        elif text not in labels[name]:
            values = [label.partition("=")[2] for label in labels[name]]
            allowed = f"a value that {name} does not have yet: {', '.join(values)}"
            problems.append(Problem("", None, "only", shown(text), allowed, nearest(value, values)))
        else:
            wanted.add(text)
    if problems:
        raise InputError(problems)
    return wanted
