"""Where things stand: in the words of bodies, memories, capabilities and shots, and in a compiled fight."""

import numpy as np

U64 = np.uint64

MOST = 12
"""Single weapons of a unit at most, and men of a team."""
PHASES = 16

# body: weapons destroyed or men lost 0-3, then flags; turns that smoke around the unit still stands 7-8.
LOSSES = U64(15)
IMMOBILE, ZEROED, STUNNED = U64(1 << 4), U64(1 << 5), U64(1 << 6)
SMOKE_SHIFT, SMOKE = 7, U64(3 << 7)
DESTROYED, CREW_DEAD, BURNING, DISARMED = (U64(1 << bit) for bit in (12, 13, 14, 15))
"""DISARMED: of a destroyed vehicle, that no weapon was left."""

# memory: weapons that are jammed or used up 0-11, what has fired this turn 12-13, turns that the smoke of the own
# muzzles still stands 14-15, shells of mortars at their target from 16 on, 5 bits each.
WEAPON_BITS = U64((1 << MOST) - 1)
FIRED_FIRST, FIRED_SECOND = U64(1 << 12), U64(1 << 13)
FIRED = FIRED_FIRST | FIRED_SECOND
MUZZLE_SHIFT, MUZZLE = 14, U64(3 << 14)
SHELL_SHIFT, SHELL_BITS, SHELLS = 16, 5, U64(31)

# capability: weapons able 0-11, smoke on the own line of fire 12, shells as in the memory.
SMOKED = U64(1 << 12)
SHELL_FIELD = U64(((1 << 40) - 1) << SHELL_SHIFT)

# struck, note and more: what becomes of the weapon 0-1, hits 2-3, a template 4, dice that fell so far 5-8, faces of the
# d6 that do no more than a minor hit, or do not wound, 9-11.
JAM, BLOCKED = U64(1), U64(2)
MARK = U64(3)
HIT_SHIFT, HIT_MASK = 2, U64(3)
TEMPLATE = U64(1 << 4)
DICE_SHIFT, DICE_MASK = 5, U64(15)
MINOR_SHIFT, MINOR_MASK = 9, U64(7)

# what a die of the tables does to a vehicle (WS-9, WS-10)
NOTHING, ZEROES, STUNS, DISARMS, HALTS, ABANDONED, CREW_LOST, BURNS = range(8)

# kill kinds in flags: bit 0 destroyed, then in the order of the system's kinds.
MOBILITY_KILL, FIREPOWER_KILL, CREW_KILL, CATASTROPHIC_KILL = (U64(1 << bit) for bit in range(1, 5))

HEADER = 16
(
    TYPES,
    SCENES,
    PAIRS,
    DIE,
    AT_LEAST,
    JAM_LOST,
    SMOKE_TURNS,
    SMOKE_BLOCKS,
    SMOKE_SAME,
    REROLL,
    NONE_HALTS,
    ZERO_ENDS,
    AT_ONCE,
    TEMPLATE_MEN,
    MISS_ONLY,
    SEEN,
) = range(HEADER)
"""Header: number of types; places of scenes and rows; sides of the firing die; readings as numbers. SMOKE_TURNS: ends
of turns that smoke stands, 0 where smoke plays no part. SEEN: the spotter sees the target."""

(
    NUMBER,
    ARMS,
    TEAM,
    STANDS,
    CAN_STUN,
    CAN_ZERO,
    REMEMBERS,
    LEARNS,
    FIRST,
    SECOND,
    REPAIRABLE,
) = range(11)
"""Block of a type: its number; single weapons; men and no vehicle; weapons or men to lose; stun and loss of initiative
matter; the memory can change, and may help; sets of weapons: of the firing phase, of the secondary one, whose jams are
repaired."""
GONE = 11
OWN_PHASE = GONE + MOST + 1
ZERO_PHASE = OWN_PHASE + PHASES
DICE = ZERO_PHASE + PHASES
JAMS = DICE + MOST
SPENT = JAMS + MOST
MUZZLES = SPENT + MOST
SHELL_PLACE = MUZZLES + MOST
SHELLS_MOST = SHELL_PLACE + MOST
TYPE_SIZE = SHELLS_MOST + MOST
"""Weapons that losses silence, by their number; weapons that fire in each phase, at the own initiative and at none. By
weapon: dice of a volley; it may jam; what firing adds to the memory; it smokes; first bit and end of its count of
shells (0: no count)."""

ROW_NEEDED, ROW_OWN_SMOKE, ROW_MINOR, ROW_MORTAR, ROW_BLOCKED, ROW_COVERED = range(6)
ROW_SIZE = ROW_COVERED + 21
"""Row of a scene, shooter, target, weapon and whether smoke hides the target: firing skill, and with smoke at the own
end; faces of the d6 that do no more than a minor hit or do not wound; a mortar; no fire; by inches of scatter, degrees
of 180 in which the template covers the target."""
COVERS = 180
