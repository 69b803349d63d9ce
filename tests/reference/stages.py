"""The stages of one volley as functions without chance: BK-11 to BK-26, BK-50 to BK-55, BK-67, BK-68.

Both the volley under given dice and the distributions go through these functions and no others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from .condition import Fire, Number, State, exact, is_lost, lost_items
from .settings import Settings
from .sheet import Unit, Weapon

DEAD = 10  # the last column of the chart
TOP_TOTAL = 204  # 17 box-cars; all totals from here on do the same


def to_hit_number(
    target: Unit,
    weapon: Weapon,
    skill: int,
    aspect: str,
    distance: Number,
    settings: Settings,
    *,
    unbuttoned: bool = False,
    moved: bool = False,
    bonus: int = 0,
) -> int:
    """The THR of BK-12 and BK-67: `unbuttoned` and `moved` are the target's, `bonus` is zeroing in."""
    kind = "ballistic" if unbuttoned and weapon.kind == "anti_personnel" else weapon.kind
    front_back, sides = target.defense[kind]
    value = front_back if aspect in ("front", "rear") else sides
    halvings = int(bool(settings["immobile_targets"]) and not moved)
    halvings += int(bool(settings["point_blank"]) and distance <= 1)
    if settings["halving_stack"] == "once":
        halvings = min(halvings, 1)
    for _ in range(halvings):
        value = ceil(Fraction(value, 2)) if settings["half_round"] == "up" else floor(Fraction(value, 2))
    return value + floor(exact(distance) / exact(settings["range_step"])) - skill - bonus


def zeroing_bonus(skill: int, fire: Fire, target_id: int) -> int:
    """BK-64: turns running in which he fired at this very unit, at most his skill, not below 0."""
    aimed_at, turns = fire.zeroed
    return max(0, min(turns, skill)) if aimed_at == target_id else 0


@dataclass(frozen=True)
class ToHit:
    """What a total comes to. `verdict`: instant_death, snake_eyes, miss or hit; `factor` multiplies d/s/p."""

    verdict: str
    hits: tuple[int, ...] = ()
    factor: int = 1


def read_total(total: int, dice: int, thresholds: Mapping[int, int], settings: Settings) -> ToHit:
    """Judge the total of `dice` dice against the THR of each weapon (steps 3 to 5 of BK-68).

    A total of two dice tells its whole story: the last pair never shows 12, so total = 12 x box-cars + that
    pair's sum (2 to 11), and a pair with sum 2 is 1-1. From 204 on it stands for 17 box-cars and any pair.
    """
    boxcars = min(total, TOP_TOTAL) // 12 if dice == 2 else 0
    if settings["instant_death"] and boxcars >= 2:
        return ToHit("instant_death")
    if settings["snake_eyes_miss"] and _is_choke(total, dice, boxcars, settings):
        return ToHit("snake_eyes")
    hits = tuple(weapon for weapon, needed in thresholds.items() if total >= needed)
    if not hits:
        return ToHit("miss")
    doublings = boxcars if settings["lucky_repeat"] == "each" else min(boxcars, 1)
    return ToHit("hit", hits, 2**doublings if settings["lucky_shot"] else 1)


def _is_choke(total: int, dice: int, boxcars: int, settings: Settings) -> bool:
    if dice == 2:
        last_pair_is_ones = total < TOP_TOTAL and total % 12 == 2
        return last_pair_is_ones and (boxcars == 0 or settings["snake_scope"] == "any")
    return dice == 1 and total == 1 and settings["snake_one_die"] == "one"


def level_letters(distance: Number, settings: Settings) -> str:
    """The levels that may come up, equally likely; one letter: no die is thrown (BK-17, BK-50 to BK-52)."""
    if settings["dsp"] == "by_range":
        return "H" if distance <= 12 else "M" if distance <= 24 else "L"
    return {"coin": "HL", "mid": "M", "always_high": "H", "three": "HML"}[str(settings["dsp"])]


@dataclass(frozen=True)
class Damage:
    """`armor` afterwards; `sums` of d/s/p; internal `points` by armour, shock, penetration; chart column."""

    armor: tuple[int, int, int, int]
    sums: tuple[int, int, int]
    points: tuple[int, int, int]
    lines: int


def inflict(
    weapons: Sequence[Weapon],
    level: str,
    factor: int,
    target: Unit,
    armor: tuple[int, int, int, int],
    aspect: str,
    unbuttoned: bool,
    settings: Settings,
) -> Damage:
    """Damage of the `weapons` that hit: armour worn, internal points, lines (BK-17 to BK-22, BK-31).

    `lines` is 0 to 9, or DEAD.
    """
    values = [(weapon, [factor * number for number in weapon.levels[level]]) for weapon in weapons]
    damage = sum(dsp[0] for _, dsp in values)
    penetration = sum(dsp[2] for _, dsp in values)
    shock_ap = sum(dsp[1] for weapon, dsp in values if weapon.kind == "anti_personnel")
    shock_other = sum(dsp[1] for weapon, dsp in values if weapon.kind != "anti_personnel")
    face = {"front": 0, "rear": 3}.get(aspect, 1 if aspect.endswith("left") else 2)
    worn = list(armor)
    worn[face] = max(0, armor[face] - damage)
    if not unbuttoned:
        over_shock = max(0, shock_ap + shock_other - target.threshold)
    elif settings["unbuttoned_mix"] == "separate":
        over_shock = shock_other + max(0, shock_ap - target.threshold)
    elif any(weapon.kind != "anti_personnel" for weapon in weapons):
        over_shock = shock_ap + shock_other
    else:
        over_shock = max(0, shock_ap - target.threshold)
    points = (
        max(0, damage - armor[face]),
        over_shock,
        max(0, penetration - target.factors[aspect]),
    )
    return Damage(
        (worn[0], worn[1], worn[2], worn[3]),
        (damage, shock_ap + shock_other, penetration),
        points,
        column(target.chart, sum(points)),
    )


def column(chart: Sequence[int | None], points: int) -> int:
    """The last column that the points reach: 0 (none) to 9 lines, or DEAD (BK-5)."""
    reached = 0
    for place, needed in enumerate(chart, start=1):
        if needed is not None and points >= needed:
            reached = place
    return reached


@dataclass(frozen=True)
class Crossing:
    """Lines crossed off in order, the state with them, items to contest (lowest first), bins' weapons."""

    lines: tuple[int, ...]
    state: State
    contests: tuple[int, ...]
    bins_of: tuple[int, ...]


def cross_off(unit: Unit, state: State, count: int, start: int, settings: Settings) -> Crossing:
    """Cross off `count` lines from `start` upwards (BK-23), and find the bins hit (BK-26).

    The state that comes back has not settled the contests yet: see `explode` and `survive`.
    """
    skipped = set(state.crossed)
    if settings["skip"] == "destroyed":
        for place in lost_items(unit, state, settings):
            skipped.update(unit.items[place].lines)
    path = list(range(start, 21))
    if settings["manifest_overflow"] == "wrap":
        path += range(1, start)
    walked: list[int] = []
    crossed: list[int] = []
    for line in path:
        if len(crossed) == count:
            break
        walked.append(line)
        if line not in skipped:
            crossed.append(line)
    after = State(
        state.armor,
        state.crossed.union(crossed),
        _engine_hits(unit, state, walked, settings),
        state.cause,
        state.rounds,
        state.zeroed,
    )
    contests, bins_of = _bins_hit(unit, state, crossed, settings)
    return Crossing(tuple(crossed), after, contests, bins_of)


def _engine_hits(unit: Unit, state: State, walked: list[int], settings: Settings) -> tuple[int, ...]:
    if settings["engine_hits"] != "count":
        return state.engine_hits
    hits = []
    for place, before in zip(unit.items_of("engine"), state.engine_hits, strict=True):
        engine = unit.items[place]
        touched = not engine.lines.isdisjoint(walked)
        hits.append(min(engine.hits, before + touched))
    return tuple(hits)


def _bins_hit(
    unit: Unit, before: State, crossed: list[int], settings: Settings
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    contests = []
    bins_of = set()
    for place, item in enumerate(unit.items):
        lines = item.explosive[str(settings["bin_in_box"])]
        if lines.isdisjoint(crossed):
            continue
        if item.weapon is not None:
            bins_of.add(item.weapon)
        hit_earlier = not lines.isdisjoint(before.crossed)
        empty = item.weapon is not None and before.rounds[item.weapon] == 0
        if hit_earlier and settings["explosion_repeat"] == "first":
            continue
        if empty and settings["empty_bin"] == "inert":
            continue
        contests.append(place)
    if settings["explosion_rolls"] == "per_volley":
        contests = contests[:1]
    return tuple(contests), tuple(sorted(bins_of))


def contest_explodes(attacker: int, defender: int, lead: int = 1) -> bool:
    """BK-26: the attacker's d20 must be strictly higher, that is by 1 or more (a house constant)."""
    return attacker - defender >= lead


def explode(crossing: Crossing) -> State:
    """The unit blown up; the lines of the volley stay crossed off."""
    return replace(crossing.state, cause="explosion")


def survive(crossing: Crossing, settings: Settings) -> State:
    """No contest was lost: weapons fed by the bins hit have no rounds left, by the reading `lost_bin`."""
    if settings["lost_bin"] == "none" or not crossing.bins_of:
        return crossing.state
    rounds = list(crossing.state.rounds)
    for weapon in crossing.bins_of:
        rounds[weapon] = 0
    return replace(crossing.state, rounds=tuple(rounds))


def newly_lost(unit: Unit, before: State, after: State, settings: Settings) -> tuple[int, ...]:
    """Items destroyed in `after` and not in `before`, lowest first."""
    return tuple(
        place
        for place in range(len(unit.items))
        if is_lost(unit, place, after, settings) and not is_lost(unit, place, before, settings)
    )
