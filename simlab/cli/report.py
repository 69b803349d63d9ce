"""The command that writes a run as one page."""

from typing import Annotated

import typer

from simlab.cli import options
from simlab.cli.output import emit, emit_json

Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="where the page goes  [default: report.html in the run's folder]",
    ),
]


def report(
    run: options.RunName,
    output: Output = None,
    results: options.Results = "results",
    as_json: options.Json = False,
) -> None:
    """Write a run as one HTML page that needs nothing else: no network, no other file.

    Answers in words first, then prices, fair numbers, matchups, range curves, what no price can fix, readings, the
    referee, and what all of it rests on. What the run has not yet is said, with the command that makes it.
    """
    from simlab import lab
    from simlab.model.errors import escaped

    path = lab.report(run, output, results=results)
    size = path.stat().st_size
    if as_json:
        emit_json({"schema": 1, "file": str(path), "bytes": size})
    else:
        emit(f"report: {escaped(str(path))} ({size / 1000:,.0f} kB)")
