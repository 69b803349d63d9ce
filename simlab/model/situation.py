"""Where the sides of a fight stand to each other, turn by turn: range, the aspects that are hit, who holds fire."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Range: TypeAlias = float | tuple[float, ...]
"""One range for the whole fight, or one a turn, the last of which holds."""
Aspect: TypeAlias = str | tuple[str, ...]


@dataclass(frozen=True)
class Scene:
    """How the sides stand in one turn.

    `range` is centre to centre in the units of the rule system's table (inches in Blitzkrieg). `aspect_a` is the
    aspect of side a that side b hits. A silent side does not fire.
    """

    range: float
    aspect_a: str = "front"
    aspect_b: str = "front"
    silent_a: bool = False
    silent_b: bool = False


@dataclass(frozen=True)
class Situation:
    """A scene for every turn of a fight.

    `range`, `aspect_a` and `aspect_b` are one value for all turns, or one a turn, the last of which holds; what is
    meant the same is made the same: a repeated tail is cut, a list of one value is that value. `first_fire` "a:2":
    side b is silent in turns 1 and 2.
    """

    range: Range
    aspect_a: Aspect = "front"
    aspect_b: Aspect = "front"
    first_fire: str | None = None

    def __post_init__(self) -> None:
        for name in ("range", "aspect_a", "aspect_b"):
            object.__setattr__(self, name, shortest(getattr(self, name)))

    def mirrored(self) -> "Situation":
        """Return the same situation as the other side sees it: a and b change places."""
        first = self.first_fire
        if first is not None:
            first = ("b" if first[0] == "a" else "a") + first[1:]
        return Situation(self.range, self.aspect_b, self.aspect_a, first)

    def scene(self, turn: int) -> Scene:
        """Return how the sides stand in a turn, counted from 1."""
        first, _, turns = (self.first_fire or "").partition(":")
        silent = {"a": "b", "b": "a"}[first] if first and turn <= int(turns) else ""
        return Scene(
            _at(self.range, turn),
            _at(self.aspect_a, turn),
            _at(self.aspect_b, turn),
            silent == "a",
            silent == "b",
        )

    def scenes(self, turns: int) -> tuple[tuple[Scene, ...], tuple[int, ...]]:
        """Return the scenes of a fight of `turns` turns, each once, and the number of each turn's scene."""
        numbers: dict[Scene, int] = {}
        of_turn = tuple(numbers.setdefault(self.scene(turn), len(numbers)) for turn in range(1, turns + 1))
        return tuple(numbers), of_turn

    def content(self) -> dict[str, Any]:
        """Return what a key is made of: no first fire is no entry, so that it changes no key of a fight without."""
        fields = {"range": self.range, "aspect_a": self.aspect_a, "aspect_b": self.aspect_b}
        return fields if self.first_fire is None else {**fields, "first_fire": self.first_fire}


def shortest(value: Any) -> Any:
    """Return a list without its repeated tail as a tuple, a list of one value as that value."""
    if not isinstance(value, list | tuple):
        return value
    values = list(value)
    while len(values) > 1 and values[-1] == values[-2]:
        values.pop()
    return values[0] if len(values) == 1 else tuple(values)


def _at(value: Any, turn: int) -> Any:
    """Return the value of a turn, counted from 1."""
    return value[min(turn, len(value)) - 1] if isinstance(value, tuple) else value


def by_turn_text(value: float | str | Sequence[float] | Sequence[str]) -> str:
    """Return a range or an aspect as it is typed: `24`, `36,30,24`, `front`, `front,rear`."""
    values = value if isinstance(value, list | tuple) else (value,)
    return ",".join(each if isinstance(each, str) else number_text(each) for each in values)


def first_fire_text(first_fire: str | None) -> tuple[str, str] | None:
    """Return the side that fires alone and when, ("a", "turns 1 and 2"); None if the text names no side."""
    side, _, turns = (first_fire or "").partition(":")
    if side not in ("a", "b"):
        return None
    return side, {"1": "turn 1", "2": "turns 1 and 2"}.get(turns, f"turns 1 to {turns}")


def turns_text(turns: int) -> str:
    """Return a number of turns in words: `1 turn`, `12 turns`."""
    return "1 turn" if turns == 1 else f"{turns} turns"


def number_text(number: float) -> str:
    """Return a number in its shortest decimal form; a whole one without a point."""
    return str(int(number)) if float(number).is_integer() else str(float(number))
