"""The two streams: results on standard output, all else as single lines on standard error."""

import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, TextIO


class UnwritableError(Exception):
    """Standard output takes no more text, and not because its reader has left."""


def prepare_streams() -> None:
    """Let no character stop the output: what the terminal's encoding lacks is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def emit(text: str) -> None:
    """Write a text and a line end to standard output; a reader that has left (`| head`) is no error."""
    _write(f"{text}\n")


def flush() -> None:
    """Write out what standard output still holds."""
    _write("")


def _write(text: str) -> None:
    if sys.stdout is None:
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon(sys.stdout)
    except OSError as error:
        _abandon(sys.stdout)
        raise UnwritableError(error.strerror or "an error") from error


def _abandon(stream: TextIO) -> None:
    """Point the stream's file at nothing, so that the interpreter can close it without an error."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, stream.fileno())
    os.close(nothing)


def emit_json(result: Mapping[str, Any]) -> None:
    """Write one JSON object, floats at full precision; raises ValueError for a NaN."""
    emit(json.dumps(result, allow_nan=False))


def say(text: str) -> None:
    """Write one line to standard error."""
    if sys.stderr is not None:
        try:
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()
        except BrokenPipeError:
            _abandon(sys.stderr)


def emit_problems(problems: Iterable[object]) -> None:
    """Write each problem as one line to standard error."""
    for problem in problems:
        say(str(problem))
