"""A box-car is a twelve and is not rolled again (BK-13)."""
# mypy: ignore-errors

import numpy as np

from simlab.dice.draws import draw_exploding, draw_face
from simlab.jit import kernel
from simlab.rules.blitzkrieg.kernel.layout import ONE_DIE

U64 = np.uint64


@kernel
def draw_total(source, ability, limit):
    """Like the sound one, but for totals above twelve."""
    if ability & ONE_DIE:
        return draw_face(source, 0, 6) + U64(1)
    return min(draw_exploding(source, limit), U64(12))
