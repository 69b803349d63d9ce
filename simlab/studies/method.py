"""Whether a duel is solved or sampled: what is forecast cheaper, told by constants and never by a clock."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from simlab.rules.contract import Fight, Sheet, System

EXCHANGE_WORK = 30.0
"""Nanoseconds of a sampled exchange."""
MEAN_TURNS = 4
"""Turns that a sampled duel is taken to last, if its limit is not lower."""
LEAST_WORK = 5e7
"""Nanoseconds of sampling below which nothing is solved: a forecast alone may take as long."""


@dataclass(frozen=True)
class Choice:
    """Which method answers, and why in words."""

    exact: bool
    why: str


def sampling_seconds(system: System, sheets: Sequence[Sheet], turns: int, n: int) -> float:
    """Return the forecast time of n sampled duels between two sheets."""
    gunners = sum(system.gunner_count(sheet) for sheet in sheets)
    return n * gunners * min(turns, MEAN_TURNS) * EXCHANGE_WORK / 1e9


def is_cheap(seconds: float) -> bool:
    """Tell whether sampling takes so few seconds that no forecast is worth its time."""
    return seconds * 1e9 < LEAST_WORK


def choose_method(fight: Fight, n: int, bound: float, warn: Callable[[], None] | None = None) -> Choice:
    """Return whether to solve a duel or to sample it n times; `warn` is called before the solver is first used."""
    from simlab.exact.forecast import forecast_duel

    sampled = sampling_seconds(fight.system, fight.sheets_a + fight.sheets_b, fight.turns, n)
    if is_cheap(sampled):
        return Choice(False, f"sampled: forecast {sampled:.2g} s, less than it is worth to ask for more")
    if warn is not None:
        warn()
    forecast = forecast_duel(fight, bound, sampled)
    if forecast.seconds < sampled and not forecast.at_least:
        return Choice(
            True, f"solved: forecast {forecast.seconds:.2g} s, sampling {n:,} fights {sampled:.2g} s"
        )
    more = "over " if forecast.at_least else ""
    return Choice(False, f"sampled: forecast {sampled:.2g} s, solving {more}{forecast.seconds:.2g} s")
