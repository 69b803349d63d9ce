"""What kernel functions come to in most systems: no shell, no mark, nothing that wears off, and the stages in a row.

A system that lists this module first among its kernels writes only those that are otherwise with it. `gunner_row`,
`roll`, `hurt` and `wreck` are the system's, bound by name.
"""
# mypy: ignore-errors

import numpy as np

from simlab.jit import kernel

U64 = np.uint64


@kernel
def volley(program, shooter, gunner, ability, target, target_ability, aimed, body, source):
    """Return the target's body after one volley of a gunner, and a note of what was found on the way.

    `ability` and `target_ability` are taken at the start of the phase; `aimed` comes from `aim`; `source` gives the
    dice.
    """
    row = gunner_row(program, aimed, gunner, target_ability)
    struck = roll(program, shooter, gunner, ability, row, source)
    if struck == U64(0):
        return body, U64(0)
    body, note, more = hurt(program, target, row, body, struck, source)
    if more == U64(0):
        return body, note
    return wreck(program, target, target_ability, body, note, more, source)


@kernel
def exposure(program, type_, ability):
    """Return what of a unit's ability matters to those who fire at it: nothing."""
    return U64(0)


@kernel
def core(body):
    """Return the part of a body on which capability and flags depend: all of it."""
    return body


@kernel
def weakened(before, after):
    """Tell whether a body has changed in what capability and flags depend on."""
    return before != after


@kernel
def mark(struck):
    """Return what of his roll a shooter remembers: nothing."""
    return U64(0)


@kernel
def settle(program, type_, memory, fired):
    """Return a memory at the end of a phase: as it is."""
    return memory


@kernel
def retarget(program, type_, gunner, ability, memory):
    """Return capability and memory of a gunner who turns to another target: as they are."""
    return ability, memory


@kernel
def recall(program, type_, body, memory):
    """Return a memory without what no longer matters to a body: all of it."""
    return memory


@kernel
def learns(program, type_):
    """Tell whether a type may come to hit by what it remembers: no."""
    return False


@kernel
def rest(program, type_, body, memory):
    """Return body and memory at the end of a turn: as they are."""
    return body, memory


@kernel
def acts(program, type_, phase, body, memory):
    """Tell whether a unit may fire in a phase, or has something to `settle` at its end: always, as far as is known."""
    return True
