"""The journal of a run: finished pieces of work on disk, one transaction each, so that no stop loses them."""

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from simlab.model.errors import InputError

JOURNAL = "journal.sqlite"
LOCK = ".lock"


class Journal:
    """Finished pieces by digest, in an SQLite file with a write-ahead log. Use it as a context manager."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        try:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS pieces"
                " (digest TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID"
            )
        except sqlite3.DatabaseError as error:
            self._connection.close()
            found = f"a file that is no journal ({error})"
            raise InputError.one(
                "journal", found, "a journal of simlab, or no file", file=str(path)
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def get(self, digest: str) -> dict[str, Any] | None:
        """Return the stored content, or None."""
        row = self._connection.execute("SELECT content FROM pieces WHERE digest = ?", (digest,)).fetchone()
        return None if row is None else dict(json.loads(row[0]))

    def put(self, digest: str, content: dict[str, Any]) -> None:
        """Store content under a digest; it is safe when this returns."""
        text = json.dumps(content, separators=(",", ":"))
        self._connection.execute("INSERT OR REPLACE INTO pieces VALUES (?, ?)", (digest, text))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder for one run; the lock ends with the process, whatever ends it.

    Raises InputError while another run holds it.
    """
    handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError.one(
                "results", f"a run under way in {folder}", "one run at a time in a folder"
            ) from error
        yield
    finally:
        os.close(handle)
