"""Dice cut out of an exchange's random word: the source of the sampler."""

import numpy as np

from simlab.dice.cut import cut_again, cut_face, cut_pair
from simlab.dice.slots import ORDER
from simlab.dice.words import derived_word, exchange_word
from simlab.jit import kernel

U64 = np.uint64


@kernel
def draw_face(source, slot, faces):
    """Return a face 0..faces-1 of the die in a slot."""
    return cut_face(source, slot, faces)


@kernel
def draw_exploding(source, limit):
    """Return the total of 2d6 in slot 0, twelves rolled again and added up to `limit` (12 or more)."""
    first, second = cut_pair(source)
    total = first + second + U64(2)
    if total == U64(12):
        roll, rolls = total, U64(0)
        while roll == U64(12) and total < U64(limit):
            first, second = cut_again(source, rolls)
            roll = first + second + U64(2)
            total += roll
            rolls += U64(1)
        total = min(total, U64(limit))
    return total


@kernel
def draw_chance(source, slot, favourable, faces):
    """Return whether the die in a slot shows one of its first `favourable` faces."""
    return cut_face(source, slot, faces) < U64(favourable)


@kernel
def exchange_source(replicate, place, index):
    """Return the source of dice of the exchange at an address: its word. Its number in the fight plays no part."""
    return exchange_word(replicate, place)


@kernel
def order_word(replicate, place):
    """Return a word that decides when the exchange at an address takes place: the lowest comes first."""
    return derived_word(exchange_word(replicate, place), U64(ORDER))
