"""The arrays of the loop over fights, its log, and what choosers of targets keep in mind: where their parts begin, and
how they are filled."""
# mypy: ignore-errors

import numpy as np

from simlab.engine.layout import (
    ABILITY,
    BODIES,
    BODY,
    FELL,
    FIRST_B,
    FOCUSED,
    GUNNERS_MOST,
    JUDGE,
    LEADER,
    LOG_ABILITY,
    LOG_AFTER,
    LOG_BEFORE,
    LOG_GUNNER,
    LOG_LOST,
    LOG_NOTE,
    LOG_PHASE,
    LOG_SPOT,
    LOG_TARGET,
    LOG_TARGET_ABILITY,
    LOG_TURN,
    LOG_UNIT,
    ORDER,
    REMEMBERS,
    TYPE,
    UNIT_FIELDS,
    UNITS,
    WHOLE,
    WIDTH,
)
from simlab.jit import kernel, kernel_call
from simlab.tables.chance_loop import ENTRIES, WORDS

U64 = np.uint64


@kernel
def order_row(setting, side):
    """Return where the list of a side's units begins."""
    return ORDER + side * setting[WIDTH]


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
def standing_target(units, lists, row, wanted):
    """Return the enemy at a place, from 0, among those of a list that still stand."""
    while True:
        row += 1
        target = lists[row]
        if units[target * UNIT_FIELDS + FELL] == U64(0):
            if wanted == 0:
                return target
            wanted -= 1


@kernel
def last_targets(setting):
    """Return where the last targets begin in the minds."""
    return BODIES + setting[UNITS]


@kernel
def new_minds(setting):
    """Return room for minds."""
    number = last_targets(setting) + setting[UNITS] * setting[GUNNERS_MOST]
    return np.zeros(number if setting[JUDGE] else 1, np.uint64)


@kernel
def new_table(setting):
    """Return room for the keys and the chances of judged volleys, and for what is known of each unit in a phase."""
    entries = ENTRIES if setting[JUDGE] else 0
    return np.zeros(entries * WORDS + 1, np.uint64), np.zeros(entries + setting[UNITS])


@kernel_call
def look_around(setting, units, lists, minds, chances):
    """Begin a phase: keep in mind how everybody is and at whom he fired; give up a target that has fallen."""
    for side in range(2):
        chosen = np.int64(minds[FOCUSED + side]) - 1
        if chosen >= 0 and units[chosen * UNIT_FIELDS + FELL] != U64(0):
            minds[FOCUSED + side] = U64(0)
    memories = ORDER + 2 * setting[WIDTH]
    for unit in range(setting[UNITS]):
        minds[BODIES + unit] = units[unit * UNIT_FIELDS + BODY]
        chances[ENTRIES + unit] = -1.0
        for gunner in range(setting[GUNNERS_MOST]):
            place = unit * setting[GUNNERS_MOST] + gunner
            minds[last_targets(setting) + place] = U64(lists[memories + place])


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
