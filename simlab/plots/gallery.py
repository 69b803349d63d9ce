"""The pictures of a run: which there are, their panels, titles and captions, and their files."""

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import matplotlib
import pandas as pd
from matplotlib.figure import Figure

from simlab.analysis.prices import estimate_ecv_ratios, estimate_typical_ratios
from simlab.analysis.roster import Roster
from simlab.analysis.tables import complete_situations, display_names, estimate_mixed_kill_rates
from simlab.model.situation import by_turn_text, turns_text
from simlab.plots import captions
from simlab.plots.fair import fair_limits, plot_fair_against_ecv, plot_fair_numbers
from simlab.plots.kill import plot_kill_rate_map, plot_kill_rates
from simlab.plots.roster import draw_roster
from simlab.plots.roster_pages import Pages
from simlab.plots.sheet import save_pixels, save_sheet
from simlab.plots.style import (
    WIDEST_NAME,
    add_caption,
    add_legend,
    add_title,
    aspect_words,
    first_fire_words,
    new_figure,
    plain,
    range_places,
    save_png,
    text_width,
    use_style,
)
from simlab.studies.store import named_errors

MOST_PANELS = 6
MOST_LINES = 8
MOST_PAIRS = 36

PREFIXES = ("fair_number_", "fair_against_", "kill_rate_")
WHOLE = ("win_share_map.png", "win_share_by_range.png", "ladder.png")
"""Pictures of runs of many units, besides those of kill rates."""
PAGES = "unit_pages"
"""Folder of the pages of units, beside the other pictures."""
PAGE_COLOURS = 64

Record = Mapping[str, Any]
Progress = Callable[[int, int, str], None]


def write_plots(
    record: Record,
    units: pd.DataFrame,
    kill_rates: pd.DataFrame,
    fair_numbers: pd.DataFrame,
    anchor: str | None,
    folder: Path,
    roster: Roster | None = None,
    progress: Progress | None = None,
) -> tuple[Path, ...]:
    """Draw all pictures of a run into `folder` and return their paths; pictures of older runs there go.

    `units`, `kill_rates`, `fair_numbers` are the frames of `lab.Run`; `record` is the content of `run.json`. With a
    `roster` its pictures take the place of those of kill rates, which are made for few units, and each unit gets a
    page in the folder `PAGES`. `progress` is called with pages drawn, pages in all, and the last unit.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    with matplotlib.rc_context():
        use_style()
        for name, figure in _figures(record, units, kill_rates, fair_numbers, anchor, roster is not None):
            paths.append(folder / f"{name}.png")
            save_png(figure, paths[-1])
        if roster is not None:
            paths += _write_roster(record, roster, folder, progress)
    with named_errors(folder):
        _remove_old(folder, paths)
    return tuple(paths)


def _remove_old(folder: Path, drawn: Iterable[Path]) -> None:
    """Remove pictures that an older run left, and the folder of pages if it is empty then."""
    ours = (path for path in folder.glob("*.png") if path.name.startswith(PREFIXES) or path.name in WHOLE)
    for path in {*ours, *(folder / PAGES).glob("*.png")} - {*drawn}:
        path.unlink()
    if (folder / PAGES).is_dir() and not any((folder / PAGES).iterdir()):
        (folder / PAGES).rmdir()


def _write_roster(record: Record, roster: Roster, folder: Path, progress: Progress | None) -> list[Path]:
    names, slugs = drawn_names(roster.units), safe_slugs(list(roster.units["id"]))
    paths = []
    for name, figure in draw_roster(record, roster, names):
        paths.append(folder / f"{name}.png")
        save_sheet(figure, paths[-1])
    with named_errors(folder / PAGES):
        (folder / PAGES).mkdir(exist_ok=True)
    pages = Pages(record, roster, names)
    for number, unit in enumerate(pages):
        paths.append(folder / PAGES / f"{slugs[unit]}.png")
        save_pixels(pages.pixels(), paths[-1], PAGE_COLOURS)
        if progress is not None:
            progress(number + 1, len(slugs), unit)
    return paths


def _figures(
    record: Record,
    units: pd.DataFrame,
    kill_rates: pd.DataFrame,
    fair_numbers: pd.DataFrame,
    anchor: str | None,
    many: bool = False,
) -> list[tuple[str, Figure]]:
    kill_rates, fair_numbers = complete_situations(kill_rates), complete_situations(fair_numbers)
    names = drawn_names(units)
    by_id = {str(unit["id"]): {**unit, "name": names[unit["id"]]} for unit in units.to_dict("records")}
    slugs = safe_slugs(list(units["id"]))
    figures = []
    if not fair_numbers.empty:
        ratios = estimate_ecv_ratios(fair_numbers, units)
        policies = list(fair_numbers["policy"].unique())
        against = anchor if anchor is not None else str(units["id"].iloc[0])
        for (a, b), policy in product(_pairs_with(against, list(units["id"])), policies):
            ending = "" if len(policies) == 1 else f"_{policy}"
            series = fair_numbers[
                (fair_numbers["a"] == a) & (fair_numbers["b"] == b) & (fair_numbers["policy"] == policy)
            ]
            figure = _fair_figure(series, by_id, record, policy)
            figures.append((f"fair_number_{slugs[b]}_for_{slugs[a]}{ending}", figure))
        for policy in policies if not ratios.empty else ():
            ending = "" if len(policies) == 1 else f"_{policy}"
            figures.append((f"fair_against_ecv{ending}", _ecv_figure(ratios, names, record, policy)))
    if many:
        return figures
    figures.append(("kill_rate_by_range", _kill_figure(kill_rates, names, record)))
    figures.append(("kill_rate_map", _map_figure(kill_rates, names, record)))
    if len(units) ** 2 <= MOST_PAIRS:
        figures.append(("kill_rate_map_by_range", _range_map_figure(kill_rates, names, record)))
    return figures


def drawn_names(units: pd.DataFrame) -> dict[str, str]:
    """Return what each unit is called in pictures, by id, no two alike."""
    drawn: dict[str, str] = {}
    for unit, name in display_names(units).items():
        text, number = plain(name), 1
        while text in drawn.values():
            number += 1
            text = f"{plain(name, WIDEST_NAME - 0.4)} #{number}"
        drawn[unit] = text
    return drawn


def safe_slugs(ids: list[str]) -> dict[str, str]:
    """Return a file name part of letters, digits, `_` and `-` for each id, no two alike."""
    slugs: dict[str, str] = {}
    for name in ids:
        slug = re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:60].strip("_") or "unit"
        taken, number = {other.lower() for other in slugs.values()}, 1
        free = slug
        while free.lower() in taken:
            number += 1
            free = f"{slug}_{number}"
        slugs[name] = free
    return slugs


def _pairs_with(anchor: str, ids: list[str]) -> list[tuple[str, str]]:
    others = [name for name in ids if name != anchor]
    return [(name, anchor) for name in others] + [(anchor, name) for name in others]


Panel: TypeAlias = tuple[str, str, str]
"""What a panel is for: aspects of a and b, first fire."""


def _panels(frame: pd.DataFrame) -> list[Panel]:
    """Pairs of aspects with first fire in the order of the study, the first few."""
    found = frame[["aspect_a", "aspect_b", "first_fire"]].drop_duplicates().itertuples(index=False)
    return [(str(a), str(b), str(first)) for a, b, first in found][:MOST_PANELS]


def _of_panel(frame: pd.DataFrame, panel: Panel) -> "pd.Series[bool]":
    aspect_a, aspect_b, first_fire = panel
    shown = (frame["aspect_a"] == aspect_a) & (frame["aspect_b"] == aspect_b)
    return shown & (frame["first_fire"] == first_fire)


def _fair_figure(
    series: pd.DataFrame, units: Mapping[str, Mapping[Hashable, Any]], record: Record, policy: str
) -> Figure:
    a, b = units[series["a"].iloc[0]], units[series["b"].iloc[0]]
    frame = series.assign(ecv_ratio=a["ecv"] / b["ecv"], ecv_label=captions.price_label(a, b))
    limits = fair_limits(frame)
    wanted = _panels(frame)
    figure = new_figure(2.4 + 3.9 * len(wanted), 6.2)
    panels = figure.subplots(1, len(wanted), sharey=True, squeeze=False)[0]
    name_a, name_b = a["name"], b["name"]
    for ax, panel in zip(panels, wanted, strict=True):
        aspect_a, aspect_b, first_fire = panel
        plot_fair_numbers(frame[_of_panel(frame, panel)], ax, limits)
        title = f"{name_a} shows {aspect_words(aspect_a)},\n{name_b} {aspect_words(aspect_b)}"
        ax.set_title(title + first_fire_words(first_fire, name_a, name_b))
        ax.set_xlabel(captions.range_label(record, frame["range"]))
    panels[0].set_ylabel(f"{name_b}\nfor one {name_a} (fair number / N)")
    add_title(figure, f"How many {name_b} are an even match for one {name_a}?", 2.9)
    add_legend(figure, panels, f"N of {name_a}")
    add_caption(figure, captions.fair_caption(frame, name_a, name_b, record, policy))
    return figure


def _ecv_figure(ratios: pd.DataFrame, names: Mapping[str, str], record: Record, policy: str) -> Figure:
    frame = estimate_typical_ratios(ratios[ratios["policy"] == policy])
    pairs = zip(frame["a"], frame["b"], strict=True)
    frame["pair"] = [f"{names[b]}\nfor one {names[a]}" for a, b in pairs]
    figure = new_figure(11.0, 7.4)
    ax = figure.subplots()
    plot_fair_against_ecv(frame, ax)
    ax.set_xlabel("ratio of the ECVs: ECV of the one / ECV of the others")
    ax.set_ylabel("fair number of the others for the one (fair number / N)")
    add_title(figure, "Do fights agree with prices?", 0.0)
    add_legend(figure, [ax], "N of the one")
    add_caption(figure, captions.ecv_caption(frame, record, policy))
    return figure


def _kill_figure(rates: pd.DataFrame, names: Mapping[str, str], record: Record) -> Figure:
    shooters = list(dict.fromkeys(rates["a"]))[:MOST_PANELS]
    targets = list(dict.fromkeys(rates["b"]))[:MOST_LINES]
    wanted = _panels(rates)
    places = {target: place for place, target in enumerate(targets)}
    kept = rates[rates["b"].isin(targets)]
    frame = kept.assign(target=kept["b"].map(names), place=kept["b"].map(places))
    figure = new_figure(3.4 + 3.1 * len(wanted), 1.6 + 2.5 * len(shooters))
    panels = figure.subplots(len(shooters), len(wanted), sharex=True, sharey=True, squeeze=False)
    for (row, shooter), (column, panel) in product(enumerate(shooters), enumerate(wanted)):
        ax = panels[row][column]
        plot_kill_rates(frame[(frame["a"] == shooter) & _of_panel(frame, panel)], ax)
        if row == 0:
            title = f"target shows {aspect_words(panel[1])},\nshooter {aspect_words(panel[0])}"
            ax.set_title(title + first_fire_words(panel[2], "shooter", "target"))
        if row == len(shooters) - 1:
            ax.set_xlabel(captions.range_label(record, rates["range"]))
        if column == 0:
            ax.set_ylabel(f"{names[shooter]}\nkills its target")
    add_title(figure, f"Chance of a kill within {turns_text(record['turns'])}, by range", 2.9)
    add_legend(figure, list(panels.flat))
    omitted = len(set(rates["a"])) > len(shooters) or len(set(rates["b"])) > len(targets)
    add_caption(figure, captions.kill_caption(record, rates, omitted))
    return figure


def _map_figure(rates: pd.DataFrame, names: Mapping[str, str], record: Record) -> Figure:
    mixed = estimate_mixed_kill_rates(rates, ("a", "b"))
    frame = mixed.assign(row=mixed["a"].map(names), column=mixed["b"].map(names))
    count = frame["row"].nunique()
    widest = max(text_width(name) for name in frame["row"])
    column = max(1.3, widest + 0.25) if count <= MOST_PANELS else 0.62
    figure = new_figure(
        max(1.0 + widest + column * count, 6.0), 2.4 + 0.5 * count + (widest if column < 1 else 0)
    )
    ax = figure.subplots()
    plot_kill_rate_map(frame, ax)
    ax.set_xlabel("target")
    ax.set_ylabel("shooter")
    if count > MOST_PANELS:
        ax.tick_params(axis="x", rotation=90)
    add_title(figure, f"Chance of a kill within {turns_text(record['turns'])}", 0.0)
    add_caption(figure, captions.map_caption(record, rates, "all situations"))
    return figure


def _range_map_figure(rates: pd.DataFrame, names: Mapping[str, str], record: Record) -> Figure:
    mixed = estimate_mixed_kill_rates(rates, ("a", "b", "range"))
    mixed = mixed.assign(at=range_places(mixed["range"])[0]).sort_values("at", kind="stable")
    order = {
        pair: place for place, pair in enumerate(dict.fromkeys(zip(rates["a"], rates["b"], strict=True)))
    }
    place = [order[pair] for pair in zip(mixed["a"], mixed["b"], strict=True)]
    mixed = mixed.assign(place=place).sort_values(["place", "at"], kind="stable")
    labels = [f"{names[a]} at {names[b]}" for a, b in zip(mixed["a"], mixed["b"], strict=True)]
    columns = [plain(by_turn_text(distance)) for distance in mixed["range"]]
    frame = mixed.assign(row=labels, column=columns)
    widest = max(map(text_width, labels))
    width = max(0.85, *(text_width(column) + 0.25 for column in columns))
    figure = new_figure(max(1.0 + widest + width * frame["column"].nunique(), 6.5), 2.2 + 0.42 * len(order))
    ax = figure.subplots()
    plot_kill_rate_map(frame, ax)
    ax.set_xlabel(captions.range_label(record, rates["range"]))
    add_title(figure, f"Chance of a kill within {turns_text(record['turns'])}, by pair and range", 0.0)
    mixed_over = "all aspects" if rates["first_fire"].nunique() == 1 else "all aspects and first fires"
    add_caption(figure, captions.map_caption(record, rates, mixed_over))
    return figure
