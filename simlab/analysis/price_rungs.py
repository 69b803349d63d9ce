"""Fair numbers read between two sizes, and how chance in the counts moves them.

A series has two rungs: x0 and x1, the logarithms of m/n, at which fights of n of A against m of B were counted. The
share of A is taken as linear in x between them and a little beyond; where it is one half, x is the logarithm of the
fair number. The chance in it is found by throwing the counts of both rungs again, many times, from the shares that
were counted (parametric bootstrap).

A rung that one side won every time would, thrown again, be won every time, as if it were certain. So the counts are
thrown from shares into which half a win of each side is drawn, and only the movement of the reading is kept.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from simlab.analysis.intervals import as_counts

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

BEYOND = 1.0
"""How many steps between the rungs a reading may lie beyond them."""
REPLICATES = 1000
SEED = 20_350
COUNTS_0 = tuple(f"c0_{place}" for place in range(4))
COUNTS_1 = tuple(f"c1_{place}" for place in range(4))

_EVEN = 0.5
_MIXED_IN = 0.5
_BLOCK = 128
_THREADS = 2


def read_crossing(
    x0: npt.ArrayLike, x1: npt.ArrayLike, share_0: npt.ArrayLike, share_1: npt.ArrayLike
) -> Floats:
    """Return the x at which the share of side a is one half, linear between and around two rungs.

    Shapes broadcast. The reading stays within one step beyond the rungs. Where the share does not fall from x0 to x1,
    the reading is at that end to which the shares point: beyond x1 if a does better than even, else before x0.
    """
    start, end = np.asarray(x0, np.float64), np.asarray(x1, np.float64)
    above, under = np.asarray(share_0, np.float64), np.asarray(share_1, np.float64)
    fall = above - under
    with np.errstate(divide="ignore", invalid="ignore"):
        place = (above - _EVEN) / fall
    lost = np.sign(above + under - 2 * _EVEN) * (_EVEN + BEYOND) + _EVEN
    place = np.clip(np.where(fall > 0, place, lost), -BEYOND, 1 + BEYOND)
    read: Floats = start + place * (end - start)
    return read


@dataclass(frozen=True, eq=False)
class Rungs:
    """The two rungs of many series.

    x: shape (rows, 2), logarithms of m/n. counts: shape (rows, 2, 4), fights by outcome (a wins, b wins, both,
    neither); a row without fights at a rung is not thrown again.
    """

    x: Floats
    counts: Ints

    @classmethod
    def of(cls, series: pd.DataFrame) -> "Rungs":
        """Return the rungs of a frame with x0, x1, c0_0 to c0_3 and c1_0 to c1_3."""
        counts = [as_counts(series[list(names)]) for names in (COUNTS_0, COUNTS_1)]
        return cls(series[["x0", "x1"]].to_numpy(np.float64), np.stack(counts, axis=1))

    def __len__(self) -> int:
        return len(self.x)

    def take(self, rows: npt.NDArray[np.intp]) -> "Rungs":
        """Return some of the series, by place."""
        return Rungs(self.x[rows], self.counts[rows])

    def read(self) -> Floats:
        """Return the logarithms of the fair numbers, shape (rows,); NaN without fights."""
        wins, halves, fights = _scores(self.counts)
        with np.errstate(invalid="ignore"):
            share = (wins + halves / 2) / fights
        return np.where((fights > 0).all(axis=1), self._at(share[:, 0], share[:, 1]), np.nan)

    def _at(self, share_0: Floats, share_1: Floats) -> Floats:
        shape = (-1, *[1] * (share_0.ndim - 1))
        return read_crossing(self.x[:, 0].reshape(shape), self.x[:, 1].reshape(shape), share_0, share_1)

    def throw(self, replicates: int, generator: np.random.Generator) -> Floats:
        """Return how far the readings move when the fights are counted again, shape (rows, replicates)."""
        wins, halves, fights = _scores(self.counts)
        win_chance = (wins + _MIXED_IN) / (fights + 2 * _MIXED_IN)
        half_chance = halves / (fights + 2 * _MIXED_IN)
        shares = [
            _throw_shares(fights[:, rung], win_chance[:, rung], half_chance[:, rung], replicates, generator)
            for rung in (0, 1)
        ]
        middle = win_chance + half_chance / 2
        moved = self._at(*shares) - self._at(middle[:, 0], middle[:, 1])[:, None]
        moved[(fights == 0).any(axis=1)] = 0.0
        return moved


def _scores(counts: Ints) -> tuple[Ints, Ints, Ints]:
    """Wins of a, fights that count half, and all fights, each of shape (rows, 2)."""
    return counts[..., 0], counts[..., 2] + counts[..., 3], counts.sum(axis=-1)


def _throw_shares(
    fights: Ints, win: Floats, half: Floats, replicates: int, generator: np.random.Generator
) -> Floats:
    """Shares of a, shape (rows, replicates), from counts of wins, halves and losses (trinomial)."""
    shape = (len(fights), replicates)
    wins = generator.binomial(fights[:, None], win[:, None], shape)
    scores = wins.astype(np.float64)
    mixed = np.flatnonzero(half > 0)
    if len(mixed):
        rest = half[mixed] / (1 - win[mixed])
        scores[mixed] += generator.binomial(fights[mixed, None] - wins[mixed], rest[:, None]) / 2
    scores /= np.maximum(fights, 1)[:, None]
    return scores


def throw_blocks(
    rungs: Rungs, replicates: int = REPLICATES, seed: int = SEED
) -> Iterator[tuple[slice, Floats]]:
    """Yield blocks of rows with how far their readings move, shape (rows of the block, replicates).

    Every block has dice of its own, of `seed` and its place, so that the same series give the same figures with any
    number of threads. A block is dropped before many more are made: memory stays small for any number of rows.
    """
    places = [slice(start, min(start + _BLOCK, len(rungs))) for start in range(0, len(rungs), _BLOCK)]
    rows = np.arange(len(rungs))

    def thrown(number: int) -> Floats:
        block = rungs.take(rows[places[number]])
        return block.throw(replicates, np.random.default_rng([seed, number]))

    yield from zip(places, _ahead(thrown, len(places)), strict=True)


def _ahead(make: Callable[[int], Floats], count: int) -> Iterator[Floats]:
    """Blocks in their order; while one is used, the next ones are made."""
    if count <= 1:
        yield from map(make, range(count))
        return
    with ThreadPoolExecutor(_THREADS) as pool:
        waiting = [pool.submit(make, number) for number in range(min(_THREADS + 1, count))]
        for number in range(count):
            yield waiting.pop(0).result()
            following = number + _THREADS + 1
            if following < count:
                waiting.append(pool.submit(make, following))


def estimate_log_rho(
    series: pd.DataFrame, *, level: float = 0.95, replicates: int = REPLICATES, seed: int = SEED
) -> pd.DataFrame:
    """Return the logarithm of the fair number of each series with its sampling error.

    `series` has the columns of `Rungs.of`. Columns, under its index: `log_rho`, `sd` (how much it moves from one
    repetition to another), `low`, `high` (the middle `level` of the repetitions). NaN without fights at both rungs.
    """
    rungs = Rungs.of(series)
    value = rungs.read()
    spread, ends = np.full(len(rungs), np.nan), np.full((2, len(rungs)), np.nan)
    for place, moved in throw_blocks(rungs, replicates, seed):
        spread[place] = moved.std(axis=1, ddof=1)
        ends[:, place] = np.quantile(moved, [(1 - level) / 2, (1 + level) / 2], axis=1)
    known = np.where(np.isnan(value), np.nan, 0.0)
    figures = {"log_rho": value, "sd": spread + known, "low": value + ends[0], "high": value + ends[1]}
    return pd.DataFrame(figures, index=series.index)
