"""What a turn's fire does, solved: chances that a fresh unit destroys a fresh one in its first turn."""

from collections.abc import Callable, Generator, Sequence
from typing import Any

import pandas as pd

from simlab.model.keys import digest
from simlab.studies.contents import Content
from simlab.studies.journal import Journal
from simlab.studies.outlook import Progress
from simlab.studies.pool import Begun, Job, Piece, Pool
from simlab.studies.rows import PLACE_TYPES, DuelRow, Table, place_of
from simlab.studies.work import Matchup, Worker, solver_id

BOUND = 1e-9
TIME_LIMIT, MEMORY_LIMIT = 10.0, 1e9
MOST_ROWS = 1000
"""Rows that are all solved; of more, one a pair."""


def choose_rows(rows: Sequence[DuelRow]) -> list[DuelRow]:
    """Return all rows, or of many one of each pair: any, and the same in whatever order the units stand."""
    if len(rows) <= MOST_ROWS:
        return list(rows)
    pairs: dict[tuple[str, ...], list[DuelRow]] = {}
    for row in rows:
        pairs.setdefault(tuple(sorted((row.a.id, row.b.id))), []).append(row)
    return [min(listed, key=_lot) for listed in pairs.values()]


def _lot(row: DuelRow) -> str:
    """A lot that a row draws, whichever of its units is called a."""
    ways = ((row.a.id, row.b.id, row.situation), (row.b.id, row.a.id, row.situation.mirrored()))
    return digest(sorted(repr(way) for way in ways))


def run_kills(rows: Sequence[DuelRow], worker: Worker, journal: Journal, progress: Progress) -> pd.DataFrame:
    """Return the chances `kill_a`, that one turn of a's fire destroys a fresh b, and `kill_b`, by row.

    Rows that take too long to solve are left out.
    """
    table = Table(_TYPES)
    done = 0

    def told(row: DuelRow) -> None:
        nonlocal done
        done += 1
        progress(done, len(rows), f"one turn's fire, {row.a.id} v {row.b.id}")

    solver = solver_id(worker.system)
    jobs = ((number, _job(number, row, worker, solver, table, told)) for number, row in enumerate(rows))
    Pool(journal, 1, lambda number, seconds: None).run(jobs)
    return table.frame()


def _job(
    number: int,
    row: DuelRow,
    worker: Worker,
    solver: str,
    table: Table,
    told: Callable[[DuelRow], None],
) -> Job:
    found = yield from _kills(row, worker, solver)
    if found["kills"] is not None:
        kill_a, kill_b = found["kills"]
        record = {"a": row.a.id, "b": row.b.id, **place_of(row), "kill_a": kill_a, "kill_b": kill_b}
        table.add(number, [record])
    told(row)


def _kills(row: DuelRow, worker: Worker, solver: str) -> Generator[Piece, Content, Content]:
    duel = Matchup(row.a, row.b, 1, 1, row.situation, "spread", 1)

    def solve(_: list[Any]) -> Content:
        from simlab.exact.forecast import HopelessError, solve_within
        from simlab.exact.solution import TooLongError

        fight = worker.compiled(duel)
        # Where a unit may fall before its own phase, each has to fire alone to show what its fire does.
        alone = ((False, True), (True, False)) if fight.phased else ((False, False),)
        try:
            solutions = [
                solve_within(
                    fight, BOUND, seconds=TIME_LIMIT, work=TIME_LIMIT, memory=MEMORY_LIMIT, silent=silent
                )[0]
                for silent in alone
            ]
        except (HopelessError, TooLongError):
            return {"kills": None}
        told = solutions[0], solutions[-1]
        return {"kills": [round(float(told[1 - side].figures[side, 0]), 12) for side in (1, 0)]}

    content = yield Piece(worker.name(duel, "kills", solver, BOUND), lambda: Begun((), solve))
    return content


_TYPES = {"a": "str", "b": "str", **PLACE_TYPES, "kill_a": "float64", "kill_b": "float64"}
