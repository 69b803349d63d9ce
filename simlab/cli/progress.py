"""How far a long run is, on standard error: a line that moves on a terminal, and notes before the start."""

import sys
import time
from types import TracebackType
from typing import Self

from simlab.cli.output import say
from simlab.model.errors import escaped

INTERVAL = 0.1
"""Seconds between two updates of the line."""

LONGEST = 78
BAR = 12
"""Letters of the bar."""

CLEAR_LINE = "\r\x1b[K"


class Progress:
    """A line that lab rewrites through its `progress` callback; in the end it is gone.

    Call it with the parts done and to do; with nothing to do, `what` is a note: that compiling takes a while.
    Without a terminal it writes nothing but notes. parts: what the parts are, with a bar before them; without it
    `what` says so, or they are fights.
    """

    def __init__(self, parts: str = "") -> None:
        self._parts = parts
        self._shown = False
        self._next = 0.0
        self._live = sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            self._write(CLEAR_LINE)

    def __call__(self, done: int, total: int, what: str = "") -> None:
        """Show `done` of `total`, and what is under way, at most ten times a second."""
        if what and not total:
            say(escaped(what))
            return
        now = time.monotonic()
        if not self._live or total <= 0 or now < self._next:
            return
        self._next = now + INTERVAL
        self._shown = True
        bar = "#" * (BAR * done // total)
        line = f"[{bar:-<{BAR}}] " if self._parts else ""
        line += escaped(f"{done:,} of {total:,} {self._rest(100 * done // total, what)}")
        self._write(f"{CLEAR_LINE}{line[:LONGEST].rstrip()}")

    def _rest(self, percent: int, what: str) -> str:
        if what and not self._parts:
            # Turns solved are few, and later ones take longer: a percentage would promise too much.
            return what
        return f"{self._parts or 'fights'} ({percent}%) {what}"

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
