"""The commands that price units: a whole run, and one sheet against a run."""

from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli import options
from simlab.cli.output import emit, emit_json, say
from simlab.cli.progress import Progress
from simlab.cli.values import Values
from simlab.model.errors import InputError

if TYPE_CHECKING:
    from simlab.lab.price_writing import PriceChange

Size = Annotated[
    str, typer.Option("--size", metavar="ECV", help="ECV of a side, which says how many units make a battle")
]
Policy = Annotated[
    str,
    typer.Option("--policy", metavar="POLICY", help="how both sides choose targets, see docs/policies.md"),
]
Tolerance = Annotated[
    str, typer.Option("--tolerance", metavar="T", help="how far ECV / price may be from 1 and still be fair")
]
Precision = Annotated[
    str | None,
    typer.Option(
        "--precision",
        metavar="P",
        help="relative half-width of every price by sampling alone; fights grow until it holds  [default: 0.005]",
    ),
]
Fights = Annotated[
    str | None,
    typer.Option("--n", metavar="N", help="fights for each number of units, instead of --precision"),
]
Anchor = Annotated[
    str | None,
    typer.Option(
        "--anchor",
        metavar="UNIT",
        help="the unit that keeps its ECV, or roster: the mean is kept  [default: the first printed one]",
    ),
]
Round = Annotated[
    str | None, typer.Option("--round", metavar="STEP", help="round prices to a multiple of it")
]
Write = Annotated[bool, typer.Option("--write", help="put the prices into the sheets, after a question")]
Gate = Annotated[bool, typer.Option("--gate", help="exit with 1 if any unit is overpriced or underpriced")]
Yes = Annotated[bool, typer.Option("--yes", help="with --write: do not ask")]
RunOption = Annotated[
    str, typer.Option("--run", metavar="RUN", help="the run whose prices the sheet is measured by")
]

FAILED = 1
LEGAL = {
    "size": "a number from 1 to 1000000",
    "tolerance": "a number from 0 to 1",
    "precision": "a number from 0.0001 to 1",
    "round": "a number from 0.001 to 1000000",
    "n": "a whole number from 2 to 1000000",
}


def price(
    run: options.RunName,
    size: Size = "2350",
    policy: Policy = "spread",
    tolerance: Tolerance = "0.05",
    precision: Precision = None,
    n: Fights = None,
    anchor: Anchor = None,
    round: Round = None,
    write: Write = False,
    gate: Gate = False,
    yes: Yes = False,
    results: options.Results = "results",
    workers: options.Workers = None,
    units: options.Units = None,
    as_json: options.Json = False,
) -> int:
    """Price all units of a run by what happens on the table, with intervals and verdicts.

    For every pair, situation and size of battle the even number of units is fought out, and prices are fitted to all
    of them at once. Tables go to results/<run>/prices/. A price moves more with the size of the battle, the policy and
    the opponents than by chance: the table says how much of each.
    """
    from simlab import lab

    values = Values(**LEGAL)
    wanted = {name: values.number(name, text) for name, text in (("size", size), ("tolerance", tolerance))}
    half, step = values.number("precision", precision), values.number("round", round)
    count, threads = values.whole("n", n), values.whole("workers", workers)
    values.check()
    if half is not None and count is not None:
        raise InputError.one("method", "--precision and --n", "one of --precision, --n")
    if yes and not write:
        raise InputError.one("yes", "--yes", "--yes with --write")
    with Progress("fair numbers") as progress:
        found = lab.price(
            run,
            **wanted,
            policy=policy,
            precision=0.005 if half is None else half,
            n=count,
            anchor=anchor,
            round=step,
            results=results,
            units=units,
            workers=threads,
            progress=progress,
        )
    if as_json:
        emit_json(found.to_dict())
    else:
        from simlab.cli.price_text import price_text

        emit(price_text(found))
    if write:
        _write(lab.price_changes(found, units), yes)
    return FAILED if gate and set(found.units["verdict"]) & {"overpriced", "underpriced"} else 0


def _write(changes: "list[PriceChange]", yes: bool) -> None:
    """Ask, and put prices into the sheets."""
    from simlab.lab.price_writing import write_changes

    if not changes:
        say("nothing to write: every sheet has its price already")
        return
    for change in changes:
        say(f"{change.file}: ecv {change.old_text} -> {change.new_text}")
    if not yes and not _agreed(len(changes)):
        say("nothing written")
        return
    write_changes(changes)
    say(f"{len(changes)} sheet{'' if len(changes) == 1 else 's'} written")


def _agreed(count: int) -> bool:
    import sys

    if sys.stdin is None or not sys.stdin.isatty():
        raise InputError.one("write", "no terminal to ask on", "--yes, to write without a question")
    say(f"write {count} sheet{'' if count == 1 else 's'}? [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def appraise(
    sheet: options.Unit,
    run: RunOption = "roster",
    n: Fights = None,
    tolerance: Tolerance = "0.05",
    results: options.Results = "results",
    workers: options.Workers = None,
    units: options.Units = None,
    as_json: options.Json = False,
) -> None:
    """Price one sheet, new or changed, against the units of a run that `simlab price` has priced.

    Their prices are taken as they stand; a unit of the same id does not meet the sheet.
    """
    from simlab import lab

    values = Values(**LEGAL)
    within, count = values.number("tolerance", tolerance), values.whole("n", n)
    threads = values.whole("workers", workers)
    values.check()
    assert within is not None
    with Progress("fair numbers") as progress:
        found = lab.appraise(
            sheet,
            run,
            **({} if count is None else {"n": count}),
            tolerance=within,
            results=results,
            units=units,
            workers=threads,
            progress=progress,
        )
    if as_json:
        emit_json(found.to_dict())
    else:
        from simlab.cli.price_text import appraisal_text

        emit(appraisal_text(found))
