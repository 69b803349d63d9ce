"""One shot from the roll to its effects: the stages in the order of the rules (TD-10)."""

import numpy as np

from simlab.dice.draws import draw_face
from simlab.dice.slots import START
from simlab.jit import kernel
from simlab.rules.tank_d20.kernel.crew import fallen, man_lost, resolve_fate, seats_of
from simlab.rules.tank_d20.kernel.layout import (
    ALSO_SHIFT,
    BLAST,
    BROKEN,
    BROKEN_SHIFT,
    BURN,
    CASUALTIES,
    CATASTROPHIC,
    CODE_MASK,
    CODE_SHIFT,
    CREW_SHIFT,
    EFFECT_MASK,
    EFFECTS,
    FALLING,
    HIT,
    IMMOBILE,
    JAM,
    LEADER_MASK,
    LEADER_PLACE,
    LEADER_SHIFT,
    LEADING,
    MEN_MASK,
    MORALE,
    MOVING,
    NOTE_EFFECT,
    NOTE_HIT,
    NOTE_JAM,
    NOTE_PLACE,
    NOTE_THROUGH,
    NUMBER,
    OVER_MASK,
    OVER_SHIFT,
    PAIRS,
    PASSING_SHIFT,
    ROW,
    ROW_HITS,
    ROW_PLACES,
    SKIN_CHECK,
    SKIN_FATAL,
    SKIN_MASK,
    SKIN_STUN_SHIFT,
    SKIN_TRACK,
    STUN_SHIFT,
    THROUGH_MASK,
    TYPES,
)

U64 = np.uint64
PLACE_SLOT = START + 1
FACES = 20


@kernel
def aim(program, shooter, target, situation):
    """Return the place of the rows of a shooter against a target in a situation."""
    types = program[U64(TYPES)]
    pair = (situation * types + program[shooter + U64(NUMBER)]) * types + program[target + U64(NUMBER)]
    return program[U64(PAIRS)] + pair * U64(2 * ROW)


@kernel
def gunner_row(program, aimed, gunner, target_ability):
    """Return the place of the row against a target that stands or moves (TD-4)."""
    return aimed + U64(ROW) if target_ability & MOVING else aimed


@kernel
def roll(program, shooter, gunner, ability, row, source):
    """Return a jam, a hit with the shift of its location, or 0 for a miss (TD-1 to TD-3)."""
    face = draw_face(source, START, FACES)
    if face == U64(FACES - 1):
        return JAM
    place = row + U64(ROW_HITS) + ((ability >> U64(CODE_SHIFT)) & CODE_MASK)
    if ability & MOVING:
        place += U64(16)
    if face >= program[place]:
        return U64(0)
    if ability & LEADING:
        return HIT | (program[shooter + U64(LEADER_PLACE)] << U64(LEADER_SHIFT))
    return HIT


@kernel
def hurt(program, target, row, body, struck, source):
    """Return body and note, and of a hit what `wreck` has to know: the row and the shift of the location."""
    if struck == JAM:
        return body, NOTE_JAM, U64(0)
    return body, NOTE_HIT, (row << U64(PASSING_SHIFT)) | struck


@kernel
def skin_deep(program, target, body, place, source, slot):
    """Return the body after a round that did not go through (TD-7)."""
    if place & SKIN_TRACK:
        body |= IMMOBILE
    man = (place >> U64(SKIN_STUN_SHIFT)) & SKIN_MASK
    if man == U64(0) or man_lost(body, man - U64(1)):
        return body
    fatal = place & SKIN_FATAL != U64(0)
    if place & SKIN_CHECK:
        fatal = draw_face(source, slot, FACES) >= program[target + U64(MORALE)]
    if fatal:
        return body | (U64(1) << (man - U64(1)))
    return body | (seats_of(program, target, body, man - U64(1)) << U64(STUN_SHIFT))


@kernel
def deep(program, body, effect, table):
    """Return the body after what went through did to men, gun and drive (TD-8). table: who of those behind falls."""
    row = (table * U64(8) + (effect & CASUALTIES)) * U64(32) + (body & MEN_MASK)
    return body | program[program[U64(FALLING)] + row] | ((effect & BROKEN) << U64(BROKEN_SHIFT))


@kernel
def wreck(program, target, target_ability, body, note, more, source):
    """Return body and note after location, penetration and effects (TD-5 to TD-8)."""
    if fallen(program, target, body):
        return body, note
    shift = (more >> U64(LEADER_SHIFT)) & LEADER_MASK
    face = draw_face(source, PLACE_SLOT, FACES)
    face -= min(face, shift)
    place = program[(more >> U64(PASSING_SHIFT)) + U64(ROW_PLACES) + face]
    note |= (face + U64(1)) << U64(NOTE_PLACE)
    slot = PLACE_SLOT + 1
    going = place & THROUGH_MASK
    through = going == U64(FACES)
    if going != U64(0) and not through:
        through = draw_face(source, slot, FACES) < going
        slot += 1
    cause = U64(0)
    if through:
        rolled = draw_face(source, slot, FACES) + ((place >> U64(OVER_SHIFT)) & OVER_MASK)
        effect = program[U64(EFFECTS) + rolled]
        also = (place >> U64(ALSO_SHIFT)) & EFFECT_MASK
        effect = ((effect | also) & ~CASUALTIES) | min(
            (effect & CASUALTIES) + (also & CASUALTIES), CASUALTIES
        )
        note |= NOTE_THROUGH | ((rolled + U64(1)) << U64(NOTE_EFFECT))
        body = deep(program, body, effect, place >> U64(CREW_SHIFT))
        if effect & (BURN | BLAST):
            cause = CATASTROPHIC
    else:
        body = skin_deep(program, target, body, place, source, slot)
    return resolve_fate(program, target, body, cause), note
