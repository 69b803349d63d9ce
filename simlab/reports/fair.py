"""Fair numbers: those of the study's engagements, pair by pair and situation by situation."""

import math
from collections.abc import Hashable, Mapping

import pandas as pd

from simlab.analysis.digits import NOTHING, format_estimate
from simlab.analysis.prices import estimate_ecv_ratios, estimate_typical_ratios
from simlab.model.situation import first_fire_text
from simlab.reports import captions
from simlab.reports.contents import Contents
from simlab.reports.matchups import Strip, Strips
from simlab.reports.scales import Scale, log_scale
from simlab.reports.tables import Cell, Choice, Column, Table, dash, figure, options_in
from simlab.reports.words import TO, count, is_known, spaced, span, text_of

Row = Mapping[Hashable, object]
PRINTED_ROWS = 60
MOST_STRIPS = 60


def fair_chart(contents: Contents) -> Strips | None:
    """Return the usual fair number of each pair and size, with its least and most over the situations."""
    others = _of_others(contents)
    if others.empty:
        return None
    frame = estimate_typical_ratios(estimate_ecv_ratios(others, contents.units))
    if frame.empty:
        return None
    frame = frame if len(frame) <= MOST_STRIPS else frame[frame["size_n"] == frame["size_n"].min()]
    frame = frame.head(MOST_STRIPS)
    ends = [*frame["ratio"], *frame["lowest"], *frame["highest"], *frame["ecv_ratio"], 1.0]
    scale = log_scale(ends)
    rows = tuple(_strip(contents, row, scale) for row in frame.to_dict("records"))
    line = scale.left(1.0) if scale.low < 1 < scale.high else ""
    return Strips(scale, ("B for one A", "by ECV"), rows, captions.fair_chart(contents), line)


def _of_others(contents: Contents) -> pd.DataFrame:
    """The fair numbers between two different units."""
    return contents.fair_numbers[contents.fair_numbers["a"] != contents.fair_numbers["b"]]


def _strip(contents: Contents, row: Mapping[Hashable, float], scale: Scale) -> Strip:
    a, b = contents.name(row["a"]), contents.name(row["b"])
    low, high = float(row["lowest"]), float(row["highest"])
    start, end = low if low > 0 else scale.low, high if math.isfinite(high) else scale.high
    look = "spread" + (" open-left" if low <= 0 else "") + (" open-right" if math.isinf(high) else "")
    value = _usual(float(row["ratio"]), int(row["size_n"]))
    marks = [("sheet draft" if row["draft"] else "sheet", scale.left(float(row["ecv_ratio"])))]
    if 0 < float(row["ratio"]) < math.inf:
        marks.append(("value", scale.left(float(row["ratio"]))))
    undecided = "; mostly no decision" if row["no_decision"] else ""
    reach = f"{_usual(low, int(row['size_n']))}{TO}{_usual(high, int(row['size_n']))}"
    return Strip(
        name=f"{row['size_n']} {a}",
        note=f"in {b}, {text_of(row['policy'], 20)}{undecided}",
        ends=(value, f"{float(row['ecv_ratio']):.2f}"),
        bars=((look, *scale.bar(start, end)),),
        marks=tuple(marks),
        said=f"{value} {b} for one {a}, {reach} over the situations{undecided}",
    )


def _usual(ratio: float, size: int) -> str:
    if ratio <= 0:
        return f"< {1 / size:.2g}"
    return "> 40" if math.isinf(ratio) else f"{ratio:.2f}"


def fair_table(contents: Contents) -> Table | None:
    """Return every fair number of the study's engagements."""
    frame = _of_others(contents)
    if frame.empty:
        return None
    rows = tuple(_row(contents, row) for row in frame.to_dict("records"))
    unit = text_of(contents.record["range_unit"], 20)
    columns = (
        Column("A"), Column("B"), Column("N", True, "how many of A"), Column("policy"), Column(f"range ({unit})", True),
        Column("A shows"), Column("B shows"), Column("B for one A", True, "fair number divided by N"),
        Column("95% interval", True), Column("n", True, "fights for each number tried"),
    )  # fmt: skip
    choices = (
        Choice(0, "A", "all units", options_in(rows, 0)),
        Choice(1, "B", "all units", options_in(rows, 1)),
    )
    return Table(
        "fair-table", "Fair numbers by situation", columns, rows,
        search="Find a unit", choices=choices, unit="fair numbers", printed=PRINTED_ROWS,
    )  # fmt: skip


def _row(contents: Contents, row: Mapping[Hashable, "object"]) -> tuple[Cell, ...]:
    distance = row["range"]
    shown = text_of(distance, 40) if isinstance(distance, str) else f"{distance:g}"
    return (
        Cell(contents.name(row["a"])),
        Cell(contents.name(row["b"])),
        figure(str(row["size_n"]), row["size_n"]),
        Cell(text_of(row["policy"], 20)),
        Cell(shown) if isinstance(distance, str) else figure(shown, distance),
        Cell(spaced(row["aspect_a"]) + _alone(row["first_fire"], "a")),
        Cell(spaced(row["aspect_b"]) + _alone(row["first_fire"], "b")),
        *_ratio_cells(row),
        figure(count(int(str(row["n"]))), row["n"], "faint"),
    )


def _alone(first_fire: object, side: str) -> str:
    found = first_fire_text(str(first_fire))
    return "" if found is None or found[0] != side else f", alone fires in {found[1]}"


def _ratio_cells(row: Mapping[Hashable, "object"]) -> tuple[Cell, Cell]:
    ratio, low, high = row["ratio"], row["ratio_low"], row["ratio_high"]
    star = " no decision" if row["no_decision"] else ""
    if row["status"] != "value":
        size = int(str(row["size_n"]))
        below = row["status"] == "below"
        text = f"< {1 / size:.2g}" if below else "> 40"
        return Cell(text + star, f"{0.0 if below else 41.0:g}"), dash()
    assert isinstance(ratio, float)
    known = is_known(low) and is_known(high)
    if known:
        return Cell(format_estimate(ratio, float(str(low)), float(str(high))) + star, f"{ratio:.6g}"), Cell(
            span(low, high), f"{float(str(low)):.6g}", "faint"
        )
    end = f"from {low:.3g}" if is_known(low) else f"up to {high:.3g}" if is_known(high) else NOTHING
    return Cell(f"{ratio:.2f}{star}", f"{ratio:.6g}"), Cell(end, "", "faint")
