"""How far a run is and how long it will take, told by the work of this call and not by what the journal held."""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeAlias

from simlab.model.errors import escaped
from simlab.model.situation import by_turn_text
from simlab.studies.rows import DuelRow

Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with the parts finished, the parts in all, and what was finished and how long the rest may take; with 0 parts
in all it is a note."""
SEARCH = 10
"""Duels that a search for a fair number for 1 is worth, until one has been timed."""
EVIDENCE = 0.5
"""Seconds of work below which nothing is foretold."""


class Outlook:
    """Reports the parts of a run. A part is of kind 0, a duel, or N, the fair number for N.

    to_do: the kind of each part that is not in the journal.
    """

    def __init__(self, total: int, to_do: Iterable[int], threads: int, progress: Progress) -> None:
        self._total = total
        self._left = Counter(to_do)
        self._threads = threads
        self._progress = progress
        self._worked: Counter[int] = Counter()
        self._pending: dict[int, float] = {}
        self._seconds: dict[int, float] = {}
        found = total - self._left.total()
        if found:
            progress(found, total, "found in the journal")

    def worked(self, number: int, seconds: float) -> None:
        """Note that a thread has worked for a job."""
        self._pending[number] = self._pending.get(number, 0.0) + seconds

    def teller(self, number: int) -> Callable[[DuelRow, int], None]:
        """Return what is to be called with the row and kind of each part of a job when it is finished."""
        return lambda row, kind: self._finished(number, row, kind)

    def seconds_left(self) -> float | None:
        """Return how long the rest will take, None while nothing tells."""
        spent = sum(self._seconds.values())
        if spent < EVIDENCE:
            return None
        efforts = sum(_effort(kind) * count for kind, count in self._worked.items())
        work = sum(
            count * (self._seconds[kind] / self._worked[kind])
            if kind in self._seconds
            else count * _effort(kind) * spent / efforts
            for kind, count in self._left.items()
        )
        return work / self._threads

    def _finished(self, number: int, row: DuelRow, kind: int) -> None:
        seconds = self._pending.pop(number, 0.0)
        if seconds > 0:
            self._worked[kind] += 1
            self._seconds[kind] = self._seconds.get(kind, 0.0) + seconds
        self._left[kind] -= 1
        left = self.seconds_left()
        text = [] if left is None else [f"{duration_text(left)} left"]
        text += [row_text(row), f"fair number for {kind}" if kind else "duel", place_text(row)]
        self._progress(self._total - self._left.total(), self._total, escaped(", ".join(text)))


def _effort(kind: int) -> int:
    return SEARCH * kind if kind else 1


def row_text(row: DuelRow) -> str:
    """Return who meets whom."""
    return f"{row.a.id} v {row.b.id}"


def place_text(row: DuelRow) -> str:
    """Return in which situation."""
    where = row.situation
    shown = f"{by_turn_text(where.aspect_a)} v {by_turn_text(where.aspect_b)}"
    text = f"range {by_turn_text(where.range)}, {shown}"
    return text + (f", first fire {where.first_fire}" if where.first_fire else "")


def duration_text(seconds: float) -> str:
    """Return a duration in its two largest units: `1 min 5 s`, `2 h 0 min`; parts of a second count as one."""
    whole = math.ceil(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"
