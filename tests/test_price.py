"""Prices of a run: the verb, what it writes, and the command."""

import json
import math
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from priced import FIGHTS, asked
from shell import ROOT

from simlab import lab
from simlab.lab.price_terms import FIRST_FIGHTS
from simlab.lab.stored_prices import FACTS, RECORD
from simlab.model.errors import InputError


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

    def test_a_unit_that_never_fires_is_unbounded_below(self, tmp_path):
        units = tmp_path / "units" / "blitzkrieg"
        units.mkdir(parents=True)
        for unit in ("m4a3_sherman_lp", "panther_g"):
            shutil.copy(ROOT / "units" / "blitzkrieg" / f"{unit}.yaml", units)
        text = (units / "m4a3_sherman_lp.yaml").read_text()
        (units / "short.yaml").write_text(re.sub(r"(ammo: \d+)", r"\1, max_range: 5", text))
        study = "name: s\nsystem: blitzkrieg\nunits: [m4a3_sherman_lp, panther_g, short]\n"
        study += "situations: {range: [12], aspect: [front]}\nn: 100\n"
        (tmp_path / "short.yaml").write_text(study)
        lab.run(tmp_path / "short.yaml", results=tmp_path / "r", units=tmp_path / "units")
        found = lab.price("short", n=64, results=tmp_path / "r", units=tmp_path / "units")
        row = found.units.set_index("id").loc["short"]
        assert row["verdict"] == "unbounded below"
        assert math.isnan(row["priced"])
        assert found.to_dict()["units"]["short"]["priced"] is None

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


def test_the_record_is_written_last(whole):
    folder, _ = whole
    prices = Path(folder) / "results" / "three" / "prices"
    assert (prices / RECORD).stat().st_mtime_ns >= (prices / FACTS).stat().st_mtime_ns
