"""Duels of changed sheets at the dice of the sheets that they come from, or solved where that is cheaper."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from simlab.analysis.paired_difference import Figure, constant, exact_figure, sampled_figure
from simlab.lab.arguments import Method
from simlab.lab.fights import fight_key_of
from simlab.lab.notes import note_of
from simlab.lab.wording import naming_arguments
from simlab.model.situation import Situation
from simlab.rules.contract import Fight, Options, Parts, Sheet, System

Progress = Callable[..., None]
Pair = tuple[Sheet, Sheet]
NANOSECONDS = 1e9
SLOWER = 4.0
"""How much more work than its base a changed duel may be to solve, before both are sampled instead."""
CERTAIN = (0.0, 0.0, 0.0, 1.0)
"""The outcomes of a duel in which nobody can ever fire."""


@dataclass(frozen=True, eq=False)
class Place:
    """An opponent in a situation, and its share of the mix."""

    b: Sheet
    situation: Situation
    weight: float


@dataclass(frozen=True, eq=False)
class Answer:
    """What a duel comes to. fight: digest of its compiled form; equal ones are the same fights, die by die.

    exact: its four outcomes, lower bounds, with `bound`; or counts by batch, int64 (batches, 4). n: fights. silent:
    which side can never fire. work: of a solved one, nanoseconds by constants.
    """

    fight: str
    silent: tuple[bool, bool]
    exact: tuple[float, ...] | None = None
    bound: float = 0.0
    counts: npt.NDArray[np.int64] | None = None
    work: float = 0.0

    @property
    def n(self) -> int | None:
        """Fights that were sampled; None for an exact duel."""
        return None if self.counts is None else int(self.counts.sum())

    def figure(self, name: str) -> Figure:
        """Return one of the figures of `simlab.analysis.paired_difference.SCORES`."""
        if self.counts is not None:
            return sampled_figure(self.counts, name)
        assert self.exact is not None
        return exact_figure(self.exact, self.bound, name)


@dataclass(frozen=True, eq=False)
class Change:
    """A duel before and after a change, both answered alike; without an effect both are the same fights."""

    before: Answer
    after: Answer

    @property
    def same(self) -> bool:
        """Whether no die sees the change."""
        return self.before.fight == self.after.fight

    @property
    def unseen(self) -> bool:
        """Whether other fights came to the same counts, batch by batch, or to chances within their bounds."""
        if self.before.counts is not None and self.after.counts is not None:
            return bool(np.array_equal(self.before.counts, self.after.counts))
        if self.before.exact is None or self.after.exact is None:
            return False
        bound = self.before.bound + self.after.bound
        return bool(np.allclose(self.before.exact, self.after.exact, rtol=0.0, atol=bound))

    def difference(self, name: str) -> Figure:
        """Return by how much a figure changes; what no die sees changes exactly nothing."""
        return constant(0.0) if self.same else self.after.figure(name) - self.before.figure(name)


class SameDice:
    """Answers duels, those of changed sheets under the key of the pair that they come from.

    One method for what is compared: both are solved, or both sampled at the same dice.
    """

    def __init__(
        self,
        system: System,
        options: Options,
        turns: int,
        method: Method,
        seed: int,
        workers: int,
        progress: Progress | None = None,
    ) -> None:
        self.system, self.options, self.turns, self.method = system, options, turns, method
        self.seed, self.workers, self.progress = seed, workers, progress
        self._bases: dict[tuple[int, int, Situation], _Base] = {}
        # Both know sheets by their identity, so that no sheet may go.
        self._parts, self._kept = Parts(), dict[int, Sheet]()

    def base(self, pair: Pair, situation: Situation) -> Answer:
        """Return what the duel of a pair comes to, by the method that is asked for or cheaper."""
        return self._base(pair, situation).answer()

    def change(self, base: Pair, changed: Pair, situation: Situation) -> Change:
        """Return a duel before and after a change of its sheets."""
        return self._base(base, situation).change(changed)

    def can_fire(self, pair: Pair, situation: Situation) -> bool:
        """Tell whether any side of a duel can ever fire."""
        fight = self._base(pair, situation).fight
        return fight.can_fire_a or fight.can_fire_b

    def compiled(self, pair: Pair, situation: Situation) -> Fight:
        """Return the compiled duel of a pair."""
        self._kept.update((id(sheet), sheet) for sheet in pair)
        a, b = pair
        return self.system.compile_fight([a], [b], situation, self.options, self.turns, self._parts)

    def _base(self, pair: Pair, situation: Situation) -> "_Base":
        place = (id(pair[0]), id(pair[1]), situation)
        if place not in self._bases:
            self._bases[place] = _Base(self, self.compiled(pair, situation))
        return self._bases[place]


class _Base:
    """A duel and those that come from it, each answered once."""

    def __init__(self, asker: SameDice, fight: Fight) -> None:
        from simlab.studies.paired import fight_digest

        self.asker, self.fight = asker, fight
        self.key = fight_key_of(fight)
        self.digest = fight_digest(fight)
        self._answers: dict[tuple[str, bool], Answer | None] = {}
        self._exact: bool | None = None

    def answer(self) -> Answer:
        found = self._solved(self.fight, self.digest) if self._is_solved() else None
        return found or self._sampled(self.fight, self.digest)

    def change(self, pair: Pair) -> Change:
        from simlab.studies.paired import fight_digest

        fight = self.asker.compiled(pair, self.fight.situation)
        digest = fight_digest(fight)
        if digest == self.digest:
            return Change(self.answer(), self.answer())
        if self._is_solved():
            before, after = self._solved(self.fight, self.digest), self._solved(fight, digest)
            if before is not None and after is not None:
                return Change(before, after)
        return Change(self._sampled(self.fight, self.digest), self._sampled(fight, digest))

    def _is_solved(self) -> bool:
        """Whether the base is solved: as asked for, else what is forecast cheaper."""
        if self._exact is None:
            self._exact = self._choice()
        return self._exact

    def _choice(self) -> bool:
        from simlab.lab.exact_duels import warn
        from simlab.studies.method import choose_method

        method = self.asker.method
        if method.exact is not None:
            return method.exact
        if _silent(self.fight) == (True, True):
            return True
        return choose_method(
            self.fight, method.n, method.bound, lambda: warn(self.fight, self.asker.progress)
        ).exact

    def _solved(self, fight: Fight, digest: str) -> Answer | None:
        """The exact duel; None where it takes too long though nobody asked for it."""
        if (digest, True) not in self._answers:
            self._answers[digest, True] = self._solve(fight, digest)
        return self._answers[digest, True]

    def _solve(self, fight: Fight, digest: str) -> Answer | None:
        from simlab.exact.solution import TooLongError
        from simlab.exact.solve import solve_duel
        from simlab.lab.exact_duels import MEMORY_LIMIT, rounded, solve

        silent, method = _silent(fight), self.asker.method
        if silent == (True, True):
            return Answer(digest, silent, CERTAIN)
        if method.exact or fight is self.fight:
            with naming_arguments():
                found, _ = solve(fight, method.bound, method.time_limit, self.asker.progress)
        else:
            before = self._solved(self.fight, self.digest)
            assert before is not None
            limit = max(SLOWER * before.work, self._sampling_work())
            try:
                found = solve_duel(fight, bound=method.bound, work_limit=limit, memory_limit=MEMORY_LIMIT)
            except TooLongError:
                return None
        outcomes = tuple(rounded(value) for value in found.outcomes)
        return Answer(digest, silent, outcomes, found.error_bound, work=found.work)

    def _sampling_work(self) -> float:
        from simlab.studies.method import sampling_seconds

        fight = self.fight
        sheets = fight.sheets_a + fight.sheets_b
        return NANOSECONDS * sampling_seconds(fight.system, sheets, fight.turns, self.asker.method.n)

    def _sampled(self, fight: Fight, digest: str) -> Answer:
        from simlab.studies.batched import play_batches

        found = self._answers.get((digest, False))
        if found is None:
            silent = _silent(fight)
            if silent == (True, True):
                found = Answer(digest, silent, CERTAIN)
            else:
                counts = play_batches(
                    fight,
                    n=self.asker.method.n,
                    seed=self.asker.seed,
                    key=self.key,
                    workers=self.asker.workers,
                    note=note_of(self.asker.progress),
                    progress=self.asker.progress,
                )
                found = Answer(digest, silent, counts=counts)
            self._answers[digest, False] = found
        return found


def _silent(fight: Fight) -> tuple[bool, bool]:
    return not fight.can_fire_a, not fight.can_fire_b


def methods_of(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return how answers were got: method, the largest error bound, and fights of each sampled one."""
    fights = [answer.n for answer in answers if answer.n is not None]
    bounds = [answer.bound for answer in answers if answer.n is None]
    method = "mixed" if fights and bounds else "monte_carlo" if fights else "exact"
    return {"method": method, "error_bound": max(bounds, default=None), "n": max(fights, default=None)}
