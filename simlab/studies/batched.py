"""A fight in equal batches, as counts by batch: what belongs together is then known batch by batch."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock

import numpy as np
import numpy.typing as npt

from simlab.engine.play import BLOCK, compile_ahead, play_fights
from simlab.rules.contract import Fight

BATCHES, MOST_BATCHES = 32, 4096
"""Batches of few fights, and the most there are: between them a batch is a block."""
LEAST_FIGHTS = 10 * BATCHES


def batches_of(n: int) -> tuple[int, int]:
    """Return the number of batches and the fights in each, n or a few more in all."""
    batches = min(max(BATCHES, -(-n // BLOCK)), MOST_BATCHES)
    return batches, -(-n // batches)


def play_batches(
    fight: Fight,
    *,
    n: int,
    seed: int,
    key: int,
    workers: int,
    note: Callable[[str], None] = lambda text: None,
    progress: Callable[[int, int], None] | None = None,
) -> npt.NDArray[np.int64]:
    """Return the counts by outcome of each batch of replicates, int64 (batches, 4), as `batches_of` says.

    `note` is told if the rules have to be compiled, `progress` fights done and to do. A KeyboardInterrupt stops after
    the batches under way.
    """
    batches, size = batches_of(n)
    compile_ahead(fight, note)
    found = np.zeros((batches, 4), np.int64)
    lock, done = Lock(), [0]

    def play(batch: int) -> None:
        first = batch * size
        tally = play_fights(fight, n=size, seed=seed, key=key, workers=1, first=first, block=min(size, BLOCK))
        found[batch] = tally.outcomes
        with lock:
            done[0] += size
            if progress is not None:
                progress(done[0], batches * size)

    call_all(play, range(batches), workers)
    return found


def call_all(play: Callable[[int], None], batches: Iterable[int], workers: int) -> None:
    """Call a function for each batch, by some threads or by this one; after an error or interrupt for no more."""
    stop = Event()

    def call(batch: int) -> None:
        if not stop.is_set():
            play(batch)

    if workers == 1:
        for batch in batches:
            play(batch)
        return
    with ThreadPoolExecutor(workers) as pool:
        try:
            list(pool.map(call, batches))
        except BaseException:
            stop.set()
            raise
