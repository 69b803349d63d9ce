"""From fights to prices: the frames of `Prices`."""

import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simlab.lab.price_terms import ROSTER

if TYPE_CHECKING:
    import pandas as pd

    from simlab.lab.price_terms import Asked


@dataclass(frozen=True, eq=False)
class Estimates:
    """What the fights of a stage say. precise: no price needs more of them. anchor: its id and ECV (None: roster)."""

    units: "pd.DataFrame"
    pairs: "pd.DataFrame"
    cycles: "pd.DataFrame"
    cyclic: "pd.DataFrame"
    lanchester: "pd.DataFrame"
    situations: "pd.DataFrame"
    settings: "pd.DataFrame"
    order: "pd.DataFrame"
    swapped: "pd.DataFrame"
    anchor: dict[str, Any]
    draft_level: bool
    precise: bool

    def frames(self) -> dict[str, "pd.DataFrame"]:
        """Return the frames by name."""
        return {
            name: value
            for name, value in vars(self).items()
            if name not in ("anchor", "draft_level", "precise")
        }


def estimate(
    facts: "pd.DataFrame",
    kills: "pd.DataFrame",
    duels: "pd.DataFrame",
    units: list[Mapping[str, Any]],
    firsts: Mapping[str, str],
    asked: "Asked",
    level: float,
) -> Estimates:
    """Return the prices that the fights tell.

    units: the entries of a run's record. firsts: ids of those that were fought, with their fight hash; a unit that
    fights like one of them is worth the same.
    """
    from simlab.analysis.kill_rows import join_kills
    from simlab.analysis.lanchester import fit_exponents
    from simlab.analysis.price_series import collect_series
    from simlab.analysis.price_tables import describe_prices
    from simlab.analysis.price_twins import add_twins
    from simlab.analysis.price_verdicts import widest_interval
    from simlab.analysis.strength import rate_strengths
    from simlab.analysis.tables import describe_units

    everybody = describe_units(units)
    everybody["fight_hash"] = [unit["fight_hash"] for unit in units]
    anchor = asked.chosen_anchor(everybody)
    roster = everybody[everybody["id"].isin(firsts)].reset_index(drop=True)
    series = collect_series(facts)
    duels = duels[duels["a"].isin(firsts) & duels["b"].isin(firsts)]
    shares = duels.assign(win_share=duels["a_wins"] + (1 - duels["a_wins"] - duels["b_wins"]) / 2)
    tables = describe_prices(
        series,
        roster,
        size=asked.size,
        policy=asked.policy,
        anchor=anchor,
        level=level,
        tolerance=asked.tolerance,
        multiple=asked.step,
        strength=rate_strengths(shares, dict(zip(roster["id"], roster["fight_hash"], strict=True))),
    )
    ecv = None if anchor is None else float(roster.loc[roster["id"] == anchor, "ecv"].iloc[0])
    return Estimates(
        units=add_twins(tables.units, everybody, asked.tolerance, _is_draft(everybody, anchor)),
        pairs=tables.pairs,
        cycles=tables.cycles,
        cyclic=tables.cyclic,
        lanchester=fit_exponents(join_kills(series, kills, asked.size)),
        situations=tables.situations,
        settings=tables.settings,
        order=tables.order,
        swapped=tables.swapped,
        anchor={"id": ROSTER if anchor is None else anchor, "ecv": ecv},
        draft_level=_is_draft(everybody, anchor),
        precise=widest_interval(tables.units) <= asked.precision,
    )


def _is_draft(roster: "pd.DataFrame", anchor: str | None) -> bool:
    """Whether the level of the prices rests on an ECV that is a draft."""
    kept = roster[roster["ecv"].notna()] if anchor is None else roster[roster["id"] == anchor]
    return bool(kept["draft"].any())


SOURCES = (
    *(
        "intervals",
        "kill_rows",
        "lanchester",
        "price_fit",
        "price_intervals",
        "price_network",
        "price_residuals",
    ),
    *("price_rows", "price_rungs", "price_series", "price_tables", "price_twins", "price_verdicts", "prices"),
    *("strength", "tables"),
)
"""Modules of `analysis` by which fights become prices."""


def sources_id() -> str:
    """Return a digest of the sources that turn fights into prices."""
    from simlab import jit
    from simlab.lab import price_terms, pricing
    from simlab.studies import price_kills
    from simlab.studies import pricing as fought

    told = [importlib.import_module(f"simlab.analysis.{name}") for name in SOURCES]
    return jit.source_id([*told, price_kills, fought, price_terms, pricing, sys.modules[__name__]])
