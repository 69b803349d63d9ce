"""Exact duels: whether to solve one, and what a solution tells."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from simlab.model.errors import InputError
from simlab.model.outcome import OUTCOMES

if TYPE_CHECKING:
    from simlab.exact.solution import Solution
    from simlab.rules.contract import Fight

MEMORY_LIMIT = 1e9
DECIMALS = 12
EXCESS = 4.0
"""How far a duel may exceed the time limit that its forecast kept."""


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
    from simlab.exact.forecast import HopelessError, solve_within
    from simlab.exact.solution import TooLongError

    def solved(turn: int, turns: int) -> None:
        if progress is not None:
            progress(turn, turns, "turns solved")

    warn(fight, progress)
    solved(0, fight.turns)
    # Forecasts may be wrong by a factor of a few; what was promised in time is not broken off for that.
    work = EXCESS * time_limit
    try:
        return solve_within(fight, bound, seconds=time_limit, work=work, memory=MEMORY_LIMIT, progress=solved)
    except HopelessError as error:
        told = error.forecast
        raise _too_long(bound, time_limit, told.seconds, told.memory, told.at_least) from error
    except TooLongError as error:
        raise _too_long(bound, time_limit, work, 0.0, True) from error


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
    mean_turn = solution.mean_turn(unit)
    ecv = sheet.ecv.value
    return {
        **figures,
        "mean_turn_destroyed": None if mean_turn is None else rounded(mean_turn),
        "ecv_lost": None if ecv is None else rounded(ecv * figures["destroyed"]),
        "cannot_fire": not (fight.can_fire_b if unit else fight.can_fire_a),
        "destroyed_in_turn": [rounded(value) for value in solution.fell(unit)],
        "survival": [rounded(value) for value in solution.stands_after(unit)],
    }
