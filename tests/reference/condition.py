"""What hits and shots have made of a unit, what it can still do, and what it counts as.

BK-24 to BK-29, BK-31, BK-69.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .settings import Settings
from .sheet import Unit

Number = int | float | Fraction


def exact(number: Number) -> Fraction:
    """The number as it is written: a float by its shortest decimals."""
    return Fraction(str(number)) if isinstance(number, float) else Fraction(number)


FIGURES = ("destroyed", "mobility_kill", "firepower_kill", "crew_kill", "catastrophic_kill")
NOT_ZEROED: tuple[int | None, int] = (None, 0)


@dataclass(frozen=True)
class State:
    """A unit between two volleys.

    `armor`: points left on front, left, right, back. `crossed`: manifest lines crossed off.
    `engine_hits`: volleys counted by each engine item, lowest first, at most its `hits`; all 0 unless the
    reading `engine_hits` is count. `cause`: None, or what ended it as a whole: dead_column, explosion,
    instant_death. `rounds`: left for each weapon, in sheet order. `zeroed`: for each gunner the enemy unit
    that he fired at in the last turn and for how many turns running, at most his skill; (None, 0) if none,
    and always so unless the option `zeroing_in` is on.
    """

    armor: tuple[int, int, int, int]
    crossed: frozenset[int]
    engine_hits: tuple[int, ...]
    cause: str | None
    rounds: tuple[int, ...]
    zeroed: tuple[tuple[int | None, int], ...]

    def with_armor(self, armor: tuple[int, int, int, int]) -> State:
        """The same unit with that much armour."""
        return State(armor, self.crossed, self.engine_hits, self.cause, self.rounds, self.zeroed)


def fresh_state(unit: Unit) -> State:
    """The unit as its sheet prints it: nothing hit, full rounds."""
    return State(
        armor=unit.armor,
        crossed=frozenset(),
        engine_hits=(0,) * len(unit.items_of("engine")),
        cause=None,
        rounds=tuple(weapon.ammo for weapon in unit.weapons),
        zeroed=(NOT_ZEROED,) * len(unit.gunners),
    )


def is_lost(unit: Unit, place: int, state: State, settings: Settings) -> bool:
    """Is the item at `place` destroyed? By any crossed line; an engine under `count` by its hits (BK-24)."""
    item = unit.items[place]
    if item.kind == "engine" and settings["engine_hits"] == "count":
        return state.engine_hits[unit.items_of("engine").index(place)] >= item.hits
    return not item.lines.isdisjoint(state.crossed)


def lost_items(unit: Unit, state: State, settings: Settings) -> set[int]:
    return {place for place in range(len(unit.items)) if is_lost(unit, place, state, settings)}


def lost_weapons(unit: Unit, lost: set[int]) -> set[int]:
    """Weapons with a lost box of their own; a mount or a bin that names a weapon is not its box."""
    boxes = (unit.items[place] for place in lost)
    return {item.weapon for item in boxes if item.kind == "weapon" and item.weapon is not None}


def figures_of(unit: Unit, state: State, settings: Settings) -> dict[str, bool]:
    """The five figures of BK-69, `destroyed` by the reading `loss_of_function` (BK-29)."""
    lost = lost_items(unit, state, settings)
    crew_dead = any(unit.items[place].kind == "crew" for place in lost)
    engine_lost = any(unit.items[place].kind == "engine" for place in lost)
    treads = unit.items_of("tread")
    treads_lost = sum(place in lost for place in treads)
    enough = 1 if settings["immobile"] == "one_tread" else len(treads)
    immobile = engine_lost or (bool(treads) and treads_lost >= enough)
    disarmed = len(lost_weapons(unit, lost)) == len(unit.weapons)
    catastrophic = state.cause is not None
    useless = {
        "any": disarmed or immobile,
        "all": disarmed and immobile,
        "firepower": disarmed,
        "crew": False,
    }[str(settings["loss_of_function"])]
    return {
        "destroyed": catastrophic or crew_dead or useless,
        "mobility_kill": immobile,
        "firepower_kill": disarmed,
        "crew_kill": crew_dead,
        "catastrophic_kill": catastrophic,
    }


def is_destroyed(unit: Unit, state: State, settings: Settings) -> bool:
    return figures_of(unit, state, settings)["destroyed"]


@dataclass(frozen=True)
class Fire:
    """What one gunner can do this turn: weapons by number (none: he cannot fire), dice 2, 1 or 0."""

    weapons: tuple[int, ...]
    dice: int
    zeroed: tuple[int | None, int]


@dataclass(frozen=True)
class Capability:
    """A unit at the start of a combat phase, as its enemies and its dice see it."""

    unbuttoned: bool
    gunners: tuple[Fire, ...]


def capability_of(
    unit: Unit,
    state: State,
    side: str,
    distance: Number,
    settings: Settings,
    causes: int = 0,
    silent: bool = False,
) -> Capability:
    """Who can fire what at `distance` inches, from the state at the start of the phase (BK-11, BK-30).

    `side` is a or b and picks the pintle policy; `causes` counts reasons for a lost die other than the
    periscope (none arises at a fixed range). A `silent` unit holds its fire: nothing bears.
    """
    if is_destroyed(unit, state, settings):
        return Capability(False, tuple(Fire((), 2, NOT_ZEROED) for _ in unit.gunners))
    lost = lost_items(unit, state, settings)
    kinds_lost = {unit.items[place].kind for place in lost}
    gone = lost_weapons(unit, lost)
    usable = [place for place in range(len(unit.weapons)) if place not in gone and state.rounds[place] > 0]
    bearing = [
        place
        for place in usable
        if not silent
        and _reaches(unit, place, distance, settings)
        and not _locked(unit, place, kinds_lost, settings)
    ]
    policy = settings[f"pintle_policy_{side}"]
    candidates = {"never": [], "in_range": bearing, "always": usable}[str(policy)]
    unbuttoned = any(unit.weapons[place].mount == "pintle" for place in candidates)
    fires = []
    for number, gunner in enumerate(unit.gunners):
        weapons = tuple(
            place
            for place in gunner.weapons
            if place in bearing and (unbuttoned or unit.weapons[place].mount != "pintle")
        )
        on_pintle = all(unit.weapons[place].mount == "pintle" for place in gunner.weapons)
        blind = "periscope" in kinds_lost and not (settings["periscope_scope"] == "enclosed" and on_pintle)
        fires.append(Fire(weapons, _dice_left(causes + blind, settings), state.zeroed[number]))
    return Capability(unbuttoned, tuple(fires))


def _reaches(unit: Unit, place: int, distance: Number, settings: Settings) -> bool:
    weapon = unit.weapons[place]
    if weapon.own_range is not None:
        return exact(distance) <= weapon.own_range
    if weapon.kind == "anti_personnel" and settings["mg_range"] == "hard":
        return exact(distance) <= exact(settings["ap_reach"])
    return True


def _locked(unit: Unit, place: int, kinds_lost: set[str], settings: Settings) -> bool:
    if settings["duel_lock"] == "none":
        return False
    mount = unit.weapons[place].mount
    return (mount == "turret" and "turret" in kinds_lost) or (
        mount == "pintle" and "pintle_mount" in kinds_lost
    )


def _dice_left(causes: int, settings: Settings) -> int:
    if settings["one_die"] == "none_left":
        return max(0, 2 - causes)
    return 1 if causes else 2


def after_turn(
    unit: Unit, able: Capability, hit: State, fired_at: tuple[int | None, ...], settings: Settings
) -> State:
    """The unit when the turn ends: `hit` (what the enemy made of it) less the rounds of its own volleys.

    `able` is its capability at the start of the phase; `fired_at[gunner]` is the enemy unit that he fired
    at, None if he did not fire. Rounds are spent only now: during the phase a bin is as full as at its start.
    """
    rounds = list(hit.rounds)
    zeroed = []
    for gunner, fire, target in zip(unit.gunners, able.gunners, fired_at, strict=True):
        if target is not None:
            for place in fire.weapons:
                rounds[place] = max(0, rounds[place] - 1)
        zeroed.append(_zero_in(gunner.skill, fire.zeroed, target, settings))
    return State(hit.armor, hit.crossed, hit.engine_hits, hit.cause, tuple(rounds), tuple(zeroed))


def _zero_in(
    skill: int, before: tuple[int | None, int], target: int | None, settings: Settings
) -> tuple[int | None, int]:
    if not settings["zeroing_in"] or target is None or skill <= 0:
        return NOT_ZEROED
    turns = before[1] + 1 if before[0] == target else 1
    return target, min(turns, skill)
