"""The loop over fights for one unit a side: the same fights as `simlab.engine.loop`, everything in registers.

A test holds its counts against those of the general loop.
"""
# mypy: ignore-errors

import numpy as np

from simlab.dice.words import address, replicate_word
from simlab.engine.counts import duel_counts
from simlab.engine.layout import DECLARED
from simlab.jit import kernel

U64 = np.uint64


@kernel
def source_at(word, turn, side, gunner):
    """Return the source of dice of a gunner's exchange."""
    return exchange_source(word, address(turn, U64(0), side, U64(0), gunner), 0)


@kernel
def fire_unit(
    program,
    kind,
    ability,
    foe,
    foe_ability,
    aimed,
    row,
    body,
    figures,
    turn,
    side,
    word,
    ahead,
    struck,
    declared,
):
    """Let all gunners of a unit fire; return the foe's body and figures, and the number of exchanges.

    `row`, `ahead` and `struck` are the first gunner's row, the source of his dice and what of his volley hits.
    """
    exchanges = 0
    for gunner in range(gunners(program, kind)):
        if not ready(program, kind, U64(gunner), ability):
            continue
        fell = figures & U64(1) != U64(0)
        if fell and not declared:
            break
        exchanges += 1
        if fell:
            continue
        source, hits = ahead, struck
        if gunner > 0:
            row = gunner_row(program, aimed, U64(gunner), foe_ability)
            source = source_at(word, turn, side, U64(gunner))
            hits = roll(program, kind, U64(gunner), ability, row, source)
        if hits == U64(0):
            continue
        # Nobody reads the note here, so none is made.
        body, _, more = hurt(program, foe, row, body, hits, source)
        if more != U64(0):
            body, _ = wreck(program, foe, foe_ability, body, U64(0), more, source)
            figures = flags(program, foe, body)
    return body, figures, exchanges


@kernel
def spend_all(program, kind, ability, memory, exchanges):
    """Return the memory of a unit after the volleys of its first `exchanges` ready gunners, the phase over."""
    fired = U64(0)
    for gunner in range(gunners(program, kind)):
        if exchanges > 0 and ready(program, kind, U64(gunner), ability):
            memory = spend(program, kind, U64(gunner), ability, memory, U64(0))
            fired |= U64(1) << U64(gunner)
            exchanges -= 1
    return settle(program, kind, memory, fired)


def play_duels(program, setting, types, scenes, fight_word_, begin, count, flag_sets):
    """Play `count` duels; arguments and result as those of `simlab.engine.loop.play_block`."""
    rules = memory(program)
    ends = np.zeros((flag_sets, flag_sets), np.int64)
    ended = memory(ends)
    sum_a, sum_b, exchanges = U64(0), U64(0), 0
    kind_a, kind_b = types[0], types[1]
    declared = setting[DECLARED] != 0
    turns = U64(scenes.shape[0])
    uses_a, uses_b = remembers(rules, kind_a), remembers(rules, kind_b)
    fresh_a, full_a = fresh(rules, kind_a)
    fresh_b, full_b = fresh(rules, kind_b)
    whole_a, whole_b = flags(rules, kind_a, fresh_a), flags(rules, kind_b, fresh_b)
    ready_a = capability(rules, kind_a, scenes[0], 0, fresh_a, full_a)
    ready_b = capability(rules, kind_b, scenes[0], 0, fresh_b, full_b)
    sight_a, sight_b = aim(rules, kind_a, kind_b, scenes[0]), aim(rules, kind_b, kind_a, scenes[0])
    line_a, line_b = gunner_row(rules, sight_a, U64(0), ready_b), gunner_row(rules, sight_b, U64(0), ready_a)
    # Words are mixed and to-hit dice read one turn, and one replicate, ahead of their use: otherwise the processor
    # would begin with them only after each branch that it guessed wrongly, and on dice it does so half the time.
    next_word = replicate_word(fight_word_, begin)
    first_a, first_b = (
        source_at(next_word, U64(1), U64(0), U64(0)),
        source_at(next_word, U64(1), U64(1), U64(0)),
    )
    begin_a = roll(rules, kind_a, U64(0), ready_a, line_a, first_a)
    begin_b = roll(rules, kind_b, U64(0), ready_b, line_b, first_b)
    for replicate in range(count):
        word, ahead_a, ahead_b, struck_a, struck_b = next_word, first_a, first_b, begin_a, begin_b
        next_word = replicate_word(fight_word_, begin + U64(replicate + 1))
        first_a = source_at(next_word, U64(1), U64(0), U64(0))
        first_b = source_at(next_word, U64(1), U64(1), U64(0))
        begin_a = roll(rules, kind_a, U64(0), ready_a, line_a, first_a)
        begin_b = roll(rules, kind_b, U64(0), ready_b, line_b, first_b)
        body_a, memory_a, able_a, aim_a, flags_a = fresh_a, full_a, ready_a, sight_a, whole_a
        body_b, memory_b, able_b, aim_b, flags_b = fresh_b, full_b, ready_b, sight_b, whole_b
        row_a, row_b = line_a, line_b
        scene = scenes[0]
        turn = U64(0)
        while True:
            turn += U64(1)
            source_a, source_b, hits_a, hits_b = ahead_a, ahead_b, struck_a, struck_b
            ahead_a = source_at(word, turn + U64(1), U64(0), U64(0))
            ahead_b = source_at(word, turn + U64(1), U64(1), U64(0))
            struck_a = roll(rules, kind_a, U64(0), able_a, row_a, ahead_a)
            struck_b = roll(rules, kind_b, U64(0), able_b, row_b, ahead_b)
            before_a, before_b = body_a, body_b
            body_b, flags_b, fired = fire_unit(
                rules, kind_a, able_a, kind_b, able_b, aim_a, row_a, body_b, flags_b, turn, U64(0), word, source_a,
                hits_a, declared,
            )  # fmt: skip
            exchanges += fired
            if uses_a:
                memory_a = spend_all(rules, kind_a, able_a, memory_a, fired)
            body_a, flags_a, fired = fire_unit(
                rules, kind_b, able_b, kind_a, able_a, aim_b, row_b, body_a, flags_a, turn, U64(1), word, source_b,
                hits_b, declared,
            )  # fmt: skip
            exchanges += fired
            if uses_b:
                memory_b = spend_all(rules, kind_b, able_b, memory_b, fired)
            if (flags_a | flags_b) & U64(1) or turn == turns:
                break
            moved = scene != scenes[turn]
            changed_a = weakened(before_a, body_a) or uses_a or moved
            changed_b = weakened(before_b, body_b) or uses_b or moved
            if changed_a or changed_b:
                scene = scenes[turn]
                if changed_a:
                    able_a = capability(rules, kind_a, scene, 0, body_a, memory_a)
                if changed_b:
                    able_b = capability(rules, kind_b, scene, 0, body_b, memory_b)
                if moved:
                    aim_a, aim_b = aim(rules, kind_a, kind_b, scene), aim(rules, kind_b, kind_a, scene)
                row_a = gunner_row(rules, aim_a, U64(0), able_b)
                row_b = gunner_row(rules, aim_b, U64(0), able_a)
                struck_a = roll(rules, kind_a, U64(0), able_a, row_a, ahead_a)
                struck_b = roll(rules, kind_b, U64(0), able_b, row_b, ahead_b)
        ended[flags_a * U64(flag_sets) + flags_b] += 1
        sum_a += turn * (flags_a & U64(1))
        sum_b += turn * (flags_b & U64(1))
    return duel_counts(ends, np.int64(sum_a), np.int64(sum_b), exchanges)
