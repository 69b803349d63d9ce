"""The command for a points formula, and its findings as text."""

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from simlab.cli import options
from simlab.cli.output import emit, emit_json
from simlab.cli.progress import Progress
from simlab.cli.values import Values

if TYPE_CHECKING:
    from simlab.lab.points_formula import Formula

Sheets = Annotated[
    str | None,
    typer.Option("--sheets", metavar="N", help="sheets drawn to learn the formula from  [default: 400]"),
]
Fights = Annotated[
    str | None,
    typer.Option("--n", metavar="N", help="fights for each number of units tried  [default: 64]"),
]
LEGAL = {"sheets": "a whole number from 10 to 10000", "n": "a whole number from 2 to 1000000"}
WIDTH = 80
HEADS = ("stat", "from", "to", "base", "a point is worth", "ECV", "on average")


def formula(
    run: options.RunName,
    sheets: Sheets = None,
    n: Fights = None,
    results: options.Results = "results",
    workers: options.Workers = None,
    units: options.Units = None,
    as_json: options.Json = False,
) -> None:
    """Tell what a point of armour, damage or skill is worth, by a formula for prices.

    Sheets like the anchor's, but with other stats, fill the space that the roster's stats span. They are priced against
    the units of a run that `simlab price` has priced, and log price is regressed on stats. The roster, which the
    formula does not know, tells how far it is off. Tables and a picture go to results/<run>/prices/formula/.
    """
    from simlab import lab

    values = Values(**LEGAL)
    given = {"sheets": values.whole("sheets", sheets), "n": values.whole("n", n)}
    threads = values.whole("workers", workers)
    values.check()
    with Progress("sheets") as progress:
        found = lab.formula(
            run,
            **{name: number for name, number in given.items() if number is not None},
            results=results,
            units=units,
            workers=threads,
            progress=progress,
        )
    if as_json:
        emit_json(found.to_dict())
    else:
        emit(formula_text(found))


def formula_text(found: "Formula") -> str:
    """Return how far the formula is off, what a point of each stat is worth, and how it came about."""
    from simlab.analysis.formula_fit import LINEAR
    from simlab.cli.tables import plain_table, table_width, to_text
    from simlab.lab.formula_words import KIND_WORDS
    from simlab.model.errors import escaped

    record = found.record
    order = found.stats["share"].abs().sort_values(ascending=False, kind="stable").index
    alone = record["kind"] == LINEAR
    columns = len(HEADS) - 1 if alone else len(HEADS)
    rows = [_row(row)[:columns] for row in found.stats.reindex(order).to_dict("records")]
    width = table_width(HEADS[:columns], rows)
    base = record["base"]
    average = "" if alone else "; on average: over all drawn sheets, by the stats alone"
    notes = (
        f"a point is worth: of the price of {base['id']} ({base['priced']:.0f} ECV), where it stands, by "
        f"{KIND_WORDS[record['kind']]}, with 95% intervals{average}",
        f"{record['sheets']:,} sheets, each in {record['rows']} fair numbers against {record['opponents']} units, "
        f"{record['n']:,} fights a number; {record['size']:g} ECV a side, {record['policy']}, {record['turns']} "
        f"turns; {record['mix']}",
    )
    return to_text(
        *textwrap.wrap(escaped(f"{record['name']}: a formula for prices"), WIDTH),
        "",
        *(line for text in found.headlines() for line in (*textwrap.wrap(escaped(text), 78), "")),
        plain_table(HEADS[:columns], rows, width=width),
        "",
        *(line for note in notes for line in textwrap.wrap(escaped(note), WIDTH)),
        "",
        f"tables and picture in {found.folder}",
        width=width,
    )


def _row(row: Mapping[Any, Any]) -> tuple[str, ...]:
    from simlab.analysis.digits import format_estimate
    from simlab.analysis.formula_tables import UNTOLD

    untold = row["verdict"] == UNTOLD
    ecv = format_estimate(row["ecv"], row["ecv_low"], row["ecv_high"])
    ends = f"{100 * row['share_low']:.1f} to {100 * row['share_high']:.1f}"
    return (
        str(row["stat"]),
        f"{row['least']:g}",
        f"{row['most']:g}",
        f"{row['base']:g}",
        f"{UNTOLD} ({ends})" if untold else f"{100 * row['share']:+.1f}% ({ends})",
        "" if untold else ecv if ecv.startswith("-") else f"+{ecv}",
        f"{100 * row['average']:+.1f}% ({100 * row['average_low']:.1f} to {100 * row['average_high']:.1f})",
    )
