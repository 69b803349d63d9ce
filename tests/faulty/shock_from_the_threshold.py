"""One more point of internal shock whenever there is any (BK-19): a small fault."""
# mypy: ignore-errors

import numpy as np

from simlab.jit import kernel
from simlab.rules.blitzkrieg.kernel.layout import FIELD, SHOCK_SHIFT

U64 = np.uint64


@kernel
def strike_shock(strike):
    """Like the sound one, but one more."""
    found = (strike >> U64(SHOCK_SHIFT)) & FIELD
    return found + U64(1) if found else found
