"""What moved between two runs on paper, whose chances are known: duels and matchups, sampled and solved."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from paper_runs import EVEN, OTHER, OUTCOMES, PAIRS, RANGES, RARE, Folders, PaperRun, even, records, row_of
from scipy import stats

from simlab.analysis.compare import is_moved
from simlab.lab.comparison import compare


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(tmp_path)


class TestNothing:
    def test_a_run_against_itself_is_the_same(self, folders: Folders) -> None:
        run = folders.save(PaperRun(even(), searches={("one", "two", 1): {1: 0.6, 2: 0.4}}))
        found = compare(run, run)
        assert not found.moved
        assert found.tests == 0
        for table in (found.duels, found.matchups, found.fair_numbers):
            assert set(table["effect"]) == {"same"}
            assert (table[["change", "family_low", "family_high"]] == 0).all(axis=None)
        assert found.changes.empty
        assert found.alone.empty
        assert found.flips() == []

    def test_more_fights_at_the_same_dice_move_nothing(self, folders: Folders) -> None:
        """The first n fights of the longer run are those of the shorter one."""
        short = PaperRun(even(), n=1000)
        longer = folders.save(PaperRun(even(), n=1000))
        table = pd.read_parquet(longer / "duels.parquet")
        for name in OUTCOMES:
            table[f"count_{name}"] += 250
            table[name] = (table[f"count_{name}"] / 2000).astype("float64")
        table["n"] = 2000
        table.astype({"n": "Int64"}).to_parquet(longer / "duels.parquet")
        found = compare(folders.save(short), longer)
        assert found.tests == 0
        assert set(found.duels["effect"]) == {"same"}
        assert (found.duels["n_before"] == 1000).all()
        assert (found.duels["n_after"] == 2000).all()

    def test_two_seeds_of_the_same_chances_rarely_move(self, folders: Folders) -> None:
        """By chance alone no more than one comparison of 20 finds anything; tolerance: one in a million.

        Chances from rare to even, so that the tails of all kinds of rows are tried.
        """
        trials, alarms = 12, 0
        dice = np.random.default_rng(17)
        chances = {
            (a, b): {float(place): tuple(dice.dirichlet([0.3, 0.3, 0.05, 0.05])) for place in range(20)}
            for a, b in PAIRS
        }
        found = None
        for trial in range(trials):
            runs = [PaperRun(chances, n=800, seed=2 * trial + side) for side in (0, 1)]
            found = folders.compare(*runs)
            alarms += found.moved
        assert found is not None
        assert found.tests == 2 * (80 + 4)
        assert set(found.duels["dice"]) == {"other"}
        assert set(found.duels["fights"]) == {"same"}
        assert alarms <= stats.binom.isf(RARE, trials, 0.05)

    def test_single_intervals_would_have_cried_wolf(self, folders: Folders) -> None:
        """Among 400 duels some leave their own 95% interval, and none leaves the family's."""
        chances = {pair: dict.fromkeys(map(float, range(100)), EVEN) for pair in PAIRS}
        found = folders.compare(PaperRun(chances, seed=1), PaperRun(chances, seed=2))
        alone = (found.duels["change_low"] > 0) | (found.duels["change_high"] < 0)
        assert 5 <= int(alone.sum()) <= 40
        assert not found.moved


class TestMoved:
    def test_what_was_planted_is_found_and_comes_first(self, folders: Folders) -> None:
        after = PaperRun(even(one_two=0.2, two_one=-0.1), n=4000, **OTHER)
        found = folders.compare(PaperRun(even(), n=4000), after)
        first, second = found.matchups.head(2).to_dict("records")
        assert (first["a"], first["b"], second["a"], second["b"]) == ("one", "two", "two", "one")
        assert first["change"] == pytest.approx(0.2, abs=0.02)
        assert second["change"] == pytest.approx(-0.1, abs=0.02)
        assert first["family_low"] < first["change_low"] < 0.2 < first["change_high"] < first["family_high"]
        assert found.count_moved() == {"matchups": 2, "duels": 6, "fair_numbers": 0}
        assert list(is_moved(found.duels)) == [True] * 6 + [False] * 6
        sizes = found.duels["change"].abs()
        assert sizes[:6].is_monotonic_decreasing
        assert sizes[6:].is_monotonic_decreasing
        assert (first["situations"], first["moved_in"]) == (3, 3)

    def test_an_untouched_pair_is_the_same_and_no_test(self, folders: Folders) -> None:
        found = folders.compare(PaperRun(even()), PaperRun(even(), **OTHER))
        kept = row_of(found.matchups, a="two", b="two")
        assert (kept["effect"], kept["family_low"], kept["family_high"]) == ("same", 0.0, 0.0)
        assert found.tests == 2 * (9 + 3)

    def test_the_mean_of_a_pair_goes_by_the_weights_of_the_run_before(self, folders: Folders) -> None:
        before, after = (folders.save(PaperRun(even(), seed=seed)) for seed in (1, 2))
        weights = dict(zip(RANGES, (0.7, 0.3, 0.0), strict=True))
        table = pd.read_parquet(before / "duels.parquet")
        table["weight"] = table["range"].map(weights)
        table.to_parquet(before / "duels.parquet")
        found = compare(before, after)
        pair = row_of(found.matchups, a="one", b="two")
        rows = found.duels[(found.duels["a"] == "one") & (found.duels["b"] == "two")]
        assert pair["change"] == pytest.approx((rows["weight"] * rows["change"]).sum())
        assert dict(zip(rows["range"], rows["weight"], strict=True)) == {"6": 0.7, "12": 0.3, "24": 0.0}
        assert "weights of situations" in set(found.changes["what"])

    def test_a_kill_rate_moves_where_both_sides_become_deadlier(self, folders: Folders) -> None:
        deadly = {pair: dict.fromkeys(RANGES, (0.3, 0.3, 0.3, 0.1)) for pair in PAIRS}
        found = folders.compare(PaperRun(even(), n=4000), PaperRun(deadly, n=4000, **OTHER))
        row = row_of(found.matchups, a="one", b="one")
        assert (row["effect"], row["kill_effect"]) == ("cannot tell", "moved")
        assert row["kill_change"] == pytest.approx(0.1, abs=0.02)
        assert found.moved

    @pytest.mark.parametrize(("more_than", "moves"), [(0.0, True), (0.05, True), (0.1, False), (1.0, False)])
    def test_a_movement_has_to_exceed_what_counts(
        self, folders: Folders, more_than: float, moves: bool
    ) -> None:
        """A movement of 0.1 is not shown to be more than 0.1."""
        after = PaperRun(even(one_two=0.1), n=4000, **OTHER)
        found = folders.compare(PaperRun(even(one_two=0.2), n=4000), after, more_than=more_than)
        assert found.moved == moves

    def test_who_wins_turns(self, folders: Folders) -> None:
        before = PaperRun(even(one_two=0.2, two_one=0.2), n=4000)
        after = PaperRun(even(one_two=-0.2), n=4000, **OTHER)
        found = folders.compare(before, after)
        turns = {(row["a"], row["b"]): row["turn"] for row in found.matchups.to_dict("records")}
        assert turns[("one", "two")] == "flips"
        assert turns[("two", "one")] == "opens"
        assert turns[("one", "one")] == ""
        assert found.flips()[0] == "one v two: two wins, not one"
        first = row_of(found.duels[:1], turn="flips")
        assert found.flips('"')[1] == f'one v two, {first["range"]}", front v rear: two wins, not one'

    def test_a_flip_counts_however_small(self, folders: Folders) -> None:
        before, after = PaperRun(even(one_two=0.1), n=4000), PaperRun(even(one_two=-0.1), n=4000, **OTHER)
        found = folders.compare(before, after, more_than=0.5)
        assert found.count_moved() == {"matchups": 0, "duels": 0, "fair_numbers": 0}
        assert found.moved

    def test_no_decision_is_no_answer(self, folders: Folders) -> None:
        idle = {pair: dict.fromkeys(RANGES, (0.3, 0.05, 0.05, 0.6)) for pair in PAIRS}
        found = folders.compare(PaperRun(idle), PaperRun(even(one_two=0.3), **OTHER))
        row = row_of(found.matchups, a="one", b="two")
        assert (row["answer_before"], row["answer_after"], row["turn"]) == ("no decision", "a", "settles")


class TestSolved:
    def test_what_was_solved_is_compared_by_its_bounds(self, folders: Folders) -> None:
        before = PaperRun(even(), exact=1e-6)
        after = PaperRun(even(one_two=1e-4, two_one=1e-7), exact=1e-6, **OTHER)
        found = folders.compare(before, after)
        assert found.tests == 0
        assert row_of(found.matchups, a="one", b="two")["effect"] == "moved"
        assert row_of(found.matchups, a="two", b="one")["effect"] == "cannot tell"
        assert set(found.duels["dice"]) == {"none"}
        assert row_of(found.matchups, a="two", b="two")["effect"] == "same"
        row = row_of(found.duels, a="one", b="two", range="6")
        assert row["change"] == pytest.approx(1e-4, rel=1e-6)
        assert row["family_high"] - row["family_low"] == pytest.approx(2e-6, rel=1e-4)

    def test_counts_are_held_against_the_truth(self, folders: Folders) -> None:
        found = folders.compare(PaperRun(even(), exact=1e-6), PaperRun(even(one_two=0.1), n=4000, seed=3))
        assert found.matchups["effect"].tolist() == ["moved", *["cannot tell"] * 3]
        assert row_of(found.matchups[:1], effect="moved")["change"] == pytest.approx(0.1, abs=0.02)
        assert found.tests == 2 * (12 + 4)

    def test_one_run_sampled_has_the_interval_of_that_run_alone(self, folders: Folders) -> None:
        exact = folders.compare(PaperRun(even(), exact=1e-9), PaperRun(even(), n=4000))
        both = folders.compare(PaperRun(even(), n=4000, seed=3), PaperRun(even(), n=4000))
        widths = [
            float((found.duels["change_high"] - found.duels["change_low"]).mean()) for found in (exact, both)
        ]
        assert widths[1] / widths[0] == pytest.approx(2**0.5, rel=0.01)

    def test_false_alarms_against_the_truth_are_rare(self, folders: Folders) -> None:
        trials, alarms = 8, 0
        dice = np.random.default_rng(23)
        chances = {
            (a, b): {float(place): tuple(dice.dirichlet([0.3, 0.3, 0.05, 0.05])) for place in range(20)}
            for a, b in PAIRS
        }
        truth = folders.save(PaperRun(chances, exact=1e-9))
        for trial in range(trials):
            alarms += compare(truth, folders.save(PaperRun(chances, n=800, seed=trial))).moved
        assert alarms <= stats.binom.isf(RARE, trials, 0.05)

    def test_where_nobody_can_fire_nothing_can_move(self, folders: Folders) -> None:
        silent = {pair: dict.fromkeys(RANGES, (0.0, 0.0, 0.0, 1.0)) for pair in PAIRS}
        found = folders.compare(PaperRun(silent), PaperRun(silent, seed=2, exact=0.0))
        assert found.tests == 0
        assert set(found.duels["effect"]) == {"same"}


class TestSameDice:
    def test_equal_counts_under_other_code_are_the_same(self, folders: Folders) -> None:
        found = folders.compare(PaperRun(even()), PaperRun(even(), record={"kernel": "code 2"}))
        assert not found.moved
        assert set(found.duels["effect"]) == {"same"}
        assert set(found.duels["dice"]) == {"same"}
        assert set(found.duels["fights"]) == {"other"}
        assert found.tests == 2 * (12 + 4)

    def test_other_counts_under_other_code_get_the_interval_of_any_dependence(self, folders: Folders) -> None:
        """Its half-width is the sum of both runs' own, 1.41 times that of independent runs."""
        code = {"record": {"kernel": "code 2"}}
        linked = folders.compare(PaperRun(even(), n=4000), PaperRun(even(), n=4000, draw=2, **code))
        free = folders.compare(PaperRun(even(), n=4000), PaperRun(even(), n=4000, seed=2, **code))
        widths = [
            float((found.duels["change_high"] - found.duels["change_low"]).mean()) for found in (linked, free)
        ]
        assert widths[0] / widths[1] == pytest.approx(2**0.5, rel=0.01)

    def test_other_turn_limits_leave_the_dice(self, folders: Folders) -> None:
        found = folders.compare(PaperRun(even()), PaperRun(even(), draw=2, record={"turns": 8}))
        assert set(found.duels["dice"]) == {"same"}
        assert set(found.duels["fights"]) == {"other"}

    @pytest.mark.parametrize(
        "record", [{"rules_version": "paper-2"}, {"non_default": {"folded": True}}], ids=["rules", "readings"]
    )
    def test_other_rules_and_readings_throw_other_dice(
        self, folders: Folders, record: dict[str, Any]
    ) -> None:
        found = folders.compare(PaperRun(even()), PaperRun(even(), draw=2, record=record))
        assert set(found.duels["dice"]) == {"other"}

    def test_other_counts_of_the_same_fights_contradict(self, folders: Folders) -> None:
        found = folders.compare(PaperRun(even()), PaperRun(even(), draw=2))
        assert set(found.duels["effect"]) == {"contradicts"}
        assert found.moved

    def test_a_run_that_does_not_name_its_code_is_taken_for_another(self, folders: Folders) -> None:
        unnamed = {"record": {"kernel": None}}
        found = folders.compare(PaperRun(even(), **unnamed), PaperRun(even(), **unnamed))
        assert set(found.duels["fights"]) == {"other"}


class TestInCommon:
    def test_only_what_both_have_is_compared(self, folders: Folders) -> None:
        fewer = {
            pair: {6.0: EVEN, 48.0: EVEN} for pair in [("one", "one"), ("one", "three"), ("three", "one")]
        }
        found = folders.compare(PaperRun(even()), PaperRun(fewer))
        assert [(row["a"], row["b"], row["range"]) for row in found.duels.to_dict("records")] == [
            ("one", "one", "6")
        ]
        assert found.alone["run"].value_counts().to_dict() == {"before": 11, "after": 5}
        changes = {
            (row["what"], row["name"]): (row["before"], row["after"]) for row in records(found.changes)
        }
        assert changes[("unit", "two")] == ("there", "–")
        assert changes[("unit", "three")] == ("–", "there")

    def test_ranges_by_turn_and_single_ones_meet(self, folders: Folders) -> None:
        """A table with ranges by turn has texts, in whatever form, where another one has numbers."""
        mixed = {pair: {"24.0": EVEN, "36,30,24,24": EVEN} for pair in PAIRS}
        numbers = {pair: {24: EVEN} for pair in PAIRS}
        found = folders.compare(PaperRun(mixed), PaperRun(numbers, seed=2))
        assert set(found.duels["range"]) == {"24"}
        assert set(found.alone["range"]) == {"36,30,24"}

    def test_what_differs_between_the_runs_is_listed(self, folders: Folders) -> None:
        record = {
            "rules_version": "paper-2",
            "kernel": "code 2",
            "turns": 8,
            "non_default": {"folded": True, "constants.step": 6},
            "study": {"method": "auto"},
            "versions": {"simlab": "0.2.0", "numpy": "2.0"},
        }
        after = PaperRun(even(), n=2000, seed=5, record=record, searches={("one", "two", 1): {1: 0.4}})
        found = folders.compare(PaperRun(even()), after)
        listed = {(row["what"], row["name"]): (row["before"], row["after"]) for row in records(found.changes)}
        assert listed == {
            ("rules", ""): ("paper-1", "paper-2"),
            ("code of the fights", ""): ("code 1", "code 2"),
            ("seed", ""): ("1", "5"),
            ("fights a row", ""): ("1,000", "2,000"),
            ("turns", ""): ("12", "8"),
            ("method", ""): ("monte_carlo", "auto"),
            ("reading", "folded"): ("false", "true"),
            ("reading", "constants.step"): ("default", "6"),
            ("engagements", ""): ("–", "sizes 1; spread; 20 turns"),
            ("version", "simlab"): ("0.1.0", "0.2.0"),
        }

    def test_a_sheet_that_fights_alike_is_told_from_one_that_does_not(self, folders: Folders) -> None:
        after = PaperRun(even(), units={"one": "otherwise", "two": f"{'two':0<16}"})
        units = after.content()["units"]
        units[1] |= {"sheet_hash": "repainted", "name": "Number two", "ecv": 90.5}
        found = folders.compare(PaperRun(even()), PaperRun(even(), record={"units": units}))
        listed = {(row["what"], row["name"]): (row["before"], row["after"]) for row in records(found.changes)}
        assert listed == {
            ("unit", "one"): ("fights as one00000", "fights as otherwis"),
            ("unit", "two"): ("sheet two00000", "sheet repainte"),
            ("name", "two"): ("The two", "Number two"),
            ("ECV", "two"): ("100 (draft)", "90.5 (draft)"),
        }
