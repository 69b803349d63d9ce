"""What a hit does: the roll against armour, the two tables, and who falls (WS-7 to WS-10)."""

import numpy as np

from simlab.dice.draws import draw_face
from simlab.jit import kernel, kernel_call
from simlab.rules.wwiisim.kernel.layout import (
    ABANDONED,
    BURNING,
    BURNS,
    CAN_STUN,
    CAN_ZERO,
    CREW_DEAD,
    CREW_LOST,
    DESTROYED,
    DISARMED,
    DISARMS,
    HALTS,
    IMMOBILE,
    LOSSES,
    NONE_HALTS,
    NOTHING,
    REROLL,
    SMOKE,
    SMOKE_SAME,
    SMOKE_SHIFT,
    SMOKE_TURNS,
    STANDS,
    STUNNED,
    STUNS,
    ZEROED,
    ZEROES,
)

U64 = np.uint64


@kernel
def penetrates(face, strength, armor):
    """Tell whether a d6 and the strength of a weapon together go through: greater than the armour (WS-7)."""
    return face + strength > armor


@kernel
def minor_result(face):
    """Return what a face 1 to 6 of the minor table does (WS-9)."""
    if face == 3:
        return ZEROES
    if face == 4:
        return STUNS
    if face == 5:
        return DISARMS
    if face == 6:
        return HALTS
    return NOTHING


@kernel
def serious_result(face):
    """Return what a face 1 to 6 of the serious table does (WS-10)."""
    if face == 1:
        return STUNS
    if face == 2:
        return DISARMS
    if face == 3:
        return HALTS
    if face == 4:
        return ABANDONED
    if face == 5:
        return CREW_LOST
    return BURNS


@kernel
def minor_smokes(face, smoke_face, same):
    """Tell whether a minor hit smokes: results 3 to 6 on 4 and more of a die of its own, or of their own (WS-8)."""
    return face >= 4 if same else face >= 3 and smoke_face >= 4


@kernel
def settled_result(result, bare, none_halts):
    """Return what a result comes to where no weapon is left: nothing, or an immobilisation (WS-9, WS-10)."""
    if result == DISARMS and bare:
        return HALTS if none_halts else NOTHING
    return result


@kernel
def second_face(number, bare, none_halts):
    """Return the face of the serious table that the die for a further immobilisation shows (WS-9).

    Faces that would immobilise once more are thrown again, so that the die has 5 numbers, from 1, or 4.
    """
    if bare and none_halts:
        return 1 if number == 1 else number + 2
    return number if number < 3 else number + 1


@kernel
def applied(program, target, body, result):
    """Return a vehicle's body after a result that takes effect."""
    if result == ZEROES and program[target + U64(CAN_ZERO)]:
        return body | ZEROED
    if result == STUNS and program[target + U64(CAN_STUN)]:
        return body | STUNNED
    if result == DISARMS:
        return body + U64(1)
    if result == HALTS:
        return body | IMMOBILE
    if result >= ABANDONED:
        fallen = DESTROYED | (body & IMMOBILE)
        if body & LOSSES == program[target + U64(STANDS)]:
            fallen |= DISARMED
        if result >= CREW_LOST:
            fallen |= CREW_DEAD
        return fallen | BURNING if result == BURNS else fallen
    return body


@kernel
def smoking(program, body):
    """Return a body with smoke around it, if it stands and smoke plays a part (WS-8)."""
    if body & DESTROYED:
        return body
    return (body & ~SMOKE) | (program[U64(SMOKE_TURNS)] << U64(SMOKE_SHIFT))


@kernel_call
def hit_vehicle(program, target, body, minor, slot, source):
    """Return a vehicle's body after one hit, and the slot of the next die (WS-7 to WS-10, WS-15).

    `minor`: faces of the d6 that do not penetrate; where all do the same, no die falls.
    """
    serious = minor == U64(0)
    if not serious and minor < U64(6):
        serious = draw_face(source, slot, 6) >= minor
        slot += 1
    face = np.int64(draw_face(source, slot, 6)) + 1
    slot += 1
    bare = body & LOSSES == program[target + U64(STANDS)]
    none_halts = program[U64(NONE_HALTS)] != U64(0)
    result = settled_result(serious_result(face) if serious else minor_result(face), bare, none_halts)
    smokes = serious
    if result == HALTS and body & IMMOBILE:
        if program[U64(REROLL)]:
            faces = 4 if bare and none_halts else 5
            number = np.int64(draw_face(source, slot, faces)) + 1
            slot += 1
            again = serious_result(second_face(number, bare, none_halts))
            result = settled_result(again, bare, none_halts)
            smokes = True
        else:
            result = NOTHING
    if program[U64(SMOKE_TURNS)]:
        if not smokes and face >= 3:
            same = program[U64(SMOKE_SAME)] != U64(0)
            own = 0
            if not same:
                own = np.int64(draw_face(source, slot, 6)) + 1
                slot += 1
            smokes = minor_smokes(face, own, same)
        if smokes:
            body = smoking(program, body)
    return applied(program, target, body, result), slot


@kernel_call
def hit_men(program, target, body, wounds, minor, slot, source):
    """Return a team's body after so many wound rolls; `minor` faces of the d6 do not wound (WS-12)."""
    for _ in range(np.int64(wounds)):
        if body & DESTROYED:
            return body
        falls = minor == U64(0)
        if not falls and minor < U64(6):
            falls = draw_face(source, slot, 6) >= minor
            slot += 1
        if falls:
            body += U64(1)
            if body & LOSSES == program[target + U64(STANDS)]:
                body = DESTROYED | CREW_DEAD
    return body
