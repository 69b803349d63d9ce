"""Tables of a page: what stands in them, by what they are sorted and filtered."""

from collections.abc import Sequence
from dataclasses import dataclass

from simlab.analysis.digits import NOTHING
from simlab.reports.words import is_known


@dataclass(frozen=True)
class Column:
    """A column: its head, whether it holds numbers, and what its head explains when pointed at."""

    label: str
    numeric: bool = False
    hint: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell: its text, the number it is sorted by (None: by the text; a dash comes last), and a class for its look."""

    text: str
    value: str | None = None
    look: str = ""


@dataclass(frozen=True)
class Choice:
    """A choice among the texts of a column; `all` stands for no choice."""

    column: int
    label: str
    all: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table in a scroll container of its own.

    name: its id. label: what a screen reader calls it. sortable: heads are buttons. search: the label of a field that
    finds text in the first two columns; none without. unit: what a row is, in the plural. printed: how many rows are
    printed, 0 for all.
    """

    name: str
    label: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    sortable: bool = True
    search: str = ""
    choices: tuple[Choice, ...] = ()
    unit: str = "rows"
    printed: int = 0

    @property
    def filtered(self) -> bool:
        """Whether there is anything to filter by."""
        return bool(self.search or self.choices)


def figure(text: str, value: object, look: str = "") -> Cell:
    """Return a cell that is sorted by a number, last where there is none."""
    return Cell(text, f"{value:.6g}" if is_known(value) else "", look)


def dash() -> Cell:
    """Return a cell without a number."""
    return Cell(NOTHING, "", "faint")


def options_in(rows: Sequence[Sequence[Cell]], column: int) -> tuple[str, ...]:
    """Return the texts of a column in the order of their first appearance."""
    return tuple(dict.fromkeys(row[column].text for row in rows))
