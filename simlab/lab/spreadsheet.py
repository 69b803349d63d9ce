"""Units as a table for spreadsheets: out of their sheets and back, without a loss."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from simlab.lab.roster import (
    DEFAULT_SYSTEM,
    SUFFIX,
    Folder,
    Unit,
    UnitList,
    check_truths,
    find_own_sheet,
    is_folder_name,
    read_units,
    typed,
)
from simlab.lab.wording import naming_arguments
from simlab.model.document import LARGEST_FILE
from simlab.model.errors import MOST_LISTED, InputError, Problem, nearest, shown
from simlab.model.table import EMPTY, Row, Table, load_table, write_table
from simlab.model.whole_files import exists_already, write_files
from simlab.rules.contract import Sheet, System
from simlab.rules.registry import get_system, system_names

TABLE_SUFFIX = ".csv"
UNITS_FOLDER = "units"
SYSTEM = "system"
"""The column beside those of the rule system, which says whose rows they are; it may be missing or empty."""
MOST_WITHOUT_COLUMNS = 1000
"""Rows that are read although their table lacks columns, for what else is wrong with them."""
LONGEST_NAME = 250
"""Bytes that file systems leave for an id before the suffix."""

PathLike: TypeAlias = "str | os.PathLike[str]"


@dataclass(frozen=True)
class Export:
    """A table that was written: its file, and the ids of its units in order."""

    file: Path
    ids: tuple[str, ...]


@dataclass(frozen=True)
class Import:
    """What a table holds, and what became of it.

    units: the sheets in the order of the rows. folder: where their files belong. new, changed, same: the ids without a
    file there, with another sheet in it, and with the very same one, whose file is left alone. written: the files that
    were written, none if the table was only checked.
    """

    file: str
    folder: Path
    units: UnitList
    new: tuple[str, ...]
    changed: tuple[str, ...]
    same: tuple[str, ...]
    written: tuple[Path, ...] = ()

    @property
    def sheets(self) -> tuple[Sheet, ...]:
        """The sheets in the order of the rows."""
        return tuple(unit.sheet for unit in self.units.units)


@naming_arguments()
def export_units(
    file: PathLike,
    chosen: "Iterable[PathLike | Sheet] | None" = None,
    *,
    system: str = DEFAULT_SYSTEM,
    units: Folder = None,
    force: bool = False,
    semicolon: bool = False,
) -> Export:
    """Write units into a CSV file, a row each: those that are named (ids, paths, sheets), or all in reach.

    `semicolon` is for spreadsheets that write numbers with a comma. An existing file is overwritten only with `force`.
    Raises InputError for faulty sheets, an id that comes twice or that no file can have, and what cannot be written.
    """
    path = _table_path(file)
    check_truths(force=force, semicolon=semicolon)
    rules = get_system(system)
    sheets = _chosen_sheets(chosen, system, units)
    _check_ids([sheet.id for sheet in sheets])
    if os.path.lexists(path) and not force:
        raise exists_already(path)
    rows = [{**rules.sheet_to_row(sheet), SYSTEM: rules.name} for sheet in sheets]
    filled = set[str]().union(*rows)
    columns = [column for column in _columns(rules) if column in filled]
    text = write_table(columns, rows, semicolon=semicolon)
    write_files({path: text.encode("utf-8")}, replace=force)
    return Export(path, tuple(sheet.id for sheet in sheets))


@naming_arguments()
def import_units(
    file: PathLike,
    out: PathLike = UNITS_FOLDER,
    *,
    system: str = DEFAULT_SYSTEM,
    check: bool = False,
    force: bool = False,
) -> Import:
    """Read units from a CSV file and write their sheets to `out`/SYSTEM/ID.yaml, all of them or none.

    A file that holds the same sheet already is left alone; one with another sheet is overwritten only with `force`.
    `check` writes nothing. Raises InputError with all that is wrong with the table, by row and column; of rows of
    another system that alone.
    """
    check_truths(check=check, force=force)
    if not is_folder_name(out):
        raise InputError.one("out", typed(out), "a folder")
    rules = get_system(system)
    table = _of_system(load_table(_table_path(file), _columns(rules)), rules)
    sheets = _sheets_of(table, rules)
    folder = Path(out) / system
    found = _compared(table, sheets, folder, rules, system)
    changing = {*found.new, *found.changed}
    texts = {sheet.id: rules.sheet_text(sheet).encode() for sheet in sheets if sheet.id in changing}
    _check_sizes(table, texts)
    if check:
        return found
    if found.changed and not force:
        raise InputError.listed(_unwanted(table, found))
    files = {_file_of(identity, folder): text for identity, text in texts.items()}
    write_files(files, replace=force)
    return replace(found, written=tuple(files))


def _columns(rules: System) -> tuple[str, ...]:
    """The columns that a table may have: the id, whose rows they are, all else."""
    first, *others = rules.row_columns
    return first, SYSTEM, *others


def _of_system(table: Table, rules: System) -> Table:
    """The table without the column that says of which system its rows are; InputError for rows of another one."""
    foreign = [row for row in table.rows if row.cells.get(SYSTEM, "").strip() not in ("", rules.name)]
    found = {row.cells[SYSTEM].strip() for row in foreign}
    if len(foreign) == len(table.rows) > 1 and len(found) == 1:
        raise InputError([_foreign(foreign[0], rules, f" in all {len(foreign)} rows")])
    if foreign:
        raise InputError.listed(_foreign(row, rules) for row in foreign)
    rows = tuple(
        replace(row, cells={column: cell for column, cell in row.cells.items() if column != SYSTEM})
        for row in table.rows
    )
    return replace(table, rows=rows)


def _foreign(row: Row, rules: System, where: str = "") -> Problem:
    """The problem of a row that is one of another system, or of none that there is."""
    found = row.cells[SYSTEM].strip()
    allowed = f"{rules.name} or an empty cell"
    if found in system_names():
        return row.problem(SYSTEM, f"{shown(found)}{where}", f"{allowed}; --system {found} reads such rows")
    return row.problem(SYSTEM, f"{shown(found)}{where}", allowed, nearest(found, [rules.name]))


def _table_path(file: PathLike) -> Path:
    if not is_folder_name(file) or not os.fspath(file).endswith(TABLE_SUFFIX):
        raise InputError.one("file", typed(file), f"a file that ends in {TABLE_SUFFIX}")
    return Path(file)


def _chosen_sheets(chosen: "Iterable[PathLike | Sheet] | None", system: str, units: Folder) -> list[Sheet]:
    """The sheets that are named, or all in reach; InputError with all faults."""
    named = _named(chosen)
    if not named:
        listed = read_units(system, units)
        if listed.problems:
            raise InputError(listed.problems)
        return [unit.sheet for unit in listed.units]
    sheets: list[Sheet] = []
    problems: list[Problem] = []
    for unit in named:
        try:
            sheets.append(find_own_sheet(unit, system, units, field="chosen"))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return sheets


def _named(chosen: Any) -> list[Any]:
    """One unit, several, or none, as a list."""
    if isinstance(chosen, str | os.PathLike):
        return [chosen]
    if chosen is not None and (not isinstance(chosen, Iterable) or isinstance(chosen, Mapping | bytes)):
        raise InputError.one("chosen", typed(chosen), "ids, paths or sheets of units")
    return list(chosen or ())


def _check_ids(ids: Sequence[str]) -> None:
    problems = []
    for place, identity in enumerate(ids):
        fault = _id_fault(identity)
        if fault is not None:
            problems.append(Problem("", None, "chosen", *fault))
        elif identity in ids[:place]:
            problems.append(Problem("", None, "chosen", f"{identity} again", "each id once"))
    if problems:
        raise InputError(problems)


def _id_fault(identity: str) -> tuple[str, str] | None:
    """What keeps an id from being the name of a file: found, allowed."""
    if identity != identity.strip():
        return f'"{identity}"', "an id without blanks at its ends"
    name = f"{identity}{SUFFIX}"
    if Path(name).name != name or Path(name).stem != identity or "\\" in identity:
        return identity or EMPTY, "a name of a file, without / and \\"
    if len(identity.encode("utf-8", "replace")) > LONGEST_NAME:
        return f"{len(identity)} characters", f"a name of a file of at most {LONGEST_NAME} bytes"
    return None


def _sheets_of(table: Table, rules: System) -> list[Sheet]:
    """The sheets of all rows; InputError with all problems of the table."""
    problems = list(table.problems)
    sheets: list[Sheet] = []
    absent: dict[str, Problem] = {}
    first_row: dict[str, int] = {}
    missing = {column for column in rules.row_columns if column not in table.columns}
    for row in table.rows:
        if len(problems) > MOST_LISTED or (absent and row.number > MOST_WITHOUT_COLUMNS):
            break
        problems += _id_problems(row, first_row)
        try:
            sheets.append(rules.sheet_from_row(row))
        except InputError as error:
            absent |= {p.field: _no_column(table, p.field) for p in error.problems if _is_absent(p, missing)}
            problems += [p for p in error.problems if not _is_absent(p, missing)]
    if not table.rows:
        problems.append(
            Problem(table.file, table.head, "row", "no row below the first", "a row for each unit")
        )
    if problems or absent:
        raise InputError.listed([*absent.values(), *problems])
    return sheets


def _is_absent(problem: Problem, missing: set[str]) -> bool:
    """Whether a cell is empty because its column is not there: a fault of the first row, not of this one."""
    return problem.found == EMPTY and problem.field in missing


def _no_column(table: Table, column: str) -> Problem:
    return Problem(table.file, table.head, column, "no such column", "a column of that name")


def _id_problems(row: Row, first_row: dict[str, int]) -> Iterator[Problem]:
    """What is wrong with a row's id as the name of a file, and beside the ids of the rows above."""
    identity = row.cells.get("id", "")
    fault = _id_fault(identity) if identity.strip() else None
    if fault is not None:
        yield row.problem("id", *fault)
    elif first_row.setdefault(identity, row.number) != row.number and identity.strip():
        yield row.problem("id", f"{identity} again (first in row {first_row[identity]})", "each id once")


def _compared(table: Table, sheets: Sequence[Sheet], folder: Path, rules: System, system: str) -> Import:
    """The sheets beside the files that are there."""
    new, changed, same, listed = [], [], [], []
    for sheet in sheets:
        unit = Unit(sheet, system, table.file, rules.sheet_hash(sheet), rules.fight_hash(sheet))
        listed.append(unit)
        path = _file_of(sheet.id, folder)
        if not os.path.lexists(path):
            new.append(sheet.id)
        elif _hash_of(path, rules) == unit.sheet_hash:
            same.append(sheet.id)
        else:
            changed.append(sheet.id)
    return Import(table.file, folder, UnitList(tuple(listed), ()), tuple(new), tuple(changed), tuple(same))


def _file_of(identity: str, folder: Path) -> Path:
    return folder / f"{identity}{SUFFIX}"


def _hash_of(path: Path, rules: System) -> str | None:
    """The hash of the sheet in a file, None if it holds no sound sheet."""
    try:
        return rules.sheet_hash(rules.load_sheet(path))
    except InputError:
        return None


def _unwanted(table: Table, found: Import) -> list[Problem]:
    """A problem for each sheet that would overwrite another one."""
    changed = set(found.changed)
    return [
        row.problem("id", f"{row.cells['id']}, which {_file_of(row.cells['id'], found.folder)} holds otherwise",
                    "a new id, or --force to overwrite the file")
        for row in table.rows
        if row.cells["id"] in changed
    ]  # fmt: skip


def _check_sizes(table: Table, texts: dict[str, bytes]) -> None:
    """Refuse sheets whose files could not be read again."""
    rows = {row.cells["id"]: row for row in table.rows}
    problems = [
        rows[identity].problem("row", f"a sheet of {len(text)} bytes", f"at most {LARGEST_FILE // 1024} KiB")
        for identity, text in texts.items()
        if len(text) > LARGEST_FILE
    ]
    if problems:
        raise InputError.listed(problems)
