"""Changing fields of a sheet's mapping by dotted paths."""

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

from simlab.model.errors import Problem, nearest, shown


def changed_mapping(
    mapping: dict[str, Any], changes: Mapping[str, object], problems: list[Problem]
) -> dict[str, Any]:
    """Set the values at dotted paths and return the mapping; paths that lead nowhere go to `problems`.

    The last key of a path may be new, so that optional keys can be set; whether it is legal is the reader's
    business.
    """
    for path, value in changes.items():
        problem = _put(mapping, path, path.split("."), plain(value))
        if problem is not None:
            problems.append(problem)
    return mapping


def value_at(mapping: Mapping[str, Any], path: str) -> Any:
    """Return what stands at a dotted path, None where it leads nowhere."""
    return _get(mapping, path.split("."))


def _get(here: Any, parts: Sequence[str]) -> Any:
    if not parts:
        return here
    if isinstance(here, list):
        place = _place(parts[0])
        return _get(here[place], parts[1:]) if place is not None and place < len(here) else None
    if isinstance(here, dict):
        for used in range(1, len(parts) + 1):
            key = ".".join(parts[:used])
            if key in here:
                return _get(here[key], parts[used:])
    return None


def plain(value: object) -> Any:
    """Tuples as lists, mappings as dicts, any integer type as int: Python values as YAML would give them."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, Integral):
        return value
    return int(value)


def _put(here: Any, path: str, parts: Sequence[str], value: object) -> Problem | None:
    if isinstance(here, list):
        return _put_in_list(here, path, parts, value)
    if not isinstance(here, dict):
        above = path.removesuffix(f".{'.'.join(parts)}")
        return Problem(
            "", None, path, f"a key below {above}, which is {shown(here)}", "a field of the sheet", above
        )
    for used in range(1, len(parts)):
        key = ".".join(parts[:used])
        if key in here:
            return _put(here[key], path, parts[used:], value)
    last = ".".join(parts)
    if len(parts) == 1 or last in here:
        here[last] = value
        return None
    return Problem(
        "", None, path, f"the unknown key {shown(parts[0])}", ", ".join(here), nearest(parts[0], here)
    )


def _put_in_list(here: list[Any], path: str, parts: Sequence[str], value: object) -> Problem | None:
    place = _place(parts[0])
    if place is None or place >= len(here):
        return Problem("", None, path, f"the position {shown(parts[0])}", f"0 to {len(here) - 1}")
    if len(parts) > 1:
        return _put(here[place], path, parts[1:], value)
    here[place] = value
    return None


def _place(text: str) -> int | None:
    """The position in a list that is written, from 0; None for what is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None
