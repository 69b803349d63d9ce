"""The compiled kernel against the plain-Python reference: random sheets, states and readings, every die enumerated."""

import random
from dataclasses import dataclass

import pytest
from bridge import Bridge, Dist, Unit, assert_same, normalised
from hypothesis import HealthCheck, given, settings
from plain_kernels import plain
from reference import blitzkrieg as bk
from strategies import Draw, Scope, any_state, draws, random_draw, random_readings, random_sheet

from simlab.tables.expand import expand_fire, expand_volley

DRAWS = 200
PAIRS = 5_000
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
    """Figures, capabilities, a volley of each gunner and a whole turn agree."""
    bridge = Bridge(
        [draw.sheets[0]], [draw.sheets[1]], draw.distance, draw.aspects, draw.readings, draw.turns
    )
    a, b = (side_of(unit, state) for unit, state in zip(bridge.units, draw.states, strict=True))
    for side in (a, b):
        check_unit(side, draw)
    for shooter, target in ((a, b), (b, a)):
        for gunner in range(bridge.ask.gunners(shooter.unit.type)):
            if bridge.ask.ready(shooter.unit.type, gunner, shooter.ability):
                check_volley(bridge, draw, shooter, gunner, target)
    check_pairs(draw, a, b, check_fire(bridge, a, b), check_fire(bridge, b, a))


def check_unit(side: Side, draw: Draw) -> None:
    """The state is the same on both sides, and so are its figures and what the unit can do."""
    unit = side.unit
    assert unit.normal_of(side.body, side.memory) == unit.normal(side.state)
    assert unit.figures(side.body) == bk.figures(unit.reference, side.state, draw.readings)
    expected = unit.reference_able(side.state, draw.distance)
    unbuttoned, gunners = unit.able(side.ability)
    assert unbuttoned == expected.unbuttoned
    assert gunners == [(set(fire.weapons), fire.dice) for fire in expected.gunners]


def check_volley(bridge: Bridge, draw: Draw, shooter: Side, gunner: int, target: Side) -> None:
    """The target after one volley, complete distribution."""
    kernel = bridge.volley(shooter.unit, gunner, shooter.ability, target.unit, target.ability, target.body)
    reference = bk.volley_distribution(
        shooter.unit.reference,
        shooter.state,
        gunner,
        target.unit.reference,
        target.state,
        target.unit.reference_able(target.state, draw.distance).unbuttoned,
        bridge.aspect(target.unit),
        draw.distance,
        draw.readings,
        side=shooter.unit.side,
    )
    found = normalised(kernel, lambda body: target.unit.normal_of(body, target.memory))
    assert_same(found, normalised(reference, target.unit.normal))


def check_fire(bridge: Bridge, shooter: Side, target: Side) -> Dist:
    """One side's share of the turn: target and rounds spent, complete distribution; the kernel's is returned."""
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
    if len(by_a) * len(by_b) > PAIRS:
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
@pytest.mark.parametrize("seed", range(DRAWS))
def test_a_turn_of_a_random_draw(seed: int) -> None:
    check_draw(random_draw(random.Random(seed)))


@pytest.mark.rule("BK-28", "BK-29", "BK-69")
@pytest.mark.parametrize("seed", range(20))
def test_figures_of_any_state(seed: int) -> None:
    """Also of units that no longer stand."""
    rng = random.Random(seed)
    for _ in range(10):
        readings = random_readings(rng)
        sheet = random_sheet(rng, Scope())
        (unit,) = Bridge([sheet], [sheet], 14, ("front", "front"), readings, 2).units[:1]
        for _ in range(10):
            state = any_state(rng, sheet, readings, turns=2)
            assert unit.figures(unit.body(state)) == bk.figures(sheet, state, readings)


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
