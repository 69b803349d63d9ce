"""Series of prices: what the fights of a pair in a situation say about the ratio of two prices."""

import numpy as np
import numpy.typing as npt
import pandas as pd

from simlab.analysis.tables import SITUATION
from simlab.model.outcome import OUTCOMES

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

SERIES_KEYS = ("size", "policy", "a", "b", *SITUATION)
COUNTS = tuple(f"count_{name}" for name in OUTCOMES)


def collect_series(engagements: pd.DataFrame) -> pd.DataFrame:
    """Return one row per size, policy, pair and situation of the fights for prices, in their order.

    `engagements` holds for each the two rungs next to the even fight, or one where it lies beyond the numbers that
    may be tried: columns size, policy, a, b, the situation, weight, size_n (of a), size_m (of b), n, four counts, and
    `silent`, the side that alone can never fire and so never wins, a, b or none; without the column none is.

    Columns: the keys, `weight`, `n` (fights of the rung fought most), `status` (`value`; `above`: more than exp(bound)
    of b for one a; `below`: fewer; `no decision`: more than half of the fights of a rung without a winner),
    `log_rho` (NaN unless `value`), `bound` (NaN unless one-sided), `x0`, `x1` (log of the ratio b / a of the rungs,
    equal where there is one), `c0_0` to `c1_3` (counts, 0 where there is no rung).
    """
    frame = engagements.reset_index(drop=True)
    numbers = frame.groupby(list(SERIES_KEYS), sort=False, dropna=False).ngroup().to_numpy()
    order = np.lexsort((frame["size_m"] / frame["size_n"], numbers))
    numbers, frame = numbers[order], frame.iloc[order].reset_index(drop=True)
    first = np.flatnonzero(np.diff(numbers, prepend=-1))
    last = np.append(first[1:], len(frame)) - 1
    heights = np.log(frame["size_m"].to_numpy(float) / frame["size_n"].to_numpy(float))
    counts = frame[list(COUNTS)].to_numpy(np.int64)
    series = frame.iloc[first][[*SERIES_KEYS, "weight"]].reset_index(drop=True)
    series["n"] = np.maximum(frame["n"].to_numpy()[first], frame["n"].to_numpy()[last])
    x0, x1, c0, c1 = heights[first], heights[last], counts[first], counts[last]
    share0, share1 = _shares(c0), _shares(c1)
    two = last > first
    undecided = (2 * c0[:, 3] > c0.sum(1)) | (2 * c1[:, 3] > c1.sum(1))
    one_sided = np.where(share0 >= _EVEN, "above", "below")
    told = np.where(undecided, "no decision", np.where(two, "value", one_sided))
    silent = frame["silent"].to_numpy(object)[first] if "silent" in frame else np.full(len(first), "none")
    series["status"] = np.where(silent == "b", "above", np.where(silent == "a", "below", told))
    with np.errstate(divide="ignore", invalid="ignore"):
        between = x0 + (share0 - _EVEN) / (share0 - share1) * (x1 - x0)
    series["log_rho"] = np.where(series["status"] == "value", between, np.nan)
    series["bound"] = np.where(series["status"].isin(["above", "below"]), x0, np.nan)
    series["x0"], series["x1"] = x0, x1
    for name, values in (("c0", c0), ("c1", np.where(two[:, None], c1, 0))):
        for place in range(4):
            series[f"{name}_{place}"] = values[:, place]
    return series


_EVEN = 0.5


def _shares(counts: Counts) -> Floats:
    """Win shares of a, (rows,), of counts (rows, 4)."""
    shares: Floats = _EVEN + (counts[:, 0] - counts[:, 1]) / (2 * counts.sum(1))
    return shares
