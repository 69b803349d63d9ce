"""Which readings of the rules matter, and what the referee said of the sampler."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simlab.analysis.digits import NOTHING
from simlab.analysis.readings import CANNOT_TELL, MOVES, NO_EFFECT, UNSEEN_EFFECT
from simlab.reports import captions
from simlab.reports.contents import Contents, Record
from simlab.reports.tables import Cell, Column, Table, dash, figure
from simlab.reports.words import TO, count, is_known, minus, plural, text_of

PRINTED_ROWS = 40
MOST_FLIPS = 12
PIECE = 40
ARROW = " \u2192 "


@dataclass(frozen=True)
class ReadingsView:
    """What a page shows of `simlab readings`."""

    sentences: tuple[str, ...]
    table: Table | None
    flips: tuple[str, ...]
    idle: str
    caption: str


@dataclass(frozen=True)
class RefereeView:
    """What a page shows of `simlab referee`."""

    verdict: str
    passed: bool
    table: Table
    failures: tuple[str, ...]
    caption: str


def describe_readings(contents: Contents) -> ReadingsView | None:
    """Return the ranking of readings; None where the run has none."""
    record = contents.readings
    if record is None:
        return None
    ranking: Sequence[Record] = record["ranking"]
    moving = [row for row in ranking if row["effect"] == MOVES]
    shown = [row for row in ranking if row["effect"] in (MOVES, CANNOT_TELL)]
    flips = tuple(text_of(line) for line in record["flips"])
    sentences = [_moved(record, moving, len(ranking))]
    sentences.append(
        f"{plural(len(flips), 'answer')} turned into the opposite."
        if flips
        else "No answer turned into its opposite."
    )
    if record["rules_version"] != contents.record["rules_version"]:
        sentences.append(
            "These readings were compared under other rules than those of this run: compare them again."
        )
    table = None
    if shown:
        columns = (
            Column("reading"), Column("win share", True, "largest change of a matchup, in points of a hundred"),
            Column("95% interval", True), Column("of"),
            Column("fair number", True, "largest change of a fair number, all situations together"),
            Column("95% interval", True), Column("flips", True, "answers turned into their opposite"), Column("effect"),
        )  # fmt: skip
        rows = tuple(_reading_row(record, row) for row in shown)
        table = Table("readings-table", "Readings", columns, rows, unit="readings", printed=PRINTED_ROWS)
    return ReadingsView(
        tuple(sentences), table, flips[:MOST_FLIPS], _idle(ranking), captions.readings(record)
    )


def _moved(record: Record, moving: Sequence[Record], total: int) -> str:
    tried = f"Of {plural(total, 'variant')} tried,"
    if not moving:
        return f"{tried} none moves any figure beyond its interval."
    first = moving[0]
    by = f"moves the win share of {_pair(record, first)} by {_points(first['change'])} points"
    many = f"{len(moving)} {'moves' if len(moving) == 1 else 'move'}"
    return f"{tried} {many} something. Most: {_label(first)}, which {by}."


def _label(row: Record) -> str:
    given = f" (under {text_of(row['given'], PIECE)})" if row["given"] else ""
    return f"{text_of(row['reading'], PIECE)} = {text_of(row['value'], PIECE)}{given}"


def _pair(record: Record, row: Record, prefix: str = "") -> str:
    names: Mapping[str, Any] = record["units"]
    sides = (row[f"{prefix}a"], row[f"{prefix}b"])
    if None in sides:
        return NOTHING
    return " against ".join(text_of(names.get(side, side), PIECE) for side in sides)


def _points(share: float) -> str:
    text = f"{100 * share:+.1f}"
    return minus(text)


def _reading_row(record: Record, row: Record) -> tuple[Cell, ...]:
    low, high = row["change_low"], row["change_high"]
    exact = low == high
    interval = "exact" if exact else f"{_points(low)}{TO}{_points(high)}"
    fair, fair_low, fair_high = (row[f"fair_change{end}"] for end in ("", "_low", "_high"))
    fair_cells = (dash(), dash())
    if is_known(fair):
        ends = (
            f"{_points(fair_low)}{TO}{_points(fair_high)}%"
            if is_known(fair_low) and is_known(fair_high)
            else NOTHING
        )
        fair_cells = (figure(f"{_points(fair)}%", abs(fair)), figure(ends, fair_low, "faint"))
    return (
        Cell(_label(row)),
        figure(_points(row["change"]), abs(row["change"]), "strong"),
        figure(interval, low, "faint"),
        Cell(_pair(record, row)),
        *fair_cells,
        figure(str(row["flips"]), row["flips"], "" if row["flips"] else "faint"),
        Cell(text_of(row["effect"], PIECE)),
    )


def _idle(ranking: Sequence[Record]) -> str:
    """The variants that change nothing, in a sentence or two."""
    parts = []
    for effect, words in (
        (NO_EFFECT, "No effect here, the very same fights"),
        (UNSEEN_EFFECT, "No difference seen"),
    ):
        names = [_label(row) for row in ranking if row["effect"] == effect]
        if names:
            parts.append(f"{words}: {', '.join(names)}.")
    return " ".join(parts)


def describe_referee(contents: Contents) -> RefereeView | None:
    """Return the verdict of the referee; None where the run has none."""
    record = contents.referee
    if record is None:
        return None
    current = record["run"] == contents.record["digest"]
    failures = tuple(text_of(name) for name in record["failures"])
    chosen, skipped = len(record["cells"]), len(record["skipped"])
    said = f"{record['judged']} of {chosen} duels chosen were judged against their exact solution"
    said += f", {skipped} took too much work" if skipped else ""
    if not current:
        verdict = (
            f"The verdict is about an earlier state of this run and says nothing about these figures: {said}."
        )
    elif record["passed"]:
        verdict = f"Passed: {said}, and no test failed."
    else:
        verdict = f"Failed: {said}, and {plural(len(failures), 'test')} failed."
    passed = bool(record["passed"]) and current
    return RefereeView(verdict, passed, _referee_table(record), failures, captions.referee(record))


def _referee_table(record: Record) -> Table:
    judged = [cell for cell in record["cells"] if cell["judged"]]
    together = record["together"]
    kinds = (
        ("outcomes of duels", [cell["p_outcomes"] for cell in judged]),
        ("what broke, and when", [cell["p_figures"] for cell in judged]),
        ("p-values uniform", [together["p_uniform"]]),
        ("all duels together", [together["p_sum"]]),
        ("controls of dice and sides", [control["p"] for control in record["controls"]]),
    )
    rows = tuple(
        (Cell(name), figure(count(len(chances)), len(chances)), _least([p for p in chances if p is not None]))
        for name, chances in kinds
    )
    columns = (Column("test"), Column("number", True), Column("smallest p", True))
    return Table("referee-table", "Tests of the referee", columns, rows, sortable=False, unit="tests")


def _least(chances: Sequence[float]) -> Cell:
    return figure(f"{min(chances):.2g}", min(chances)) if chances else dash()


def wheels_text(contents: Contents, most: int = 5) -> tuple[str, ...]:
    """Return threes of units of which each beats the next, by win share; for runs without prices."""
    from simlab.analysis.roster_findings import find_wheels

    if contents.roster is None:
        return ()
    wheels = find_wheels(contents.roster)
    lines = []
    for row in wheels.head(most).to_dict("records"):
        ids = [row["first"], row["second"], row["third"]]
        names = [contents.name(unit) for unit in [*ids, ids[0]]]
        lines.append(
            f"{ARROW.join(names)}: each has a win share of {_down(float(row['least']))} or more against the next."
        )
    if len(wheels) > len(lines):
        lines.append(f"These are {len(lines)} of {count(len(wheels))}, the clearest.")
    return tuple(lines)


def _down(share: float) -> str:
    return f"{math.floor(1000 * share) / 10:.1f}%"
