"""The ECV that a fair number implies: if the anchor is worth its printed price, what is the other worth?"""

import numpy as np
import numpy.typing as npt
import pandas as pd

from simlab.analysis.tables import SITUATION

PRICE_KEYS = ("size_n", "policy", *SITUATION)


def choose_anchor(units: pd.DataFrame) -> str | None:
    """Return the id of the first unit whose ECV is printed in a rulebook, or None.

    `units` has the columns id, ecv, source (`describe_units`).
    """
    printed = units[(units["source"] == "rulebook") & units["ecv"].notna()]
    return None if printed.empty else str(printed["id"].iloc[0])


def estimate_prices(fair_numbers: pd.DataFrame, units: pd.DataFrame, anchor: str | None) -> pd.DataFrame:
    """Return the implied ECV of every other unit, one row per fair number against the anchor.

    A fair number of anchors for N of the unit gives ratio × the anchor's ECV; a fair number of the unit for
    N anchors gives the anchor's ECV / ratio. Columns: unit, anchor, `asked` ("anchors" or "units": what the
    fair number counts), `size_n`, `policy`, the situation, `weight`, `n`, `priced` (NaN if unbounded), `low`,
    `high` (NaN if open), `low_status`, `high_status` (value, open), `status` (value, unbounded above, unbounded
    below), `no_decision`, and the unit's own `ecv`, `source`, and `draft`. Without an anchor there are no rows.
    """
    if anchor is None:
        return pd.DataFrame(columns=list(_COLUMNS))
    worth = float(units.loc[units["id"] == anchor, "ecv"].iloc[0])
    ours = fair_numbers[(fair_numbers["b"] == anchor) & (fair_numbers["a"] != anchor)]
    theirs = fair_numbers[(fair_numbers["a"] == anchor) & (fair_numbers["b"] != anchor)]
    by_anchors = _priced(ours, "a", "anchors").assign(
        priced=worth * ours["ratio"],
        low=worth * ours["ratio_low"],
        high=worth * ours["ratio_high"],
        low_status=ours["low_status"],
        high_status=ours["high_status"],
        status=ours["status"].map({"value": "value", "above": _ABOVE, "below": _BELOW}),
    )
    by_units = _priced(theirs, "b", "units").assign(
        priced=worth / theirs["ratio"],
        low=worth / theirs["ratio_high"],
        high=worth / theirs["ratio_low"],
        low_status=theirs["high_status"],
        high_status=theirs["low_status"],
        status=theirs["status"].map({"value": "value", "above": _BELOW, "below": _ABOVE}),
    )
    both = pd.concat([by_anchors, by_units], ignore_index=True).assign(anchor=anchor)
    own = units.rename(columns={"id": "unit"})[["unit", "ecv", "source", "draft"]]
    return both.merge(own, on="unit", how="left", validate="many_to_one")[list(_COLUMNS)]


_ABOVE, _BELOW = "unbounded above", "unbounded below"
_ENDS = ("low", "high", "low_status", "high_status")
_FIGURES = ("weight", "n", "priced", *_ENDS, "status", "no_decision", "ecv", "source", "draft")
_COLUMNS = ("unit", "anchor", "asked", *PRICE_KEYS, *_FIGURES)


def _priced(rows: pd.DataFrame, unit: str, asked: str) -> pd.DataFrame:
    kept = rows[[*PRICE_KEYS, "weight", "n", "no_decision"]]
    return kept.assign(unit=rows[unit], asked=asked)


def estimate_ecv_ratios(fair_numbers: pd.DataFrame, units: pd.DataFrame) -> pd.DataFrame:
    """Return the fair numbers with the ratio of the ECVs beside them.

    Adds `ecv_ratio` (ECV of a / ECV of b: the fair number per unit that the prices promise) and `draft`
    (one of the two ECVs is a draft). Pairs with an ECV missing and self-pairs are left out.
    """
    own = units.set_index("id")
    frame = fair_numbers[fair_numbers["a"] != fair_numbers["b"]]
    ecv_a, ecv_b = frame["a"].map(own["ecv"]), frame["b"].map(own["ecv"])
    draft = frame["a"].map(own["draft"]).astype(bool) | frame["b"].map(own["draft"]).astype(bool)
    return frame.assign(ecv_ratio=ecv_a / ecv_b, draft=draft).dropna(subset=["ecv_ratio"])


def estimate_typical_ratios(ratios: pd.DataFrame) -> pd.DataFrame:
    """Return the fair numbers per unit of each pair, size and policy, drawn together over the situations.

    `ratios` comes from `estimate_ecv_ratios`. Columns: a, b, size_n, policy, ecv_ratio, draft, `ratio`
    (median by situation weight; 0 or infinite where that situation is unbounded), `lowest`, `highest`
    (over the situations, likewise), `no_decision` (so in most situations, by weight).
    """
    rows = []
    for key, group in ratios.groupby(["a", "b", "size_n", "policy"], sort=False):
        values = group["ratio"].to_numpy(np.float64, copy=True)
        values[(group["status"] == "below").to_numpy()] = 0.0
        values[(group["status"] == "above").to_numpy()] = np.inf
        weight = group["weight"].to_numpy(np.float64)
        undecided = bool(weight @ group["no_decision"].to_numpy(np.float64) > weight.sum() / 2)
        head = [
            *(key if isinstance(key, tuple) else (key,)),
            group["ecv_ratio"].iloc[0],
            group["draft"].iloc[0],
        ]
        counted = values[weight > 0]
        rows.append([*head, _weighted_median(values, weight), counted.min(), counted.max(), undecided])
    columns = [
        "a",
        "b",
        "size_n",
        "policy",
        "ecv_ratio",
        "draft",
        "ratio",
        "lowest",
        "highest",
        "no_decision",
    ]
    return pd.DataFrame(rows, columns=columns)


def _weighted_median(values: npt.NDArray[np.float64], weight: npt.NDArray[np.float64]) -> float:
    """The smallest value at which half of the weight is reached."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weight[order])
    return float(values[order][np.searchsorted(reached, reached[-1] / 2)])
