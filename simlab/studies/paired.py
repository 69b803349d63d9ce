"""Fights in equal batches under several sets of options, all at the dice of one of them.

Every set throws the dice of the base, replicate by replicate, so that differences between sets carry little noise.
The engine gives counts alone, so what belongs together is known batch by batch, not fight by fight.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from simlab.engine.play import compile_ahead, kernel_id, play_fights
from simlab.model.keys import digest
from simlab.model.outcome import Tally
from simlab.rules.contract import Fight, Options, System
from simlab.studies.batched import call_all
from simlab.studies.journal import Journal
from simlab.studies.work import Keys, Matchup

_NOT_COUNTED = ("system", "sheets_a", "sheets_b", "situation", "options")
"""Fields of a compiled fight that reach its dice through the other fields alone."""


MOST_COMPILED = 128
"""Compiled fights that are kept at hand."""
THREAD_WORTH = 4000
"""Fights that are worth a thread of their own."""


@dataclass(frozen=True, eq=False)
class Batches:
    """Counts of a matchup in equal batches.

    outcomes: int64 (batches, 4), in the order a wins, b wins, both destroyed, neither. size: fights in each batch.
    fight: digest of the fight as it is compiled; at equal sizes equal digests are equal fights, die by die. counts:
    digest of everything that was counted, figures of the units included.
    """

    outcomes: npt.NDArray[np.int64]
    size: int
    fight: str
    counts: str


class PairedWorker:
    """Fights matchups of one system and one seed under any options, always under the key of the base's options.

    note: told what takes a while.
    """

    def __init__(
        self,
        system: System,
        base: Options,
        seed: int,
        journal: Journal,
        workers: int | None,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.system = system
        self.seed = seed
        self.journal = journal
        self.workers = workers or os.cpu_count() or 1
        self.kernel = kernel_id(system)
        self.fights = 0
        """Fights fought by this worker, those in the journal not counted."""
        self._keys = Keys(system, base)
        self._note = note
        self._compiled: dict[Any, tuple[Fight, str]] = {}

    def fight(self, matchup: Matchup, options: Options, size: int, batches: int) -> Batches:
        """Return the counts over replicates 0 to batches * size - 1. InputError if the options cannot be had here."""
        single, content = self._compile(matchup, options)
        fight = widen(single, matchup.size_a, matchup.size_b)
        key = self._keys.of(matchup)
        name = digest(
            {
                "paired": [size, batches],
                "fight": content,
                "key": str(key),
                "seed": str(self.seed),
                "system": self.system.name,
                "rules": self.system.version,
                "kernel": self.kernel,
                "turns": matchup.turns,
                "policy": matchup.policy,
                "sizes": [matchup.size_a, matchup.size_b],
            }
        )
        piece = self.journal.get(name)
        if piece is None:
            piece = self._play(fight, matchup.policy, key, size, batches)
            self.journal.put(name, piece)
        outcomes = np.asarray(piece["outcomes"], np.int64).reshape(batches, 4)
        return Batches(outcomes, size, content, piece["counts"])

    def _compile(self, matchup: Matchup, options: Options) -> tuple[Fight, str]:
        """The fight of one against one and its digest; compiling takes longer than many a piece of work."""
        place = (matchup.a.id, matchup.b.id, matchup.situation, options, matchup.turns)
        if place not in self._compiled:
            if len(self._compiled) >= MOST_COMPILED:
                del self._compiled[next(iter(self._compiled))]
            fight = self.system.compile_fight(
                [matchup.a], [matchup.b], matchup.situation, options, matchup.turns
            )
            self._compiled[place] = fight, fight_digest(fight)
        return self._compiled[place]

    def _play(self, fight: Fight, policy: str, key: int, size: int, batches: int) -> dict[str, Any]:
        if not (fight.can_fire_a or fight.can_fire_b):
            return {"outcomes": [[0, 0, 0, size]] * batches, "counts": "nobody can fire"}

        def play(batch: int) -> Tally:
            return play_fights(
                fight,
                n=size,
                seed=self.seed,
                key=key,
                workers=1,
                first=batch * size,
                policy_a=policy,
                policy_b=policy,
                block=size,
            )

        compile_ahead(fight, self._note)
        tallies: dict[int, Tally] = {}

        def keep(batch: int) -> None:
            tallies[batch] = play(batch)

        call_all(keep, range(batches), min(self.workers, -(-size * batches // THREAD_WORTH)))
        in_order = [tallies[batch] for batch in range(batches)]
        self.fights += size * batches
        return {
            "outcomes": [tally.outcomes.tolist() for tally in in_order],
            "counts": digest([_counted(tally) for tally in in_order]),
        }


def widen(fight: Fight, size_a: int, size_b: int) -> Fight:
    """Return the fight of `size_a` against `size_b` of the units that meet one against one in a compiled fight."""
    return replace(
        fight,
        types_a=fight.types_a * size_a,
        types_b=fight.types_b * size_b,
        sheets_a=fight.sheets_a * size_a,
        sheets_b=fight.sheets_b * size_b,
        twins=fight.twins and size_a == size_b == 1,
    )


def fight_digest(fight: Fight) -> str:
    """Return a digest of the numbers that the kernels see of a fight: 16 hexadecimal digits."""
    hashed = blake2b(digest_size=8)
    for field in fields(fight):
        if field.name not in _NOT_COUNTED:
            hashed.update(f"{field.name}:".encode())
            _feed(hashed, getattr(fight, field.name))
    return hashed.hexdigest()


def _feed(hashed: Any, value: Any) -> None:
    if isinstance(value, np.ndarray):
        hashed.update(f"{value.dtype}{value.shape}".encode())
        hashed.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, Mapping):
        for name, item in value.items():
            hashed.update(f"{name}=".encode())
            _feed(hashed, item)
    elif isinstance(value, tuple | list):
        hashed.update(f"[{len(value)}".encode())
        for item in value:
            _feed(hashed, item)
    else:
        hashed.update(f"{value!r};".encode())


def _counted(tally: Tally) -> list[Any]:
    return [
        tally.outcomes.tolist(),
        int(tally.exchanges),
        tally.flags.tolist(),
        tally.turn_sum.tolist(),
    ]
