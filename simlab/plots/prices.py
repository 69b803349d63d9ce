"""Prices of a roster, with what moves them, beside the ECVs that are printed."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from simlab.plots.captions import readings_sentences
from simlab.plots.fair import round_ticks
from simlab.plots.roster_ladder import roomy_ticks
from simlab.plots.style import (
    INK,
    add_caption,
    add_title,
    new_figure,
    plain,
    save_png,
    use_style,
)

PICTURE = "prices.png"
LINE = 0.25
"""Inches a unit takes."""
MOST_UNITS = 120
MIX, SPREAD, PRICE = "#b9c7e6", "#5f83c9", "#0b2a6f"
OWN = "#d1661b"


def plot_price_list(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Draw prices on a log axis, a line a unit, the first uppermost, and ECVs beside them.

    `frame`: label (drawn as it stands), priced, low, high, mix_low, mix_high, spread_low, spread_high, ecv (NaN
    without one), draft.
    """
    heights = np.arange(len(frame))
    for name, width, color, label, order in (
        ("mix", 7.5, MIX, "other mixes of opponents and situations", 2),
        ("spread", 3.6, SPREAD, "other sizes of battle, other policy", 3),
    ):
        low, high = (frame[f"{name}_{end}"].to_numpy(np.float64) for end in ("low", "high"))
        ax.hlines(heights, low, high, color=color, lw=width, zorder=order, label=label)
    priced, low, high = (frame[name].to_numpy(np.float64) for name in ("priced", "low", "high"))
    reach = np.maximum(np.stack([priced - low, high - priced]), 0.0)
    ax.errorbar(priced, heights, xerr=reach, fmt="none", ecolor=PRICE, elinewidth=1.2, capsize=2.4, zorder=5)
    label = "price, with sampling interval"
    ax.plot(priced, heights, ls="", marker="o", ms=4.2, color=PRICE, zorder=5, label=label)
    ecv, draft = frame["ecv"].to_numpy(np.float64), frame["draft"].to_numpy(bool)
    known = np.isfinite(ecv)
    for at, face, label in ((known & ~draft, OWN, "printed ECV"), (known & draft, "white", "draft ECV")):
        if at.any():
            ax.plot(
                ecv[at],
                heights[at],
                ls="",
                marker="D",
                ms=5.0,
                mfc=face,
                mec=OWN,
                mew=1.3,
                zorder=4,
                label=label,
            )
    _scale(frame, ax)
    ax.set_yticks(heights, list(frame["label"]), fontsize=8.5)
    ax.set_ylim(len(frame) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", color="#eeeeee")
    return ax


def _scale(frame: pd.DataFrame, ax: Axes) -> None:
    columns = ["priced", "low", "high", "mix_low", "mix_high", "spread_low", "spread_high", "ecv"]
    values = frame[columns].to_numpy(np.float64)
    values = values[np.isfinite(values)]
    low, high = (float(values.min()) / 1.12, float(values.max()) * 1.12) if values.size else (100.0, 1000.0)
    ax.set_xscale("log")
    ax.set_xlim(low, high)
    ax.set_xticks(roomy_ticks(round_ticks(low, high), math.log(high / low) / 12))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.minorticks_off()
    ax.set_xlabel("ECV", color=INK)


def draw_prices(units: pd.DataFrame, record: Mapping[str, Any]) -> Figure:
    """Return the picture of the prices of a run, the dearest first: `Prices.units` and its record."""
    use_style()
    frame = units[units["priced"].notna()].sort_values("priced", ascending=False, kind="stable")
    frame = frame.head(MOST_UNITS).assign(label=lambda rows: [plain(name) for name in rows["name"]])
    figure = new_figure(9.6, 2.1 + LINE * max(len(frame), 4))
    ax = figure.add_subplot()
    plot_price_list(frame, ax)
    add_title(figure, f"{plain(record['name'], 8.0)}: what units are worth", 0.0)
    ax.legend(loc="lower right", frameon=True, framealpha=0.9, edgecolor="none")
    add_caption(figure, _caption(units, frame, record))
    return figure


def write_price_picture(units: pd.DataFrame, record: Mapping[str, Any], folder: Path) -> Path:
    """Write the picture of prices into a folder and return its path; an equal file is left alone."""
    path = folder / PICTURE
    save_png(draw_prices(units, record), path)
    return path


def _caption(units: pd.DataFrame, drawn: pd.DataFrame, record: Mapping[str, Any]) -> list[str]:
    anchor = record["anchor"]
    kept = (
        "the geometric mean of all ECVs is kept"
        if anchor["id"] == "roster"
        else f"{plain(str(anchor['id']))} keeps its ECV of {anchor['ecv']:g}"
    )
    sentences = [
        f"Prices that fit best how many of each unit are even with another, over all pairs and situations; {kept}.",
        f"Sides of {record['size']:g} ECV, policy {plain(str(record['policy']))}, turn limit {record['turns']}; "
        f"n = {record['n']:,} fights for each number of units.",
        f"Mix: {plain(str(record['mix']), 60.0)}.",
        f"Sampling intervals hold for all units together at {100 * record['level']:g}%; bars of other mixes are the "
        "middle 95%.",
    ]
    if drawn["draft"].any():
        sentences.append("Draft ECVs are estimates of ours, neither right nor wrong.")
    if len(drawn) < len(units):
        sentences.append(
            f"{len(units) - len(drawn)} units are not drawn: without a price, or beyond the {MOST_UNITS} dearest."
        )
    return [*sentences, *readings_sentences(record)]
