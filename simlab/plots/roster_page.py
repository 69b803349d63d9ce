"""The parts of a page about one unit: its opponents from best to worst, and how it fares by range and aspect."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter

from simlab.plots.roster_map import SHARES
from simlab.plots.roster_ranges import CURVE, plot_curve
from simlab.plots.style import FAINT, INK, mark_ranges, series_style

MOST_OPPONENTS = 44
"""Lines of opponents at most; of more, the best and the worst are drawn."""

Seen: TypeAlias = tuple[str, str, str]
"""What the unit shows, what the opponent shows, who fires alone."""


@dataclass(frozen=True)
class Line:
    """A line by range: its label, the measure it shows, and in which situation, None for the mean of all."""

    label: str
    measure: str
    seen: Seen | None


@dataclass(frozen=True)
class Panel:
    """A panel by range: its title and its lines."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Places:
    """Where opponents stand from best to worst: the row of each, and how many of the middle are left out."""

    rows: tuple[int, ...]
    left_out: int


def place_opponents(count: int) -> Places:
    """Return the places of so many opponents; too many leave a gap in the middle."""
    if count <= MOST_OPPONENTS:
        return Places(tuple(range(count)), 0)
    half = MOST_OPPONENTS // 2
    return Places((*range(half), *range(half + 1, 2 * half + 1)), count - 2 * half)


def pick_opponents(frame: pd.DataFrame, places: Places) -> pd.DataFrame:
    """Return those matchups of a unit that have a place, from best to worst."""
    ordered = frame.sort_values("win_share", ascending=False, kind="stable")
    if not places.left_out:
        return ordered
    half = len(places.rows) // 2
    return pd.concat([ordered.head(half), ordered.tail(half)])


def scale_opponents(places: Places, ax: Axes) -> Axes:
    """Set the axes on which opponents stand, with a faint line for each."""
    ax.hlines(np.array(places.rows, np.float64), 0.0, 1.0, color="#f0f0f0", lw=0.7, zorder=1)
    ax.set_yticks([])
    ax.set_ylim(places.rows[-1] + 0.7, -0.7)
    ax.set_xlim(0.0, 1.0)
    ax.set_xticks([0.0, 0.25, 0.5, 0.75, 1.0])
    ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    return ax


def plot_opponents(frame: pd.DataFrame, places: Places, ax: Axes) -> Axes:
    """Draw win shares against opponents with intervals, a line an opponent.

    `frame`, in the order of the places: label (drawn as it stands), text (of the number), win_share and its ends,
    no_decision (these are crossed).
    """
    heights = np.array(places.rows, np.float64)
    low, mean, high = (frame[f"win_share{end}"].to_numpy(np.float64) for end in ("_low", "", "_high"))
    ax.hlines(heights, 0.5, mean, color=SHARES(mean), lw=5.0, zorder=2)
    ax.axvline(0.5, color=INK, lw=0.9, zorder=3)
    ax.errorbar(
        mean, heights, xerr=np.maximum(np.stack([mean - low, high - mean]), 0.0), fmt="none", ecolor=INK,
        elinewidth=1.1, capsize=2.6, capthick=0.9, zorder=4,
    )  # fmt: skip
    crossed = frame["no_decision"].to_numpy(bool)
    if crossed.any():
        ax.plot(mean[crossed], heights[crossed], ls="", marker="x", ms=6, mec=INK, mew=1.2, zorder=5)
    beside: dict[str, Any] = {
        "transform": ax.get_yaxis_transform(),
        "va": "center",
        "fontsize": 7.5,
        "color": INK,
    }
    for height, label, text in zip(heights.tolist(), frame["label"], frame["text"], strict=True):
        ax.text(-0.015, height, label, ha="right", **beside)
        ax.text(1.015, height, text, ha="left", **beside)
    if places.left_out:
        ax.text(
            0.5, len(places.rows) // 2, f"… {places.left_out} more in between …", ha="center", va="center", fontsize=8,
            color=FAINT, zorder=6, bbox={"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none"},
        )  # fmt: skip
    return ax


def scale_by_range(
    ranges: pd.DataFrame, lines: Sequence[str], ax: Axes, labels: Sequence[str] | None
) -> Axes:
    """Set the axes of measures by range, with a legend for more than one line.

    `ranges`: at, joined, as `placed_by_range` makes them with `labels`. lines: their labels.
    """
    places: npt.NDArray[np.float64] = np.sort(ranges["at"].unique())
    ax.axhline(0.5, color=INK, lw=0.8, zorder=1.5)
    ax.set_ylim(0.0, 1.0)
    ax.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0])
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    mark_ranges(ax, places, None if labels is None else list(labels))
    span = max(float(np.ptp(places)), 1.0)
    ax.set_xlim(places[0] - 0.05 * span, places[-1] + 0.05 * span)
    if len(lines) > 1:
        handles = []
        for place, label in enumerate(lines):
            style = series_style(place)
            dashes = style.dashes if labels is None else ""
            look: dict[str, Any] = {
                "ls": dashes,
                "marker": style.marker,
                "mfc": style.face,
                "mec": style.color,
            }
            handles.append(Line2D([], [], color=style.color, label=label, **CURVE, **look))
        ax.legend(
            handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1.0), handlelength=2.6, borderaxespad=0.0,
            fontsize=8.5,
        )  # fmt: skip
    return ax


def plot_by_range(lines: Sequence[Line], rows: pd.DataFrame, ax: Axes) -> Axes:
    """Draw measures of one unit by range.

    `rows`: at, joined, the measures with their ends, and what lines ask for of shows, opponent_shows, alone.
    """
    for place, line in enumerate(lines):
        chosen = rows
        if line.seen is not None:
            keys = rows[["shows", "opponent_shows", "alone"]].to_numpy(str)
            chosen = rows[(keys == np.array(line.seen)).all(axis=1)]
        plot_curve(chosen, ax, series_style(place), line.label, line.measure)
    return ax
