"""What solving a duel comes to."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]


class TooLongError(Exception):
    """Solving takes more work or memory than was allowed."""


@dataclass(frozen=True, eq=False)
class Solution:
    """An exact duel. Probabilities are lower bounds, none wanting more than `error_bound` in all.

    outcomes: shape (4,), in the order of `simlab.model.outcome.OUTCOMES`. by_turn: (turns + 1, 4), the same if the
    fight had ended after so many turns. flags: (2, flag sets), P(final flags) of each unit. fell: (2, turns + 1),
    P(unit destroyed in the turn). work: nanoseconds by fixed constants, the same on every machine. states: cores of
    both units. rank: the highest of a block. memory: bytes.
    """

    outcomes: Array
    by_turn: Array
    flags: Array
    fell: Array
    error_bound: float
    work: float
    states: int
    rank: int
    memory: int


def outcomes_of_ends(ends: Array) -> Array:
    """Return the four outcomes of a table of final flags of a and b, bit 0 destroyed."""
    standing, fallen = slice(0, None, 2), slice(1, None, 2)
    cells = ((standing, fallen), (fallen, standing), (fallen, fallen), (standing, standing))
    return np.array([ends[cell].sum() for cell in cells])
