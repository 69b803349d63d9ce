"""The same units under several systems, on made-up tables whose answers are known."""

import pytest
from roster_frames import made_duels

from simlab.analysis.agreement import (
    compare_winners,
    correlate_ranks,
    describe_agreement,
    list_flips,
    list_pairs,
    list_strengths,
)
from simlab.analysis.roster import Roster, describe_roster
from simlab.analysis.tables import COUNTS, OUTCOMES, describe_units

N = 40_000
RANGES = (6.0, 12.0)


def roster(shares: dict[tuple[str, str, float], float], units: str = "abcd", n: int = N) -> Roster:
    """A system in which the first unit of a pair wins so often at a range; both orders are fought."""
    records = [
        {"id": unit, "name": unit.upper(), "nation": "", "ecv": 100.0, "source": "draft", "sheet_hash": unit,
         "fight_hash": unit}
        for unit in units
    ]  # fmt: skip
    duels = made_duels(records, ranges=RANGES, aspects=("front",), n=n)
    rows = duels.reset_index(drop=True)
    for index, row in rows.iterrows():
        a, b, distance = row["a"], row["b"], row["range"]
        share = shares.get((a, b, distance), 1.0 - shares.get((b, a, distance), 0.5))
        counts = [round(share * n), n - round(share * n), 0, 0]
        for name, count in zip(COUNTS, counts, strict=True):
            rows.loc[index, name] = count
        for name, count in zip(OUTCOMES, counts, strict=True):
            rows.loc[index, name] = count / n
    return describe_roster(rows, describe_units(records))


def ordered(order: str, edge: float = 0.6) -> dict[tuple[str, str, float], float]:
    """Whoever stands earlier in the order wins with this share, at every range."""
    return {
        (first, second, distance): edge
        for place, first in enumerate(order)
        for second in order[place + 1 :]
        for distance in RANGES
    }


@pytest.fixture(scope="module")
def systems() -> dict[str, Roster]:
    """The second turns b and c round, the third turns a and b round at the longer range and ties c and d."""
    third = ordered("abcd") | {("a", "b", 12.0): 0.2} | {("c", "d", distance): 0.5 for distance in RANGES}
    return {"one": roster(ordered("abcd")), "two": roster(ordered("acbd")), "three": roster(third)}


def test_strengths_are_mean_shares_with_their_ranks(systems: dict[str, Roster]) -> None:
    found = list_strengths(systems).set_index(["system", "unit"])
    assert found.loc[("one", "a"), "win_share"] == pytest.approx(0.6)
    assert found.loc[("one", "b"), "win_share"] == pytest.approx((0.4 + 0.6 + 0.6) / 3)
    assert found.loc["one"]["best_rank"].to_dict() == {"a": 1, "b": 2, "c": 3, "d": 4}
    tied = found.loc["three"].loc[["c", "d"]]
    assert (tied["best_rank"] < tied["worst_rank"]).all()


def test_pairs_are_told_by_range_and_together(systems: dict[str, Roster]) -> None:
    pairs = list_pairs(systems)
    assert len(pairs) == 3 * 6 * (len(RANGES) + 1)
    one = pairs[(pairs["system"] == "three") & (pairs["unit"] == "a") & (pairs["opponent"] == "b")]
    assert one[one["range"].notna()].set_index("range")["verdict"].to_dict() == {6.0: "wins", 12.0: "loses"}
    assert one[one["range"].isna()]["verdict"].tolist() == ["loses"]
    tied = pairs[(pairs["system"] == "three") & (pairs["unit"] == "c") & (pairs["opponent"] == "d")]
    assert set(tied["verdict"]) == {"cannot tell"}


def test_flips_are_found_where_the_winner_changes(systems: dict[str, Roster]) -> None:
    (flip,) = list_flips(list_pairs(systems)).to_dict("records")
    assert flip == {
        "system": "three", "unit": "a", "opponent": "b", "near": 6.0, "far": 12.0, "wins_near": "a",
    }  # fmt: skip


def test_winners_agree_differ_or_stay_open(systems: dict[str, Roster]) -> None:
    found = compare_winners(list_pairs(systems)).set_index(["unit", "opponent"])["agreement"].to_dict()
    assert found == {
        ("a", "b"): "differ", ("a", "c"): "agree", ("a", "d"): "agree", ("b", "c"): "differ", ("b", "d"): "agree",
        ("c", "d"): "open",
    }  # fmt: skip


def test_ranks_are_correlated_with_what_sampling_and_units_leave_open(systems: dict[str, Roster]) -> None:
    ranks = correlate_ranks({name: systems[name] for name in ("one", "two")}, replicates=200)
    (row,) = ranks.to_dict("records")
    # One of six pairs stands the other way round: tau is (5 - 1) / 6. Without b or c all three left agree.
    assert row["tau"] == pytest.approx(4 / 6)
    assert (row["low"], row["high"]) == pytest.approx((4 / 6, 4 / 6))
    assert (row["least"], row["most"]) == pytest.approx((1 / 3, 1.0))


def test_few_fights_leave_the_correlation_open() -> None:
    few = {name: roster(ordered("abcd", 0.52), n=50) for name in ("one", "two")}
    (row,) = correlate_ranks(few, replicates=500).to_dict("records")
    assert row["tau"] == 1.0
    assert row["low"] < 0.5
    assert row["high"] == 1.0


@pytest.mark.parametrize(("n", "low"), [(80, -1.0), (120, 1.0)])
def test_the_interval_is_that_of_the_standard_error(n: int, low: float) -> None:
    """A share of .55 from 4 rows of n fights, two more drawn in at either end of each: 1.84 standard errors from one
    half, so that 3.3% of the throws turn the order round, or 2.25, 1.2%."""
    close, clear = roster(ordered("ab", 0.55), "ab", n=n), roster(ordered("ab", 0.9), "ab")
    (row,) = correlate_ranks({"one": close, "two": clear}, replicates=4000).to_dict("records")
    assert (row["tau"], row["low"], row["high"]) == (1.0, low, 1.0)


def test_findings_say_it_in_words(systems: dict[str, Roster]) -> None:
    strengths, pairs = list_strengths(systems), list_pairs(systems)
    titles = {"one": "First", "two": "Second", "three": "Third"}
    names = {unit: f"Tank {unit.upper()}" for unit in "abcd"}
    ranks = correlate_ranks(systems, replicates=50)
    said = describe_agreement(
        strengths, compare_winners(pairs), list_flips(pairs), ranks, names, titles, "inches"
    )
    assert said[0] == (
        "Of 6 pairs, all three systems name the same winner in 3 and different ones in 2; "
        "in the other 1 some system cannot tell."
    )
    assert "Tank C is number 3 in First, number 2 in Second, number 3 to 4 in Third." in said
    assert "Third: Tank A beats Tank B at 6 inches and loses to it at 12." in said
    assert "First: no pair has another winner at another range, as far as can be told." in said
