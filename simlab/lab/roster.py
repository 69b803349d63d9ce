"""Where sheets are found, and what there is."""

import difflib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from simlab.model.document import Document, load_document
from simlab.model.errors import InputError, Problem, shown
from simlab.model.keys import alike
from simlab.rules.contract import Sheet
from simlab.rules.registry import get_system, system_names

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_SYSTEM = "blitzkrieg"
FOLDER_VARIABLE = "SIMLAB_UNITS"
SUFFIX = ".yaml"
MOST_HINTS = 3
TRUTH = "true or false"
SHEET = ("system", "id", "name", "nation", "ecv", "provenance")
"""What every sheet has."""
ALLOWED_UNIT = "a unit id, SYSTEM/ID, or the path of a sheet file that ends in .yaml"

Folder: TypeAlias = str | os.PathLike[str] | None


def is_path(value: object) -> TypeGuard[str | os.PathLike[str]]:
    """Return whether a value is a path of text."""
    return isinstance(value, str | os.PathLike) and isinstance(os.fspath(value), str)


def is_folder_name(value: object) -> bool:
    """Return whether a folder can be made at a path."""
    return is_path(value) and os.fspath(value) != "" and "\0" not in os.fspath(value)


def typed(value: object) -> str:
    """Return a value for a message, as it would stand in a YAML file: a text that is no plain word is in quotes."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    return f"a value of type {type(value).__name__}" if isinstance(value, bytes) else shown(value)


def check_truths(**values: object) -> None:
    """Raise InputError for arguments that are no truth values; nothing else stands for one."""
    wrong = [(name, value) for name, value in values.items() if not isinstance(value, bool)]
    if wrong:
        raise InputError(Problem("", None, name, typed(value), TRUTH) for name, value in wrong)


@dataclass(frozen=True)
class Unit:
    """A sheet as it was found: its file, and its two hashes (16 hexadecimal digits each)."""

    sheet: Sheet
    system: str
    file: str
    sheet_hash: str
    fight_hash: str

    def to_dict(self) -> dict[str, Any]:
        """Return one row of the table of units."""
        return {
            "id": self.sheet.id,
            "name": self.sheet.name,
            "nation": self.sheet.nation,
            "ecv": self.sheet.ecv.value,
            "source": self.sheet.ecv.source,
            "system": self.system,
            "sheet_hash": self.sheet_hash,
            "fight_hash": self.fight_hash,
            "file": self.file,
        }


@dataclass(frozen=True)
class UnitList:
    """The units in reach by id, and the problems of the sheets that could not be read."""

    units: tuple[Unit, ...]
    problems: tuple[Problem, ...]

    def alike(self) -> tuple[tuple[str, ...], ...]:
        """Return the groups of ids, of two or more, whose sheets fight alike (equal fight hash).

        Among units of several systems ids are SYSTEM/ID.
        """
        several = len({unit.system for unit in self.units}) > 1
        hashes = (
            (f"{unit.system}/{unit.sheet.id}" if several else unit.sheet.id, (unit.system, unit.fight_hash))
            for unit in self.units
        )
        return tuple(map(tuple, alike(hashes)))

    def to_frame(self) -> "pd.DataFrame":
        """Return one row a unit: id, name, nation, ecv, source, system, sheet_hash, fight_hash, file."""
        import pandas as pd

        columns = [
            "id",
            "name",
            "nation",
            "ecv",
            "source",
            "system",
            "sheet_hash",
            "fight_hash",
            "file",
        ]
        return pd.DataFrame([unit.to_dict() for unit in self.units], columns=columns)


def unit_folders(units: Folder = None) -> tuple[Path, ...]:
    """Return the folders in which ids are looked up, the first one first.

    `units`, then $SIMLAB_UNITS, ./units, and the units that come with simlab. Raises InputError where one
    of the first two is named and is no folder.
    """
    folders = []
    for field, named in (
        ("units", units),
        (FOLDER_VARIABLE, os.environ.get(FOLDER_VARIABLE) or None),
    ):
        if named is not None:
            if not is_path(named) or not os.path.isdir(named):
                raise InputError.one(field, typed(named), "a folder that exists")
            folders.append(Path(named))
    package = Path(__file__).resolve().parent.parent
    usual = [Path("units"), package / "units", package.parent / "units"]
    folders.extend(folder for folder in usual if folder.is_dir())
    distinct = {folder.resolve(): folder for folder in reversed(folders)}
    return tuple(reversed(distinct.values()))


def sheet_files(system: str = DEFAULT_SYSTEM, units: Folder = None) -> dict[str, Path]:
    """Return the sheet file of every id in reach, sorted by id; an earlier folder hides a later one."""
    get_system(system)
    found: dict[str, Path] = {}
    for folder in reversed(unit_folders(units)):
        found.update({path.stem: path for path in _files_in(folder / system)})
    return dict(sorted(found.items()))


def find_sheet(
    unit: "str | os.PathLike[str] | Sheet",
    system: str = DEFAULT_SYSTEM,
    units: Folder = None,
    *,
    field: str = "unit",
) -> Sheet:
    """Return the sheet that an id (`panther_g`), SYSTEM/ID or a path (`mine/panther_g.yaml`) names.

    A sheet is returned as it is. An id is compared with the files that are there, never joined to a path.
    Raises InputError (with the nearest ids, or with all faults of the file); `field` names it in messages.
    """
    if not isinstance(unit, str | os.PathLike):
        if not all(hasattr(unit, name) for name in SHEET):
            raise InputError.one(field, typed(unit), ALLOWED_UNIT)
        return unit
    path = sheet_path(unit, system, units, field=field)
    sheet: Sheet = get_system(_system_of(unit, system)).load_sheet(path)
    return sheet


def find_own_sheet(
    unit: "str | os.PathLike[str] | Sheet", system: str, units: Folder = None, *, field: str = "unit"
) -> Sheet:
    """Return what `find_sheet` finds; InputError if that is a sheet of another system."""
    sheet = find_sheet(unit, system, units, field=field)
    other = sheet.system
    if other != system:
        found = typed(unit) if isinstance(unit, str | os.PathLike) else f"a sheet of {other}"
        raise InputError.one(field, found, f"a unit of {system}")
    return sheet


def find_sheets(
    wanted: Iterable[tuple[str, Any]], system: str = DEFAULT_SYSTEM, units: Folder = None
) -> list[Sheet]:
    """Return the sheets that units name; `wanted` are pairs of the field that messages name and the unit.

    Raises InputError with all that is wrong with all of them.
    """
    unit_folders(units)
    sheets: list[Sheet] = []
    problems: list[Problem] = []
    for field, unit in wanted:
        try:
            sheets.append(find_own_sheet(unit, system, units, field=field))
        except InputError as error:
            problems.extend(problem for problem in error.problems if problem not in problems)
    if problems:
        raise InputError(problems)
    return sheets


def sheet_path(
    unit: str | os.PathLike[str],
    system: str = DEFAULT_SYSTEM,
    units: Folder = None,
    *,
    field: str = "unit",
) -> Path:
    """Return the file of the sheet that an id, SYSTEM/ID or a path names; see `find_sheet`."""
    text = os.fspath(unit)
    system = _system_of(unit, system)
    if not is_path(unit):
        raise InputError.one(field, typed(unit), ALLOWED_UNIT)
    if text.endswith(SUFFIX) or isinstance(unit, Path):
        if not os.path.isfile(text):
            raise InputError.one(field, typed(text), "a sheet file that exists")
        return Path(text)
    files = sheet_files(system, units)
    name = text.removeprefix(f"{system}/")
    if name in files:
        return files[name]
    close = difflib.get_close_matches(name.lower()[:64], files, n=MOST_HINTS, cutoff=0.5)
    raise InputError.one(field, typed(text), ALLOWED_UNIT, ", ".join(close) or None)


def written_system(document: Document) -> object:
    """Return what a sheet's file says about its system, None for nothing."""
    return document.value.get("system") if isinstance(document.value, dict) else None


def read_units(system: str = DEFAULT_SYSTEM, units: Folder = None) -> UnitList:
    """Read every sheet in reach; those that are faulty are left out and their problems listed."""
    return _read(system, sheet_files(system, units).values())


def units(system: str = DEFAULT_SYSTEM, units: Folder = None) -> "pd.DataFrame":
    """Return a frame of the units in reach, see `UnitList.to_frame`; InputError if a sheet is faulty."""
    listed = read_units(system, units)
    if listed.problems:
        raise InputError(listed.problems)
    return listed.to_frame()


def show(
    unit: "str | os.PathLike[str] | Sheet",
    system: str = DEFAULT_SYSTEM,
    units: Folder = None,
) -> str:
    """Return the record sheet of a unit as text, at most 80 columns wide. Raises InputError."""
    sheet = find_sheet(unit, system, units)
    return get_system(_system_of(unit, system)).render_sheet(sheet)


def changed(
    unit: "str | os.PathLike[str] | Sheet",
    fields: Mapping[str, Any],
    system: str = DEFAULT_SYSTEM,
    units: Folder = None,
) -> Sheet:
    """Return a new sheet like that of a unit, with fields at dotted paths changed: `{"armor.front": 7}`.

    Its id gets a star, by which tables tell it from the unit; the name stays unless it is among the fields. Raises
    InputError.
    """
    if not isinstance(fields, Mapping) or not all(isinstance(name, str) for name in fields):
        raise InputError.one(
            "fields", typed(fields), "a mapping of dotted paths to values: {'armor.front': 7}"
        )
    sheet: Sheet = get_system(_system_of(unit, system)).replace_fields(
        find_sheet(unit, system, units), fields
    )
    return _renamed(sheet, f"{sheet.id.removesuffix('*')}*") if fields else sheet


def _renamed(sheet: Any, unit: str) -> Sheet:
    if hasattr(sheet, "model_copy"):
        copy: Sheet = sheet.model_copy(update={"id": unit})
        return copy
    other: Sheet = replace(sheet, id=unit)
    return other


def _read(system: str, files: Iterable[Path]) -> UnitList:
    found: list[Unit] = []
    problems: list[Problem] = []
    for path in files:
        try:
            found.append(read_unit(load_document(path), system))
        except InputError as error:
            problems.extend(error.problems)
    return UnitList(tuple(found), tuple(problems))


def read_unit(document: Document, system: str) -> Unit:
    """Return the sheet in a document, of the system that it names if there is such a one. Raises InputError."""
    written = written_system(document)
    name = written if isinstance(written, str) and written in system_names() else system
    rules = get_system(name)
    sheet = rules.parse_sheet(document)
    return Unit(sheet, name, document.file, rules.sheet_hash(sheet), rules.fight_hash(sheet))


def own_system(unit: "str | os.PathLike[str] | Sheet", system: str) -> str:
    """Return the system of a sheet, or that which SYSTEM/ID or the file at a path names; without one `system`."""
    if not isinstance(unit, str | os.PathLike):
        return str(getattr(unit, "system", system))
    if os.fspath(unit).endswith(SUFFIX) and os.path.isfile(unit):
        try:
            written = written_system(load_document(Path(unit)))
        except InputError:
            return system
        return written if isinstance(written, str) and written in system_names() else system
    return _system_of(unit, system)


def _system_of(unit: Any, system: str) -> str:
    """The system that SYSTEM/ID names; else `system`."""
    if isinstance(unit, str):
        first, slash, rest = unit.partition("/")
        if slash and first in system_names() and "/" not in rest and not rest.endswith(SUFFIX):
            return first
    return system


def _files_in(folder: Path) -> Sequence[Path]:
    if not folder.is_dir():
        return ()
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == SUFFIX and path.is_file())
    except OSError as error:
        raise InputError.one("units", str(folder), "a folder that can be read") from error
