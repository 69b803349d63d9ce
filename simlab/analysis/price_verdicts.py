"""Does the printed ECV agree with the priced one? Verdicts, rounding, and when enough has been fought."""

from decimal import Decimal

import numpy as np
import numpy.typing as npt
import pandas as pd

from simlab.analysis.price_network import OVER, PRICED, UNDER, UNKNOWN

OVERPRICED, UNDERPRICED, FAIR, DRAFT, NO_ECV = "overpriced", "underpriced", "fair", "draft", "no ECV"
TOLERANCE = 0.05
STAGES = 5
GROWTH = 4


def rate_units(units: pd.DataFrame, tolerance: float = TOLERANCE) -> "pd.Series[str]":
    """Return the verdict on each unit.

    `units`: columns ecv, draft, status (of the price), ratio_low, ratio_high (ECV / priced) and no_decision (share of
    the unit's weight). Overpriced and underpriced: the whole interval lies beyond the tolerance; fair: it lies inside.
    A price without bound says so; an ECV of ours is a draft, and never judged.
    """
    low, high = units["ratio_low"], units["ratio_high"]
    verdict = pd.Series(UNKNOWN, index=units.index, dtype=object)
    verdict[low > 1 + tolerance] = OVERPRICED
    verdict[high < 1 - tolerance] = UNDERPRICED
    verdict[(low >= 1 - tolerance) & (high <= 1 + tolerance)] = FAIR
    verdict[units["no_decision"] > 0.5] = UNKNOWN
    verdict[units["draft"].astype(bool)] = DRAFT
    verdict[units["ecv"].isna()] = NO_ECV
    for status in (OVER, UNDER):
        verdict[units["status"] == status] = status
    verdict[(units["status"] == UNKNOWN) & ~units["draft"].astype(bool) & units["ecv"].notna()] = UNKNOWN
    return verdict.astype(str)


def hold_back(verdict: "pd.Series[str]", draft_level: bool) -> "pd.Series[str]":
    """Return the verdicts, none of them on an ECV where prices are measured by a draft (`draft_level`)."""
    judged = verdict.isin([OVERPRICED, UNDERPRICED, FAIR])
    return verdict.where(~judged, UNKNOWN) if draft_level else verdict


def round_price(price: npt.ArrayLike, multiple: float) -> npt.NDArray[np.float64]:
    """Return prices rounded to the nearest multiple, a half upwards, and never to nothing; NaN stays NaN."""
    value = np.asarray(price, np.float64)
    rounded: npt.NDArray[np.float64] = np.maximum(np.floor(value / multiple + 0.5), 1.0) * multiple
    return rounded.round(max(0, -int(Decimal(str(multiple)).normalize().as_tuple().exponent)))


def widest_interval(units: pd.DataFrame) -> float:
    """Return half of the widest interval of a price, as a part of the price; 0 if nothing is priced.

    `units`: columns status, priced, low, high.
    """
    rows = units[(units["status"] == PRICED) & units["priced"].notna()]
    return 0.0 if rows.empty else float(((rows["high"] - rows["low"]) / 2 / rows["priced"]).max())


def plan_stages(first: int, stages: int = STAGES) -> tuple[int, ...]:
    """Return how many fights a rung has at each stage, each time four times as many."""
    return tuple(first * GROWTH**stage for stage in range(stages))
