"""The pages about the units of a roster, one each: what is on them, and how it is laid out."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from simlab.analysis.roster import Roster
from simlab.analysis.roster_findings import format_measure
from simlab.model.situation import first_fire_text
from simlab.model.typed_situation import NO_FIRST_FIRE
from simlab.plots import roster_words as words
from simlab.plots.roster_page import (
    Line,
    Panel,
    Seen,
    pick_opponents,
    place_opponents,
    plot_by_range,
    plot_opponents,
    scale_by_range,
    scale_opponents,
)
from simlab.plots.roster_ranges import placed_by_range
from simlab.plots.sheet import Margins, Sheet, drawn_width, new_sheet, wrapped
from simlab.plots.style import aspect_words, plain

Record = Mapping[str, Any]

LINE = 0.172
LEAST_PANEL, BETWEEN, LEGEND_LINE = 1.2, 0.62, 0.155
"""Inches of a panel by range, between two of them, and of a line of their legends."""
WIDTH, SIDE = 11.5, 5.0
"""Inches of a page, and of what is at the right: the panels by range with their legends."""
LEGEND = 1.75
MOST_LINES = 6
HEAD: dict[str, Any] = {"fontsize": 9.5, "loc": "left", "y": 1.0}
"""How panels are headed; with a place of its own, nobody has to look for one."""


class Pages:
    """The pages of all units, one after the other on one sheet: what all have in common is drawn once.

    `names` are drawn as they stand.
    """

    def __init__(self, record: Record, roster: Roster, names: Mapping[str, str]) -> None:
        self._roster, self._names = roster, dict(names)
        self._rows = {row["unit"]: row for row in roster.ladder.to_dict("records")}
        self._situations, self._labels = placed_by_range(roster.situations)
        self._ranges, _ = placed_by_range(roster.ranges)
        self._panels = _panels(self._situations)
        self._places = place_opponents(len(roster.ladder) - 1)
        self._shown: list[Artist] = []
        self._sheet = self._lay_out(record)
        self.figure = self._sheet.figure
        self._heads = self.figure.texts[:2]
        self._canvas = cast(Any, self.figure.canvas)
        self._canvas.draw()
        self._blank = self._canvas.copy_from_bbox(self.figure.bbox)

    def __iter__(self) -> Iterator[str]:
        """Turn to one page after the other, the strongest unit first, and yield the id of its unit."""
        for unit in self._roster.ladder["unit"]:
            self.turn_to(unit)
            yield unit

    def pixels(self) -> npt.NDArray[np.uint8]:
        """Return the page turned to as colours, shape (height, width, 4); as drawing the figure would."""
        self._canvas.restore_region(self._blank)
        renderer = self._canvas.get_renderer()
        for artist in sorted([*self._heads, *self._shown], key=lambda artist: artist.get_zorder()):
            artist.draw(renderer)
        return np.array(self._canvas.buffer_rgba(), np.uint8)

    def _lay_out(self, record: Record) -> Sheet:
        names, labels = self._names.values(), self._labels
        slant = 0.0 if labels is None else 0.6 * max(drawn_width(plain(label), 8.5) for label in labels)
        margins = Margins(left=max(drawn_width(name, 7.5) for name in names) + 0.25, above=0.3, right=0.2)
        written = max(sum(line.label.count("\n") + 1.5 for line in panel.lines) for panel in self._panels)
        least = max(LEAST_PANEL, LEGEND_LINE * written) + BETWEEN + slant
        count = len(self._panels)
        body = max(LINE * (self._places.rows[-1] + 1), least * count)
        caption = words.page_caption(record, self._roster)
        sheet = new_sheet(WIDTH, body, " ", caption, margins, subtitle=" ", legend_lines=0)
        height = float(sheet.figure.get_size_inches()[1])
        split = 1 - (SIDE + margins.right) / WIDTH
        left = {**sheet.bounds, "right": split - 1.1 / WIDTH}
        self._first = sheet.figure.add_gridspec(1, 1, **left).subplots(squeeze=False)[0, 0]
        scale_opponents(self._places, self._first)
        self._first.set_title("win share against each opponent", **HEAD)
        gap = (BETWEEN + slant) / (body / count - BETWEEN - slant)
        place = {**sheet.bounds, "left": split, "right": sheet.bounds["right"] - LEGEND / WIDTH}
        place["bottom"] += slant / height
        self._axes = sheet.figure.add_gridspec(count, 1, **place, hspace=gap).subplots(squeeze=False)[:, 0]
        for ax, panel in zip(self._axes, self._panels, strict=True):
            scale_by_range(self._ranges, [line.label for line in panel.lines], ax, labels)
            ax.set_title(panel.title, **HEAD)
            ax.tick_params(labelsize=8.5)
        last = self._axes[-1]
        last.set_xlabel(words.range_axis(record, self._roster), fontsize=9)
        last.xaxis.set_label_coords(0.5, -(0.3 + slant) / float(last.get_position().height * height))
        return sheet

    def turn_to(self, unit: str) -> Figure:
        """Turn to the page of a unit and return the sheet."""
        row = self._rows[unit]
        for artist in self._shown:
            artist.remove()
        before = {id(child) for ax in self.figure.axes for child in ax.get_children()}
        self._heads[0].set_text(words.page_title(row, len(self._roster.ladder), self._names))
        self._heads[1].set_text(words.page_line(row))
        matchups = self._roster.matchups[self._roster.matchups["unit"] == unit]
        shown = pick_opponents(matchups, self._places)
        texts = [format_measure(each) for each in shown.to_dict("records")]
        shown = shown.assign(label=shown["opponent"].map(self._names), text=texts)
        plot_opponents(shown, self._places, self._first)
        for ax, panel in zip(self._axes, self._panels, strict=True):
            rows = self._ranges if panel.lines[0].seen is None else self._situations
            plot_by_range(panel.lines, rows[rows["unit"] == unit], ax)
        children = [child for ax in self.figure.axes for child in ax.get_children()]
        self._shown = [child for child in children if id(child) not in before]
        return self.figure


def _panels(situations: pd.DataFrame) -> list[Panel]:
    """The panels by range: how the unit wins in what it shows most often, how where opponents show that; its kills.

    In the one what the opponents show varies, in the other what it shows itself.
    """
    seen: list[Seen] = [
        (str(own), str(other), str(alone))
        for own, other, alone in situations[["shows", "opponent_shows", "alone"]]
        .drop_duplicates()
        .itertuples(index=False)
    ]
    fates = Panel(
        "kills and losses over all opponents and situations",
        (Line("it kills", "kill_rate", None), Line("it is killed", "loss_rate", None)),
    )
    if len(seen) == 1:
        return [Panel("win share by range", (Line("all opponents", "win_share", seen[0]),)), fates]
    usual = set(pd.Series([own for own, _, _ in seen]).mode(dropna=False))
    base = next(own for own, _, _ in seen if own in usual)
    return [
        Panel(
            f"win share over all opponents, {whose} showing {aspect_words(base)}",
            tuple(Line(_label(each, 1 - place), "win_share", each) for each in some[:MOST_LINES]),
        )
        for place, whose in ((0, "itself"), (1, "these"))
        if (some := [each for each in seen if each[place] == base])
    ] + [fates]


def _label(seen: Seen, varies: int) -> str:
    """The label of a line: what the opponents show (1) or the unit itself (0), and who fires alone."""
    text = f"{'opponents show' if varies else 'it shows'} {aspect_words(seen[varies])}"
    who, _, turns = seen[2].partition(":")
    if seen[2] != NO_FIRST_FIRE:
        found = first_fire_text(f"a:{turns}")
        text += f", {'it fires' if who == 'unit' else 'they fire'} alone in {found[1] if found else turns}"
    return "\n".join(wrapped(text, LEGEND - 0.45, 8.5))
