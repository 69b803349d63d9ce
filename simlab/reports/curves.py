"""Win shares by range as small pictures, one a unit or one a pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype

from simlab.analysis.roster import Roster, average_views
from simlab.analysis.roster_findings import format_measure
from simlab.reports import captions
from simlab.reports.contents import Contents
from simlab.reports.words import percent_range, text_of

WIDTH, HEIGHT = 176.0, 96.0
LEFT, RIGHT, TOP, BOTTOM = 26.0, 168.0, 8.0, 78.0
HALVES = ((0.0, "0"), (0.5, "50"), (1.0, "100%"))


@dataclass(frozen=True)
class Panel:
    """A small picture: title, both ends in words, paths in its coordinates, and what is said of it."""

    title: str
    ends: str
    line: str
    points: tuple[tuple[str, str], ...]
    bars: str
    said: str


@dataclass(frozen=True)
class Curves:
    """Panels that share their axes. others: path of all curves together, drawn faintly behind each; "" for none."""

    panels: tuple[Panel, ...]
    others: str
    grid: tuple[tuple[str, str], ...]
    ticks: tuple[tuple[str, str], ...]
    caption: str


def range_curves(contents: Contents, roster: Roster, many: bool) -> Curves | None:
    """Return a panel for each unit over all opponents, or with few units for each pair; None for a single range."""
    frame = _by_unit(roster) if many else _by_pair(roster)
    ranges = frame["range"]
    if ranges.nunique() < 2:
        return None
    labels = [_label(value) for value in dict.fromkeys(ranges)]
    places = _places(ranges)
    keys = ["unit"] if many else ["unit", "opponent"]
    groups = [(key, part.to_dict("records")) for key, part in frame.groupby(keys, sort=False)]
    panels = tuple(_panel(contents, key, rows, places) for key, rows in groups)
    by_turn = not is_numeric_dtype(ranges)
    caption = captions.curves(contents, many, by_turn)
    ticks = tuple(
        (_n(places[value]), label) for value, label in zip(dict.fromkeys(ranges), labels, strict=True)
    )
    if by_turn:
        ticks = tuple((place, str(number)) for number, (place, _) in enumerate(ticks, 1))
        named = "; ".join(f"{number}: {label}" for number, label in enumerate(labels, 1))
        caption += f" Ranges: {named}."
    grid = tuple((_n(_height(share)), text) for share, text in HALVES)
    others = " ".join(panel.line for panel in panels) if many else ""
    return Curves(panels, others, grid, ticks, caption)


def _by_unit(roster: Roster) -> pd.DataFrame:
    """Each unit at each range, in the order of the ladder."""
    place = {unit: number for number, unit in enumerate(roster.ladder["unit"])}
    return roster.ranges.sort_values("unit", key=lambda units: units.map(place), kind="stable")


def _by_pair(roster: Roster) -> pd.DataFrame:
    """Each pair at each range, as the stronger of the two sees it, in the order of the ladder."""
    frame = average_views(roster.views, ("unit", "opponent", "range"))
    place = {unit: number for number, unit in enumerate(roster.ladder["unit"])}
    frame = frame.assign(first=frame["unit"].map(place), second=frame["opponent"].map(place))
    return frame[frame["first"] < frame["second"]].sort_values(["first", "second"], kind="stable")


def _places(ranges: "pd.Series[Any]") -> dict[Any, float]:
    """Where each range stands: numbers at their values, texts side by side."""
    values = list(dict.fromkeys(ranges))
    at = (
        [float(value) for value in values]
        if is_numeric_dtype(ranges)
        else [float(i) for i in range(len(values))]
    )
    low, high = min(at), max(at)
    inner = 8.0
    width = RIGHT - LEFT - 2 * inner
    return {
        value: LEFT + inner + width * (x - low) / (high - low) for value, x in zip(values, at, strict=True)
    }


def _panel(contents: Contents, key: Any, rows: Sequence[dict[Any, Any]], places: dict[Any, float]) -> Panel:
    rows = sorted(rows, key=lambda row: places[row["range"]])
    at = [(places[row["range"]], float(row["win_share"])) for row in rows]
    ends = [(float(row["win_share_low"]), float(row["win_share_high"])) for row in rows]
    names = [contents.name(unit) for unit in (key if isinstance(key, tuple) else (key,))]
    return Panel(
        title=" against ".join(names),
        ends=f"{format_measure(rows[0])} \u2192 {format_measure(rows[-1])}",
        line="M" + " L".join(f"{_n(x)} {_n(_height(share))}" for x, share in at),
        points=tuple((_n(x), _n(_height(share))) for x, share in at),
        bars=" ".join(
            f"M{_n(x)} {_n(_height(low))}V{_n(_height(high))}"
            for (x, _), (low, high) in zip(at, ends, strict=True)
        ),
        said="; ".join(
            f"range {_label(row['range'])}: {format_measure(row)} ({percent_range(row, 'win_share')})"
            for row in rows
        ),
    )


def _label(value: Any) -> str:
    return text_of(value, 40) if isinstance(value, str) else f"{value:g}"


def _height(share: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * share


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
