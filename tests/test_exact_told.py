"""Solved duels in words, tables and pictures: what is exact is called exact, what was fought keeps its numbers."""

import io
import math
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from shell import Shell

from simlab import lab
from simlab.cli.progress import CLEAR_LINE, Progress
from simlab.cli.tables import run_text
from simlab.lab.study import Run, prepare_row
from simlab.lab.summary import write_summary
from simlab.model.errors import InputError
from simlab.plots.captions import kill_caption, map_caption
from simlab.plots.kill import plot_kill_rate_map, plot_kill_rates
from simlab.plots.style import new_figure
from simlab.plots.turns import plot_kill_turns, plot_survival

STUDY = """
name: Two Shermans
system: blitzkrieg
units: [m4a3_sherman_lp, sherman_firefly_vc]
situations: {range: [24], aspect: [front]}
turns: 3
n: 200
method: exact
"""
RECORD: dict[str, Any] = {
    "name": "Some", "n": 4000, "seed": 7, "turns": 12, "range_unit": "inches", "engagements": None, "non_default": {},
}  # fmt: skip


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of which all duels are solved."""
    folder = tmp_path_factory.mktemp("solved")
    (folder / "two.yaml").write_text(STUDY)
    return lab.run(folder / "two.yaml", results=folder, workers=1)


def test_a_solved_study_says_so(solved: Run) -> None:
    assert (solved.fights, solved.solved, solved.record["solved"]) == (0, 4, 4)
    text = solved.summary()
    assert re.search(
        r"All duels are solved, with errors of at most \de-\d\. Duels last 3 turns at most\.", text
    )
    assert "fights" not in text
    assert "seed" not in text
    assert f"4 duels solved; results in {solved.folder}:" in run_text(solved, [])
    again = lab.run(solved.folder.parent / "two.yaml", results=solved.folder.parent, workers=1)
    assert "nothing new to fight or to solve; results" in run_text(again, [])
    assert again.summary() == text


def test_a_solved_row_can_be_told(solved: Run) -> None:
    ready, n = prepare_row(solved.folder, 1)
    assert n is None
    assert ready.seed == 1
    assert "Turn 1" in lab.trace(solved.folder, row=1, replicate=10**6).text


def test_engagements_beside_solved_duels_keep_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text(STUDY + "engagements: {sizes: [1]}\n")
    found = lab.run(tmp_path / "two.yaml", results=tmp_path, workers=1)
    assert found.fights > 0
    assert found.solved == 4
    assert ". Engagements: 200 fights for each figure, seed 1, 95% intervals. Duels last" in found.summary()
    assert f"{found.fights:,} fights and 4 duels solved; results" in run_text(found, [])


def rates(*bounds: float) -> pd.DataFrame:
    """Kill rates at ranges 6, 12, ..., exact where there is an error bound."""
    chances = np.linspace(0.2, 0.8, len(bounds))
    frame = pd.DataFrame(
        {"a": "p", "b": "s", "range": 6.0 * (1 + np.arange(len(bounds))), "kill_rate": chances}
    )
    half = [0.01 if math.isnan(bound) else bound for bound in bounds]
    return frame.assign(
        kill_rate_low=chances - half,
        kill_rate_high=chances + half,
        error_bound=bounds,
        cannot_fire=False,
        no_decision=False,
    )


@pytest.mark.parametrize(
    ("bounds", "engagements", "says"),
    [
        ((math.nan,) * 2, None, "4,000 fights for each figure, seed 7, 95% intervals. Duels"),
        ((1e-6, 2e-7), None, "All duels are solved, with errors of at most 1e-6. Duels"),
        (
            (1e-6, math.nan),
            None,
            "1 of 2 rows of duels are solved, with errors of at most 1e-6. 4,000 fights for each figure of the others, "
            "seed 7, 95% intervals. Duels",
        ),
        (
            (math.nan, 3.1e-7, math.nan),
            {"turns": 20},
            "1 of 3 rows of duels are solved, with errors of at most 4e-7. 4,000 fights for each figure of the others "
            "and of the engagements, seed 7, 95% intervals. Duels",
        ),
    ],
)
def test_the_summary_tells_what_was_fought(bounds: Any, engagements: Any, says: str) -> None:
    units = pd.DataFrame({"id": ["p"], "name": ["P"], "ecv": [1.0], "source": ["draft"], "draft": [True]})
    prices = pd.DataFrame(columns=["unit", "policy", "asked"])
    text = write_summary(RECORD | {"engagements": engagements}, units, rates(*bounds), prices, None)
    assert says in text


def test_captions_tell_what_was_fought() -> None:
    for caption in (
        lambda frame: kill_caption(RECORD, frame, False)[0],
        lambda frame: map_caption(RECORD, frame, "all situations")[0],
    ):
        fought, exact, mixed = (
            caption(rates(*bounds)) for bounds in ((math.nan,) * 2, (1e-6,) * 2, (1e-6, math.nan))
        )
        assert "n = 4,000" in fought
        assert "exact" not in fought
        assert exact.endswith("exact, with errors of at most 1e-6.")
        assert "n = " not in exact
        assert "1 of 2 duels exact, with errors of at most 1e-6; for the others n = 4,000" in mixed


def test_exact_kill_rates_have_no_bars() -> None:
    ax = new_figure(6, 4).subplots()
    plot_kill_rates(rates(math.nan, 1e-6, math.nan, 1e-6).assign(target="T", place=0), ax)
    bars = [bar for collection in ax.collections for bar in collection.get_segments()]  # type: ignore[attr-defined]
    assert [bar[:, 0].tolist() for bar in bars] == [[6.0, 6.0], [18.0, 18.0]]
    assert len(ax.get_lines()[0].get_xdata()) == 4


def test_exact_cells_of_a_map_have_two_decimals() -> None:
    frame = rates(1e-6, 1e-6, 1e-6).assign(row="p", column=["x", "y", "z"], kill_rate=[0.123456, 0.0, 1.0])
    frame = frame.assign(kill_rate_low=frame["kill_rate"], kill_rate_high=frame["kill_rate"])
    ax = new_figure(6, 4).subplots()
    plot_kill_rate_map(frame, ax)
    assert [text.get_text() for text in ax.texts] == ["12.35%", "< 0.01%", "> 99.99%"]


@pytest.fixture(scope="module")
def duel() -> Any:
    """A solved duel of three turns."""
    return lab.duel("sherman_firefly_vc", "m4a3_sherman_lp", turns=3, exact=True, bound=1e-6)


def test_a_solved_duel_by_turn(duel: Any) -> None:
    frame = duel.turns_frame()
    assert list(frame.columns) == [
        "turn", "side", "unit", "name", "stands", "destroyed", "wins", "both_destroyed", "neither",
    ]  # fmt: skip
    assert frame["turn"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert frame["side"].tolist() == ["a", "b"] * 4
    for side, other in (("a", "b"), ("b", "a")):
        rows = frame[frame["side"] == side].set_index("turn")
        assert rows["unit"].eq(getattr(duel, side)).all()
        assert rows["name"].eq(duel.names[side]).all()
        assert rows["stands"].iloc[0] == 1
        assert rows["destroyed"].iloc[0] == 0
        np.testing.assert_allclose(rows["stands"].diff().iloc[1:], -rows["destroyed"].iloc[1:], atol=1e-11)
        np.testing.assert_allclose(rows["stands"], rows["wins"] + rows["neither"], atol=2e-6)
        assert rows["wins"].iloc[-1] == duel.outcomes[f"{side}_wins"]
        assert rows["destroyed"].sum() == pytest.approx(getattr(duel, f"kill_rate_{other}"), abs=1e-6)


def test_a_sampled_duel_has_no_turns() -> None:
    sampled = lab.duel("m4a3_sherman_lp", "m4a3_sherman_lp", n=10, turns=1)
    with pytest.raises(InputError, match="method: found monte_carlo, allowed exact"):
        sampled.turns_frame()


def test_plots_of_a_solved_duel(duel: Any) -> None:
    frame = duel.turns_frame().assign(label=lambda rows: rows["name"])
    ax = plot_survival(frame, new_figure(5, 3).subplots())
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert list(lines) == ["Sherman VC Firefly", "M4A3 Sherman LP"]
    for label, line in lines.items():
        rows = frame[frame["label"] == label]
        assert line.get_xdata().tolist() == [0, 1, 2, 3]
        assert line.get_ydata().tolist() == rows["stands"].tolist()
    ax = plot_kill_turns(frame, new_figure(5, 3).subplots())
    assert len(ax.containers) == 2
    for bars in ax.containers:
        rows = frame[(frame["label"] == bars.get_label()) & (frame["turn"] > 0)]
        assert [bar.get_height() for bar in bars] == rows["destroyed"].tolist()
        assert [round(bar.get_center()[0]) for bar in bars] == [1, 2, 3]
    edges = sorted((bar.get_x(), bar.get_x() + bar.get_width()) for bars in ax.containers for bar in bars)
    assert all(left <= right + 1e-9 for (_, left), (right, _) in pairwise(edges))


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_the_turns_that_are_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr("simlab.cli.progress.INTERVAL", 0.0)
    with Progress() as progress:
        lab.duel("m4a3_sherman_lp", "m4a3_sherman_lp", turns=2, exact=True, bound=0.01, progress=progress)
    shown = sys.stderr.getvalue().split(CLEAR_LINE)[1:]  # type: ignore[attr-defined]
    assert shown[0] == "0 of 2 turns solved"
    assert shown[-3:] == ["1 of 2 turns solved", "2 of 2 turns solved", ""]


@pytest.mark.parametrize("command", ["duel", "run"])
def test_help_tells_of_exact_answers(capsys: pytest.CaptureFixture[str], command: str) -> None:
    said = " ".join(Shell(capsys)(command, "--help").out.split())
    assert {"duel": "or with --exact the duel is solved", "run": "method: exact"}[command] in said
