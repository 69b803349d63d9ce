"""The formulas that turn facts about a vehicle into the numbers of a record sheet; units in every docstring.

`docs/drafts.md` tells what each is fitted to. The book prints one whole sheet (M4A3 Sherman LP) and two more facts
(Tiger II: anti-personnel defence 25 and 19; Stuart: speed 12*, road 19): all of them come out exactly, everything
else is an estimate of ours. Constants that one printed number fixes are marked as such, guesses too.
"""

from bisect import bisect_right
from collections.abc import Sequence
from math import ceil, floor, log2, sqrt

SHOT_MM = 76.2
"""Calibre of the shot against which all slopes are reckoned."""

SLOPES: tuple[tuple[float, float, float], ...] = (
    (0, 1.0, 0.0),
    (10, 1.01, 0.0225),
    (15, 1.03, 0.0327),
    (20, 1.10, 0.0454),
    (25, 1.17, 0.0549),
    (30, 1.27, 0.0655),
    (35, 1.39, 0.0993),
    (40, 1.54, 0.1388),
    (45, 1.72, 0.1655),
    (50, 1.94, 0.2035),
    (55, 2.12, 0.2427),
    (60, 2.56, 0.2450),
    (65, 3.20, 0.3354),
    (70, 3.98, 0.3478),
)
"""Degrees, a, b: a plate T mm thick at that slope counts a (T / 76.2)^b times its thickness against capped shot."""

STEEPEST = 70
SHERMAN_FRONT_M2, SHERMAN_SIDE_M2 = 7.93, 18.62
SHERMAN_T = 33.0
OPEN_TOP_INDIRECT, OPEN_TOP_PEOPLE = 1, 2
CHART_COLUMNS = 9
ANCHOR_ECV = 558


def half_up(value: float) -> int:
    """Round to the nearest whole number, halves up: 2.5 to 3, -2.5 to -2.

    Noise of the last digits does not move a half: the value is first cut to nine decimals.
    """
    return floor(round(value, 9) + 0.5)


def slope_factor(plate_mm: float, degrees: float) -> float:
    """How many times its thickness a plate at a slope of 0 to 70 degrees counts, linear between the table's steps."""
    if not 0 <= degrees <= STEEPEST:
        raise ValueError(f"a slope of {degrees} degrees")
    factors: list[float] = [a * (plate_mm / SHOT_MM) ** b for _, a, b in SLOPES]
    place = min(bisect_right(SLOPES, degrees, key=lambda step: step[0]), len(SLOPES) - 1)
    low, high = SLOPES[place - 1][0], SLOPES[place][0]
    share = (degrees - low) / (high - low)
    return factors[place - 1] + share * (factors[place] - factors[place - 1])


def effective_mm(plate_mm: float, degrees: float | None) -> float:
    """Millimetres of upright plate that a sloped one is worth; an unknown slope counts as none."""
    return plate_mm * slope_factor(plate_mm, degrees or 0.0)


def mean_plate(hull_mm: float, turret_mm: float | None) -> float:
    """Effective millimetres of a face: the mean of hull and turret, the hull alone without a turret."""
    return hull_mm if turret_mm is None else (hull_mm + turret_mm) / 2


def muzzle_energy(shell_kg: float, velocity_ms: float) -> float:
    """Muzzle energy in MJ."""
    return shell_kg * velocity_ms**2 / 2_000_000


def ballistic_front(area_m2: float) -> int:
    """Ballistic defence from front and back, by width x height; 8 fixed by the Sherman, the slope is a guess."""
    return half_up(8 - 2 * log2(area_m2 / SHERMAN_FRONT_M2))


def ballistic_side(area_m2: float) -> int:
    """Ballistic defence from the sides, by hull length x height; 4 fixed by the Sherman, the slope is a guess."""
    return half_up(4 - 2 * log2(area_m2 / SHERMAN_SIDE_M2))


def indirect(ballistic: int, open_top: bool) -> int:
    """Indirect defence: 2 above ballistic (Sherman); 1 above without a roof (guess)."""
    return ballistic + 2 - OPEN_TOP_INDIRECT * open_top


def people_score(front_mm: float, side_mm: float, open_top: bool) -> float:
    """Anti-personnel defence before rounding, by effective mm; a line through Sherman 13 and Tiger II 25."""
    return 4 + 0.119 * (front_mm + side_mm) / 2 - OPEN_TOP_PEOPLE * open_top


def people_front(score: float, ballistic: int) -> int:
    """Anti-personnel defence from front and back: never below ballistic."""
    return max(half_up(score), ballistic)


def people_side(score: float, ballistic: int) -> int:
    """Anti-personnel defence from the sides: 10 of 13 and 19 of 25 are printed, the same share; at least ballistic."""
    return max(half_up(0.765 * score), ballistic)


def armor_points(face_mm: float) -> int:
    """Armour points of a face by effective mm: a line through the Sherman's 6, 2, 2, 1."""
    return max(1, half_up((face_mm - 28) / 12))


def shock_threshold(weight_t: float) -> int:
    """Shock threshold by weight: the Sherman's 3 fixes it."""
    return max(1, half_up(weight_t / 11))


def penetration_factor(face_mm: float) -> int:
    """Penetration factor of a face by effective mm: the Sherman's 1 and 0, the step of 30 mm chosen."""
    return max(0, half_up((face_mm - 70) / 30))


def dead_points(weight_t: float) -> int:
    """Internal points of a wreck: 8 fixed by the Sherman, growing like a body's surface (guess)."""
    return max(3, half_up(8 * (weight_t / SHERMAN_T) ** 0.67))


def internal_chart(dead: int) -> tuple[int | None, ...]:
    """The ten columns of the internal chart, 1 to 9 lines and dead, as printed for the Sherman's 8.

    p points strike the nearest whole number to 10 p / dead of lines, at most 9; a column shows the least p.
    """
    columns: list[int | None] = [None] * CHART_COLUMNS
    for points in range(dead - 1, 0, -1):
        lines = min(CHART_COLUMNS, (20 * points + dead) // (2 * dead))
        if lines:
            columns[lines - 1] = points
    return (*columns, dead)


def road_speed(km_h: float) -> int:
    """Road speed in inches: a line through Sherman 15 and Stuart 19; not true to scale."""
    return half_up(4.5 + km_h / 4)


def speed(power_hp: float, weight_t: float, road: int) -> int:
    """Speed in inches by hp a tonne: a line through Sherman 10 and Stuart 12; at most the road speed."""
    return min(half_up(2.95 + 0.465 * power_hp / weight_t), road)


def ram_multiplier(weight_t: float) -> float:
    """Damage and shock of a ram for each inch of speed, before rounding: the Sherman's .58 by weight."""
    return 0.58 * weight_t / SHERMAN_T


def hundredths(value: float) -> float:
    """Round to two decimals, halves up."""
    return half_up(100 * value) / 100


def gun_damage(calibre_mm: float) -> int:
    """Damage of a gun on a mid hit: the Sherman's 4."""
    return half_up(calibre_mm / 19)


def gun_shock(energy_mj: float) -> int:
    """Shock of a gun on a mid hit by muzzle energy: the Sherman's 3."""
    return max(1, half_up(2 * sqrt(energy_mj)))


def gun_penetration(pen_500_mm: float) -> int:
    """Penetration of a gun on a mid hit by mm at 500 m: the Sherman's 2, the step that of the armour."""
    return max(0, half_up((pen_500_mm - 56) / 30))


def spread(mid: int) -> tuple[int, int]:
    """The high and the low value around a mid one: the Sherman's 5/4/3 and 3/2/1; above 5 a guess."""
    step = max(1, half_up(mid / 4))
    return mid + step, max(0, mid - step)


def gun_rounds(stowage: int) -> int:
    """Rounds of the main gun: half the stowage, rounded up (71 give the Sherman's 36)."""
    return ceil(stowage / 2)


def draft_attack(mid: Sequence[int], coaxial: bool, bow: bool, pintle: bool) -> float:
    """What a unit deals out, for the draft price: damage + shock + 3 penetration, and its machine guns."""
    damage, shock, penetration = mid
    return damage + shock + 3 * penetration + 0.5 * coaxial + 0.25 * bow + 0.5 * pintle


def draft_skin(
    front: int, left: int, right: int, back: int, pen_front: int, pen_flank: int, shock: int, dead: int
) -> float:
    """What a unit takes, for the draft price: armour points, penetration factors, shock threshold, internal points."""
    return front + (left + right + back) / 2 + 4 * pen_front + 2 * pen_flank + 2 * shock + dead


def draft_ecv(
    attack: float, skin: float, ballistic: int, speed_inches: int, nimble: bool, fixed_gun: bool
) -> int:
    """The draft price: 558 for the Sherman LP, no simulation in it.

    `ballistic` is front and side together (12 for the Sherman). The exponent 0.8 lies between the square law (0.5)
    and duels one after the other (1): a compromise.
    """
    fight = (attack / 14 * skin / 26.5) ** 0.8
    target = 1 + 0.08 * (ballistic - 12)
    movement = 1 + 0.03 * (speed_inches - 10) + 0.03 * nimble
    return half_up(ANCHOR_ECV * fight * target * movement * (0.85 if fixed_gun else 1))
