"""What solving a duel comes to."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]


A_WINS, B_WINS, BOTH, NEITHER = range(4)
ROUNDING = 1e-12
"""Part of every error bound: what the sums of a solution may have lost to rounding, and to showing 12 decimals."""


class TooLongError(Exception):
    """Solving takes more work or memory than was allowed."""


@dataclass(frozen=True, eq=False)
class Solution:
    """An exact duel. Probabilities are lower bounds, none wanting more than `error_bound`; nor do all four outcomes.

    outcomes: shape (4,), in the order of `simlab.model.outcome.OUTCOMES`. by_turn: (turns + 1, 4), the same if the
    fight had ended after so many turns. figures: (2, 1 + kill kinds), P(destroyed) of each unit, that of the outcomes,
    and of each kill kind. work: nanoseconds by fixed constants, the same on every machine. states: cores of
    both units. rank: the highest of a block. memory: bytes.
    """

    outcomes: Array
    by_turn: Array
    figures: Array
    error_bound: float
    work: float
    states: int
    rank: int
    memory: int

    def destroyed_by(self, unit: int) -> Array:
        """Return the probability that a unit is destroyed by the end of each turn: (turns + 1,), from turn 0."""
        return np.asarray(self.by_turn[:, B_WINS if unit == 0 else A_WINS] + self.by_turn[:, BOTH])

    def stands_after(self, unit: int) -> Array:
        """Return the probability that a unit stands after each turn: (turns + 1,), from turn 0."""
        return np.asarray(self.by_turn[:, A_WINS if unit == 0 else B_WINS] + self.by_turn[:, NEITHER])

    def fell(self, unit: int) -> Array:
        """Return the probability that a unit is destroyed in each turn: (turns + 1,), from turn 0.

        They are the steps of `destroyed_by`, so that they add up; one may be too large too, by `error_bound` at most.
        """
        return np.diff(self.destroyed_by(unit), prepend=0.0)

    def mean_turn(self, unit: int) -> float | None:
        """Return the mean turn in which a unit is destroyed, of the probability that was followed; None if never."""
        fell = self.fell(unit)
        return float(fell @ np.arange(len(fell)) / fell.sum()) if fell.sum() > 0 else None


def outcomes_of_ends(ends: Array) -> Array:
    """Return the four outcomes of a table of final flags of a and b, bit 0 destroyed."""
    standing, fallen = slice(0, None, 2), slice(1, None, 2)
    cells = ((standing, fallen), (fallen, standing), (fallen, fallen), (standing, standing))
    return np.array([ends[cell].sum() for cell in cells])


def figures_of_ends(ends: Array, outcomes: Array, kinds: int, cut: float = 0.0) -> Array:
    """Return P(destroyed) and that of each kill kind, (2, 1 + kinds), of a table of final flags and the outcomes.

    cut: by how much each of the outcomes has been lowered.
    """
    figures = np.zeros((2, 1 + kinds))
    figures[:, 0] = outcomes[B_WINS] + outcomes[BOTH], outcomes[A_WINS] + outcomes[BOTH]
    for bit in range(1, 1 + kinds):
        has = (np.arange(len(ends)) >> bit) & 1 == 1
        # As much is taken off as is of the two outcomes that make up the destroyed: who is of a kind is of them.
        sums = np.array([ends[has].sum(), ends[:, has].sum()])
        figures[:, bit] = np.clip(sums - 2 * cut, 0.0, 1.0)
    return figures
