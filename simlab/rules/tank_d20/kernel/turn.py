"""A crew's turn: what it can do in an action, and how loading, clearing and aiming go on (TD-2, TD-3, TD-9)."""

import numpy as np

from simlab.jit import kernel
from simlab.rules.tank_d20.kernel.crew import crew_left
from simlab.rules.tank_d20.kernel.layout import (
    AIMING,
    AT_GUN,
    CLEARING,
    CODE_SHIFT,
    CODE_ZERO,
    COUNTED,
    CREW_LOAD_SHIFT,
    DAZED,
    DIRECTS,
    DRIVEN,
    FRESH,
    FRESH_MEMORY,
    GUN_OUT,
    IMMOBILE,
    IN_COMMAND,
    JAM,
    JAM_COSTS,
    LEADER_HIT,
    LEADING,
    LEFT,
    LOAD_MASK,
    LOAD_SHIFT,
    LOADING,
    LOADS_ALONE,
    MOST_LEFT,
    MOVES,
    MOVING,
    NUMBER,
    READY,
    ROUND_SHIFT,
    SCENES,
    SERVED,
    SHOTS,
    SHOTS_SHIFT,
    STAND_IN,
    STUN_SHIFT,
    STUNS,
    TYPES,
    UNQUALIFIED,
)

U64 = np.uint64


@kernel
def fresh(program, type_):
    """Return body and memory of a unit at the start: loaded, and if it aims, not yet aimed (TD-9)."""
    return program[type_ + U64(FRESH)], program[type_ + U64(FRESH_MEMORY)]


@kernel
def gunners(program, type_):
    """Return the number of gunners: one main gun."""
    return 1


@kernel
def serves(program, type_, body):
    """Tell whether the gun can ever fire again."""
    return body & GUN_OUT == U64(0) and crew_left(program, type_, body) & SERVED != U64(0)


@kernel
def drives(program, type_, body):
    """Tell whether a unit can drive."""
    return body & IMMOBILE == U64(0) and crew_left(program, type_, body) & DRIVEN != U64(0)


@kernel
def capability(program, type_, scene, phase, body, memory):
    """Return what a unit can do in an action: whether it fires, with what modifier, and whether it moves.

    The modifier is what the state of the crew adds (TD-3): no commander, leader, a man who is not qualified at the gun,
    acquired target.
    """
    moving = U64(0)
    if program[type_ + U64(MOVES)] != U64(0) and drives(program, type_, body):
        moving = MOVING
    if memory & LEFT != U64(0) or body & GUN_OUT != U64(0):
        return moving
    crew = crew_left(program, type_, body)
    seen = program[program[U64(SCENES)] + scene * program[U64(TYPES)] + program[type_ + U64(NUMBER)]]
    if crew & SERVED == U64(0) or seen == U64(0):
        return moving
    if memory >> U64(ROUND_SHIFT) == U64(0) and program[type_ + U64(COUNTED)] != U64(0):
        return moving
    code = U64(CODE_ZERO)
    ability = READY | moving | (((crew >> U64(CREW_LOAD_SHIFT)) & LOAD_MASK) << U64(LOAD_SHIFT))
    if crew & DIRECTS and not memory & DAZED:
        code -= program[type_ + U64(LEADER_HIT)]
        ability |= LEADING
    else:
        code += U64(3)
    if crew & STAND_IN:
        code += U64(2)
        ability |= UNQUALIFIED
    if not moving:
        code -= (memory >> U64(SHOTS_SHIFT)) & SHOTS
    return ability | (code << U64(CODE_SHIFT))


@kernel
def ready(program, type_, gunner, ability):
    """Tell whether the gun is fired in this action."""
    return ability & READY != U64(0)


@kernel
def exposure(program, type_, ability):
    """Return what of a unit's ability matters to those who fire at it: whether it moves (TD-4)."""
    return ability & MOVING


@kernel
def mark(struck):
    """Return what of a roll its shooter remembers: whether the gun jammed (TD-2)."""
    return struck & JAM


@kernel
def spend(program, type_, gunner, ability, memory, mark):
    """Return the memory after a shot or a jam: a jam is no shot and is cleared first (TD-2, TD-3)."""
    shots = (memory >> U64(SHOTS_SHIFT)) & SHOTS
    rounds = memory >> U64(ROUND_SHIFT)
    left = ((ability >> U64(LOAD_SHIFT)) & LOAD_MASK) + program[type_ + U64(AIMING)]
    if mark:
        left += program[type_ + U64(CLEARING)]
    elif shots < U64(2):
        shots += U64(1)
    if ability & MOVING:
        shots = U64(0)
    if program[type_ + U64(COUNTED)] and (not mark or program[type_ + U64(JAM_COSTS)]):
        rounds -= U64(1)
    return min(left, MOST_LEFT) | (shots << U64(SHOTS_SHIFT)) | (rounds << U64(ROUND_SHIFT))


@kernel
def settle(program, type_, memory, fired):
    """Return the memory at the end of an action: who did not fire has cleared, loaded or aimed for an action (TD-9)."""
    memory &= ~DAZED
    if fired == U64(0) and memory & LEFT != U64(0):
        memory -= U64(1)
    return memory


@kernel
def retarget(program, type_, gunner, ability, memory):
    """Return ability and memory for another target than the last one's: acquiring begins anew (TD-3)."""
    shots = (memory >> U64(SHOTS_SHIFT)) & SHOTS
    if ability & READY and not ability & MOVING:
        ability += shots << U64(CODE_SHIFT)
    return ability, memory & ~(SHOTS << U64(SHOTS_SHIFT))


@kernel
def rest(program, type_, body, memory):
    """Return body and memory at the end of a turn: who was stunned in it loses an action of the next one (TD-7).

    The man at the gun, if there is an aimed shot to prepare or the gun is loaded; who loads, if there is loading to
    do; the commander's matters only if the gun fires in that action.
    """
    stunned = (body & STUNS) >> U64(STUN_SHIFT)
    if stunned == U64(0):
        return body, memory
    body &= ~STUNS
    left = memory & LEFT
    loading = left > program[type_ + U64(AIMING)]
    if stunned & LOADING and loading:
        left += U64(1)
    if stunned & AT_GUN and (not loading or crew_left(program, type_, body) & LOADS_ALONE):
        left += U64(1)
    memory = (memory & ~LEFT) | min(left, MOST_LEFT)
    if stunned & IN_COMMAND and left == U64(0):
        memory |= DAZED
    return body, memory


@kernel
def recall(program, type_, body, memory):
    """Return the memory without what no longer matters: all of it if the gun never fires again."""
    return memory if serves(program, type_, body) else U64(0)


@kernel
def learns(program, type_):
    """Tell whether memory may come to help: by acquiring the target (TD-3)."""
    return True


@kernel
def remembers(program, type_):
    """Tell whether a type's memory can change: loading always does."""
    return True
