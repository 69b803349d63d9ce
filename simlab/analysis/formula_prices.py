"""Prices of many sheets from the same design of opponents and situations, against units whose prices stand."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from simlab.analysis.price_rows import ABOVE, BELOW, VALUE
from simlab.analysis.price_rungs import SEED, Rungs, throw_blocks

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

THROWS = 100
HALVINGS = 50
LEAST_SAID = 0.5
"""Share of the design's weight that has to say something about a sheet."""


def price_sheets(
    series: pd.DataFrame, prices: "pd.Series[float]", *, throws: int = THROWS, seed: int = SEED
) -> pd.DataFrame:
    """Return what each sheet is worth, one row a sheet under its id.

    series: `collect_series` of fights of sheets against priced units, one of either in every row. prices: of the units
    by id, in ECV. Columns: `log_price` (NaN without one), `sd` (what sampling leaves open, of the log price), `said`
    (share of the weight that says something), `one_sided` (share of it beyond the sizes fought).

    A fair number and the opponent's price name a price of the sheet; the price is their weighted mean. One-sided fair
    numbers count only where the price contradicts them.
    """
    ours = (~series["a"].isin(prices.index)).to_numpy(bool)
    sheet = series["a"].where(ours, series["b"])
    known = np.log(series["b"].where(ours, series["a"]).map(prices).to_numpy(np.float64))
    sign = np.where(ours, 1.0, -1.0)
    status = series["status"].to_numpy(object)
    sense = np.where(status == ABOVE, 1, np.where(status == BELOW, -1, 0)) * sign.astype(np.int64)
    measured = np.asarray(status == VALUE, bool)
    moved = _throws(series, measured, throws, seed)
    bias = moved.mean(axis=1)
    read = np.where(measured, series["log_rho"], series["bound"]).astype(np.float64) - bias
    named = known + sign * read
    noise = (moved - bias[:, None]) * sign[:, None]
    weight = series["weight"].to_numpy(np.float64)
    rows = {
        name: _settle(_Said(named[place], sense[place], measured[place], weight[place], noise[place]))
        for name, place in sheet.groupby(sheet, sort=False).indices.items()
    }
    columns = ["log_price", "sd", "said", "one_sided"]
    found = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    return found.rename_axis("sheet")


@dataclass(frozen=True, eq=False)
class _Said:
    """What the rows of a sheet say: the log prices they name, one-sided or measured, their weights and their noise."""

    named: Floats
    sense: Ints
    measured: npt.NDArray[np.bool_]
    weight: Floats
    noise: Floats


def _settle(said: _Said) -> tuple[float, float, float, float]:
    """Log price, its sampling deviation, and what share of the weight says something, or is one-sided."""
    usable = said.measured | (said.sense != 0)
    total = float(said.weight.sum())
    share = float(said.weight[usable].sum()) / total
    one_sided = float(said.weight[said.sense != 0].sum()) / total
    if share < LEAST_SAID or not (said.measured & (said.weight > 0)).any():
        return np.nan, np.nan, share, one_sided
    named, sense, weight = said.named[usable], said.sense[usable], said.weight[usable]
    low, high = float(named.min()) - 1.0, float(named.max()) + 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        gap = named - middle
        pull = weight @ np.where((sense == 0) | (sense * gap > 0), gap, 0.0)
        low, high = (middle, high) if pull > 0 else (low, middle)
    price = (low + high) / 2
    counted = weight[(sense == 0) | (sense * (named - price) > 0)].sum()
    thrown = said.weight[said.measured] @ said.noise[said.measured] / counted
    return price, float(thrown.std(ddof=1)), share, one_sided


def _throws(series: pd.DataFrame, measured: npt.NDArray[np.bool_], throws: int, seed: int) -> Floats:
    """How far each reading moves when its fights are counted again, shape (rows, throws); 0 where nothing was read."""
    moved = np.zeros((len(series), throws))
    for place, thrown in throw_blocks(Rungs.of(series), throws, seed):
        moved[place] = thrown
    moved[~measured] = 0.0
    return moved
