"""Large pictures with places of their own in inches: a title, a line of legend, panels, a caption."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from simlab.plots.style import DPI, legend_entries, save_bytes, text_width

EDGE = 0.14
"""Inches free at the edges of a picture."""
TITLE_LINE, SUBTITLE_LINE, LEGEND_LINE, CAPTION_LINE = 0.25, 0.2, 0.26, 0.165
TITLE_SIZE, SUBTITLE_SIZE, CAPTION_SIZE = 13.0, 10.0, 8.5
BOLD = 1.13
"""How much wider bold text is."""
COLOURS = 256


@dataclass(frozen=True)
class Margins:
    """Inches around the panels for what is written beside them."""

    left: float = 0.6
    right: float = 0.1
    above: float = 0.1
    below: float = 0.5


@dataclass(frozen=True, eq=False)
class Sheet:
    """A figure with its title and caption, and where its panels go: `bounds` are keywords of a grid of panels."""

    figure: Figure
    bounds: dict[str, float]
    legend_top: float
    legend_lines: int

    def panels(self, rows: int, columns: int, **other: Any) -> Any:
        """Return an array of Axes of shape (rows, columns) inside the bounds; see `Figure.subplots`."""
        spaces = {
            key: other.pop(key)
            for key in ("width_ratios", "height_ratios", "wspace", "hspace")
            if key in other
        }
        grid = self.figure.add_gridspec(rows, columns, **self.bounds, **spaces)
        return grid.subplots(squeeze=False, **other)

    def add_legend(self, axes: Sequence[Any]) -> None:
        """Write the legend of all panels below the title, in the lines kept for it; each label counts once."""
        handles, labels = legend_entries(axes)
        if not labels:
            return
        width, height = self.figure.get_size_inches()
        self.figure.legend(
            handles, labels, loc="upper left", bbox_to_anchor=(EDGE / width, 1 - self.legend_top / height),
            borderaxespad=0.0, borderpad=0.0, ncols=-(-len(labels) // max(self.legend_lines, 1)), handlelength=2.4,
            columnspacing=1.8, labelspacing=0.45,
        )  # fmt: skip


def new_sheet(
    width: float,
    body: float,
    title: str,
    caption: Sequence[str],
    margins: Margins,
    *,
    subtitle: str = "",
    legend_lines: int = 1,
) -> Sheet:
    """Return a sheet `width` inches wide whose panels are `body` inches high, with room for all that is written."""
    room = width - 2 * EDGE
    heads = wrapped(title, room, TITLE_SIZE, BOLD)
    foot = wrapped(" ".join(caption), room, CAPTION_SIZE)
    legend_top = EDGE + TITLE_LINE * len(heads) + (SUBTITLE_LINE + 0.05 if subtitle else 0.0) + 0.06
    above = legend_top + LEGEND_LINE * legend_lines + margins.above
    below = EDGE + CAPTION_LINE * len(foot) + margins.below
    height = above + body + below
    figure = Figure(figsize=(width, height), dpi=DPI)
    FigureCanvasAgg(figure)
    place: dict[str, Any] = {"x": EDGE / width, "ha": "left"}
    figure.text(
        **place, y=1 - EDGE / height, s="\n".join(heads), va="top", fontsize=TITLE_SIZE, fontweight="bold",
        linespacing=1.2,
    )  # fmt: skip
    if subtitle:
        down = EDGE + TITLE_LINE * len(heads) + 0.03
        figure.text(
            **place, y=1 - down / height, s=subtitle, va="top", fontsize=SUBTITLE_SIZE, color="#444444"
        )
    figure.text(
        **place, y=EDGE / 2 / height, s="\n".join(foot), va="bottom", fontsize=CAPTION_SIZE, color="#444444",
        linespacing=1.3,
    )  # fmt: skip
    bounds = {
        "left": margins.left / width,
        "right": 1 - margins.right / width,
        "bottom": below / height,
        "top": 1 - above / height,
    }
    return Sheet(figure, bounds, legend_top, legend_lines)


def wrapped(text: str, room: float, size: float, wider: float = 1.0) -> list[str]:
    """Return a text as lines that fit into `room` inches at a size of type; words are not cut."""
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and drawn_width(longer, size) * wider <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def drawn_width(text: str, size: float) -> float:
    """Return the width in inches of a line of text that is drawn as it stands, at a size of type."""
    return text_width(text.replace("\\$", "$")) * size / 10


def save_sheet(figure: Figure, path: Path) -> None:
    """Write a figure as PNG, see `save_pixels`."""
    canvas: Any = figure.canvas
    canvas.draw()
    save_pixels(np.asarray(canvas.buffer_rgba()), path)


def save_pixels(pixels: npt.NDArray[np.uint8], path: Path, colours: int = COLOURS) -> None:
    """Write colours of shape (height, width, 4) as PNG with a palette of their own.

    That is a third of the usual size, with colours hardly moved. Equal pixels give equal bytes; an equal file is left
    alone.
    """
    small = (
        Image.fromarray(pixels)
        .convert("RGB")
        .quantize(colours, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    )
    content = io.BytesIO()
    small.save(content, format="png", dpi=(DPI, DPI))
    save_bytes(path, content.getvalue())
