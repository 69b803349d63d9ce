"""The command that tells what changed between two runs."""

from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli import options
from simlab.cli.output import emit, emit_json
from simlab.model.errors import InputError
from simlab.model.typed_situation import read_number

if TYPE_CHECKING:
    from simlab.lab.comparison import Comparison

FAILED = 1

RunA = Annotated[
    str, typer.Argument(metavar="RUN_A", help="the run before: name or path of a folder of results")
]
RunB = Annotated[str, typer.Argument(metavar="RUN_B", help="the run after it, likewise")]
Gate = Annotated[bool, typer.Option("--gate", help="exit with 1 if anything moved or an answer flipped")]
MoreThan = Annotated[
    str,
    typer.Option(
        "--more-than",
        metavar="X",
        help="smallest movement that counts, 0 to 1: 0.01 is one point of win share, 1% of a fair number",
    ),
]
Csv = Annotated[str | None, typer.Option("--csv", metavar="FILE", help="write all duels compared to a table")]


def compare(
    run_a: RunA,
    run_b: RunB,
    gate: Gate = False,
    more_than: MoreThan = "0",
    csv: Csv = None,
    results: options.Results = "results",
    as_json: options.Json = False,
) -> int:
    """Say what moved from one run to another: another rule, another list, another seed, another simlab.

    Compares the duels and fair numbers that both runs have; nothing is fought. The intervals of all that is compared
    hold together with 95%: where nothing changed, 19 of 20 comparisons find nothing.
    """
    from simlab import lab

    least = read_number(more_than)
    if least is None:
        raise InputError.one("more_than", more_than or '""', "a number from 0 to 1")
    found = lab.compare(run_a, run_b, more_than=least, results=results)
    if csv is not None:
        _write_csv(found, csv)
    if as_json:
        emit_json(found.to_dict())
    else:
        from simlab.cli.compare_text import compare_text

        emit(compare_text(found))
    return FAILED if gate and found.moved else 0


def _write_csv(found: "Comparison", file: str) -> None:
    from pathlib import Path

    from simlab.analysis.csv_text import format_csv
    from simlab.model.whole_files import write_files

    if not file or "\0" in file or Path(file).is_dir():
        raise InputError.one("csv", file or '""', "a file that can be written")
    write_files({Path(file): format_csv(found.to_frame()).encode()}, replace=True)
