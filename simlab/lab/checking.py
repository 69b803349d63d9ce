"""Whether sheets and studies are sound: all that is wrong with all of them."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from simlab.lab.roster import (
    DEFAULT_SYSTEM,
    SUFFIX,
    Folder,
    Unit,
    UnitList,
    is_path,
    read_unit,
    sheet_files,
    typed,
    written_system,
)
from simlab.model.document import Document, load_document
from simlab.model.errors import InputError, Problem, nearest
from simlab.rules.registry import get_system, system_names

ALLOWED_PATHS = "a file that ends in .yaml, a folder, or several of them"


@dataclass(frozen=True)
class CheckReport:
    """What a check of files found: the files in the order in which they were read, and all their problems."""

    files: tuple[str, ...]
    problems: tuple[Problem, ...]
    alike: tuple[tuple[str, ...], ...] = ()

    @property
    def fine(self) -> int:
        """Number of files without a problem."""
        return len(self.files) - len({problem.file for problem in self.problems})


def check(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | None = None,
    units: Folder = None,
    system: str = DEFAULT_SYSTEM,
) -> CheckReport:
    """Read sheets and studies and report all problems of all of them.

    `paths` is a file, or a folder that is searched with all below, or several of them; without any every sheet in reach
    is read. system: of sheets that name none. Raises InputError where there is nothing to read.
    """
    get_system(system)
    chosen = _as_paths(paths)
    if chosen:
        files = [file for path in chosen for file in _files_below(Path(path))]
    else:
        files = [path for name in system_names() for path in sheet_files(name, units).values()]
    if not files:
        raise InputError.one(
            "paths",
            ", ".join(map(str, chosen)) or "no sheet",
            "files that end in .yaml",
        )
    found: list[Unit] = []
    problems: list[Problem] = []
    for path in files:
        try:
            document = load_document(path)
            if _is_study(document):
                problems += _study_problems(path, units)
            else:
                found.append(_checked_unit(document, system))
        except InputError as error:
            problems += error.problems
    listed = UnitList(tuple(found), ())
    order = {str(path): place for place, path in enumerate(files)}
    problems.sort(key=lambda problem: order.get(problem.file, len(order)))
    return CheckReport(tuple(order), tuple(problems), listed.alike())


def _as_paths(paths: Any) -> list[str | os.PathLike[str]]:
    """One path, several, or none, as a list."""
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    if paths is not None and not isinstance(paths, Iterable):
        raise InputError.one("paths", typed(paths), ALLOWED_PATHS)
    found = list(paths or ())
    wrong = [path for path in found if not is_path(path)]
    if wrong:
        raise InputError(Problem("", None, "paths", typed(path), ALLOWED_PATHS) for path in wrong)
    return found


def _checked_unit(document: Document, system: str) -> Unit:
    """The sheet in a document of any system; one that there is not is refused with all that there are."""
    written, names = written_system(document), system_names()
    likely = nearest(written, names)
    try:
        return read_unit(document, likely or system)
    except InputError as error:
        if written in names:
            raise
        allowed = ", ".join(names)
        raise InputError(
            replace(problem, allowed=allowed, hint=likely) if problem.field == "system" else problem
            for problem in error.problems
        ) from None


def _is_study(document: Document) -> bool:
    """Whether a file reads like a study: it names situations or units and draws no unit of its own."""
    value = document.value
    return isinstance(value, dict) and bool({"situations", "units"} & {*value}) and "weapons" not in value


def _study_problems(path: Path, units: Folder) -> Sequence[Problem]:
    from simlab.lab.study import read_study

    try:
        read_study(path, units)
    except InputError as error:
        return [problem if problem.file else replace(problem, file=str(path)) for problem in error.problems]
    return ()


def _files_below(path: Path) -> Sequence[Path]:
    if not os.path.isdir(path):  # Path.is_dir raises where a name is too long
        return (path,)
    return sorted(file for file in path.rglob(f"*{SUFFIX}") if file.is_file())
