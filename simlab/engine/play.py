"""Fights by the million: blocks of replicates over threads, counts out. The counts depend on nothing but the fight,
the seed and the number of replicates."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import numpy as np

from simlab import jit
from simlab.dice import cut, sampled, scripted, words
from simlab.engine import counts, duel_loop, judged, layout, lists, loop, phased_loop, policies, remembering
from simlab.engine.judging import JUDGE_SECONDS, asking, judge_address, judge_is_ready
from simlab.engine.policies import POLICIES
from simlab.model.errors import InputError, nearest, shown
from simlab.model.losses import Losses, losses_of
from simlab.model.outcome import Tally
from simlab.rules.contract import Fight, System
from simlab.tables import chance_loop

DUEL_SECONDS, LOOP_SECONDS = 20, 50
"""Seconds that compiling a loop takes."""
ROUNDING = 1 << 12
"""By how many parts of its cost a side breaks early, so that rounding cannot make it stand: less than a billionth."""
BLOCK = 1 << 16
"""Replicates a block at most; large enough that a block's start costs nothing, small enough for progress."""


def _modules(system: System) -> tuple[Any, ...]:
    return (words, cut, sampled, lists, policies, counts, remembering, *system.kernels)


def kernel_id(system: System) -> str:
    """Return a digest of all sources that decide what a fight of the system comes to."""
    judging = (scripted, chance_loop, judged)
    return jit.source_id([*_modules(system), *judging, *system.sources, loop, duel_loop, phased_loop])


def compiled_loop(fight: Fight, *, general: bool = False) -> Callable[..., Any]:
    """Return the loop that serves a fight, bound to its system, or the general one, which serves all."""
    system = fight.system
    if general or not is_duel(fight):
        return jit.bound(loop.play_block, (*_modules(system), asking()), system.name)
    if fight.phased:
        return jit.bound(phased_loop.play_phased_duels, _modules(system), system.name)
    return jit.bound(duel_loop.play_duels, _modules(system), system.name)


def is_duel(fight: Fight) -> bool:
    """Tell whether a loop over duels serves a fight: one unit a side, listed order."""
    return fight.n_a == fight.n_b == 1 and not fight.shuffled


def policy_number(field: str, name: str) -> int:
    """Return the number of a policy; InputError with the nearest name if there is none."""
    if name not in POLICIES:
        raise InputError.one(field, shown(name), ", ".join(POLICIES), nearest(name, POLICIES))
    return POLICIES[name]


def _choosing(field: str, name: str, enemies: int) -> int:
    """The number of a side's policy; where there is one enemy, all come to the same."""
    number = policy_number(field, name)
    return number if enemies > 1 else policies.FIRST


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
    breaks: float | None = None,
    block: int | None = None,
    general: bool | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Tally:
    """Play replicates `first` to `first + n - 1` of a fight and return their counts.

    `workers` threads (default: all cores) and `block` (replicates a block) change the speed only, as does `general`:
    True for the general loop where the one over duels would serve. `breaks`: the share of its ECV at the loss of which
    a side breaks, which ends the fight with the turn; InputError if a unit has no ECV. `progress` is
    called with the replicates finished and `n`. A KeyboardInterrupt stops after the blocks under way. One worker is the
    thread that calls.
    """
    workers = workers or os.cpu_count() or 1
    setting = fight_setting(fight, policy_a, policy_b, breaks)
    play = compiled_loop(fight, general=bool(general))
    losses = side_losses(fight)
    types = np.array(fight.types_a + fight.types_b, np.uint64)
    scenes = np.array(fight.scene_of_turn, np.uint64)
    word = fight_word(seed, key)
    flag_sets = 1 << (1 + len(fight.system.kinds))

    def run(piece: tuple[int, int]) -> Tally:
        begin, count = piece
        counted = play(fight.program, setting, types, scenes, word, np.uint64(begin), count, flag_sets)
        return _tally(fight, count, counted, losses)

    pieces = _blocks(first, n, workers) if block is None else _cut(first, n, block)
    threaded = workers > 1 and len(pieces) > 1
    total = run((first, 0)) if threaded or not pieces else None  # on this thread, for it may have to compile
    with ExitStack() as stack:
        results: Iterator[Tally] = map(run, pieces)
        if threaded:
            pool = stack.enter_context(ThreadPoolExecutor(workers))
            stack.push(lambda kind, error, trace: pool.shutdown(cancel_futures=kind is not None))
            results = pool.map(run, pieces)
        for result in results:
            total = result if total is None else total + result
            if progress is not None:
                progress(total.n, n)
    assert total is not None
    return total


def side_losses(fight: Fight) -> tuple[Losses, Losses]:
    """Return how units of each side can fall, units of one type and ECV being alike."""
    kinds = [
        (type_, sheet.ecv.value)
        for type_, sheet in zip(fight.types_a + fight.types_b, fight.sheets_a + fight.sheets_b, strict=True)
    ]
    return losses_of(tuple(kinds[: fight.n_a])), losses_of(tuple(kinds[fight.n_a :]))


def fight_setting(fight: Fight, policy_a: str, policy_b: str, breaks: float | None = None) -> Any:
    """Return the setting of a fight for the loop: int64 (SETTING_SIZE + 2 units,)."""
    units = fight.n_a + fight.n_b
    setting = np.zeros(layout.SETTING_SIZE + 2 * units, np.int64)
    setting[layout.FIRST_B], setting[layout.UNITS] = fight.n_a, units
    choosing = zip(("policy_a", "policy_b"), (policy_a, policy_b), (fight.n_b, fight.n_a), strict=True)
    numbers = [_choosing(field, name, enemies) for field, name, enemies in choosing]
    setting[[layout.POLICY_A, layout.POLICY_B]] = numbers
    if max(numbers) > policies.SPREAD:
        setting[layout.JUDGE] = judge_address(fight.system)
    setting[layout.DECLARED] = fight.declared
    setting[layout.SHUFFLED] = fight.shuffled
    setting[layout.PHASES] = len(fight.phases)
    setting[layout.COUPLED] = fight.coupled
    sheets = {id(sheet): sheet for sheet in (*fight.sheets_a, *fight.sheets_b)}  # few, of many units
    setting[layout.GUNNERS_MOST] = max(fight.system.gunner_count(sheet) for sheet in sheets.values())
    setting[layout.WIDTH] = max(fight.n_a, fight.n_b) + 1
    losses = side_losses(fight)
    setting[layout.COMBINATIONS] = max(side.combinations or 1 for side in losses)
    steps = [step for side in losses for step in side.steps]
    setting[layout.SETTING_SIZE + units :] = steps
    if breaks is not None:
        setting[layout.BREAK] = round(breaks * layout.WHOLE_COST) - ROUNDING
        costs = [*_costs(fight.sheets_a), *_costs(fight.sheets_b)]
        setting[layout.SETTING_SIZE : layout.SETTING_SIZE + units] = costs
    return setting


def _costs(sheets: Sequence[Any]) -> list[int]:
    """The costs of a side's units, `WHOLE_COST` together."""
    values = [sheet.ecv.value for sheet in sheets]
    lacking = next((sheet.id for sheet in sheets if sheet.ecv.value is None), None)
    if lacking is not None:
        raise InputError.one("breaks", f"no ECV of {shown(lacking)}", "units that all have an ECV")
    return [round(value / sum(values) * layout.WHOLE_COST) for value in values]


def _cut(first: int, n: int, size: int) -> list[tuple[int, int]]:
    return [(first + start, min(size, n - start)) for start in range(0, n, size)]


def _tally(fight: Fight, count: int, counted: tuple[Any, ...], losses: tuple[Losses, Losses]) -> Tally:
    outcomes, flags, turn_sum, survivors, exchanges, *fallen = counted
    survivors_a, survivors_b = survivors[0, : fight.n_a + 1].copy(), survivors[1, : fight.n_b + 1].copy()
    # The loop over duels does not count combinations: that of a single unit is whether it has fallen.
    by_side = fallen[0] if fallen else (survivors_a[::-1], survivors_b[::-1])
    losses_a, losses_b = (
        row[: side.combinations].copy() if side.combinations else None
        for row, side in zip(by_side, losses, strict=True)
    )
    return Tally(
        count, outcomes, int(exchanges), flags, turn_sum, survivors_a, survivors_b, losses_a, losses_b
    )


def fight_word(seed: int, key: int) -> np.uint64:
    """Return the word of a fight from its seed (0 to 2**63 - 1) and its key, as the kernels mix it."""
    with np.errstate(over="ignore"):
        return np.uint64(words.fight_word(np.uint64(seed), np.uint64(key)))


def compile_ahead(
    fight: Fight, note: Callable[[str], None], policy_a: str = "spread", policy_b: str = "spread"
) -> None:
    """Compile what plays a fight, or load it from disk, before the clock runs; `note` is told if it takes a while."""
    seconds = 0 if is_compiled(fight) else compile_seconds(fight)
    if not judge_is_ready(fight, policy_a, policy_b):
        seconds += JUDGE_SECONDS
    if seconds:
        note(f"compiling the rules, once; about {seconds} s")
    play_fights(fight, n=0, seed=0, key=0, workers=1, policy_a=policy_a, policy_b=policy_b)


def compile_seconds(fight: Fight) -> int:
    """Return about how many seconds it takes to compile the loop for a fight."""
    return DUEL_SECONDS if is_duel(fight) else LOOP_SECONDS


def is_compiled(fight: Fight) -> bool:
    """Tell whether the loop for a fight is in memory or on disk, so that no compilation is ahead."""
    return jit.is_compiled(compiled_loop(fight))
