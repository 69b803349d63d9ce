"""Who shoots at whom, where it takes chances or dice to say it: focus, weakest, dangerous, random.

Meanings are in docs/policies.md. `judge` is compiled apart from the loops, which call it by its address (see
`simlab.engine.judging`): the dice of its chances are not those of the fight, and loops stay as quick to compile.
"""
# mypy: ignore-errors

import numpy as np

from simlab.engine.layout import (
    ABILITY,
    BODIES,
    BODY,
    DECLARED,
    FELL,
    FOCUSED,
    GUNNERS_MOST,
    LEADER,
    LEFT_B,
    MEMORY,
    POLICY_A,
    REMEMBERS,
    TYPE,
    UNIT_FIELDS,
    UNITS,
)
from simlab.engine.lists import last_targets, order_row, standing_target
from simlab.engine.policies import DANGEROUS, FOCUS, RANDOM, WEAKEST
from simlab.jit import kernel
from simlab.tables.chance_loop import ENTRIES, VOLLEYS, WORDS, enter_chance, find_chance, volley_chance

U64 = np.uint64

CLEARLY = 1.0 + 1e-9
"""A chance is higher than another if it is more than so many times as high: equal ones differ by rounding alone."""


@kernel
def gunner_ability(program, setting, units, minds, unit, gunner, target):
    """Return what a unit can do this phase, for a gunner who fires at a target."""
    row = unit * UNIT_FIELDS
    ability = units[row + ABILITY]
    last = minds[last_targets(setting) + unit * setting[GUNNERS_MOST] + gunner]
    if units[row + REMEMBERS] and last != U64(target + 1):
        ability, _ = retarget(program, units[row + TYPE], U64(gunner), ability, units[row + MEMORY])
    return ability


@kernel
def chance_at(program, setting, units, aims, minds, keys, chances, unit, gunner, target, body):
    """Return the chance that a gunner's volley destroys a target with this body."""
    own, other = unit * UNIT_FIELDS, target * UNIT_FIELDS
    kind, foe = units[own + TYPE], units[other + TYPE]
    ability = gunner_ability(program, setting, units, minds, unit, gunner, target)
    exposed = exposure(program, foe, units[other + ABILITY])
    aimed = aims[np.int64(units[own + LEADER]) * setting[UNITS] + np.int64(units[other + LEADER])]
    row = U64(gunner_row(program, aimed, U64(gunner), exposed))
    pair, place = VOLLEYS | (kind << U64(31)) | foe, (row << U64(8)) | U64(gunner)
    entry = find_chance(keys, pair, place, ability, exposed, body)
    if keys[entry * U64(WORDS)] != U64(0):
        return chances[entry]
    chance = volley_chance(program, kind, U64(gunner), ability, foe, exposed, row, body, keys, chances)
    enter_chance(keys, chances, pair, place, ability, exposed, body, chance)
    return chance


@kernel
def body_of(setting, units, minds, target):
    """Return the body of an enemy: now, or where targets are fixed before any die at the start of the phase."""
    return minds[BODIES + target] if setting[DECLARED] else units[target * UNIT_FIELDS + BODY]


@kernel
def worth(program, setting, units, lists, aims, minds, keys, chances, policy, side, unit, gunner, enemy):
    """Return what an enemy is worth to a policy.

    weakest: the chance that the gunner's volley destroys it. focus: the chance that any volley of the ready gunners of
    the whole side does, each for itself. dangerous: the sum of the chances that volleys of its ready gunners, each for
    itself, destroy a unit of the side, over all of these as they were at the start of the phase.
    """
    own = order_row(setting, side)
    shooters = lists[own] if policy == FOCUS else 1
    victims = lists[own] if policy == DANGEROUS else 1
    shooter, victim = enemy if policy == DANGEROUS else unit, enemy
    body = body_of(setting, units, minds, enemy)
    expected, some = 0.0, 0.0
    for place in range(shooters):
        if policy == FOCUS:
            shooter = lists[own + 1 + place]
        kind, ability = units[shooter * UNIT_FIELDS + TYPE], units[shooter * UNIT_FIELDS + ABILITY]
        for number in range(gunners(program, kind)):
            if (policy == WEAKEST and number != gunner) or not ready(program, kind, U64(number), ability):
                continue
            for other in range(victims):
                if policy == DANGEROUS:
                    victim = lists[own + 1 + other]
                    body = minds[BODIES + victim]
                chance = chance_at(
                    program, setting, units, aims, minds, keys, chances, shooter, number, victim, body
                )
                expected += chance
                some += chance * (1.0 - some)
    return expected if policy == DANGEROUS else some


@kernel
def is_open(setting, units, target):
    """Tell whether an enemy of the list can be chosen: fallen ones only where targets are fixed before any die."""
    return setting[DECLARED] != 0 or units[target * UNIT_FIELDS + FELL] == U64(0)


@kernel
def known_danger(policy, chances, enemy):
    """Return what is remembered of an enemy in this phase, below 0 for nothing."""
    return chances[ENTRIES + enemy] if policy == DANGEROUS else -1.0


@kernel
def random_target(setting, units, lists, side, drawn):
    """Return an enemy by a random word, each alike."""
    row = order_row(setting, 1 - side)
    number = lists[row] if setting[DECLARED] else lists[LEFT_B - side]
    if number == 0:
        return -1
    place = np.int64(((drawn >> U64(32)) * U64(number)) >> U64(32))
    return lists[row + 1 + place] if setting[DECLARED] else standing_target(units, lists, row, place)


def judge(program, setting, units, lists, aims, minds, keys, chances, side, unit, gunner, drawn):
    """Return the target of the next volley of a gunner of a unit, -1 if no enemy is open to him.

    All arrays are bare memory. drawn: a random word of the exchange. Of enemies of the same worth it is the first.
    """
    policy = setting[POLICY_A + side]
    if policy == RANDOM:
        return random_target(setting, units, lists, side, drawn)
    focused = np.int64(minds[FOCUSED + side]) - 1
    if policy == FOCUS and focused >= 0 and is_open(setting, units, focused):
        return focused
    row = order_row(setting, 1 - side)
    chosen, highest = -1, -1.0
    for place in range(lists[row]):
        enemy = lists[row + 1 + place]
        if is_open(setting, units, enemy):
            value = known_danger(policy, chances, enemy)
            if value < 0.0:
                value = worth(
                    program,
                    setting,
                    units,
                    lists,
                    aims,
                    minds,
                    keys,
                    chances,
                    policy,
                    side,
                    unit,
                    gunner,
                    enemy,
                )
                chances[ENTRIES + enemy] = value
            if value > highest * CLEARLY:
                chosen, highest = enemy, value
    minds[FOCUSED + side] = U64(chosen + 1)
    return chosen
