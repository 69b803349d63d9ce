"""`simlab compare`: what it prints, when it fails, and what it says about runs that cannot be compared."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from paper_runs import EVEN, OTHER, OUTCOMES, PaperRun, even
from rich.cells import cell_len
from shell import Shell

from simlab.lab.comparison import Comparison, compare

ESCAPE = "\x1b[31m"
LONG = "a_unit_with_a_name_that_is_far_too_long_for_any_table_of_eighty_columns_to_hold"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def moved() -> tuple[str, str]:
    """Two runs between which one pair of four moved by 20 points."""
    PaperRun(even(), n=4000).save(Path("before"))
    PaperRun(even(one_two=0.2), n=4000, **OTHER).save(Path("after"))
    return "before", "after"


@pytest.fixture
def still() -> tuple[str, str]:
    """Two runs of the same chances with other dice."""
    PaperRun(even(), n=4000).save(Path("before"))
    PaperRun(even(), n=4000, seed=2).save(Path("after"))
    return "before", "after"


class TestText:
    def test_it_says_what_changed_and_what_moved(self, simlab: Shell, moved: tuple[str, str]) -> None:
        said = simlab("compare", *moved)
        assert said.code == 0
        lines = said.out.splitlines()
        assert lines[0] == "Paper: what changed between two runs"
        assert "unit one   fights as one00000   fights as otherwis" in lines
        assert lines[lines.index("4 matchups: 1 moved, 1 the same, 2 within their intervals") + 1].startswith(
            "12 duels: 3 moved, 3 the same, 6 within"
        )
        place = lines.index("one v two")
        assert lines[place + 1].startswith("  over 3 situations")
        assert lines[place + 1].split()[-2] == ">" or lines[place + 1].split()[-1] in "ab?"
        assert lines[-1].startswith("moved: 1 matchup")
        assert max(map(cell_len, lines)) <= 80

    def test_it_says_how_much_may_have_moved_unseen(self, simlab: Shell, still: tuple[str, str]) -> None:
        said = simlab("compare", *still)
        lines = said.out.splitlines()
        assert "The largest changes, by the win share of the first unit in %:" in lines
        found = compare(*still)
        reach = 100 * max(-found.duels["family_low"].min(), found.duels["family_high"].max())
        shown = float(lines[-1].rpartition(" ")[2])
        assert reach <= shown < reach + 0.1
        assert lines[-1].startswith("nothing moved; no matchup by ")

    def test_a_run_against_itself(self, simlab: Shell, still: tuple[str, str]) -> None:
        said = simlab("compare", "before", "before")
        assert "no difference of units, rules, settings or versions" in said.out
        assert "Nothing to compare: all counts are the same, at the same dice." in said.out
        assert said.out.splitlines()[-1] == "nothing moved"

    def test_the_figures_are_those_of_the_table(self, simlab: Shell, moved: tuple[str, str]) -> None:
        row = compare(*moved).matchups.iloc[0]
        lines = simlab("compare", *moved).out.splitlines()
        before, after, change, alone, together, *_ = lines[lines.index("one v two") + 1].split()[3:]
        assert float(before) == pytest.approx(100 * row["win_share_before"], abs=0.05)
        assert float(after) == pytest.approx(100 * row["win_share_after"], abs=0.05)
        assert float(change) == pytest.approx(100 * row["change"], abs=0.05)
        for shown, low, high in (
            (alone, "change_low", "change_high"),
            (together, "family_low", "family_high"),
        ):
            half = 100 * max(row["change"] - row[low], row[high] - row["change"])
            assert half <= float(shown.removeprefix("±")) < half + 0.1

    def test_what_the_dice_have_to_do_with_each_other_is_said(self, simlab: Shell) -> None:
        PaperRun(even(), n=4000).save(Path("before"))
        PaperRun(even(one_two=0.2), n=4000, record={"kernel": "code 2"}).save(Path("after"))
        text = " ".join(simlab("compare", "before", "after").out.split())
        assert (
            "12 duels threw the same dice under other code or turn limits, and 3 of them came to other"
            in text
        )
        PaperRun(even(), n=4000, record={"kernel": "code 2"}).save(Path("again"))
        text = " ".join(simlab("compare", "before", "again").out.split())
        assert (
            "12 duels threw the same dice under other code or turn limits, and came to the same counts"
            in text
        )
        assert text.endswith("nothing moved")
        PaperRun(even(), n=4000, draw=9).save(Path("broken"))
        text = " ".join(simlab("compare", "before", "broken").out.split())
        assert "12 rows have other counts at the same fights and dice: one of the runs is damaged" in text

    def test_fair_numbers_with_their_prices(self, simlab: Shell) -> None:
        searches = ({1: 0.9, 2: 0.6, 3: 0.3}, {1: 0.9, 2: 0.3})
        for name, shares, other in zip(("before", "after"), searches, ({}, OTHER), strict=True):
            PaperRun(even(), n=9000, searches={("two", "one", 1): shares}, **other).save(Path(name))
        lines = simlab("compare", "before", "after").out.splitlines()
        row = lines[lines.index("one for 1 two") + 1].split()
        assert row[:4] == ['24",', "front", "v", "rear"]
        assert (row[-2], lines[-1]) == (">", "moved: 1 fair number")
        assert int(row[-3]) == pytest.approx(228, abs=5)
        assert "ECV: what the fair number makes the other unit worth" in "\n".join(lines)

    def test_no_sampled_figure_is_shown_as_certain(self, simlab: Shell) -> None:
        sure = {pair: dict.fromkeys((6.0, 12.0), (1.0, 0.0, 0.0, 0.0)) for pair in even()}
        PaperRun(even(), n=1000).save(Path("before"))
        PaperRun(sure, n=1000, seed=2).save(Path("after"))
        text = simlab("compare", "before", "after").out
        assert "over 2 situations     48.9    > 99" in text
        assert " 100" not in text

    @pytest.mark.parametrize("width", [80, 120, 200])
    def test_ids_are_never_cut(self, simlab: Shell, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("simlab.cli.compare_text.page_width", lambda: width)
        for name, seed, shift in (("before", 1, 0.0), ("after", 2, 0.3)):
            chances = {("x", LONG): {6.0: (0.4 + shift, 0.4 - shift, 0.1, 0.1), 12.0: EVEN}}
            PaperRun(chances, n=2000, seed=seed).save(Path(name))
        assert f"x v {LONG}" in simlab("compare", "before", "after").out

    def test_a_wide_page_has_a_line_for_each_matchup(
        self, simlab: Shell, moved: tuple[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("simlab.cli.compare_text.page_width", lambda: 120)
        assert "\none v two, over 3 situations " in simlab("compare", *moved).out

    def test_long_lists_are_cut_and_say_so(self, simlab: Shell) -> None:
        names = [f"unit_{number}" for number in range(5)]
        pairs = [(a, b) for a in names for b in names]
        worse = {
            pair: {6.0: (0.1, 0.7, 0.1, 0.1) if names[0] in pair else EVEN, 12.0: EVEN} for pair in pairs
        }
        even_pairs = {pair: {6.0: EVEN, 12.0: EVEN} for pair in pairs}
        PaperRun(even_pairs, n=2000).save(Path("before"))
        PaperRun(worse, n=2000, seed=2).save(Path("after"))
        text = simlab("compare", "before", "after").out
        assert "9 moved" in text
        found = compare("before", "after", more_than=0.0)
        assert found.count_moved()["matchups"] == 9
        both = {pair: {6.0: (0.1, 0.7, 0.1, 0.1), 12.0: EVEN} for pair in pairs}
        PaperRun(both, n=2000, seed=2).save(Path("all"))
        text = simlab("compare", "before", "all").out
        assert "and 15 more (--csv FILE, --json: all of them)" in text
        assert "Units with most of them: " in text


class TestGate:
    def test_what_moved_fails_the_gate_and_nothing_else(self, simlab: Shell, moved: tuple[str, str]) -> None:
        assert simlab("compare", *moved).code == 0
        assert simlab("compare", *moved, "--gate").code == 1
        assert simlab("compare", *moved, "--gate", "--json").code == 1
        assert simlab("compare", "before", "before", "--gate").code == 0

    def test_chance_does_not_fail_the_gate(self, simlab: Shell, still: tuple[str, str]) -> None:
        assert simlab("compare", *still, "--gate").code == 0

    @pytest.mark.parametrize(("least", "code"), [("0.01", 1), (".1", 1), ("0.3", 0)])
    def test_small_movements_pass(self, simlab: Shell, moved: tuple[str, str], least: str, code: int) -> None:
        said = simlab("compare", *moved, "--gate", "--more-than", least)
        flipped = bool(compare(*moved).flips())
        assert said.code == (code or int(flipped))

    @pytest.mark.parametrize("least", ["", "x", "-0.1", "1.5", "nan", "inf", "1%"])
    def test_a_threshold_is_a_part_of_one(self, simlab: Shell, moved: tuple[str, str], least: str) -> None:
        said = simlab("compare", *moved, f"--more-than={least}")
        shown = {"": '""', "1%": '"1%"'}.get(least, least)
        assert said.errors == [f"--more-than: found {shown}, allowed a number from 0 to 1"]
        assert (said.code, said.out) == (2, "")


class TestOutput:
    def test_json_is_what_python_returns(self, simlab: Shell, moved: tuple[str, str]) -> None:
        said = simlab("compare", *moved, "--json")
        assert json.loads(said.out) == json.loads(json.dumps(compare(*moved).to_dict()))

    def test_the_table_has_all_duels(self, simlab: Shell, moved: tuple[str, str]) -> None:
        assert simlab("compare", *moved, "--csv", "moved.csv").code == 0
        table = pd.read_csv("moved.csv", dtype={"range": str})
        found = compare(*moved).duels
        assert list(table.columns) == list(found.columns)
        assert table["effect"].tolist() == found["effect"].tolist()
        assert table["change"].tolist() == pytest.approx(found["change"].tolist(), abs=1e-5)

    @pytest.mark.parametrize("file", ["", "before", "a\0b"])
    def test_a_table_needs_a_file(self, simlab: Shell, moved: tuple[str, str], file: str) -> None:
        said = simlab("compare", *moved, "--csv", file)
        (line,) = said.errors
        assert line.startswith("--csv: found ")
        assert (said.code, said.out) == (2, "")

    def test_names_of_files_do_nothing_to_terminals_and_spreadsheets(self, simlab: Shell) -> None:
        bad = f"={ESCAPE}cmd"
        record = {
            "name": f"Paper\n{ESCAPE}",
            "non_default": {f"{ESCAPE}x": ESCAPE},
            "versions": {ESCAPE: ESCAPE},
        }
        for name, seed, more in (("before", 1, {}), ("after", 2, {"record": record})):
            shares = {1: 0.9, 2: 0.3} if seed == 1 else {1: 0.3}
            chances = {(bad, bad): {6.0: EVEN if seed == 1 else (0.1, 0.7, 0.1, 0.1), 12.0: EVEN}}
            run = PaperRun(chances, n=4000, seed=seed, searches={(bad, bad, 1): shares}, **more)
            run.save(Path(name))
        said = simlab("compare", "before", "after", "--csv", "out.csv")
        assert said.code == 0
        assert all(character.isprintable() or character == "\n" for character in said.out)
        assert r"=\x1b[31mcmd v =\x1b[31mcmd" in said.out
        written = Path("out.csv").read_text(encoding="utf-8")
        assert all(character.isprintable() or character == "\n" for character in written)
        assert all(not cell.startswith("=") for line in written.splitlines() for cell in line.split(","))
        assert ESCAPE not in simlab("compare", "before", "after", "--json").out


def with_record(key: str, value: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        file = folder / "run.json"
        record = json.loads(file.read_text(encoding="utf-8"))
        record[key] = value
        file.write_text(json.dumps(record), encoding="utf-8")

    return change


def with_table(change: Callable[[pd.DataFrame], pd.DataFrame], name: str = "duels") -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        change(pd.read_parquet(folder / f"{name}.parquet")).to_parquet(folder / f"{name}.parquet")

    return apply


def column(name: str, value: Any, table: str = "duels") -> Callable[[Path], None]:
    def change(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(**{name: [value, *frame[name].astype(object)[1:]]})

    return with_table(change, table)


DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "no record": (lambda folder: (folder / "run.json").unlink(), "no run.json"),
    "half a record": (
        lambda folder: (folder / "run.json").write_text('{"schema": 1, "na'),
        "unreadable record",
    ),
    "another record": (lambda folder: (folder / "run.json").write_text("[]"), "a record of another kind"),
    "units no list": (with_record("units", {"one": 1}), "a record with a faulty units"),
    "units without a hash": (with_record("units", [{"id": "one"}]), "a record with a faulty units"),
    "seed no number": (with_record("seed", "1"), "a record with a faulty seed"),
    "readings no mapping": (with_record("non_default", None), "a record with a faulty non_default"),
    "engagements no mapping": (with_record("engagements", [1]), "a record with a faulty engagements"),
    "no duels": (lambda folder: (folder / "duels.parquet").unlink(), "no duels.parquet"),
    "half a table": (lambda folder: (folder / "duels.parquet").write_bytes(b"PAR1"), "an unreadable table"),
    "a column missing": (
        with_table(lambda table: table.drop(columns=["neither", "weight"])),
        "a table without weight, neither",
    ),
    "a row twice": (with_table(lambda table: pd.concat([table, table[:1]])), "a row twice"),
    "an unknown unit": (column("a", "three"), "a faulty column a"),
    "a range of text": (with_table(lambda table: table.assign(range="near")), "a faulty column range"),
    "a negative count": (column("count_neither", -1), "a faulty column count_neither"),
    "a count missing": (column("count_a_wins", None), "a faulty column count_a_wins"),
    "counts beyond n": (column("n", 3), "a faulty column n"),
    "a chance beyond 1": (column("a_wins", 1.5), "a faulty column"),
    "a chance of its own": (column("a_wins", 0.0), "a faulty column"),
    "a weight below 0": (column("weight", -1.0), "a faulty column weight"),
    "a weight without end": (column("weight", float("inf")), "a faulty column weight"),
    "an unknown method": (column("method", "guess"), "a faulty column"),
    "silence in words": (
        with_table(lambda table: table.assign(cannot_fire_a="no")),
        "a faulty column cannot_fire_a",
    ),
    "an engagement twice": (
        with_table(lambda table: pd.concat([table, table]), "engagements"),
        "a row twice",
    ),
    "an engagement of nobody": (column("size_m", 0, "engagements"), "a faulty column size_m"),
    "an engagement without fights": (
        with_table(lambda table: table.assign(**{f"count_{name}": 0 for name in OUTCOMES}), "engagements"),
        "a faulty column count_a_wins",
    ),
}


class TestRefused:
    @pytest.mark.parametrize("damage", DAMAGE)
    @pytest.mark.parametrize("place", ["RUN_A", "RUN_B"])
    def test_a_damaged_run_is_one_line(self, simlab: Shell, damage: str, place: str) -> None:
        for name in ("good", "bad"):
            PaperRun(even(), searches={("one", "two", 1): {1: 0.6, 2: 0.4}}).save(Path(name))
        change, found = DAMAGE[damage]
        change(Path("bad"))
        runs = ("bad", "good") if place == "RUN_A" else ("good", "bad")
        said = simlab("compare", *runs)
        (line,) = said.errors
        assert (said.code, said.out) == (2, "")
        assert line.startswith("bad")
        assert "run: found " in line
        assert found in line

    def test_a_run_that_is_not_there(self, simlab: Shell, still: tuple[str, str]) -> None:
        said = simlab("compare", "nowhere", "after")
        assert said.errors == [
            "RUN_A: found nowhere, allowed a folder of a finished run, or its name in results"
        ]
        said = simlab("compare", "before", "")
        assert (len(said.errors), said.code) == (1, 2)

    def test_nothing_in_common_is_one_line(self, simlab: Shell) -> None:
        PaperRun(even()).save(Path("before"))
        PaperRun({("three", "three"): {6.0: EVEN}}).save(Path("after"))
        said = simlab("compare", "before", "after", "--gate")
        (line,) = said.errors
        assert line.startswith("RUN_B: found runs without a duel in common: before, after")
        assert (said.code, said.out) == (2, "")

    def test_another_system_is_one_line(self, simlab: Shell) -> None:
        PaperRun(even()).save(Path("before"))
        PaperRun(even(), record={"system": "stone"}).save(Path("after"))
        (line,) = simlab("compare", "before", "after").errors
        assert line == "RUN_B: found a run of stone, allowed a run of paper, like the first"

    @pytest.mark.parametrize("arguments", [{"more_than": "x"}, {"more_than": True}, {"results": 3}])
    def test_wrong_arguments_in_python(self, arguments: dict[str, Any], still: tuple[str, str]) -> None:
        from simlab.model.errors import InputError

        with pytest.raises(InputError):
            compare(*still, **arguments)

    def test_runs_are_looked_up_in_results(self, simlab: Shell) -> None:
        PaperRun(even()).save(Path("elsewhere/one"))
        assert simlab("compare", "one", "one", "--results", "elsewhere").code == 0
        assert isinstance(compare("one", "one", results="elsewhere"), Comparison)
