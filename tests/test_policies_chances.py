"""The chance that a volley destroys its target, as policies weigh it, against every die enumerated; its table."""

import random

import numpy as np
import pytest
from bridge import Bridge
from plain_kernels import bound
from strategies import random_battle

from simlab.dice import scripted
from simlab.tables import chance_loop
from simlab.tables.chance_loop import WORDS
from simlab.tables.expand import expand_volley

U64 = np.uint64


def new_table() -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(chance_loop.ENTRIES * WORDS + 1, np.uint64), np.zeros(chance_loop.ENTRIES)


@pytest.mark.parametrize("seed", range(12))
def test_a_chance_is_the_weight_of_all_dice_that_destroy(seed: int) -> None:
    battle = random_battle(random.Random(f"chances {seed}"), most=1)
    where = (battle.distance, battle.aspects, battle.readings, battle.turns)
    bridge = Bridge(battle.sheets_a, battle.sheets_b, *where)
    chance_of = bound(chance_loop.volley_chance, (scripted, *bridge.fight.system.kernels))
    shooter, target = bridge.units
    ask, program, table = bridge.ask, bridge.fight.program, new_table()
    own, other = (ask.capability(unit.type, 0, 0, *ask.fresh(unit.type)) for unit in bridge.units)
    body = ask.fresh(target.type)[0]
    exposed = ask.exposure(target.type, other)
    compared = 0
    for gunner in range(ask.gunners(shooter.type)):
        if not ask.ready(shooter.type, gunner, own):
            continue
        found = expand_volley(bridge.fight, shooter.type, gunner, own, target.type, other, 0, body)
        falls = [ask.fallen(target.type, after) for after in found.bodies.tolist()]
        row = ask.gunner_row(ask.aim(shooter.type, target.type, 0), gunner, exposed)
        words = (U64(v) for v in (shooter.type, gunner, own, target.type, exposed, row, body))
        chance = chance_of(program, *words, *table)
        assert chance == pytest.approx(float(found.weights @ falls), rel=1e-12, abs=0)
        compared += 1
    assert compared or not bridge.fight.can_fire_a


def test_a_full_table_is_emptied_and_a_key_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chance_loop, "ENTRIES", 16)
    keys, chances = new_table()

    def key(number: int) -> list[np.uint64]:
        return [U64(value) for value in (1 << 63, number, 7 * number, 0, number % 3)]

    with np.errstate(over="ignore"):
        for number in range(100):
            chance_loop.enter_chance(keys, chances, *key(number), number / 100)
            for before in (number, number - number % 8):
                entry = chance_loop.find_chance(keys, *key(before))
                assert keys[int(entry) * WORDS] != 0
                assert chances[int(entry)] == before / 100
            assert keys[-1] == np.count_nonzero(keys[:-1:WORDS]) == number % 8 + 1
