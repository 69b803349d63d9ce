"""A bench for single volleys and short duels under given dice, run uncompiled (see `plain_kernels`).

Side a shoots, the aspect is that of the target on side b, dice are typed as for a trace: `4+5/H/7/14:3`.
"""
# ruff: noqa: F821

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from plain_kernels import bound, plain
from sheet_texts import UNITS

from simlab.dice import scripted
from simlab.dice.slots import SLOTS
from simlab.model.errors import InputError
from simlab.model.situation import Situation
from simlab.rules.blitzkrieg import program as place
from simlab.rules.blitzkrieg.kernel import layout
from simlab.rules.blitzkrieg.sheet import Sheet, load_sheet
from simlab.rules.blitzkrieg.system import SYSTEM
from simlab.rules.blitzkrieg.unit_types import unit_type
from simlab.tables.expand import Outcomes, Questions, expand_volley
from simlab.traces.told import Told, tell_dice

SHERMAN = load_sheet(UNITS / "m4a3_sherman_lp.yaml")
FACES = ("front", "left", "right", "back")
FIGURES = ("destroyed", *SYSTEM.kinds)
SLOT_NAMES = ("roll", "level", "start", *(f"contest {number}" for number in range(1, SLOTS - 2)))


def _throw_volley(program, shooter, gunner, ability, target, target_ability, body, script):
    aimed = aim(memory(program), shooter, target, 0)
    return volley(memory(program), shooter, gunner, ability, target, target_ability, aimed, body, script)


@contextmanager
def _other_dice() -> Iterator[None]:
    """Dice that the rules do not ask for, or ask for in vain, are a failure of the test."""
    try:
        yield
    except InputError as error:
        raise AssertionError(str(error)) from error


@dataclass(frozen=True)
class Condition:
    """A unit as the kernel sees it: which weapons can fire, with how many dice, hatches, figures that hold."""

    weapons: tuple[str, ...]
    dice: int
    unbuttoned: bool
    figures: frozenset[str]
    ability: int


@dataclass(frozen=True)
class Shot:
    """What a volley did: weapons that hit, points by armour, shock and penetration, lines (10: dead), lines newly
    crossed, armour left by face, number of the contest that blew the target up (0: none), figures and the target's
    word afterwards, the dice that were asked for."""

    hits: tuple[str, ...]
    points: tuple[int, int, int]
    lines: int
    crossed: tuple[int, ...]
    armor: dict[str, int]
    exploded: int
    figures: frozenset[str]
    body: int
    asked: tuple[str, ...]


class Duel:
    """One unit a side at a fixed range, compiled anew, so that whatever is planted takes effect."""

    def __init__(
        self,
        a: Sheet = SHERMAN,
        b: Sheet = SHERMAN,
        *,
        distance: float = 14.0,
        aspect: str = "front",
        turns: int = 12,
        constants: Mapping[str, Any] | None = None,
        **readings: Any,
    ) -> None:
        options = SYSTEM.options(readings, constants)
        self.fight = SYSTEM.compile_fight([a], [b], Situation(distance, "front", aspect), options, turns)
        self.sheets = {"a": a, "b": b}
        self.types = {"a": self.fight.types_a[0], "b": self.fight.types_b[0]}
        self.ask = Questions(self.fight)

    def body(self, side: str = "b", crossed: Iterable[int] = (), **armor: int) -> int:
        """The word of a unit with these lines crossed off, and armour as given where it is not as printed."""
        word, _ = self.ask.fresh(self.types[side])
        for face, left in armor.items():
            shift = layout.ARMOR_SHIFT + layout.ARMOR_BITS * FACES.index(face)
            word = word & ~(int(layout.ARMOR_MASK) << shift) | left << shift
        return word | sum(1 << (line - 1) for line in crossed)

    def condition(self, side: str = "b", body: int | None = None, memory: int | None = None) -> Condition:
        """What a unit can do and which figures hold; fresh where nothing is said."""
        fresh = self.ask.fresh(self.types[side])
        body = fresh[0] if body is None else body
        memory = fresh[1] if memory is None else memory
        ability = self.ask.capability(self.types[side], 0, 0, body, memory)
        names = unit_type(self.sheets[side], side).weapons
        return Condition(
            tuple(name for number, name in enumerate(names) if ability >> number & 1),
            1 if ability & int(layout.ONE_DIE) else 2,
            bool(ability & int(layout.UNBUTTONED)),
            self.figures(side, body),
            ability,
        )

    def figures(self, side: str, body: int) -> frozenset[str]:
        """The figures of BK-69 that hold."""
        word = self.ask.flags(self.types[side], body)
        return frozenset(name for bit, name in enumerate(FIGURES) if word >> bit & 1)

    def spent(self, memory: int | None = None, gunner: int = 0) -> int:
        """Side a's memory after a volley of that gunner."""
        memory = self.ask.fresh(self.types["a"])[1] if memory is None else memory
        ability = self.condition("a", memory=memory).ability
        return self.ask.spend(self.types["a"], gunner, ability, memory)

    def shoot(
        self,
        dice: str,
        *,
        gunner: int = 0,
        body: int | None = None,
        own: int | None = None,
        memory: int | None = None,
    ) -> Shot:
        """One volley of side a: `body` is the target's word before it, `own` and `memory` are the shooter's.

        AssertionError if other dice are asked for than are given.
        """
        before = self.body() if body is None else body
        narrator = SYSTEM.narrator(self.fight)
        throw = narrator.read_token(dice, 1)
        script = np.zeros((2, SLOTS), np.int64)
        script[0] = narrator.script(throw)
        ability = self.condition("a", own, memory).ability
        words = (self.types["a"], gunner, ability, self.types["b"], self.condition("b").ability, before)
        run = bound(_throw_volley, (scripted, *SYSTEM.kernels))
        after, note = run(self.fight.program, *(np.uint64(word) for word in words), script)
        with _other_dice():
            narrator.check_throw(throw, script[1], 1, False)
        return self._shot(gunner, before, int(after), int(note), script[1])

    def _shot(self, gunner: int, before: int, after: int, note: int, asked: Any) -> Shot:
        names = self.sheets["a"].gunners[gunner].weapons
        shifts = (layout.NOTE_DAMAGE, layout.NOTE_SHOCK, layout.NOTE_PENETRATION)
        damage, shock, penetration = (note >> shift & int(layout.NOTE_POINTS) for shift in shifts)
        new = after & ~before
        armor = {
            face: after >> (layout.ARMOR_SHIFT + layout.ARMOR_BITS * n) & int(layout.ARMOR_MASK)
            for n, face in enumerate(FACES)
        }
        return Shot(
            tuple(name for number, name in enumerate(names) if note >> number & 1),
            (damage, shock, penetration),
            layout.DEAD if note >> layout.NOTE_DEAD & 1 else note >> layout.NOTE_LINES & 31,
            tuple(line + 1 for line in range(layout.LINES) if new >> line & 1),
            armor,
            note >> layout.NOTE_ITEM & 31,
            self.figures("b", after),
            after,
            tuple(name for name, die in zip(SLOT_NAMES, asked, strict=False) if die),
        )

    def number(self, weapon: str, gunner: int = 0) -> int:
        """The lowest total that hits with a weapon, read from the rows of the compiled fight (buttoned up or as the
        target's policy has it)."""
        program = self.fight.program
        length, first = int(program[place.ROW]), int(program[place.PAIRS])
        # Rows begin with those of the pairs (a, a) and (a, b).
        row = first + ((1 * layout.GUNNERS + gunner) * 2 + self.condition("b").unbuttoned) * length
        bit = self.sheets["a"].gunners[gunner].weapons.index(weapon)
        totals = range(layout.TOTAL_CAP + 1)
        return next(total for total in totals if int(program[row + place.ROW_HITS + total]) >> bit & 1)

    def outcomes(self, gunner: int = 0, body: int | None = None, own: int | None = None) -> Outcomes:
        """Every way a volley of side a may come out, with its probability."""
        words = (self.types["a"], gunner, self.condition("a", own).ability, self.types["b"])
        with plain():
            return expand_volley(
                self.fight, *words, self.condition("b").ability, 0, self.body() if body is None else body
            )

    def told(self, dice: str) -> Told:
        """The duel played with these dice, one token an exchange."""
        return tell([self.fight.sheets_a[0]], [self.fight.sheets_b[0]], dice, fight=self.fight)


def tell(
    side_a: Sequence[Sheet],
    side_b: Sequence[Sheet],
    dice: str,
    *,
    policy: str = "first",
    distance: float | tuple[float, ...] = 14.0,
    turns: int = 12,
    fight: Any = None,
    **readings: Any,
) -> Told:
    """A fight of two sides played with given dice."""
    if fight is None:
        situation = Situation(distance, "front", "front")
        fight = SYSTEM.compile_fight(side_a, side_b, situation, SYSTEM.options(readings), turns)
    with plain(), _other_dice():
        return tell_dice(fight, SYSTEM.narrator(fight), dice.split(), policy_a=policy, policy_b=policy)


def punch(points: int, **changes: Any) -> Sheet:
    """A Sherman whose cannon brings that many internal points through a Sherman's front, by penetration alone."""
    strike = [0, 0, points + 1]
    levels = {f"weapons.cannon.{level}": strike for level in ("high", "mid", "low")}
    return SHERMAN.replaced(**levels, **changes)


def box(item: str, *lines: int, **more: Any) -> dict[str, Any]:
    """An item of a manifest."""
    return {"item": item, "lines": list(lines), **more}


def crate(*items: dict[str, Any], **changes: Any) -> Sheet:
    """A Sherman with this manifest; weapons without a box are off it."""
    boxed = {item["weapon"] for item in items if item["item"] == "weapon"}
    off = {f"weapons.{name}.off_manifest": name not in boxed for name in SHERMAN.weapons}
    return SHERMAN.replaced(manifest=list(items), **off, **changes)
