"""A sheet as a row of a spreadsheet: a column for every value, named by its dotted path."""

from collections.abc import Hashable, Sequence
from typing import Any

from simlab.model.document import dotted
from simlab.model.table import Cell, Row
from simlab.rules.common.sheet_rows import (
    FREE_TEXT,
    RowDocument,
    identity_problems,
    plain_cells,
    plain_columns,
    read_cell,
    read_plain,
    sheet_of_row,
)
from simlab.rules.tank_d20.sheet import FORM, SYSTEM_NAME, Sheet, SheetFile, to_mapping

_MEN = "crew.positions"
_PLAIN = plain_columns(SheetFile)
COLUMNS = ("id", *_PLAIN, FREE_TEXT)
"""All columns that a row may have, in their order."""


def sheet_to_row(sheet: Sheet) -> dict[str, Cell]:
    """The row of a sheet by column, in order; `sheet_from_row` makes an equal sheet of it."""
    mapping = to_mapping(sheet)
    row = plain_cells(sheet.id, _PLAIN, mapping)
    return row | {_MEN: ", ".join(mapping["crew"]["positions"]), FREE_TEXT: mapping[FREE_TEXT]}


class _RowDocument(RowDocument):
    """The values of a row; the men of a crew share one column."""

    def column_of(self, path: Sequence[Hashable]) -> str:
        """The column where the value at a path stands."""
        return dotted([part for part in path if isinstance(part, str)])


def sheet_from_row(row: Row) -> Sheet:
    """The sheet of a row, checked wholly. InputError lists all that is wrong, named by columns."""
    document = _RowDocument(row.file, {"system": SYSTEM_NAME}, {(): row.number}, (), row)
    read_plain(row, _PLAIN, document.value, _value, hollow=True)
    return sheet_of_row(FORM, document, list(identity_problems(row)))


def _value(row: Row, column: str, kind: Any) -> Any:
    """What a cell that is not blank stands for."""
    return (
        [man.strip() for man in row.cells[column].split(",")]
        if column == _MEN
        else read_cell(row, column, kind)
    )
