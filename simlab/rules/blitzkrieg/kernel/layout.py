"""Where things stand in the 64-bit words of the kernel: body, events, capability, strike, note."""

import numpy as np

U64 = np.uint64

LINES = 20
ALL_LINES = U64((1 << LINES) - 1)
DEAD = 10
"""Chart result for the dead column; 0 is no line, 1 to 9 are lines."""
INSTANT = 11
"""What stands in the place of the chart's result after instant death (BK-55)."""
POINTS_CAP = 127
"""Internal points are looked up in the chart up to this number; no printed number is higher than 99."""
GUNNERS = 12
TOTAL_CAP = 204
"""17 box-cars: from here on totals are one. At 12 inches a step no number of a legal sheet is above 191; what a smaller
step puts above 204 is never hit, which is wrong by less than 1e-26."""

# body: what hits change. Lines crossed 0-19, armour left 20-43 (front, left, right, back), cause of loss 44-46,
# volleys counted against up to three engines 47-61.
ARMOR_SHIFT, ARMOR_BITS, ARMOR_MASK = 20, 6, U64(63)
ARMOR_FIELD = U64(((1 << 24) - 1) << 20)
CHART_LOSS, EXPLOSION_LOSS, INSTANT_LOSS = U64(1 << 44), U64(1 << 45), U64(1 << 46)
CATASTROPHIC = CHART_LOSS | EXPLOSION_LOSS | INSTANT_LOSS
ENGINE_SHIFT, ENGINE_BITS, ENGINE_MASK, ENGINES = 47, 5, U64(31), 3

# events: what the crossed lines mean, the union over lines. Tracked items (bins, tanks, treads) 0-19, weapons
# destroyed 20-31, weapons without rounds for a lost bin 32-43, then single flags.
TRACKED = U64((1 << 20) - 1)
WEAPON_SHIFT, LOST_SHIFT, WEAPONS = 20, 32, 12
WEAPON_MASK = U64((1 << WEAPONS) - 1)
CREW, ENGINE, PERISCOPE, TURRET, PINTLE = (U64(1 << bit) for bit in (44, 45, 46, 47, 48))

# capability: weapons that can fire 0-11, then single flags; weapons without rounds 14-25 (only where `empty_bin` is
# inert); turns of fire that help each gunner from 26 on (BK-64).
ONE_DIE, UNBUTTONED = U64(1 << 12), U64(1 << 13)
EMPTY_SHIFT, BONUS_SHIFT, BONUS_BITS = 14, 26, 38

# verdict on a total: number of doublings 0-3, then flags. Eight doublings are as good as more: 256 exceeds all armour,
# thresholds and charts.
DOUBLINGS = U64(15)
MOST_DOUBLINGS = 8
CHOKES, KILLS = U64(1 << 4), U64(1 << 5)

# struck: weapons that hit from bit 0 on, as bits of the gunner's own list; above them the number of doublings; or
# instant death, which no weapon needs to hit for.
STRUCK_INSTANT = U64(1 << 62)

# strike: sum of damage 0-15, internal points by shock 16-31, by penetration 32-47.
FIELD = U64(0xFFFF)
FIELD_CAP = 4095
"""Fields of strike and note end here: more than 63 armour points and a chart up to 99 could tell apart."""
SHOCK_SHIFT, PENETRATION_SHIFT = 16, 32

# note: what a volley found. Weapons that hit 0-11 (bits of the gunner's own list), level 12-13, points by armour
# 14-25, by shock 26-37, by penetration 38-49, lines crossed 50-54, dead column 55, number of the contest that blew
# it up 56-60, instant death 61.
NOTE_LEVEL, NOTE_DAMAGE, NOTE_SHOCK, NOTE_PENETRATION, NOTE_LINES, NOTE_DEAD, NOTE_ITEM = (
    12,
    14,
    26,
    38,
    50,
    55,
    56,
)
NOTE_POINTS = U64((1 << 12) - 1)
NOTE_INSTANT = 61

# kill kinds in flags: bit 0 destroyed, then in the order of the system's kinds.
DESTROYED, MOBILITY, FIREPOWER, CREW_KILL, CATASTROPHIC_KILL = (U64(1 << bit) for bit in range(5))

# loss_of_function and other readings as numbers.
LOSS_ANY, LOSS_ALL, LOSS_FIREPOWER, LOSS_CREW = range(4)
PINTLE_NEVER, PINTLE_IN_RANGE, PINTLE_ALWAYS = range(3)
