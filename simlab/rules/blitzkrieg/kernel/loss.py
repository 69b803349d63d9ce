"""What a unit can no longer do: kill kinds, loss of function, and what it still can do in a phase."""

import numpy as np

from simlab.jit import kernel, kernel_call
from simlab.rules.blitzkrieg.kernel.layout import (
    CATASTROPHIC,
    CATASTROPHIC_KILL,
    CREW,
    CREW_KILL,
    DESTROYED,
    ENGINE,
    ENGINE_BITS,
    ENGINE_MASK,
    ENGINE_SHIFT,
    FIREPOWER,
    LOSS_ALL,
    LOSS_ANY,
    LOSS_FIREPOWER,
    LOST_SHIFT,
    MOBILITY,
    ONE_DIE,
    PERISCOPE,
    PINTLE_ALWAYS,
    PINTLE_NEVER,
    UNBUTTONED,
    WEAPON_MASK,
    WEAPON_SHIFT,
)
from simlab.rules.blitzkrieg.kernel.manifest import line_events
from simlab.rules.blitzkrieg.program import (
    ARMED,
    ENGINE_COUNT,
    ENGINE_HITS,
    ENGINES,
    GUNNER_MASK,
    GUNNER_SHIFT,
    LIMITED,
    LOSS,
    NUMBER,
    ONE_TREAD,
    PINTLE_POLICY,
    PINTLES,
    REACH,
    ROUND_BITS,
    ROUND_SHIFT,
    SCENE_SIZE,
    SCENES,
    TREADS,
    TYPES,
    WEAPON_COUNT,
    WEAPONS,
)

U64 = np.uint64


@kernel
def scene_row(program, situation, type_):
    """Return the place of the block of a situation and type."""
    number = situation * program[U64(TYPES)] + program[type_ + U64(NUMBER)]
    return program[U64(SCENES)] + number * U64(SCENE_SIZE)


@kernel
def engine_lost(program, type_, body, events):
    """Tell whether an engine is lost: any line of it crossed, or its printed number of volleys counted (BK-24)."""
    if not program[type_ + U64(ENGINE_COUNT)]:
        return events & ENGINE != U64(0)
    lost = False
    for engine in range(program[type_ + U64(ENGINES)]):
        shift = U64(ENGINE_SHIFT) + U64(ENGINE_BITS) * U64(engine)
        if (body >> shift) & ENGINE_MASK >= program[type_ + U64(ENGINE_HITS) + U64(engine)]:
            lost = True
    return lost


@kernel
def is_immobile(program, type_, body, events):
    """Tell whether a unit neither drives nor turns: engine lost, or all treads (reading: one tread) (BK-28)."""
    treads = program[type_ + U64(TREADS)]
    lost = events & treads
    treads_gone = treads != U64(0) and (
        lost == treads or (program[type_ + U64(ONE_TREAD)] and lost != U64(0))
    )
    return treads_gone or engine_lost(program, type_, body, events)


@kernel
def is_disarmed(program, type_, events):
    """Tell whether every weapon of the sheet is destroyed; one off the manifest never is (BK-69)."""
    return (events >> U64(WEAPON_SHIFT)) & WEAPON_MASK == program[type_ + U64(WEAPONS)]


@kernel
def function_lost(loss, crew_dead, disarmed, immobile):
    """Tell whether a unit can no longer function, under the reading `loss_of_function` (BK-29)."""
    if crew_dead:
        return True
    if loss == LOSS_ANY:
        return disarmed or immobile
    if loss == LOSS_ALL:
        return disarmed and immobile
    if loss == LOSS_FIREPOWER:
        return disarmed
    return False


@kernel_call
def flags(program, type_, body):
    """Return the figures of a unit as bits: destroyed, and the four kinds of kill (BK-29, BK-69)."""
    events = line_events(program, type_, body)
    immobile = is_immobile(program, type_, body, events)
    disarmed = is_disarmed(program, type_, events)
    crew_dead = events & CREW != U64(0)
    dead = body & CATASTROPHIC != U64(0)
    found = U64(0)
    if dead:
        found |= CATASTROPHIC_KILL
    if crew_dead:
        found |= CREW_KILL
    if disarmed:
        found |= FIREPOWER
    if immobile:
        found |= MOBILITY
    if dead or function_lost(program[type_ + U64(LOSS)], crew_dead, disarmed, immobile):
        found |= DESTROYED
    return found


@kernel
def fallen(program, type_, body):
    """Tell whether a unit is destroyed (BK-22, BK-26, BK-29)."""
    return flags(program, type_, body) & DESTROYED != U64(0)


@kernel
def weapons_with_rounds(program, type_, memory):
    """Return the weapons that have rounds left, as bits (BK-16). Only weapons that can run out are counted."""
    loaded = WEAPON_MASK
    for weapon in range(program[type_ + U64(WEAPON_COUNT)]):
        width = program[type_ + U64(ROUND_BITS) + U64(weapon)]
        if width:
            rounds = (memory >> U64(program[type_ + U64(ROUND_SHIFT) + U64(weapon)])) & (
                (U64(1) << U64(width)) - U64(1)
            )
            if rounds == U64(0):
                loaded ^= U64(1) << U64(weapon)
    return loaded


@kernel_call
def capability(program, type_, situation, phase, body, memory):
    """Return what a unit can do: weapons able to fire, dice, unbuttoned (BK-11, BK-15, BK-16, BK-27, BK-31)."""
    events = line_events(program, type_, body)
    gone = (events >> U64(WEAPON_SHIFT)) | (events >> U64(LOST_SHIFT))
    working = program[type_ + U64(ARMED)] & ~gone & WEAPON_MASK
    if program[type_ + U64(LIMITED)]:
        working &= weapons_with_rounds(program, type_, memory)
    able = working & program[scene_row(program, situation, type_) + U64(REACH)]
    pintles = program[type_ + U64(PINTLES)]
    policy = program[type_ + U64(PINTLE_POLICY)]
    found = U64(0)
    if pintles:
        if policy == PINTLE_NEVER:
            able &= ~pintles
        elif policy == PINTLE_ALWAYS:
            if working & pintles:
                found |= UNBUTTONED
        elif able & pintles:
            found |= UNBUTTONED
    if events & PERISCOPE:
        found |= ONE_DIE
    return found | able


@kernel
def gunner_weapons(program, type_, gunner, ability):
    """Return the weapons of a gunner that can fire, as bits of his own list (BK-6, BK-11)."""
    return (ability >> program[type_ + U64(GUNNER_SHIFT) + U64(gunner)]) & program[
        type_ + U64(GUNNER_MASK) + U64(gunner)
    ]


@kernel_call
def spend(program, type_, gunner, ability, memory):
    """Return the shooter's memory after a volley: one round less for every weapon that fired (BK-16)."""
    if not program[type_ + U64(LIMITED)]:
        return memory
    fired = ability & (
        program[type_ + U64(GUNNER_MASK) + U64(gunner)] << program[type_ + U64(GUNNER_SHIFT) + U64(gunner)]
    )
    for weapon in range(program[type_ + U64(WEAPON_COUNT)]):
        if program[type_ + U64(ROUND_BITS) + U64(weapon)] and (fired >> U64(weapon)) & U64(1):
            memory -= U64(1) << U64(program[type_ + U64(ROUND_SHIFT) + U64(weapon)])
    return memory
