"""Duels walked through in plain Python, by the kernel functions of a system alone: where tests of the contract stand.

The walk follows the text of the contract, not the loops of the product, so that it can be held against them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Any

import contract_dice
import numpy as np
import plain_kernels
from contract_dice import Dice, every_way, summed
from samples import SETTINGS, compile_sample, sample_sheets, system_of

from simlab.model.situation import Situation
from simlab.rules.contract import Fight

WALKS = 30
"""Duels of each pair."""
PLACES = ((10.0, 0, -1), (24.0, 0, 0), (2.0, 1, 0))
"""Ranges, and the aspects that sides show, by their numbers."""


def call(name: str, *values: Any) -> Any:
    """Call a kernel function by name: bound by `plain_kernels`, which puts all of them among the globals."""
    return globals()[name](*values)


class Rules:
    """The kernel functions of a fight's system, for plain numbers, uncompiled."""

    def __init__(self, fight: Fight) -> None:
        self.fight = fight
        self._call = plain_kernels.bound(call, (contract_dice, *fight.system.kernels))
        self._known: dict[Any, Any] = {}

    def __call__(self, name: str, *values: Any) -> Any:
        """Ask a function that is given the program first."""
        return self.bare(name, self.fight.program, *values)

    def bare(self, name: str, *values: Any) -> Any:
        """Ask a function that is not. Answers without dice are kept: they depend on the words alone."""
        question = (name, *(values[1:] if values and values[0] is self.fight.program else values))
        if question not in self._known:
            found = self._call(name, *(np.uint64(v) if isinstance(v, int) else v for v in values))
            answer = tuple(map(int, found)) if isinstance(found, tuple) else int(found)
            if values and isinstance(values[-1], Dice):
                return answer
            self._known[question] = answer
        return self._known[question]

    def ways(self, name: str, *values: int) -> dict[Any, float]:
        """Return the chances of what a stage comes to, by every way in which its dice can fall."""
        question = ("ways of", name, *values)
        if question not in self._known:
            self._known[question] = summed(every_way(lambda dice: self(name, *values, dice)))
        found: dict[Any, float] = self._known[question]
        return found

    def ready(self, type_: int, ability: int) -> list[int]:
        """Return the gunners who can fire."""
        return [gunner for gunner in range(self("gunners", type_)) if self("ready", type_, gunner, ability)]


@dataclass(frozen=True)
class Volley:
    """Who fires at whom: words before the dice fall. `memory` is the shooter's, `body` the target's."""

    phase: int
    scene: int
    shooter: int
    gunner: int
    ability: int
    memory: int
    target: int
    target_ability: int
    body: int

    @property
    def asked(self) -> tuple[int, ...]:
        """The arguments of `expand_volley` after the fight."""
        return (
            self.shooter, self.gunner, self.ability, self.target, self.target_ability, self.scene, self.body,
        )  # fmt: skip


@dataclass(frozen=True)
class Fired:
    """A volley and what came of it; `more` is None where it missed. `faces`: by slot."""

    volley: Volley
    struck: int
    more: int | None
    after: int
    note: int
    memory: int
    faces: tuple[tuple[int, int], ...]
    slots: tuple[int, ...]


@dataclass(frozen=True)
class Start:
    """A unit at the start of a phase."""

    phase: int
    scene: int
    type: int
    body: int
    memory: int
    ability: int


@dataclass(frozen=True)
class Rest:
    """A unit before and after the end of a turn."""

    type: int
    before: tuple[int, int]
    after: tuple[int, int]


@dataclass
class Walk:
    """A duel and what was seen in it. turned: ability and memory before and after a gunner's first target."""

    fight: Fight
    rules: Rules
    fired: list[Fired]
    starts: list[Start]
    rests: list[Rest]
    turned: list[tuple[tuple[int, int], tuple[int, int]]]


def stages(rules: Rules, volley: Volley, dice: Any) -> tuple[int, int | None, int, int]:
    """Return what struck, what is more to come (None after a miss), body and note after the stages in a row."""
    aimed = rules("aim", volley.shooter, volley.target, volley.scene)
    row = rules("gunner_row", aimed, volley.gunner, volley.target_ability)
    struck = rules("roll", volley.shooter, volley.gunner, volley.ability, row, dice)
    if not struck:
        return 0, None, volley.body, 0
    body, note, more = rules("hurt", volley.target, row, volley.body, struck, dice)
    if more:
        body, note = rules("wreck", volley.target, volley.target_ability, body, note, more, dice)
    return struck, more, body, note


def whole(rules: Rules, volley: Volley, dice: Any) -> tuple[int, int]:
    """Return body and note after a volley."""
    aimed = rules("aim", volley.shooter, volley.target, volley.scene)
    found: tuple[int, int] = rules("volley", *volley.asked[:5], aimed, volley.body, dice)
    return found


def marked(rules: Rules, struck: int) -> int:
    """Return what of what struck a shooter remembers."""
    return int(rules.bare("mark", struck)) if rules.fight.coupled else 0


class Unit:
    """One of the two units of a walk."""

    def __init__(self, rules: Rules, type_: int) -> None:
        self.rules, self.type = rules, type_
        self.body, self.memory = rules("fresh", type_)
        self.remembers = bool(rules("remembers", type_))
        self.aimed: set[int] = set()

    def fallen(self) -> bool:
        return bool(self.rules("fallen", self.type, self.body))


def walk(fight: Fight, rng: np.random.Generator) -> Walk:
    """Fight a duel at random dice."""
    rules = Rules(fight)
    seen = Walk(fight, rules, [], [], [], [])
    units = [Unit(rules, type_) for type_ in (fight.types_a[0], fight.types_b[0])]
    for scene in fight.scene_of_turn:
        for phase in range(len(fight.phases)):
            _phase(seen, units, scene, phase, rng)
            if any(unit.fallen() for unit in units):
                return seen
        if fight.coupled:
            for unit in units:
                before = unit.body, unit.memory
                unit.body, unit.memory = rules("rest", unit.type, *before)
                seen.rests.append(Rest(unit.type, before, (unit.body, unit.memory)))
    return seen


def _phase(seen: Walk, units: list[Unit], scene: int, phase: int, rng: np.random.Generator) -> None:
    rules = seen.rules
    able = [rules("capability", unit.type, scene, phase, unit.body, unit.memory) for unit in units]
    seen.starts += [
        Start(phase, scene, unit.type, unit.body, unit.memory, ability)
        for unit, ability in zip(units, able, strict=True)
    ]
    for unit, foe, own, other in ((*units, *able), (*units[::-1], *able[::-1])):
        fired = 0
        for gunner in rules.ready(unit.type, own):
            if foe.fallen():
                break
            ability = own
            if unit.remembers and gunner not in unit.aimed:
                unit.aimed.add(gunner)
                before = own, unit.memory
                ability, unit.memory = rules("retarget", unit.type, gunner, *before)
                seen.turned.append((before, (ability, unit.memory)))
            volley = Volley(phase, scene, unit.type, gunner, ability, unit.memory, foe.type, other, foe.body)
            dice = Dice(rng=rng)
            struck, more, after, note = stages(rules, volley, dice)
            foe.body, fired = after, fired | 1 << gunner
            if unit.remembers:
                mark = marked(rules, struck)
                unit.memory = rules("spend", unit.type, gunner, ability, unit.memory, mark)
            faces, slots = tuple(dice.faces.items()), tuple(dice.asked)
            seen.fired.append(Fired(volley, struck, more, after, note, unit.memory, faces, slots))
        if unit.remembers:
            unit.memory = rules("settle", unit.type, unit.memory, fired)


def duels(name: str, number: int, turns: int = 12) -> Iterator[Fight]:
    """Give a duel of every ordered pair of sample sheets, in changing places."""
    aspects = system_of(name).aspects
    for place, pair in enumerate(permutations(sample_sheets(name), 2)):
        distance, a, b = PLACES[place % len(PLACES)]
        where = Situation(distance, aspects[a], aspects[b])
        yield compile_sample(name, pair[:1], pair[1:], SETTINGS[name][number], where, turns)


@cache
def walks(name: str, number: int) -> tuple[Walk, ...]:
    """Return some walks through each of the duels of a system under one of its sets of options."""
    rng = np.random.default_rng(5)
    return tuple(walk(fight, rng) for fight in duels(name, number) for _ in range(WALKS))


@cache
def fired(name: str, number: int) -> tuple[tuple[Walk, Fired], ...]:
    """Return all volleys of the walks, each with its walk."""
    return tuple((each, one) for each in walks(name, number) for one in each.fired)


def volley_ways(rules: Rules, volley: Volley) -> dict[tuple[int, int, int], float]:
    """Return the chances of mark, body and note after a volley, each stage by every way its own dice can fall."""
    aimed = rules("aim", volley.shooter, volley.target, volley.scene)
    row = rules("gunner_row", aimed, volley.gunner, volley.target_ability)
    found: dict[tuple[int, int, int], float] = {}

    def add(struck: int, after: int, note: int, chance: float) -> None:
        key = marked(rules, struck) if struck else 0, after, note
        found[key] = found.get(key, 0.0) + chance

    for struck, first in rules.ways("roll", volley.shooter, volley.gunner, volley.ability, row).items():
        if not struck:
            add(0, volley.body, 0, first)
            continue
        for (body, note, more), second in rules.ways("hurt", volley.target, row, volley.body, struck).items():
            if not more:
                add(struck, body, note, first * second)
                continue
            wrecked = rules.ways("wreck", volley.target, volley.target_ability, body, note, more)
            for (after, noted), third in wrecked.items():
                add(struck, after, noted, first * second * third)
    return found
