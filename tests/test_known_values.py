"""Values that are known exactly, or to all digits that are written here, from outside of this program."""

from functools import cache
from itertools import product
from math import comb, sqrt
from typing import Any

import pytest
from samples import compile_sample, sherman

from simlab import lab
from simlab.engine.play import play_fights
from simlab.lab.fights import fight_key_of
from simlab.model.situation import Situation
from simlab.rules.contract import Fight
from simlab.tables.expand import Questions, expand_fire

AT_14 = Situation(14.0)


def assert_near(count: int, n: int, chance: float, printed: float) -> None:
    """Assert that a count is within 4 standard errors, and what printing may have cut off, of a known chance."""
    assert abs(count / n - chance) < 4 * sqrt(chance * (1 - chance) / n) + printed


def one_hit(needed: int) -> Any:
    """A tank whose only weapon destroys whatever it hits; it is hit with `needed` or more."""
    return sherman(
        weapons={
            "cannon": {
                "name": "Gun", "type": "ballistic", "high": [99] * 3, "mid": [99] * 3, "low": [99] * 3,
                "ammo": 9999, "mount": "turret",
            }
        },
        gunners=[{"name": "gunner", "skill": 0, "weapons": ["cannon"]}],
        defense__ballistic={"front_back": needed, "sides": needed},
        manifest=[{"lines": [7], "item": "weapon", "weapon": "cannon"}],
    )  # fmt: skip


def destroyed_in_a_turn(fight: Fight) -> float:
    """The chance that one turn's fire of a's first unit destroys b's, both fresh."""
    ask = Questions(fight)
    shooter, target = fight.types_a[0], fight.types_b[0]
    able, foe_able = (ask.capability(type_, 0, 0, *ask.fresh(type_)) for type_ in (shooter, target))
    row = expand_fire(fight, shooter, able, target, foe_able, 0, ask.fresh(target)[0])
    chances = zip(row.bodies.tolist(), row.weights.tolist(), strict=True)
    return float(sum(weight for body, weight in chances if ask.fallen(target, body)))


@pytest.mark.rule("BK-68")
@pytest.mark.rule("BK-30")
def test_one_volley_and_one_turn_of_two_shermans():
    tank = sherman()
    fallen = destroyed_in_a_turn(compile_sample("blitzkrieg", [tank], [tank], {}, AT_14))
    assert fallen == pytest.approx(0.149698839, abs=5e-10)
    assert fallen * (1 - fallen) == pytest.approx(0.127289097, abs=5e-10)
    assert fallen**2 == pytest.approx(0.022409742, abs=5e-10)
    assert (1 - fallen) ** 2 == pytest.approx(0.723012064, abs=5e-10)
    assert lab.odds(tank, tank, range=14).turn == pytest.approx(0.149698839, abs=5e-10)


@pytest.mark.rule("BK-70")
@pytest.mark.parametrize(
    ("turns", "known", "exact_to"),
    [
        (1, (0.127289097, 0.127289097, 0.022409742, 0.723012064), 5e-10),
        (12, (0.45640, 0.45640, 0.07825, 0.00895), 1e-5),
    ],
)
def test_four_million_duels_of_two_shermans(turns, known, exact_to):
    n, tank = 4_000_000, sherman()
    fight = compile_sample("blitzkrieg", [tank], [tank], {}, AT_14, turns)
    tally = play_fights(fight, n=n, seed=1, key=fight_key_of(fight))
    for count, chance in zip(tally.outcomes, known, strict=True):
        assert_near(int(count), n, chance, exact_to)


def chances_by_counting(size_a: int, size_b: int, chance: float) -> float:
    """The chance that a wins when all that hits destroys, by counting heads over turns: no fight is played.

    All of a side fire, one after the other, while an enemy stands: as many fall as hit, at most all.
    """

    @cache
    def hits(shooters: int, targets: int) -> list[float]:
        found = [0.0] * (targets + 1)
        for hit in range(shooters + 1):
            weight = comb(shooters, hit) * chance**hit * (1 - chance) ** (shooters - hit)
            found[min(hit, targets)] += weight
        return found

    @cache
    def wins(a: int, b: int) -> float:
        if a == 0 or b == 0:
            return float(a > 0)
        going = [
            hits(a, b)[lost_b] * hits(b, a)[lost_a] * wins(a - lost_a, b - lost_b)
            for lost_a, lost_b in product(range(a + 1), range(b + 1))
            if lost_a or lost_b
        ]
        return sum(going) / (1 - hits(a, b)[0] * hits(b, a)[0])

    return wins(size_a, size_b)


MEMORYLESS = [(2, 1, 0.85015, 5e-6), (3, 2, 0.7934, 5e-5), (5, 4, 0.7338, 5e-5)]


@pytest.mark.parametrize(("size_a", "size_b", "known", "printed"), MEMORYLESS)
def test_memoryless_fights_by_counting_heads(size_a, size_b, known, printed):
    assert chances_by_counting(size_a, size_b, 1 / 6) == pytest.approx(known, abs=printed)


@pytest.mark.rule("BK-30")
@pytest.mark.parametrize(("size_a", "size_b", "known", "printed"), MEMORYLESS)
def test_memoryless_fights_by_playing_them(size_a, size_b, known, printed):
    # 10 or more with two dice: 6 of 36.
    tank, n = one_hit(10), 1_000_000
    fight = compile_sample("blitzkrieg", [tank] * size_a, [tank] * size_b, {}, Situation(6.0), 1000)
    assert destroyed_in_a_turn(fight) == pytest.approx(1 / 6, abs=1e-14)
    tally = play_fights(fight, n=n, seed=1, key=fight_key_of(fight), policy_a="first", policy_b="first")
    assert_near(int(tally.outcomes[0]), n, known, printed)
    assert tally.outcomes[3] == 0


def test_memoryless_fights_by_the_verb():
    tank, n = one_hit(10), 200_000
    found = lab.engage([tank] * 2, [tank], range=6, turns=1000, n=n, policy_a="first", policy_b="first")
    assert_near(found.counts["a_wins"], n, 0.85015, 5e-6)
