"""The sampler's dice, written down as they fall: the source of told fights.

A record is a uint64 array of shape (exchanges, RECORD). Column WORD holds the exchange's word (before a fight, that
of row 0 holds the replicate's word); column FACES + s the face of the die in slot s, + 1, or 0 if it was not thrown;
columns from ROLLS on the two d6 of each roll as 6 first + second, + 1.
"""

import numpy as np

from simlab.dice.cut import cut_again, cut_face, cut_pair
from simlab.dice.slots import ORDER, SLOTS
from simlab.dice.words import derived_word, exchange_word
from simlab.jit import kernel

U64 = np.uint64
WORD, REPLICATE, FACES = 0, 1, 2
ROLLS = FACES + SLOTS
RECORD = ROLLS + 24


@kernel
def draw_face(source, slot, faces):
    """Return a face 0..faces-1 of the die in a slot and write it down; a die of one face is none."""
    if faces == 1:
        return U64(0)
    face = cut_face(source[WORD], slot, faces)
    source[FACES + slot] = face + U64(1)
    return face


@kernel
def draw_exploding(source, limit):
    """Return the total of 2d6 in slot 0, twelves rolled again until it reaches `limit`, and write the rolls down."""
    first, second = cut_pair(source[WORD])
    total = first + second + U64(2)
    source[ROLLS] = first * U64(6) + second + U64(1)
    roll, rolls = total, 0
    while roll == U64(12) and total < U64(limit):
        first, second = cut_again(source[WORD], rolls)
        roll = first + second + U64(2)
        total += roll
        rolls += 1
        source[ROLLS + rolls] = first * U64(6) + second + U64(1)
    return min(total, U64(limit))


@kernel
def draw_chance(source, slot, favourable, faces):
    """Return whether the die in a slot shows one of its first `favourable` faces, and write its face down."""
    face = cut_face(source[WORD], slot, faces)
    source[FACES + slot] = face + U64(1)
    return face < U64(favourable)


@kernel
def exchange_source(records, place, index):
    """Return the record of the exchange with this number in the fight, its word filled in."""
    record = records[index]
    record[WORD] = exchange_word(records[0, REPLICATE], place)
    return record


@kernel
def order_word(records, place):
    """Return a word that decides when the exchange at an address takes place: the lowest comes first."""
    return derived_word(exchange_word(records[0, REPLICATE], place), U64(ORDER))
