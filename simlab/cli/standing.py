"""The command that tells how a run stands."""

import textwrap
from collections.abc import Iterator
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from simlab.cli import options
from simlab.cli.output import emit, emit_json, emit_problems

if TYPE_CHECKING:
    from simlab.lab.standing import Changes, Count, Status

WIDTH, LABEL = 80, 14
_VALUE = 40
"""Letters of what a thing was or is that are shown."""
_SOURCES = {"kernel": "the program that fights", "solver": "the program that solves"}


def status(
    run: options.RunName,
    results: options.Results = "results",
    units: options.Units = None,
    as_json: options.Json = False,
) -> None:
    """Tell how a run stands: rows finished and to do, a run under way, what has changed since.

    Nothing is fought or written. A run that was interrupted goes on where it stopped when its study is run again.
    """
    from simlab import lab

    found = lab.status(run, results=results, units=units)
    emit_problems(found.problems)
    if as_json:
        emit_json(found.to_dict())
    else:
        emit(status_text(found))


def status_text(found: "Status") -> str:
    """Return how a run stands, in lines of a label and what there is to say."""
    from simlab.cli.tables import to_text
    from simlab.model.errors import escaped

    lines = [f"{found.name} ({found.folder})"]
    for label, text in _told(found):
        wrapped = textwrap.wrap(escaped(text), WIDTH - LABEL, break_long_words=False, break_on_hyphens=False)
        lines += [f"{label if not place else '':<{LABEL}}{line}" for place, line in enumerate(wrapped)]
    return to_text(*lines)


def _told(found: "Status") -> Iterator[tuple[str, str]]:
    yield "study", "not told by the run" if found.study is None else str(found.study)
    yield "state", _state(found)
    yield from zip(chain(["changed"], repeat("")), _changes(found.changes), strict=False)
    yield "rows", _count(found.rows)
    if found.fair_numbers.asked:
        yield "fair numbers", _count(found.fair_numbers)
    yield "written", f"{found.written:%Y-%m-%d %H:%M:%S}"


def _state(found: "Status") -> str:
    if found.state == "unfinished":
        going_on = "" if found.study is None else f": simlab run {found.study} goes on from here"
        return "a run is under way" if found.under_way else f"unfinished, and no run is under way{going_on}"
    if found.current:
        return "finished; the tables are those of the study, sheets and rules as they are now"
    if found.problems:
        text = "finished; whether the tables are still those of the study cannot be told"
    else:
        text = "finished, but the tables are not those of the study, sheets and rules as they are now"
    return text + ("; a run is under way" if found.under_way else "")


def _count(count: "Count") -> str:
    if count.asked is None:
        return "not told by the run"
    if count.finished is None:
        return f"{count.asked:,} asked for"
    text = f"{count.asked:,} asked for, {count.finished:,} finished, {count.to_do:,} to do"
    return text + (f"; {count.reused:,} found when the run was begun" if count.reused else "")


def _changes(changes: "Changes") -> Iterator[str]:
    for ids, text in (
        (changes.fighting, "units that fight otherwise"),
        (changes.naming, "units with another name, ECV or provenance alone"),
        (changes.added, "units added"),
        (changes.gone, "units gone"),
    ):
        if ids:
            yield f"{text}: {', '.join(ids)}"
    for name, (was, now) in changes.terms.items():
        if name in _SOURCES:
            yield _SOURCES[name]
        else:
            yield f"{name.replace('.', ' ')}: {_shown(was)}, now {_shown(now)}"


def _shown(value: Any) -> str:
    from simlab.model.errors import shortened, shown

    return "nothing" if value is None else shortened(shown(value), _VALUE)
