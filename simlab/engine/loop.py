"""The one loop over fights: sides of units, turns of phases, volleys at addressed dice. Knows no rule.

The functions `fresh`, `gunners`, `capability`, `ready`, `volley`, `spend`, `flags` and `fallen` are the system's,
bound by name (see `simlab.jit`), `exchange_source` belongs to the source of dice.

A fight's setting is one array, its units another, its lists a third: few arrays, because every array that is handed
from function to function has its references counted.
"""
# mypy: ignore-errors

import numpy as np

from simlab.dice.words import address, replicate_word
from simlab.engine.policies import choose_place
from simlab.jit import kernel

U64 = np.uint64

FIRST_B, UNITS, POLICY_A, POLICY_B, DECLARED, WIDTH, SETTING_SIZE = range(7)
"""setting: number of the first unit of side b, of all units; policies; targets fixed before any die; length
of a list."""
TYPE, BODY, MEMORY, ABILITY, FELL, CHANGED, UNIT_FIELDS, _ = range(8)
"""units: (units, fields) type, state, capability at the start of the phase, turn in which it was destroyed or 0,
whether its state has changed since its capability was taken."""
SHOOTERS, STANDING, LISTS = 0, 2, 4
"""lists: (4, width) units of each side that fire in the phase, and that stand; each row begins with their number."""
LOG_TURN, LOG_PHASE, LOG_UNIT, LOG_GUNNER, LOG_TARGET, LOG_ABILITY, LOG_TARGET_ABILITY = range(7)
LOG_BEFORE, LOG_AFTER, LOG_NOTE, LOG_SPOT, LOG_LOST, LOG_FIELDS = range(7, 13)
"""A logged exchange; LOG_LOST: the target had fallen already, so that no die was thrown."""


@kernel
def remove_unit(lists, row, unit):
    """Take a unit out of the list that begins at `row`, keeping the order."""
    place = row + 1
    while lists[place] != unit:
        place += 1
    for later in range(place, row + lists[row]):
        lists[later] = lists[later + 1]
    lists[row] -= 1


@kernel
def begin_phase(program, setting, units, lists, scene, phase, anew):
    """List every standing unit as a shooter, its capability taken anew where it may have changed."""
    width = setting[WIDTH]
    for side in range(2):
        shooters, standing = (SHOOTERS + side) * width, (STANDING + side) * width
        lists[shooters] = lists[standing]
        for place in range(1, lists[standing] + 1):
            unit = lists[standing + place]
            lists[shooters + place] = unit
            row = unit * UNIT_FIELDS
            if anew or units[row + CHANGED]:
                units[row + ABILITY] = capability(
                    program, units[row + TYPE], scene, phase, units[row + BODY], units[row + MEMORY]
                )
                units[row + CHANGED] = U64(0)


@kernel
def choose_target(setting, units, lists, side, place):
    """Return the target of the next volley of a shooter, -1 if no enemy stands.

    It is chosen among the enemies standing at the start of the phase; one that has fallen since is replaced by the
    same policy among those that still stand, or, where targets were fixed before any die, shot at in vain.
    """
    policy = setting[POLICY_A + side]
    row = (SHOOTERS + 1 - side) * setting[WIDTH]
    target = lists[row + 1 + choose_place(policy, place, lists[row])]
    if units[target * UNIT_FIELDS + FELL] == U64(0) or setting[DECLARED]:
        return target
    row = (STANDING + 1 - side) * setting[WIDTH]
    if lists[row] == 0:
        return -1
    return lists[row + 1 + choose_place(policy, place, lists[row])]


@kernel
def play_phase(program, setting, units, lists, scene, turn, phase, anew, word, played, log):
    """Let every unit standing at the start of the phase fire; return the number of exchanges of the fight so far.

    `log`, unless None, receives a row an exchange.
    """
    begin_phase(program, setting, units, lists, scene, phase, anew)
    for side in range(2):
        shooters = (SHOOTERS + side) * setting[WIDTH]
        enemies = (STANDING + 1 - side) * setting[WIDTH]
        for place in range(lists[shooters]):
            unit = lists[shooters + 1 + place]
            kind, ability = units[unit * UNIT_FIELDS + TYPE], units[unit * UNIT_FIELDS + ABILITY]
            for gunner in range(gunners(program, kind)):
                if not ready(program, kind, U64(gunner), ability):
                    continue
                target = choose_target(setting, units, lists, side, place)
                if target < 0:
                    break
                memory_before = units[unit * UNIT_FIELDS + MEMORY]
                memory_after = spend(program, kind, U64(gunner), ability, memory_before)
                if memory_after != memory_before:
                    units[unit * UNIT_FIELDS + MEMORY] = memory_after
                    units[unit * UNIT_FIELDS + CHANGED] = U64(1)
                spot = address(
                    U64(turn), U64(phase), U64(side), U64(unit - side * setting[FIRST_B]), U64(gunner)
                )
                if log is not None:
                    log_before(log[played], units, turn, phase, unit, gunner, target, spot)
                played += 1
                if units[target * UNIT_FIELDS + FELL] != U64(0):
                    continue
                before = units[target * UNIT_FIELDS + BODY]
                after, note = volley(
                    program,
                    kind,
                    U64(gunner),
                    ability,
                    units[target * UNIT_FIELDS + TYPE],
                    units[target * UNIT_FIELDS + ABILITY],
                    aim(program, kind, units[target * UNIT_FIELDS + TYPE], scene),
                    before,
                    exchange_source(word, spot, played - 1),
                )
                if log is not None:
                    log[played - 1, LOG_AFTER] = after
                    log[played - 1, LOG_NOTE] = note
                units[target * UNIT_FIELDS + BODY] = after
                if not weakened(before, after):
                    continue
                units[target * UNIT_FIELDS + CHANGED] = U64(1)
                if fallen(program, units[target * UNIT_FIELDS + TYPE], after):
                    units[target * UNIT_FIELDS + FELL] = U64(turn)
                    remove_unit(lists, enemies, target)
    return played


@kernel
def log_before(row, units, turn, phase, unit, gunner, target, spot):
    """Write down an exchange before its dice are thrown."""
    row[LOG_TURN], row[LOG_PHASE], row[LOG_UNIT], row[LOG_GUNNER] = (
        U64(turn),
        U64(phase),
        U64(unit),
        U64(gunner),
    )
    row[LOG_TARGET], row[LOG_ABILITY] = U64(target), units[unit * UNIT_FIELDS + ABILITY]
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
    for side in range(2):
        row = (STANDING + side) * setting[WIDTH]
        lists[row] = setting[UNITS] - setting[FIRST_B] if side else setting[FIRST_B]
        for place in range(lists[row]):
            lists[row + 1 + place] = side * setting[FIRST_B] + place


@kernel
def play_fight(program, setting, units, lists, scenes, turns, word, log):
    """Play one fight to its end or its last turn; return the number of exchanges."""
    begin_fight(program, setting, units, lists)
    played = 0
    standing_a, standing_b = STANDING * setting[WIDTH], (STANDING + 1) * setting[WIDTH]
    for turn in range(1, turns + 1):
        for phase in range(PHASES):
            anew = PHASES > 1 or turn == 1 or scenes[turn - 1] != scenes[turn - 2]
            played = play_phase(
                program, setting, units, lists, scenes[turn - 1], turn, phase, anew, word, played, log
            )
        if lists[standing_a] == 0 or lists[standing_b] == 0:
            break
    return played


def play_block(program, setting, types, scenes, fight_word_, begin, count, flag_sets):
    """Play `count` replicates from replicate `begin` on and return their counts.

    setting: int64 (SETTING_SIZE,). types: uint64 (units,), side a first. scenes: uint64 (turns,), the situation of
    each turn. Returns outcomes (4,), flags of units (units, flag_sets), sums of turns of destruction (units,),
    survivors (2, width), exchanges.
    """
    units = np.zeros((types.shape[0], UNIT_FIELDS), np.uint64)
    for unit in range(types.shape[0]):
        units[unit, TYPE] = types[unit]
    width = setting[WIDTH]
    lists = np.zeros(LISTS * width, np.int64)
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
            memory(scenes),
            scenes.shape[0],
            word,
            None,
        )
        left_a, left_b = lists[STANDING * width], lists[(STANDING + 1) * width]
        outcomes[(2 if left_b == 0 else 1) if left_a == 0 else (0 if left_b == 0 else 3)] += 1
        survivors[0, left_a] += 1
        survivors[1, left_b] += 1
        for unit in range(types.shape[0]):
            unit_flags[unit, flags(memory(program), units[unit, TYPE], units[unit, BODY])] += 1
            turn_sum[unit] += np.int64(units[unit, FELL])
    return outcomes, unit_flags, turn_sum, survivors, exchanges


def play_logged(program, setting, types, scenes, word, log):
    """Play one fight, its exchanges written to `log`, uint64 (exchanges, LOG_FIELDS).

    `word` is what `exchange_source` makes dice of: the replicate's word, or an array of scripts. Returns the number of
    exchanges and the units (units, UNIT_FIELDS).
    """
    units = np.zeros((types.shape[0], UNIT_FIELDS), np.uint64)
    for unit in range(types.shape[0]):
        units[unit, TYPE] = types[unit]
    lists = np.zeros(LISTS * setting[WIDTH], np.int64)
    played = play_fight(
        memory(program),
        memory(setting),
        memory(units),
        memory(lists),
        memory(scenes),
        scenes.shape[0],
        word,
        log,
    )
    return played, units
