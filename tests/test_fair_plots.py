"""Pictures of fair numbers: where points stand, and that they can be told apart."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from simlab.plots.fair import (
    LETTERS,
    MOST_TICKS,
    UNBOUNDED,
    lettered_pairs,
    plot_fair_against_ecv,
    plot_fair_numbers,
    round_ticks,
)
from simlab.plots.style import new_figure, size_style

RANGES = (6.0, 12.0, 24.0, 48.0)


def by_range(sizes=(1, 2, 3, 4, 5, 6), below=(), above=()) -> pd.DataFrame:
    """Fair numbers of one pair, those of some sizes out of bounds at every range."""
    rows = []
    for size, distance in itertools.product(sizes, RANGES):
        status = "below" if size in below else "above" if size in above else "value"
        ends = {"value": (1.7, 1.6, 1.8), "below": (math.nan, 0, 1 / size), "above": (math.nan, 40, math.inf)}
        row = {"size_n": size, "range": distance, "status": status, "no_decision": False}
        rows.append(row | dict(zip(("ratio", "ratio_low", "ratio_high"), ends[status], strict=True)))
    return pd.DataFrame(rows).assign(ecv_ratio=1.75, ecv_label="price")


def against_ecv(pairs: int, sizes=(1, 2, 3, 4, 5, 6), ratio=None) -> pd.DataFrame:
    """Typical fair numbers of some pairs, away from the ratio of ECVs by place."""
    rows = []
    for place, size in itertools.product(range(pairs), sizes):
        price = 0.5 * 1.02**place
        found = price * (1 + 0.001 * place) if ratio is None else ratio
        row = {"size_n": size, "ecv_ratio": price, "ratio": found, "pair": f"pair {place}", "draft": False}
        rows.append(row | {"lowest": found * 0.9, "highest": found * 1.1, "no_decision": False})
    return pd.DataFrame(rows)


def drawn(ax, label: str) -> list:
    return [line for line in ax.get_lines() if line.get_label() == label]


def test_points_stand_at_their_ratio_of_ecvs():
    ax = new_figure(8, 6).subplots()
    frame = against_ecv(3)
    plot_fair_against_ecv(frame, ax)
    for size in range(1, 7):
        (line,) = drawn(ax, f"N = {size}")
        np.testing.assert_array_equal(line.get_xdata(), frame[frame["size_n"] == size]["ecv_ratio"])
    sizes = [drawn(ax, f"N = {size}")[0].get_markersize() for size in range(1, 7)]
    assert all(one > other for one, other in itertools.pairwise(sizes))


def test_points_of_a_range_stand_close_together():
    ax = new_figure(8, 6).subplots()
    plot_fair_numbers(by_range(), ax)
    places = np.array([drawn(ax, f"N = {size}")[0].get_xdata() for size in range(1, 7)])
    assert np.abs(places - np.array(RANGES)).max() <= 0.1 * 6.0
    assert (np.diff(places, axis=0) > 0).all()


@pytest.mark.parametrize("ratio", [0.0, math.inf])
def test_triangles_are_whole_and_apart(ratio):
    figure = new_figure(9, 6)
    left, right = figure.subplots(1, 2)
    status = "below" if ratio == 0 else "above"
    plot_fair_numbers(by_range(**{status: (2, 3, 5)}), left)
    bounded = against_ecv(2).assign(pair=lambda rows: rows["pair"] + " known")
    plot_fair_against_ecv(pd.concat([against_ecv(2, ratio=ratio), bounded]), right)
    figure.canvas.draw()
    for ax, rows in ((left, 3), (right, 6)):
        lines = drawn(ax, UNBOUNDED[status])
        assert len(lines) == rows
        boxes = []
        for line in lines:
            half = line.get_markersize() / 2 * figure.dpi / 72
            for x, y in ax.transData.transform(line.get_xydata()):
                boxes.append((x, y, half))
                assert ax.bbox.y0 <= y - half
                assert y + half <= ax.bbox.y1
        for (x, y, half), (other_x, other_y, other) in itertools.combinations(boxes, 2):
            assert max(abs(x - other_x), abs(y - other_y)) >= 0.8 * (half + other)


def test_triangles_do_not_lie_among_fair_numbers():
    ax = new_figure(8, 6).subplots()
    frame = by_range(below=(1,), above=(6,))
    plot_fair_numbers(frame, ax)
    (below,), (above,) = (drawn(ax, UNBOUNDED[status]) for status in ("below", "above"))
    assert below.get_ydata().max() < frame["ratio_low"][frame["status"] == "value"].min()
    assert above.get_ydata().min() > frame["ratio_high"][frame["status"] == "value"].max()


@pytest.mark.parametrize(
    ("low", "high"),
    [(0.98, 1.02), (1.7, 1.8), (0.9, 1.4), (1, 2.1), (1, 2.5), (0.5, 5), (0.3, 50), (0.01, 40), (1e-6, 1e6)],
)
def test_ticks_are_few_and_do_not_crowd(low, high):
    ticks = round_ticks(low, high)
    assert 2 <= len(ticks) <= MOST_TICKS
    assert low <= ticks[0] < ticks[-1] <= high
    apart = np.diff(np.log(ticks)) / math.log(high / low)
    assert apart.min() > 0.06
    assert len({f"{tick:g}" for tick in ticks}) == len(ticks)


def test_twelve_pairs_get_letters_where_there_are_more():
    few, many = against_ecv(12), against_ecv(132)
    assert lettered_pairs(few)["pair"].tolist() == [f"pair {place}" for place in range(12)]
    assert lettered_pairs(many)["pair"].tolist() == [f"pair {place}" for place in range(120, 132)]
    for frame in (few, many):
        ax = new_figure(8, 6).subplots()
        plot_fair_against_ecv(frame, ax)
        assert [text.get_text() for text in ax.texts] == list(LETTERS)
        keys = [label for label in ax.get_legend_handles_labels()[1] if label[1:2] == ":"]
        assert [key[0] for key in keys] == list(LETTERS)
    assert len(lettered_pairs(against_ecv(20, ratio=0.0))) == len(LETTERS)


def test_sizes_differ_without_colour():
    styles = [size_style(place, 6) for place in range(6)]
    looks = {(style.dashes, style.marker, style.face == style.color) for style in styles}
    assert len(looks) == 6
    assert len({str(style.dashes) for style in styles}) == 6
    assert all((one.face == one.color) != (two.face == two.color) for one, two in itertools.pairwise(styles))
    grey = [np.dot(style.color[:3], (0.299, 0.587, 0.114)) for style in styles]
    assert max(grey) < 0.65
