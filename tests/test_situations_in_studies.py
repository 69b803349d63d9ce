"""Situations by turn in studies: the file, the tables, the texts and the pictures."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from shell import PAIR, ROOT

from simlab import lab
from simlab.lab.fights import fight_key_of
from simlab.lab.study import load_run, prepare_row, read_study
from simlab.model.outcome import OUTCOMES
from simlab.model.situation import Situation
from simlab.plots.kill import plot_kill_rates

UNITS = ROOT / "units"

STUDY = """\
name: Closing in
system: blitzkrieg
units: [panther_g, m4a3_sherman_lp]
situations:
  range: {"36,30,24": 1, 24: 2}
  aspect: {front: 1, "rear,front": 1}
  first_fire: {none: 3, "a:2": 1}
turns: 5
n: 300
engagements: {sizes: [1, 2]}
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "closing.yaml"
    path.write_text(STUDY, encoding="utf-8")
    return path


class TestStudies:
    def test_forms_in_a_file(self, study: Path) -> None:
        weights = dict(read_study(study, UNITS).situations)
        assert len(weights) == 8
        assert weights[Situation((36, 30, 24), "front", ("rear", "front"), "a:2")] == pytest.approx(1 / 24)
        assert weights[Situation(24.0)] == pytest.approx(2 / 3 / 2 * 3 / 4)
        study.write_text(STUDY.replace('{none: 3, "a:2": 1}', "a:2"), encoding="utf-8")
        assert {where.first_fire for where, _ in read_study(study, UNITS).situations} == {"a:2"}
        study.write_text(STUDY.replace('{none: 3, "a:2": 1}', "[none, b:1]"), encoding="utf-8")
        assert {where.first_fire for where, _ in read_study(study, UNITS).situations} == {None, "b:1"}

    def test_tables_texts_and_pictures(self, study: Path, tmp_path: Path) -> None:
        found = lab.run(study, results=tmp_path, units=UNITS)
        duels = pd.read_parquet(found.folder / "duels.parquet")
        assert set(duels["range"]) == {"36,30,24", "24"}
        assert set(duels["aspect_b"]) == {"front", "rear,front"}
        assert set(duels["first_fire"]) == {"none", "a:2"}
        assert len(duels) == 4 * 8
        assert len(found.fair_numbers) == 4 * 8 * 2
        for (_, _), weights in duels.groupby(["a", "b"])["weight"]:
            assert weights.sum() == pytest.approx(1)
        row = duels[(duels["a"] == "panther_g") & (duels["b"] == "m4a3_sherman_lp")]
        row = row[
            (row["range"] == "36,30,24") & (row["aspect_b"] == "rear,front") & (row["first_fire"] == "a:2")
        ]
        (facts,) = row.to_dict("records")
        typed = {"range": "36,30,24", "aspect_b": "rear,front", "first_fire": "a:2", "turns": 5, "n": 300}
        duel = lab.duel(*PAIR, units=UNITS, **typed)
        assert duel.counts == {name: facts[f"count_{name}"] for name in OUTCOMES}
        ready, n = prepare_row(found.folder, facts["row"], UNITS)
        assert (ready.fight.situation, n) == (Situation((36, 30, 24), "front", ("rear", "front"), "a:2"), 300)
        assert ready.key == fight_key_of(ready.fight)
        told = lab.trace(found.folder, row=facts["row"], units=UNITS).text
        assert "Turn 1: 36 inches, A shows front, B rear, B silent" in told
        assert "| 36,30,24 | front | rear,front; Panther G alone fires in turns 1 and 2 |" in found.summary()
        assert {path.name for path in lab.plot(found)} >= {
            "kill_rate_by_range.png",
            "kill_rate_map_by_range.png",
        }

    def test_texts_stand_side_by_side_in_the_order_of_the_study(self) -> None:
        facts = {"target": "T", "place": 0, "kill_rate_low": 0.1, "kill_rate_high": 0.9, "cannot_fire": False}
        facts["error_bound"] = float("nan")
        rows = [
            {**facts, "range": text, "kill_rate": rate}
            for text, rate in (("36,30", 0.3), ("6", 0.5), ("24", 0.4))
        ]
        ax = plot_kill_rates(pd.DataFrame(rows), Figure().subplots())
        assert [label.get_text() for label in ax.get_xticklabels()] == ["36,30", "6", "24"]
        (points, *_) = ax.get_lines()
        assert points.get_xdata().tolist() == [0, 1, 2]
        assert points.get_ydata().tolist() == [0.3, 0.5, 0.4]
        assert points.get_linestyle() == "None"

    def test_single_ranges_stay_numbers(self, study: Path, tmp_path: Path) -> None:
        study.write_text(STUDY.replace('"36,30,24": 1', "12: 1"), encoding="utf-8")
        found = lab.run(study, results=tmp_path, units=UNITS)
        for name in ("duels", "engagements"):
            assert pd.read_parquet(found.folder / f"{name}.parquet")["range"].dtype == np.float64
        assert found.fair_numbers["range"].dtype == np.float64

    def test_a_run_from_before_there_was_first_fire_can_be_read(self, study: Path, tmp_path: Path) -> None:
        study.write_text(STUDY.replace('  first_fire: {none: 3, "a:2": 1}\n', ""), encoding="utf-8")
        found = lab.run(study, results=tmp_path, units=UNITS)
        for name in ("duels", "engagements"):
            path = found.folder / f"{name}.parquet"
            pd.read_parquet(path).drop(columns="first_fire").to_parquet(path)
        again = load_run(found.folder)
        pd.testing.assert_frame_equal(again.fair_numbers, found.fair_numbers)
        pd.testing.assert_frame_equal(again.kill_rates, found.kill_rates)
        assert prepare_row(found.folder, 3, UNITS)[0].fight.situation.first_fire is None
