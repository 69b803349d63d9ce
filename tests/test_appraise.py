"""One sheet against priced units, prices of an earlier run, and units that fight alike."""

import json
import math
import shutil
from dataclasses import replace

import pytest
from priced import FIGHTS, STUDY
from shell import ROOT

from simlab import lab
from simlab.cli.price_text import price_text
from simlab.lab.stored_prices import RECORD
from simlab.model.errors import InputError


class TestAppraising:
    def ask(self, whole, sheet, **more):
        folder, _ = whole
        return lab.appraise(sheet, "three", results=folder / "results", units=ROOT / "units", **more)

    def test_a_stored_unit_is_worth_what_the_others_say(self, whole):
        """Its price in the run hangs on the others' prices too: near, not equal."""
        _, prices = whole
        found = self.ask(whole, "panther_g", n=FIGHTS)
        stored = prices.units.set_index("id").loc["panther_g"]
        assert found.stored == stored["priced"]
        reach = 4 * math.hypot(found.high - found.low, stored["high"] - stored["low"]) / 3.92
        residual = prices.pairs.set_index(["a", "b"])["residual"].abs().max()
        assert abs(found.priced - stored["priced"]) < reach + found.priced * residual
        assert found.verdict == "draft"
        assert found.low < found.priced < found.high
        assert found.spread_low <= found.priced <= found.spread_high

    def test_the_price_is_the_mean_of_what_is_said_by_hand(self, whole):
        _, prices = whole
        found = self.ask(whole, "panther_g", n=FIGHTS)
        rows = found.series[(found.series["size"] == 2350) & (found.series["policy"] == "spread")]
        known = prices.units.set_index("id")["priced"]
        ours = rows["a"] == "panther_g"
        foe = rows["b"].where(ours, rows["a"]).map(known)
        said = foe * (rows["log_rho"] * ours.map({True: 1, False: -1})).map(math.exp)
        mean = math.exp((rows["weight"] * said.map(math.log)).sum() / rows["weight"].sum())
        # Freed of bias, it may move, but never beyond what sampling leaves open.
        assert found.low < mean < found.high

    def test_a_better_sheet_is_worth_more_and_a_worse_one_less(self, whole, tmp_path):
        base = self.ask(whole, "panther_g", n=FIGHTS)
        text = (ROOT / "units" / "blitzkrieg" / "panther_g.yaml").read_text(encoding="utf-8")
        assert "armor: {front: 10," in text
        prices = []
        for front in (4, 16):
            path = tmp_path / f"panther_{front}.yaml"
            path.write_text(text.replace("armor: {front: 10,", f"armor: {{front: {front},"), encoding="utf-8")
            prices.append(self.ask(whole, path, n=FIGHTS))
        assert prices[0].high < base.low
        assert base.high < prices[1].low
        assert prices[0].stored is None

    def test_a_run_without_prices_says_how_to_get_them(self, whole, tmp_path, simlab):
        folder, _ = whole
        other = tmp_path / "bare"
        other.mkdir()
        for name in ("run.json", "duels.parquet", "plan.json"):
            (other / name).write_bytes((folder / "results" / "three" / name).read_bytes())
        said = simlab("appraise", "panther_g", "--run", str(other), "--units", str(ROOT / "units"))
        assert said.code == 2
        allowed = f"a run with prices of its present state: simlab price {other}"
        assert said.errors == [f"{other}: run: found a run without prices, allowed {allowed}"]

    @pytest.mark.parametrize("sheet", ["wwiisim/panther_g", "units/wwiisim/panther_g.yaml"])
    def test_a_sheet_of_another_system_is_told_the_runs_of_its_own(
        self, whole, tmp_path, simlab, monkeypatch, sheet
    ):
        monkeypatch.chdir(ROOT)
        folder, _ = whole
        found, allowed = "--run: found three, a run of blitzkrieg", "a run of wwiisim with prices"

        def said(run="three"):
            told = simlab("appraise", sheet, "--run", run, "--results", str(results))
            assert (told.code, told.out, len(told.errors)) == (2, "", 1)
            return told.errors[0]

        results = tmp_path / "results"
        shutil.copytree(folder / "results" / "three", results / "three")
        assert (
            said() == f"{found}, allowed {allowed}: simlab run a study of wwiisim, then simlab price its run"
        )
        assert (
            said("roster")
            == f"--run: found roster, allowed a folder of a finished run, or its name in {results}"
        )
        for name in ("b", "several/a"):
            _as_system(folder / "results" / "three", results / name, "wwiisim", priced=False)
        assert said() == f"{found}, allowed {allowed}: simlab price b makes them, or of several/a"
        _as_system(folder / "results" / "three", results / "several" / "c", "wwiisim", priced=True)
        assert said() == f"{found}, allowed {allowed}: several/c"
        assert said("roster") == f"--run: found roster, allowed {allowed}: several/c"

    def test_the_command_says_price_and_what_moves_it(self, whole, simlab):
        folder, _ = whole
        arguments = ["appraise", "panther_g", "--run", "three", "--n", str(FIGHTS)]
        arguments += ["--results", str(folder / "results"), "--units", str(ROOT / "units")]
        said = simlab(*arguments)
        assert (said.code, said.errors) == (0, [])
        starts = [line.split("  ")[0] for line in said.out.splitlines() if line]
        assert {"worth", "size, policy", "mix", "ECV", "in the run", "verdict"} <= set(starts)
        assert all(len(line) <= 80 for line in said.out.splitlines())
        told = json.loads(simlab(*arguments, "--json").out)
        assert told["verdict"] == "draft"
        assert told["low"] < told["priced"] < told["high"]


def _as_system(run, folder, system, priced):
    """A copy of a run that calls itself one of another system."""
    shutil.copytree(run, folder, ignore=None if priced else shutil.ignore_patterns("prices"))
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    (folder / "run.json").write_text(json.dumps({**record, "system": system}), encoding="utf-8")


class TestStale:
    def test_prices_of_an_earlier_run_are_none(self, tmp_path):
        study = tmp_path / "three.yaml"
        study.write_text(STUDY.replace("n: 400", "n: 50"), encoding="utf-8")
        terms = {"results": tmp_path, "units": ROOT / "units"}
        lab.run(study, **terms)
        lab.price("three", n=20, **terms)
        assert lab.load_prices("three", tmp_path) is not None
        study.write_text(STUDY.replace("n: 400", "n: 51"), encoding="utf-8")
        lab.run(study, **terms)
        assert lab.load_prices("three", tmp_path) is None
        with pytest.raises(InputError, match="a run with prices of its present state: simlab price three"):
            lab.appraise("panther_g", "three", **terms)

    @pytest.mark.parametrize("content", ["{", "[]", "{}", '{"schema": 1}'])
    def test_a_spoilt_record_is_made_again(self, whole, content):
        folder, found = whole
        (folder / "results" / "three" / "prices" / RECORD).write_text(content, encoding="utf-8")
        again = lab.price("three", n=FIGHTS, results=folder / "results", units=ROOT / "units")
        assert again.to_dict() == found.to_dict()


class TestText:
    def test_columns_about_the_anchor_are_there_with_an_anchor_alone(self, whole):
        _, prices = whole
        with_anchor = price_text(prices)
        assert "alone   at mean   verdict" in with_anchor
        assert "alone: from the fights" in " ".join(with_anchor.split())
        kept = replace(prices, record={**prices.record, "anchor": {"id": "roster", "ecv": None}})
        told = price_text(kept)
        assert "mix   verdict" in told
        assert "at mean" not in told
        assert max(map(len, told.splitlines())) == max(map(len, with_anchor.splitlines())) - len(
            "alone   at mean   "
        )


class TestKinds:
    def test_units_that_fight_alike_are_worth_the_same_and_judged_by_their_own_ecv(self, tmp_path):
        sheets = tmp_path / "units" / "blitzkrieg"
        sheets.mkdir(parents=True)
        for name in ("m4a3_sherman_lp", "panther_g"):
            text = (ROOT / "units" / "blitzkrieg" / f"{name}.yaml").read_text(encoding="utf-8")
            (sheets / f"{name}.yaml").write_text(text, encoding="utf-8")
            twin = text.replace("value: 558", "value: 999").replace(
                "value: 996, source: draft", "value: 400, source: rulebook"
            )
            (sheets / f"twin_{name}.yaml").write_text(twin, encoding="utf-8")
        study = tmp_path / "four.yaml"
        names = "[m4a3_sherman_lp, twin_m4a3_sherman_lp, twin_panther_g, panther_g]"
        text = STUDY.replace("[m4a3_sherman_lp, sherman_firefly_vc, panther_g]", names)
        study.write_text(text.replace("n: 400", "n: 50"), encoding="utf-8")
        terms = {"results": tmp_path, "units": tmp_path / "units"}
        lab.run(study, **terms)
        found = lab.price("four", n=FIGHTS, **terms)
        units = found.units.set_index("id")
        assert list(units.index) == ["m4a3_sherman_lp", "twin_m4a3_sherman_lp", "twin_panther_g", "panther_g"]
        assert units["priced"].tolist() == [558.0, 558.0, *[units["priced"]["panther_g"]] * 2]
        assert units["verdict"].tolist() == ["fair", "overpriced", "underpriced", "draft"]
        assert set(found.facts["a"]) | set(found.facts["b"]) == {"m4a3_sherman_lp", "twin_panther_g"}

    @pytest.mark.long
    def test_a_draft_level_judges_nobody(self, whole):
        folder, _ = whole
        for anchor in ("roster", "panther_g"):
            found = lab.price(
                "three", n=FIGHTS, anchor=anchor, results=folder / "results", units=ROOT / "units"
            )
            assert found.record["draft_level"]
            assert set(found.units["verdict"]) == {"draft", "cannot tell"}
        lab.price("three", n=FIGHTS, results=folder / "results", units=ROOT / "units")
