"""Prices of a run: the verb, what it writes, and the command."""

import json
import math
from pathlib import Path

import pandas as pd
import pytest
from shell import ROOT

from simlab import lab
from simlab.lab.price_terms import FIRST_FIGHTS
from simlab.lab.stored_prices import FACTS, RECORD
from simlab.model.errors import InputError

STUDY = """
name: Three of them
system: blitzkrieg
units: [m4a3_sherman_lp, sherman_firefly_vc, panther_g]
situations:
  range: {12: 1, 24: 1, "24,12": 0.5}
  aspect: {front: 3, rear: 1}
n: 400
"""
FIGHTS = 200


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run and its prices, made once."""
    folder = tmp_path_factory.mktemp("priced")
    study = folder / "three.yaml"
    study.write_text(STUDY, encoding="utf-8")
    lab.run(study, results=folder / "results", units=ROOT / "units")
    found = lab.price("three", n=FIGHTS, results=folder / "results", units=ROOT / "units")
    return folder, found


def asked(folder: Path, units: Path = ROOT / "units") -> list[str]:
    """The command line for the prices of the run."""
    results = str(folder / "results")
    return ["price", "three", "--n", str(FIGHTS), "--results", results, "--units", str(units)]


class TestPrices:
    def test_the_anchor_keeps_its_ecv_and_the_others_are_measured_by_it(self, whole):
        _, found = whole
        units = found.units.set_index("id")
        assert found.record["anchor"] == {"id": "m4a3_sherman_lp", "ecv": 558.0}
        sherman = units.loc["m4a3_sherman_lp"]
        assert sherman[["priced", "low", "high", "mix_low", "mix_high"]].tolist() == pytest.approx(
            [558.0] * 5
        )
        assert sherman["verdict"] == "fair"
        assert set(units.loc[["panther_g", "sherman_firefly_vc"], "verdict"]) == {"draft"}
        panther = units.loc["panther_g"]
        assert 558 < panther["low"] < panther["priced"] < panther["high"]
        assert panther["mix_low"] < panther["priced"] < panther["mix_high"]
        assert panther["spread_low"] <= panther["priced"] <= panther["spread_high"]
        assert panther["ratio"] == pytest.approx(996 / panther["priced"])

    def test_prices_follow_from_the_fights_by_hand(self, whole):
        """Three units and one weight: the potential is the mean of direct and indirect differences."""
        _, found = whole
        rows = found.series[(found.series["size"] == 2350) & (found.series["policy"] == "spread")]
        assert (rows["status"] == "value").all()
        mean = {}
        for (a, b), group in rows.groupby(["a", "b"]):
            mean[a, b] = mean.get((a, b), 0) + (group["weight"] * group["log_rho"]).sum()

        def way(a, b):
            return mean.get((a, b), 0) - mean.get((b, a), 0)

        s, f, p = "m4a3_sherman_lp", "sherman_firefly_vc", "panther_g"
        wanted = (2 * way(p, s) + way(p, f) + way(f, s)) / 3
        panther = found.units.set_index("id").loc[p]
        # Freed of bias it moves a little, far less than by chance.
        reach = math.log(panther["high"] / panther["low"]) / 2
        assert math.log(panther["priced"] / 558) == pytest.approx(wanted, abs=reach / 5)

    def test_weights_are_those_of_the_mix(self, whole):
        _, found = whole
        rows = found.series[found.series["policy"] == "first"].copy()
        rows["pair"] = [tuple(sorted(pair)) for pair in zip(rows["a"], rows["b"], strict=True)]
        assert rows.groupby("pair")["weight"].sum().tolist() == pytest.approx([1.0] * 3)

    def test_all_settings_are_there(self, whole):
        _, found = whole
        named = set(zip(found.settings["size"], found.settings["policy"], strict=True))
        assert named == {(2350, "spread"), (1000, "spread"), (7000, "spread"), (2350, "first")}
        exponent = found.lanchester.set_index("policy")
        assert set(exponent.index) == {"spread", "first"}
        kills = found.kills[["kill_a", "kill_b"]].to_numpy()
        assert ((kills > 0) & (kills < 1)).all()

    def test_kills_are_the_chances_of_a_turn(self, whole):
        _, found = whole
        row = found.kills.iloc[0]
        said = lab.odds(row["a"], row["b"], range=row["range"], aspect=row["aspect_b"], units=ROOT / "units")
        assert row["kill_a"] == pytest.approx(said.turn, abs=1e-9)

    def test_the_headlines_say_prices_and_then_what_moves_them_most(self, whole):
        _, found = whole
        answer, first = found.headlines()[:2]
        assert answer.startswith("If one M4A3 Sherman LP is worth 558: Panther G ")
        assert first.startswith("Half of the units move by more than this: ± ")
        shares = [float(part.split("%")[0]) for part in first.split("± ")[1:]]
        assert shares == sorted(shares, reverse=True)


class TestKept:
    def test_a_second_call_fights_nothing_and_says_the_same(self, whole):
        folder, found = whole
        again = lab.price("three", n=FIGHTS, results=folder / "results", units=ROOT / "units")
        assert (found.fights > 0, again.fights) == (True, 0)
        pd.testing.assert_frame_equal(found.units, again.units)
        loaded = lab.load_prices("three", folder / "results")
        assert loaded.to_dict() == found.to_dict()

    def test_another_tolerance_and_anchor_need_no_fights(self, whole, tmp_path):
        folder, found = whole
        other = lab.price(
            "three",
            n=FIGHTS,
            tolerance=0.2,
            anchor="roster",
            round=5,
            results=folder / "results",
            units=ROOT / "units",
        )
        assert other.fights == 0
        units = other.units
        kept = math.exp(sum(math.log(each) for each in units["ecv"]) / 3)
        assert math.exp(sum(math.log(each) for each in units["priced"]) / 3) == pytest.approx(kept)
        assert all(each % 5 == 0 for each in units["rounded"])
        ratio = found.units["priced"] / units["priced"]
        assert ratio.tolist() == pytest.approx([ratio[0]] * 3)
        lab.price("three", n=FIGHTS, results=folder / "results", units=ROOT / "units")

    def test_precision_is_reached_in_stages(self, whole):
        folder, _ = whole
        found = lab.price("three", precision=0.02, results=folder / "results", units=ROOT / "units")
        half = (found.units["high"] - found.units["low"]) / 2 / found.units["priced"]
        assert found.record["precise"] is bool(half.max() <= 0.02)
        assert found.record["n"] == FIRST_FIGHTS * 4 ** (found.record["stage"] - 1)
        assert found.record["level"] == pytest.approx(0.99)
        lab.price("three", n=FIGHTS, results=folder / "results", units=ROOT / "units")

    def test_a_changed_sheet_is_refused(self, whole, tmp_path):
        folder, _ = whole
        for file in (ROOT / "units" / "blitzkrieg").glob("*.yaml"):
            if file.stem in ("m4a3_sherman_lp", "sherman_firefly_vc", "panther_g"):
                target = tmp_path / "blitzkrieg" / file.name
                target.parent.mkdir(exist_ok=True)
                text = file.read_text(encoding="utf-8")
                target.write_text(text.replace("shock_threshold: 4", "shock_threshold: 5"), encoding="utf-8")
        with pytest.raises(InputError, match="another sheet of panther_g"):
            lab.price("three", n=FIGHTS, results=folder / "results", units=tmp_path)


class TestCommand:
    def test_json_is_the_contract_s(self, whole, simlab):
        folder, found = whole
        said = simlab(
            *("price", "three", "--n", str(FIGHTS), "--results", str(folder / "results"), "--json"),
            *("--units", str(ROOT / "units")),
        )
        assert (said.code, said.errors) == (0, [])
        told = json.loads(said.out)
        assert told["anchor"] == {"id": "m4a3_sherman_lp", "ecv": 558}
        assert {"size", "policy", "mix"} <= set(told["assumptions"])
        wanted = {"ecv", "source", "priced", "low", "high", "mix_low", "mix_high", "head_to_head", "verdict"}
        assert all(wanted <= set(unit) for unit in told["units"].values())
        assert told["units"]["panther_g"]["priced"] == found.units.set_index("id").loc["panther_g", "priced"]

    def test_the_table_fits_and_says_what_is_a_draft(self, whole, simlab):
        folder, _ = whole
        said = simlab(
            "price",
            "three",
            "--n",
            str(FIGHTS),
            "--results",
            str(folder / "results"),
            "--units",
            str(ROOT / "units"),
        )
        lines = said.out.splitlines()
        assert max(map(len, lines)) <= 110
        assert any(line.startswith("panther_g") and line.endswith("draft") for line in lines)
        assert any("(draft): an estimate of ours" in line for line in lines)

    @pytest.mark.parametrize(
        ("arguments", "line"),
        [
            (["nothing"], 'RUN: found "nothing", allowed a folder of a finished run'),
            (
                ["three", "--anchor", "panther"],
                "--anchor: found panther, allowed a unit of the run, or roster",
            ),
            (["three", "--size", "0"], "--size: found 0, allowed a number from 1 to 1e+06"),
            (["three", "--tolerance", "x"], "--tolerance: found x, allowed a number from 0 to 1"),
            (["three", "--precision", ".01", "--n", "100"], "--precision and --n"),
            (["three", "--yes"], "--yes: found --yes, allowed --yes with --write"),
        ],
    )
    def test_bad_input_is_one_line(self, whole, simlab, arguments, line):
        folder, _ = whole
        said = simlab(
            "price", *arguments, "--results", str(folder / "results"), "--units", str(ROOT / "units")
        )
        assert (said.code, said.out, len(said.errors)) == (2, "", 1)
        assert line in said.errors[0]

    def test_a_gate_fails_where_a_price_is_wrong(self, whole, tmp_path, simlab):
        """A Panther whose ECV is no draft any more is judged."""
        folder, _ = whole
        sheets = tmp_path / "units" / "blitzkrieg"
        sheets.mkdir(parents=True)
        for path in (ROOT / "units" / "blitzkrieg").glob("*.yaml"):
            text = path.read_text(encoding="utf-8")
            if path.stem == "panther_g":
                assert "ecv: {value: 996, source: draft}" in text
                text = text.replace("ecv: {value: 996, source: draft}", "ecv: {value: 996, source: rulebook}")
            (sheets / path.name).write_text(text, encoding="utf-8")
        for more, code in (([], 0), (["--gate"], 1), (["--gate", "--tolerance", "0.5"], 0)):
            said = simlab(*asked(folder, tmp_path / "units"), *more)
            assert said.code == code
        assert simlab(*asked(folder), "--gate").code == 0


class TestWriting:
    @pytest.fixture
    def copied(self, whole, tmp_path):
        """The units of the run in a folder of their own."""
        target = tmp_path / "units" / "blitzkrieg"
        target.mkdir(parents=True)
        for name in ("m4a3_sherman_lp", "sherman_firefly_vc", "panther_g"):
            content = (ROOT / "units" / "blitzkrieg" / f"{name}.yaml").read_bytes()
            (target / f"{name}.yaml").write_bytes(content)
        return target

    def test_prices_go_into_the_sheets_and_nothing_else_changes(self, whole, copied, simlab):
        folder, found = whole
        before = {path.stem: path.read_text(encoding="utf-8") for path in copied.iterdir()}
        said = simlab(
            *(
                "price",
                "three",
                "--n",
                str(FIGHTS),
                "--results",
                str(folder / "results"),
                "--units",
                str(copied.parent),
            ),
            *("--write", "--yes"),
        )
        assert said.code == 0
        assert said.errors[-1] == "2 sheets written"
        for path in copied.iterdir():
            after = path.read_text(encoding="utf-8")
            sheet = lab.find_sheet(str(path))
            if path.stem == "m4a3_sherman_lp":
                assert after == before[path.stem]
                continue
            old = lab.find_sheet(path.stem, units=ROOT / "units")
            price = found.units.set_index("id").loc[path.stem, "priced"]
            assert sheet.ecv.source == "priced"
            assert sheet.ecv.value == pytest.approx(price, rel=0.005)
            assert (
                sheet.provenance == f"{old.provenance} ECV before it was priced: {old.ecv.value:g} (draft)."
            )
            kept = [line for line in before[path.stem].splitlines() if line in after.splitlines()]
            gone = set(before[path.stem].splitlines()) - set(kept)
            assert all(line.startswith(("ecv:", "provenance:", " ")) for line in gone)
            assert max(map(len, after.splitlines())) <= max(120, *map(len, before[path.stem].splitlines()))
            assert after.splitlines()[0] == before[path.stem].splitlines()[0]

    def test_without_a_terminal_it_asks_for_yes(self, whole, copied, simlab):
        folder, _ = whole
        before = {path: path.read_bytes() for path in copied.iterdir()}
        said = simlab(
            *(
                "price",
                "three",
                "--n",
                str(FIGHTS),
                "--results",
                str(folder / "results"),
                "--units",
                str(copied.parent),
            ),
            "--write",
        )
        assert said.code == 2
        assert "--yes, to write without a question" in said.errors[-1]
        assert {path: path.read_bytes() for path in copied.iterdir()} == before

    def test_comments_line_ends_and_empty_lines_stay(self, whole, copied):
        _, found = whole
        path = copied / "panther_g.yaml"
        text = path.read_text(encoding="utf-8")
        old = "ecv: {value: 996, source: draft}\n"
        assert old in text
        text = text.replace(
            old, "ecv:   # my price\n  value: 996   # was 900\n  # think\n  source: draft\n# below\n"
        )
        start = text.index("provenance:")
        stop = text.index("\ndefense:")
        text = text[:start] + "provenance: >\n  One.\n\n  Two.\n\n# of the hull\n" + text[stop + 1 :]
        path.write_bytes(text.replace("\n", "\r\n").encode())
        lab.write_changes(lab.price_changes(found, copied.parent))
        after = path.read_bytes().decode()
        assert after.count("\r\n") == after.count("\n")
        lines = after.splitlines()
        comments = ["# my price", "# was 900", "# think", "# below", "# of the hull"]
        assert [line for line in lines if line in comments] == comments
        assert max(map(len, lines)) <= 120 or max(map(len, text.splitlines())) > 120
        assert lab.find_sheet(str(path)).provenance.endswith("ECV before it was priced: 996 (draft).")

    def test_what_was_priced_is_not_written_twice(self, whole, copied):
        _, found = whole
        lab.write_changes(lab.price_changes(found, copied.parent))
        assert lab.price_changes(found, copied.parent) == []


def test_the_record_is_written_last(whole):
    folder, _ = whole
    prices = Path(folder) / "results" / "three" / "prices"
    assert (prices / RECORD).stat().st_mtime_ns >= (prices / FACTS).stat().st_mtime_ns


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

    def test_a_draft_level_judges_nobody(self, whole):
        folder, _ = whole
        for anchor in ("roster", "panther_g"):
            found = lab.price(
                "three", n=FIGHTS, anchor=anchor, results=folder / "results", units=ROOT / "units"
            )
            assert found.record["draft_level"]
            assert set(found.units["verdict"]) == {"draft", "cannot tell"}
        lab.price("three", n=FIGHTS, results=folder / "results", units=ROOT / "units")


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
        allowed = "a run with prices of its present state: simlab price bare"
        assert said.errors == [f"{other}: run: found a run without prices, allowed {allowed}"]

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
