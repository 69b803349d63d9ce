"""Planted prices: situations whose fair numbers are known, and counts that chance makes of them.

The share of n of A against m of B is a logistic curve of x = log(m/n) that is one half at the true logarithm of the
fair number. A rung's counts are drawn from it; what is estimated is the line between the two rungs, so the truth is
the crossing of the line between the true shares.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from simlab.analysis.price_fit import Solution
from simlab.analysis.price_network import Network, fit_network
from simlab.analysis.price_rows import PriceRows, arrange_rows, throw_readings
from simlab.analysis.price_rungs import COUNTS_0, COUNTS_1, Rungs, read_crossing

Floats = npt.NDArray[np.float64]

SLOPE = 3.0
"""How steeply the log odds of a share fall with x."""
STEP = 0.4
BOTH, NEITHER = 0.04, 0.06
"""Shares of fights that both sides, or none, survive; they count half."""
SETTING = {"size": 2350.0, "policy": "spread"}


def share_at(x: npt.ArrayLike, even: npt.ArrayLike, slope: float = SLOPE) -> Floats:
    """Return the share of a at x where the fair number's logarithm is `even`."""
    return 1 / (1 + np.exp(slope * (np.asarray(x, np.float64) - even)))


def chances_of(share: npt.ArrayLike) -> Floats:
    """Return chances of the four outcomes, shape (..., 4), that have this share."""
    decided = 1 - BOTH - NEITHER
    wins = np.clip(np.asarray(share, np.float64) - (BOTH + NEITHER) / 2, 0, decided)
    rest = np.broadcast_to([BOTH, NEITHER], (*wins.shape, 2))
    return np.concatenate([np.stack([wins, decided - wins], axis=-1), rest], axis=-1)


@dataclass(frozen=True)
class Planted:
    """A planted pricing: the series as a frame, without counts, and the chances at both rungs, shape (rows, 2, 4)."""

    units: tuple[str, ...]
    series: pd.DataFrame
    chances: Floats

    @property
    def truth(self) -> Floats:
        """The logarithms of the fair numbers that the lines between the true shares have, shape (rows,)."""
        share = self.chances[..., 0] + (self.chances[..., 2] + self.chances[..., 3]) / 2
        x = self.series[["x0", "x1"]].to_numpy()
        return read_crossing(x[:, 0], x[:, 1], share[:, 0], share[:, 1])

    def true_network(self, centre: str | None = None) -> Network:
        """Return the fit of prices to the truth."""
        return fit_network(self.rows(self.truth), centre=centre)

    def rows(self, log_rho: Floats, counts: npt.NDArray[np.int64] | None = None) -> PriceRows:
        """Return the arranged rows with these readings and counts, shape (rows, 2, 4)."""
        return arrange_rows(self.frame(log_rho, counts), self.units)

    def frame(self, log_rho: Floats, counts: npt.NDArray[np.int64] | None = None) -> pd.DataFrame:
        """Return the series with these readings and counts."""
        held = np.zeros((len(self.series), 2, 4), np.int64) if counts is None else counts
        columns = {name: held[:, 0, k] for k, name in enumerate(COUNTS_0)}
        columns |= {name: held[:, 1, k] for k, name in enumerate(COUNTS_1)}
        return self.series.assign(log_rho=log_rho, **columns)

    def drawn(self, n: int, generator: np.random.Generator) -> pd.DataFrame:
        """Return the series with counts of n fights a rung."""
        counts = generator.multinomial(n, self.chances)
        return self.frame(Rungs(self.series[["x0", "x1"]].to_numpy(), counts).read(), counts)

    def repeats(
        self, n: int, repeats: int, seed: int, *, replicates: int = 200, centre: str | None = None
    ) -> Iterator[tuple[Network, Solution, slice]]:
        """Yield the fit of each repetition with n fights a rung, as it moves by chance, and the places of its units.

        Many repetitions are thrown at once, as the same units under other names that never meet.
        """
        generator = np.random.default_rng(seed)
        frame = self.frame(np.zeros(len(self.series)))
        copies = [
            frame.assign(
                a=[f"{unit}{number}" for unit in frame["a"]], b=[f"{unit}{number}" for unit in frame["b"]]
            )
            for number in range(_AT_ONCE)
        ]
        names = tuple(f"{unit}{number}" for number in range(_AT_ONCE) for unit in self.units)
        base = arrange_rows(pd.concat(copies), names)
        base = replace(base, same=np.arange(len(base.pair)))
        masks = np.repeat(np.eye(_AT_ONCE, dtype=bool), len(self.series), axis=1)
        for done in range(0, repeats, _AT_ONCE):
            counts = generator.multinomial(n, self.chances, (_AT_ONCE, len(self.series), 2))
            rungs = Rungs(base.rungs.x, counts.reshape(-1, 2, 4))
            rows = replace(base, rungs=rungs, reading=rungs.read() * base.sign)
            freed, moved = throw_readings(rows, replicates, seed + done)
            for number in range(min(_AT_ONCE, repeats - done)):
                network = fit_network(freed, masks[number], None if centre is None else f"{centre}{number}")
                size = len(self.units)
                yield network, network.refit(moved), slice(number * size, (number + 1) * size)


_AT_ONCE = 40


def plant(
    prices: dict[str, float],
    *,
    ranges: Sequence[float] = (6.0, 12.0),
    extra: dict[tuple[str, str], float] | None = None,
    place: float = 0.35,
    step: float = STEP,
) -> Planted:
    """Return planted series of all pairs, each fought at every range.

    prices: by unit. extra: by pair, what is added to the logarithm of its fair number beyond the prices. The true even
    fight lies at `place`, a little moved from row to row, between the rungs, which are `step` apart.
    """
    units = tuple(prices)
    records, evens = [], []
    for i, a in enumerate(units):
        for b in units[i + 1 :]:
            for k, distance in enumerate(ranges):
                even = np.log(prices[a] / prices[b]) + (extra or {}).get((a, b), 0.0)
                x0 = even - step * (place + 0.3 * ((len(records) * 0.618) % 1))
                turned = (len(records) + k) % 2 == 1
                ends = (-(x0 + step), -x0) if turned else (x0, x0 + step)
                records.append((b, a, distance, *ends) if turned else (a, b, distance, *ends))
                evens.append(-even if turned else even)
    frame = pd.DataFrame(records, columns=["a", "b", "range", "x0", "x1"])
    frame = frame.assign(
        aspect_a="front",
        aspect_b="front",
        first_fire="none",
        weight=1 / len(ranges),
        status="value",
        **SETTING,
    ).assign(bound=np.nan)
    shares = share_at(frame[["x0", "x1"]].to_numpy(), np.array(evens)[:, None])
    return Planted(units, frame, chances_of(shares))


def describe(prices: dict[str, float], ecv: dict[str, float | None] | None = None) -> pd.DataFrame:
    """Return the frame of units; the ECV of each is its price unless another is given."""
    rows = [(unit, unit.upper(), "X", (ecv or {}).get(unit, price)) for unit, price in prices.items()]
    frame = pd.DataFrame(rows, columns=["id", "name", "nation", "ecv"])
    return frame.assign(ecv=frame["ecv"].astype("float64"), source="rulebook", draft=False)
