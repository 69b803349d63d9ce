"""Fair numbers of two runs on paper, the result as values, and runs that were fought."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from paper_runs import EVEN, OTHER, RARE, Folders, PaperRun, even, records, row_of
from samples import UNITS
from scipy import stats

import simlab
from simlab.analysis.compare import is_moved
from simlab.analysis.intervals import Z95
from simlab.lab.comparison import compare


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(tmp_path)


class TestFairNumbers:
    def searches(self, shares: dict[int, float]) -> dict[str, Any]:
        return {"searches": {("two", "one", 1): shares}, "n": 4000}

    def test_a_fair_number_that_moved(self, folders: Folders) -> None:
        before = PaperRun(even(), **self.searches({1: 0.9, 2: 0.6, 3: 0.3}))
        after = PaperRun(even(), **self.searches({1: 0.8, 2: 0.4, 3: 0.2}), **OTHER)
        found = folders.compare(before, after)
        row = row_of(found.fair_numbers, size_n=1)
        values = [2 * 1.5 ** (0.1 / 0.3), 2.0 ** (0.3 / 0.4)]
        assert [row["ratio_before"], row["ratio_after"]] == pytest.approx(values, rel=0.03)
        assert row["change"] == pytest.approx(row["ratio_after"] / row["ratio_before"] - 1)
        assert row["family_low"] < row["change_low"] < row["change"] < row["change_high"] < row["family_high"]
        assert row["effect"] == "moved"
        prices = [row["priced_before"], row["priced_after"]]
        assert row["unit"] == "two"
        assert prices == pytest.approx([100 * row["ratio_before"], 100 * row["ratio_after"]])

    def test_the_interval_is_that_of_both_shares_at_their_limits(self, folders: Folders) -> None:
        """With many fights the curves are straight: both neighbours of the crossing at their limits, then both runs."""
        n = 10**8
        shares = {1: 0.9, 2: 0.6, 3: 0.3}
        run = {"n": n, "searches": {("two", "one", 1): shares}}
        found = folders.compare(PaperRun(even(), **run), PaperRun(even(), seed=2, **run))
        row = row_of(found.fair_numbers, size_n=1)
        errors = [(shares[m] * (1 - shares[m]) / n) ** 0.5 for m in (2, 3)]
        slopes = [np.log(1.5) * away / 0.3**2 for away in (0.2, 0.1)]
        half = 2**0.5 * sum(error * slope for error, slope in zip(errors, slopes, strict=True))
        for z, low, high in ((Z95, "change_low", "change_high"), (found.z, "family_low", "family_high")):
            assert row[high] - row[low] == pytest.approx(2 * z * half, rel=0.01)

    @pytest.mark.parametrize(
        ("shares", "status", "effect"),
        [
            ({1: 0.2}, "below", "moved"),
            ({39: 0.9, 40: 0.8}, "above", "moved"),
            ({1: 0.9, 2: 0.62, 3: 0.31}, "value", "cannot tell"),
            ({1: 0.9, 2: 0.6, 9: 0.2}, "open", "cannot tell"),
        ],
    )
    def test_fair_numbers_beyond_the_numbers_tried(
        self, folders: Folders, shares: dict[int, float], status: str, effect: str
    ) -> None:
        before = PaperRun(even(), **self.searches({1: 0.9, 2: 0.6, 3: 0.3}))
        found = folders.compare(before, PaperRun(even(), **self.searches(shares), **OTHER))
        row = row_of(found.fair_numbers, size_n=1)
        assert (row["status_after"], row["effect"]) == (status, effect)
        assert np.isnan(row["change"]) == (status != "value")

    def test_false_alarms_of_fair_numbers_are_rare(self, folders: Folders) -> None:
        """Many series at once, so that the family is mostly of fair numbers."""
        trials, alarms = 8, 0
        shares = [{1: 0.9, 2: middle, 3: middle - 0.2} for middle in np.linspace(0.52, 0.68, 12)]
        searches = {
            ("one", "two", size): {size * m: p for m, p in each.items()}
            for size, each in enumerate(shares, 1)
        }
        for each in searches.values():
            low, *_, high = sorted(each)
            each |= {
                size: np.interp(size, sorted(each), [each[m] for m in sorted(each)])
                for size in range(low, high)
            }
        chances = {("one", "two"): {6.0: EVEN}}
        for trial in range(trials):
            runs = [PaperRun(chances, n=800, seed=2 * trial + side, searches=searches) for side in (0, 1)]
            found = folders.compare(*runs)
            assert (found.tests, len(found.fair_numbers)) == (2 * 2 + 12, 12)
            alarms += found.moved
        assert alarms <= stats.binom.isf(RARE, trials, 0.05)

    def test_runs_without_engagements_have_no_fair_numbers(self, folders: Folders) -> None:
        found = folders.compare(PaperRun(even()), PaperRun(even(), **self.searches({1: 0.9, 2: 0.3})))
        assert found.fair_numbers.empty

    def test_without_a_common_anchor_there_are_no_prices(self, folders: Folders) -> None:
        units = [unit | {"source": "draft"} for unit in PaperRun(even()).content()["units"]]
        run = PaperRun(even(), **self.searches({1: 0.9, 2: 0.3}), record={"units": units})
        assert set(folders.compare(run, run).fair_numbers["unit"]) == {""}


class TestResult:
    def test_it_is_json_without_a_gap(self, folders: Folders) -> None:
        searches = {"searches": {("two", "one", 1): {1: 0.2}}}
        found = folders.compare(PaperRun(even(), **searches), PaperRun(even(one_two=0.3), seed=2, **searches))
        content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert content["moved"] is True
        assert content["family"] == {
            "level": 0.05,
            "tests": found.tests,
            "z": found.z,
            "method": "Bonferroni",
        }
        assert content["counts"]["duels"] == len(content["duels"]) == 12
        assert content["fair_numbers"][0]["ratio_before"] is None
        assert found.to_frame() is found.duels

    def test_runs_are_taken_as_they_were_loaded(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SIMLAB_UNITS", str(UNITS))
        study = tmp_path / "alone.yaml"
        study.write_text(STUDY.replace("UNITS", "[m4a3_sherman_lp]"), encoding="utf-8")
        run = simlab.run(study, results=tmp_path)
        found = simlab.compare(run, run)
        assert (found.before, found.moved, len(found.duels)) == (str(run.folder), False, 4)
        assert len(simlab.compare("alone", run, results=tmp_path).duels) == 4


STUDY = """
name: Small
system: blitzkrieg
units: UNITS
situations: {range: [6, 24], aspect: [front, rear]}
method: monte_carlo
n: 4000
"""


class TestFought:
    """With fights: a Sherman with two points more of armour in front."""

    @pytest.fixture
    def fight(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
        monkeypatch.setenv("SIMLAB_UNITS", str(tmp_path / "units"))
        shutil.copytree(UNITS, tmp_path / "units")
        sheet = tmp_path / "units" / "blitzkrieg" / "m4a3_sherman_lp.yaml"

        def run(name: str, seed: int = 1, front: int = 6) -> Path:
            text = sheet.read_text(encoding="utf-8")
            text = text.replace("armor: {front: 6", f"armor: {{front: {front}")
            sheet.write_text(text, encoding="utf-8")
            study = tmp_path / "small.yaml"
            text = STUDY.replace("UNITS", "[m4a3_sherman_lp, m5a1_stuart]") + f"seed: {seed}\n"
            study.write_text(text, encoding="utf-8")
            return simlab.run(study, results=tmp_path / name).folder

        return run

    def test_a_planted_change_of_a_sheet_is_found_where_it_is(self, fight: Any) -> None:
        found = compare(fight("before"), fight("after", front=8))
        assert found.moved
        moved = found.duels[is_moved(found.duels)]
        assert (moved["a"].eq("m4a3_sherman_lp") | moved["b"].eq("m4a3_sherman_lp")).all()
        kept = found.duels[found.duels["a"].eq("m5a1_stuart") & found.duels["b"].eq("m5a1_stuart")]
        assert set(kept["effect"]) == {"same"}
        assert set(kept["dice"]) == {"same"}
        (change,) = records(found.changes)
        assert (change["what"], change["name"]) == ("unit", "m4a3_sherman_lp")

    def test_another_seed_moves_nothing(self, fight: Any) -> None:
        found = compare(fight("before"), fight("after", seed=2))
        assert not found.moved
        assert found.tests == 2 * (16 + 4)
        assert (found.duels["change"] != 0).any()
