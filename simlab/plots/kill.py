"""Plots of kill rates: by range, and as a map of shooters and targets."""

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from simlab.analysis.digits import format_percent
from simlab.plots.style import INK, mark_ranges, range_places, series_style

CANNOT_FIRE = "cannot fire"
FINEST = 1e-4
"""Half-width below which a map shows no more digits: two decimals of a percentage."""


def plot_kill_rates(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the chance of a kill by range with interval bars, one line per target; exact chances have no bars.

    `frame` is of one shooter: target (label, drawn as it stands), place (of the target, settles
    its look), range (numbers, or texts by turn, which no line joins), kill_rate, kill_rate_low,
    kill_rate_high, error_bound (missing where sampled), cannot_fire.
    """
    placed, labels = range_places(frame["range"])
    frame = frame.assign(at=placed)
    distances = np.sort(frame["at"].unique())
    targets = frame.drop_duplicates("target")
    span = max(float(np.ptp(distances)), 1.0)
    for number, (target, place) in enumerate(zip(targets["target"], targets["place"], strict=True)):
        rows = frame[frame["target"] == target].sort_values("at")
        style = series_style(int(place))
        x = rows["at"].to_numpy(np.float64) + 0.01 * span * (number - (len(targets) - 1) / 2)
        rate = rows["kill_rate"].to_numpy(np.float64)
        ax.plot(
            x,
            rate,
            color=style.color,
            ls=style.dashes if labels is None else "",
            marker=style.marker,
            mec="white",
            mew=0.6,
            zorder=3,
            label=f"at {target}",
        )
        spans = np.stack(
            [
                rate - rows["kill_rate_low"].to_numpy(np.float64),
                rows["kill_rate_high"].to_numpy(np.float64) - rate,
            ]
        )
        sampled = rows["error_bound"].isna().to_numpy(bool)
        ax.errorbar(
            x[sampled],
            rate[sampled],
            yerr=np.maximum(spans[:, sampled], 0.0),
            fmt="none",
            ecolor=style.color,
            elinewidth=1.1,
            capsize=2.2,
            zorder=3.5,
        )
        silent = rows["cannot_fire"].to_numpy(bool)
        if silent.any():
            ax.plot(
                x[silent],
                rate[silent],
                ls="",
                marker="x",
                ms=9,
                mec=INK,
                mew=1.2,
                zorder=4,
                label=CANNOT_FIRE,
                clip_on=False,
            )
    ax.set_ylim(-0.03, 1.03)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    mark_ranges(ax, distances, labels)
    ax.set_xlim(distances[0] - 0.06 * span, distances[-1] + 0.06 * span)
    return ax


def plot_kill_rate_map(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Draw kill rates as shaded cells with their numbers.

    `frame`: row, column (labels, drawn as they stand, in order of appearance), kill_rate,
    kill_rate_low, kill_rate_high, cannot_fire. A darker cell is a higher rate; a missing combination stays empty.
    """
    rows, columns = list(dict.fromkeys(frame["row"])), list(dict.fromkeys(frame["column"]))
    cells = frame.to_dict("records")
    values = np.full((len(rows), len(columns)), np.nan)
    for cell in cells:
        values[rows.index(cell["row"]), columns.index(cell["column"])] = cell["kill_rate"]
    image = ax.imshow(values, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
    inks = image.to_rgba(values)
    size = 9 if max(len(rows), len(columns)) <= 14 else 6
    for cell in cells:
        row, column = rows.index(cell["row"]), columns.index(cell["column"])
        rate = cell["kill_rate"]
        low, high = min(cell["kill_rate_low"], rate - FINEST), max(cell["kill_rate_high"], rate + FINEST)
        text = format_percent(rate, max(low, 0.0), min(high, 1.0))
        ax.text(
            column,
            row,
            CANNOT_FIRE if cell["cannot_fire"] else text,
            ha="center",
            va="center",
            fontsize=size,
            color=_ink_on(inks[row, column]),
        )
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
    ax.grid(False)
    ax.grid(True, which="minor", color="white", linewidth=1.5)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)
    return ax


def _ink_on(colour: npt.NDArray[np.float64]) -> str:
    """White or dark, whichever stands out from the colour."""
    red, green, blue = (colour[:3] ** 2.2).tolist()
    return "white" if 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.3 else INK
