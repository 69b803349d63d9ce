"""The one loop over fights: sides of units, turns of phases, volleys at addressed dice. Knows no rule.

The functions `fresh`, `gunners`, `capability`, `ready`, `volley`, `spend`, `settle`, `retarget`, `remembers`, `flags`
and `fallen` are the system's, bound by name (see `simlab.jit`), `exchange_source` and `order_word` belong to the source
of dice.

A fight's setting is one array, its units another, its lists a third: few arrays, because every array that is handed
from function to function has its references counted.
"""
# mypy: ignore-errors

import numpy as np

from simlab.dice.words import address, replicate_word
from simlab.engine.policies import choose_place
from simlab.jit import kernel, kernel_call

U64 = np.uint64

FIRST_B, UNITS, POLICY_A, POLICY_B, DECLARED, WIDTH, SHUFFLED, GUNNERS_MOST, SETTING_SIZE = range(9)
"""setting: number of the first unit of side b, of all units; policies; targets fixed before any die; length
of a list; volleys come in a random order; the most gunners that a unit has."""
TYPE, BODY, MEMORY, ABILITY, FELL, CHANGED, FIGURES, LEADER, WHOLE, REMEMBERS, FIRED, UNIT_FIELDS = range(12)
"""units: (units, fields) type, state, capability at the start of the phase, turn in which it was destroyed or 0,
whether its state has changed since its capability was taken, its figures, the first
unit of its type, the figures of a fresh one, whether its memory can change, its gunners who fired in the phase."""
LEFT_A, LEFT_B, ORDER = 0, 1, 2
"""lists: units left of each side, then for each side, `width` long, the units that stand at the start of the phase,
their number first; then for each unit and gunner his last target, + 1; then the gunners who wait for their turn in a
random order: side, place, gunner."""
LOG_TURN, LOG_PHASE, LOG_UNIT, LOG_GUNNER, LOG_TARGET, LOG_ABILITY, LOG_TARGET_ABILITY = range(7)
LOG_BEFORE, LOG_AFTER, LOG_NOTE, LOG_SPOT, LOG_LOST, LOG_FIELDS = range(7, 13)
"""A logged exchange; LOG_LOST: the target had fallen already, so that no die was thrown."""


@kernel
def take_aim(program, setting, units, aims, scene):
    """Fill in the aims of all types at all others in a situation, unless they are there already.

    aims: (units, units) by the first unit of each type; then the situation they are for, + 1; then the words that put
    waiting gunners into a random order.
    """
    number = setting[UNITS]
    if aims[number * number] == scene + U64(1):
        return
    aims[number * number] = scene + U64(1)
    for unit in range(number):
        for target in range(number):
            own, other = unit * UNIT_FIELDS, target * UNIT_FIELDS
            leads = units[own + LEADER] == U64(unit) and units[other + LEADER] == U64(target)
            if leads and (unit < setting[FIRST_B]) != (target < setting[FIRST_B]):
                aims[unit * number + target] = aim(program, units[own + TYPE], units[other + TYPE], scene)


@kernel
def order_row(setting, side):
    """Return where the list of a side's units begins."""
    return ORDER + side * setting[WIDTH]


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


@kernel
def choose_target(setting, units, lists, side, place):
    """Return the target of the next volley of a shooter, -1 if no enemy stands.

    It is chosen among the enemies standing at the start of the phase; one that has fallen since is replaced by the
    same policy among those that still stand, or, where targets were fixed before any die, shot at in vain.
    """
    policy = setting[POLICY_A + side]
    row = order_row(setting, 1 - side)
    target = lists[row + 1 + choose_place(policy, place, lists[row])]
    if units[target * UNIT_FIELDS + FELL] == U64(0) or setting[DECLARED]:
        return target
    left = lists[LEFT_B - side]
    if left == 0:
        return -1
    wanted = choose_place(policy, place, left)
    while True:
        row += 1
        target = lists[row]
        if units[target * UNIT_FIELDS + FELL] == U64(0):
            if wanted == 0:
                return target
            wanted -= 1


@kernel
def fire(
    program, setting, units, lists, aims, turn, phase, side, place, gunner, kind, ability, word, played, log
):  # fmt: skip
    """Let a ready gunner fire; return the number of exchanges of the fight so far.

    `place`: that of his unit among those of its side that stand at the start of the phase. No enemy left, no exchange.
    """
    target = choose_target(setting, units, lists, side, place)
    if target < 0:
        return played
    unit = lists[order_row(setting, side) + 1 + place]
    if units[unit * UNIT_FIELDS + REMEMBERS]:
        ability = remember(program, setting, units, lists, unit, gunner, target, kind, ability)
    spot = address(U64(turn), U64(phase), U64(side), U64(unit - side * setting[FIRST_B]), U64(gunner))
    if log is not None:
        log_before(log[played], units, turn, phase, unit, gunner, target, spot, ability)
    if units[target * UNIT_FIELDS + FELL] != U64(0):
        return played + 1
    own_aims = np.int64(units[unit * UNIT_FIELDS + LEADER]) * setting[UNITS]
    before = units[target * UNIT_FIELDS + BODY]
    after, note = volley(
        program, kind, U64(gunner), ability, units[target * UNIT_FIELDS + TYPE], units[target * UNIT_FIELDS + ABILITY],
        aims[own_aims + np.int64(units[target * UNIT_FIELDS + LEADER])], before,
        exchange_source(word, spot, played),
    )  # fmt: skip
    if log is not None:
        log[played, LOG_AFTER] = after
        log[played, LOG_NOTE] = note
    units[target * UNIT_FIELDS + BODY] = after
    if weakened(before, after):
        units[target * UNIT_FIELDS + CHANGED] = U64(1)
        figures = flags(program, units[target * UNIT_FIELDS + TYPE], after)
        units[target * UNIT_FIELDS + FIGURES] = figures
        if figures & U64(1):
            units[target * UNIT_FIELDS + FELL] = U64(turn)
            lists[LEFT_B - side] -= 1
    return played + 1


@kernel_call
def remember(program, setting, units, lists, unit, gunner, target, kind, ability):
    """Note a volley in the shooter's memory; return the capability that he has against this target."""
    row = unit * UNIT_FIELDS
    last = ORDER + 2 * setting[WIDTH] + unit * setting[GUNNERS_MOST] + gunner
    before = units[row + MEMORY]
    after = before
    if lists[last] != target + 1:
        lists[last] = target + 1
        ability, after = retarget(program, kind, U64(gunner), ability, after)
    after = spend(program, kind, U64(gunner), ability, after)
    units[row + FIRED] |= U64(1) << U64(gunner)
    if after != before:
        units[row + MEMORY] = after
        units[row + CHANGED] = U64(1)
    return ability


@kernel_call
def end_phase(program, units, unit):
    """Let a unit's memory settle when its gunners have fired."""
    row = unit * UNIT_FIELDS
    before = units[row + MEMORY]
    after = settle(program, units[row + TYPE], before, units[row + FIRED])
    units[row + FIRED] = U64(0)
    if after != before:
        units[row + MEMORY] = after
        units[row + CHANGED] = U64(1)


@kernel
def play_phase(program, setting, units, lists, aims, scene, turn, phase, anew, word, played, log):
    """Let every unit standing at the start of the phase fire; return the number of exchanges of the fight so far.

    `log`, unless None, receives a row an exchange.
    """
    begin_phase(program, setting, units, lists, scene, phase, anew)
    if setting[SHUFFLED]:
        return play_shuffled(program, setting, units, lists, aims, turn, phase, word, played, log)
    for side in range(2):
        order = order_row(setting, side)
        for place in range(lists[order]):
            unit = lists[order + 1 + place]
            kind, ability = units[unit * UNIT_FIELDS + TYPE], units[unit * UNIT_FIELDS + ABILITY]
            for gunner in range(gunners(program, kind)):
                if ready(program, kind, U64(gunner), ability):
                    played = fire(
                        program, setting, units, lists, aims, turn, phase, side, place, gunner, kind, ability, word,
                        played, log,
                    )  # fmt: skip
            if units[unit * UNIT_FIELDS + REMEMBERS]:
                end_phase(program, units, unit)
    return played


@kernel_call
def play_shuffled(program, setting, units, lists, aims, turn, phase, word, played, log):
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
            program, setting, units, lists, aims, turn, phase, side, place, gunner, units[unit * UNIT_FIELDS + TYPE],
            units[unit * UNIT_FIELDS + ABILITY], word, played, log,
        )  # fmt: skip
    for side in range(2):
        order = order_row(setting, side)
        for place in range(lists[order]):
            unit = lists[order + 1 + place]
            if units[unit * UNIT_FIELDS + REMEMBERS]:
                end_phase(program, units, unit)
    return played


@kernel
def queue_row(setting):
    """Return where the queue of gunners begins in the lists."""
    return ORDER + 2 * setting[WIDTH] + setting[UNITS] * setting[GUNNERS_MOST]


@kernel
def enqueue(setting, lists, aims, waiting, key, side, place, gunner):
    """Put a gunner before all who wait with a higher key; return how many wait."""
    keys, queue = setting[UNITS] * setting[UNITS] + 1, queue_row(setting)
    spot = waiting
    while spot > 0 and aims[keys + spot - 1] > key:
        aims[keys + spot] = aims[keys + spot - 1]
        for field in range(3):
            lists[queue + 3 * spot + field] = lists[queue + 3 * spot - 3 + field]
        spot -= 1
    aims[keys + spot] = key
    lists[queue + 3 * spot], lists[queue + 3 * spot + 1], lists[queue + 3 * spot + 2] = side, place, gunner
    return waiting + 1


@kernel
def new_lists(setting):
    """Return room for lists."""
    return np.zeros(queue_row(setting) + 3 * setting[UNITS] * setting[GUNNERS_MOST], np.int64)


@kernel
def new_aims(setting):
    """Return room for aims."""
    return np.zeros(setting[UNITS] * (setting[UNITS] + setting[GUNNERS_MOST]) + 1, np.uint64)


@kernel
def log_before(row, units, turn, phase, unit, gunner, target, spot, ability):
    """Write down an exchange before its dice are thrown."""
    row[LOG_TURN], row[LOG_PHASE], row[LOG_UNIT], row[LOG_GUNNER] = (
        U64(turn),
        U64(phase),
        U64(unit),
        U64(gunner),
    )
    row[LOG_TARGET], row[LOG_ABILITY] = U64(target), ability
    row[LOG_TARGET_ABILITY] = units[target * UNIT_FIELDS + ABILITY]
    row[LOG_BEFORE], row[LOG_AFTER], row[LOG_NOTE] = (
        units[target * UNIT_FIELDS + BODY],
        units[target * UNIT_FIELDS + BODY],
        U64(0),
    )
    row[LOG_SPOT], row[LOG_LOST] = spot, U64(units[target * UNIT_FIELDS + FELL] != U64(0))


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
def play_fight(program, setting, units, lists, aims, scenes, turns, word, log):
    """Play one fight to its end or its last turn; return the number of exchanges."""
    begin_fight(program, setting, units, lists)
    played = 0
    for turn in range(1, turns + 1):
        take_aim(program, setting, units, aims, scenes[turn - 1])
        for phase in range(PHASES):
            anew = PHASES > 1 or turn == 1 or scenes[turn - 1] != scenes[turn - 2]
            played = play_phase(
                program, setting, units, lists, aims, scenes[turn - 1], turn, phase, anew, word, played, log
            )
        if lists[LEFT_A] == 0 or lists[LEFT_B] == 0:
            break
    return played


@kernel
def list_units(program, types):
    """Return the units as an array (units, UNIT_FIELDS) with all that stays the same from fight to fight."""
    units = np.zeros((types.shape[0], UNIT_FIELDS), np.uint64)
    for unit in range(types.shape[0]):
        units[unit, TYPE] = types[unit]
        leader = 0
        while types[leader] != types[unit]:
            leader += 1
        units[unit, LEADER] = leader
        body, _ = fresh(program, types[unit])
        units[unit, WHOLE] = flags(program, types[unit], body)
        units[unit, REMEMBERS] = U64(remembers(program, types[unit]))
    return units


def play_block(program, setting, types, scenes, fight_word_, begin, count, flag_sets):
    """Play `count` replicates from replicate `begin` on and return their counts.

    setting: int64 (SETTING_SIZE,). types: uint64 (units,), side a first. scenes: uint64 (turns,), the situation of
    each turn. Returns outcomes (4,), flags of units (units, flag_sets), sums of turns of destruction (units,),
    survivors (2, width), exchanges.
    """
    units = list_units(memory(program), types)
    aims = new_aims(setting)
    width = setting[WIDTH]
    lists = new_lists(setting)
    outcomes = np.zeros(4, np.int64)
    unit_flags = np.zeros((types.shape[0], flag_sets), np.int64)
    turn_sum = np.zeros(types.shape[0], np.int64)
    survivors = np.zeros((2, width), np.int64)
    exchanges = 0
    for replicate in range(count):
        word = replicate_word(fight_word_, begin + U64(replicate))
        exchanges += play_fight(
            memory(program),
            memory(setting),
            memory(units),
            memory(lists),
            memory(aims),
            memory(scenes),
            scenes.shape[0],
            word,
            None,
        )
        left_a, left_b = lists[LEFT_A], lists[LEFT_B]
        outcomes[(2 if left_b == 0 else 1) if left_a == 0 else (0 if left_b == 0 else 3)] += 1
        survivors[0, left_a] += 1
        survivors[1, left_b] += 1
        for unit in range(types.shape[0]):
            unit_flags[unit, units[unit, FIGURES]] += 1
            turn_sum[unit] += np.int64(units[unit, FELL])
    return outcomes, unit_flags, turn_sum, survivors, exchanges


def play_logged(program, setting, types, scenes, word, log):
    """Play one fight, its exchanges written to `log`, uint64 (exchanges, LOG_FIELDS).

    `word` is what `exchange_source` makes dice of: the replicate's word, or an array of scripts. Returns the number of
    exchanges and the units (units, UNIT_FIELDS).
    """
    units = list_units(memory(program), types)
    aims = new_aims(setting)
    lists = new_lists(setting)
    played = play_fight(
        memory(program),
        memory(setting),
        memory(units),
        memory(lists),
        memory(aims),
        memory(scenes),
        scenes.shape[0],
        word,
        log,
    )
    return played, units
