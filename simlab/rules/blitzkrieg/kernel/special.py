"""Rolls that mean more than which weapons hit: snake-eyes, lucky shot, instant death, zeroing in, a die kept."""

import numpy as np

from simlab.jit import kernel, kernel_call
from simlab.rules.blitzkrieg.kernel.layout import (
    BONUS_SHIFT,
    CHOKES,
    DOUBLINGS,
    KILLS,
    ONE_DIE,
    STRUCK_INSTANT,
    TOTAL_CAP,
)
from simlab.rules.blitzkrieg.kernel.to_hit import draw_total
from simlab.rules.blitzkrieg.program import (
    LIMIT,
    LUCK_SHIFT,
    ROW_HITS,
    TWO_DICE,
    VERDICT_ONE,
    VERDICTS,
    ZEROED_MASK,
    ZEROED_SHIFT,
)

U64 = np.uint64


@kernel
def zeroing_bonus(program, type_, gunner, ability):
    """Return how much easier a gunner hits the target at which he has been firing turn after turn (BK-64)."""
    shift = U64(BONUS_SHIFT) + program[type_ + U64(ZEROED_SHIFT) + gunner]
    return (ability >> shift) & program[type_ + U64(ZEROED_MASK) + gunner]


@kernel
def gunner_dice(program, type_, gunner, ability):
    """Return a capability for one gunner: he may keep two dice where his unit has lost its sight (BK-27)."""
    if (program[type_ + U64(TWO_DICE)] >> gunner) & U64(1):
        return ability & ~ONE_DIE
    return ability


@kernel_call
def special_roll(program, shooter, gunner, ability, row, able, source):
    """Return what a roll strikes: weapons that hit and number of doublings, `STRUCK_INSTANT`, or 0 (BK-68, 2 to 5).

    `able`: the weapons that the gunner fires. The total tells the whole story of 2d6: it is 12 for every box-cars, and
    then the pair that ended the roll; what such a story comes to beside hits stands in a table (BK-53 to BK-55).
    """
    dice = gunner_dice(program, shooter, gunner, ability)
    total = draw_total(source, dice, program[U64(LIMIT)])
    place = program[U64(VERDICTS)] + total
    if dice & ONE_DIE:
        place += U64(VERDICT_ONE)
    verdict = program[place]
    if verdict & KILLS:
        return STRUCK_INSTANT
    reached = min(total + zeroing_bonus(program, shooter, gunner, ability), U64(TOTAL_CAP))
    hits = program[row + U64(ROW_HITS) + reached] & able
    if hits == U64(0) or verdict & CHOKES:
        return U64(0)
    return hits | ((verdict & DOUBLINGS) << program[U64(LUCK_SHIFT)])
