"""Many jobs at the same time: their pieces over threads, what the pieces come to through the journal.

A job is a generator that yields the pieces that it needs, one after the other, and is sent what each came to. The
thread of the run alone moves jobs and writes the journal; the other threads fight. What a piece comes to depends on its
name alone, so neither the number of threads nor the order in which they finish can be seen in it.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, TypeAlias

from simlab.model.errors import InputError
from simlab.studies.contents import Content
from simlab.studies.journal import Journal

AHEAD = 4
"""Pieces under way for each thread: enough that none waits for the thread of the run."""


@dataclass(frozen=True, eq=False)
class Begun:
    """A piece ready to be worked on.

    blocks: what the threads call, in any order; none if the piece is a matter of the thread of the run. join: makes the
    content of the piece of what they returned, in their order.
    """

    blocks: Sequence[Callable[[], Any]]
    join: Callable[[list[Any]], Content]


@dataclass(frozen=True, eq=False)
class Piece:
    """A piece of work. name: digest of all that decides what it comes to. begin: called if the journal lacks it."""

    name: str
    begin: Callable[[], Begun]


Job: TypeAlias = Generator[Piece, Content, None]


Worked: TypeAlias = Callable[[int, float], None]
"""Called with the number of a job and the seconds that one of all threads has worked for it."""


@dataclass(eq=False)
class _Open:
    """A piece under way: the results of its blocks by place, and the jobs that wait for it, with their numbers."""

    name: str
    begun: Begun
    jobs: list[tuple[int, Job]]
    results: dict[int, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class _Done:
    """A block that was called: what it returned, or the error that it raised, and how long it took."""

    name: str
    place: int
    result: Any
    error: BaseException | None
    seconds: float


class Pool:
    """Works on jobs with a number of threads, and keeps in a journal what their pieces come to."""

    def __init__(self, journal: Journal, threads: int, worked: Worked) -> None:
        self._journal = journal
        self._threads = threads
        self._worked = worked
        self._open: dict[str, _Open] = {}
        self._done: SimpleQueue[_Done] = SimpleQueue()

    def run(self, jobs: Iterable[tuple[int, Job]]) -> None:
        """Finish all jobs, given with their numbers. On an error or interrupt, pieces that are finished are kept."""
        with ThreadPoolExecutor(self._threads) as threads:
            try:
                self._work(iter(jobs), threads)
            except BaseException:
                threads.shutdown(cancel_futures=True)
                with suppress(InputError):  # where nothing more can be kept, what came first is told
                    while not self._done.empty():
                        self._keep(self._done.get())
                raise

    def _work(self, jobs: Iterator[tuple[int, Job]], threads: ThreadPoolExecutor) -> None:
        ahead = AHEAD * self._threads
        for number, job in jobs:
            self._move(number, job, None, threads)
            while len(self._open) >= ahead:
                self._take(threads)
        while self._open:
            self._take(threads)

    def _take(self, threads: ThreadPoolExecutor) -> None:
        """Wait for a block; if it was the last of its piece, move the jobs that need it."""
        done = self._done.get()
        if done.error is not None:
            raise done.error
        under_way = self._open[done.name]
        self._worked(under_way.jobs[0][0], done.seconds)
        content = self._keep(done)
        if content is not None:
            for number, job in under_way.jobs:
                self._move(number, job, content, threads)

    def _keep(self, done: _Done) -> Content | None:
        """Note what a block returned; return the content of its piece if that is finished and kept now."""
        if done.error is not None:
            return None
        under_way = self._open[done.name]
        under_way.results[done.place] = done.result
        if len(under_way.results) < len(under_way.begun.blocks):
            return None
        content = under_way.begun.join([under_way.results[place] for place in sorted(under_way.results)])
        self._journal.put(done.name, content)
        del self._open[done.name]
        return content

    def _move(self, number: int, job: Job, content: Content | None, threads: ThreadPoolExecutor) -> None:
        """Move a job on until it waits for threads or is finished."""
        while True:
            piece = step(job, content)
            if piece is None:
                return
            content = self._journal.get(piece.name)
            if content is not None:
                continue
            if piece.name in self._open:
                self._open[piece.name].jobs.append((number, job))
                return
            begun = piece.begin()
            if begun.blocks:
                self._open[piece.name] = _Open(piece.name, begun, [(number, job)])
                for place, block in enumerate(begun.blocks):
                    threads.submit(self._call, piece.name, place, block)
                return
            start = time.perf_counter()
            content = begun.join([])
            self._journal.put(piece.name, content)
            self._worked(number, self._threads * (time.perf_counter() - start))  # the others have waited

    def _call(self, name: str, place: int, block: Callable[[], Any]) -> None:
        start = time.perf_counter()
        try:
            result, error = block(), None
        except BaseException as raised:
            result, error = None, raised
        self._done.put(_Done(name, place, result, error, time.perf_counter() - start))


def step(job: Job, content: Content | None) -> Piece | None:
    """Send a job what its last piece came to, None at its start; return the next piece, or None at its end."""
    try:
        return next(job) if content is None else job.send(content)
    except StopIteration:
        return None


def is_kept(job: Job, journal: Journal) -> bool:
    """Move a job as far as the journal goes, and tell whether that is to its end."""
    piece = step(job, None)
    while piece is not None:
        content = journal.get(piece.name)
        if content is None:
            return False
        piece = step(job, content)
    return True
