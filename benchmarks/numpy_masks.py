"""The Sherman duel in NumPy: all duels at once, a turn at a time, with masks for what applies to whom."""

import facts
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.int32]
LINE_COUNTS = np.array(facts.LINES_OF_POINTS, np.int32)
# Three by heads and by which of cannon and coaxial hit.
STRIKES = np.array(
    [
        [
            [c * x + m * y for x, y in zip(facts.CANNON_DSP[heads], facts.COAXIAL_DSP[heads], strict=True)]
            for heads in (0, 1)
        ]
        for m in (0, 1)
        for c in (0, 1)
    ],
    np.int32,
)


def to_hit_totals(rng: np.random.Generator, sighted: npt.NDArray[np.bool_]) -> Array:
    """Return a total for each shooter: two exploding dice, or one die where the sight is gone."""
    totals = rng.integers(1, 7, sighted.size, np.int32)
    totals[sighted] += rng.integers(1, 7, int(sighted.sum()), np.int32)
    again = np.flatnonzero(sighted & (totals == 12))
    while again.size:
        rolls = rng.integers(1, 7, (2, again.size), np.int32).sum(axis=0)
        totals[again] += rolls
        again = again[rolls == 12]
    return totals


def cross_off(rng: np.random.Generator, before: Array, counts: Array) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Return the lines crossed off afterwards, and who is destroyed."""
    starts = rng.integers(0, 20, counts.size, np.int32)
    open_lines = ~before & (facts.ALL_LINES << starts) & facts.ALL_LINES
    crossed, left = before.copy(), counts.copy()
    while (going := (left > 0) & (open_lines != 0)).any():
        lowest = np.where(going, open_lines & -open_lines, 0)
        crossed |= lowest
        open_lines ^= lowest
        left -= going
    blown = np.zeros(counts.size, np.bool_)
    for item in facts.EXPLOSIVE:
        struck = np.flatnonzero((crossed & item != 0) & (before & item == 0) & ~blown)
        dice = rng.integers(0, 20, (2, struck.size), np.int32)
        blown[struck] = dice[0] > dice[1]
    unarmed = (
        (crossed & facts.CANNON != 0) & (crossed & facts.COAXIAL != 0) & (crossed & facts.PINTLE_MG != 0)
    )
    stuck = (crossed & facts.LEFT_TREAD != 0) & (crossed & facts.RIGHT_TREAD != 0)
    return crossed, blown | unarmed | stuck | (crossed & (facts.CREW | facts.ENGINE) != 0)


def fire(
    rng: np.random.Generator, shooters: Array, armor: Array, crossed: Array
) -> tuple[npt.NDArray[np.bool_], int]:
    """Let every shooter fire at its target, whose arrays are changed; return who is destroyed, and the exchanges."""
    destroyed = np.zeros(shooters.size, np.bool_)
    cannon, coaxial = shooters & facts.CANNON == 0, shooters & facts.COAXIAL == 0
    totals = to_hit_totals(rng, shooters & facts.PERISCOPE == 0)
    hits = (cannon & (totals >= facts.CANNON_NEEDS)) + 2 * (coaxial & (totals >= facts.COAXIAL_NEEDS))
    hit = np.flatnonzero(hits)
    damage, shock, penetration = STRIKES[hits[hit], rng.integers(0, 2, hit.size)].T
    worn = np.minimum(damage, armor[hit])
    armor[hit] -= worn
    points = (
        damage
        - worn
        + np.maximum(shock - facts.SHOCK_THRESHOLD, 0)
        + np.maximum(penetration - facts.PENETRATION_FACTOR, 0)
    )
    destroyed[hit[points >= facts.DEAD_FROM]] = True
    hurt = (points > 0) & (points < facts.DEAD_FROM)
    inside = hit[hurt]
    crossed[inside], destroyed[inside] = cross_off(rng, crossed[inside], LINE_COUNTS[points[hurt]])
    return destroyed, int((cannon | coaxial).sum())


def play(fights: int, seed: int) -> tuple[list[int], int]:
    """Return outcomes (a wins, b wins, both destroyed, neither) and the number of exchanges."""
    rng, outcomes, exchanges = np.random.default_rng(seed), [0, 0, 0, 0], 0
    armor_a, armor_b = np.full(fights, facts.ARMOR, np.int32), np.full(fights, facts.ARMOR, np.int32)
    crossed_a, crossed_b = np.zeros(fights, np.int32), np.zeros(fights, np.int32)
    for _ in range(facts.TURNS):
        before_b = crossed_b.copy()
        lost_b, fired_a = fire(rng, crossed_a, armor_b, crossed_b)
        lost_a, fired_b = fire(rng, before_b, armor_a, crossed_a)
        exchanges += fired_a + fired_b
        for place, ended in enumerate((lost_b & ~lost_a, lost_a & ~lost_b, lost_a & lost_b)):
            outcomes[place] += int(ended.sum())
        going = ~(lost_a | lost_b)
        armor_a, armor_b, crossed_a, crossed_b = (
            array[going] for array in (armor_a, armor_b, crossed_a, crossed_b)
        )
    outcomes[3] = armor_a.size
    return outcomes, exchanges
