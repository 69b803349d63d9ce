"""Arguments of lab's verbs: checked once, all at a time, with what is allowed."""

import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from simlab.analysis.intervals import MAX_FIGHTS, fights_for_precision
from simlab.model.errors import InputError, Problem, nearest
from simlab.model.situation import Situation
from simlab.rules.contract import System

MAX_RANGE, MAX_TURNS, MAX_SEED, MAX_UNITS = 999, 1000, 2**63 - 1, 1000
DEFAULT_PRECISION = "0.001"


@dataclass
class Arguments:
    """Collects what is wrong, so that all of it is said at once."""

    problems: list[Problem] = field(default_factory=list)

    def refuse(self, name: str, found: object, allowed: str, hint: str | None = None) -> None:
        """Note one problem."""
        self.problems.extend(InputError.one(name, str(found), allowed, hint).problems)

    def check(self) -> None:
        """Raise InputError with all problems noted, if there are any."""
        if self.problems:
            raise InputError(tuple(self.problems))

    def whole(self, name: str, value: Any, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.refuse(name, value, f"a whole number from {low} to {high}")
            return low
        return value

    def distance(self, value: Any) -> float:
        """Return a range: finite, 0 to 999."""
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value) or not 0 <= value <= MAX_RANGE:
            self.refuse("range", value, f"a finite number from 0 to {MAX_RANGE}")
            return 0.0
        return float(value)

    def choice(self, name: str, value: Any, allowed: Iterable[str], planned: Iterable[str] = ()) -> str:
        """Return one of some words; `planned` ones are known, but not built yet."""
        words = tuple(allowed)
        if value in planned:
            self.refuse(name, repr(value), f"{', '.join(words)} ({value} is known, not built yet)")
            return words[0]
        if value not in words:
            self.refuse(name, repr(value), ", ".join(words), nearest(value, words))
            return words[0]
        return str(value)

    def situation(self, system: System, distance: Any, aspect_a: str, aspect_b: str) -> Situation:
        """Return the situation of a fight at a fixed range."""
        return Situation(
            self.distance(distance),
            self.choice("aspect_a", aspect_a, system.aspects),
            self.choice("aspect_b", aspect_b, system.aspects),
        )


def count_fights(given: Arguments, n: int | None, precision: Any, exact: bool, bound: float | None) -> int:
    """Return the number of fights to sample: of the three methods at most one may be asked for.

    Exact solving is not built yet, so `exact` and `bound` are refused.
    """
    asked = [
        name
        for name, on in (("exact", exact), ("n", n is not None), ("precision", precision is not None))
        if on
    ]
    if len(asked) > 1:
        given.refuse("method", " and ".join(asked), "one of exact, n, precision")
    elif exact:
        given.refuse("exact", "exact", "n or precision: exact solving is known, not built yet")
    elif bound is not None:
        given.refuse("bound", bound, "no bound without exact")
    if n is not None:
        return given.whole("n", n, 1, MAX_FIGHTS)
    try:
        return fights_for_precision(DEFAULT_PRECISION if precision is None else str(precision))
    except InputError as error:
        given.problems.extend(error.problems)
        return 1


def check_workers(given: Arguments, workers: int | None) -> int:
    """Return the number of threads: all cores without a wish."""
    return given.whole("workers", workers, 1, 4096) if workers is not None else os.cpu_count() or 1


def split_side(text: str, field: str = "side", *, bare: bool = False) -> list[tuple[int, str]]:
    """Return counts and units of a side written `COUNT UNIT[, COUNT UNIT]...`.

    `bare`: a unit alone is one unit.

    Raises InputError for an empty side, a count that is no whole number from 1, or more than 1000 units.
    """
    groups = []
    for part in text.split(","):
        counted = re.fullmatch(r"\s*(\d{1,9})\s+(\S.*)", part, re.ASCII | re.DOTALL)
        count, unit = (int(counted[1]), counted[2].strip()) if counted else (1, part.strip())
        missing = counted is None and not (bare and "," not in text)
        if missing or count < 1 or not unit or re.fullmatch(r"[-+\d.\s]+(\s.*)?", unit, re.ASCII | re.DOTALL):
            raise InputError.one(field, repr(text), "COUNT UNIT[, COUNT UNIT]..., each count from 1")
        groups.append((count, unit))
    total = sum(count for count, _ in groups)
    if total > MAX_UNITS:
        raise InputError.one(field, f"{total} units", f"1 to {MAX_UNITS} units")
    return groups


def as_list(units: Sequence[Any], field: str = "side") -> list[Any]:
    """Return a side given as a sequence of sheets, refused when it is empty or too large."""
    if not 1 <= len(units) <= MAX_UNITS:
        raise InputError.one(field, f"{len(units)} units", f"1 to {MAX_UNITS} units")
    return list(units)
