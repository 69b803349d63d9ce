"""The words of the game: positions of a crew, plates, facings, bands of range, guns."""

from typing import Literal, TypeAlias

Position: TypeAlias = Literal["commander", "gunner", "loader", "driver", "bow_gunner"]
Plate: TypeAlias = Literal["turret", "hull", "lower"]
Size: TypeAlias = Literal["very_small", "small", "medium", "large", "very_large"]
GunSize: TypeAlias = Literal["S", "standard", "L", "XL"]
Quality: TypeAlias = Literal["green", "regular", "elite"]
Round: TypeAlias = Literal["ap", "heat"]

POSITIONS: tuple[Position, ...] = ("commander", "gunner", "loader", "driver", "bow_gunner")
"""In the order of their bits in a body."""
PLATES: tuple[Plate, ...] = ("turret", "hull", "lower")
FACINGS = ("front", "side", "rear")
BANDS = ("point blank", "short", "effective", "long", "extreme")
FACES = 20
