"""Fights by the million: blocks of replicates over threads, counts out. The counts depend on nothing but the fight,
the seed and the number of replicates."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import numpy as np

from simlab import jit
from simlab.dice import cut, sampled, words
from simlab.engine import duel_loop, loop
from simlab.engine import policies as policies_module
from simlab.engine.policies import POLICIES
from simlab.model.errors import InputError, nearest, shown
from simlab.model.outcome import Tally
from simlab.rules.contract import Fight, System

DUEL_SECONDS, LOOP_SECONDS = 20, 50
"""Seconds that compiling a loop takes."""
BLOCK = 1 << 16
"""Replicates a block at most; large enough that a block's start costs nothing, small enough for progress."""


def _modules(system: System) -> tuple[Any, ...]:
    return (words, cut, sampled, policies_module, *system.kernels)


def kernel_id(system: System) -> str:
    """Return a digest of all sources that decide what a fight of the system comes to."""
    return jit.source_id([*_modules(system), *system.sources, loop, duel_loop])


def compiled_loop(system: System, *, duel: bool = False) -> Callable[..., Any]:
    """Return the loop over fights, or the one over duels, bound to the system."""
    play = duel_loop.play_duels if duel else loop.play_block
    return jit.bound(play, _modules(system), system.name)


def is_duel(fight: Fight) -> bool:
    """Tell whether the loop over duels serves a fight: one unit a side, one simultaneous phase a turn, listed order."""
    phases = fight.system.phases
    one_phase = len(phases) == 1 and phases[0].simultaneous
    return fight.n_a == fight.n_b == 1 and one_phase and not fight.shuffled


def policy_number(field: str, name: str) -> int:
    """Return the number of a policy; InputError with the nearest name if there is none."""
    if name not in POLICIES:
        raise InputError.one(field, shown(name), ", ".join(POLICIES), nearest(name, POLICIES))
    return POLICIES[name]


def _blocks(first: int, n: int, workers: int) -> list[tuple[int, int]]:
    size = BLOCK if workers == 1 else max(1, min(BLOCK, -(-n // (4 * workers))))
    return _cut(first, n, size)


def play_fights(
    fight: Fight,
    *,
    n: int,
    seed: int,
    key: int,
    workers: int | None = None,
    first: int = 0,
    policy_a: str = "spread",
    policy_b: str = "spread",
    block: int | None = None,
    general: bool | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Tally:
    """Play replicates `first` to `first + n - 1` of a fight and return their counts.

    `workers` threads (default: all cores) and `block` (replicates a block) change the speed only, as does `general`:
    True for the general loop where the one over duels would serve. `progress` is
    called with the replicates finished and `n`. A KeyboardInterrupt stops after the blocks under way. One worker is the
    thread that calls.
    """
    play = compiled_loop(fight.system, duel=is_duel(fight) if general is None else not general)
    workers = workers or os.cpu_count() or 1
    setting = fight_setting(fight, policy_a, policy_b)
    types = np.array(fight.types_a + fight.types_b, np.uint64)
    scenes = np.array(fight.scene_of_turn, np.uint64)
    word = fight_word(seed, key)
    flag_sets = 1 << (1 + len(fight.system.kinds))

    def run(piece: tuple[int, int]) -> Tally:
        begin, count = piece
        counted = play(fight.program, setting, types, scenes, word, np.uint64(begin), count, flag_sets)
        return _tally(fight, count, counted)

    pieces = _blocks(first, n, workers) if block is None else _cut(first, n, block)
    total = run((first, 0))  # on this thread, for it may have to compile
    with ExitStack() as stack:
        results: Iterator[Tally] = map(run, pieces)
        if workers > 1 and len(pieces) > 1:
            pool = stack.enter_context(ThreadPoolExecutor(workers))
            stack.push(lambda kind, error, trace: pool.shutdown(cancel_futures=kind is not None))
            results = pool.map(run, pieces)
        for result in results:
            total += result
            if progress is not None:
                progress(total.n, n)
    return total


def fight_setting(fight: Fight, policy_a: str, policy_b: str) -> Any:
    """Return the setting of a fight for the loop: int64 (SETTING_SIZE,)."""
    setting = np.zeros(loop.SETTING_SIZE, np.int64)
    setting[loop.FIRST_B], setting[loop.UNITS] = fight.n_a, fight.n_a + fight.n_b
    setting[loop.POLICY_A] = policy_number("policy_a", policy_a)
    setting[loop.POLICY_B] = policy_number("policy_b", policy_b)
    setting[loop.DECLARED] = fight.declared
    setting[loop.SHUFFLED] = fight.shuffled
    sheets = (*fight.sheets_a, *fight.sheets_b)
    setting[loop.GUNNERS_MOST] = max(fight.system.gunner_count(sheet) for sheet in sheets)
    setting[loop.WIDTH] = max(fight.n_a, fight.n_b) + 1
    return setting


def _cut(first: int, n: int, size: int) -> list[tuple[int, int]]:
    return [(first + start, min(size, n - start)) for start in range(0, n, size)]


def _tally(fight: Fight, count: int, counted: tuple[Any, ...]) -> Tally:
    outcomes, flags, turn_sum, survivors, exchanges = counted
    return Tally(
        count,
        outcomes,
        int(exchanges),
        flags,
        turn_sum,
        survivors[0, : fight.n_a + 1].copy(),
        survivors[1, : fight.n_b + 1].copy(),
    )


def fight_word(seed: int, key: int) -> np.uint64:
    """Return the word of a fight from its seed (0 to 2**63 - 1) and its key, as the kernels mix it."""
    with np.errstate(over="ignore"):
        return np.uint64(words.fight_word(np.uint64(seed), np.uint64(key)))


def compile_ahead(fight: Fight, note: Callable[[str], None]) -> None:
    """Compile the loop for a fight, or load it from disk, before the clock runs; `note` is told if it takes a while."""
    if not is_compiled(fight):
        note(f"compiling the rules, once; about {compile_seconds(fight)} s")
    play_fights(fight, n=0, seed=0, key=0, workers=1)


def compile_seconds(fight: Fight) -> int:
    """Return about how many seconds it takes to compile the loop for a fight."""
    return DUEL_SECONDS if is_duel(fight) else LOOP_SECONDS


def is_compiled(fight: Fight) -> bool:
    """Tell whether the loop for a fight is in memory or on disk, so that no compilation is ahead."""
    return jit.is_compiled(compiled_loop(fight.system, duel=is_duel(fight)))
