"""Runs killed at random moments: nothing finished is lost, nothing half-written is read, the tables are the same."""

import functools
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from shell import ROOT, journal_rows

from simlab.lab.study import load_run, run
from simlab.model.errors import InputError
from simlab.studies.store import DUELS, ENGAGEMENTS

UNITS = ROOT / "units"
SEED = 20251130
FILES = (".tmp", DUELS, ENGAGEMENTS, "run.json", "summary.md")
STUDY = """\
name: Killed
system: blitzkrieg
units: [panther_g, m4a3_sherman_lp]
situations: {range: [12, 30], aspect: [front, rear]}
n: 4000
method: monte_carlo
engagements: {sizes: [1, 2], turns: 12}
"""


@contextmanager
def children(study: Path) -> Iterator[Callable[..., int]]:
    """Give a function that lets a child run the study and may kill it, as `run_children` says, and returns its code."""
    command = [sys.executable, "run_children.py", str(study), str(UNITS)]
    variables = os.environ | {"PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=ROOT / "tests", env=variables, text=True, stdin=pipe, stdout=pipe
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"

        def child(results: Path, name: str = "", delay: float | None = None) -> int:
            print(json.dumps([str(results), name, delay]), file=server.stdin, flush=True)
            return int(server.stdout.readline())

        yield child
        server.stdin.close()


def kill_often(tmp_path: Path, kills: int) -> None:
    """Kill runs in folder after folder, each until it finishes all the same; look at what is there after each kill."""
    study = tmp_path / "killed.yaml"
    study.write_text(STUDY, encoding="utf-8")
    print(f"seed {SEED}")
    rng = random.Random(SEED)
    whole = run(study, results=tmp_path / "whole", units=UNITS)
    pieces = journal_rows(whole.folder / "journal.sqlite")
    moments: list[str] = []
    with children(study) as child:
        start = time.monotonic()
        assert child(tmp_path / "timed") == 0
        lasts = time.monotonic() - start
        life = 0
        while len(moments) < kills:
            life += 1
            folder, kept, code = tmp_path / str(life) / "killed", 0, 1
            while code != 0:
                if len(moments) >= kills or (folder / "run.json").exists():
                    code = child(folder.parent)
                elif kept < pieces:
                    code = child(folder.parent, "", rng.uniform(0, 0.6 * lasts))
                else:
                    code = child(folder.parent, rng.choice(FILES), rng.uniform(0, 0.02))
                assert code in (0, -signal.SIGKILL)
                before, kept = kept, journal_rows(folder / "journal.sqlite")
                assert kept >= before, "nothing finished is lost"
                if code != 0:
                    moments.append(look(folder, whole.folder, kept, pieces))
            check_same(folder, whole.folder)
    print(f"{len(moments)} kills in {life} folders: {', '.join(moments)}")
    assert "at work" in moments
    assert "at the tables" in moments


def look(folder: Path, whole: Path, kept: int, pieces: int) -> str:
    """Check what a killed run left, and tell when it was killed."""
    if (folder / "journal.sqlite").exists():
        with sqlite3.connect(folder / "journal.sqlite") as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    if (folder / "run.json").exists():
        check_same(folder, whole)
        load_run(folder)
        return "after the tables"
    if folder.exists():
        with pytest.raises(InputError, match=r"no run\.json"):
            load_run(folder)
    for name in (DUELS, ENGAGEMENTS):
        if (folder / name).exists():
            assert (folder / name).read_bytes() == (whole / name).read_bytes()
    return "at the tables" if kept == pieces else "at work"


def check_same(folder: Path, whole: Path) -> None:
    for name in (DUELS, ENGAGEMENTS):
        assert (folder / name).read_bytes() == (whole / name).read_bytes()


@pytest.mark.long
def test_a_run_survives_twenty_kills(tmp_path):
    kill_often(tmp_path, 20)


@pytest.mark.long
def test_a_run_survives_sixty_kills(tmp_path):
    kill_often(tmp_path, 60)


def test_an_interrupt_ends_the_command_and_loses_nothing(tmp_path):
    study = tmp_path / "killed.yaml"
    study.write_text(STUDY.replace("n: 4000", "n: 60000"), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "simlab",
        "run",
        str(study),
        "--results",
        str(tmp_path),
        "--units",
        str(UNITS),
    ]
    variables = os.environ | {"PYTHONPATH": str(ROOT)}
    journal = tmp_path / "killed" / "journal.sqlite"
    # Whoever is started in the background has interrupts ignored, and his children with him.
    heard = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(
        command,
        env=variables,
        text=True,
        stderr=subprocess.PIPE,
        preexec_fn=heard,  # noqa: PLW1509
    ) as child:
        until = time.monotonic() + 60
        while journal_rows(journal) < 5 and child.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate()
    assert (child.returncode, errors) == (130, "interrupted\n")
    kept = journal_rows(journal)
    assert kept >= 5
    resumed = run(study, results=tmp_path, units=UNITS)
    whole = run(study, results=tmp_path / "whole", units=UNITS)
    assert resumed.fights == whole.fights - 60_000 * kept
    check_same(resumed.folder, whole.folder)
