"""A gunner's shot in numbers: what he needs, what totals mean, what the weapons that hit do."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from simlab.dice.weights import pmf_exploding
from simlab.rules.blitzkrieg.kernel import layout
from simlab.rules.blitzkrieg.kernel.damage import excess, internal_shock
from simlab.rules.blitzkrieg.kernel.to_hit import halved, range_bonus, to_hit_number
from simlab.rules.blitzkrieg.options import PAIR, Options
from simlab.rules.blitzkrieg.sheet import Sheet, Weapon

LEVELS = ("low", "mid", "high")
"""The levels of damage, shock and penetration of a weapon."""
_FIXED_LEVELS = {
    "coin": ("high", "low"),
    "mid": ("mid",),
    "always_high": ("high",),
    "three": ("low", "mid", "high"),
}
BOXCARS, SNAKE_EYES = 12, 2
NUMBERS = range(2, 29)
"""Numbers needed that tables show."""


def level_names(options: Options, distance: float) -> tuple[str, ...]:
    """Return the levels in the order of the faces of the die that chooses; one level: no die is thrown.

    Heads is high, tails is low (BK-17); a d3 (BK-51); fixed (BK-50); by range in inches (BK-52).
    """
    dsp = str(options.value("dsp"))
    if dsp != "by_range":
        return _FIXED_LEVELS[dsp]
    return ("high",) if distance <= 12 else ("mid",) if distance <= 24 else ("low",)


def aspect_defence(weapon_type: str, sheet: Sheet, aspect: str, unbuttoned: bool) -> int:
    """Return the defence value that a weapon rolls against (BK-12, BK-14, BK-31)."""
    kind = "ballistic" if weapon_type == "anti_personnel" and unbuttoned else weapon_type
    values = getattr(sheet.defense, kind)
    number: int = values.front_back if aspect in ("front", "rear") else values.sides
    return number


def weapon_reach(weapon: Weapon, options: Options) -> float | None:
    """Return the longest range of a weapon, None without one (BK-15)."""
    if not weapon.default_reach:
        return weapon.max_range
    return None if options.value("mg_range") == "unlimited" else options.constants.ap_reach


def halvings(options: Options, distance: float, side: str) -> int:
    """Return how often defence values of a target on a side are halved: standing, point blank (BK-60, BK-61, BK-67)."""
    standing = all(options.value(name) for name in PAIR) and not options.value(f"moved_{side}")
    times = int(standing) + int(bool(options.value("point_blank")) and distance <= 1)
    return min(times, 1) if options.value("halving_stack") == "once" else times


def full_steps(distance: float, options: Options) -> int:
    """Return what the distance adds to a number; decimals are taken as they are written (BK-12)."""
    steps: int = range_bonus(_as_written(distance), _as_written(options.constants.range_step))
    return steps


@lru_cache(256)
def _as_written(number: float) -> Fraction:
    return Fraction(str(number))


def to_hit(
    shooter: Sheet,
    gunner: int,
    weapon: str,
    target: Sheet,
    distance: float,
    aspect: str,
    unbuttoned: bool,
    options: Options | None = None,
    side: str = "b",
) -> int:
    """Return the to-hit number of a gunner's weapon against an aspect of a target on a side (BK-12, BK-67).

    What zeroing in adds (BK-64) belongs to the gunner's capability and is not in it.
    """
    options = options or Options()
    defence = aspect_defence(shooter.weapons[weapon].type, target, aspect, unbuttoned)
    times, down = halvings(options, distance, side), options.value("half_round") == "down"
    bonus = full_steps(distance, options)
    number: int = to_hit_number(halved(defence, times, down), bonus, shooter.gunners[gunner].skill)
    return number


def strike_word(
    weapons: Sequence[Weapon],
    level: str,
    target: Sheet,
    aspect: str,
    unbuttoned: bool,
    pooled: bool,
    factor: int = 1,
) -> int:
    """Return damage and internal points of the weapons that hit at a level, each number times `factor`.

    Fields end at `FIELD_CAP` (BK-17, BK-19, BK-20, BK-31, BK-54).
    """
    triples = [[factor * number for number in getattr(weapon, level)] for weapon in weapons]
    shock_ap = sum(
        t[1] for weapon, t in zip(weapons, triples, strict=True) if weapon.type == "anti_personnel"
    )
    shock_other = sum(t[1] for t in triples) - shock_ap
    other_hit = any(weapon.type != "anti_personnel" for weapon in weapons)
    shock = internal_shock(shock_ap, shock_other, other_hit, target.shock_threshold, unbuttoned, pooled)
    penetration = excess(sum(t[2] for t in triples), getattr(target.penetration, aspect))
    damage = sum(t[0] for t in triples)
    fields = [min(number, layout.FIELD_CAP) for number in (damage, shock, penetration)]
    return int(fields[0] | fields[1] << layout.SHOCK_SHIFT | fields[2] << layout.PENETRATION_SHIFT)


def doublings(options: Options) -> int:
    """Return how often lucky shots can double (BK-54)."""
    if not options.value("lucky_shot"):
        return 0
    return layout.MOST_DOUBLINGS if options.value("lucky_repeat") == "each" else 1


def verdicts(options: Options, dice: int) -> list[int]:
    """Return what each total of two dice, or of one, means beside hits: by total from 0 (BK-53 to BK-55).

    A total of two dice is 12 for every box-cars and then the pair that ended the roll.
    """
    totals = range(layout.TOTAL_CAP + 1) if dice == 2 else range(7)
    return [_verdict(total, total // BOXCARS if dice == 2 else 0, dice, options) for total in totals]


def _verdict(total: int, boxcars: int, dice: int, options: Options) -> int:
    found = min(boxcars, doublings(options))
    if options.value("instant_death") and boxcars >= 2:
        found |= int(layout.KILLS)
    if options.value("snake_eyes_miss") and _is_snake_eyes(total, boxcars, dice, options):
        found |= int(layout.CHOKES)
    return found


def _is_snake_eyes(total: int, boxcars: int, dice: int, options: Options) -> bool:
    if dice == 1:
        return total == 1 and options.value("snake_one_die") == "one"
    last_pair = total % BOXCARS == SNAKE_EYES and total < layout.TOTAL_CAP
    return last_pair and (boxcars == 0 or options.value("snake_scope") == "any")


def is_special(options: Options) -> bool:
    """Tell whether a roll means more than which weapons hit."""
    switches = ("snake_eyes_miss", "lucky_shot", "instant_death", "zeroing_in")
    return any(options.value(name) for name in switches) or options.value("periscope_scope") == "enclosed"


def roll_limit(options: Options, highest: int) -> int:
    """Return a total from which on all totals do the same; `highest` is the highest number that a weapon needs.

    Where box-cars stand it is 12, and 24 where two of them kill whatever comes. No roll goes beyond `TOTAL_CAP`.
    """
    if not options.constants.exploding:
        return BOXCARS
    if options.value("instant_death"):
        return 2 * BOXCARS
    limits = [highest, BOXCARS + 1]
    limits.append(BOXCARS * doublings(options))
    if options.value("snake_eyes_miss") and options.value("snake_scope") == "any":
        limits.append(layout.TOTAL_CAP)
    return min(max(limits), layout.TOTAL_CAP)


def roll_chances(options: Options, dice: int, highest: int) -> dict[int, Fraction]:
    """Return the distribution of the total of two dice or one, up to a limit that does the same as all above."""
    if dice == 1:
        return {face: Fraction(1, 6) for face in range(1, 7)}
    return pmf_exploding(roll_limit(options, highest))


def hit_chance(number: int, options: Options) -> tuple[float, float]:
    """Return the chances of two dice and of one to hit a number, snake-eyes taken off (BK-11, BK-27, BK-53)."""
    chances = []
    for dice in (2, 1):
        judged = verdicts(options, dice)
        hits = [
            weight
            for total, weight in roll_chances(options, dice, number).items()
            if total >= number and not judged[total] & int(layout.CHOKES)
        ]
        chances.append(float(sum(hits)))
    return chances[0], chances[1]


def highest_number(sheets: Sequence[Sheet], distance: float, options: Options | None = None) -> int:
    """Return a total that hits with every weapon of any sheet against any other at this distance."""
    options = options or Options()
    defences = [
        value
        for sheet in sheets
        for values in (sheet.defense.ballistic, sheet.defense.indirect, sheet.defense.anti_personnel)
        for value in (values.front_back, values.sides)
    ]
    skills = [gunner.skill for sheet in sheets for gunner in sheet.gunners]
    bonus = full_steps(distance, options)
    # Halving brings values below zero up, at most to zero.
    highest: int = max(to_hit_number(max(defences), bonus, min(skills)), bonus - min(skills))
    return highest
