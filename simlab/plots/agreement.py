"""One figure of the same units under several rule systems: who wins, and at which ranges."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from simlab.analysis.roster import Roster, share_matrix
from simlab.plots.roster_map import ShareMap, plot_share_map
from simlab.plots.style import (
    INK,
    add_caption,
    add_legend,
    add_title,
    new_figure,
    plain,
    save_png,
    series_style,
    use_style,
)

PANEL, MAP_HEIGHT, LINE_HEIGHT, LEGEND = 4.0, 4.6, 3.0, 2.7
"""Inches."""


def plot_winners(roster: Roster, order: Sequence[str], names: Mapping[str, str], ax: Axes) -> Axes:
    """Draw who wins how often against whom, all situations together, units in a given order."""
    matchups = roster.matchups.assign(undecided=roster.matchups["no_decision"].astype(float))
    columns = ("win_share", "win_share_low", "win_share_high", "undecided", "silent", "opponent_silent")
    shares, low, high, undecided, silent, foe_silent = (
        share_matrix(matchups, order, name) for name in columns
    )
    labels = [plain(names[unit], 2.2) for unit in order]
    shown = ShareMap(labels, shares, low, high, np.nan_to_num(undecided) > 0, silent, foe_silent)
    plot_share_map(shown, ax)
    return ax


def plot_ranges(
    ranges: pd.DataFrame, order: Sequence[str], names: Mapping[str, str], range_unit: str, ax: Axes
) -> Axes:
    """Draw each unit's mean win share by range with its interval; `ranges` is that of a `Roster`."""
    for place, unit in enumerate(order):
        rows = ranges[ranges["unit"] == unit].sort_values("range")
        style = series_style(place)
        ranges_shown = rows["range"].astype(float)
        ax.plot(
            ranges_shown, rows["win_share"], label=plain(names[unit], 2.2), color=style.color,
            linestyle=style.dashes, marker=style.marker, markerfacecolor=style.face,
        )  # fmt: skip
        ax.vlines(ranges_shown, rows["win_share_low"], rows["win_share_high"], color=style.color, lw=1.0)
    ax.axhline(0.5, color=INK, lw=0.8, zorder=1)
    ax.set_ylim(0.0, 1.0)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    ax.set_xlabel(f"range in {range_unit}")
    return ax


def write_agreement(
    rosters: Mapping[str, Roster],
    titles: Mapping[str, str],
    range_units: Mapping[str, str],
    names: Mapping[str, str],
    title: str,
    caption: Sequence[str],
    path: Path,
) -> None:
    """Draw all systems side by side as a PNG file, units in the order of the first system's strengths."""
    order = list(next(iter(rosters.values())).ladder["unit"])
    with matplotlib.rc_context():
        use_style()
        width, height = PANEL * len(rosters) + LEGEND, MAP_HEIGHT + LINE_HEIGHT + 1.2
        figure = new_figure(width, height)
        grid = figure.subplots(2, len(rosters), height_ratios=[MAP_HEIGHT, LINE_HEIGHT], squeeze=False)
        for (name, roster), (above, below) in zip(rosters.items(), grid.T, strict=True):
            plot_winners(roster, order, names, above)
            above.set_title(titles[name], fontweight="bold", pad=6)
            plot_ranges(roster.ranges, order, names, range_units[name], below)
        grid[0, 0].set_ylabel("wins against …")
        grid[1, 0].set_ylabel("mean win share")
        add_title(figure, plain(title, 12.0), 0.2)
        add_legend(figure, list(grid[1]))
        add_caption(figure, [plain(sentence, 300.0) for sentence in caption])
        save_png(figure, path)
