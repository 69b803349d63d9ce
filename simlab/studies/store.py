"""The folder of a run: tables and record, each file written whole or not at all."""

import json
import os
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from simlab.model.errors import InputError
from simlab.model.keys import digest
from simlab.studies.journal import JOURNAL, Journal, locked
from simlab.studies.run import ChooseSize, Progress, Tables, run_tables
from simlab.studies.study_file import Study
from simlab.studies.work import Worker, solver_id
from simlab.version import __version__

RECORD = "run.json"
DUELS = "duels.parquet"
ENGAGEMENTS = "engagements.parquet"
SCHEMA = 1


@dataclass(frozen=True)
class Work:
    """What a call did: fights fought and duels solved, none of them found in the journal."""

    fights: int = 0
    solved: int = 0


def run_study(
    study: Study,
    n: int,
    folder: Path,
    choose_size: ChooseSize,
    workers: int | None = None,
    progress: Progress = lambda done, total, text: None,
) -> Work:
    """Run a study with n fights a row into `folder` (made if missing) and return the work that it took.

    Work that the journal holds is not done again; where nothing has changed at all, no file is touched.
    On an interrupt the finished work is in the journal. Raises InputError while another run uses the folder.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        found = error.strerror or "a path that cannot be made"
        raise InputError.one("results", found, "a folder that can be written", file=str(folder)) from error
    with locked(folder), Journal(folder / JOURNAL) as journal:
        worker = Worker(study.system, study.options, study.seed, journal, workers)
        record = _record(study, n, worker)
        if _is_finished(folder, record["digest"], study.engagements is not None):
            return Work()
        tables = run_tables(study, n, worker, choose_size, progress)
        _save_run(folder, tables, record)
        return Work(tables.fights, tables.solved)


RECORD_KEYS = (
    *("name", "study", "system", "rules_version", "seed", "n", "turns", "engagements", "range_unit", "units"),
    *("readings", "non_default", "digest"),
)


def load_record(folder: Path) -> dict[str, Any]:
    """Return the content of `run.json`; InputError if the folder holds no finished run."""
    path = folder / RECORD
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError.one(
            "run", f"no {RECORD}", "the folder of a finished run", file=str(folder)
        ) from error
    except (OSError, ValueError) as error:
        raise InputError.one(
            "run", "an unreadable record", "the record of a finished run", file=str(path)
        ) from error
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        raise InputError.one("run", "a record of another kind", f"schema {SCHEMA}", file=str(path))
    missing = [key for key in RECORD_KEYS if key not in record]
    if missing:
        found = f"a record without {', '.join(missing)}"
        raise InputError.one("run", found, "the record of a finished run", file=str(path))
    return record


def load_table(folder: Path, name: str) -> pd.DataFrame | None:
    """Return a stored table, or None if the run has none of that name; InputError if it cannot be read."""
    path = folder / name
    if not path.exists():
        return None
    try:
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise InputError.one(
            "run", "an unreadable table", "a table of a finished run", file=str(path)
        ) from error


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` make a file beside `path`, force it to disk, and put it in place in one step."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write(beside)
        with beside.open("rb+") as stream:
            os.fsync(stream.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 text file whole or not at all; line ends stay as they are."""
    write_whole(path, lambda beside: _write_bytes(beside, text.encode("utf-8")))


def _write_bytes(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _save_run(folder: Path, tables: Tables, record: dict[str, Any]) -> None:
    """The record goes first and comes back last: whoever finds one finds the tables that belong to it."""
    (folder / RECORD).unlink(missing_ok=True)
    for name, table in ((DUELS, tables.duels), (ENGAGEMENTS, tables.engagements)):
        if table is None:
            (folder / name).unlink(missing_ok=True)
        else:
            write_whole(folder / name, table.to_parquet)
    record |= {"fights": tables.fights, "solved": tables.solved, "seconds": round(tables.seconds, 3)}
    write_text(folder / RECORD, json.dumps(record, indent=1, allow_nan=False, ensure_ascii=True) + "\n")


def _is_finished(folder: Path, wanted: str, engagements: bool) -> bool:
    names = (RECORD, DUELS, ENGAGEMENTS) if engagements else (RECORD, DUELS)
    if not all((folder / name).is_file() for name in names):
        return False
    try:
        return bool(load_record(folder).get("digest") == wanted)
    except InputError:
        return False


def _record(study: Study, n: int, worker: Worker) -> dict[str, Any]:
    system, wanted = study.system, study.engagements
    content = {
        "schema": SCHEMA,
        "name": study.name,
        "study": json.loads(json.dumps(study.content)),
        "system": system.name,
        "rules_version": system.version,
        "kernel": worker.kernel,
        **({} if study.method == "monte_carlo" else {"solver": solver_id(system)}),
        "seed": study.seed,
        "n": n,
        "turns": study.turns,
        "engagements": None if wanted is None else asdict(wanted),
        "range_unit": system.range_unit,
        "readings": study.options.built(),
        "non_default": study.options.non_default(),
        "units": [
            {
                "id": sheet.id,
                "name": sheet.name,
                "nation": sheet.nation,
                "ecv": sheet.ecv.value,
                "source": sheet.ecv.source,
                "sheet_hash": system.sheet_hash(sheet),
                "fight_hash": system.fight_hash(sheet),
            }
            for sheet in study.sheets
        ],
        "versions": {
            "simlab": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "numba", "pandas", "pyarrow")},
        },
    }
    return content | {"digest": digest(content)}
