"""Exact probabilities: every die enumerated with fractions, through the stages of `stages` alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import lcm
from typing import Any, TypeVar

from . import stages
from .condition import (
    FIGURES,
    Capability,
    Number,
    State,
    capability_of,
    figures_of,
)
from .settings import Settings, settle
from .sheet import Sheet, Unit, read_sheet
from .volley import Situation

T = TypeVar("T")
Dist = dict[T, Fraction]
Masses = dict[tuple[str, bool], Fraction]
D20 = range(1, 21)


@cache
def to_hit_total_distribution(dice: int, exploding: bool = True) -> Mapping[int, Fraction]:
    """P(total) of 2 dice (box-cars rolled on; 204 stands for 204 and more), of 1 die, of none (0).

    204 = 17 box-cars is beyond every THR at 12 inches a step (at most 99 + 83 + 9 = 191). `exploding`: False lets
    a 12 stand.
    """
    if dice == 0:
        return {0: Fraction(1)}
    if dice == 1:
        return {face: Fraction(1, 6) for face in range(1, 7)}
    pairs = Counter(first + second for first, second in product(range(1, 7), repeat=2))
    if not exploding:
        return {total: Fraction(ways, 36) for total, ways in pairs.items()}
    totals = {
        12 * boxcars + pair: Fraction(ways, 36) / 36**boxcars
        for boxcars in range(17)
        for pair, ways in pairs.items()
        if pair != 12
    }
    totals[stages.TOP_TOTAL] = Fraction(1, 36**17)
    return totals


@cache
def contest_distribution(lead: int = 1) -> Mapping[tuple[int, int], Fraction]:
    """One pair of faces for each result, with the weight of all pairs of that result: 190/400 and 210/400."""
    pairs = list(product(D20, repeat=2))
    found: dict[tuple[int, int], Fraction] = {}
    for explodes in (True, False):
        same = [pair for pair in pairs if stages.contest_explodes(*pair, lead) is explodes]
        if same:
            clearest = max(same, key=lambda pair: (pair[0] - pair[1]) * (1 if explodes else -1))
            found[clearest] = Fraction(len(same), 400)
    return found


CONTESTS = contest_distribution()


@cache
def spared(contests: int, lead: int) -> tuple[Fraction, Fraction]:
    """P(one start line and none of so many contests explodes), P(one start line and one does)."""
    explodes = sum(
        (
            weight
            for faces, weight in contest_distribution(lead).items()
            if stages.contest_explodes(*faces, lead)
        ),
        Fraction(0),
    )
    none = (1 - explodes) ** contests
    return none / 20, (1 - none) / 20


def added(weights: Iterable[Fraction]) -> Fraction:
    """The sum, without a greatest common divisor at each step."""
    known = list(weights)
    common = lcm(*(weight.denominator for weight in known))
    return Fraction(sum(weight.numerator * (common // weight.denominator) for weight in known), common)


class Chances:
    """Volleys of one unit at another: distributions, remembered.

    `side` is the shooter's, `aspect` the target's that is hit. The target's number on its side is 0. `silent`:
    the side that holds its fire.
    """

    def __init__(
        self,
        shooter: Sheet,
        target: Sheet,
        side: str,
        aspect: str,
        distance: Number,
        options: Mapping[str, Any] | None,
        silent: str | None = None,
    ) -> None:
        self.silent = silent
        self.shooter: Unit = read_sheet(shooter)
        self.target: Unit = read_sheet(target)
        self.side = side
        self.other = "b" if side == "a" else "a"
        self.aspect = aspect
        self.distance = distance
        self.settings: Settings = settle(options)
        self._memo: dict[Any, Any] = {}

    def shot(self, gunner: int, able: Capability, unbuttoned: bool) -> Situation:
        """The shot of a gunner of a unit with capability `able` at a target that is unbuttoned or not."""
        return Situation(
            self.shooter,
            gunner,
            able.gunners[gunner],
            self.target,
            unbuttoned,
            self.aspect,
            self.distance,
            self.settings,
            self.side,
        )

    def capability(self, state: State) -> Capability:
        """Of the shooter."""
        return self._once(
            ("able", state),
            lambda: self._capability(self.shooter, state, self.side),
        )

    def capability_of_target(self, state: State) -> Capability:
        return self._once(
            ("target", state),
            lambda: self._capability(self.target, state, self.other),
        )

    def _capability(self, unit: Unit, state: State, side: str) -> Capability:
        return capability_of(unit, state, side, self.distance, self.settings, silent=side == self.silent)

    def figures(self, state: State) -> dict[str, bool]:
        """Of the target."""
        return self._once(("figures", state), lambda: figures_of(self.target, state, self.settings))

    def destroyed(self, state: State) -> bool:
        """Is the target destroyed?"""
        return self.figures(state)["destroyed"]

    def _once(self, key: Any, make: Callable[[], T]) -> T:
        if key not in self._memo:
            self._memo[key] = make()
        found: T = self._memo[key]
        return found

    def volley(self, shot: Situation, state: State) -> Dist[State]:
        """Target states after the shot; totals and levels that come to the same are taken together."""
        key = ("volley", shot.gunner, shot.fire, shot.target_unbuttoned, state)
        return self._once(key, lambda: self._volley(shot, state))

    def _volley(self, shot: Situation, state: State) -> Dist[State]:
        if self.destroyed(state):
            return {state: Fraction(1)}
        after: Dist[State] = defaultdict(Fraction)
        damages: Dist[stages.Damage] = defaultdict(Fraction)
        letters = stages.level_letters(self.distance, self.settings)
        for hit, weight in self._to_hit(shot).items():
            if hit.verdict == "instant_death":
                after[replace(state, cause="instant_death")] += weight
            elif hit.verdict != "hit":
                after[state] += weight
            else:
                for letter in letters:
                    damages[shot.inflict(hit, letter, state.armor)] += weight / len(letters)
        for damage, weight in damages.items():
            worn = state.with_armor(damage.armor)
            if damage.lines == stages.DEAD:
                after[replace(worn, cause="dead_column")] += weight
            elif damage.lines == 0:
                after[worn] += weight
            else:
                for found, chance in self._internal(state, damage.lines).items():
                    after[found.with_armor(damage.armor)] += weight * chance
        return dict(after)

    def _to_hit(self, shot: Situation) -> Dist[stages.ToHit]:
        def make() -> Dist[stages.ToHit]:
            thresholds = shot.thresholds()
            results: dict[stages.ToHit, list[Fraction]] = defaultdict(list)
            totals = to_hit_total_distribution(shot.fire.dice, bool(self.settings["exploding"]))
            for total, weight in totals.items():
                results[stages.read_total(total, shot.fire.dice, thresholds, self.settings)].append(weight)
            return {hit: added(weights) for hit, weights in results.items()}

        return self._once(("to_hit", shot.gunner, shot.fire, shot.target_unbuttoned), make)

    def _internal(self, state: State, lines: int) -> Dist[State]:
        """States after that many lines, with armour 0: nothing here depends on it, so it is left out."""
        bare = state.with_armor((0, 0, 0, 0))

        def make() -> Dist[State]:
            after: Dist[State] = defaultdict(Fraction)
            for start in D20:
                crossing = stages.cross_off(self.target, bare, lines, start, self.settings)
                stands, exploded = spared(len(crossing.contests), int(self.settings["contest_lead"]))
                if exploded:
                    after[stages.explode(crossing)] += exploded
                if stands:
                    after[stages.survive(crossing, self.settings)] += stands
            return dict(after)

        return self._once(("internal", lines, bare), make)

    def fire(self, able: Capability, state: State) -> Dist[tuple[tuple[int | None, ...], State]]:
        """P((whom each gunner fired at), state) after one turn's fire of a unit with capability `able`.

        The first part is 0 or None for each gunner; the target has not spent its own rounds yet.
        """
        return self._once(("fire", able, state), lambda: self._fire(able, state))

    def _orders(self, able: Capability) -> list[tuple[int, ...]]:
        """The equally likely orders in which the gunners that can fire take their turns."""
        gunners = tuple(number for number, fire in enumerate(able.gunners) if fire.weapons)
        return list(permutations(gunners)) if self.settings["volley_order"] == "random" else [gunners]

    def _fire(self, able: Capability, state: State) -> Dist[tuple[tuple[int | None, ...], State]]:
        unbuttoned = self.capability_of_target(state).unbuttoned
        orders = self._orders(able)
        nobody: tuple[int | None, ...] = (None,) * len(able.gunners)
        start_down = self.destroyed(state)
        result: Dist[tuple[tuple[int | None, ...], State]] = defaultdict(Fraction)
        for order in orders:
            current = {(nobody, state): Fraction(1, len(orders))}
            for gunner in () if start_down else order:
                current = self._next_gunner(self.shot(gunner, able, unbuttoned), current)
            for outcome, weight in current.items():
                result[outcome] += weight
        return dict(result)

    def _next_gunner(
        self, shot: Situation, current: Dist[tuple[tuple[int | None, ...], State]]
    ) -> Dist[tuple[tuple[int | None, ...], State]]:
        after: Dist[tuple[tuple[int | None, ...], State]] = defaultdict(Fraction)
        declared = self.settings["fire_allocation"] == "declared"
        for (fired, state), weight in current.items():
            down = self.destroyed(state)
            if down and not declared:
                after[fired, state] += weight
                continue
            now_fired = (*fired[: shot.gunner], 0, *fired[shot.gunner + 1 :])
            for found, chance in self.volley(shot, state).items():
                after[now_fired, found] += weight * chance
        return after

    def summary(self, able: Capability, state: State) -> Masses:
        """After one turn's fire: P(figure holds and the target is destroyed or not); `all` always holds.

        The same as adding up `fire`, one gunner after the other, with equal states taken together on the way.
        """
        unbuttoned = self.capability_of_target(state).unbuttoned
        orders = self._orders(able)
        total: Masses = defaultdict(Fraction)
        for order in orders:
            shots = tuple(self.shot(gunner, able, unbuttoned) for gunner in order)
            for key, mass in self._ahead(shots, state).items():
                total[key] += mass / len(orders)
        return total

    def _ahead(self, shots: tuple[Situation, ...], state: State) -> Masses:
        if not shots or self.destroyed(state):
            marks = self.figures(state)
            held = ["all", *(name for name in FIGURES if marks[name])]
            return {(name, marks["destroyed"]): Fraction(1) for name in held}

        def make() -> Masses:
            masses: Masses = defaultdict(Fraction)
            for found, weight in self.volley(shots[0], state).items():
                for key, mass in self._ahead(shots[1:], found).items():
                    masses[key] += weight * mass
            return masses

        who = tuple((shot.gunner, shot.fire) for shot in shots)
        return self._once(("ahead", who, shots[0].target_unbuttoned, state), make)
