"""Folders and disks that take no more: one clear line, nothing half-written, and later the run goes on."""

import errno
import fcntl
import os
import resource
import sqlite3
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from paper import STUDY, PaperEngine, install, paper_run, write_study
from shell import journal_rows

from simlab.lab.study import run
from simlab.model.errors import InputError
from simlab.studies.journal import JOURNAL, LOCK, is_locked, locked
from simlab.studies.store import DUELS, ENGAGEMENTS

NOBODY = 65534
DUELS_ONLY = STUDY.replace("engagements", "#")
MANY = DUELS_ONLY.replace("{6: 1, 12: 3}", str(list(range(1, 120))))
"""A study whose tables and journal need more than a few pages."""


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> PaperEngine:
    """The paper system in place of a real one."""
    return install(monkeypatch)


def check_goes_on(tmp_path: Path, folder: Path, text: str, engine: PaperEngine) -> None:
    """Run again where there is room now; nothing that was kept is fought again, and the tables are whole."""
    assert not list(folder.glob("*.tmp")) + list(folder.glob(".*.tmp"))
    with sqlite3.connect(folder / JOURNAL) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    kept = journal_rows(folder / JOURNAL)
    engine.calls.clear()
    again = paper_run(tmp_path, text)
    assert len(engine.calls) == len(again.duels) - kept
    whole = run(tmp_path / "paper.yaml", results=tmp_path / "elsewhere").folder
    assert (folder / DUELS).read_bytes() == (whole / DUELS).read_bytes()


@contextmanager
def file_size_limit(most: int) -> Iterator[None]:
    """Let no file grow beyond a size, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_journal_that_may_not_grow_stops_the_run_with_a_line(tmp_path, engine):
    with file_size_limit(60_000), pytest.raises(InputError) as caught:
        paper_run(tmp_path, MANY)
    folder = tmp_path / "results" / "paper"
    assert f"{folder / JOURNAL}: journal: found a journal that cannot be used (disk I/O error)" in str(
        caught.value
    )
    assert 0 < journal_rows(folder / JOURNAL) < 4 * 119
    assert not (folder / DUELS).exists()
    check_goes_on(tmp_path, folder, MANY, engine)


def test_tables_that_may_not_grow_stop_the_run_with_a_line(tmp_path, engine):
    folder = paper_run(tmp_path, MANY).folder
    size = (folder / DUELS).stat().st_size
    assert size > 34_000
    (folder / DUELS).unlink()
    with file_size_limit(33_000), pytest.raises(InputError) as caught:  # SQLite needs 32,768 bytes
        paper_run(tmp_path, MANY)
    assert str(caught.value).startswith(f"{folder / DUELS}: results: found ")
    assert not (folder / DUELS).exists()
    assert not (folder / "run.json").exists()
    check_goes_on(tmp_path, folder, MANY, engine)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MB, for those who may mount one."""
    folder = tmp_path / "results"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_stops_the_run_with_a_line(tmp_path, engine, small_disk, simlab):
    study = write_study(tmp_path, MANY)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(8_000_000))
    said = simlab("run", str(study), "--results", str(small_disk))
    folder = small_disk / "paper"
    assert said.code == 2
    assert said.errors == [
        f"{folder / JOURNAL}: journal: found a full disk, allowed room to write; what is finished is kept, so the"
        " same run goes on from there"
    ]
    assert 0 < journal_rows(folder / JOURNAL) < 4 * 119
    ballast.unlink()
    check_goes_on(tmp_path, folder, MANY, engine)


@pytest.mark.parametrize("name", [DUELS, ENGAGEMENTS, "run.json", "summary.md", "plan.json"])
def test_a_disk_that_is_full_at_a_file_leaves_none_of_it(tmp_path, engine, simlab, monkeypatch, name):
    """Half of the file is written, then there is no room."""
    write_parquet, write_bytes = pd.DataFrame.to_parquet, Path.write_bytes

    def half(path: Path, content: bytes) -> None:
        write_bytes(path, content[: len(content) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def to_parquet(self: Any, path: Path) -> None:
        write_parquet(self, path)
        if path.name.startswith(f".{name}."):
            half(path, path.read_bytes())

    def to_bytes(path: Path, content: bytes) -> int:
        if path.name.startswith(f".{name}."):
            half(path, content)
        return write_bytes(path, content)

    study = write_study(tmp_path)
    results = tmp_path / "results"
    with monkeypatch.context() as patch:
        patch.setattr(pd.DataFrame, "to_parquet", to_parquet)
        patch.setattr(Path, "write_bytes", to_bytes)
        said = simlab("run", str(study), "--results", str(results))
    folder = results / "paper"
    assert said.code == 2
    assert said.errors == [
        f"{folder / name}: results: found No space left on device, allowed a place with room where files can be written"
    ]
    assert not (folder / name).exists()
    assert not list(folder.glob(".*.tmp"))
    assert (folder / "run.json").exists() == (name == "summary.md")
    fought = len(engine.calls)
    again = paper_run(tmp_path)
    assert (len(engine.calls) > fought) == (name == "plan.json")
    whole = run(study, results=tmp_path / "elsewhere").folder
    for table in (DUELS, ENGAGEMENTS):
        assert (again.folder / table).read_bytes() == (whole / table).read_bytes()


@contextmanager
def as_nobody() -> Iterator[None]:
    """Be a user whom permissions concern: root is none."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("made", [False, True], ids=["results", "the folder of the run"])
def test_a_folder_that_may_only_be_read_is_named(engine, simlab, made):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        study = write_study(Path(folder))
        closed = Path(folder) / "results"
        (closed / "paper" if made else closed).mkdir(parents=True)
        for path in (closed / "paper", closed):
            if path.exists():
                path.chmod(0o555)
        with as_nobody():
            said = simlab("run", str(study), "--results", str(closed))
    assert said.code == 2
    assert len(said.errors) == 1
    assert said.errors[0].startswith(f"{closed / 'paper'}: results: found Permission denied, allowed a ")
    assert engine.calls == []


def test_a_finished_run_is_looked_at_where_nothing_may_be_written(engine, simlab):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        found = paper_run(Path(folder))
        for path in (*found.folder.iterdir(), found.folder):
            path.chmod(0o555 if path.is_dir() else 0o444)
        with as_nobody():
            said = simlab("status", str(found.folder))
        assert said.code == 0, said.errors


def test_the_second_of_two_runs_in_a_folder_is_refused(tmp_path, engine, simlab):
    folder = paper_run(tmp_path).folder
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    engine.calls.clear()
    study = write_study(tmp_path, STUDY.replace("n: 1000", "n: 1001"))
    with locked(folder):
        said = simlab("run", str(study), "--results", str(folder.parent))
    assert said.code == 2
    assert said.errors == [f"{folder}: results: found a run under way, allowed one run at a time in a folder"]
    assert engine.calls == []
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_who_only_looks_keeps_no_run_away(tmp_path, engine, monkeypatch):
    """Whether a run is under way is asked by taking the lock, which lasts a moment."""
    folder = paper_run(tmp_path).folder
    with locked(folder):
        assert is_locked(folder)
    assert not is_locked(folder)
    assert not is_locked(tmp_path)
    assert not (tmp_path / LOCK).exists()
    handle = os.open(folder / LOCK, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_SH)
    timer = threading.Timer(0.1, os.close, (handle,))
    timer.start()
    assert paper_run(tmp_path).fights == 0
    timer.join()
