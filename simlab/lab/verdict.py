"""The referee of the sampler: cells of a run against their exact solution, and controls that need none."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.lab.arguments import LEAST_BOUND, Arguments, between, check_workers
from simlab.lab.fights import fight_key_of
from simlab.lab.notes import say_caveat
from simlab.lab.roster import Folder
from simlab.lab.study import PathLike, Progress, Run, load_run, sheet_of_run, system_of_run
from simlab.model.situation import Situation
from simlab.rules.contract import Fight

if TYPE_CHECKING:
    import pandas as pd

    from simlab.analysis.referee import Judgement, Seen, Truth
    from simlab.lab.controls import Control
    from simlab.lab.solving import Solved, Task

RECORD = "referee.json"
SCHEMA = 1
DEFAULT_BOUND = 1e-6
DEFAULT_TIME_LIMIT = 2.0
SELF_TURNS = 4
"""Turns of the exact fights of a unit against itself."""
PLACE = ("row", "a", "b", "range", "aspect_a", "aspect_b", "first_fire")


@dataclass(frozen=True, eq=False)
class Verdict:
    """What the referee found.

    folder: that of the run. record: how it was judged. cells: one row a cell chosen, with `judged`, `p_outcomes`,
    `p_figures` (times the number of figures), `figure` (the one furthest off), `failed`. controls: name, p, remark.
    failures: the tests that fail, in words.
    """

    folder: Path
    record: dict[str, Any] = field(repr=False)
    cells: "pd.DataFrame" = field(repr=False)
    controls: tuple["Control", ...] = field(repr=False)
    failures: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Tell whether duels were judged, and no test failed."""
        return not self.failures and bool(self.cells["judged"].any())

    @property
    def skipped(self) -> "pd.DataFrame":
        """The cells that took more work than allowed."""
        return self.cells[~self.cells["judged"]]

    def to_frame(self) -> "pd.DataFrame":
        """Return the cells."""
        return self.cells

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        return self.record


def referee(
    run: "Run | PathLike",
    *,
    all: bool = False,
    bound: float = DEFAULT_BOUND,
    time_limit: float = DEFAULT_TIME_LIMIT,
    workers: int | None = None,
    results: PathLike = "results",
    units: Folder = None,
    progress: Progress | None = None,
) -> Verdict:
    """Judge the sampled duels of a run by their exact solution to `bound`, and the sampler by controls.

    200 cells, drawn by the study's seed from each range and aspect alike, and the ten most extreme; or all of them. A
    cell that takes more than `time_limit` seconds of work, counted by constants and not by a clock, is skipped and
    named. Cells are solved in `workers` processes. The verdict is written to `referee.json` in the run's folder.
    Raises InputError.
    """
    given = Arguments()
    given.truth("all", all)
    limit = between(given, "bound", bound, LEAST_BOUND, 0.5)
    seconds = between(given, "time_limit", time_limit, 0.001, 86400.0)
    threads = check_workers(given, workers)
    given.check()
    started = time.perf_counter()
    found = run if isinstance(run, Run) else load_run(run, results)
    say_caveat(system_of_run(found.record), progress)
    bench = _Bench(found, units, threads, progress)
    verdict = bench.judge(all, limit, seconds)
    verdict.record["seconds"] = round(time.perf_counter() - started, 3)
    _save(verdict)
    return verdict


@dataclass(frozen=True, eq=False)
class _Cell:
    """A row of a run: its facts by column, what was counted, and where."""

    name: str
    row: int
    facts: Mapping[Any, Any]
    situation: Situation
    extreme: bool


class _Bench:
    def __init__(self, run: Run, units: Folder, workers: int, progress: Progress | None) -> None:
        from simlab.analysis.tables import complete_situations

        self.run, self.record, self.workers = run, run.record, workers
        self.system = system_of_run(self.record)
        self.sheets = {
            str(each["id"]): sheet_of_run(self.record, str(each["id"]), units)
            for each in self.record["units"]
        }
        self.duels = complete_situations(run.duels)
        self.seed, self.turns = int(self.record["seed"]), int(self.record["turns"])
        self.progress, self.done, self.total = progress, 0, 0

    def judge(self, every: bool, bound: float, time_limit: float) -> Verdict:
        from simlab.lab.exact_duels import warn
        from simlab.lab.solving import solve_all

        cells = self._cells(every)
        alone = self._self_pairs()
        tasks = [self._task(cell, bound, time_limit) for cell in cells]
        tasks += [
            replace(
                self._task(cell, bound, time_limit),
                name=_self_name(unit),
                turns=min(self.turns, SELF_TURNS),
                plain=True,
            )
            for unit, cell in alone.items()
        ]
        self.total = len(tasks) + 1
        if cells:
            warn(self._compile(cells[0]), self.progress)
        solved = solve_all(tasks, self.workers, lambda one: self._report(one.name))
        controls = tuple(self._controls(alone, solved))
        self._report("controls")
        return self._verdict(cells, tasks, solved, controls, bound, time_limit)

    def _cells(self, every: bool) -> list[_Cell]:
        from simlab.analysis.referee import choose_cells

        drawn, extremes = choose_cells(self.duels, self.seed, every)
        wanted = {row: row in extremes for row in (*drawn, *extremes)}
        return [
            self._cell(facts, wanted[int(facts["row"])]) for facts in self._rows() if facts["row"] in wanted
        ]

    def _rows(self) -> list[dict[Any, Any]]:
        return list(self.duels.to_dict("records"))

    def _cell(self, facts: Mapping[Any, Any], extreme: bool) -> _Cell:
        from simlab.studies.run import situation_of_row

        return _Cell(cell_name(facts), int(facts["row"]), facts, situation_of_row(facts), extreme)

    def _self_pairs(self) -> dict[str, _Cell]:
        """By unit the cell against itself that is decided most often, as far as its sides are alike."""
        found: dict[str, _Cell] = {}
        rows = [facts for facts in self._rows() if facts["a"] == facts["b"] and not facts["cannot_fire_a"]]
        for facts in sorted(rows, key=lambda facts: -float(facts["a_wins"]) - float(facts["b_wins"])):
            cell = self._cell(facts, False)
            if str(facts["a"]) not in found and self._compile(_mirrored(cell)).twins:
                found[str(facts["a"])] = _mirrored(cell)
        return found

    def _compile(self, cell: _Cell, a: Any = None) -> Fight:
        from simlab.lab.solving import compile_duel

        sheet_a, sheet_b = (self.sheets[str(cell.facts[side])] for side in "ab")
        non_default = self.record["non_default"]
        return compile_duel(self.system, a or sheet_a, sheet_b, cell.situation, non_default, self.turns)

    def _task(self, cell: _Cell, bound: float, time_limit: float) -> "Task":
        from simlab.lab.solving import Task

        a, b = (self.sheets[str(cell.facts[side])] for side in "ab")
        return Task(
            name=cell.name,
            system=self.system.name,
            a=a,
            b=b,
            situation=cell.situation,
            non_default=self.record["non_default"],
            turns=self.turns,
            bound=bound,
            seconds=time_limit,
        )

    def _report(self, what: str) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total, what)

    def _controls(self, alone: Mapping[str, _Cell], solved: Mapping[str, "Solved"]) -> "list[Control]":
        from simlab.lab import controls

        found = list(controls.judge_dice(self.seed))
        balanced = max(self._rows(), key=lambda facts: min(float(facts["a_wins"]), float(facts["b_wins"])))
        cell = self._cell(balanced, False)
        found += controls.judge_neighbours(self._compile(cell), cell.name, self.seed)
        for unit, sheet in self.sheets.items():
            if unit in alone:
                fight = self._compile(alone[unit])
                found.append(controls.judge_self(fight, unit, self.seed, self.workers))
                found += _exact_self(unit, solved[_self_name(unit)].truth)
            row = next(facts for facts in self._rows() if facts["a"] == unit)
            there = self._cell(row, False)

            def compile_against(copy: Any, there: _Cell = there) -> Fight:
                return self._compile(there, copy)

            found.append(controls.judge_copy(self.system, sheet, compile_against, self.seed, self.workers))
        return found

    def _seen(self, cell: _Cell) -> "tuple[Seen, bool]":
        """The counts of a cell, and whether they are the run's; what the run solved is sampled now."""
        from simlab.analysis.referee import Seen, seen_in_row
        from simlab.engine.play import play_fights

        stored = seen_in_row(cell.facts, self.system.kinds)
        if stored is not None:
            return stored, True
        fight = self._compile(cell)
        n = int(self.record["n"])
        tally = play_fights(fight, n=n, seed=self.seed, key=fight_key_of(fight), workers=self.workers)
        figures = [tally.with_flag(bit) for bit in range(1, 1 + len(self.system.kinds))]
        import numpy as np

        return Seen(n, tally.outcomes, np.array(figures).T.reshape(2, -1), tally.turn_sum), False

    def _verdict(
        self,
        cells: Sequence[_Cell],
        tasks: "Sequence[Task]",
        solved: "Mapping[str, Solved]",
        controls: "tuple[Control, ...]",
        bound: float,
        time_limit: float,
    ) -> Verdict:
        import pandas as pd

        from simlab.analysis.referee import LEVEL, find_failures, fractions_of, judge, judge_together

        kinds = self.system.kinds
        figures = 2 * (len(kinds) + 1)
        rows, chances, drawn = [], {control.name: control.p for control in controls}, []
        for cell in cells:
            done = solved[cell.name]
            judgement, stored = None, True
            if done.truth is not None:
                seen, stored = self._seen(cell)
                judgement = judge(seen, done.truth, kinds, fractions_of(self.seed, cell.row))
                chances[cell.name] = judgement.outcomes
                chances |= {f"{cell.name}: {name}": p for name, p in judgement.figures.items()}
                if not cell.extreme:
                    drawn.append(judgement)
            rows.append(_row(cell, done, judgement, stored, figures))
        together = judge_together(drawn)
        chances |= {UNIFORM: together["p_uniform"], SUM: together["p_sum"]}
        # What the extremes are is read off the counts, so every cell of the run counts as if it had been tested.
        size = len(self.duels) * (1 + figures) + len(controls) + 2
        failures = tuple(find_failures(chances, size))
        names = {name.partition(": ")[0] for name in failures}
        frame = pd.DataFrame([{**row, "failed": cell_name(row) in names} for row in rows])
        record = {
            "schema": SCHEMA,
            "name": self.record["name"],
            "system": self.system.name,
            "rules_version": self.system.version,
            "run": self.record["digest"],
            "seed": self.seed,
            "bound": bound,
            "time_limit": time_limit,
            "cells_of_run": len(self.duels),
            "drawn": sum(not cell.extreme for cell in cells),
            "extremes": sum(cell.extreme for cell in cells),
            "judged": int(frame["judged"].sum()),
            "skipped": [cell_name(row) for row in rows if not row["judged"]],
            "family": {"level": LEVEL, "tests": size, "method": "Holm"},
            "together": together,
            "controls": [control.to_dict() for control in controls],
            "cells": frame.astype(object).where(frame.notna(), None).to_dict("records"),
            "failures": list(failures),
            "passed": not failures,
        }
        return Verdict(self.run.folder, record, frame, controls, failures)


UNIFORM = "p-values of all cells against the uniform distribution"
SUM = "all cells together"


def _row(
    cell: _Cell, done: "Solved", judgement: "Judgement | None", stored: bool, figures: int
) -> dict[str, Any]:
    row = {name: cell.facts[name] for name in PLACE}
    worst = min(judgement.figures, key=judgement.figures.__getitem__) if judgement is not None else None
    return row | {
        "extreme": cell.extreme,
        "judged": judgement is not None,
        "counts": "the run's" if stored else "sampled now",
        "error_bound": done.truth.error_bound if done.truth is not None else None,
        "work": done.work / 1e9 if done.work is not None else None,
        "p_outcomes": judgement.outcomes if judgement is not None else None,
        "p_figures": min(1.0, figures * judgement.figures[worst]) if judgement and worst else None,
        "figure": worst,
        "p_uniform": judgement.uniform if judgement is not None else None,
    }


def cell_name(facts: Mapping[Any, Any]) -> str:
    """Where a cell is, in words."""
    distance = facts["range"]
    shown = distance if isinstance(distance, str) else f"{distance:g}"
    name = f"{facts['a']} v {facts['b']}, range {shown}, {facts['aspect_a']} v {facts['aspect_b']}"
    return name if facts["first_fire"] == "none" else f"{name}, first fire {facts['first_fire']}"


def _mirrored(cell: _Cell) -> _Cell:
    """A cell in which both show what the first one shows, and none fires first."""
    return replace(cell, situation=replace(cell.situation, aspect_b=cell.situation.aspect_a, first_fire=None))


def _self_name(unit: str) -> str:
    return f"{unit} against itself, solved"


def _exact_self(unit: str, truth: "Truth | None") -> "list[Control]":
    """The exact chances of a unit against itself: the same for both sides. Lower bounds differ by the error at most."""
    from simlab.lab.controls import Control

    if truth is None:
        return []
    a_wins, b_wins = (float(chance) for chance in truth.outcomes[:2])
    same = abs(a_wins - b_wins) <= truth.error_bound
    return [Control(_self_name(unit), float(same), f"{a_wins:.9f} and {b_wins:.9f}")]


def _save(verdict: Verdict) -> None:
    from simlab.studies.store import write_text

    text = json.dumps(verdict.record, indent=1, allow_nan=False) + "\n"
    write_text(verdict.folder / RECORD, text)
