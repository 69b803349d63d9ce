"""The loops that carry probability along rows. They know neither rules nor dice.

The innermost ones are not taken apart: handing an array to a function costs more than what is done with it there.

A factor is a list of cores (`rows`, their numbers), each with a shell (`worn`, its number), and their values, shape
(rows, rank). `slots` maps a core's and a shell's number to the place in a factor that is being made; it is -1
everywhere between calls.
"""
# mypy: ignore-errors

import numpy as np

from simlab.jit import kernel


def list_wanted(rows, worn, mass, begins, codes, chances, starts, threshold, wanted, counts):
    """List the cores whose rows are missing and would carry at least `threshold`.

    mass: (rows,). begins, codes, chances: what a volley does to shells, see `carry_values`. wanted: (codes, rows)
    receives numbers of cores, a few of them twice, counts (codes,) how many.
    """
    for index in range(rows.shape[0]):
        entry, last = begins[worn[index]], begins[worn[index] + 1]
        while entry < last:
            code, chance = codes[entry], 0.0
            while entry < last and codes[entry] == code:
                chance += chances[entry]
                entry += 1
            if code < 0 or starts[code, rows[index]] >= 0:
                continue
            if chance * abs(mass[index]) >= threshold:
                wanted[code, counts[code]] = rows[index]
                counts[code] += 1


@kernel
def keep_likely(out_rows, out_worn, out, held, other, threshold):
    """Close the gaps that unlikely states leave; return the number of those kept."""
    kept = 0
    for slot in range(held):
        mass = 0.0
        for column in range(out.shape[1]):
            mass += out[slot, column] * other[column]
        if abs(mass) < threshold:
            continue
        if kept < slot:
            out_rows[kept], out_worn[kept] = out_rows[slot], out_worn[slot]
            for column in range(out.shape[1]):
                out[kept, column] = out[slot, column]
        kept += 1
    return kept


def carry_values(
    rows, worn, values, begins, codes, sinks, chances, starts, lengths, ends, weights, slots, out_rows, out_worn,
    out, dead, other, threshold,
):  # fmt: skip
    """Carry the values of states through one volley.

    codes, sinks, chances: the volley's effect on shells, from `begins[shell]` on to that of the next, sorted by code;
    code -1: it ends with the shell. starts, lengths, ends, weights: rows of cores by code; what has no row is lost.
    out_rows, out_worn, out: the states afterwards; dead: (flags, rank). Left out is what would carry less than
    `threshold`, and then states that hold less, the other factor being summed up to `other`. Returns the number of
    states that are left, and how many ends of rows were carried to.
    """
    rank, first = values.shape[1], dead.shape[0]
    carried = np.zeros(rank)
    held, work = 0, 0
    for index in range(rows.shape[0]):
        own = rows[index]
        mass = 0.0
        for column in range(rank):
            mass += values[index, column] * other[column]
        mass = abs(mass)
        last, judged, skipped = begins[worn[index] + 1], -1, False
        for entry in range(begins[worn[index]], last):
            code, sink, chance = codes[entry], sinks[entry], chances[entry]
            if code < 0:
                slot = slots[own, sink]
                if slot < 0:
                    slots[own, sink], out_rows[held], out_worn[held] = held, own, sink
                    for column in range(rank):
                        out[held, column] = chance * values[index, column]
                    held += 1
                else:
                    for column in range(rank):
                        out[slot, column] += chance * values[index, column]
                continue
            if starts[code, own] < 0:
                continue
            if code != judged:
                total, place = 0.0, entry
                while place < last and codes[place] == code:
                    total += chances[place]
                    place += 1
                judged, skipped = code, total * mass < threshold
            if skipped:
                continue
            start, length = starts[code, own], lengths[code, own]
            work += length
            for column in range(rank):
                carried[column] = chance * values[index, column]
            for place in range(start, start + length):
                end, weight = ends[place], weights[place]
                if end < first:
                    for column in range(rank):
                        dead[end, column] += weight * carried[column]
                    continue
                slot = slots[end, sink]
                if slot < 0:
                    slots[end, sink], out_rows[held], out_worn[held] = held, end, sink
                    for column in range(rank):
                        out[held, column] = weight * carried[column]
                    held += 1
                else:
                    for column in range(rank):
                        out[slot, column] += weight * carried[column]
    for slot in range(held):
        slots[out_rows[slot], out_worn[slot]] = -1
    return keep_likely(out_rows, out_worn, out, held, other, threshold), work


def sum_groups(groups, places, values, sums):
    """Add the values at some places by their groups: sums (groups, rank)."""
    for number in range(places.shape[0]):
        for column in range(values.shape[1]):
            sums[groups[number], column] += values[places[number], column]


def sort_classes(rows, classes, counts, places):
    """Sort the places of cores by class; counts: how many of each class, replaced by where each class ends."""
    for index in range(rows.shape[0]):
        counts[classes[rows[index]]] += 1
    begins = np.cumsum(counts) - counts
    for index in range(rows.shape[0]):
        class_ = classes[rows[index]]
        places[begins[class_]] = index
        begins[class_] += 1
    counts[:] = begins


def enter_rows(rows, worn, places, slots, out_rows, out_worn, held):
    """Give every state at some places that has no slot yet the next one; return the number of slots given."""
    for index in places:
        if slots[rows[index], worn[index]] < 0:
            slots[rows[index], worn[index]] = held
            out_rows[held], out_worn[held] = rows[index], worn[index]
            held += 1
    return held


def place_values(rows, worn, places, slots, values, out, column):
    """Put the values at some places into the columns of a wider factor from `column` on."""
    for index in places:
        slot = slots[rows[index], worn[index]]
        for k in range(values.shape[1]):
            out[slot, column + k] = values[index, k]


def add_values(rows, worn, places, slots, values, out):
    """Add values, one row for each of some places, to a factor of as many columns."""
    for number in range(places.shape[0]):
        slot = slots[rows[places[number]], worn[places[number]]]
        for column in range(values.shape[1]):
            out[slot, column] += values[number, column]


def clear_slots(rows, worn, slots):
    """Take the slots of states back."""
    for index in range(rows.shape[0]):
        slots[rows[index], worn[index]] = -1
