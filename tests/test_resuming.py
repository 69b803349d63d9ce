"""Runs that are taken up again: what is reused, what an interrupt keeps, what is said of folders and journals."""

import fcntl
import os
from pathlib import Path

import pandas as pd
import pytest
from paper import COUNTS, SHEETS, STUDY, PaperEngine, PaperSheet, PaperSystem, install, paper_run
from shell import ROOT, journal_rows

from simlab.lab.study import load_run, run
from simlab.model.errors import InputError
from simlab.studies import work
from simlab.studies.journal import LOCK, Journal
from simlab.studies.method import Choice
from simlab.studies.store import DUELS, ENGAGEMENTS, write_text, write_whole

UNITS = ROOT / "units"


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> PaperEngine:
    """The paper system in place of a real one."""
    return install(monkeypatch)


def test_a_second_run_fights_nothing_and_touches_nothing(tmp_path, engine):
    first = paper_run(tmp_path)
    assert first.fights > 0
    assert len(engine.calls) > 16
    before = {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in first.folder.glob("[!.j]*")}
    engine.calls.clear()
    again = paper_run(tmp_path)
    assert again.fights == 0
    assert engine.calls == []
    assert {
        path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in first.folder.glob("[!.j]*")
    } == before
    pd.testing.assert_frame_equal(first.engagements, again.engagements)


@pytest.mark.parametrize("name", [DUELS, ENGAGEMENTS, "plan.json", "run.json"])
def test_what_is_missing_is_made_again_from_the_journal(tmp_path, engine, name):
    found = paper_run(tmp_path)
    contents = [(found.folder / table).read_bytes() for table in (DUELS, ENGAGEMENTS)]
    (found.folder / name).unlink()
    engine.calls.clear()
    paper_run(tmp_path)
    assert engine.calls == []
    assert (found.folder / name).is_file()
    assert [(found.folder / table).read_bytes() for table in (DUELS, ENGAGEMENTS)] == contents


@pytest.mark.parametrize(
    ("old", "new", "all_again"),
    [
        ("n: 1000", "n: 1001", True),
        ("n: 1000", "n: 1000\nseed: 2", True),
        ("n: 1000", "n: 1000\nturns: 13", False),
        ("{6: 1, 12: 3}", "{6: 1, 12: 3, 18: 1}", False),
        ("[1, 2, 3]", "[1, 2, 3, 4]", False),
        ("6: 1", "6: 2", None),
        ("name: Paper", "name: Other", None),
    ],
)
def test_only_what_changed_is_fought_again(tmp_path, engine, old, new, all_again):
    first = paper_run(tmp_path)
    engine.calls.clear()
    again = paper_run(tmp_path, STUDY.replace(old, new))
    if all_again is None:
        assert engine.calls == []
    else:
        assert engine.calls
        assert (again.fights >= first.fights) == all_again


def test_other_rules_or_kernels_are_never_served_from_the_journal(tmp_path, engine, monkeypatch):
    first = paper_run(tmp_path)
    monkeypatch.setattr(work, "kernel_id", lambda system: "kernel 2")
    assert paper_run(tmp_path).fights == first.fights
    monkeypatch.setattr(PaperSystem, "version", "paper-2")
    changed = paper_run(tmp_path)
    assert changed.fights > 0
    assert changed.record["rules_version"] == "paper-2"


@pytest.mark.parametrize("after", [0, 1, 7, 30])
def test_an_interrupt_keeps_what_is_finished(tmp_path, engine, after):
    engine.stop_after = after
    with pytest.raises(KeyboardInterrupt):
        paper_run(tmp_path)
    folder = tmp_path / "results" / "paper"
    assert not (folder / "run.json").exists()
    with pytest.raises(InputError, match=r"no run\.json"):
        load_run(folder)
    engine.stop_after = None
    resumed = paper_run(tmp_path)
    calls = len(engine.calls)
    whole = run(tmp_path / "paper.yaml", results=tmp_path / "elsewhere")
    assert len(engine.calls) - calls == calls, "nothing was fought twice"
    pd.testing.assert_frame_equal(resumed.duels, whole.duels)
    pd.testing.assert_frame_equal(resumed.engagements, whole.engagements)


def test_large_rows_are_stored_in_pieces(tmp_path, engine, monkeypatch):
    monkeypatch.setattr(work, "PIECE", 600)
    found = paper_run(tmp_path, STUDY.replace("engagements: {sizes: [1, 2, 3]}\n", ""), workers=1)
    assert sorted(engine.calls) == sorted(16 * [(0, 300), (300, 300), (600, 300), (900, 100)])
    assert journal_rows(found.folder / "journal.sqlite") == 64


def test_one_run_at_a_time_in_a_folder(tmp_path, engine):
    folder = paper_run(tmp_path).folder
    with (folder / LOCK).open("r+") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with pytest.raises(InputError, match="paper: results: found a run under way, allowed one"):
            paper_run(tmp_path)
    assert paper_run(tmp_path).fights == 0


def test_a_file_that_is_no_journal_is_named(tmp_path, engine):
    folder = tmp_path / "results" / "paper"
    folder.mkdir(parents=True)
    (folder / "journal.sqlite").write_text("no database at all" * 100)
    with pytest.raises(InputError, match=r"journal\.sqlite"):
        paper_run(tmp_path)


def test_a_results_folder_that_cannot_be_made_is_named(tmp_path, engine):
    (tmp_path / "results").write_text("a file")
    with pytest.raises(InputError, match="results: found"):
        paper_run(tmp_path)


def test_files_are_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "table.txt"
    write_text(path, "old")

    def fail(beside: Path) -> None:
        beside.write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(path, fail)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_journal_returns_what_it_was_given(tmp_path):
    with Journal(tmp_path / "j.sqlite") as journal:
        assert journal.get("a") is None
        journal.put("a", {"n": 10**12, "outcomes": [1, 2, 3, 4]})
        journal.put("a", {"n": 1})
        assert journal.get("a") == {"n": 1}


def test_another_sheet_fights_its_own_rows_again_and_no_others(tmp_path, engine, monkeypatch):
    text = STUDY.replace("[strong, weak]", "[strong, weak, silent]").replace("engagements", "#")
    first = paper_run(tmp_path, text)
    assert first.fights == (9 * 4 - 4) * 1000, "nobody fires where silent meets silent"
    monkeypatch.setitem(SHEETS, "strong", PaperSheet("strong", 3.0, SHEETS["strong"].ecv))
    engine.calls.clear()
    again = paper_run(tmp_path, text)
    assert again.fights == 1000 * len(engine.calls) == 5 * 4 * 1000
    assert again.record["reused"] == {"rows": 4 * 4, "fair_numbers": 0}
    assert first.record["reused"] == {"rows": 0, "fair_numbers": 0}
    same = ~(first.duels[["a", "b"]] == "strong").any(axis=1)
    pd.testing.assert_frame_equal(first.duels[same], again.duels[same])
    assert not first.duels[~same].equals(again.duels[~same])
    monkeypatch.undo()


def test_tables_are_the_same_bytes_whatever_threads_order_or_stops(tmp_path, engine, monkeypatch):
    monkeypatch.setattr(work, "BLOCK", 500)
    whole = paper_run(tmp_path, workers=1).folder
    engine.delay = True
    for place, workers in enumerate((1, 2, 7)):
        elsewhere = tmp_path / str(place)
        engine.stop_after = len(engine.calls) + 40
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "paper.yaml", results=elsewhere, workers=workers)
        engine.stop_after = None
        run(tmp_path / "paper.yaml", results=elsewhere, workers=9 - workers)
        for name in (DUELS, ENGAGEMENTS, "prices.csv"):
            assert (elsewhere / "paper" / name).read_bytes() == (whole / name).read_bytes()


def test_units_that_fight_alike_share_their_fights_and_are_named_once(tmp_path, engine):
    told: list[str] = []
    text = STUDY.replace("[strong, weak]", "[weak, unpriced]").replace("engagements", "#")
    found = paper_run(
        tmp_path, text, progress=lambda done, total, what: told.append(what if not total else "")
    )
    assert found.fights == 4 * 1000, "four situations, not sixteen rows"
    assert [what for what in told if what] == [
        "these units fight alike in paper, so they share their dice: weak, unpriced"
    ]
    assert len(found.duels[COUNTS].drop_duplicates()) == 4


def test_what_a_killed_run_left_half_written_goes_away(tmp_path, engine):
    folder = paper_run(tmp_path).folder
    gone = 2**22 + 1
    half = [folder / f".{name}.{gone}.tmp" for name in (DUELS, ENGAGEMENTS, "run.json", "summary.md")]
    others = [folder / name for name in ("notes.tmp", ".mine.tmp", f".referee.json.{os.getpid()}.tmp")]
    for path in (*half, *others):
        path.write_bytes(b"half")
    paper_run(tmp_path)
    assert not any(path.exists() for path in half)
    assert all(path.exists() for path in others)


def test_whether_a_duel_is_solved_does_not_depend_on_what_was_solved_before(tmp_path, monkeypatch):
    study = tmp_path / "one.yaml"
    text = "name: One\nsystem: blitzkrieg\nunits: [m4a3_sherman_lp]\nturns: 2\nn: 100\nmethod: {}\n"
    text += "situations: {{range: [12], aspect: [front]}}\n"
    study.write_text(text.format("exact"))
    assert run(study, results=tmp_path, units=UNITS).solved == 1
    study.write_text(text.format("auto"))
    monkeypatch.setattr(work, "is_cheap", lambda seconds: False)
    asked = []
    monkeypatch.setattr(work, "choose_method", lambda *values: asked.append(values) or Choice(False, "dear"))
    for _ in range(2):
        found = run(study, results=tmp_path, units=UNITS)
        (found.folder / DUELS).unlink()
        assert found.duels["method"].tolist() == ["monte_carlo"]
    assert len(asked) == 1, "the choice is kept as well"
