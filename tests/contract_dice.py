"""Dice for kernels as plain Python (`plain_kernels`): thrown as they are asked for, thrown again, thrown in every way.

The functions below stand in the place of those of `simlab.dice.draws`; their source is a `Dice`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from simlab.jit import kernel

TWO_D6 = tuple((6 - abs(total - 7)) / 36 for total in range(2, 13))
"""Chances of 2 to 12."""


class Dice:
    """Faces by slot: given ones, any others at random, or the first face if there is no `rng`.

    asked: chances of all faces by slot, in the order in which dice were asked for. faces: those that were shown.
    """

    def __init__(self, given: Mapping[int, int] = {}, rng: np.random.Generator | None = None) -> None:
        self.given, self._rng = given, rng
        self.asked: dict[int, list[float]] = {}
        self.faces: dict[int, int] = {}

    def face(self, slot: int, chances: list[float]) -> int:
        """Return the face of a die; asked for again, a die shows what it showed."""
        slot = int(slot)
        if slot in self.faces:
            assert self.asked[slot] == chances, "one slot, two dice"
            return self.faces[slot]
        self.asked[slot] = chances
        if slot in self.given:
            self.faces[slot] = self.given[slot]
        else:
            self.faces[slot] = 0 if self._rng is None else int(self._rng.choice(len(chances), p=chances))
        return self.faces[slot]

    def weight(self) -> float:
        """Return the chance of what was shown."""
        return float(np.prod([chances[self.faces[slot]] for slot, chances in self.asked.items()]))


@kernel
def draw_face(source: Any, slot: int, faces: int) -> np.uint64:
    """Return a face 0..faces-1; a die of one face is none."""
    if faces == 1:
        return np.uint64(0)
    return np.uint64(source.face(slot, [1 / int(faces)] * int(faces)))


@kernel
def draw_exploding(source: Any, limit: int) -> np.uint64:
    """Return the total of 2d6 in slot 0, twelves thrown again, up to `limit`."""
    totals: list[int] = []
    chances: list[float] = []
    twelves = 0
    while 12 * twelves < int(limit):
        totals += [12 * twelves + total for total in range(2, 12)]
        chances += [chance * TWO_D6[-1] ** twelves for chance in TWO_D6[:-1]]
        twelves += 1
    totals.append(12 * twelves)
    chances.append(TWO_D6[-1] ** twelves)
    return np.uint64(totals[source.face(0, chances)])


@kernel
def draw_chance(source: Any, slot: int, favourable: int, faces: int) -> bool:
    """Return yes as often as `favourable` of so many faces; what is certain still has its slot."""
    chance = int(favourable) / int(faces)
    return bool(source.face(slot, [chance, 1 - chance]) == 0)


def every_way(play: Callable[[Dice], Any]) -> Iterator[tuple[Any, float]]:
    """Give what `play` comes to in every way in which its dice can fall, each with its chance."""
    given: dict[int, int] | None = {}
    while given is not None:
        dice = Dice(given)
        result = play(dice)
        if dice.weight() > 0:
            yield result, dice.weight()
        given = _next(dice)


def _next(dice: Dice) -> dict[int, int] | None:
    """The faces of the next way: the last die that has another face shows it, dice before it stay."""
    slots = list(dice.asked)
    for place in range(len(slots) - 1, -1, -1):
        slot = slots[place]
        if dice.faces[slot] + 1 < len(dice.asked[slot]):
            return {**{earlier: dice.faces[earlier] for earlier in slots[:place]}, slot: dice.faces[slot] + 1}
    return None


def summed(ways: Iterator[tuple[Any, float]]) -> dict[Any, float]:
    """Return the chance of each result."""
    found: dict[Any, float] = {}
    for result, weight in ways:
        found[result] = found.get(result, 0.0) + weight
    return found
