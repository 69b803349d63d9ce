"""The picture of a points formula draws what its frames say."""

import numpy as np
import pandas as pd
import pytest

from simlab.plots.formula import NAMED, label_worst, plot_points, plot_predictions, write_formula
from simlab.plots.style import new_figure

COUNT = 12
ERRORS = np.linspace(0.2, 0.01, COUNT) * np.where(np.arange(COUNT) % 2, 1, -1)
PRICED = np.linspace(300.0, 1200.0, COUNT)
UNITS = pd.DataFrame(
    {
        "id": [f"u{number}" for number in range(COUNT)],
        "name": [f"Unit {number} $x^2$" for number in range(COUNT)],
        "priced": PRICED,
        "formula": PRICED * np.exp(ERRORS),
        "error": ERRORS,
    }
)
STATS = pd.DataFrame(
    {
        "stat": ["armour", "skill", "gun"],
        **{"share": [0.02, 0.2, -0.05], "share_low": [0.0, 0.1, -0.1], "share_high": [0.04, 0.3, 0.0]},
        **{
            "average": [0.01, 0.1, -0.02],
            "average_low": [0.0, 0.05, -0.04],
            "average_high": [0.02, 0.15, 0.0],
        },
    }
)
RECORD = {
    "name": "Toys",
    "base": {"name": "Plain", "priced": 500.0},
    **{"sheets": 30, "rows": 12, "n": 64, "size": 2350.0, "policy": "spread", "turns": 20, "mix": "range 12"},
}


@pytest.fixture
def figure():
    return new_figure(8.0, 6.0)


def test_units_lie_where_their_prices_are_and_the_worst_are_named(figure):
    ax = figure.subplots()
    plot_predictions(UNITS, ax)
    figure.canvas.draw()
    label_worst(UNITS, ax)
    points = np.concatenate([line.get_xydata() for line in ax.lines if line.get_marker() == "o"])
    wanted = UNITS[["priced", "formula"]].to_numpy()
    assert sorted(map(tuple, points.tolist())) == sorted(map(tuple, wanted.tolist()))
    named = [text.get_text() for text in ax.texts]
    assert 0 < len(named) <= NAMED
    assert set(named) <= {name.replace("$", r"\$") for name in UNITS["name"].head(NAMED)}


def test_points_have_their_intervals(figure):
    ax = figure.subplots()
    plot_points(STATS, ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["armour", "skill", "gun"]
    places = {line.get_label(): line.get_xdata().tolist() for line in ax.lines if len(line.get_xdata()) == 3}
    assert places == {
        "at the base sheet": STATS["share"].tolist(),
        "on average": STATS["average"].tolist(),
    }
    ends = [segment[:, 0].tolist() for part in ax.collections for segment in part.get_segments()]
    wanted = [STATS[[f"{name}_low", f"{name}_high"]].to_numpy().tolist() for name in ("share", "average")]
    assert ends == wanted[0] + wanted[1]


def test_equal_frames_give_equal_bytes(tmp_path):
    errors = pd.DataFrame({"rms": [0.05]})
    for name in ("a.png", "b.png"):
        write_formula(STATS, UNITS, errors, RECORD, tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
