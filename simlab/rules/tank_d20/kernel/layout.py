"""Where things stand in the words of a fight: body, memory, ability, what a roll strikes, notes, program.

A body: men lost, as bits in the order of `names.POSITIONS`; the gun out, immobilised; who loses an action of the next
turn, by seat (at the gun, in command, loading). Of a destroyed unit only its figures, from bit FATE_SHIFT on.
A memory: actions until the gun can fire; shots in a row at the same target; the commander loses his next action;
rounds left.
"""

import numpy as np

U64 = np.uint64

MEN, MEN_MASK = 5, U64(31)
GUN_OUT, IMMOBILE = U64(1 << 5), U64(1 << 6)
STUN_SHIFT, STUNS = 7, U64(7 << 7)
AT_GUN, IN_COMMAND, LOADING = U64(1), U64(2), U64(4)
FATE_SHIFT = 32
DESTROYED, MOBILITY, FIREPOWER, CREW_KILL, CATASTROPHIC = U64(1), U64(2), U64(4), U64(8), U64(16)

LEFT, MOST_LEFT = U64(31), U64(31)
SHOTS_SHIFT, SHOTS = 5, U64(3)
DAZED = U64(1 << 7)
ROUND_SHIFT = 8

READY, MOVING, LEADING = U64(1), U64(2), U64(4)
CODE_SHIFT, CODE_MASK, CODE_ZERO = 3, U64(15), 8
LOAD_SHIFT, LOAD_MASK = 7, U64(31)
UNQUALIFIED = U64(1 << 12)
"""An ability: the gun can fire; the unit moves; a leader directs the fire; what the crew adds to the roll, + CODE_ZERO;
actions that loading takes; of what the crew adds, that the man at the gun is not qualified is part."""

JAM, HIT = U64(1), U64(2)
LEADER_SHIFT, LEADER_MASK = 2, U64(15)
PASSING_SHIFT = 8
"""A strike: a jam, or a hit with the number that its location is shifted by. What passes on to `wreck` holds the row
as well."""

NOTE_JAM, NOTE_HIT, NOTE_THROUGH = U64(1), U64(2), U64(4)
NOTE_PLACE, NOTE_EFFECT = 3, 8
"""The place that was hit, 1 to 20, and the modified roll for effects."""

SERVED, STAND_IN, DIRECTS, LOADS_ALONE, DRIVEN = U64(1), U64(2), U64(4), U64(8), U64(16)
CREW_LOAD_SHIFT, SEAT_SHIFT, SEAT_BITS = 5, 10, 3
STATE_SHIFT, STATE_MASK = 26, U64(31)
"""What is left of a crew: somebody serves the gun, another than the gunner, the commander directs, who serves loads,
somebody drives; actions that loading takes; for each man the seats in which he is missed; the figures that its losses
make."""

THROUGH_MASK = U64(31)
OVER_SHIFT, OVER_MASK = 5, U64(31)
SKIN_STUN_SHIFT, SKIN_MASK = 10, U64(7)
SKIN_FATAL, SKIN_CHECK, SKIN_TRACK = U64(1 << 13), U64(1 << 14), U64(1 << 15)
ALSO_SHIFT = 16
CREW_SHIFT = 24
"""A place of a row: how many faces go through; what is added to the roll for effects; of a round that does not go
through the man, + 1, who loses an action, whether he dies or checks his morale, whether it immobilises; effects beside
the chart; which table tells who of the men behind falls."""
CASUALTIES, OUT, HALT, BURN, BLAST = U64(7), U64(8), U64(16), U64(32), U64(64)
EFFECT_MASK, BROKEN, BROKEN_SHIFT = U64(127), U64(24), 2
"""Effects: number of casualties, gun out, immobilised, fire, explosion. Gun and drive become bits of a body by a
shift."""

TYPES, PAIRS, SCENES, KNOCK, FALLING, EFFECTS = 0, 1, 2, 3, 4, 5
MOST_ROLL = 40
HEADER = EFFECTS + MOST_ROLL
"""Header of a program: number of types, where rows and scenes begin, figures that destroy, where the tables begin that
tell by number of casualties and men lost before who is lost afterwards, effects of rolls from 1."""

(
    FRESH,
    FRESH_MEMORY,
    NUMBER,
    MOVES,
    LEADER_HIT,
    LEADER_PLACE,
    AIMING,
    CLEARING,
    COUNTED,
    JAM_COSTS,
    MORALE,
) = range(11)
CREWS = 11
TYPE_SIZE = CREWS + 32
"""A type: fresh body and memory, its number; whether it moves; what a leader takes off the roll to hit or for location;
actions of aiming and clearing; whether rounds are counted, and jams cost one; morale; its crews by the men
lost."""

ROW_HITS, ROW_PLACES = 0, 32
ROW = ROW_PLACES + 20
"""A row: faces that hit by what the crew adds, of a shooter that stands and of one that moves; its places."""
