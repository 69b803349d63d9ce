"""The ladder of a whole roster: units by mean win share, with all their matchups and their prices beside them."""

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, PercentFormatter

from simlab.plots.fair import round_ticks
from simlab.plots.style import FAINT, INK

LINE = 0.272
"""Inches a unit takes."""
APART = 0.32
"""Share of the narrow axis of prices by which its labels are apart at least."""
MEAN, DOT = "#0b2a6f", "#d1661b"


def plot_ladder(frame: pd.DataFrame, matchups: pd.DataFrame, ax: Axes) -> Axes:
    """Draw mean win shares with intervals, a line a unit, the first uppermost, over the dots of their matchups.

    `frame`: unit, label (drawn as it stands), text (of the number, at the right edge), win_share, win_share_low,
    win_share_high, draft. `matchups`: unit, win_share. A draft ECV makes the marker hollow.
    """
    places = {unit: place for place, unit in enumerate(frame["unit"])}
    dots = matchups[matchups["unit"].isin(places)]
    ax.plot(
        dots["win_share"], dots["unit"].map(places), ls="", marker="|", ms=6.5, mew=1.0, color=DOT, alpha=0.55,
        zorder=2, label="against one opponent",
    )  # fmt: skip
    heights = np.arange(len(frame))
    low, mean, high = (frame[f"win_share{end}"].to_numpy(np.float64) for end in ("_low", "", "_high"))
    ax.errorbar(
        mean, heights, xerr=np.maximum(np.stack([mean - low, high - mean]), 0.0), fmt="none", ecolor=MEAN,
        elinewidth=1.6, capsize=3.0, zorder=4,
    )  # fmt: skip
    draft = frame["draft"].to_numpy(bool)
    for at, face, label in ((~draft, MEAN, "mean, printed ECV or none"), (draft, "white", "mean, draft ECV")):
        if at.any():
            ax.plot(
                mean[at],
                heights[at],
                ls="",
                marker="o",
                ms=6.5,
                mfc=face,
                mec=MEAN,
                mew=1.5,
                zorder=5,
                label=label,
            )
    _write_beside(ax, list(frame["text"]), 1.015)
    ax.axvline(0.5, color=INK, lw=1.0, zorder=1.5)
    _lines(ax, list(frame["label"]))
    ax.set_xlim(-0.01, 1.01)
    ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    return ax


def plot_prices(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the ECVs of the units of a ladder on a log axis, a line a unit, hollow where they are drafts.

    `frame`: ecv (NaN without one), draft, price (text).
    """
    known = np.isfinite(frame["ecv"].to_numpy(np.float64))
    heights = np.arange(len(frame))
    ecv, draft = frame["ecv"].to_numpy(np.float64), frame["draft"].to_numpy(bool)
    near = ecv[known]
    low, high = (near.min() / 1.25, near.max() * 1.25) if near.size else (50.0, 200.0)
    ax.hlines(heights[known], low, ecv[known], color="#c9c9c9", lw=1.2, zorder=2)
    for at, face in ((known & ~draft, FAINT), (known & draft, "white")):
        ax.plot(ecv[at], heights[at], ls="", marker="s", ms=5.5, mfc=face, mec="#555555", mew=1.3, zorder=3)
    _write_beside(ax, list(frame["price"]), 1.03)
    ax.set_xscale("log")
    ax.set_xlim(low, high)
    ax.set_xticks(roomy_ticks(round_ticks(low, high), APART * math.log(high / low)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.minorticks_off()
    _lines(ax, [""] * len(frame))
    return ax


def _write_beside(ax: Axes, texts: list[str], place: float) -> None:
    """Write a text at each line, to the right of the panel; `place` in widths of it."""
    across = ax.get_yaxis_transform()
    for line, text in enumerate(texts):
        ax.text(place, line, text, transform=across, ha="left", va="center", fontsize=8.5, color=INK)


def roomy_ticks(ticks: list[float], apart: float) -> list[float]:
    """Return those ticks of a log axis that are `apart` from each other in logarithms, from the first one on."""
    kept: list[float] = []
    for tick in ticks:
        if not kept or math.log(tick / kept[-1]) >= apart:
            kept.append(tick)
    return kept


def _lines(ax: Axes, labels: list[str]) -> None:
    ax.set_yticks(range(len(labels)), labels, fontsize=8.5)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", color="#eeeeee")
