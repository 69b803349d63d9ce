"""How a random word becomes dice. Biases are below 1e-7 of a face's chance."""

import numpy as np

from simlab.dice.slots import REROLL
from simlab.dice.words import derived_word
from simlab.jit import kernel

U64 = np.uint64
LOW = U64(0xFFFFFFFF)


@kernel
def cut_face(word, slot, faces):
    """Return a face 0..faces-1 of the die in a slot."""
    if slot == 0:
        return ((word >> U64(32)) * U64(faces)) >> U64(32)
    if slot == 1:
        rest = ((word >> U64(32)) * U64(36)) & LOW
        return (rest * U64(faces)) >> U64(32)
    if slot == 2:
        return ((word & LOW) * U64(faces)) >> U64(32)
    return ((derived_word(word, U64(slot)) >> U64(32)) * U64(faces)) >> U64(32)


@kernel
def cut_pair(word):
    """Return the faces, from 0, of two d6: the die of 36 faces in slot 0, read as two."""
    first = (word >> U64(32)) * U64(6)
    second = (first & LOW) * U64(6)
    return first >> U64(32), second >> U64(32)


@kernel
def cut_again(word, roll):
    """Return the faces, from 0, of the `roll`-th re-roll (from 0) of the two d6 in slot 0."""
    return cut_pair(derived_word(word, U64(REROLL) + U64(roll)))
