"""A sheet as a row of a spreadsheet: a column for every number, and one for each weapon.

A weapon's cell: `cannon: cannon_75 x1 s10 12/48 | 75 mm M3`, key, class, how many, strength, bands, name.
"""

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from simlab.model.document import Document, dotted
from simlab.model.errors import InputError, Problem, shown
from simlab.model.situation import number_text
from simlab.model.table import EMPTY, Cell, Row
from simlab.model.validation import MISSING, validate
from simlab.rules.wwiisim.sheet import (
    MOST_WEAPONS,
    SYSTEM_NAME,
    Sheet,
    SheetFile,
    Weapon,
    check_sheet,
    foreign_problem,
)

WEAPON_COLUMNS = tuple(f"weapon_{number}" for number in range(1, MOST_WEAPONS + 1))
TEXTS = ("kind", "name", "nation", "ecv.source", "provenance")
NUMBERS = ("ecv.value", "armor", "men", "skill", "initiative")
SWITCHES = ("tiger", "commandos", "smoke_grenades")
COLUMNS = (
    "id", "kind", "name", "nation", "ecv.value", "ecv.source", "armor", "men", "skill", "initiative", *SWITCHES,
    *WEAPON_COLUMNS, "provenance",
)  # fmt: skip
WEAPON_FORM = "a weapon like cannon: cannon_75 x1 s10 12/48 | 75 mm M3"
_NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,9})?"
_WEAPON = re.compile(
    rf"\s*([^:\s]+)\s*:\s*(\w+)\s+x([0-9]{{1,9}})\s+s([0-9]{{1,9}})\s+({_NUMBER})(?:/({_NUMBER}))?\s*\|\s?(.*)"
)
_WORDS = {"yes": True, "true": True, "no": False, "false": False}
_SWITCH = "yes or no"


def sheet_to_row(sheet: Sheet) -> dict[str, Cell]:
    """Return the row of a sheet by column; `sheet_from_row` makes an equal sheet of it."""
    row: dict[str, Cell] = {"id": sheet.id, "kind": sheet.kind, "name": sheet.name, "nation": sheet.nation}
    row |= {"ecv.value": sheet.ecv.value, "ecv.source": sheet.ecv.source}
    row |= {name: getattr(sheet, name) for name in ("armor", "men", "skill", "initiative", *SWITCHES)}
    for column, (key, weapon) in zip(WEAPON_COLUMNS, sheet.weapons.items(), strict=False):
        row[column] = write_weapon(key, weapon)
    return row | {"provenance": sheet.provenance}


def write_weapon(key: str, weapon: Weapon) -> str:
    """Return the cell of a weapon."""
    ends = "/".join(number_text(end) for end in (weapon.short, weapon.long) if end is not None)
    return f"{key}: {weapon.type} x{weapon.count} s{weapon.strength} {ends} | {weapon.name}"


def sheet_from_row(row: Row) -> Sheet:
    """Return the sheet of a row, checked wholly. InputError lists all that is wrong, named by columns."""
    document = _RowDocument(row.file, {"system": SYSTEM_NAME}, {(): row.number}, (), row)
    _read_plain(row, document.value)
    problems = [*_read_identity(row), *_read_weapons(document)]
    broken = {problem.field for problem in problems}
    foreign = foreign_problem(document)
    if foreign is not None:
        raise InputError([foreign])
    try:
        body = validate(SheetFile, document, list(check_sheet(document)))
    except InputError as error:
        problems += [found for found in error.problems if found.field.partition(".")[0] not in broken]
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
            first = self.column_of.get(str(path[1]), WEAPON_COLUMNS[0]) if path[1:] else WEAPON_COLUMNS[0]
            column = ".".join([first, *(part for part in path[2:] if isinstance(part, str))])
            allowed = allowed if path[1:] else WEAPON_FORM
        if found in (MISSING, "null"):
            found = EMPTY
        allowed = _SWITCH if allowed == "true or false" else allowed.replace("null", "an empty cell")
        return self.row.problem(column, found, allowed, hint)


def _read_identity(row: Row) -> Iterator[Problem]:
    identity = row.cells.get("id", "")
    if not identity.strip():
        yield row.problem("id", EMPTY, "an id, which becomes the name of the file")
    elif not identity.isprintable():
        yield row.problem("id", identity, "printable characters")


def _read_plain(row: Row, value: dict[str, Any]) -> None:
    """Put the cells that are no weapons under their keys; an empty cell is a missing key, of a price null."""
    for column in (*TEXTS, *NUMBERS, *SWITCHES):
        cell: Any = row.cells.get(column, "")
        if column not in row.cells or (not cell.strip() and column not in ("ecv.value", "provenance")):
            continue
        if column == "ecv.value":
            cell = row.value(column) if cell.strip() else None
        elif column in NUMBERS:
            cell = row.value(column)
        elif column in SWITCHES:
            cell = _WORDS.get(cell.strip().lower(), cell)
        elif column in ("kind", "ecv.source"):
            cell = cell.strip()
        first, _, second = column.partition(".")
        if second:
            value.setdefault(first, {})[second] = cell
        else:
            value[first] = cell


def _read_weapons(document: _RowDocument) -> list[Problem]:
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
                "short": _number(found[5]),
                "long": None if found[6] is None else _number(found[6]),
            }
            document.column_of[found[1]] = column
    if weapons or not problems:
        document.value["weapons"] = weapons
    return problems


def _number(text: str) -> float:
    number = float(text)
    return int(number) if number.is_integer() else number
