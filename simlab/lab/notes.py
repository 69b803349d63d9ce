"""What is said before a fight: what of the rules is a draft, that they have to be compiled, and options that do nothing
and yet change the dice."""

from collections.abc import Callable, Sequence

from simlab.rules.contract import Options, Reading, System


def idle_notes(system: System, options: Options) -> list[str]:
    """Return a line for each reading that is not at its default and is about optional rules that are all left out."""
    if not options.non_default():
        return []
    built = [reading for reading in system.readings if reading.built]
    notes = []
    for reading in built:
        value = options.value(reading.name)
        rules = _rules_about(reading, built)
        if value == reading.default or not rules or any(options.value(r.name) != r.default for r in rules):
            continue
        names = " or ".join(_alone(system, rules))
        notes.append(
            f"note: {reading.name}={reading.word(value)} has no effect without {names}; "
            "it gives other dice all the same"
        )
    return notes


def note_of(progress: Callable[..., None] | None) -> Callable[[str], None]:
    """Return what takes a note and tells it to `progress`, if anybody listens."""

    def note(text: str) -> None:
        if progress is not None:
            progress(0, 0, text)

    return note


def say_compiling(
    progress: Callable[..., None] | None, is_compiled: Callable[[], bool], seconds: int
) -> None:
    """Tell `progress`, if anybody listens, that what is next has to be compiled and how long that takes, if it has."""
    if progress is not None and not is_compiled():
        progress(0, 0, f"compiling the rules, once; about {seconds} s")


def say_beforehand(system: System, options: Options, progress: Callable[..., None] | None) -> None:
    """Tell `progress`, if anybody listens, what of the rules is a draft, and the idle notes of options."""
    for text in [*caveat_notes(system), *idle_notes(system, options)] if progress is not None else ():
        note_of(progress)(text)


def caveat_notes(system: System) -> list[str]:
    """Return what has to be said beside every answer of a system."""
    return [f"note: {system.caveat}"] if system.caveat else []


def say_caveat(system: System, progress: Callable[..., None] | None) -> None:
    """Tell `progress`, if anybody listens, what of the rules is a draft."""
    for text in caveat_notes(system):
        note_of(progress)(text)


def _rules_about(reading: Reading, built: Sequence[Reading]) -> list[Reading]:
    """The optional rules that a reading is about; none if it is one itself."""
    if reading.optional_rule:
        return []
    return [r for r in built if r.optional_rule and (r.rule == reading.rule or r.name in reading.under)]


def _alone(system: System, rules: Sequence[Reading]) -> list[str]:
    """The names of optional rules, those left out that come with an earlier one."""
    names: list[str] = []
    brought: set[str] = set()
    for rule in rules:
        if rule.name not in brought:
            names.append(rule.name)
            on = next(value for value in rule.values if value != rule.default)
            brought |= {*system.options({rule.name: on}).non_default()}
    return names
