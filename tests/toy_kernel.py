"""The toy rules as kernel functions: one gunner, one die, so many hit points.

A type's block in the program: hit points, faces of the die, number to roll, rounds (0: without end), in range, shows
its rear. The body is the hit points left, the memory the rounds left, the capability whether the unit can fire.
"""
# mypy: ignore-errors

import numpy as np

from simlab.dice.draws import draw_face
from simlab.dice.slots import START
from simlab.jit import kernel

U64 = np.uint64
HIT_POINTS, FACES, NEEDS, ROUNDS, IN_RANGE, REAR, TYPE_SIZE = range(7)


@kernel
def fresh(program, type_):
    return program[type_ + U64(HIT_POINTS)], program[type_ + U64(ROUNDS)]


@kernel
def gunners(program, type_):
    return 1


@kernel
def capability(program, type_, scene, phase, body, memory):
    loaded = program[type_ + U64(ROUNDS)] == U64(0) or memory > U64(0)
    return program[type_ + U64(IN_RANGE)] if loaded else U64(0)


@kernel
def ready(program, type_, gunner, ability):
    return ability != U64(0)


@kernel
def aim(program, shooter, target, scene):
    """Return the least roll that hits: one less against a rear."""
    return program[shooter + U64(NEEDS)] - program[target + U64(REAR)]


@kernel
def gunner_row(program, aimed, gunner, target_ability):
    return aimed


@kernel
def roll(program, shooter, gunner, ability, row, source):
    """Return 1 if the die shows enough, else 0."""
    return U64(draw_face(source, START, program[shooter + U64(FACES)]) + U64(1) >= row)


@kernel
def hurt(program, target, row, body, hits, source):
    """Return body, note and, as every hit takes a point off, 1 for more to come."""
    return body, hits, U64(1)


@kernel
def wreck(program, target, target_ability, body, note, more, source):
    """Return the body with one hit point less, and the note."""
    return (body - U64(1) if body else body), note


@kernel
def spend(program, type_, gunner, ability, memory, mark):
    return memory - U64(1) if program[type_ + U64(ROUNDS)] else memory


@kernel
def flags(program, type_, body):
    """Return bit 0, destroyed, and bit 1, scratched."""
    return U64(body == U64(0)) | U64(2) * U64(body < program[type_ + U64(HIT_POINTS)])


@kernel
def fallen(program, type_, body):
    return body == U64(0)


@kernel
def remembers(program, type_):
    return program[type_ + U64(ROUNDS)] != U64(0)
