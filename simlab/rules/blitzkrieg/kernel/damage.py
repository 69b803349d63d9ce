"""From hits to internal points: level, armour worn, shock and penetration in excess."""

import numpy as np

from simlab.jit import kernel
from simlab.rules.blitzkrieg.kernel.layout import (
    ARMOR_MASK,
    FIELD,
    PENETRATION_SHIFT,
    POINTS_CAP,
    SHOCK_SHIFT,
)

U64 = np.uint64


@kernel
def excess(value, threshold):
    """Return what exceeds a threshold: shock over it, penetration over its factor (BK-19, BK-20)."""
    return max(value - threshold, 0)


@kernel
def internal_shock(shock_ap, shock_other, other_hit, threshold, unbuttoned, pooled):
    """Return the internal points by shock of a volley.

    Buttoned up, the excess of the sum (BK-19). Unbuttoned, the shock of weapons that are not anti-personnel counts in
    full and that of anti-personnel weapons by its own excess; `pooled`: one other hit lets all in (BK-31).
    """
    if not unbuttoned:
        return excess(shock_ap + shock_other, threshold)
    if pooled and other_hit:
        return shock_ap + shock_other
    return shock_other + excess(shock_ap, threshold)


@kernel
def armor_points(damage, left):
    """Return the armour points that damage wears off a face; the rest of the damage is internal (BK-18)."""
    return min(damage, left)


@kernel
def strike_damage(strike):
    """Return the summed damage of a strike word (BK-17)."""
    return strike & FIELD


@kernel
def strike_shock(strike):
    """Return the internal points by shock of a strike word (BK-19, BK-31)."""
    return (strike >> U64(SHOCK_SHIFT)) & FIELD


@kernel
def strike_penetration(strike):
    """Return the internal points by penetration of a strike word (BK-20)."""
    return (strike >> U64(PENETRATION_SHIFT)) & FIELD


@kernel
def armor_left(body, shift):
    """Return the armour left on the face that begins at bit `shift` (BK-2)."""
    return (body >> shift) & ARMOR_MASK


@kernel
def internal_points(by_damage, by_shock, by_penetration):
    """Return the internal points of a volley (BK-21), capped for the chart look-up."""
    return min(by_damage + by_shock + by_penetration, U64(POINTS_CAP))
