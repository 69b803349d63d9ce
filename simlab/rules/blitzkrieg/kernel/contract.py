"""The names that the loops call, said in Blitzkrieg's terms."""

import numpy as np

from simlab.jit import kernel
from simlab.rules.blitzkrieg.kernel.layout import ARMOR_FIELD, EMPTY_SHIFT, UNBUTTONED, WEAPON_MASK
from simlab.rules.blitzkrieg.kernel.loss import gunner_weapons
from simlab.rules.blitzkrieg.program import FRESH, FRESH_MEMORY, GUNNER_COUNT, REMEMBERS

U64 = np.uint64


@kernel
def fresh(program, type_):
    """Return body and memory of a unit at the start (BK-2, BK-16)."""
    return program[type_ + U64(FRESH)], program[type_ + U64(FRESH_MEMORY)]


@kernel
def gunners(program, type_):
    """Return the number of gunners of a type (BK-6)."""
    return program[type_ + U64(GUNNER_COUNT)]


@kernel
def ready(program, type_, gunner, ability):
    """Tell whether a gunner has a weapon that can fire (BK-11)."""
    return gunner_weapons(program, type_, gunner, ability) != U64(0)


@kernel
def core(body):
    """Return a body without its armour: all that lines, items and causes of loss have made of the unit."""
    return body & ~ARMOR_FIELD


@kernel
def exposure(program, type_, ability):
    """Return what of a unit's ability matters to those who fire at it: open hatches (BK-31), empty bins (BK-26)."""
    return ability & (UNBUTTONED | (WEAPON_MASK << U64(EMPTY_SHIFT)))


@kernel
def weakened(before, after):
    """Tell whether a body has changed in more than armour: only then can capability and figures be others."""
    return (before ^ after) & ~ARMOR_FIELD != U64(0)


@kernel
def remembers(program, type_):
    """Tell whether a type's memory can change: rounds can run out, or gunners zero in (BK-16, BK-64)."""
    return program[type_ + U64(REMEMBERS)] != U64(0)
