"""The compiled kernel against the plain reference: random sheets, states and readings, every die enumerated."""

import random

import pytest
from effort import LONG
from reference import tank_d20 as ref
from tank_d20_bridge import Bridge, random_bridge, random_state

from simlab.rules.registry import get_system
from simlab.traces.told import tell_replicate

DRAWS = 60
TURN_DRAWS = 8
RULES = ("TD-1", "TD-2", "TD-3", "TD-4", "TD-5", "TD-6", "TD-7", "TD-8", "TD-9", "TD-10")


def assert_same(found, expected):
    assert set(found) == {key for key, chance in expected.items() if chance > 0}
    for key, chance in expected.items():
        assert found.get(key, 0.0) == pytest.approx(float(chance), abs=1e-12), key


def check_shot(bridge: Bridge, own: int, states: tuple[ref.State, ref.State]) -> None:
    """Figures, whether a unit can fire, and its shot: the whole distribution, jams included."""
    foe = 1 - own
    words = [bridge.words(number, states[number]) for number in (0, 1)]
    assert bridge.state(own, *words[own]) == states[own]
    kinds = ("mobility", "firepower", "crew", "catastrophic")
    troubles = ref.troubles(bridge.units[own], states[own], bridge.game)
    expected = sum(2 << place for place, kind in enumerate(kinds) if kind in troubles)
    assert bridge.ask.flags(bridge.types[own], words[own][0]) == expected
    able = [bridge.ability(number, words[number]) for number in (0, 1)]
    fires = ref.can_fire(bridge.units[own], states[own], bridge.game)
    assert bridge.ask.ready(bridge.types[own], 0, able[own]) == fires
    if not fires:
        return
    shot = bridge.shot(own, able[own], able[foe], words[foe][0])
    found: dict[tuple[ref.State, bool], float] = {}
    for body, note, weight in zip(
        shot.bodies.tolist(), shot.notes.tolist(), shot.weights.tolist(), strict=True
    ):
        key = bridge.state(foe, body, words[foe][1]), bool(note & 1)
        found[key] = found.get(key, 0.0) + weight
    reference: dict[tuple[ref.State, bool], float] = {}
    chances = ref.shot_chances(
        bridge.units[own], states[own], bridge.units[foe], states[foe], states[foe], bridge.game
    )
    for (state, jammed), chance in chances.items():
        plain = bridge.plain(foe, state), jammed
        reference[plain] = reference.get(plain, 0.0) + float(chance)
    assert_same(found, reference)


@pytest.mark.rule(*RULES)
def test_shots_of_random_duels_are_those_of_the_reference():
    rng = random.Random(61)
    fired = 0
    for _ in range(DRAWS if not LONG else 10 * DRAWS):
        bridge = random_bridge(rng)
        states = random_state(rng, bridge, 0), random_state(rng, bridge, 1)
        for own in (0, 1):
            check_shot(bridge, own, states)
        fired += sum(ref.can_fire(bridge.units[own], states[own], bridge.game) for own in (0, 1))
    assert fired > DRAWS // 2


@pytest.mark.rule(*RULES)
def test_turns_of_random_duels_are_those_of_the_reference():
    rng = random.Random(62)
    for _ in range(TURN_DRAWS if not LONG else 10 * TURN_DRAWS):
        bridge = random_bridge(rng)
        states = random_state(rng, bridge, 0), random_state(rng, bridge, 1)
        words = bridge.words(0, states[0]), bridge.words(1, states[1])
        reference: dict[tuple[ref.State, ref.State], float] = {}
        for (a, b), chance in ref.turn_chances(bridge.units, states, bridge.game).items():
            plain = bridge.plain(0, a), bridge.plain(1, b)
            reference[plain] = reference.get(plain, 0.0) + float(chance)
        assert_same(bridge.turn(words), reference)


@pytest.mark.rule("TD-2", "TD-3", "TD-9", "TD-10")
def test_sampled_fights_are_replayed_die_by_die():
    rng = random.Random(63)
    narrated = 0
    for replicate in range(12):
        bridge = random_bridge(rng)
        if not (bridge.fight.can_fire_a or bridge.fight.can_fire_b):
            continue
        narrator = get_system("tank_d20").narrator(bridge.fight)
        told = tell_replicate(
            bridge.fight,
            narrator,
            seed=7,
            key=replicate,
            replicate=replicate,
            policy_a="first",
            policy_b="first",
        )
        queues: dict[tuple[int, int, int], list[int]] = {
            (event.turn, event.phase, event.unit): list(event.throw) for event in told.events
        }
        fell, states = replay(bridge, queues)
        assert fell == told.fell
        assert [state.fate for state in states] == [
            bridge.state(own, told.bodies[own], 0).fate for own in (0, 1)
        ]
        assert not any(queues.values())
        narrated += len(told.events)
        for event in told.events:
            assert narrator.tell(event)
            assert narrator.read_token(narrator.token(event.throw), 1) == event.throw
    assert narrated > 20


def replay(bridge: Bridge, queues: dict[tuple[int, int, int], list[int]]):
    """The turns in which the units fall, and their states, when the reference throws these dice."""
    states = tuple(ref.fresh(bridge.units[own], bridge.game) for own in (0, 1))
    fell = [0, 0]
    for turn in range(1, bridge.fight.turns + 1):
        for action in range(bridge.game.get("actions")):
            dice = tuple((lambda own=own, at=(turn, action): queues[*at, own].pop(0)) for own in (0, 1))
            states = ref.act(bridge.units, states, bridge.game, dice)
            fell = [fell[own] or turn * bool(states[own].fate) for own in (0, 1)]
            if any(fell):
                return tuple(fell), states
        states = tuple(ref.after_turn(bridge.units[own], states[own], bridge.game) for own in (0, 1))
    return tuple(fell), states
