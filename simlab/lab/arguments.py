"""Arguments of lab's verbs: checked once, all at a time, with what is allowed."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from simlab.analysis.intervals import MAX_FIGHTS, fights_for_precision
from simlab.lab.roster import TRUTH, typed
from simlab.lab.wording import as_option, problem_of
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

    def refuse(
        self, name: str, found: object, allowed: str, hint: str | None = None, option: str = ""
    ) -> None:
        """Note one problem. allowed, option: as `problem_of` takes them. found: a value, shown as in a YAML file."""
        self.problems.append(problem_of(name, typed(found), allowed, hint, option))

    def refuse_all(self, given: Mapping[str, Any], why: str) -> None:
        """Refuse those of some arguments that are given, that is, are not None; why: `without a run`."""
        for name, value in given.items():
            if value is not None:
                self.refuse(name, value, f"no {as_option(name)} {why}")

    def truth(self, name: str, value: Any) -> bool:
        """Return a truth value; nothing else stands for one."""
        if not isinstance(value, bool):
            self.refuse(name, value, TRUTH)
            return False
        return value

    def texts(self, name: str, value: Any, allowed: str) -> list[str]:
        """Return a text, or several of them, as a list; none for None."""
        found = [value] if isinstance(value, str) else () if value is None else value
        if not isinstance(found, Iterable) or isinstance(found, Mapping | bytes):
            self.refuse(name, value, allowed)
            return []
        parts = list(found)
        for part in parts:
            if not isinstance(part, str):
                self.refuse(name, part, allowed)
        return [part for part in parts if isinstance(part, str)]

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
            self.problems.append(problem_of("range", found.found(typed), LEGAL_RANGE))
            return 0.0
        return found

    def aspect(self, name: str, value: Any, allowed: Sequence[str]) -> Aspect:
        """Return an aspect, or aspects by turn."""
        found = read_aspect(value, allowed)
        if isinstance(found, Unfit):
            words = f"{', '.join(allowed)}, or a list of them by turn"
            self.problems.append(problem_of(name, found.found(typed), words, found.hint))
            return allowed[0]
        return found

    def first_fire(self, value: Any) -> str | None:
        """Return who fires alone for how many turns."""
        found = read_first_fire(value)
        if isinstance(found, Unfit):
            self.problems.append(problem_of("first_fire", found.found(typed), LEGAL_FIRST_FIRE))
            return None
        return found

    def choice(self, name: str, value: Any, allowed: Iterable[str], planned: Iterable[str] = ()) -> str:
        """Return one of some words; `planned` ones are known, but not built yet."""
        words = tuple(allowed)
        if value in planned:
            self.refuse(name, value, f"{', '.join(words)} ({value} is known, not built yet)")
            return words[0]
        if value not in words:
            self.refuse(name, value, ", ".join(words), nearest(value, words))
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
    exact: Any,
    bound: Any = None,
    seed: int | None = None,
    time_limit: Any = None,
) -> Method:
    """Return the method that is asked for, of exact, n and precision at most one; without any, what is cheaper.

    A seed alone asks for sampling.
    """
    exact = given.truth("exact", exact)
    names = check_one_method(given, {"exact": exact or None, "n": n, "precision": precision})
    if exact and seed is not None:
        given.refuse("seed", seed, "no --seed with --exact: nothing is drawn")
    if not exact:
        given.refuse_all({"bound": bound, "time_limit": time_limit}, "without --exact")
    if n is not None:
        fights = given.whole("n", n, 1, MAX_FIGHTS)
    else:
        fights = check_precision(given, DEFAULT_PRECISION if precision is None else precision)
    return Method(
        True if exact else False if names or seed is not None else None,
        fights,
        DEFAULT_BOUND if bound is None else between(given, "bound", bound, LEAST_BOUND, 0.5),
        TIME_LIMIT if time_limit is None else between(given, "time_limit", time_limit, 0.001, 86400.0),
    )


def check_one_method(given: Arguments, methods: Mapping[str, Any]) -> list[str]:
    """Return which ways to answer are given, that is, are not None; more than one is refused."""
    names = [name for name, value in methods.items() if value is not None]
    if len(names) > 1:
        allowed = f"one of {', '.join(map(as_option, methods))}"
        given.problems.append(
            problem_of("method", " and ".join(names), allowed, option=" and ".join(map(as_option, names)))
        )
    return names


def check_precision(given: Arguments, precision: Any, least: int = 1) -> int:
    """Return how many fights give shares a half-width of `precision`; `least` at least, else it is refused."""
    try:
        fights = fights_for_precision(str(precision))
    except InputError as error:
        allowed = error.problems[0].allowed.replace(str(MAX_FIGHTS), limit_text(MAX_FIGHTS))
        given.refuse("precision", precision, allowed)
        return least
    if fights < least:
        given.refuse("precision", precision, f"a half-width that takes {least} fights at least")
        return least
    return fights


def between(given: Arguments, name: str, value: Any, low: float, high: float) -> float:
    """Return a number that has to lie between two others; else refuse it."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not low <= value <= high:
        given.refuse(name, value, f"a number from {low:g} to {high:g}")
        return high
    return float(value)


def refuse_exact(given: Arguments, exact: Any, bound: Any, time_limit: Any = None) -> None:
    """Refuse to solve what is no duel."""
    if given.truth("exact", exact):
        given.refuse("exact", True, "--n or --precision: only duels are solved", option="--exact")
    given.refuse_all({"bound": bound, "time_limit": time_limit}, "here: only duels are solved")


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
            raise InputError.one(field, typed(text.strip()), "COUNT UNIT[, COUNT UNIT]..., each count from 1")
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
        raise InputError.one(name, typed(value), "a mapping of names to values")
    return dict(value)


def as_list(units: Sequence[Any], field: str = "side") -> list[Any]:
    """Return a side given as a sequence of sheets, refused when it is empty or too large."""
    if not 1 <= len(units) <= MAX_UNITS:
        raise InputError.one(field, f"{len(units)} units", f"1 to {MAX_UNITS} units")
    return list(units)
