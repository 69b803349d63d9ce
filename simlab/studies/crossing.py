"""The axes of a study's situations: values with weights, in the two forms that the file allows."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias

from simlab.model.document import Document
from simlab.model.errors import Problem, shown
from simlab.model.situation import shortest
from simlab.model.typed_situation import (
    LEGAL_FIRST_FIRE,
    MAX_RANGE,
    Unfit,
    read_aspect,
    read_first_fire,
    read_range,
)

NOT_BUILT = "known, not built yet"

Axis: TypeAlias = tuple[tuple[Any, float], ...]
"""Values as a situation takes them, with weights."""
Fault: TypeAlias = tuple[str, str, str | None]
"""Found, allowed, likely spelling."""
Entry: TypeAlias = tuple[Any, Fault | None]
"""A value as a situation takes it, or what is wrong with it."""

_RANGES = f"a number from 0 to {MAX_RANGE}, or several by turn in one text: '36,30,24'"


def read_ranges(document: Document, path: Sequence[Hashable]) -> tuple[Axis, list[Problem]]:
    """Return the ranges at a path with their weights (which add up to 1), and all faults."""
    return _read_axis(document, path, _read_range)


def read_aspects(
    document: Document, path: Sequence[Hashable], aspects: Sequence[str]
) -> tuple[Axis, list[Problem]]:
    """Return the aspects at a path as `read_ranges` does; `aspects` are the system's."""
    return _read_axis(document, path, lambda value: _read_aspect(value, aspects))


def read_first_fires(document: Document, path: Sequence[Hashable]) -> tuple[Axis, list[Problem]]:
    """Return who fires first as `read_ranges` does, `a:2`, or None for nobody; here one value may stand alone."""
    return _read_axis(document, path, _read_first_fire, alone=True)


def _read_range(value: Any) -> Entry:
    """A number, or a text of several: one number in quotes is no number."""
    one_in_quotes = isinstance(value, str) and "," not in value
    found = Unfit(value) if one_in_quotes or isinstance(value, list) else read_range(value)
    if isinstance(found, Unfit):
        return None, (found.found(shown), _RANGES, None)
    return shortest(found), None


def _read_aspect(value: Any, aspects: Sequence[str]) -> Entry:
    found = Unfit(value) if isinstance(value, list) else read_aspect(value, aspects)
    if isinstance(found, Unfit):
        allowed = f"{', '.join(aspects)}, or several of them by turn in one text: 'rear,front'"
        return None, (found.found(shown), allowed, found.hint)
    return shortest(found), None


def _read_first_fire(value: Any) -> Entry:
    found = Unfit(value) if value is None or isinstance(value, list) else read_first_fire(value)
    if isinstance(found, Unfit):
        return None, (found.found(shown), LEGAL_FIRST_FIRE, None)
    return found, None


def _read_axis(
    document: Document, path: Sequence[Hashable], read: Callable[[Any], Entry], *, alone: bool = False
) -> tuple[Axis, list[Problem]]:
    axis: Any = document.value
    for part in path:
        axis = axis[part]
    entries: list[tuple[Any, Any, Sequence[Hashable]]]
    if alone and isinstance(axis, str):
        entries = [(axis, 1, path)]
    elif isinstance(axis, dict):
        entries = [(value, weight, [*path, value]) for value, weight in axis.items()]
    elif isinstance(axis, list):
        entries = [(value, 1, [*path, place]) for place, value in enumerate(axis)]
    else:
        return (), [document.problem(path, shown(axis), "a list, or a mapping of values to weights")]
    if not entries:
        return (), [document.problem(path, "no value at all", "at least one value")]
    problems: list[Problem] = []
    taken: list[tuple[Any, float]] = []
    for typed, weight, place in entries:
        value, fault = read(typed)
        faults = [fault] if fault is not None else []
        if fault is None and value in [known for known, _ in taken]:
            faults.append((f"{shown(typed)} a second time", "each value once", None))
        faults += _weight_faults(weight)
        problems += [document.problem(place, *fault) for fault in faults]
        if not faults:
            taken.append((value, float(weight)))
    total = sum(weight for _, weight in taken)
    if not problems and not total > 0:
        problems.append(document.problem(path, "weights that are all 0", "at least one weight above 0"))
    return tuple((value, weight / (total or 1)) for value, weight in taken), problems


def _weight_faults(weight: Any) -> list[Fault]:
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= _HEAVIEST:
        return [(f"the weight {shown(weight)}", f"a weight from 0 to {_HEAVIEST}", None)]
    return []


_HEAVIEST = 10**9
