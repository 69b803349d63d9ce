"""The kernel's words of tank_d20 in the terms of its reference, random draws, and a turn of the kernel enumerated."""

import random
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from reference import tank_d20 as ref

from simlab.model.situation import Situation
from simlab.rules.registry import get_system
from simlab.rules.tank_d20.kernel import layout
from simlab.rules.tank_d20.names import POSITIONS
from simlab.rules.tank_d20.sheet import Sheet, load_sheet, replace_fields, to_mapping
from simlab.tables.expand import Questions, expand_volley

UNITS = Path(__file__).parent.parent / "units" / "tank_d20"
TURNS = 12
SEATS = {"gun": layout.AT_GUN, "command": layout.IN_COMMAND, "load": layout.LOADING}
CAUSES = {
    "mobility": layout.MOBILITY,
    "firepower": layout.FIREPOWER,
    "crew": layout.CREW_KILL,
    "catastrophic": layout.CATASTROPHIC,
}
Dist = dict[Any, float]
CHOICES: dict[str, tuple[Any, ...]] = {
    "hit": ("roll_plus_drm_at_most", "roll_plus_drm_below"),
    "extreme": ("s_90", "all_open"),
    "jam_round": ("kept", "spent"),
    "fire_on_move": ("plus_12", "half"),
    "move_stack": ("replace", "add"),
    "leader_on": ("to_hit", "location"),
    "no_target": ("base", "final"),
    "per3": ("full", "part"),
    "penetration": ("compare", "roll"),
    "exposed": ("kia", "mc"),
    "heat_bands": ("constant", "as_ap"),
    "knock_out": ("wreck", "firepower", "any"),
    "stand_in": (True, False),
    "actions": (1, 2, 2, 3),
}
SIDED: dict[str, tuple[Any, ...]] = {
    "movement": ("halted", "halted", "moved", "firing"),
    "buttoned": (False, True),
    "commander": ("directs", "directs", "busy"),
    "zeroed_in": (False, False, True),
    "area_fire": (False, False, False, True),
    "light_woods": (False, False, True),
    "inches": (0, 4, 6, 11),
    "aim": ("never", "never", "always"),
}
NUMBERS = {"clear_actions": (1, 0, 2), "least_calibre": (37, 80), "least_crew": (2, 1, 3)}


@cache
def shipped() -> tuple[Sheet, ...]:
    """All shipped sheets."""
    return tuple(load_sheet(path) for path in sorted(UNITS.glob("*.yaml")))


def sheet(unit: str, **changes: Any) -> Sheet:
    """A shipped sheet with fields changed, dots written as two underscores."""
    found = next(each for each in shipped() if each.id == unit)
    fields = {key.replace("__", "."): value for key, value in changes.items()}
    return replace_fields(found, fields) if fields else found


@dataclass
class Bridge:
    """A compiled duel and the same game in the reference."""

    sheets: tuple[Sheet, Sheet]
    settings: dict[str, Any] = field(default_factory=dict)
    constants: dict[str, Any] = field(default_factory=dict)
    distance: float = 24.0
    aspects: tuple[str, str] = ("front", "front")

    def __post_init__(self) -> None:
        self.known: dict[Any, Any] = {}
        system = get_system("tank_d20")
        self.options = system.options(self.settings, self.constants)
        situation = Situation(self.distance, *self.aspects)
        self.fight = system.compile_fight([self.sheets[0]], [self.sheets[1]], situation, self.options, TURNS)
        self.ask = Questions(self.fight)
        self.types = (self.fight.types_a[0], self.fight.types_b[0])
        settings = {**self.options.built(), **self.constants}
        charts = dict(self.options.charts.content())
        aspects = dict(zip("ab", self.aspects, strict=True))
        self.game = ref.Game(settings, charts, self.distance, aspects)
        self.units = tuple(
            ref.Unit(to_mapping(each), side) for each, side in zip(self.sheets, "ab", strict=True)
        )

    def counted(self, own: int) -> bool:
        return bool(self.fight.program[self.types[own] + layout.COUNTED])

    def state(self, own: int, body: int, memory: int) -> ref.State:
        """The kernel's words as a state, what does not matter any more left out."""
        fate = body >> layout.FATE_SHIFT
        if fate:
            return ref.State(fate=frozenset(name for name, bit in CAUSES.items() if fate & int(bit)))
        positions = self.sheets[own].crew.positions
        lost = {man for place, man in enumerate(POSITIONS) if body >> place & 1 and man in positions}
        stunned = {seat for seat, bit in SEATS.items() if body >> layout.STUN_SHIFT & int(bit)}
        rounds = memory >> layout.ROUND_SHIFT if self.counted(own) else 999
        found = ref.State(
            frozenset(lost),
            bool(body & int(layout.GUN_OUT)),
            bool(body & int(layout.IMMOBILE)),
            frozenset(stunned),
            frozenset(),
            memory & int(layout.LEFT),
            memory >> layout.SHOTS_SHIFT & int(layout.SHOTS),
            bool(memory & int(layout.DAZED)),
            rounds,
        )
        return self.plain(own, found)

    def plain(self, own: int, state: ref.State) -> ref.State:
        """A state without what does not matter any more."""
        if state.fate:
            return ref.State(fate=state.fate)
        if "firepower" in ref.troubles(self.units[own], state, self.game):
            return ref.State(state.lost, state.gun_out, state.immobile)
        rounds = state.rounds if self.counted(own) else 999
        return ref.State(
            state.lost, state.gun_out, state.immobile, state.stunned, state.fate, state.left, state.shots,
            state.dazed, rounds,
        )  # fmt: skip

    def words(self, own: int, state: ref.State) -> tuple[int, int]:
        """A state as the kernel's body and memory."""
        body, _ = self.ask.fresh(self.types[own])
        body |= sum(1 << place for place, man in enumerate(POSITIONS) if man in state.lost)
        body |= int(layout.GUN_OUT) * state.gun_out | int(layout.IMMOBILE) * state.immobile
        for seat in state.stunned:
            body |= int(SEATS[seat]) << layout.STUN_SHIFT
        memory = state.left | state.shots << layout.SHOTS_SHIFT | int(layout.DAZED) * state.dazed
        if self.counted(own):
            memory |= state.rounds << layout.ROUND_SHIFT
        return body, memory

    def ability(self, own: int, words: tuple[int, int]) -> int:
        return self.ask.capability(self.types[own], 0, 0, *words)

    def shot(self, own: int, ability: int, foe_ability: int, body: int) -> Any:
        """The kernel's shot of one side at the other, every die enumerated."""
        foe = 1 - own
        key = own, ability, self.ask.exposure(self.types[foe], foe_ability), body
        if key not in self.known:
            self.known[key] = expand_volley(
                self.fight, self.types[own], 0, ability, self.types[foe], foe_ability, 0, body
            )
        return self.known[key]

    def turn(self, start: tuple[tuple[int, int], tuple[int, int]]) -> Dist:
        """Both sides' words at the end of a turn of the kernel, as states."""
        row: Dist = {start: 1.0}
        for phase in range(len(self.fight.phases)):
            after: Dist = {}
            for words, weight in row.items():
                for pair, chance in self._phase(words, phase):
                    after[pair] = after.get(pair, 0.0) + weight * chance
            row = after
        done: Dist = {}
        for words, weight in row.items():
            bodies = [
                self.ask.fallen(type_, body) for type_, (body, _) in zip(self.types, words, strict=True)
            ]
            ended = words if any(bodies) else tuple(self._rest(own, words[own]) for own in (0, 1))
            states = tuple(self.state(own, *ended[own]) for own in (0, 1))
            done[states] = done.get(states, 0.0) + weight
        return done

    def _rest(self, own: int, words: tuple[int, int]) -> tuple[int, int]:
        body, memory = self.ask._ask("rest", self.types[own], *words)
        return int(body), int(memory)

    def _phase(self, words: Any, phase: int) -> Any:
        if any(self.ask.fallen(type_, body) for type_, (body, _) in zip(self.types, words, strict=True)):
            return [(words, 1.0)]
        able = [self.ability(own, words[own]) for own in (0, 1)]
        sides = []
        for own in (0, 1):
            body, memory = words[1 - own][0], words[own][1]
            if not self.ask.ready(self.types[own], 0, able[own]):
                sides.append([(body, self._settled(own, memory, 0), 1.0)])
                continue
            found = self.shot(own, able[own], able[1 - own], body)
            ways = []
            for after, note, weight in zip(
                found.bodies.tolist(), found.notes.tolist(), found.weights.tolist(), strict=True
            ):
                mark = int(self.ask.mark(note & int(layout.NOTE_JAM)))
                spent = int(self.ask._ask("spend", self.types[own], 0, able[own], memory, mark))
                ways.append((after, self._settled(own, spent, 1), weight))
            sides.append(ways)
        return [
            (((body_a, memory_a), (body_b, memory_b)), weight_a * weight_b)
            for body_b, memory_a, weight_a in sides[0]
            for body_a, memory_b, weight_b in sides[1]
        ]

    def _settled(self, own: int, memory: int, fired: int) -> int:
        return int(self.ask._ask("settle", self.types[own], memory, fired))


def random_sheet(rng: random.Random) -> Sheet:
    """A shipped sheet with a few numbers drawn anew."""
    base = rng.choice(shipped())
    drawn = {
        "size": rng.choice(["very_small", "small", "medium", "large", "very_large"]),
        "open_top": rng.random() < 0.3,
        "crew.quality": rng.choice(["green", "regular", "elite"]),
        "crew.qualified": rng.random() < 0.7,
        "crew.captured": rng.random() < 0.2,
        "crew.leader": rng.randint(0, 5),
        "crew.positions": ["gunner", *rng.sample([m for m in POSITIONS if m != "gunner"], rng.randint(1, 4))],
        "gun.size": rng.choice(["S", "standard", "L", "XL"]),
        "gun.calibre": rng.choice([20, 36.9, 37, 75, 88]),
        "gun.penetration": rng.randint(20, 250),
        "gun.round": rng.choice(["ap", "heat"]),
        "gun.hand_held": rng.random() < 0.2,
        "gun.load_time": rng.randint(0, 3),
        "gun.rounds": rng.choice([2, 5, 99]),
    }
    changes = {name: value for name, value in drawn.items() if rng.random() < 0.6}
    return replace_fields(base, changes)


def random_bridge(rng: random.Random) -> Bridge:
    """A duel under random sheets, readings and places."""
    settings = {name: rng.choice(values) for name, values in CHOICES.items() if rng.random() < 0.5}
    for name, values in SIDED.items():
        settings.update({f"{name}_{side}": rng.choice(values) for side in "ab" if rng.random() < 0.5})
    constants = {name: rng.choice(values) for name, values in NUMBERS.items() if rng.random() < 0.3}
    aspects = rng.choice(("front", "side", "rear")), rng.choice(("front", "side", "rear"))
    distance = rng.choice([5.0, 8.0, 24.0, 53.0, 75.0, 90.0, 90.5, 140.0])
    return Bridge((random_sheet(rng), random_sheet(rng)), settings, constants, distance, aspects)


def random_state(rng: random.Random, bridge: Bridge, own: int) -> ref.State:
    """A standing unit's state as it may be at the start of a turn."""
    positions = list(bridge.sheets[own].crew.positions)
    while True:
        lost = rng.sample(positions, rng.randint(0, len(positions) - 1))
        found = ref.State(
            frozenset(lost), rng.random() < 0.1, rng.random() < 0.2, frozenset(), frozenset(),
            rng.choice([0, 0, 0, 1, 2]), rng.randint(0, 2), rng.random() < 0.2, rng.randint(1, 3),
        )  # fmt: skip
        if not ref.judge(found, bridge.units[own], bridge.game).fate:
            return bridge.plain(own, found)
