"""Factors: the two sides of a sum of products, and what is done to them."""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from simlab import jit
from simlab.exact import carry_loop

Array = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int32]
WEAKEST = 1e-14
"""Weights of the scaled factors, against their sum, are not taken smaller than this: they are divided by."""


@functools.cache
def loop(name: str) -> Any:
    """Return one of the compiled loops."""
    return jit.bound(getattr(carry_loop, name), (), "exact")


@dataclass(eq=False)
class Factor:
    """One side of a block. rows: numbers of cores. values: (rows, shells * rank), the rank innermost.

    P(core and shell of a, core and shell of b) is the sum over the rank of the products of both factors' values. A
    factor with signs (rank,) stands for its values times them.
    """

    rows: Numbers
    values: Array
    rank: int
    signs: Array | None = None

    def mirrored(self, signs: Array) -> "Factor":
        """Return the other side of a block that is symmetric: the same, columns times signs (rank,)."""
        return Factor(self.rows, self.values, self.rank, signs)

    def signed(self, sums: Array) -> Array:
        """Return what was summed by column (..., rank) with the signs of the columns."""
        return sums if self.signs is None else sums * self.signs

    @property
    def shells(self) -> int:
        """Number of shells."""
        return int(self.values.shape[1]) // self.rank

    @functools.cached_property
    def total(self) -> Array:
        """The values summed over cores and shells: shape (rank,)."""
        totals = np.zeros(self.rank)
        loop("sum_shells")(self.values, self.rank, totals)
        return self.signed(totals)

    def by_flags(self, fates: npt.NDArray[np.int64], flag_sets: int) -> Array:
        """Return the values summed by flags of the cores: shape (flag_sets, rank)."""
        sums = np.zeros((flag_sets, self.rank))
        loop("sum_flags")(fates, self.rows, self.values, self.rank, sums)
        return self.signed(sums)

    def masses(self, other: Array) -> Array:
        """Return the probability of each core and shell, the other side summed up to `other`: (rows, shells)."""
        mass = np.empty((len(self.rows), self.shells))
        loop("weigh_shells")(self.values, other, mass)
        return mass

    def widened(self, shells: int) -> "Factor":
        """Return the factor with room for more shells."""
        if self.shells == shells:
            return self
        values = np.zeros((len(self.rows), shells * self.rank))
        values[:, : self.values.shape[1]] = self.values
        return Factor(self.rows, values, self.rank)

    def split(self, classes: Numbers, number: int) -> dict[int, "Part"]:
        """Return the factor in parts by class; classes: by core, number: how many there are."""
        ends, places = np.zeros(number, np.int64), np.empty(len(self.rows), np.int64)
        loop("sort_classes")(self.rows, classes, ends, places)
        begins = np.concatenate([[0], ends[:-1]])
        return {int(c): Part(self, places[begins[c] : ends[c]]) for c in np.flatnonzero(ends > begins)}


@dataclass(eq=False)
class Part:
    """Some rows of a factor: `places` are their indices."""

    factor: Factor
    places: npt.NDArray[np.int64]

    @property
    def rank(self) -> int:
        """Rank of the factor."""
        return self.factor.rank

    @property
    def rows(self) -> Numbers:
        """Numbers of cores."""
        return self.factor.rows[self.places]


def whole(factor: Factor) -> Part:
    """Return all of a factor as a part."""
    return Part(factor, np.arange(len(factor.rows)))


class Slots:
    """Room to look up where a core stands in a factor that is being made."""

    def __init__(self) -> None:
        self._slots = np.full(1 << 13, -1, np.int32)
        self._rows, self._values = np.empty(0, np.int32), np.empty(0)

    def scratch(self, cores: int, width: int) -> tuple[Numbers, Array]:
        """Return room for the rows and values of as many cores, used again by the next call.

        Fresh memory of this size costs as much as what is done in it.
        """
        if len(self._rows) < cores:
            self._rows = np.empty(2 * cores, np.int32)
        if len(self._values) < cores * width:
            self._values = np.empty(cores * width)
        return self._rows, self._values[: cores * width].reshape(cores, width)

    def room(self, cores: int) -> Numbers:
        """Return the slots of at least so many cores, all of them free."""
        if len(self._slots) < cores:
            self._slots = np.full(2 * cores, -1, np.int32)
        return self._slots

    def stacked(self, parts: Sequence[Part], cores: int, shells: int) -> Factor:
        """Return parts side by side: ranks add up, rows are joined."""
        slots = self.room(cores)
        rows = self._joined(parts, cores, slots)
        rank = sum(part.rank for part in parts)
        values = np.zeros((len(rows), shells * rank))
        column = 0
        for part in parts:
            factor = part.factor
            place = loop("place_values")
            place(factor.rows, part.places, slots, factor.values, part.rank, values, rank, column)
            if factor.signs is not None:
                values.reshape(len(rows), shells, rank)[:, :, column : column + part.rank] *= factor.signs
            column += part.rank
        loop("clear_slots")(rows, slots)
        return Factor(rows, values, rank)

    def added(self, parts: Iterable[tuple[Part, Array]], cores: int, shells: int) -> Factor:
        """Return the sum of parts, each times chances of shape (rank, groups); the groups are its rank."""
        pairs = list(parts)
        slots = self.room(cores)
        rows = self._joined([part for part, _ in pairs], cores, slots)
        groups = pairs[0][1].shape[1]
        values = np.zeros((len(rows), shells * groups))
        for part, chances in pairs:
            # A part made before the last shells turned up is narrower; its shells come first all the same.
            factor = part.factor
            by_group = np.ascontiguousarray(factor.signed(chances.T).T)
            add = loop("add_values")
            add(factor.rows, part.places, slots, factor.values, part.rank, by_group, values)
        loop("clear_slots")(rows, slots)
        return Factor(rows, values, groups)

    def _joined(self, parts: Iterable[Part], cores: int, slots: Numbers) -> Numbers:
        rows = np.empty(cores, np.int32)
        held = 0
        for part in parts:
            held = loop("enter_rows")(part.factor.rows, part.places, slots, rows, held)
        return rows[:held].copy()


def symmetric(stack: Factor, own: Array) -> tuple[Factor, Array]:
    """Return a symmetric block as W diag(signs) W^T: the factor W and the signs.

    stack: first the columns of parts that are symmetric already, with the signs `own`, then columns A and B, as many of
    each, that stand for A B^T + B A^T, which is W_+ W_+^T - W_- W_-^T with W_+- = (A +- B) / sqrt 2.
    """
    rank, first = stack.rank, len(own)
    half = (rank - first) // 2
    values = stack.values.reshape(-1, rank)
    a, b = values[:, first : first + half].copy(), values[:, first + half :]
    values[:, first : first + half] = (a + b) / np.sqrt(2)
    values[:, first + half :] = (a - b) / np.sqrt(2)
    return stack, np.concatenate([own, np.ones(half), -np.ones(half)])


def mirror_of(a: Factor, b: Factor) -> tuple[Factor, Factor]:
    """Return a small symmetric block, whose factors list the same groups with all values in one shell, as a mirror."""
    joint = a.values[:, : a.rank] @ b.values[:, : b.rank].T
    values, vectors = np.linalg.eigh((joint + joint.T) / 2)
    shells = np.zeros((len(a.rows), a.shells, len(values)))
    shells[:, 0] = vectors * np.sqrt(np.abs(values))
    factor = Factor(a.rows, shells.reshape(len(a.rows), -1), len(values))
    return factor, factor.mirrored(np.sign(values))


def compressed(a: Factor, b: Factor, tolerance: float) -> tuple[Factor, Factor, float]:
    """Return a block of lower rank and a bound on the sum of absolute errors of its probabilities.

    The block P is scaled to D_a^-1/2 P D_b^-1/2, D its margins: by the inequality of Cauchy and Schwarz what is cut in
    the Frobenius norm then bounds the sum of absolute errors, times the root of the margins' sums. Singular values are
    those of R_a R_b^T, from two QR decompositions; of a symmetric block, the eigenvalues of R diag(signs) R^T.
    """
    rank = a.rank
    u, v = a.values.reshape(-1, rank), b.values.reshape(-1, rank)
    if b.signs is not None:
        return _compressed_mirror(a, b.signs, u, tolerance)
    weights = [_weights(u @ v.sum(axis=0)), _weights(v @ u.sum(axis=0))]
    scale = float(np.sqrt(weights[0].sum() * weights[1].sum()))
    r_a, r_b = (_triangle(x / np.sqrt(w)[:, None]) for x, w in zip((u, v), weights, strict=True))
    left, singular, right = np.linalg.svd(r_a @ r_b.T)
    keep, cut = _kept(singular, scale, tolerance)
    if keep >= rank:
        return a, b, 0.0
    new_u = u @ (r_b.T @ right[:keep].T)
    new_v = v @ (r_a.T @ (left[:, :keep] / singular[:keep]))
    less_a, less_b = (Factor(f.rows, x.reshape(len(f.rows), -1), keep) for f, x in ((a, new_u), (b, new_v)))
    return less_a, less_b, cut


def _compressed_mirror(a: Factor, signs: Array, u: Array, tolerance: float) -> tuple[Factor, Factor, float]:
    weights = _weights(u @ (signs * u.sum(axis=0)))
    r = _triangle(u / np.sqrt(weights)[:, None])
    values, vectors = np.linalg.eigh((r * signs) @ r.T)
    order = np.argsort(-np.abs(values))
    values, vectors = values[order], vectors[:, order]
    keep, cut = _kept(np.abs(values), float(weights.sum()), tolerance)
    if keep >= a.rank:
        return a, a.mirrored(signs), 0.0
    new_signs = np.sign(values[:keep])
    back = (signs[:, None] * (r.T @ vectors[:, :keep])) * (new_signs / np.sqrt(np.abs(values[:keep])))
    less = Factor(a.rows, (u @ back).reshape(len(a.rows), -1), keep)
    return less, less.mirrored(new_signs), cut


def _kept(singular: Array, scale: float, tolerance: float) -> tuple[int, float]:
    """Return how many of the descending singular values are kept, and a bound on the error of cutting the others."""
    tails = np.append(np.sqrt(np.cumsum(singular[::-1] ** 2)[::-1]) * scale, 0.0)
    keep = max(1, int(np.argmax(tails <= tolerance)))
    return keep, float(tails[keep])


def _triangle(matrix: Array) -> Array:
    """Return R of the QR decomposition."""
    return np.asarray(np.linalg.qr(matrix, mode="r"), np.float64)


def _weights(margin: Array) -> Array:
    lifted: Array = np.maximum(margin, WEAKEST * np.abs(margin).sum())
    return lifted
