"""The compiled kernel against the plain-Python reference: random sheets, states and readings, every die enumerated."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import pytest
from bridge import Bridge, Dist, Unit, assert_same, normalised
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kernel_duel import OUTCOMES, KernelDuel, assert_same_duel
from plain_kernels import plain
from reference import blitzkrieg as bk
from strategies import (
    READINGS,
    Draw,
    any_state,
    draws,
    random_draw,
    random_fire,
    random_pair,
    random_settings,
    sheets,
)

from simlab.exact.solve import solve_duel
from simlab.rules.blitzkrieg.constants import HOUSE_NUMBERS
from simlab.rules.blitzkrieg.kernel import layout
from simlab.tables.expand import expand_fire, expand_volley

DRAWS, BLOCK = 2_000, 50
BLOCKS = [pytest.param(n, marks=pytest.mark.long) if n % 5 else n for n in range(DRAWS // BLOCK)]
"""A third of them, unless the run is a long one."""
PAIRS, MANY_PAIRS = 40, 500
BOUND = 1e-9
MULTIPLIED = 200
"""A turn's outcomes are multiplied out into pairs of states up to this number."""


@dataclass(frozen=True)
class Side:
    """A unit at the start of the turn: the reference's state and the kernel's words."""

    unit: Unit
    state: bk.State
    body: int
    memory: int
    ability: int


def side_of(unit: Unit, state: bk.State) -> Side:
    body, memory = unit.body(state), unit.memory(state)
    return Side(unit, state, body, memory, unit.ability(body, memory))


def check_draw(draw: Draw) -> None:
    """Figures, capabilities, volleys of each gunner and a whole turn agree."""
    bridge = Bridge(
        [draw.sheets[0]], [draw.sheets[1]], draw.distance, draw.aspects, draw.readings, draw.turns
    )
    a, b = (side_of(unit, state) for unit, state in zip(bridge.units, draw.states, strict=True))
    for side in (a, b):
        check_unit(side, draw)
    for shooter, target in ((a, b), (b, a)):
        able = shooter.unit.reference_able(shooter.state, draw.distance)
        unbuttoned = target.unit.reference_able(target.state, draw.distance).unbuttoned
        check_volleys(bridge, shooter, able.gunners, shooter.ability, target, unbuttoned)
    check_any_volley(bridge, draw, a, b)
    fires = check_fire(bridge, a, b), check_fire(bridge, b, a)
    if draw.seed % 4 == 0:
        check_pairs(draw, a, b, *fires)


def check_unit(side: Side, draw: Draw) -> None:
    """The state is the same on both sides, and so are its figures and what the unit can do."""
    unit = side.unit
    assert unit.normal_of(side.body, side.memory) == unit.normal(side.state)
    assert unit.figures(side.body) == bk.figures(unit.reference, side.state, draw.readings)
    expected = unit.reference_able(side.state, draw.distance)
    unbuttoned, gunners = unit.able(side.ability)
    assert unbuttoned == expected.unbuttoned
    for gunner, fire in enumerate(expected.gunners):
        weapons, dice, zeroed = gunners[gunner]
        assert (weapons, dice) == (set(fire.weapons), fire.dice)
        assert zeroed == fire.zeroed[1] or gunner >= unit.ask.gunners(unit.type)


def check_volleys(
    bridge: Bridge, shooter: Side, fires: tuple[bk.Fire, ...], ability: int, target: Side, unbuttoned: bool
) -> None:
    """The target after one volley of each gunner who can fire, complete distributions."""
    chances = bridge.chances(shooter.unit)
    open_hatches = target.ability & ~int(layout.UNBUTTONED) | unbuttoned * int(layout.UNBUTTONED)
    for gunner, fire in enumerate(fires):
        assert bool(fire.weapons) == bridge.ready(shooter.unit, gunner, ability)
        if not fire.weapons:
            continue
        kernel = bridge.volley(shooter.unit, gunner, ability, target.unit, open_hatches, target.body)
        shot = chances.shot(gunner, bk.Capability(False, fires), unbuttoned)
        reference = chances.volley(shot, target.state)
        found = normalised(kernel, lambda body: target.unit.normal_of(body, target.memory))
        assert_same(found, normalised(reference, target.unit.normal))


def check_any_volley(bridge: Bridge, draw: Draw, shooter: Side, target: Side) -> None:
    """The same where gunners can do what no state of theirs need allow."""
    rng = random.Random(draw.seed)
    fires = random_fire(rng, shooter.unit.reference, draw.readings, draw.turns)
    served = bridge.ask.gunners(shooter.unit.type)
    fires = tuple(fire if gunner < served else replace(fire, weapons=()) for gunner, fire in enumerate(fires))
    check_volleys(bridge, shooter, fires, shooter.unit.ability_of(fires), target, rng.random() < 0.5)


def check_fire(bridge: Bridge, shooter: Side, target: Side) -> Dist:
    """One side's share of the turn: target and what is left to the shooter; the kernel's is returned."""
    fire = bridge.fire(
        shooter.unit, shooter.ability, shooter.memory, target.unit, target.ability, target.body
    )
    found = normalised(
        fire,
        lambda words: (
            target.unit.normal_of(words[0], target.memory),
            shooter.unit.normal_of(shooter.body, words[1])[-1],
        ),
    )
    assert_same(found, bridge.reference_fire(shooter.unit, shooter.state, target.unit, target.state))
    row = expand_fire(
        bridge.fight, shooter.unit.type, shooter.ability, target.unit.type, target.ability, 0, target.body
    )
    weights = dict(zip(row.bodies.tolist(), row.weights.tolist(), strict=True))
    assert_same(weights, normalised(fire, lambda words: words[0]))
    return fire


def check_pairs(draw: Draw, a: Side, b: Side, by_a: Dist, by_b: Dist) -> None:
    """Both shares together, rounds spent: the two states after the turn."""
    if len(by_a) * len(by_b) > MULTIPLIED:
        return
    pairs = {
        (body_a, memory_a, body_b, memory_b): weight_a * weight_b
        for (body_b, memory_a), weight_a in by_a.items()
        for (body_a, memory_b), weight_b in by_b.items()
    }
    reference = bk.turn_distribution(
        a.unit.reference,
        draw.states[0],
        b.unit.reference,
        draw.states[1],
        draw.distance,
        *draw.aspects,
        draw.readings,
    )
    assert_same(
        normalised(pairs, lambda words: (a.unit.normal_of(*words[:2]), b.unit.normal_of(*words[2:]))),
        normalised(reference, lambda states: (a.unit.normal(states[0]), b.unit.normal(states[1]))),
    )


@pytest.mark.rule("BK-66", "BK-68")
@pytest.mark.parametrize("block", BLOCKS)
def test_a_turn_of_random_draws(block: int) -> None:
    """A draw is named by its seed."""
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        check_draw(random_draw(random.Random(seed)))


def short_pair(rng: random.Random, turns: int, most: int) -> tuple[Draw, Bridge]:
    """A pair of which each can hurt the other, one in 20 ways, both in so few that the reference is done soon."""
    while True:
        draw = random_pair(rng, turns)
        bridge = Bridge([draw.sheets[0]], [draw.sheets[1]], draw.distance, draw.aspects, draw.readings, turns)
        ways = [len(fire) for fire in first_fires(bridge)]
        if min(ways) >= 2 and 20 <= max(ways) <= most:
            return draw, bridge


def first_fires(bridge: Bridge) -> Iterator[Dist]:
    """What the first turn's fire makes of either unit."""
    for shooter, target in permutations(bridge.units):
        (own, memory), (body, rounds) = (bridge.ask.fresh(unit.type) for unit in (shooter, target))
        yield bridge.fire(
            shooter, shooter.ability(own, memory), memory, target, target.ability(body, rounds), body
        )


def check_pair(draw: Draw, bridge: Bridge) -> None:
    """A duel of a few turns: outcomes, figures, turns of destruction, by the kernel's functions and by the solver."""
    reference = bk.duel_distribution(*draw.sheets, draw.distance, *draw.aspects, draw.readings, draw.turns)
    assert_same_duel(KernelDuel(bridge).play(draw.turns), reference)
    solved = solve_duel(bridge.fight, bound=BOUND)
    for name, chance in zip(OUTCOMES, solved.outcomes, strict=True):
        assert abs(chance - float(reference[name])) <= BOUND, name


@pytest.mark.rule("BK-29", "BK-30", "BK-66", "BK-70")
@pytest.mark.parametrize(
    "seed", [pytest.param(n, marks=pytest.mark.long) if n % 2 else n for n in range(PAIRS)]
)
def test_two_turns_of_a_random_pair(seed: int) -> None:
    check_pair(*short_pair(random.Random(seed), turns=2, most=150))


@pytest.mark.long
@pytest.mark.parametrize("block", range(MANY_PAIRS // BLOCK))
def test_one_to_three_turns_of_many_pairs(block: int) -> None:
    for seed in range(1000 + block * BLOCK, 1000 + (block + 1) * BLOCK):
        rng = random.Random(seed)
        turns = rng.choice((1, 2, 3))
        check_pair(*short_pair(rng, turns, {1: 2000, 2: 300, 3: 60}[turns]))


@pytest.mark.rule("BK-28", "BK-29", "BK-69")
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(sheets, st.randoms(use_true_random=False))
def test_figures_of_any_state(sheet: dict[str, Any], rng: random.Random) -> None:
    """Also of units that no longer stand."""
    readings = random_settings(rng, 14.0)
    (unit,) = Bridge([sheet], [sheet], 14, ("front", "front"), readings, 2).units[:1]
    for _ in range(10):
        state = any_state(rng, sheet, readings, turns=2)
        assert unit.figures(unit.body(state)) == bk.figures(sheet, state, readings)


def test_whatever_is_built_is_drawn() -> None:
    """Catalogue and reference list the same values, their defaults first; draws meet each of them."""
    assert {name: bk.READINGS[name] for name in READINGS} == READINGS
    numbers = {number.name: number.default for number in HOUSE_NUMBERS}
    assert numbers == bk.CONSTANTS
    drawn = [random_settings(random.Random(seed), 14.0) for seed in range(200)]
    for name, values in READINGS.items():
        assert {draw[name] for draw in drawn if name in draw} == set(values)
    assert {name for draw in drawn for name in draw.get("constants", ())} == set(numbers)


@pytest.mark.parametrize("seed", range(5))
def test_uncompiled_kernels_do_the_same(seed: int) -> None:
    """What rule tests run is what is compiled."""
    draw = random_draw(random.Random(seed))
    bridge = Bridge(
        [draw.sheets[0]], [draw.sheets[1]], draw.distance, draw.aspects, draw.readings, draw.turns
    )
    a, b = (side_of(unit, state) for unit, state in zip(bridge.units, draw.states, strict=True))
    words = (bridge.fight, a.unit.type, 0, a.ability, b.unit.type, b.ability, 0, b.body)
    compiled = expand_volley(*words)
    with plain():
        uncompiled = expand_volley(*words)
    for name in ("bodies", "notes", "weights"):
        assert getattr(compiled, name).tolist() == getattr(uncompiled, name).tolist()


@pytest.mark.long
@settings(max_examples=2000, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(draws)
def test_many_turns(draw: Draw) -> None:
    check_draw(draw)
