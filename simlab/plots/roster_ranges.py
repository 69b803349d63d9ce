"""Win shares of many units by range: a small panel a unit, all the others in grey behind."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.ticker import PercentFormatter

from simlab.plots.style import INK, LineStyle, aspect_words, plain, range_places

GREY = "#cfcfcf"
CURVE: dict[str, Any] = {"ms": 4.5, "mew": 1.1}
OWN, ABREAST = "#0b2a6f", "#d1661b"


def plot_curve(
    frame: pd.DataFrame, ax: Axes, style: LineStyle, label: str, measure: str = "win_share"
) -> Axes:
    """Draw one measure by range with interval bars: `at` (place on the axis), `joined`, the measure, its two ends."""
    rows = frame.sort_values("at", kind="stable")
    x = rows["at"].to_numpy(np.float64)
    low, mean, high = (rows[f"{measure}{end}"].to_numpy(np.float64) for end in ("_low", "", "_high"))
    dashes = style.dashes if bool(rows["joined"].all()) else ""
    ax.plot(
        x, mean, color=style.color, ls=dashes, marker=style.marker, mfc=style.face, mec=style.color, zorder=4,
        label=label, clip_on=False, **CURVE,
    )  # fmt: skip
    ax.errorbar(
        x, mean, yerr=np.maximum(np.stack([mean - low, high - mean]), 0.0), fmt="none", ecolor=style.color,
        elinewidth=1.1, capsize=1.8, zorder=4.5,
    )  # fmt: skip
    return ax


def placed_by_range(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str] | None]:
    """Return a frame with `at` and `joined` for its `range`, and the labels of an axis of texts, see `range_places`."""
    places, labels = range_places(frame["range"])
    return frame.assign(at=places, joined=labels is None), labels


def plot_small_ranges(ranges: pd.DataFrame, abreast: pd.DataFrame | None, unit: str, ax: Axes) -> Axes:
    """Draw one unit's win share by range over those of all units in grey, and where both show the same.

    `ranges`, `abreast`: unit, at, joined (there are lines between ranges), win_share and its ends; `abreast` also
    has `shows`.
    """
    if bool(ranges["joined"].all()):
        table = ranges.pivot(index="at", columns="unit", values="win_share").sort_index()
        places = np.broadcast_to(table.index.to_numpy(np.float64), table.T.shape)
        curves = np.stack([places, table.T.to_numpy(np.float64)], axis=2)
        ax.add_collection(LineCollection(list(curves), colors=GREY, linewidths=0.5, zorder=1), autolim=False)
    ax.axhline(0.5, color=INK, lw=0.7, zorder=2)
    if abreast is not None:
        rows = abreast[abreast["unit"] == unit]
        plot_curve(
            rows,
            ax,
            LineStyle(ABREAST, (0, (4, 1.5)), "s"),
            f"both show {aspect_words(str(rows['shows'].iloc[0]))}",
        )
    rows = ranges[ranges["unit"] == unit]
    plot_curve(rows, ax, LineStyle(OWN, "-", "o", OWN), "all situations")
    return ax


def scale_small_ranges(ranges: pd.DataFrame, ax: Axes, labels: Sequence[str] | None) -> Axes:
    """Set the axes that all the small panels share: `ranges` as above, `labels` for ranges that are texts."""
    ax.set_ylim(0.0, 1.0)
    ax.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0])
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    places = np.sort(ranges["at"].unique())
    if labels is None:
        ax.set_xticks(places)
    else:
        ax.set_xticks(range(len(labels)), [plain(label) for label in labels])
    span = max(float(np.ptp(places)), 1.0)
    ax.set_xlim(places[0] - 0.08 * span, places[-1] + 0.08 * span)
    return ax
