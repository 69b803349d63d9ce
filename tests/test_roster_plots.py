"""Pictures of many units: what they show, that names cannot break them, that nothing overlaps or runs out."""

import functools
import itertools
import math
import struct
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.cbook import is_math_text
from matplotlib.figure import Figure
from matplotlib.text import Text
from roster_frames import made_duels, made_record, made_roster, made_units

from simlab.analysis.roster import Roster
from simlab.analysis.roster_order import cluster_profiles
from simlab.analysis.tables import COUNTS, estimate_fair_numbers, estimate_kill_rates, no_engagements
from simlab.plots import roster as pictures
from simlab.plots.gallery import PAGE_COLOURS, PAGES, drawn_names, write_plots
from simlab.plots.placement import Box, place_labels
from simlab.plots.roster_ladder import plot_ladder
from simlab.plots.roster_map import SHARES, ShareMap, plot_share_map, plot_tree, whole_percent
from simlab.plots.roster_page import MOST_OPPONENTS, pick_opponents, place_opponents
from simlab.plots.roster_pages import Pages
from simlab.plots.sheet import save_pixels, save_sheet, wrapped
from simlab.plots.style import new_figure, use_style

HOSTILE = (
    "$\\frac{1}{0}$ <b>bold</b>", "_\x1b[31mred\x1b[0m\n\u202e\U0001f4a3", "W" * 300 + "$", "戦車 九七式",
    "a_b*c`d|e", "Twin", "Twin",
)  # fmt: skip
OVERVIEW = {"win_share_map.png", "ladder.png", "win_share_by_range.png", "kill_rate_against_ecv.png"}


def odd_duels(units: list[dict[str, Any]]) -> pd.DataFrame:
    """Duels in which unit 3 never fires, unit 5 not at the longest range, and the last two come to no decision."""
    duels = made_duels(units)
    far = duels["range"] == 24.0
    for side in "ab":
        duels[f"cannot_fire_{side}"] = (duels[side] == "unit_03") | ((duels[side] == "unit_05") & far)
    last = {unit["id"] for unit in units[-2:]}
    where = duels["a"].isin(last) & duels["b"].isin(last)
    duels.loc[where, list(COUNTS)] = [80, 80, 0, 240]
    duels.loc[where, ["a_wins", "b_wins", "both_destroyed", "neither"]] = [0.2, 0.2, 0.0, 0.6]
    return duels


@functools.cache
def study(kind: str) -> tuple[dict[str, Any], Roster]:
    """A record and its roster."""
    if kind == "many":
        units = made_units(38)
        return made_record(units, 50), made_roster(units, made_duels(units, (6.0, 12.0, 24.0, 36.0), n=50))
    if kind == "hostile":
        units = made_units(9, HOSTILE)
        return made_record(units) | {"non_default": {"loss_of_function": "$all$"}}, made_roster(
            units, odd_duels(units)
        )
    units = made_units(7)
    return made_record(units), made_roster(
        units, made_duels(units, ("36,30,24", "24", "12,6"), ("front", "rear"), first_fires=("none", "a:2"))
    )


@functools.cache
def figures(kind: str) -> list[tuple[str, Figure]]:
    """The pictures and the first page of a study, drawn once."""
    record, roster = study(kind)
    with matplotlib.rc_context():
        use_style()
        names = drawn_names(roster.units)
        made = list(pictures.draw_roster(record, roster, names))
        pages = Pages(record, roster, names)
        next(iter(pages))
        made.append(("page", pages.figure))
        for _, figure in made:
            figure.canvas.draw()
        return made


def overlapping(one: Any, other: Any) -> bool:
    """Whether two boxes share more than a pixel."""
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    return across > 1 and min(one.y1, other.y1) - max(one.y0, other.y0) > 1


@pytest.mark.parametrize(
    "kind",
    [pytest.param("many", marks=pytest.mark.long), "hostile", pytest.param("turns", marks=pytest.mark.long)],
)
def test_no_text_is_markup_overlaps_or_runs_out(kind):
    for name, figure in figures(kind):
        renderer = figure.canvas.get_renderer()
        legends = list(figure.legends)
        legends += [ax.get_legend() for ax in figure.axes if ax.get_legend() is not None]
        inside = [text for ax in figure.axes if ax.get_visible() for text in ax.texts]
        drawn = [ax for ax in figure.axes if ax.get_visible() and ax.axison]
        ticks = [tick for ax in drawn for axis in (ax.xaxis, ax.yaxis) for tick in axis._update_ticks()]
        labels = [label for tick in ticks for label in (tick.label1, tick.label2) if label.get_visible()]
        heads = [
            text for ax in figure.axes for text in (ax.title, ax._left_title, ax.xaxis.label, ax.yaxis.label)
        ]
        texts = [text for text in (*figure.texts, *inside, *labels, *heads) if text.get_text().strip()]
        for text in figure.findobj(Text):
            assert not is_math_text(text.get_text()), (name, text.get_text())
            assert text.get_text().replace("\n", "").isprintable()
        boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in texts]
        boxes += [("legend", legend.get_window_extent(renderer)) for legend in legends]
        whole = figure.bbox
        for text, box in boxes:
            assert min(box.x0, box.y0, whole.x1 - box.x1, whole.y1 - box.y1) >= -1, (name, text)
        for (text, box), (other, beside) in itertools.combinations(boxes, 2):
            assert not overlapping(box, beside), (name, text, other)


@pytest.mark.long
def test_all_units_are_named_in_the_map_and_on_the_ladder():
    _, roster = study("many")
    made = dict(figures("many"))
    for name in ("win_share_map", "ladder"):
        ax = next(ax for ax in made[name].axes if len(ax.get_yticklabels()) == 38)
        shown = {label.get_text().split("  ")[0] for label in ax.get_yticklabels()}
        assert shown == set(roster.units["name"])


def test_the_map_writes_shares_and_marks_what_is_no_share():
    ax = new_figure(4, 4).subplots()
    shares = np.array([[math.nan, 0.734, 0.2], [0.266, math.nan, 0.5], [0.8, 0.5, math.nan]])
    silent = np.array([[math.nan, 0, 0], [0, math.nan, 0], [1.0, 0.5, math.nan]])
    undecided = np.zeros((3, 3), bool)
    undecided[1, 2] = undecided[2, 1] = True
    shown = ShareMap(["p", "q", "r"], shares, shares - 0.01, shares + 0.01, undecided, silent, silent.T)
    plot_share_map(shown, ax, cuts=(1,))
    written = [line for line in ax.get_lines() if line.get_gid()]
    texts = {place: line.get_gid() for line in written for place in zip(*line.get_data(), strict=True)}
    assert texts == {(1, 0): "73", (2, 0): "20", (0, 1): "27", (2, 1): "×", (0, 2): "80", (1, 2): "×"}
    marks = {line.get_label(): line for line in ax.get_lines() if not line.get_label().startswith("_")}
    assert len(marks) == 4
    full = marks["the row's unit cannot fire anywhere"]
    assert (round(full.get_xdata()[0]), round(full.get_ydata()[0])) == (0, 2)
    pixels = np.asarray(ax.images[0].get_array())
    np.testing.assert_allclose(pixels[0, 0, :3], 1.0)
    np.testing.assert_allclose(pixels[0, 1], SHARES(0.73), atol=1e-6)
    assert np.ptp(pixels[1, 2, :3]) < 1e-6


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (0.734, 0.72, 0.74, "73"), (0.001, 0.0, 0.002, "<1"), (0.999, 0.998, 1.0, ">99"), (1.0, 0.99, 1.0, ">99"),
        (0.0, 0.0, 0.01, "<1"), (0.0, 0.0, 0.0, "0"), (1.0, 1.0, 1.0, "100"), (0.999, 0.999, 0.999, ">99"),
    ],
)  # fmt: skip
def test_only_exact_values_are_nought_or_a_hundred(value, low, high, text):
    assert whole_percent(value, low, high) == text


def luminance(colour: Any) -> float:
    return float(np.array(colour[:3]) ** 2.2 @ (0.2126, 0.7152, 0.0722))


def as_seen(colour: Any, rows: Any) -> Any:
    """A colour as someone sees it who lacks one kind of cones (matrices of Machado and others, 2009)."""
    return np.array(rows) @ np.array(colour[:3])


def test_the_palette_is_even_in_the_middle_and_told_apart_by_all():
    assert luminance(SHARES(0.5)) > 0.85
    for half in (np.linspace(0.5, 1.0, 30), np.linspace(0.5, 0.0, 30)):
        falling = [luminance(SHARES(share)) for share in half]
        assert all(later < earlier for earlier, later in itertools.pairwise(falling))
    protan = [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ]
    deutan = [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
    for share, rows in itertools.product((0.05, 0.2, 0.35), (protan, deutan)):
        lost, won = (as_seen(SHARES(each), rows) for each in (share, 1 - share))
        assert np.linalg.norm(lost - won) > 0.25


def test_the_tree_joins_neighbours_and_ends_in_one():
    ax = new_figure(2, 4).subplots()
    clusters = cluster_profiles(np.random.default_rng(1).random((9, 9)))
    plot_tree(clusters, ax)
    assert len(ax.get_lines()) == 8
    assert max(max(line.get_xdata()) for line in ax.get_lines()) == clusters.merges[-1].height


def test_drafts_are_hollow_and_intervals_are_drawn():
    _, roster = study("hostile")
    frame = roster.ladder.assign(label=roster.ladder["unit"], text="x", price="y")
    ax = new_figure(6, 4).subplots()
    plot_ladder(frame, roster.matchups, ax)
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert lines["mean, draft ECV"].get_markerfacecolor() == "white"
    assert len(lines["mean, draft ECV"].get_xdata()) == 7
    assert len(lines["mean, printed ECV or none"].get_xdata()) == 2
    assert len(lines["against one opponent"].get_xdata()) == 9 * 8
    bars = [segment for collection in ax.collections for segment in collection.get_segments()]
    np.testing.assert_allclose(sorted(bar[0][0] for bar in bars), sorted(frame["win_share_low"]))


def test_every_picture_says_what_it_is_made_of():
    for name, figure in figures("many"):
        caption = figure.texts[-1].get_text().replace("\n", " ")
        assert "n = 50 fights a situation, seed 7; 95% intervals, sampling alone" in caption, name
        assert "12 turns at most" in caption
        assert ("Win share: fights won" in caption) or name == "kill_rate_against_ecv"
        assert "drafts" in caption or name in {"win_share_map", "win_share_by_range"}
    title = dict(figures("many"))["ladder"].texts[0].get_text()
    assert "Unit 0" in title


def test_solved_duels_are_said_to_be_solved():
    units = made_units(7)
    duels = made_duels(units, (12.0,), ("front",))
    nothing = pd.array([pd.NA] * len(duels), "Int64")
    duels = duels.assign(method="exact", error_bound=1e-6, n=nothing, **dict.fromkeys(COUNTS, nothing))
    record, roster = made_record(units), made_roster(units, duels)
    with matplotlib.rc_context():
        use_style()
        made = dict(pictures.draw_roster(record, roster, drawn_names(roster.units)))
    assert "win_share_by_range" not in made
    assert "All duels solved, errors at most 1e-6" in made["ladder"].texts[-1].get_text()


boxes = st.tuples(st.floats(20, 480), st.floats(20, 280), st.floats(10, 150))


@pytest.mark.long
@settings(deadline=None, max_examples=30)
@given(st.lists(boxes, min_size=1, max_size=12))
def test_labels_overlap_nothing_and_stay_inside(wanted):
    points = np.array([[x, y] for x, y, _ in wanted])
    marks = [Box(x - 3, y - 3, x + 3, y + 3) for x, y in points.tolist()]
    panel = Box(0, 0, 500, 300)
    placed = place_labels(points, [(width, 11.0) for _, _, width in wanted], points, panel, marks)
    found = [box for box in placed if box is not None]
    assert placed[0] is not None
    assert all(panel.holds(box) for box in found)
    assert not any(one.overlaps(other) for one, other in itertools.combinations(found, 2))
    assert not any(box.overlaps(mark) for box in found for mark in marks)


def test_a_label_without_room_is_left_out():
    point = np.array([[10.0, 10.0]])
    assert place_labels(point, [(50.0, 11.0)], point, Box(0, 0, 20, 20)) == [None]


def test_of_very_many_opponents_the_best_and_the_worst_are_drawn():
    frame = pd.DataFrame({"win_share": np.linspace(0, 1, 101)})
    places = place_opponents(101)
    shown = pick_opponents(frame, places)
    assert len(shown) == len(places.rows) == MOST_OPPONENTS
    assert places.left_out == 101 - MOST_OPPONENTS
    assert places.rows[-1] == MOST_OPPONENTS
    assert shown["win_share"].iloc[[0, -1]].tolist() == [1.0, 0.0]
    few = pick_opponents(frame.head(5), place_opponents(5))
    assert few["win_share"].is_monotonic_decreasing
    assert len(few) == 5


@pytest.mark.long
def test_a_page_is_drawn_as_its_figure_would_be():
    record, roster = study("hostile")
    with matplotlib.rc_context():
        use_style()
        pages = Pages(record, roster, drawn_names(roster.units))
        titles = []
        for unit in pages:
            pixels = pages.pixels()
            titles.append(pages.figure.texts[0].get_text())
            if unit in {"unit_02", "unit_08"}:
                pages.figure.canvas.draw()
                np.testing.assert_array_equal(pixels, np.asarray(pages.figure.canvas.buffer_rgba()))
    assert len(set(titles)) == 9
    assert titles[-1].startswith("Unit 8: rank 9 of 9, mean win share 2")
    labels = [text.get_text() for text in pages.figure.axes[0].texts]
    assert len(labels) == 2 * 8
    assert "Unit 7" in labels


def test_lines_are_broken_between_words():
    assert wrapped("one two three", 100.0, 10.0) == ["one two three"]
    assert wrapped("one two three", 0.1, 10.0) == ["one", "two", "three"]


def draw(folder: Path, kind: str) -> tuple[Path, ...]:
    record, roster = study(kind)
    duels = made_duels(record["units"])
    fair = estimate_fair_numbers(no_engagements())
    return write_plots(record, roster.units, estimate_kill_rates(duels), fair, None, folder, roster)


@pytest.mark.long
def test_equal_runs_give_equal_bytes_and_old_pictures_go(tmp_path):
    (tmp_path / "one" / PAGES).mkdir(parents=True)
    for name in ("kill_rate_map.png", "mine.png", f"{PAGES}/gone.png"):
        (tmp_path / "one" / name).write_bytes(b"old")
    first = draw(tmp_path / "one", "hostile")
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red"}):
        second = draw(tmp_path / "two", "hostile")
    assert {path.name for path in first if path.parent.name != PAGES} == OVERVIEW
    assert len(first) == 4 + 9
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert not (tmp_path / "one" / "kill_rate_map.png").exists()
    assert not (tmp_path / "one" / PAGES / "gone.png").exists()
    assert (tmp_path / "one" / "mine.png").read_bytes() == b"old"
    for path in first:
        content = path.read_bytes()
        place = content.index(b"pHYs") + 4
        assert struct.unpack(">II", content[place : place + 8]) == (5906, 5906)
        assert b"tEXt" not in content
    few = made_units(3)
    duels = made_duels(few)
    fair = estimate_fair_numbers(no_engagements())
    record, roster = made_record(few), made_roster(few, duels)
    left = write_plots(record, roster.units, estimate_kill_rates(duels), fair, None, tmp_path / "one")
    assert {path.name for path in left} == {
        "kill_rate_by_range.png",
        "kill_rate_map.png",
        "kill_rate_map_by_range.png",
    }
    assert {path.name for path in (tmp_path / "one").iterdir()} == {"mine.png", *(path.name for path in left)}


def test_pictures_of_many_units_are_small(tmp_path):
    sizes = {}
    for name, figure in figures("many"):
        if name == "page":
            save_pixels(np.asarray(figure.canvas.buffer_rgba()), tmp_path / "page.png", PAGE_COLOURS)
        else:
            save_sheet(figure, tmp_path / f"{name}.png")
        sizes[name] = (tmp_path / f"{name}.png").stat().st_size
    overview = sum(size for name, size in sizes.items() if f"{name}.png" in OVERVIEW)
    page = max(size for name, size in sizes.items() if f"{name}.png" not in OVERVIEW)
    assert overview + 38 * page < 5_500_000
