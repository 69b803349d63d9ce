"""Where labels of points go: near their points, off each other, off the points, inside the panel."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

ANGLES = 16
RADII = (5.0, 9.0, 14.0, 20.0, 28.0, 38.0, 50.0, 64.0, 80.0, 100.0)
"""Distances from a point to the nearest corner or side of its label that are tried, in points of 1/72 inch."""
POINT_HIDDEN, LINE_CROSSED = 12.0, 60.0
"""What hiding a point, or a line running through a label, costs in inches of 1/72."""
STEPS = 12


@dataclass(frozen=True)
class Box:
    """A rectangle; the axes point to the right and up."""

    left: float
    bottom: float
    right: float
    top: float

    def overlaps(self, other: "Box") -> bool:
        """Return whether the two share any area."""
        across = min(self.right, other.right) > max(self.left, other.left)
        return across and min(self.top, other.top) > max(self.bottom, other.bottom)

    def holds(self, other: "Box") -> bool:
        """Return whether the other one lies wholly inside."""
        across = self.left <= other.left and other.right <= self.right
        return across and self.bottom <= other.bottom and other.top <= self.top


def place_labels(
    points: Floats, sizes: Sequence[tuple[float, float]], crowd: Floats, panel: Box, taken: Sequence[Box] = ()
) -> list[Box | None]:
    """Return a box for the label of each point, one after the other; None where there is no room.

    points: shape (labels, 2). sizes: width and height of each label. crowd: shape (any, 2), points that labels had
    better not hide. taken: boxes that are in use. No two boxes overlap, and all lie inside the panel. Units are
    points of 1/72 inch.
    """
    used, lines = list(taken), np.empty((0, 2))
    placed: list[Box | None] = []
    for (x, y), (width, height) in zip(points.tolist(), sizes, strict=True):
        best: tuple[float, Box] | None = None
        others = [box for box in used if not (box.left <= x <= box.right and box.bottom <= y <= box.top)]
        for radius in RADII:
            for box in _around(x, y, width, height, radius):
                if not panel.holds(box) or any(box.overlaps(other) for other in used):
                    continue
                line = _line((x, y), box)
                crossings = _inside(lines, [box]) + _inside(line, others)
                cost = radius + POINT_HIDDEN * _inside(crowd, [box]) + LINE_CROSSED * crossings
                if best is None or cost < best[0] - 1e-9:
                    best = cost, box
        placed.append(None if best is None else best[1])
        if best is not None:
            used.append(best[1])
            lines = np.concatenate([lines, _line((x, y), best[1])])
    return placed


def _around(x: float, y: float, width: float, height: float, radius: float) -> list[Box]:
    """Boxes all around a point, those to the right first; their nearest point is `radius` away."""
    boxes = []
    for step in range(ANGLES):
        angle = 2 * math.pi * ((step + 1) // 2) / ANGLES * (1 if step % 2 else -1)
        across, up = round(math.cos(angle), 9), round(math.sin(angle), 9)
        middle_x = x + across * (radius + width / 2)
        middle_y = y + up * (radius + height / 2)
        boxes.append(
            Box(middle_x - width / 2, middle_y - height / 2, middle_x + width / 2, middle_y + height / 2)
        )
    return boxes


def _line(point: tuple[float, float], box: Box) -> Floats:
    """Places along the line from a point to its label, those at the label last."""
    end = np.array(nearest_end(point, box))
    places: Floats = np.array(point) + np.linspace(0.0, 1.0, STEPS)[:, None] * (end - np.array(point))
    return places


def _inside(places: Floats, boxes: Sequence[Box]) -> int:
    """How many places lie inside boxes."""
    x, y = places[:, 0], places[:, 1]
    return sum(
        int(((x > box.left) & (x < box.right) & (y > box.bottom) & (y < box.top)).sum()) for box in boxes
    )


def nearest_end(point: tuple[float, float], box: Box) -> tuple[float, float]:
    """Return the place in the box that is nearest to a point: where its line ends."""
    return min(max(point[0], box.left), box.right), min(max(point[1], box.bottom), box.top)
