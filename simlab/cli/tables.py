"""Tables about sheets, checks and runs as text for people, at most 80 columns wide."""

import io
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from simlab.model.errors import escaped

if TYPE_CHECKING:
    from simlab.lab.checking import CheckReport
    from simlab.lab.roster import UnitList
    from simlab.lab.study import Run

NOTHING = "–"
DRAFT_NOTE = "(draft): an estimate of ours, not a printed price; never judged right or wrong"
USUAL_WIDTH = 80
LEAST_WIDTH = 40
GAP = 3
"""Blanks between columns."""
LEAST_NAME, WIDEST_NATION = 8, 16
HANGING = "  "
"""How lines of a cell after the first one are indented."""
_WORD = re.compile(r"\s*[^\s=]*=|\s*[^\s=]+")
TABLES = {".parquet", ".csv", ".json", ".md"}


def plain_table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1, width: int | None = None
) -> Table:
    """Return a table without frame: a rule below the heads, the first `left` columns flush left.

    Cells are shown as they are, markup and control characters included. What is wider than the page, or than `width`
    columns, has its flush left cells wrapped between words; only where that does not do are cells cut.
    """
    cells = [[escaped(cell) for cell in row] for row in (heads, *rows)]
    widths = _narrowed(cells, left, page_width() if width is None else width)
    heads, *rows = (
        [_wrapped(cell, widths[place]) if place < left else cell for place, cell in enumerate(row)]
        for row in cells
    )
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for place, head in enumerate(heads):
        table.add_column(
            Text(head),
            justify="left" if place < left else "right",
            no_wrap=True,
            overflow="ellipsis",
        )
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def table_width(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> int:
    """Return how many columns a table takes whose cells are all in one line, those of the page at least."""
    columns = zip(heads, *rows, strict=True)
    widths = [max(cell_len(escaped(cell)) for cell in column) for column in columns]
    return max(page_width(), sum(widths) + GAP * (len(widths) - 1))


def _narrowed(cells: Sequence[Sequence[str]], left: int, page: int) -> list[int]:
    """Return the widths of columns that fit a page, as far as the first `left` ones can be narrowed, widest first."""
    columns = list(zip(*cells, strict=True))
    widths = [max(map(cell_len, column)) for column in columns]
    for least in (
        [max(map(_longest_word, column)) for column in columns[:left]],
        [LEAST_NAME for _ in columns[:left]],
    ):
        while sum(widths) + GAP * (len(widths) - 1) > page:
            wide = [place for place in range(left) if widths[place] > least[place]]
            if not wide:
                break
            widths[max(wide, key=lambda place: widths[place])] -= 1
    return widths


def _longest_word(cell: str) -> int:
    """How wide a column has to be for a cell that is wrapped between words."""
    words = _WORD.findall(cell)
    hanging = len(HANGING) if len(words) > 1 else 0
    return hanging + max((cell_len(word.strip()) for word in words), default=0)


def _wrapped(cell: str, width: int) -> str:
    """Return a cell in lines of a width, broken between words and behind `=`, words that are wider cut."""
    if cell_len(cell) <= width:
        return cell
    lines: list[str] = []
    for word in _WORD.findall(cell):
        if lines and cell_len(f"{lines[-1]}{word}") <= width:
            lines[-1] += word
        else:
            lines.append(f"{HANGING if lines else ''}{word.lstrip()}")
    return "\n".join(fitted(line, width) for line in lines)


def is_live() -> bool:
    """Return whether a terminal shows what is printed."""
    return sys.stdout is not None and sys.stdout.isatty()


def page_width() -> int:
    """Return how many columns a line may take: those of the terminal, 80 without one."""
    if not is_live():
        return USUAL_WIDTH
    return max(LEAST_WIDTH, shutil.get_terminal_size((USUAL_WIDTH, 24)).columns)


def fitted(text: str, width: int) -> str:
    """Return the text, cut to a number of columns where it is wider."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "…"


def to_text(*parts: Table | str, width: int | None = None) -> str:
    """Return tables and lines below each other as text, `page_width` wide; in colour only on a terminal."""
    console = Console(
        file=io.StringIO(),
        force_terminal=is_live(),
        width=page_width() if width is None else width,
        no_color="NO_COLOR" in os.environ,
        legacy_windows=False,
    )
    for part in parts:
        console.print(
            Text(escaped(part)) if isinstance(part, str) else part,
            soft_wrap=isinstance(part, str),
        )
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in lines)


def ecv_text(value: float | None, source: str) -> str:
    """Return an ECV as it is shown everywhere: `558`, `996 (draft)`, a dash without one."""
    if value is None:
        return NOTHING
    number = str(int(value)) if float(value).is_integer() and value < 1e15 else repr(value)
    return number if source == "rulebook" else f"{number} ({source})"


def units_text(listed: "UnitList") -> str:
    """Return the units in reach, a line each, and which of them fight alike.

    Ids are whole, for they are to be typed; names and nations are cut to what they leave of the width.
    """
    sheets = [unit.sheet for unit in listed.units]
    cells = [
        (escaped(s.id), escaped(s.name), escaped(s.nation), ecv_text(s.ecv.value, s.ecv.source))
        for s in sheets
    ]
    widths = [max((cell_len(row[place]) for row in cells), default=0) for place in range(4)]
    nation = min(widths[2], WIDEST_NATION)
    name = max(LEAST_NAME, page_width() - widths[0] - nation - widths[3] - 3 * GAP)
    rows = [[row[0], fitted(row[1], name), fitted(row[2], nation), row[3]] for row in cells]
    needed = widths[0] + min(widths[1], name) + nation + widths[3] + 3 * GAP
    notes = [f"fight alike: {', '.join(ids)}" for ids in listed.alike()]
    if any(sheet.ecv.is_draft for sheet in sheets):
        notes.append(DRAFT_NOTE)
    width = max(page_width(), needed)
    table = plain_table(["id", "name", "nation", "ECV"], rows, left=3, width=width)
    return to_text(table, *_after_blank(notes), width=width)


def check_text(report: "CheckReport") -> str:
    """Return how many files were checked and are fine, and which sheets fight alike."""
    count = len(report.files)
    files = "1 file" if count == 1 else f"{count} files"
    verdict = "all fine" if report.fine == count else f"{report.fine} fine, {count - report.fine} faulty"
    return to_text(
        f"{files} checked, {verdict}",
        *(f"fight alike: {', '.join(ids)}" for ids in report.alike),
    )


def run_text(run: "Run", plots: Sequence[Any]) -> str:
    """Return the main findings of a run, how much was fought, and where the tables and plots are."""
    findings = run.headlines()
    tables = sorted(path for path in run.folder.iterdir() if path.suffix in TABLES)
    return to_text(
        *(line for finding in findings for line in (*textwrap.wrap(escaped(finding), 78), "")),
        f"{_done_text(run)}; results in {run.folder}:",
        *(f"  {path.name}" for path in tables),
        *(f"  {line}" for line in _plot_lines(plots)),
    )


def _plot_lines(plots: Sequence[Any]) -> list[str]:
    """A line for each plot, and one for all pages of units."""
    from simlab.lab.study import PLOTS

    pages = [plot for plot in plots if plot.parent.name != PLOTS]
    lines = [f"{plot.parent.name}/{plot.name}" for plot in plots if plot not in pages]
    if pages:
        lines.append(
            f"{pages[0].parent.parent.name}/{pages[0].parent.name}/: {len(pages)} files, a page for each unit"
        )
    return lines


def _done_text(run: "Run") -> str:
    """What this call did: fights and solved duels, or that there was nothing left to do."""
    done = [f"{run.fights:,} fights"] if run.fights else []
    if run.solved:
        done.append("1 duel solved" if run.solved == 1 else f"{run.solved:,} duels solved")
    if done:
        return " and ".join(done)
    return "nothing new to fight" + (" or to solve" if run.kill_rates["error_bound"].notna().any() else "")


def files_text(files: Iterable[Any]) -> str:
    """Return the files that were written, a line each."""
    return to_text(*(str(file) for file in files))


def _after_blank(notes: Sequence[str]) -> list[str]:
    return ["", *notes] if notes else []
