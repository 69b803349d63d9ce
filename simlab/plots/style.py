"""How pictures look: text without markup, lines that differ in grey, files with equal bytes."""

import functools
import io
import itertools
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib import colormaps, ft2font
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from pandas.api.types import is_numeric_dtype

from simlab.model.errors import escaped
from simlab.model.situation import first_fire_text
from simlab.studies.store import write_whole

DPI = 150
WIDEST_NAME = 2.0
"""Inches a name may take at the usual size of text."""
INK = "#222222"
FAINT = "#8a8a8a"

STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.titlesize": 10,
    "axes.labelsize": 10,
    "axes.edgecolor": "#555555",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "figure.titlesize": 13,
    "figure.titleweight": "bold",
    "lines.linewidth": 1.6,
    "lines.markersize": 5.5,
    "text.usetex": False,
    "axes.formatter.useoffset": False,
}


def use_style() -> None:
    """Set the style above over matplotlib's own defaults, whatever the user has configured."""
    matplotlib.rcdefaults()
    settings: Any = matplotlib.rcParams
    settings.update(STYLE)


_COLORS = ("#0b2a6f", "#d1661b", "#1c8a6b", "#8c2d9c", "#5b5b5b", "#b3213a", "#2f8fd0", "#8a6d1a")
_DASHES: tuple[Any, ...] = (
    "-",
    (0, (6, 2)),
    (0, (1.2, 1.4)),
    (0, (6, 2, 1.2, 2)),
    (0, (2.5, 1.2)),
    (0, (9, 2, 1.2, 1.5, 1.2, 2)),
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h", "<", ">")


@dataclass(frozen=True)
class LineStyle:
    """Colour, dashes, marker of one series, and what its marker is filled with."""

    color: Any
    dashes: Any
    marker: str
    face: Any = "white"


def series_style(place: int) -> LineStyle:
    """Return the look of the series at a place, for series without an order."""
    return LineStyle(
        _COLORS[place % len(_COLORS)], _DASHES[place % len(_DASHES)], MARKERS[place % len(MARKERS)]
    )


def size_style(place: int, count: int) -> LineStyle:
    """Return the look of the series at a place among `count` in order: from dark to light, full and hollow in turn."""
    shade = 0.0 if count <= 1 else 0.78 * place / (count - 1)
    color = colormaps["viridis"](shade)
    face = "white" if place % 2 else color
    return LineStyle(color, _DASHES[place % len(_DASHES)], MARKERS[place % len(MARKERS)], face)


@functools.cache
def _font() -> ft2font.FT2Font:
    path = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
    font = ft2font.FT2Font(str(path))
    font.set_size(10.0, 72)
    return font


@functools.cache
def _advance(char: str) -> float:
    """Width of a character of 10 points in inches."""
    return float(_font().load_char(ord(char)).linearHoriAdvance) / 65536 / 72


def text_width(text: str) -> float:
    """Return the width in inches of a line of 10 points."""
    return sum(map(_advance, text))


@functools.cache
def _drawable() -> frozenset[int]:
    """Code points that the font has."""
    return frozenset(_font().get_charmap())


def plain(text: str, widest: float = WIDEST_NAME) -> str:
    """Return text that is drawn as it stands: no mathematics, no control or missing characters."""
    known = "".join(
        c if ord(c) in _drawable() else c.encode("unicode_escape").decode("ascii") for c in escaped(text)
    )
    return _narrowed(known, widest).replace("$", r"\$")


def _narrowed(text: str, widest: float) -> str:
    """As much of the text as fits, three dots for the rest."""
    if text_width(text) <= widest:
        return text
    room = widest - text_width("...")
    reached = itertools.accumulate(map(_advance, text))
    return text[: sum(1 for width in reached if width <= room)] + "..."


def words(name: str) -> str:
    """Return an identifier as words: front_left is front left."""
    return plain(name).replace("_", " ")


def aspect_words(aspect: str) -> str:
    """Return an aspect as words, aspects by turn one after the other: rear, then front."""
    return plain(", then ".join(aspect.split(","))).replace("_", " ")


def first_fire_words(first_fire: str, a: str, b: str) -> str:
    """Return a line on who fires alone at first, from a line end on; nothing for nobody."""
    found = first_fire_text(first_fire)
    return "" if found is None else f"\n{a if found[0] == 'a' else b} alone fires in {found[1]}"


def range_places(ranges: pd.Series) -> tuple[npt.NDArray[np.float64], list[str] | None]:
    """Return where ranges stand on an axis, and the labels of 0, 1, 2, ... if they are texts, else None.

    Numbers stand at their values, texts (ranges by turn) side by side in the order of their appearance.
    """
    if is_numeric_dtype(ranges):
        return ranges.to_numpy(np.float64), None
    labels = list(dict.fromkeys(ranges))
    return np.array([labels.index(text) for text in ranges], np.float64), labels


def mark_ranges(ax: Any, places: npt.NDArray[np.float64], labels: list[str] | None) -> None:
    """Set the ticks of a horizontal axis of ranges, `places` rising; texts are slanted, they are long."""
    if labels is None:
        ax.set_xticks(places)
    else:
        ax.set_xticks(range(len(labels)), [plain(label) for label in labels], rotation=30, ha="right")


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a size in inches, to be drawn without any display."""
    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def add_title(figure: Figure, text: str, legend: float) -> None:
    """Write a title at the upper left, in as many lines as leave `legend` inches free at the right."""
    width = float(figure.get_size_inches()[0])
    lines = textwrap.wrap(text, max(int((width - legend) * 8.0), 30))
    figure.suptitle("\n".join(lines), x=0.012, ha="left")


def add_caption(figure: Figure, sentences: Sequence[str]) -> None:
    """Write sentences below the panels, in as many lines as they need."""
    width, height = figure.get_size_inches()
    lines = textwrap.wrap(" ".join(sentences), int(width * 14.5), break_long_words=True)
    reserved = (len(lines) * 0.165 + 0.12) / height
    engine: Any = figure.get_layout_engine()
    engine.set(rect=(0.0, reserved, 1.0, 1.0 - reserved))
    figure.text(
        0.012, 0.06 / height, "\n".join(lines), fontsize=8.5, color="#444444", va="bottom", linespacing=1.3
    )


def legend_entries(axes: Sequence[Any]) -> tuple[list[Any], list[str]]:
    """Return the handles and labels of a legend of several panels, from back to front; each label counts once."""
    handles: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    ordered = sorted(handles, key=lambda label: handles[label].get_zorder())
    return [handles[label] for label in ordered], ordered


def add_legend(figure: Figure, axes: Sequence[Any], title: str | None = None) -> None:
    """Put one legend for all panels to the right of them; each label counts once."""
    handles, labels = legend_entries(axes)
    if handles:
        figure.legend(
            handles,
            labels,
            loc="outside right upper",
            handlelength=3.2,
            title=title,
            alignment="left",
            borderaxespad=1.0,
            labelspacing=0.7,
        )


def save_png(figure: Figure, path: Path) -> None:
    """Write a figure as PNG: the same figure gives the same bytes; an equal file is left alone."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
    save_bytes(path, buffer.getvalue())


def save_bytes(path: Path, content: bytes) -> None:
    """Write a file whole; one that holds the same already is left alone."""
    if not path.is_file() or path.read_bytes() != content:
        write_whole(path, lambda beside: _write(beside, content))


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)
