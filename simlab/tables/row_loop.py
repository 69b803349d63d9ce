"""The loops that throw the dice of one stage at a time. They know no rule: stages are bound by name.

A body is shell and core (see `simlab.rules.contract`): `hurt` turns shells, `wreck` turns cores, and what passes from
one to the other is a single number, `more`. So the rows of a unit are kept by stage, and each is small.
"""
# mypy: ignore-errors

import numpy as np

from simlab.dice.scripted import highest_slot, next_faces, script_weight
from simlab.jit import kernel

U64 = np.uint64

CORES, ENTRIES = 0, 1
"""counters: cores known so far, the fates before them included; entries of rows used so far."""


def expand_roll(program, shooter, gunner, ability, row, script, struck, weights):
    """Fill the arrays with what a gunner's roll can strike, 0 a miss, each once; return how much there is.

    script: zeros of shape (2, SLOTS). What finds no room is left out, but counted.
    """
    found, highest = 0, -1
    while True:
        word = roll(memory(program), shooter, gunner, ability, row, script)
        highest = highest_slot(script, highest)
        same = min(found, struck.shape[0]) - 1
        while same >= 0 and struck[same] != word:
            same -= 1
        if same < 0:
            same = found
            found += 1
            if same < struck.shape[0]:
                struck[same], weights[same] = word, 0.0
        if same < struck.shape[0]:
            weights[same] += script_weight(script, highest)
        if not next_faces(script, highest):
            return found


def expand_hurt(program, target, row, shell, struck, script, shells, mores, weights):
    """Fill the arrays with what can become of a shell that is struck: shells, what is more to come, weights.

    Each pair stands once. Returns how many there are; what finds no room is left out, but counted.
    """
    found, highest = 0, -1
    while True:
        after, _, more = hurt(memory(program), target, row, shell, struck, script)
        highest = highest_slot(script, highest)
        same = min(found, shells.shape[0]) - 1
        while same >= 0 and (shells[same] != after or mores[same] != more):
            same -= 1
        if same < 0:
            same = found
            found += 1
            if same < shells.shape[0]:
                shells[same], mores[same], weights[same] = after, more, 0.0
        if same < shells.shape[0]:
            weights[same] += script_weight(script, highest)
        if not next_faces(script, highest):
            return found


@kernel
def find_core(word, keys, places):
    """Return the place of a word in an open hash table, or of the free entry where it belongs."""
    mask = U64(keys.shape[0] - 1)
    at = (word * U64(0x9E3779B97F4A7C15)) >> U64(20)
    at &= mask
    while places[at] >= 0 and keys[at] != word:
        at = (at + U64(1)) & mask
    return at


@kernel
def enter_core(program, target, word, cores, fates, keys, places, counters):
    """Return the number of a core, a new one if it is not known; of a fallen unit, its flags."""
    fate = flags(program, target, word)
    if fate & U64(1):
        return np.int64(fate)
    at = find_core(word, keys, places)
    if places[at] < 0:
        number = counters[CORES]
        keys[at], places[at] = word, number
        cores[number], fates[number] = word, fate
        counters[CORES] += 1
    return np.int64(places[at])


def enter_fresh(program, target, word, cores, fates, keys, places, counters):
    """Enter one core; return its number."""
    return enter_core(memory(program), target, word, cores, fates, keys, places, counters)


def enter_again(cores, counters, first, keys, places):
    """Fill a new hash table with all cores from number `first` on."""
    for number in range(first, counters[CORES]):
        at = find_core(cores[number], keys, places)
        keys[at], places[at] = cores[number], number


def take_abilities(program, type_, scene, phase, cores, memory_, begin, end, abilities, memories):
    """Fill in what a unit with each core from `begin` to `end` can do, and what it has to remember."""
    rules = memory(program)
    for number in range(begin, end):
        memories[number] = recall(rules, type_, cores[number], memory_)
        abilities[number] = capability(rules, type_, scene, phase, cores[number], memories[number])


def rest_cores(program, type_, memory_, wanted, cores, fates, keys, places, counters, rested, memories):
    """Fill in, for the cores whose numbers are wanted, the core and the memory after the end of a turn."""
    rules = memory(program)
    for index in range(wanted.shape[0]):
        after, memories[index] = rest(rules, type_, cores[wanted[index]], memory_)
        rested[index] = enter_core(rules, type_, core(after), cores, fates, keys, places, counters)


def expand_wreck(
    program, target, ability, more, wanted, begin, cores, fates, keys, places, starts, lengths, ends, weights,
    counters, script, words, chances,
):  # fmt: skip
    """Make the rows of cores for one number `more`: which cores follow, and how likely.

    wanted: numbers of cores, from index `begin` on. starts, lengths: where the row of a core is found in ends (numbers
    of cores; below those, flags of the fallen) and weights. script, words, chances: room to work in. Returns the index
    of the first that found no room any more.
    """
    rules = memory(program)
    room = words.shape[0]
    for index in range(begin, wanted.shape[0]):
        full = counters[CORES] + room > cores.shape[0] or counters[ENTRIES] + room > ends.shape[0]
        if full or 2 * (counters[CORES] + room) > keys.shape[0]:
            return index
        if starts[wanted[index]] >= 0:
            continue
        core_ = cores[wanted[index]]
        found, highest = 0, -1
        while True:
            after, _ = wreck(rules, target, ability, core_, U64(0), more, script)
            after = core(after)
            highest = highest_slot(script, highest)
            chance = script_weight(script, highest)
            same = found - 1
            while same >= 0 and words[same] != after:
                same -= 1
            if same < 0:
                words[found], chances[found] = after, 0.0
                same = found
                found += 1
            chances[same] += chance
            if not next_faces(script, highest) or found == room:
                break
        start = counters[ENTRIES]
        length = 0
        for word in range(found):
            number = enter_core(rules, target, words[word], cores, fates, keys, places, counters)
            same = length - 1
            while same >= 0 and ends[start + same] != number:
                same -= 1
            if same < 0:
                ends[start + length], weights[start + length] = number, 0.0
                same = length
                length += 1
            weights[start + same] += chances[word]
        starts[wanted[index]], lengths[wanted[index]] = start, length
        counters[ENTRIES] += length
    return wanted.shape[0]
