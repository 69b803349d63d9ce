"""A sheet as a row of a spreadsheet: a column for every number, named by its dotted path, and one for each weapon."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, get_origin

from simlab.model.document import Document, dotted
from simlab.model.errors import InputError, Problem
from simlab.model.table import EMPTY, Cell, Row
from simlab.model.validation import MISSING, StrictModel, validate
from simlab.rules.blitzkrieg.notation import (
    GUNNER_FORM,
    MANIFEST_FORM,
    WEAPON_FORM,
    read_gunners,
    read_manifest,
    read_weapon,
    write_gunners,
    write_manifest,
    write_weapon,
)
from simlab.rules.blitzkrieg.sheet import Sheet, SheetFile
from simlab.rules.blitzkrieg.sheet_checks import MOST_WEAPONS, check_sheet, foreign_problem
from simlab.rules.blitzkrieg.sheet_form import to_mapping

CHART = 10
WEAPON_COLUMNS = tuple(f"weapon_{number}" for number in range(1, MOST_WEAPONS + 1))
_FREE_TEXT = "provenance"
_BY_NOTATION = ("weapons", "gunners", "manifest")
_FORMS = MappingProxyType({"weapons": WEAPON_FORM, "gunners": GUNNER_FORM, "manifest": MANIFEST_FORM})
_SWITCH = "yes or no"
_SWITCHES = MappingProxyType({"yes": True, "true": True, "no": False, "false": False})


def _plain_columns(
    model: type[StrictModel], before: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The path and type of each value of the sheet that has a column of its own."""
    for name, info in model.model_fields.items():
        path, kind = (*before, name), info.annotation
        if path == ("system",) or name in (*_BY_NOTATION, _FREE_TEXT):
            continue
        if isinstance(kind, type) and issubclass(kind, StrictModel):
            yield from _plain_columns(kind, path)
        elif path == ("internal_amount",):
            yield from (((*path, str(column)), int) for column in range(CHART))
        else:
            yield path, kind


_PLAIN = MappingProxyType({".".join(path): (path, kind) for path, kind in _plain_columns(SheetFile)})
COLUMNS = ("id", *_PLAIN, *WEAPON_COLUMNS, "gunners", "manifest", _FREE_TEXT)
"""All columns that a row may have, in their order; a sheet of three weapons fills three of their columns."""


def sheet_to_row(sheet: Sheet) -> dict[str, Cell]:
    """The row of a sheet by column, in order; `sheet_from_row` makes an equal sheet of it."""
    mapping = to_mapping(sheet)
    row: dict[str, Cell] = {"id": sheet.id}
    for column, (path, kind) in _PLAIN.items():
        here: Any = mapping
        for part in path:
            here = (
                here[int(part)] if isinstance(here, list) else here.get(part, False if kind is bool else None)
            )
        row[column] = here
    for column, (key, weapon) in zip(WEAPON_COLUMNS, mapping["weapons"].items(), strict=False):
        row[column] = write_weapon(key, weapon)
    row["gunners"] = write_gunners(mapping["gunners"])
    row["manifest"] = write_manifest(mapping["manifest"])
    row[_FREE_TEXT] = mapping[_FREE_TEXT]
    return row


def sheet_from_row(row: Row) -> Sheet:
    """The sheet of a row, checked wholly. InputError lists all that is wrong, named by columns."""
    document = _RowDocument(row.file, {"system": "blitzkrieg"}, {(): row.number}, (), row)
    value, broken = document.value, set[str]()
    problems = [*_read_identity(row), *_read_plain(row, value)]
    notation = _read_notation(document, broken)
    foreign = foreign_problem(document)
    if foreign is not None:
        raise InputError([foreign])
    try:
        body = validate(SheetFile, document, () if broken else check_sheet(document))
    except InputError as error:
        problems += [
            p for p in error.problems if not any(p.field.partition(".")[0] == name for name in broken)
        ]
    problems += notation
    if problems:
        raise InputError.listed(problems)
    fields = {name: getattr(body, name) for name in SheetFile.model_fields}
    return Sheet(**fields, id=row.cells["id"], file=row.file)


@dataclass(frozen=True)
class _RowDocument(Document):
    """The values of a row, whose problems are named by columns."""

    row: Row = field(default_factory=lambda: Row("", 1, {}))
    column_of: dict[str, str] = field(default_factory=dict)

    def problem(self, path: Sequence[Hashable], found: str, allowed: str, hint: str | None = None) -> Problem:
        """A problem of the column where the value at the path stands."""
        column = dotted(path)
        if path and path[0] == "weapons":
            inner = [part for part in path[2:] if isinstance(part, str)]
            column = ".".join(
                [self.column_of.get(str(path[1]), WEAPON_COLUMNS[0]), *inner]
                if path[1:]
                else WEAPON_COLUMNS[:1]
            )
        if found in (MISSING, "null"):
            found = EMPTY
        if len(path) == 1 and path[0] in _FORMS:
            allowed = _FORMS[str(path[0])]
        allowed = _SWITCH if allowed == "true or false" else allowed.replace("null", "an empty cell")
        return self.row.problem(column, found, allowed, hint)


def _read_identity(row: Row) -> Iterator[Problem]:
    identity = row.cells.get("id", "")
    if not identity.strip():
        yield row.problem("id", EMPTY, "an id, which becomes the name of the file")
    elif not identity.isprintable():
        yield row.problem("id", identity, "printable characters")


def _read_plain(row: Row, value: dict[str, Any]) -> Iterator[Problem]:
    """Put the cells that are no notation under their keys; an empty cell is null or a missing key."""
    for column, (path, kind) in _PLAIN.items():
        cell: Any = row.cells.get(column, "")
        if column not in row.cells:
            if path[0] != "internal_amount":
                continue
            yield row.problem(column, EMPTY, "a column of that name")
        if not cell.strip():
            if path[0] != "internal_amount" and column != "ecv.value":
                continue
            cell = None
        elif kind is bool:
            cell = _SWITCHES.get(cell.strip().lower(), cell)
        elif get_origin(kind) is Literal:
            cell = cell.strip()
        elif kind is not str:
            cell = row.value(column)
        if path[0] == "internal_amount":
            value.setdefault(path[0], []).append(cell)
        else:
            here = value
            for part in path[:-1]:
                here = here.setdefault(part, {})
            here[path[-1]] = cell
    if _FREE_TEXT in row.cells:
        value[_FREE_TEXT] = row.cells[_FREE_TEXT]


def _read_notation(document: _RowDocument, broken: set[str]) -> list[Problem]:
    """Put weapons, gunners and manifest under their keys; return what cannot be read, columns into `broken`."""
    row, value = document.row, document.value
    problems: list[Problem] = []

    def teller(column: str) -> Any:
        def tell(found: str, allowed: str, hint: str | None) -> None:
            broken.add(column)
            problems.append(row.problem(column, found, allowed, hint))

        return tell

    weapons: dict[str, Any] = {}
    for column in WEAPON_COLUMNS:
        cell = row.cells.get(column, "")
        if cell.strip():
            key, weapon = read_weapon(cell, teller(column))
            if key in weapons:
                teller(column)(
                    f"the key {key} again", f"a key that {document.column_of[key]} does not have", None
                )
            elif key or weapon:
                weapons[key], document.column_of[key] = weapon, column
    if weapons:
        value["weapons"] = weapons
    if row.cells.get("gunners", "").strip():
        value["gunners"] = read_gunners(row.cells["gunners"], teller("gunners"))
    if "manifest" in row.cells:
        value["manifest"] = read_manifest(row.cells["manifest"], teller("manifest"))
    return problems
