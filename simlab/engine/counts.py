"""What the loops over duels count."""
# mypy: ignore-errors

import numpy as np

from simlab.jit import kernel


@kernel
def duel_counts(ends, sum_a, sum_b, exchanges):
    """Return the counts of duels from how often each pair of final flags occurred."""
    outcomes = np.zeros(4, np.int64)
    survivors = np.zeros((2, 2), np.int64)
    unit_flags = np.zeros((2, ends.shape[0]), np.int64)
    for flags_a in range(ends.shape[0]):
        for flags_b in range(ends.shape[1]):
            number = ends[flags_a, flags_b]
            lost_a, lost_b = flags_a & 1, flags_b & 1
            outcomes[(2 if lost_b else 1) if lost_a else (0 if lost_b else 3)] += number
            survivors[0, 1 - lost_a] += number
            survivors[1, 1 - lost_b] += number
            unit_flags[0, flags_a] += number
            unit_flags[1, flags_b] += number
    turn_sum = np.zeros(2, np.int64)
    turn_sum[0], turn_sum[1] = sum_a, sum_b
    return outcomes, unit_flags, turn_sum, survivors, exchanges
