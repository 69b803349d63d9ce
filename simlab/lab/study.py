"""Studies: run one, load what it found, draw it."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.lab.fights import Prepared, prepare
from simlab.lab.roster import Folder, find_sheet, sheet_files
from simlab.model.errors import InputError
from simlab.model.situation import Situation
from simlab.rules.registry import get_system
from simlab.studies.study_file import Library, Study, load_study

if TYPE_CHECKING:
    import pandas as pd

PLOTS = "plots"
SUMMARY = "summary.md"
Progress = Callable[[int, int, str], None]
PathLike = str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class Run:
    """A finished study and what follows from its counts.

    folder: where it lies. record: the content of `run.json`. units: frame of id, name, ecv, source, draft.
    duels, engagements: the stored tables (`engagements` is empty if the study asks for none).
    kill_rates: chance that a destroys b, per row of `duels`, with intervals.
    fair_numbers: fair number of b for `size_n` of a, per series of engagements, with intervals.
    prices: ECV that each fair number against the anchor implies, with intervals; empty without an anchor.
    anchor: id of the first unit with a printed ECV, or None. fights: how many fights this call fought.
    """

    folder: Path
    record: dict[str, Any] = field(repr=False)
    units: "pd.DataFrame" = field(repr=False)
    duels: "pd.DataFrame" = field(repr=False)
    engagements: "pd.DataFrame" = field(repr=False)
    kill_rates: "pd.DataFrame" = field(repr=False)
    fair_numbers: "pd.DataFrame" = field(repr=False)
    prices: "pd.DataFrame" = field(repr=False)
    anchor: str | None
    fights: int = 0

    def summary(self) -> str:
        """Return the findings in words, as Markdown."""
        from simlab.lab.summary import write_summary

        return write_summary(self.record, self.units, self.kill_rates, self.prices, self.anchor)

    def headlines(self) -> list[str]:
        """Return the main findings: a few plain sentences for each unit."""
        from simlab.lab.summary import write_headlines

        return write_headlines(self.record, self.units, self.prices, self.anchor)


def read_study(study: PathLike, units: Folder = None) -> Study:
    """Return the study in a file, its units looked up as everywhere. Raises InputError."""
    library = Library(
        ids=lambda system: list(sheet_files(system, units)),
        find=lambda unit, system: find_sheet(unit, system, units),
    )
    return load_study(Path(study), library)


def run(
    study: PathLike,
    *,
    results: PathLike = "results",
    workers: int | None = None,
    progress: Progress | None = None,
    units: Folder = None,
) -> Run:
    """Run a study file into `results/<the file's stem>/` and return what it found.

    Finished work is kept over interrupts and used again; where nothing changed no fight is fought. Beside the
    tables the folder gets `summary.md`, `fair_numbers.csv` and `prices.csv`. `progress` is called with parts
    finished, parts in all, and the last part. Raises InputError.
    """
    from simlab.analysis.fair import next_size
    from simlab.analysis.intervals import fights_for_precision
    from simlab.studies.store import run_study

    if not os.fspath(results):
        raise InputError.one("results", '""', "a folder")
    wanted = read_study(study, units)
    n = wanted.n if wanted.n is not None else fights_for_precision(str(wanted.precision))
    folder = Path(results) / wanted.stem
    fights = run_study(wanted, n, folder, next_size, workers, progress or _silent)
    found = _load(folder, fights)
    _save_findings(found)
    return found


def load_run(path: PathLike, results: PathLike = "results") -> Run:
    """Return a finished run by its folder, or by the folder's name in `results`. Raises InputError."""
    folder = Path(path)
    if not os.path.isdir(folder):
        folder = Path(results) / folder
    if not os.path.isdir(folder):
        raise InputError.one("run", str(path), f"a folder of a finished run, or its name in {results}")
    return _load(folder, 0)


def plot(
    run: "Run | PathLike", *, results: PathLike = "results", folder: PathLike | None = None
) -> tuple[Path, ...]:
    """Draw a run (or the one of that name or path) as PNG files and return their paths.

    They go to the folder `plots` of the run, or to `folder`. Raises InputError.
    """
    from simlab.plots.gallery import write_plots

    found = run if isinstance(run, Run) else load_run(run, results)
    target = found.folder / PLOTS if folder is None else Path(folder)
    return write_plots(found.record, found.units, found.kill_rates, found.fair_numbers, found.anchor, target)


def prepare_row(
    run: PathLike, row: int, units: Folder = None, results: PathLike = "results"
) -> tuple[Prepared, int]:
    """Return the compiled fight of a row of a run's duels with its seed, and how many were fought.

    Raises InputError if there is no such row, or if a sheet or the rules are not those of the run any more.
    """
    found = load_run(run, results)
    record = found.record
    rows = found.duels[found.duels["row"] == row]
    if rows.empty:
        last = int(found.duels["row"].max())
        raise InputError.one("row", str(row), f"a row of the run, 0 to {last}")
    facts = rows.iloc[0]
    system = get_system(str(record["system"]))
    if system.version != record["rules_version"]:
        raise InputError.one(
            "run", f"rules {record['rules_version']}", f"{system.version}: run the study again"
        )
    hashes = {unit["id"]: unit["fight_hash"] for unit in record["units"]}
    sheets = []
    for name in (str(facts["a"]), str(facts["b"])):
        sheet = find_sheet(name, system.name, units)
        if system.fight_hash(sheet) != hashes[name]:
            raise InputError.one(
                "run", f"another sheet of {name}", "the sheet as it is now: run the study again"
            )
        sheets.append(sheet)
    situation = Situation(float(facts["range"]), str(facts["aspect_a"]), str(facts["aspect_b"]))
    ready = prepare(system, sheets[:1], sheets[1:], situation, record["non_default"], int(record["turns"]))
    return replace(ready, seed=int(record["seed"])), int(facts["n"])


def _silent(done: int, total: int, text: str) -> None:
    pass


def _load(folder: Path, fights: int) -> Run:
    import pandas as pd

    from simlab.analysis.prices import choose_anchor, estimate_prices
    from simlab.analysis.tables import (
        describe_units,
        estimate_fair_numbers,
        estimate_kill_rates,
        no_engagements,
    )
    from simlab.studies import store

    record = store.load_record(folder)
    duels = store.load_table(folder, store.DUELS)
    if duels is None:
        raise InputError.one("run", f"no {store.DUELS}", "the folder of a finished run", file=str(folder))
    stored = store.load_table(folder, store.ENGAGEMENTS)
    engagements: pd.DataFrame = no_engagements() if stored is None else stored
    units = describe_units(record["units"])
    fair_numbers = estimate_fair_numbers(engagements)
    anchor = choose_anchor(units)
    return Run(
        folder=folder,
        record=record,
        units=units,
        duels=duels,
        engagements=engagements,
        kill_rates=estimate_kill_rates(duels),
        fair_numbers=fair_numbers,
        prices=estimate_prices(fair_numbers, units, anchor),
        anchor=anchor,
        fights=fights,
    )


def _save_findings(found: Run) -> None:
    """Write the small tables and the summary; a file whose text would not change is left alone."""
    from simlab.analysis.csv_text import format_csv
    from simlab.studies.store import write_text

    names = dict(zip(found.units["id"], found.units["name"], strict=True))
    fair = found.fair_numbers.assign(
        a_name=found.fair_numbers["a"].map(names), b_name=found.fair_numbers["b"].map(names)
    )
    prices = found.prices.assign(name=found.prices["unit"].map(names))
    texts = {SUMMARY: found.summary(), "fair_numbers.csv": format_csv(fair), "prices.csv": format_csv(prices)}
    for name, text in texts.items():
        path = found.folder / name
        if not path.is_file() or path.read_bytes() != text.encode():
            write_text(path, text)
