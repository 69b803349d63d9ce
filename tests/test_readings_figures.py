"""Differences between readings: paired intervals, fair numbers, tables, rankings, the picture."""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from samples import family_z
from scipy.stats import binom, t

from simlab.analysis.readings import (
    Duels,
    Series,
    as_records,
    describe_flips,
    rank_variants,
    tell_fair_numbers,
    tell_matchups,
    tell_situations,
)
from simlab.analysis.readings_paired import (
    UNSEEN,
    average_share,
    compare_crossings,
    compare_shares,
    locate_crossing,
    student_95,
)
from simlab.analysis.tables import describe_units
from simlab.plots.readings import FLIP_LABEL, plot_readings, write_readings_plot
from simlab.plots.style import new_figure


def joint(rng: np.random.Generator, cells: Any, size: int, batches: int) -> tuple[Any, Any]:
    """Base and variant counts (1, batches, 4) of fights whose outcomes have a joint distribution (4, 4)."""
    drawn = rng.multinomial(size, np.ravel(cells), batches).reshape(batches, 4, 4)
    return drawn.sum(axis=2)[None], drawn.sum(axis=1)[None]


def joint_cells(flipped: float, back: float) -> Any:
    cells = np.diag([0.5 - flipped, 0.3 - back, 0.15, 0.05])
    cells[0, 1], cells[1, 0] = flipped, back
    return cells


DIFFERENT = np.array([False])
ONE = np.ones(1)


class TestPairedIntervals:
    @pytest.mark.parametrize("freedom", [3, 4, 7, 15, 31, 45.5, 300])
    def test_students_t(self, freedom: float) -> None:
        assert student_95(freedom) == pytest.approx(t.ppf(0.975, freedom), rel=0.012 if freedom < 7 else 1e-4)

    def test_intervals_cover_the_true_difference_as_often_as_they_say(self) -> None:
        rng = np.random.default_rng(1)
        trials, covered = 2000, 0
        for _ in range(trials):
            estimate = compare_shares(*joint(rng, joint_cells(0.05, 0.02), 300, 16), ONE, DIFFERENT)
            covered += estimate.low <= -0.03 <= estimate.high
        low, high = binom.interval(1 - 1e-6, trials, 0.95)
        assert low <= covered <= high

    def test_intervals_over_situations_cover_too(self) -> None:
        rng = np.random.default_rng(2)
        weights = np.array([0.6, 0.3, 0.1])
        flips = [(0.05, 0.02), (0.01, 0.0), (0.2, 0.25)]
        truth = float(weights @ [back - flipped for flipped, back in flips])
        trials, covered = 1500, 0
        for _ in range(trials):
            pairs = [joint(rng, joint_cells(*each), 200, 8) for each in flips]
            base, variant = (np.concatenate([pair[side] for pair in pairs]) for side in (0, 1))
            estimate = compare_shares(base, variant, weights, np.zeros(3, bool))
            covered += estimate.low <= truth <= estimate.high
        low, _ = binom.interval(1 - 1e-6, trials, 0.95)
        assert low <= covered

    def test_pairing_takes_the_common_noise_out(self) -> None:
        base, variant = joint(np.random.default_rng(3), joint_cells(0.01, 0.0), 1000, 16)
        paired = compare_shares(base, variant, ONE, DIFFERENT)
        alone = [average_share(counts, ONE) for counts in (base, variant)]
        assert paired.high - paired.low < 0.3 * sum(each.high - each.low for each in alone)
        assert paired.value == pytest.approx(alone[1].value - alone[0].value, abs=1e-12)

    def test_equal_counts_are_no_proof_and_equal_fights_are(self) -> None:
        counts = np.tile([20, 10, 5, 5], (1, 16, 1))
        unseen = compare_shares(counts, counts, ONE, DIFFERENT)
        assert (unseen.value, unseen.low, unseen.high) == (0, -UNSEEN / 640, UNSEEN / 640)
        assert pytest.approx(0.05, rel=0.01) == (1 - UNSEEN / 640) ** 640
        exact = compare_shares(counts, counts, ONE, np.array([True]))
        assert (exact.low, exact.high) == (0, 0)

    def test_shares_and_their_intervals(self) -> None:
        counts = np.array([[[60, 20, 10, 10]], [[20, 60, 10, 10]]])
        estimate = average_share(counts, np.array([0.5, 0.5]))
        assert estimate.value == pytest.approx(0.5)
        variance = (0.6 + 0.2 / 4 - 0.7**2) / 100
        assert estimate.high - 0.5 == pytest.approx(1.959964 * math.sqrt(variance / 2), rel=1e-6)


class TestFairNumbers:
    def test_the_crossing_is_that_of_the_format(self) -> None:
        series = {2: np.array([[[60, 40, 0, 0]] * 4]), 3: np.array([[[40, 60, 0, 0]] * 4])}
        crossing = locate_crossing(series, ONE, 2, 3)
        assert math.exp(crossing.value) == pytest.approx(math.sqrt(6))
        assert crossing.slopes is not None
        step = 1e-6
        for size, slope in crossing.slopes:
            shares = {2: 0.6, 3: 0.4}
            shares[size] += step
            log = math.log(2) + (shares[2] - 0.5) / (shares[2] - shares[3]) * math.log(1.5)
            assert slope == pytest.approx((log - crossing.value) / step, rel=1e-4)

    def test_noise_that_hides_the_fall_leaves_no_interval(self) -> None:
        wins = np.array([[10, 15, 13, 14], [15, 10, 12, 11]])
        series = {
            size: np.stack([won, 25 - won, 0 * won, 0 * won], axis=1)[None]
            for size, won in zip((2, 3), wins, strict=True)
        }
        assert locate_crossing(series, ONE, 2, 3).slopes is None

    def test_changes_cover_the_true_change_as_often_as_they_say(self) -> None:
        rng = np.random.default_rng(6)
        trials, covered = 1000, 0
        cells = {2: (0.58, 0.03), 3: (0.45, 0.03)}
        logs = [
            math.log(2) + (two - 0.5) / (two - three) * math.log(1.5)
            for two, three in ((0.58, 0.45), (0.55, 0.42))
        ]
        for _ in range(trials):
            base, variant = {}, {}
            for size, (share, lost) in cells.items():
                joined = np.zeros((4, 4))
                joined[0, 0], joined[0, 1], joined[1, 1] = share - lost, lost, 1 - share
                base[size], variant[size] = joint(rng, joined, 400, 16)
            crossings = [locate_crossing(series, ONE, 2, 3) for series in (base, variant)]
            change = compare_crossings(base, variant, ONE, (crossings[0], crossings[1]), False)
            covered += change.low <= logs[1] - logs[0] <= change.high
        spread = family_z(1) * math.sqrt(0.95 * 0.05 / trials)
        assert 0.95 - spread - 0.01 <= covered / trials <= 0.95 + spread + 0.01

    def test_prices_are_judged_unless_they_are_drafts(self) -> None:
        units = describe_units(
            [
                {"id": "anchor", "name": "Anchor", "ecv": 500.0, "source": "rulebook"},
                {"id": "printed", "name": "Printed", "ecv": 650.0, "source": "rulebook"},
                {"id": "draft", "name": "Draft", "ecv": 650.0, "source": "draft"},
                {"id": "ours", "name": "Ours", "ecv": 650.0, "source": "priced"},
            ]
        )
        pairs = [
            (made_series(unit, "anchor", 0.9, 0.2), made_series(unit, "anchor", 0.6, 0.05))
            for unit in ("printed", "draft", "ours")
        ]
        frame = tell_fair_numbers([(HEAD, pairs)], ONE, units, "anchor").set_index("unit")
        assert frame.loc["printed", ["verdict_base", "verdict"]].tolist() == ["underpriced", "overpriced"]
        assert frame.loc["printed", "turn"] == "flips"
        assert set(frame.loc["draft", ["verdict_base", "verdict"]]) == {"draft"}
        assert set(frame.loc["ours", ["verdict_base", "verdict"]]) == {"not printed"}
        assert frame.loc["printed", "priced_base"] == pytest.approx(500 * frame.loc["printed", "ratio_base"])
        assert frame.loc["printed", "change"] == pytest.approx(
            frame.loc["printed", "ratio"] / frame.loc["printed", "ratio_base"] - 1
        )
        back = (made_series("anchor", "printed", 0.9, 0.2), made_series("anchor", "printed", 0.6, 0.05))
        row = tell_fair_numbers([(HEAD, [back])], ONE, units, "anchor").iloc[0]
        assert row["priced"] == pytest.approx(500 / row["ratio"])

    def test_numbers_out_of_reach_have_no_interval(self) -> None:
        far = Series("x", "y", "spread", 1)
        far.add(40, [Fought(np.tile([90, 10, 0, 0], (8, 1)), "far")], ONE)
        assert (far.status(), far.next(1)) == ("above", None)
        near = made_series("x", "y", 0.9, 0.2)
        frame = tell_fair_numbers([(HEAD, [(near, far), (far, replace_digest(far))])], ONE, units_xy(), None)
        assert frame["status"].tolist() == ["above", "above"]
        assert frame["change"][0] > 0
        assert math.isinf(frame["change_high"][0])
        assert math.isnan(frame["change"][1])
        assert as_records(frame)[0]["change_high"] is None


HEAD = {"reading": "immobile", "value": "one_tread", "given": ""}


@dataclass(frozen=True, eq=False)
class Fought:
    outcomes: Any
    fight: str
    counts: str = "counts"


def units_xy() -> pd.DataFrame:
    return describe_units([{"id": i, "name": i, "ecv": None, "source": "draft"} for i in "xy"])


def made_series(a: str, b: str, one: float, two: float) -> Series:
    """A search between one and two of b, with many fights and shares that are sure."""
    series = Series(a, b, "spread", 1)
    for size, share in ((1, one), (2, two)):
        wins = np.round(share * 10_000 + np.arange(8) * 3 - 10).astype(int)
        outcomes = np.stack([wins, 10_000 - wins, 0 * wins, 0 * wins], axis=1)
        series.add(size, [Fought(outcomes, f"{a} {b} {one} {size}", f"{one}")], ONE)
    return series


def replace_digest(series: Series) -> Series:
    return replace(series, fights=dict.fromkeys(series.fights, ("another",)))


def made_duels(*shares: float, fight: str = "f") -> Duels:
    counts = []
    for share in shares:
        wins = np.round(share * 1000 + np.arange(8) % 3 - 1).astype(int)
        counts.append(np.stack([wins, 1000 - wins, 0 * wins, 0 * wins], axis=1))
    return Duels(np.stack(counts), tuple(f"{fight}{s}" for s in shares), tuple(f"{s}" for s in shares))


PLACES = [
    {
        "a": "x",
        "b": "y",
        "range": "6",
        "aspect_a": "front",
        "aspect_b": "front",
        "first_fire": "",
        "weight": 0.75,
    },
    {
        "a": "x",
        "b": "y",
        "range": "24",
        "aspect_a": "front",
        "aspect_b": "front",
        "first_fire": "",
        "weight": 0.25,
    },
]


class TestTables:
    def test_matchups_are_averaged_by_weight_and_answers_turn(self) -> None:
        base, variant = made_duels(0.6, 0.4), made_duels(0.4, 0.4)
        (row,) = tell_matchups([(HEAD, base, variant)], PLACES).to_dict("records")
        assert row["win_share_base"] == pytest.approx(0.55, abs=1e-3)
        assert row["change"] == pytest.approx(-0.15, abs=1e-3)
        assert (row["answer_base"], row["answer"], row["turn"], row["effect"]) == ("a", "b", "flips", "moves")
        near, far = tell_situations([(HEAD, base, variant)], PLACES).to_dict("records")
        assert (near["turn"], near["effect"]) == ("flips", "moves")
        assert (far["turn"], far["effect"], far["change_low"], far["change_high"]) == ("", "none", 0, 0)

    def test_cannot_tell_is_an_answer_and_no_flip(self) -> None:
        base, variant = made_duels(0.6, 0.6), made_duels(0.5, 0.5)
        (row,) = tell_matchups([(HEAD, base, variant)], PLACES).to_dict("records")
        assert (row["answer"], row["turn"]) == ("cannot tell", "opens")
        (row,) = tell_matchups([(HEAD, variant, base)], PLACES).to_dict("records")
        assert row["turn"] == "settles"

    def test_pairs_without_decision_have_no_winner(self) -> None:
        drawn = Duels(np.tile([300, 0, 0, 700], (2, 8, 1)), ("u", "v"), ("u", "v"))
        (row,) = tell_matchups([(HEAD, made_duels(0.4, 0.4), drawn)], PLACES).to_dict("records")
        assert (row["answer"], row["turn"]) == ("no decision", "opens")

    def test_other_fights_with_equal_counts_are_not_called_the_same(self) -> None:
        base, variant = made_duels(0.6, 0.4), made_duels(0.6, 0.4, fight="g")
        (row,) = tell_matchups([(HEAD, base, variant)], PLACES).to_dict("records")
        assert row["effect"] == "not seen"
        assert row["change_low"] < 0 < row["change_high"]

    def test_the_largest_movement_comes_first(self) -> None:
        heads = [{**HEAD, "value": value} for value in ("none", "little", "fair", "much")]
        base = made_duels(0.6, 0.4)
        variants = [base, made_duels(0.61, 0.41), made_duels(0.6, 0.41), made_duels(0.4, 0.2)]
        compared = [(head, base, variant) for head, variant in zip(heads, variants, strict=True)]
        steady, moved = made_series("x", "y", 0.9, 0.2), made_series("x", "y", 0.8, 0.1)
        pairs = [(head, [(steady, moved if head["value"] == "fair" else steady)]) for head in heads]
        fair = tell_fair_numbers(pairs, ONE, units_xy(), None)
        tables = tell_matchups(compared, PLACES), tell_situations(compared, PLACES)
        ranking = rank_variants(heads, *tables, fair)
        assert ranking["value"].tolist() == ["much", "fair", "little", "none"]
        assert ranking["effect"].tolist() == ["moves", "moves", "moves", "none"]
        assert ranking["flips"].tolist() == [1, 0, 0, 0]
        assert ranking["movement"][1] == pytest.approx(abs(fair["change"][2]))
        assert describe_flips(tables[0], fair) == [
            "immobile=one_tread: x v y: y wins, not x".replace("one_tread", "much")
        ]


class TestPicture:
    def frame(self) -> pd.DataFrame:
        row = {"variant": "immobile = one_tread", "kind": "matchup", "change": 0.1, "flips": True}
        rows = [
            {**row, "change_low": 0.08, "change_high": 0.12},
            {**row, "change": -0.02, "change_low": -0.03, "change_high": -0.01, "flips": False},
            {
                **row,
                "kind": "fair",
                "change": 0.3,
                "change_low": -1.0,
                "change_high": math.inf,
                "flips": False,
            },
            {
                **row,
                "variant": "other",
                "change": math.nan,
                "change_low": 0.0,
                "change_high": 0.0,
                "flips": False,
            },
        ]
        return pd.DataFrame(rows)

    def test_changes_stand_where_they_belong(self) -> None:
        ax = new_figure(6, 4).subplots()
        plot_readings(self.frame(), ax)
        lines = {line.get_label(): line for line in ax.get_lines()}
        assert list(lines["matchup: points of win share"].get_xdata()) == [0.1]
        assert list(lines["fair number: percent"].get_xdata()) == [0.3]
        assert list(lines[FLIP_LABEL].get_xdata()) == [0.1]
        bars = [list(line.get_xdata()) for line in ax.get_lines() if len(line.get_xdata()) == 2]
        assert [0.08, 0.12] in bars
        assert not any(math.inf in bar for bar in bars)
        assert [label.get_text() for label in ax.get_yticklabels()] == ["immobile = one_tread", "other"]

    def test_hostile_names_are_drawn_as_they_stand(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        figures: list[Any] = []
        monkeypatch.setattr("simlab.plots.readings.save_png", lambda figure, path: figures.append(figure))
        heads = [{"reading": "$x^2$" * 40, "value": "\x1b[31m", "given": "a_b"}]
        duels = [(heads[0], made_duels(0.6, 0.4), made_duels(0.4, 0.2))]
        tables = tell_matchups(duels, PLACES), tell_situations(duels, PLACES)
        fair = tell_fair_numbers([], ONE, units_xy(), None)
        record = {"name": "$\\frac{1}{0}$", "n": 1000, "seed": 1}
        write_readings_plot(record, rank_variants(heads, *tables, fair), tables[0], fair, tmp_path / "x.png")
        (figure,) = figures
        figure.canvas.draw()
        whole = figure.bbox
        for text in figure.findobj(lambda each: isinstance(each, Text) and each.get_text()):
            assert text.get_text().replace("\n", "").isprintable()
            box = text.get_window_extent()
            assert box.x0 >= -1
            assert box.x1 <= whole.x1 + 1
