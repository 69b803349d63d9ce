"""Exact duels: whether to solve one, and what a solution tells."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab.model.errors import InputError
from simlab.model.outcome import OUTCOMES

if TYPE_CHECKING:
    from simlab.exact.solution import Solution
    from simlab.rules.contract import Fight

MEMORY_LIMIT = 1e9
DECIMALS = 12
UNASKED = 0.5
"""Seconds of work that are begun without a forecast, which would take as long itself."""


def warn(fight: "Fight", progress: Callable[..., None] | None) -> None:
    """Tell that the solver has to be compiled, if it has."""
    from simlab.exact.solve import is_compiled

    if progress is not None and not is_compiled(fight):
        progress(0, 0, "compiling the solver, once; about 30 s")


def solve(
    fight: "Fight", bound: float, time_limit: float, progress: Callable[..., None] | None = None
) -> tuple["Solution", float]:
    """Return the solution of a duel and the seconds it took.

    Raises InputError if time or memory are forecast above the limits, or turn out so.
    """
    from simlab.exact.forecast import forecast_duel
    from simlab.exact.solution import TooLongError
    from simlab.exact.solve import solve_duel

    def solved(turn: int, turns: int) -> None:
        if progress is not None:
            progress(turn, turns, "turns solved")

    warn(fight, progress)
    solved(0, fight.turns)
    started = time.perf_counter()
    try:
        work = min(UNASKED, time_limit) * 1e9
        solution = solve_duel(fight, bound=bound, work_limit=work, memory_limit=MEMORY_LIMIT, progress=solved)
        return solution, time.perf_counter() - started
    except TooLongError:
        pass
    forecast = forecast_duel(fight, bound, time_limit)
    if forecast.at_least or forecast.seconds > time_limit or forecast.memory > MEMORY_LIMIT:
        raise _too_long(bound, time_limit, forecast.seconds, forecast.memory, forecast.at_least)

    started = time.perf_counter()
    try:
        # Forecasts may be wrong by a factor of a few; what was promised in time is not broken off for that.
        solution = solve_duel(
            fight, bound=bound, work_limit=4e9 * time_limit, memory_limit=MEMORY_LIMIT, progress=solved
        )
    except TooLongError as error:
        raise _too_long(bound, time_limit, 4 * time_limit, 0.0, True) from error
    return solution, time.perf_counter() - started


def _too_long(bound: float, limit: float, seconds: float, memory: float, at_least: bool) -> InputError:
    more = "over " if at_least else ""
    found = f"exact at bound {bound:g}: forecast {more}{seconds:.2g} s"
    if memory:
        found += f" and {memory / 1e9:.2g} GB"
    allowed = f"{limit:g} s (--time-limit) and {MEMORY_LIMIT / 1e9:g} GB; a larger --bound, or --n instead"
    return InputError.one("exact", found, allowed)


def rounded(value: float) -> float:
    """Return a probability as it is shown and stored: 12 decimals."""
    return round(float(value), DECIMALS)


def outcomes_of(solution: "Solution") -> dict[str, float]:
    """Return the four outcomes by name."""
    return {name: rounded(value) for name, value in zip(OUTCOMES, solution.outcomes, strict=True)}


def by_turn_of(solution: "Solution") -> dict[str, list[float]]:
    """Return the outcomes if the fight had ended after turn 0, 1, 2, ..."""
    columns = zip(OUTCOMES, solution.by_turn.T, strict=True)
    return {name: [rounded(value) for value in column] for name, column in columns}


def side_figures(solution: "Solution", fight: "Fight", unit: int) -> dict[str, Any]:
    """Return what happened to a unit: its kill kinds, and when it was destroyed."""
    sheet = (fight.sheets_a + fight.sheets_b)[unit]
    names = ("destroyed", *fight.system.kinds)
    figures: dict[str, Any] = {
        name: rounded(value) for name, value in zip(names, solution.figures[unit], strict=True)
    }
    fell = solution.fell(unit)
    turns = float(fell @ np.arange(len(fell)))
    ecv = sheet.ecv.value
    return {
        **figures,
        "mean_turn_destroyed": rounded(turns / fell.sum()) if fell.sum() > 0 else None,
        "ecv_lost": None if ecv is None else rounded(ecv * figures["destroyed"]),
        "cannot_fire": not (fight.can_fire_b if unit else fight.can_fire_a),
        "destroyed_in_turn": [rounded(value) for value in fell],
        "survival": [rounded(value) for value in solution.stands_after(unit)],
    }
