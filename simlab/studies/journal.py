"""The journal of a run: finished pieces of work on disk, one transaction each, so that no stop loses them."""

import fcntl
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from simlab.model.errors import InputError

JOURNAL = "journal.sqlite"
LOCK = ".lock"
SCHEMA = 2
"""Schema 1 had no checks. Its pieces are dropped: they are of older sources, which nothing asks for any more."""
PATIENCE = 0.5
"""Seconds in which a lock that is held is asked for again: who looks whether a run is under way holds it a moment."""
_TABLE = (
    "CREATE TABLE pieces (digest TEXT PRIMARY KEY, content TEXT NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID"
)
_ROOM = "room to write; what is finished is kept, so the same run goes on from there"


class Journal:
    """Finished pieces by digest, in an SQLite file with a write-ahead log. Use it as a context manager.

    A piece whose content is not what was stored is as good as none. InputError names the file where it is no journal,
    is damaged, or cannot be written. reading: nothing is written, and a file that is missing is one without pieces.
    """

    def __init__(self, path: Path, *, reading: bool = False) -> None:
        self._path = path
        with self._named():
            if not reading:
                self._connection = sqlite3.connect(path, isolation_level=None)
            elif path.exists():
                # Without a log the file is all there is, and to be called immutable keeps SQLite from making one.
                logged = path.with_name(f"{path.name}-wal").exists()
                address = f"{path.absolute().as_uri()}?mode=ro{'' if logged else '&immutable=1'}"
                self._connection = sqlite3.connect(address, isolation_level=None, uri=True)
            else:
                self._connection = sqlite3.connect(":memory:", isolation_level=None)
        self._connection.text_factory = bytes  # damaged text is no error before its sum is taken
        try:
            with self._named():
                self._open(reading and path.exists())
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def get(self, digest: str) -> dict[str, Any] | None:
        """Return the stored content, or None."""
        asked = "SELECT content, sum FROM pieces WHERE digest = ?"
        with self._named():
            row = self._connection.execute(asked, (digest,)).fetchone()
        if row is None or not isinstance(row[0], bytes) or row[1] != _sum(digest, row[0]):
            return None
        return dict(json.loads(row[0]))

    def put(self, digest: str, content: dict[str, Any]) -> None:
        """Store content under a digest; no kill of the process loses it when this has returned."""
        text = json.dumps(content, separators=(",", ":"))
        with self._named():
            self._connection.execute(
                "INSERT OR REPLACE INTO pieces VALUES (?, ?, ?)", (digest, text, _sum(digest, text.encode()))
            )

    def is_empty(self) -> bool:
        """Tell whether there is no piece at all."""
        with self._named():
            return self._connection.execute("SELECT 1 FROM pieces LIMIT 1").fetchone() is None

    def _open(self, reading: bool) -> None:
        ask = self._connection.execute
        if not reading:
            ask("PRAGMA journal_mode = WAL")
            ask("PRAGMA synchronous = NORMAL")
        schema = ask("PRAGMA user_version").fetchone()[0]
        tables = [row[0].decode() for row in ask("SELECT name FROM sqlite_master WHERE type = 'table'")]
        if schema == SCHEMA and tables == ["pieces"]:
            return
        if schema > SCHEMA or (tables and (schema not in (0, 1) or tables != ["pieces"])):
            of = f"schema {schema}" if schema > SCHEMA else "another kind"
            raise InputError.one(
                "journal", f"a database of {of}", "a journal of this simlab, or no file", file=str(self._path)
            )
        if reading:
            self._connection.close()
            self._connection = sqlite3.connect(":memory:", isolation_level=None)
            ask = self._connection.execute
        ask("BEGIN IMMEDIATE")
        ask("DROP TABLE IF EXISTS pieces")
        ask(_TABLE)
        ask(f"PRAGMA user_version = {SCHEMA}")
        ask("COMMIT")

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Turn an error of the database into one that names the file."""
        try:
            yield
        except sqlite3.OperationalError as error:
            found = "a full disk" if "full" in str(error) else f"a journal that cannot be used ({error})"
            raise InputError.one("journal", found, _ROOM, file=str(self._path)) from error
        except sqlite3.DatabaseError as error:
            found = f"a file that is no journal, or a damaged one ({error})"
            allowed = "a journal of simlab; without the file all is fought again"
            raise InputError.one("journal", found, allowed, file=str(self._path)) from error


def _sum(digest: str, text: bytes) -> int:
    return zlib.crc32(text, zlib.crc32(digest.encode()))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder for one run; the lock ends with the process, whatever ends it.

    Raises InputError while another run holds it, or if nothing can be written there.
    """
    try:
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        found = error.strerror or "a folder that cannot be used"
        raise InputError.one("results", found, "a folder that can be written", file=str(folder)) from error
    try:
        if not _taken(handle):
            allowed = "one run at a time in a folder"
            raise InputError.one("results", "a run under way", allowed, file=str(folder))
        yield
    finally:
        os.close(handle)


def is_locked(folder: Path) -> bool:
    """Tell whether a run holds the folder at present."""
    try:
        handle = os.open(folder / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _taken(handle: int) -> bool:
    """Take the lock, or find it held for longer than a moment."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(0.05)
        else:
            return True
