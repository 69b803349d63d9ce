"""The command that judges the sampled figures of a run by their exact solution."""

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli import options
from simlab.cli.output import emit, emit_json
from simlab.cli.progress import Progress
from simlab.cli.values import Values
from simlab.model.errors import escaped

if TYPE_CHECKING:
    from simlab.lab.verdict import Verdict

FAILED = 1
WIDTH = 80
All = Annotated[bool, typer.Option("--all", help="judge all duels of the run, not 210 of them")]
Bound = Annotated[
    str, typer.Option("--bound", metavar="B", help="error of the exact chances at most, 1e-11 to 0.5")
]
TimeLimit = Annotated[
    str,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="skip duels that take more; counted as work, so it skips the same ones on any machine",
    ),
]
Workers = Annotated[
    str | None, typer.Option("--workers", metavar="N", help="processes that solve  [default: all cores]")
]


def referee(
    run: options.RunName,
    every: All = False,
    bound: Bound = "1e-6",
    time_limit: TimeLimit = "2",
    results: options.Results = "results",
    workers: Workers = None,
    units: options.Units = None,
    as_json: options.Json = False,
) -> int:
    """Judge the sampled duels of a run by exact solutions, and the sampler by controls.

    Whatever is tested is one family: a sound run fails once in a million. Exit code 1 if any test fails; the
    failing cells are named. What was found is kept as `referee.json` in the folder of the run.
    """
    from simlab import lab

    values = Values()
    threads = values.whole("workers", workers)
    wanted, limit = values.number("bound", bound), values.number("time_limit", time_limit)
    values.check()
    assert wanted is not None
    assert limit is not None
    with Progress("duels") as progress:
        verdict = lab.referee(
            run,
            all=every,
            bound=wanted,
            time_limit=limit,
            workers=threads,
            results=results,
            units=units,
            progress=progress,
        )
    if as_json:
        emit_json(verdict.to_dict())
    else:
        emit(referee_text(verdict))
    return 0 if verdict.passed else FAILED


def referee_text(verdict: "Verdict") -> str:
    """Return what was judged, the smallest p-value of each kind of test, and what failed or was skipped."""
    from simlab.cli.tables import plain_table, to_text
    from simlab.lab.verdict import RECORD

    record = verdict.record
    chosen = f"{len(verdict.cells)} of {record['cells_of_run']} duels chosen"
    judged = f"{record['judged']} judged, {len(record['skipped'])} skipped"
    family = record["family"]
    size = f"one family of {family['tests']:,} tests: a sound run fails once in {1 / family['level']:,.0f}"
    return to_text(
        f"{escaped(record['name'])}: {chosen}, {judged}",
        f"exact to {record['bound']:g}, at most {record['time_limit']:g} s of work a duel",
        "",
        plain_table(["test", "number", "smallest p", "failed"], _rows(verdict)),
        "",
        *_listed("Failed", verdict.failures),
        *_listed("Skipped, too much work", _by_pair(verdict)),
        size,
        *_verdict_lines(verdict, str(verdict.folder / RECORD)),
    )


def _verdict_lines(verdict: "Verdict", details: str) -> list[str]:
    """The verdict and where its details are, in a line if that fits."""
    found, where = f"verdict: {_verdict(verdict)}", f"details in {escaped(details)}"
    whole = f"{found}; {where}"
    return [whole] if len(whole) <= WIDTH else [found, where]


def _verdict(verdict: "Verdict") -> str:
    if verdict.failures:
        return "FAILED"
    return "passed" if verdict.passed else "none, for nothing was judged: raise --time-limit or --bound"


def _rows(verdict: "Verdict") -> list[list[str]]:
    from simlab.lab.verdict import SUM, UNIFORM, cell_name

    judged = verdict.cells[verdict.cells["judged"]]
    failed = set(verdict.failures)
    controls = {control.name: control.p for control in verdict.controls}
    together = verdict.record["together"]
    figures = {name for name in failed if name.partition(": ")[2]}
    cells = failed & {cell_name(cell) for cell in verdict.record["cells"]}
    return [
        ["outcomes of duels", str(len(judged)), _least(judged["p_outcomes"]), _count(len(cells))],
        ["what broke, and when", str(len(judged)), _least(judged["p_figures"]), _count(len(figures))],
        ["p-values uniform", "1", f"{together['p_uniform']:.2g}", _count(len(failed & {UNIFORM}))],
        ["all duels together", "1", f"{together['p_sum']:.2g}", _count(len(failed & {SUM}))],
        ["controls", str(len(controls)), _least(controls.values()), _count(len(failed & set(controls)))],
    ]


def _least(chances: Iterable[float]) -> str:
    found = list(chances)
    return f"{min(found):.2g}" if found else "–"


def _count(number: int) -> str:
    return str(number) if number else "–"


def _by_pair(verdict: "Verdict") -> list[str]:
    """The cells skipped, a line a pair."""
    pairs: dict[str, list[str]] = {}
    for name in verdict.record["skipped"]:
        pair, _, place = name.partition(", ")
        pairs.setdefault(pair, []).append(place.removeprefix("range ").replace(", ", " "))
    return [f"{pair}: {', '.join(places)}" for pair, places in pairs.items()]


def _listed(title: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    wrapped = [
        part
        for line in lines
        for part in textwrap.wrap(
            escaped(line), WIDTH, initial_indent="  ", subsequent_indent="    ", break_long_words=False
        )
    ]
    return [f"{title}:", *wrapped, ""]
