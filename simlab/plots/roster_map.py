"""The map of a whole roster: who wins how often against whom, with units that fare alike side by side."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_rgba
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.ticker import PercentFormatter

from simlab.analysis.roster import EVEN
from simlab.analysis.roster_order import Clusters
from simlab.plots.style import FAINT, INK

Floats = npt.NDArray[np.float64]

LOSS, WIN = "#8f3d06", "#0b2a6f"
SHARES = LinearSegmentedColormap.from_list(
    "shares", [LOSS, "#d1661b", "#f3bd8c", "#f6f4f1", "#a4bde2", "#4470b8", WIN]
)
"""Orange for lost, blue for won, paper white for one half; dark at both ends, told apart without red or green."""
VOID = "#d9d9d9"
UNDECIDED = "×"
CELL, SMALL_CELL = 0.262, 0.12
"""Inches a cell takes with a number in it, and without."""
NAME_SIZE, SMALL_NAME_SIZE = 8.0, 6.0
NUMBER_SIZE = 6.4
MOST_NUMBERS = 60
GROUPS = 4
"""Groups that wide lines part, where there are units enough."""
_MARKS = (
    ("silent", (-0.3, 0.3), "v", "the row's unit cannot fire"),
    ("opponent_silent", (0.3, -0.3), "^", "the column's unit cannot fire"),
)


@dataclass(frozen=True, eq=False)
class ShareMap:
    """What a map shows, each square array of shape (units, units) in the order of `names`, NaN where there is nothing.

    shares, low, high: win share of the row against the column with its interval. undecided: mostly without decision.
    silent, opponent_silent: weight of the situations in which the row's or the column's unit cannot fire.
    """

    names: Sequence[str]
    shares: Floats
    low: Floats
    high: Floats
    undecided: npt.NDArray[np.bool_]
    silent: Floats
    opponent_silent: Floats


def cell_size(count: int) -> float:
    """Return the inches that a cell takes in a map of so many units."""
    return CELL if count <= MOST_NUMBERS else SMALL_CELL


def name_size(count: int) -> float:
    """Return the size of type of names in a map of so many units."""
    return NAME_SIZE if count <= MOST_NUMBERS else SMALL_NAME_SIZE


def whole_percent(value: float, low: float, high: float) -> str:
    """Return a percentage without decimals and sign, `<1` and `>99` where rounding would claim 0 or 100."""
    exact = low == high
    text = f"{100 * value:.0f}"
    if text == "0" and not (exact and value == 0.0):
        return "<1"
    if text == "100" and not (exact and value == 1.0):
        return ">99"
    return text


def plot_share_map(shown: ShareMap, ax: Axes, cuts: Sequence[int] = ()) -> ScalarMappable:
    """Draw win shares as coloured cells and return what a colour bar needs.

    Numbers are in percent, up to `MOST_NUMBERS` units; `cuts` are places before which wide lines are drawn. Cells
    mostly without decision are grey and crossed, triangles mark units that cannot fire (full: in no situation).
    """
    count = len(shown.names)
    scale = ScalarMappable(Normalize(0.0, 1.0), SHARES)
    inks: Any = scale.to_rgba(np.round(np.nan_to_num(shown.shares, nan=EVEN), 2))
    inks[np.isnan(shown.shares)] = (1.0, 1.0, 1.0, 1.0)
    inks[shown.undecided] = to_rgba(VOID)
    ax.imshow(inks, aspect="auto", interpolation="nearest")
    if count <= MOST_NUMBERS:
        _write_numbers(ax, shown, inks)
    _mark_silence(ax, shown)
    ax.xaxis.tick_top()
    size = name_size(count)
    ax.set_xticks(range(count), list(shown.names), rotation=90, fontsize=size)
    ax.set_yticks(range(count), list(shown.names), fontsize=size)
    ax.set_xticks(np.arange(1, count) - 0.5, minor=True)
    ax.set_yticks(np.arange(1, count) - 0.5, minor=True)
    ax.grid(False)
    ax.grid(True, which="minor", color="white", linewidth=0.5)
    for cut in cuts:
        ax.axhline(cut - 0.5, color="white", lw=3.2, zorder=2.5)
        ax.axvline(cut - 0.5, color="white", lw=3.2, zorder=2.5)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)
    return scale


def _write_numbers(ax: Axes, shown: ShareMap, inks: Any) -> None:
    """Write each number as a marker at all its cells at once, which is much quicker than one text after the other."""
    cells: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for row, column in zip(*np.nonzero(~np.isnan(shown.shares)), strict=True):
        value = float(shown.shares[row, column])
        text = whole_percent(value, float(shown.low[row, column]), float(shown.high[row, column]))
        dark = float(inks[row, column, :3] @ (0.299, 0.587, 0.114)) < 0.55
        key = (UNDECIDED, INK) if shown.undecided[row, column] else (text, "white" if dark else INK)
        cells.setdefault(key, []).append((column, row))
    for (text, colour), places in cells.items():
        glyphs, size = _glyphs(text)
        x, y = zip(*places, strict=True)
        ax.plot(x, y, ls="", marker=glyphs, ms=size, mfc=colour, mec="none", zorder=3, gid=text)


@functools.cache
def _glyphs(text: str) -> tuple[Path, float]:
    """The outline of a number around its middle, and the size of marker that draws it as text of `NUMBER_SIZE`."""
    outline, digit = (TextPath((0, 0), part, size=NUMBER_SIZE) for part in (text, "0"))
    width, height = outline.get_extents().x0 + outline.get_extents().x1, digit.get_extents().y1
    centred = Path(outline.vertices - (width / 2, height / 2), outline.codes)
    return centred, 2 * float(np.abs(centred.vertices).max())


def _mark_silence(ax: Axes, shown: ShareMap) -> None:
    for name, (right, down), marker, label in _MARKS:
        weight = getattr(shown, name)
        whole = weight == 1.0
        for at, face, where in (
            (whole, INK, "anywhere"),
            ((weight > 0) & ~whole, "none", "in some situations"),
        ):
            rows, columns = np.nonzero(at)
            if rows.size:
                ax.plot(
                    columns + right, rows + down, ls="", marker=marker, ms=2.6, mfc=face, mec=INK, mew=0.5, zorder=4,
                    label=f"{label} {where}",
                )  # fmt: skip


def plot_tree(clusters: Clusters, ax: Axes) -> Axes:
    """Draw the merges of a clustering to the left of a map's rows; further to the left is less alike."""
    middle = {(place, place): (float(place), 0.0) for place in range(len(clusters.order))}
    for merge in clusters.merges:
        (upper, start), (lower, end) = middle[merge.first], middle[merge.second]
        x = [start, merge.height, merge.height, end]
        ax.plot(x, [upper, upper, lower, lower], color=FAINT, lw=0.8, solid_joinstyle="miter")
        middle[merge.first[0], merge.second[1]] = ((upper + lower) / 2, merge.height)
    ax.set_ylim(len(clusters.order) - 0.5, -0.5)
    ax.set_xlim(max((merge.height for merge in clusters.merges), default=1.0) * 1.03 or 1.0, 0.0)
    ax.set_axis_off()
    return ax


def add_share_bar(figure: Any, mappable: ScalarMappable, ax: Axes) -> None:
    """Put a colour bar of win shares into an Axes, upright, with one half in its middle."""
    bar = figure.colorbar(mappable, cax=ax, orientation="vertical")
    bar.ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    bar.set_ticks([0.0, 0.25, 0.5, 0.75, 1.0])
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0, labelsize=8)
    bar.set_label("win share of the row's unit", fontsize=8.5)
    bar.ax.grid(False)
