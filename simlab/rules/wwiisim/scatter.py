"""Where shells and grenades come down: exact distributions (WS-12, WS-13). Distances in inches, angles in degrees."""

from fractions import Fraction
from math import acos, cos, degrees, radians, sqrt

from simlab.rules.wwiisim.kernel.shooting import scattered

SCATTER_DIE = 10
GRENADE_REACH = 12
"""How far a smoke grenade is thrown at most."""
GRENADE_DIE, SCREEN_DIE = 6, 2
HALF_TURN = 180


def all_scatters(hit: bool, bonus: int = 0, miss_only: bool = False) -> dict[int, Fraction]:
    """Return the chances of inches of scatter of a mortar's shell (WS-12).

    bonus: 1 if the spotter sees the target, and 1 for each earlier shell at it. miss_only: not after a hit.
    """
    die = range(1, SCATTER_DIE + 1)
    thrown = list(die) if hit else [first + second for first in die for second in die]
    found: dict[int, Fraction] = {}
    for sum_ in thrown:
        inches = int(scattered(sum_, bonus, 0, hit, miss_only))
        found[inches] = found.get(inches, Fraction(0)) + Fraction(1, len(thrown))
    return dict(sorted(found.items()))


def covered_share(scatter: float, off: float, radius: float) -> float:
    """Return the share of all directions in which a template, its aim `off` from a point, covers the point."""
    scatter, off = abs(scatter), abs(off)
    if scatter + off <= radius:
        return 1.0
    if abs(scatter - off) > radius:
        return 0.0
    cosine = (scatter**2 + off**2 - radius**2) / (2 * scatter * off)
    return acos(max(-1.0, min(1.0, cosine))) / radians(HALF_TURN)


def covered_degrees(scatter: float, off: float, radius: float) -> int:
    """Return in how many of 180 directions the template covers the point: those half a degree, 1.5, ... off the line.

    Left and right of the line are alike.
    """
    return sum(_distance(scatter, abs(off), degree + 0.5) <= radius for degree in range(HALF_TURN))


def _distance(scatter: float, off: float, degree: float) -> float:
    """Distance of the template's middle from the point, `degree` being the angle between scatter and the way to it."""
    return sqrt(max(0.0, scatter**2 + off**2 - 2 * scatter * off * cos(radians(degree))))


def chance_covered(
    hit: bool, bonus: int = 0, *, off: float = 0.0, radius: float, miss_only: bool = False
) -> float:
    """Return the chance that a shell's template covers a point, in any of all directions (WS-12)."""
    scatters = all_scatters(hit, bonus, miss_only).items()
    return sum(float(chance) * covered_share(inches, off, radius) for inches, chance in scatters)


def scatter_places(hit: bool, bonus: int = 0, directions: int = 12) -> dict[tuple[float, float], Fraction]:
    """Return where the middle of a template comes down about its aim, in inches ahead and to the right, and how likely.

    directions: evenly spaced ones, the first straight ahead.
    """
    found: dict[tuple[float, float], Fraction] = {}
    for inches, chance in all_scatters(hit, bonus).items():
        for number in range(directions):
            angle = radians(360 * number / directions)
            ahead, right = inches * cos(angle), inches * cos(angle - radians(90))
            place = (round(ahead, 9) + 0.0, round(right, 9) + 0.0)
            found[place] = found.get(place, Fraction(0)) + chance / directions
    return found


def grenade_scatters(skill_missed: bool) -> dict[int, Fraction]:
    """Return the chances of inches of scatter of a smoke grenade: only a missed throw scatters (WS-13)."""
    if not skill_missed:
        return {0: Fraction(1)}
    return {inches: Fraction(1, GRENADE_DIE) for inches in range(1, GRENADE_DIE + 1)}


def screen_sizes() -> dict[int, Fraction]:
    """Return the chances of inches of the screen of a smoke grenade (WS-13)."""
    return {inches: Fraction(1, SCREEN_DIE) for inches in range(1, SCREEN_DIE + 1)}


def may_throw(distance: float) -> bool:
    """Tell whether a grenade can be thrown so far (WS-13)."""
    return distance <= GRENADE_REACH


def bearing_of(ahead: float, right: float) -> float:
    """Return the bearing, 0 to 360, of a place seen from where one looks ahead."""
    distance = sqrt(ahead**2 + right**2)
    if not distance:
        return 0.0
    angle = degrees(acos(max(-1.0, min(1.0, ahead / distance))))
    return angle if right >= 0 else (360 - angle) % 360
