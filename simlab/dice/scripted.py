"""Dice that are given: the source of tables and of told fights.

A script is an int64 array of shape (2, SLOTS): row 0 holds the face of each slot's die, row 1 receives which die was
asked for there (0 = none): the number of faces of a plain die, EXPLODING + limit for exploding 2d6, CHANCE with the
number of favourable faces and of all faces for a chance (face 0 is yes, face 1 is no).
A face of the exploding die counts: face 10 k + j, j below 10, is k twelves and then 2 + j; face 10 K, K the number of
twelves that reach the limit, is "the limit or more".
"""

import numpy as np

from simlab.dice.slots import START
from simlab.jit import kernel

U64 = np.uint64
EXPLODING = 1 << 20
CHANCE = 1 << 60
CHANCE_SHIFT = 30
CHANCE_MASK = (1 << CHANCE_SHIFT) - 1


@kernel
def draw_face(source, slot, faces):
    """Return the given face of the die in a slot and note that it was asked for; a die of one face is none."""
    if faces == 1:
        return U64(0)
    source[1, slot] = faces
    return U64(source[0, slot])


@kernel
def draw_exploding(source, limit):
    """Return the given total of exploding 2d6 in slot 0 and note that it was asked for."""
    source[1, 0] = EXPLODING + limit
    face = source[0, 0]
    twelves = face // 10
    if 12 * twelves >= limit:
        return U64(12 * twelves)
    return U64(12 * twelves + 2 + face % 10)


@kernel
def draw_chance(source, slot, favourable, faces):
    """Return the given yes or no of a chance and note that it was asked for."""
    source[1, slot] = CHANCE + (favourable << CHANCE_SHIFT) + faces
    return source[0, slot] == 0


@kernel
def exchange_source(scripts, place, index):
    """Return the script of the exchange with this number in the fight; its address plays no part."""
    return scripts[index]


@kernel
def order_word(scripts, place):
    """Return the address itself: given dice come in the listed order."""
    return place


@kernel
def face_count(asked):
    """Return the number of faces of a die as noted in row 1 of a script."""
    if asked >= CHANCE:
        return 2
    if asked >= EXPLODING:
        limit = asked - EXPLODING
        return 10 * ((limit + 11) // 12) + 1
    return asked


@kernel
def face_weight(asked, face):
    """Return the probability of a face of a die as noted in row 1 of a script."""
    if asked >= CHANCE:
        chance = ((asked - CHANCE) >> CHANCE_SHIFT) / (asked & CHANCE_MASK)
        return chance if face == 0 else 1.0 - chance
    if asked < EXPLODING:
        return 1.0 / asked
    twelves = face // 10
    weight = 1.0
    for _ in range(twelves):
        weight /= 36.0
    if 12 * twelves >= asked - EXPLODING:
        return weight
    total = 2 + face % 10
    return weight * (6 - abs(total - 7)) / 36.0


@kernel
def highest_slot(script, known):
    """Return the highest slot whose die was asked for, START at least, `known` being that of the ways before, or -1.

    The dice of a stage from START on are asked for without a gap, so that later searches end at the first one.
    """
    if known < 0:
        known = script.shape[1] - 1
        while known > START and script[1, known] == 0:
            known -= 1
        return known
    while known + 1 < script.shape[1] and script[1, known + 1] != 0:
        known += 1
    return known


@kernel
def script_weight(script, highest):
    """Return the probability of the faces of a script: the product over the dice that were asked for."""
    weight = 1.0
    for slot in range(highest + 1):
        if script[1, slot] != 0:
            weight *= face_weight(script[1, slot], script[0, slot])
    return weight


@kernel
def next_faces(script, highest):
    """Turn the last die asked for one face on, wipe what was asked for, and tell whether there is such a face.

    Dice are asked for in the order of their slots, so that this runs through all ways they can fall.
    """
    found = False
    for slot in range(highest, -1, -1):
        asked = script[1, slot]
        script[1, slot] = 0
        if asked != 0 and not found:
            script[0, slot] += 1
            found = script[0, slot] < face_count(asked)
            if not found:
                script[0, slot] = 0
    return found
