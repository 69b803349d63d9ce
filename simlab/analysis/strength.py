"""How strong units are in duels (Bradley, Terry), and whether the prices put them in the same order.

Strengths are estimated from win shares: the share of a against b is read as so many won fights. A share of 0 or 1 has
no finite strength behind it; shares are kept within one fight in ten thousand of that, so that a unit that always wins
is ahead by a finite step.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd

from simlab.analysis.price_intervals import limit_together

Floats = npt.NDArray[np.float64]

LEAST_SHARE = 1e-4


def fit_bradley_terry(wins: npt.ArrayLike) -> Floats:
    """Return the strengths (logarithms, of mean 0) under which the wins are likeliest, shape (units,).

    `wins`: shape (units, units), how often the unit of a row won against that of a column; fractions are welcome. The
    diagonal counts for nothing. Units that no chain of fights ties to the largest group have NaN. Within a group each
    unit must be tied to each by a chain of wins (ValueError).
    """
    table = np.array(wins, np.float64)
    np.fill_diagonal(table, 0.0)
    strength = np.full(len(table), np.nan)
    if len(table) == 0:
        return strength
    group = _largest_group((table + table.T) > 0)
    inner = table[np.ix_(group, group)]
    if not _reaches_all(inner > 0) or not _reaches_all(inner.T > 0):
        raise ValueError("no finite strength: some units win, or lose, all their fights against the rest")
    strength[group] = _likeliest(inner)
    return strength


def _likeliest(wins: Floats) -> Floats:
    if len(wins) == 1:
        return np.zeros(1)
    # Late: it loads SciPy, half a second that most commands need not spend.
    import choix

    found = np.asarray(choix.ilsr_pairwise_dense(wins, max_iter=10_000, tol=1e-10), np.float64)
    centred: Floats = found - found.mean()
    return centred


def _largest_group(tied: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    left, best = np.ones(len(tied), bool), np.zeros(0, np.intp)
    while left.any():
        group = _reached(tied, int(np.flatnonzero(left)[0]))
        left &= ~group
        if group.sum() > len(best):
            best = np.flatnonzero(group)
    return best


def _reached(edges: npt.NDArray[np.bool_], start: int) -> npt.NDArray[np.bool_]:
    seen = np.zeros(len(edges), bool)
    seen[start] = True
    while True:
        wider = seen | edges[seen].any(axis=0)
        if (wider == seen).all():
            return seen
        seen = wider


def _reaches_all(edges: npt.NDArray[np.bool_]) -> bool:
    return bool(_reached(edges, 0).all())


def rate_strengths(duels: pd.DataFrame, fight_hashes: Mapping[str, str] | None = None) -> "pd.Series[float]":
    """Return the strength of each unit by id, from all duels of two different units; their mean is 0.

    `duels`: columns a, b, weight and `win_share` (of a). A pair's two orders count together, by weight; opponents that
    fight alike (of equal fight hash) weigh together as much as one. The index is sorted.
    """
    rows = duels[(duels["a"] != duels["b"]) & (duels["weight"] > 0)]
    units = sorted({*duels["a"], *duels["b"]})
    place = {unit: number for number, unit in enumerate(units)}
    known = fight_hashes or {}
    alike = pd.Series([known.get(unit, unit) for unit in units])
    crowd = alike.map(alike.value_counts()).to_numpy(np.float64)
    a, b = (np.array([place[unit] for unit in rows[side]], np.intp) for side in "ab")
    weight = rows["weight"].to_numpy(np.float64)
    share = rows["win_share"].to_numpy(np.float64)
    wins, all_fights = np.zeros((2, len(units), len(units)))
    np.add.at(wins, (a, b), weight * share)
    np.add.at(wins, (b, a), weight * (1 - share))
    np.add.at(all_fights, (a, b), weight)
    fights = all_fights + all_fights.T
    mean = np.divide(wins, fights, out=np.full(wins.shape, np.nan), where=fights > 0)
    kept = np.where(fights > 0, np.clip(mean, LEAST_SHARE, 1 - LEAST_SHARE), 0.0)
    wins = kept / np.outer(crowd, crowd)
    return pd.Series(fit_bradley_terry(wins), index=pd.Index(units, name="id"), name="strength")


def estimate_tau(first: Floats, second: Floats) -> Floats:
    """Return Kendall's tau-b of `first`, shape (units,), and each column of `second`, shape (units, columns).

    NaN where one of the two has no order, or there are fewer than two units.
    """
    i, j = np.triu_indices(len(first), 1)
    ours = np.sign(first[i] - first[j])
    theirs = np.sign(second[i] - second[j])
    scale = np.sqrt((ours != 0).sum() * (theirs != 0).sum(axis=0))
    tau: Floats = np.divide(ours @ theirs, scale, out=np.full(second.shape[1], np.nan), where=scale > 0)
    return tau


def compare_orders(
    prices: pd.DataFrame, throws: Floats, strength: "pd.Series[float]", level: float = 0.95
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return whether strength orders units as prices do: Kendall's tau, and neighbours that are clearly swapped.

    `prices`: columns id, `log_price` (NaN without one); `throws`: shape (units, replicates), the same when the counts
    are thrown again. Both speak of the units that have a price and a strength. First frame: `tau`, `low`, `high` (the
    middle `level` over the throws), `units`. Second frame, the most expensive first: neighbours in the order of price
    of which the cheaper one is the stronger, and the prices differ for certain (all neighbours at once): `dearer`,
    `cheaper`, `ratio` of the prices, `low`, `high`, `stronger_by` (difference of strengths).
    """
    own: Floats = np.asarray(prices["id"].map(strength), np.float64)
    value: Floats = np.asarray(prices["log_price"], np.float64)
    known = np.flatnonzero(np.isfinite(own) & np.isfinite(value))
    own, value, moved = own[known], value[known], throws[known]
    tau = estimate_tau(own, np.column_stack([value, moved]))
    ends = np.quantile(tau[1:], [(1 - level) / 2, (1 + level) / 2]) if len(known) > 1 else [np.nan, np.nan]
    first = pd.DataFrame([(tau[0], *ends, len(known))], columns=["tau", "low", "high", "units"])
    return first, _swapped(prices["id"].to_numpy(object)[known], value, moved, own, level)


def _swapped(
    ids: npt.NDArray[np.object_], value: Floats, throws: Floats, strength: Floats, level: float
) -> pd.DataFrame:
    order = np.argsort(-value, kind="stable")
    one, two = order[:-1], order[1:]
    gap, ahead = value[one] - value[two], strength[two] - strength[one]
    low, high = limit_together(gap, throws[one] - throws[two], level)
    rows = [
        (ids[one[k]], ids[two[k]], *np.exp([gap[k], low[k], high[k]]), ahead[k])
        for k in np.flatnonzero((ahead > 0) & (low > 0))
    ]
    return pd.DataFrame(rows, columns=["dearer", "cheaper", "ratio", "low", "high", "stronger_by"])
