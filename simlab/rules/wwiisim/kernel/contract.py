"""What a unit can do in a phase, what it remembers, and how a turn ends."""

import numpy as np

from simlab.jit import kernel, kernel_call
from simlab.rules.wwiisim.kernel.layout import (
    ARMS,
    AT_ONCE,
    BLOCKED,
    BURNING,
    CATASTROPHIC_KILL,
    CREW_DEAD,
    CREW_KILL,
    DESTROYED,
    DISARMED,
    FIRED,
    FIRED_FIRST,
    FIRED_SECOND,
    FIREPOWER_KILL,
    FIRST,
    GONE,
    IMMOBILE,
    JAM,
    LEARNS,
    LOSSES,
    MARK,
    MOBILITY_KILL,
    MUZZLE,
    MUZZLE_SHIFT,
    MUZZLES,
    NUMBER,
    OWN_PHASE,
    REMEMBERS,
    REPAIRABLE,
    SCENES,
    SECOND,
    SHELL_FIELD,
    SHELL_PLACE,
    SHELLS,
    SHELLS_MOST,
    SMOKE,
    SMOKE_BLOCKS,
    SMOKE_SHIFT,
    SMOKE_TURNS,
    SMOKED,
    SPENT,
    STANDS,
    STUNNED,
    TEAM,
    TYPES,
    WEAPON_BITS,
    ZERO_ENDS,
    ZERO_PHASE,
    ZEROED,
)

U64 = np.uint64


@kernel
def fresh(program, type_):
    """Return body and memory of a unit at the start: nothing has happened."""
    return U64(0), U64(0)


@kernel
def gunners(program, type_):
    """Return the number of single weapons, each of which fires for itself."""
    return program[type_ + U64(ARMS)]


@kernel
def in_reach(program, type_, scene):
    """Return the weapons whose long band reaches, none of a side that holds its fire (WS-2)."""
    return program[program[U64(SCENES)] + scene * program[U64(TYPES)] + program[type_ + U64(NUMBER)]]


@kernel
def gone(program, type_, body):
    """Return the weapons that are destroyed, or that no man is left to fire."""
    return program[type_ + U64(GONE) + (body & LOSSES)]


@kernel_call
def capability(program, type_, scene, phase, body, memory):
    """Return the weapons that may fire in a phase, and smoke on the line of fire (WS-3, WS-4, WS-8 to WS-10).

    A unit fires at its own place in the order, and without initiative at the end, if it has not fired yet. A stunned
    crew does nothing more in its turn.
    """
    if body & ZEROED:
        able = program[type_ + U64(ZERO_PHASE) + U64(phase)]
        if memory & FIRED_FIRST:
            able &= ~program[type_ + U64(FIRST)]
        if memory & FIRED_SECOND:
            able &= ~program[type_ + U64(SECOND)]
    else:
        able = program[type_ + U64(OWN_PHASE) + U64(phase)]
    lost = gone(program, type_, body)
    able &= in_reach(program, type_, scene) & ~lost & ~memory
    if body & STUNNED:
        able = U64(0)
    if program[U64(AT_ONCE)] and not memory & FIRED and memory & program[type_ + U64(REPAIRABLE)] & ~lost:
        able = U64(0)
    able &= WEAPON_BITS
    if program[U64(SMOKE_TURNS)] and (body & SMOKE or memory & MUZZLE):
        able = SMOKED if program[U64(SMOKE_BLOCKS)] else able | SMOKED
    return able | (memory & SHELL_FIELD)


@kernel
def acts(program, type_, phase, body, memory):
    """Tell whether some weapon of a unit has its place in a phase and is not used up: phases are many (WS-3, WS-9)."""
    weapons = U64(ZERO_PHASE) if body & ZEROED else U64(OWN_PHASE)
    return program[type_ + weapons + phase] & ~memory & WEAPON_BITS != U64(0)


@kernel
def ready(program, type_, gunner, ability):
    """Tell whether a weapon may fire."""
    return (ability >> gunner) & U64(1) != U64(0)


@kernel
def exposure(program, type_, ability):
    """Return what of a unit's ability matters to those who fire at it: smoke."""
    return ability & SMOKED


@kernel
def mark(struck):
    """Return what of a volley its shooter remembers: that the weapon jammed, or that smoke kept it from firing."""
    return struck & MARK


@kernel_call
def spend(program, type_, gunner, ability, memory, mark):
    """Return a memory after a volley: who fired, jams, what is used up, smoke, shells (WS-3 to WS-5, WS-12)."""
    if mark & BLOCKED:
        return memory
    memory |= program[type_ + U64(SPENT) + gunner]
    if mark & JAM:
        memory |= U64(1) << gunner
    if program[type_ + U64(MUZZLES) + gunner]:
        memory = (memory & ~MUZZLE) | (program[U64(SMOKE_TURNS)] << U64(MUZZLE_SHIFT))
    most = program[type_ + U64(SHELLS_MOST) + gunner]
    if most:
        place = program[type_ + U64(SHELL_PLACE) + gunner]
        if (memory >> place) & SHELLS < most:
            memory += U64(1) << place
    return memory


@kernel
def retarget(program, type_, gunner, ability, memory):
    """Return capability and memory of a weapon that turns to another target: a mortar ranges in anew (WS-12)."""
    if program[type_ + U64(SHELLS_MOST) + gunner]:
        count = SHELLS << program[type_ + U64(SHELL_PLACE) + gunner]
        return ability & ~count, memory & ~count
    return ability, memory


@kernel_call
def rest(program, type_, body, memory):
    """Return body and memory at the end of a turn: repairs, stun and smoke (WS-4, WS-8, WS-9)."""
    if not memory & FIRED and not body & STUNNED:
        memory &= ~program[type_ + U64(REPAIRABLE)]
    memory &= ~FIRED
    body &= ~STUNNED
    if program[U64(ZERO_ENDS)]:
        body &= ~ZEROED
    if body & SMOKE:
        body -= U64(1 << SMOKE_SHIFT)
    if memory & MUZZLE:
        memory -= U64(1 << MUZZLE_SHIFT)
    return body, memory & ~gone(program, type_, body)


@kernel_call
def recall(program, type_, body, memory):
    """Return a memory without the jams of weapons that are gone."""
    return memory & ~gone(program, type_, body)


@kernel
def remembers(program, type_):
    """Tell whether a type's memory can change."""
    return program[type_ + U64(REMEMBERS)] != U64(0)


@kernel
def learns(program, type_):
    """Tell whether a type may come to hit by what it remembers: jams are repaired, mortars range in."""
    return program[type_ + U64(LEARNS)] != U64(0)


@kernel
def flags(program, type_, body):
    """Return bit 0, destroyed, and the kill kinds."""
    found = U64(0)
    if body & DESTROYED:
        found = U64(1)
    if body & IMMOBILE:
        found |= MOBILITY_KILL
    disarmed = not program[type_ + U64(TEAM)] and body & LOSSES == program[type_ + U64(STANDS)]
    if body & DISARMED or disarmed:
        found |= FIREPOWER_KILL
    if body & CREW_DEAD:
        found |= CREW_KILL
    if body & BURNING:
        found |= CATASTROPHIC_KILL
    return found


@kernel
def fallen(program, type_, body):
    """Tell whether a unit is destroyed."""
    return body & DESTROYED != U64(0)
