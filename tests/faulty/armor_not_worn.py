"""Armour stops damage and is as good as new afterwards (BK-18)."""
# mypy: ignore-errors

import numpy as np

from simlab.dice.draws import draw_face
from simlab.dice.slots import LEVEL
from simlab.jit import kernel
from simlab.rules.blitzkrieg.kernel.damage import (
    armor_left,
    armor_points,
    internal_points,
    strike_damage,
    strike_penetration,
    strike_shock,
)
from simlab.rules.blitzkrieg.program import CHART, LEVELS, ROW_FACE, ROW_LEVELS, ROW_STRIKES

U64 = np.uint64


@kernel
def hurt(program, target, row, body, struck, source):
    """Like the sound one, but for the armour afterwards."""
    level = draw_face(source, LEVEL, program[U64(LEVELS)])
    strike = program[row + U64(ROW_STRIKES) + struck * U64(ROW_LEVELS) + level]
    worn = armor_points(strike_damage(strike), armor_left(body, program[row + U64(ROW_FACE)]))
    points = internal_points(strike_damage(strike) - worn, strike_shock(strike), strike_penetration(strike))
    return body, U64(0), program[target + U64(CHART) + points]
