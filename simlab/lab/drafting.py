"""Sheets drafted from facts: made, compared with the sheets that are there, written."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.lab.roster import (
    DEFAULT_SYSTEM,
    SUFFIX,
    Folder,
    check_truths,
    is_folder_name,
    is_path,
    typed,
    unit_folders,
)
from simlab.lab.wording import naming_arguments
from simlab.model.errors import InputError, Problem, nearest
from simlab.model.whole_files import write_files
from simlab.rules.contract import Draft, Drafter, DraftStep, Sheet, System
from simlab.rules.registry import get_system, system_names

if TYPE_CHECKING:
    import pandas as pd

FACTS = "facts"
EVERY = "all"
ALLOWED_FACTS = "a folder with the facts"
DRAFTED = "draft"
"""The source of a price that marks a sheet as a draft."""


@dataclass(frozen=True)
class Drafted:
    """A drafted sheet, the text of its file, and how each number came about."""

    sheet: Sheet
    text: str
    steps: tuple[DraftStep, ...]

    def to_frame(self) -> "pd.DataFrame":
        """Return a row for each number: field, value, formula, inputs, basis."""
        import pandas as pd

        columns = ["field", "value", "formula", "inputs", "basis"]
        rows = [
            (step.field, step.value, step.formula, ", ".join(step.inputs), step.basis) for step in self.steps
        ]
        return pd.DataFrame(rows, columns=columns)


@dataclass(frozen=True)
class Comparison:
    """A drafted sheet beside the file of its id.

    state: `new` without a file, `same`, `changed`, or `kept` where the file's sheet is no draft. differences: field,
    what the file says, what the draft says. alike: whether the two fight alike.
    """

    id: str
    file: Path
    state: str
    differences: tuple[tuple[str, str, str], ...] = ()
    alike: bool = True


@dataclass(frozen=True)
class Writing:
    """What became of drafts: each beside its file as it was before, and the files that were written."""

    compared: tuple[Comparison, ...]
    written: tuple[Path, ...] = field(default=())


def draft(unit: str, *, facts: Folder = None, system: str = DEFAULT_SYSTEM, units: Folder = None) -> Drafted:
    """Return the sheet that the facts about a vehicle give; see `drafts`."""
    if not isinstance(unit, str) or unit == EVERY:
        raise InputError.one("unit", typed(unit), "the id of a vehicle in the facts")
    (drafted,) = drafts([unit], facts=facts, system=system, units=units)
    return drafted


def drafts(
    chosen: str | Iterable[str] = EVERY,
    *,
    facts: Folder = None,
    system: str = DEFAULT_SYSTEM,
    units: Folder = None,
) -> tuple[Drafted, ...]:
    """Return the sheets that the facts about vehicles give: of those that are named, or of `all`.

    `facts` is a folder; without one the folder `facts` among the units in reach is taken. Raises InputError with all
    that is wrong with the facts, and for ids that they do not have.
    """
    rules = _drafter(system)
    rows = rules.read_facts(facts_folder(facts, units))
    return tuple(_drafted(rules.draft_sheet(rows[identity])) for identity in _chosen_ids(chosen, rows))


def facts_folder(facts: Folder = None, units: Folder = None) -> Path:
    """Return the folder of facts: the one that is named, or the first `facts` among the folders of units."""
    if facts is not None:
        if not is_path(facts) or not os.path.isdir(facts):
            raise InputError.one("facts", typed(facts), ALLOWED_FACTS)
        return Path(facts)
    for folder in unit_folders(units):
        if (folder / FACTS).is_dir():
            return folder / FACTS
    raise InputError.one("facts", "no folder facts among the units", ALLOWED_FACTS)


def compare_drafts(
    drafted: Sequence[Drafted], out: Folder = None, *, system: str = DEFAULT_SYSTEM
) -> tuple[Comparison, ...]:
    """Return each draft beside the file of its id, `out`/SYSTEM/ID.yaml; InputError if one holds no sound sheet.

    Without `out` the first folder of units in reach is taken that has sheets of the system.
    """
    rules = get_system(system)
    folder = _sheet_folder(out, system)
    found: list[Comparison] = []
    problems: list[Problem] = []
    for each in drafted:
        try:
            found.append(_compared(each, folder / f"{each.sheet.id}{SUFFIX}", rules))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return tuple(found)


@naming_arguments()
def write_drafts(
    drafted: Sequence[Drafted],
    out: str | os.PathLike[str],
    *,
    system: str = DEFAULT_SYSTEM,
    force: bool = False,
) -> Writing:
    """Write drafts to `out`/SYSTEM/ID.yaml, all of them or none.

    A sheet that is no draft (its price is printed or fitted) is never overwritten, a draft that differs only with
    `force`. Raises InputError that names the files which would be overwritten or cannot be written.
    """
    check_truths(force=force)
    compared = compare_drafts(drafted, out, system=system)
    unwanted = [
        Problem(str(each.file), None, "file", "another draft", "the same draft, or --force to overwrite it")
        for each in compared
        if each.state == "changed" and not force
    ]
    if unwanted:
        raise InputError(unwanted)
    files = {
        each.file: made.text.encode()
        for each, made in zip(compared, drafted, strict=True)
        if each.state in ("new", "changed")
    }
    write_files(files, replace=force)
    return Writing(compared, tuple(files))


def _sheet_folder(out: Folder, system: str) -> Path:
    if out is None:
        return next((here / system for here in unit_folders() if (here / system).is_dir()), Path(system))
    if not is_folder_name(out):
        raise InputError.one("out", typed(out), "a folder")
    return Path(out) / system


def _drafter(system: str) -> Drafter:
    """The rule system, if it makes sheets of facts."""
    rules: Any = get_system(system)
    if not isinstance(rules, Drafter):
        able = [name for name in system_names() if isinstance(get_system(name), Drafter)]
        raise InputError.one("system", f"{system}, which drafts no sheets", ", ".join(able))
    return rules


def _drafted(found: Draft) -> Drafted:
    return Drafted(found.sheet, found.text, found.steps)


def _chosen_ids(chosen: Any, rows: Mapping[str, Any]) -> list[str]:
    """The ids that are named, each once; InputError for all that are not in the facts."""
    named = [chosen] if isinstance(chosen, str) else chosen
    if not isinstance(named, Iterable):
        raise InputError.one("chosen", typed(chosen), f"ids of vehicles in the facts, or {EVERY}")
    named = list(named)
    if named == [EVERY]:
        return list(rows)
    wrong = [each for each in named if not isinstance(each, str) or each not in rows]
    if wrong or not named:
        raise InputError(
            Problem(
                "", None, "chosen", typed(each), f"a vehicle in the facts, or {EVERY}", nearest(each, rows)
            )
            for each in wrong or [""]
        )
    return list(dict.fromkeys(named))


def _compared(drafted: Drafted, path: Path, rules: System) -> Comparison:
    identity = drafted.sheet.id
    if not os.path.lexists(path):
        return Comparison(identity, path, "new")
    there = rules.load_sheet(path)
    written, made = rules.sheet_to_row(there), rules.sheet_to_row(drafted.sheet)
    differences = tuple(
        (column, str(written.get(column, "")), str(made.get(column, "")))
        for column in rules.row_columns
        if written.get(column) != made.get(column)
    )
    alike = rules.fight_hash(there) == rules.fight_hash(drafted.sheet)
    if there.ecv.source != DRAFTED:
        return Comparison(identity, path, "kept", differences, alike)
    same = path.read_bytes() == drafted.text.encode()
    return Comparison(identity, path, "same" if same else "changed", differences, alike)
