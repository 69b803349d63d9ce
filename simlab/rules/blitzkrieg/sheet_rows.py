"""A sheet as a row of a spreadsheet: a column for every number, named by its dotted path, and one for each weapon."""

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

from simlab.model.errors import Problem
from simlab.model.table import EMPTY, Cell, Row
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
from simlab.rules.blitzkrieg.sheet import FORM, Sheet, SheetFile
from simlab.rules.blitzkrieg.sheet_checks import MOST_WEAPONS, SYSTEM_NAME
from simlab.rules.blitzkrieg.sheet_form import to_mapping
from simlab.rules.common.sheet_rows import (
    FREE_TEXT,
    RowDocument,
    identity_problems,
    plain_cells,
    plain_columns,
    read_cell,
    read_plain,
    row_document,
    sheet_of_row,
)

CHART = 10
WEAPON_COLUMNS = tuple(f"weapon_{number}" for number in range(1, MOST_WEAPONS + 1))
_CHART = "internal_amount"
_FORMS = MappingProxyType({"weapons": WEAPON_FORM, "gunners": GUNNER_FORM, "manifest": MANIFEST_FORM})
_PLAIN = plain_columns(SheetFile, without=tuple(_FORMS), charts={_CHART: CHART})
_NO_CHART = {column: where for column, where in _PLAIN.items() if where[0][0] != _CHART}
COLUMNS = ("id", *_PLAIN, *WEAPON_COLUMNS, "gunners", "manifest", FREE_TEXT)
"""All columns that a row may have, in their order; a sheet of three weapons fills three of their columns."""


def sheet_to_row(sheet: Sheet) -> dict[str, Cell]:
    """The row of a sheet by column, in order; `sheet_from_row` makes an equal sheet of it."""
    mapping = to_mapping(sheet)
    row = plain_cells(sheet.id, _PLAIN, mapping)
    for column, (key, weapon) in zip(WEAPON_COLUMNS, mapping["weapons"].items(), strict=False):
        row[column] = write_weapon(key, weapon)
    row["gunners"] = write_gunners(mapping["gunners"])
    row["manifest"] = write_manifest(mapping["manifest"])
    row[FREE_TEXT] = mapping[FREE_TEXT]
    return row


def sheet_from_row(row: Row) -> Sheet:
    """The sheet of a row, checked wholly. InputError lists all that is wrong, named by columns."""
    document = row_document(row, SYSTEM_NAME, _FORMS, WEAPON_COLUMNS)
    value, broken = document.value, set[str]()
    read_plain(row, _NO_CHART, value)
    problems = [*identity_problems(row), *_read_chart(row, value)]
    notation = _read_notation(document, broken)
    return sheet_of_row(FORM, document, problems, notation, broken, checked=not broken)


def _read_chart(row: Row, value: dict[str, Any]) -> Iterator[Problem]:
    """Put the cells of the chart under its key; each has to have a column, an empty cell is null."""
    for column, (path, kind) in _PLAIN.items():
        if path[0] == _CHART:
            filled = bool(row.cells.get(column, "").strip())
            if column not in row.cells:
                yield row.problem(column, EMPTY, "a column of that name")
            value.setdefault(_CHART, []).append(read_cell(row, column, kind) if filled else None)


def _read_notation(document: RowDocument, broken: set[str]) -> list[Problem]:
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
                    f"the key {key} again", f"a key that {document.placed[key]} does not have", None
                )
            elif key or weapon:
                weapons[key], document.placed[key] = weapon, column
    if weapons:
        value["weapons"] = weapons
    if row.cells.get("gunners", "").strip():
        value["gunners"] = read_gunners(row.cells["gunners"], teller("gunners"))
    if "manifest" in row.cells:
        value["manifest"] = read_manifest(row.cells["manifest"], teller("manifest"))
    return problems
