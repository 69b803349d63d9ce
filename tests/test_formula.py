"""`simlab formula`: what a point of each stat is worth, from a priced run of the toy system."""

import json
import math
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import toy_system
from samples import UNITS
from shell import Shell

from simlab import lab
from simlab.analysis import formula_prices
from simlab.analysis.formula_fit import CLEARLY
from simlab.analysis.formula_prices import price_sheets
from simlab.analysis.price_series import collect_series
from simlab.lab.points_formula import FIGHTS as FIGHTS_A_NUMBER
from simlab.lab.points_formula import FRAMES, Formula
from simlab.lab.points_formula import SHEETS as SHEETS_DRAWN
from simlab.model.errors import InputError
from simlab.rules import registry
from simlab.rules.registry import get_system
from simlab.studies import formula as formula_fights
from simlab.studies.formula import ROWS

TOYS = {
    "weak": "{system: toy, name: Weak, hit_points: 1, needs: 5, ecv: {value: 10, source: rulebook}}",
    "plain": "{system: toy, name: Plain, ecv: {value: 25, source: draft}}",
    "tough": "{system: toy, name: Tough, hit_points: 4, needs: 3, ecv: {value: 60, source: draft}}",
    "sharp": "{system: toy, name: Sharp, hit_points: 2, needs: 2, ecv: {value: 30, source: draft}}",
}
STUDY = """
name: Toys
system: toy
units: [toy/weak.yaml, toy/plain.yaml, toy/tough.yaml, toy/sharp.yaml]
situations: {range: [12], aspect: [front, rear]}
n: 50
"""
SHEETS, FIGHTS = 30, 32
TABLES = {".csv", ".json", ".png", ".parquet"}


@pytest.fixture(scope="module")
def priced(tmp_path_factory):
    """The results folder of a priced run of toys."""
    folder = tmp_path_factory.mktemp("toys")
    (folder / "toy").mkdir()
    for unit, text in TOYS.items():
        (folder / "toy" / f"{unit}.yaml").write_text(text, encoding="utf-8")
    (folder / "toys.yaml").write_text(STUDY, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_REGISTERED", dict(registry._REGISTERED))
        registry.register_system(toy_system.SYSTEM)
        lab.run(folder / "toys.yaml", results=folder / "results")
        lab.price("toys", n=64, size=200, results=folder / "results")
        yield folder / "results"


@pytest.fixture(scope="module")
def found(priced):
    return lab.formula("toys", sheets=SHEETS, n=FIGHTS, results=priced)


@pytest.fixture(autouse=True)
def undrawn(found, monkeypatch):
    """One picture, that of `found`, is enough."""
    monkeypatch.setattr(Formula, "plot", lambda self, path=None: None)


def ask(results: Path, **given):
    return lab.formula("toys", **{"sheets": SHEETS, "n": FIGHTS, "results": results, **given})


def copied(priced: Path, target: Path) -> Path:
    """The results of the priced run elsewhere, beside its sheets, and without what a formula left."""
    shutil.copytree(priced.parent, target)
    shutil.rmtree(target / "results" / "toys" / "prices" / "formula", ignore_errors=True)
    return target / "results"


class TestFormula:
    def test_more_hits_and_surer_ones_are_worth_more(self, found):
        rows = found.stats.set_index("stat")
        assert list(rows.index) == ["hit points", "faces", "needs"]
        assert rows.loc["hit points", "share_low"] > 0
        assert rows.loc["needs", "share_high"] < 0
        assert rows.loc["hit points", ["least", "most", "base"]].tolist() == [1, 4, 1]
        assert rows["ecv"].to_numpy() == pytest.approx(10 * rows["share"].to_numpy())
        assert found.record["base"]["id"] == "weak"
        assert found.record["unseen"] == ["reach"]
        assert found.record["unpriced"] == []

    def test_prices_of_sheets_follow_from_the_fights_by_hand(self, found, priced):
        """Without what chance in the counts is taken off: near it by less than chance moves a price."""
        facts = pd.read_parquet(priced / "toys" / "prices" / "formula" / "engagements.parquet")
        series = collect_series(facts)
        worth = lab.load_prices("toys", priced).units.set_index("id")["priced"].to_dict()
        assert (series["status"] == "value").mean() > 0.9
        for row in found.sheets.head(20).to_dict("records"):
            named = weight = 0.0
            ours = series[(series["a"] == row["sheet"]) | (series["b"] == row["sheet"])]
            assert len(ours) == 4 * 3
            for each in ours[ours["status"] == "value"].to_dict("records"):
                first = each["a"] == row["sheet"]
                known = math.log(worth[each["b"] if first else each["a"]])
                named += each["weight"] * (known + (1 if first else -1) * each["log_rho"])
                weight += each["weight"]
            assert weight == pytest.approx(row["said"] - row["one_sided"])
            if row["one_sided"] == 0:
                assert abs(row["log_price"] - named / weight) < row["sd"]

    def test_the_roster_is_predicted_from_its_stats(self, found):
        stats = pd.DataFrame(
            {
                unit.id: toy_system.SYSTEM.formula_stats(unit)
                for unit in (toy_system.ToySheet("plain"), toy_system.ToySheet("tough", 4, needs=3))
            }
        ).T
        rows = found.units.set_index("id")
        assert found.worth(stats).to_dict() == pytest.approx(
            rows.loc[["plain", "tough"], "formula"].to_dict()
        )
        assert set(rows["name"]) == {"Weak", "Plain", "Tough", "Sharp"}
        assert np.exp(rows["error"]).to_numpy() == pytest.approx(
            (rows["formula"] / rows["priced"]).to_numpy()
        )
        assert rows["inside"].all()

    def test_it_says_first_how_far_it_is_off(self, found):
        told = found.headlines()
        assert "On the roster, 4 units of which the formula knows none, it is off by" in told[0]
        off = found.errors["rms"].iloc[0]
        assert told[0].startswith("The formula is no price list.") == (off > 0.1)
        assert "best single stat" in told[1]
        assert told[-1].endswith("No die sees: reach.")

    @pytest.mark.parametrize(
        ("rms", "start"),
        [
            (0.05, "On the roster, 4 units"),
            (0.15, "The formula is no price list. On the roster, 4 units"),
            (9.0, "The formula is of no use here: one price for all units would do better. On the roster"),
        ],
    )
    def test_a_bad_formula_is_called_one(self, found, rms, start):
        errors = found.errors.copy()
        errors.loc[0, ["rms", "bias"]] = rms, -0.9 * rms
        told = replace(found, errors=errors).headlines()[0]
        assert told.startswith(start)
        assert "Most of it is one-sided: on average" in told
        assert told.endswith("too little.")

    def test_tables_hold_what_the_result_says(self, found):
        for name in (*FRAMES, "sheets"):
            table = pd.read_csv(found.folder / f"{name}.csv")
            assert len(table) == len(getattr(found, name))
            assert list(table.columns) == list(getattr(found, name).columns)
        stored = json.loads((found.folder / "formula.json").read_text(encoding="utf-8"))
        assert stored == json.loads(json.dumps(found.to_dict()))
        assert stored["sheets"] == len(found.sheets)
        assert (found.folder / "formula.png").read_bytes().startswith(b"\x89PNG")


class TestRuns:
    def test_threads_change_nothing_and_finished_work_is_kept(self, found, priced, tmp_path):
        results = copied(priced, tmp_path / "r")
        other = ask(results, workers=3)
        assert other.fights == found.fights > 0
        pd.testing.assert_frame_equal(other.sheets, found.sheets)
        pd.testing.assert_frame_equal(other.stats, found.stats)
        again = ask(results, workers=1)
        assert again.fights == 0
        assert again.to_dict() == found.to_dict()

    def test_an_interrupted_run_goes_on_where_it_was(self, found, priced, tmp_path):
        results = copied(priced, tmp_path / "r")

        def stop(done: int, total: int, text: str) -> None:
            if done == 20:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            ask(results, workers=1, progress=stop)
        assert not (results / "toys" / "prices" / "formula" / "formula.json").exists()
        rest = ask(results, workers=1)
        assert 0 < rest.fights < 0.8 * found.fights
        assert rest.to_dict() == found.to_dict()

    def test_progress_counts_sheets(self, found, priced, tmp_path):
        told: list[tuple[int, int]] = []
        ask(copied(priced, tmp_path / "r"), progress=lambda done, total, text: told.append((done, total)))
        counted = [each for each in told if each[1]]
        assert counted == [(number, SHEETS) for number in range(1, SHEETS + 1)]

    def test_more_fights_are_more_precise(self, found, priced, tmp_path):
        rough = ask(copied(priced, tmp_path / "r"), n=FIGHTS // 4)
        assert rough.record["sampling"] > 1.5 * found.record["sampling"]


class TestRefusals:
    def test_a_run_without_prices_says_how_to_get_them(self, priced, tmp_path, simlab: Shell):
        results = copied(priced, tmp_path / "r")
        shutil.rmtree(results / "toys" / "prices")
        said = simlab("formula", "toys", "--results", str(results))
        assert said.code == 2
        assert said.errors == [
            f"{results}/toys: run: found a run without prices, "
            "allowed a run with prices of its present state: simlab price toys"
        ]

    @pytest.mark.parametrize(
        ("given", "line"),
        [
            ({"sheets": 5}, "sheets: found 5, allowed a whole number from 10 to 10000"),
            ({"n": 1}, "n: found 1, allowed a whole number from 2 to 1000000"),
            ({"workers": 0}, "workers: found 0, allowed a whole number from 1 to 4096"),
        ],
    )
    def test_numbers_out_of_bounds(self, priced, given, line):
        with pytest.raises(InputError, match=r"^[^\n]*$") as caught:
            ask(priced, **given)
        assert str(caught.value) == line

    def test_too_few_sheets_for_the_stats(self, priced, tmp_path, monkeypatch):
        """A space with room for four sheets, for nothing but hit points may change: told before any fight."""
        results = copied(priced, tmp_path / "r")
        monkeypatch.setattr(toy_system.Toy, "with_stats", _hit_points_alone)
        monkeypatch.setattr(formula_fights, "run_formula", None)
        with pytest.raises(InputError) as caught:
            ask(results)
        line = "sheets: found 4 different sheets to learn from, allowed at least 10 for 1 stat"
        assert str(caught.value) == line

    def test_a_stat_that_no_priced_sheet_has_otherwise(self, found, priced, monkeypatch):
        faces = found.sheets.set_index("sheet")["faces"]

        def blind(series, prices):
            told = price_sheets(series, prices)
            return told.assign(log_price=told["log_price"].where(faces[told.index] == 6))

        monkeypatch.setattr(formula_prices, "price_sheets", blind)
        other = ask(priced)
        assert other.record["unpriced"] == ["faces"]
        assert "faces" not in set(other.stats["stat"])
        assert other.record["dropped"]["no price"] == (faces != 6).sum()
        assert "No sheet with another number has a price: faces." in other.headlines()[-1]

    def test_no_terms_for_both_numbers_on_the_command_line(self, priced, simlab: Shell):
        said = simlab("formula", "toys", "--results", str(priced), "--sheets", "many", "--n", "0.5")
        assert said.code == 2
        assert said.errors == [
            "--sheets: found many, allowed a whole number from 10 to 10000",
            "--n: found 0.5, allowed a whole number from 2 to 1000000",
        ]


def _hit_points_alone(self, sheet, stats, name):
    if any(
        stat != "hit points" and value != self.formula_stats(sheet)[stat] for stat, value in stats.items()
    ):
        raise InputError.one("stat", "another", "the same")
    return toy_system.replace(sheet, hit_points=int(stats.get("hit points", sheet.hit_points)), id=name)


class TestCommand:
    def test_it_prints_the_error_first_and_a_line_a_stat(self, found, priced, simlab: Shell):
        said = simlab(
            "formula", "toys", "--results", str(priced), "--sheets", str(SHEETS), "--n", str(FIGHTS)
        )
        assert said.code == 0
        lines = said.out.splitlines()
        assert lines[0] == "Toys: a formula for prices"
        assert " ".join(said.out.split()).index(found.headlines()[0]) == len(lines[0]) + 1
        rows = [line for line in lines if line.startswith(tuple(found.stats["stat"]))]
        assert len(rows) == len(found.stats)
        best = found.stats.set_index("stat").loc["hit points"]
        assert f"{100 * best['share']:+.1f}% ({100 * best['share_low']:.1f} to" in said.out
        assert said.out.rstrip().endswith(f"tables and picture in {found.folder}")

    def test_json(self, found, priced, simlab: Shell):
        said = simlab(
            *(
                "formula",
                "toys",
                "--results",
                str(priced),
                "--sheets",
                str(SHEETS),
                "--n",
                str(FIGHTS),
                "--json",
            )
        )
        assert json.loads(said.out) == json.loads(json.dumps(found.to_dict()))


class TestPage:
    """docs/formula.md names what there is."""

    text = (Path(__file__).parent.parent / "docs" / "formula.md").read_text(encoding="utf-8")

    def test_stats(self):
        system = get_system("blitzkrieg")
        stats = system.formula_stats(lab.find_sheet("m4a3_sherman_lp", units=UNITS))
        listed = " ".join(self.text.split("In Blitzkrieg these are")[1].split("The gun's are")[0].split())
        assert listed == f"{', '.join(stats)}."

    def test_numbers(self):
        assert f"{SHEETS_DRAWN} sheets (`--sheets`)" in self.text
        assert f"`--n` fights ({FIGHTS_A_NUMBER})" in self.text
        assert f"about {ROWS} fair numbers" in " ".join(self.text.split())
        assert CLEARLY == 0.9
        assert "nine tenths" in self.text

    def test_tables(self, found):
        listed = set(re.findall(r"`(\w+\.(?:csv|json|png|parquet))`", self.text.split("## Tables")[1]))
        assert listed == {path.name for path in found.folder.iterdir() if path.suffix in TABLES}
