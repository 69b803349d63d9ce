"""What the plain Python and the NumPy duel know of two Sherman LPs at 14 inches, front to front."""

ARMOR, SHOCK_THRESHOLD, PENETRATION_FACTOR, DEAD_FROM, TURNS = 6, 3, 1, 8, 12
LINES_OF_POINTS = (0, 1, 3, 4, 5, 6, 8, 9)
CANNON_NEEDS, COAXIAL_NEEDS = 8, 13
CANNON_DSP, COAXIAL_DSP = ((3, 2, 1), (5, 4, 3)), ((1, 1, 0), (2, 2, 0))
"""Damage, shock and penetration at tails and at heads."""


def lines(first: int, last: int) -> int:
    """Return the lines of an item as bits."""
    return ((1 << (last - first + 1)) - 1) << (first - 1)


RIGHT_TREAD, LEFT_TREAD, PINTLE_MG, PINTLE_BIN = lines(1, 2), lines(3, 4), lines(5, 5), lines(6, 6)
COAXIAL, CANNON, PERISCOPE = lines(7, 8), lines(9, 11), lines(14, 15)
FUEL, ENGINE, CREW, ALL_LINES = lines(16, 18), lines(19, 19), lines(20, 20), lines(1, 20)
EXPLOSIVE = (PINTLE_BIN, COAXIAL, CANNON, FUEL)
KNOWN = (0.45640, 0.45640, 0.07825, 0.00895)
"""Chances of the outcomes: a wins, b wins, both destroyed, neither."""
