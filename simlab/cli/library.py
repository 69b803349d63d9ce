"""Commands about sheets, studies and their results."""

from typing import Annotated

import typer

from simlab.cli import options
from simlab.cli.output import emit, emit_json, emit_problems
from simlab.cli.progress import Progress
from simlab.cli.values import Values

Paths = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PATHS",
        help="sheets, studies or folders; without any, all units in reach",
    ),
]
Results = options.Results


def units(
    system: options.System = "blitzkrieg",
    units: options.Units = None,
    as_json: options.Json = False,
) -> int:
    """List the units in reach, with their prices and where these come from."""
    from simlab.cli.tables import units_text
    from simlab.lab.roster import read_units
    from simlab.model.keys import canonical_value

    listed = read_units(system, units)
    emit_problems(listed.problems)
    if as_json:
        emit_json({"schema": 1, "units": canonical_value([unit.to_dict() for unit in listed.units])})
    else:
        emit(units_text(listed))
    return 2 if listed.problems else 0


def show(
    unit: options.Unit,
    system: options.System = "blitzkrieg",
    units: options.Units = None,
) -> None:
    """Draw the record sheet of a unit, every number of it."""
    from simlab.lab.roster import show as draw

    emit(draw(unit, system=system, units=units))


def check(
    paths: Paths = None,
    system: options.System = "blitzkrieg",
    units: options.Units = None,
) -> int:
    """Check sheets and studies and list all that is wrong with them, one error a line."""
    from simlab.cli.tables import check_text
    from simlab.lab.checking import check as read_all

    report = read_all(paths, units, system)
    emit_problems(report.problems)
    emit(check_text(report))
    return 2 if report.problems else 0


def run(
    study: options.Study,
    results: Results = "results",
    workers: options.Workers = None,
    units: options.Units = None,
) -> None:
    """Run a study: tables and plots in a folder of its own under results/.

    Ctrl-C keeps what is finished, and running it again goes on from there. Rows and plots that nothing has changed
    are not made again.

    Its line `method: exact` solves all duels, `method: monte_carlo` samples them, and `method: auto` takes what
    is forecast to be quicker for each. Engagements are always sampled.
    """
    from simlab.cli.tables import run_text
    from simlab.lab import study as studies
    from simlab.lab.drawn import plot_changed

    values = Values()
    threads = values.whole("workers", workers)
    values.check()
    with Progress("parts") as progress:
        finished = studies.run(study, results=results, workers=threads, units=units, progress=progress)
    with Progress("pages") as progress:
        drawn = plot_changed(finished, progress)
    emit(run_text(finished, drawn))


def plot(run: options.RunName, results: Results = "results") -> None:
    """Draw the plots of a run again."""
    from simlab.cli.tables import files_text
    from simlab.lab import study as studies

    with Progress("pages") as progress:
        drawn = studies.plot(run, results=results, progress=progress)
    emit(files_text(drawn))
