"""Fair numbers of all pairs for prices: which fights are fought, how the even number is searched, and their table.

A matchup is fought in whole numbers of units. For the dearer unit of a pair their number is fixed by the size of the
battle, and the number of the other is searched; where even one of the other is too many, the dearer ones become more.
The numbers that may be tried are the rungs of a ladder that rises in the ratio of the numbers, and two neighbouring
rungs with the even fight between them are what a search leaves.
"""

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pandas as pd

from simlab import jit
from simlab.engine.play import play_fights
from simlab.model.outcome import OUTCOMES
from simlab.rules.contract import Fight
from simlab.studies.contents import Content
from simlab.studies.journal import Journal
from simlab.studies.outlook import Progress, duration_text, place_text, row_text
from simlab.studies.paired import widen
from simlab.studies.pool import Begun, Job, Piece, Pool
from simlab.studies.rows import PLACE_TYPES, DuelRow, Table, place_of
from simlab.studies.study_file import Study
from simlab.studies.work import Matchup, Worker

WIDEST = 40
"""Units of one side for one of the other beyond which a pair is called unbounded."""
MOST_UNITS = 320
"""Units that the searched side has at most."""
PROBES = 64
"""Fights by which a rung is tried before it is fought in full."""
CLEAR = 0.25
"""Distance of a share from one half, four standard errors of a probe, at which the last rung needs no more fights."""
EVEN = 0.5
MOST_COMPILED = 128
"""Duels that are kept compiled."""


@dataclass(frozen=True)
class Setting:
    """A way to fight for prices: the ECV on the dearer side, the policy of both sides, and fights a rung."""

    size: float
    policy: str
    n: int


Rung = tuple[int, int]
"""Units of a and of b."""


def plan_price_rows(study: Study) -> list[DuelRow]:
    """Return every pair of different units in every situation, a pair's weights adding up to 1 over both orders.

    What is the mirror image of a row is that row: (b, a) where both show the same aspect is fought as (a, b).
    """
    place = {sheet.id: number for number, sheet in enumerate(study.sheets)}
    rows: dict[Any, DuelRow] = {}
    for a in study.sheets:
        for b in study.sheets:
            if a.id == b.id:
                continue
            for situation, weight in study.situations:
                if weight <= 0:
                    continue
                row = DuelRow(a, b, situation, weight / 2)
                turned = (b.id, a.id, situation.mirrored())
                if place[a.id] > place[b.id] and turned in rows:
                    rows[turned] = replace(rows[turned], weight=rows[turned].weight + row.weight)
                else:
                    rows[(a.id, b.id, situation)] = row
    return list(rows.values())


def list_rungs(fixed: int, *, of_a: bool) -> tuple[Rung, ...]:
    """Return the numbers of a and b that may be tried, by rising ratio b / a.

    fixed: units of the dearer side, a if `of_a`. Between rungs the searched number grows by about half its root, so
    that the share changes by about as much from rung to rung whatever the numbers.
    """
    ladder = [(fixed, number) for number in _numbers(1, min(WIDEST * fixed, MOST_UNITS))]
    ladder = [rung for rung in ladder if rung[0] <= WIDEST * rung[1]]
    more = [(number, 1) for number in _numbers(fixed, WIDEST) if number > fixed]
    rungs = [*reversed(more), *ladder]
    return tuple(rungs) if of_a else tuple((other, dearer) for dearer, other in reversed(rungs))


def _numbers(first: int, last: int) -> Iterator[int]:
    number = first
    while number <= last:
        yield number
        if number < last:
            number = min(last, number + max(1, round(math.sqrt(number) / 2)))
        else:
            return


def search_even(
    fight: Callable[[Rung, int], Sequence[int]], rungs: Sequence[Rung], start: float, n: int
) -> list[tuple[Rung, Sequence[int]]]:
    """Return the rungs next to the even fight with their outcome counts: two neighbours, or one end of the ladder.

    fight: counts of a rung over so many replicates. start: log of the ratio b / a to begin with. Of two rungs the
    first has a share of a of at least one half, the second of less.
    """
    heights = [math.log(b / a) for a, b in rungs]
    low, high = _probe(lambda place: _share(fight(rungs[place], min(PROBES, n))), heights, start)
    ends = (-1, len(rungs))
    counts: dict[int, Sequence[int]] = {}

    def full(place: int) -> float:
        if place not in counts:
            probed = fight(rungs[place], min(PROBES, n))
            alone = (place == 0 and low in ends) or (place == len(rungs) - 1 and high in ends)
            enough = alone and abs(_share(probed) - EVEN) > CLEAR
            counts[place] = probed if enough else fight(rungs[place], n)
        return _share(counts[place])

    while low >= 0 and full(low) < EVEN:
        low, high = low - 1, low
    while high < len(rungs) and full(high) >= EVEN:
        low, high = high, high + 1
    while low >= 0 and full(low) < EVEN:
        low, high = low - 1, low
    return [(rungs[place], counts[place]) for place in (low, high) if place not in ends]


def _probe(share: Callable[[int], float], heights: Sequence[float], start: float) -> tuple[int, int]:
    """Return two neighbouring places between which the share falls below one half, -1 or the length beyond the ends."""
    low, high = -1, len(heights)
    known: dict[int, float] = {}
    place = min(range(len(heights)), key=lambda number: (abs(heights[number] - start), number))
    while True:
        known[place] = share(place)
        if known[place] >= EVEN:
            low = place
        else:
            high = place
        if high - low == 1:
            return low, high
        place = _next_place(known, heights, low, high, place)


USUAL_SLOPE = 4.0
LONGEST = math.log(4.0)


def _next_place(known: Mapping[int, float], heights: Sequence[float], low: int, high: int, last: int) -> int:
    if low >= 0 and high < len(heights):
        if len(known) > 6:
            return (low + high) // 2
        rise, fall = _logit(known[low]), -_logit(known[high])
        part = rise / (rise + fall) if rise + fall > 0 else 0.5
        return min(max(low + round(part * (high - low)), low + 1), high - 1)
    reach = _logit(known[last]) / USUAL_SLOPE * (1 + len(known) // 2)
    wanted = heights[last] + min(max(reach, -LONGEST), LONGEST)
    return min(range(low + 1, high), key=lambda number: (abs(heights[number] - wanted), number))


def _logit(share: float) -> float:
    inside = min(max(share, 1 / PROBES / 4), 1 - 1 / PROBES / 4)
    return math.log(inside / (1 - inside))


def _share(counts: Sequence[int]) -> float:
    """Win share of a from the counts of the four outcomes."""
    wins, losses = counts[0], counts[1]
    return EVEN + (wins - losses) / (2 * sum(counts))


@dataclass(eq=False)
class EvenSearch:
    """The search of one fair number, by fights of a compiled duel's units. fought: fights so far.

    key: gives the key of a matchup. What a probe has fought is not fought again.
    """

    single: Fight
    duel: Matchup
    rungs: Sequence[Rung]
    key: Callable[[Matchup], int]
    n: int
    seed: int
    fought: int = 0
    _known: dict[Rung, tuple[int, list[int]]] = field(default_factory=dict)

    def even(self, start: float) -> list[tuple[Rung, Sequence[int]]]:
        """Return the rungs next to the even fight with their counts, as `search_even` does."""
        if not (self.single.can_fire_a or self.single.can_fire_b):
            return [(self.rungs[-1], [0, 0, 0, PROBES])]
        if silent_side(self.single) != NOBODY:
            end = self.rungs[-1 if self.single.can_fire_a else 0]
            return [(end, self._fight(end, min(PROBES, self.n)))]
        return search_even(self._fight, self.rungs, start, self.n)

    def _fight(self, rung: Rung, count: int) -> list[int]:
        first, counts = self._known.get(rung, (0, [0] * len(OUTCOMES)))
        if count > first:
            more = self._play(rung, first, count - first)
            self._known[rung] = count, [one + two for one, two in zip(counts, more, strict=True)]
        return self._known[rung][1]

    def _play(self, rung: Rung, first: int, count: int) -> list[int]:
        self.fought += count
        tally = play_fights(
            widen(self.single, *rung),
            n=count,
            first=first,
            seed=self.seed,
            key=self.key(replace(self.duel, size_a=rung[0], size_b=rung[1])),
            workers=1,
            policy_a=self.duel.policy,
            policy_b=self.duel.policy,
        )
        return [int(number) for number in tally.outcomes]


class PricePlan:
    """The jobs of prices: one a pair of units, which searches all its rows in all settings."""

    def __init__(
        self,
        rows: Sequence[DuelRow],
        settings: Sequence[Setting],
        worker: Worker,
        turns: int,
        worth: Mapping[str, float],
    ) -> None:
        """worth: ECV of each unit by id, which says how many make a battle of a size."""
        self.rows = rows
        self.settings = settings
        self.worker = worker
        self.turns = turns
        self.worth = worth
        self.table = Table(PRICE_TYPES)
        self._kept: dict[Any, Fight] = {}
        self._terms = jit.source_id([sys.modules[__name__]])

    @property
    def total(self) -> int:
        """Number of fair numbers."""
        return len(self.rows) * len(self.settings)

    def jobs(self, told: Callable[[DuelRow], None]) -> Iterator[tuple[int, Job]]:
        """Yield the jobs with their numbers; `told` is called with the row of each fair number that is finished."""
        pairs: dict[tuple[str, str], list[tuple[int, DuelRow]]] = {}
        for number, row in enumerate(self.rows):
            pairs.setdefault((row.a.id, row.b.id), []).append((number, row))
        for number, rows in enumerate(pairs.values()):
            yield number, self._job(rows, told)

    def _job(self, rows: Sequence[tuple[int, DuelRow]], told: Callable[[DuelRow], None]) -> Job:
        first = rows[0][1]
        start = math.log(self.worth[first.a.id] / self.worth[first.b.id])
        for number, row in rows:
            near = start
            for place, setting in enumerate(self.settings):
                found = yield self._piece(row, setting, near)
                rungs = [(tuple(rung), counts) for rung, counts in found["rungs"]]
                near = middle(rungs)
                if place == 0:
                    start = near
                records = [
                    price_record(row, setting, rung, counts, found["silent"]) for rung, counts in rungs
                ]
                self.table.add(number * len(self.settings) + place, records)
                told(row)

    def _piece(self, row: DuelRow, setting: Setting, start: float) -> Piece:
        start = round(start, 3)
        dearer = self.worth[row.a.id] >= self.worth[row.b.id]
        fixed = max(1, round(setting.size / max(self.worth[row.a.id], self.worth[row.b.id])))
        rungs = list_rungs(fixed, of_a=dearer)
        duel = Matchup(row.a, row.b, 1, 1, row.situation, setting.policy, self.turns)
        name = self.worker.name(duel, "even", self._terms, fixed, dearer, start, setting.n)
        return Piece(name, lambda: self._begin(duel, rungs, start, setting.n))

    def _begin(self, duel: Matchup, rungs: Sequence[Rung], start: float, n: int) -> Begun:
        single = self._compiled(duel)
        if single.can_fire_a or single.can_fire_b:
            self.worker.compile_loop(single, True)
            self.worker.compile_loop(widen(single, 2, 2), False, duel.policy)
        search = EvenSearch(single, duel, rungs, self.worker.key, n, self.worker.seed)

        def join(found: list[list[tuple[Rung, Sequence[int]]]]) -> Content:
            self.worker.fights += search.fought
            return {
                "rungs": [[rung, counts] for rung, counts in found[0]],
                "silent": silent_side(single),
            }

        return Begun((partial(search.even, start),), join)

    def _compiled(self, duel: Matchup) -> Fight:
        """The duel of a row, compiled once for all its settings."""
        place = (duel.a.id, duel.b.id, duel.situation)
        if place not in self._kept:
            if len(self._kept) >= MOST_COMPILED:
                del self._kept[next(iter(self._kept))]
            self._kept[place] = self.worker.compiled(duel)
        return self._kept[place]


def middle(rungs: Sequence[tuple[Any, Any]]) -> float:
    """Return the log of the ratio b / a between the rungs that a search left: where the next one begins."""
    heights = [math.log(rung[1] / rung[0]) for rung, _ in rungs]
    return sum(heights) / len(heights)


def run_prices(plan: PricePlan, journal: Journal, threads: int, progress: Progress) -> pd.DataFrame:
    """Finish the searches of a plan and return the table of the rungs that they left, by row and setting."""
    meter = _Meter(plan.total, threads, progress)
    Pool(journal, threads, meter.worked).run(plan.jobs(meter.finished))
    return plan.table.frame()


class _Meter:
    """Tells how many fair numbers are finished, and how long the rest may take."""

    def __init__(self, total: int, threads: int, progress: Progress) -> None:
        self._total, self._threads, self._progress = total, threads, progress
        self._done = self._worked = 0
        self._seconds = 0.0

    def worked(self, number: int, seconds: float) -> None:
        self._worked += 1
        self._seconds += seconds

    def finished(self, row: DuelRow) -> None:
        self._done += 1
        text = f"{row_text(row)}, {place_text(row)}"
        if self._worked and self._seconds > 1:
            left = (self._total - self._done) * self._seconds / self._worked / self._threads
            text = f"{duration_text(left)} left, {text}"
        self._progress(self._done, self._total, text)


NOBODY = "none"


def silent_side(fight: Fight) -> str:
    """Return which side alone can never fire in a fight, a or b; none where both can, or neither."""
    if fight.can_fire_a == fight.can_fire_b:
        return NOBODY
    return "b" if fight.can_fire_a else "a"


def price_record(
    row: DuelRow, setting: Setting, rung: Any, counts: Sequence[int], silent: str
) -> dict[str, Any]:
    """Return the row of the table for a rung; silent: see `silent_side`."""
    head = {"a": row.a.id, "b": row.b.id, "size_n": rung[0], "size_m": rung[1], "size": setting.size}
    record = {**head, "policy": setting.policy, **place_of(row), "silent": silent, "n": sum(counts)}
    return record | {f"count_{name}": count for name, count in zip(OUTCOMES, counts, strict=True)}


PRICE_TYPES = {
    **{"a": "str", "b": "str", "size_n": "int64", "size_m": "int64", "size": "float64", "policy": "str"},
    **PLACE_TYPES,
    "silent": "str",
    "n": "int64",
    **{f"count_{name}": "int64" for name in OUTCOMES},
}
