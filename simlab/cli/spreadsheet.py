"""Commands that take units to a spreadsheet and back."""

from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli import options
from simlab.cli.output import emit

if TYPE_CHECKING:
    from simlab.lab.spreadsheet import Import

MOST_NAMED = 10
"""Units that are named one by one before it only says how many more there are."""

Table = Annotated[str, typer.Argument(metavar="FILE", help="table of units, a file that ends in .csv")]
Chosen = Annotated[
    list[str] | None,
    typer.Argument(metavar="UNITS", help="ids or paths of units; without any, all units in reach"),
]
Force = Annotated[bool, typer.Option("--force", help="overwrite what is there")]
Semicolon = Annotated[
    bool, typer.Option("--semicolon", help="semicolons and decimal commas, for spreadsheets that take these")
]
Out = Annotated[
    str,
    typer.Option("--out", metavar="DIR", help="folder of units; the sheets go to DIR/SYSTEM/ID.yaml"),
]
Check = Annotated[bool, typer.Option("--check", help="say what is wrong and what is new, write nothing")]


def export(
    file: Table,
    chosen: Chosen = None,
    system: options.System = "blitzkrieg",
    units: options.Units = None,
    force: Force = False,
    semicolon: Semicolon = False,
) -> None:
    """Write units into a table for spreadsheets, a row each."""
    from simlab.cli.tables import to_text
    from simlab.lab.spreadsheet import export_units

    done = export_units(file, chosen, system=system, units=units, force=force, semicolon=semicolon)
    emit(to_text(f"{_counted(len(done.ids))} in {done.file}"))


def import_(
    file: Table,
    out: Out = "units",
    system: options.System = "blitzkrieg",
    check: Check = False,
    force: Force = False,
) -> None:
    """Read units from a table and write their sheets, all of them or, if anything is wrong, none."""
    from simlab.cli.tables import to_text
    from simlab.lab.spreadsheet import import_units

    emit(to_text(*_import_lines(import_units(file, out, system=system, check=check, force=force), check)))


def _import_lines(found: "Import", checked: bool) -> list[str]:
    """What the table held and what became of it."""
    kinds = (("new", found.new), ("changed", found.changed), ("unchanged", found.same))
    counts = ", ".join(f"{len(ids)} {kind}" for kind, ids in kinds if ids)
    lines = [f"{_counted(len(found.sheets))} in {found.file}, all fine"]
    lines.append(f"{found.folder}: {counts}{'; nothing written' if checked else ''}")
    for kind, ids in kinds[:2]:
        lines += [f"  {kind}: {identity}" for identity in ids[:MOST_NAMED]]
        if len(ids) > MOST_NAMED:
            lines.append(f"  {kind}: {len(ids) - MOST_NAMED} more")
    return [*lines, *(f"fight alike: {', '.join(ids)}" for ids in found.units.alike())]


def _counted(count: int) -> str:
    return "1 unit" if count == 1 else f"{count} units"
