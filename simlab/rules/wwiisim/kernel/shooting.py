"""One volley of a weapon: firing dice, scatter, hits (WS-1 to WS-5, WS-12, WS-15)."""

import numpy as np

from simlab.dice.draws import draw_face
from simlab.dice.slots import START
from simlab.jit import kernel, kernel_call
from simlab.rules.wwiisim.kernel.layout import (
    AT_LEAST,
    BLOCKED,
    COVERS,
    DESTROYED,
    DICE,
    DICE_MASK,
    DICE_SHIFT,
    DIE,
    HIT_MASK,
    HIT_SHIFT,
    JAM,
    JAM_LOST,
    JAMS,
    MARK,
    MINOR_MASK,
    MINOR_SHIFT,
    MISS_ONLY,
    MOST,
    NUMBER,
    PAIRS,
    ROW_BLOCKED,
    ROW_COVERED,
    ROW_MINOR,
    ROW_MORTAR,
    ROW_NEEDED,
    ROW_OWN_SMOKE,
    ROW_SIZE,
    SEEN,
    SHELL_PLACE,
    SHELLS,
    SHELLS_MOST,
    SMOKED,
    TEAM,
    TEMPLATE,
    TEMPLATE_MEN,
    TYPES,
)
from simlab.rules.wwiisim.kernel.tables import hit_men, hit_vehicle

U64 = np.uint64


@kernel
def hits(value, needed, at_least):
    """Tell whether a firing die hits: the firing skill or less, or that and more (WS-1)."""
    return value >= needed if at_least else value <= needed


@kernel
def jams(ones, twos):
    """Tell whether a burst jams the gun: two 1s or two 2s among its dice (WS-4)."""
    return ones >= 2 or twos >= 2


@kernel
def scattered(thrown, seen, shells, hit, miss_only):
    """Return inches of scatter: the dice, less 1 in sight of the spotter and 1 for every earlier shell (WS-12)."""
    less = 0 if hit and miss_only else seen + shells
    return thrown - less if thrown > less else 0


@kernel
def aim(program, shooter, target, scene):
    """Return the place of the rows of a shooter against a target in a scene."""
    types = program[U64(TYPES)]
    pair = (scene * types + program[shooter + U64(NUMBER)]) * types + program[target + U64(NUMBER)]
    return program[U64(PAIRS)] + pair * U64(MOST * 2 * ROW_SIZE)


@kernel
def gunner_row(program, aimed, gunner, target_ability):
    """Return the place of the row of a weapon, by whether smoke hides the target."""
    number = gunner * U64(2)
    if target_ability & SMOKED:
        number += U64(1)
    return aimed + number * U64(ROW_SIZE)


@kernel_call
def roll(program, shooter, gunner, ability, row, source):
    """Return hits, jam and the number of dice of a volley; 0 if it does nothing (WS-15, 1 to 3).

    A die falls only where its face matters.
    """
    if program[row + U64(ROW_BLOCKED)]:
        return BLOCKED
    needed = program[row + U64(ROW_OWN_SMOKE if ability & SMOKED else ROW_NEEDED)]
    at_least = program[U64(AT_LEAST)] != U64(0)
    die = program[U64(DIE)]
    if program[row + U64(ROW_MORTAR)]:
        return shell(program, shooter, gunner, ability, row, needed, source)
    may_jam = program[shooter + U64(JAMS) + gunner] != U64(0)
    never, always = (needed > die, needed <= U64(1)) if at_least else (needed == U64(0), needed >= die)
    wanted = np.int64(program[shooter + U64(DICE) + gunner])
    if not may_jam and (never or always):
        return (U64(wanted) << U64(HIT_SHIFT)) if always else U64(0)
    struck, ones, twos = 0, 0, 0
    for number in range(wanted):
        value = draw_face(source, START + number, die) + U64(1)
        struck += 1 if hits(value, needed, at_least) else 0
        ones += 1 if value == U64(1) else 0
        twos += 1 if value == U64(2) else 0
    found = U64(0)
    if may_jam and jams(ones, twos):
        found = JAM
        if program[U64(JAM_LOST)]:
            return found
    if struck:
        found |= (U64(struck) << U64(HIT_SHIFT)) | (U64(wanted) << U64(DICE_SHIFT))
    return found


@kernel_call
def shell(program, shooter, gunner, ability, row, needed, source):
    """Return whether the template of a mortar covers its target, as one hit (WS-12).

    The shell scatters by a d10 after a hit and by two after a miss; where the called distance is off, the direction
    decides, a die of 180 degrees off the line to the target.
    """
    at_least = program[U64(AT_LEAST)] != U64(0)
    slot = START
    hit = hits(draw_face(source, slot, program[U64(DIE)]) + U64(1), needed, at_least)
    slot += 1
    thrown = np.int64(draw_face(source, slot, 10)) + 1
    slot += 1
    if not hit:
        thrown += np.int64(draw_face(source, slot, 10)) + 1
        slot += 1
    shells = U64(0)
    if program[shooter + U64(SHELLS_MOST) + gunner]:
        shells = (ability >> program[shooter + U64(SHELL_PLACE) + gunner]) & SHELLS
    seen, only = np.int64(program[U64(SEEN)]), program[U64(MISS_ONLY)] != U64(0)
    inches = scattered(thrown, seen, np.int64(shells), hit, only)
    degrees = program[row + U64(ROW_COVERED) + U64(inches)]
    if degrees == U64(0):
        return U64(0)
    if degrees < U64(COVERS):
        if draw_face(source, slot, COVERS) >= degrees:
            return U64(0)
        slot += 1
    return (U64(1) << U64(HIT_SHIFT)) | TEMPLATE | (U64(slot - START) << U64(DICE_SHIFT))


@kernel
def hurt(program, target, row, body, struck, source):
    """Return the body as it is, a note, and hits with the faces that do little (WS-7); 0 if nothing was hit."""
    more = struck & ~MARK
    if more:
        more |= program[row + U64(ROW_MINOR)] << U64(MINOR_SHIFT)
    return body, struck | more, more


@kernel_call
def wreck(program, target, target_ability, body, note, more, source):
    """Return body and note after all hits of a volley, one after the other (WS-15, 4 to 7)."""
    slot = START + np.int64((more >> U64(DICE_SHIFT)) & DICE_MASK)
    minor = (more >> U64(MINOR_SHIFT)) & MINOR_MASK
    number = (more >> U64(HIT_SHIFT)) & HIT_MASK
    if program[target + U64(TEAM)]:
        if more & TEMPLATE:
            number = program[U64(TEMPLATE_MEN)]
        return hit_men(program, target, body, number, minor, slot, source), note
    for _ in range(np.int64(number)):
        if not body & DESTROYED:
            body, slot = hit_vehicle(program, target, body, minor, slot, source)
    return body, note
