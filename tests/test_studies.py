"""Running studies: plans, tables, and what is written."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from asked import answered
from paper import COUNTS, SHEETS, STUDY, PaperEngine, PaperSheet, PaperSystem, install, paper_run, write_study

from simlab.analysis.fair import estimate_fair_number, next_size
from simlab.lab.study import load_run, read_study, run
from simlab.model.ecv import Ecv
from simlab.model.errors import InputError
from simlab.model.keys import fight_key
from simlab.model.situation import Situation
from simlab.studies import work
from simlab.studies.run import plan_duels

ROOT = Path(__file__).parent.parent
UNITS = ROOT / "units"
OUTCOMES = ["a_wins", "b_wins", "both_destroyed", "neither"]


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> PaperEngine:
    """The paper system in place of a real one."""
    return install(monkeypatch)


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
    texts = [text for _, _, text in told]
    assert texts.count("strong v strong, duel, range 6, front v front") == 1
    assert texts.count("weak v strong, fair number for 3, range 12, front v rear") == 1


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
    worker = work.Worker(study.system, study.options, study.seed)
    where = Situation(30.0, "front", "front")
    every = {
        m: answered(
            worker.fight(work.Matchup(panther, sherman, 1, m, where, "spread", 20), 400),
            tmp_path / "journal.sqlite",
        ).outcomes
        for m in range(1, 41)
    }
    assert len(stored) < 8
    assert all(tuple(counts) == every[m] for m, counts in stored.items())
    assert estimate_fair_number(stored, 1) == estimate_fair_number(every, 1)
