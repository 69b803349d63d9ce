"""The loop over duels whose turns have several phases, or in which a unit's own dice or a turn's end change it: the
same fights as `simlab.engine.loop`, with little to look up.

A test holds its counts against those of the general loop.
"""
# mypy: ignore-errors

import numpy as np

from simlab.dice.words import address, replicate_word
from simlab.engine.counts import duel_counts
from simlab.engine.layout import DECLARED, PHASES
from simlab.jit import kernel

U64 = np.uint64


@kernel
def fire_all(
    program, kind, ability, foe, foe_ability, aimed, body, figures, held, turn, phase, side, word, declared
):
    """Let all gunners of a unit fire; return the foe's body and figures, the unit's memory, the exchanges."""
    exchanges, fired = 0, U64(0)
    remembering = remembers(program, kind)
    for gunner in range(gunners(program, kind)):
        if not ready(program, kind, U64(gunner), ability):
            continue
        fell = figures & U64(1) != U64(0)
        if fell and not declared:
            break
        exchanges += 1
        marked = U64(0)
        if not fell:
            spot = address(turn, phase, side, U64(0), U64(gunner))
            source = exchange_source(word, spot, 0)
            row = gunner_row(program, aimed, U64(gunner), foe_ability)
            struck = roll(program, kind, U64(gunner), ability, row, source)
            if struck != U64(0):
                marked = mark(struck)
                body, _, more = hurt(program, foe, row, body, struck, source)
                if more != U64(0):
                    body, _ = wreck(program, foe, foe_ability, body, U64(0), more, source)
                    figures = flags(program, foe, body)
        if remembering:
            held = spend(program, kind, U64(gunner), ability, held, marked)
            fired |= U64(1) << U64(gunner)
    if remembering:
        held = settle(program, kind, held, fired)
    return body, figures, held, exchanges


def play_phased_duels(program, setting, types, scenes, fight_word_, begin, count, flag_sets):
    """Play `count` duels; arguments and result as those of `simlab.engine.loop.play_block`."""
    rules = memory(program)
    ends = np.zeros((flag_sets, flag_sets), np.int64)
    ended = memory(ends)
    sum_a, sum_b, exchanges = U64(0), U64(0), 0
    kind_a, kind_b = types[0], types[1]
    declared = setting[DECLARED] != 0
    phases, turns = U64(setting[PHASES]), U64(scenes.shape[0])
    fresh_a, full_a = fresh(rules, kind_a)
    fresh_b, full_b = fresh(rules, kind_b)
    whole_a, whole_b = flags(rules, kind_a, fresh_a), flags(rules, kind_b, fresh_b)
    for replicate in range(count):
        word = replicate_word(fight_word_, begin + U64(replicate))
        body_a, held_a, flags_a = fresh_a, full_a, whole_a
        body_b, held_b, flags_b = fresh_b, full_b, whole_b
        turn = U64(0)
        while True:
            turn += U64(1)
            scene = scenes[turn - U64(1)]
            aim_a, aim_b = aim(rules, kind_a, kind_b, scene), aim(rules, kind_b, kind_a, scene)
            phase = U64(0)
            while phase < phases:
                acts_a = acts(rules, kind_a, phase, body_a, held_a)
                acts_b = acts(rules, kind_b, phase, body_b, held_b)
                if not (acts_a or acts_b):
                    phase += U64(1)
                    continue
                able_a = capability(rules, kind_a, scene, phase, body_a, held_a)
                able_b = capability(rules, kind_b, scene, phase, body_b, held_b)
                fired_a, fired_b = 0, 0
                if acts_a:
                    body_b, flags_b, held_a, fired_a = fire_all(
                        rules, kind_a, able_a, kind_b, able_b, aim_a, body_b, flags_b, held_a, turn, phase, U64(0),
                        word, declared,
                    )  # fmt: skip
                if acts_b:
                    body_a, flags_a, held_b, fired_b = fire_all(
                        rules, kind_b, able_b, kind_a, able_a, aim_b, body_a, flags_a, held_b, turn, phase, U64(1),
                        word, declared,
                    )  # fmt: skip
                exchanges += fired_a + fired_b
                phase += U64(1)
                if (flags_a | flags_b) & U64(1):
                    break
            if (flags_a | flags_b) & U64(1) or turn == turns:
                break
            body_a, held_a = rest(rules, kind_a, body_a, held_a)
            body_b, held_b = rest(rules, kind_b, body_b, held_b)
        ended[flags_a * U64(flag_sets) + flags_b] += 1
        sum_a += turn * (flags_a & U64(1))
        sum_b += turn * (flags_b & U64(1))
    return duel_counts(ends, np.int64(sum_a), np.int64(sum_b), exchanges)
