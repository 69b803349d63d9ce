"""Situations as they are typed or passed: `24`, `36,30,24`, `front,rear`, `a:2`, or sequences of single values.

Each reader returns the value, or an `Unfit` that says what cannot be read.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from simlab.model.errors import nearest, shortened
from simlab.model.situation import Aspect, Range

MAX_RANGE = 999
MOST_TURNS = 1000
NO_FIRST_FIRE = "none"
"""How the absence of first fire is written where it stands beside others."""
LEGAL_RANGE = f"a finite number from 0 to {MAX_RANGE}, or up to {MOST_TURNS} of them by turn: 36,30,24"
LEGAL_FIRST_FIRE = (
    f"a:N or b:N, the side that fires alone and for how many turns, N a whole number from 1 to {MOST_TURNS}; or "
    f"{NO_FIRST_FIRE}"
)

_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,5})?|[-+]?(?:nan|inf)")
_FIRST_FIRE = re.compile(r"([ab]):0*([1-9][0-9]{0,3})")


@dataclass(frozen=True)
class Unfit:
    """What cannot be read: the value or the part of it, its turn where it is one of several, the likely spelling.

    described: the part is no value but says in words what there is.
    """

    part: Any
    turn: int | None = None
    hint: str | None = None
    described: bool = False

    def found(self, shown: Callable[[Any], str]) -> str:
        """Return the text for an error line; `shown` writes the part."""
        text = str(self.part) if self.described else shown(self.part)
        return text if self.turn is None else f"{shortened(text, 60)} for turn {self.turn}"


def read_number(text: str) -> float | None:
    """Return the number in a text; None if it is none: no blanks, no underscores, no foreign digits."""
    if _NUMBER.fullmatch(text) is None:
        return None
    return int(text) if re.fullmatch(r"[-+]?[0-9]{1,30}", text) else float(text)


def read_range(value: Any) -> Range | Unfit:
    """Return a range, or ranges by turn, each finite and from 0 to 999."""
    parts = _parts(value)
    if isinstance(parts, Unfit):
        return parts
    numbers: list[float] = []
    for turn, part in enumerate(parts, 1):
        number = read_number(part) if isinstance(part, str) else part
        if not isinstance(number, int | float) or isinstance(number, bool) or not 0 <= number <= MAX_RANGE:
            return Unfit(part, turn if len(parts) > 1 else None)
        numbers.append(float(number))
    return tuple(numbers) if len(numbers) > 1 else numbers[0]


def read_aspect(value: Any, aspects: Sequence[str]) -> Aspect | Unfit:
    """Return an aspect, or aspects by turn, each one of the system's."""
    parts = _parts(value)
    if isinstance(parts, Unfit):
        return parts
    names: list[str] = []
    for turn, part in enumerate(parts, 1):
        if part not in aspects:
            return Unfit(part, turn if len(parts) > 1 else None, nearest(part, aspects))
        names.append(str(part))
    return tuple(names) if len(names) > 1 else names[0]


def read_first_fire(value: Any) -> str | Unfit | None:
    """Return who fires alone for how many turns, `a:2`; None for nobody."""
    if value is None or value == NO_FIRST_FIRE:
        return None
    typed = ":".join(map(str, value)) if isinstance(value, list | tuple) and len(value) == 2 else value
    found = _FIRST_FIRE.fullmatch(typed.strip()) if isinstance(typed, str) else None
    if found is None or int(found[2]) > MOST_TURNS:
        return Unfit(value)
    return f"{found[1]}:{found[2]}"


def _parts(value: Any) -> Sequence[Any] | Unfit:
    """Return single values of what may be a sequence, or a text with commas, around which blanks are free."""
    parts: Sequence[Any] = value if isinstance(value, list | tuple) else [value]
    if isinstance(value, str) and "," in value:
        parts = [part.strip() for part in value.split(",")]
    if not 1 <= len(parts) <= MOST_TURNS:
        return Unfit(f"{len(parts)} values by turn", described=True)
    return parts
