"""Rows of outcomes by stage, made when they are first asked for and kept."""

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from simlab import jit
from simlab.dice import scripted
from simlab.dice.slots import SLOTS
from simlab.rules.contract import Fight
from simlab.tables import row_loop

U64 = np.uint64
LOOPS = ("expand_roll", "expand_hurt", "enter_fresh", "enter_again", "take_abilities", "expand_wreck")
PHASED = ("rest_cores",)
ROOM = 1024
"""Different outcomes of one stage at most."""


@functools.cache
def _bound(name: str, kernels: tuple[Any, ...], system: str) -> Any:
    return jit.bound(getattr(row_loop, name), (scripted, *kernels), system)


def _loop(fight: Fight, name: str) -> Any:
    return _bound(name, fight.system.kernels, fight.system.name)


def all_compiled(fight: Fight) -> bool:
    """Tell whether the loops for a fight are in memory or on disk."""
    return all(jit.is_compiled(_loop(fight, name)) for name in (*LOOPS, *(PHASED if fight.coupled else ())))


def expand_roll(fight: Fight, shooter: int, gunner: int, ability: int, row: int) -> dict[int, float]:
    """Return the distribution of what a gunner's roll strikes, 0 being a miss."""
    struck, weights = np.zeros(ROOM, U64), np.zeros(ROOM)
    words = (U64(value) for value in (shooter, gunner, ability, row))
    found = _fitting(
        _loop(fight, "expand_roll")(fight.program, *words, np.zeros((2, SLOTS), np.int64), struck, weights)
    )
    return dict(zip(struck[:found].tolist(), weights[:found].tolist(), strict=True))


def expand_hurt(fight: Fight, target: int, row: int, shell: int, struck: int) -> dict[tuple[int, int], float]:
    """Return the distribution of (shell, what is more to come) after a strike at a shell."""
    shells, mores, weights = np.zeros(ROOM, U64), np.zeros(ROOM, U64), np.zeros(ROOM)
    words = (U64(value) for value in (target, row, shell, struck))
    found = _fitting(
        _loop(fight, "expand_hurt")(
            fight.program, *words, np.zeros((2, SLOTS), np.int64), shells, mores, weights
        )
    )
    pairs = zip(shells[:found].tolist(), mores[:found].tolist(), strict=True)
    return dict(zip(pairs, weights[:found].tolist(), strict=True))


def _fitting(found: int) -> int:
    if found > ROOM:
        raise OverflowError(f"the dice of one stage come to {found} different things, {ROOM} at most fit")
    return found


class Cores:
    """The cores that a unit may come to, numbered as they turn up; numbers below `first` are flags of the fallen.

    words, fates: by number, the core and its flags.
    """

    def __init__(self, fight: Fight, type_: int) -> None:
        self.fight, self.type = fight, type_
        self.first = 1 << (1 + len(fight.system.kinds))
        size = 1 << 13
        self.words = np.zeros(size, U64)
        self.fates = np.zeros(size, np.int64)
        self.fates[: self.first] = np.arange(self.first)
        self.counters = np.array([self.first, 0], np.int64)
        self._new_table(1 << 15)

    def _new_table(self, size: int) -> None:
        self.keys = np.zeros(size, U64)
        self.places = np.full(size, -1, np.int32)
        _loop(self.fight, "enter_again")(self.words, self.counters, self.first, self.keys, self.places)

    def __len__(self) -> int:
        return int(self.counters[row_loop.CORES])

    @property
    def nbytes(self) -> int:
        """Bytes of the table."""
        arrays = (self.words, self.fates, self.keys, self.places)
        return sum(array.nbytes for array in arrays)

    def enter(self, word: int) -> int:
        """Return the number of a core."""
        self.make_room()
        enter = _loop(self.fight, "enter_fresh")
        words = U64(self.type), U64(word)
        table = self.words, self.fates, self.keys, self.places, self.counters
        return int(enter(self.fight.program, *words, *table))

    def make_room(self, number: int = ROOM) -> None:
        """Make room for so many cores more: by default for the outcomes of a row."""
        while len(self) + number > len(self.words):
            self.words = np.concatenate([self.words, np.zeros_like(self.words)])
            self.fates = np.concatenate([self.fates, np.zeros_like(self.fates)])
        while 2 * (len(self) + number) > len(self.keys):
            self._new_table(4 * len(self.keys))

    def abilities(
        self, scene: int, memory: int, begin: int, phase: int = 0
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
        """Return what a unit can do with each core from number `begin` on, and what it has to remember."""
        found, memories = np.zeros(len(self), U64), np.zeros(len(self), U64)
        take = _loop(self.fight, "take_abilities")
        words = U64(self.type), U64(scene), phase, self.words, U64(memory)
        take(self.fight.program, *words, begin, len(self), found, memories)
        return found[begin:], memories[begin:]

    def rested(
        self, memory: int, wanted: npt.NDArray[np.int32]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint64]]:
        """Return, for cores by number, the core and the memory after the end of a turn."""
        self.make_room(len(wanted))
        rested, memories = np.zeros(len(wanted), np.int32), np.zeros(len(wanted), U64)
        table = self.words, self.fates, self.keys, self.places, self.counters
        rest = _loop(self.fight, "rest_cores")
        rest(self.fight.program, U64(self.type), U64(memory), wanted, *table, rested, memories)
        return rested, memories


class Rows:
    """Which cores follow a core, by `more`; `ability` is what of the unit's ability matters to those who hit it.

    starts, lengths: shape (number of `more` known, cores). ends, weights: entries of all rows.
    """

    def __init__(self, cores: Cores, ability: int) -> None:
        self.cores, self.ability = cores, ability
        self.mores: dict[int, int] = {}
        size = len(cores.words)
        self.starts = np.full((0, size), -1, np.int32)
        self.lengths = np.zeros((0, size), np.int32)
        self.ends = np.zeros(1 << 15, np.int32)
        self.weights = np.zeros(1 << 15)
        self.counters = np.array([0, 0], np.int64)
        self._script = np.zeros((2, SLOTS), np.int64)
        self._words, self._chances = np.zeros(ROOM, U64), np.zeros(ROOM)

    @property
    def nbytes(self) -> int:
        """Bytes of the rows."""
        return sum(array.nbytes for array in (self.starts, self.lengths, self.ends, self.weights))

    def place(self, more: int) -> int:
        """Return the index of `more` in starts and lengths."""
        if more not in self.mores:
            self.mores[more] = len(self.mores)
            size = self.starts.shape[1]
            self.starts = np.concatenate([self.starts, np.full((1, size), -1, np.int32)])
            self.lengths = np.concatenate([self.lengths, np.zeros((1, size), np.int32)])
        return self.mores[more]

    def fill(self, more: int, wanted: npt.NDArray[np.int32]) -> None:
        """Make the rows of cores, by number, for `more`."""
        place, cores, begin = self.place(more), self.cores, 0
        expand = _loop(cores.fight, "expand_wreck")
        while begin < len(wanted):
            self._make_room()
            counters = np.array([len(cores), self.counters[row_loop.ENTRIES]], np.int64)
            begin = expand(
                cores.fight.program, U64(cores.type), U64(self.ability), U64(more), wanted, begin, cores.words,
                cores.fates, cores.keys, cores.places, self.starts[place], self.lengths[place], self.ends,
                self.weights, counters, self._script, self._words, self._chances,
            )  # fmt: skip
            cores.counters[row_loop.CORES] = counters[row_loop.CORES]
            self.counters[row_loop.ENTRIES] = counters[row_loop.ENTRIES]

    def _make_room(self) -> None:
        self.cores.make_room()
        wider = len(self.cores.words) - self.starts.shape[1]
        if wider > 0:
            kinds = len(self.starts)
            self.starts = np.concatenate([self.starts, np.full((kinds, wider), -1, np.int32)], axis=1)
            self.lengths = np.concatenate([self.lengths, np.zeros((kinds, wider), np.int32)], axis=1)
        if self.counters[row_loop.ENTRIES] + ROOM > len(self.ends):
            self.ends = np.concatenate([self.ends, np.zeros_like(self.ends)])
            self.weights = np.concatenate([self.weights, np.zeros_like(self.weights)])
