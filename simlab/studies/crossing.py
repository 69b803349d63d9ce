"""The axes of a study's situations: values with weights, in the two forms that the file allows."""

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias

from simlab.model.document import Document
from simlab.model.errors import Problem, nearest, shown

NOT_BUILT = "known, not built yet"
LONGEST_RANGE = 999

Axis: TypeAlias = tuple[tuple[float | str, float], ...]
Fault: TypeAlias = tuple[str, str, str | None]
"""Found, allowed, likely spelling."""


def read_ranges(document: Document, path: Sequence[Hashable]) -> tuple[Axis, list[Problem]]:
    """Return the ranges at a path with their weights (which add up to 1), and all faults."""
    return _read_axis(document, path, _range_fault)


def read_aspects(
    document: Document, path: Sequence[Hashable], aspects: Sequence[str]
) -> tuple[Axis, list[Problem]]:
    """Return the aspects at a path as `read_ranges` does; `aspects` are the system's."""
    return _read_axis(document, path, lambda value: _aspect_fault(value, aspects))


def _range_fault(value: Any) -> Fault | None:
    allowed = f"a number from 0 to {LONGEST_RANGE}"
    if isinstance(value, str):
        by_turn = bool(value.strip()) and all(_is_number(part) for part in value.split(","))
        return shown(value), f"{allowed} (a range by turn: {NOT_BUILT})" if by_turn else allowed, None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LONGEST_RANGE:
        return shown(value), allowed, None
    return None


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _aspect_fault(value: Any, aspects: Sequence[str]) -> Fault | None:
    allowed = ", ".join(aspects)
    if isinstance(value, str) and value in aspects:
        return None
    if isinstance(value, str) and "," in value and all(part.strip() in aspects for part in value.split(",")):
        return shown(value), f"{allowed} (an aspect by turn: {NOT_BUILT})", None
    return shown(value), allowed, nearest(value, aspects)


def _read_axis(
    document: Document, path: Sequence[Hashable], fault_of: Callable[[Any], Fault | None]
) -> tuple[Axis, list[Problem]]:
    axis: Any = document.value
    for part in path:
        axis = axis[part]
    if isinstance(axis, dict):
        entries = [(value, weight, [*path, value]) for value, weight in axis.items()]
    elif isinstance(axis, list):
        entries = [(value, 1, [*path, place]) for place, value in enumerate(axis)]
    else:
        return (), [document.problem(path, shown(axis), "a list, or a mapping of values to weights")]
    if not entries:
        return (), [document.problem(path, "no value at all", "at least one value")]
    problems: list[Problem] = []
    taken: list[tuple[float | str, float]] = []
    for value, weight, place in entries:
        faults = _entry_faults(value, weight, [known for known, _ in taken], fault_of)
        problems += [document.problem(place, *fault) for fault in faults]
        if not faults:
            taken.append((value, float(weight)))
    total = sum(weight for _, weight in taken)
    if not problems and not total > 0:
        problems.append(document.problem(path, "weights that are all 0", "at least one weight above 0"))
    return tuple((value, weight / (total or 1)) for value, weight in taken), problems


def _entry_faults(
    value: Any, weight: Any, before: Sequence[Any], fault_of: Callable[[Any], Fault | None]
) -> list[Fault]:
    fault = fault_of(value)
    faults = [fault] if fault is not None else []
    if fault is None and value in before:
        faults.append((f"{shown(value)} a second time", "each value once", None))
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= _HEAVIEST:
        faults.append((f"the weight {shown(weight)}", f"a weight from 0 to {_HEAVIEST}", None))
    return faults


_HEAVIEST = 10**9
