"""One side of a duel that is solved jointly: its cells, what it remembers, and what shots do to it."""

import functools
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from simlab import jit
from simlab.exact import joint_loop
from simlab.exact.factors import Numbers, Slots, loop
from simlab.exact.side import Shots, Side, Struck
from simlab.exact.solution import Array

Places: TypeAlias = npt.NDArray[np.int64]
Hits: TypeAlias = tuple[Places, Places, Array]
"""What effects do to cells; see `simlab.exact.joint_loop`."""

CELL_WORK = 2e4
"""Nanoseconds of work for what becomes of a cell."""


@functools.cache
def joint_loop_of(name: str) -> Any:
    """Return one of the compiled loops over joint states."""
    return jit.bound(getattr(joint_loop, name), (), "exact")


@dataclass(eq=False)
class Effect:
    """What shots do to a unit that shows an exposure, known for its first cells.

    begins: (cells known + 1,). ends, chances: the cells that follow each cell, one after the other.
    """

    scene: int
    shots: Shots
    exposure: int
    begins: Places
    ends: Places
    chances: Array

    @property
    def known(self) -> int:
        """Number of cells for which it is known."""
        return len(self.begins) - 1


@dataclass(eq=False)
class States:
    """States of a unit: the number of its cell and of what it remembers, each (states,)."""

    cells: Places
    memories: Places

    def at(self, places: Any) -> "States":
        """Return some of the states."""
        return States(self.cells[places], self.memories[places])


class Unit:
    """One side of a duel by cells, a core with a shell, and by what it remembers, both numbered as they turn up.

    The first numbers of cells are those of the fallen, by their flags.
    """

    def __init__(self, side: Side, slots: Slots) -> None:
        self.side, self._slots, self.first = side, slots, side.cores.first
        self.cores, self.shells = list(range(self.first)), [0] * self.first
        self.memories: list[int] = []
        self._cells: dict[tuple[int, int], int] = {}
        self._memory_places: dict[int, int] = {}
        self._effects: list[Effect] = []
        self._effect_places: dict[tuple[int, Shots, int], int] = {}
        self._hits: Hits | None = None
        self._after_rest: dict[tuple[int, int], tuple[int, int]] = {}
        self._slots_of = np.full((64, 16), -1, np.int64)
        self.work = 0.0

    def start(self) -> States:
        """Return the fresh unit."""
        cell = self.cell(self.side.start_core, self.side.start_shell)
        return States(np.array([cell]), np.array([self.memory(self.side.memory)]))

    def cell(self, core: int, shell: int) -> int:
        """Return the number of a cell."""
        if core < self.first:
            return core
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
        """Return room to look up a cell with a memory, all of it -1."""
        cells, memories = len(self.cores), len(self.memories)
        if self._slots_of.shape[0] < cells or self._slots_of.shape[1] < memories:
            self._slots_of = np.full((2 * cells, 2 * memories), -1, np.int64)
        return self._slots_of

    def flags(self, states: States) -> Places:
        """Return the final flags of states: shape (states,)."""
        return self.side.cores.fates[np.array(self.cores, np.int64)[states.cells]]

    def class_numbers(self, states: States, scene: int, phase: int) -> Places:
        """Return the class of each state: shape (states,)."""
        cores = np.array(self.cores, np.int64)[states.cells]
        table = np.empty((len(self.memories), len(self.side.cores)), np.int64)
        for memory in np.flatnonzero(np.bincount(states.memories)).tolist():
            table[memory] = self.side.classes_of_cores(scene, phase, self.memories[memory])
        return table[states.memories, cores]

    def effect(self, scene: int, shots: Shots, exposure: int) -> int:
        """Return the number of what shots do to the unit under an exposure, known for all cells known so far."""
        key = scene, shots, exposure
        number = self._effect_places.get(key)
        if number is None:
            number = self._effect_places[key] = len(self._effects)
            nothing = np.zeros(0, np.int64)
            begins = np.zeros(self.first + 1, np.int64)
            self._effects.append(Effect(*key, begins, nothing, np.zeros(0)))
        effect = self._effects[number]
        if effect.known < len(self.cores):
            self._extend(effect)
            self._hits = None
        return number

    def hits(self) -> Hits:
        """Return all effects: begins (effects, cells + 1), and the ends and chances of all one after the other."""
        if self._hits is None:
            begins = np.empty((len(self._effects), len(self.cores) + 1), np.int64)
            start = 0
            for row, effect in zip(begins, self._effects, strict=True):
                row[: effect.known + 1] = effect.begins + start
                row[effect.known + 1 :] = start = start + len(effect.ends)
            ends, chances = (
                np.concatenate([getattr(effect, name) for effect in self._effects])
                for name in ("ends", "chances")
            )
            self._hits = begins, ends, chances
        return self._hits

    def _extend(self, effect: Effect) -> None:
        begin, missing = effect.known, len(self.cores) - effect.known
        rows = np.array(self.cores[begin:], np.int32)
        worn = np.array(self.shells[begin:], np.int32)
        values, dead = np.eye(missing), np.zeros((self.first, missing))
        for gunner, struck in effect.shots:
            # Whoever has fallen already is there for every way that the later volleys may go.
            dead *= sum(chance for _, chance in struck)
            rows, worn, values = self._volley(rows, worn, values, gunner, struck, effect, dead)
        after = [self.cell(core, shell) for core, shell in zip(rows.tolist(), worn.tolist(), strict=True)]
        cells = np.array([*range(self.first), *after], np.int64)
        chances = np.concatenate([dead, values]).T
        source, place = np.nonzero(chances)
        counts = np.cumsum(np.bincount(source, minlength=missing))
        effect.begins = np.concatenate([effect.begins, effect.begins[-1] + counts])
        effect.ends = np.concatenate([effect.ends, cells[place]])
        effect.chances = np.concatenate([effect.chances, chances[source, place]])
        self.work += CELL_WORK * missing

    def _volley(
        self,
        rows: Numbers,
        worn: Numbers,
        values: Array,
        gunner: int,
        struck: Struck,
        effect: Effect,
        dead: Array,
    ) -> tuple[Numbers, Numbers, Array]:
        side = self.side
        blow, table = (
            side.blow(gunner, struck, effect.scene, effect.exposure),
            side.rows_of(effect.exposure),
        )
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
        for memory in np.flatnonzero(np.bincount(states.memories)).tolist():
            own = states.cells[states.memories == memory].tolist()
            self._rest(memory, [cell for cell in own if (cell, memory) not in self._after_rest])
        pairs = zip(states.cells.tolist(), states.memories.tolist(), strict=True)
        after = np.array([self._after_rest[pair] for pair in pairs], np.int64).reshape(-1, 2)
        return States(after[:, 0], after[:, 1])

    def _rest(self, memory: int, cells: list[int]) -> None:
        """Find out what becomes of some cells with a memory at the end of a turn."""
        if not cells:
            return
        wanted = np.array([self.cores[cell] for cell in cells], np.int32)
        cores, words = self.side.cores.rested(self.memories[memory], wanted)
        for cell, core, word in zip(cells, cores.tolist(), words.tolist(), strict=True):
            after = self.cell(core, self.shells[cell]), self.memory(word)
            self._after_rest[cell, memory] = after
