"""Numbers of a sheet, and the stats that a points formula is made of, as somebody asks for them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from simlab.model.errors import InputError, nearest
from simlab.model.validation import StrictModel

S = TypeVar("S", bound=StrictModel)


def moved_stats(now: Mapping[str, float], asked: Mapping[str, float]) -> dict[str, int]:
    """Return the stats that are asked for and are not so now.

    Raises InputError for an unknown stat and for a number that is not whole.
    """
    for stat, value in asked.items():
        if stat not in now:
            raise InputError.one(stat, "an unknown stat", ", ".join(now), nearest(stat, now))
        if value != int(value):
            raise InputError.one(stat, f"{value:g}", "a whole number")
    return {stat: int(value) for stat, value in asked.items() if value != now[stat]}


def renamed(
    sheet: S, changes: Mapping[str, Any], name: str, replace: Callable[[S, Mapping[str, Any]], S]
) -> S:
    """Return a sheet under another id, after `replace` has made the changes, if there are any."""
    changed = replace(sheet, changes) if changes else sheet
    return changed.model_copy(update={"id": name})


def numbers_in(path: str, value: Any) -> Iterator[tuple[str, float]]:
    """Give the numbers in plain values, each with its path below a given one."""
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from numbers_in(f"{path}.{key}", item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value
