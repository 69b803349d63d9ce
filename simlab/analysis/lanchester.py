"""Which law of numbers a rule set follows: Lanchester's exponent.

If every unit always finds a target (the square law), n of A and m of B are even when n² times the rate of A's kills is
m² times the rate of B's; if fights are one against one (the linear law), when n times the rate is m times the rate. So
the logarithm of the ratio of the rates is the exponent times the logarithm of the fair number: 2 or 1, or between.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

REPLICATES = 2000
SEED = 1_916


def fit_exponents(
    rates: pd.DataFrame, *, level: float = 0.95, replicates: int = REPLICATES, seed: int = SEED
) -> pd.DataFrame:
    """Return Lanchester's exponent of each policy.

    `rates`: columns policy, a, b, `kill_per_turn_a`, `kill_per_turn_b` and `log_rho`, and `weight` if rows weigh
    differently. Rows without a kill a turn or without a fair number, and duels of a unit with itself, are left out.
    The line goes through the origin: units of equal rates are even one for one, and which unit of a pair is named first
    must not matter. Columns: `policy`, `exponent`, `low`, `high` (pairs drawn with replacement, both orders and all
    situations of a pair together), `pairs`. NaN where fewer than two pairs, or no two unequal units, are left.
    """
    columns = ["policy", "exponent", "low", "high", "pairs"]
    kept = rates[(rates["kill_per_turn_a"] > 0) & (rates["kill_per_turn_b"] > 0) & (rates["a"] != rates["b"])]
    kept = kept.dropna(subset=["log_rho"])
    rows = [
        (policy, *_exponent(kept[kept["policy"] == policy], level, replicates, seed))
        for policy in rates["policy"].drop_duplicates()
    ]
    return pd.DataFrame(rows, columns=columns)


def _exponent(
    rows: pd.DataFrame, level: float, replicates: int, seed: int
) -> tuple[float, float, float, int]:
    number = rows["log_rho"].to_numpy(np.float64)
    rate = np.log(rows["kill_per_turn_a"].to_numpy(np.float64) / rows["kill_per_turn_b"].to_numpy(np.float64))
    weight = rows["weight"].to_numpy(np.float64) if "weight" in rows else np.ones(len(rows))
    names = ["\0".join(sorted(pair)) for pair in zip(rows["a"], rows["b"], strict=True)]
    pair, found = pd.factorize(np.array(names, object))
    pairs = len(found)
    squares = np.bincount(pair, weight * number**2, pairs)
    products = np.bincount(pair, weight * number * rate, pairs)
    if pairs < 2 or squares.sum() <= 0:
        return np.nan, np.nan, np.nan, pairs
    drawn = np.random.default_rng(seed).multinomial(pairs, np.full(pairs, 1 / pairs), replicates)
    slopes = _slopes(drawn @ products, drawn @ squares)
    low, high = np.nanquantile(slopes, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return float(products.sum() / squares.sum()), low, high, pairs


def _slopes(products: npt.NDArray[Any], squares: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    slopes: npt.NDArray[np.float64] = np.divide(
        products, squares, out=np.full(len(squares), np.nan), where=squares > 0
    )
    return slopes
