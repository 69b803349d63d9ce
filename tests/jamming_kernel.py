"""Toy rules with what the toy lacks: guns that jam, crews that are stunned, a turn of two phases.

One gunner and a d6: from `NEEDS` on it hits, which takes a point and stuns for the rest of the turn; a 1 jams the gun
until the end of a turn without a shot. A type's block: hit points, number to roll, phases in which it fires, as bits.
The body is the points left, and 8 more if stunned; the memory has bit 0 for a jam, bit 1 for a shot in this turn.
"""
# mypy: ignore-errors

import numpy as np

from simlab.dice.draws import draw_face
from simlab.dice.slots import START
from simlab.jit import kernel

U64 = np.uint64
HIT_POINTS, NEEDS, FIRES, TYPE_SIZE = range(4)
POINTS, STUNNED = U64(7), U64(8)
HIT, JAM = U64(1), U64(2)
JAMMED, SHOT = U64(1), U64(2)


@kernel
def fresh(program, type_):
    return program[type_ + U64(HIT_POINTS)], U64(0)


@kernel
def gunners(program, type_):
    return 1


@kernel
def capability(program, type_, scene, phase, body, memory):
    able = (program[type_ + U64(FIRES)] >> U64(phase)) & U64(1)
    return U64(0) if body & STUNNED or memory & JAMMED else able


@kernel
def ready(program, type_, gunner, ability):
    return ability != U64(0)


@kernel
def aim(program, shooter, target, scene):
    return program[shooter + U64(NEEDS)]


@kernel
def gunner_row(program, aimed, gunner, target_ability):
    return aimed


@kernel
def roll(program, shooter, gunner, ability, row, source):
    face = draw_face(source, START, 6)
    return HIT if face + U64(1) >= row else JAM if face == U64(0) else U64(0)


@kernel
def hurt(program, target, row, body, struck, source):
    return body, struck, struck & HIT


@kernel
def wreck(program, target, target_ability, body, note, more, source):
    left = (body & POINTS) - U64(1)
    return (left | STUNNED if left else U64(0)), note


@kernel
def mark(struck):
    return struck & JAM


@kernel
def spend(program, type_, gunner, ability, memory, mark_):
    return memory | SHOT | (JAMMED if mark_ else U64(0))


@kernel
def rest(program, type_, body, memory):
    return body & POINTS, (memory & JAMMED if memory & SHOT else U64(0))


@kernel
def flags(program, type_, body):
    return U64(body == U64(0)) | U64(2) * U64(body & POINTS < program[type_ + U64(HIT_POINTS)])


@kernel
def fallen(program, type_, body):
    return body == U64(0)


@kernel
def remembers(program, type_):
    return True
