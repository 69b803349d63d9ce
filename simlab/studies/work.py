"""One piece of a study's work: a matchup in a situation, fought n times, or read from the journal."""

from dataclasses import dataclass
from typing import Any

from simlab.engine.play import kernel_id, play_fights
from simlab.model.keys import digest, fight_key
from simlab.model.outcome import Tally
from simlab.model.situation import Situation
from simlab.rules.contract import Options, Sheet, System
from simlab.studies.journal import Journal

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
        self._non_default = options.non_default()
        self._hashes: dict[str, str] = {}

    def fight(self, matchup: Matchup, n: int) -> Counts:
        """Return the counts over replicates 0 to n - 1."""
        key = self._key(matchup)
        fight = self.system.compile_fight(
            [matchup.a] * matchup.size_a,
            [matchup.b] * matchup.size_b,
            matchup.situation,
            self.options,
            matchup.turns,
        )
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
                "first": first,
                "count": count,
                "turns": matchup.turns,
                "policy": matchup.policy,
                "sizes": [matchup.size_a, matchup.size_b],
            }
        )


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
