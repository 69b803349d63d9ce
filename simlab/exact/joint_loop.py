"""The loops over the states of two units that are kept jointly. They know neither rules nor dice.

States of a unit are sorted by kind (`simlab.exact.joint`); those of a kind can fire in the same ways at an enemy who
shows a given exposure. A unit's numbers come as its fire: places, begins: (states,), (kinds + 1,), the states of each
kind. shown: (kinds,), the exposure of each. ways: (kinds, exposures + 1), where the ways to fire at each exposure
begin. effects: (ways,), what each does to the enemy. memory_begins: (ways,), and memories: what the states of the kind
remember after it, one after the other.

What an effect does to a cell stands in its hits. begins: (effects, cells + 1). ends, chances: the cells that follow.
The first numbers of cells are those of the fallen, who remember nothing.
"""
# mypy: ignore-errors

import numpy as np

from simlab.jit import kernel


def list_met(joint, places_a, begins_a, places_b, begins_b, met):
    """Tell for each kind of a and of b whether any of their states occur together: met (kinds of a, kinds of b)."""
    for kind_a in range(met.shape[0]):
        for kind_b in range(met.shape[1]):
            for i in range(begins_a[kind_a], begins_a[kind_a + 1]):
                row = places_a[i]
                for j in range(begins_b[kind_b], begins_b[kind_b + 1]):
                    if joint[row, places_b[j]] != 0.0:
                        met[kind_a, kind_b] = True
                        break
                if met[kind_a, kind_b]:
                    break


def mark_reached(met, cells, own, foe, hits, first, slots):
    """Mark the states that a unit can come to in a phase: slots (cells, memories) is -1 for all others.

    met: (own kinds, the enemy's kinds). cells: (states,). own, foe: fire of the unit and of its enemy; hits: what the
    enemy's does.
    """
    places, begins, shown, ways, _, memory_begins, memories = own
    foe_shown, foe_ways, foe_effects = foe[2], foe[3], foe[4]
    hit_begins, ends, _ = hits
    done = np.zeros((memory_begins.shape[0], hit_begins.shape[0]), np.bool_)
    for kind in range(met.shape[0]):
        for foe_kind in range(met.shape[1]):
            if not met[kind, foe_kind]:
                continue
            exposed, seen = shown[kind], foe_shown[foe_kind]
            for way in range(ways[kind, seen], ways[kind, seen + 1]):
                for foe_way in range(foe_ways[foe_kind, exposed], foe_ways[foe_kind, exposed + 1]):
                    effect = foe_effects[foe_way]
                    if done[way, effect]:
                        continue
                    done[way, effect] = True
                    for i in range(begins[kind], begins[kind + 1]):
                        cell = cells[places[i]]
                        memory_ = memories[memory_begins[way] + i - begins[kind]]
                        for entry in range(hit_begins[effect, cell], hit_begins[effect, cell + 1]):
                            end = ends[entry]
                            slots[end, memory_ if end >= first else 0] = 0


def list_reached(slots, out_cells, out_memories):
    """Number the marked states by cell and memory, in rising order; return how many there are."""
    held = 0
    for cell in range(slots.shape[0]):
        for memory_ in range(slots.shape[1]):
            if slots[cell, memory_] >= 0:
                slots[cell, memory_], out_cells[held], out_memories[held] = held, cell, memory_
                held += 1
    return held


@kernel
def carry(
    values, cells, places, begin, end, memory_begin, memories, effect, hits, first, slots, local, rows, out
):
    """Carry values, a row each for the states of a kind, along one effect; return how many states there are then.

    rows, out: their places among all, and their values. local: -1 everywhere between calls.
    """
    hit_begins, ends, chances = hits
    width, held = values.shape[1], 0
    for i in range(end - begin):
        cell, memory_ = cells[places[begin + i]], memories[memory_begin + i]
        for entry in range(hit_begins[effect, cell], hit_begins[effect, cell + 1]):
            target, chance = ends[entry], chances[entry]
            place = slots[target, memory_ if target >= first else 0]
            row = local[place]
            if row < 0:
                row = held
                local[place], rows[held] = held, place
                held += 1
                for column in range(width):
                    out[row, column] = chance * values[i, column]
            else:
                for column in range(width):
                    out[row, column] += chance * values[i, column]
    for row in range(held):
        local[rows[row]] = -1
    return held


def play_kinds(joint, met, cells_a, cells_b, fire_a, fire_b, hits_a, hits_b, first, slots_a, slots_b, out):
    """Add to `out` what a phase makes of the joint distribution; return how many values were carried.

    cells, fire, slots of a and b as in `mark_reached`; hits_a: what is done to a.
    """
    places_a, begins_a, shown_a, ways_a, effects_a, memory_begins_a, memories_a = fire_a
    places_b, begins_b, shown_b, ways_b, effects_b, memory_begins_b, memories_b = fire_b
    number_a, number_b = out.shape
    local_a, local_b = np.full(number_a, -1, np.int64), np.full(number_b, -1, np.int64)
    rows_a, rows_b = np.empty(number_a, np.int64), np.empty(number_b, np.int64)
    work = 0
    for kind_a in range(met.shape[0]):
        begin_a, end_a = begins_a[kind_a], begins_a[kind_a + 1]
        for kind_b in range(met.shape[1]):
            if not met[kind_a, kind_b]:
                continue
            begin_b, end_b = begins_b[kind_b], begins_b[kind_b + 1]
            wide = end_b - begin_b
            block = np.empty((end_a - begin_a, wide))
            for i in range(end_a - begin_a):
                for j in range(wide):
                    block[i, j] = joint[places_a[begin_a + i], places_b[begin_b + j]]
            half = np.empty((number_a, wide))
            seen_a, seen_b = shown_a[kind_a], shown_b[kind_b]
            for way_b in range(ways_b[kind_b, seen_a], ways_b[kind_b, seen_a + 1]):
                for way_a in range(ways_a[kind_a, seen_b], ways_a[kind_a, seen_b + 1]):
                    held_a = carry(
                        block, cells_a, places_a, begin_a, end_a, memory_begins_a[way_a], memories_a,
                        effects_b[way_b], hits_a, first, slots_a, local_a, rows_a, half,
                    )  # fmt: skip
                    turned = np.empty((wide, held_a))
                    for i in range(held_a):
                        for j in range(wide):
                            turned[j, i] = half[i, j]
                    full = np.empty((number_b, held_a))
                    held_b = carry(
                        turned, cells_b, places_b, begin_b, end_b, memory_begins_b[way_b], memories_b,
                        effects_a[way_a], hits_b, first, slots_b, local_b, rows_b, full,
                    )  # fmt: skip
                    for i in range(held_a):
                        for j in range(held_b):
                            out[rows_a[i], rows_b[j]] += full[j, i]
                    work += held_a * (wide + 2 * held_b)
    return work


def add_block(rows, columns, values, joint):
    """Add values (rows, columns) to those of `joint` at these rows and columns."""
    for row in range(rows.shape[0]):
        for column in range(columns.shape[0]):
            joint[rows[row], columns[column]] += values[row, column]
