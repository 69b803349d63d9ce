"""To hit: the number to reach, and which weapons of a volley reach it."""

import numpy as np

from simlab.dice.draws import draw_exploding, draw_face
from simlab.jit import kernel
from simlab.rules.blitzkrieg.kernel.layout import ONE_DIE

U64 = np.uint64


@kernel
def range_bonus(distance, step):
    """Return 1 for every full `step` inches of distance, exactly a step being one (BK-12)."""
    return int(distance // step)


@kernel
def to_hit_number(defence, bonus, skill):
    """Return the to-hit number of a weapon: defence value, + range, - skill; no floor, no ceiling (BK-12, BK-67)."""
    return defence + bonus - skill


@kernel
def halved(defence, times, down):
    """Return a defence value halved so many times, rounded up, or `down` (BK-60, BK-61, BK-67).

    Rounding after each halving or at the end is the same.
    """
    return defence >> times if down else -(-defence >> times)


@kernel
def reaches(total, number):
    """Tell whether a total hits (BK-11)."""
    return total >= number


@kernel
def draw_total(source, ability, limit):
    """Return the total of a gunner's roll, at most `limit`: exploding 2d6, or one plain d6 (BK-11, BK-27)."""
    if ability & ONE_DIE:
        return draw_face(source, 0, 6) + U64(1)
    return draw_exploding(source, limit)
