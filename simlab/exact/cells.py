"""One side of a duel that is solved jointly: its cells, what it remembers, and what shots do to it."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from simlab.exact.factors import Numbers, Slots, loop
from simlab.exact.side import Class, Shots, Side, Struck
from simlab.exact.solution import Array

Places: TypeAlias = npt.NDArray[np.int64]

CELL_WORK = 2e4
"""Nanoseconds of work for what becomes of a cell."""


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
