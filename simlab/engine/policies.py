"""Who shoots at whom: places in the list of standing enemies."""

import numpy as np

from simlab.jit import kernel

U64 = np.uint64

FIRST, SPREAD = 0, 1
POLICIES = {"first": FIRST, "spread": SPREAD}
PLANNED = ("focus", "weakest", "dangerous", "random")
"""Policies that are known and not built yet."""


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
