"""Running a study: its duels and engagements as jobs, and two tables of what they came to."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import pandas as pd

from simlab.model.errors import InputError
from simlab.model.situation import Situation
from simlab.model.typed_situation import Unfit, read_first_fire, read_range
from simlab.studies.contents import Counts
from simlab.studies.journal import Journal
from simlab.studies.outlook import Outlook, Progress
from simlab.studies.pool import Job, Pool, is_kept
from simlab.studies.rows import ENGAGEMENT_TYPES, DuelRow, Table, duel_record, duel_types, engagement_record
from simlab.studies.study_file import Study
from simlab.studies.work import Matchup, Worker

SizeCounts = Mapping[int, Sequence[int]]
ChooseSize = Callable[[SizeCounts, int, tuple[int, SizeCounts] | None], int | None]
"""Which M to fight next against N: from the outcome counts by M so far, N, and a finished search before."""


@dataclass(frozen=True)
class Tables:
    """What a run counted: `duels` and `engagements` (None if none are asked for).

    fights, solved: how many fights were fought and duels solved for it.
    """

    duels: pd.DataFrame
    engagements: pd.DataFrame | None
    fights: int
    solved: int


@dataclass(frozen=True)
class Parts:
    """Parts of a run: rows of duels, and fair numbers of a row, a policy and an N each."""

    rows: int = 0
    fair_numbers: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.rows + self.fair_numbers


def plan_duels(study: Study) -> list[DuelRow]:
    """Return all ordered pairs, self-pairs included, in all situations; the weights of a pair add up to 1."""
    return [
        DuelRow(a, b, situation, weight)
        for a, b in product(study.sheets, repeat=2)
        for situation, weight in study.situations
    ]


class Plan:
    """The jobs of a study with n fights a row: one a duel, then one a row and policy of its engagements.

    recording: jobs that are finished add their rows to the tables.
    """

    def __init__(
        self, study: Study, n: int, worker: Worker, choose_size: ChooseSize, *, recording: bool = True
    ) -> None:
        self.recording = recording
        self.study = study
        self.n = n
        self.worker = worker
        self.choose_size = choose_size
        self.rows = plan_duels(study)
        self.duels = Table(duel_types(worker.system.kinds))
        self.engagements = Table(ENGAGEMENT_TYPES)

    @property
    def count(self) -> int:
        """Number of jobs."""
        return len(self.rows) + len(self._series)

    @property
    def parts(self) -> Parts:
        """All parts of the run."""
        sizes = len(self.study.engagements.sizes) if self.study.engagements else 0
        return Parts(len(self.rows), len(self._series) * sizes)

    @cached_property
    def _series(self) -> list[tuple[DuelRow, str]]:
        wanted = self.study.engagements
        return list(product(self.rows, wanted.policies)) if wanted else []

    def kinds(self, number: int) -> tuple[int, ...]:
        """Return the kinds of the parts of a job: 0, a duel, or the N of its fair numbers."""
        if number < len(self.rows):
            return (0,)
        assert self.study.engagements is not None
        return self.study.engagements.sizes

    def parts_of(self, numbers: Iterable[int]) -> Parts:
        """Return the parts of some jobs."""
        kinds = [kind for number in numbers for kind in self.kinds(number)]
        return Parts(kinds.count(0), len(kinds) - kinds.count(0))

    def job(self, number: int, told: Callable[[DuelRow, int], None]) -> Job:
        """Return a job; `told` is called with the row and N (0: the duel) of each part that it has finished."""
        if number < len(self.rows):
            return self._duel(number, told)
        row, policy = self._series[number - len(self.rows)]
        return self._search(number, row, policy, told)

    def kept(self, journal: Journal) -> Iterator[int]:
        """Yield the numbers of the jobs that the journal answers to the end."""
        if not journal.is_empty():
            for number in range(self.count):
                if is_kept(self.job(number, lambda row, size: None), journal):
                    yield number

    def _duel(self, number: int, told: Callable[[DuelRow, int], None]) -> Job:
        row = self.rows[number]
        matchup = Matchup(row.a, row.b, 1, 1, row.situation, "spread", self.study.turns)
        found = yield from self.worker.answer(matchup, self.n, self.study.method)
        if self.recording:
            self.duels.add(number, [duel_record(number, row, found, self.worker.system.kinds)])
        told(row, 0)

    def _search(self, number: int, row: DuelRow, policy: str, told: Callable[[DuelRow, int], None]) -> Job:
        """Search the fair number for each N, the smaller first, each starting at the ratio of the one before."""
        wanted = self.study.engagements
        assert wanted is not None
        records: list[dict[str, Any]] = []
        before: tuple[int, SizeCounts] | None = None
        for size_n in wanted.sizes:
            fought: dict[int, Counts] = {}
            outcomes: dict[int, Sequence[int]] = {}
            while (size_m := self.choose_size(outcomes, size_n, before)) is not None:
                matchup = Matchup(row.a, row.b, size_n, size_m, row.situation, policy, wanted.turns)
                fought[size_m] = yield from self.worker.fight(matchup, self.n)
                outcomes[size_m] = fought[size_m].outcomes
            before = (size_n, outcomes)
            records += [engagement_record(row, policy, size_n, m, fought[m]) for m in sorted(fought)]
            told(row, size_n)
        if self.recording:
            self.engagements.add(number, records)


def run_tables(plan: Plan, journal: Journal, threads: int, progress: Progress, kept: Sequence[int]) -> Tables:
    """Finish the jobs of a plan, all but those whose numbers are `kept`, and return its tables.

    `duels` has one row per ordered pair and situation, `engagements` one per pair, situation, policy, N and
    every M that the search for the fair number asked for, by M.
    """
    done = set(kept)
    to_do = [number for number in range(plan.count) if number not in done]
    kinds = (kind for number in to_do for kind in plan.kinds(number))
    outlook = Outlook(plan.parts.total, kinds, threads, progress)
    jobs = ((number, plan.job(number, outlook.teller(number))) for number in to_do)
    Pool(journal, threads, outlook.worked).run(jobs)
    return Tables(
        plan.duels.frame(),
        plan.engagements.frame() if plan.study.engagements else None,
        plan.worker.fights,
        plan.worker.solved,
    )


def situation_of_row(facts: Mapping[Any, Any]) -> Situation:
    """Return the situation of a row of a stored table, `facts` by column; tables of old know no first fire."""
    distance, first_fire = read_range(facts["range"]), read_first_fire(facts.get("first_fire"))
    if isinstance(distance, Unfit) or isinstance(first_fire, Unfit):
        raise InputError.one("run", "a row that tells no situation", "the table of a finished run")
    aspects = [tuple(str(facts[name]).split(",")) for name in ("aspect_a", "aspect_b")]
    return Situation(distance, aspects[0], aspects[1], first_fire)
