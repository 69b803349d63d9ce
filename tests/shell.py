"""Command lines for tests: in this process or in one of their own, and sheets to name in them."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from simlab.cli import main

ROOT = Path(__file__).parent.parent
PRINTED = ROOT / "units" / "blitzkrieg" / "m4a3_sherman_lp.yaml"
PAIR = ("panther_g", "m4a3_sherman_lp")


class Said:
    """What a command line came to."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.errors = err.splitlines()


class Shell:
    """Runs command lines in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str) -> Said:
        self._capsys.readouterr()
        code = main(arguments)
        return Said(code, *self._capsys.readouterr())


def in_process(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run `python -m simlab` as a user does, with environment variables."""
    command = [sys.executable, "-m", "simlab", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, check=False)


def sherman(elsewhere: Path, stem: str, **changes: str) -> str:
    """Write a Sherman with texts of its sheet replaced and return its path."""
    text = PRINTED.read_text(encoding="utf-8")
    for old, new in changes.items():
        assert OLD[old] in text
        text = text.replace(OLD[old], new)
    path = elsewhere / f"{stem}.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


OLD = {
    "name": "name: M4A3 Sherman LP",
    "ecv": "ecv: {value: 558, source: rulebook}",
    "cannon": "name: 76mm Rifled Cannon, type: ballistic",
}


def journal_rows(path: Path) -> int:
    """Return how many pieces a journal holds, 0 if there is none."""
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT count(*) FROM pieces").fetchone()[0])
    except sqlite3.Error:
        return 0
