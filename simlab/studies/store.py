"""The folder of a run: tables and record, each file written whole or not at all."""

import json
import os
import platform
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from simlab.model.errors import FOUND_WIDTH, InputError, shortened
from simlab.model.keys import alike, digest
from simlab.studies.journal import JOURNAL, Journal, locked
from simlab.studies.outlook import Progress
from simlab.studies.run import ChooseSize, Plan, Tables, run_tables
from simlab.studies.study_file import Study
from simlab.studies.work import Worker, solver_id
from simlab.version import __version__

RECORD = "run.json"
PLAN = "plan.json"
"""Written at the start: what the run was asked for, where its study lies, and what its journal held."""
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
    On an interrupt the finished work is in the journal. Raises InputError while another run uses the folder, and
    where nothing can be written.
    """
    start = time.perf_counter()
    with named_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with locked(folder), Journal(folder / JOURNAL) as journal:
        remove_leftovers(folder)
        for ids in alike((sheet.id, study.system.fight_hash(sheet)) for sheet in study.sheets):
            progress(
                0,
                0,
                f"these units fight alike in {study.system.name}, so they share their dice: {', '.join(ids)}",
            )
        worker = Worker(study.system, study.options, study.seed, lambda text: progress(0, 0, text))
        record = make_record(study, n, worker)
        if is_finished(folder, record["digest"], study.engagements is not None):
            return Work()
        plan = Plan(study, n, worker, choose_size)
        kept = list(plan.kept(journal))
        counted = {"parts": asdict(plan.parts), "reused": asdict(plan.parts_of(kept))}
        write_json(folder / PLAN, record | counted | {"study_file": _way(study.file, folder)})
        tables = run_tables(plan, journal, workers or os.cpu_count() or 1, progress, kept)
        work = {"fights": tables.fights, "solved": tables.solved}
        _save_run(folder, tables, record | counted | work, start)
        return Work(**work)


def _way(file: str, folder: Path) -> str:
    """Return where a file lies, as seen from a folder."""
    return os.path.relpath(Path(file).absolute(), folder.absolute())


RECORD_KEYS = (
    *("name", "study", "system", "rules_version", "seed", "n", "turns", "engagements", "range_unit", "units"),
    *("readings", "non_default", "digest"),
)


def without_duels(folder: Path) -> InputError:
    """Return the error of a run whose fights are not there, as in a fresh copy of the project."""
    allowed = "a finished run with its fights, which simlab run makes of its study"
    return InputError.one("run", f"no {DUELS}", allowed, file=str(folder))


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
    """Let `write` make a file beside `path`, force it to disk, and put it in place in one step.

    Raises InputError that names the file if it cannot be written: a full disk, a folder that may only be read.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with named_errors(path):
        try:
            write(beside)
            with beside.open("rb+") as stream:
                os.fsync(stream.fileno())
            beside.replace(path)
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Turn an error of the system into one that names a file or folder."""
    try:
        yield
    except OSError as error:
        found = error.strerror or shortened(str(error), FOUND_WIDTH) or "a path that cannot be used"
        allowed = "a place with room where files can be written"
        raise InputError.one("results", found, allowed, file=str(path)) from error


def remove_leftovers(folder: Path) -> None:
    """Remove files that processes which are gone have left half-written."""
    for path in folder.glob(".*.tmp"):
        writer = _BESIDE.fullmatch(path.name)
        if writer is not None and not _is_alive(int(writer[1])):
            with suppress(OSError):
                path.unlink()


_BESIDE = re.compile(r"\..+\.([0-9]{1,9})\.tmp")
"""Names of `write_whole`, with the number of the process."""


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)  # nothing is sent
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 text file whole or not at all; line ends stay as they are."""
    write_whole(path, lambda beside: _write_bytes(beside, text.encode("utf-8")))


def _write_bytes(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON object whole or not at all."""
    write_text(path, json.dumps(content, indent=1, allow_nan=False, ensure_ascii=True) + "\n")


def _save_run(folder: Path, tables: Tables, record: dict[str, Any], start: float) -> None:
    """The record goes first and comes back last: whoever finds one finds the tables that belong to it."""
    with named_errors(folder / RECORD):
        (folder / RECORD).unlink(missing_ok=True)
    for name, table in ((DUELS, tables.duels), (ENGAGEMENTS, tables.engagements)):
        if table is None:
            with named_errors(folder / name):
                (folder / name).unlink(missing_ok=True)
        else:
            write_whole(folder / name, table.to_parquet)
    write_json(folder / RECORD, record | {"seconds": round(time.perf_counter() - start, 3)})


def is_finished(folder: Path, wanted: str, engagements: bool) -> bool:
    """Tell whether a folder holds the tables of a record with this digest."""
    names = (RECORD, PLAN, DUELS, ENGAGEMENTS) if engagements else (RECORD, PLAN, DUELS)
    if not all((folder / name).is_file() for name in names):
        return False
    try:
        return bool(load_record(folder).get("digest") == wanted)
    except InputError:
        return False


def make_record(study: Study, n: int, worker: Worker) -> dict[str, Any]:
    """Return all that decides what a run finds, with a digest of it."""
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
