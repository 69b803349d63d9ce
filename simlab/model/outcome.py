"""What a run of fights comes to: integer counts, nothing estimated."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

OUTCOMES = ("a_wins", "b_wins", "both_destroyed", "neither")

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts over `n` fights; units of side a come first, then those of side b.

    outcomes: shape (4,), in the order of `OUTCOMES`.
    exchanges: volleys fired in all fights together.
    flags: shape (units, 2 ** (1 + kinds)), how often a unit ended with each set of flags
        (bit 0 destroyed, bit i the i-th kill kind of the rule system).
    turn_sum: shape (units,), sum of the turns (from 1) in which the unit was destroyed.
    survivors_a, survivors_b: shape (units of the side + 1,), fights by number of units left.
    losses_a, losses_b: shape (combinations,), fights by which units of the side were destroyed, numbered as in
        `simlab.model.losses`; None where there are too many combinations to count.
    """

    n: int
    outcomes: Counts
    exchanges: int
    flags: Counts
    turn_sum: Counts
    survivors_a: Counts
    survivors_b: Counts
    losses_a: Counts | None = None
    losses_b: Counts | None = None

    def with_flag(self, bit: int) -> Counts:
        """Return how often each unit ended with the flag: shape (units,). Bit 0 is destroyed."""
        has = (np.arange(self.flags.shape[1]) >> bit) & 1 == 1
        counts: Counts = self.flags[:, has].sum(axis=1)
        return counts

    def destroyed(self) -> Counts:
        """Return how often each unit was destroyed: shape (units,)."""
        return self.with_flag(0)

    def __add__(self, other: "Tally") -> "Tally":
        """Return the counts of both runs together."""
        return Tally(
            self.n + other.n,
            self.outcomes + other.outcomes,
            self.exchanges + other.exchanges,
            self.flags + other.flags,
            self.turn_sum + other.turn_sum,
            self.survivors_a + other.survivors_a,
            self.survivors_b + other.survivors_b,
            _both(self.losses_a, other.losses_a),
            _both(self.losses_b, other.losses_b),
        )


def _both(one: Counts | None, other: Counts | None) -> Counts | None:
    return None if one is None or other is None else one + other
