"""Units that fight like another one: fought once, and worth the same."""

import pandas as pd

from simlab.analysis.price_verdicts import hold_back, rate_units

OWN = ("id", "name", "nation", "ecv", "source", "draft")


def add_twins(
    units: pd.DataFrame, everybody: pd.DataFrame, tolerance: float, draft_level: bool
) -> pd.DataFrame:
    """Return the table of units with those that fight like one of them, in the order of `everybody`, and verdicts.

    `units`: `PriceTables.units` of those that were fought. `everybody`: columns id, name, nation, ecv, source, draft,
    fight_hash. A unit has the price of its like, and its own ECV. draft_level: the prices are measured by a draft ECV,
    so that no printed one is judged by them.
    """
    hashes = everybody.set_index("id")["fight_hash"]
    priced = units.assign(fight_hash=units["id"].map(hashes)).drop(columns=list(OWN), errors="ignore")
    whole = everybody.merge(priced, on="fight_hash", how="left", validate="many_to_one")
    whole = whole[list(units.columns)]
    ecv = whole["ecv"]
    whole = whole.assign(
        ratio=ecv / whole["priced"], ratio_low=ecv / whole["high"], ratio_high=ecv / whole["low"]
    )
    return whole.assign(verdict=hold_back(rate_units(whole, tolerance), draft_level))
