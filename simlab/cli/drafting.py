"""The command that drafts sheets from facts."""

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli import options
from simlab.cli.output import emit
from simlab.model.errors import InputError, escaped

if TYPE_CHECKING:
    from simlab.lab.drafting import Comparison, Drafted

FAILED = 1
WIDTH = 80
Chosen = Annotated[list[str], typer.Argument(metavar="ID", help="vehicles in the facts, or: all")]
Facts = Annotated[
    str | None,
    typer.Option("--facts", metavar="DIR", help="folder of facts  [default: facts/ among the units]"),
]
Out = Annotated[
    str | None,
    typer.Option("--out", metavar="DIR", help="folder of units; the sheets go to DIR/SYSTEM/ID.yaml"),
]
Explain = Annotated[bool, typer.Option("--explain", help="each number with its formula and what went in")]
Check = Annotated[
    bool,
    typer.Option(
        "--check", help="compare with the sheets in --out, by default the units in reach; write nothing"
    ),
]
Force = Annotated[bool, typer.Option("--force", help="overwrite drafts that differ; printed sheets never")]


def draft(
    chosen: Chosen,
    facts: Facts = None,
    out: Out = None,
    check: Check = False,
    explain: Explain = False,
    force: Force = False,
    system: options.System = "blitzkrieg",
    units: options.Units = None,
) -> int:
    """Draft record sheets from facts about vehicles: draw them, or write them with --out.

    Exit code 1 if --check finds a sheet that is missing or is another draft.
    """
    from simlab.cli.tables import to_text
    from simlab.lab import drafting as lab

    if force and (check or out is None):
        raise InputError.one("force", "--force", "beside --out and without --check")
    if explain and (check or out is not None):
        raise InputError.one("explain", "--explain", "without --out and --check")
    drafted = lab.drafts(chosen, facts=facts, system=system, units=units)
    if check:
        compared = lab.compare_drafts(drafted, out or units, system=system)
        emit(to_text(*check_lines(compared)))
        return FAILED if any(each.state in ("new", "changed") for each in compared) else 0
    if out is not None:
        done = lab.write_drafts(drafted, out, system=system, force=force)
        emit(to_text(*written_lines(done.compared)))
        return 0
    emit("\n\n".join(drawn(each, system, explain) for each in drafted))
    return 0


def drawn(drafted: "Drafted", system: str, explain: bool) -> str:
    """Return the sheet drawn, and with `explain` the steps that led to its numbers."""
    from simlab.lab.roster import show

    sheet = show(drafted.sheet, system=system)
    return "\n".join((sheet, "", *explained(drafted))) if explain else sheet


def explained(drafted: "Drafted") -> list[str]:
    """Return a paragraph for each number: field and value, formula with what it rests on, inputs."""
    lines: list[str] = []
    for step in drafted.steps:
        lines.append(f"{step.field} = {step.value}")
        lines += _indented(f"{step.formula}  [{step.basis}]")
        if step.inputs:
            lines += _indented(", ".join(step.inputs))
    return [escaped(line) for line in lines]


def check_lines(compared: Sequence["Comparison"]) -> list[str]:
    """Return a line for each sheet that is not the draft, what differs, and how many are the same."""
    lines: list[str] = []
    for each in compared:
        if each.state == "new":
            lines.append(f"{each.id}: no file")
        elif each.state == "kept" and each.alike:
            lines.append(f"{each.id}: no draft, and fights like one")
        elif each.state != "same":
            lines.append(f"{each.id}: {'no draft' if each.state == 'kept' else 'another draft'}")
            for name, there, made in each.differences:
                lines += [*_indented(f"{name}: {there or '-'}"), *_indented(f"drafted: {made or '-'}")]
            if not each.differences:
                lines += _indented("only its layout differs")
    same = sum(each.state == "same" for each in compared)
    return [*lines, f"{_counted(len(compared))} drafted, {same} in the files as drafted"]


def written_lines(compared: Sequence["Comparison"]) -> list[str]:
    """Return what became of the files."""
    kinds = (("new", "new"), ("changed", "overwritten"), ("same", "unchanged"))
    counts = [(word, [each.id for each in compared if each.state == state]) for state, word in kinds]
    kept = [each.id for each in compared if each.state == "kept"]
    said = ", ".join(f"{len(ids)} {word}" for word, ids in counts if ids) or "nothing written"
    lines = [f"{_counted(len(compared))} drafted in {compared[0].file.parent}: {said}"]
    return [*lines, *_indented(f"left alone, as they are no drafts: {', '.join(kept)}")] if kept else lines


def _indented(text: str) -> Iterable[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="    ")


def _counted(count: int) -> str:
    return "1 sheet" if count == 1 else f"{count} sheets"
