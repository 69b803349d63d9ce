"""What stands in the folder of a run: whose tables, how far they are, what has changed since."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.lab.roster import Folder
from simlab.lab.study import PathLike, fights_of, read_study, run_folder
from simlab.model.errors import InputError, Problem
from simlab.studies.journal import JOURNAL, Journal, is_locked

if TYPE_CHECKING:
    from simlab.studies.study_file import Study

SCHEMA = 1
FINISHED, UNFINISHED = "finished", "unfinished"
SOURCES = ("rules_version", "kernel", "solver")
"""Entries of a record about rules and sources."""


@dataclass(frozen=True)
class Count:
    """Parts of a run. asked: by the study as it is now. finished: parts of these that need no work any more.

    reused: what the run found finished when it was begun last. None where nobody can tell.
    """

    asked: int | None
    finished: int | None
    reused: int

    @property
    def to_do(self) -> int | None:
        """What a run would have to do now, None if nobody can tell."""
        return None if self.asked is None or self.finished is None else self.asked - self.finished

    def to_dict(self) -> dict[str, int | None]:
        """Return it as plain values."""
        return {
            "asked": self.asked,
            "finished": self.finished,
            "reused": self.reused,
            "to_do": self.to_do,
        }


@dataclass(frozen=True)
class Changes:
    """What is not any more as it was when the run was made.

    fighting: ids of units that fight otherwise now; naming: of those with another name, nation, ECV or provenance
    only; added, gone: units of the study. terms: other things by name, each with what it was and what it is.
    """

    fighting: tuple[str, ...] = ()
    naming: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    terms: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)

    @property
    def any(self) -> bool:
        """Tell whether there is any."""
        return any((self.fighting, self.naming, self.added, self.gone, self.terms))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "units": {name: list(getattr(self, name)) for name in ("fighting", "naming", "added", "gone")},
            "terms": {name: {"was": was, "is": now} for name, (was, now) in self.terms.items()},
        }


@dataclass(frozen=True)
class Status:
    """How a run stands.

    state: finished (its tables are there) or unfinished. under_way: a run is at work in the folder now. current: the
    tables are those of the study, sheets and rules as they are now. changes: since the tables were made; of an
    unfinished run, since it was begun. written: when the run was last written to. study: path of the study file, None
    if the run does not tell. problems: why the study cannot be read now; what it asks for is then told by the run.
    """

    folder: Path
    name: str
    study: Path | None
    state: str
    under_way: bool
    current: bool
    rows: Count
    fair_numbers: Count
    changes: Changes
    written: datetime
    problems: tuple[Problem, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "schema": SCHEMA,
            "run": self.folder.name,
            "folder": str(self.folder),
            "name": self.name,
            "study": None if self.study is None else str(self.study),
            "state": self.state,
            "under_way": self.under_way,
            "current": self.current,
            "rows": self.rows.to_dict(),
            "fair_numbers": self.fair_numbers.to_dict(),
            "changes": self.changes.to_dict(),
            "written": self.written.isoformat(timespec="seconds"),
            "problems": [str(problem) for problem in self.problems],
        }


def status(run: PathLike, *, results: PathLike = "results", units: Folder = None) -> Status:
    """Return how a run stands, by its folder or by the folder's name in `results`; nothing is written or fought.

    Raises InputError if no run was ever begun in the folder.
    """
    from simlab.studies.store import PLAN, RECORD

    folder = run_folder(run, results)
    under_way = is_locked(folder)
    plan, record = _read(folder / PLAN), _read(folder / RECORD)
    told = record or plan
    if told is None:
        raise InputError.one("run", f"neither {RECORD} nor {PLAN}", "the folder of a run", file=str(folder))
    study, problems = None, tuple[Problem, ...]()
    path = None if plan is None else _study_path(folder, plan)
    if path is not None:
        try:
            study = read_study(path, units)
        except InputError as error:
            problems = error.problems
    reused, written = (plan or told).get("reused") or {}, _written(folder)
    now = _as_told(told, record is not None) if study is None else _as_is(study, folder)
    finished = now.finished or {}
    counts = [
        Count(now.asked.get(name), finished.get(name), int(reused.get(name, 0)))
        for name in ("rows", "fair_numbers")
    ]
    return Status(
        folder=folder,
        name=str(told["name"]),
        study=path,
        state=FINISHED if record is not None and _has_tables(folder, record) else UNFINISHED,
        under_way=under_way,
        current=now.current,
        rows=counts[0],
        fair_numbers=counts[1],
        changes=Changes() if now.record is None else _compare(told, now.record),
        written=written,
        problems=(*problems, *now.problems),
    )


@dataclass(frozen=True)
class _Stand:
    """Parts asked for and finished, by kind; whether the tables are those; the record that a run would get."""

    asked: Mapping[str, int]
    finished: Mapping[str, int] | None
    current: bool = False
    record: Mapping[str, Any] | None = None
    problems: tuple[Problem, ...] = ()


def _as_told(told: Mapping[str, Any], finished: bool) -> _Stand:
    """How a run stands whose study cannot be read any more."""
    parts = told.get("parts") or {}
    return _Stand(parts, parts if finished else None)


def _as_is(study: "Study", folder: Path) -> _Stand:
    """How a run stands by its study and sheets as they are."""
    from simlab.analysis.fair import next_size
    from simlab.studies.run import Plan
    from simlab.studies.store import is_finished, make_record
    from simlab.studies.work import Worker

    worker = Worker(study.system, study.options, study.seed)
    n = fights_of(study)
    record = make_record(study, n, worker)
    plan = Plan(study, n, worker, next_size, recording=False)
    asked = asdict(plan.parts)
    if is_finished(folder, record["digest"], study.engagements is not None):
        return _Stand(asked, asked, True, record)
    try:
        with Journal(folder / JOURNAL, reading=True) as journal:
            finished = asdict(plan.parts_of(plan.kept(journal)))
    except InputError as error:
        return _Stand(asked, None, False, record, error.problems)
    return _Stand(asked, finished, False, record)


def _compare(was: Mapping[str, Any], now: Mapping[str, Any]) -> Changes:
    old, new = ({unit["id"]: unit for unit in record["units"]} for record in (was, now))
    both = [unit for unit in new if unit in old]
    fighting = [unit for unit in both if old[unit]["fight_hash"] != new[unit]["fight_hash"]]
    naming = [unit for unit in both if old[unit]["sheet_hash"] != new[unit]["sheet_hash"]]
    return Changes(
        fighting=tuple(fighting),
        naming=tuple(unit for unit in naming if unit not in fighting),
        added=tuple(unit for unit in new if unit not in old),
        gone=tuple(unit for unit in old if unit not in new),
        terms=dict(_terms(was, now)),
    )


def _terms(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """What differs besides units: entries of the study, rules, sources of the program, versions."""
    for prefix, old, new in (
        ("study.", was["study"], now["study"]),
        ("", {name: was.get(name) for name in SOURCES}, {name: now.get(name) for name in SOURCES}),
        ("versions.", was.get("versions", {}), now["versions"]),
    ):
        for name in dict.fromkeys([*old, *new]):
            if old.get(name) != new.get(name):
                yield f"{prefix}{name}", (old.get(name), new.get(name))


def _read(path: Path) -> dict[str, Any] | None:
    """Return the plan or record of a run, None if there is none that can be read."""
    from simlab.studies.store import RECORD_KEYS

    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    known = isinstance(found, dict) and all(key in found for key in RECORD_KEYS)
    return found if known else None


def _has_tables(folder: Path, record: Mapping[str, Any]) -> bool:
    from simlab.studies.store import DUELS, ENGAGEMENTS

    names = (DUELS,) if record["engagements"] is None else (DUELS, ENGAGEMENTS)
    return all((folder / name).is_file() for name in names)


def _study_path(folder: Path, plan: Mapping[str, Any]) -> Path:
    """Return where the study of a run lies, in its shortest form."""
    path = Path(os.path.normpath(folder.absolute() / str(plan.get("study_file"))))
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _written(folder: Path) -> datetime:
    """When the run was last written to."""
    from simlab.studies.store import DUELS, ENGAGEMENTS, PLAN, RECORD

    names = (RECORD, PLAN, DUELS, ENGAGEMENTS, JOURNAL, f"{JOURNAL}-wal")
    times = [(folder / name).stat().st_mtime for name in names if (folder / name).exists()]
    return datetime.fromtimestamp(max(times), UTC).astimezone()
