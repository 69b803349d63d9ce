"""`simlab status`: what is finished and to do, whether the tables are those of today, what has changed since."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from paper import SHEETS, STUDY, PaperEngine, PaperSheet, PaperSystem, install, paper_run, write_study

from simlab import lab
from simlab.lab.standing import Count, Status
from simlab.lab.study import run
from simlab.model.ecv import Ecv
from simlab.model.errors import InputError
from simlab.studies import work
from simlab.studies.journal import JOURNAL, locked

ROWS, FAIR_NUMBERS = 16, 48


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> PaperEngine:
    """The paper system in place of a real one."""
    return install(monkeypatch)


def unfinished(tmp_path: Path, engine: PaperEngine, calls: int) -> Path:
    """The folder of a run that was interrupted after some calls."""
    engine.stop_after = len(engine.calls) + calls
    with pytest.raises(KeyboardInterrupt):
        paper_run(tmp_path, workers=1)
    engine.stop_after = None
    return tmp_path / "results" / "paper"


def test_a_finished_run_is_that_of_its_study(tmp_path, engine):
    folder = paper_run(tmp_path).folder
    for seconds in (1_000_000_000, 1_000_000_007):
        for path in folder.iterdir():
            os.utime(path, (seconds, seconds))
    found = lab.status(folder)
    assert (found.state, found.current, found.under_way) == ("finished", True, False)
    assert found.rows == Count(ROWS, ROWS, 0)
    assert found.fair_numbers == Count(FAIR_NUMBERS, FAIR_NUMBERS, 0)
    assert not found.changes.any
    assert found.study is not None
    assert found.study.samefile(tmp_path / "paper.yaml")
    assert found.written.timestamp() == 1_000_000_007
    assert found == lab.status("paper", results=tmp_path / "results")


def test_looking_writes_nothing(tmp_path, engine):
    (tmp_path / "two").mkdir()
    for folder in (paper_run(tmp_path).folder, unfinished(tmp_path / "two", engine, 9)):
        before = {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir()}
        calls = len(engine.calls)
        lab.status(folder)
        assert len(engine.calls) == calls
        assert {
            path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir()
        } == before


def test_a_record_without_its_tables_is_no_finished_run(tmp_path, engine):
    """As it is where the tables are too large to be kept in version control."""
    folder = paper_run(tmp_path).folder
    for name in ("duels.parquet", "engagements.parquet"):
        kept = (folder / name).read_bytes()
        (folder / name).unlink()
        found = lab.status(folder)
        assert (found.state, found.current) == ("unfinished", False)
        (folder / name).write_bytes(kept)
    assert lab.status(folder).state == "finished"


def test_an_unfinished_run_tells_what_is_to_do(tmp_path, engine):
    found = lab.status(unfinished(tmp_path, engine, 9))
    assert (found.state, found.current, found.under_way) == ("unfinished", False, False)
    assert found.rows == Count(ROWS, 9, 0)
    assert found.rows.to_do == 7
    assert found.fair_numbers == Count(FAIR_NUMBERS, 0, 0)
    again = lab.status(unfinished(tmp_path, engine, 4))
    assert again.rows == Count(ROWS, 13, 9)
    folder = paper_run(tmp_path).folder
    assert lab.status(folder).rows == Count(ROWS, ROWS, 13)


def test_a_run_under_way_is_seen(tmp_path, engine):
    seen: list[Status] = []

    def look(done: int, total: int, text: str) -> None:
        if done == 5:
            seen.append(lab.status(tmp_path / "results" / "paper"))

    paper_run(tmp_path, workers=1, progress=look)
    assert len(seen) == 1
    assert (seen[0].state, seen[0].under_way, seen[0].current) == ("unfinished", True, False)
    assert seen[0].rows == Count(ROWS, 5, 0)


def test_an_edited_sheet_is_named_and_its_rows_are_to_do(tmp_path, engine, monkeypatch):
    folder = paper_run(tmp_path).folder
    sheet = SHEETS["weak"]
    monkeypatch.setitem(SHEETS, "weak", PaperSheet("weak", 1.5, sheet.ecv))
    monkeypatch.setitem(SHEETS, "strong", PaperSheet("strong", 2.0, Ecv(value=1.0, source="priced")))
    found = lab.status(folder)
    assert (found.state, found.current) == ("finished", False)
    assert (found.changes.fighting, found.changes.naming) == (("weak",), ("strong",))
    assert found.rows == Count(ROWS, 4, 0), "strong against itself is as it was"
    assert found.fair_numbers == Count(FAIR_NUMBERS, 12, 0)
    paper_run(tmp_path)
    assert lab.status(folder).current
    assert lab.status(folder).rows == Count(ROWS, ROWS, 4)


@pytest.mark.parametrize(
    ("old", "new", "terms", "finished"),
    [
        ("n: 1000", "n: 1001", {"study.n": (1000, 1001)}, 0),
        ("n: 1000", "n: 1000\nseed: 2", {"study.seed": (None, 2)}, 0),
        ("name: Paper", "name: Other", {"study.name": ("Paper", "Other")}, ROWS),
        ("engagements: {sizes: [1, 2, 3]}\n", "", {"study.engagements": ({"sizes": [1, 2, 3]}, None)}, ROWS),
    ],
)
def test_a_changed_study_is_told_by_its_entries(tmp_path, engine, old, new, terms, finished):
    folder = paper_run(tmp_path).folder
    write_study(tmp_path, STUDY.replace(old, new))
    found = lab.status(folder)
    assert not found.current
    assert found.changes.terms == terms
    assert found.rows == Count(ROWS, finished, 0)


def test_other_units_are_told(tmp_path, engine):
    folder = paper_run(tmp_path).folder
    write_study(tmp_path, STUDY.replace("[strong, weak]", "[weak, silent]"))
    found = lab.status(folder)
    assert (found.changes.added, found.changes.gone) == (("silent",), ("strong",))
    assert found.rows == Count(ROWS, 4, 0)


def test_other_rules_and_sources_are_told(tmp_path, engine, monkeypatch):
    folder = paper_run(tmp_path).folder
    monkeypatch.setattr(PaperSystem, "version", "paper-2")
    monkeypatch.setattr(work, "kernel_id", lambda system: "kernel 2")
    found = lab.status(folder)
    assert found.changes.terms == {
        "rules_version": ("paper-1", "paper-2"),
        "kernel": ("kernel 1", "kernel 2"),
    }
    assert found.rows.finished == 0
    assert not found.current


@pytest.mark.parametrize("content", [None, "name: [", STUDY.replace("strong", "gone")])
def test_a_study_that_cannot_be_read_is_a_problem_and_the_run_tells_what_it_can(tmp_path, engine, content):
    folder = paper_run(tmp_path).folder
    study = tmp_path / "paper.yaml"
    if content is None:
        study.unlink()
    else:
        study.write_text(content.replace("gone", "gone.yaml"))
    found = lab.status(folder)
    assert [problem.file for problem in found.problems] == [str(found.study)]
    assert (found.state, found.current) == ("finished", False)
    assert found.rows == Count(ROWS, ROWS, 0)
    assert not found.changes.any
    (folder / "run.json").unlink()
    assert lab.status(folder).rows == Count(ROWS, None, 0)


def test_a_run_of_before_there_were_plans_tells_what_it_can(tmp_path, engine):
    folder = paper_run(tmp_path).folder
    (folder / "plan.json").unlink()
    record = json.loads((folder / "run.json").read_text())
    for name in ("parts", "reused"):
        del record[name]
    (folder / "run.json").write_text(json.dumps(record))
    found = lab.status(folder)
    assert (found.study, found.state, found.rows) == (None, "finished", Count(None, None, 0))


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(
        InputError, match=r"found neither run\.json nor plan\.json, allowed the folder of a run"
    ):
        lab.status(tmp_path)
    (tmp_path / "plan.json").write_text("{")
    with pytest.raises(InputError, match=r"found neither run\.json nor plan\.json"):
        lab.status(tmp_path)
    with pytest.raises(InputError, match="found gone, allowed"):
        lab.status("gone")


def test_a_damaged_journal_is_a_problem(tmp_path, engine):
    folder = unfinished(tmp_path, engine, 9)
    (folder / JOURNAL).write_bytes(b"no database at all" * 1000)
    found = lab.status(folder)
    assert found.rows == Count(ROWS, None, 0)
    assert [problem.file for problem in found.problems] == [str(folder / JOURNAL)]


def test_the_study_is_found_from_any_folder(tmp_path, engine, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_study(tmp_path)
    run("paper.yaml")
    found = lab.status("paper")
    assert found.study == Path("paper.yaml")
    assert "/" not in json.loads(Path("results/paper/plan.json").read_text())["study_file"].replace("../", "")
    (tmp_path / "deeper").mkdir()
    monkeypatch.chdir(tmp_path / "deeper")
    moved = lab.status("../results/paper")
    assert moved.current
    assert moved.study == tmp_path / "paper.yaml"


class TestCommand:
    def test_what_is_typed_and_seen(self, tmp_path, engine, simlab, monkeypatch) -> None:
        monkeypatch.chdir(tmp_path)
        folder = unfinished(tmp_path, engine, 9)
        os.utime(folder / JOURNAL, (2e9, 2e9))
        monkeypatch.setenv("TZ", "UTC")
        said = simlab("status", "paper")
        assert said.errors == []
        assert said.out.splitlines()[:-1] == [
            "Paper (results/paper)",
            "study         paper.yaml",
            "state         unfinished, and no run is under way: simlab run paper.yaml goes on",
            "              from here",
            "rows          16 asked for, 9 finished, 7 to do",
            "fair numbers  48 asked for, 0 finished, 48 to do",
        ]
        assert said.out.splitlines()[-1].startswith("written       2033-05-1")
        with locked(folder):
            assert "state         a run is under way\n" in simlab("status", "paper").out

    def test_changes_are_listed(self, tmp_path, engine, simlab, monkeypatch) -> None:
        monkeypatch.chdir(tmp_path)
        paper_run(tmp_path)
        monkeypatch.setitem(SHEETS, "weak", PaperSheet("weak", 1.5, SHEETS["weak"].ecv))
        monkeypatch.setattr(work, "kernel_id", lambda system: "kernel 2")
        write_study(tmp_path, STUDY + "turns: 9\n")
        assert simlab("status", "paper").out.splitlines()[2:-3] == [
            "state         finished, but the tables are not those of the study, sheets and",
            "              rules as they are now",
            "changed       units that fight otherwise: weak",
            "              study turns: nothing, now 9",
            "              the program that fights",
        ]

    def test_json_is_one_object(self, tmp_path, engine, simlab) -> None:
        folder = paper_run(tmp_path).folder
        told: dict[str, Any] = json.loads(simlab("status", str(folder), "--json").out)
        assert told.keys() >= {"schema", "run", "state", "under_way", "current", "changes", "written"}
        assert told["rows"] == {"asked": 16, "finished": 16, "reused": 0, "to_do": 0}
        assert told["changes"] == {
            "units": {"fighting": [], "naming": [], "added": [], "gone": []},
            "terms": {},
        }

    def test_names_cannot_steer_the_terminal(self, tmp_path, engine, simlab) -> None:
        folder = paper_run(tmp_path, STUDY.replace("name: Paper", 'name: "\\e[31mred"')).folder
        said = simlab("status", str(folder)).out
        assert "\x1b" not in said
        assert said.startswith("\\x1b[31mred (")

    def test_no_run_is_one_line(self, tmp_path, simlab) -> None:
        said = simlab("status", str(tmp_path))
        assert (said.code, said.out, len(said.errors)) == (2, "", 1)
