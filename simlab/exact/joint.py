"""The exact duel of systems whose turns have phases, whose shooters remember their own dice, or whose units rest.

There what becomes of a unit hangs together with what its own roll does to itself, so that the joint distribution is no
sum of few products (`simlab.exact.solve`). Units of such systems have few states: it is kept whole, P(a, b), and a
phase is two sparse matrices a way the fire may go.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from simlab.exact.cells import Effect, Places, States, Unit
from simlab.exact.factors import Slots, loop
from simlab.exact.side import Class, Side, Task
from simlab.exact.solution import (
    ROUNDING,
    Array,
    Solution,
    TooLongError,
    figures_of_ends,
    outcomes_of_ends,
)

DROPPED = 0.9
"""Share of the bound for unlikely states that are dropped."""
ENTRY_WORK, PAIR_WORK = 1.0, 2e5
"""Nanoseconds of work: for an entry of a matrix times a column, for a pair of kinds."""
BYTES = 8


@dataclass(eq=False)
class Kind:
    """States of a unit that fire alike at the enemy and are alike to his fire.

    class_: one of their classes. places: where they are among the states. after: numbers of what they remember
    afterwards, (ways, states), by the enemy's exposure.
    """

    class_: Class
    places: Places
    after: dict[int, Places] = field(default_factory=dict)


class JointSolver:
    """Solves a duel by the joint distribution of both units' states."""

    def __init__(self, task: Task) -> None:
        fight, silent = task.fight, task.silent
        self.fight, self.limit, self.memory_limit = fight, task.work_limit, task.memory_limit
        own, foe = task.exposures
        slots = Slots()
        self.a = Unit(Side(fight, 0, own, foe, silent[0]), slots)
        self.b = Unit(Side(fight, 1, foe, own, silent[1]), slots)
        self.phases = len(fight.phases)
        self.steps = fight.turns * self.phases
        self.to_drop, self.dropped = DROPPED * task.bound, 0.0
        self.own_work, self.memory = 0.0, 0
        flags = self.a.side.cores.first
        self.ends = np.zeros((flags, flags))

    @property
    def work(self) -> float:
        """Nanoseconds of work so far, by fixed constants."""
        return self.own_work + self.a.work + self.b.work

    def solve(self, progress: Callable[[int, int], None] | None = None) -> Solution:
        """Return the solution. Raises TooLongError, and NewExposureError (`simlab.exact.side`)."""
        turns = self.fight.turns
        by_turn = np.zeros((turns + 1, 4))
        by_turn[0, 3] = 1.0
        joint = np.ones((1, 1))
        states = self.a.start(), self.b.start()
        most = 1
        for step in range(self.steps):
            turn, phase = step // self.phases + 1, step % self.phases
            joint, states = self._play(joint, states, step)
            if phase == self.phases - 1:
                by_turn[turn, :3] = outcomes_of_ends(self.ends)[:3]
                by_turn[turn, 3] = outcomes_of_ends(self.ends)[3] if turn == turns else joint.sum()
                if progress is not None:
                    progress(turn, turns)
            joint, states = self._prune(joint, states, step)
            most = max(most, *joint.shape)
        return Solution(
            outcomes=by_turn[-1],
            by_turn=by_turn,
            figures=figures_of_ends(self.ends, by_turn[-1], len(self.fight.system.kinds)),
            error_bound=float(max(1.0 - by_turn[-1].sum(), 0.0)) + ROUNDING,
            work=self.work,
            states=len(self.a.cores) + len(self.b.cores),
            rank=most,
            memory=self.memory,
        )

    def _spend(self, work: float) -> None:
        self.own_work += work
        if self.limit is not None and self.work > self.limit:
            raise TooLongError

    def _weigh(self, values: int) -> None:
        sides = self.a.side, self.b.side
        tables = sum(side.cores.nbytes + sum(rows.nbytes for rows in side.rows.values()) for side in sides)
        self.memory = max(self.memory, tables + BYTES * values)
        if self.memory_limit is not None and self.memory > self.memory_limit:
            raise TooLongError

    def _play(
        self, joint: Array, states: tuple[States, States], step: int
    ) -> tuple[Array, tuple[States, States]]:
        """Play a phase; return the joint distribution of the states after it."""
        turn, phase = divmod(step, self.phases)
        scene, last = self.fight.scene_of_turn[turn], step + 1 == self.steps
        kinds_a = self._kinds(self.a, states[0], scene, phase)
        kinds_b = self._kinds(self.b, states[1], scene, phase)
        parts = []
        for kind_a in kinds_a:
            for kind_b in kinds_b:
                block = joint[np.ix_(kind_a.places, kind_b.places)]
                if block.any():
                    parts += self._play_pair(block, states, kind_a, kind_b, last)
        if last:
            return np.zeros((1, 1)), states
        rests = self.fight.coupled and phase == self.phases - 1
        return self._gathered(parts, rests)

    def _kinds(self, unit: Unit, states: States, scene: int, phase: int) -> list[Kind]:
        """Return the states by what they do to the enemy and he to them."""
        found: dict[object, list[tuple[Class, Places]]] = {}
        for class_, places in unit.classes(states, scene, phase):
            fires = tuple((shown, tuple(shots for _, shots in ways)) for shown, ways in class_.ways)
            found.setdefault((class_.exposure, fires), []).append((class_, places))
        kinds = []
        for members in found.values():
            kind = Kind(members[0][0], np.concatenate([places for _, places in members]))
            for shown, ways in kind.class_.ways:
                after = [
                    [unit.memory(memory) for memory, _ in class_.ways_at(shown)] for class_, _ in members
                ]
                counts = [len(places) for _, places in members]
                kind.after[shown] = np.repeat(np.array(after, np.int64), counts, axis=0).T
                assert len(kind.after[shown]) == len(ways)
            kinds.append(kind)
        return kinds

    def _play_pair(
        self, block: Array, states: tuple[States, States], a: Kind, b: Kind, last: bool
    ) -> list[tuple[Places, Places, Array]]:
        """Play a phase for all states of two kinds; return parts: new states of a, of b, and their values."""
        ways_a, ways_b = a.class_.ways_at(b.class_.exposure), b.class_.ways_at(a.class_.exposure)
        hits_a = [self.a.effect(shots, a.class_) for _, shots in ways_b]
        hits_b = [self.b.effect(shots, b.class_) for _, shots in ways_a]
        cells_a, cells_b = states[0].cells[a.places], states[1].cells[b.places]
        self._end(block, (hits_a, hits_b), (cells_a, cells_b), last)
        if last:
            return []
        parts = []
        for m, hit_a in enumerate(hits_a):
            for k, hit_b in enumerate(hits_b):
                after_a = a.after[b.class_.exposure][k]
                after_b = b.after[a.class_.exposure][m]
                rows, half = self._carried(self.a, block, hit_a, cells_a, after_a)
                columns, full = self._carried(self.b, np.ascontiguousarray(half.T), hit_b, cells_b, after_b)
                parts.append((rows, columns, full.T))
        return parts

    def _carried(
        self, unit: Unit, block: Array, effect: Effect, cells: Places, after: Places
    ) -> tuple[Places, Array]:
        """Return new states, as cell and memory in one number, and the block's rows carried to them."""
        entries = int((effect.begins[cells + 1] - effect.begins[cells]).sum())
        self._spend(PAIR_WORK + ENTRY_WORK * entries * block.shape[1])
        slots = unit.slots()
        most = min(entries, slots.size)
        out_cells, out_memories = np.empty((2, most), np.int64)
        out = np.zeros((most, block.shape[1]))
        held = loop("carry_rows")(
            cells,
            after,
            effect.begins,
            effect.ends,
            effect.chances,
            block,
            slots,
            out_cells,
            out_memories,
            out,
        )
        return out_cells[:held] << 32 | out_memories[:held], out[:held]

    def _end(
        self, block: Array, hits: tuple[list[Effect], list[Effect]], cells: tuple[Places, Places], last: bool
    ) -> None:
        """Count the fights that end: who falls with whom, and after the last phase all."""
        (dead_a, live_a), (dead_b, live_b) = (
            [
                np.sum([table[own] for table in tables], axis=0)
                for tables in zip(*((effect.dead, effect.live) for effect in effects), strict=True)
            ]
            for effects, own in zip(hits, cells, strict=True)
        )
        ended = (dead_a + live_a).T @ block @ (dead_b + live_b)
        if not last:
            ended -= live_a.T @ block @ live_b
        self.ends += ended

    def _gathered(
        self, parts: list[tuple[Places, Places, Array]], rests: bool
    ) -> tuple[Array, tuple[States, States]]:
        """Return all parts of a phase as one joint distribution, rested if the turn is over."""
        found = []
        for unit, n in ((self.a, 0), (self.b, 1)):
            words = np.unique(np.concatenate([part[n] for part in parts] or [np.zeros(0, np.int64)]))
            states = States(words >> 32, words & 0xFFFFFFFF)
            rested = unit.rested(states) if rests else states
            after, place = np.unique(rested.cells << 32 | rested.memories, return_inverse=True)
            found.append((words, States(after >> 32, after & 0xFFFFFFFF), place))
        (words_a, states_a, place_a), (words_b, states_b, place_b) = found
        joint = np.zeros((len(words_a), len(words_b)))
        self._weigh(4 * joint.size)
        for rows, columns, values in parts:
            places = np.searchsorted(words_a, rows), np.searchsorted(words_b, columns)
            loop("add_block")(*places, np.ascontiguousarray(values), joint)
        if rests:
            merged = np.zeros((len(states_a.cells), len(states_b.cells)))
            loop("add_block")(place_a, place_b, joint, merged)
            joint = merged
        return joint, (states_a, states_b)

    def _prune(
        self, joint: Array, states: tuple[States, States], step: int
    ) -> tuple[Array, tuple[States, States]]:
        """Drop the least likely states of both units, as many as the share of the bound so far allows."""
        kept = list(states)
        for n in (0, 1):
            mass = joint.sum(axis=1 - n)
            allowed = (self.to_drop * (step + 1) / self.steps - self.dropped) / (2 - n)
            order = np.argsort(mass, kind="stable")
            number = int(np.searchsorted(np.cumsum(mass[order]), allowed, side="right"))
            self.dropped += float(mass[order[:number]].sum())
            stay = np.sort(order[number:])
            joint = joint[stay] if n == 0 else joint[:, stay]
            kept[n] = States(states[n].cells[stay], states[n].memories[stay])
        return np.ascontiguousarray(joint), (kept[0], kept[1])
