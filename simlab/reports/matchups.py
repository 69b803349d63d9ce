"""Who wins against whom: the ladder, the map of win shares, and the table of matchups."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from simlab.analysis.digits import NOTHING
from simlab.analysis.roster import VERDICTS, Roster
from simlab.analysis.roster_findings import format_measure, format_ranks
from simlab.reports import captions
from simlab.reports.contents import Contents
from simlab.reports.scales import Scale, share_scale, step_of
from simlab.reports.tables import Cell, Choice, Column, Table, dash, figure
from simlab.reports.words import count, ecv_text, is_known, percent_range

Row = Mapping[Hashable, Any]
PRINTED_ROWS = 60
CHEAPER = "cheaper wins"


@dataclass(frozen=True)
class Strip:
    """A row of a chart: its name, a second line, texts at its end, bars and marks as (look, left, width) and
    (look, left), and what a screen reader says."""

    name: str
    note: str
    ends: tuple[str, ...]
    bars: tuple[tuple[str, str, str], ...]
    marks: tuple[tuple[str, str], ...]
    said: str


@dataclass(frozen=True)
class Strips:
    """A chart of rows on one axis."""

    scale: Scale
    heads: tuple[str, ...]
    rows: tuple[Strip, ...]
    caption: str
    line: str = ""
    """Place of a line across all rows."""


@dataclass(frozen=True)
class ShareMap:
    """A map of win shares: names, rows of cells (text, look), the texts shown for a cell, and a caption."""

    names: tuple[str, ...]
    rows: tuple[tuple[tuple[str, str], ...], ...]
    details: tuple[tuple[str, ...], ...]
    caption: str


def ladder_chart(contents: Contents, roster: Roster) -> Strips:
    """Return the units by mean win share, the strongest first."""
    frame = roster.ladder
    scale = share_scale(float(frame["win_share_low"].min()), float(frame["win_share_high"].max()))
    rows = []
    for row in frame.to_dict("records"):
        share = format_measure(row)
        bar = scale.bar(float(row["win_share_low"]), float(row["win_share_high"]))
        rows.append(
            Strip(
                name=f"{format_ranks(row)}. {contents.name(row['unit'])}",
                note="",
                ends=(share, f"{row['beats']}\u2013{row['loses_to']}", ecv_text(row["ecv"], row["source"])),
                bars=(("sampling", *bar),),
                marks=(("value", scale.left(float(row["win_share"]))),),
                said=f"win share {share}, interval {percent_range(row, 'win_share')}",
            )
        )
    line = scale.left(0.5) if scale.low < 0.5 < scale.high else ""
    return Strips(
        scale, ("win share", "beats\u2013loses", "ECV"), tuple(rows), captions.ladder(contents, roster), line
    )


def share_map(contents: Contents, roster: Roster) -> ShareMap:
    """Return the map of win shares, units in the order of the ladder."""
    order = [str(unit) for unit in roster.ladder["unit"]]
    frames = {(str(row["unit"]), str(row["opponent"])): row for row in roster.matchups.to_dict("records")}
    rows, details = [], []
    for unit in order:
        cells = [frames.get((unit, other)) for other in order]
        rows.append(tuple(("", "self") if cell is None else _map_cell(cell) for cell in cells))
        details.append(tuple("" if cell is None else _detail(cell) for cell in cells))
    names = tuple(contents.name(unit) for unit in order)
    return ShareMap(names, tuple(rows), tuple(details), captions.share_map(contents, roster))


def _map_cell(row: Row) -> tuple[str, str]:
    silent = " silent" if row["silent"] > 0 else ""
    if row["no_decision"]:
        return "\u00d7", f"void{silent}"
    share, exact = float(row["win_share"]), row["win_share_low"] == row["win_share_high"]
    text = f"{100 * share:.0f}"
    if text == "0" and not (exact and share == 0.0):
        text = "<1"
    elif text == "100" and not (exact and share == 1.0):
        text = ">99"
    return text, f"h{step_of(share)}{silent}"


def _detail(row: Row) -> str:
    text = f"{format_measure(row)} ({percent_range(row, 'win_share')})"
    return f"{text}, no decision" if row["no_decision"] else text


def matchup_table(contents: Contents, roster: Roster) -> Table:
    """Return every matchup as each of its units sees it, in the order of the ladder."""
    place = {unit: number for number, unit in enumerate(roster.ladder["unit"])}
    frame = roster.matchups.assign(
        first=roster.matchups["unit"].map(place), second=roster.matchups["opponent"].map(place)
    )
    ordered = frame.sort_values(["first", "second"], kind="stable").to_dict("records")
    columns = (
        Column("unit"),
        Column("opponent"),
        Column("win share", True, "fights won, and half of those in which both or neither fell"),
        Column("95% interval", True),
        Column("kills", True, "chance that the unit destroys the opponent by the end"),
        Column("is killed", True, "chance that the opponent destroys the unit by the end"),
        Column("ECV ratio", True, "ECV of the unit divided by that of the opponent"),
        Column("verdict"),
        Column("price", False, "whether the unit with the lower ECV wins"),
        *([Column("n", True, "fights, 0 where solved")] if _various(roster) else []),
    )
    units = tuple(contents.name(unit) for unit in roster.ladder["unit"])
    found = {str(verdict) for verdict in roster.matchups["verdict"]}
    verdicts = tuple(verdict for verdict in VERDICTS if verdict in found)
    choices = [Choice(0, "as seen by", "all units", units), Choice(7, "verdict", "all verdicts", verdicts)]
    rows = tuple(_matchup(contents, row)[: len(columns)] for row in ordered)
    if any(row[8].text == CHEAPER for row in rows):
        choices.append(Choice(8, "price", "any price", (CHEAPER,)))
    return Table(
        "matchup-table", "Matchups", columns, rows,
        search="Find a unit", choices=tuple(choices), unit="matchups", printed=PRINTED_ROWS,
    )  # fmt: skip


def _various(roster: Roster) -> bool:
    """Whether matchups are from different numbers of fights."""
    return bool(roster.matchups["n"].nunique() > 1)


def _matchup(contents: Contents, row: Row) -> tuple[Cell, ...]:
    ratio = float(row["ecv_ratio"])
    draft = bool(row["unit_draft"] or row["opponent_draft"])
    upset = row["verdict"] == "wins" and ratio < 1
    price = CHEAPER if upset else NOTHING
    return (
        Cell(contents.name(row["unit"])),
        Cell(contents.name(row["opponent"])),
        figure(format_measure(row), row["win_share"]),
        figure(percent_range(row, "win_share"), row["win_share_low"], "faint"),
        figure(format_measure(row, "kill_rate"), row["kill_rate"]),
        figure(format_measure(row, "loss_rate"), row["loss_rate"]),
        figure(f"{ratio:.2f}{' draft' if draft else ''}", ratio) if is_known(ratio) else dash(),
        Cell(str(row["verdict"]), look=f"v-{str(row['verdict']).replace(' ', '-')}"),
        Cell(price),
        figure(count(row["n"]), row["n"], "faint"),
    )
