"""Which units fare alike: average linkage of their rows of win shares, with the stronger half always first."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Merge:
    """Two groups of units joined: the places of both in the order, first and last, and how far apart they were."""

    first: tuple[int, int]
    second: tuple[int, int]
    height: float


@dataclass(frozen=True)
class Clusters:
    """An order of units, as places in what was given, and the merges that led to it, the nearest first."""

    order: tuple[int, ...]
    merges: tuple[Merge, ...]

    def cuts(self, count: int) -> tuple[int, ...]:
        """Return the places in the order at which a new group begins, for `count` groups; the first is no cut."""
        last = self.merges[max(len(self.order) - count, 0) :]
        return tuple(sorted({max(merge.first[0], merge.second[0]) for merge in last}))


def cluster_profiles(profiles: npt.ArrayLike) -> Clusters:
    """Return units in the order of a tree of average linkage, those with the higher mean first at every fork.

    `profiles`: shape (units, figures), a row of win shares for each unit. Equal distances are settled by place, so
    the order is the same everywhere.
    """
    rows = np.asarray(profiles, np.float64)
    members = [[place] for place in range(len(rows))]
    apart = _distances(rows)
    joined: list[tuple[list[int], list[int], float]] = []
    alive = list(range(len(rows)))
    while len(alive) > 1:
        one, other = _nearest(apart, alive)
        height = float(apart[one, other])
        sizes = len(members[one]), len(members[other])
        mixed = (sizes[0] * apart[one] + sizes[1] * apart[other]) / sum(sizes)
        apart[one], apart[:, one] = mixed, mixed
        apart[one, one] = np.inf
        first, second = sorted((members[one], members[other]), key=lambda group: (-_mean(rows, group), group))
        joined.append((first, second, height))
        members[one] = first + second
        alive.remove(other)
    order = members[alive[0]] if alive else []
    at = {unit: place for place, unit in enumerate(order)}
    merges = [Merge((at[a[0]], at[a[-1]]), (at[b[0]], at[b[-1]]), height) for a, b, height in joined]
    return Clusters(tuple(order), tuple(merges))


def _distances(rows: Floats) -> Floats:
    apart = np.sqrt(((rows[:, None, :] - rows[None, :, :]) ** 2).sum(axis=2))
    np.fill_diagonal(apart, np.inf)
    return np.asarray(apart, np.float64)


def _nearest(apart: Floats, alive: Sequence[int]) -> tuple[int, int]:
    """The two groups that are nearest to each other, those of the lowest places among equals."""
    near = apart[np.ix_(alive, alive)]
    row, column = divmod(int(near.argmin()), len(alive))
    return alive[min(row, column)], alive[max(row, column)]


def _mean(rows: Floats, group: Sequence[int]) -> float:
    return round(float(rows[list(group)].mean()), 12)
