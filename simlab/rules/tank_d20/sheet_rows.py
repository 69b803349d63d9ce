"""A sheet as a row of a spreadsheet: a column for every value, named by its dotted path."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, get_origin

from simlab.model.document import Document, dotted
from simlab.model.errors import InputError, Problem
from simlab.model.table import EMPTY, Cell, Row
from simlab.model.validation import MISSING, StrictModel, validate
from simlab.rules.tank_d20.sheet import SYSTEM_NAME, Sheet, SheetFile, foreign_problem, to_mapping

_FREE_TEXT, _MEN = "provenance", "crew.positions"
_SWITCH = "yes or no"
_SWITCHES = MappingProxyType({"yes": True, "true": True, "no": False, "false": False})


def _plain_columns(
    model: type[StrictModel], before: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The path and type of each value of a sheet."""
    for name, info in model.model_fields.items():
        path, kind = (*before, name), info.annotation
        if path == ("system",) or name == _FREE_TEXT:
            continue
        if isinstance(kind, type) and issubclass(kind, StrictModel):
            yield from _plain_columns(kind, path)
        else:
            yield path, kind


_PLAIN = MappingProxyType({".".join(path): (path, kind) for path, kind in _plain_columns(SheetFile)})
COLUMNS = ("id", *_PLAIN, _FREE_TEXT)
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
    row[_FREE_TEXT] = mapping[_FREE_TEXT]
    return row


@dataclass(frozen=True)
class _RowDocument(Document):
    """The values of a row, whose problems are named by columns."""

    row: Row = field(default_factory=lambda: Row("", 1, {}))

    def problem(self, path: Sequence[Hashable], found: str, allowed: str, hint: str | None = None) -> Problem:
        """A problem of the column where the value at the path stands."""
        column = dotted([part for part in path if isinstance(part, str)])
        found = EMPTY if found in (MISSING, "null") else found
        allowed = _SWITCH if allowed == "true or false" else allowed.replace("null", "an empty cell")
        return self.row.problem(column, found, allowed, hint)


def sheet_from_row(row: Row) -> Sheet:
    """The sheet of a row, checked wholly. InputError lists all that is wrong, named by columns."""
    problems = list(_identity_problems(row))
    document = _RowDocument(row.file, {"system": SYSTEM_NAME}, {(): row.number}, (), row)
    for column, (path, kind) in _PLAIN.items():
        if column in row.cells:
            _put(document.value, path, _value(row, column, kind))
    if _FREE_TEXT in row.cells:
        document.value[_FREE_TEXT] = row.cells[_FREE_TEXT]
    foreign = foreign_problem(document)
    if foreign is not None:
        raise InputError([foreign])
    try:
        body = validate(SheetFile, document)
    except InputError as error:
        raise InputError.listed([*problems, *error.problems]) from None
    if problems:
        raise InputError.listed(problems)
    fields = {name: getattr(body, name) for name in SheetFile.model_fields}
    return Sheet(**fields, id=row.cells["id"], file=row.file)


def _identity_problems(row: Row) -> Iterator[Problem]:
    identity = row.cells.get("id", "")
    if not identity.strip():
        yield row.problem("id", EMPTY, "an id, which becomes the name of the file")
    elif not identity.isprintable():
        yield row.problem("id", identity, "printable characters")


def _value(row: Row, column: str, kind: Any) -> Any:
    """What a cell stands for; MISSING for an empty one that is no null."""
    cell = row.cells[column]
    if not cell.strip():
        return None if column == "ecv.value" else MISSING
    if column == _MEN:
        return [man.strip() for man in cell.split(",")]
    if kind is bool:
        return _SWITCHES.get(cell.strip().lower(), cell)
    if get_origin(kind) is Literal:
        return cell.strip()
    return cell if kind is str else row.value(column)


def _put(value: dict[str, Any], path: tuple[str, ...], cell: Any) -> None:
    """Put a value under its keys; a missing one leaves the key out."""
    here = value
    for part in path[:-1]:
        here = here.setdefault(part, {})
    if cell is not MISSING:
        here[path[-1]] = cell
