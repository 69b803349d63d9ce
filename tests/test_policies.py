"""Policies that weigh chances: every choice of told fights is made again by the plain-Python reference.

What they mean is in docs/policies.md.
"""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from bridge import Bridge
from reference import blitzkrieg as bk
from reference.policies import Chooser
from samples import assert_share, compile_sample, sample_sheets, sherman
from strategies import Battle, random_battle
from test_replayed_fights import given_dice
from toy_system import ToySheet

from simlab import lab
from simlab.dice.words import address, derived_word, exchange_word, replicate_word
from simlab.engine.play import fight_word, play_fights
from simlab.engine.policies import POLICIES
from simlab.lab.fights import fight_key_of
from simlab.model.errors import InputError
from simlab.model.outcome import OUTCOMES, Tally
from simlab.traces.told import Told, tell_dice, tell_replicate

JUDGED = ("focus", "weakest", "dangerous", "random")
BATTLES = 150
CHOICE, ORDER = 49, 48


def drawn_battle(seed: int, most: int = 3) -> tuple[Battle, int]:
    """A battle whose sides choose by chances, one of them at least, and a replicate of it."""
    rng = random.Random(f"policies {seed}")
    battle = random_battle(rng, most)
    while len(battle.sheets_b) == 1 or len(battle.sheets_a) == 1:
        battle = random_battle(rng, most)
    policies = [rng.choice(JUDGED), rng.choice(tuple(POLICIES))]
    rng.shuffle(policies)
    readings = {**battle.readings, "fire_allocation": rng.choice(("sequential", "declared"))}
    if rng.random() < 0.3:
        readings["zeroing_in"] = True
    turns = min(battle.turns, rng.choice((2, 3, 4)))
    changed = replace(battle, policies=(policies[0], policies[1]), readings=readings, turns=turns)
    return changed, rng.randrange(10**9)


def told_of(bridge: Bridge, battle: Battle, replicate: int) -> Told:
    narrator = bridge.fight.system.narrator(bridge.fight)
    policies = {"policy_a": battle.policies[0], "policy_b": battle.policies[1]}
    key = fight_key_of(bridge.fight)
    return tell_replicate(bridge.fight, narrator, seed=battle.seed, key=key, replicate=replicate, **policies)


def drawing(bridge: Bridge, battle: Battle, replicate: int) -> Any:
    """How `random` draws: a word derived from that of the exchange, cut to the number of enemies."""
    with np.errstate(over="ignore"):
        word = replicate_word(fight_word(battle.seed, fight_key_of(bridge.fight)), np.uint64(replicate))

    def draw(turn: int, side: str, unit: int, gunner: int, enemies: int) -> int:
        place = (np.uint64(value) for value in (turn, 0, "ab".index(side), unit, gunner))
        with np.errstate(over="ignore"):
            at = derived_word(exchange_word(word, address(*place)), np.uint64(ORDER))
            return (int(derived_word(at, np.uint64(CHOICE))) >> 32) * enemies >> 32

    return draw


def check_battle(battle: Battle, replicate: int) -> int:
    """Told and replayed fight make the same choices; return how many."""
    sides = (battle.sheets_a, battle.sheets_b)
    where = (battle.distance, battle.aspects, battle.readings, battle.turns)
    bridge = Bridge(*sides, *where, battle.typed_first_fire)
    told = told_of(bridge, battle, replicate)
    exploding = battle.readings.get("constants", {}).get("exploding", True)
    dice, places = {}, []
    for event in told.events:
        side = bridge.units[event.unit].side
        number = event.unit - (0 if side == "a" else bridge.fight.n_a)
        places.append((event.turn, side, number, event.gunner))
        dice[places[-1]] = given_dice(event.throw, exploding)
    draw = drawing(bridge, battle, replicate)
    policies = {"a": battle.policies[0], "b": battle.policies[1]}
    fight = bk.play_fight(
        *sides, battle.distance, *battle.aspects, battle.readings, battle.turns, *battle.policies,
        lambda *place: dice.pop(place),
        first_fire=battle.first_fire,
        order=(lambda turn: [place[1:] for place in places if place[0] == turn])
        if battle.readings.get("volley_order") == "random" else None,
        chooser=Chooser({"a": sides[0], "b": sides[1]}, policies, battle.readings, draw),
    )  # fmt: skip
    first = {"a": 0, "b": bridge.fight.n_a}
    wanted = [
        (e.turn, first[e.side] + e.unit, e.gunner, bridge.fight.n_a - first[e.side] + e.target)
        for e in fight.exchanges
    ]
    assert [(e.turn, e.unit, e.gunner, e.target) for e in told.events] == wanted
    assert not dice
    assert [turn or None for turn in told.fell] == [*fight.destroyed_in["a"], *fight.destroyed_in["b"]]
    tally = play_fights(
        bridge.fight, n=1, seed=battle.seed, key=fight_key_of(bridge.fight), first=replicate, workers=1,
        policy_a=battle.policies[0], policy_b=battle.policies[1],
    )  # fmt: skip
    assert tally.outcomes.tolist() == [int(name == fight.outcome) for name in OUTCOMES]
    assert tally.exchanges == len(told.events)
    return len(told.events)


@pytest.mark.rule("BK-30", "BK-66")
@pytest.mark.parametrize(
    "block", [pytest.param(block, marks=pytest.mark.long) if block > 1 else block for block in range(5)]
)
def test_choices_are_those_of_the_reference(block: int) -> None:
    size = BATTLES // 5
    assert sum(check_battle(*drawn_battle(seed)) for seed in range(block * size, (block + 1) * size)) > 100


def toys(count_a: int, b: list[ToySheet], turns: int = 4, **settings: Any) -> Any:
    return compile_sample("toy", [ToySheet("toy", 1)] * count_a, b, settings, turns=turns)


def play(fight: Any, n: int = 20_000, **more: Any) -> Tally:
    return play_fights(fight, **{"n": n, "seed": 5, "key": 11, "workers": 1, **more})


def told(fight: Any, policy: str, replicate: int = 0) -> Told:
    narrator = fight.system.narrator(fight)
    return tell_replicate(
        fight, narrator, seed=5, key=11, replicate=replicate, policy_a=policy, policy_b="first"
    )


def assert_same(one: Tally, other: Tally) -> None:
    for name, value in vars(one).items():
        assert np.array_equal(value, getattr(other, name)), name


@pytest.mark.parametrize("policy", JUDGED)
def test_counts_are_the_same_for_any_threads_and_blocks(policy: str) -> None:
    sheets = sample_sheets("blitzkrieg")
    fight = compile_sample("blitzkrieg", [sheets[1]] * 2, [sheets[0], sheets[2], sheets[0]])
    policies = {"n": 6000, "policy_a": policy, "policy_b": policy}
    whole = play(fight, **policies)
    assert_same(whole, play(fight, **policies, workers=3, block=700))
    assert_same(whole, play(fight, **policies, block=6000 - 1))
    halves = [play(fight, **{**policies, "n": 3000, "first": first}) for first in (0, 3000)]
    assert_same(whole, halves[0] + halves[1])
    assert_same(play(fight, n=6000, policy_a="spread", policy_b="spread"), play(fight, n=6000))
    assert whole.outcomes.tolist() != play(fight, n=6000).outcomes.tolist()


@pytest.mark.parametrize("policy", ["focus", "weakest", "dangerous"])
def test_of_equal_enemies_the_first_is_taken(policy: str) -> None:
    fight = compile_sample("blitzkrieg", [sherman()] * 3, [sample_sheets("blitzkrieg")[1]] * 3, turns=1)
    assert {event.target for event in told(fight, policy).events if event.unit == 0} == {3}
    harmless = compile_sample(
        "toy", [ToySheet(needs=7)], [ToySheet()] * 3
    )  # no chance at all is no higher one
    assert {event.target for event in told(harmless, policy).events if event.unit == 0} == {1}


def test_each_policy_weighs_something_else() -> None:
    # Tough and harmless, tough and dangerous, brittle; nobody falls in the first turn but the last one.
    b = [ToySheet("tough", needs=7), ToySheet("gun", hit_points=3, needs=2), ToySheet("brittle", 1, needs=6)]
    targets = {
        policy: [event.target for event in told(toys(1, b, turns=1), policy).events if event.unit == 0]
        for policy in ("first", "weakest", "focus", "dangerous")
    }
    assert targets == {"first": [1], "weakest": [3], "focus": [3], "dangerous": [2]}


def test_a_focus_is_kept_while_another_enemy_becomes_weaker() -> None:
    # Two points each, so that no volley destroys a fresh one: the first is chosen, hit or not, until it falls.
    fight = toys(1, [ToySheet(needs=7), ToySheet("brittle", 1, needs=7)], turns=12)
    for replicate in range(20):
        story = told(fight, "focus", replicate)
        fired = [event.target for event in story.events if event.unit == 0]
        switch = story.fell[2] or len(fired)
        assert set(fired[:switch]) == {2}  # the brittle one is destroyed by one volley in two
        assert set(fired[switch:]) <= {1}


@pytest.mark.parametrize("declared", [False, True])
def test_chances_of_two_against_two(declared: bool) -> None:
    """Two shooters at a tough and a brittle one, one turn, by hand; each volley hits one time in two."""
    fight = toys(2, [ToySheet(needs=7), ToySheet("brittle", 1, needs=7)], turns=1, declared=declared)
    tally = play(fight, policy_a="weakest")
    # Both fire at the brittle one; after its fall, if targets are not declared, the second turns to the tough one.
    assert_share(int(tally.destroyed()[3]), tally.n, 0.75, comparisons=3)
    scratched = int(tally.with_flag(1)[2])
    if declared:
        assert scratched == 0
    else:
        assert_share(scratched, tally.n, 0.25, comparisons=3)
    assert tally.exchanges == 4 * tally.n


def test_random_takes_each_alike_and_none_of_the_volleys_dice() -> None:
    fight = toys(1, [ToySheet(needs=7)] * 3, turns=1)
    tally = play(fight, policy_a="random")
    for unit in (1, 2, 3):
        assert_share(int(tally.with_flag(1)[unit]), tally.n, 1 / 6, comparisons=3)
    for replicate in range(30):
        throws = {told(fight, policy, replicate).events[0].throw for policy in POLICIES}
        assert len(throws) == 1


def test_against_one_enemy_all_policies_are_one_and_ask_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simlab.engine.play.judge_address", None)
    fight = compile_sample("blitzkrieg", [sherman()], [sample_sheets("blitzkrieg")[1]])
    usual = play(fight, general=True)
    for policy in JUDGED:
        assert_same(usual, play(fight, general=True, policy_a=policy, policy_b=policy))
        assert_same(usual, play(fight, policy_a=policy, policy_b=policy))
    with pytest.raises(TypeError):
        play(toys(1, [ToySheet()] * 2), policy_a="random")


def test_given_dice_choose_nobody_at_random() -> None:
    fight = toys(1, [ToySheet()] * 2)
    with pytest.raises(InputError, match="dice: found targets chosen at random, allowed dice for policies"):
        tell_dice(fight, fight.system.narrator(fight), ["1"], policy_a="random", policy_b="first")
    story = told(toys(1, [ToySheet(needs=7), ToySheet("brittle", 1, needs=7)], turns=2), "weakest")
    again = toys(1, [ToySheet(needs=7), ToySheet("brittle", 1, needs=7)], turns=2)
    tokens = [again.system.narrator(again).token(event.throw) for event in story.events]
    repeated = tell_dice(again, again.system.narrator(again), tokens, policy_a="weakest", policy_b="first")
    assert [event.target for event in repeated.events] == [event.target for event in story.events]


@pytest.mark.long
@pytest.mark.parametrize("block", range(20))
def test_many_choices_are_those_of_the_reference(block: int) -> None:
    for seed in range(1000 + 100 * block, 1100 + 100 * block):
        check_battle(*drawn_battle(seed, most=4))


STUDY = """\
name: Policies
system: blitzkrieg
units: [panther_g, m4a3_sherman_lp]
situations: {range: {24: 1}, aspect: {front: 1}}
n: 500
engagements: {sizes: [2], policies: [weakest, random, first], turns: 8}
"""


def test_a_study_fights_by_the_policies_that_it_names(tmp_path: Path) -> None:
    path = tmp_path / "policies.yaml"
    path.write_text(STUDY, encoding="utf-8")
    run = lab.run(path, results=tmp_path / "results")
    fought = pd.read_parquet(run.folder / "engagements.parquet")
    row = fought[(fought["policy"] == "random") & (fought["size_m"] == 3)].iloc[0]
    again = lab.engage([row["a"]] * 2, [row["b"]] * 3, turns=8, n=500, policy_a="random", policy_b="random")
    columns = [f"count_{name}" for name in OUTCOMES]
    assert [row[column] for column in columns] == list(again.counts.values())
    kept = {policy: group[columns].to_numpy().tolist() for policy, group in fought.groupby("policy")}
    assert set(kept) == {"weakest", "random", "first"}
    assert kept["random"] != kept["first"]
