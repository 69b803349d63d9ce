"""The loops that carry probability along rows. They know neither rules nor dice.

The innermost ones are not taken apart: handing an array to a function costs more than what is done with it there.

A factor is a list of cores (`rows`, their numbers) and their values, shape (rows, shells * rank), rank innermost.
`slots` maps numbers of cores to places in a factor that is being made; it is -1 everywhere between calls.
"""
# mypy: ignore-errors

import numpy as np

from simlab.jit import kernel


def list_wanted(rows, mass, codes, sources, chances, starts, floor, wanted, counts):
    """List the cores whose rows are missing and would carry at least `floor`; return what those below it would carry.

    mass: (rows, shells). codes, sources, chances: what a volley does to shells, sorted by code. wanted: (codes, rows)
    receives numbers of cores, counts (codes,) how many.
    """
    kinds, lost = starts.shape[0], 0.0
    carried = np.zeros(kinds)
    for index in range(rows.shape[0]):
        carried[:] = 0.0
        for entry in range(codes.shape[0]):
            if codes[entry] >= 0:
                carried[codes[entry]] += chances[entry] * mass[index, sources[entry]]
        for kind in range(kinds):
            if starts[kind, rows[index]] >= 0:
                continue
            if carried[kind] >= floor:
                wanted[kind, counts[kind]] = rows[index]
                counts[kind] += 1
            else:
                lost += abs(carried[kind])
    return lost


@kernel
def keep_likely(out_rows, out, held, other, threshold):
    """Close the gaps that unlikely cores leave; return the number of those kept, and the probability of the others."""
    rank, kept, lost = other.shape[0], 0, 0.0
    for slot in range(held):
        mass = 0.0
        for shell in range(out.shape[1] // rank):
            for column in range(rank):
                mass += out[slot, shell * rank + column] * other[column]
        if abs(mass) < threshold:
            lost += abs(mass)
            continue
        if kept < slot:
            out_rows[kept] = out_rows[slot]
            for column in range(out.shape[1]):
                out[kept, column] = out[slot, column]
        kept += 1
    return kept, lost


def carry_values(
    rows, values, codes, sources, sinks, chances, starts, lengths, ends, weights, rank, slots, out_rows, out, dead,
    other, floor, threshold,
):  # fmt: skip
    """Carry the values of cores through one volley.

    codes, sources, sinks, chances: the volley's effect on shells, sorted by code; code -1: it ends with the shell.
    starts, lengths, ends, weights: rows of cores by code; what has no row is lost. out_rows, out: the cores afterwards;
    dead: (flags, rank), summed over shells. Left out is what would carry less than `floor`, and then cores below the
    threshold, the other factor being summed up to `other`. Returns the number of cores that hold some, the probability
    left out, and the number of values carried.
    """
    width, first = values.shape[1], dead.shape[0]
    carried, summed = np.zeros(width), np.zeros(rank)
    held, work, faint = 0, 0, 0.0
    for index in range(rows.shape[0]):
        own, entry = rows[index], 0
        while entry < codes.shape[0]:
            code, begin = codes[entry], entry
            while entry < codes.shape[0] and codes[entry] == code:
                entry += 1
            if code >= 0 and starts[code, own] < 0:
                continue
            carried[:] = 0.0
            for hit in range(begin, entry):
                source, sink = sources[hit] * rank, sinks[hit] * rank
                for column in range(rank):
                    carried[sink + column] += chances[hit] * values[index, source + column]
            if code < 0:
                slot = slots[own]
                if slot < 0:
                    slots[own], out_rows[held] = held, own
                    for column in range(width):
                        out[held, column] = carried[column]
                    held += 1
                else:
                    for column in range(width):
                        out[slot, column] += carried[column]
                continue
            summed[:] = 0.0
            for shell in range(width // rank):
                for column in range(rank):
                    summed[column] += carried[shell * rank + column]
            mass = 0.0
            for column in range(rank):
                mass += summed[column] * other[column]
            if abs(mass) < floor:
                faint += abs(mass)
                continue
            start, length = starts[code, own], lengths[code, own]
            work += length
            for place in range(start, start + length):
                end, weight = ends[place], weights[place]
                if end < first:
                    for column in range(rank):
                        dead[end, column] += weight * summed[column]
                    continue
                slot = slots[end]
                if slot < 0:
                    slots[end], out_rows[held] = held, end
                    for column in range(width):
                        out[held, column] = weight * carried[column]
                    held += 1
                else:
                    for column in range(width):
                        out[slot, column] += weight * carried[column]
    for slot in range(held):
        slots[out_rows[slot]] = -1
    kept, lost = keep_likely(out_rows, out, held, other, threshold)
    return kept, lost + faint, work * width


def sum_flags(fates, rows, values, rank, sums):
    """Add the values of cores, summed over shells, by the flags of the cores: sums (flags, rank)."""
    for index in range(rows.shape[0]):
        fate = fates[rows[index]]
        at = 0
        for column in range(values.shape[1]):
            sums[fate, at] += values[index, column]
            at += 1
            if at == rank:
                at = 0


def sum_shells(values, rank, totals):
    """Add values over rows and shells: totals (rank,)."""
    for index in range(values.shape[0]):
        at = 0
        for column in range(values.shape[1]):
            totals[at] += values[index, column]
            at += 1
            if at == rank:
                at = 0


def weigh_shells(values, other, mass):
    """Fill in the probability of each core and shell, the other factor summed up to `other` (rank,)."""
    rank = other.shape[0]
    for index in range(values.shape[0]):
        for shell in range(mass.shape[1]):
            total = 0.0
            for column in range(rank):
                total += values[index, shell * rank + column] * other[column]
            mass[index, shell] = total


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


def enter_rows(rows, places, slots, out_rows, held):
    """Give every core at some places that has no slot yet the next one; return the number of slots given."""
    for index in places:
        if slots[rows[index]] < 0:
            slots[rows[index]], out_rows[held] = held, rows[index]
            held += 1
    return held


def place_values(rows, places, slots, values, rank, out, out_rank, column):
    """Put the values at some places into the columns of a wider factor from `column` on."""
    for index in places:
        slot = slots[rows[index]]
        for shell in range(values.shape[1] // rank):
            for k in range(rank):
                out[slot, shell * out_rank + column + k] = values[index, shell * rank + k]


def add_values(rows, places, slots, values, rank, chances, out):
    """Add the values at some places times chances (rank, groups) to a factor of as many columns as groups."""
    groups = chances.shape[1]
    for index in places:
        slot = slots[rows[index]]
        for shell in range(values.shape[1] // rank):
            for k in range(rank):
                value = values[index, shell * rank + k]
                for group in range(groups):
                    out[slot, shell * groups + group] += value * chances[k, group]


def sum_groups(places, groups, begin, values, rank, sums):
    """Add the values at some places, summed over shells, by their groups (from `begin` on): sums (groups, rank)."""
    for number in range(places.shape[0]):
        index, group = places[number], groups[begin + number]
        at = 0
        for column in range(values.shape[1]):
            sums[group, at] += values[index, column]
            at += 1
            if at == rank:
                at = 0


def clear_slots(rows, slots):
    """Take the slots of cores back."""
    for index in range(rows.shape[0]):
        slots[rows[index]] = -1
