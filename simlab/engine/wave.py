"""The fast loop over fights: a wave of fights side by side, advanced stage by stage.

All fights of a wave throw the to-hit dice of one gunner; those that hit are gathered and take damage; those whose
target is hurt inside are gathered and cross off what breaks. A processor guesses branches on dice wrongly half of the
time, and gathering needs none. The fights are those of `simlab.engine.loop`, die by die: a test holds the counts of
both against each other.

Arrays are flat: that of a unit in a fight is at unit * lanes + lane, that of a side at side * lanes + lane.
"""
# mypy: ignore-errors

import numpy as np

from simlab.dice.words import address, replicate_word
from simlab.engine.loop import DECLARED, FIRST_B, POLICY_A, UNITS, WIDTH
from simlab.engine.policies import choose_place
from simlab.jit import kernel

U64 = np.uint64

ACTIVE, CHANGES, LOSSES, EXCHANGES, TALLY_SIZE = range(5)
"""tally: numbers of fights under way, of units whose state has changed, of units lost in the phase, of exchanges."""


@kernel
def begin_wave(program, setting, types, body, loaded, fell, places, firing, counts, lanes, size):
    """Set all units of the wave's fights fresh and standing."""
    for unit in range(setting[UNITS]):
        fresh_body, fresh_memory = fresh(program, types[unit])
        side = 1 if unit >= setting[FIRST_B] else 0
        place = unit - side * setting[FIRST_B]
        row = (side * setting[WIDTH] + place) * lanes
        for lane in range(size):
            body[unit * lanes + lane] = fresh_body
            loaded[unit * lanes + lane] = fresh_memory
            fell[unit * lanes + lane] = U64(0)
            places[unit * lanes + lane] = place
            firing[row + lane] = unit
    for side in range(2):
        number = setting[UNITS] - setting[FIRST_B] if side else setting[FIRST_B]
        for lane in range(size):
            counts[side * lanes + lane] = number
            counts[(2 + side) * lanes + lane] = number


@kernel
def begin_phase(program, setting, types, body, loaded, ability, fell, changes, tally, bits, scene, phase):
    """Take the capability of the units whose state has changed; a fallen unit has none."""
    for number in range(tally[CHANGES]):
        at = changes[number]
        if fell[at] != U64(0):
            ability[at] = U64(0)
        else:
            ability[at] = capability(program, types[at >> bits], scene, phase, body[at], loaded[at])
    tally[CHANGES] = 0


@kernel
def take_all(program, setting, types, body, loaded, ability, fell, active, tally, lanes, scene, phase):
    """Take the capability of all standing units of the fights under way."""
    for unit in range(setting[UNITS]):
        for number in range(tally[ACTIVE]):
            at = unit * lanes + active[number]
            if fell[at] == U64(0):
                ability[at] = capability(program, types[unit], scene, phase, body[at], loaded[at])


@kernel
def close_ranks(setting, fell, places, firing, counts, losses, tally, bits):
    """List anew the units that stand, where units were lost in the phase.

    firing: units of a side that stand at the start of the phase; places: the place of each in that list.
    """
    width, first_b, lanes = setting[WIDTH], setting[FIRST_B], 1 << bits
    for number in range(tally[LOSSES]):
        side, lane = losses[number] >> bits, losses[number] & (lanes - 1)
        first, end = (first_b, setting[UNITS]) if side else (0, first_b)
        place = 0
        for unit in range(first, end):
            if fell[unit * lanes + lane] == U64(0):
                firing[(side * width + place) * lanes + lane] = unit
                places[unit * lanes + lane] = place
                place += 1
        counts[(2 + side) * lanes + lane] = place
    tally[LOSSES] = 0


@kernel
def next_target(fell, firing, row, policy, place, standing, lanes, lane):
    """Return the target that the policy chooses among the `standing` enemies that have not fallen in this phase."""
    wanted = choose_place(policy, place, standing)
    at = row
    while True:
        target = firing[at * lanes + lane]
        if fell[target * lanes + lane] == U64(0):
            if wanted == 0:
                return target
            wanted -= 1
        at += 1


@kernel
def roll_wave(
    program, types, policy, declared, row, aims, body, loaded, ability, fell, places, firing, counts, side, active,
    words, changes, queue, sources, rows, hits, tally, lanes, unit, gunner, spot,
):  # fmt: skip
    """Throw the to-hit dice of one gunner of one unit in all fights under way; return how many volleys go on.

    row: first place of the enemy side in `firing`. aims: by target. queue, sources, rows, hits: of the volleys that go on, where the target's state stands, the
    dice, the gunner's row, and what hit.
    """
    gathered, fired, changed = 0, 0, tally[CHANGES]
    kind = types[unit]
    uses = remembers(program, kind)
    mine = unit * lanes
    standing, starting = (1 - side) * lanes, (3 - side) * lanes
    for number in range(tally[ACTIVE]):
        lane = active[number]
        able = ability[mine + lane]
        if not ready(program, kind, gunner, able):
            continue
        place = places[mine + lane]
        target = firing[(row + choose_place(policy, place, counts[starting + lane])) * lanes + lane]
        lost = fell[target * lanes + lane] != U64(0)
        if lost and not declared:
            if counts[standing + lane] == 0:
                continue
            target = next_target(fell, firing, row, policy, place, counts[standing + lane], lanes, lane)
            lost = False
        fired += 1
        if uses:
            loaded[mine + lane] = spend(program, kind, gunner, able, loaded[mine + lane])
            changes[changed] = mine + lane
            changed += 1
        if lost:
            continue
        at = target * lanes + lane
        source = exchange_source(words[lane], spot, 0)
        aimed = gunner_row(program, aims[target], gunner, ability[at])
        struck = roll(program, kind, gunner, able, aimed, source)
        queue[gathered] = U64(at)
        sources[gathered] = source
        rows[gathered] = aimed
        hits[gathered] = struck
        gathered += 1 if struck != U64(0) else 0
    tally[CHANGES] = changed
    tally[EXCHANGES] += fired
    return gathered


@kernel
def hurt_wave(program, types, body, queue, sources, rows, hits, notes, bits, gathered):
    """Let the targets of the gathered volleys take their damage; return how many volleys go on."""
    left = 0
    for number in range(gathered):
        at, source = queue[number], sources[number]
        kind = types[np.int64(at >> U64(bits))]
        after, note, more = hurt(program, kind, rows[number], body[at], hits[number], source)
        body[at] = after
        queue[left] = at
        sources[left] = source
        notes[left] = note
        hits[left] = more
        left += 1 if more != U64(0) else 0
    return left


@kernel
def wreck_wave(
    program,
    types,
    body,
    fell,
    counts,
    changes,
    losses,
    queue,
    sources,
    hits,
    notes,
    tally,
    bits,
    gathered,
    turn,
    enemy,
):
    """Let the gathered volleys cross off what they break, and take out units that have fallen."""
    changed, lost, lanes = tally[CHANGES], tally[LOSSES], 1 << bits
    for number in range(gathered):
        at = np.int64(queue[number])
        kind = types[at >> bits]
        after, _ = wreck(program, kind, body[at], notes[number], hits[number], sources[number])
        body[at] = after
        changes[changed] = at
        changed += 1
        if fallen(program, kind, after):
            fell[at] = U64(turn)
            side_lane = enemy * lanes + (at & (lanes - 1))
            counts[side_lane] -= 1
            losses[lost] = side_lane
            lost += 1
    tally[CHANGES], tally[LOSSES] = changed, lost


@kernel
def drop_ended(counts, active, tally, lanes):
    """Keep only the fights in which both sides stand."""
    kept = 0
    for number in range(tally[ACTIVE]):
        lane = active[number]
        active[kept] = lane
        kept += 1 if counts[lane] != 0 and counts[lanes + lane] != 0 else 0
    tally[ACTIVE] = kept


@kernel
def take_aim(program, setting, types, aims, scene):
    """Fill in the aims of all units at all enemies in a situation: (units, units)."""
    for unit in range(setting[UNITS]):
        for target in range(setting[UNITS]):
            if (unit < setting[FIRST_B]) != (target < setting[FIRST_B]):
                aims[unit * setting[UNITS] + target] = aim(program, types[unit], types[target], scene)


@kernel
def keep_alive(
    words, places, firing, counts, active, changes, losses, tally, queue, sources, rows, hits, notes
):
    """Use the arrays, so that none is freed before: an array lives until its last use, and `memory` is none."""
    used = words.size + places.size + firing.size + counts.size + active.size + changes.size + losses.size
    return used + tally.size + queue.size + sources.size + rows.size + hits.size + notes.size


def play_wave(program_, setting_, types_, scenes, fight_word_, begin, count, flag_sets, bits):
    """Play `count` replicates from replicate `begin` on; arguments and result as those of `loop.play_block`.

    bits: 2 ** bits fights side by side.
    """
    lanes = 1 << bits
    units, width, first_b = types_.shape[0], setting_[WIDTH], setting_[FIRST_B]
    program, setting, types = memory(program_), memory(setting_), memory(types_)
    words_, body_, loaded_ = np.zeros(lanes, U64), np.zeros(units * lanes, U64), np.zeros(units * lanes, U64)
    ability_, fell_, aims_ = (
        np.zeros(units * lanes, U64),
        np.zeros(units * lanes, U64),
        np.zeros(units * units, U64),
    )
    places_, firing_ = np.zeros(units * lanes, np.int64), np.zeros(2 * width * lanes, np.int64)
    counts_, active_ = np.zeros(4 * lanes, np.int64), np.zeros(lanes, np.int64)
    volleys = 0
    for unit in range(units):
        volleys += np.int64(gunners(program, types[unit]))
    changes_, losses_ = np.zeros(2 * volleys * lanes + 1, np.int64), np.zeros(units * lanes, np.int64)
    tally_ = np.zeros(TALLY_SIZE, np.int64)
    queue_, sources_, rows_ = np.zeros(lanes, U64), np.zeros(lanes, U64), np.zeros(lanes, U64)
    hits_, notes_ = np.zeros(lanes, U64), np.zeros(lanes, U64)
    words, body, loaded, ability, fell = (
        memory(words_),
        memory(body_),
        memory(loaded_),
        memory(ability_),
        memory(fell_),
    )
    aims, places, firing, counts = memory(aims_), memory(places_), memory(firing_), memory(counts_)
    active, changes, losses, tally = memory(active_), memory(changes_), memory(losses_), memory(tally_)
    queue, sources, rows, hits, notes = (
        memory(queue_),
        memory(sources_),
        memory(rows_),
        memory(hits_),
        memory(notes_),
    )
    outcomes, turn_sum = np.zeros(4, np.int64), np.zeros(units, np.int64)
    unit_flags, survivors = np.zeros((units, flag_sets), np.int64), np.zeros((2, width), np.int64)
    done = 0
    while done < count:
        size = min(lanes, count - done)
        begin_wave(program, setting, types, body, loaded, fell, places, firing, counts, lanes, size)
        for lane in range(size):
            active[lane] = lane
            words[lane] = replicate_word(fight_word_, begin + U64(done + lane))
        tally[ACTIVE], tally[CHANGES], tally[LOSSES] = size, 0, 0
        for turn in range(1, scenes.shape[0] + 1):
            scene = scenes[turn - 1]
            anew = turn == 1 or scene != scenes[turn - 2]
            if anew:
                take_aim(program, setting, types, aims, scene)
            for phase in range(PHASES):
                close_ranks(setting, fell, places, firing, counts, losses, tally, bits)
                begin_phase(
                    program, setting, types, body, loaded, ability, fell, changes, tally, bits, scene, phase
                )
                if anew or PHASES > 1:
                    take_all(
                        program,
                        setting,
                        types,
                        body,
                        loaded,
                        ability,
                        fell,
                        active,
                        tally,
                        lanes,
                        scene,
                        phase,
                    )
                for unit in range(units):
                    side = 1 if unit >= first_b else 0
                    for gunner in range(gunners(program, types[unit])):
                        spot = address(
                            U64(turn), U64(phase), U64(side), U64(unit - side * first_b), U64(gunner)
                        )
                        gathered = roll_wave(
                            program, types, setting_[POLICY_A + side], setting_[DECLARED] != 0, (1 - side) * width,
                            memory(aims_[unit * units :]), body, loaded, ability, fell, places, firing, counts, side,
                            active, words, changes, queue, sources, rows, hits, tally, lanes, unit, U64(gunner), spot,
                        )  # fmt: skip
                        gathered = hurt_wave(
                            program, types, body, queue, sources, rows, hits, notes, bits, gathered
                        )
                        wreck_wave(
                            program, types, body, fell, counts, changes, losses, queue, sources, hits, notes, tally,
                            bits, gathered, turn, 1 - side,
                        )  # fmt: skip
            drop_ended(counts, active, tally, lanes)
            if tally[ACTIVE] == 0:
                break
        for lane in range(size):
            left_a, left_b = counts[lane], counts[lanes + lane]
            outcomes[(2 if left_b == 0 else 1) if left_a == 0 else (0 if left_b == 0 else 3)] += 1
            survivors[0, left_a] += 1
            survivors[1, left_b] += 1
        for unit in range(units):
            for lane in range(size):
                at = unit * lanes + lane
                unit_flags[unit, flags(program, types[unit], body_[at])] += 1
                turn_sum[unit] += np.int64(fell_[at])
        done += size
    keep_alive(
        words_,
        places_,
        firing_,
        counts_,
        active_,
        changes_,
        losses_,
        tally_,
        queue_,
        sources_,
        rows_,
        hits_,
        notes_,
    )
    return outcomes, unit_flags, turn_sum, survivors, tally_[EXCHANGES] + 0 * ability_.size + 0 * loaded_.size
