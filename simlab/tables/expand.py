"""Every die of a volley thrown with its weight: which states may follow a state, and how likely."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from simlab import jit
from simlab.dice import scripted
from simlab.dice.slots import SLOTS
from simlab.rules.contract import Fight
from simlab.tables import loop


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The outcomes of one volley: one entry for every way the dice can fall, equal ways merged.

    bodies: the target afterwards. notes: what the volley found. weights: probabilities, they sum to 1.
    """

    bodies: npt.NDArray[np.uint64]
    notes: npt.NDArray[np.uint64]
    weights: npt.NDArray[np.float64]


@functools.cache
def _compiled(kernels: tuple[Any, ...], name: str) -> Any:
    return jit.bound(loop.expand_dice, (scripted, *kernels), name)


def is_compiled(fight: Fight) -> bool:
    """Tell whether what throws every die is in memory or on disk, so that no compilation is ahead."""
    return jit.is_compiled(_compiled(fight.system.kernels, fight.system.name))


def expand_volley(
    fight: Fight,
    shooter: int,
    gunner: int,
    ability: int,
    target: int,
    target_ability: int,
    scene: int,
    body: int,
) -> Outcomes:
    """Return the exact distribution of one volley.

    shooter, target: type numbers. ability, target_ability: capabilities at the start of the phase. body: the target's
    state before the volley.
    """
    expand = _compiled(fight.system.kernels, fight.system.name)
    size = 4096
    while True:
        bodies, notes = np.zeros(size, np.uint64), np.zeros(size, np.uint64)
        weights = np.zeros(size)
        words = (np.uint64(v) for v in (shooter, gunner, ability, target, target_ability, scene, body))
        found = expand(fight.program, *words, np.zeros((2, SLOTS), np.int64), bodies, notes, weights)
        if found <= size:
            return _merged(bodies[:found], notes[:found], weights[:found])
        size = found


def _merged(bodies: Any, notes: Any, weights: Any) -> Outcomes:
    order = np.lexsort((notes, bodies))
    bodies, notes, weights = bodies[order], notes[order], weights[order]
    starts = np.flatnonzero(np.r_[True, (np.diff(bodies) != 0) | (np.diff(notes) != 0)])
    return Outcomes(bodies[starts], notes[starts], np.add.reduceat(weights, starts))


class Questions:
    """The system's kernel functions about single states, for plain numbers: answered without compiling them."""

    def __init__(self, fight: Fight) -> None:
        self._program = fight.program
        functions = {
            name: function for module in fight.system.kernels for name, function in vars(module).items()
        }
        self._functions = functions

    def _ask(self, name: str, *values: int) -> Any:
        with np.errstate(over="ignore"):
            return self._functions[name](self._program, *(np.uint64(value) for value in values))

    def gunners(self, type_: int) -> int:
        """Return the number of gunners of a type."""
        return int(self._ask("gunners", type_))

    def ready(self, type_: int, gunner: int, ability: int) -> bool:
        """Tell whether a gunner can fire."""
        return bool(self._ask("ready", type_, gunner, ability))

    def weapons(self, type_: int, gunner: int, ability: int) -> int:
        """Return the weapons of a gunner that can fire, as bits of his own list."""
        return int(self._ask("gunner_weapons", type_, gunner, ability))

    def fallen(self, type_: int, body: int) -> bool:
        """Tell whether a unit is destroyed."""
        return bool(self._ask("fallen", type_, body))

    def flags(self, type_: int, body: int) -> int:
        """Return the figures of a unit as bits, bit 0 destroyed."""
        return int(self._ask("flags", type_, body))

    def fresh(self, type_: int) -> tuple[int, int]:
        """Return body and memory at the start."""
        body, memory = self._ask("fresh", type_)
        return int(body), int(memory)

    def capability(self, type_: int, scene: int, phase: int, body: int, memory: int) -> int:
        """Return the capability of a unit in a phase."""
        return int(self._ask("capability", type_, scene, phase, body, memory))

    def mark(self, struck: int) -> int:
        """Return what of a roll its shooter will remember."""
        with np.errstate(over="ignore"):
            return int(self._functions["mark"](np.uint64(struck)))

    def spend(self, type_: int, gunner: int, ability: int, memory: int, marked: int = 0) -> int:
        """Return the shooter's memory after a volley, of which he remembers a mark."""
        return int(self._ask("spend", type_, gunner, ability, memory, marked))

    def memory_after(self, type_: int, ability: int, memory: int, marks: Mapping[int, int]) -> int:
        """Return the memory of a unit at the end of a phase, by the marks of the gunners who have fired."""
        fired = 0
        for gunner, marked in marks.items():
            memory = self.spend(type_, gunner, ability, memory, marked)
            fired |= 1 << gunner
        return int(self._ask("settle", type_, memory, fired))

    def remembers(self, type_: int) -> bool:
        """Tell whether a type's memory can change."""
        return bool(self._ask("remembers", type_))

    def learns(self, type_: int) -> bool:
        """Tell whether a type may come to hit by what it remembers."""
        return bool(self._ask("learns", type_))

    def exposure(self, type_: int, ability: int) -> int:
        """Return what of a unit's ability matters to those who fire at it."""
        return int(self._ask("exposure", type_, ability))

    def core(self, body: int) -> int:
        """Return the part of a body that is not its shell."""
        with np.errstate(over="ignore"):
            return int(self._functions["core"](np.uint64(body)))

    def aim(self, shooter: int, target: int, scene: int) -> int:
        """Return what is the same for all gunners of a shooter against a target in a scene."""
        return int(self._ask("aim", shooter, target, scene))

    def gunner_row(self, aimed: int, gunner: int, target_ability: int) -> int:
        """Return where the figures of a gunner against his target stand."""
        return int(self._ask("gunner_row", aimed, gunner, target_ability))


@dataclass(frozen=True, eq=False)
class Row:
    """What may have become of a unit after all fire of one phase: bodies, sorted, and their probabilities."""

    bodies: npt.NDArray[np.uint64]
    weights: npt.NDArray[np.float64]


def expand_fire(
    fight: Fight, shooter: int, ability: int, target: int, target_ability: int, scene: int, body: int
) -> Row:
    """Return the exact distribution of a target after the volleys of all gunners of one shooter.

    They fire in their order, or, where a fight is shuffled, in every order alike. Arguments as those of
    `expand_volley`. Volleys at a target that has fallen change nothing.
    """
    ask = Questions(fight)
    gunners = [number for number in range(ask.gunners(shooter)) if ask.ready(shooter, number, ability)]

    @functools.cache
    def volley(gunner: int, before: int) -> list[tuple[int, float]]:
        if ask.fallen(target, before):
            return [(before, 1.0)]
        found = expand_volley(fight, shooter, gunner, ability, target, target_ability, scene, before)
        return list(zip(found.bodies.tolist(), found.weights.tolist(), strict=True))

    def fired(gunner: int, row: dict[int, float]) -> dict[int, float]:
        after: dict[int, float] = {}
        for before, weight in row.items():
            for state, chance in volley(gunner, before):
                after[state] = after.get(state, 0.0) + weight * chance
        return after

    if fight.shuffled:
        row = _in_any_order(gunners, {body: 1.0}, fired)
    else:
        row = functools.reduce(lambda now, gunner: fired(gunner, now), gunners, {body: 1.0})
    bodies = np.array(sorted(row), np.uint64)
    return Row(bodies, np.array([row[int(state)] for state in bodies]))


def _in_any_order(
    gunners: list[int], start: dict[int, float], fired: Callable[[int, dict[int, float]], dict[int, float]]
) -> dict[int, float]:
    """Return the distribution after all gunners have fired, averaged over their orders.

    By sets: whoever of a set fires last, the others of it have fired before him, in any order.
    """
    rows = {frozenset[int](): start}
    for size in range(1, len(gunners) + 1):
        before, rows = rows, {}
        for members in combinations(gunners, size):
            row: dict[int, float] = {}
            for last in members:
                for state, weight in fired(last, before[frozenset(members) - {last}]).items():
                    row[state] = row.get(state, 0.0) + weight / size
            rows[frozenset(members)] = row
    return rows[frozenset(gunners)]
