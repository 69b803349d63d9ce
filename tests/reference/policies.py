"""Whom a gunner fires at under focus, weakest, dangerous and random, from chances with fractions; docs/policies.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from .chance import Chances
from .condition import Capability, State
from .scenes import Scene
from .sheet import Sheet
from .volley import Situation

ENEMY = {"a": "b", "b": "a"}
CLEARLY = Fraction(1_000_000_001, 1_000_000_000)
"""What is higher by less than this is not higher."""
Draw = Callable[[int, str, int, int, int], int]
"""turn, side, unit, gunner, number of enemies: the place of one of them, from 0."""


class Shots(Protocol):
    """Makes the shot of a gunner of a side's unit at a unit of the other side."""

    def __call__(self, side: str, number: int, gunner: int, target: int) -> Situation: ...


@dataclass(frozen=True)
class Moment:
    """What is known when a gunner chooses.

    able, start, standing: capabilities, states and numbers of those that stood, all at the start of the phase; now:
    states after the volleys fired so far; left: the enemies that still stand; shot: makes shots of this phase.
    """

    turn: int
    scene: Scene
    side: str
    number: int
    gunner: int
    able: Mapping[str, Sequence[Capability]]
    start: Mapping[str, Sequence[State]]
    now: Mapping[str, Sequence[State]]
    standing: Mapping[str, Sequence[int]]
    left: Sequence[int]
    declared: bool
    shot: Shots

    @property
    def enemies(self) -> Sequence[int]:
        """Whom he may choose."""
        return self.standing[ENEMY[self.side]] if self.declared else self.left

    def enemy(self, target: int) -> State:
        """The state of an enemy as he takes it to be."""
        return (self.start if self.declared else self.now)[ENEMY[self.side]][target]

    def ready(self, side: str, number: int) -> Iterator[int]:
        """The gunners of a unit that can fire in this phase."""
        for gunner, fire in enumerate(self.able[side][number].gunners):
            if fire.weapons:
                yield gunner


@dataclass
class Chooser:
    """Chooses for the sides whose policy is one of the four; remembers at whom a side focuses."""

    sheets: dict[str, Sequence[Sheet]]
    policies: dict[str, str]
    options: Mapping[str, Any]
    draw: Draw
    focused: dict[str, int | None] = field(default_factory=lambda: {"a": None, "b": None})
    _known: dict[Any, Chances] = field(default_factory=dict)

    def chance(
        self, moment: Moment, side: str, number: int, gunner: int, target: int, state: State
    ) -> Fraction:
        """P(the volley of a gunner destroys a target in this state)."""
        scene = moment.scene
        aspect = scene.aspect_b if side == "a" else scene.aspect_a
        key = (side, number, target, scene)
        if key not in self._known:
            self._known[key] = Chances(
                self.sheets[side][number], self.sheets[ENEMY[side]][target], side, aspect, scene.distance,
                self.options, scene.silent,
            )  # fmt: skip
        known = self._known[key]
        after = known.volley(moment.shot(side, number, gunner, target), state)
        return sum((weight for found, weight in after.items() if known.destroyed(found)), Fraction(0))

    def choose(self, moment: Moment) -> int | None:
        """The number of the enemy to fire at, None if there is none."""
        policy, side, enemies = self.policies[moment.side], moment.side, moment.enemies
        if not enemies:
            return None
        if policy == "random":
            place = self.draw(moment.turn, side, moment.number, moment.gunner, len(enemies))
            return enemies[place]
        if policy == "weakest":
            who = moment.number, moment.gunner
            return _best(enemies, lambda e: self.chance(moment, side, *who, e, moment.enemy(e)))
        if policy == "dangerous":
            return _best(enemies, lambda e: self._danger(moment, e))
        if policy != "focus":
            raise ValueError(f"policy {policy!r}")
        if self.focused[side] not in enemies:
            self.focused[side] = _best(enemies, lambda e: self._together(moment, e))
        return self.focused[side]

    def _danger(self, moment: Moment, enemy: int) -> Fraction:
        side = moment.side
        chances = (
            self.chance(moment, ENEMY[side], enemy, gunner, own, moment.start[side][own])
            for gunner in moment.ready(ENEMY[side], enemy)
            for own in moment.standing[side]
        )
        return sum(chances, Fraction(0)) / len(moment.standing[side])

    def _together(self, moment: Moment, enemy: int) -> Fraction:
        survives = Fraction(1)
        for number in moment.standing[moment.side]:
            for gunner in moment.ready(moment.side, number):
                survives *= 1 - self.chance(moment, moment.side, number, gunner, enemy, moment.enemy(enemy))
        return 1 - survives


def _best(enemies: Sequence[int], worth: Callable[[int], Fraction]) -> int:
    chosen, highest = enemies[0], worth(enemies[0])
    for enemy in enemies[1:]:
        value = worth(enemy)
        if value > highest * CLEARLY:
            chosen, highest = enemy, value
    return chosen
