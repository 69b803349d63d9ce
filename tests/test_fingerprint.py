"""A rule system's version changes when its behaviour does, and only then."""

from pathlib import Path

import pytest
import yaml

from simlab.engine.play import play_fights
from simlab.lab.fights import fight_key_of
from simlab.lab.roster import find_sheet
from simlab.model.keys import digest
from simlab.model.situation import Situation
from simlab.rules.registry import get_system
from simlab.tables.expand import Questions, expand_fire

STORED = Path(__file__).parent / "fingerprints.yaml"
PAIRS = (
    ("m4a3_sherman_lp", "m4a3_sherman_lp"),
    ("panther_g", "m4a3_sherman_lp"),
    ("sherman_firefly_vc", "panther_g"),
)
OPTIONS: tuple[dict[str, str], ...] = (
    {},
    {"manifest_overflow": "wrap", "engine_hits": "count", "immobile": "one_tread"},
    {"pintle_policy": "in_range", "unbuttoned_mix": "pooled", "loss_of_function": "firepower"},
    {
        "explosion_rolls": "per_volley",
        "bin_in_box": "line",
        "lost_bin": "none",
        "fire_allocation": "declared",
    },
)


def exact_rows() -> list[object]:
    """What one turn's fire does, exactly, to twelve decimals."""
    system = get_system("blitzkrieg")
    rows: list[object] = []
    for a, b in PAIRS:
        for settings in OPTIONS:
            sheets = [find_sheet(a), find_sheet(b)]
            situation = Situation(14.0, "front", "front_left")
            fight = system.compile_fight(sheets[:1], sheets[1:], situation, system.options(settings), 12)
            ask = Questions(fight)
            (shooter,), (target,) = fight.types_a, fight.types_b
            able = ask.capability(shooter, 0, 0, *ask.fresh(shooter))
            body, memory = ask.fresh(target)
            foe_able = ask.capability(target, 0, 0, body, memory)
            row = expand_fire(fight, shooter, able, target, foe_able, 0, body)
            rows.append([[f"{weight:.12f}" for weight in row.weights], [str(state) for state in row.bodies]])
    return rows


def sampled_counts() -> list[object]:
    """How a few sampled fights end: the dice at their addresses belong to the version as well."""
    system = get_system("blitzkrieg")
    counts: list[object] = []
    for a, b in PAIRS:
        for size in (1, 2):
            sides = [[find_sheet(name)] * size for name in (a, b)]
            fight = system.compile_fight(*sides, Situation(14.0), system.options({}), 12)
            tally = play_fights(fight, n=2000, seed=1, key=fight_key_of(fight))
            counts.append([int(count) for count in tally.outcomes])
    return counts


@pytest.mark.parametrize("made", [exact_rows, sampled_counts])
def test_behaviour_is_that_of_the_stored_version(made) -> None:  # type: ignore[no-untyped-def]
    version = get_system("blitzkrieg").version
    stored = yaml.safe_load(STORED.read_text())
    assert version in stored, f"store the fingerprints of {version} in {STORED.name}"
    assert digest(made()) == stored[version][made.__name__], "behaviour has changed: so must the version"
