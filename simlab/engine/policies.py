"""Who shoots at whom: the names of all policies, and the choice of first and spread, which the list of standing enemies
is enough for. The others are judged (see `simlab.engine.judged`)."""

import numpy as np

from simlab.engine.layout import DECLARED, FELL, LEFT_B, POLICY_A, UNIT_FIELDS
from simlab.engine.lists import order_row, standing_target
from simlab.jit import kernel

U64 = np.uint64

FIRST, SPREAD, FOCUS, WEAKEST, DANGEROUS, RANDOM = range(6)
POLICIES = {
    "first": FIRST,
    "spread": SPREAD,
    "focus": FOCUS,
    "weakest": WEAKEST,
    "dangerous": DANGEROUS,
    "random": RANDOM,
}


@kernel
def choose_place(policy, place, standing):
    """Return the place, from 0, of the chosen enemy among `standing` ones (at least 1).

    first: the lowest number. spread: the shooter's place among its side's units at the start of the phase, modulo the
    number of standing enemies.
    """
    if policy == FIRST:
        return 0
    # The division is slow and seldom needed: most shooters have at least as many enemies.
    return place if place < standing else place % standing


@kernel
def listed_target(setting, units, lists, side, place):
    """Return the target of the next volley of a shooter under first or spread, -1 if no enemy stands.

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
    return standing_target(units, lists, row, choose_place(policy, place, left))
