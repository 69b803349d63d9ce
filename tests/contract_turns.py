"""The chances of a duel turn by turn as the contract says them, in plain Python, for tests of all systems."""

from typing import Any

from contract_walk import Rules, Volley, volley_ways

from simlab.rules.contract import Fight
from simlab.tables.expand import expand_volley

PAIRS = 700
"""With more pairs of states no further turn is played."""


class Turns:
    """The chances of a duel turn by turn, by every die of every volley: for the first turn, or a few.

    flags: chances of both units' flags after the last turn that was played. turns: how many were.
    """

    def __init__(self, fight: Fight) -> None:
        self.fight, self.rules = fight, Rules(fight)
        self.types = fight.types_a[0], fight.types_b[0]
        self._hits: dict[Volley, dict[tuple[int, int], float]] = {}
        self._abilities: dict[Any, int | None] = {}
        self._fires: dict[tuple[int, ...], dict[tuple[int, int], float]] = {}
        self._flags: dict[tuple[int, int], int] = {}
        self.flags: dict[tuple[int, int], float] = {}
        self.turns = 0
        a, b = (self.rules("fresh", type_) for type_ in self.types)
        chances: dict[Any, float] = {(a, b): 1.0}
        while chances and self.turns < fight.turns:
            chances = self._turn(chances, fight.scene_of_turn[self.turns])
            self.turns += 1

    def _turn(self, chances: dict[Any, float], scene: int) -> dict[Any, float]:
        """Return the chances of pairs of states after a turn, none if there are too many of them to go on."""
        for phase in range(len(self.fight.phases)):
            rows = [(chance, *self._phase(pair, scene, phase)) for pair, chance in chances.items()]
            if phase + 1 == len(self.fight.phases):
                self._note_flags(rows)
                if sum(len(by_a) * len(by_b) for _, by_a, by_b in rows) > PAIRS:
                    return {}
            chances = {}
            for chance, by_a, by_b in rows:
                for (memory_a, body_b), one in by_a.items():
                    for (memory_b, body_a), other in by_b.items():
                        pair = (body_a, memory_a), (body_b, memory_b)
                        chances[pair] = chances.get(pair, 0.0) + chance * one * other
        if not self.fight.coupled:
            return chances
        rested: dict[Any, float] = {}
        for pair, chance in chances.items():
            both = self._rested(pair)
            rested[both] = rested.get(both, 0.0) + chance
        return rested

    def _note_flags(self, rows: list[Any]) -> None:
        self.flags = {}
        for chance, by_a, by_b in rows:
            for flags_b, one in self._by_flags(1, by_a).items():
                for flags_a, other in self._by_flags(0, by_b).items():
                    key = flags_a, flags_b
                    self.flags[key] = self.flags.get(key, 0.0) + chance * one * other

    def _by_flags(self, side: int, row: dict[tuple[int, int], float]) -> dict[int, float]:
        found: dict[int, float] = {}
        for (_, body), chance in row.items():
            if (side, body) not in self._flags:
                self._flags[side, body] = self.rules("flags", self.types[side], body)
            flags = self._flags[side, body]
            found[flags] = found.get(flags, 0.0) + chance
        return found

    def _rested(self, pair: Any) -> Any:
        """Both units at the end of a turn; nobody rests once one has fallen."""
        if any(self.rules("fallen", type_, state[0]) for type_, state in zip(self.types, pair, strict=True)):
            return pair
        return tuple(self.rules("rest", type_, *state) for type_, state in zip(self.types, pair, strict=True))

    def _ability(self, *words: Any) -> int | None:
        """What a unit can do, by side, state, scene and phase; None if it has fallen."""
        if words not in self._abilities:
            side, state, scene, phase = words
            fallen = self.rules("fallen", self.types[side], state[0])
            self._abilities[words] = (
                None if fallen else self.rules("capability", self.types[side], scene, phase, *state)
            )
        return self._abilities[words]

    def _phase(self, pair: Any, scene: int, phase: int) -> tuple[dict[Any, float], dict[Any, float]]:
        """Return the chances of the memory of a with the body of b, and of that of b with the body of a."""
        able_a, able_b = self._ability(0, pair[0], scene, phase), self._ability(1, pair[1], scene, phase)
        (body_a, memory_a), (body_b, memory_b) = pair
        if able_a is None or able_b is None:
            return {(memory_a, body_b): 1.0}, {(memory_b, body_a): 1.0}
        return (
            self._fire(scene, phase, 0, able_a, able_b, memory_a, body_b),
            self._fire(scene, phase, 1, able_b, able_a, memory_b, body_a),
        )

    def _fire(self, *words: int) -> dict[tuple[int, int], float]:
        """The chances of a shooter's memory and his target's body after all his volleys of a phase."""
        if words not in self._fires:
            self._fires[words] = self._fire_all(*words)
        return self._fires[words]

    def _fire_all(
        self, scene: int, phase: int, side: int, able: int, foe_able: int, memory: int, body: int
    ) -> dict[tuple[int, int], float]:
        type_, foe = self.types[side], self.types[1 - side]
        remembers, fired = bool(self.rules("remembers", type_)), 0
        row = {(memory, body): 1.0}
        for gunner in self.rules.ready(type_, able):
            after: dict[tuple[int, int], float] = {}
            for (held, before), chance in row.items():
                volley = Volley(phase, scene, type_, gunner, able, 0, foe, foe_able, before)
                for (mark, hit), weight in self._volley(volley).items():
                    kept = self.rules("spend", type_, gunner, able, held, mark) if remembers else held
                    after[kept, hit] = after.get((kept, hit), 0.0) + chance * weight
            row, fired = after, fired | 1 << gunner
        if not remembers:
            return row
        settled: dict[tuple[int, int], float] = {}
        for (held, hit), chance in row.items():
            key = self.rules("settle", type_, held, fired), hit
            settled[key] = settled.get(key, 0.0) + chance
        return settled

    def _volley(self, volley: Volley) -> dict[tuple[int, int], float]:
        if self.rules("fallen", volley.target, volley.body):
            return {(0, volley.body): 1.0}
        if volley not in self._hits:
            found: dict[tuple[int, int], float] = {}
            if self.fight.coupled:
                for (mark, after, _), chance in volley_ways(self.rules, volley).items():
                    found[mark, after] = found.get((mark, after), 0.0) + chance
            else:
                table = expand_volley(self.fight, *volley.asked)
                for after, chance in zip(table.bodies.tolist(), table.weights.tolist(), strict=True):
                    found[0, after] = found.get((0, after), 0.0) + chance
            self._hits[volley] = found
        return self._hits[volley]
