"""One piece of a study's work: a matchup in a situation, fought n times, or read from the journal."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simlab import jit
from simlab.engine.play import kernel_id, play_fights
from simlab.model.errors import InputError
from simlab.model.keys import digest, fight_key
from simlab.model.outcome import Tally
from simlab.model.situation import Situation, by_turn_text
from simlab.rules.contract import Fight, Options, Sheet, System
from simlab.studies.journal import Journal
from simlab.studies.method import choose_method, is_cheap

if TYPE_CHECKING:
    from simlab.exact.solution import Solution

BOUND = 1e-6
"""Error of a solved row of a study: a thousandth of what anybody samples to."""
TIME_LIMIT, MEMORY_LIMIT = 60.0, 1e9
"""Seconds forecast, and bytes, beyond which a row is not solved."""

PIECE = 1 << 22
"""Fights that are stored as one: what an interrupt may cost at most."""


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


@dataclass(frozen=True)
class SideCounts:
    """What happened to the units of a side, over all of them: `flags[0]` destroyed, then the kill kinds."""

    flags: tuple[int, ...]
    turn_sum: int
    cannot_fire: bool


@dataclass(frozen=True)
class Counts:
    """Counts of a matchup over n fights; `outcomes` in the order a wins, b wins, both destroyed, neither."""

    n: int
    outcomes: tuple[int, int, int, int]
    exchanges: int
    side_a: SideCounts
    side_b: SideCounts


@dataclass(frozen=True)
class SolvedSide:
    """What happened to a unit of a solved duel: chances `flags[0]` destroyed, then the kill kinds."""

    flags: tuple[float, ...]
    mean_turn: float | None
    cannot_fire: bool


@dataclass(frozen=True)
class Solved:
    """A solved duel; `outcomes` in the order of `Counts`, 12 decimals."""

    outcomes: tuple[float, float, float, float]
    error_bound: float
    side_a: SolvedSide
    side_b: SolvedSide


def solver_id(system: System) -> str:
    """Return a digest of all sources that decide what a solved duel of the system comes to."""
    from simlab.dice import scripted
    from simlab.exact import carry_loop, factors, side, solution, solve
    from simlab.tables import expand, row_loop, rows

    own = (scripted, expand, row_loop, rows, carry_loop, factors, side, solution, solve)
    return jit.source_id([*own, *system.kernels, *system.sources])


class Worker:
    """Fights matchups of one system under one set of options and one seed, through a journal."""

    def __init__(
        self, system: System, options: Options, seed: int, journal: Journal, workers: int | None
    ) -> None:
        self.system = system
        self.options = options
        self.seed = seed
        self.journal = journal
        self.workers = workers
        self.kernel = kernel_id(system)
        self.fights = 0
        """Fights fought by this worker, those in the journal not counted."""
        self.solved = 0
        """Duels solved by this worker, likewise."""
        self._non_default = options.non_default()
        self._hashes: dict[str, str] = {}

    def answer(self, matchup: Matchup, n: int, method: str) -> "Counts | Solved":
        """Return the counts of n duels, or their exact chances: as `method` says, or what is forecast cheaper.

        Raises InputError if a duel has to be solved and is forecast to take too long.
        """
        fight = self._compiled(matchup)
        if method == "exact" or (method == "auto" and not is_cheap(fight, n)):
            name = self._name(matchup, self._key(matchup), 0, 0) + "-exact"
            piece = self.journal.get(name)
            if piece is None and (method == "exact" or choose_method(fight, n, BOUND).exact):
                piece = self._solve(fight, matchup)
                self.solved += 1
                self.journal.put(name, piece)
            if piece is not None:
                return _solved(piece)
        return self.fight(matchup, n)

    def _solve(self, fight: Fight, matchup: Matchup) -> dict[str, Any]:
        from simlab.exact.forecast import forecast_duel
        from simlab.exact.solution import TooLongError
        from simlab.exact.solve import solve_duel

        where = f"{matchup.a.id} against {matchup.b.id} at range {by_turn_text(matchup.situation.range)}"
        allowed = f"{TIME_LIMIT:g} s a duel; method auto samples such duels"
        forecast = forecast_duel(fight, BOUND, TIME_LIMIT)
        if forecast.at_least or forecast.seconds > TIME_LIMIT:
            raise InputError.one(
                "method", f"exact: {where}, forecast {forecast.seconds:.2g} s or more", allowed
            )
        try:
            solution = solve_duel(fight, bound=BOUND, work_limit=4e9 * TIME_LIMIT, memory_limit=MEMORY_LIMIT)
        except TooLongError as error:
            raise InputError.one("method", f"exact: {where}, too long or too large", allowed) from error
        return _solved_content(solution, fight)

    def _compiled(self, matchup: Matchup) -> Fight:
        return self.system.compile_fight(
            [matchup.a] * matchup.size_a,
            [matchup.b] * matchup.size_b,
            matchup.situation,
            self.options,
            matchup.turns,
        )

    def fight(self, matchup: Matchup, n: int) -> Counts:
        """Return the counts over replicates 0 to n - 1."""
        key = self._key(matchup)
        fight = self._compiled(matchup)
        silent = (not fight.can_fire_a, not fight.can_fire_b)
        total: dict[str, Any] | None = None
        for first in range(0, n, PIECE):
            count = min(PIECE, n - first)
            name = self._name(matchup, key, first, count)
            piece = self.journal.get(name)
            if piece is None:
                piece = (
                    _nothing(count, len(self.system.kinds))
                    if all(silent)
                    else self._play(fight, matchup, key, first, count)
                )
                self.journal.put(name, piece)
            total = piece if total is None else _added(total, piece)
        assert total is not None
        return _counts(total, silent)

    def _play(self, fight: Any, matchup: Matchup, key: int, first: int, count: int) -> dict[str, Any]:
        tally = play_fights(
            fight,
            n=count,
            seed=self.seed,
            key=key,
            workers=self.workers,
            first=first,
            policy_a=matchup.policy,
            policy_b=matchup.policy,
        )
        self.fights += count
        return _content(tally, matchup.size_a, len(self.system.kinds))

    def _hash(self, sheet: Sheet) -> str:
        """The fight hash of a unit of the study, in which ids are unique."""
        if sheet.id not in self._hashes:
            self._hashes[sheet.id] = self.system.fight_hash(sheet)
        return self._hashes[sheet.id]

    def _key(self, matchup: Matchup) -> int:
        return fight_key(
            self.system.name,
            self.system.version,
            [self._hash(matchup.a)] * matchup.size_a,
            [self._hash(matchup.b)] * matchup.size_b,
            matchup.situation,
            self._non_default,
        )

    def _name(self, matchup: Matchup, key: int, first: int, count: int) -> str:
        """The digest of all that decides the counts of a piece."""
        return digest(
            {
                "key": str(key),
                "seed": str(self.seed),
                "system": self.system.name,
                "rules": self.system.version,
                "kernel": self.kernel,
                **({} if count else {"solver": solver_id(self.system), "bound": BOUND}),
                "first": first,
                "count": count,
                "turns": matchup.turns,
                "policy": matchup.policy,
                "sizes": [matchup.size_a, matchup.size_b],
            }
        )


def _solved_content(solution: "Solution", fight: Fight) -> dict[str, Any]:
    sets = np.arange(solution.flags.shape[1])
    kinds = range(1 + len(fight.system.kinds))
    turns = np.arange(solution.fell.shape[1])
    content: dict[str, Any] = {
        "outcomes": [round(float(chance), 12) for chance in solution.outcomes],
        "error_bound": solution.error_bound,
        "silent": [not fight.can_fire_a, not fight.can_fire_b],
    }
    for unit, side in enumerate("ab"):
        fell = solution.fell[unit]
        chances = [solution.flags[unit][(sets >> bit) & 1 == 1].sum() for bit in kinds]
        content[f"flags_{side}"] = [round(float(chance), 12) for chance in chances]
        content[f"turn_{side}"] = round(float(fell @ turns / fell.sum()), 12) if fell.sum() > 0 else None
    return content


def _solved(content: dict[str, Any]) -> Solved:
    side_a, side_b = (
        SolvedSide(tuple(content[f"flags_{side}"]), content[f"turn_{side}"], silent)
        for side, silent in zip("ab", content["silent"], strict=True)
    )
    a_wins, b_wins, both, neither = content["outcomes"]
    return Solved((a_wins, b_wins, both, neither), content["error_bound"], side_a, side_b)


def _content(tally: Tally, size_a: int, kinds: int) -> dict[str, Any]:
    flags = [tally.with_flag(bit) for bit in range(1 + kinds)]
    return {
        "n": tally.n,
        "outcomes": tally.outcomes.tolist(),
        "exchanges": int(tally.exchanges),
        "flags_a": [int(flag[:size_a].sum()) for flag in flags],
        "flags_b": [int(flag[size_a:].sum()) for flag in flags],
        "turns_a": int(tally.turn_sum[:size_a].sum()),
        "turns_b": int(tally.turn_sum[size_a:].sum()),
    }


def _nothing(n: int, kinds: int) -> dict[str, Any]:
    """The counts of fights in which nobody can fire."""
    none = [0] * (1 + kinds)
    return {
        "n": n,
        "outcomes": [0, 0, 0, n],
        "exchanges": 0,
        "flags_a": none,
        "flags_b": none,
        "turns_a": 0,
        "turns_b": 0,
    }


def _added(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {
        name: [a + b for a, b in zip(value, other[name], strict=True)]
        if isinstance(value, list)
        else value + other[name]
        for name, value in one.items()
    }


def _counts(content: dict[str, Any], silent: tuple[bool, bool]) -> Counts:
    a_wins, b_wins, both, neither = content["outcomes"]
    return Counts(
        n=content["n"],
        outcomes=(a_wins, b_wins, both, neither),
        exchanges=content["exchanges"],
        side_a=SideCounts(tuple(content["flags_a"]), content["turns_a"], silent[0]),
        side_b=SideCounts(tuple(content["flags_b"]), content["turns_b"], silent[1]),
    )
