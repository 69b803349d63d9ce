"""What a study asks of a matchup in a situation: to be fought n times or solved, piece by piece."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import blake2b
from typing import Any

from simlab import jit
from simlab.engine.judging import is_judged
from simlab.engine.play import compile_ahead, kernel_id, play_fights
from simlab.model.errors import InputError
from simlab.model.keys import digest, fight_key
from simlab.model.outcome import Tally
from simlab.model.situation import Situation, by_turn_text
from simlab.rules.contract import Fight, Options, Parts, Sheet, System
from simlab.studies import method
from simlab.studies.contents import (
    Content,
    Counts,
    Solved,
    added,
    fought_content,
    read_counts,
    read_solved,
    solved_content,
    unfought_content,
)
from simlab.studies.method import choose_method, is_cheap, sampling_seconds
from simlab.studies.pool import Begun, Piece

BOUND = 1e-6
"""Error of a solved row of a study: a thousandth of what anybody samples to."""
TIME_LIMIT, MEMORY_LIMIT = 60.0, 1e9
"""Seconds forecast, and bytes, beyond which a row is not solved."""
EXCESS = 4.0
"""How far a row may exceed the time that its forecast kept."""

PIECE, LEAST_PIECE = 1 << 22, 1 << 6
"""Fights times units that are stored as one, about a second of work: what a kill may cost each thread at most."""
BLOCK, LEAST_BLOCK = 1 << 17, 1 << 4
"""Fights times units that a thread plays without a break: what an interrupt waits for."""


@dataclass(frozen=True)
class Matchup:
    """`size_a` of a against `size_b` of b in a situation, both sides under one policy."""

    a: Sheet
    b: Sheet
    size_a: int
    size_b: int
    situation: Situation
    policy: str
    turns: int


class Keys:
    """The keys of matchups of one system under one set of options: by them their fights throw their dice."""

    def __init__(self, system: System, options: Options) -> None:
        self._system = system
        self._non_default = options.non_default()
        self._hashes: dict[str, str] = {}

    def of(self, matchup: Matchup) -> int:
        """Return the key of a matchup, whose units have ids that stand for nothing else."""
        return fight_key(
            self._system.name,
            self._system.version,
            [self._hash(matchup.a)] * matchup.size_a,
            [self._hash(matchup.b)] * matchup.size_b,
            matchup.situation,
            self._non_default,
        )

    def _hash(self, sheet: Sheet) -> str:
        if sheet.id not in self._hashes:
            self._hashes[sheet.id] = self._system.fight_hash(sheet)
        return self._hashes[sheet.id]


def solver_id(system: System) -> str:
    """Return a digest of all sources that decide what a solved duel of the system comes to."""
    from simlab.dice import scripted
    from simlab.exact import carry_loop, cells, factors, forecast, joint, joint_loop, side, solution, solve
    from simlab.tables import expand, row_loop, rows

    own = (
        scripted,
        expand,
        row_loop,
        rows,
        carry_loop,
        cells,
        factors,
        forecast,
        joint,
        joint_loop,
        side,
        solution,
        solve,
    )
    return jit.source_id([*own, *system.kernels, *system.sources])


class Worker:
    """Knows what matchups of one system come to under one set of options and one seed, and how to find out.

    `answer` and `fight` are parts of jobs: they yield the pieces that they need, and return what these tell. `note` is
    told what takes a while.
    """

    def __init__(
        self, system: System, options: Options, seed: int, note: Callable[[str], None] = lambda text: None
    ) -> None:
        self.system = system
        self.options = options
        self.seed = seed
        self.kernel = kernel_id(system)
        self.fights = 0
        """Fights fought for this worker, those in the journal not counted."""
        self.solved = 0
        """Duels solved for this worker, likewise."""
        self._keys = Keys(system, options)
        self._terms = digest([system.name, system.version, self.kernel, str(seed)])
        self._parts: dict[int, Parts] = {}
        self._note = note
        self._compiled_loops: set[tuple[bool, bool]] = set()

    def answer(self, matchup: Matchup, n: int, method: str) -> Generator[Piece, Content, Counts | Solved]:
        """Return the counts of n duels, or their exact chances: as `method` says, or what is forecast cheaper.

        Raises InputError if a duel has to be solved and is forecast to take too long.
        """
        solve = method == "exact"
        if method == "auto" and not self._is_cheap(matchup, n):
            chosen = yield Piece(self._exact_name(matchup, n), lambda: self._choice(matchup, n))
            solve = chosen["solve"]
        if solve:
            return read_solved((yield Piece(self._exact_name(matchup), lambda: self._solution(matchup))))
        return (yield from self.fight(matchup, n))

    def fight(self, matchup: Matchup, n: int) -> Generator[Piece, Content, Counts]:
        """Return the counts over replicates 0 to n - 1."""
        key = self._keys.of(matchup)
        size = _part(PIECE, LEAST_PIECE, matchup)
        total: Content | None = None
        for first in range(0, n, size):
            count = min(size, n - first)
            begin = partial(self._begin, matchup, key, first, count)
            piece = yield Piece(self._name(matchup, key, "fights", first, count), begin)
            total = piece if total is None else added(total, piece)
        assert total is not None
        return read_counts(total)

    def key(self, matchup: Matchup) -> int:
        """Return the key by which the fights of a matchup throw their dice."""
        return self._keys.of(matchup)

    def name(self, matchup: Matchup, *what: Any) -> str:
        """Return the name of a piece: a digest of what decides what fights of a matchup come to, and of `what`."""
        return self._name(matchup, self.key(matchup), *what)

    def _begin(self, matchup: Matchup, key: int, first: int, count: int) -> Begun:
        fight = self.compiled(matchup)
        kinds, silent = len(self.system.kinds), [not fight.can_fire_a, not fight.can_fire_b]
        if all(silent):
            return Begun((), lambda _: unfought_content(count, kinds) | {"silent": silent})
        self.compile_loop(fight, matchup.size_a + matchup.size_b == 2, matchup.policy)
        size = _part(BLOCK, LEAST_BLOCK, matchup)
        blocks = [
            partial(
                play_fights,
                fight,
                n=min(size, first + count - start),
                seed=self.seed,
                key=key,
                workers=1,
                first=start,
                policy_a=matchup.policy,
                policy_b=matchup.policy,
            )
            for start in range(first, first + count, size)
        ]

        def join(tallies: list[Tally]) -> Content:
            self.fights += count
            total = tallies[0]
            for tally in tallies[1:]:
                total += tally
            return fought_content(total, matchup.size_a, kinds) | {"silent": silent}

        return Begun(blocks, join)

    def compile_loop(self, fight: Fight, duel: bool, policy: str = "spread") -> None:
        """Compile on the thread of the run, once for duels, the rest, and what judges targets: no thread waits."""
        asked = (duel, is_judged(fight, policy, policy))
        if asked not in self._compiled_loops:
            compile_ahead(fight, self._note, policy, policy)
            self._compiled_loops.add(asked)

    def _is_cheap(self, matchup: Matchup, n: int) -> bool:
        return is_cheap(sampling_seconds(self.system, (matchup.a, matchup.b), matchup.turns, n))

    def _choice(self, matchup: Matchup, n: int) -> Begun:
        return Begun((), lambda _: {"solve": choose_method(self.compiled(matchup), n, BOUND).exact})

    def _solution(self, matchup: Matchup) -> Begun:
        return Begun((), lambda _: self._solve(self.compiled(matchup), matchup))

    def _solve(self, fight: Fight, matchup: Matchup) -> Content:
        from simlab.exact.forecast import HopelessError, solve_within
        from simlab.exact.solution import TooLongError

        where = f"{matchup.a.id} against {matchup.b.id} at range {by_turn_text(matchup.situation.range)}"
        allowed = f"{TIME_LIMIT:g} s a duel; method auto samples such duels"
        try:
            solution, _ = solve_within(
                fight, BOUND, seconds=TIME_LIMIT, work=EXCESS * TIME_LIMIT, memory=MEMORY_LIMIT
            )
        except HopelessError as error:
            found = f"exact: {where}, forecast {error.forecast.seconds:.2g} s or more"
            raise InputError.one("method", found, allowed) from error
        except TooLongError as error:
            raise InputError.one("method", f"exact: {where}, too long or too large", allowed) from error
        self.solved += 1
        return solved_content(solution, fight)

    def compiled(self, matchup: Matchup) -> Fight:
        """Return the fight of a matchup as the kernels see it."""
        return self.system.compile_fight(
            [matchup.a] * matchup.size_a,
            [matchup.b] * matchup.size_b,
            matchup.situation,
            self.options,
            matchup.turns,
            self._parts.setdefault(matchup.turns, Parts()),
        )

    @cached_property
    def _solver(self) -> list[Any]:
        return [solver_id(self.system), BOUND]

    def _exact_name(self, matchup: Matchup, n: int | None = None) -> str:
        """The name of a solution, or of the choice between it and n fights."""
        what = ["solution"] if n is None else ["choice", n, jit.source_id([method])]
        return self._name(matchup, self._keys.of(matchup), *what, *self._solver)

    def _name(self, matchup: Matchup, key: int, *what: Any) -> str:
        """The digest of all that decides what a piece comes to."""
        terms = (self._terms, key, matchup.turns, matchup.policy, matchup.size_a, matchup.size_b, *what)
        return blake2b(repr(terms).encode(), digest_size=8).hexdigest()


def _part(units: int, least: int, matchup: Matchup) -> int:
    """Return how many fights of a matchup are `units` units in all."""
    return max(least, units // (matchup.size_a + matchup.size_b))
