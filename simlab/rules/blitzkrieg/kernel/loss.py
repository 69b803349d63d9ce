"""What a unit can no longer do: kill kinds, loss of function, and what it still can do in a phase."""

import numpy as np

from simlab.jit import kernel, kernel_call
from simlab.rules.blitzkrieg.kernel.layout import (
    BONUS_SHIFT,
    CATASTROPHIC,
    CATASTROPHIC_KILL,
    CREW,
    CREW_KILL,
    DESTROYED,
    EMPTY_SHIFT,
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
    PINTLE,
    PINTLE_ALWAYS,
    PINTLE_NEVER,
    TURRET,
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
    EXTRAS,
    GUNNER_COUNT,
    GUNNER_MASK,
    GUNNER_SHIFT,
    INERT,
    LIMITED,
    LOSS,
    NUMBER,
    ONE_TREAD,
    PINTLE_LOCK,
    PINTLE_POLICY,
    PINTLES,
    REACH,
    ROUND_BITS,
    ROUND_SHIFT,
    SCENE_SIZE,
    SCENES,
    TREADS,
    TURRET_LOCK,
    TYPES,
    WEAPON_COUNT,
    WEAPONS,
    ZERO_MASK,
    ZERO_SHIFT,
    ZEROED_MASK,
    ZEROED_MOST,
    ZEROED_SHIFT,
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


@kernel
def locked_weapons(program, type_, events):
    """Return the weapons that a lost turret or pintle mount silences (BK-25; BK-70 `duel_lock`)."""
    locked = U64(0)
    if events & TURRET:
        locked |= program[type_ + U64(TURRET_LOCK)]
    if events & PINTLE:
        locked |= program[type_ + U64(PINTLE_LOCK)]
    return locked


@kernel
def more_capability(program, type_, events, memory):
    """Return what some options add to a capability: weapons without rounds, and how well each gunner has zeroed in
    (BK-26 `empty_bin`, BK-64)."""
    found = ((memory >> program[type_ + U64(ZERO_SHIFT)]) & program[type_ + U64(ZERO_MASK)]) << U64(
        BONUS_SHIFT
    )
    if program[type_ + U64(INERT)]:
        loaded = program[type_ + U64(ARMED)] & ~(events >> U64(LOST_SHIFT))
        loaded &= weapons_with_rounds(program, type_, memory)
        found |= (program[type_ + U64(WEAPONS)] & ~loaded) << U64(EMPTY_SHIFT)
    return found


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
    if program[type_ + U64(EXTRAS)]:
        able &= ~locked_weapons(program, type_, events)
        found = more_capability(program, type_, events, memory)
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


@kernel_call
def recall(program, type_, body, memory):
    """Return a memory without what does not matter: the rounds of weapons that are gone or never fire, unless their
    bins show."""
    if not program[type_ + U64(LIMITED)] or program[type_ + U64(INERT)]:
        return memory
    events = line_events(program, type_, body)
    gone = (events >> U64(WEAPON_SHIFT)) | (events >> U64(LOST_SHIFT))
    if program[type_ + U64(PINTLE_POLICY)] == PINTLE_NEVER:
        gone |= program[type_ + U64(PINTLES)]
    for weapon in range(program[type_ + U64(WEAPON_COUNT)]):
        width = program[type_ + U64(ROUND_BITS) + U64(weapon)]
        if width and (gone >> U64(weapon)) & U64(1):
            memory &= ~(
                ((U64(1) << U64(width)) - U64(1)) << U64(program[type_ + U64(ROUND_SHIFT) + U64(weapon)])
            )
    return memory


@kernel
def learns(program, type_):
    """Tell whether a unit may come to hit by what it remembers: its gunners zero in (BK-64)."""
    return program[type_ + U64(ZERO_MASK)] != U64(0)


@kernel
def gunner_weapons(program, type_, gunner, ability):
    """Return the weapons of a gunner that can fire, as bits of his own list (BK-6, BK-11)."""
    return (ability >> program[type_ + U64(GUNNER_SHIFT) + U64(gunner)]) & program[
        type_ + U64(GUNNER_MASK) + U64(gunner)
    ]


@kernel
def counter_place(program, type_, gunner):
    """Return the first bit in the memory of a gunner's counter of turns of fire."""
    return program[type_ + U64(ZERO_SHIFT)] + program[type_ + U64(ZEROED_SHIFT) + gunner]


@kernel
def count_turn(program, type_, gunner, memory):
    """Return the memory with one more turn in which a gunner fired, counted up to where it ends to help (BK-64)."""
    place = counter_place(program, type_, gunner)
    turns = (memory >> place) & program[type_ + U64(ZEROED_MASK) + gunner]
    if turns < program[type_ + U64(ZEROED_MOST) + gunner]:
        memory += U64(1) << place
    return memory


@kernel_call
def settle(program, type_, memory, fired):
    """Return a memory at the end of a phase: who did not fire has to zero in anew (BK-64). fired: gunners as bits."""
    if program[type_ + U64(ZERO_MASK)]:
        for gunner in range(program[type_ + U64(GUNNER_COUNT)]):
            if not (fired >> U64(gunner)) & U64(1):
                counter = program[type_ + U64(ZEROED_MASK) + U64(gunner)]
                memory &= ~(counter << counter_place(program, type_, U64(gunner)))
    return memory


@kernel_call
def retarget(program, type_, gunner, ability, memory):
    """Return capability and memory for a gunner who turns to another target: he has to zero in anew (BK-64)."""
    counter = program[type_ + U64(ZEROED_MASK) + gunner]
    ability &= ~(counter << (U64(BONUS_SHIFT) + program[type_ + U64(ZEROED_SHIFT) + gunner]))
    return ability, memory & ~(counter << counter_place(program, type_, gunner))


@kernel_call
def spend(program, type_, gunner, ability, memory, mark):
    """Return the shooter's memory after a volley: one round less for every weapon that fired, one turn more for the
    gunner (BK-16, BK-64)."""
    if program[type_ + U64(ZERO_MASK)]:
        memory = count_turn(program, type_, gunner, memory)
    if not program[type_ + U64(LIMITED)]:
        return memory
    fired = ability & (
        program[type_ + U64(GUNNER_MASK) + U64(gunner)] << program[type_ + U64(GUNNER_SHIFT) + U64(gunner)]
    )
    for weapon in range(program[type_ + U64(WEAPON_COUNT)]):
        if program[type_ + U64(ROUND_BITS) + U64(weapon)] and (fired >> U64(weapon)) & U64(1):
            memory -= U64(1) << U64(program[type_ + U64(ROUND_SHIFT) + U64(weapon)])
    return memory
