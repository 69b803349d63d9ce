"""Plots of solved duels by turn: who still stands, and when units fall."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from simlab.plots.style import series_style

MOST_MARKERS = 40
"""Turns beyond which a line gets no markers."""


def plot_survival(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the chance to stand after each turn, one line a label.

    `frame`: label (drawn as it stands, in order of appearance), turn (from 0), stands (a chance, of all duels), as
    `DuelResult.turns_frame` gives them. The chances are exact, so there are no bars.
    """
    last = int(frame["turn"].max())
    frame = frame.sort_values("turn", kind="stable")
    for place, (label, rows) in enumerate(frame.groupby("label", sort=False)):
        style = series_style(place)
        ax.plot(
            rows["turn"].to_numpy(np.int64),
            rows["stands"].to_numpy(np.float64),
            color=style.color,
            ls=style.dashes,
            marker=style.marker if last <= MOST_MARKERS else "",
            mec="white",
            mew=0.6,
            zorder=3,
            label=str(label),
            clip_on=False,
        )
    ax.set_ylim(0.0, 1.0)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    _mark_turns(ax, 0, last)
    ax.set_xlabel("after turn")
    ax.set_ylabel("chance to stand")
    return ax


def plot_kill_turns(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the chance to be destroyed in each turn as bars, one colour a label, side by side.

    `frame`: label (drawn as it stands, in order of appearance), turn (turn 0 is left out), destroyed (a chance, of all
    duels; the bars of a label add up to its chance to be destroyed at all).
    """
    labels = list(dict.fromkeys(frame["label"]))
    frame = frame[frame["turn"] > 0]
    width = 0.8 / len(labels)
    for place, label in enumerate(labels):
        rows = frame[frame["label"] == label].sort_values("turn")
        ax.bar(
            rows["turn"].to_numpy(np.float64) + width * (place - (len(labels) - 1) / 2),
            rows["destroyed"].to_numpy(np.float64),
            width,
            color=series_style(place).color,
            edgecolor="white",
            linewidth=0.5,
            zorder=3,
            label=str(label),
        )
    ax.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g}%"))
    _mark_turns(ax, 1, int(frame["turn"].max()))
    ax.grid(False, axis="x")
    ax.set_xlabel("turn")
    ax.set_ylabel("chance to be destroyed in it")
    return ax


def _mark_turns(ax: Axes, first: int, last: int) -> None:
    ax.set_xlim(first - 0.6, last + 0.6)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=13, integer=True))
