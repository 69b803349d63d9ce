"""Studies of many units in figures: both sides of a pair together, intervals, ranks, orders, what stands out."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from roster_frames import made_duels, made_roster, made_units
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.stats import binom

from simlab.analysis.intervals import Z95
from simlab.analysis.roster import average_views, is_many, share_matrix, view_duels
from simlab.analysis.roster_findings import (
    count_clear,
    count_priced_pairs,
    find_odd_kills,
    find_swings,
    find_upsets,
    find_wheels,
    format_measure,
    format_ranks,
    situations_text,
    smooth,
)
from simlab.analysis.roster_order import cluster_profiles
from simlab.analysis.tables import COUNTS, OUTCOMES

UNITS = made_units(8)
DUELS = made_duels(UNITS)
ROSTER = made_roster(UNITS, DUELS)


def share(rows: pd.DataFrame) -> "pd.Series[float]":
    return rows["a_wins"] + (rows["both_destroyed"] + rows["neither"]) / 2


def with_counts(
    duels: pd.DataFrame, where: "pd.Series[bool]", counts: tuple[int, int, int, int]
) -> pd.DataFrame:
    """The duels with other counts in some rows, and the chances that follow from them."""
    changed, n = duels.copy(), sum(counts)
    changed.loc[where, list(COUNTS)] = counts
    changed.loc[where, list(OUTCOMES)] = [count / n for count in counts]
    changed.loc[where, "n"] = n
    changed.loc[where, "destroyed_a"] = (counts[1] + counts[2]) / n
    changed.loc[where, "destroyed_b"] = (counts[0] + counts[2]) / n
    return changed


def solved(duels: pd.DataFrame, where: "pd.Series[bool]", bound: float) -> pd.DataFrame:
    """The duels with some rows as a solver would leave them."""
    changed = duels.copy()
    changed.loc[where, "method"], changed.loc[where, "error_bound"] = "exact", bound
    changed.loc[where, ["n", *COUNTS]] = pd.NA
    return changed


def test_many_begins_where_the_pictures_of_few_units_end():
    assert [is_many(ROSTER.units.head(count)) for count in (6, 7, 8)] == [False, True, True]


def test_every_duel_is_seen_from_both_sides():
    views = ROSTER.views
    assert len(views) == 2 * 8 * 7 * 9
    assert (views["unit"] != views["opponent"]).all()
    first, second = views[views["first"]].reset_index(), views[~views["first"]].reset_index()
    np.testing.assert_allclose(first["win_share"] + second["win_share"], 1.0)
    assert (first["kill_rate"] == second["loss_rate"]).all()
    assert (first["loss_rate"] == second["kill_rate"]).all()
    assert first["opponent_shows"].tolist() == second["shows"].tolist()
    assert set(first["shows"]) == {"front"}


def test_who_fires_alone_is_told_as_a_unit_sees_it():
    duels = made_duels(UNITS, ranges=(6.0,), aspects=("front",), first_fires=("none", "a:2", "b:1"))
    views = view_duels(duels)
    assert set(views.loc[views["first"], "alone"]) == {"none", "unit:2", "opponent:1"}
    assert set(views.loc[~views["first"], "alone"]) == {"none", "opponent:2", "unit:1"}


def test_a_matchup_is_both_orders_of_the_pair_together():
    a, b = "unit_02", "unit_05"
    weights = np.repeat([0.5, 0.3, 0.2], 3) / 3
    duels = DUELS.assign(weight=np.tile(weights, 64))
    matchups = made_roster(UNITS, duels).matchups.set_index(["unit", "opponent"])
    there, back = (duels[(duels["a"] == x) & (duels["b"] == y)] for x, y in ((a, b), (b, a)))
    expected = (weights @ share(there) + weights @ (1 - share(back))) / 2
    row, mirror = matchups.loc[(a, b)], matchups.loc[(b, a)]
    assert row["win_share"] == pytest.approx(expected, abs=1e-12)
    assert mirror["win_share"] == pytest.approx(1 - expected, abs=1e-12)
    assert row["win_share_low"] == pytest.approx(1 - mirror["win_share_high"])
    assert row["kill_rate"] == pytest.approx(
        (weights @ there["destroyed_b"] + weights @ back["destroyed_a"]) / 2
    )
    assert row["kill_rate"] == pytest.approx(mirror["loss_rate"])
    assert row["n"] == 18 * 400


def test_variances_of_independent_duels_add_up():
    row = ROSTER.matchups.iloc[0]
    pair = {row["unit"], row["opponent"]}
    rows = DUELS[(DUELS["a"] != DUELS["b"]) & DUELS["a"].isin(pair) & DUELS["b"].isin(pair)]
    variance = 0.0
    for counts in rows[list(COUNTS)].to_numpy(float):
        scores = np.repeat([1.0, 0.0, 0.5, 0.5], counts.astype(int))
        padded_mean = (scores.sum() + Z95**2 / 2) / (400 + Z95**2)
        padded_square = ((scores**2).sum() + Z95**2 / 2) / (400 + Z95**2)
        variance += (padded_square - padded_mean**2) / (400 + Z95**2) / 18**2
    reach = Z95 * math.sqrt(variance)
    assert row["win_share_high"] - row["win_share"] == pytest.approx(reach, rel=1e-9)


@pytest.mark.parametrize("chance", [0.5, 0.9, 0.99])
def test_intervals_of_means_cover_as_often_as_they_say(chance):
    """Near the ends they are wider than need be, never narrower."""
    rng, rounds, fights = np.random.default_rng(8), 2000, 60
    units = made_units(2)
    few = made_duels(units, ranges=(6.0,), aspects=("front",))
    pair = few[(few["a"] == "unit_00") & (few["b"] == "unit_01")]
    duels = pd.concat([pair] * (3 * rounds), ignore_index=True)
    wins = rng.binomial(fights, chance, len(duels))
    counts = np.stack([wins, fights - wins, 0 * wins, 0 * wins], axis=1)
    duels[list(COUNTS)], duels[list(OUTCOMES)] = counts, counts / fights
    duels = duels.assign(
        n=fights, range=np.repeat(np.arange(rounds, dtype=float), 3), weight=np.tile([3.0, 2.0, 1.0], rounds)
    )
    duels["aspect_b"] = np.tile(["front", "rear", "front_left"], rounds)
    found = average_views(view_duels(duels), ("unit", "range"))
    own = found[found["unit"] == "unit_00"]
    covered = int(((own["win_share_low"] <= chance) & (own["win_share_high"] >= chance)).sum())
    assert covered >= binom.ppf(1e-6, rounds, 0.945)


def test_duels_with_the_same_dice_are_not_counted_twice():
    """Units 3 and 4 are one unit under two names: their duels are the same, and tell nothing more."""
    units = made_units(8)
    units[4]["fight_hash"] = units[3]["fight_hash"]
    duels = DUELS.copy()
    figures = [*COUNTS, *OUTCOMES, "destroyed_a", "destroyed_b"]
    for a, b in itertools.product(range(8), repeat=2):
        source = (duels["a"] == f"unit_0{3 if a == 4 else a}") & (duels["b"] == f"unit_0{3 if b == 4 else b}")
        target = (duels["a"] == f"unit_0{a}") & (duels["b"] == f"unit_0{b}")
        duels.loc[target, figures] = duels.loc[source, figures].to_numpy()
    known = made_roster(units, duels)
    taken_apart = made_roster(made_units(8), duels)
    pair = known.matchups.set_index(["unit", "opponent"]).loc[("unit_03", "unit_04")]
    assert pair["win_share"] == pair["win_share_low"] == pair["win_share_high"] == 0.5
    assert format_measure(pair) == "50%"
    assert pair["verdict"] == "cannot tell"
    rows = [roster.ladder.set_index("unit").loc["unit_00"] for roster in (known, taken_apart)]
    assert rows[0]["win_share"] == rows[1]["win_share"]
    width, narrow = (row["win_share_high"] - row["win_share_low"] for row in rows)
    assert width > 1.05 * narrow
    assert rows[0]["n"] == rows[1]["n"] - 18 * 400


def test_no_number_of_fights_gives_certainty():
    won = (DUELS["a"] == "unit_00") & (DUELS["b"] == "unit_07")
    lost = (DUELS["a"] == "unit_07") & (DUELS["b"] == "unit_00")
    duels = with_counts(with_counts(DUELS, won, (400, 0, 0, 0)), lost, (0, 400, 0, 0))
    matchups = made_roster(UNITS, duels).matchups.set_index(["unit", "opponent"])
    row, mirror = matchups.loc[("unit_00", "unit_07")], matchups.loc[("unit_07", "unit_00")]
    assert (row["win_share"], row["win_share_high"]) == (1.0, 1.0)
    assert row["win_share_low"] < 1.0
    assert format_measure(row).startswith("> 99")
    assert format_measure(mirror).startswith("< ")
    assert format_measure(mirror, "kill_rate").startswith("< ")


def test_errors_of_solved_duels_add_up_and_exact_certainty_is_said():
    pair = DUELS["a"].isin(["unit_00", "unit_07"]) & DUELS["b"].isin(["unit_00", "unit_07"])
    all_solved = solved(DUELS, pair, 1e-4)
    row = made_roster(UNITS, all_solved).matchups.set_index(["unit", "opponent"]).loc[("unit_00", "unit_07")]
    assert row["win_share_high"] - row["win_share"] == pytest.approx(0.5e-4, rel=1e-9)
    assert row["n"] == 0
    certain = solved(DUELS, pair, 0.0)
    won = (certain["a"] == "unit_00") & (certain["b"] == "unit_07")
    lost = (certain["a"] == "unit_07") & (certain["b"] == "unit_00")
    certain.loc[won, list(OUTCOMES)] = [1.0, 0.0, 0.0, 0.0]
    certain.loc[lost, list(OUTCOMES)] = [0.0, 1.0, 0.0, 0.0]
    row = made_roster(UNITS, certain).matchups.set_index(["unit", "opponent"]).loc[("unit_00", "unit_07")]
    assert format_measure(row) == "100%"


def test_who_cannot_fire_kills_exactly_nobody():
    silent = DUELS["a"] == "unit_03"
    duels = DUELS.assign(cannot_fire_a=silent, cannot_fire_b=DUELS["b"] == "unit_03")
    duels.loc[silent, "destroyed_b"] = 0.0
    duels.loc[duels["b"] == "unit_03", "destroyed_a"] = 0.0
    roster = made_roster(UNITS, duels)
    own = roster.matchups[roster.matchups["unit"] == "unit_03"]
    assert (own["silent"] == 1.0).all()
    assert (own["kill_rate_high"] == 0.0).all()
    assert format_measure(own.iloc[0], "kill_rate") == "0%"
    others = roster.matchups[
        (roster.matchups["unit"] != "unit_03") & (roster.matchups["opponent"] != "unit_03")
    ]
    assert (others["silent"] == 0).all()


def test_undecided_matchups_get_no_verdict():
    pair = DUELS["a"].isin(["unit_00", "unit_07"]) & DUELS["b"].isin(["unit_00", "unit_07"])
    roster = made_roster(UNITS, with_counts(DUELS, pair, (180, 0, 0, 220)))
    rows = roster.matchups.set_index(["unit", "opponent"])
    assert (
        rows.loc[("unit_00", "unit_07"), "verdict"]
        == rows.loc[("unit_07", "unit_00"), "verdict"]
        == "no decision"
    )
    ladder = roster.ladder.set_index("unit")
    assert ladder.loc["unit_00", "undecided"] == 1
    assert (ladder[["beats", "loses_to", "cannot_tell", "undecided"]].sum(axis=1) == 7).all()


def test_situations_without_weight_count_alike_where_there_is_nothing_else():
    duels = DUELS.assign(weight=np.where(DUELS["range"] == 24.0, 0.0, 1 / 6))
    ranges = made_roster(UNITS, duels).ranges
    plain = ROSTER.ranges
    pd.testing.assert_frame_equal(ranges, plain)


def test_the_ladder_is_in_order_with_ranks_that_intervals_leave_open():
    ladder = ROSTER.ladder
    assert ladder["win_share"].is_monotonic_decreasing
    assert ladder["unit"].tolist() == [f"unit_0{place}" for place in range(8)]
    assert ladder["rank"].tolist() == list(range(1, 9))
    assert ladder["win_share"].mean() == pytest.approx(0.5)
    assert (ladder["best_rank"] <= ladder["rank"]).all()
    few = made_roster(UNITS, made_duels(UNITS, n=6)).ladder
    blurred = few[few["best_rank"] < few["worst_rank"]]
    assert len(blurred)
    for row in few.to_dict("records"):
        over = (few["win_share_low"] > row["win_share_high"]).sum()
        under = (few["win_share_high"] < row["win_share_low"]).sum()
        assert (row["best_rank"], row["worst_rank"]) == (1 + over, 8 - under)
    assert "–" in format_ranks(blurred.iloc[0])


def test_situations_are_those_that_a_unit_sees():
    assert len(ROSTER.situations) == 8 * 3 * 5
    assert situations_text(ROSTER) == "the 9 situations by weight"
    front = ROSTER.situations[
        (ROSTER.situations["shows"] == "front") & (ROSTER.situations["opponent_shows"] == "front")
    ]
    assert (front["n"] == 2 * 7 * 400).all()
    assert front.groupby("range")["win_share"].mean().tolist() == pytest.approx([0.5] * 3)


def test_upsets_are_won_by_the_cheaper_beyond_the_interval():
    upsets = find_upsets(ROSTER.matchups)
    assert len(upsets)
    assert (upsets["unit_ecv"] < upsets["opponent_ecv"]).all()
    assert (upsets["win_share_low"] > 0.5).all()
    assert upsets["ecv_ratio"].is_monotonic_increasing
    assert count_priced_pairs(ROSTER.matchups) == 21
    assert "unit_07" not in {*upsets["unit"], *upsets["opponent"]}


def test_clear_matchups_are_counted_once():
    matrix = share_matrix(ROSTER.matchups, list(ROSTER.ladder["unit"]), "win_share_low")
    assert count_clear(ROSTER.matchups) == (matrix >= 0.75).sum() > 0


def test_wheels_are_found_once_each_the_strongest_first():
    rock = [("unit_02", "unit_03"), ("unit_03", "unit_04"), ("unit_04", "unit_02")]
    duels = DUELS
    for winner, loser in rock:
        duels = with_counts(duels, (duels["a"] == winner) & (duels["b"] == loser), (300, 100, 0, 0))
        duels = with_counts(duels, (duels["a"] == loser) & (duels["b"] == winner), (100, 300, 0, 0))
    roster = made_roster(UNITS, duels)
    wheels = find_wheels(roster)
    assert len(wheels) == 1
    row = wheels.iloc[0]
    found = [(row["first"], row["second"]), (row["second"], row["third"]), (row["third"], row["first"])]
    assert sorted(found) == sorted(rock)
    assert row["first"] == next(unit for unit in roster.ladder["unit"] if unit in {a for a, _ in rock})
    assert row["least"] == pytest.approx(0.75)
    assert find_wheels(ROSTER).empty


def test_swings_run_from_the_shortest_to_the_longest_range():
    swings = find_swings(ROSTER.ranges)
    assert swings["unit"].iloc[0] == "unit_00"
    assert swings["unit"].iloc[-1] in {"unit_06", "unit_07"}
    row = swings.iloc[0]
    table = ROSTER.ranges[ROSTER.ranges["unit"] == "unit_00"].set_index("range")
    assert row["swing"] == pytest.approx(table.loc[24.0, "win_share"] - table.loc[6.0, "win_share"])
    assert row["swing_low"] < row["swing"] < row["swing_high"] < 0
    one = made_roster(UNITS, made_duels(UNITS, ranges=(6.0,)))
    by_turn = made_roster(UNITS, made_duels(UNITS, ranges=("36,30", "24")))
    assert find_swings(one.ranges).empty
    assert find_swings(by_turn.ranges).empty


def test_a_planted_outlier_is_named_and_drafts_are_marked():
    where = (DUELS["a"] == "unit_06") & (DUELS["b"] == "unit_00")
    back = (DUELS["a"] == "unit_00") & (DUELS["b"] == "unit_06")
    duels = with_counts(with_counts(DUELS, where, (396, 4, 0, 0)), back, (4, 396, 0, 0))
    odd = find_odd_kills(made_roster(UNITS, duels).matchups)
    assert len(odd) == 7 * 6
    named = odd[odd["side"] != ""]
    first = named.loc[named["excess"].idxmax()]
    assert (first["unit"], first["opponent"], first["side"]) == ("unit_06", "unit_00", "above")
    last = named.loc[named["excess"].idxmin()]
    assert (last["unit"], last["opponent"], last["side"]) == ("unit_00", "unit_06", "below")
    assert len(named) <= 6
    assert odd["draft"].all()
    for _, rows in named.groupby("side"):
        assert not rows["unit"].duplicated().any()


def test_the_usual_rate_of_a_line_is_the_line():
    x = np.linspace(-2.0, 3.0, 40)
    places = np.array([-2.0, 0.0, 3.0])
    np.testing.assert_allclose(smooth(x, 0.3 + 0.1 * x, places, 0.5), 0.3 + 0.1 * places)
    np.testing.assert_allclose(smooth(np.zeros(4), np.array([0.1, 0.2, 0.3, 0.4]), np.zeros(1), 0.0), [0.25])


def test_without_prices_nothing_stands_against_them():
    units = [unit | {"ecv": None} for unit in UNITS]
    roster = made_roster(units, DUELS)
    assert find_odd_kills(roster.matchups).empty
    assert find_upsets(roster.matchups).empty
    assert count_priced_pairs(roster.matchups) == 0


@pytest.mark.parametrize("seed", range(5))
def test_clusters_are_those_of_scipy(seed):
    rows = np.random.default_rng(seed).random((12, 12))
    clusters = cluster_profiles(rows)
    reference = linkage(rows, "average")
    np.testing.assert_allclose([merge.height for merge in clusters.merges], reference[:, 2])
    assert sorted(clusters.order) == list(range(12))
    for count in (2, 3, 5):
        groups = np.split(np.array(clusters.order), clusters.cuts(count))
        labels = fcluster(reference, count, "maxclust")
        assert {frozenset(group.tolist()) for group in groups} == {
            frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels)
        }


def test_the_stronger_branch_stands_first_at_every_fork():
    rows = np.random.default_rng(3).random((15, 15))
    clusters = cluster_profiles(rows)
    ordered = rows[list(clusters.order)].mean(axis=1)
    for merge in clusters.merges:
        first, second = (ordered[start : end + 1].mean() for start, end in (merge.first, merge.second))
        assert first >= second
        assert merge.first[1] + 1 == merge.second[0]


def test_units_that_fare_alike_keep_their_places():
    assert cluster_profiles(np.full((5, 5), 0.5)).order == (0, 1, 2, 3, 4)
    assert cluster_profiles(np.array([[0.5]])).order == (0,)
