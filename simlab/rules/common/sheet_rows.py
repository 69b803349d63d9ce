"""A sheet as a row of a spreadsheet: columns named by dotted paths, cells read by their type, faults by column."""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_origin

from simlab.model.document import Document, dotted
from simlab.model.errors import InputError, Problem
from simlab.model.table import EMPTY, Cell, Row
from simlab.model.validation import MISSING, StrictModel, validate
from simlab.rules.common.sheets import S, SheetForm

FREE_TEXT = "provenance"
"""The last column of every table."""
PRICE = "ecv.value"
"""The column whose empty cell is no missing key, but null."""
Path: TypeAlias = tuple[str, ...]
Columns: TypeAlias = Mapping[str, tuple[Path, Any]]
"""The path and type of the value in each column."""
_SWITCH = "yes or no"
_SWITCHES = MappingProxyType({"yes": True, "true": True, "no": False, "false": False})
_NOTHING: Mapping[str, Any] = MappingProxyType({})


def plain_columns(
    body: type[StrictModel], without: Sequence[str] = (), charts: Mapping[str, int] = _NOTHING
) -> Columns:
    """Return the columns of a sheet's plain values, in its order: all but its system, the free text and `without`.

    charts: keys of lists of so many whole numbers, each with a column of its own.
    """
    left_out = ("system", FREE_TEXT, *without)
    return MappingProxyType({dotted(path): (path, kind) for path, kind in _plain(body, (), left_out, charts)})


def _plain(
    model: type[StrictModel], before: Path, left_out: Sequence[str], charts: Mapping[str, int]
) -> Iterator[tuple[Path, Any]]:
    for name, info in model.model_fields.items():
        path, kind = (*before, name), info.annotation
        if not before and name in left_out:
            continue
        if isinstance(kind, type) and issubclass(kind, StrictModel):
            yield from _plain(kind, path, left_out, charts)
        elif not before and name in charts:
            yield from (((*path, str(place)), int) for place in range(charts[name]))
        else:
            yield path, kind


def plain_cells(identity: str, columns: Columns, mapping: Mapping[str, Any]) -> dict[str, Cell]:
    """Return the cells of a sheet's id and plain values; a key that its mapping leaves out is no, or an empty cell."""
    row: dict[str, Cell] = {"id": identity}
    for column, (path, kind) in columns.items():
        here: Any = mapping
        for part in path:
            left_out = False if kind is bool else None
            here = here[int(part)] if isinstance(here, list) else here.get(part, left_out)
        row[column] = here
    return row


def read_cell(row: Row, column: str, kind: Any) -> Any:
    """Return what a cell that is not blank stands for."""
    cell = row.cells[column]
    if kind is bool:
        return _SWITCHES.get(cell.strip().lower(), cell)
    if get_origin(kind) is Literal:
        return cell.strip()
    return cell if kind is str else row.value(column)


def put(value: dict[str, Any], path: Path, cell: Any) -> None:
    """Put a value under its keys; MISSING makes the mappings that it would stand in, and no more."""
    here = value
    for part in path[:-1]:
        here = here.setdefault(part, {})
    if cell is not MISSING:
        here[path[-1]] = cell


def read_plain(
    row: Row,
    columns: Columns,
    value: dict[str, Any],
    read: Callable[[Row, str, Any], Any] = read_cell,
    hollow: bool = False,
) -> None:
    """Put the plain cells of a row under their keys; an empty one is a missing key, of a price null.

    hollow: whether columns that are there make the mappings that their values stand in, even if they are all empty.
    """
    for column, (path, kind) in columns.items():
        if row.cells.get(column, "").strip():
            put(value, path, read(row, column, kind))
        elif column in row.cells and (column == PRICE or hollow):
            put(value, path, None if column == PRICE else MISSING)
    if FREE_TEXT in row.cells:
        value[FREE_TEXT] = row.cells[FREE_TEXT]


def identity_problems(row: Row) -> Iterator[Problem]:
    """Give what is wrong with the id of a row."""
    identity = row.cells.get("id", "")
    if not identity.strip():
        yield row.problem("id", EMPTY, "an id, which becomes the name of the file")
    elif not identity.isprintable():
        yield row.problem("id", identity, "printable characters")


@dataclass(frozen=True)
class RowDocument(Document):
    """The values of a row, whose problems are named by columns.

    forms: what may stand in the columns of a whole key, by key. weapon_columns: columns of single weapons, if a system
    has such; placed: the column of each weapon by its key.
    """

    row: Row = field(default_factory=lambda: Row("", 1, {}))
    forms: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    weapon_columns: tuple[str, ...] = ()
    placed: dict[str, str] = field(default_factory=dict)

    def column_of(self, path: Sequence[Hashable]) -> str:
        """The column where the value at a path stands."""
        if not path or path[0] != "weapons" or not self.weapon_columns:
            return dotted(path)
        first = self.placed.get(str(path[1]), self.weapon_columns[0]) if path[1:] else self.weapon_columns[0]
        return ".".join([first, *(part for part in path[2:] if isinstance(part, str))])

    def problem(self, path: Sequence[Hashable], found: str, allowed: str, hint: str | None = None) -> Problem:
        """A problem of the column where the value at the path stands."""
        found = EMPTY if found in (MISSING, "null") else found
        allowed = self.forms.get(str(path[0]), allowed) if len(path) == 1 else allowed
        allowed = _SWITCH if allowed == "true or false" else allowed.replace("null", "an empty cell")
        return self.row.problem(self.column_of(path), found, allowed, hint)


def row_document(
    row: Row, system: str, forms: Mapping[str, str] = _NOTHING, weapon_columns: tuple[str, ...] = ()
) -> RowDocument:
    """Return the document of a row before its cells are read: its system alone."""
    return RowDocument(row.file, {"system": system}, {(): row.number}, (), row, forms, weapon_columns)


def sheet_of_row(
    form: SheetForm[S],
    document: RowDocument,
    found: Sequence[Problem],
    unread: Sequence[Problem] = (),
    broken: Collection[str] = (),
    checked: bool = True,
) -> S:
    """Return the sheet of a row whose cells are read, checked wholly.

    InputError lists all that is wrong, named by columns: what was found before, what the sheet's form says, and
    `unread`, without what it says about columns that are `broken`. checked: whether keys are held against each other.
    """
    form.refuse_foreign(document)
    row, problems = document.row, list(found)
    try:
        body = validate(form.body, document, list(form.check(document)) if checked else ())
    except InputError as error:
        problems += [each for each in error.problems if each.field.partition(".")[0] not in broken]
    problems += unread
    if problems:
        raise InputError.listed(problems)
    return form.whole(body, row.cells["id"], row.file)
