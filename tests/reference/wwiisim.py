"""WWIISIM once more, in plain Python and from the rules alone: slow, obvious, and no line of it shared with the kernel.

Dice are thrown by calling `throw(sides)`, so that the same text enumerates every way they can fall, and follows dice
that are given. Units and their states are frozen values.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from math import cos, radians, sqrt
from typing import Any

Throw = Callable[[int], int]

MINOR = {1: "nothing", 2: "nothing", 3: "zero", 4: "stun", 5: "weapon", 6: "immobile"}
SERIOUS = {1: "stun", 2: "weapon", 3: "immobile", 4: "alive", 5: "dead", 6: "burning"}


@dataclass(frozen=True)
class Rules:
    """All readings and house numbers, at their defaults."""

    die: int = 10
    firing_skill: Any = "sheet"
    long_range: int = -2
    direction: str = "at_most"
    muzzle_smoke: int = 2
    mg_dice: int = 3
    jam_scope: str = "after"
    repair: str = "idle"
    fires_once: str = "turn"
    minor_smoke: str = "separate"
    smoke_sight: str = "none"
    initiative_zero: str = "game"
    initiative_order: str = "descending"
    immobilised_again: str = "reroll"
    no_weapon_left: str = "nothing"
    weapon_choice: str = "strongest"
    range_guess: str = "exact"
    scatter_bonus: str = "both"
    mortar_armour: str = "rear"
    wound_above: int = 6
    template_radius: float = 2
    template_men: int = 3
    spotter_sees: bool = True
    guessed_range: float = 24
    smoke_skill: int = -2
    smoke_turns: int = 1


@dataclass(frozen=True)
class Arm:
    """One weapon. how: machine gun, mortar, once, twice or plain. thrown: used up when `fires_once` is game."""

    strength: int
    short: float | None
    long: float | None = None
    how: str = "plain"
    heavy: bool = False
    thrown: bool = False


@dataclass(frozen=True)
class Unit:
    """A vehicle with the armour of its front, or men."""

    arms: tuple[Arm, ...]
    skill: int
    initiative: int
    armor: int | None = None
    men: int | None = None


@dataclass(frozen=True)
class State:
    """What has become of a unit. lost: weapons destroyed, in that order. fate: how it was destroyed."""

    fate: str | None = None
    lost: tuple[int, ...] = ()
    fallen_men: int = 0
    immobile: bool = False
    zero: bool = False
    stunned: bool = False
    smoke: int = 0
    muzzle: int = 0
    jammed: frozenset[int] = frozenset()
    used_up: frozenset[int] = frozenset()
    fired: frozenset[str] = frozenset()
    shells: tuple[int, ...] = ()


@dataclass(frozen=True)
class Place:
    """Range, and the aspects that a and b show."""

    distance: float
    aspects: tuple[str, str] = ("front", "front")


def fresh(unit: Unit) -> State:
    return State(shells=(0,) * len(unit.arms))


# Shooting


def skill_number(rules: Rules, unit: Unit, arm: Arm, distance: float, smoke: bool) -> int | None:
    """WS-1, WS-2: the number to roll, None out of reach."""
    if arm.short is not None and distance <= arm.short:
        change = 0
    elif arm.long is not None and distance <= arm.long:
        change = rules.long_range
    else:
        return None
    if smoke and rules.smoke_sight == "hinders":
        change += rules.smoke_skill
    skill = unit.skill if rules.firing_skill == "sheet" else rules.firing_skill
    return skill + change if rules.direction == "at_most" else skill - change


def is_hit(rules: Rules, value: int, number: int) -> bool:
    return value <= number if rules.direction == "at_most" else value >= number


def firing_dice(rules: Rules, arm: Arm) -> int:
    """WS-4, WS-5."""
    return {"machine gun": rules.mg_dice, "twice": 2}.get(arm.how, 1)


def armor_met(rules: Rules, arm: Arm, target: Unit, aspect: str) -> int:
    """WS-6, WS-12."""
    if target.armor is None:
        return rules.wound_above
    if arm.how == "mortar":
        aspect = rules.mortar_armour
    return target.armor - {"front": 0, "side": 1, "rear": 2}[aspect]


def works(rules: Rules, unit: Unit, state: State, number: int) -> bool:
    """Tell whether a weapon is there, manned, free of jams and not used up."""
    if unit.men is not None and number >= unit.men - state.fallen_men:
        return False
    return number not in state.lost and number not in state.jammed and number not in state.used_up


def holds_fire(rules: Rules, unit: Unit, state: State) -> bool:
    """WS-4, `repair` at_once: with a jam from an earlier turn nothing fires."""
    if rules.repair != "at_once" or state.fired:
        return False
    return any(
        number not in state.lost and not (unit.men is not None and number >= unit.men - state.fallen_men)
        for number in state.jammed
    )


def has_smoke(rules: Rules, state: State) -> bool:
    return rules.smoke_sight != "none" and bool(state.smoke or state.muzzle)


def able(rules: Rules, unit: Unit, state: State, phase: tuple[str, int | None], place: Place) -> list[int]:
    """WS-3, WS-4, WS-9: the weapons that fire in a phase, its part and the initiative whose turn it is."""
    part, rank = phase
    if state.fate or state.stunned or holds_fire(rules, unit, state):
        return []
    if has_smoke(rules, state) and rules.smoke_sight == "blocks":
        return []
    if rank is not None and rank != (0 if state.zero else unit.initiative):
        return []
    if state.zero and part in state.fired:
        return []
    return [
        number
        for number, arm in enumerate(unit.arms)
        if arm.heavy == (part == "secondary")
        and works(rules, unit, state, number)
        and skill_number(rules, unit, arm, place.distance, False) is not None
    ]


def fire(
    rules: Rules,
    shooter: Unit,
    own: State,
    number: int,
    hidden: tuple[bool, bool],
    target: Unit,
    state: State,
    place: tuple[float, str],
    throw: Throw,
) -> tuple[State, State]:
    """WS-15: the states of shooter and target after one volley. hidden: smoke at his own end, at the target's.

    Dice whose faces do not matter are not thrown.
    """
    arm, (distance, aspect) = shooter.arms[number], place
    if hidden[1] and rules.smoke_sight == "blocks":
        return own, state
    wanted = skill_number(rules, shooter, arm, distance, any(hidden))
    assert wanted is not None
    after = replace(
        own,
        fired=own.fired | {"secondary" if arm.heavy else "firing"},
        used_up=own.used_up | ({number} if arm.thrown and rules.fires_once == "game" else set()),
        muzzle=rules.smoke_turns + 1
        if arm.heavy and rules.muzzle_smoke and rules.smoke_sight != "none"
        else own.muzzle,
    )
    if arm.how == "mortar":
        after = replace(after, shells=counted(own.shells, number))
        covered = shell_covers(rules, wanted, own.shells[number], distance, throw)
        return after, strike(rules, arm, target, state, aspect, int(covered), True, throw)
    dice = firing_dice(rules, arm)
    jams = arm.how == "machine gun" and dice > 1
    sure, never = all(is_hit(rules, value, wanted) for value in range(1, rules.die + 1)), False
    never = not any(is_hit(rules, value, wanted) for value in range(1, rules.die + 1))
    if not jams and (sure or never):
        return after, strike(rules, arm, target, state, aspect, dice if sure else 0, False, throw)
    values = [throw(rules.die) for _ in range(dice)]
    hits = sum(is_hit(rules, value, wanted) for value in values)
    if jams and (values.count(1) >= 2 or values.count(2) >= 2):
        after = replace(after, jammed=after.jammed | {number})
        hits = 0 if rules.jam_scope == "lost" else hits
    return after, strike(rules, arm, target, state, aspect, hits, False, throw)


def counted(shells: tuple[int, ...], number: int) -> tuple[int, ...]:
    """One shell more, counted as far as it can matter: scatter is 20 at most."""
    return tuple(min(count + 1, 20) if place == number else count for place, count in enumerate(shells))


def shell_covers(rules: Rules, wanted: int, earlier: int, distance: float, throw: Throw) -> bool:
    """WS-12: whether the template comes to lie over the target."""
    hit = is_hit(rules, throw(rules.die), wanted)
    scatter = throw(10) if hit else throw(10) + throw(10)
    if not (hit and rules.scatter_bonus == "miss_only"):
        scatter = max(0, scatter - int(rules.spotter_sees) - earlier)
    off = abs(rules.guessed_range - distance) if rules.range_guess == "given" else 0.0
    near = directions_near(scatter, off, rules.template_radius)
    return bool(near) if len(near) in (0, 180) else throw(180) in near


@cache
def directions_near(scatter: int, off: float, radius: float) -> tuple[int, ...]:
    """The directions out of 180, all half a degree off a whole one, that bring a shell near enough."""

    def away(degree: int) -> float:
        return sqrt(max(0.0, scatter**2 + off**2 - 2 * scatter * off * cos(radians(degree - 0.5))))

    return tuple(degree for degree in range(1, 181) if away(degree) <= radius)


# Hits


def strike(
    rules: Rules,
    arm: Arm,
    target: Unit,
    state: State,
    aspect: str,
    hits: int,
    template: bool,
    throw: Throw,
) -> State:
    armor = armor_met(rules, arm, target, aspect)
    if target.armor is None:
        for _ in range(rules.template_men if template and hits else hits):
            state = wound(target, state, arm.strength, armor, throw)
        return state
    for _ in range(hits):
        state = hit(rules, target, state, arm.strength, armor, throw)
    return state


def is_above(strength: int, armor: int, throw: Throw) -> bool:
    """WS-7: d6 + strength greater than the armour."""
    if strength + 1 > armor:
        return True
    return strength + 6 > armor and throw(6) + strength > armor


def wound(target: Unit, state: State, strength: int, armor: int, throw: Throw) -> State:
    if state.fate or not is_above(strength, armor, throw):
        return state
    fallen = state.fallen_men + 1
    return (
        State(fate="dead", shells=state.shells) if fallen == target.men else replace(state, fallen_men=fallen)
    )


def hit(rules: Rules, target: Unit, state: State, strength: int, armor: int, throw: Throw) -> State:
    """WS-7 to WS-10: one hit on a vehicle."""
    if state.fate:
        return state
    serious = is_above(strength, armor, throw)
    face = throw(6)
    result = emptied(rules, target, state, (SERIOUS if serious else MINOR)[face])
    smokes = serious
    if result == "immobile" and state.immobile:
        result = "nothing"
        if rules.immobilised_again == "reroll":
            smokes = True
            faces = [f for f in SERIOUS if emptied(rules, target, state, SERIOUS[f]) != "immobile"]
            result = emptied(rules, target, state, SERIOUS[faces[throw(len(faces)) - 1]])
    if rules.smoke_sight != "none":
        if not smokes and face >= 3:
            smokes = face >= 4 if rules.minor_smoke == "same" else throw(6) >= 4
        if smokes:
            state = replace(state, smoke=rules.smoke_turns + 1)
    return affected(rules, target, state, result)


def emptied(rules: Rules, target: Unit, state: State, result: str) -> str:
    """WS-10, `no_weapon_left`."""
    if result == "weapon" and len(state.lost) == len(target.arms):
        return "immobile" if rules.no_weapon_left == "immobilised" else "nothing"
    return result


def affected(rules: Rules, target: Unit, state: State, result: str) -> State:
    if result == "zero":
        return replace(state, zero=True)
    if result == "stun":
        return replace(state, stunned=True)
    if result == "immobile":
        return replace(state, immobile=True)
    if result == "weapon":
        left = [number for number in range(len(target.arms)) if number not in state.lost]
        if rules.weapon_choice == "strongest":
            left.sort(key=lambda number: -target.arms[number].strength)
        return replace(state, lost=(*state.lost, left[0]))
    if result in ("alive", "dead", "burning"):
        return State(fate=result, lost=state.lost, immobile=state.immobile, shells=state.shells)
    return state


def rest(rules: Rules, state: State) -> State:
    """The end of a turn: repairs (WS-4), stun, initiative, smoke."""
    mended = rules.repair != "never" and not state.fired and not state.stunned
    return replace(
        state,
        stunned=False,
        zero=state.zero and rules.initiative_zero == "game",
        smoke=max(0, state.smoke - 1),
        muzzle=max(0, state.muzzle - 1),
        jammed=frozenset() if mended else state.jammed,
        fired=frozenset(),
    )
