"""Lines that were crossed off earlier use up the count, instead of being skipped (BK-23)."""
# mypy: ignore-errors

import numpy as np

from simlab.jit import kernel
from simlab.rules.blitzkrieg.kernel.layout import ALL_LINES

U64 = np.uint64


@kernel
def crossed_lines(crossed, start, count, wrap):
    """Like the sound one, but that nothing is skipped."""
    window = ((U64(1) << count) - U64(1)) << start
    return window & ALL_LINES & ~crossed
