"""The compiled form of a Blitzkrieg fight: one array of 64-bit words that the kernel reads.

A header, a block a type (a sheet on a side), a block a situation and type, then rows for gunners against targets. The
kernel knows a type by the place of its block. One flat array and not many: passing thirty arrays from function to
function costs a hundred times more than reading them.
"""

import numpy as np

HEADER = 16
LIMIT, LEVELS, WRAP, CONTEST_WINS, CONTEST_FACES, TYPES, SCENES, PAIRS, ROW = range(9)
"""Header: a total beyond which all totals do the same; number of levels; lines go on at line 1 (`manifest_overflow`);
pairs of contest dice that let an item explode, and all pairs; number of types; places of the blocks of situations and
of the first row of gunners; length of a row."""
SPECIAL, VERDICTS, LUCK_SHIFT, HIT_MASK, SKIP, EACH_VOLLEY = range(9, 15)
"""Header: a roll means more than which weapons hit; place of the verdicts on totals; where the number of doublings
stands among the bits of what hit, and the bits below; readings `skip` and `explosion_repeat`."""
VERDICT_ONE, VERDICT_SIZE = 208, 216
"""Verdicts: by the total of 2d6, then by the face of one die: number of doublings (BK-54), and two flags."""
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
    "REMEMBERS",
    "EXTRAS",
    "TURRET_LOCK",
    "PINTLE_LOCK",
    "INERT",
    "ZERO_SHIFT",
    "ZERO_MASK",
    "TWO_DICE",
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
    REMEMBERS,
    EXTRAS,
    TURRET_LOCK,
    PINTLE_LOCK,
    INERT,
    ZERO_SHIFT,
    ZERO_MASK,
    TWO_DICE,
) = range(CHART + 128, CHART + 128 + len(_SCALARS))
"""Number of the type; sets of weapons: all, with rounds at the start, on a pintle; policy for pintles (BK-31); sets of
tracked items that can explode (BK-26) and of locomotion (BK-28); number of engines; readings `engine_hits`,
`immobile`, `explosion_rolls`, `loss_of_function` as numbers; body and memory at the start; some weapon can run out of
rounds; numbers of weapons and gunners; the memory can change; something of what follows plays a part; weapons that a
lost turret or pintle mount silences (`duel_lock`); bins without rounds do not explode (`empty_bin`); first bit and bits
of the counters of turns of fire in the memory (BK-64); gunners who keep two dice without a periscope."""
ENGINE_LINES = TWO_DICE + 1
ENGINE_HITS = ENGINE_LINES + 3
ROUND_BITS = ENGINE_HITS + 3
ROUND_SHIFT = ROUND_BITS + 12
GUNNER_SHIFT = ROUND_SHIFT + 12
GUNNER_MASK = GUNNER_SHIFT + 12
ZEROED_SHIFT = GUNNER_MASK + 12
ZEROED_MASK = ZEROED_SHIFT + 12
ZEROED_MOST = ZEROED_MASK + 12
FEEDS = ZEROED_MOST + 12
ITEM_LINES = FEEDS + 20
TYPE_SIZE = ITEM_LINES + CHUNKS * (1 << CHUNK)
"""By engine: its lines, its printed hits (BK-24). By weapon: width and first bit of its rounds in the memory. By
gunner: his first weapon, his weapons as bits of his own list (BK-6); first bit, bits and end of his counter of turns
of fire, counted from the first counter (BK-64). By tracked item: the weapon that it feeds, as a bit. For each five
lines a table of 32: all lines of the items that sets of crossed lines destroy (`skip`)."""

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


def are_twins(program: "np.ndarray[tuple[int], np.dtype[np.uint64]]", scenes: int) -> bool:
    """Tell whether the two types of a duel are the same: their blocks, and their rows against each other."""
    first, second = (program[type_place(n) : type_place(n + 1)].copy() for n in range(2))
    first[NUMBER] = second[NUMBER] = 0
    same = np.array_equal(first, second)
    length = 24 * int(program[ROW])
    for scene in range(scenes):
        blocks = [program[scene_place(2, scene, n) : scene_place(2, scene, n) + SCENE_SIZE] for n in range(2)]
        starts = [int(program[PAIRS]) + (scene * 4 + pair) * length for pair in (1, 2)]
        rows = [program[start : start + length] for start in starts]
        same = same and np.array_equal(blocks[0], blocks[1]) and np.array_equal(rows[0], rows[1])
    return same
