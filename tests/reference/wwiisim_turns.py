"""Turns of WWIISIM by the plain-Python reference: phases, and every way in which the dice can fall."""

from collections.abc import Callable, Iterator
from typing import Any

from reference.wwiisim import Place, Rules, State, Throw, Unit, able, fire, has_smoke, rest


def phases(rules: Rules, units: tuple[Unit, Unit]) -> list[tuple[str, int | None]]:
    """All phases of a turn, those in which nobody fires too."""
    if rules.initiative_order == "simultaneous":
        return [("firing", None), ("secondary", None)]
    ranks = sorted({0, *(unit.initiative for unit in units)}, reverse=True)
    return [(part, rank) for part in ("firing", "secondary") for rank in ranks]


Pair = tuple[State, State]


def every_way(play: Callable[[Throw], Any]) -> dict[Any, float]:
    """What `play` comes to over every way in which its dice can fall."""
    found: dict[Any, float] = {}
    path: list[tuple[int, int]] = []

    def ways() -> Iterator[tuple[Any, float]]:
        while True:
            place, ways_in_all = 0, 1

            def throw(sides: int) -> int:
                nonlocal place, ways_in_all
                if place == len(path):
                    path.append((1, sides))
                value, known = path[place]
                assert known == sides
                place += 1
                ways_in_all *= sides
                return value

            result = play(throw)
            yield result, 1 / ways_in_all
            while path and path[-1][0] == path[-1][1]:
                path.pop()
            if not path:
                return
            path[-1] = (path[-1][0] + 1, path[-1][1])

    for result, weight in ways():
        found[result] = found.get(result, 0.0) + weight
    return found


def turn_rows(rules: Rules, units: tuple[Unit, Unit], start: Pair, place: Place) -> dict[Pair, float]:
    """The distribution of both states after one whole turn; a fight that is decided stops."""
    rows: dict[Pair, float] = {start: 1.0}
    for phase in phases(rules, units):
        after: dict[Pair, float] = {}
        for pair, weight in rows.items():
            for end, chance in phase_rows(rules, units, pair, phase, place).items():
                after[end] = after.get(end, 0.0) + weight * chance
        rows = after
    ended: dict[Pair, float] = {}
    for (a, b), weight in rows.items():
        over = bool(a.fate or b.fate)
        end = (a, b) if over else (rest(rules, a), rest(rules, b))
        ended[end] = ended.get(end, 0.0) + weight
    return ended


def phase_rows(
    rules: Rules, units: tuple[Unit, Unit], start: Pair, phase: tuple[str, int | None], place: Place
) -> dict[Pair, float]:
    """The distribution of both states after a phase: all who fire in it fire as they stood at its beginning."""
    rows: dict[Pair, float] = {start: 1.0}
    if any(state.fate for state in start):
        return rows
    for side in (0, 1):
        foe = 1 - side
        hidden = has_smoke(rules, start[side]), has_smoke(rules, start[foe])
        for number in able(rules, units[side], start[side], phase, place):
            after: dict[Pair, float] = {}
            for pair, weight in rows.items():

                def play(
                    throw: Throw, pair: Pair = pair, number: int = number, side: int = side, foe: int = foe,
                    hidden: tuple[bool, bool] = hidden,
                ) -> Pair:  # fmt: skip
                    if pair[foe].fate:
                        return pair
                    own, other = fire(
                        rules, units[side], pair[side], number, hidden, units[foe], pair[foe],
                        (place.distance, place.aspects[foe]), throw,
                    )  # fmt: skip
                    own = own if not pair[side].fate else pair[side]
                    return (own, other) if side == 0 else (other, own)

                for end, chance in every_way(play).items():
                    after[end] = after.get(end, 0.0) + weight * chance
            rows = after
    return rows
