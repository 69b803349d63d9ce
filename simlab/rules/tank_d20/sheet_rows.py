"""A sheet as a row of a spreadsheet: a column for every value, named by its dotted path."""

from collections.abc import Hashable, Sequence
from typing import Any

from simlab.model.document import dotted
from simlab.model.errors import InputError
from simlab.model.table import Cell, Row
from simlab.model.validation import MISSING, validate
from simlab.rules.common.sheet_rows import (
    FREE_TEXT,
    RowDocument,
    identity_problems,
    plain_columns,
    put,
    read_cell,
)
from simlab.rules.common.sheets import whole_sheet
from simlab.rules.tank_d20.sheet import SYSTEM_NAME, Sheet, SheetFile, foreign_problem, to_mapping

_MEN = "crew.positions"
_PLAIN = plain_columns(SheetFile)
COLUMNS = ("id", *_PLAIN, FREE_TEXT)
"""All columns that a row may have, in their order."""


def sheet_to_row(sheet: Sheet) -> dict[str, Cell]:
    """The row of a sheet by column, in order; `sheet_from_row` makes an equal sheet of it."""
    mapping = to_mapping(sheet)
    row: dict[str, Cell] = {"id": sheet.id}
    for column, (path, _) in _PLAIN.items():
        here: Any = mapping
        for part in path:
            here = here[part]
        row[column] = ", ".join(here) if column == _MEN else here
    row[FREE_TEXT] = mapping[FREE_TEXT]
    return row


class _RowDocument(RowDocument):
    """The values of a row; the men of a crew share one column."""

    def column_of(self, path: Sequence[Hashable]) -> str:
        """The column where the value at a path stands."""
        return dotted([part for part in path if isinstance(part, str)])


def sheet_from_row(row: Row) -> Sheet:
    """The sheet of a row, checked wholly. InputError lists all that is wrong, named by columns."""
    problems = list(identity_problems(row))
    document = _RowDocument(row.file, {"system": SYSTEM_NAME}, {(): row.number}, (), row)
    for column, (path, kind) in _PLAIN.items():
        if column in row.cells:
            put(document.value, path, _value(row, column, kind))
    if FREE_TEXT in row.cells:
        document.value[FREE_TEXT] = row.cells[FREE_TEXT]
    foreign = foreign_problem(document)
    if foreign is not None:
        raise InputError([foreign])
    try:
        body = validate(SheetFile, document)
    except InputError as error:
        raise InputError.listed([*problems, *error.problems]) from None
    if problems:
        raise InputError.listed(problems)
    return whole_sheet(Sheet, body, row.cells["id"], row.file)


def _value(row: Row, column: str, kind: Any) -> Any:
    """What a cell stands for; MISSING for an empty one that is no null."""
    cell = row.cells[column]
    if not cell.strip():
        return None if column == "ecv.value" else MISSING
    if column == _MEN:
        return [man.strip() for man in cell.split(",")]
    return read_cell(row, column, kind)
