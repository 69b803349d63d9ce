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
    """One side of a block. rows, worn: numbers of cores and their shells, (states,). values: (states, rank).

    P(core and shell of a, core and shell of b) is the sum over the rank of the products of both factors' values. A
    factor with signs (rank,) stands for its values times them. Few of the pairs of a core and a shell can occur at all.
    """

    rows: Numbers
    worn: Numbers
    values: Array
    signs: Array | None = None

    @property
    def rank(self) -> int:
        """Number of products."""
        return int(self.values.shape[1])

    def with_values(self, values: Array, signs: Array | None = None) -> "Factor":
        """Return other values for the same states."""
        return Factor(self.rows, self.worn, values, signs)

    def mirrored(self, signs: Array) -> "Factor":
        """Return the other side of a block that is symmetric: the same, columns times signs (rank,)."""
        return self.with_values(self.values, signs)

    def signed(self, sums: Array) -> Array:
        """Return what was summed by column (..., rank) with the signs of the columns."""
        return sums if self.signs is None else sums * self.signs

    @functools.cached_property
    def total(self) -> Array:
        """The values summed over states: shape (rank,)."""
        return self.signed(self.values.sum(axis=0))

    def by_flags(self, fates: npt.NDArray[np.int64], flag_sets: int) -> Array:
        """Return the values summed by flags of the cores: shape (flag_sets, rank)."""
        sums = np.zeros((flag_sets, self.rank))
        loop("sum_groups")(fates[self.rows], np.arange(len(self.rows)), self.values, sums)
        return self.signed(sums)

    def split(self, classes: Numbers, number: int) -> dict[int, "Part"]:
        """Return the factor in parts by class; classes: by core, number: how many there are."""
        ends, places = np.zeros(number, np.int64), np.empty(len(self.rows), np.int64)
        loop("sort_classes")(self.rows, classes, ends, places)
        begins = np.concatenate([[0], ends[:-1]])
        return {int(c): Part(self, places[begins[c] : ends[c]]) for c in np.flatnonzero(ends > begins)}


@dataclass(eq=False)
class Part:
    """Some states of a factor: `places` are their indices."""

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
    """Room to look up where a core with a shell stands in a factor that is being made."""

    def __init__(self) -> None:
        self._slots = np.full((1 << 13, 8), -1, np.int32)
        self._rows, self._worn = np.empty(1 << 14, np.int32), np.empty(1 << 14, np.int32)
        self._values = np.empty(0)

    def scratch(self, states: int, rank: int) -> tuple[Numbers, Numbers, Array]:
        """Return room for as many cores, their shells and their values, used again by the next call.

        Fresh memory of this size costs as much as what is done in it.
        """
        if len(self._rows) < states:
            self._rows, self._worn = np.empty(2 * states, np.int32), np.empty(2 * states, np.int32)
        if len(self._values) < states * rank:
            self._values = np.empty(2 * states * rank)
        return self._rows, self._worn, self._values[: states * rank].reshape(states, rank)

    def room(self, cores: int, shells: int) -> Numbers:
        """Return the slots of at least so many cores and shells, all of them free."""
        had = self._slots.shape
        if had[0] < cores or had[1] < shells:
            shape = (2 * cores if had[0] < cores else had[0], 2 * shells if had[1] < shells else had[1])
            self._slots = np.full(shape, -1, np.int32)
        return self._slots

    def stacked(self, parts: Sequence[Part], cores: int, shells: int) -> Factor:
        """Return parts side by side: ranks add up, states are joined."""
        slots = self.room(cores, shells)
        rows, worn = self._joined(parts, slots)
        values = np.zeros((len(rows), sum(part.rank for part in parts)))
        column = 0
        for part in parts:
            factor, after = part.factor, column + part.rank
            loop("place_values")(factor.rows, factor.worn, part.places, slots, factor.values, values, column)
            if factor.signs is not None:
                values[:, column:after] *= factor.signs
            column = after
        loop("clear_slots")(rows, worn, slots)
        return Factor(rows, worn, values)

    def added(self, parts: Iterable[tuple[Part, Array]], cores: int, shells: int) -> Factor:
        """Return the sum of parts, each times chances of shape (rank, groups); the groups are its rank."""
        pairs = list(parts)
        slots = self.room(cores, shells)
        rows, worn = self._joined([part for part, _ in pairs], slots)
        values = np.zeros((len(rows), pairs[0][1].shape[1]))
        for part, chances in pairs:
            factor = part.factor
            products = factor.values[part.places] @ factor.signed(chances.T).T
            loop("add_values")(factor.rows, factor.worn, part.places, slots, products, values)
        loop("clear_slots")(rows, worn, slots)
        return Factor(rows, worn, values)

    def _joined(self, parts: Sequence[Part], slots: Numbers) -> tuple[Numbers, Numbers]:
        most = sum(len(part.places) for part in parts)
        rows, worn = np.empty(most, np.int32), np.empty(most, np.int32)
        held = 0
        for part in parts:
            factor = part.factor
            held = loop("enter_rows")(factor.rows, factor.worn, part.places, slots, rows, worn, held)
        return rows[:held].copy(), worn[:held].copy()


def symmetric(stack: Factor, own: Array) -> tuple[Factor, Array]:
    """Return a symmetric block as W diag(signs) W^T: the factor W and the signs.

    stack: first the columns of parts that are symmetric already, with the signs `own`, then columns A and B, as many of
    each, that stand for A B^T + B A^T, which is W_+ W_+^T - W_- W_-^T with W_+- = (A +- B) / sqrt 2.
    """
    rank, first = stack.rank, len(own)
    half = (rank - first) // 2
    values = stack.values
    a, b = values[:, first : first + half].copy(), values[:, first + half :]
    values[:, first : first + half] = (a + b) / np.sqrt(2)
    values[:, first + half :] = (a - b) / np.sqrt(2)
    return stack, np.concatenate([own, np.ones(half), -np.ones(half)])


def mirror_of(a: Factor, b: Factor) -> tuple[Factor, Factor]:
    """Return a small symmetric block, whose factors list the same states, as a mirror."""
    joint = a.values @ b.values.T
    values, vectors = np.linalg.eigh((joint + joint.T) / 2)
    factor = a.with_values(vectors * np.sqrt(np.abs(values)))
    return factor, factor.mirrored(np.sign(values))


def compressed(a: Factor, b: Factor, tolerance: float) -> tuple[Factor, Factor, float]:
    """Return a block of lower rank and a bound on the sum of absolute errors of its probabilities.

    The block P is scaled to D_a^-1/2 P D_b^-1/2, D its margins: by the inequality of Cauchy and Schwarz what is cut in
    the Frobenius norm then bounds the sum of absolute errors, times the root of the margins' sums. Singular values are
    those of R_a R_b^T, from two QR decompositions; of a symmetric block, the eigenvalues of R diag(signs) R^T.
    """
    rank = a.rank
    u, v = a.values, b.values
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
    return a.with_values(new_u), b.with_values(new_v), cut


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
    less = a.with_values(u @ back)
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
