"""Plots of fair numbers: by range, and against the ratio of the ECVs."""

import math
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from simlab.plots.style import FAINT, INK, LineStyle, size_style

Points: TypeAlias = npt.NDArray[np.float64]

EDGE = 1.07
"""Room beyond the outermost point, as a factor; unbounded points stand at the very edge."""

_STEPS = (1, 1.5, 2, 3, 4, 5, 7)


def fair_limits(frame: pd.DataFrame) -> tuple[float, float]:
    """Return the ends of an axis for fair numbers per unit and the price line, with room for edges."""
    known = frame[frame["status"] == "value"]
    values = known[["ratio", "ratio_low", "ratio_high", "ecv_ratio"]].to_numpy(np.float64).ravel()
    near = values[np.isfinite(values) & (values > 0)]
    stated = frame[["ratio", "ecv_ratio"]].to_numpy(np.float64).ravel()
    stated = stated[np.isfinite(stated) & (stated > 0)]
    if not stated.size:
        return 0.5, 2.0
    reached = np.append(near, stated)
    low, high = max(reached.min(), stated.min() / 2), min(reached.max(), stated.max() * 2)
    room = EDGE if len(known) == len(frame) else 1.2
    return low / room, high * room


MOST_TICKS = 10
"""Labels of an axis at most."""


def scale_fair_axis(axis: Any, limits: tuple[float, float]) -> None:
    """Mark a log axis with plain numbers at round places."""
    low, high = limits
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = _fine_steps(low, high)
    ticks = [step * 10.0**decade for decade in decades for step in steps]
    inside = [tick for tick in ticks if low <= tick <= high]
    axis.set_major_locator(FixedLocator(inside[:: math.ceil(len(inside) / MOST_TICKS) or 1]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _fine_steps(low: float, high: float) -> tuple[float, ...]:
    """Steps within a decade: the wider the axis, the fewer."""
    span = math.log10(high / low)
    if span < 0.35:
        return tuple(np.arange(1, 10, 0.1 if span < 0.17 else 0.2).round(1).tolist())
    if span < 0.7:
        return (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9)
    return _STEPS if span < 1.6 else (1, 2, 5)


def plot_fair_numbers(frame: pd.DataFrame, ax: Axes, limits: tuple[float, float] | None = None) -> Axes:
    """Draw fair numbers per unit of a by range, one line per size, with interval bars and the price line.

    `frame` is of one pair, policy and aspects: size_n, range, ratio, ratio_low, ratio_high, status,
    no_decision, ecv_ratio (NaN for no line), ecv_label. The sizes stand side by side at each range. Fair
    numbers outside 1 to 40 N are triangles at the edge, undecided ones are crossed. `limits`: ends of the
    vertical axis.
    """
    bounds = fair_limits(frame) if limits is None else limits
    sizes = sorted(frame["size_n"].unique())
    distances = np.sort(frame["range"].unique())
    gap = float(np.diff(distances).min()) if distances.size > 1 else 1.0
    step = 0.62 * gap / max(len(sizes), 2)
    for place, size in enumerate(sizes):
        rows = frame[frame["size_n"] == size].sort_values("range")
        x = rows["range"].to_numpy(np.float64) + step * (place - (len(sizes) - 1) / 2)
        style = size_style(place, len(sizes))
        _draw_size(ax, rows, x, style, place, bounds)
        _mark_edges(ax, rows, x, style, bounds)
    _draw_price(ax, frame)
    ax.set_yscale("log")
    scale_fair_axis(ax.yaxis, bounds)
    ax.set_ylim(*bounds)
    ax.set_xticks(distances)
    ax.set_xlim(distances[0] - 0.75 * gap, distances[-1] + 0.75 * gap)
    return ax


def _draw_size(
    ax: Axes, rows: pd.DataFrame, x: Points, style: LineStyle, place: int, bounds: tuple[float, float]
) -> None:
    ratio = rows["ratio"].to_numpy(np.float64)
    low = np.clip(rows["ratio_low"].to_numpy(np.float64), bounds[0], None)
    high = np.clip(rows["ratio_high"].to_numpy(np.float64), None, bounds[1])
    known = np.isfinite(ratio)
    ax.plot(
        x,
        ratio,
        color=style.color,
        ls=style.dashes,
        lw=1.1,
        marker=style.marker,
        ms=4.5,
        mec="white",
        mew=0.4,
        zorder=3 + place / 100,
        label=f"N = {rows['size_n'].iloc[0]}",
    )
    spans = np.array([ratio - low, high - ratio])[:, known]
    ax.errorbar(
        x[known],
        ratio[known],
        yerr=spans,
        fmt="none",
        ecolor=style.color,
        elinewidth=1.1,
        capsize=2.2,
        zorder=3.5,
    )


def _mark_edges(
    ax: Axes, rows: pd.DataFrame, x: Points, style: LineStyle, bounds: tuple[float, float]
) -> None:
    """Triangles where a fair number is out of bounds, crosses where fights were not decided."""
    for status, edge, marker in (("above", bounds[1], "^"), ("below", bounds[0], "v")):
        at = (rows["status"] == status).to_numpy()
        if at.any():
            ax.plot(
                x[at],
                np.full(at.sum(), edge),
                ls="",
                marker=marker,
                ms=8,
                mfc="white",
                mec=style.color,
                mew=1.4,
                clip_on=False,
                zorder=5,
                label=UNBOUNDED[status],
            )
    ratio = rows["ratio"].to_numpy(np.float64)
    crossed = np.isfinite(ratio) & rows["no_decision"].to_numpy(bool)
    if crossed.any():
        ax.plot(
            x[crossed], ratio[crossed], ls="", marker="x", ms=9, mec=INK, mew=1.0, zorder=6, label=UNDECIDED
        )


UNBOUNDED = {"above": "over 40 for one\n(unbounded)", "below": "under 1 for all N\n(unbounded)"}
UNDECIDED = "mostly undecided at\nthe turn limit"


def _draw_price(ax: Axes, frame: pd.DataFrame) -> None:
    price = float(frame["ecv_ratio"].iloc[0])
    if math.isfinite(price):
        ax.axhline(
            price,
            color=FAINT,
            lw=2.6,
            ls=(0, (7, 3)),
            zorder=4,
            alpha=0.8,
            label=str(frame["ecv_label"].iloc[0]),
        )


def plot_fair_against_ecv(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Draw fair numbers per unit against the ratio of the ECVs, with the line on which they agree.

    `frame`: size_n, ecv_ratio, ratio (0 or infinite: unbounded), lowest, highest, draft, no_decision,
    pair (label, drawn as it stands). Points of a pair are spread a little to the sides by size; draft ECVs
    are drawn hollow.
    """
    across, upright = (
        _near(frame[["ecv_ratio"]], 1.15),
        _near(frame[["ecv_ratio", "ratio", "lowest", "highest"]], 1.2),
    )
    sizes = sorted(frame["size_n"].unique())
    step = _spread_step(frame, len(sizes))
    for place, size in enumerate(sizes):
        rows = frame[frame["size_n"] == size]
        shift = step ** (place - (len(sizes) - 1) / 2)
        _draw_points(ax, rows, shift, size_style(place, len(sizes)), f"N = {size}", upright)
    ends = (min(across[0], upright[0]), max(across[1], upright[1]))
    ax.plot(
        ends, ends, color=FAINT, lw=2.2, ls=(0, (7, 3)), zorder=3.9, alpha=0.8, label="fights and ECVs agree"
    )
    if frame["draft"].any():
        ax.plot(
            [],
            [],
            ls="",
            marker="o",
            ms=6.5,
            mfc="white",
            mec=INK,
            mew=1.4,
            zorder=4,
            label="hollow: draft ECV",
        )
    ax.set_xscale("log")
    ax.set_yscale("log")
    scale_fair_axis(ax.xaxis, across)
    scale_fair_axis(ax.yaxis, upright)
    ax.set_xlim(*across)
    ax.set_ylim(*upright)
    _label_pairs(ax, frame, across)
    return ax


def _near(values: pd.DataFrame, room: float) -> tuple[float, float]:
    numbers = values.to_numpy(np.float64).ravel()
    near = numbers[np.isfinite(numbers) & (numbers > 0)]
    return (float(near.min()) / room, float(near.max()) * room) if near.size else (0.5, 2.0)


def _spread_step(frame: pd.DataFrame, sizes: int) -> float:
    """Factor between neighbouring sizes, such that the points of a pair stay apart from those of the next."""
    ratios = np.unique(frame["ecv_ratio"].to_numpy(np.float64).round(9))
    gap = float(np.diff(np.log(ratios)).min()) if ratios.size > 1 else 0.3
    return math.exp(min(0.02, 0.7 * gap / max(sizes, 1)))


def _draw_points(
    ax: Axes, rows: pd.DataFrame, shift: float, style: LineStyle, label: str, bounds: tuple[float, float]
) -> None:
    x = rows["ecv_ratio"].to_numpy(np.float64) * shift
    ratio = rows["ratio"].to_numpy(np.float64)
    y, low, high = (
        np.clip(rows[name].to_numpy(np.float64), *bounds) for name in ("ratio", "lowest", "highest")
    )
    ax.vlines(x, low, high, color=style.color, lw=0.9, alpha=0.7, zorder=2)
    draft = rows["draft"].to_numpy(bool)
    for at, face in ((~draft, style.color), (draft, "white")):
        if at.any():
            ax.plot(
                x[at],
                y[at],
                ls="",
                marker=style.marker,
                ms=6,
                mfc=face,
                mec=style.color,
                mew=1.4,
                zorder=3,
                label=label,
                clip_on=False,
            )
    for at, marker, name in ((np.isposinf(ratio), "^", "above"), (ratio == 0.0, "v", "below")):
        if at.any():
            ax.plot(
                x[at],
                y[at],
                ls="",
                marker=marker,
                ms=11,
                mfc="none",
                mec=INK,
                mew=1.0,
                clip_on=False,
                zorder=5,
                label=UNBOUNDED[name],
            )
    crossed = rows["no_decision"].to_numpy(bool)
    if crossed.any():
        ax.plot(x[crossed], y[crossed], ls="", marker="x", ms=9, mec=INK, mew=1.0, zorder=6, label=UNDECIDED)


def _label_pairs(ax: Axes, frame: pd.DataFrame, across: tuple[float, float]) -> None:
    """Write a letter for each pair above the panel, with a line to its ratio; the legend gets the key."""
    pairs = frame.drop_duplicates("pair").sort_values("ecv_ratio")
    if len(pairs) > len(LETTERS):
        return
    span = math.log(across[1] / across[0])
    wanted = [math.log(ratio / across[0]) / span for ratio in pairs["ecv_ratio"]]
    for letter, pair, at, place in zip(LETTERS, pairs["pair"], wanted, _apart(wanted, 0.03), strict=False):
        ax.annotate(
            letter,
            (at, 1.0),
            xytext=(place, 1.035),
            xycoords="axes fraction",
            textcoords="axes fraction",
            ha="center",
            va="bottom",
            color=INK,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": FAINT, "lw": 0.8, "shrinkA": 1, "shrinkB": 0},
        )
        ax.plot([], [], ls="", zorder=7, label=f"{letter}:  {pair}")


LETTERS = "abcdefghijkl"


def _apart(places: list[float], distance: float) -> list[float]:
    """Rising places moved so that neighbours are at least `distance` apart, to the right where they crowd."""
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + distance) if moved else place)
    return moved
