"""When a side breaks, and how much ECV is lost in how many fights."""

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from samples import compile_sample, sample_sheets, sherman
from shell import Shell
from toy_system import ToySheet

from simlab import lab
from simlab.analysis.losses import quantile, quantile_interval
from simlab.engine.play import play_fights
from simlab.lab.losing import loss_distributions
from simlab.model.ecv import Ecv
from simlab.model.errors import InputError
from simlab.model.losses import MOST_COMBINATIONS, losses_of
from simlab.model.outcome import OUTCOMES, Tally
from simlab.traces.told import Told, tell_replicate

FIGHTS = 150


def priced(sheet: Any, value: float | None) -> Any:
    """A sheet with another ECV and an id to match."""
    ecv = Ecv(value=value, source="draft")
    if isinstance(sheet, ToySheet):
        return replace(sheet, ecv=ecv)
    return sheet.model_copy(update={"ecv": ecv})


def mixed() -> Any:
    """Two and two of three ECVs: 100, 250 and 250 against 100, 100 and 300."""
    lp, panther, firefly = sample_sheets("blitzkrieg")
    a = [priced(panther, 250), priced(lp, 100), priced(panther, 250)]
    return compile_sample("blitzkrieg", a, [priced(lp, 100), priced(firefly, 300), priced(lp, 100)])


def play(fight: Any, **more: Any) -> Tally:
    return play_fights(fight, **{"n": FIGHTS, "seed": 9, "key": 4, "workers": 1, **more})


def told_fights(fight: Any) -> list[Told]:
    """The same fights, without an end before the last unit or turn."""
    narrator, policies = fight.system.narrator(fight), {"policy_a": "spread", "policy_b": "spread"}
    return [
        tell_replicate(fight, narrator, seed=9, key=4, replicate=number, **policies)
        for number in range(FIGHTS)
    ]


def lost_shares(fight: Any, fell: list[int], turn: int) -> list[Fraction]:
    """What each side has lost by the end of a turn, as a share of its ECV."""
    shares = []
    for sheets, turns in ((fight.sheets_a, fell[: fight.n_a]), (fight.sheets_b, fell[fight.n_a :])):
        values = [Fraction(sheet.ecv.value) for sheet in sheets]
        lost = sum(value for value, at in zip(values, turns, strict=True) if 0 < at <= turn)
        shares.append(lost / sum(values))
    return shares


@pytest.mark.parametrize("share", ["0.2", "0.5", "0.6", "1"])
def test_a_fight_ends_with_the_turn_that_breaks_a_side(share: str) -> None:
    """Each fight by itself: the one without a break, cut off after the first turn in which a side has lost enough."""
    fight = mixed()
    outcomes, exchanges, fallen = Counter[str](), 0, np.zeros(6, np.int64)
    for story in told_fights(fight):
        fell = list(story.fell)
        broken = [False, False]
        for turn in range(1, fight.turns + 1):
            broken = [lost >= Fraction(share) for lost in lost_shares(fight, fell, turn)]
            if any(broken):
                break
        name = {(0, 1): "a_wins", (1, 0): "b_wins", (1, 1): "both_destroyed", (0, 0): "neither"}
        outcomes[name[broken[0], broken[1]]] += 1
        exchanges += sum(event.turn <= turn for event in story.events)
        fallen += [0 < at <= turn for at in fell]
    tally = play(fight, breaks=float(share))
    assert tally.outcomes.tolist() == [outcomes[name] for name in OUTCOMES]
    assert tally.exchanges == exchanges
    assert tally.destroyed().tolist() == fallen.tolist()
    assert len(outcomes) >= 3


def test_without_a_break_and_with_that_of_all_units_nothing_changes() -> None:
    fight = mixed()
    usual = play(fight, n=3000)
    for name, value in vars(play(fight, n=3000, breaks=1.0)).items():
        assert np.array_equal(value, getattr(usual, name)), name
    assert play(fight, n=3000, breaks=0.5, workers=3, block=100).outcomes.sum() == 3000
    duel = compile_sample("blitzkrieg", [sherman()], [sherman()])
    assert play(duel, breaks=0.5).outcomes.tolist() == play(duel).outcomes.tolist()


@pytest.mark.long
@pytest.mark.parametrize(("value", "units", "share"), [(0.1, 10, 0.3), (558, 3, 1 / 3), (801.7, 7, 3 / 7)])
def test_rounding_keeps_no_side_from_breaking(value: float, units: int, share: float) -> None:
    # Every unit of side a falls with chance 1/2 in the one turn, and none of side b.
    a = [ToySheet("a", 1, needs=7, ecv=Ecv(value=value, source="draft"))] * units
    fight = compile_sample("toy", a, [ToySheet("b", ecv=Ecv(value=9, source="draft"))] * units, turns=1)
    tally = play(fight, n=2000, breaks=share)
    needed = round(share * units)
    broken = sum(int(number) for left, number in enumerate(tally.survivors_a) if units - left >= needed)
    assert tally.outcomes.tolist() == [0, broken, 0, 2000 - broken]
    assert 0 < broken < 2000


def test_losses_are_those_of_the_fights() -> None:
    fight = mixed()
    stories, tally = told_fights(fight), play(fight)
    found = loss_distributions(fight, tally)
    for side, begin in (("a", 0), ("b", 3)):
        values = [sheet.ecv.value for sheet in (*fight.sheets_a, *fight.sheets_b)[begin : begin + 3]]
        lost = Counter(
            sum(value for value, at in zip(values, story.fell[begin : begin + 3], strict=True) if at)
            for story in stories
        )
        assert found[side] is not None
        counted = dict(zip(found[side]["values"], found[side]["counts"], strict=True))
        assert {value: count for value, count in counted.items() if count} == lost
        assert found[side]["values"] == sorted(found[side]["values"])
    halves = play(fight, n=50) + play(fight, n=FIGHTS - 50, first=50)
    assert loss_distributions(fight, halves) == found
    duel = compile_sample("blitzkrieg", [priced(sherman(), 10)], [priced(sherman(), 20)])
    alone = play(duel)
    destroyed = alone.destroyed().tolist()
    for side, value, number in (("a", 10, destroyed[0]), ("b", 20, destroyed[1])):
        wanted = {"values": [0, value], "counts": [FIGHTS - number, number]}
        assert loss_distributions(duel, alone)[side] == wanted


def test_too_many_combinations_are_not_told_apart() -> None:
    kinds = [ToySheet(f"u{value}", 1, ecv=Ecv(value=value, source="draft")) for value in range(1, 14)]
    fight = compile_sample("toy", kinds[:12], kinds, turns=2)
    tally = play(fight)
    assert tally.losses_b is None
    assert tally.losses_a is not None
    assert (tally.losses_a.shape, tally.losses_a.sum()) == ((MOST_COMBINATIONS,), FIGHTS)
    found = loss_distributions(fight, tally + tally)
    assert found["b"] is None
    assert found["a"] is not None
    assert sum(found["a"]["counts"]) == 2 * FIGHTS
    unpriced = compile_sample("toy", [priced(ToySheet(), None)], [ToySheet()] * 2)
    assert loss_distributions(unpriced, play(unpriced))["a"] is None
    losses = losses_of("abacaba")
    assert (losses.first, losses.sizes, losses.combinations) == ((0, 1, 3), (4, 2, 1), 30)
    assert losses.cost(3 + 2 * 5 + 15, [1, 10, 1, 100, 1, 10, 1]) == 123


def test_quantiles() -> None:
    values, counts = [0.0, 5.0, 7.0, 9.0], [10, 0, 80, 10]
    assert [quantile(values, counts, share) for share in (0, 0.1, 0.11, 0.9, 0.91, 1)] == [0, 0, 7, 7, 9, 9]
    # Half-width of 0.05 in 100: 1.96 sqrt(.05 .95 / 100) = 0.0427; of 0.1: 0.0588; of 0.9 alike; of 0.5: 0.098.
    intervals = [quantile_interval(values, counts, share) for share in (0.05, 0.1, 0.5, 0.9)]
    assert intervals == [(0, 0), (0, 7), (7, 7), (7, 9)]


@pytest.mark.parametrize("breaks", [0, 0.0, 1.5, -1, "half", True, float("nan"), float("inf")])
def test_other_shares_are_refused(breaks: Any) -> None:
    with pytest.raises(InputError, match=r"breaks: found .*, allowed a number above 0, up to 1$"):
        lab.engage("1 panther_g", "1 panther_g", n=1, breaks=breaks)


def test_units_without_an_ecv_never_break() -> None:
    unpriced, fine = priced(sherman(), None), sherman()
    with pytest.raises(
        InputError, match=r"breaks: found no ECV of .*m4a3_sherman_lp.*, allowed sides whose"
    ) as info:
        lab.engage([fine, unpriced, unpriced], [fine], n=1, breaks=0.5)
    assert len(info.value.problems) == 1
    fight = compile_sample("blitzkrieg", [fine], [unpriced])
    with pytest.raises(InputError, match="breaks"):
        play(fight, breaks=0.5)


SIDES = ("2 panther_g", "3 m4a3_sherman_lp, 1 sherman_firefly_vc")


def test_what_is_typed_and_seen(simlab: Shell) -> None:
    said = simlab("engage", *SIDES, "--n", "20000", "--break", "0.5")
    assert "both broken" in said.out
    assert "both destroyed" not in said.out
    assert "a side breaks when 50% of its ECV is lost; the fight ends with that turn" in said.out
    usual = simlab("engage", *SIDES, "--n", "20000").out
    assert "both destroyed" in usual
    assert "breaks" not in usual
    (row,) = [line.split() for line in usual.splitlines() if line.startswith("in 95%")]
    assert row == ["in", "95%", "1992", "2350"]
    for typed in ("0", "half", "1.01"):
        (line,) = simlab("engage", *SIDES, "--break", typed).errors
        assert line == f"--break: found {typed}, allowed a number above 0, up to 1"


def test_json_has_the_distribution_and_the_break_where_there_is_one(simlab: Shell) -> None:
    usual = json.loads(simlab("engage", *SIDES, "--n", "2000", "--json").out)
    assert "breaks" not in usual
    for side in ("a", "b"):
        found = usual["ecv_lost_distribution"][side]
        assert sum(found["counts"]) == 2000
        mean = sum(v * c for v, c in zip(found["values"], found["counts"], strict=True)) / 2000
        assert mean == pytest.approx(usual["ecv_lost"][side])
    ended = json.loads(simlab("engage", *SIDES, "--n", "2000", "--json", "--break", "0.5").out)
    assert ended["breaks"] == 0.5
    assert set(ended) - {"breaks"} == set(usual)
    assert ended["exchanges"] < usual["exchanges"]
    assert list(ended["outcomes"]) == list(OUTCOMES)
