"""The plot of a study under its readings: how far each of them moves its answers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from simlab.plots.style import (
    FAINT,
    INK,
    add_caption,
    add_legend,
    add_title,
    new_figure,
    plain,
    save_png,
    text_width,
    use_style,
)
from simlab.rules.registry import caveats_of

MOST_VARIANTS = 30
NO_EFFECT = "none"
LIFT = 0.17
"""How far matchups stand above the line of a variant, and fair numbers below."""

_KINDS = {
    "matchup": ("o", "#0b2a6f", -LIFT, "matchup: points of win share"),
    "fair": ("D", "#d1661b", LIFT, "fair number: percent"),
}
FLIP_LABEL = "an answer flips"


def plot_readings(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the changes that each variant makes, a line a variant, the first uppermost.

    `frame`: variant (label, drawn as it stands), kind (matchup or fair), change, change_low, change_high (0.1 is ten
    percentage points, or ten percent), flips. The largest change of each kind has its interval drawn, the others are
    faint. Rows without a change are left out.
    """
    labels = list(dict.fromkeys(frame["variant"]))
    known = frame[np.isfinite(frame["change"].to_numpy(np.float64))]
    for kind, (marker, color, lift, legend) in _KINDS.items():
        rows = known[known["kind"] == kind]
        if rows.empty:
            continue
        largest = rows.loc[rows["change"].abs().groupby(rows["variant"]).idxmax()]
        for part, alpha, size, label in ((rows, 0.3, 4.0, None), (largest, 1.0, 6.0, legend)):
            heights = [labels.index(variant) + lift for variant in part["variant"]]
            ax.plot(
                part["change"], heights, ls="", marker=marker, ms=size, color=color, alpha=alpha, mew=0,
                zorder=3, label=label,
            )  # fmt: skip
        _draw_intervals(ax, largest, labels, lift, color)
        turned = rows[rows["flips"]]
        ax.plot(
            turned["change"], [labels.index(variant) + lift for variant in turned["variant"]], ls="", marker="o",
            ms=11, mfc="none", mec="#b3213a", mew=1.4, zorder=4, label=FLIP_LABEL if len(turned) else None,
        )  # fmt: skip
    ax.axvline(0.0, color=INK, lw=1.0, zorder=2)
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(max(len(labels), 1) - 0.4, -0.6)
    ax.grid(axis="y", color="#eeeeee")
    ax.tick_params(axis="y", length=0)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+g}" if value else "0"))
    return ax


def _draw_intervals(ax: Axes, rows: pd.DataFrame, labels: list[str], lift: float, color: str) -> None:
    for row in rows.to_dict("records"):
        low, high = row["change_low"], row["change_high"]
        if low > -1 and np.isfinite(high):
            height = labels.index(row["variant"]) + lift
            ax.plot([low, high], [height, height], color=color, lw=1.4, solid_capstyle="butt", zorder=2.5)


def write_readings_plot(
    record: Mapping[str, Any],
    ranking: pd.DataFrame,
    matchups: pd.DataFrame,
    fair_numbers: pd.DataFrame,
    path: Path,
) -> None:
    """Draw the comparison of a study's readings as a PNG file; frames and record are those of `lab.Readings`."""
    moving = ranking[ranking["effect"] != NO_EFFECT]
    shown, names = moving.head(MOST_VARIANTS), {}
    for row in shown.to_dict("records"):
        given = "\n" + plain(f"with {row['given']}", 4.0) if row["given"] else ""
        names[_key(row)] = plain(f"{row['reading']} = {row['value']}", 4.0) + given
    parts = [
        table.assign(
            variant=[names.get(_key(row), "") for row in table.to_dict("records")],
            kind=kind,
            flips=table["turn"] == "flips",
        )
        for table, kind in ((matchups, "matchup"), (fair_numbers, "fair"))
        if not table.empty
    ]
    columns = ["variant", "kind", "change", "change_low", "change_high", "flips"]
    frame = pd.concat([part[columns] for part in parts]) if parts else pd.DataFrame(columns=columns)
    frame = frame[frame["variant"] != ""]
    order = {name: place for place, name in enumerate(names.values())}
    frame = frame.sort_values("variant", key=lambda column: column.map(order), kind="stable")
    with matplotlib.rc_context():
        use_style()
        widest = max((text_width(line) for name in order for line in name.split("\n")), default=1.0)
        figure = new_figure(max(10.5, widest + 7.5), 2.6 + 0.36 * max(len(order), 2))
        ax = figure.subplots()
        if order:
            plot_readings(frame, ax)
        else:
            ax.text(0.5, 0.5, "no reading has any effect here", ha="center", color=FAINT)
            ax.set_axis_off()
        ax.set_xlabel(
            "change against the base, in points of win share (of 100) or percent of the fair number"
        )
        add_title(figure, "Which reading of the rules matters, and how much?", 2.9)
        add_legend(figure, [ax])
        add_caption(figure, _caption(record, ranking, len(shown), len(moving)))
        save_png(figure, path)


def _key(row: Mapping[Any, Any]) -> tuple[str, str, str]:
    return row["reading"], row["value"], row["given"]


def _caption(record: Mapping[str, Any], ranking: pd.DataFrame, shown: int, moving: int) -> list[str]:
    sentences = [
        f"{plain(record['name'], 6.0)}: one reading of the rules changed at a time, at the same dice. Each "
        "matchup is averaged over the situations by weight.",
        f"n = {record['n']:,} fights for a duel in each situation, and for each number tried for a fair number, over "
        f"all situations; seed {record['seed']}. Bars: paired 95% intervals of the largest change; the others are "
        "faint.",
    ]
    if moving > shown:
        sentences.append(f"The {shown} of {moving} that move most are drawn.")
    still = ranking[ranking["effect"] == NO_EFFECT]
    if len(still):
        names = ", ".join(f"{row['reading']} = {row['value']}" for row in still.to_dict("records"))
        sentences.append(f"No effect here: {plain(names, 60.0)}.")
    return [*sentences, *caveats_of(record)]
