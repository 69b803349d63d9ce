"""The same units for the fast code and for the plain-Python reference: kernel words as the reference's states and back.

Both are compared in a normal form: armour, crossed lines, engine hits, cause, rounds. Rounds of a destroyed unit say
nothing any more and are left out; of a weapon that cannot run out only whether it has any is kept, as the kernel does.
"""

import functools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from reference import blitzkrieg as bk
from reference.condition import after_turn
from reference.settings import settle

from simlab.model.document import Document
from simlab.model.situation import Situation
from simlab.rules.blitzkrieg import program as place
from simlab.rules.blitzkrieg.compile import unit_type
from simlab.rules.blitzkrieg.kernel import layout
from simlab.rules.blitzkrieg.sheet import Sheet, parse_sheet
from simlab.rules.blitzkrieg.system import SYSTEM
from simlab.tables.expand import Questions, expand_volley

PLENTY = -1
Normal = tuple[tuple[int, ...], frozenset[int], tuple[int, ...], str | None, tuple[int, ...] | None]
Dist = dict[Any, float]


def parsed(mapping: dict[str, Any]) -> Sheet:
    """The sheet as the product reads it."""
    return parse_sheet(Document("drawn.yaml", mapping))


class Unit:
    """One unit of a fight, known to both."""

    def __init__(self, fight: Any, number: int, mapping: dict[str, Any], readings: Mapping[str, str]) -> None:
        self.side = "a" if number < fight.n_a else "b"
        self.type = (fight.types_a + fight.types_b)[number]
        self.sheet = (fight.sheets_a + fight.sheets_b)[number]
        self.reference = bk.read_sheet(mapping)
        self.settings = settle(readings)
        self._ask = Questions(fight)
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

    def _word(self, field: int) -> int:
        return int(self._program[self.type + field])

    def body(self, state: bk.State) -> int:
        """The kernel's word for what hits have made of the unit."""
        word = sum(1 << (line - 1) for line in state.crossed)
        for face, left in enumerate(state.armor):
            word |= left << (layout.ARMOR_SHIFT + layout.ARMOR_BITS * face)
        for number, hits in zip(self._engines, state.engine_hits, strict=True):
            word |= hits << (layout.ENGINE_SHIFT + layout.ENGINE_BITS * number)
        causes = {"dead_column": layout.CHART_LOSS, "explosion": layout.EXPLOSION_LOSS}
        return word | int(causes[state.cause]) if state.cause else word

    def memory(self, state: bk.State) -> int:
        """The kernel's word for the rounds left."""
        word = 0
        for number, weapon in enumerate(self.weapons):
            if self._word(place.ROUND_BITS + number):
                word |= state.rounds[weapon] << self._word(place.ROUND_SHIFT + number)
        return word

    def _normal(self, state: bk.State) -> Normal:
        """The reference's state in normal form."""
        rounds = None
        if not bk.figures(self.reference, state, self.settings)["destroyed"]:
            counted = [self.weapons[n] for n in range(len(self.weapons)) if self._word(place.ROUND_BITS + n)]
            rounds = tuple(
                left if weapon in counted or not left else PLENTY for weapon, left in enumerate(state.rounds)
            )
        return state.armor, state.crossed, state.engine_hits, state.cause, rounds

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
        causes = {layout.CHART_LOSS: "dead_column", layout.EXPLOSION_LOSS: "explosion"}
        cause = next((name for bit, name in causes.items() if body & int(bit)), None)
        return armor, crossed, engines, cause, self._rounds(body, memory)

    def _rounds(self, body: int, memory: int) -> tuple[int, ...] | None:
        if self._ask.fallen(self.type, body):
            return None
        events = int(self._ask._ask("line_events", self.type, body))
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

    def figures(self, body: int) -> dict[str, bool]:
        """The kernel's figures under the reference's names."""
        word = self._ask.flags(self.type, body)
        return {name: bool(word >> bit & 1) for bit, name in enumerate(("destroyed", *SYSTEM.kinds))}

    def ability(self, body: int, memory: int) -> int:
        """The kernel's capability word."""
        return self._ask.capability(self.type, 0, 0, body, memory)

    def able(self, ability: int) -> tuple[bool, list[tuple[set[int], int]]]:
        """A capability word in the reference's terms: unbuttoned; for each gunner weapons and dice."""
        gunners = []
        dice = 1 if ability & int(layout.ONE_DIE) else 2
        for number, gunner in enumerate(self.sheet.gunners):
            loops = number < self._ask.gunners(self.type)
            word = int(self._ask._ask("gunner_weapons", self.type, number, ability)) if loops else 0
            first = self._word(place.GUNNER_SHIFT + number)
            found = {self.weapons[first + n] for n in range(len(gunner.weapons)) if word >> n & 1}
            assert bool(found) == (loops and self._ask.ready(self.type, number, ability))
            gunners.append((found, dice))
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
        readings: Mapping[str, str],
        turns: int,
    ) -> None:
        read: dict[int, Sheet] = {}
        for mapping in (*mappings_a, *mappings_b):
            if id(mapping) not in read:
                read[id(mapping)] = parsed(mapping)
        sides = [[read[id(mapping)] for mapping in side] for side in (mappings_a, mappings_b)]
        self.distance, self.aspects, self.readings = distance, aspects, dict(readings)
        self.fight = SYSTEM.compile_fight(
            sides[0], sides[1], Situation(distance, *aspects), SYSTEM.options(self.readings), turns
        )
        mappings = (*mappings_a, *mappings_b)
        self.units = [Unit(self.fight, number, mapping, readings) for number, mapping in enumerate(mappings)]
        self.ask = Questions(self.fight)

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
            after[word] += weight
        return after

    def fire(
        self, shooter: Unit, ability: int, memory: int, target: Unit, target_ability: int, body: int
    ) -> Dist:
        """P((body of the target, memory of the shooter)) after all volleys of a unit, by the kernel's functions."""
        now: Dist = {(body, memory): 1.0}
        declared = self.fight.declared
        remembered: dict[int, Dist] = {}
        for gunner in range(self.ask.gunners(shooter.type)):
            if not self.ask.ready(shooter.type, gunner, ability):
                continue
            after: Dist = defaultdict(float)
            remembered.clear()
            for (word, left), weight in now.items():
                down = self.ask.fallen(target.type, word)
                if down and not declared:
                    after[word, left] += weight
                    continue
                spent = self.ask.spend(shooter.type, gunner, ability, left)
                if down:
                    after[word, spent] += weight
                    continue
                if word not in remembered:
                    remembered[word] = self.volley(shooter, gunner, ability, target, target_ability, word)
                for hit, chance in remembered[word].items():
                    after[hit, spent] += weight * chance
            now = after
        return now

    def reference_fire(self, shooter: Unit, own: bk.State, target: Unit, state: bk.State) -> Dist:
        """The same by the reference: P((target in normal form, rounds left to the shooter))."""
        found = bk.fire_distribution(
            shooter.reference,
            own,
            target.reference,
            state,
            shooter.side,
            self.aspect(target),
            self.distance,
            self.readings,
        )
        able = shooter.reference_able(own, self.distance)
        after: Dist = defaultdict(float)
        for (fired, hit), weight in found.items():
            spent = after_turn(shooter.reference, able, own, fired, shooter.settings)
            after[target.normal(hit), shooter.normal(spent)[-1]] += float(weight)
        return after


def assert_same(kernel: Mapping[Any, float], reference: Mapping[Any, Any], bound: float = 1e-12) -> None:
    """Both distributions name the same outcomes, and none differs by more than `bound`."""
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
