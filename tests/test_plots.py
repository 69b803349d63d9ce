"""Pictures: what they show, that names cannot break them, and that equal runs give equal bytes."""

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
from matplotlib.cbook import is_math_text
from matplotlib.figure import Figure
from matplotlib.text import Text

from simlab.analysis.tables import describe_units
from simlab.plots import gallery
from simlab.plots.fair import UNBOUNDED, UNDECIDED, fair_limits, plot_fair_against_ecv, plot_fair_numbers
from simlab.plots.gallery import drawn_names, safe_slugs, write_plots
from simlab.plots.kill import plot_kill_rate_map, plot_kill_rates
from simlab.plots.style import WIDEST_NAME, new_figure, plain, text_width

RECORD: dict[str, Any] = {
    "n": 38_416,
    "turns": 12,
    "engagements": {"sizes": [1, 2, 4], "policies": ["spread"], "turns": 20},
    "range_unit": "inches",
    "non_default": {},
}
PLAIN = {"panther": "Panther G", "sherman": "M4A3 Sherman LP", "firefly": "Sherman VC Firefly"}
ECVS = {"panther": (996.0, "draft"), "sherman": (558.0, "rulebook"), "firefly": (671.0, "draft")}
HOSTILE = {
    "panther": "$\\frac{1}{0}$ <b>bold</b>",
    "sherman": "_\x1b[31mred\x1b[0m\n\u202e\U0001f4a3",
    "firefly": "W" * 300 + "$",
}


def units(names: dict[str, str]) -> pd.DataFrame:
    return describe_units(
        [{"id": i, "name": names[i], "ecv": ECVS[i][0], "source": ECVS[i][1]} for i in names]
    )


def fair_frame(sizes=(1, 2, 4), ranges=(6.0, 12.0, 24.0, 48.0), aspects=("front", "rear")) -> pd.DataFrame:
    rows = []
    for a, b, n, distance, aspect in itertools.product(ECVS, ECVS, sizes, ranges, aspects):
        ratio = (
            (ECVS[a][0] / ECVS[b][0])
            * (1 + 0.01 * n)
            * (1.2 if aspect == "rear" else 1)
            * (1 - distance / 200)
        )
        row = {"a": a, "b": b, "size_n": n, "policy": "spread", "range": distance, "aspect_a": "front"}
        row |= {"aspect_b": aspect, "weight": 0.125, "n": 38_416, "status": "value", "no_decision": False}
        row |= {"ratio": ratio, "ratio_low": ratio * 0.97, "ratio_high": ratio * 1.03}
        rows.append(row | {"fair": n * ratio, "fair_low": n * ratio * 0.97, "fair_high": n * ratio * 1.03})
    frame = pd.DataFrame(rows)
    below = (frame["a"] == "sherman") & (frame["b"] == "panther") & (frame["size_n"] == 1)
    above = (
        (frame["a"] == "panther")
        & (frame["b"] == "sherman")
        & (frame["range"] == 48.0)
        & (frame["size_n"] == 4)
    )
    frame.loc[below | above, ["ratio", "fair"]] = math.nan
    frame.loc[below, ["status", "ratio_low", "ratio_high"]] = ["below", 0.0, 1.0]
    frame.loc[above, ["status", "ratio_low", "ratio_high"]] = ["above", 40.0, math.inf]
    frame.loc[(frame["range"] == 48.0) & (frame["size_n"] == 2), "no_decision"] = True
    return frame


def kill_frame(ranges=(6.0, 12.0, 24.0, 48.0), aspects=("front", "rear")) -> pd.DataFrame:
    rows = []
    for number, (a, b, distance, aspect) in enumerate(itertools.product(ECVS, ECVS, ranges, aspects)):
        rate = 0.5 + 0.4 * math.sin(number)
        row = {
            "a": a,
            "b": b,
            "range": distance,
            "aspect_a": "front",
            "aspect_b": aspect,
            "weight": 0.125,
            "n": 38_416,
            "error_bound": math.nan,
        }
        row |= {"kill_rate": rate, "kill_rate_low": rate - 0.01, "kill_rate_high": rate + 0.01}
        rows.append(row | {"cannot_fire": False, "no_decision": False})
    frame = pd.DataFrame(rows)
    silent = (frame["a"] == "sherman") & (frame["b"] == "panther")
    frame.loc[silent, ["kill_rate", "kill_rate_low", "kill_rate_high"]] = [0.0, 0.0, 0.0001]
    frame.loc[silent, "cannot_fire"] = True
    return frame


@functools.cache
def figures(hostile: bool) -> list[tuple[str, Figure]]:
    """All pictures, laid out; made once."""
    with matplotlib.rc_context():
        gallery.use_style()
        names = HOSTILE if hostile else PLAIN
        made = gallery._figures(RECORD, units(names), kill_frame(), fair_frame(), "sherman")
        for _, figure in made:
            figure.canvas.draw()
        return made


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """The files of a run with hostile names, in a folder in which other files lay before."""
    folder = tmp_path_factory.mktemp("drawn")
    (folder / "fair_number_gone.png").write_bytes(b"old")
    (folder / "mine.png").write_bytes(b"mine")
    return draw(folder, HOSTILE)


def one_pair(**other: Any) -> pd.DataFrame:
    frame = fair_frame()
    chosen = frame[(frame["a"] == "panther") & (frame["b"] == "sherman") & (frame["aspect_b"] == "front")]
    return chosen.assign(ecv_ratio=996 / 558, ecv_label="ratio of ECVs", **other)


def test_fair_numbers_are_lines_with_bars_and_the_price(tmp_path):
    ax = new_figure(6, 4).subplots()
    frame = one_pair()
    plot_fair_numbers(frame, ax)
    _, labels = ax.get_legend_handles_labels()
    assert set(labels) == {"N = 1", "N = 2", "N = 4", "ratio of ECVs", UNBOUNDED["above"], UNDECIDED}
    lines = {line.get_label(): line for line in ax.get_lines()}
    np.testing.assert_allclose(lines["N = 1"].get_ydata(), frame[frame["size_n"] == 1]["ratio"])
    assert set(lines["ratio of ECVs"].get_ydata()) == {996 / 558}
    assert frame["ratio"].max() < lines[UNBOUNDED["above"]].get_ydata()[0] < ax.get_ylim()[1]
    bars = [segment for collection in ax.collections for segment in collection.get_segments()]
    assert len(bars) == 11
    assert (
        len(
            {
                (line.get_linestyle(), line.get_marker())
                for label, line in lines.items()
                if label.startswith("N")
            }
        )
        == 3
    )


def test_without_an_ecv_there_is_no_price_line():
    ax = new_figure(6, 4).subplots()
    plot_fair_numbers(one_pair().assign(ecv_ratio=math.nan, ecv_label=""), ax)
    assert "ratio of ECVs" not in ax.get_legend_handles_labels()[1]


def test_limits_hold_all_estimates_with_room():
    low, high = fair_limits(one_pair())
    frame = one_pair()
    assert low < frame["ratio"].min()
    assert high > max(frame["ratio"].max(), 996 / 558)
    nothing = frame.assign(
        ratio=math.nan, ratio_low=40.0, ratio_high=math.inf, ecv_ratio=math.nan, status="above"
    )
    low, high = fair_limits(nothing)
    assert 0 < low < high < math.inf


def test_all_unbounded_fair_numbers_can_be_drawn():
    ax = new_figure(6, 4).subplots()
    frame = one_pair().assign(ratio=math.nan, ratio_low=0.0, ratio_high=1.0, status="below")
    plot_fair_numbers(frame, ax)
    assert UNBOUNDED["below"] in ax.get_legend_handles_labels()[1]


def test_fair_against_ecv_draws_drafts_hollow_and_printed_full():
    frame = pd.DataFrame(
        [
            {
                "size_n": 1,
                "ecv_ratio": 2.0,
                "ratio": 2.1,
                "lowest": 1.5,
                "highest": 3.0,
                "draft": True,
                "pair": "x",
            },
            {
                "size_n": 1,
                "ecv_ratio": 0.5,
                "ratio": 0.0,
                "lowest": 0.0,
                "highest": 1.0,
                "draft": False,
                "pair": "y",
            },
            {
                "size_n": 1,
                "ecv_ratio": 0.75,
                "ratio": 0.8,
                "lowest": 0.7,
                "highest": 1.0,
                "draft": False,
                "pair": "z",
            },
        ]
    ).assign(no_decision=False)
    ax = new_figure(6, 6).subplots()
    plot_fair_against_ecv(frame, ax)
    faces = {
        line.get_xdata()[0]: line.get_markerfacecolor()
        for line in ax.get_lines()
        if line.get_label() == "N = 1"
    }
    assert faces[2.0] == "white"
    assert faces[0.75] != "white"
    labels = ax.get_legend_handles_labels()[1]
    assert "hollow: draft ECV" in labels
    assert UNBOUNDED["below"] in labels
    diagonal = next(line for line in ax.get_lines() if line.get_label() == "fights and ECVs agree")
    np.testing.assert_array_equal(diagonal.get_xdata(), diagonal.get_ydata())
    assert ax.get_xscale() == ax.get_yscale() == "log"


def test_kill_rates_are_lines_with_bars():
    frame = kill_frame()
    frame = frame[(frame["a"] == "sherman") & (frame["aspect_b"] == "front")].assign(
        target=frame["b"], place=0
    )
    ax = new_figure(6, 4).subplots()
    plot_kill_rates(frame, ax)
    lines = {line.get_label(): line for line in ax.get_lines()}
    np.testing.assert_allclose(lines["at firefly"].get_ydata(), frame[frame["b"] == "firefly"]["kill_rate"])
    assert lines["cannot fire"].get_xdata().size == 4


def test_cells_of_the_map_hold_their_numbers():
    frame = pd.DataFrame(
        [
            {"row": "p", "column": "s", "kill_rate": 0.872, "kill_rate_low": 0.867, "kill_rate_high": 0.877},
            {"row": "p", "column": "p", "kill_rate": 0.0, "kill_rate_low": 0.0, "kill_rate_high": 0.0001},
            {"row": "s", "column": "p", "kill_rate": 0.0, "kill_rate_low": 0.0, "kill_rate_high": 0.0001},
        ]
    ).assign(cannot_fire=[False, False, True])
    ax = new_figure(6, 4).subplots()
    plot_kill_rate_map(frame, ax)
    texts = {(text.get_position()): text.get_text() for text in ax.texts}
    assert texts == {(0, 0): "87.2%", (1, 0): "< 0.01%", (1, 1): "cannot fire"}


@pytest.mark.long
@pytest.mark.parametrize("hostile", [False, True])
def test_no_text_is_markup_and_nothing_overlaps(hostile):
    for name, figure in figures(hostile):
        renderer = figure.canvas.get_renderer()
        for text in figure.findobj(Text):
            assert not is_math_text(text.get_text()), (name, text.get_text())
            assert text.get_text().replace("\n", "").isprintable()
        panels = [ax.get_tightbbox(renderer) for ax in figure.axes]
        caption = figure.texts[-1].get_window_extent(renderer)
        boxes = [caption, *(legend.get_window_extent(renderer) for legend in figure.legends)]
        for box, other in itertools.combinations([*boxes, *panels], 2):
            assert not overlapping(box, other), (name, box, other)
        whole = figure.bbox
        assert all(box.x0 >= -1 and box.y0 >= -1 and box.x1 <= whole.x1 + 1 for box in boxes), name


def overlapping(one, other) -> bool:
    """Whether two boxes share more than a pixel."""
    return (
        min(one.x1, other.x1) - max(one.x0, other.x0) > 1
        and min(one.y1, other.y1) - max(one.y0, other.y0) > 1
    )


@pytest.mark.long
def test_tick_labels_do_not_overlap():
    for name, figure in figures(False):
        renderer = figure.canvas.get_renderer()
        for ax, which in itertools.product(figure.axes, ("xaxis", "yaxis")):
            labels = [
                label
                for label in getattr(ax, which).get_ticklabels()
                if label.get_text() and label.get_visible()
            ]
            boxes = [label.get_window_extent(renderer) for label in labels]
            assert not any(overlapping(one, other) for one, other in itertools.pairwise(boxes)), (name, which)


def draw(folder: Path, names: dict[str, str]) -> tuple[Path, ...]:
    return write_plots(RECORD, units(names), kill_frame(), fair_frame(), "sherman", folder)


@pytest.mark.long
def test_equal_runs_give_equal_bytes_whatever_the_user_has_configured(tmp_path, drawn):
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red", "lines.linewidth": 9}):
        again = draw(tmp_path, HOSTILE)
        assert matplotlib.rcParams["font.size"] == 30
    assert len(again) == 8
    assert [path.name for path in again] == [path.name for path in drawn]
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in drawn]


def test_files_are_png_at_150_dots_an_inch_without_dates(drawn):
    for path in drawn:
        content = path.read_bytes()
        assert content.startswith(b"\x89PNG")
        place = content.index(b"pHYs") + 4
        assert struct.unpack(">II", content[place : place + 8]) == (5906, 5906)
        assert b"tEXt" not in content
        assert b"tIME" not in content


def test_pictures_of_older_runs_go_and_other_files_stay(drawn):
    folder = drawn[0].parent
    assert not (folder / "fair_number_gone.png").exists()
    assert (folder / "mine.png").exists()


@pytest.mark.long
def test_a_run_without_engagements_or_prices_has_kill_rates_only(tmp_path):
    names = [
        path.name
        for path in write_plots(RECORD, units(PLAIN), kill_frame(), fair_frame()[:0], None, tmp_path)
    ]
    assert names == ["kill_rate_by_range.png", "kill_rate_map.png", "kill_rate_map_by_range.png"]


def test_units_of_one_name_stay_apart():
    shared = units(dict.fromkeys(ECVS, "Tank"))
    assert list(drawn_names(shared).values()) == ["Tank (panther)", "Tank (sherman)", "Tank (firefly)"]
    long = list(drawn_names(units({name: "W" * 200 + name for name in ECVS})).values())
    assert len(set(long)) == 3
    assert all(text_width(name) <= WIDEST_NAME for name in long)


def test_slugs_are_safe_and_distinct():
    slugs = safe_slugs(
        ["panther_g", "../../etc/passwd", "a b", "a_b", "A_b", "$(rm)", "", "x" * 300, "\x1b[0m"]
    )
    assert slugs["panther_g"] == "panther_g"
    assert len({slug.lower() for slug in slugs.values()}) == len(slugs)
    assert all(
        slug and len(slug) < 70 and slug.replace("_", "").replace("-", "").isalnum()
        for slug in slugs.values()
    )


def test_plain_text_is_drawn_as_it_stands():
    assert plain("Panther G") == "Panther G"
    assert plain("$x$") == "\\$x\\$"
    assert plain("a\nb\x1b") == "a\\nb\\x1b"
    assert plain("\U0001f4a3") == "\\U0001f4a3"
    assert text_width(plain("W" * 300)) <= WIDEST_NAME
    assert plain("W" * 300).endswith("W...")
