"""Running a study: its duels, then its engagements, as two tables of counts."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import pandas as pd

from simlab.model.errors import InputError, escaped
from simlab.model.outcome import OUTCOMES
from simlab.model.situation import Situation, by_turn_text
from simlab.model.typed_situation import NO_FIRST_FIRE, Unfit, read_first_fire, read_range
from simlab.rules.contract import Sheet
from simlab.studies.study_file import Engagements, Study
from simlab.studies.work import Counts, Matchup, SideCounts, Solved, SolvedSide, Worker

SizeCounts = Mapping[int, Sequence[int]]
ChooseSize = Callable[[SizeCounts, int, tuple[int, SizeCounts] | None], int | None]
"""Which M to fight next against N: from the outcome counts by M so far, N, and a finished search before."""
Progress = Callable[[int, int, str], None]
"""Called with the parts finished, the parts in all, and what was finished."""


@dataclass(frozen=True)
class DuelRow:
    """A row of the plan: an ordered pair in a situation, with the situation's weight."""

    a: Sheet
    b: Sheet
    situation: Situation
    weight: float


@dataclass(frozen=True)
class Tables:
    """What a run counted: `duels` and `engagements` (None if none are asked for), and how long it took.

    fights, solved: how many fights were fought and duels solved for it.
    """

    duels: pd.DataFrame
    engagements: pd.DataFrame | None
    fights: int
    solved: int
    seconds: float


def plan_duels(study: Study) -> list[DuelRow]:
    """Return all ordered pairs, self-pairs included, in all situations; the weights of a pair add up to 1."""
    return [
        DuelRow(a, b, situation, weight)
        for a, b in product(study.sheets, repeat=2)
        for situation, weight in study.situations
    ]


def run_tables(study: Study, n: int, worker: Worker, choose_size: ChooseSize, progress: Progress) -> Tables:
    """Fight the whole study with n fights a row and return its tables.

    `duels` has one row per ordered pair and situation, `engagements` one per pair, situation, policy, N and
    every M that the search for the fair number asked for, by M.
    """
    start = time.perf_counter()
    plan = plan_duels(study)
    wanted = study.engagements
    total = len(plan) * (1 + (len(wanted.policies) * len(wanted.sizes) if wanted else 0))
    report = _Reporter(progress, total)
    duels = []
    for number, row in enumerate(plan):
        matchup = Matchup(row.a, row.b, 1, 1, row.situation, "spread", study.turns)
        duels.append(_duel_record(number, row, worker.answer(matchup, n, study.method), worker.system.kinds))
        report.finished(row, "duel")
    engagements: list[dict[str, Any]] = []
    for row, policy in product(plan, wanted.policies if wanted else ()):
        assert wanted is not None
        engagements += _run_series(row, policy, wanted, n, worker, choose_size, report)
    return Tables(
        _frame(duels, _duel_types(worker.system.kinds)),
        _frame(engagements, _ENGAGEMENT_TYPES) if wanted else None,
        worker.fights,
        worker.solved,
        time.perf_counter() - start,
    )


class _Reporter:
    def __init__(self, progress: Progress, total: int) -> None:
        self.progress = progress
        self.total = total
        self.done = 0

    def finished(self, row: DuelRow, what: str) -> None:
        self.done += 1
        where = row.situation
        shown = f"{by_turn_text(where.aspect_a)} v {by_turn_text(where.aspect_b)}"
        text = f"{row.a.id} v {row.b.id}, {what}, range {by_turn_text(where.range)}, {shown}"
        text += f", first fire {where.first_fire}" if where.first_fire else ""
        self.progress(self.done, self.total, escaped(text))


def _run_series(
    row: DuelRow,
    policy: str,
    wanted: Engagements,
    n: int,
    worker: Worker,
    choose_size: ChooseSize,
    report: _Reporter,
) -> list[dict[str, Any]]:
    """Search the fair number for each N, the smaller first, each starting at the ratio of the one before."""
    records: list[dict[str, Any]] = []
    before: tuple[int, SizeCounts] | None = None
    for size_n in wanted.sizes:
        fought: dict[int, Counts] = {}
        outcomes: dict[int, Sequence[int]] = {}
        while (size_m := choose_size(outcomes, size_n, before)) is not None:
            matchup = Matchup(row.a, row.b, size_n, size_m, row.situation, policy, wanted.turns)
            fought[size_m] = worker.fight(matchup, n)
            outcomes[size_m] = fought[size_m].outcomes
        before = (size_n, outcomes)
        records += [
            _engagement_record(row, policy, size_n, size_m, fought[size_m]) for size_m in sorted(fought)
        ]
        report.finished(row, f"fair number for {size_n}")
    return records


def _place(row: DuelRow) -> dict[str, Any]:
    where = row.situation
    return {
        "range": where.range,
        "aspect_a": by_turn_text(where.aspect_a),
        "aspect_b": by_turn_text(where.aspect_b),
        "first_fire": where.first_fire or NO_FIRST_FIRE,
        "weight": row.weight,
    }


def situation_of_row(facts: Mapping[Any, Any]) -> Situation:
    """Return the situation of a row of a stored table, `facts` by column; tables of old know no first fire."""
    distance, first_fire = read_range(facts["range"]), read_first_fire(facts.get("first_fire"))
    if isinstance(distance, Unfit) or isinstance(first_fire, Unfit):
        raise InputError.one("run", "a row that tells no situation", "the table of a finished run")
    aspects = [tuple(str(facts[name]).split(",")) for name in ("aspect_a", "aspect_b")]
    return Situation(distance, aspects[0], aspects[1], first_fire)


def _duel_record(number: int, row: DuelRow, found: Counts | Solved, kinds: Sequence[str]) -> dict[str, Any]:
    record = {"row": number, "a": row.a.id, "b": row.b.id, **_place(row)}
    if isinstance(found, Solved):
        record |= {"method": "exact", "n": None, "error_bound": found.error_bound}
        record |= {f"count_{name}": None for name in OUTCOMES}
        record |= dict(zip(OUTCOMES, found.outcomes, strict=True))
        for side, sheet, solved in (("a", row.a, found.side_a), ("b", row.b, found.side_b)):
            record |= _solved_record(side, solved, kinds, sheet)
        return record
    record |= {"method": "monte_carlo", "n": found.n, "error_bound": None}
    record |= {f"count_{name}": count for name, count in zip(OUTCOMES, found.outcomes, strict=True)}
    record |= {name: count / found.n for name, count in zip(OUTCOMES, found.outcomes, strict=True)}
    for side, sheet, happened in (("a", row.a, found.side_a), ("b", row.b, found.side_b)):
        record |= _side_record(side, happened, found.n, kinds, sheet)
    return record


def _solved_record(side: str, solved: SolvedSide, kinds: Sequence[str], sheet: Sheet) -> dict[str, Any]:
    chances = zip(("destroyed", *kinds), solved.flags, strict=True)
    ecv = sheet.ecv.value
    return {
        **{f"{name}_{side}": chance for name, chance in chances},
        f"mean_turn_destroyed_{side}": solved.mean_turn,
        f"ecv_lost_{side}": None if ecv is None else ecv * solved.flags[0],
        f"cannot_fire_{side}": solved.cannot_fire,
    }


def _side_record(
    side: str, happened: SideCounts, n: int, kinds: Sequence[str], sheet: Sheet
) -> dict[str, Any]:
    destroyed = happened.flags[0]
    record: dict[str, Any] = {
        f"{name}_{side}": count / n for name, count in zip(("destroyed", *kinds), happened.flags, strict=True)
    }
    record[f"mean_turn_destroyed_{side}"] = happened.turn_sum / destroyed if destroyed else None
    record[f"ecv_lost_{side}"] = _ecv_lost(happened, n, sheet)
    record[f"cannot_fire_{side}"] = happened.cannot_fire
    return record


def _ecv_lost(happened: SideCounts, n: int, sheet: Sheet) -> float | None:
    """Mean ECV of the destroyed units of a fight, None without an ECV."""
    return None if sheet.ecv.value is None else sheet.ecv.value * happened.flags[0] / n


def _engagement_record(row: DuelRow, policy: str, size_n: int, size_m: int, counts: Counts) -> dict[str, Any]:
    record = {
        "a": row.a.id,
        "b": row.b.id,
        "size_n": size_n,
        "size_m": size_m,
        "policy": policy,
        **_place(row),
    }
    record["n"] = counts.n
    record |= {f"count_{name}": count for name, count in zip(OUTCOMES, counts.outcomes, strict=True)}
    record["ecv_lost_a"] = _ecv_lost(counts.side_a, counts.n, row.a)
    record["ecv_lost_b"] = _ecv_lost(counts.side_b, counts.n, row.b)
    return record


_PLACE_TYPES = {
    "range": "float64",
    "aspect_a": "str",
    "aspect_b": "str",
    "first_fire": "str",
    "weight": "float64",
}
_COUNT_TYPES = {f"count_{name}": "Int64" for name in OUTCOMES}
_ENGAGEMENT_TYPES = {
    "a": "str",
    "b": "str",
    "size_n": "int64",
    "size_m": "int64",
    "policy": "str",
    **_PLACE_TYPES,
    "n": "int64",
    **_COUNT_TYPES,
    "ecv_lost_a": "float64",
    "ecv_lost_b": "float64",
}


def _duel_types(kinds: Sequence[str]) -> dict[str, str]:
    sides: dict[str, str] = {}
    for side in ("a", "b"):
        figures = ("destroyed", *kinds, "mean_turn_destroyed", "ecv_lost")
        sides |= {f"{name}_{side}": "float64" for name in figures} | {f"cannot_fire_{side}": "bool"}
    head = {"row": "int64", "a": "str", "b": "str", **_PLACE_TYPES, "method": "str", "n": "Int64"}
    return head | _COUNT_TYPES | dict.fromkeys(OUTCOMES, "float64") | {"error_bound": "float64"} | sides


def _frame(records: list[dict[str, Any]], types: dict[str, str]) -> pd.DataFrame:
    """A table of records; its ranges are numbers if all are single ones, else texts such as `36,30,24`."""
    columns: dict[Any, Any] = dict(types)
    if any(isinstance(record["range"], tuple) for record in records):
        columns["range"] = "str"
        records = [{**record, "range": by_turn_text(record["range"])} for record in records]
    return pd.DataFrame(records, columns=list(types)).astype(columns)
