"""Whole turns and short duels of one unit against another, exactly (BK-30, BK-66, BK-69, BK-70)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any, TypeVar

from .chance import D20, Chances, Dist, Masses, contest_distribution, to_hit_total_distribution
from .condition import FIGURES, Capability, Number, State, after_turn, fresh_state, is_destroyed
from .scenes import Aspects, Distances, FirstFire, Scene, scene_of
from .settings import Settings, settle
from .sheet import Sheet, read_sheet
from .volley import Situation, resolve, situation

T = TypeVar("T")


def volley_distribution(
    shooter_sheet: Sheet,
    shooter_state: State,
    gunner: int,
    target_sheet: Sheet,
    target_state: State,
    target_unbuttoned: bool,
    aspect: str,
    distance: Number,
    options: Mapping[str, Any] | None = None,
    *,
    side: str = "a",
    causes: int = 0,
) -> Dist[State]:
    """P(target state) after one volley, arguments as for `volley`; the target's number is 0."""
    shot = situation(
        shooter_sheet,
        shooter_state,
        gunner,
        target_sheet,
        target_unbuttoned,
        aspect,
        distance,
        options,
        side=side,
        causes=causes,
    )
    return Chances(shot.shooter, shot.target, side, aspect, distance, shot.settings).volley(
        shot, target_state
    )


class _Wanted(Exception):  # noqa: N818, a request and no error
    """A die that the script does not hold, with its faces."""

    def __init__(self, faces: Mapping[Any, Fraction]) -> None:
        super().__init__()
        self.faces = faces


class _Script:
    """Dice read from a list; the first one beyond its end is asked for by `_Wanted`."""

    def __init__(self, faces: tuple[Any, ...], settings: Settings) -> None:
        self.faces = list(faces)
        self.settings = settings

    def _next(self, alphabet: Mapping[Any, Fraction]) -> Any:
        if not self.faces:
            raise _Wanted(alphabet)
        return self.faces.pop(0)

    def to_hit(self, dice: int) -> Any:
        return self._next(to_hit_total_distribution(dice, bool(self.settings["exploding"])))

    def level(self, letters: str) -> Any:
        return self._next({letter: Fraction(1, len(letters)) for letter in letters})

    def start(self) -> Any:
        return self._next({face: Fraction(1, 20) for face in D20})

    def contest(self) -> Any:
        return self._next(contest_distribution(int(self.settings["contest_lead"])))


def literal_distribution(shot: Situation, state: State) -> Dist[State]:
    """The same as `volley_distribution`, by one run of `resolve` for every sequence of dice: slow."""
    after: Dist[State] = defaultdict(Fraction)
    waiting: list[tuple[tuple[Any, ...], Fraction]] = [((), Fraction(1))]
    while waiting:
        faces, weight = waiting.pop()
        try:
            found, _ = resolve(shot, state, _Script(faces, shot.settings))
        except _Wanted as wanted:
            waiting += [((*faces, face), weight * chance) for face, chance in wanted.faces.items()]
        else:
            after[found] += weight
    return dict(after)


def fire_distribution(
    shooter_sheet: Sheet,
    shooter_state: State,
    target_sheet: Sheet,
    target_state: State,
    side: str,
    aspect: str,
    distance: Number,
    options: Mapping[str, Any] | None = None,
) -> Dist[tuple[tuple[int | None, ...], State]]:
    """One side's share of a turn: P((0 or None for each gunner: did he fire), target's state).

    Both states are those at the start of the combat phase; the target has not spent its own rounds yet. With
    several gunners this is far smaller than `turn_distribution`, the product of the two sides' shares.
    """
    chances = Chances(shooter_sheet, target_sheet, side, aspect, distance, options)
    return chances.fire(chances.capability(shooter_state), target_state)


def turn_distribution(
    sheet_a: Sheet,
    state_a: State,
    sheet_b: Sheet,
    state_b: State,
    distance: Number,
    aspect_a: str = "front",
    aspect_b: str = "front",
    options: Mapping[str, Any] | None = None,
) -> Dist[tuple[State, State]]:
    """P((state of a, state of b)) after one turn of combat. `aspect_a` is the aspect of A that B hits.

    A's volleys touch only B's armour and manifest, B's only A's, and every shooter acts from its state at the
    start (BK-30): given both states the two sides' fire is independent. A destroyed unit does nothing and is
    not fired at.
    """
    settings = settle(options)
    unit_a, unit_b = read_sheet(sheet_a), read_sheet(sheet_b)
    by_a = Chances(unit_a, unit_b, "a", aspect_b, distance, settings)
    by_b = Chances(unit_b, unit_a, "b", aspect_a, distance, settings)
    able_a, able_b = by_a.capability(state_a), by_b.capability(state_b)
    pairs: Dist[tuple[State, State]] = defaultdict(Fraction)
    for (fired_a, hit_b), weight_a in by_a.fire(able_a, state_b).items():
        for (fired_b, hit_a), weight_b in by_b.fire(able_b, state_a).items():
            new_a = after_turn(unit_a, able_a, hit_a, fired_a, settings)
            new_b = after_turn(unit_b, able_b, hit_b, fired_b, settings)
            pairs[new_a, new_b] += weight_a * weight_b
    return dict(pairs)


def duel_distribution(
    sheet_a: Sheet,
    sheet_b: Sheet,
    distance: Distances,
    aspect_a: Aspects,
    aspect_b: Aspects,
    options: Mapping[str, Any] | None,
    turns: int,
    states: tuple[State, State] | None = None,
    first_fire: FirstFire = None,
) -> dict[str, Any]:
    """The duel from fresh units (or `states`), at most `turns` turns; a few turns only, exact and slow.

    Returns a_wins, b_wins, both_destroyed, neither, and `side_a`, `side_b`: the figures of BK-69 at the end,
    `destroyed_by_turn` (probability for each turn). Distance and aspects may be sequences by turn.

    What A does to B in a turn depends on A only through A's capability. So with the units split by capability
    each turn, the pair's distribution is a list of products, one for each history of the two capabilities.
    """
    settings = settle(options)
    unit_a, unit_b = read_sheet(sheet_a), read_sheet(sheet_b)
    start_a, start_b = states or (fresh_state(unit_a), fresh_state(unit_b))
    if is_destroyed(unit_a, start_a, settings) or is_destroyed(unit_b, start_b, settings):
        raise ValueError("a duel begins with two units that are not destroyed")
    fire: dict[Scene, tuple[Chances, Chances]] = {}
    duel = _Duel()
    products = [({start_a: Fraction(1)}, {start_b: Fraction(1)})]
    for turn in range(1, turns + 1):
        scene = scene_of(turn, distance, aspect_a, aspect_b, first_fire)
        if scene not in fire:
            by_a = Chances(unit_a, unit_b, "a", scene.aspect_b, scene.distance, settings, scene.silent)
            by_b = Chances(unit_b, unit_a, "b", scene.aspect_a, scene.distance, settings, scene.silent)
            fire[scene] = by_a, by_b
        duel.by_a, duel.by_b = fire[scene]
        products = duel.turn(products, last=turn == turns)
    return duel.result()


class _Duel:
    """Adds up the outcomes of a duel turn by turn; `by_a` and `by_b` are the chances of the turn."""

    by_a: Chances
    by_b: Chances

    def __init__(self) -> None:
        self.outcomes = dict.fromkeys(("a_wins", "b_wins", "both_destroyed", "neither"), Fraction(0))
        self.figures = {side: dict.fromkeys(FIGURES, Fraction(0)) for side in "ab"}
        self.destroyed: dict[str, list[Fraction]] = {"a": [], "b": []}

    def result(self) -> dict[str, Any]:
        sides = {
            f"side_{side}": {**self.figures[side], "destroyed_by_turn": self.destroyed[side]} for side in "ab"
        }
        return {**self.outcomes, **sides}

    def turn(
        self, products: list[tuple[Dist[State], Dist[State]]], last: bool
    ) -> list[tuple[Dist[State], Dist[State]]]:
        """Play one turn of every product; what is decided is counted, the rest comes back."""
        self.destroyed["a"].append(Fraction(0))
        self.destroyed["b"].append(Fraction(0))
        rest = []
        for dist_a, dist_b in products:
            groups_a, groups_b = _split(self.by_a, dist_a), _split(self.by_b, dist_b)
            for (able_a, group_a), (able_b, group_b) in product(groups_a.items(), groups_b.items()):
                hit_a = _summaries(self.by_b, able_b, group_a)
                hit_b = _summaries(self.by_a, able_a, group_b)
                self._count(hit_a, hit_b, last)
                if not last:
                    left = _survivors(self.by_b, able_b, group_a), _survivors(self.by_a, able_a, group_b)
                    rest += [left] if all(left) else []
        return rest

    def _count(self, hit_a: Masses, hit_b: Masses, last: bool) -> None:
        down_a, up_a = hit_a["all", True], hit_a["all", False]
        down_b, up_b = hit_b["all", True], hit_b["all", False]
        self.outcomes["a_wins"] += up_a * down_b
        self.outcomes["b_wins"] += down_a * up_b
        self.outcomes["both_destroyed"] += down_a * down_b
        if last:
            self.outcomes["neither"] += up_a * up_b
        self.destroyed["a"][-1] += down_a * (up_b + down_b)
        self.destroyed["b"][-1] += down_b * (up_a + down_a)
        for name in FIGURES:
            ends_b = down_b + (up_b if last else 0)
            ends_a = down_a + (up_a if last else 0)
            self.figures["a"][name] += hit_a[name, True] * (up_b + down_b) + hit_a[name, False] * ends_b
            self.figures["b"][name] += hit_b[name, True] * (up_a + down_a) + hit_b[name, False] * ends_a


def _split(chances: Chances, dist: Dist[State]) -> dict[Capability, Dist[State]]:
    groups: dict[Capability, Dist[State]] = defaultdict(dict)
    for state, weight in dist.items():
        groups[chances.capability(state)][state] = weight
    return groups


def _summaries(chances: Chances, able: Capability, targets: Dist[State]) -> Masses:
    total: Masses = defaultdict(Fraction)
    for state, weight in targets.items():
        for key, mass in chances.summary(able, state).items():
            total[key] += weight * mass
    return total


def _survivors(chances: Chances, able: Capability, targets: Dist[State]) -> Dist[State]:
    """Targets left standing, after their own fire too: the fight goes on, so all their able gunners fired."""
    after: Dist[State] = defaultdict(Fraction)
    for start, weight in targets.items():
        own = chances.capability_of_target(start)
        fired = tuple(0 if fire.weapons else None for fire in own.gunners)
        for found, mass in _standing(chances, able, start):
            after[after_turn(chances.target, own, found, fired, chances.settings)] += weight * mass
    return after


def _standing(chances: Chances, able: Capability, start: State) -> Iterator[tuple[State, Fraction]]:
    for (_, found), mass in chances.fire(able, start).items():
        if not chances.destroyed(found):
            yield found, mass
