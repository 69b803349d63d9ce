"""From lines to losses: crossing off, items, bins, contests."""

import numpy as np

from simlab.jit import kernel
from simlab.rules.blitzkrieg.kernel.layout import (
    ALL_LINES,
    EMPTY_SHIFT,
    ENGINE_BITS,
    ENGINE_MASK,
    ENGINE_SHIFT,
    LINES,
    LOST_SHIFT,
    WEAPON_MASK,
)
from simlab.rules.blitzkrieg.program import (
    CHUNK,
    CHUNKS,
    ENGINE_COUNT,
    ENGINE_HITS,
    ENGINE_LINES,
    ENGINES,
    EVENTS,
    FEEDS,
    ITEM_LINES,
)

U64 = np.uint64


@kernel
def lowest_lines(lines, count):
    """Return the lowest `count` of a set of lines (fewer if there are fewer), and how many are wanting."""
    taken = U64(0)
    while count and lines:
        lowest = lines & (~lines + U64(1))
        taken |= lowest
        lines ^= lowest
        count -= U64(1)
    return taken, count


@kernel
def crossed_lines(crossed, start, count, wrap):
    """Return the lines a volley crosses off, as bits (line 1 is bit 0).

    `count` lines from line bit `start` upwards, lines crossed earlier skipped; what would pass the top is lost, or
    goes on at line 1 with `wrap` (BK-23).
    """
    window = ((U64(1) << count) - U64(1)) << start
    if not window & crossed and (not wrap or window <= ALL_LINES):
        return window & ALL_LINES
    above = (ALL_LINES << start) & ALL_LINES
    taken, wanting = lowest_lines(above & ~crossed, count)
    if wrap:
        more, _ = lowest_lines(ALL_LINES & ~above & ~crossed, wanting)
        taken |= more
    return taken


@kernel
def walked_lines(taken, start, count, wrap):
    """Return the lines that were passed in crossing `taken` off: from the start to the last one taken.

    Where fewer lines were open than `count`, all up to the top, or all with `wrap` (BK-24 `engine_hits`).
    """
    above = (ALL_LINES << start) & ALL_LINES
    below = ALL_LINES & ~above
    short = count_lines(taken) < count
    if taken & below:
        return ALL_LINES if short else above | up_to_highest(taken & below)
    if short:
        return ALL_LINES if wrap else above
    return above & up_to_highest(taken)


@kernel
def count_lines(lines):
    """Return the number of lines in a set."""
    count = U64(0)
    while lines:
        lines &= lines - U64(1)
        count += U64(1)
    return count


@kernel
def up_to_highest(lines):
    """Return all lines up to the highest of a set."""
    for shift in (1, 2, 4, 8, 16):
        lines |= lines >> U64(shift)
    return lines


@kernel
def engine_volleys(program, type_, body, walked):
    """Return the body with one more volley counted against each engine whose lines were walked over (BK-24)."""
    for engine in range(program[type_ + U64(ENGINES)]):
        if walked & program[type_ + U64(ENGINE_LINES) + engine]:
            shift = U64(ENGINE_SHIFT) + U64(ENGINE_BITS) * U64(engine)
            if (body >> shift) & ENGINE_MASK < program[type_ + U64(ENGINE_HITS) + engine]:
                body += U64(1) << shift
    return body


@kernel
def line_events(program, type_, body):
    """Return what the crossed lines of a body mean: the union of the events of its lines (BK-24)."""
    events = U64(0)
    for chunk in range(CHUNKS):
        crossed = (body >> U64(CHUNK * chunk)) & U64((1 << CHUNK) - 1)
        events |= program[type_ + U64(EVENTS + (chunk << CHUNK)) + crossed]
    return events


@kernel
def lost_lines(program, type_, body):
    """Return all lines of the items that are destroyed (BK-23 `skip`); of an engine whose volleys are counted only once
    it is lost (BK-24)."""
    lines = U64(0)
    for chunk in range(CHUNKS):
        crossed = (body >> U64(CHUNK * chunk)) & U64((1 << CHUNK) - 1)
        lines |= program[type_ + U64(ITEM_LINES + (chunk << CHUNK)) + crossed]
    if program[type_ + U64(ENGINE_COUNT)]:
        for engine in range(program[type_ + U64(ENGINES)]):
            shift = U64(ENGINE_SHIFT) + U64(ENGINE_BITS) * U64(engine)
            if (body >> shift) & ENGINE_MASK >= program[type_ + U64(ENGINE_HITS) + U64(engine)]:
                lines |= program[type_ + U64(ENGINE_LINES) + U64(engine)]
    return lines


@kernel
def loaded_bins(program, type_, ability, before, struck):
    """Return those of the items struck that can explode: no bin whose weapon has no rounds (BK-26 `empty_bin`).

    `ability` names the weapons without rounds at the start of the phase, `before` those that lost them since.
    """
    empty = (ability >> U64(EMPTY_SHIFT)) | (before >> U64(LOST_SHIFT))
    for item in range(LINES):
        if program[type_ + U64(FEEDS) + U64(item)] & empty & WEAPON_MASK:
            struck &= ~(U64(1) << U64(item))
    return struck


@kernel
def attacker_wins(attacker, defender):
    """Tell whether a contest of two d20 lets the unit explode: the attacker strictly higher (BK-26)."""
    return attacker > defender
