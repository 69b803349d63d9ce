"""Loops that throw dice by the million and count them, so that the dice themselves can be judged."""

import numpy as np

from simlab.dice.words import address, replicate_word

U64 = np.uint64
DICE = ((0, 36), (0, 6), (1, 2), (1, 3), (2, 20), (3, 400), (4, 20))
"""Slot and faces of the dice that are counted: two d6 as one, d6, coin, d3, d20, a contest of two d20, one more d20."""
MOST_FACES = 400

# The sources of dice are bound by name.
# ruff: noqa: F821


def count_faces(begin, count, fight, dice, faces):
    """Throw the dice of one exchange in each of `count` replicates.

    dice: int64 (dice, 2), slot and faces of each. faces: int64 (dice, MOST_FACES), counts that are added to.
    """
    place = address(U64(3), U64(0), U64(1), U64(2), U64(1))
    for replicate in range(begin, begin + count):
        source = exchange_source(replicate_word(fight, U64(replicate)), place, 0)
        for die in range(dice.shape[0]):
            faces[die, draw_face(source, dice[die, 0], dice[die, 1])] += 1


def count_pairs(count, first, second, step, pairs):
    """Count two d6, as one die of 36 faces, together with those of a neighbour.

    first, second: words of the fights of both; step: 1 if the neighbour is the next replicate, else 0. Replicates are
    taken so that none is in two pairs. pairs: int64 (36, 36), counts that are added to.
    """
    place = address(U64(1), U64(0), U64(0), U64(0), U64(0))
    for number in range(count):
        replicate = U64(number) * U64(step + 1)
        here = exchange_source(replicate_word(first, replicate), place, 0)
        there = exchange_source(replicate_word(second, replicate + U64(step)), place, 0)
        pairs[draw_face(here, 0, 36), draw_face(there, 0, 36)] += 1
