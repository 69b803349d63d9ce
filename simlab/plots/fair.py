"""Plots of fair numbers: by range, and against the ratio of the ECVs."""

import math
from dataclasses import replace
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from simlab.plots.style import FAINT, INK, LineStyle, mark_ranges, range_places, size_style

Points: TypeAlias = npt.NDArray[np.float64]

EDGE = 1.07
"""Room beyond the outermost point, as a factor."""
MOST_TICKS = 9
"""Labels of an axis at most."""
NARROW = 2.2
"""Ratio of the ends of a log axis below which its ticks stand at equal distances."""
_BAND, _BAND_ROW, _WIDEST_BAND = 0.025, 0.04, 0.3
_PREFERRED = (1, 5, 2, 3, 7, 1.5, 4, 1.2, 2.5, 6, 1.7, 8)


def fair_limits(frame: pd.DataFrame) -> tuple[float, float]:
    """Return the ends of an axis for fair numbers per unit and the price line, with bands for unbounded ones."""
    known = frame[frame["status"] == "value"]
    values = known[["ratio", "ratio_low", "ratio_high", "ecv_ratio"]].to_numpy(np.float64).ravel()
    near = values[np.isfinite(values) & (values > 0)]
    stated = frame[["ratio", "ecv_ratio"]].to_numpy(np.float64).ravel()
    stated = stated[np.isfinite(stated) & (stated > 0)]
    low, high = 0.5, 2.0
    if stated.size:
        reached = np.append(near, stated)
        low, high = max(reached.min(), stated.min() / 2), min(reached.max(), stated.max() * 2)
    rows = [frame.loc[frame["status"] == status, "size_n"].nunique() for status in ("below", "above")]
    return _with_bands((low / EDGE, high * EDGE), rows[0], rows[1])


def _with_bands(limits: tuple[float, float], below: int, above: int) -> tuple[float, float]:
    """The ends of a log axis moved apart, so that rows of triangles stand below and above what was there."""
    low, high = limits
    shares = [_BAND + _band_row(rows) * rows if rows else 0.0 for rows in (below, above)]
    span = math.log(high / low) / (1 - sum(shares))
    return low * math.exp(-shares[0] * span), high * math.exp(shares[1] * span)


def _band_row(rows: int) -> float:
    return min(_BAND_ROW, _WIDEST_BAND / rows)


def _edge_place(limits: tuple[float, float], status: str, row: int, rows: int) -> float:
    """Where on a log axis the triangles of a row stand, from row 0 at the edge on: wholly inside."""
    inside = _BAND + _band_row(rows) * row
    share = inside if status == "below" else 1 - inside
    return float(limits[0] * (limits[1] / limits[0]) ** share)


def scale_fair_axis(axis: Any, limits: tuple[float, float]) -> None:
    """Mark a log axis with plain numbers at round places that leave room for each other."""
    axis.set_major_locator(FixedLocator(round_ticks(*limits)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def round_ticks(low: float, high: float) -> list[float]:
    """Return round numbers between the ends of a log axis, at most `MOST_TICKS`, none crowding another."""
    if high / low < NARROW:
        found = MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        return [float(f"{tick:.10g}") for tick in found if low <= tick <= high]
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    least = math.log(high / low) / (MOST_TICKS - 1)
    chosen: list[float] = []
    for step, decade in product(_PREFERRED, decades):
        tick = float(f"{step * 10.0**decade:.10g}")
        if low <= tick <= high and all(abs(math.log(tick / other)) >= least for other in chosen):
            chosen.append(tick)
    return sorted(chosen)


def plot_fair_numbers(frame: pd.DataFrame, ax: Axes, limits: tuple[float, float] | None = None) -> Axes:
    """Draw fair numbers per unit of a by range, one line per size, with interval bars and the price line.

    `frame` is of one pair, policy and aspects: size_n, range, ratio, ratio_low, ratio_high (missing: open), status,
    no_decision, ecv_ratio (NaN for no line), ecv_label. The sizes stand close side by side at each range.
    Fair numbers outside 1 to 40 N are triangles at the edge, undecided ones are crossed. `limits`: ends of the
    vertical axis.
    """
    bounds = fair_limits(frame) if limits is None else limits
    sizes = sorted(frame["size_n"].unique())
    placed, labels = range_places(frame["range"])
    frame = frame.assign(at=placed)
    distances = np.sort(frame["at"].unique())
    gap = float(np.diff(distances).min()) if distances.size > 1 else 1.0
    step = (SPREAD if labels is None else 0.6) * gap / max(len(sizes), 2)
    ranks = {status: _ranks(frame, status) for status in UNBOUNDED}
    for place, size in enumerate(sizes):
        rows = frame[frame["size_n"] == size].sort_values("at")
        x = rows["at"].to_numpy(np.float64) + step * (place - (len(sizes) - 1) / 2)
        style = size_style(place, len(sizes))
        if labels is not None:
            style = replace(style, dashes="")
        _draw_size(ax, rows, x, style, place, bounds)
        _mark_edges(ax, rows, x, style, bounds, ranks)
    _draw_price(ax, frame)
    ax.set_yscale("log")
    scale_fair_axis(ax.yaxis, bounds)
    ax.set_ylim(*bounds)
    mark_ranges(ax, distances, labels)
    ax.set_xlim(distances[0] - 0.75 * gap, distances[-1] + 0.75 * gap)
    return ax


SPREAD = 0.16
"""How far points of one range are apart at most, as a share of the least distance of ranges."""


def _ranks(frame: pd.DataFrame, status: str) -> dict[Any, int]:
    """Rows of triangles by size: those sizes that have a fair number beyond that end."""
    sizes = sorted(frame.loc[frame["status"] == status, "size_n"].unique())
    return {size: row for row, size in enumerate(sizes)}


def _draw_size(
    ax: Axes, rows: pd.DataFrame, x: Points, style: LineStyle, place: int, bounds: tuple[float, float]
) -> None:
    ratio = rows["ratio"].to_numpy(np.float64)
    low = np.clip(rows["ratio_low"].fillna(0.0).to_numpy(np.float64), bounds[0], None)
    high = np.clip(rows["ratio_high"].fillna(np.inf).to_numpy(np.float64), None, bounds[1])
    known = np.isfinite(ratio)
    ax.plot(
        x,
        ratio,
        color=style.color,
        ls=style.dashes,
        lw=1.1,
        marker=style.marker,
        ms=6,
        mfc=style.face,
        mec=style.color,
        mew=1.1,
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
    ax: Axes,
    rows: pd.DataFrame,
    x: Points,
    style: LineStyle,
    bounds: tuple[float, float],
    ranks: dict[str, dict[Any, int]],
) -> None:
    """Triangles where a fair number is out of bounds, crosses where fights were not decided."""
    for status, marker in (("above", "^"), ("below", "v")):
        at = (rows["status"] == status).to_numpy()
        if at.any():
            ranked = ranks[status]
            edge = _edge_place(bounds, status, ranked[rows["size_n"].iloc[0]], len(ranked))
            ax.plot(
                x[at],
                np.full(at.sum(), edge),
                ls="",
                marker=marker,
                ms=7,
                mfc="white",
                mec=style.color,
                mew=1.4,
                zorder=5,
                label=UNBOUNDED[status],
            )
    ratio = rows["ratio"].to_numpy(np.float64)
    crossed = np.isfinite(ratio) & rows["no_decision"].to_numpy(bool)
    if crossed.any():
        ax.plot(
            x[crossed], ratio[crossed], ls="", marker="x", ms=9, mec=INK, mew=1.0, zorder=6, label=UNDECIDED
        )


UNBOUNDED = {"above": "even 40 for one\nare too few", "below": "a single one is\ntoo many for N"}
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
    pair (label, drawn as it stands). Every point stands at its ratio of ECVs, a larger size in a smaller marker;
    a line joins the lowest and the highest situation of a pair. Draft ECVs are drawn hollow.
    """
    sizes = sorted(frame["size_n"].unique())
    across = _near(frame[["ecv_ratio"]], 1.15)
    rows = [frame.loc[at, "size_n"].nunique() for at in (frame["ratio"] == 0, np.isposinf(frame["ratio"]))]
    upright = _with_bands(_near(frame[["ecv_ratio", "ratio", "lowest", "highest"]], 1.1), rows[0], rows[1])
    for _, group in frame.groupby("pair", sort=False):
        ax.vlines(
            float(group["ecv_ratio"].iloc[0]),
            max(float(group["lowest"].min()), upright[0]),
            min(float(group["highest"].max()), upright[1]),
            color=FAINT,
            lw=1.0,
            zorder=2,
        )
    for place, size in enumerate(sizes):
        group = frame[frame["size_n"] == size]
        _draw_points(ax, group, size_style(place, len(sizes)), f"N = {size}", 9.0 - 4.0 * place / len(sizes))
    for status, marker, at in (
        ("above", "^", np.isposinf(frame["ratio"])),
        ("below", "v", frame["ratio"] == 0),
    ):
        _draw_unbounded(ax, frame[at], sizes, (status, marker), upright)
    ends = (min(across[0], upright[0]), max(across[1], upright[1]))
    ax.plot(
        ends, ends, color=FAINT, lw=2.2, ls=(0, (7, 3)), zorder=2.5, alpha=0.8, label="fights and ECVs agree"
    )
    if frame["draft"].any():
        hollow: dict[str, Any] = {
            "mfc": "white",
            "mec": INK,
            "mew": 1.4,
            "zorder": 4.5,
            "label": "hollow: draft ECV",
        }
        ax.plot([], [], ls="", marker="o", ms=6.5, **hollow)
    ax.set_xscale("log")
    ax.set_yscale("log")
    scale_fair_axis(ax.xaxis, across)
    scale_fair_axis(ax.yaxis, upright)
    ax.set_xlim(*across)
    ax.set_ylim(*upright)
    _label_pairs(ax, frame, across, upright)
    return ax


def _near(values: pd.DataFrame, room: float) -> tuple[float, float]:
    numbers = values.to_numpy(np.float64).ravel()
    near = numbers[np.isfinite(numbers) & (numbers > 0)]
    return (float(near.min()) / room, float(near.max()) * room) if near.size else (0.5, 2.0)


def _draw_points(ax: Axes, rows: pd.DataFrame, style: LineStyle, label: str, size: float) -> None:
    x, y = (rows[name].to_numpy(np.float64) for name in ("ecv_ratio", "ratio"))
    known = np.isfinite(y) & (y > 0)
    draft = rows["draft"].to_numpy(bool)
    for at, face in ((known & ~draft, style.color), (known & draft, "white")):
        if at.any():
            look: dict[str, Any] = {
                "marker": style.marker,
                "ms": size,
                "mfc": face,
                "mec": style.color,
                "mew": 1.4,
            }
            ax.plot(x[at], y[at], ls="", zorder=4 + (9 - size) / 100, label=label, **look)
    crossed = known & rows["no_decision"].to_numpy(bool)
    if crossed.any():
        ax.plot(x[crossed], y[crossed], ls="", marker="x", ms=9, mec=INK, mew=1.0, zorder=6, label=UNDECIDED)


def _draw_unbounded(
    ax: Axes, rows: pd.DataFrame, sizes: list[Any], look: tuple[str, str], limits: tuple[float, float]
) -> None:
    """Triangles inside an edge, a row for each size that has any."""
    status, marker = look
    ranked = sorted(rows["size_n"].unique())
    for row, size in enumerate(ranked):
        x = rows.loc[rows["size_n"] == size, "ecv_ratio"].to_numpy(np.float64)
        color = size_style(sizes.index(size), len(sizes)).color
        edge = np.full(x.size, _edge_place(limits, status, row, len(ranked)))
        shape: dict[str, Any] = {"marker": marker, "ms": 8, "mfc": "white", "mec": color, "mew": 1.4}
        ax.plot(x, edge, ls="", zorder=5, label=UNBOUNDED[status], **shape)


LETTERS = "abcdefghijkl"


def lettered_pairs(frame: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each pair that gets a letter, by ratio of ECVs: where there are too many, those whose
    fair numbers for the smallest size are furthest from that ratio, unbounded ones first."""
    pairs = frame.sort_values("size_n", kind="stable").drop_duplicates("pair")
    if len(pairs) > len(LETTERS):
        with np.errstate(divide="ignore"):
            away = np.abs(
                np.log(pairs["ratio"].to_numpy(np.float64) / pairs["ecv_ratio"].to_numpy(np.float64))
            )
        pairs = pairs.iloc[np.argsort(-away, kind="stable")[: len(LETTERS)]]
    return pairs.sort_values("ecv_ratio", kind="stable")


def _label_pairs(
    ax: Axes, frame: pd.DataFrame, across: tuple[float, float], upright: tuple[float, float]
) -> None:
    """Write a letter for each pair, above the panel with a line to its ratio, or beside its first point where only
    some pairs get one; the legend gets the key."""
    pairs = lettered_pairs(frame)
    some = len(pairs) < frame["pair"].nunique()
    span = math.log(across[1] / across[0])
    wanted = [math.log(ratio / across[0]) / span for ratio in pairs["ecv_ratio"]]
    style: dict[str, Any] = {"color": INK, "annotation_clip": False}
    heights = np.clip(pairs["ratio"].to_numpy(np.float64), *upright)
    facts = zip(
        LETTERS, pairs["pair"], pairs["ecv_ratio"], heights, wanted, _apart(wanted, 0.03), strict=False
    )
    for letter, pair, ratio, height, at, place in facts:
        if some:
            ax.annotate(letter, (ratio, height), xytext=(6, 3), textcoords="offset points", zorder=8, **style)
        else:
            ax.annotate(
                letter,
                (at, 1.0),
                xytext=(place, 1.035),
                xycoords="axes fraction",
                textcoords="axes fraction",
                ha="center",
                va="bottom",
                arrowprops={"arrowstyle": "-", "color": FAINT, "lw": 0.8, "shrinkA": 1, "shrinkB": 0},
                **style,
            )
        ax.plot([], [], ls="", zorder=7, label=f"{letter}:  {pair}")


def _apart(places: list[float], distance: float) -> list[float]:
    """Rising places moved so that neighbours are at least `distance` apart and none is beyond 1."""
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + distance) if moved else place)
    for index in reversed(range(len(moved))):
        moved[index] = min(moved[index], moved[index + 1] - distance if index + 1 < len(moved) else 1.0)
    return moved
