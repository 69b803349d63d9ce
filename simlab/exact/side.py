"""One side of a duel as the solver sees it: cores, shells, and classes of what a unit can do."""

from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from simlab.exact.factors import Numbers
from simlab.rules.contract import Fight
from simlab.tables.expand import Questions
from simlab.tables.rows import Cores, Rows, expand_hurt, expand_roll

Struck: TypeAlias = tuple[tuple[int, float], ...]
"""What a gunner's roll strikes and how likely; 0 is a miss."""
Shots: TypeAlias = tuple[tuple[int, Struck], ...]
"""For each gunner who can hit, what his roll strikes."""


@dataclass(frozen=True, eq=False)
class Blow:
    """What a volley does to the shells of its target, in entries sorted by shell and code; code -1: it ends there.

    begins: where the entries of a shell begin, (shells + 1,). codes, sinks, chances: index of `more`, shell
    afterwards, probability.
    """

    begins: Numbers
    codes: Numbers
    sinks: Numbers
    chances: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Class:
    """Units of a class are the same to their enemy: the same dice at him, the same exposure to his.

    ability: that of one of them. memory: what they remember. ways: by the enemy's exposure, the ways their fire may
    go, each with what they remember afterwards; there are several only where they remember their own dice. still: no
    unit of the class will ever hurt the enemy as long as the scene lasts, whatever hits it.
    """

    number: int
    scene: int
    memory: int
    ability: int
    exposure: int
    ways: tuple[tuple[int, tuple[tuple[int, Shots], ...]], ...]
    still: bool

    def ways_at(self, exposure: int) -> tuple[tuple[int, Shots], ...]:
        """Return memories after firing at an enemy of this exposure, each with the shots that lead to it."""
        return dict(self.ways)[exposure]

    @property
    def memory_after(self) -> int:
        """What they remember after they have fired, where that does not depend on their dice."""
        return self.ways[0][1][0][0]


@dataclass(frozen=True)
class Task:
    """A duel to be solved: its error at most `bound`, within nanoseconds of work and bytes of memory, if these are set.

    silent: units that never fire. exposures: of each unit those met so far, for which its enemy's classes are made.
    """

    fight: Fight
    bound: float
    work_limit: float | None
    memory_limit: float | None
    silent: tuple[bool, bool]
    exposures: tuple[set[int], set[int]] = field(default_factory=lambda: (set(), set()))


class NewExposureError(Exception):
    """A unit shows an exposure that its enemy's classes were not made for."""

    def __init__(self, unit: int, exposure: int) -> None:
        super().__init__(unit, exposure)
        self.unit, self.exposure = unit, exposure


class Side:
    """A unit of a duel, and all that is asked about it more than once."""

    def __init__(
        self, fight: Fight, unit: int, own_exposures: set[int], foe_exposures: set[int], silent: bool
    ) -> None:
        self.fight, self.unit, self._silent = fight, unit, silent
        self._exposures, self._foe_exposures = own_exposures, sorted(foe_exposures)
        types = fight.types_a + fight.types_b
        self.type, self.foe = types[unit], types[1 - unit]
        self.ask = Questions(fight)
        self.cores = Cores(fight, self.type)
        self.rows: dict[int, Rows] = {}
        self.shells: list[int] = []
        self.classes: list[Class] = []
        self._shell_places: dict[int, int] = {}
        self._by_key: dict[Any, int] = {}
        self._by_ability: dict[tuple[int, int, int, int], int] = {}
        self._of_core: dict[tuple[int, int, int], Numbers] = {}
        self._blows: dict[Any, tuple[int, Blow]] = {}
        body, self.memory = self.ask.fresh(self.type)
        core = self.ask.core(body)
        self.start_core = self.cores.enter(core)
        self.start_shell = self.shell_place(body ^ core)
        self.remembers = self.ask.remembers(self.type)
        self._learns = self.ask.learns(self.type)

    def shell_place(self, shell: int) -> int:
        """Return the number of a shell."""
        if shell not in self._shell_places:
            self._shell_places[shell] = len(self.shells)
            self.shells.append(shell)
        return self._shell_places[shell]

    def rows_of(self, exposure: int) -> Rows:
        """Return the rows of cores under an exposure."""
        if exposure not in self.rows:
            self.rows[exposure] = Rows(self.cores, exposure)
        return self.rows[exposure]

    def classes_of_cores(self, scene: int, phase: int, memory: int) -> Numbers:
        """Return the class of every core known: shape (cores,)."""
        place = scene, phase, memory
        known = self._of_core.get(place, np.zeros(0, np.int32))
        if len(known) < len(self.cores):
            abilities, memories = self.cores.abilities(scene, memory, len(known), phase)
            first, pairs = _equal_pairs(abilities, memories)
            numbers = [self._class_of(scene, phase, int(memories[n]), int(abilities[n])) for n in first]
            known = np.concatenate([known, np.array(numbers, np.int32)[pairs]])
            self._of_core[place] = known
        return known

    def _class_of(self, scene: int, phase: int, memory: int, ability: int) -> int:
        place = (scene, phase, memory, ability)
        if place not in self._by_ability:
            exposure = self.ask.exposure(self.type, ability)
            if exposure not in self._exposures:
                raise NewExposureError(self.unit, exposure)
            ways = tuple(
                (shown, self._ways_at(scene, memory, ability, shown)) for shown in self._foe_exposures
            )
            # Who cannot hit now never will, but by zeroing in.
            still = not (self._ready(ability) if self._learns else any(hits for _, ((_, hits), *_) in ways))
            key = (scene, phase, exposure, memory, ways)
            if key not in self._by_key:
                self._by_key[key] = len(self.classes)
                number = len(self.classes)
                self.classes.append(Class(number, scene, memory, ability, exposure, ways, still))
            self._by_ability[place] = self._by_key[key]
        return self._by_ability[place]

    def _ready(self, ability: int) -> list[int]:
        if self._silent:
            return []
        return [g for g in range(self.ask.gunners(self.type)) if self.ask.ready(self.type, g, ability)]

    def _ways_at(self, scene: int, memory: int, ability: int, exposure: int) -> tuple[tuple[int, Shots], ...]:
        ready = self._ready(ability)
        shots = self._shots_at(scene, ability, ready, exposure)
        if not self.remembers:
            return ((memory, shots),)
        if not self.fight.coupled:
            return ((self.ask.memory_after(self.type, ability, memory, dict.fromkeys(ready, 0)), shots),)
        by_mark = [(gunner, self._by_mark(struck)) for gunner, struck in shots]
        ways = []
        for marks in product(*(marked for _, marked in by_mark)):
            chosen = {gunner: mark for (gunner, _), mark in zip(by_mark, marks, strict=True)}
            after = self.ask.memory_after(
                self.type, ability, memory, {gunner: chosen.get(gunner, 0) for gunner in ready}
            )
            ways.append((after, tuple((gunner, marked[chosen[gunner]]) for gunner, marked in by_mark)))
        return tuple(ways)

    def _by_mark(self, struck: Struck) -> dict[int, Struck]:
        """Return what a roll strikes, taken apart by what its shooter will remember of it."""
        parts: dict[int, list[tuple[int, float]]] = {}
        for word, chance in struck:
            parts.setdefault(self.ask.mark(word) if word else 0, []).append((word, chance))
        return {mark: tuple(part) for mark, part in parts.items()}

    def futures(self, scene: int, class_: Class, rows: Numbers, turns: int) -> npt.NDArray[np.int64]:
        """Return for units of a class that nothing hits any more which of them will do the same for so many turns.

        Only what they remember can change; it is the same for those who have done the same so far.
        """
        labels = np.zeros(len(rows), np.int64)
        ways = [(class_, np.arange(len(rows)))] if self.remembers and not class_.still else []
        number = 1
        for _ in range(turns):
            after = []
            for way, places in ways:
                classes = self.classes_of_cores(scene, 0, way.memory_after)[rows[places]]
                for each in np.flatnonzero(np.bincount(classes)).tolist():
                    mine = places[classes == each]
                    labels[mine] = number
                    number += 1
                    if not self.classes[each].still:
                        after.append((self.classes[each], mine))
            ways = after
        return labels

    def _shots_at(self, scene: int, ability: int, ready: list[int], exposure: int) -> Shots:
        aimed = self.ask.aim(self.type, self.foe, scene)
        found = []
        for gunner in ready:
            row = self.ask.gunner_row(aimed, gunner, exposure)
            struck = expand_roll(self.fight, self.type, gunner, ability, row)
            hits = tuple(sorted((word, weight) for word, weight in struck.items() if word))
            if hits:
                found.append((gunner, ((0, 1.0 - sum(chance for _, chance in hits)), *hits)))
        return tuple(found)

    def blow(self, gunner: int, struck: Struck, scene: int, exposure: int) -> Blow:
        """Return what a volley of an enemy gunner does to the shells of this side's unit under an exposure."""
        aimed = self.ask.aim(self.foe, self.type, scene)
        row = self.ask.gunner_row(aimed, gunner, exposure)
        key = (row, struck, exposure)
        known = self._blows.get(key)
        if known is None or known[0] != len(self.shells):
            blow = self._new_blow(row, struck, self.rows_of(exposure))
            known = self._blows[key] = (len(self.shells), blow)
        return known[1]

    def _new_blow(self, row: int, struck: Struck, rows: Rows) -> Blow:
        entries: dict[tuple[int, int, int], float] = {}
        place = 0
        while place < len(self.shells):
            for word, chance in struck:
                if not word:
                    entries[place, -1, place] = entries.get((place, -1, place), 0.0) + chance
                    continue
                hurt = expand_hurt(self.fight, self.type, row, self.shells[place], word)
                for (shell, more), weight in hurt.items():
                    end = (place, rows.place(more) if more else -1, self.shell_place(shell))
                    entries[end] = entries.get(end, 0.0) + chance * weight
            place += 1
        ordered = sorted(entries)
        sources, codes, sinks = (np.array([entry[i] for entry in ordered], np.int32) for i in range(3))
        begins = np.searchsorted(sources, np.arange(len(self.shells) + 1)).astype(np.int32)
        return Blow(begins, codes, sinks, np.array([entries[entry] for entry in ordered]))


def _equal_pairs(
    first: npt.NDArray[np.uint64], second: npt.NDArray[np.uint64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return where each different pair of words stands for the first time, and which one each pair is."""
    if (second == second[0]).all():
        _, start, pairs = np.unique(first, return_index=True, return_inverse=True)
        return start, pairs
    places, own = (np.unique(words, return_inverse=True)[1] for words in (first, second))
    _, start, pairs = np.unique(places * len(own) + own, return_index=True, return_inverse=True)
    return start, pairs
