"""Every die of a volley thrown to learn one chance: that it destroys its target.

Knows no rule: the stages are the system's, bound by name. It goes stage by stage, and what the last stage comes to is
remembered by what it depends on, so that a target that has lost armour alone is quickly known anew.
"""
# mypy: ignore-errors

import numpy as np

from simlab.dice.scripted import highest_slot, next_faces, script_weight
from simlab.dice.slots import SLOTS
from simlab.jit import kernel, kernel_call

U64 = np.uint64

ROOM = 1024
"""Different things that the dice of one stage can come to."""
WORDS = 5
"""Words of a key in the table of chances; the first one is never 0."""
ENTRIES = 1 << 16
"""Entries of the table; it is emptied when half of them are taken."""
WRECKS, VOLLEYS = U64(1 << 62), U64(1 << 63)
"""What sets the keys of both kinds of chances apart."""


@kernel
def find_chance(keys, first, second, third, fourth, fifth):
    """Return the entry of a key in the table of chances, or the free one where it belongs."""
    word = first * U64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> U64(29)) ^ second) * U64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> U64(32)) ^ third) * U64(0x94D049BB133111EB)
    word = (word ^ (word >> U64(31)) ^ fourth) * U64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> U64(30)) ^ fifth) * U64(0xD1342543DE82EF95)
    entry = (word >> U64(40)) & U64(ENTRIES - 1)
    while True:
        at = entry * U64(WORDS)
        if keys[at] == U64(0):
            return entry
        if (
            keys[at] == first
            and keys[at + U64(1)] == second
            and keys[at + U64(2)] == third
            and keys[at + U64(3)] == fourth
            and keys[at + U64(4)] == fifth
        ):
            return entry
        entry = (entry + U64(1)) & U64(ENTRIES - 1)


@kernel
def enter_chance(keys, chances, first, second, third, fourth, fifth, chance):
    """Write a chance into the table, an empty one if it is half full: it only remembers, and nothing depends on it."""
    taken = ENTRIES * WORDS
    if keys[taken] >= U64(ENTRIES // 2):
        for at in range(taken + 1):
            keys[at] = U64(0)
    entry = find_chance(keys, first, second, third, fourth, fifth)
    at = entry * U64(WORDS)
    keys[at], keys[at + U64(1)], keys[at + U64(2)] = first, second, third
    keys[at + U64(3)], keys[at + U64(4)] = fourth, fifth
    chances[entry] = chance
    keys[taken] += U64(1)


@kernel
def wreck_chance(program, target, exposed, more, body, script):
    """Return the chance that what passes through the shell destroys the target."""
    chance, highest = 0.0, -1
    while True:
        after, _ = wreck(program, target, exposed, body, U64(0), more, script)
        highest = highest_slot(script, highest)
        if fallen(program, target, after):
            chance += script_weight(script, highest)
        if not next_faces(script, highest):
            return chance


@kernel
def known_wreck(program, target, exposed, more, body, script, keys, chances):
    """Return the same, looked up where it is known."""
    first, bare = WRECKS | target, core(body)
    entry = find_chance(keys, first, exposed, more, bare, U64(0))
    if keys[entry * U64(WORDS)] != U64(0):
        return chances[entry]
    chance = wreck_chance(program, target, exposed, more, bare, script)
    enter_chance(keys, chances, first, exposed, more, bare, U64(0), chance)
    return chance


@kernel
def gather(word, weight, words, weights, found):
    """Add a weight to that of a word; return how many words there are."""
    place = 0
    while place < found and words[place] != word:
        place += 1
    if place == found:
        words[found], weights[found] = word, 0.0
        found += 1
    weights[place] += weight
    return found


@kernel_call
def volley_chance(program, shooter, gunner, ability, target, exposed, row, body, keys, chances):
    """Return the chance that a gunner's volley destroys a standing target.

    program, keys, chances: bare memory. exposed: what of the target's ability matters to those who fire at it; row:
    where the figures of the gunner against the target stand. keys: uint64 (ENTRIES * WORDS + 1,), how many are taken
    comes last; chances: float64 (ENTRIES,).
    """
    script = np.zeros((2, SLOTS), np.int64)
    words, weights = np.zeros((2, ROOM), np.uint64), np.zeros((2, ROOM))
    strikes, passing, highest = 0, 0, -1
    while True:
        struck = roll(program, shooter, gunner, ability, row, script)
        highest = highest_slot(script, highest)
        if struck != U64(0):
            strikes = gather(struck, script_weight(script, highest), words[0], weights[0], strikes)
        if not next_faces(script, highest):
            break
    for strike in range(strikes):
        highest = -1
        while True:
            _, _, more = hurt(program, target, row, body, words[0, strike], script)
            highest = highest_slot(script, highest)
            if more != U64(0):
                weight = weights[0, strike] * script_weight(script, highest)
                passing = gather(more, weight, words[1], weights[1], passing)
            if not next_faces(script, highest):
                break
    chance = 0.0
    for place in range(passing):
        falls = known_wreck(program, target, exposed, words[1, place], body, script, keys, chances)
        chance += weights[1, place] * falls
    return chance
