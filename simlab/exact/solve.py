"""The exact duel: every die of every turn, as probabilities with a bound on what is wanting.

In a turn what becomes of a unit depends on its enemy through the enemy's class alone (`simlab.exact.side`). So the
joint distribution of both units is kept as one block for every pair of classes, each a sum of products of one factor a
side (`simlab.exact.factors`); a turn changes each factor by itself.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits

from simlab import jit
from simlab.exact.factors import Factor, Part, Slots, compressed, loop, mirror_of, symmetric, whole
from simlab.exact.joint import JointSolver
from simlab.exact.side import Blow, Class, NewExposureError, Shots, Side, Struck, Task
from simlab.exact.solution import (
    ROUNDING,
    Array,
    Solution,
    TooLongError,
    figures_of_ends,
    outcomes_of_ends,
)
from simlab.rules.contract import Fight
from simlab.tables.rows import Rows, all_compiled

Block: TypeAlias = tuple[Factor, Factor]
Blocks: TypeAlias = dict[tuple[int, int], Block]
Pieces: TypeAlias = dict[tuple[int, int], list[tuple[Part, Part]]]

DROPPED, CUT = 0.65, 0.08
"""Shares of the bound for unlikely states that are dropped, and for rank that is cut off: by the latter each of the
four outcomes is lowered."""
MANY = 40_000
"""States a turn among which the share for dropped ones is divided at first; later a tenth at least."""
LEAST_SHARE = 0.1
"""Part of a turn's even share that a turn may drop though the turns before dropped too much."""
TIGHTEST = 1e-4
"""A bound that is missed with shares of this part of it cannot be kept: rounding is in the way."""
ROW_WORK, RANK_WORK, BLOCK_WORK = 5000.0, 0.7, 5e5
"""Nanoseconds of work: for a row of a core, a multiplication of a decomposition, a block's turn."""
VALUE_WORK = 1.2
"""Nanoseconds for a value carried along a row."""


def is_compiled(fight: Fight) -> bool:
    """Tell whether the solver's loops for a fight are in memory or on disk."""
    return all_compiled(fight) and jit.is_compiled(loop("carry_values"))


def solve_duel(
    fight: Fight,
    *,
    bound: float = 1e-9,
    work_limit: float | None = None,
    memory_limit: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    silent: tuple[bool, bool] = (False, False),
) -> Solution:
    """Return the exact duel, its error at most `bound`. `progress` is told turns solved and turns in all.

    silent: units that never fire, whatever they could. Raises TooLongError when the work exceeds `work_limit`
    nanoseconds, or tables and factors `memory_limit` bytes.
    """
    # One thread for the decompositions: their rounding is then the same, and more threads do not help.
    with threadpool_limits(1, "blas"):
        return _solve(Task(fight, bound, work_limit, memory_limit, silent), progress)


def _solve(task: Task, progress: Callable[[int, int], None] | None) -> Solution:
    solver = JointSolver if task.fight.phased else _Solver
    tightness, spent = 1.0, 0.0
    while True:
        left = None if task.work_limit is None else task.work_limit - spent
        try:
            found = solver(replace(task, bound=task.bound * tightness, work_limit=left)).solve(progress)
        except NewExposureError as new:
            task.exposures[new.unit].add(new.exposure)
            continue
        if found.error_bound <= task.bound:
            return found
        # The shares were spent badly, which is seen only afterwards.
        tightness /= 2
        spent += found.work
        if tightness < TIGHTEST:
            raise TooLongError


class _Solver:
    def __init__(self, task: Task) -> None:
        fight, bound, silent = task.fight, task.bound, task.silent
        self.fight, self.limit, self.memory_limit = fight, task.work_limit, task.memory_limit
        own, foe = task.exposures
        self.twins = fight.twins and silent[0] == silent[1]
        if self.twins:
            own = foe = own | foe
        self.a = Side(fight, 0, own, foe, silent[0])
        self.b = self.a if self.twins else Side(fight, 1, foe, own, silent[1])
        self.slots = Slots()
        self.work, self.rank, self.memory = 0.0, 1, 0
        self.cut, self.lost, self.alive = 0.0, 0.0, 0.0
        self.to_drop, self.to_cut = DROPPED * bound, CUT * bound / fight.turns
        self.first_threshold = self.threshold = self.to_drop / fight.turns / MANY
        self.flag_sets = 1 << (1 + len(fight.system.kinds))
        self.ends = np.zeros((self.flag_sets, self.flag_sets))

    def solve(self, progress: Callable[[int, int], None] | None = None) -> Solution:
        turns = self.fight.turns
        blocks = self._start()
        by_turn = np.zeros((turns + 1, 4))
        by_turn[0, 3] = 1.0
        for turn in range(1, turns + 1):
            self.alive = 0.0
            pieces = self._play(blocks, turn)
            by_turn[turn, :3] = outcomes_of_ends(self.ends)[:3]
            by_turn[turn, 3] = outcomes_of_ends(self.ends)[3] if turn == turns else self.alive
            self._weigh(pieces)
            if progress is not None:
                progress(turn, turns)
            if turn < turns:
                blocks = self._blocks(pieces, turn)
        return self._solution(by_turn)

    def _solution(self, by_turn: Array) -> Solution:
        lower = np.clip(by_turn - self.cut, 0.0, 1.0)
        lower[0] = by_turn[0]
        sides = {id(side): side for side in (self.a, self.b)}.values()
        return Solution(
            outcomes=lower[-1],
            by_turn=lower,
            figures=figures_of_ends(self.ends, lower[-1], len(self.fight.system.kinds), self.cut),
            error_bound=float(1.0 - lower[-1].sum()) + ROUNDING,
            work=self.work,
            states=sum(len(side.cores) for side in sides),
            rank=self.rank,
            memory=self.memory,
        )

    def _weigh(self, pieces: Pieces) -> None:
        """Note the bytes in use, factors twice: once in pieces and once in the blocks made of them."""
        sides = {id(side): side for side in (self.a, self.b)}.values()
        tables = sum(side.cores.nbytes + sum(rows.nbytes for rows in side.rows.values()) for side in sides)
        values = {
            id(part.factor): part.factor.values.nbytes
            for parts in pieces.values()
            for pair in parts
            for part in pair
        }
        factors = sum(values.values())
        self.memory = max(self.memory, tables + 2 * factors)
        if self.memory_limit is not None and self.memory > self.memory_limit:
            raise TooLongError

    def _start(self) -> Blocks:
        starts = []
        for side in (self.a, self.b)[: 1 if self.twins else 2]:
            classes = side.classes_of_cores(self.fight.scene_of_turn[0], 0, side.memory)
            row, worn = (np.array([number], np.int32) for number in (side.start_core, side.start_shell))
            starts.append((int(classes[side.start_core]), Factor(row, worn, np.ones((1, 1)))))
        (class_a, a), (class_b, b) = starts[0], starts[-1]
        return {(class_a, class_b): (a, a.mirrored(np.ones(1)) if self.twins else b)}

    def _play(self, blocks: Blocks, turn: int) -> Pieces:
        """Play a turn; return by pair of classes what comes to it, with twins only for i <= j."""
        pieces: Pieces = {}
        for (i, j), (a, b) in blocks.items():
            self._spend(BLOCK_WORK)
            self._play_block(self.a.classes[i], self.b.classes[j], a, b, turn, pieces)
        return pieces

    def _play_block(
        self,
        class_a: Class,
        class_b: Class,
        a: Factor,
        b: Factor,
        turn: int,
        pieces: Pieces,
    ) -> None:
        mirrored = self.twins and class_a.number != class_b.number
        live_a, dead_a = self._hit(self.a, class_a, a, class_b, b.total, turn)
        if b.signs is None:
            live_b, dead_b = self._hit(self.b, class_b, b, class_a, a.total, turn)
        else:
            live_b, dead_b = live_a.mirrored(b.signs), b.signed(dead_a)
        sums_a = live_a.by_flags(self.a.cores.fates, self.flag_sets)
        sums_b = live_b.by_flags(self.b.cores.fates, self.flag_sets)
        ended = (dead_a + sums_a) @ (dead_b + sums_b).T
        if turn < self.fight.turns:
            ended -= sums_a @ sums_b.T
            self.alive += (2 if mirrored else 1) * float(sums_a.sum(axis=0) @ sums_b.sum(axis=0))
        self.ends += ended + ended.T if mirrored else ended
        if turn == self.fight.turns:
            return
        scene = self.fight.scene_of_turn[turn]
        parts_a = self._split(self.a, class_a, live_a, scene)
        parts_b = self._split(self.b, class_b, live_b, scene)
        for i, part_a in parts_a.items():
            for j, part_b in parts_b.items():
                if not self.twins or i <= j:
                    pieces.setdefault((i, j), []).append((part_a, part_b))
                if mirrored and j < i:
                    pieces.setdefault((j, i), []).append((part_b, part_a))

    def _split(self, side: Side, class_: Class, live: Factor, scene: int) -> dict[int, Part]:
        classes = side.classes_of_cores(scene, 0, class_.memory_after)
        return live.split(classes, len(side.classes))

    def _hit(
        self, target: Side, class_: Class, factor: Factor, shooter: Class, other: Array, turn: int
    ) -> tuple[Factor, Array]:
        """Return the factor of a unit after the enemy's volleys: of live cores, and of the fallen by flags."""
        ((_, rolls),) = shooter.ways_at(class_.exposure)
        dead = np.zeros((self.flag_sets, factor.rank))
        # After the last turn nothing is left out: there is nothing more to do for it.
        self.least = self.threshold if turn < self.fight.turns else 0.0
        if self.fight.shuffled and len(rolls) > 1:
            return self._in_any_order(target, class_, factor, rolls, other, dead), dead
        for gunner, struck in rolls:
            factor = self._volley(target, class_, factor, gunner, struck, other, dead)
        return factor, dead

    def _in_any_order(
        self,
        target: Side,
        class_: Class,
        factor: Factor,
        rolls: Shots,
        other: Array,
        dead: Array,
    ) -> Factor:
        """Average over the orders of the gunners, by sets: of each set any one may be the last to fire."""
        before = {frozenset[int](): (factor, np.zeros_like(dead))}
        for size in range(1, len(rolls) + 1):
            after = {}
            for members in combinations(range(len(rolls)), size):
                fallen, parts = np.zeros_like(dead), []
                for last in members:
                    start, so_far = before[frozenset(members) - {last}]
                    now = so_far.copy()
                    part = self._volley(target, class_, start, *rolls[last], other, now)
                    parts.append((whole(part), np.eye(part.rank) / size))
                    fallen += now / size
                live = self.slots.added(parts, len(target.cores), len(target.shells))
                after[frozenset(members)] = (live, fallen)
            before = after
        ((live, fallen),) = before.values()
        dead += fallen
        return live

    def _volley(
        self,
        target: Side,
        class_: Class,
        factor: Factor,
        gunner: int,
        struck: Struck,
        other: Array,
        dead: Array,
    ) -> Factor:
        blow = target.blow(gunner, struck, class_.scene, class_.exposure)
        rows = target.rows_of(class_.exposure)
        self._fill(rows, factor, other, blow)
        cores, shells = len(target.cores), len(target.shells)
        out_rows, out_worn, out = self.slots.scratch(cores * shells, factor.rank)
        held, work = loop("carry_values")(
            factor.rows, factor.worn, factor.values, blow.begins, blow.codes, blow.sinks, blow.chances,
            rows.starts, rows.lengths, rows.ends, rows.weights, self.slots.room(cores, shells), out_rows, out_worn,
            out, dead, other, self.least,
        )  # fmt: skip
        self._spend(VALUE_WORK * work * factor.rank)
        return Factor(out_rows[:held].copy(), out_worn[:held].copy(), out[:held].copy())

    def _fill(self, rows: Rows, factor: Factor, other: Array, blow: Blow) -> None:
        wanted = np.zeros((len(rows.mores), len(factor.rows)), np.int32)
        counts = np.zeros(len(rows.mores), np.int64)
        loop("list_wanted")(
            factor.rows, factor.worn, factor.values @ other, blow.begins, blow.codes, blow.chances, rows.starts,
            self.threshold, wanted, counts,
        )  # fmt: skip
        self._spend(ROW_WORK * float(counts.sum()))
        for more, place in list(rows.mores.items()):
            if counts[place]:
                rows.fill(more, wanted[place, : counts[place]])

    def _spend(self, work: float) -> None:
        self.work += work
        if self.limit is not None and self.work > self.limit:
            raise TooLongError

    def _blocks(self, pieces: Pieces, turn: int) -> Blocks:
        """Return the blocks of the next turn out of what comes to each pair of classes."""
        self._tune(turn)
        settled = len(set(self.fight.scene_of_turn[turn:])) == 1
        blocks = {}
        for (i, j), parts in sorted(pieces.items()):
            left = self.fight.turns - turn if settled else 0
            blocks[i, j] = self._join(self.a.classes[i], self.b.classes[j], parts, left)
        mixed = sum(1 for a, _ in blocks.values() if a.rank > 1)
        for (i, j), (a, b) in blocks.items():
            if a.rank > 1 and len(a.rows) > 1 and len(b.rows) > 1:
                self._spend(RANK_WORK * 2 * a.rank * (a.values.size + b.values.size))
                less_a, less_b, lost = compressed(a, b, self.to_cut / mixed)
                blocks[i, j] = less_a, less_b
                self.cut += lost * (2 if self.twins and i != j else 1)
                self.rank = max(self.rank, less_a.rank)
        return blocks

    def _tune(self, turn: int) -> None:
        """Choose the threshold of the next turn: what is left to drop in equal parts, told from the last turn."""
        lost = 1.0 - float(self.ends.sum()) - self.alive
        least = LEAST_SHARE * self.to_drop / self.fight.turns
        wanted = max((self.to_drop - lost) / (self.fight.turns - turn), least)
        factor = wanted / max(lost - self.lost, least)
        self.threshold = min(self.threshold * min(max(factor, 0.1), 2.0), 10 * self.first_threshold)
        self.lost = lost

    def _join(self, class_a: Class, class_b: Class, parts: list[tuple[Part, Part]], left: int) -> Block:
        """Return the block of a pair of classes; left: turns to come, 0 if scenes will change.

        A unit whose enemy will do it no more harm stays as it is: only its flags, and what it will do, matter.
        """
        sides = self.a, self.b
        if left and (class_a.still or class_b.still):
            if self.twins and class_a is class_b:
                parts = parts + [part[::-1] for part in parts if part[1].factor.signs is None]
            fixed = 1 if class_a.still else 0
            moving = 1 - fixed
            chosen = [[part[n] for part in parts] for n in (fixed, moving)]
            classes = class_a, class_b
            pair = self._frozen(sides[fixed], classes[fixed], chosen[0], sides[moving], chosen[1], left)
            if class_a.still and class_b.still:
                again = sides[moving], classes[moving], [whole(pair[1])], sides[fixed], [whole(pair[0])]
                pair = self._frozen(*again, left)[::-1]
                if self.twins and class_a is class_b:
                    return mirror_of(*pair)
            return (pair[1], pair[0]) if fixed == 1 else pair
        if self.twins and class_a is class_b:
            return self._symmetric(parts)
        a, b = (
            self.slots.stacked([part[n] for part in parts], len(side.cores), len(side.shells))
            for n, side in enumerate(sides)
        )
        return a, b

    def _symmetric(self, parts: list[tuple[Part, Part]]) -> Block:
        """Return the block of a class against itself between twins; a part that is not symmetric comes twice in it."""
        own = [part for part in parts if part[1].factor.signs is not None]
        others = [part for part in parts if part[1].factor.signs is None]
        columns = [part[0] for part in own] + [part[n] for n in range(2) for part in others]
        stack = self.slots.stacked(columns, len(self.a.cores), len(self.a.shells))
        signs = [part[1].factor.signed(np.ones(part[0].rank)) for part in own]
        factor, all_signs = symmetric(stack, np.concatenate([*signs, np.zeros(0)]))
        return factor, factor.mirrored(all_signs)

    def _frozen(
        self, side: Side, class_: Class, fixed: list[Part], foe: Side, moving: list[Part], left: int
    ) -> tuple[Factor, Factor]:
        """Return a unit by groups that differ in flags or in what they will do, and the other unit for each."""
        numbers = [part.rows for part in fixed]
        every = np.concatenate(numbers)
        futures = side.futures(class_.scene, class_, every, left)
        groups = futures * self.flag_sets + side.cores.fates[every]
        unique, first, group_of = np.unique(groups, return_index=True, return_inverse=True)
        rows = every[first]
        chances, begin = [], 0
        for part in fixed:
            summed = np.zeros((len(unique), part.rank))
            members = group_of[begin : begin + len(part.places)]
            loop("sum_groups")(members, part.places, part.factor.values, summed)
            chances.append(part.factor.signed(summed).T)
            begin += len(part.places)
        other = self.slots.added(zip(moving, chances, strict=True), len(foe.cores), len(foe.shells))
        return Factor(rows, np.zeros_like(rows), np.eye(len(unique))), other
