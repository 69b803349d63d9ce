"""The same units for the fast code and for the plain-Python reference: kernel words as the reference's states and back.

Both are compared in a normal form: armour, crossed lines, engine hits, cause, rounds with the turns zeroed in. The last
of a destroyed unit say nothing any more and are left out; of a weapon that cannot run out only whether it has any
rounds is kept, as the kernel does.
"""

import functools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

from reference import blitzkrieg as bk
from reference.chance import Chances
from reference.condition import after_turn
from reference.settings import settle

from simlab.model.document import Document
from simlab.model.situation import Situation
from simlab.rules.blitzkrieg import program as place
from simlab.rules.blitzkrieg.kernel import layout
from simlab.rules.blitzkrieg.sheet import Sheet, parse_sheet
from simlab.rules.blitzkrieg.system import SYSTEM
from simlab.rules.blitzkrieg.unit_types import unit_type
from simlab.tables.expand import Questions, expand_volley

PLENTY = -1
CAUSES = {
    "dead_column": layout.CHART_LOSS,
    "explosion": layout.EXPLOSION_LOSS,
    "instant_death": layout.INSTANT_LOSS,
}
Left = tuple[tuple[int, ...], tuple[int, ...]]
"""Rounds of each weapon, turns each gunner has zeroed in for."""
Normal = tuple[tuple[int, ...], frozenset[int], tuple[int, ...], str | None, Left | None]
Dist = dict[Any, float]


def parsed(mapping: dict[str, Any]) -> Sheet:
    """The sheet as the product reads it."""
    return parse_sheet(Document("drawn.yaml", mapping))


def options_of(readings: Mapping[str, Any]) -> Any:
    """The product's options: readings, and house numbers under `constants`."""
    settings = dict(readings)
    constants = settings.pop("constants", None)
    return SYSTEM.options(settings, constants) if constants else SYSTEM.options(settings)


class Unit:
    """One unit of a fight, known to both."""

    def __init__(self, fight: Any, number: int, mapping: dict[str, Any], readings: Mapping[str, Any]) -> None:
        self.side = "a" if number < fight.n_a else "b"
        self.type = (fight.types_a + fight.types_b)[number]
        self.sheet = (fight.sheets_a + fight.sheets_b)[number]
        self.reference = bk.read_sheet(mapping)
        self.settings = settle(readings)
        self.ask = Questions(fight)
        self._program = fight.program
        names = unit_type(self.sheet, self.side).weapons
        ordered = list(self.sheet.weapons)
        self.weapons = [ordered.index(name) for name in names]
        """Kernel number of a weapon to its place on the sheet."""
        engines = [item for item in self.sheet.manifest if item.item == "engine"]
        low = sorted(engines, key=lambda item: min(item.lines))
        self._engines = [engines.index(engine) for engine in low]
        # Thousands of outcomes are few states: each is put into normal form once.
        self.normal = functools.cache(self._normal)
        self.normal_of = functools.cache(self._normal_of)
        self.fallen = functools.cache(lambda body: self.ask.fallen(self.type, body))

    def _word(self, field: int) -> int:
        return int(self._program[self.type + field])

    def body(self, state: bk.State) -> int:
        """The kernel's word for what hits have made of the unit."""
        word = sum(1 << (line - 1) for line in state.crossed)
        for face, left in enumerate(state.armor):
            word |= left << (layout.ARMOR_SHIFT + layout.ARMOR_BITS * face)
        for number, hits in zip(self._engines, state.engine_hits, strict=True):
            word |= hits << (layout.ENGINE_SHIFT + layout.ENGINE_BITS * number)
        return word | int(CAUSES[state.cause]) if state.cause else word

    def memory(self, state: bk.State) -> int:
        """The kernel's word for the rounds left and the turns zeroed in."""
        word = 0
        for number, weapon in enumerate(self.weapons):
            if self._word(place.ROUND_BITS + number):
                word |= state.rounds[weapon] << self._word(place.ROUND_SHIFT + number)
        for gunner in range(self.ask.gunners(self.type)):
            counter = state.zeroed[gunner][1] & self._word(place.ZEROED_MASK + gunner)
            word |= counter << self._counter(gunner)
        return word

    def _counter(self, gunner: int) -> int:
        """The first bit of the turns for which a gunner has zeroed in, in the memory."""
        return self._word(place.ZERO_SHIFT) + self._word(place.ZEROED_SHIFT + gunner)

    def _normal(self, state: bk.State) -> Normal:
        """The reference's state in normal form."""
        left = None
        if not bk.figures(self.reference, state, self.settings)["destroyed"]:
            counted = [self.weapons[n] for n in range(len(self.weapons)) if self._word(place.ROUND_BITS + n)]
            rounds = tuple(
                number if weapon in counted or not number else PLENTY
                for weapon, number in enumerate(state.rounds)
            )
            left = rounds, tuple(turns for _, turns in state.zeroed[: self.ask.gunners(self.type)])
        return state.armor, state.crossed, state.engine_hits, state.cause, left

    def _normal_of(self, body: int, memory: int) -> Normal:
        """The kernel's words in normal form."""
        armor = tuple(
            body >> (layout.ARMOR_SHIFT + layout.ARMOR_BITS * face) & int(layout.ARMOR_MASK)
            for face in range(4)
        )
        crossed = frozenset(line + 1 for line in range(layout.LINES) if body >> line & 1)
        engines = tuple(
            body >> (layout.ENGINE_SHIFT + layout.ENGINE_BITS * number) & int(layout.ENGINE_MASK)
            for number in self._engines
        )
        cause = next((name for name, bit in CAUSES.items() if body & int(bit)), None)
        left = None if self.fallen(body) else (self._rounds(body, memory), self._zeroed(memory))
        return armor, crossed, engines, cause, left

    def _rounds(self, body: int, memory: int) -> tuple[int, ...]:
        events = int(self.ask._ask("line_events", self.type, body))
        rounds = [0] * len(self.weapons)
        for number, weapon in enumerate(self.weapons):
            width, shift = self._word(place.ROUND_BITS + number), self._word(place.ROUND_SHIFT + number)
            if events >> (layout.LOST_SHIFT + number) & 1:
                continue
            if width:
                rounds[weapon] = memory >> shift & ((1 << width) - 1)
            elif self._word(place.ARMED) >> number & 1:
                rounds[weapon] = PLENTY
        return tuple(rounds)

    def _zeroed(self, memory: int) -> tuple[int, ...]:
        return tuple(
            memory >> self._counter(gunner) & self._word(place.ZEROED_MASK + gunner)
            for gunner in range(self.ask.gunners(self.type))
        )

    def figures(self, body: int) -> dict[str, bool]:
        """The kernel's figures under the reference's names."""
        word = self.ask.flags(self.type, body)
        return {name: bool(word >> bit & 1) for bit, name in enumerate(("destroyed", *SYSTEM.kinds))}

    def ability(self, body: int, memory: int) -> int:
        """The kernel's capability word."""
        return self.ask.capability(self.type, 0, 0, body, memory)

    def ability_of(self, fires: Sequence[bk.Fire]) -> int:
        """The capability word of gunners who can do this, the unit itself buttoned up."""
        ability = 0
        for number, fire in enumerate(fires):
            for weapon in fire.weapons:
                ability |= 1 << self.weapons.index(weapon)
            if fire.dice == 1:
                ability |= int(layout.ONE_DIE)
            ability |= fire.zeroed[1] << self._bonus(number)
        return ability

    def _bonus(self, gunner: int) -> int:
        """The first bit of what zeroing in gives a gunner, in a capability."""
        return layout.BONUS_SHIFT + self._word(place.ZEROED_SHIFT + gunner)

    def able(self, ability: int) -> tuple[bool, list[tuple[set[int], int, int]]]:
        """A capability word in the reference's terms: unbuttoned; for each gunner weapons, dice, turns zeroed in."""
        gunners = []
        for number, gunner in enumerate(self.sheet.gunners):
            loops = number < self.ask.gunners(self.type)
            word = int(self.ask._ask("gunner_weapons", self.type, number, ability)) if loops else 0
            first = self._word(place.GUNNER_SHIFT + number)
            found = {self.weapons[first + n] for n in range(len(gunner.weapons)) if word >> n & 1}
            assert bool(found) == (loops and self.ask.ready(self.type, number, ability))
            dice = 2 if self._word(place.TWO_DICE) >> number & 1 else 2 - bool(ability & int(layout.ONE_DIE))
            zeroed = ability >> self._bonus(number) & self._word(place.ZEROED_MASK + number)
            gunners.append((found, dice, zeroed))
        return bool(ability & int(layout.UNBUTTONED)), gunners

    def reference_able(self, state: bk.State, distance: float) -> bk.Capability:
        """The reference's capability."""
        return bk.capability(self.reference, state, self.side, distance, self.settings)


class Bridge:
    """A fight compiled by the product, its units known to both sides."""

    def __init__(
        self,
        mappings_a: Sequence[dict[str, Any]],
        mappings_b: Sequence[dict[str, Any]],
        distance: float,
        aspects: tuple[str, str],
        readings: Mapping[str, Any],
        turns: int,
        first_fire: str | None = None,
    ) -> None:
        read: dict[int, Sheet] = {}
        for mapping in (*mappings_a, *mappings_b):
            if id(mapping) not in read:
                read[id(mapping)] = parsed(mapping)
        sides = [[read[id(mapping)] for mapping in side] for side in (mappings_a, mappings_b)]
        self.distance, self.aspects, self.readings = distance, aspects, dict(readings)
        self.fight = SYSTEM.compile_fight(
            sides[0], sides[1], Situation(distance, *aspects, first_fire), options_of(readings), turns
        )
        mappings = (*mappings_a, *mappings_b)
        self.units = [Unit(self.fight, number, mapping, readings) for number, mapping in enumerate(mappings)]
        self.ask = Questions(self.fight)
        self._chances: dict[str, Chances] = {}

    def ready(self, shooter: Unit, gunner: int, ability: int) -> bool:
        """Can that gunner fire?"""
        return gunner < self.ask.gunners(shooter.type) and self.ask.ready(shooter.type, gunner, ability)

    def aspect(self, target: Unit) -> str:
        """The aspect of a target that is hit."""
        return self.aspects["ab".index(target.side)]

    def volley(
        self, shooter: Unit, gunner: int, ability: int, target: Unit, target_ability: int, body: int
    ) -> Dist:
        """P(body of the target) after one volley, every die enumerated by the kernel."""
        found = expand_volley(self.fight, shooter.type, gunner, ability, target.type, target_ability, 0, body)
        after: Dist = defaultdict(float)
        for word, weight in zip(found.bodies.tolist(), found.weights.tolist(), strict=True):
            if weight:
                after[word] += weight
        return after

    def fire(
        self, shooter: Unit, ability: int, memory: int, target: Unit, target_ability: int, body: int
    ) -> Dist:
        """P((body of the target, memory of the shooter)) after all volleys of a unit, by the kernel's functions."""
        gunners = range(self.ask.gunners(shooter.type))
        ready = [gunner for gunner in gunners if self.ask.ready(shooter.type, gunner, ability)]
        shuffled = self.fight.options.value("volley_order") == "random"
        orders = list(permutations(ready)) if shuffled else [tuple(ready)]
        volley = functools.cache(
            lambda gunner, word: self.volley(shooter, gunner, ability, target, target_ability, word)
        )
        spend = functools.cache(lambda gunner, left: self.ask.spend(shooter.type, gunner, ability, left))
        settle = functools.cache(lambda left, fired: self.settled(shooter, left, fired))
        after: Dist = defaultdict(float)
        for order in orders:
            now: Dist = {(body, memory, 0): 1 / len(orders)}
            for gunner in order:
                now = self._fired(target, gunner, now, volley, spend)
            for (word, left, fired), weight in now.items():
                after[word, settle(left, fired)] += weight
        return after

    def _fired(self, target: Unit, gunner: int, now: Dist, volley: Any, spend: Any) -> Dist:
        """P((body of the target, memory of the shooter, gunners who fired as bits)) after one more gunner."""
        after: Dist = defaultdict(float)
        for (word, left, fired), weight in now.items():
            down = target.fallen(word)
            if down and not self.fight.declared:
                after[word, left, fired] += weight
                continue
            spent, with_him = spend(gunner, left), fired | 1 << gunner
            if down:
                after[word, spent, with_him] += weight
                continue
            for hit, chance in volley(gunner, word).items():
                after[hit, spent, with_him] += weight * chance
        return after

    def settled(self, shooter: Unit, memory: int, fired: int) -> int:
        """The shooter's memory when the phase is over."""
        if not self.ask._ask("remembers", shooter.type):
            return memory
        return int(self.ask._ask("settle", shooter.type, memory, fired))

    def chances(self, shooter: Unit) -> Chances:
        """The reference's chances of a unit of one side at the other's, in a duel."""
        if shooter.side not in self._chances:
            target = next(unit for unit in self.units if unit.side != shooter.side)
            self._chances[shooter.side] = Chances(
                shooter.reference,
                target.reference,
                shooter.side,
                self.aspect(target),
                self.distance,
                shooter.settings,
            )
        return self._chances[shooter.side]

    def reference_fire(self, shooter: Unit, own: bk.State, target: Unit, state: bk.State) -> Dist:
        """The same by the reference: P((target in normal form, what is left to the shooter))."""
        able = shooter.reference_able(own, self.distance)
        left = functools.cache(
            lambda fired: shooter.normal(after_turn(shooter.reference, able, own, fired, shooter.settings))[
                -1
            ]
        )
        after: Dist = defaultdict(float)
        for (fired, hit), weight in self.chances(shooter).fire(able, state).items():
            after[target.normal(hit), left(fired)] += float(weight)
        return after


def assert_same(kernel: Mapping[Any, float], reference: Mapping[Any, Any], bound: float = 1e-12) -> None:
    """Both distributions name the same outcomes, and none differs by more than `bound`.

    A die that always falls the same (a contest that is never won) leaves the kernel outcomes of no weight.
    """
    kernel = {outcome: weight for outcome, weight in kernel.items() if weight}
    assert kernel.keys() == reference.keys()
    worst = max(abs(weight - float(reference[outcome])) for outcome, weight in kernel.items())
    assert worst <= bound
    assert abs(sum(kernel.values()) - 1) <= bound


def normalised(dist: Mapping[Any, Any], of: Any) -> Dist:
    """The distribution over `of(outcome)`."""
    after: Dist = defaultdict(float)
    for outcome, weight in dist.items():
        after[of(outcome)] += float(weight)
    return after
