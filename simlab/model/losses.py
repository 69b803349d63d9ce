"""In which combinations the units of a side can be destroyed, and what that costs."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum, prod

MOST_COMBINATIONS = 4096
"""More are not told apart: the distribution of losses is then not known."""


@dataclass(frozen=True)
class Losses:
    """The combinations of one side, numbered by how many units of each kind are destroyed, mixed radix.

    first: of each kind the place of its first unit; sizes: how many units it has. steps: by how much the number of the
    combination rises when a unit is destroyed, for each unit. combinations: how many there are; None: too many, and
    then all steps are 0.
    """

    first: tuple[int, ...]
    sizes: tuple[int, ...]
    steps: tuple[int, ...]
    combinations: int | None

    def cost(self, number: int, costs: Sequence[float]) -> float:
        """Return what the units destroyed in a combination cost together; costs: of all units of the side."""
        lost = []
        for first, size in zip(self.first, self.sizes, strict=True):
            number, destroyed = divmod(number, size + 1)
            lost.append(destroyed * costs[first])
        return fsum(lost)


@lru_cache(maxsize=1024)
def losses_of(kinds: tuple[Hashable, ...]) -> Losses:
    """Return the combinations of a side; kinds: of each unit what makes it like others."""
    different = list(dict.fromkeys(kinds))
    first = tuple(kinds.index(kind) for kind in different)
    sizes = tuple(sum(kind == each for each in kinds) for kind in different)
    number = prod(size + 1 for size in sizes)
    if number > MOST_COMBINATIONS:
        return Losses(first, sizes, (0,) * len(kinds), None)
    radix = {kind: prod(size + 1 for size in sizes[:place]) for place, kind in enumerate(different)}
    return Losses(first, sizes, tuple(radix[kind] for kind in kinds), number)
