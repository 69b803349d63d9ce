"""The units of a side as types: units with the same sheet are compiled once."""

from collections.abc import Callable, Sequence
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


def number_types(sheets: Sequence[S], types: list[T], make: Callable[[S], T]) -> tuple[int, ...]:
    """Return the type number of each unit of a side, its place among `types`, where `make` adds new ones.

    Sheets are known by their identity.
    """
    known: dict[int, int] = {}
    numbers = []
    for sheet in sheets:
        if id(sheet) not in known:
            known[id(sheet)] = len(types)
            types.append(make(sheet))
        numbers.append(known[id(sheet)])
    return tuple(numbers)
