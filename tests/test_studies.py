"""Running studies: plans, tables, the journal, interrupts, the lock, and what is written."""

import fcntl
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from simlab.analysis.fair import estimate_fair_number, next_size
from simlab.lab import study as lab_study
from simlab.lab.study import load_run, read_study, run
from simlab.model.ecv import Ecv
from simlab.model.errors import InputError
from simlab.model.keys import fight_key
from simlab.model.outcome import Tally
from simlab.model.situation import Situation
from simlab.rules import registry
from simlab.studies import work
from simlab.studies.journal import LOCK, Journal
from simlab.studies.run import plan_duels
from simlab.studies.store import write_text, write_whole

ROOT = Path(__file__).parent.parent
UNITS = ROOT / "units"
OUTCOMES = ["a_wins", "b_wins", "both_destroyed", "neither"]
COUNTS = [f"count_{name}" for name in OUTCOMES]


@dataclass(frozen=True)
class PaperSheet:
    """A unit that is nothing but a strength; strength 0 cannot fire."""

    id: str
    strength: float
    ecv: Ecv = field(default_factory=lambda: Ecv(value=100.0, source="rulebook"))
    name: str = "Paper"
    nation: str = "nowhere"
    provenance: str = "made up"


class PaperOptions:
    def built(self) -> dict[str, Any]:
        return {"folded": False}

    def non_default(self) -> dict[str, Any]:
        return {}


class PaperSystem:
    """A system whose fights are one weighing of strengths; only the fake `play_fights` below knows it."""

    name, title, version, range_unit = "paper", "Paper", "paper-1", "inches"
    aspects = ("front", "rear")
    kinds = ("torn",)

    def load_sheet(self, path: Path) -> PaperSheet:
        raise NotImplementedError

    def options(self, settings: Any, constants: Any = None) -> PaperOptions:
        return PaperOptions()

    def sheet_hash(self, sheet: PaperSheet) -> str:
        return f"sheet {sheet}"

    def fight_hash(self, sheet: PaperSheet) -> str:
        return f"fight {sheet.strength}"

    def compile_fight(self, sheets_a, sheets_b, situation, options, turns):
        power_a, power_b = (sum(sheet.strength for sheet in side) for side in (sheets_a, sheets_b))
        if situation.aspect_b == "rear":
            power_b /= 2
        return SimpleNamespace(
            n_a=len(sheets_a), n_b=len(sheets_b), can_fire_a=power_a > 0, can_fire_b=power_b > 0,
            power=(power_a, power_b),
        )  # fmt: skip


class PaperEngine:
    """Stands for the engine: draws counts, remembers how often it was asked, stops when told to."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, int]] = []
        self.stop_after: int | None = None

    def __call__(self, fight, *, n, seed, key, workers=None, first=0, policy_a, policy_b) -> Tally:
        if self.stop_after is not None and len(self.calls) >= self.stop_after:
            raise KeyboardInterrupt
        self.calls.append((first, n))
        power_a, power_b = fight.power
        win = 0.9 * power_a**2 / (power_a**2 + power_b**2)
        rng = np.random.default_rng([seed, key, first])
        outcomes = rng.multinomial(n, [win, 0.9 - win, 0.06, 0.04]).astype(np.int64)
        units = fight.n_a + fight.n_b
        flags = np.zeros((units, 4), np.int64)
        flags[: fight.n_a, 1] = outcomes[1] + outcomes[2]
        flags[fight.n_a :, 3] = outcomes[0] + outcomes[2]
        flags[:, 0] = n - flags.sum(axis=1)
        turn_sum = 3 * (n - flags[:, 0])
        zeros = np.zeros(1, np.int64)
        return Tally(n, outcomes, 5 * n, flags, turn_sum, zeros, zeros)


SHEETS = {
    "strong": PaperSheet("strong", 2.0, Ecv(value=150.0, source="draft"), "Strong"),
    "weak": PaperSheet("weak", 1.0, Ecv(value=100.0, source="rulebook"), "Weak"),
    "unpriced": PaperSheet("unpriced", 1.0, Ecv(value=None, source="priced")),
    "silent": PaperSheet("silent", 0.0),
}

STUDY = """\
name: Paper
system: paper
units: [strong, weak]
situations: {range: {6: 1, 12: 3}, aspect: {front: 1, rear: 1}}
method: monte_carlo
n: 1000
engagements: {sizes: [1, 2, 3]}
"""


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> PaperEngine:
    """Register the paper system and put its engine in place of the real one."""
    fake = PaperEngine()
    monkeypatch.setitem(registry._REGISTERED, "paper", PaperSystem())
    monkeypatch.setattr(work, "play_fights", fake)
    monkeypatch.setattr(work, "kernel_id", lambda system: "kernel 1")
    real = lab_study.find_sheet
    monkeypatch.setattr(
        lab_study,
        "find_sheet",
        lambda unit, system, units: SHEETS[unit] if system == "paper" else real(unit, system, units),
    )
    return fake


def write_study(tmp_path: Path, text: str = STUDY) -> Path:
    path = tmp_path / "paper.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def paper_run(tmp_path: Path, text: str = STUDY, **more: Any):
    return run(write_study(tmp_path, text), results=tmp_path / "results", **more)


def test_plan_holds_all_ordered_pairs_with_weights(tmp_path, engine):
    plan = plan_duels(read_study(write_study(tmp_path)))
    assert len(plan) == 4 * 4
    assert [(row.a.id, row.b.id) for row in plan[::4]] == [
        ("strong", "strong"), ("strong", "weak"), ("weak", "strong"), ("weak", "weak")
    ]  # fmt: skip
    assert [row.weight for row in plan[:4]] == [0.125, 0.125, 0.375, 0.375]


def test_duels_hold_counts_and_figures(tmp_path, engine):
    found = paper_run(tmp_path)
    duels = found.duels
    assert len(duels) == 16
    assert duels["row"].tolist() == list(range(16))
    assert (duels[COUNTS].sum(axis=1) == 1000).all()
    assert (duels["n"] == 1000).all()
    np.testing.assert_allclose(duels[OUTCOMES].to_numpy(), duels[COUNTS].to_numpy(np.float64) / 1000)
    assert duels.groupby(["a", "b"])["weight"].sum().tolist() == pytest.approx([1.0] * 4)
    row = duels.iloc[4]
    assert (row["a"], row["b"], row["range"], row["aspect_b"]) == ("strong", "weak", 6.0, "front")
    lost_b = row["count_a_wins"] + row["count_both_destroyed"]
    assert row["destroyed_b"] == lost_b / 1000
    assert row["torn_b"] == lost_b / 1000
    assert row["torn_a"] == 0.0
    assert row["ecv_lost_b"] == pytest.approx(100.0 * lost_b / 1000)
    assert row["mean_turn_destroyed_b"] == 3.0
    assert row["method"] == "monte_carlo"
    assert pd.isna(row["error_bound"])


def test_engagements_hold_every_size_that_was_fought(tmp_path, engine):
    found = paper_run(tmp_path)
    rows = found.engagements
    assert not rows.duplicated(
        ["a", "b", "size_n", "size_m", "policy", "range", "aspect_a", "aspect_b"]
    ).any()
    assert len(found.fair_numbers) == 4 * 4 * 3
    for _, group in rows.groupby(["a", "b", "size_n", "policy", "range", "aspect_a", "aspect_b"], sort=False):
        counts = dict(zip(group["size_m"], group[COUNTS].to_numpy().tolist(), strict=True))
        assert next_size(counts, int(group["size_n"].iloc[0])) is None
    assert rows["ecv_lost_a"].between(0, 150.0 * rows["size_n"]).all()
    fair = found.fair_numbers.set_index(["a", "b", "size_n", "range", "aspect_b"])
    assert fair.loc[("strong", "weak", 3, 12.0, "front"), "ratio"] == pytest.approx(2.0, rel=0.05)


def test_counts_are_those_of_the_same_fight_alone(tmp_path, engine):
    duels = paper_run(tmp_path).duels
    system = PaperSystem()
    where = Situation(6.0, "front", "rear")
    key = fight_key("paper", "paper-1", ["fight 2.0"], ["fight 1.0"], where, {})
    fight = system.compile_fight([SHEETS["strong"]], [SHEETS["weak"]], where, None, 12)
    alone = engine(fight, n=1000, seed=1, key=key, policy_a="spread", policy_b="spread")
    assert duels.loc[5, COUNTS].tolist() == alone.outcomes.tolist()


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


def test_a_missing_table_is_made_again_from_the_journal(tmp_path, engine):
    found = paper_run(tmp_path)
    content = (found.folder / "duels.parquet").read_bytes()
    (found.folder / "duels.parquet").unlink()
    engine.calls.clear()
    paper_run(tmp_path)
    assert engine.calls == []
    assert (found.folder / "duels.parquet").read_bytes() == content


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


def test_new_names_and_prices_need_no_fights(tmp_path, engine, monkeypatch):
    paper_run(tmp_path)
    monkeypatch.setitem(
        SHEETS, "weak", PaperSheet("weak", 1.0, Ecv(value=200.0, source="rulebook"), "Feeble")
    )
    found = paper_run(tmp_path)
    assert found.fights == 0
    assert found.record["units"][1]["name"] == "Feeble"
    assert found.prices["ecv"].tolist() == [150.0] * len(found.prices)
    assert (found.folder / "summary.md").read_text().count("Feeble") > 0


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
    monkeypatch.setattr(work, "PIECE", 300)
    paper_run(tmp_path)
    assert engine.calls[:4] == [(0, 300), (300, 300), (600, 300), (900, 100)]


def test_one_run_at_a_time_in_a_folder(tmp_path, engine):
    folder = paper_run(tmp_path).folder
    with (folder / LOCK).open("r+") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with pytest.raises(InputError, match="found a run under way in "):
            paper_run(tmp_path)
    assert paper_run(tmp_path).fights == 0


def test_rows_where_nobody_can_fire_are_kept_undecided(tmp_path, engine):
    text = STUDY.replace("[strong, weak]", "[silent, weak]")
    found = paper_run(tmp_path, text)
    own = found.duels[(found.duels["a"] == "silent") & (found.duels["b"] == "silent")]
    assert len(own) == 4
    assert (own["neither"] == 1.0).all()
    assert own["cannot_fire_a"].all()
    fair = found.fair_numbers.set_index(["a", "b"])
    assert fair.loc[("silent", "silent"), "no_decision"].all()
    assert (fair.loc[("silent", "weak"), "status"] == "below").all()
    assert (fair.loc[("weak", "silent"), "status"] == "above").all()
    sizes = found.engagements.groupby(["a", "b", "size_n", "range", "aspect_b"]).size()
    assert sizes.max() <= 6


def test_units_without_a_price_have_no_lost_ecv(tmp_path, engine):
    duels = paper_run(tmp_path, STUDY.replace("[strong, weak]", "[unpriced, weak]")).duels
    first = duels[(duels["a"] == "unpriced") & (duels["b"] == "weak")]
    assert first["ecv_lost_a"].isna().all()
    assert first["ecv_lost_b"].notna().all()


def test_a_study_without_engagements_has_no_such_table(tmp_path, engine):
    found = paper_run(tmp_path, STUDY.replace("engagements: {sizes: [1, 2, 3]}\n", ""))
    assert not (found.folder / "engagements.parquet").exists()
    assert found.fair_numbers.empty
    assert found.prices.empty
    assert "no engagements" in found.summary()


def test_a_record_of_the_run_is_kept(tmp_path, engine):
    found = paper_run(tmp_path)
    record = json.loads((found.folder / "run.json").read_text(encoding="utf-8"))
    assert record["study"]["name"] == "Paper"
    assert record["n"] == 1000
    assert record["seed"] == 1
    assert record["rules_version"] == "paper-1"
    assert record["kernel"] == "kernel 1"
    assert {"simlab", "numpy", "numba", "python"} <= set(record["versions"])
    assert record["seconds"] >= 0
    assert record["fights"] == found.fights
    assert record["units"][0] | {"sheet_hash": "", "fight_hash": ""} == {
        "id": "strong", "name": "Strong", "nation": "nowhere", "ecv": 150.0, "source": "draft",
        "sheet_hash": "", "fight_hash": "",
    }  # fmt: skip


def test_progress_counts_every_part(tmp_path, engine):
    told: list[tuple[int, int, str]] = []
    paper_run(tmp_path, progress=lambda done, total, text: told.append((done, total, text)))
    assert [done for done, _, _ in told] == list(range(1, 16 + 48 + 1))
    assert {total for _, total, _ in told} == {64}
    assert told[0][2] == "strong v strong, duel, range 6, front v front"


def test_summary_says_what_the_units_are_worth(tmp_path, engine):
    found = paper_run(tmp_path)
    text = found.summary()
    assert text == (found.folder / "summary.md").read_text(encoding="utf-8")
    assert "If one Weak is worth its printed 100, one Strong is worth" in text
    assert "is a draft, so nothing here calls it right or wrong" in text
    assert len(found.headlines()) == 1
    assert (found.folder / "prices.csv").read_text().startswith("unit,anchor,asked,")


def test_hostile_names_are_harmless_in_text_and_tables(tmp_path, engine, monkeypatch):
    for key, name in (("strong", "=cmd|' /C calc'!A1"), ("weak", "<b>\x1b[31m|x|$y$")):
        sheet = SHEETS[key]
        monkeypatch.setitem(SHEETS, key, PaperSheet(sheet.id, sheet.strength, sheet.ecv, name))
    found = paper_run(tmp_path)
    for path in found.folder.glob("*.*"):
        if path.suffix in (".md", ".csv"):
            assert "\x1b" not in path.read_text(encoding="utf-8")
    assert "<b>" not in found.summary().replace("\\<b\\>", "")
    assert ",'=cmd" in (found.folder / "prices.csv").read_text()
    assert ",=cmd" not in (found.folder / "prices.csv").read_text()


def test_runs_are_loaded_by_folder_or_name(tmp_path, engine):
    found = paper_run(tmp_path)
    for path, results in ((found.folder, "nowhere"), ("paper", tmp_path / "results")):
        loaded = load_run(path, results)
        pd.testing.assert_frame_equal(loaded.fair_numbers, found.fair_numbers)
        assert loaded.fights == 0
    with pytest.raises(InputError, match="found gone, allowed a folder of a finished run"):
        load_run("gone", tmp_path / "results")


@pytest.mark.parametrize(("name", "content"), [("run.json", "{"), ("run.json", "[]"), ("duels.parquet", "x")])
def test_spoilt_results_are_named(tmp_path, engine, name, content):
    folder = paper_run(tmp_path).folder
    (folder / name).write_text(content)
    with pytest.raises(InputError, match=name):
        load_run(folder)


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


REAL = """\
name: Real
system: blitzkrieg
units: [panther_g, m4a3_sherman_lp]
situations: {range: [12, 30], aspect: [front, rear]}
n: 400
engagements: {sizes: [1]}
"""


def real_study(tmp_path: Path, text: str = REAL) -> Path:
    path = tmp_path / "real.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_counts_of_real_fights_do_not_depend_on_threads(tmp_path):
    tables = [
        run(
            real_study(tmp_path), results=tmp_path / f"results{workers}", workers=workers, units=UNITS
        ).engagements
        for workers in (1, 3)
    ]
    pd.testing.assert_frame_equal(*tables)


def test_a_real_fair_number_is_that_of_every_size(tmp_path):
    study = read_study(real_study(tmp_path), UNITS)
    panther, sherman = study.sheets
    found = run(real_study(tmp_path), results=tmp_path / "results", units=UNITS)
    rows = found.engagements
    rows = rows[(rows["a"] == "panther_g") & (rows["b"] == "m4a3_sherman_lp")]
    rows = rows[(rows["range"] == 30.0) & (rows["aspect_b"] == "front")]
    stored = dict(zip(rows["size_m"], rows[COUNTS].to_numpy().tolist(), strict=True))
    with Journal(tmp_path / "j.sqlite") as journal:
        worker = work.Worker(study.system, study.options, study.seed, journal, None)
        where = Situation(30.0, "front", "front")
        every = {
            m: worker.fight(work.Matchup(panther, sherman, 1, m, where, "spread", 20), 400).outcomes
            for m in range(1, 41)
        }
    assert len(stored) < 8
    assert all(tuple(counts) == every[m] for m, counts in stored.items())
    assert estimate_fair_number(stored, 1) == estimate_fair_number(every, 1)


def journal_rows(path: Path) -> int:
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT count(*) FROM pieces").fetchone()[0])
    except sqlite3.Error:
        return 0


def test_a_killed_run_is_taken_up_again(tmp_path):
    text = REAL.replace("n: 400", "n: 20000")
    path, results = real_study(tmp_path, text), tmp_path / "results"
    code = "import sys; from simlab.lab.study import run; a = sys.argv; run(a[1], results=a[2], units=a[3])"
    command = [sys.executable, "-c", code, str(path), str(results), str(UNITS)]
    child = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)})
    journal = results / "real" / "journal.sqlite"
    deadline = time.monotonic() + 60
    while journal_rows(journal) < 5 and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    kept = journal_rows(journal)
    assert kept >= 5
    assert not (results / "real" / "run.json").exists()
    resumed = run(path, results=results, units=UNITS)
    whole = run(path, results=tmp_path / "whole", units=UNITS)
    assert resumed.fights == whole.fights - 20_000 * kept
    pd.testing.assert_frame_equal(resumed.duels, whole.duels)
    pd.testing.assert_frame_equal(resumed.engagements, whole.engagements)
