"""The picture of a points formula: the roster's prices beside those of the formula, and what points are worth."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

from simlab.plots.placement import Box, nearest_end, place_labels
from simlab.plots.style import (
    FAINT,
    INK,
    add_caption,
    add_title,
    new_figure,
    plain,
    save_png,
    text_width,
    use_style,
)
from simlab.rules.registry import caveats_of

HERE, AVERAGE, WORST = "#0b2a6f", "#d1661b", "#b3213a"
NAMED = 6
LABEL_SIZE = 8.0
BAND = 1.1
WIDEST_LABEL = 2.2


def plot_predictions(units: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the prices of a formula against priced ones, with a line where both are equal and a band of 10%.

    `units`: id, name, priced, formula, error (of the logarithm), the largest errors first; these are drawn in red.
    """
    priced, formula = (units[name].to_numpy(np.float64) for name in ("priced", "formula"))
    low, high = min(priced.min(), formula.min()) / 1.08, max(priced.max(), formula.max()) * 1.08
    line = np.array([low, high])
    ax.fill_between(line, line / BAND, line * BAND, color="#e9edf5", lw=0, zorder=1, label="within 10%")
    ax.plot(line, line, color=FAINT, lw=1.0, zorder=1.5)
    for some, color, size in ((slice(NAMED, None), HERE, 4.5), (slice(None, NAMED), WORST, 5.5)):
        ax.plot(priced[some], formula[some], ls="", marker="o", ms=size, color=color, zorder=3)
    for axis, scale in ((ax.xaxis, ax.set_xscale), (ax.yaxis, ax.set_yscale)):
        scale("log")
        axis.set_major_locator(_RoundPrices())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axis.set_minor_formatter(NullFormatter())
    ax.set_xlim(low, high)
    ax.set_ylim(low, high)
    ax.set_aspect("equal")
    ax.set_xlabel("priced by fights (ECV)")
    ax.set_ylabel("by the formula (ECV)")
    return ax


class _RoundPrices(MaxNLocator):
    """Few round prices on a logarithmic axis."""

    def __init__(self) -> None:
        super().__init__(nbins=6, steps=[1, 2, 2.5, 5, 10])


def label_worst(units: pd.DataFrame, ax: Axes) -> None:
    """Write the names of the units with the largest errors where there is room; the layout has to be settled before."""
    figure: Any = ax.get_figure()
    scale = 72.0 / figure.dpi
    chosen = units.head(NAMED)
    crowd = ax.transData.transform(units[["priced", "formula"]].to_numpy(np.float64)) * scale
    labels = [plain(str(name), WIDEST_LABEL) for name in chosen["name"]]
    sizes = [(text_width(label) * 72 * LABEL_SIZE / 10 + 3.0, 1.35 * LABEL_SIZE) for label in labels]
    inside = ax.get_window_extent()
    panel = Box(inside.x0 * scale + 2, inside.y0 * scale + 2, inside.x1 * scale - 2, inside.y1 * scale - 2)
    points = crowd[: len(chosen)]
    marks = [Box(x - 3.5, y - 3.5, x + 3.5, y + 3.5) for x, y in points.tolist()]
    to_data = ax.transData.inverted()
    boxes = place_labels(points, sizes, crowd, panel, marks)
    for label, point, box in zip(labels, points.tolist(), boxes, strict=True):
        if box is None:
            continue
        middle = np.array([(box.left + box.right) / 2, (box.bottom + box.top) / 2])
        x, y = to_data.transform(middle / scale).tolist()
        ends = to_data.transform(np.array([point, nearest_end(point, box)]) / scale)
        ax.plot(ends[:, 0], ends[:, 1], color=WORST, lw=0.7, zorder=2.8)
        ax.text(x, y, label, ha="center", va="center", fontsize=LABEL_SIZE, color=WORST, zorder=6)


def plot_points(stats: pd.DataFrame, ax: Axes) -> Axes:
    """Draw by what part a price grows with a point of each stat, at the base sheet and on average, with intervals.

    `stats`: stat, and share and average with their _low and _high; drawn from above in the order of the frame.
    """
    places = np.arange(len(stats))
    looks = (("share", HERE, -0.13, "o", "at the base sheet"), ("average", AVERAGE, 0.17, "s", "on average"))
    for name, color, lift, marker, label in looks:
        heights = places + lift
        low, high = (stats[f"{name}_{end}"].to_numpy(np.float64) for end in ("low", "high"))
        ax.hlines(heights, low, high, color=color, lw=1.6, zorder=2.5)
        ax.plot(
            stats[name].to_numpy(np.float64),
            heights,
            ls="",
            marker=marker,
            ms=4.5,
            color=color,
            zorder=3,
            label=label,
        )
    ax.axvline(0.0, color=INK, lw=1.0, zorder=2)
    ax.set_yticks(places, [plain(str(stat), 3.0) for stat in stats["stat"]])
    ax.set_ylim(len(stats) - 0.4, -0.6)
    ax.grid(axis="y", visible=False)
    ax.tick_params(axis="y", length=0)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+g}" if value else "0"))
    ax.set_xlabel("what a point more is worth, in % of the price")
    ax.legend(loc="lower right")
    return ax


def write_formula(
    stats: pd.DataFrame, units: pd.DataFrame, errors: pd.DataFrame, record: Mapping[str, Any], path: Path
) -> None:
    """Draw a points formula as a PNG file; the arguments are those parts of `lab.Formula`."""
    order = stats["share"].abs().sort_values(ascending=False, kind="stable").index
    with matplotlib.rc_context():
        use_style()
        figure = new_figure(13.0, max(6.6, 2.6 + 0.36 * len(stats)))
        left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
        plot_predictions(units, left)
        plot_points(stats.reindex(order), right)
        left.legend(loc="upper left")
        add_title(figure, plain(f"{record['name']}: what a point is worth", 9.0), 1.0)
        add_caption(figure, _caption(errors, record))
        figure.canvas.draw()
        label_worst(units, left)
        save_png(figure, path)


def _caption(errors: pd.DataFrame, record: Mapping[str, Any]) -> list[str]:
    off, base = 100 * np.expm1(errors.iloc[0]["rms"]), record["base"]
    return [
        f"Left: the roster, of which the formula knows nothing: root mean square error {off:.1f}%, the worst named.",
        f"Right: 95% intervals; base sheet {plain(base['name'], 9.0)} ({base['priced']:.0f} ECV); on average: by a "
        f"formula of the stats alone.",
        f"Learnt from {record['sheets']:,} drawn sheets, each in {record['rows']} fair numbers of {record['n']:,} "
        f"fights a number; {record['size']:g} ECV a side, {plain(str(record['policy']))}, {record['turns']} turns; "
        f"{plain(str(record['mix']), 200.0)}.",
        *caveats_of(record),
    ]
