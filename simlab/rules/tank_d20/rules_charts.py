"""The printed charts and modifiers as numbers (TD-1, TD-3, TD-4, TD-6)."""

from collections.abc import Mapping
from types import MappingProxyType

REACHES: Mapping[str, tuple[int | None, ...]] = MappingProxyType(
    {
        "S": (5, 23, 60, 75, 90),
        "standard": (8, 30, 75, 103, None),
        "L": (8, 45, 90, 113, None),
        "XL": (10, 53, 113, 150, None),
    }
)
"""The greatest range of each band in inches, inclusive; None for none (TD-1)."""
BASES = (16, 14, 12, 8, 4)
"""The base number of each band (TD-1)."""
CHANGES: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "S": (0, -10, -25, -50, -75),
        "standard": (25, 0, -10, -25, -50),
        "L": (25, 0, 0, -10, -25),
        "XL": (25, 0, 0, 0, -10),
    }
)
"""By how many per cent a gun's figure changes in each band (TD-6)."""
SIZES: Mapping[str, int] = MappingProxyType(
    {"very_small": 2, "small": 1, "medium": 0, "large": -1, "very_large": -2}
)
"""What the target's size adds to the roll (TD-4)."""
QUALITIES: Mapping[str, int] = MappingProxyType({"green": 2, "regular": 0, "elite": -2})
"""What the crew's quality adds to the roll (TD-3)."""
UNQUALIFIED, CAPTURED, AIMED, BUTTONED, HEAT = 2, 3, -2, 2, 2
FIRE_ON_MOVE, MOVED, NO_COMMANDER, ZEROED = 12, 5, 3, -4
MOVING_FRONT, INCHES_EACH, LIGHT_WOODS = 1, 3, 3
MOST_ACQUIRED = 2
JAM_FACE = 19
"""The face, from 0, of an unmodified 20 (TD-2)."""


def band_of(size: str, distance: float, all_open: bool = False) -> int | None:
    """Return the band of a range, 0 for point blank to 4 for extreme; None beyond a gun's reach (TD-1, `extreme`)."""
    for band, reach in enumerate(REACHES[size]):
        if reach is None or distance <= reach:
            return band
    return len(BASES) - 1 if all_open else None


def side_motion(inches: int, part: bool = False) -> int:
    """Return what movement across adds to the roll: 1 for every full 3 inches, or every started ones (TD-4, `per3`)."""
    return -(-inches // INCHES_EACH) if part else inches // INCHES_EACH


def target_motion(aspect: str, inches: int, straight: bool = False, part: bool = False) -> int:
    """Return what a moving target's facing and way add to the roll (TD-4). straight: it drives at the shooter."""
    if aspect != "side":
        return MOVING_FRONT
    return 0 if straight else side_motion(inches, part)


def needed(
    base: int, modifiers: int, no_target: str | None = None, halved: bool = False, below: bool = False
) -> int:
    """Return how many of the faces 1 to 19 of a d20 hit (TD-1 to TD-3, TD-10).

    no_target: None for a shot at a target, else `base` or `final`. halved: fire on the move halves the base number.
    below: the sum has to be below the base number.
    """
    number = base // 2 if halved else base
    if no_target == "base":
        number //= 2
    number -= modifiers
    if no_target == "final":
        number //= 2
    return max(0, min(JAM_FACE, number - below))


def figure_in_band(figure: int, size: str, band: int, constant: bool = False) -> float:
    """Return a gun's figure in mm, changed by the band; `constant` for rounds that distance does not weaken (TD-6)."""
    return figure * (100 + (0 if constant else CHANGES[size][band])) / 100
