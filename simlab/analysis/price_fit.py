"""Prices that fit the fair numbers best: the potential of weighted least squares, with one-sided readings.

Minimised over the logarithms of prices p is the sum of w (y - (p_a - p_b))^2 over what was measured, and of the same
square over one-sided readings as far as the prices contradict them. That is convex with a continuous slope, and
quadratic as long as the same one-sided readings are contradicted; so Newton's step, shortened where it does not
descend, ends at the minimum after a few steps. Many problems of the same pairs (throws of the dice, other weights) are
solved at once; they are columns.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]

_MOST_STEPS = 200
_STILL = 1e-12
_RIDGE = 1e-11
_AT_ONCE = 400_000


@dataclass(frozen=True, eq=False)
class Bounds:
    """One-sided readings, in the order of their pairs.

    pair: place of the pair. sense: 1 where p_first - p_second should be at least `level`, -1 where at most. weight.
    """

    pair: Places
    sense: npt.NDArray[np.int64]
    level: Floats
    weight: Floats

    def __len__(self) -> int:
        return len(self.pair)


def merge_bounds(bounds: Bounds) -> Bounds:
    """Return the bounds with those of one pair, sense and level as one, of their weight together."""
    if len(bounds) == 0:
        return bounds
    keys = np.column_stack([bounds.pair, bounds.sense, bounds.level])
    _, first, number = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    weight = np.bincount(number.ravel(), bounds.weight, len(first)).astype(np.float64)
    return Bounds(bounds.pair[first], bounds.sense[first], bounds.level[first], weight)


@dataclass(frozen=True, eq=False)
class Problem:
    """Pairs of `size` units, their measured weight, and weight times reading, and the bounds.

    first, second: shape (pairs,), each pair of units once. weight: shape (pairs,) or (pairs, columns). total: shape
    (pairs, columns). factor: None, or shape (bounds, columns), by which the weights of bounds are multiplied.
    """

    size: int
    first: Places
    second: Places
    weight: Floats
    total: Floats
    bounds: Bounds
    factor: Floats | None = None


@dataclass(frozen=True, eq=False)
class Solution:
    """The prices and what they leave.

    price: shape (units, columns), logarithms. gap: shape (pairs, columns), p_first - p_second. excess: shape (pairs,
    columns), weight times (reading - gap), summed over what was measured and the bounds that are contradicted.
    tied: shape (bounds, columns), which bounds are contradicted.
    """

    price: Floats
    gap: Floats
    excess: Floats
    tied: Bools


def fit_prices(problem: Problem, start: Floats | None = None) -> Solution:
    """Return the least-squares prices of every column; their mean is 0 unless `start` has another.

    `start`: shape (units,), prices near the solution. Where neither measurements nor contradicted bounds tie some units
    to the others, the level of these stays where the search came to it.
    """
    columns = problem.total.shape[1]
    price = np.zeros((problem.size, columns))
    if start is not None:
        price += start[:, None]
    if len(problem.bounds) == 0:
        price += _newton(problem, problem.weight, _slope(problem, problem.weight, problem.total, price))
        return _solution(problem, price, np.zeros((0, columns), bool))
    tied = np.zeros((len(problem.bounds), columns), bool)
    width = max(1, _AT_ONCE // len(problem.bounds))
    for begin in range(0, columns, width):
        block = slice(begin, begin + width)
        part = _columns(problem, block)
        price[:, block], tied[:, block] = _search(part, price[:, block])
    return _solution(problem, price, tied)


def _columns(problem: Problem, block: slice) -> Problem:
    weight = problem.weight if problem.weight.ndim == 1 else problem.weight[:, block]
    factor = None if problem.factor is None else problem.factor[:, block]
    total = problem.total[:, block]
    return Problem(problem.size, problem.first, problem.second, weight, total, problem.bounds, factor)


def _search(problem: Problem, price: Floats) -> tuple[Floats, Bools]:
    """Newton's steps until the same bounds are contradicted after a full step as before it."""
    tied, value = _contradicted(problem, price), _misfit(problem, price)
    for _ in range(_MOST_STEPS):
        weight, total = _with_bounds(problem, tied)
        slope = _slope(problem, weight, total, price)
        step = _newton(problem, weight, slope)
        length, value = _descend(problem, price, step, (slope * step).sum(axis=0), value)
        price = price + length * step
        before, tied = tied, _contradicted(problem, price)
        still = np.abs(length * step).max(axis=0) < _STILL
        if (still | ((length == 1) & (before == tied).all(axis=0))).all():
            return price, tied
    raise ArithmeticError("the prices do not settle")


def _descend(
    problem: Problem, price: Floats, step: Floats, rate: Floats, value: Floats
) -> tuple[Floats, Floats]:
    """How much of each column's step to take so that its misfit falls, and the misfit then."""
    length = np.ones(price.shape[1])
    slack = 1e-13 * (1 + np.abs(value))
    for _ in range(60):
        after = _misfit(problem, price + length * step)
        worse = after > value + 1e-4 * length * rate + slack
        if not worse.any():
            break
        length[worse] /= 2
    return length, after


def _gap(problem: Problem, price: Floats) -> Floats:
    gap: Floats = price[problem.first] - price[problem.second]
    return gap


def _over(problem: Problem, price: Floats) -> Floats:
    """How far the prices contradict each bound, at most 0 where they do not."""
    bounds = problem.bounds
    over: Floats = bounds.sense[:, None] * (bounds.level[:, None] - _gap(problem, price)[bounds.pair])
    return over


def _contradicted(problem: Problem, price: Floats) -> Bools:
    return _over(problem, price) > 0


def _bound_weights(problem: Problem) -> Floats:
    weight = problem.bounds.weight[:, None]
    return weight if problem.factor is None else weight * problem.factor


def _misfit(problem: Problem, price: Floats) -> Floats:
    """Half of the sum of squares, without what does not depend on the prices; shape (columns,)."""
    gap = _gap(problem, price)
    weight = problem.weight if problem.weight.ndim == 2 else problem.weight[:, None]
    measured = ((weight * gap / 2 - problem.total) * gap).sum(axis=0)
    over = np.maximum(_over(problem, price), 0.0)
    found: Floats = measured + (_bound_weights(problem) * over * over).sum(axis=0) / 2
    return found


def _with_bounds(problem: Problem, tied: Bools) -> tuple[Floats, Floats]:
    """Weights and totals by pair, shape (pairs, columns), the contradicted bounds read as measurements."""
    weight = problem.weight if problem.weight.ndim == 2 else problem.weight[:, None]
    weight = np.repeat(weight, tied.shape[1] // weight.shape[1], axis=1)
    total = problem.total.copy()
    if len(tied):
        pairs, starts = np.unique(problem.bounds.pair, return_index=True)
        counted = tied * _bound_weights(problem)
        weight[pairs] += np.add.reduceat(counted, starts, axis=0)
        total[pairs] += np.add.reduceat(counted * problem.bounds.level[:, None], starts, axis=0)
    return weight, total


def _slope(problem: Problem, weight: Floats, total: Floats, price: Floats) -> Floats:
    """Derivative of the misfit by each price, shape (units, columns)."""
    flow = (weight if weight.ndim == 2 else weight[:, None]) * _gap(problem, price) - total
    slope: Floats = _incidence(problem).T @ flow
    return slope


def _incidence(problem: Problem) -> Floats:
    matrix = np.zeros((len(problem.first), problem.size))
    rows = np.arange(len(problem.first))
    matrix[rows, problem.first], matrix[rows, problem.second] = 1.0, -1.0
    return matrix


def _newton(problem: Problem, weight: Floats, slope: Floats) -> Floats:
    """The step to the minimum of the quadratic; one factorisation where all columns weigh alike.

    The common level of all prices is free, and is kept by the ones; what nothing ties down is kept by the ridge.
    """
    if weight.ndim == 1:
        matrix = _laplacian(problem, weight[:, None])[0]
        return -np.linalg.solve(matrix, slope)
    matrices = _laplacian(problem, weight)
    steps = -np.linalg.solve(matrices, slope.T[:, :, None])[:, :, 0].T
    return np.asarray(steps, np.float64)


def _laplacian(problem: Problem, weight: Floats) -> Floats:
    size, columns = problem.size, weight.shape[1]
    matrix = np.zeros((columns, size, size))
    matrix[:, problem.first, problem.second] = -weight.T
    matrix[:, problem.second, problem.first] = -weight.T
    diagonal = np.arange(size)
    degree = -matrix.sum(axis=2)
    matrix[:, diagonal, diagonal] = degree
    scale = np.maximum(degree.mean(axis=1), np.finfo(np.float64).tiny)
    matrix += (scale / size)[:, None, None]
    matrix[:, diagonal, diagonal] += _RIDGE * scale[:, None]
    return matrix


def _solution(problem: Problem, price: Floats, tied: Bools) -> Solution:
    weight, total = _with_bounds(problem, tied) if len(tied) else (problem.weight, problem.total)
    gap = _gap(problem, price)
    excess = total - (weight if weight.ndim == 2 else weight[:, None]) * gap
    return Solution(price, gap, excess, tied)
