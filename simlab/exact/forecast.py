"""What solving a duel will take, told from two coarse solutions and never from a clock."""

import math
from dataclasses import dataclass

from simlab.exact.solution import TooLongError
from simlab.exact.solve import solve_duel
from simlab.rules.contract import Fight

COARSE, LESS_COARSE = 1e-2, 1e-3
"""Bounds of the two solutions from which work at the bound that is asked for is told."""
STEEPER = 1.3
"""Work grows a little faster from bound to bound than between the coarse ones (measured, see docs/performance.md)."""
NANOSECONDS = 1e9


@dataclass(frozen=True)
class Forecast:
    """seconds: on a machine for which the constants hold. memory: bytes. at_least: there may be much more of both."""

    seconds: float
    memory: float
    at_least: bool = False


def forecast_duel(fight: Fight, bound: float, seconds: float) -> Forecast:
    """Return what `solve_duel` will take for a bound; nobody wants to know more exactly beyond `seconds`.

    The forecast is right within a factor of three or so. It counts the work of two coarse solutions, which are stopped
    at a tenth of `seconds`.
    """
    limit = seconds * NANOSECONDS / 10
    try:
        first = solve_duel(fight, bound=max(bound, COARSE), work_limit=limit)
        if bound >= COARSE:
            return Forecast(first.work / NANOSECONDS, first.memory)
        second = solve_duel(fight, bound=max(bound, LESS_COARSE), work_limit=limit)
    except TooLongError:
        return Forecast(seconds, 0.0, at_least=True)
    if bound >= LESS_COARSE:
        return Forecast(second.work / NANOSECONDS, second.memory)
    decades = math.log10(LESS_COARSE / bound)
    growth = max(second.work / first.work, 1.0) ** (STEEPER * decades)
    return Forecast(second.work * growth / NANOSECONDS, second.memory * growth)
