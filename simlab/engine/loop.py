"""The one loop over fights: sides of units, turns of phases, volleys at addressed dice. Knows no rule.

The functions `fresh`, `gunners`, `capability`, `ready`, `volley`, `mark`, `spend`, `settle`, `retarget`, `rest`,
`remembers`, `flags` and `fallen` are the system's, bound by name (see `simlab.jit`), `exchange_source` and `order_word`
belong to the source of dice, `ask_judge` to `simlab.engine.judging`.

A fight's setting is one array, its units another, its lists a third: few arrays, because every array that is handed
from function to function has its references counted.
"""
# mypy: ignore-errors

import numpy as np

from simlab.dice.slots import CHOICE
from simlab.dice.words import address, derived_word, replicate_word
from simlab.engine.layout import (
    ABILITY,
    BODY,
    BREAK,
    CHANGED,
    COMBINATIONS,
    COUPLED,
    FELL,
    FIGURES,
    FIRST_B,
    FOCUSED,
    JUDGE,
    LEADER,
    LEFT_A,
    LEFT_B,
    LOG_AFTER,
    LOG_NOTE,
    MEMORY,
    PHASES,
    POLICY_A,
    REMEMBERS,
    SETTING_SIZE,
    SHUFFLED,
    TYPE,
    UNIT_FIELDS,
    UNITS,
    WHOLE,
    WIDTH,
)
from simlab.engine.lists import (
    enqueue,
    list_units,
    log_before,
    look_around,
    new_aims,
    new_lists,
    new_minds,
    new_table,
    order_row,
    queue_row,
    take_aim,
)
from simlab.engine.policies import SPREAD, listed_target
from simlab.engine.remembering import end_phase, remember, rest_all, roll_mark, turn_to
from simlab.jit import kernel, kernel_call

U64 = np.uint64


@kernel
def begin_phase(program, setting, units, lists, scene, phase, anew):
    """Strike fallen units off the lists, and take the capability of standing ones anew where it may have changed."""
    for side in range(2):
        order = order_row(setting, side)
        kept = 0
        for place in range(lists[order]):
            unit = lists[order + 1 + place]
            row = unit * UNIT_FIELDS
            if units[row + FELL] != U64(0):
                continue
            kept += 1
            lists[order + kept] = unit
            if anew or units[row + CHANGED]:
                units[row + ABILITY] = capability(
                    program, units[row + TYPE], scene, phase, units[row + BODY], units[row + MEMORY]
                )
                units[row + CHANGED] = U64(0)
        lists[order] = kept


@kernel_call
def fire(
    program, setting, units, lists, aims, mind, turn, phase, side, place, gunner, kind, ability, word, played, log
):  # fmt: skip
    """Let a ready gunner fire; return the number of exchanges of the fight so far.

    `place`: that of his unit among those of its side that stand at the start of the phase. No enemy left, no exchange.
    """
    unit = lists[order_row(setting, side) + 1 + place]
    spot = address(U64(turn), U64(phase), U64(side), U64(unit - side * setting[FIRST_B]), U64(gunner))
    if setting[POLICY_A + side] > SPREAD:
        drawn = derived_word(order_word(word, spot), U64(CHOICE))
        minds, keys, chances = mind
        target = ask_judge(
            setting[JUDGE],
            program,
            setting,
            units,
            lists,
            aims,
            minds,
            keys,
            chances,
            side,
            unit,
            gunner,
            drawn,
        )
    else:
        target = listed_target(setting, units, lists, side, place)
    if target < 0:
        return played
    remembered = units[unit * UNIT_FIELDS + REMEMBERS]
    if remembered:
        ability = turn_to(program, setting, units, lists, unit, gunner, target, kind, ability)
    if log is not None:
        log_before(log[played], units, turn, phase, unit, gunner, target, spot, ability)
    if units[target * UNIT_FIELDS + FELL] != U64(0):
        if remembered:
            remember(program, units, unit, gunner, kind, ability, U64(0))
        return played + 1
    own_aims = np.int64(units[unit * UNIT_FIELDS + LEADER]) * setting[UNITS]
    aimed = aims[own_aims + np.int64(units[target * UNIT_FIELDS + LEADER])]
    foe_ability = units[target * UNIT_FIELDS + ABILITY]
    before = units[target * UNIT_FIELDS + BODY]
    source = exchange_source(word, spot, played)
    after, note = volley(
        program,
        kind,
        U64(gunner),
        ability,
        units[target * UNIT_FIELDS + TYPE],
        foe_ability,
        aimed,
        before,
        source,
    )
    if log is not None:
        log[played, LOG_AFTER] = after
        log[played, LOG_NOTE] = note
    if remembered:
        marked = U64(0)
        if setting[COUPLED]:
            marked = roll_mark(program, kind, gunner, ability, foe_ability, aimed, source)
        remember(program, units, unit, gunner, kind, ability, marked)
    units[target * UNIT_FIELDS + BODY] = after
    if weakened(before, after):
        units[target * UNIT_FIELDS + CHANGED] = U64(1)
        figures = flags(program, units[target * UNIT_FIELDS + TYPE], after)
        units[target * UNIT_FIELDS + FIGURES] = figures
        if figures & U64(1):
            units[target * UNIT_FIELDS + FELL] = U64(turn)
            lists[LEFT_B - side] -= 1
    return played + 1


@kernel
def play_phase(program, setting, units, lists, aims, mind, scene, turn, phase, anew, word, played, log):
    """Let every unit standing at the start of the phase fire; return the number of exchanges of the fight so far.

    `log`, unless None, receives a row an exchange.
    """
    begin_phase(program, setting, units, lists, scene, phase, anew)
    if setting[JUDGE]:
        look_around(setting, units, lists, mind[0], mind[2])
    if setting[SHUFFLED]:
        return play_shuffled(program, setting, units, lists, aims, mind, turn, phase, word, played, log)
    for side in range(2):
        order = order_row(setting, side)
        for place in range(lists[order]):
            unit = lists[order + 1 + place]
            kind, ability = units[unit * UNIT_FIELDS + TYPE], units[unit * UNIT_FIELDS + ABILITY]
            for gunner in range(gunners(program, kind)):
                if ready(program, kind, U64(gunner), ability):
                    played = fire(
                        program, setting, units, lists, aims, mind, turn, phase, side, place, gunner, kind, ability,
                        word, played, log,
                    )  # fmt: skip
            if units[unit * UNIT_FIELDS + REMEMBERS]:
                end_phase(program, units, unit)
    return played


@kernel_call
def play_shuffled(program, setting, units, lists, aims, mind, turn, phase, word, played, log):
    """Play a phase whose volleys come in a random order: all ready gunners of both sides by a word of their own.

    The word is that of the exchange's address, so that the order depends on nothing but the fight.
    """
    waiting = 0
    for side in range(2):
        order = order_row(setting, side)
        for place in range(lists[order]):
            unit = lists[order + 1 + place]
            kind, ability = units[unit * UNIT_FIELDS + TYPE], units[unit * UNIT_FIELDS + ABILITY]
            for gunner in range(gunners(program, kind)):
                if ready(program, kind, U64(gunner), ability):
                    spot = address(
                        U64(turn), U64(phase), U64(side), U64(unit - side * setting[FIRST_B]), U64(gunner)
                    )
                    waiting = enqueue(
                        setting, lists, aims, waiting, order_word(word, spot), side, place, gunner
                    )
    queue = queue_row(setting)
    for number in range(waiting):
        entry = queue + 3 * number
        side, place, gunner = lists[entry], lists[entry + 1], lists[entry + 2]
        unit = lists[order_row(setting, side) + 1 + place]
        played = fire(
            program, setting, units, lists, aims, mind, turn, phase, side, place, gunner,
            units[unit * UNIT_FIELDS + TYPE], units[unit * UNIT_FIELDS + ABILITY], word, played, log,
        )  # fmt: skip
    for side in range(2):
        order = order_row(setting, side)
        for place in range(lists[order]):
            unit = lists[order + 1 + place]
            if units[unit * UNIT_FIELDS + REMEMBERS]:
                end_phase(program, units, unit)
    return played


@kernel
def begin_fight(program, setting, units, lists):
    """Set all units fresh and standing."""
    for unit in range(setting[UNITS]):
        row = unit * UNIT_FIELDS
        units[row + BODY], units[row + MEMORY] = fresh(program, units[row + TYPE])
        units[row + FELL] = U64(0)
        units[row + FIGURES] = units[row + WHOLE]
    for side in range(2):
        order = order_row(setting, side)
        number = setting[UNITS] - setting[FIRST_B] if side else setting[FIRST_B]
        lists[LEFT_A + side], lists[order] = number, number
        for place in range(number):
            lists[order + 1 + place] = side * setting[FIRST_B] + place


@kernel
def play_fight(program, setting, units, lists, aims, mind, scenes, turns, word, log):
    """Play one fight to its end or its last turn; return the number of exchanges."""
    begin_fight(program, setting, units, lists)
    if setting[JUDGE]:
        mind[0][FOCUSED], mind[0][FOCUSED + 1] = U64(0), U64(0)
    played = 0
    for turn in range(1, turns + 1):
        take_aim(program, setting, units, aims, scenes[turn - 1])
        for phase in range(setting[PHASES]):
            anew = setting[PHASES] > 1 or turn == 1 or scenes[turn - 1] != scenes[turn - 2]
            played = play_phase(
                program,
                setting,
                units,
                lists,
                aims,
                mind,
                scenes[turn - 1],
                turn,
                phase,
                anew,
                word,
                played,
                log,
            )
        if lists[LEFT_A] == 0 or lists[LEFT_B] == 0:
            break
        if setting[BREAK] and (is_broken(setting, units, 0) or is_broken(setting, units, 1)):
            break
        if setting[COUPLED]:
            rest_all(program, setting, units)
    return played


@kernel_call
def is_broken(setting, units, side):
    """Tell whether those of a side that have fallen cost as much as breaks it."""
    begin, end = (setting[FIRST_B], setting[UNITS]) if side else (0, setting[FIRST_B])
    lost = 0
    for unit in range(begin, end):
        if units[unit * UNIT_FIELDS + FELL] != U64(0):
            lost += setting[SETTING_SIZE + unit]
    return lost >= setting[BREAK]


@kernel
def ended(setting, units, lists):
    """Return the number of a fight's outcome: a side that is destroyed or broken loses to one that is not."""
    lost_a, lost_b = lists[LEFT_A] == 0, lists[LEFT_B] == 0
    if setting[BREAK]:
        lost_a, lost_b = lost_a or is_broken(setting, units, 0), lost_b or is_broken(setting, units, 1)
    return (2 if lost_b else 1) if lost_a else (0 if lost_b else 3)


def play_block(program, setting, types, scenes, fight_word_, begin, count, flag_sets):
    """Play `count` replicates from replicate `begin` on and return their counts.

    setting: int64 (SETTING_SIZE + 2 units,). types: uint64 (units,), side a first. scenes: uint64 (turns,), the
    situation of each turn. Returns outcomes (4,), flags of units (units, flag_sets), sums of turns of destruction
    (units,), survivors (2, width), exchanges, and by side how often each combination of units fell (2, combinations).
    """
    units = list_units(memory(program), types)
    aims = new_aims(setting)
    minds = new_minds(setting)
    keys, chances = new_table(setting)
    width = setting[WIDTH]
    lists = new_lists(setting)
    outcomes = np.zeros(4, np.int64)
    unit_flags = np.zeros((types.shape[0], flag_sets), np.int64)
    turn_sum = np.zeros(types.shape[0], np.int64)
    survivors = np.zeros((2, width), np.int64)
    fallen_ones = np.zeros((2, setting[COMBINATIONS]), np.int64)
    exchanges = 0
    for replicate in range(count):
        word = replicate_word(fight_word_, begin + U64(replicate))
        exchanges += play_fight(
            memory(program),
            memory(setting),
            memory(units),
            memory(lists),
            memory(aims),
            (memory(minds), memory(keys), memory(chances)),
            memory(scenes),
            scenes.shape[0],
            word,
            None,
        )
        outcomes[ended(memory(setting), memory(units), memory(lists))] += 1
        survivors[0, lists[LEFT_A]] += 1
        survivors[1, lists[LEFT_B]] += 1
        combination_a, combination_b = 0, 0
        for unit in range(types.shape[0]):
            figures = units[unit, FIGURES]
            unit_flags[unit, figures] += 1
            turn_sum[unit] += np.int64(units[unit, FELL])
            step = setting[SETTING_SIZE + types.shape[0] + unit] * np.int64(figures & U64(1))
            if unit < setting[FIRST_B]:
                combination_a += step
            else:
                combination_b += step
        fallen_ones[0, combination_a] += 1
        fallen_ones[1, combination_b] += 1
    return outcomes, unit_flags, turn_sum, survivors, exchanges, fallen_ones


@kernel
def keep(aims, lists, mind):
    """Use arrays once more: what is not used any more is freed, though its bare memory is."""


def play_logged(program, setting, types, scenes, word, log):
    """Play one fight, its exchanges written to `log`, uint64 (exchanges, LOG_FIELDS).

    `word` is what `exchange_source` makes dice of: the replicate's word, or an array of scripts. Returns the number of
    exchanges and the units (units, UNIT_FIELDS).
    """
    units = list_units(memory(program), types)
    aims = new_aims(setting)
    minds = new_minds(setting)
    keys, chances = new_table(setting)
    lists = new_lists(setting)
    played = play_fight(
        memory(program),
        memory(setting),
        memory(units),
        memory(lists),
        memory(aims),
        (memory(minds), memory(keys), memory(chances)),
        memory(scenes),
        scenes.shape[0],
        word,
        log,
    )
    keep(aims, lists, (minds, keys, chances))
    return played, units
