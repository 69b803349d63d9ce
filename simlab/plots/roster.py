"""The pictures of a whole roster: which there are, and how their panels are laid out."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from simlab.analysis.roster import EVEN, Roster, share_matrix
from simlab.analysis.roster_findings import find_odd_kills, format_measure, format_ranks
from simlab.analysis.roster_order import cluster_profiles
from simlab.plots import roster_words as words
from simlab.plots.roster_kills import label_points, plot_kills_against_ecv
from simlab.plots.roster_ladder import LINE, plot_ladder, plot_prices
from simlab.plots.roster_map import (
    GROUPS,
    ShareMap,
    add_share_bar,
    cell_size,
    name_size,
    plot_share_map,
    plot_tree,
)
from simlab.plots.roster_ranges import placed_by_range, plot_small_ranges, scale_small_ranges
from simlab.plots.sheet import Margins, drawn_width, new_sheet
from simlab.plots.style import plain

Record = Mapping[str, Any]

MOST_IN_MAP = 120
"""Units in a map and on a ladder; of more, the strongest."""
MOST_SMALL = 60
"""Small panels by range; of more, the strongest."""
FEWEST_IN_GROUPS = 16
FEWEST_COLUMNS, MOST_COLUMNS = 4, 8
FEWEST_PAIRS = 10
"""Points with two ECVs below which kill rates are not drawn against them."""
SMALL_NAME_SIZE = 7.5


def draw_roster(record: Record, roster: Roster, names: Mapping[str, str]) -> Iterator[tuple[str, Figure]]:
    """Yield the name and the figure of each picture of a roster; `names` are drawn as they stand."""
    yield "win_share_map", map_figure(record, roster, names)
    yield "ladder", ladder_figure(record, roster, names)
    if roster.ranges["range"].nunique() > 1:
        yield "win_share_by_range", ranges_figure(record, roster, names)
    odd = find_odd_kills(roster.matchups)
    if len(odd) >= FEWEST_PAIRS:
        yield "kill_rate_against_ecv", kills_figure(record, roster, odd, names)


def map_figure(record: Record, roster: Roster, names: Mapping[str, str]) -> Figure:
    """Return the map of win shares, every unit against every other."""
    strongest = list(roster.ladder["unit"])[:MOST_IN_MAP]
    profiles = share_matrix(roster.matchups, strongest)
    np.fill_diagonal(profiles, EVEN)
    clusters = cluster_profiles(profiles)
    order = [strongest[place] for place in clusters.order]
    shown = _share_map(roster, order, names)
    name = max(drawn_width(name, name_size(len(order))) for name in shown.names) + 0.12
    side, tree_width = cell_size(len(order)) * len(order), 0.6
    sheet = new_sheet(
        max(side + name + tree_width + 1.15, 7.0),
        side,
        words.map_title(roster, names),
        words.map_caption(record, roster, len(order)),
        Margins(left=0.15, right=0.6, above=name + 0.05, below=0.12),
        legend_lines=2 if (shown.silent > 0).any() else 0,
    )
    width = float(sheet.figure.get_size_inches()[0]) - 0.75
    widths = [tree_width, name, side, 0.22, 0.16]
    widths.append(max(width - sum(widths), 0.01))
    tree, blank, ax, gap, bar, rest = sheet.panels(1, len(widths), width_ratios=widths, wspace=0.0)[0]
    for empty in (blank, gap, rest):
        empty.remove()
    cuts = clusters.cuts(GROUPS) if len(order) >= FEWEST_IN_GROUPS else ()
    mappable = plot_share_map(shown, ax, cuts)
    plot_tree(clusters, tree)
    add_share_bar(sheet.figure, mappable, bar)
    sheet.add_legend([ax])
    return sheet.figure


def _share_map(roster: Roster, order: Sequence[str], names: Mapping[str, str]) -> ShareMap:
    arrays = {
        name: share_matrix(roster.matchups, order, name)
        for name in (
            "win_share",
            "win_share_low",
            "win_share_high",
            "no_decision",
            "silent",
            "opponent_silent",
        )
    }
    return ShareMap(
        [names[unit] for unit in order],
        arrays["win_share"],
        arrays["win_share_low"],
        arrays["win_share_high"],
        arrays["no_decision"] == 1.0,
        arrays["silent"],
        arrays["opponent_silent"],
    )


def ladder_figure(record: Record, roster: Roster, names: Mapping[str, str]) -> Figure:
    """Return the ladder: units by mean win share, their matchups, their prices."""
    frame = roster.ladder.head(MOST_IN_MAP)
    rows = frame.to_dict("records")
    frame = frame.assign(
        label=[f"{names[row['unit']]}   {format_ranks(row)}" for row in rows],
        text=[format_measure(row) for row in rows],
        price=[words.price(row["ecv"], row["draft"]) for row in rows],
    )
    sheet = new_sheet(
        11.0,
        LINE * len(frame),
        words.ladder_title(roster, names),
        words.ladder_caption(record, roster, len(frame)),
        Margins(left=max(drawn_width(label, 8.5) for label in frame["label"]) + 0.25, right=1.0, below=0.62),
    )
    left, right = sheet.panels(1, 2, width_ratios=[3.6, 1.0], wspace=0.19)[0]
    plot_ladder(frame, roster.matchups, left)
    plot_prices(frame, right)
    left.set_xlabel("win share")
    right.set_xlabel("ECV (log scale)")
    sheet.add_legend([left])
    return sheet.figure


def ranges_figure(record: Record, roster: Roster, names: Mapping[str, str]) -> Figure:
    """Return win shares by range, a small panel a unit in the order of the ladder."""
    order = list(roster.ladder["unit"])[:MOST_SMALL]
    ranges, labels = placed_by_range(roster.ranges)
    alike = words.abreast(roster)
    abreast = None if alike is None else placed_by_range(alike)[0]
    columns = min(max(FEWEST_COLUMNS, math.ceil(math.sqrt(1.6 * len(order)))), MOST_COLUMNS)
    rows = -(-len(order) // columns)
    upright = 0.0 if labels is None else max(drawn_width(plain(label), SMALL_NAME_SIZE) for label in labels)
    sheet = new_sheet(
        0.85 + 1.6 * columns,
        1.45 * rows,
        words.ranges_title(record, roster, names),
        words.ranges_caption(record, roster, len(order)),
        Margins(left=0.75, right=0.15, above=0.25, below=0.5 + upright),
    )
    panels = sheet.panels(rows, columns, sharex=True, sharey=True, wspace=0.1, hspace=0.24)
    scale_small_ranges(ranges, panels[0][0], labels)
    for ax, unit in zip(panels.flat, order, strict=False):
        plot_small_ranges(ranges, abreast, unit, ax)
        ax.tick_params(labelsize=SMALL_NAME_SIZE)
        if labels is not None:
            ax.tick_params(axis="x", labelrotation=90)
        ax.set_title(plain(names[unit].replace("\\$", "$"), 2.0), fontsize=SMALL_NAME_SIZE, pad=3, y=1.0)
    for ax in list(panels.flat)[len(order) :]:
        ax.set_visible(False)
    for column in range(columns):
        last = panels[max(row for row in range(rows) if row * columns + column < len(order))][column]
        last.tick_params(labelbottom=True)
        last.set_xlabel(words.range_axis(record, roster), fontsize=8)
    for row in range(rows):
        panels[row][0].set_ylabel("win share", fontsize=8)
    sheet.add_legend([panels[0][0]])
    return sheet.figure


def kills_figure(record: Record, roster: Roster, odd: pd.DataFrame, names: Mapping[str, str]) -> Figure:
    """Return kill rates against ratios of ECVs, `odd` being what `find_odd_kills` returned."""
    labels = [f"{names[a]} → {names[b]}" for a, b in zip(odd["unit"], odd["opponent"], strict=True)]
    frame = odd.assign(label=labels)
    sheet = new_sheet(
        11.5,
        6.6,
        words.kills_title(roster),
        words.kills_caption(record, roster, frame),
        Margins(left=0.85, right=0.2, below=0.65),
    )
    ax = sheet.panels(1, 1)[0][0]
    plot_kills_against_ecv(frame, ax)
    ax.set_xlabel("ratio of the ECVs: of the one that kills to the one killed (log scale)")
    ax.set_ylabel("chance that the one kills the other")
    sheet.add_legend([ax])
    label_points(frame, ax)
    return sheet.figure
