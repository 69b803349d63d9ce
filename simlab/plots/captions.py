"""What stands around a picture: axis labels, price labels, captions with numbers of fights."""

import math
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype

from simlab.analysis.digits import format_bound
from simlab.plots.fair import LETTERS
from simlab.plots.style import plain
from simlab.rules.registry import caveats_of

Record = Mapping[str, Any]


def range_label(record: Record, ranges: pd.Series) -> str:
    """Return the label of an axis of ranges with their unit; texts go by turn."""
    by_turn = "" if is_numeric_dtype(ranges) else ", by turn"
    return f"range ({plain(record['range_unit'])}{by_turn})"


def price_label(a: Mapping[Hashable, Any], b: Mapping[Hashable, Any]) -> str:
    """Return the label of the price line of two units (`ecv`, `draft`), a per b."""
    if not math.isfinite(float(a["ecv"]) / float(b["ecv"])):
        return ""
    ratio = float(a["ecv"]) / float(b["ecv"])
    return f"ratio of ECVs {ratio:.2f}\n= {_price(a)} / {_price(b)}"


def _price(unit: Mapping[Hashable, Any]) -> str:
    return f"{float(unit['ecv']):g}{' (draft ECV)' if unit['draft'] else ''}"


def fair_caption(frame: pd.DataFrame, a: str, b: str, record: Record, policy: str) -> list[str]:
    """Return the caption of a plot of fair numbers of `b` for N of `a`."""
    sentences = [
        f"Points: the number of {b} that leaves N of {a} a win share of one half, divided by N; between "
        "whole numbers interpolated in their logarithm.",
        "The N of a range stand side by side for the eye alone.",
        f"Bars: 95% intervals from n = {_count(record['n'])} fights for each number tried.",
        _engagement_terms(record, policy),
    ]
    if (frame["status"] != "value").any():
        sentences.append(
            f"Triangles at the edge, where there is no fair number: 40 {b} for each {a} are too few, or a single "
            f"{b} is too many for N of {a}."
        )
    if frame["no_decision"].any():
        sentences.append(
            "Crosses: more than half of the fights were undecided at the turn limit, so no verdict."
        )
    return [*sentences, *readings_sentences(record)]


def ecv_caption(frame: pd.DataFrame, record: Record, policy: str) -> list[str]:
    """Return the caption of the plot of fair numbers against ECV ratios."""
    sentences = [
        "Points: median of the fair numbers over all situations by weight; lines reach from the lowest to the "
        "highest situation of any N.",
        f"n = {_count(record['n'])} fights for each number tried.",
        _engagement_terms(record, policy),
    ]
    if frame["draft"].any():
        sentences.append("Hollow: one of the two ECVs is a draft, which is neither right nor wrong.")
    if not frame["ratio"].map(lambda ratio: 0 < ratio < math.inf).all():
        sentences.append(
            "Triangles at the edge: no fair number, for 40 N of the others are too few, or a single one is too many."
        )
    if frame["pair"].nunique() > len(LETTERS):
        sentences.append(f"Letters: the {len(LETTERS)} pairs furthest from the line.")
    return [*sentences, *readings_sentences(record)]


def kill_caption(record: Record, rates: pd.DataFrame, omitted: bool) -> list[str]:
    """Return the caption of the plot of kill rates by range; `rates` as in `lab.Run.kill_rates`."""
    sampled = f"n = {_count(record['n'])} a point; bars: 95% intervals"
    sentences = [
        f"Duels of one against one that shoot back; {_how(rates, sampled)}.",
        f"Turn limit {record['turns']}.",
    ]
    if omitted:
        sentences.append("Only the first units of the study are drawn.")
    return [*sentences, *readings_sentences(record)]


def map_caption(record: Record, rates: pd.DataFrame, mixed: str) -> list[str]:
    """Return the caption of a map of kill rates that averages `rates` over `mixed`."""
    sampled = f"n = {_count(record['n'])} fights a situation; no more digits than the 95% interval supports"
    return [
        f"Duels of one against one that shoot back, averaged over {mixed} by weight; {_how(rates, sampled)}.",
        f"Turn limit {record['turns']}.",
        *readings_sentences(record),
    ]


def _how(rates: pd.DataFrame, sampled: str) -> str:
    """Say how duels were answered, `sampled` being what holds for those that were fought."""
    exact = rates["error_bound"].notna()
    if not exact.any():
        return sampled
    bound = format_bound(float(rates.loc[exact, "error_bound"].max()))
    if exact.all():
        return f"exact, with errors of at most {bound}"
    return (
        f"{exact.sum()} of {len(rates)} duels exact, with errors of at most {bound}; for the others {sampled}"
    )


def _engagement_terms(record: Record, policy: str) -> str:
    turns = record["engagements"]["turns"]
    return f"Turn limit {turns}, both sides choose targets by the policy {plain(policy)}."


def readings_sentences(record: Record) -> list[str]:
    """Return a sentence on readings that differ from their defaults, and one on drafts of the system, if there are."""
    changed = record["non_default"]
    words = ", ".join(f"{plain(name)} = {plain(str(value))}" for name, value in changed.items())
    return [*([f"Readings: {words}."] if changed else []), *caveats_of(record)]


def _count(number: int) -> str:
    return f"{number:,}"
