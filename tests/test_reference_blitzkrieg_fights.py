"""The plain-Python reference of Blitzkrieg: whole engagements under given dice."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from reference import blitzkrieg as bk
from reference.cases import one_hit
from reference.sherman import sherman


class Rolls:
    """Dice of an engagement by (turn, side, unit, gunner); what is not listed misses."""

    def __init__(self, **hits: str) -> None:
        self.hits = {(int(turn), *address) for turn, text in hits.items() for address in self._parse(text)}
        self.asked: list[tuple[int, str, int, int]] = []

    @staticmethod
    def _parse(text: str) -> list[tuple[str, int]]:
        return [(word[0], int(word[1:])) for word in text.split()]

    def __call__(self, turn: int, side: str, unit: int, gunner: int) -> bk.Given:
        self.asked.append((turn, side, unit, gunner))
        return bk.Given(11 if (turn, side, unit) in self.hits else 2, "H")


def engage(count_a: int, count_b: int, rolls: Rolls, policy: str, limit: int = 9, **options: Any) -> bk.Fight:
    sheets = [one_hit()] * count_a, [one_hit()] * count_b
    return bk.play_fight(*sheets, 0, "front", "front", options, limit, policy, policy, rolls)


def shots(fight: bk.Fight) -> list[str]:
    return [
        f"{shot.turn}{shot.side}{shot.unit}>{shot.target}{'-' if shot.record.lost_shot else ''}"
        for shot in fight.exchanges
    ]


@pytest.mark.rule("BK-30")
def test_first_goes_down_the_list() -> None:
    fight = engage(2, 3, Rolls(**{"1": "a0 b2", "2": "a1 b0"}), "first", 2)
    assert shots(fight) == ["1a0>0", "1a1>1", "1b0>0", "1b1>0", "1b2>0", "2a1>1", "2b1>1", "2b2>1"]
    assert fight.destroyed_in == {"a": (1, None), "b": (1, 2, None)}
    assert fight.outcome == "neither"
    fight = engage(2, 1, Rolls(**{"1": "a0 b0"}), "first")
    assert shots(fight) == ["1a0>0", "1b0>0"]
    assert (fight.outcome, fight.turns) == ("a_wins", 1)


@pytest.mark.rule("BK-30")
def test_spread_keeps_its_place_for_the_phase() -> None:
    quiet = engage(4, 3, Rolls(), "spread", 1)
    assert shots(quiet)[:4] == ["1a0>0", "1a1>1", "1a2>2", "1a3>0"]
    fight = engage(4, 3, Rolls(**{"1": "a0 b1", "2": "a0"}), "spread", 2)
    # a3 finds its target 0 fallen and takes place 3 mod 2 of the two left; a1 and a2 keep theirs
    assert shots(fight)[:4] == ["1a0>0", "1a1>1", "1a2>2", "1a3>2"]
    assert shots(fight)[4:7] == ["1b0>0", "1b1>1", "1b2>2"]
    # b0 and a1 are gone: a0, a2, a3 have places 0, 1, 2 among the enemies 1, 2; a0 fells 1
    assert shots(fight)[7:10] == ["2a0>1", "2a2>2", "2a3>2"]
    assert shots(fight)[10:] == ["2b1>0", "2b2>2"]


@pytest.mark.rule("BK-30", "BK-70")
def test_declared_shots_are_lost() -> None:
    rolls = Rolls(**{"1": "a0 a1"})
    fight = engage(3, 1, rolls, "first", fire_allocation="declared")
    assert shots(fight) == ["1a0>0", "1a1>0-", "1a2>0-", "1b0>0"]
    assert [state.rounds for state in fight.states["a"]] == [(98,)] * 3
    sequential = engage(3, 1, Rolls(**{"1": "a0"}), "first")
    assert shots(sequential) == ["1a0>0", "1b0>0"]
    assert [state.rounds for state in sequential.states["a"]] == [(98,), (99,), (99,)]


@pytest.mark.rule("BK-30")
def test_the_fallen_still_fire_and_both_may_die() -> None:
    fight = engage(1, 1, Rolls(**{"2": "a0 b0"}), "spread")
    assert shots(fight) == ["1a0>0", "1b0>0", "2a0>0", "2b0>0"]
    assert fight.outcome == "both_destroyed"
    assert fight.destroyed_in == {"a": (2,), "b": (2,)}
    assert [state.cause for state in fight.states["a"]] == ["dead_column"]


@pytest.mark.rule("BK-16")
def test_empty_guns_are_no_exchange() -> None:
    rolls = Rolls()
    fight = bk.play_fight(
        [one_hit(ammo=1)], [one_hit(ammo=2)], 0, "front", "front", None, 5, "first", "first", rolls
    )
    assert shots(fight) == ["1a0>0", "1b0>0", "2b0>0"]
    assert (fight.outcome, fight.turns) == ("neither", 5)
    assert rolls.asked == [(1, "a", 0, 0), (1, "b", 0, 0), (2, "b", 0, 0)]


@pytest.mark.rule("BK-14")
def test_aspect_is_that_of_the_unit_hit() -> None:
    fight = bk.play_fight(
        [sherman()],
        [sherman()],
        14,
        "rear",
        "front_left",
        None,
        1,
        "first",
        "first",
        lambda *_: bk.Given(8, "L", 1),
    )
    assert [state.armor for state in (*fight.states["a"], *fight.states["b"])] == [(6, 2, 2, 0), (6, 0, 2, 1)]


def by_side(totals: dict[str, int], turn: int, side: str, unit: int, gunner: int) -> bk.Given:
    return bk.Given(totals[side])


@pytest.mark.rule("BK-30")
def test_a_fight_replays_the_turn_distribution() -> None:
    """Every pair of totals of a one-turn duel, each weighted, gives what `turn_distribution` says."""
    sheet = one_hit(7, ammo=3)
    totals: dict[int, Fraction] = defaultdict(Fraction)
    for total, weight in bk.to_hit_total_distribution(2).items():
        totals[min(total, 14)] += weight  # they all hit
    found: dict[tuple[bk.State, bk.State], Fraction] = defaultdict(Fraction)
    for total_a, weight_a in totals.items():
        for total_b, weight_b in totals.items():
            given = {"a": total_a, "b": total_b}
            fight = bk.play_fight(
                [sheet],
                [sheet],
                0,
                "front",
                "front",
                {"dsp": "mid"},
                1,
                "first",
                "first",
                partial(by_side, given),
            )
            found[fight.states["a"][0], fight.states["b"][0]] += weight_a * weight_b
    assert found == bk.turn_distribution(
        sheet, bk.fresh(sheet), sheet, bk.fresh(sheet), 0, options={"dsp": "mid"}
    )


def test_other_policies_are_refused() -> None:
    with pytest.raises(ValueError, match="neither first nor spread"):
        engage(1, 1, Rolls(), "focus")


@pytest.mark.rule("BK-30")
def test_volleys_in_a_given_order() -> None:
    """Who is left out comes last; an order goes with the reading, and names only who can fire."""
    sheet = sherman()

    def fired(order: Any, **options: Any) -> list[tuple[str, int, int]]:
        fight = bk.play_fight(
            [sheet], [sheet, sheet], 14, "front", "front", options, 1, "first", "first",
            lambda *place: bk.Given(2), order=order,
        )  # fmt: skip
        return [(exchange.side, exchange.unit, exchange.gunner) for exchange in fight.exchanges]

    shuffled = {"volley_order": "random"}
    assert fired(None) == [("a", 0, 0), ("b", 0, 0), ("b", 1, 0)]
    assert fired(lambda turn: [("b", 1, 0)], **shuffled) == [("b", 1, 0), ("a", 0, 0), ("b", 0, 0)]
    for order, options in ((None, shuffled), (lambda turn: [], {}), (lambda turn: [("a", 0, 1)], shuffled)):
        with pytest.raises(ValueError, match=r"order of volleys|cannot fire"):
            fired(order, **options)
