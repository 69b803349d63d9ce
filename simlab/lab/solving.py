"""Many duels solved at once, in processes of their own."""

import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from simlab.analysis.referee import Truth
from simlab.lab.fights import split_options
from simlab.model.situation import Situation
from simlab.rules.contract import Fight, System
from simlab.rules.registry import get_system

UNSURE = 3.0
"""A forecast may be wrong by this factor: what is forecast to take that much longer is not tried."""
MOST_MEMORY = 1e9
"""Bytes of tables and factors."""


@dataclass(frozen=True)
class Task:
    """A duel to be solved: of which cell, between whom, where, under which options that differ from the default.

    seconds: work allowed. plain: a duel of twins is solved like any other, so that its symmetry is found and not
    assumed.
    """

    name: str
    system: str
    a: Any
    b: Any
    situation: Situation
    non_default: Mapping[str, Any]
    turns: int
    bound: float
    seconds: float
    plain: bool = False


@dataclass(frozen=True, eq=False)
class Solved:
    """What became of a task: its truth, None if it took more work than allowed; work in nanoseconds, if it is known."""

    name: str
    truth: Truth | None
    work: float | None


def compile_duel(
    system: System, a: Any, b: Any, situation: Situation, non_default: Mapping[str, Any], turns: int
) -> Fight:
    """Return the compiled duel under options as `non_default` names them in the record of a run."""
    settings, constants = split_options(non_default)
    options = system.options(settings, constants)
    return system.compile_fight([a], [b], situation, options, turns)


def solve(task: Task) -> Solved:
    """Return the exact chances of a task."""
    import numpy as np

    from simlab.exact.forecast import solve_within
    from simlab.exact.solution import TooLongError

    system = get_system(task.system)
    fight = compile_duel(system, task.a, task.b, task.situation, task.non_default, task.turns)
    if task.plain:
        fight = replace(fight, twins=False)
    try:
        found, _ = solve_within(
            fight, task.bound, seconds=UNSURE * task.seconds, work=task.seconds, memory=MOST_MEMORY
        )
    except TooLongError:
        return Solved(task.name, None, None)
    fell = np.array([found.fell(0), found.fell(1)])
    truth = Truth(found.outcomes, found.figures[:, 1:], fell, found.error_bound)
    return Solved(task.name, truth, found.work)


def solve_all(tasks: Sequence[Task], workers: int, report: Callable[[Solved], None]) -> dict[str, Solved]:
    """Solve tasks in so many processes, with one in this one; `report` is called as they are finished.

    A KeyboardInterrupt ends the processes at once.
    """
    found: dict[str, Solved] = {}
    for solved in _each(tasks, min(workers, len(tasks))):
        found[solved.name] = solved
        report(solved)
    return found


def _each(tasks: Sequence[Task], workers: int) -> Iterator[Solved]:
    if workers <= 1:
        yield from map(solve, tasks)
        return
    # A fork would copy a process that has threads.
    context = multiprocessing.get_context("spawn")
    with _without_main():
        started = context.Pool(workers, _leave_interrupts)
    with started as pool:
        yield from pool.imap_unordered(solve, tasks)


@contextmanager
def _without_main() -> Iterator[None]:
    """Keep new processes from running the user's script again, as they do where it is no module with a guard."""
    main = vars(sys.modules["__main__"])
    hidden: dict[str, Any] = {name: main.pop(name) for name in ("__file__", "__spec__") if name in main}
    main["__spec__"] = None
    try:
        yield
    finally:
        main.update(hidden)


def _leave_interrupts() -> None:
    """An interrupt is for the first process, which ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
