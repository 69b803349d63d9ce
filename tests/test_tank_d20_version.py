"""The version of tank_d20 changes when its behaviour does, and only then; what it says beside every answer."""

from typing import Any

import pytest
from tank_d20_bridge import Bridge, sheet

from simlab.engine.play import play_fights
from simlab.lab.fights import fight_key_of
from simlab.model.keys import digest
from simlab.rules.registry import get_system

STORED = {"tank_d20-1": {"exact_shots": "81d266d4d3feb08f", "sampled_counts": "3a2a87f448766751"}}
"""Digests of what each version does; a version is never given another digest."""
PAIRS = (
    ("panther_g", "t34_85", "front"),
    ("m4a3_sherman_75", "tiger_i_e", "side"),
    ("m7_priest", "marder_iii_m", "rear"),
)
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"penetration": "roll", "exposed": "mc", "knock_out": "any", "hit": "roll_plus_drm_below"},
    {"movement": "firing", "fire_on_move": "half", "actions": 3, "aim": "always", "extreme": "all_open"},
)


def bridges() -> list[Bridge]:
    return [
        Bridge((sheet(a), sheet(b)), settings, {}, 24.0, ("front", aspect))
        for a, b, aspect in PAIRS
        for settings in OPTIONS
    ]


def exact_shots() -> list[object]:
    """What a first shot of each pair does, exactly, in the reference's terms: to twelve decimals."""
    rows: list[object] = []
    for bridge in bridges():
        words = [bridge.ask.fresh(type_) for type_ in bridge.types]
        ready = bridge.ability(0, (words[0][0], 0)), bridge.ability(1, words[1])
        found = bridge.shot(0, *ready, words[1][0])
        sums: dict[str, float] = {}
        for body, weight in zip(found.bodies.tolist(), found.weights.tolist(), strict=True):
            state = bridge.state(1, body, 0)
            name = [
                sorted(state.lost),
                state.gun_out,
                state.immobile,
                sorted(state.stunned),
                sorted(state.fate),
            ]
            sums[str(name)] = sums.get(str(name), 0.0) + weight
        rows.append({name: f"{weight:.12f}" for name, weight in sums.items()})
    return rows


def sampled_counts() -> list[object]:
    """How a few sampled fights end: the dice at their addresses belong to the version as well."""
    counts: list[object] = []
    for bridge in bridges():
        tally = play_fights(bridge.fight, n=1000, seed=1, key=fight_key_of(bridge.fight))
        counts.append([int(count) for count in tally.outcomes])
    return counts


@pytest.mark.parametrize("made", [exact_shots, sampled_counts])
def test_behaviour_is_that_of_the_stored_version(made: Any) -> None:
    version = get_system("tank_d20").version
    assert version in STORED, f"store the fingerprints of {version}"
    assert digest(made()) == STORED[version][made.__name__], "behaviour has changed: so must the version"


def test_every_answer_says_that_charts_are_drafts() -> None:
    caveat = get_system("tank_d20").caveat
    assert "drafts" in caveat
    assert "Hit location" in caveat
    assert caveat.count(".") == 1
