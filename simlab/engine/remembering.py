"""What units remember of their fire, and how they come to the end of a turn, in the loop over fights.

`mark`, `roll`, `gunner_row`, `retarget`, `spend`, `settle` and `rest` are the system's, bound by name.
"""
# mypy: ignore-errors

import numpy as np

from simlab.engine.layout import (
    BODY,
    CHANGED,
    FELL,
    FIRED,
    GUNNERS_MOST,
    MEMORY,
    ORDER,
    TYPE,
    UNIT_FIELDS,
    UNITS,
    WIDTH,
)
from simlab.jit import kernel, kernel_call

U64 = np.uint64


@kernel_call
def roll_mark(program, kind, gunner, ability, foe_ability, aimed, source):
    """Return what of a gunner's roll he remembers: the same dice once more."""
    return mark(
        roll(
            program, kind, U64(gunner), ability, gunner_row(program, aimed, U64(gunner), foe_ability), source
        )
    )


@kernel_call
def turn_to(program, setting, units, lists, unit, gunner, target, kind, ability):
    """Note a gunner's target; return the capability that he has against it."""
    last = ORDER + 2 * setting[WIDTH] + unit * setting[GUNNERS_MOST] + gunner
    if lists[last] != target + 1:
        lists[last] = target + 1
        before = units[unit * UNIT_FIELDS + MEMORY]
        ability, after = retarget(program, kind, U64(gunner), ability, before)
        set_memory(units, unit, before, after)
    return ability


@kernel_call
def remember(program, units, unit, gunner, kind, ability, marked):
    """Note a volley in the shooter's memory."""
    before = units[unit * UNIT_FIELDS + MEMORY]
    units[unit * UNIT_FIELDS + FIRED] |= U64(1) << U64(gunner)
    set_memory(units, unit, before, spend(program, kind, U64(gunner), ability, before, marked))


@kernel
def set_memory(units, unit, before, after):
    """Change what a unit remembers."""
    if after != before:
        units[unit * UNIT_FIELDS + MEMORY] = after
        units[unit * UNIT_FIELDS + CHANGED] = U64(1)


@kernel_call
def end_phase(program, units, unit):
    """Let a unit's memory settle when its gunners have fired."""
    row = unit * UNIT_FIELDS
    before = units[row + MEMORY]
    set_memory(units, unit, before, settle(program, units[row + TYPE], before, units[row + FIRED]))
    units[row + FIRED] = U64(0)


@kernel_call
def rest_all(program, setting, units):
    """Let all units that stand come to the end of a turn."""
    for unit in range(setting[UNITS]):
        row = unit * UNIT_FIELDS
        if units[row + FELL] == U64(0):
            units[row + BODY], units[row + MEMORY] = rest(
                program, units[row + TYPE], units[row + BODY], units[row + MEMORY]
            )
            units[row + CHANGED] = U64(1)
