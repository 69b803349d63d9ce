"""What is left of a crew, and what becomes of a unit without it (TD-7 to TD-9)."""

import numpy as np

from simlab.jit import kernel
from simlab.rules.tank_d20.kernel.layout import (
    CREWS,
    DESTROYED,
    FATE_SHIFT,
    FIREPOWER,
    GUN_OUT,
    IMMOBILE,
    KNOCK,
    MEN_MASK,
    MOBILITY,
    SEAT_BITS,
    SEAT_SHIFT,
    STATE_MASK,
    STATE_SHIFT,
    STUNS,
)

U64 = np.uint64


@kernel
def man_lost(body, man):
    """Tell whether a man is lost."""
    return (body >> man) & U64(1) != U64(0)


@kernel
def crew_left(program, type_, body):
    """Return what the men who are left can do."""
    return program[type_ + U64(CREWS) + (body & MEN_MASK)]


@kernel
def seats_of(program, type_, body, man):
    """Return the seats in which a man is missed if he loses an action: at the gun, in command, loading (TD-7)."""
    return (crew_left(program, type_, body) >> (U64(SEAT_SHIFT) + U64(SEAT_BITS) * man)) & U64(7)


@kernel
def condition(program, type_, body):
    """Return the figures of a unit that has not been destroyed outright: immobile, cannot fire, too few men."""
    found = (crew_left(program, type_, body) >> U64(STATE_SHIFT)) & STATE_MASK
    if body & IMMOBILE != U64(0):
        found |= MOBILITY
    if body & GUN_OUT != U64(0):
        found |= FIREPOWER
    return found


@kernel
def resolve_fate(program, type_, body, cause):
    """Return the body of a unit after a hit: its figures alone if it is destroyed (TD-8, `knock_out`)."""
    figures = condition(program, type_, body) | cause
    if figures & program[U64(KNOCK)]:
        return (figures | DESTROYED) << U64(FATE_SHIFT)
    return body & ~STUNS if figures & FIREPOWER != U64(0) else body


@kernel
def flags(program, type_, body):
    """Return the figures of a unit, bit 0 destroyed."""
    fate = body >> U64(FATE_SHIFT)
    return fate if fate else condition(program, type_, body)


@kernel
def fallen(program, type_, body):
    """Tell whether a unit is destroyed."""
    return body >> U64(FATE_SHIFT) != U64(0)
