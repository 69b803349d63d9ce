"""The compiled form of a Blitzkrieg fight: one array of 64-bit words that the kernel reads.

A header, a block a type (a sheet on a side), a block a situation and type, then rows for gunners against targets. The
kernel knows a type by the place of its block. One flat array and not many: passing thirty arrays from function to
function costs a hundred times more than reading them.
"""

import numpy as np

HEADER = 16
LIMIT, LEVELS, WRAP, CONTEST_WINS, CONTEST_FACES, TYPES, SCENES, PAIRS, ROW = range(9)
"""Header: a total that hits with everything; number of levels; lines go on at line 1 (`manifest_overflow`); pairs of
contest dice that let an item explode, and all pairs; number of types; places of the blocks of situations and of the
first row of gunners; length of a row."""
ROW_FACE, ROW_HITS, ROW_STRIKES, ROW_LEVELS = 0, 1, 208, 4
"""A row, by situation, shooter, target, gunner (12 a type) and unbuttoned: the first bit of the armour of the face that
is hit; the weapons that hit by total; damage and internal points by the weapons that hit and the level."""

EVENTS, CHUNK, CHUNKS = 0, 5, 4
"""Block of a type: what sets of crossed lines mean, for each five lines a table of 32."""
CHART = EVENTS + CHUNKS * (1 << CHUNK)
"""Lines for internal points 0 to 127, 10 = dead (BK-5)."""
_SCALARS = (
    "NUMBER",
    "WEAPONS",
    "ARMED",
    "PINTLES",
    "PINTLE_POLICY",
    "EXPLOSIVE",
    "TREADS",
    "ENGINES",
    "ENGINE_COUNT",
    "ONE_TREAD",
    "ONE_CONTEST",
    "LOSS",
    "FRESH",
    "FRESH_MEMORY",
    "LIMITED",
    "WEAPON_COUNT",
    "GUNNER_COUNT",
)
(
    NUMBER,
    WEAPONS,
    ARMED,
    PINTLES,
    PINTLE_POLICY,
    EXPLOSIVE,
    TREADS,
    ENGINES,
    ENGINE_COUNT,
    ONE_TREAD,
    ONE_CONTEST,
    LOSS,
    FRESH,
    FRESH_MEMORY,
    LIMITED,
    WEAPON_COUNT,
    GUNNER_COUNT,
) = range(CHART + 128, CHART + 128 + len(_SCALARS))
"""Number of the type; sets of weapons: all, with rounds at the start, on a pintle; policy for pintles (BK-31); sets of
tracked items that can explode (BK-26) and of locomotion (BK-28); number of engines; readings `engine_hits`,
`immobile`, `explosion_rolls`, `loss_of_function` as numbers; body and memory at the start; some weapon can run out of
rounds; numbers of weapons and gunners."""
ENGINE_LINES = GUNNER_COUNT + 1
ENGINE_HITS = ENGINE_LINES + 3
ROUND_BITS = ENGINE_HITS + 3
ROUND_SHIFT = ROUND_BITS + 12
GUNNER_SHIFT = ROUND_SHIFT + 12
GUNNER_MASK = GUNNER_SHIFT + 12
TYPE_SIZE = GUNNER_MASK + 12
"""By engine: its lines, its printed hits (BK-24). By weapon: width and first bit of its rounds in the memory. By
gunner: his first weapon, his weapons as bits of his own list (BK-6)."""

REACH, SCENE_SIZE = 0, 1
"""Block of a situation and type: weapons whose range reaches."""


def type_place(number: int) -> int:
    """Return the place of the block of a type."""
    return HEADER + number * TYPE_SIZE


def scene_place(types: int, scene: int, number: int) -> int:
    """Return the place of the block of a situation and type."""
    return HEADER + types * TYPE_SIZE + (scene * types + number) * SCENE_SIZE


def words(values: object) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    """Return values as a flat array of 64-bit words."""
    return np.ravel(np.asarray(values, dtype=np.uint64))
