"""Where the sides stand, turn by turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .condition import Number

Distances = Number | Sequence[Number]
Aspects = str | Sequence[str]
FirstFire = tuple[str, int] | None
"""The side that fires alone, and in how many turns from the first on."""


@dataclass(frozen=True)
class Scene:
    """One turn: distance, the aspect of each side that is hit, the side that holds its fire."""

    distance: Number
    aspect_a: str
    aspect_b: str
    silent: str | None = None


def scene_of(
    turn: int, distance: Distances, aspect_a: Aspects, aspect_b: Aspects, first_fire: FirstFire = None
) -> Scene:
    """The scene of a turn (from 1); of a sequence by turn the last value stays."""
    silent = None
    if first_fire is not None and turn <= first_fire[1]:
        silent = "b" if first_fire[0] == "a" else "a"
    near = distance[min(turn, len(distance)) - 1] if isinstance(distance, Sequence) else distance
    return Scene(near, _aspect(turn, aspect_a), _aspect(turn, aspect_b), silent)


def _aspect(turn: int, aspects: Aspects) -> str:
    return aspects if isinstance(aspects, str) else aspects[min(turn, len(aspects)) - 1]
