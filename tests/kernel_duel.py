"""A short duel by the kernel's functions alone, every die enumerated: what the reference's `duel_distribution` says.

Given the history of what both units can do their fates are independent, so a turn is a list of products of two
distributions, one for each history.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from bridge import Bridge, Dist, Unit
from reference.condition import FIGURES

Words = tuple[int, int]
"""Body and memory."""
OUTCOMES = ("a_wins", "b_wins", "both_destroyed", "neither")


class KernelDuel:
    """The duel of a bridge's first two units, from the words of fresh units or others."""

    def __init__(self, bridge: Bridge, start: tuple[Words, Words] | None = None) -> None:
        self.bridge = bridge
        self.a, self.b = bridge.units
        self.start = start or (bridge.ask.fresh(self.a.type), bridge.ask.fresh(self.b.type))
        self.result: dict[str, Any] = dict.fromkeys(OUTCOMES, 0.0)
        for unit in bridge.units:
            self.result[f"side_{unit.side}"] = {**dict.fromkeys(FIGURES, 0.0), "destroyed_by_turn": []}
        self._fires: dict[Any, Dist] = {}

    def play(self, turns: int) -> dict[str, Any]:
        """Outcomes and figures as the reference gives them."""
        products: list[tuple[Dist, Dist]] = [({self.start[0]: 1.0}, {self.start[1]: 1.0})]
        for turn in range(1, turns + 1):
            for unit in self.bridge.units:
                self.result[f"side_{unit.side}"]["destroyed_by_turn"].append(0.0)
            products = [pair for found in products for pair in self._turn(*found, last=turn == turns)]
        return self.result

    def _turn(self, dist_a: Dist, dist_b: Dist, last: bool) -> Iterator[tuple[Dist, Dist]]:
        for (able_a, group_a), (able_b, group_b) in product(
            self._groups(self.a, dist_a).items(), self._groups(self.b, dist_b).items()
        ):
            after_a = self._after(self.b, able_b, self.a, able_a, group_a)
            after_b = self._after(self.a, able_a, self.b, able_b, group_b)
            self._count(after_a, after_b, last)
            left = self._standing(self.a, after_a), self._standing(self.b, after_b)
            if all(left):
                yield left

    def _groups(self, unit: Unit, dist: Dist) -> dict[int, Dist]:
        groups: dict[int, Dist] = defaultdict(dict)
        for words, weight in dist.items():
            groups[unit.ability(*words)][words] = weight
        return groups

    def _after(self, shooter: Unit, ability: int, target: Unit, own: int, group: Dist) -> Dist:
        """The target after the shooter's fire and with its own rounds spent: what it has left if it stands, all its
        gunners who can fire having fired."""
        after: Dist = defaultdict(float)
        for (body, memory), weight in group.items():
            left = self._spent(target, own, memory)
            for hit, chance in self._fire(shooter, ability, target, own, body).items():
                after[hit, left] += weight * chance
        return after

    def _fire(self, shooter: Unit, ability: int, target: Unit, target_ability: int, body: int) -> Dist:
        key = shooter.side, ability, target_ability, body
        if key not in self._fires:
            _, memory = self.bridge.ask.fresh(shooter.type)
            fire = self.bridge.fire(shooter, ability, memory, target, target_ability, body)
            self._fires[key] = defaultdict(float)
            for (hit, _), weight in fire.items():
                self._fires[key][hit] += weight
        return self._fires[key]

    def _spent(self, unit: Unit, ability: int, memory: int) -> int:
        fired = 0
        for gunner in range(self.bridge.ask.gunners(unit.type)):
            if self.bridge.ask.ready(unit.type, gunner, ability):
                memory = self.bridge.ask.spend(unit.type, gunner, ability, memory)
                fired |= 1 << gunner
        return self.bridge.settled(unit, memory, fired)

    def _standing(self, unit: Unit, dist: Dist) -> Dist:
        return {words: weight for words, weight in dist.items() if not unit.fallen(words[0])}

    def _count(self, after_a: Dist, after_b: Dist, last: bool) -> None:
        """Add what ends here: both bits of who is down, figures of both by whether the fight is over."""
        ends = [self._marks(self.a, after_a), self._marks(self.b, after_b)]
        down = [marks[FIGURES[0], True] for marks in ends]
        whole = [marks["all", True] + marks["all", False] for marks in ends]
        up = [total - fallen for total, fallen in zip(whole, down, strict=True)]
        self.result["a_wins"] += up[0] * down[1]
        self.result["b_wins"] += down[0] * up[1]
        self.result["both_destroyed"] += down[0] * down[1]
        self.result["neither"] += up[0] * up[1] if last else 0.0
        for own, side in enumerate("ab"):
            figures, marks, other = self.result[f"side_{side}"], ends[own], 1 - own
            figures["destroyed_by_turn"][-1] += down[own] * whole[other]
            for name in FIGURES:
                over = whole[other] if last else down[other]
                figures[name] += marks[name, True] * whole[other] + marks[name, False] * over

    def _marks(self, unit: Unit, dist: Dist) -> Dist:
        """P(figure holds and the unit is down or not); `all` always holds."""
        marks: Dist = defaultdict(float)
        for (body, _), weight in dist.items():
            figures = unit.figures(body)
            for name in ("all", *(name for name in FIGURES if figures[name])):
                marks[name, figures["destroyed"]] += weight
        return marks


def assert_same_duel(found: dict[str, Any], expected: dict[str, Any], bound: float = 1e-9) -> None:
    """Outcomes, figures of both sides and destruction by turn differ by no more than `bound`."""
    for name in OUTCOMES:
        assert abs(found[name] - float(expected[name])) <= bound, name
    for side in ("side_a", "side_b"):
        for name in FIGURES:
            assert abs(found[side][name] - float(expected[side][name])) <= bound, (side, name)
        by_turn = np.array(expected[side]["destroyed_by_turn"], float)
        assert np.abs(np.array(found[side]["destroyed_by_turn"]) - by_turn).max() <= bound, side
