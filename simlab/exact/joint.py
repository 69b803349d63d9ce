"""The exact duel of systems whose turns have phases, whose shooters remember their own dice, or whose units rest.

There what becomes of a unit hangs together with what its own roll does to itself, so that the joint distribution is no
sum of few products (`simlab.exact.solve`). Units of such systems have few states: it is kept whole, P(a, b), and a
phase is two sparse matrices a way the fire may go.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from simlab.exact.factors import Numbers, Slots, loop
from simlab.exact.side import Class, Shots, Side, Struck
from simlab.exact.solution import (
    ROUNDING,
    Array,
    Solution,
    TooLongError,
    figures_of_ends,
    outcomes_of_ends,
)
from simlab.rules.contract import Fight

Places: TypeAlias = npt.NDArray[np.int64]

DROPPED = 0.9
"""Share of the bound for unlikely states that are dropped."""
ENTRY_WORK, PAIR_WORK, CELL_WORK = 1.0, 2e5, 2e4
"""Nanoseconds of work: for an entry of a matrix times a column, for a pair of kinds, for a cell's row of a matrix."""
BYTES = 8


@dataclass(eq=False)
class Effect:
    """What shots do to the cells of their target, known for its first cells.

    begins, ends, chances: the cells that follow each cell, one after the other. dead, live: (cells, flag sets), how
    likely each is to fall, and to stand, with these flags.
    """

    begins: Places
    ends: Places
    chances: Array
    dead: Array
    live: Array


@dataclass(eq=False)
class States:
    """States of a unit: the number of its cell and of what it remembers, each (states,)."""

    cells: Places
    memories: Places


class Unit:
    """One side of a duel by cells, a core with a shell, and by what it remembers, both numbered as they turn up."""

    def __init__(self, side: Side, slots: Slots) -> None:
        self.side, self._slots = side, slots
        self.cores: list[int] = []
        self.shells: list[int] = []
        self.memories: list[int] = []
        self._cells: dict[tuple[int, int], int] = {}
        self._memory_places: dict[int, int] = {}
        self._effects: dict[tuple[int, Shots, int], Effect] = {}
        self._slots_of = np.full((64, 16), -1, np.int64)
        self.work = 0.0

    def start(self) -> States:
        """Return the fresh unit."""
        cell = self.cell(self.side.start_core, self.side.start_shell)
        return States(np.array([cell]), np.array([self.memory(self.side.memory)]))

    def cell(self, core: int, shell: int) -> int:
        """Return the number of a cell."""
        if (core, shell) not in self._cells:
            self._cells[core, shell] = len(self.cores)
            self.cores.append(core)
            self.shells.append(shell)
        return self._cells[core, shell]

    def memory(self, word: int) -> int:
        """Return the number of what is remembered."""
        if word not in self._memory_places:
            self._memory_places[word] = len(self.memories)
            self.memories.append(word)
        return self._memory_places[word]

    def slots(self) -> Places:
        """Return room to look up a cell with a memory, all of it free."""
        cells, memories = len(self.cores), len(self.memories)
        if self._slots_of.shape[0] < cells or self._slots_of.shape[1] < memories:
            self._slots_of = np.full((2 * cells, 2 * memories), -1, np.int64)
        return self._slots_of

    def classes(self, states: States, scene: int, phase: int) -> list[tuple[Class, Places]]:
        """Return the classes of states, each with the places of those that belong to it."""
        cores = np.array(self.cores, np.int64)[states.cells]
        numbers = np.empty(len(cores), np.int64)
        for memory in np.unique(states.memories):
            own = states.memories == memory
            of_core = self.side.classes_of_cores(scene, phase, self.memories[memory])
            numbers[own] = of_core[cores[own]]
        return [
            (self.side.classes[number], np.flatnonzero(numbers == number)) for number in np.unique(numbers)
        ]

    def effect(self, shots: Shots, target: Class) -> Effect:
        """Return what shots do to a unit of a class, for all cells known so far."""
        key = target.scene, shots, target.exposure
        known = self._effects.get(key)
        if known is None:
            nothing = np.zeros(0, np.int64)
            flags = self.side.cores.first
            known = self._effects[key] = Effect(
                np.zeros(1, np.int64), nothing, np.zeros(0), np.zeros((0, flags)), np.zeros((0, flags))
            )
        missing = len(self.cores) - len(known.dead)
        if missing:
            self._extend(known, shots, target, missing)
        return known

    def _extend(self, effect: Effect, shots: Shots, target: Class, missing: int) -> None:
        begin = len(effect.dead)
        rows = np.array(self.cores[begin:], np.int32)
        worn = np.array(self.shells[begin:], np.int32)
        values, dead = np.eye(missing), np.zeros((self.side.cores.first, missing))
        for gunner, struck in shots:
            # Whoever has fallen already is there for every way that the later volleys may go.
            dead *= sum(chance for _, chance in struck)
            rows, worn, values = self._volley(rows, worn, values, gunner, struck, target, dead)
        cells = np.array(
            [self.cell(core, shell) for core, shell in zip(rows.tolist(), worn.tolist(), strict=True)],
            np.int64,
        )
        source, place = np.nonzero(values.T)
        counts = np.bincount(source, minlength=missing)
        effect.begins = np.concatenate([effect.begins, effect.begins[-1] + np.cumsum(counts)])
        effect.ends = np.concatenate([effect.ends, cells[place]])
        effect.chances = np.concatenate([effect.chances, values.T[source, place]])
        effect.dead = np.concatenate([effect.dead, dead.T])
        live = np.zeros_like(dead.T)
        np.add.at(live, (source, self.side.cores.fates[rows[place]]), values.T[source, place])
        effect.live = np.concatenate([effect.live, live])
        self.work += CELL_WORK * missing

    def _volley(
        self,
        rows: Numbers,
        worn: Numbers,
        values: Array,
        gunner: int,
        struck: Struck,
        target: Class,
        dead: Array,
    ) -> tuple[Numbers, Numbers, Array]:
        side = self.side
        blow, table = side.blow(gunner, struck, target), side.rows_of(target.exposure)
        other = np.ones(values.shape[1])
        wanted = np.zeros((len(table.mores), len(rows)), np.int32)
        counts = np.zeros(len(table.mores), np.int64)
        loop("list_wanted")(
            rows,
            worn,
            values @ other,
            blow.begins,
            blow.codes,
            blow.chances,
            table.starts,
            0.0,
            wanted,
            counts,
        )
        for more, place in list(table.mores.items()):
            if counts[place]:
                table.fill(more, wanted[place, : counts[place]])
        cores, shells = len(side.cores), len(side.shells)
        out_rows, out_worn, out = self._slots.scratch(cores * shells, values.shape[1])
        held, _ = loop("carry_values")(
            rows, worn, values, blow.begins, blow.codes, blow.sinks, blow.chances, table.starts, table.lengths,
            table.ends, table.weights, self._slots.room(cores, shells), out_rows, out_worn, out, dead, other, 0.0,
        )  # fmt: skip
        return out_rows[:held].copy(), out_worn[:held].copy(), out[:held].copy()

    def rested(self, states: States) -> States:
        """Return states after the end of a turn."""
        cores = np.array(self.cores, np.int64)[states.cells]
        shells = np.array(self.shells, np.int64)[states.cells]
        cells, memories = np.empty_like(states.cells), np.empty_like(states.memories)
        for memory in np.unique(states.memories):
            own = np.flatnonzero(states.memories == memory)
            after, words = self.side.cores.rested(self.memories[memory], cores[own].astype(np.int32))
            pairs = zip(after.tolist(), shells[own].tolist(), strict=True)
            cells[own] = [self.cell(core, shell) for core, shell in pairs]
            memories[own] = [self.memory(int(word)) for word in words]
        return States(cells, memories)


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

    def __init__(
        self,
        fight: Fight,
        bound: float,
        exposures: tuple[set[int], set[int]],
        work_limit: float | None,
        memory_limit: float | None,
        silent: tuple[bool, bool],
    ) -> None:
        self.fight, self.limit, self.memory_limit = fight, work_limit, memory_limit
        own, foe = exposures
        slots = Slots()
        self.a = Unit(Side(fight, 0, own, foe, silent[0]), slots)
        self.b = Unit(Side(fight, 1, foe, own, silent[1]), slots)
        self.phases = len(fight.phases)
        self.steps = fight.turns * self.phases
        self.to_drop, self.dropped = DROPPED * bound, 0.0
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
