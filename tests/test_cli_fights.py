"""The commands that fight: what they print, refuse and say on the side."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.cells import cell_len
from shell import PAIR, Said, Shell, in_process, sherman


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, no $SIMLAB_UNITS."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.delenv("SIMLAB_UNITS", raising=False)
    return work


class TestDuel:
    def rows(self, said: Said) -> dict[str, str]:
        """The table rows by title: the title ends where two blanks follow."""
        assert said.code == 0
        return {line.split("  ")[0].strip(): line for line in said.out.splitlines()}

    def test_the_tables_show_the_figures_of_the_json(self, simlab: Shell) -> None:
        arguments = ("duel", *PAIR, "--n", "1000000", "--range", "12")
        said, found = simlab(*arguments), json.loads(simlab(*arguments, "--json").out)
        rows = self.rows(said)
        for title, value in {
            "A wins": found["outcomes"]["a_wins"],
            "B wins": found["outcomes"]["b_wins"],
            "both destroyed": found["outcomes"]["both_destroyed"],
            "win share of A": found["win_share_a"],
            "win share of B": found["win_share_b"],
            "kill rate of A": found["kill_rate_a"],
            "kill rate of B": found["kill_rate_b"],
        }.items():
            chance = rows[title][len(title) :].split()[0]
            assert chance == f"{100 * value:.2f}%"
        for title in ("destroyed", "mobility kill", "firepower kill", "crew kill", "catastrophic kill"):
            cells = rows[title][len(title) :].split()
            sides = [found[f"side_{side}"][title.replace(" ", "_")] for side in "ab"]
            assert [float(cell.rstrip("%")) for cell in cells] == pytest.approx(
                [100 * value for value in sides], abs=0.006
            )
        assert rows["A"].split() == ["A", "panther_g", "Panther", "G", "996", "(draft)", "front"]
        assert "monte carlo, 1,000,000 fights, seed 1, blitzkrieg-1" in said.out
        assert max(map(len, said.out.splitlines())) <= 80

    def test_no_digit_goes_beyond_the_interval(self, simlab: Shell) -> None:
        for n, decimals in (("100", 0), ("10000", 1), ("1000000", 2)):
            row = self.rows(simlab("duel", *PAIR, "--n", n))["A wins"]
            chance, low, _, high = row.removeprefix("A wins").split()
            assert len(chance.rstrip("%").partition(".")[2]) == decimals
            assert float(low[:-1]) <= float(chance[:-1]) <= float(high[:-1])

    def test_json_is_one_object_and_nothing_else(self, simlab: Shell) -> None:
        said = simlab("duel", *PAIR, "--n", "100", "--json")
        found = json.loads(said.out)
        assert said.out.count("\n") == 1
        assert found["schema"] == 1
        assert (found["a"], found["b"]) == PAIR
        assert sum(found["counts"].values()) == found["n"] == 100

    def test_same_seed_same_counts_on_any_number_of_threads(self, simlab: Shell) -> None:
        one, two, other = (
            json.loads(simlab("duel", *PAIR, "--n", "20000", "--json", *more).out)["counts"]
            for more in (["--workers", "1"], ["--workers", "2", "--seed", "1"], ["--seed", "0"])
        )
        assert one == two != other

    def test_no_decision_gets_no_verdict(self, simlab: Shell) -> None:
        said = simlab("duel", *PAIR, "--n", "1000", "--turns", "1")
        assert "no decision within 1 turn: no verdict" in said.out
        assert "no decision" not in simlab("duel", *PAIR, "--n", "1000").out

    def test_a_side_that_cannot_fire_is_said_in_words(self, simlab: Shell, elsewhere: Path) -> None:
        short = sherman(elsewhere, "short", cannon="name: Gun, type: ballistic, max_range: 20")
        said = simlab("duel", short, "m4a3_sherman_lp", "--range", "40", "--n", "1000")
        rows = self.rows(said)
        for title in ("A wins", "kill rate of A"):
            assert rows[title].removeprefix(title).strip() == "cannot fire"
        assert "cannot fire" not in rows["B wins"]
        mirrored = self.rows(simlab("duel", "m4a3_sherman_lp", short, "--range", "40", "--n", "1000"))
        assert mirrored["kill rate of B"].endswith("cannot fire")

    def test_two_sides_that_cannot_fire_are_refused(self, simlab: Shell, elsewhere: Path) -> None:
        short = sherman(elsewhere, "short", cannon="name: Gun, type: ballistic, max_range: 20")
        said = simlab("duel", short, short, "--range", "40", "--n", "1000")
        assert (said.code, said.out) == (2, "")
        assert said.errors[0].startswith("--range: found 40, at which neither side")

    def test_a_reading_that_differs_is_shown(self, simlab: Shell) -> None:
        said = simlab(
            "duel", *PAIR, "--n", "100", "--set", "manifest_overflow=wrap", "--set", "lost_bin=ammo_lost"
        )
        shown = [line for line in said.out.splitlines() if line.startswith("reading")]
        assert shown == ["reading manifest_overflow=wrap"]

    def test_a_draft_is_called_one_wherever_its_price_is_shown(self, simlab: Shell, elsewhere: Path) -> None:
        assert "(draft): an estimate" in simlab("duel", *PAIR, "--n", "100").out
        printed = simlab("duel", "m4a3_sherman_lp", "m4a3_sherman_lp", "--n", "100").out
        assert "draft" not in printed
        assert "558" in printed
        unpriced = sherman(elsewhere, "unpriced", ecv="ecv: {value: null, source: draft}")
        rows = self.rows(simlab("duel", unpriced, "m4a3_sherman_lp", "--n", "100"))
        assert rows["ECV lost"].removeprefix("ECV lost").split()[0] == "–"

    def test_hostile_names_are_text(self, simlab: Shell, elsewhere: Path) -> None:
        name = "[red]<b>" + "戦" * 60
        hostile = sherman(elsewhere, "=cmd[bold]" + "x" * 100, name=f'name: "{name}"')
        for said in (
            simlab("duel", hostile, "m4a3_sherman_lp", "--n", "100"),
            simlab("engage", f"2 {hostile}", "1 m4a3_sherman_lp", "--n", "100"),
        ):
            assert said.code == 0
            assert "[red]<b>戦" in said.out
            assert max(cell_len(line) for line in said.out.splitlines()) <= 80

    @pytest.mark.parametrize(
        ("arguments", "line"),
        [
            (["--range", "-1"], "--range: found -1, allowed a finite number from 0 to 999"),
            (["--range", "nan"], "--range: found nan, allowed a finite number from 0 to 999"),
            (["--range", "1000"], "--range: found 1000, allowed a finite number from 0 to 999"),
            (["--turns", "0"], "--turns: found 0, allowed a whole number from 1 to 1000"),
            (["--n", "0"], "--n: found 0, allowed a whole number from 1 to"),
            (["--n", "9" * 30], "--n: found 999"),
            (["--seed", "-1"], "--seed: found -1, allowed a whole number from 0 to"),
            (["--seed", str(2**63)], f"--seed: found {2**63}, allowed"),
            (["--workers", "0"], "--workers: found 0, allowed"),
            (["--precision", "x"], "--precision: found x, allowed"),
            (["--precision", "0"], "--precision: found 0, allowed"),
            (["--aspect-a", "frnt"], "--aspect-a: found"),
            (["--set", "manifest_overfow=wrap"], "--set manifest_overfow: found"),
            (["--set", "manifest_overflow=wrp"], "--set manifest_overflow: found wrp, allowed stop, wrap"),
            (["--bound", "1e-9"], "--bound: found 1e-9, allowed no --bound without --exact"),
            (["--time-limit", "5"], "--time-limit: found 5, allowed no --time-limit without --exact"),
            (["--exact", "--workers", "0"], "--workers: found 0, allowed"),
            (["--n", "5", "--precision", ".1"], "method: found --n and --precision, allowed one of --exact,"),
            (
                ["--n", "5", "--exact"],
                "method: found --exact and --n, allowed one of --exact, --n, --precision",
            ),
            (["--seed", "5", "--exact"], "--seed: found 5, allowed no --seed with --exact: nothing is drawn"),
            (["--range", "1e400"], "--range: found 1e400, allowed a finite number from 0 to 999"),
            (["--range", "5,1e400"], "--range: found 1e400 for turn 2, allowed a finite number"),
            (["--exact", "--bound", "1e400"], "--bound: found 1e400, allowed a number from 1e-11 to 0.5"),
            (["--seed", "-007"], "--seed: found -007, allowed a whole number from 0"),
            (["--set", "lucky_shot=yes"], "--set lucky_shot: found yes, allowed false, true"),
            (["--set", "dsp=5"], "--set dsp: found 5, allowed coin, mid"),
            (["--set", "dsp=a b"], '--set dsp: found "a b", allowed coin, mid'),
            (
                ["--set", "range_step=6"],
                "--set range_step: found a house number, allowed the name of a reading",
            ),
            (["--aspect-a", "3"], "--aspect-a: found 3, allowed front"),
            (["--aspect-b", "front,3"], "--aspect-b: found 3 for turn 2, allowed front"),
        ],
    )
    def test_lab_refuses_in_the_words_of_the_command_line(
        self, simlab: Shell, arguments: Sequence[str], line: str
    ) -> None:
        said = simlab("duel", *PAIR, *arguments)
        assert (said.code, said.out) == (2, "")
        assert len(said.errors) == 1
        assert said.errors[0].startswith(line)

    @pytest.mark.parametrize(
        ("typed", "written"), [("24", "24"), ("24.0", "24"), ("24.5", "24.5"), ("36.0,30.5", "[36, 30.5]")]
    )
    def test_json_has_whole_ranges_as_whole_numbers_and_all_house_numbers(
        self, simlab: Shell, typed: str, written: str
    ) -> None:
        for fight in (("duel", *PAIR), ("engage", "1 panther_g", "1 m4a3_sherman_lp")):
            said = simlab(*fight, "--range", typed, "--n", "10", "--json")
            assert f'"range": {written}, "aspect_a"' in said.out
            constants = {"range_step": 12, "ap_reach": 30, "exploding": True, "contest_lead": 1}
            assert json.loads(said.out)["constants"] == constants

    def test_a_precision_fixes_the_number_of_fights(self, simlab: Shell) -> None:
        assert json.loads(simlab("duel", *PAIR, "--precision", ".01", "--json").out)["n"] == 9604

    @pytest.mark.long
    def test_compiling_is_said_once_on_standard_error(self, tmp_path: Path) -> None:
        first, second = (
            in_process("duel", *PAIR, "--n", "10", "--json", NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2)
        )
        assert first.stderr.splitlines() == ["compiling the rules, once; about 20 s"]
        assert second.stderr == ""
        assert json.loads(first.stdout)["counts"] == json.loads(second.stdout)["counts"]


class TestEngage:
    SIDES = ("2 panther_g", "3 m4a3_sherman_lp, 1 sherman_firefly_vc")

    def test_the_tables_show_who_met_and_who_is_left(self, simlab: Shell) -> None:
        said = simlab("engage", *self.SIDES, "--n", "10000", "--policy-a", "first")
        lines = said.out.splitlines()
        assert said.code == 0
        assert [line.split()[:3] for line in lines[2:5]] == [
            ["A", "2", "panther_g"],
            ["B", "3", "m4a3_sherman_lp"],
            ["1", "sherman_firefly_vc", "Sherman"],
        ]
        left = {line.split()[0]: line.split()[2:] for line in lines if " left " in line}
        assert {count: len(cells) for count, cells in left.items()} == {
            "0": 2,
            "1": 2,
            "2": 2,
            "3": 1,
            "4": 1,
        }
        assert "A: hit from front, policy first" in said.out
        assert "volleys a fight" in said.out
        assert max(map(len, lines)) <= 80

    def test_json(self, simlab: Shell) -> None:
        found = json.loads(simlab("engage", *self.SIDES, "--n", "1000", "--json").out)
        assert found["a"] == ["panther_g", "panther_g"]
        assert len(found["survivors"]["b"]) == 5
        assert found["turns"] == 20
        assert found["policy_a"] == "spread"

    def test_one_against_one_is_the_duel(self, simlab: Shell) -> None:
        duel = json.loads(simlab("duel", *PAIR, "--n", "5000", "--json").out)
        sides = [f"1 {unit}" for unit in PAIR]
        engagement = json.loads(simlab("engage", *sides, "--n", "5000", "--turns", "12", "--json").out)
        assert engagement["counts"] == duel["counts"]

    @pytest.mark.parametrize(
        "side", ["", " ", "0 panther_g", "2", "2 panther_g,", "1001 panther_g", "1.5 panther_g"]
    )
    def test_a_side_has_units(self, simlab: Shell, side: str) -> None:
        said = simlab("engage", side, "1 m4a3_sherman_lp", "--n", "10")
        assert (said.code, said.out) == (2, "")
        assert len(said.errors) == 1

    @pytest.mark.parametrize(
        ("option", "line"),
        [
            (["--exact"], "--exact: found --exact, allowed --n or --precision: only duels are solved"),
            (["--bound", "1e-4"], "--bound: found 1e-4, allowed no --bound here: only duels are solved"),
            (
                ["--time-limit", "5"],
                "--time-limit: found 5, allowed no --time-limit here: only duels are solved",
            ),
        ],
    )
    def test_what_only_duels_have_is_refused_and_not_offered(
        self, simlab: Shell, option: list[str], line: str
    ) -> None:
        said = simlab("engage", *self.SIDES, *option)
        assert (said.code, said.out, said.errors) == (2, "", [line])
        assert option[0] not in simlab("engage", "--help").out
        assert option[0] in simlab("duel", "--help").out
        (unknown,) = simlab("engage", *self.SIDES, f"{option[0]}x").errors
        assert f"{option[0]}," not in unknown
        assert not unknown.endswith(f"{option[0]}?")

    def test_an_unknown_policy_is_refused(self, simlab: Shell) -> None:
        (line,) = simlab("engage", *self.SIDES, "--policy-a", "frist").errors
        assert line.startswith("--policy-a: found")
        assert line.endswith("did you mean first?")


class TestTelling:
    def test_odds_of_a_pair_and_of_a_unit(self, simlab: Shell) -> None:
        pair, alone = simlab("odds", *PAIR, "--range", "14"), simlab("odds", PAIR[0])
        assert (pair.code, alone.code) == (0, 0)
        assert "8 or more" in pair.out
        assert alone.out != pair.out
        assert max(map(len, (pair.out + alone.out).splitlines())) <= 80

    def test_odds_name_their_own_options(self, simlab: Shell) -> None:
        said = simlab("odds", *PAIR, "--aspect", "frnt", "--range", "-1")
        assert (said.code, said.out) == (2, "")
        assert sorted(line.split(":")[0] for line in said.errors) == ["--aspect", "--range"]

    def test_a_trace_tells_one_fight(self, simlab: Shell) -> None:
        first, same, other = (
            simlab("trace", *PAIR, *more)
            for more in ([], ["--seed", "1", "--replicate", "0"], ["--replicate", "1"])
        )
        assert first.code == 0
        assert first.out == same.out != other.out
        assert "Turn 1" in first.out

    def test_a_trace_of_given_dice(self, simlab: Shell) -> None:
        told = simlab("trace", *PAIR, "--turns", "1", "--dice", "1+2 1+4 2+1")
        assert told.code == 0
        assert "given dice" in told.out

    @pytest.mark.parametrize(
        ("arguments", "field"),
        [
            (["--dice", "1+2/x"], "--dice"),
            (["--dice", "1+2", "--seed", "1"], "--seed"),
            (["--replicate", "-1"], "--replicate"),
            (["--row", "1"], "--row"),
            (["--turns", "0"], "--turns"),
        ],
    )
    def test_a_trace_refuses(self, simlab: Shell, arguments: Sequence[str], field: str) -> None:
        said = simlab("trace", *PAIR, *arguments)
        assert (said.code, said.out) == (2, "")
        assert [line.split(":")[0] for line in said.errors] == [field]


class TestRun:
    STUDY = "name: Small\nsystem: blitzkrieg\nunits: [panther_g, m4a3_sherman_lp]\nn: 200\n"

    def test_a_study_is_run_and_drawn(self, simlab: Shell, elsewhere: Path) -> None:
        study = elsewhere / "small.yaml"
        study.write_text(self.STUDY + "situations: {range: [12], aspect: [front]}\n")
        assert simlab("check", "small.yaml").out == "1 file checked, all fine\n"
        said = simlab("run", "small.yaml", "--workers", "1")
        assert said.code == 0
        assert "results in results/small:" in said.out
        assert (elsewhere / "results" / "small" / "run.json").is_file()
        named = [line.strip() for line in said.out.splitlines() if line.startswith("  ")]
        assert all((elsewhere / "results" / "small" / name).is_file() for name in named)
        assert {"duels.parquet", "run.json"} < set(named)
        assert any(name.startswith("plots/") for name in named)
        assert "nothing new to fight" in simlab("run", "small.yaml").out
        plots = simlab("plot", "small").out.splitlines()
        assert plots
        assert all(Path(plot).is_file() for plot in plots)

    def test_faults_of_a_study_are_lines(self, simlab: Shell, elsewhere: Path) -> None:
        (elsewhere / "bad.yaml").write_text(self.STUDY.replace("n: 200", "n: 0") + "situations: {}\n")
        said = simlab("run", "bad.yaml")
        assert (said.code, said.out) == (2, "")
        assert len(said.errors) > 1
        assert all(line.startswith("bad.yaml:") for line in said.errors)
        assert not (elsewhere / "results").exists()

    def test_a_run_that_is_not_there(self, simlab: Shell) -> None:
        (line,) = simlab("plot", "nothing").errors
        assert line.startswith('RUN: found "nothing", allowed')
