"""A whole engagement of N units against M, replayed under given dice: policies, exchanges, turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .condition import Capability, State, after_turn, capability_of, fresh_state, is_destroyed
from .policies import Chooser, Moment
from .scenes import Aspects, Distances, FirstFire, Scene, scene_of
from .settings import Settings, settle
from .sheet import Sheet, Unit, read_sheet
from .volley import Dice, Record, Situation, resolve

SIDES = ("a", "b")
ENEMY = {"a": "b", "b": "a"}
LISTED = ("first", "spread")

DiceSource = Callable[[int, str, int, int], Dice]
Place = tuple[str, int, int]
"""Side, unit, gunner."""
Order = Callable[[int], Sequence[Place]]


@dataclass(frozen=True)
class Exchange:
    """One gunner's volley. `record.lost_shot`: lost by declared fire, no die was thrown."""

    turn: int
    side: str
    unit: int
    gunner: int
    target: int
    record: Record


@dataclass(frozen=True)
class Fight:
    """`states` and `destroyed_in` (turn from 1, None if it stands) by side, one for each unit in order."""

    outcome: str
    turns: int
    states: dict[str, tuple[State, ...]]
    destroyed_in: dict[str, tuple[int | None, ...]]
    exchanges: tuple[Exchange, ...]


def play_fight(
    sheets_a: Sequence[Sheet],
    sheets_b: Sequence[Sheet],
    distance: Distances,
    aspect_a: Aspects,
    aspect_b: Aspects,
    options: Mapping[str, Any] | None,
    turns: int,
    policy_a: str,
    policy_b: str,
    dice: DiceSource,
    states: tuple[Sequence[State], Sequence[State]] | None = None,
    first_fire: FirstFire = None,
    order: Order | None = None,
    chooser: Chooser | None = None,
) -> Fight:
    """Play at most `turns` turns; `dice(turn, side, unit, gunner)` gives the dice of one exchange.

    Turns count from 1, units and gunners from 0. Distance and aspects may be sequences by turn; `aspect_a` is
    the aspect of A that B hits; policies are first and spread, others where a `chooser` knows them. Units are
    fresh unless `states` gives them.
    `volley_order: random` needs `order(turn)`, the gunners of both sides as they fire; whom it leaves out come
    last. ValueError without it, or for one under the listed order.
    """
    settings = settle(options)
    if (settings["volley_order"] == "random") != (order is not None):
        raise ValueError("an order of volleys goes with volley_order: random, and only with it")
    field = _Field(
        units={
            "a": [read_sheet(sheet) for sheet in sheets_a],
            "b": [read_sheet(sheet) for sheet in sheets_b],
        },
        policies={"a": policy_a, "b": policy_b},
        settings=settings,
        chooser=chooser,
    )
    now = {
        side: list(states[place]) if states else [fresh_state(unit) for unit in field.units[side]]
        for place, side in enumerate(SIDES)
    }
    destroyed_in: dict[str, list[int | None]] = {side: [None] * len(now[side]) for side in SIDES}
    exchanges: list[Exchange] = []
    turn = 0
    while turn < turns and all(field.standing(side, now) for side in SIDES):
        turn += 1
        before = {side: field.standing(side, now) for side in SIDES}
        scene = scene_of(turn, distance, aspect_a, aspect_b, first_fire)
        now, fired = field.combat(turn, scene, now, dice, order(turn) if order else ())
        exchanges += fired
        for side in SIDES:
            for number in set(before[side]) - set(field.standing(side, now)):
                destroyed_in[side][number] = turn
    left = {side: bool(field.standing(side, now)) for side in SIDES}
    return Fight(
        outcome={
            (True, False): "a_wins",
            (False, True): "b_wins",
            (False, False): "both_destroyed",
            (True, True): "neither",
        }[left["a"], left["b"]],
        turns=turn,
        states={side: tuple(now[side]) for side in SIDES},
        destroyed_in={side: tuple(destroyed_in[side]) for side in SIDES},
        exchanges=tuple(exchanges),
    )


def choose(policy: str, k: int, standing: Sequence[int]) -> int:
    """The enemy that the policy picks among the numbers of those standing, lowest first."""
    if policy == "first":
        return standing[0]
    if policy == "spread":
        return standing[k % len(standing)]
    raise ValueError(f"policy {policy!r} is neither first nor spread")


@dataclass(frozen=True)
class _Field:
    """What does not change in a fight."""

    units: dict[str, list[Unit]]
    policies: dict[str, str]
    settings: Settings
    chooser: Chooser | None = None

    def standing(self, side: str, now: Mapping[str, Sequence[State]]) -> list[int]:
        return [
            number
            for number, (unit, state) in enumerate(zip(self.units[side], now[side], strict=True))
            if not is_destroyed(unit, state, self.settings)
        ]

    def capability(self, side: str, number: int, state: State, scene: Scene) -> Capability:
        unit, silent = self.units[side][number], side == scene.silent
        return capability_of(unit, state, side, scene.distance, self.settings, silent=silent)

    def combat(
        self,
        turn: int,
        scene: Scene,
        start: dict[str, list[State]],
        dice: DiceSource,
        order: Sequence[Place],
    ) -> tuple[dict[str, list[State]], list[Exchange]]:
        """One combat phase: all act from `start`, hits count at once, rounds are spent when it is over.

        Side a fires first, units as listed, gunners as on the sheet, but for those that `order` sets before them.
        """
        now = {side: list(start[side]) for side in SIDES}
        able = {
            side: [self.capability(side, number, state, scene) for number, state in enumerate(start[side])]
            for side in SIDES
        }
        fired_at: dict[str, list[list[int | None]]] = {
            side: [[None] * len(unit.gunners) for unit in self.units[side]] for side in SIDES
        }
        exchanges = []
        standing = {side: self.standing(side, start) for side in SIDES}
        ready = [
            (side, number, gunner)
            for side in SIDES
            for number in standing[side]
            for gunner, fire in enumerate(able[side][number].gunners)
            if fire.weapons
        ]
        for side, number, gunner in dict.fromkeys((*order, *ready)):
            if (side, number, gunner) not in ready:
                raise ValueError(
                    f"gunner {gunner} of unit {number} of side {side} cannot fire in turn {turn}"
                )
            k = standing[side].index(number)
            if self.chooser is None or self.policies[side] in LISTED:
                target = self._target(side, k, standing[ENEMY[side]], now)
            else:
                moment = Moment(
                    turn, scene, side, number, gunner, able, start, now, standing, self.standing(ENEMY[side], now),
                    self.settings["fire_allocation"] == "declared",
                    lambda *who: self._shot(scene, *who[:3], able, who[3]),
                )  # fmt: skip
                target = self.chooser.choose(moment)
            if target is None:
                continue
            shot = self._shot(scene, side, number, gunner, able, target)
            found, record = resolve(shot, now[ENEMY[side]][target], dice(turn, side, number, gunner))
            now[ENEMY[side]][target] = found
            fired_at[side][number][gunner] = target
            exchanges.append(Exchange(turn, side, number, gunner, target, record))
        after = {
            side: [
                after_turn(
                    unit,
                    able[side][number],
                    now[side][number],
                    tuple(fired_at[side][number]),
                    self.settings,
                )
                for number, unit in enumerate(self.units[side])
            ]
            for side in SIDES
        }
        return after, exchanges

    def _target(
        self, side: str, k: int, enemies: Sequence[int], now: Mapping[str, Sequence[State]]
    ) -> int | None:
        """Chosen among the enemies standing at the start; when that one has fallen, again among those left.

        Declared fire does not choose again: the fallen one is shot at. None: nobody is left.
        """
        target = choose(self.policies[side], k, enemies)
        if self.settings["fire_allocation"] == "declared":
            return target
        standing = self.standing(ENEMY[side], now)
        if target in standing:
            return target
        return choose(self.policies[side], k, standing) if standing else None

    def _shot(
        self,
        scene: Scene,
        side: str,
        number: int,
        gunner: int,
        able: Mapping[str, Sequence[Capability]],
        target: int,
    ) -> Situation:
        return Situation(
            shooter=self.units[side][number],
            gunner=gunner,
            fire=able[side][number].gunners[gunner],
            target=self.units[ENEMY[side]][target],
            target_unbuttoned=able[ENEMY[side]][target].unbuttoned,
            aspect=scene.aspect_b if side == "a" else scene.aspect_a,
            distance=scene.distance,
            settings=self.settings,
            side=side,
            target_id=target,
        )
