"""Faults in what a user wrote: one line a fault, never a traceback."""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Self

FOUND_WIDTH = 80
ALLOWED_WIDTH = 240
FIELD_WIDTH = 120
MOST_LISTED = 100
MOST_CANDIDATES = 1000
LONGEST_WORD = 64

_WORD = re.compile(r"(?:[A-Za-z_~]|\.{0,2}/)[A-Za-z0-9_.\-/]*")
_NOT_WORDS = frozenset({"true", "false", "null", "nothing"})


def escaped(text: str) -> str:
    """The text with each character that is not printable (line ends, escapes, direction marks) spelt out."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def shortened(text: str, width: int) -> str:
    """At most `width` characters of the text; three dots stand for the rest."""
    return text if len(text) <= width else text[: width - 3] + "..."


def _framed(text: str, width: int) -> str:
    """A name for a message; in quotes if it is blank or has blanks at its ends."""
    name = shortened(escaped(text), width)
    return name if text and text == text.strip() else f'"{name}"'


def brief(value: object) -> str:
    """A value of a reading as text; of a whole file of charts the beginning."""
    return shown(value) if isinstance(value, Mapping) else str(value)


def shown(value: object, width: int = FOUND_WIDTH) -> str:
    """A value as it would stand in a YAML file, cut soon after `width` characters.

    A text that is no plain word or path is in quotes, so that it is never taken for a number or for several words.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        word = _WORD.fullmatch(value) and value.lower() not in _NOT_WORDS
        return shortened(value, width) if word else f'"{shortened(value, width)}"'
    if isinstance(value, int):
        return str(value) if abs(value) < 10**FOUND_WIDTH else f"a number of more than {FOUND_WIDTH} digits"
    if isinstance(value, float):
        return {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}.get(str(value), str(value))
    if isinstance(value, Mapping):
        return "{" + _joined((f"{shown(k, width)}: {shown(v, width)}" for k, v in value.items()), width) + "}"
    if isinstance(value, Sequence):
        return "[" + _joined((shown(item, width) for item in value), width) + "]"
    return f"a value of type {type(value).__name__}"


def _joined(parts: Iterable[str], width: int) -> str:
    """Comma list that stops once it is wider than `width`, so that a long list costs nothing."""
    taken: list[str] = []
    used = 0
    for part in parts:
        if used > width:
            taken.append("...")
            break
        taken.append(part)
        used += len(part) + 2
    return ", ".join(taken)


def nearest(word: object, candidates: Iterable[str]) -> str | None:
    """The candidate spelt most like `word`, whatever the case; None when nothing is near.

    Words above 64 characters are near to nothing, and no more than 1,000 candidates are tried.
    """
    if not isinstance(word, str) or len(word) > LONGEST_WORD:
        return None
    tried = [c for c in islice(candidates, MOST_CANDIDATES) if len(c) <= LONGEST_WORD]
    by_lower = {c.lower(): c for c in reversed(tried)}
    close = difflib.get_close_matches(word.lower(), list(by_lower), n=1)
    return by_lower[close[0]] if close else None


@dataclass(frozen=True)
class Problem:
    """One fault: file, line counted from 1, dotted field, what was found, what is allowed, likely spelling.

    `str()` is the line for the user, `FILE:LINE: FIELD: found X, allowed Y; did you mean Z?`, without the
    parts that are unknown. Whatever the parts hold, it is one printable line.
    """

    file: str
    line: int | None
    field: str
    found: str
    allowed: str
    hint: str | None = None

    def __str__(self) -> str:
        place = ""
        if self.file:
            place = f"{escaped(self.file)}: " if self.line is None else f"{escaped(self.file)}:{self.line}: "
        field = _framed(self.field, FIELD_WIDTH)
        found = shortened(escaped(self.found), FOUND_WIDTH + 4)
        allowed = shortened(escaped(self.allowed), ALLOWED_WIDTH)
        hint = "" if self.hint is None else f"; did you mean {_framed(self.hint, FOUND_WIDTH)}?"
        return f"{place}{field}: found {found}, allowed {allowed}{hint}"


class InputError(Exception):
    """Faulty input. `problems` holds at least one `Problem`; `str()` is their lines."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)

    @classmethod
    def one(
        cls,
        field: str,
        found: str,
        allowed: str,
        hint: str | None = None,
        file: str = "",
        line: int | None = None,
    ) -> Self:
        """An error with a single problem."""
        return cls([Problem(file, line, field, found, allowed, hint)])

    @classmethod
    def listed(cls, problems: Iterable[Problem]) -> Self:
        """An error with the problems of one file in the order of its lines, each once.

        Of more than 100 problems the rest is cut; the last line says so.
        """
        unique = sorted(dict.fromkeys(problems), key=lambda problem: problem.line or 0)
        if len(unique) > MOST_LISTED:
            last = unique[MOST_LISTED - 1]
            found = f"more than {MOST_LISTED} errors"
            unique[MOST_LISTED:] = [Problem(last.file, last.line, "document", found, "no errors")]
        return cls(unique)
