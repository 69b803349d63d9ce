"""The journal: what it gives back, and what becomes of it when it is old, foreign or damaged."""

import random
import shutil
import sqlite3
from pathlib import Path

import pytest
from paper import STUDY, PaperEngine, install, paper_run
from shell import journal_rows

from simlab.model.errors import InputError
from simlab.studies.journal import JOURNAL, Journal
from simlab.studies.store import DUELS

FLIPS = 25


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> PaperEngine:
    """The paper system in place of a real one."""
    return install(monkeypatch)


def test_it_returns_what_it_was_given(tmp_path):
    with Journal(tmp_path / JOURNAL) as journal:
        assert journal.is_empty()
        assert journal.get("a") is None
        journal.put("a", {"n": 10**12, "outcomes": [1, 2, 3, 4]})
        journal.put("a", {"n": 1})
        assert journal.get("a") == {"n": 1}
        assert not journal.is_empty()


@pytest.mark.parametrize(
    "column", ["content = '{\"n\":2}'", "content = x'ff'", "sum = sum + 1", "digest = 'b'"]
)
def test_a_piece_that_is_not_what_was_stored_is_none(tmp_path, column):
    with Journal(tmp_path / JOURNAL) as journal:
        journal.put("a", {"n": 1})
    with sqlite3.connect(tmp_path / JOURNAL) as connection:
        connection.execute(f"UPDATE pieces SET {column}")
    with Journal(tmp_path / JOURNAL) as journal:
        assert journal.get("a") is None
        assert journal.get("b") is None
        journal.put("a", {"n": 3})
        assert journal.get("a") == {"n": 3}


def test_reading_writes_nothing(tmp_path):
    with Journal(tmp_path / JOURNAL, reading=True) as journal:
        assert journal.is_empty()
    assert list(tmp_path.iterdir()) == []
    with Journal(tmp_path / JOURNAL) as journal:
        journal.put("a", {"n": 1})
        with Journal(tmp_path / JOURNAL, reading=True) as other:
            assert other.get("a") == {"n": 1}, "while it is written"
    before = [(path.name, path.read_bytes()) for path in tmp_path.iterdir()]
    with Journal(tmp_path / JOURNAL, reading=True) as journal:
        assert journal.get("a") == {"n": 1}
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == before
    with Journal(tmp_path / JOURNAL, reading=True) as journal, pytest.raises(InputError, match="readonly"):
        journal.put("a", {"n": 2})


def old_journal(path: Path) -> None:
    """A journal as it was before its pieces had sums."""
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE pieces (digest TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID"
        )
        connection.execute("INSERT INTO pieces VALUES ('a', '{\"n\":1}')")


def test_an_older_journal_is_begun_anew(tmp_path, engine):
    old_journal(tmp_path / JOURNAL)
    with Journal(tmp_path / JOURNAL, reading=True) as journal:
        assert journal.get("a") is None
    with Journal(tmp_path / JOURNAL) as journal:
        assert journal.is_empty()
    folder = tmp_path / "results" / "paper"
    folder.mkdir(parents=True)
    old_journal(folder / JOURNAL)
    found = paper_run(tmp_path)
    assert found.fights > 0
    assert journal_rows(folder / JOURNAL) == len(engine.calls)


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (["PRAGMA user_version = 3"], "a database of schema 3"),
        (["CREATE TABLE pieces (a)", "PRAGMA user_version = 9"], "a database of schema 9"),
        (["CREATE TABLE mine (a)"], "a database of another kind"),
        (["CREATE TABLE mine (a)", "PRAGMA user_version = 2"], "a database of another kind"),
    ],
)
def test_a_foreign_database_is_left_alone(tmp_path, make, found):
    with sqlite3.connect(tmp_path / JOURNAL) as connection:
        for command in make:
            connection.execute(command)
    for reading in (False, True):
        with pytest.raises(InputError, match=f"{JOURNAL}: journal: found {found}"):
            Journal(tmp_path / JOURNAL, reading=reading)
    with sqlite3.connect(tmp_path / JOURNAL) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
    assert tables == [(command.split()[2],) for command in make if command.startswith("CREATE")]


def test_a_damaged_journal_is_named_or_does_no_harm(tmp_path, engine):
    """Bytes are changed anywhere in the file: either the run says so, or its tables are right all the same."""
    text = STUDY.replace("engagements", "#").replace("{6: 1, 12: 3}", str(list(range(1, 30))))
    whole = paper_run(tmp_path, text)
    tables, journal = (whole.folder / DUELS).read_bytes(), (whole.folder / JOURNAL).read_bytes()
    rng = random.Random(7)
    named = 0
    for _ in range(FLIPS):
        shutil.rmtree(whole.folder)
        whole.folder.mkdir()
        damaged = bytearray(journal)
        for _ in range(rng.choice((1, 3, 100))):
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        (whole.folder / JOURNAL).write_bytes(damaged)
        try:
            paper_run(tmp_path, text)
        except InputError as error:
            assert f"{whole.folder / JOURNAL}: journal: found " in str(error)
            assert "\n" not in str(error)
            named += 1
        else:
            assert (whole.folder / DUELS).read_bytes() == tables
    assert 0 < named < FLIPS
