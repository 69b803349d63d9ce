"""The tornado plot: which numbers of a sheet its win share turns on, the largest uppermost."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter

from simlab.plots.style import (
    FAINT,
    INK,
    add_caption,
    add_legend,
    add_title,
    new_figure,
    plain,
    save_png,
    text_width,
    use_style,
)

MOST_NUMBERS = 30
NO_EFFECT = ("none", "not seen")
_BARS = {1: ("#0b2a6f", None, -0.19, "one more"), -1: ("#f0b98d", "////", 0.19, "one less")}
_STEP_BARS = {sign: (*bar, label.replace("one", "a step")) for sign, (*bar, label) in _BARS.items()}
HEIGHT = 0.34
EDGE = "#8a4a17"


def plot_tornado(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the changes of a share by a step more (dark) and a step less (light, hatched) of each number.

    `frame`: field, value, step (what is added to it), change, low, high; fields in the order in which they are drawn
    from above. Steps stand beside the values unless all are 1.
    """
    fields = list(dict.fromkeys(frame["field"]))
    by_points = bool((frame["step"].abs() == 1).all())
    for sign, (color, hatch, lift, label) in (_BARS if by_points else _STEP_BARS).items():
        rows = frame[np.sign(frame["step"]) == sign]
        if rows.empty:
            continue
        heights = np.array([fields.index(field) for field in rows["field"]]) + lift
        edge = color if hatch is None else EDGE
        ax.barh(heights, rows["change"], HEIGHT, color=color, hatch=hatch, edgecolor=edge, lw=0.5, zorder=2.5)
        # For the legend, which takes no group of bars.
        ax.add_patch(
            Rectangle((0.0, 0.0), 0.0, 0.0, facecolor=color, hatch=hatch, edgecolor=edge, lw=0.5, label=label)
        )
        ax.hlines(heights, rows["low"], rows["high"], color=FAINT if hatch is None else INK, lw=1.3, zorder=3)
    ax.axvline(0.0, color=INK, lw=1.0, zorder=3)
    ax.set_yticks(range(len(fields)), _labels(frame, by_points))
    ax.set_ylim(max(len(fields), 1) - 0.4, -0.6)
    ax.grid(axis="y", visible=False)
    ax.tick_params(axis="y", length=0)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+g}" if value else "0"))
    return ax


def _labels(frame: pd.DataFrame, by_points: bool) -> list[str]:
    """Each number with its value, and unless all steps are 1 with its step."""
    first = frame.drop_duplicates("field")
    return [
        f"{plain(field, 4.0)} = {value:g}" + ("" if by_points else f" ±{abs(step):g}")
        for field, value, step in zip(first["field"], first["value"], first["step"], strict=True)
    ]


def write_tornado(frame: pd.DataFrame, title: str, caption: Sequence[str], path: Path) -> None:
    """Draw the numbers that have an effect as a PNG file; `frame` is that of `lab.Sensitivity`."""
    seen = frame[frame.groupby("field")["effect"].transform(lambda kinds: (~kinds.isin(NO_EFFECT)).any())]
    fields = list(dict.fromkeys(seen["field"]))
    shown = seen[seen["field"].isin(fields[:MOST_NUMBERS])]
    sentences = [plain(sentence, 200.0) for sentence in caption]
    if len(fields) > MOST_NUMBERS:
        sentences.append(f"The {MOST_NUMBERS} of {len(fields)} numbers that move most are drawn.")
    with matplotlib.rc_context():
        use_style()
        drawn = min(len(fields), MOST_NUMBERS)
        widest = max((text_width(plain(field, 4.0)) for field in fields), default=1.0)
        figure = new_figure(max(9.5, widest + 7.0), 2.7 + 0.34 * max(drawn, 3))
        ax = figure.subplots()
        if drawn:
            plot_tornado(shown, ax)
        else:
            ax.text(0.5, 0.5, "no number has any effect here", ha="center", color=FAINT)
            ax.set_axis_off()
        ax.set_xlabel("change of the win share, in points of percent")
        add_title(figure, plain(title, 9.0), 2.4)
        add_legend(figure, [ax])
        add_caption(figure, sentences)
        save_png(figure, path)
