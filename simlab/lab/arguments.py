"""Arguments of lab's verbs: checked once, all at a time, with what is allowed."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from simlab.analysis.intervals import MAX_FIGHTS, fights_for_precision
from simlab.model.errors import InputError, Problem, nearest
from simlab.model.situation import Aspect, Range, Situation
from simlab.model.typed_situation import (
    LEGAL_FIRST_FIRE,
    LEGAL_RANGE,
    Unfit,
    read_aspect,
    read_first_fire,
    read_range,
)
from simlab.rules.contract import System

MAX_TURNS, MAX_SEED, MAX_UNITS = 1000, 2**63 - 1, 1000
DEFAULT_PRECISION = "0.001"
DEFAULT_BOUND, LEAST_BOUND = 1e-9, 1e-11
TIME_LIMIT = 60.0


@dataclass
class Arguments:
    """Collects what is wrong, so that all of it is said at once."""

    problems: list[Problem] = field(default_factory=list)

    def refuse(self, name: str, found: object, allowed: str, hint: str | None = None) -> None:
        """Note one problem."""
        self.problems.extend(InputError.one(name, _typed(found), allowed, hint).problems)

    def check(self) -> None:
        """Raise InputError with all problems noted, if there are any."""
        if self.problems:
            raise InputError(tuple(self.problems))

    def whole(self, name: str, value: Any, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.refuse(name, value, f"a whole number from {low} to {limit_text(high)}")
            return low
        return value

    def distance(self, value: Any) -> Range:
        """Return a range, or ranges by turn: finite, 0 to 999."""
        found = read_range(value)
        if isinstance(found, Unfit):
            self.refuse("range", found.found(_typed), LEGAL_RANGE)
            return 0.0
        return found

    def aspect(self, name: str, value: Any, allowed: Sequence[str]) -> Aspect:
        """Return an aspect, or aspects by turn."""
        found = read_aspect(value, allowed)
        if isinstance(found, Unfit):
            self.refuse(
                name, found.found(_typed), f"{', '.join(allowed)}, or a list of them by turn", found.hint
            )
            return allowed[0]
        return found

    def first_fire(self, value: Any) -> str | None:
        """Return who fires alone for how many turns."""
        found = read_first_fire(value)
        if isinstance(found, Unfit):
            self.refuse("first_fire", found.found(_typed), LEGAL_FIRST_FIRE)
            return None
        return found

    def choice(self, name: str, value: Any, allowed: Iterable[str], planned: Iterable[str] = ()) -> str:
        """Return one of some words; `planned` ones are known, but not built yet."""
        words = tuple(allowed)
        if value in planned:
            self.refuse(name, _typed(value), f"{', '.join(words)} ({value} is known, not built yet)")
            return words[0]
        if value not in words:
            self.refuse(name, _typed(value), ", ".join(words), nearest(value, words))
            return words[0]
        return str(value)

    def situation(
        self, system: System, distance: Any, aspect_a: Any, aspect_b: Any, first_fire: Any = None
    ) -> Situation:
        """Return the situation of a fight; each argument for all turns, or by turn."""
        return Situation(
            self.distance(distance),
            self.aspect("aspect_a", aspect_a, system.aspects),
            self.aspect("aspect_b", aspect_b, system.aspects),
            self.first_fire(first_fire),
        )


def limit_text(limit: int) -> str:
    """Return a limit as it is written everywhere."""
    return {10**12: "10^12", 10**12 - 1: "10^12-1", 2**63 - 1: "2^63-1"}.get(limit, str(limit))


def _typed(value: object) -> str:
    return str(value) or '""'


@dataclass(frozen=True)
class Method:
    """How a fight is to be answered. exact: solve, sample, or (None) what is cheaper. n: fights, if sampled."""

    exact: bool | None
    n: int
    bound: float
    time_limit: float


def check_method(
    given: Arguments,
    n: int | None,
    precision: Any,
    exact: bool,
    bound: Any = None,
    seed: int | None = None,
    time_limit: Any = None,
) -> Method:
    """Return the method that is asked for, of exact, n and precision at most one; without any, what is cheaper.

    A seed alone asks for sampling.
    """
    asked = {"exact": exact, "n": n is not None, "precision": precision is not None}
    names = [name for name, on in asked.items() if on]
    if len(names) > 1:
        given.refuse("method", " and ".join(names), "one of exact, n, precision")
    if exact and seed is not None:
        given.refuse("seed", seed, "no seed with exact: nothing is drawn")
    for name, value in (("bound", bound), ("time_limit", time_limit)):
        if value is not None and not exact:
            given.refuse(name, value, f"no {name} without exact")
    fights = 1
    if n is not None:
        fights = given.whole("n", n, 1, MAX_FIGHTS)
    else:
        try:
            fights = fights_for_precision(DEFAULT_PRECISION if precision is None else str(precision))
        except InputError as error:
            given.problems.extend(error.problems)
    return Method(
        True if exact else False if names or seed is not None else None,
        fights,
        DEFAULT_BOUND if bound is None else between(given, "bound", bound, LEAST_BOUND, 0.5),
        TIME_LIMIT if time_limit is None else between(given, "time_limit", time_limit, 0.001, 86400.0),
    )


def between(given: Arguments, name: str, value: Any, low: float, high: float) -> float:
    """Return a number that has to lie between two others; else refuse it."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not low <= value <= high:
        given.refuse(name, value, f"a number from {low:g} to {high:g}")
        return high
    return float(value)


def refuse_exact(given: Arguments, exact: bool, bound: Any, time_limit: Any = None) -> None:
    """Refuse to solve what is no duel."""
    if exact:
        given.refuse("exact", "exact", "n or precision: only duels are solved")
    for name, value in (("bound", bound), ("time_limit", time_limit)):
        if value is not None and not exact:
            given.refuse(name, value, f"no {name} without exact")


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
            raise InputError.one(
                field, _typed(text.strip()), "COUNT UNIT[, COUNT UNIT]..., each count from 1"
            )
        groups.append((count, unit))
    total = sum(count for count, _ in groups)
    if total > MAX_UNITS:
        raise InputError.one(field, f"{total} units", f"1 to {MAX_UNITS} units")
    return groups


def as_mapping(name: str, value: Any) -> dict[str, Any]:
    """Return settings by name, none for None. Raises InputError for what is no mapping of names."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InputError.one(name, _typed(value), "a mapping of names to values")
    return dict(value)


def as_list(units: Sequence[Any], field: str = "side") -> list[Any]:
    """Return a side given as a sequence of sheets, refused when it is empty or too large."""
    if not 1 <= len(units) <= MAX_UNITS:
        raise InputError.one(field, f"{len(units)} units", f"1 to {MAX_UNITS} units")
    return list(units)
