"""The toy system through the same loops, tables and stories, against what is computed by hand."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from samples import assert_share, compile_sample, family_z
from toy_system import ToyNarrator, ToySheet

from simlab import lab
from simlab.engine.play import is_duel, play_fights
from simlab.model.errors import InputError
from simlab.model.outcome import Tally
from simlab.model.situation import Situation
from simlab.rules.contract import Fight
from simlab.tables.expand import Questions, expand_fire, expand_volley
from simlab.traces.told import tell_dice, tell_replicate

N = 1_000_000
TOUGH = ToySheet()
ONE_HIT = ToySheet("one_hit", hit_points=1)
TENTH, THREE_TWENTIETHS = ToySheet("tenth", 1, 20, 19), ToySheet("three_twentieths", 1, 20, 18)

both_loops = pytest.mark.parametrize("general", [True, False])


def play(fight: Fight, **more: Any) -> Tally:
    return play_fights(fight, **{"n": N, "seed": 2, "key": 77, **more})


def compiled(a: Any, b: Any, turns: int, declared: bool = False, **where: str) -> Fight:
    return compile_sample("toy", a, b, {"declared": declared}, Situation(10.0, **where), turns)


def fractions(text: str) -> list[Fraction]:
    return [Fraction(part) for part in text.split()]


DUELS = [
    # Both fall in the turn of their second hit, turn k with (k - 1) / 2^k; the sums are geometric.
    (TOUGH, TOUGH, 1000, {}, fractions("11/27 11/27 5/27 0")),
    (TOUGH, TOUGH, 3, {}, fractions("5/16 5/16 1/8 1/4")),
    # .1 and .15 a turn: each ending by its share of the .235 with which a turn ends the fight.
    (TENTH, THREE_TWENTIETHS, 1000, {}, fractions("85/235 135/235 15/235 0")),
    (TENTH, THREE_TWENTIETHS, 1, {}, fractions("85/1000 135/1000 15/1000 765/1000")),
    # From behind one less is needed.
    (ONE_HIT, ONE_HIT, 1, {"aspect_b": "rear"}, fractions("1/3 1/6 1/3 1/6")),
    # A's only round is spent after a turn; then B has three turns more of its own.
    (ToySheet("a", 1, rounds=1), ONE_HIT, 4, {}, fractions("8/32 15/32 8/32 1/32")),
    # B is out of its reach.
    (ONE_HIT, ToySheet("b", 1, reach=9.5), 2, {}, fractions("3/4 0 0 1/4")),
]


def test_hand_computed_shares_are_those_that_are_known():
    found = [float(share) for share in DUELS[2][4]]
    assert found[:3] == pytest.approx([0.361702, 0.574468, 0.063830], abs=5e-7)


@both_loops
@pytest.mark.parametrize(("a", "b", "turns", "where", "truth"), DUELS)
def test_duels_come_out_as_computed_by_hand(a, b, turns, where, truth, general):
    tally = play(compiled([a], [b], turns, **where), general=general)
    assert sum(truth) == 1
    for count, chance in zip(tally.outcomes, truth, strict=True):
        assert_share(count, N, float(chance), comparisons=4 * len(DUELS) * 2)


@both_loops
def test_figures_of_three_turns_are_those_computed_by_hand(general):
    tally = play(compiled([TOUGH], [TOUGH], 3), general=general)
    # Unhurt: missed twice when the foe has fallen in turn 2, or three times.
    flags = {0: Fraction(5, 32), 2: 1 - Fraction(5, 32) - Fraction(7, 16), 3: Fraction(7, 16)}
    for unit in range(2):
        assert tally.flags[unit].sum() == N
        assert tally.flags[unit, 1] == 0
        for flag, chance in flags.items():
            assert_share(tally.flags[unit, flag], N, float(chance), comparisons=12)
        # Destroyed in turn 2 with 1/4 and in turn 3 with 3/16.
        mean, square = Fraction(2, 4) + Fraction(9, 16), Fraction(4, 4) + Fraction(27, 16)
        deviation = float(square - mean**2) ** 0.5
        assert abs(tally.turn_sum[unit] / N - float(mean)) < family_z(12) * deviation / N**0.5
    # Two exchanges a turn, two turns with 7/16 and else three.
    assert_share((6 * N - tally.exchanges) / 2, N, 7 / 16, comparisons=12)


def test_rounds_end_the_fire_and_not_the_fight():
    unloaded = ToySheet("two_rounds", hit_points=5, rounds=2)
    fight = compiled([unloaded], [unloaded], 30)
    for general in (True, False):
        tally = play(fight, n=1000, general=general)
        assert tally.exchanges == 4000
        assert tally.outcomes.tolist() == [0, 0, 0, 1000]


ENGAGEMENTS = [
    # Sizes, policy, declared; the chance of each unit to fall in the one turn; mean exchanges.
    (2, 1, "first", False, fractions("1/2 0 3/4"), Fraction(5, 2)),
    (2, 1, "first", True, fractions("1/2 0 3/4"), Fraction(3)),
    (2, 2, "first", False, fractions("3/4 1/4 3/4 1/4"), Fraction(4)),
    (2, 2, "first", True, fractions("3/4 0 3/4 0"), Fraction(4)),
    (2, 2, "spread", False, fractions("1/2 1/2 1/2 1/2"), Fraction(4)),
    (2, 2, "spread", True, fractions("1/2 1/2 1/2 1/2"), Fraction(4)),
    # Targets are chosen before anybody falls, and anew only by those whose target has fallen.
    (3, 3, "spread", False, fractions("1/2 1/2 1/2 1/2 1/2 1/2"), Fraction(6)),
    # The third shooter is at the first place again, or at the one that stands.
    (3, 2, "spread", False, fractions("1/2 1/2 0 3/4 5/8"), Fraction(19, 4)),
    (3, 2, "spread", True, fractions("1/2 1/2 0 3/4 1/2"), Fraction(5)),
]


@pytest.mark.parametrize(("size_a", "size_b", "policy", "declared", "falls", "exchanges"), ENGAGEMENTS)
def test_engagements_of_one_turn_come_out_as_computed_by_hand(
    size_a, size_b, policy, declared, falls, exchanges
):
    fight = compiled([ONE_HIT] * size_a, [ONE_HIT] * size_b, 1, declared)
    assert not is_duel(fight)
    tally = play(fight, policy_a=policy, policy_b=policy)
    for count, chance in zip(tally.destroyed(), falls, strict=True):
        assert_share(count, N, float(chance), comparisons=60)
    # At most one exchange is lost a fight: when all targets have fallen before the last shooter's turn.
    assert_share(size_a * N + size_b * N - tally.exchanges, N, float(size_a + size_b - exchanges), 60)


def test_one_volley_is_expanded_with_exact_weights():
    fight = compiled([TOUGH], [TENTH], 12)
    ask = Questions(fight)
    found = expand_volley(fight, fight.types_a[0], 0, 1, fight.types_b[0], 1, 0, 1)
    assert (found.bodies.tolist(), found.notes.tolist()) == ([0, 1], [1, 0])
    assert found.weights.tolist() == pytest.approx([0.5, 0.5], abs=1e-15)
    row = expand_fire(fight, fight.types_b[0], 1, fight.types_a[0], 1, 0, 2)
    assert row.bodies.tolist() == [1, 2]
    assert row.weights.tolist() == pytest.approx([0.1, 0.9], abs=1e-15)
    assert [ask.flags(fight.types_a[0], body) for body in (2, 1, 0)] == [0, 2, 3]


def test_a_fight_is_told_from_given_dice():
    fight = compiled([TOUGH], [ONE_HIT], 5)
    told = tell_dice(fight, ToyNarrator(), "3 4 2 6".split(), policy_a="first", policy_b="first")
    assert [(e.turn, e.unit, e.before, e.after, e.note) for e in told.events] == [
        (1, 0, 1, 1, 0), (1, 1, 2, 1, 1), (2, 0, 1, 1, 0), (2, 1, 1, 0, 1)
    ]  # fmt: skip
    assert told.fell == (2, 0)
    assert told.bodies == (0, 1)


@pytest.mark.parametrize(
    ("dice", "found"), [("3", "exchange 2"), ("4 4 4", "exchange 3"), ("7 1", "exchange 1")]
)
def test_given_dice_that_do_not_fit_are_refused(dice, found):
    fight = compiled([ONE_HIT], [ONE_HIT], 1)
    with pytest.raises(InputError, match=found):
        tell_dice(fight, ToyNarrator(), dice.split(), policy_a="first", policy_b="first")


def test_a_lost_shot_has_no_die():
    fight = compiled([ONE_HIT] * 2, [ONE_HIT], 1, declared=True)
    told = tell_dice(fight, ToyNarrator(), "6 - 1".split(), policy_a="first", policy_b="first")
    assert [event.throw for event in told.events] == [6, None, 1]
    assert told.fell == (0, 0, 1)
    with pytest.raises(InputError, match="exchange 2"):
        tell_dice(fight, ToyNarrator(), "6 6 1".split(), policy_a="first", policy_b="first")


def test_a_replicate_is_told_as_it_was_counted():
    fight = compiled([TOUGH, TENTH], [ONE_HIT, TOUGH], 4)
    for replicate in range(100):
        told = tell_replicate(
            fight, ToyNarrator(), seed=2, key=77, replicate=replicate, policy_a="spread", policy_b="first"
        )
        tally = play(fight, n=1, first=replicate, policy_b="first")
        assert len(told.events) == tally.exchanges
        assert tally.turn_sum.tolist() == list(told.fell)


def test_all_verbs_serve_the_toy_system(toy, tmp_path):
    folder = tmp_path / "toy"
    folder.mkdir()
    (folder / "tough.yaml").write_text("{system: toy, name: Tough}", encoding="utf-8")
    (folder / "weak.yaml").write_text("{system: toy, hit_points: 1, needs: 5}", encoding="utf-8")
    here = {"system": "toy", "units": tmp_path}
    duel = lab.duel("tough", "weak", n=1000, turns=3, **here)
    again = lab.engage("1 tough", "1 weak", n=1000, turns=3, **here)
    assert duel.system == "toy"
    assert sum(duel.counts.values()) == 1000
    assert duel.counts == again.counts
    assert duel.readings == {"declared": False}
    assert set(duel.side_b["counts"]) == {"destroyed", "scratched", "turns_destroyed"}
    assert lab.odds("weak", "tough", **here).volleys[0].sections[0].chances == pytest.approx({"hit": 1 / 3})
    told = lab.trace("tough", "weak", turns=3, replicate=5, **here)
    assert told.outcome == lab.trace("tough", "weak", turns=3, dice=told.dice, **here).outcome
    assert lab.show("tough", **here) == "Tough: 2 hit points, d6 4+"
    assert list(lab.units(**here)["id"]) == ["tough", "weak"]


def test_sampler_agrees_with_the_tables_turn_by_turn():
    """Mixed sides: each of B's units under the fire of its own shooter."""
    fight = compiled([TOUGH, TENTH, THREE_TWENTIETHS], [TOUGH, ONE_HIT, TENTH], 1, declared=True)
    tally = play(fight)
    for place, (shooter, target) in enumerate(zip(fight.types_a, fight.types_b, strict=True)):
        ask = Questions(fight)
        row = expand_fire(fight, shooter, 1, target, 1, 0, ask.fresh(target)[0])
        chances = np.zeros(4)
        for body, weight in zip(row.bodies.tolist(), row.weights.tolist(), strict=True):
            chances[ask.flags(target, body)] += weight
        for flag, chance in enumerate(chances):
            assert_share(tally.flags[3 + place, flag], N, float(chance), comparisons=12)
