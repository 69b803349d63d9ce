"""What solving a duel will take, told from two coarse solutions and never from a clock."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from simlab.exact.solution import Solution, TooLongError
from simlab.exact.solve import solve_duel
from simlab.rules.contract import Fight

COARSE, LESS_COARSE = 1e-2, 1e-3
"""Bounds of the two solutions from which work at the bound that is asked for is told."""
STEEPER = 1.3
"""Work grows a little faster from bound to bound than between the coarse ones (measured, see docs/performance.md)."""
NANOSECONDS = 1e9
UNASKED, PART = 0.5, 0.1
"""Seconds of work, or part of the work allowed if that is less, that is begun without a forecast: it takes as long."""


@dataclass(frozen=True)
class Forecast:
    """seconds: on a machine for which the constants hold. memory: bytes. at_least: there may be much more of both."""

    seconds: float
    memory: float
    at_least: bool = False


def forecast_duel(
    fight: Fight, bound: float, seconds: float, silent: tuple[bool, bool] = (False, False)
) -> Forecast:
    """Return what `solve_duel` will take for a bound; nobody wants to know more exactly beyond `seconds`.

    The forecast is right within a factor of three or so. It counts the work of two coarse solutions, which are stopped
    at a tenth of `seconds`.
    """
    limit = seconds * NANOSECONDS / 10
    try:
        first = solve_duel(fight, bound=max(bound, COARSE), work_limit=limit, silent=silent)
        if bound >= COARSE:
            return Forecast(first.work / NANOSECONDS, first.memory)
        second = solve_duel(fight, bound=max(bound, LESS_COARSE), work_limit=limit, silent=silent)
    except TooLongError:
        return Forecast(seconds, 0.0, at_least=True)
    if bound >= LESS_COARSE:
        return Forecast(second.work / NANOSECONDS, second.memory)
    decades = math.log10(LESS_COARSE / bound)
    growth = max(second.work / first.work, 1.0) ** (STEEPER * decades)
    return Forecast(second.work * growth / NANOSECONDS, second.memory * growth)


class HopelessError(TooLongError):
    """A duel is forecast to take too long or too much memory."""

    def __init__(self, forecast: Forecast) -> None:
        super().__init__(forecast)
        self.forecast = forecast


def solve_within(
    fight: Fight,
    bound: float,
    *,
    seconds: float,
    work: float,
    memory: float,
    progress: Callable[[int, int], None] | None = None,
    silent: tuple[bool, bool] = (False, False),
) -> tuple[Solution, float]:
    """Return the exact duel, in which silent units never fire, and the seconds that solving it took.

    Raises HopelessError if it is forecast to take more than `seconds` or `memory` bytes, TooLongError if it turns out
    to take more than `work` seconds by the solver's constants, or more memory.
    """
    try:
        return _timed(fight, bound, min(UNASKED, PART * work), memory, progress, silent)
    except TooLongError:
        forecast = forecast_duel(fight, bound, seconds, silent)
    if forecast.at_least or forecast.seconds > seconds or forecast.memory > memory:
        raise HopelessError(forecast)
    return _timed(fight, bound, work, memory, progress, silent)


def _timed(
    fight: Fight,
    bound: float,
    work: float,
    memory: float,
    progress: Callable[[int, int], None] | None,
    silent: tuple[bool, bool],
) -> tuple[Solution, float]:
    started = time.perf_counter()
    limits = {"work_limit": work * NANOSECONDS, "memory_limit": memory}
    found = solve_duel(fight, bound=bound, progress=progress, silent=silent, **limits)
    return found, time.perf_counter() - started
