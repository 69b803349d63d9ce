"""Rows of a table as models: every column is asked for, and all faults of a row come at once."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from simlab.model.document import Document, Where
from simlab.model.errors import InputError, Problem
from simlab.model.table import EMPTY, Row, load_table
from simlab.model.validation import MISSING, validate

M = TypeVar("M", bound=BaseModel)


def read_rows(path: Path, columns: Sequence[str]) -> tuple[Row, ...]:
    """Read a CSV file that has all of the columns, in any order.

    Raises InputError with every fault of its form: unknown, missing and repeated columns, cells beside all columns.
    """
    table = load_table(path, columns)
    misspelt = {problem.hint for problem in table.problems}
    missing = [
        Problem(table.file, table.head, column, "no such column", "a column of that name")
        for column in columns
        if column not in table.columns and column not in misspelt
    ]
    if table.problems or missing:
        raise InputError.listed([*table.problems, *missing])
    return table.rows


def filled(row: Row) -> dict[str, str]:
    """The cells of a row that are not blank, as text."""
    return {column: cell.strip() for column, cell in row.cells.items() if cell.strip()}


def typed_row(model: type[M], row: Row, text: Sequence[str]) -> M:
    """The row as `model`: numbers are read as such but in the columns `text`; an empty cell is a missing key.

    Raises InputError with all problems of the row, fields named by their columns.
    """
    cells = filled(row)
    value = {column: cell if column in text else row.value(column) for column, cell in cells.items()}
    lines: dict[Where, int] = {(): row.number, **{(column,): row.number for column in value}}
    try:
        return validate(model, Document(row.file, value, lines))
    except InputError as error:
        raise InputError(_of_cells(row, problem) for problem in error.problems) from None


def _of_cells(row: Row, problem: Problem) -> Problem:
    """A problem of the row in the words of tables."""
    found = EMPTY if problem.found == MISSING else problem.found
    if problem.field not in row.cells:
        return problem
    return row.problem(problem.field, found, problem.allowed, problem.hint)
