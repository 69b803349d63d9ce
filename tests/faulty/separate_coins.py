"""A coin each for damage, shock and penetration of a volley, instead of one for all three (BK-17)."""
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
SPARE = 40
"""Slots that no rule uses."""


@kernel
def hurt(program, target, row, body, struck, source):
    """Like the sound one, but for the coins."""
    strikes = row + U64(ROW_STRIKES) + struck * U64(ROW_LEVELS)
    damage = strike_damage(program[strikes + draw_face(source, LEVEL, program[U64(LEVELS)])])
    shock = strike_shock(program[strikes + draw_face(source, SPARE, program[U64(LEVELS)])])
    penetration = strike_penetration(program[strikes + draw_face(source, SPARE + 1, program[U64(LEVELS)])])
    shift = program[row + U64(ROW_FACE)]
    worn = armor_points(damage, armor_left(body, shift))
    body -= worn << shift
    points = internal_points(damage - worn, shock, penetration)
    return body, U64(0), program[target + U64(CHART) + points]
