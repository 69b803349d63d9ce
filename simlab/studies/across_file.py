"""Study files of several rule systems: the same units, by their ids, in each of them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from simlab.model.document import Document, load_document
from simlab.model.errors import InputError, Problem, nearest, shown
from simlab.rules.registry import system_names
from simlab.studies.study_file import Library, Study, parse_study, safe_stem

_ALLOWED = "a list of two or more rule systems"


def load_across(path: Path, library: Library) -> tuple[Study, ...]:
    """Read a study file whose `system` is a list; return a study for each system, its stem `<file's stem>/<system>`.

    All else is as in any study file, and holds in each of the systems: `library` is asked for the units of each.
    Raises InputError with all faults of the file, each once.
    """
    document = load_document(path)
    stem = safe_stem(path)
    studies, problems = [], list[Problem]()
    for name in _systems(document):
        one = replace(document, value={**document.value, "system": name})
        try:
            studies.append(parse_study(one, f"{stem}/{name}", path.parent, library))
        except InputError as error:
            problems += [problem for problem in error.problems if problem not in problems]
    if problems:
        raise InputError.listed(problems)
    return tuple(studies)


def _systems(document: Document) -> list[str]:
    value: Any = document.value.get("system") if isinstance(document.value, dict) else None
    if not isinstance(value, list):
        raise InputError.listed([document.problem(["system"], shown(value), _ALLOWED)])
    names = system_names()
    problems = [
        document.problem(["system", place], shown(name), ", ".join(names), nearest(str(name), names))
        for place, name in enumerate(value)
        if name not in names
    ]
    problems += [
        document.problem(["system", place], f"{shown(name)} a second time", "each system once")
        for place, name in enumerate(value)
        if name in value[:place]
    ]
    if len(value) < 2:
        problems.append(document.problem(["system"], f"{len(value)} of them", _ALLOWED))
    if problems:
        raise InputError.listed(problems)
    return value
