"""The price of one unit against units whose prices stand: what its fair numbers say, one opponent with another.

Every fair number against an opponent, and that opponent's price, name a price of the unit. The price that is given is
their weighted mean; a series whose fair number lies beyond the sizes fought counts only where the price contradicts it,
as in the fit of a whole roster.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from simlab.analysis.price_rows import ABOVE, BELOW, VALUE
from simlab.analysis.price_rungs import REPLICATES, SEED, Rungs, throw_blocks
from simlab.analysis.tables import SITUATION

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]

REWEIGHTINGS = 1000
MIX_SEED = 2_011
HALVINGS = 60


@dataclass(frozen=True, eq=False)
class Worth:
    """What is said of a unit's log price: shape (rows,) each.

    value: the price named, or its bound. sense: 0 measured, 1 at least `value`, -1 at most. weight: by the mix and by
    how many opponents fight alike. opponent, situation: numbers from 0.
    """

    value: Floats
    sense: npt.NDArray[np.int64]
    weight: Floats
    opponent: Places
    situation: Places


@dataclass(frozen=True)
class Appraisal:
    """A price with its intervals, and its status: priced, unbounded above, unbounded below, cannot tell.

    low, high: what sampling leaves open, the opponents' prices taken as they stand. mix_low, mix_high: the middle 95%
    of other mixes of opponents and situations. NaN without a price.
    """

    status: str
    priced: float
    low: float
    high: float
    mix_low: float
    mix_high: float


def appraise_unit(
    series: pd.DataFrame,
    unit: str,
    prices: "pd.Series[float]",
    crowd: "pd.Series[int]",
    *,
    level: float = 0.95,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> Appraisal:
    """Return the price of a unit from its series (`collect_series`, one setting) against units of known prices.

    prices: of the opponents by id, in ECV; opponents without one (NaN) do not count. crowd: by id, how many units fight
    like it.
    """
    rows = series[series["status"].isin([VALUE, ABOVE, BELOW]) & (series["weight"] > 0)]
    foe = rows["b"].where(rows["a"] == unit, rows["a"])
    rows = rows[foe.map(prices).notna()].reset_index(drop=True)
    worth = _arrange(rows, unit, prices, crowd)
    nothing = float("nan")
    if len(rows) == 0 or not (worth.sense == 0).any():
        status = _one_sided(worth)
        return Appraisal(status, nothing, nothing, nothing, nothing, nothing)
    moved = _throws(rows, unit, replicates, seed)
    bias = moved.mean(axis=1)
    worth = Worth(worth.value - bias, worth.sense, worth.weight, worth.opponent, worth.situation)
    price = _settle(worth.value[:, None], worth.sense, worth.weight[:, None])[0]
    thrown = _settle(worth.value[:, None] + moved - bias[:, None], worth.sense, worth.weight[:, None])
    low, high = np.quantile(thrown - thrown.mean() + price, [(1 - level) / 2, (1 + level) / 2])
    mixes = _settle(worth.value[:, None], worth.sense, _mixes(worth))
    mix = np.quantile(mixes, [0.025, 0.975])
    return Appraisal("priced", *np.exp([price, low, high, *mix]).tolist())


def _arrange(rows: pd.DataFrame, unit: str, prices: "pd.Series[float]", crowd: "pd.Series[int]") -> Worth:
    ours = (rows["a"] == unit).to_numpy(bool)
    foe = rows["b"].where(ours, rows["a"])
    sign = np.where(ours, 1.0, -1.0)
    status = rows["status"].to_numpy(object)
    sense = np.where(status == ABOVE, 1, np.where(status == BELOW, -1, 0)) * sign.astype(np.int64)
    read = np.where(sense == 0, rows["log_rho"], rows["bound"]).astype(np.float64)
    known = np.log(foe.map(prices).to_numpy(np.float64))
    opponent = np.asarray(pd.factorize(foe)[0], np.intp)
    situation = np.asarray(rows.groupby(list(SITUATION), sort=False).ngroup(), np.intp)
    weight = rows["weight"].to_numpy(np.float64) / foe.map(crowd).to_numpy(np.float64)
    return Worth(known + sign * read, sense, weight, opponent, situation)


def _one_sided(worth: Worth) -> str:
    if len(worth.sense) and (worth.sense > 0).all():
        return "unbounded above"
    return "unbounded below" if len(worth.sense) and (worth.sense < 0).all() else "cannot tell"


def _throws(rows: pd.DataFrame, unit: str, replicates: int, seed: int) -> Floats:
    """How far what each row says moves when its fights are counted again, shape (rows, replicates)."""
    sign = np.where(rows["a"] == unit, 1.0, -1.0)
    moved = np.zeros((len(rows), replicates))
    for place, thrown in throw_blocks(Rungs.of(rows), replicates, seed):
        moved[place] = thrown
    moved[(rows["status"] != VALUE).to_numpy(bool)] = 0.0
    moved *= sign[:, None]
    return moved


def _settle(value: Floats, sense: npt.NDArray[np.int64], weight: Floats) -> Floats:
    """The least-squares price of each column: where the pulls of what is measured and contradicted even out.

    The pull falls with the price, so that halving finds its zero.
    """
    columns = np.broadcast_shapes(value.shape, weight.shape)[1]
    measured, sided = sense == 0, sense != 0
    weights = np.broadcast_to(weight, (len(sense), columns))
    total = weights[measured].sum(axis=0)
    moment = (weight[measured] * value[measured]).sum(axis=0)
    bound, pulls, side = value[sided], weight[sided], sense[sided][:, None]
    low, high = np.full(columns, value.min() - 1.0), np.full(columns, value.max() + 1.0)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        gap = bound - middle
        pull = moment - total * middle + (pulls * np.where(side * gap > 0, gap, 0.0)).sum(axis=0)
        low, high = np.where(pull > 0, middle, low), np.where(pull > 0, high, middle)
    return np.asarray((low + high) / 2, np.float64)


def _mixes(worth: Worth) -> Floats:
    """Weights under other mixes: flat random factors for opponents and, independently, for situations."""
    generator = np.random.default_rng(MIX_SEED)
    factors = [
        generator.standard_exponential((int(number.max()) + 1, REWEIGHTINGS))[number]
        for number in (worth.opponent, worth.situation)
    ]
    mixed: Floats = worth.weight[:, None] * factors[0] * factors[1]
    return mixed
