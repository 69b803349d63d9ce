"""A sheet as a row of a spreadsheet: a column for every number, and one for each weapon.

A weapon's cell: `cannon: cannon_75 x1 s10 12/48 | 75 mm M3`, key, class, how many, strength, bands, name.
"""

import re
from types import MappingProxyType
from typing import Any

from simlab.model.errors import Problem, shown
from simlab.model.table import Cell, Row
from simlab.rules.common.sheet_rows import (
    FREE_TEXT,
    RowDocument,
    identity_problems,
    plain_cells,
    plain_columns,
    read_plain,
    row_document,
    sheet_of_row,
)
from simlab.rules.wwiisim.sheet import (
    FORM,
    MOST_WEAPONS,
    NO_BAND,
    SYSTEM_NAME,
    Sheet,
    SheetFile,
    Weapon,
    to_mapping,
)

WEAPON_COLUMNS = tuple(f"weapon_{number}" for number in range(1, MOST_WEAPONS + 1))
_PLAIN = plain_columns(SheetFile, without=("weapons",))
COLUMNS = ("id", *_PLAIN, *WEAPON_COLUMNS, FREE_TEXT)
"""All columns that a row may have, in their order."""
WEAPON_FORM = "a weapon like cannon: cannon_75 x1 s10 12/48 | 75 mm M3"
_NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,9})?"
_WEAPON = re.compile(
    rf"\s*([^:\s]+)\s*:\s*(\w+)\s+x([0-9]{{1,9}})\s+s([0-9]{{1,9}})\s+({_NUMBER}|{NO_BAND})(?:/({_NUMBER}))?\s*\|\s?(.*)"
)
_FORMS = MappingProxyType({"weapons": WEAPON_FORM})


def sheet_to_row(sheet: Sheet) -> dict[str, Cell]:
    """Return the row of a sheet by column; `sheet_from_row` makes an equal sheet of it."""
    row = plain_cells(sheet.id, _PLAIN, to_mapping(sheet))
    for column, (key, weapon) in zip(WEAPON_COLUMNS, sheet.weapons.items(), strict=False):
        row[column] = write_weapon(key, weapon)
    return row | {FREE_TEXT: sheet.provenance}


def write_weapon(key: str, weapon: Weapon) -> str:
    """Return the cell of a weapon."""
    return f"{key}: {weapon.type} x{weapon.count} s{weapon.strength} {weapon.ends} | {weapon.name}"


def sheet_from_row(row: Row) -> Sheet:
    """Return the sheet of a row, checked wholly. InputError lists all that is wrong, named by columns."""
    document = row_document(row, SYSTEM_NAME, _FORMS, WEAPON_COLUMNS)
    read_plain(row, _PLAIN, document.value)
    problems = [*identity_problems(row), *_read_weapons(document)]
    return sheet_of_row(FORM, document, problems, broken={problem.field for problem in problems})


def _read_weapons(document: RowDocument) -> list[Problem]:
    """Put weapons under their key; return what cannot be read."""
    row, problems = document.row, list[Problem]()
    weapons: dict[str, Any] = {}
    for column in WEAPON_COLUMNS:
        cell = row.cells.get(column, "")
        if not cell.strip():
            continue
        found = _WEAPON.fullmatch(cell)
        if found is None:
            problems.append(row.problem(column, shown(cell), WEAPON_FORM))
        elif found[1] in weapons:
            problems.append(row.problem(column, f"the key {found[1]} again", "each key once"))
        else:
            weapons[found[1]] = {
                "name": found[7],
                "type": found[2],
                "count": int(found[3]),
                "strength": int(found[4]),
                "short": None if found[5] == NO_BAND else _number(found[5]),
                "long": None if found[6] is None else _number(found[6]),
            }
            document.placed[found[1]] = column
    if weapons or not problems:
        document.value["weapons"] = weapons
    return problems


def _number(text: str) -> float:
    number = float(text)
    return int(number) if number.is_integer() else number
