"""The fixed geometry of a fight: range and the aspects that are hit."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Situation:
    """A fight at a fixed range.

    `range` is centre to centre in the units of the rule system's table (inches in Blitzkrieg).
    `aspect_a` is the aspect of side a that side b hits, `aspect_b` the aspect of side b that side a hits.
    """

    range: float
    aspect_a: str = "front"
    aspect_b: str = "front"
