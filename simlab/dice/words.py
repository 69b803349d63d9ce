"""Addressed random words: every die has an address and consumes nothing in order.

word = mix(seed, key, replicate, turn, phase, side, unit, gunner): finalizers of SplitMix64 down to the replicate, one
step of wyrand from there; the dice of one exchange are cut out of its word,
re-rolls and contests out of words derived from it.
"""

import numpy as np

from simlab.jit import kernel

U64 = np.uint64
# Odd constants of the Weyl sequences: 2**64 / golden ratio, and two more odd words of good mixing.
STEP_REPLICATE = U64(0x9E3779B97F4A7C15)
STEP_EXCHANGE = U64(0xD1342543DE82EF95)
STEP_DERIVED = U64(0xF1357AEA2E62A9C5)
FOLD_EXCHANGE = U64(0xA0761D6478BD642F)
FOLD_DERIVED = U64(0xE7037ED1A0B428DB)
MIX_1 = U64(0xBF58476D1CE4E5B9)
MIX_2 = U64(0x94D049BB133111EB)

PHASE_BITS, SIDE_BITS, UNIT_BITS, GUNNER_BITS = 4, 1, 16, 8


@kernel
def mix(word: U64) -> U64:
    """Return the word scrambled (the finalizer of SplitMix64; a bijection of 64 bits)."""
    word = (word ^ (word >> U64(30))) * MIX_1
    word = (word ^ (word >> U64(27))) * MIX_2
    return word ^ (word >> U64(31))


def fold(first: U64, second: U64) -> U64:
    """Return both halves of the 128-bit product of two words, combined by exclusive or.

    A loop is bound to the processor's own multiplication instead (`simlab.jit`).
    """
    product = int(first) * int(second)
    return U64((product ^ (product >> 64)) & 0xFFFFFFFFFFFFFFFF)


@kernel
def fight_word(seed: U64, key: U64) -> U64:
    """Return the word of a fight: its seed and its key."""
    return mix(mix(seed + STEP_REPLICATE) ^ key)


@kernel
def replicate_word(fight: U64, replicate: U64) -> U64:
    """Return the word of one replicate of a fight."""
    return mix(fight + replicate * STEP_REPLICATE)


@kernel
def address(turn: U64, phase: U64, side: U64, unit: U64, gunner: U64) -> U64:
    """Return the place of an exchange in its replicate, as a number that is different for each.

    turn from 1, phase 0..15, side 0 or 1, unit 0..65535 within its side, gunner 0..255.
    """
    place = (turn << U64(4)) | phase
    place = (place << U64(1)) | side
    place = (place << U64(16)) | unit
    return (place << U64(8)) | gunner


@kernel
def exchange_word(replicate: U64, place: U64) -> U64:
    """Return the word of the exchange at an address."""
    at = replicate + place * STEP_EXCHANGE
    # Places of neighbouring turns differ in high bits only, which a product passes on to few others.
    at ^= at >> U64(32)
    return fold(at, at ^ FOLD_EXCHANGE)


@kernel
def derived_word(word: U64, slot: U64) -> U64:
    """Return the word derived from an exchange's word for a further die."""
    at = word + slot * STEP_DERIVED
    return fold(at, at ^ FOLD_DERIVED)
