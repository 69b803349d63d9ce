"""Told fights of the fast engine, played again by the plain-Python reference with the very same dice."""

import random
from typing import Any

import pytest
from bridge import Bridge
from reference import blitzkrieg as bk
from strategies import Battle, random_battle

from simlab.engine.play import is_duel, play_fights
from simlab.lab.fights import fight_key_of
from simlab.model.outcome import OUTCOMES
from simlab.rules.blitzkrieg.kernel import layout
from simlab.traces.told import Event, Told, tell_replicate

BATTLES = 60


def told_of(bridge: Bridge, battle: Battle, replicate: int) -> Told:
    return tell_replicate(
        bridge.fight,
        bridge.fight.system.narrator(bridge.fight),
        seed=battle.seed,
        key=fight_key_of(bridge.fight),
        replicate=replicate,
        policy_a=battle.policies[0],
        policy_b=battle.policies[1],
    )


def given_dice(throw: Any, exploding: bool) -> bk.Given:
    """The dice of a told exchange for the reference."""
    if throw is None:
        return bk.Given()
    rolls = list(throw.rolls)
    if exploding and len(rolls) > 1 and sum(rolls[-2:]) == 12:
        # The engine rolls on only as far as it matters; what comes then is all the same.
        rolls += [1, 2]
    return bk.Given(rolls, throw.level and throw.level[0].upper(), throw.start, throw.contests)


def replayed(bridge: Bridge, battle: Battle, told: Told) -> bk.Fight:
    exploding = battle.readings.get("constants", {}).get("exploding", True)
    shuffled = battle.readings.get("volley_order") == "random"
    by_address = {}
    for event in told.events:
        unit = bridge.units[event.unit]
        number = event.unit - (0 if unit.side == "a" else bridge.fight.n_a)
        by_address[event.turn, unit.side, number, event.gunner] = given_dice(event.throw, exploding)
    places = list(by_address)

    def dice(turn: int, side: str, unit: int, gunner: int) -> bk.Given:
        return by_address.pop((turn, side, unit, gunner))

    def order(turn: int) -> list[Any]:
        return [place[1:] for place in places if place[0] == turn]

    fight = bk.play_fight(
        battle.sheets_a, battle.sheets_b, battle.distance, *battle.aspects, battle.readings, battle.turns,
        *battle.policies, dice, first_fire=battle.first_fire, order=order if shuffled else None,
    )  # fmt: skip
    assert not by_address
    return fight


def check_exchange(bridge: Bridge, event: Event, exchange: bk.Exchange) -> None:
    """The same gunner fired the same weapons at the same target with the same result."""
    first = {"a": 0, "b": bridge.fight.n_a}
    other = {"a": "b", "b": "a"}[exchange.side]
    assert (event.turn, event.unit, event.gunner, event.target) == (
        exchange.turn,
        first[exchange.side] + exchange.unit,
        exchange.gunner,
        first[other] + exchange.target,
    )
    record, shooter = exchange.record, bridge.units[event.unit]
    weapons, dice, _ = shooter.able(event.ability)[1][event.gunner]
    assert (weapons, dice) == (set(record.weapons), record.dice)
    assert record.lost_shot == (event.throw is None)
    if record.lost_shot:
        assert event.after == event.before
        return
    names = shooter.sheet.gunners[event.gunner].weapons
    ordered = list(shooter.sheet.weapons)
    assert {ordered.index(name) for n, name in enumerate(names) if event.note >> n & 1} == set(record.hits)
    shifts = (layout.NOTE_DAMAGE, layout.NOTE_SHOCK, layout.NOTE_PENETRATION)
    assert tuple(event.note >> shift & int(layout.NOTE_POINTS) for shift in shifts) == record.points
    dead = event.note >> layout.NOTE_DEAD & 1
    assert (bk.DEAD if dead else event.note >> layout.NOTE_LINES & 31) == record.lines
    assert (event.throw.start, event.throw.contests) == (
        record.start,
        tuple((attacker, defender) for _, attacker, defender in record.contests),
    )
    exploded = len(record.contests) if record.exploded else 0
    assert event.note >> layout.NOTE_ITEM & 31 == exploded
    crossed = event.after & ~event.before & int(layout.ALL_LINES)
    assert sorted(record.crossed) == [line + 1 for line in range(layout.LINES) if crossed >> line & 1]


def check_battle(battle: Battle, replicate: int) -> Told:
    """Told, replayed and counted fight are one."""
    bridge = Bridge(
        battle.sheets_a,
        battle.sheets_b,
        battle.distance,
        battle.aspects,
        battle.readings,
        battle.turns,
        battle.typed_first_fire,
    )
    told = told_of(bridge, battle, replicate)
    fight = replayed(bridge, battle, told)
    assert len(told.events) == len(fight.exchanges)
    for event, exchange in zip(told.events, fight.exchanges, strict=True):
        check_exchange(bridge, event, exchange)
    states = fight.states["a"] + fight.states["b"]
    for unit, body, state in zip(bridge.units, told.bodies, states, strict=True):
        assert unit.normal_of(body, unit.memory(bk.fresh(unit.reference)))[:4] == unit.normal(state)[:4]
    assert [turn or None for turn in told.fell] == [*fight.destroyed_in["a"], *fight.destroyed_in["b"]]
    check_counts(bridge, battle, replicate, told, fight)
    return told


def check_counts(bridge: Bridge, battle: Battle, replicate: int, told: Told, fight: bk.Fight) -> None:
    for general in (True, False) if is_duel(bridge.fight) else (True,):
        tally = play_fights(
            bridge.fight,
            n=1,
            seed=battle.seed,
            key=fight_key_of(bridge.fight),
            workers=1,
            first=replicate,
            policy_a=battle.policies[0],
            policy_b=battle.policies[1],
            general=general,
        )
        assert tally.n == 1
        assert tally.outcomes.tolist() == [int(name == fight.outcome) for name in OUTCOMES]
        assert tally.exchanges == len(told.events)
        assert tally.turn_sum.tolist() == list(told.fell)
        left = [
            [turn == 0 for turn in told.fell[: bridge.fight.n_a]],
            [turn == 0 for turn in told.fell[bridge.fight.n_a :]],
        ]
        for survivors, standing in zip((tally.survivors_a, tally.survivors_b), left, strict=True):
            assert survivors.tolist() == [int(number == sum(standing)) for number in range(len(standing) + 1)]
        for number, (unit, body) in enumerate(zip(bridge.units, told.bodies, strict=True)):
            assert tally.flags[number].tolist().index(1) == bridge.ask.flags(unit.type, body)
            assert tally.flags[number].sum() == 1


@pytest.mark.rule("BK-30", "BK-66", "BK-70")
@pytest.mark.parametrize("seed", range(BATTLES))
def test_random_battle(seed: int) -> None:
    rng = random.Random(seed)
    check_battle(random_battle(rng), rng.randrange(10**12))


@pytest.mark.long
@pytest.mark.parametrize("block", range(20))
def test_many_battles(block: int) -> None:
    for seed in range(1000 + 100 * block, 1100 + 100 * block):
        rng = random.Random(seed)
        check_battle(random_battle(rng, most=6), rng.randrange(10**12))
