"""Study files: which units meet in which situations, how often, under which readings."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from simlab.model.document import Document, load_document
from simlab.model.errors import InputError, Problem, nearest, shown
from simlab.model.situation import Situation
from simlab.model.validation import StrictModel, validate
from simlab.rules.contract import Options, Sheet, System
from simlab.rules.registry import get_system, system_names
from simlab.studies.crossing import Axis, read_aspects, read_first_fires, read_ranges

Policy = Literal["first", "spread", "focus", "weakest", "dangerous", "random"]

METHODS = ("exact", "monte_carlo", "auto")
_WAYS = "exact, monte_carlo, auto"
_RANGES = "a list of ranges, or a mapping of ranges to weights"
_POLICIES = "first, spread, focus, weakest, dangerous, random"
_FIRST_FIRES = "a first fire such as a:2, a list of them, or a mapping of them to weights"
_ASPECTS = "a list of aspects, or a mapping of aspects to weights"


class _Engagements(StrictModel):
    sizes: Annotated[list[Annotated[int, Field(ge=1, le=1000)]], Field(min_length=1)]
    policies: Annotated[list[Annotated[Policy, Field(description=_POLICIES)]], Field(min_length=1)] = [
        "spread"
    ]
    turns: Annotated[int, Field(ge=1, le=1000)] = 20


class _Situations(StrictModel):
    range: Annotated[Any, Field(description=_RANGES)]
    aspect: Annotated[Any, Field(description=_ASPECTS)] = None
    aspect_a: Annotated[Any, Field(description=_ASPECTS)] = None
    aspect_b: Annotated[Any, Field(description=_ASPECTS)] = None
    first_fire: Annotated[Any, Field(description=_FIRST_FIRES)] = None


class _StudyFile(StrictModel):
    name: Annotated[str, Field(min_length=1, description="text that is not empty")]
    system: Annotated[str, Field(description="one rule system; `simlab across` runs a study under several")]
    units: Annotated[
        Literal["all"] | Annotated[list[str], Field(min_length=1)],
        Field(description="a list of ids and paths of units, or the word all"),
    ]
    situations: _Situations
    turns: Annotated[int, Field(ge=1, le=1000)] = 12
    method: Annotated[str, Field(description=_WAYS)] = "auto"
    precision: (
        Annotated[float, Field(ge=1e-6, lt=1, description="a half-width from 0.000001 to below 1")] | None
    ) = None
    n: Annotated[int, Field(ge=1, le=10**12)] | None = None
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 1
    readings: dict[str, str | bool | int | float] = {}
    constants: Annotated[dict[str, Any], Field(description="a mapping of house numbers")] = {}
    engagements: _Engagements | None = None


@dataclass(frozen=True)
class Engagements:
    """Fair numbers asked for: sizes N of the first side, policies of both, turn limit."""

    sizes: tuple[int, ...]
    policies: tuple[str, ...]
    turns: int


@dataclass(frozen=True)
class Study:
    """A study ready to be planned.

    `stem` names its folder of results, `content` is the file's mapping as written. `units` are ids, in the
    order of the file, `sheets` their sheets. `situations` carry weights that add up to 1. Either `precision`
    (the half-width wanted, as decimal text) or `n` is set. `method`: how duels are answered, exact, monte_carlo or
    auto; engagements are always sampled.
    """

    file: str
    stem: str
    content: dict[str, Any]
    name: str
    system: System
    sheets: tuple[Sheet, ...]
    situations: tuple[tuple[Situation, float], ...]
    turns: int
    precision: str | None
    n: int | None
    seed: int
    options: Options
    engagements: Engagements | None
    method: str = "auto"

    @property
    def units(self) -> tuple[str, ...]:
        """Ids of the units."""
        return tuple(sheet.id for sheet in self.sheets)


class Library:
    """Where a study finds units: the ids there are, and a sheet by id."""

    def __init__(self, ids: Callable[[str], Sequence[str]], find: Callable[[str, str], Any]) -> None:
        self.ids = ids
        self.find = find


def load_study(path: Path, library: Library) -> Study:
    """Read a study file.

    `library.ids(system)` lists the unit ids, `library.find(id, system)` gives a sheet or raises InputError.
    Raises InputError with all faults of the file at once, and those of the sheets it names.
    """
    document = load_document(path)
    return parse_study(document, safe_stem(path), path.parent, library)


def safe_stem(path: Path) -> str:
    """Return the file's stem, which names the folder of results; InputError if it cannot name one."""
    stem = path.stem
    if not stem.isprintable() or stem.startswith(".") or not stem.strip():
        raise InputError.one("study", shown(stem), "a file whose stem can name a folder", file=str(path))
    return stem


def parse_study(document: Document, stem: str, folder: Path, library: Library) -> Study:
    """Return the study of a document; paths of units are relative to `folder`. Raises as `load_study`."""
    axes, options, found = _read_values(document)
    model = validate(_StudyFile, document, also=found)
    system = get_system(model.system)
    assert options is not None
    sheets = _find_sheets(document, model.units, system, folder, library)
    wanted = model.engagements
    return Study(
        file=document.file,
        stem=stem,
        content=dict(document.value),
        name=model.name,
        system=system,
        sheets=sheets,
        situations=_crossed(axes),
        turns=model.turns,
        method=model.method,
        precision=repr(0.005 if model.precision is None else model.precision) if model.n is None else None,
        n=model.n,
        seed=model.seed,
        options=options,
        engagements=Engagements(tuple(sorted(wanted.sizes)), tuple(wanted.policies), wanted.turns)
        if wanted
        else None,
    )


def _read_values(document: Document) -> tuple[dict[str, Axis], Options | None, list[Problem]]:
    """What shapes cannot tell: the axes of the situations, the options, and all faults in them."""
    value = document.value
    if not isinstance(value, dict):
        return {}, None, []
    problems = list(_method(document))
    system, fault = _system(document)
    problems += fault
    axes: dict[str, Axis] = {}
    situations = value.get("situations")
    if isinstance(situations, dict):
        axes, faults = _axes(document, situations, system)
        problems += faults
    options, faults = _options(document, system)
    problems += faults
    problems += _duplicates(document, ("units",), lambda unit: unit)
    problems += _duplicates(document, ("engagements", "sizes"), lambda size: size)
    problems += _duplicates(document, ("engagements", "policies"), lambda policy: policy)
    if value.get("precision") is not None and value.get("n") is not None:
        problems.append(document.problem(["n"], "both precision and n", "one of precision and n"))
    return axes, options, problems


def _method(document: Document) -> Iterator[Problem]:
    method = document.value.get("method", "auto")
    if isinstance(method, str) and method not in METHODS:
        yield document.problem(["method"], shown(method), _WAYS, nearest(method, METHODS))


def _system(document: Document) -> tuple[System | None, list[Problem]]:
    name = document.value.get("system")
    if not isinstance(name, str):
        return None, []
    if name not in system_names():
        names = system_names()
        return None, [document.problem(["system"], shown(name), ", ".join(names), nearest(name, names))]
    return get_system(name), []


def _axes(
    document: Document, situations: dict[Any, Any], system: System | None
) -> tuple[dict[str, Axis], list[Problem]]:
    axes: dict[str, Axis] = {}
    problems: list[Problem] = []
    both = [name for name in ("aspect_a", "aspect_b") if name in situations]
    if "aspect" in situations and both:
        allowed = "either aspect, or aspect_a and aspect_b"
        problems.append(document.problem(["situations", both[0]], f"{both[0]} beside aspect", allowed))
    elif "aspect" not in situations:
        problems += [
            document.problem(
                ["situations", name], "nothing (the key is missing)", "aspect, or aspect_a and aspect_b"
            )
            for name in (("aspect_a", "aspect_b") if both else ("aspect",))
            if name not in situations
        ]
    if "range" in situations:
        axes["range"], faults = read_ranges(document, ("situations", "range"))
        problems += faults
    if "first_fire" in situations:
        axes["first_fire"], faults = read_first_fires(document, ("situations", "first_fire"))
        problems += faults
    for name in ("aspect", "aspect_a", "aspect_b"):
        if name in situations and system is not None:
            axes[name], faults = read_aspects(document, ("situations", name), system.aspects)
            problems += faults
    return axes, problems


def _options(document: Document, system: System | None) -> tuple[Options | None, list[Problem]]:
    readings, constants = (document.value.get(name, {}) for name in ("readings", "constants"))
    if system is None or not isinstance(readings, dict) or not isinstance(constants, dict):
        return None, []
    try:
        return system.options(readings, constants), []
    except InputError as error:
        placed = [problem for problem in error.problems if problem.file]
        numbers = [problem for problem in error.problems if problem.field.startswith("constants.")]
        others = [problem for problem in error.problems if problem not in (*numbers, *placed)]
        return None, [
            *placed,
            *(
                located
                for faults, prefix in ((others, ["readings"]), (numbers, []))
                if faults
                for located in document.located(InputError(faults), prefix).problems
            ),
        ]


def _duplicates(document: Document, path: tuple[str, ...], key: Callable[[Any], Any]) -> list[Problem]:
    """Values of a list that stand there twice."""
    value: Any = document.value
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    problems, seen = [], set()
    for place, item in enumerate(value if isinstance(value, list) else []):
        if isinstance(item, str | int | float):
            if key(item) in seen:
                problems.append(
                    document.problem([*path, place], f"{shown(item)} a second time", "each value once")
                )
            seen.add(key(item))
    return problems


def _find_sheets(
    document: Document, units: list[str] | str, system: System, folder: Path, library: Library
) -> tuple[Sheet, ...]:
    names = list(library.ids(system.name)) if isinstance(units, str) else units
    sheets: list[Sheet] = []
    problems: list[Problem] = []
    for place, name in enumerate(names):
        path = ["units", place] if isinstance(units, list) else ["units"]
        try:
            sheet = _find_sheet(name, system, folder, library)
        except InputError as error:
            problems += [
                p if p.file else document.problem(path, p.found, p.allowed, p.hint) for p in error.problems
            ]
            continue
        if sheet.id in (other.id for other in sheets):
            problems.append(document.problem(path, f"a second unit with the id {sheet.id}", "each id once"))
        sheets.append(sheet)
    if problems:
        raise InputError(problems)
    if not sheets:
        raise InputError([document.problem(["units"], "no unit at all", "at least one unit")])
    return tuple(sheets)


def _find_sheet(name: str, system: System, folder: Path, library: Library) -> Sheet:
    is_path = name.endswith((".yaml", ".yml"))
    if is_path and not os.path.isfile(folder / name):
        raise InputError.one(
            "units", shown(name), "the path of a sheet file that exists, from the study's folder"
        )
    sheet: Sheet = system.load_sheet(folder / name) if is_path else library.find(name, system.name)
    return sheet


def _crossed(axes: dict[str, Axis]) -> tuple[tuple[Situation, float], ...]:
    """All situations with weights that add up to 1; the first unit shows front unless the axes say else."""
    front: Axis = (("front", 1.0),)
    firsts, seconds = (front, axes["aspect"]) if "aspect" in axes else (axes["aspect_a"], axes["aspect_b"])
    nobody: Axis = ((None, 1.0),)
    crossed = [
        (Situation(distance, first, second, who), one * two * three * four)
        for distance, one in axes["range"]
        for first, two in firsts
        for second, three in seconds
        for who, four in axes.get("first_fire", nobody)
    ]
    total = sum(weight for _, weight in crossed)
    return tuple((situation, weight / total) for situation, weight in crossed)
