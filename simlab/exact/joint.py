"""The exact duel of systems whose turns have phases, whose shooters remember their own dice, or whose units rest.

There what becomes of a unit hangs together with what its own roll does to itself, so that the joint distribution is no
sum of few products (`simlab.exact.solve`). Units of such systems have few states: it is kept whole, P(a, b), and a
phase is two sparse matrices a way the fire may go (`simlab.exact.joint_loop`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from simlab.exact.cells import Places, States, Unit, joint_loop_of
from simlab.exact.factors import Slots
from simlab.exact.side import Class, Shots, Side, Task
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
ENTRY_WORK, STEP_WORK, KIND_WORK = 2.0, 2e6, 5e4
"""Nanoseconds of work: for a value that is carried, for a phase, for a kind of states in it."""
BYTES = 8

Met: TypeAlias = npt.NDArray[np.bool_]

Fire: TypeAlias = tuple[Places, Places, Places, Places, Places, Places, Places]
"""What the states of a unit can do in a phase; see `simlab.exact.joint_loop`."""


@dataclass(eq=False)
class Kind:
    """Classes whose units fire alike at the enemy and are alike to his fire; ways: by his exposure, their shots."""

    exposure: int
    ways: dict[int, tuple[Shots, ...]]


@dataclass(eq=False)
class Arms:
    """What is known of a unit's classes: the kind of each, and by exposure what it remembers after each way."""

    unit: Unit
    kinds: list[Kind] = field(default_factory=list)
    of_class: list[int] = field(default_factory=list)
    after: list[dict[int, tuple[int, ...]]] = field(default_factory=list)
    idle: list[bool] = field(default_factory=list)
    _places: dict[object, int] = field(default_factory=dict)

    def learn(self) -> None:
        """Take in the classes that have turned up since."""
        for class_ in self.unit.side.classes[len(self.of_class) :]:
            fires = tuple((shown, tuple(shots for _, shots in ways)) for shown, ways in class_.ways)
            key = class_.exposure, fires
            if key not in self._places:
                self._places[key] = len(self.kinds)
                self.kinds.append(Kind(class_.exposure, dict(fires)))
            self.of_class.append(self._places[key])
            self.after.append(
                {shown: tuple(self.unit.memory(word) for word, _ in ways) for shown, ways in class_.ways}
            )
            self.idle.append(all(_is_idle(class_, ways) for _, ways in class_.ways))

    def all_idle(self, numbers: Places) -> bool:
        """Tell whether no unit of these classes does anything."""
        return all(self.idle[class_] for class_ in np.flatnonzero(np.bincount(numbers)).tolist())


def _is_idle(class_: Class, ways: tuple[tuple[int, Shots], ...]) -> bool:
    """Whether a way to fire at some exposure is not to fire, and to forget nothing."""
    return ways == ((class_.memory, ()),)


class JointSolver:
    """Solves a duel by the joint distribution of both units' states."""

    def __init__(self, task: Task) -> None:
        fight, silent = task.fight, task.silent
        self.fight, self.limit, self.memory_limit = fight, task.work_limit, task.memory_limit
        own, foe = task.exposures
        slots = Slots()
        self.a = Unit(Side(fight, 0, own, foe, silent[0]), slots)
        self.b = Unit(Side(fight, 1, foe, own, silent[1]), slots)
        self.arms = Arms(self.a), Arms(self.b)
        self.phases = len(fight.phases)
        self.steps = fight.turns * self.phases
        self.to_drop, self.dropped = DROPPED * task.bound, 0.0
        self.own_work, self.memory = 0.0, 0
        self.ends = np.zeros((self.a.first, self.a.first))

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
            states=sum(len(unit.cores) - unit.first for unit in (self.a, self.b)),
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
        numbers = tuple(
            unit.class_numbers(own, scene, phase) for unit, own in zip((self.a, self.b), states, strict=True)
        )
        for arms in self.arms:
            arms.learn()
        idle = all(arms.all_idle(own) for arms, own in zip(self.arms, numbers, strict=True))
        if last or not idle:
            joint, states = self._fought(joint, states, numbers, scene, last)
        if last:
            return np.zeros((1, 1)), states
        rests = self.fight.coupled and phase == self.phases - 1
        return self._rested(joint, states) if rests else (joint, states)

    def _fought(
        self,
        joint: Array,
        states: tuple[States, States],
        numbers: tuple[Places, ...],
        scene: int,
        last: bool,
    ) -> tuple[Array, tuple[States, States]]:
        """Let all fire; return the joint distribution of those who stand, the ends of others counted."""
        of_kind = [
            np.array(arms.of_class, np.int64)[own] for arms, own in zip(self.arms, numbers, strict=True)
        ]
        kinds = [np.flatnonzero(np.bincount(each)).tolist() for each in of_kind]
        shown = [
            sorted({arms.kinds[kind].exposure for kind in own})
            for arms, own in zip(self.arms, kinds, strict=True)
        ]
        fire_a = self._fire(0, numbers[0], of_kind[0], kinds[0], shown, scene)
        fire_b = self._fire(1, numbers[1], of_kind[1], kinds[1], shown, scene)
        self._spend(STEP_WORK + KIND_WORK * (len(kinds[0]) + len(kinds[1])))
        met = np.zeros((len(kinds[0]), len(kinds[1])), np.bool_)
        joint_loop_of("list_met")(joint, *fire_a[:2], *fire_b[:2], met)
        after_a, slots_a = self._reached(self.a, states[0], met, fire_a, fire_b)
        after_b, slots_b = self._reached(self.b, states[1], np.ascontiguousarray(met.T), fire_b, fire_a)
        out = np.zeros((len(after_a.cells), len(after_b.cells)))
        self._weigh(4 * out.size)
        carried = joint_loop_of("play_kinds")(
            joint, met, states[0].cells, states[1].cells, fire_a, fire_b, self.a.hits(), self.b.hits(), self.a.first,
            slots_a, slots_b, out,
        )  # fmt: skip
        self._spend(ENTRY_WORK * carried)
        for after, slots in ((after_a, slots_a), (after_b, slots_b)):
            slots[after.cells, after.memories] = -1
        return self._end(out, after_a, after_b, last)

    def _fire(
        self,
        unit: int,
        numbers: Places,
        of_kind: Places,
        kinds: Sequence[int],
        shown: Sequence[Sequence[int]],
        scene: int,
    ) -> Fire:
        """Return what the states of a unit, of some classes and kinds, can do to an enemy who shows what he can."""
        arms, foe = self.arms[unit], (self.b, self.a)[unit]
        places = np.lexsort((numbers, of_kind))
        classes = numbers[places]
        runs = np.flatnonzero(np.diff(classes, prepend=-1))
        counts = np.diff(runs, append=len(places))
        begins = np.searchsorted(of_kind[places], [*kinds, len(arms.kinds)])
        run_begins = np.searchsorted(runs, begins)
        ways = np.zeros((len(kinds), len(shown[1 - unit]) + 1), np.int64)
        effects: list[int] = []
        memories: list[Places] = []
        for row, kind in enumerate(kinds):
            own = slice(run_begins[row], run_begins[row + 1])
            members = classes[runs[own]].tolist()
            for column, exposure in enumerate(shown[1 - unit]):
                ways[row, column] = len(effects)
                effects += [foe.effect(scene, shots, exposure) for shots in arms.kinds[kind].ways[exposure]]
                after = np.array([arms.after[class_][exposure] for class_ in members], np.int64)
                memories += list(after.repeat(counts[own], axis=0).T)
            ways[row, -1] = len(effects)
        memory_begins = np.cumsum([0, *(len(each) for each in memories)])[:-1]
        exposed = np.searchsorted(shown[unit], [arms.kinds[kind].exposure for kind in kinds])
        return (
            places,
            begins,
            exposed,
            ways,
            np.array(effects, np.int64),
            memory_begins,
            np.concatenate(memories),
        )

    def _reached(self, unit: Unit, states: States, met: Met, own: Fire, foe: Fire) -> tuple[States, Places]:
        """Return the states that a unit can come to, and where each of them is among them."""
        hits, slots = unit.hits(), unit.slots()
        joint_loop_of("mark_reached")(met, states.cells, own, foe, hits, unit.first, slots)
        most = int((slots >= 0).sum())
        cells, memories = np.empty((2, most), np.int64)
        joint_loop_of("list_reached")(slots, cells, memories)
        return States(cells, memories), slots

    def _end(
        self, joint: Array, after_a: States, after_b: States, last: bool
    ) -> tuple[Array, tuple[States, States]]:
        """Count the fights that end, after the last phase all; return the distribution of the others."""
        fallen_a, fallen_b = (int(np.searchsorted(own.cells, self.a.first)) for own in (after_a, after_b))
        # With flags (flags, states): 1 where a state has them.
        flags_a, flags_b = (
            (unit.flags(own) == np.arange(unit.first)[:, None]).astype(float)
            for unit, own in ((self.a, after_a), (self.b, after_b))
        )
        self.ends += flags_a[:, :fallen_a] @ (joint[:fallen_a] @ flags_b.T)
        ending = slice(None if last else fallen_b)
        self.ends += flags_a[:, fallen_a:] @ (joint[fallen_a:, ending] @ flags_b[:, ending].T)
        states = after_a.at(slice(fallen_a, None)), after_b.at(slice(fallen_b, None))
        return joint[fallen_a:, fallen_b:], states

    def _rested(self, joint: Array, states: tuple[States, States]) -> tuple[Array, tuple[States, States]]:
        """Return the joint distribution after the end of a turn."""
        found = []
        for unit, own in zip((self.a, self.b), states, strict=True):
            rested = unit.rested(own)
            words, place = np.unique(rested.cells << 32 | rested.memories, return_inverse=True)
            found.append((States(words >> 32, words & 0xFFFFFFFF), place))
        (states_a, place_a), (states_b, place_b) = found
        merged = np.zeros((len(states_a.cells), len(states_b.cells)))
        joint_loop_of("add_block")(place_a, place_b, np.ascontiguousarray(joint), merged)
        return merged, (states_a, states_b)

    def _prune(
        self, joint: Array, states: tuple[States, States], step: int
    ) -> tuple[Array, tuple[States, States]]:
        """Drop the least likely states of both units, as many as the share of the bound so far allows."""
        stay = []
        for n in (0, 1):
            mass = joint.sum(axis=1 - n)
            allowed = (self.to_drop * (step + 1) / self.steps - self.dropped) / (2 - n)
            order = np.argsort(mass, kind="stable")
            sums = np.cumsum(mass[order])
            number = int(np.searchsorted(sums, allowed, side="right"))
            self.dropped += float(sums[number - 1]) if number else 0.0
            stay.append(np.sort(order[number:]))
        kept_a, kept_b = (own.at(places) for own, places in zip(states, stay, strict=True))
        if joint.shape != (len(stay[0]), len(stay[1])):
            joint = joint[np.ix_(*stay)]
        return np.ascontiguousarray(joint), (kept_a, kept_b)
