"""Kill rates of all pairs against the ratio of their prices, the most surprising ones by name."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from simlab.plots.fair import scale_fair_axis
from simlab.plots.placement import Box, nearest_end, place_labels
from simlab.plots.style import FAINT, INK, text_width

ABOVE, BELOW, CROWD = "#d1661b", "#0b2a6f", "#8a8a8a"
LABEL_SIZE = 8.0


def plot_kills_against_ecv(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Draw kill rates against the ratio of ECVs, with the usual rate as a line; labels come with `label_points`.

    `frame`: ecv_ratio (of the one that kills to the one killed), kill_rate, trend, draft, side ("above" or "below" for
    points that will be named, else ""). Points whose ECVs are both printed are full, others hollow.
    """
    x, y = (frame[name].to_numpy(np.float64) for name in ("ecv_ratio", "kill_rate"))
    draft, named = frame["draft"].to_numpy(bool), frame["side"].to_numpy()
    looks: tuple[tuple[Any, str, str, float], ...] = (
        (named == "", CROWD, "a pair of units", 3.2),
        (named == "above", ABOVE, "kills far more than usual", 5.5),
        (named == "below", BELOW, "kills far less than usual", 5.5),
    )
    for at, color, label, size in looks:
        for some, face in ((at & draft, "white"), (at & ~draft, color)):
            if some.any():
                ax.plot(
                    x[some], y[some], ls="", marker="o", ms=size, mfc=face, mec=color, mew=0.8 if size < 4 else 1.4,
                    zorder=3 + size / 10, label=label,
                )  # fmt: skip
    order = np.argsort(x, kind="stable")
    ax.plot(
        x[order], frame["trend"].to_numpy(np.float64)[order], color=INK, lw=1.8, zorder=3.8,
        label="usual at that ratio",
    )  # fmt: skip
    ax.axvline(1.0, color=FAINT, lw=1.0, zorder=1)
    low, high = float(x.min()) / 1.12, float(x.max()) * 1.12
    ax.set_xscale("log")
    scale_fair_axis(ax.xaxis, (low, high))
    ax.set_xlim(low, high)
    ax.set_ylim(-0.02, 1.02)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    return ax


def label_points(frame: pd.DataFrame, ax: Axes) -> int:
    """Write the labels of the points that have a side, where there is room, and return how many found none.

    `frame`: as above, and label (drawn as it stands). The layout of the figure has to be settled before.
    """
    figure: Any = ax.get_figure()
    scale = 72.0 / figure.dpi
    crowd = ax.transData.transform(frame[["ecv_ratio", "kill_rate"]].to_numpy(np.float64)) * scale
    chosen = frame[frame["side"] != ""].sort_values("excess", key=np.abs, ascending=False, kind="stable")
    points = ax.transData.transform(chosen[["ecv_ratio", "kill_rate"]].to_numpy(np.float64)) * scale
    sizes = [(_width(label) + 3.0, 1.35 * LABEL_SIZE) for label in chosen["label"]]
    inside = ax.get_window_extent()
    panel = Box(inside.x0 * scale + 2, inside.y0 * scale + 2, inside.x1 * scale - 2, inside.y1 * scale - 2)
    marks = [Box(x - 3.5, y - 3.5, x + 3.5, y + 3.5) for x, y in points.tolist()]
    boxes = place_labels(points, sizes, crowd, panel, marks)
    for box, point, label, side in zip(boxes, points.tolist(), chosen["label"], chosen["side"], strict=True):
        if box is not None:
            _write_label(ax, label, point, box, ABOVE if side == "above" else BELOW, 1 / scale)
    return sum(box is None for box in boxes)


def _write_label(
    ax: Axes, label: str, point: tuple[float, float], box: Box, color: str, pixels: float
) -> None:
    to_data = ax.transData.inverted()
    middle = np.array([(box.left + box.right) / 2, (box.bottom + box.top) / 2])
    x, y = to_data.transform(middle * pixels).tolist()
    ends = to_data.transform(np.array([point, nearest_end(point, box)]) * pixels)
    ax.plot(ends[:, 0], ends[:, 1], color=color, lw=0.7, zorder=4.2)
    ax.text(
        x, y, label, ha="center", va="center", fontsize=LABEL_SIZE,
        color=color, zorder=6, bbox={"boxstyle": "square,pad=0.08", "fc": "white", "ec": "none", "alpha": 0.75},
    )  # fmt: skip


def _width(label: str) -> float:
    """Width of a label in points of 1/72 inch."""
    return text_width(label.replace("\\$", "$")) * 72 * LABEL_SIZE / 10
