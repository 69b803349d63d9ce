"""Studies: run one, load what it found, draw it."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.lab.arguments import Arguments, check_workers
from simlab.lab.fights import Prepared, prepare, split_options
from simlab.lab.notes import say_beforehand
from simlab.lab.roster import (
    Folder,
    find_own_sheet,
    find_sheet,
    is_folder_name,
    is_path,
    sheet_files,
    typed,
)
from simlab.model.errors import InputError
from simlab.rules.contract import System
from simlab.rules.registry import get_system
from simlab.studies.run import situation_of_row
from simlab.studies.study_file import Library, Study, load_study

if TYPE_CHECKING:
    import pandas as pd

    from simlab.analysis.roster import Roster

PLOTS = "plots"
SUMMARY = "summary.md"
Progress = Callable[[int, int, str], None]
PathLike = str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class Run:
    """A finished study and what follows from its counts.

    folder: where it lies. record: the content of `run.json`. units: frame of id, name, ecv, source, draft.
    duels, engagements: the stored tables (`engagements` is empty if the study asks for none).
    kill_rates: chance that a destroys b, per row of `duels`, with intervals; `error_bound` where it was solved.
    fair_numbers: fair number of b for `size_n` of a, per series of engagements, with intervals.
    prices: ECV that each fair number against the anchor implies, with intervals; empty without an anchor.
    anchor: id of the first unit with a printed ECV, or None. fights, solved: how many fights this call fought, and
    how many duels it solved.
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
    solved: int = 0

    @property
    def is_many(self) -> bool:
        """Whether the units are so many that they are looked at as a whole."""
        from simlab.analysis.roster import is_many

        return is_many(self.units)

    @cached_property
    def roster(self) -> "Roster | None":
        """Every matchup averaged over its situations, and the units in order of strength; None for a single unit."""
        from simlab.analysis.roster import describe_roster

        hashes = {unit["id"]: unit.get("fight_hash", unit["id"]) for unit in self.record["units"]}
        return describe_roster(self.duels, self.units, hashes) if len(self.units) > 1 else None

    def summary(self) -> str:
        """Return the findings in words, as Markdown."""
        from simlab.lab.roster_summary import write_roster_summary
        from simlab.lab.summary import write_summary

        if self.is_many and self.roster is not None:
            return write_roster_summary(self.record, self.roster, self.kill_rates, self.prices, self.anchor)
        return write_summary(self.record, self.units, self.kill_rates, self.prices, self.anchor)

    def headlines(self) -> list[str]:
        """Return the main findings: a few plain sentences for each unit, or about all where there are many."""
        from simlab.lab.roster_summary import write_roster_headlines
        from simlab.lab.summary import write_headlines

        if self.is_many and self.roster is not None:
            return write_roster_headlines(self.record, self.roster, self.prices, self.anchor)
        return write_headlines(self.record, self.units, self.prices, self.anchor)


def read_study(study: PathLike, units: Folder = None) -> Study:
    """Return the study in a file, its units looked up as everywhere. Raises InputError."""
    return load_study(study_path(study), library_of(units))


def study_path(study: PathLike) -> Path:
    """Return the path of a study file; InputError for what cannot be one."""
    if not is_path(study):
        raise InputError.one("study", typed(study), "the path of a study file")
    return Path(study)


def library_of(units: Folder) -> Library:
    """Return where a study's units are looked up."""
    return Library(
        ids=lambda system: list(sheet_files(system, units)),
        find=lambda unit, system: find_own_sheet(unit, system, units),
    )


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
    tables the folder gets `summary.md`, `fair_numbers.csv` and `prices.csv`, and with many units those of
    `docs/roster.md`. `progress` is called with parts finished, parts in all, and what was finished and how long the
    rest may take; with 0 parts in all it is a note. Raises InputError.
    """
    check_running(results, workers)
    wanted = read_study(study, units)
    say_beforehand(wanted.system, wanted.options, progress)
    return run_one(wanted, results, workers, progress)


def check_running(results: PathLike, workers: int | None) -> None:
    """Raise InputError unless results can go to this folder and so many threads can be used."""
    given = Arguments()
    if not is_folder_name(results):
        given.refuse("results", typed(results), "a folder")
    if workers is not None:
        check_workers(given, workers)
    given.check()


def run_one(wanted: Study, results: PathLike, workers: int | None, progress: Progress | None) -> Run:
    """Run a study that has been read; see `run`."""
    from simlab.analysis.fair import next_size
    from simlab.studies.store import run_study

    folder = Path(results) / wanted.stem
    work = run_study(wanted, fights_of(wanted), folder, next_size, workers, progress or _silent)
    found = replace(_load(folder), fights=work.fights, solved=work.solved)
    _save_findings(found)
    return found


def load_run(path: PathLike, results: PathLike = "results") -> Run:
    """Return a finished run by its folder, or by the folder's name in `results`. Raises InputError."""
    return _load(run_folder(path, results))


def run_folder(path: PathLike, results: PathLike = "results", field: str = "run") -> Path:
    """Return the folder of a run by its path, or by its name in `results`. Raises InputError that names the field."""
    if not is_path(results):
        raise InputError.one("results", typed(results), "a folder")
    folder = Path(path) if is_path(path) else None
    if folder is not None and not os.path.isdir(folder):
        folder = Path(results) / folder
    if folder is None or not os.path.isdir(folder):
        raise InputError.one(field, typed(path), f"a folder of a finished run, or its name in {results}")
    return folder


def fights_of(study: Study) -> int:
    """Return how often each row of a study is fought."""
    from simlab.analysis.intervals import fights_for_precision

    return study.n if study.n is not None else fights_for_precision(str(study.precision))


def plot(
    run: "Run | PathLike",
    *,
    results: PathLike = "results",
    folder: PathLike | None = None,
    progress: Progress | None = None,
) -> tuple[Path, ...]:
    """Draw a run (or the one of that name or path) as PNG files and return their paths.

    They go to the folder `plots` of the run, or to `folder`; pages of many units to `unit_pages` in it. `progress` is
    called with pages drawn, pages in all, and the last unit. Raises InputError.
    """
    from simlab.plots.gallery import write_plots

    if folder is not None and not is_folder_name(folder):
        raise InputError.one("folder", typed(folder), "a folder")
    found = run if isinstance(run, Run) else load_run(run, results)
    target = found.folder / PLOTS if folder is None else Path(folder)
    make_folder(target, "folder")
    roster = found.roster if found.is_many else None
    return write_plots(
        found.record,
        found.units,
        found.kill_rates,
        found.fair_numbers,
        found.anchor,
        target,
        roster,
        progress,
    )


def make_folder(folder: Path, field: str) -> None:
    """Make a folder where there is none; InputError where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        found = error.strerror or "a path that cannot be made"
        raise InputError.one(field, found, "a folder that can be written", file=str(folder)) from error


def prepare_row(
    run: PathLike, row: int, units: Folder = None, results: PathLike = "results"
) -> tuple[Prepared, int | None]:
    """Return the compiled fight of a row of a run's duels with its seed, and how many were fought (None if solved).

    Raises InputError if there is no such row, or if a sheet or the rules are not those of the run any more.
    """
    found = load_run(run, results)
    record = found.record
    rows = found.duels[found.duels["row"] == row]
    if rows.empty:
        last = int(found.duels["row"].max())
        raise InputError.one("row", str(row), f"a row of the run, 0 to {last}")
    facts = rows.iloc[0]
    system = system_of_run(record)
    sheets = [sheet_of_run(record, str(facts[side]), units) for side in "ab"]
    situation = situation_of_row(facts.to_dict())
    settings, constants = split_options(record["non_default"])
    turns = int(record["turns"])
    ready = prepare(system, sheets[:1], sheets[1:], situation, settings, turns, constants)
    return replace(ready, seed=int(record["seed"])), None if facts["method"] == "exact" else int(facts["n"])


def system_of_run(record: dict[str, Any]) -> System:
    """Return the rule system of a run's record; InputError if its rules are not those of the run any more."""
    system = get_system(str(record["system"]))
    if system.version != record["rules_version"]:
        raise InputError.one(
            "run", f"rules {record['rules_version']}", f"{system.version}: run the study again"
        )
    return system


def sheet_of_run(record: dict[str, Any], unit: str, units: Folder = None) -> Any:
    """Return the sheet of a unit of a run's record; InputError if it does not fight like that of the run any more."""
    system = get_system(str(record["system"]))
    hashes = {each["id"]: each["fight_hash"] for each in record["units"]}
    sheet = find_sheet(unit, system.name, units)
    if system.fight_hash(sheet) != hashes[unit]:
        raise InputError.one("run", f"another sheet of {unit}", "the sheet as it is now: run the study again")
    return sheet


def _silent(done: int, total: int, text: str) -> None:
    pass


def _load(folder: Path) -> Run:
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
        raise store.without_duels(folder)
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
    )


def _save_findings(found: Run) -> None:
    """Write the small tables and the summary; a file whose text would not change is left alone."""
    from simlab.analysis.csv_text import format_csv
    from simlab.lab.roster_summary import TABLES, roster_tables
    from simlab.studies.store import named_errors, write_text

    names = dict(zip(found.units["id"], found.units["name"], strict=True))
    fair = found.fair_numbers.assign(
        a_name=found.fair_numbers["a"].map(names), b_name=found.fair_numbers["b"].map(names)
    )
    prices = found.prices.assign(name=found.prices["unit"].map(names))
    texts = {SUMMARY: found.summary(), "fair_numbers.csv": format_csv(fair), "prices.csv": format_csv(prices)}
    if found.is_many and found.roster is not None:
        texts |= {name: format_csv(frame) for name, frame in roster_tables(found.roster).items()}
    for name in set(TABLES) - set(texts):
        with named_errors(found.folder / name):
            (found.folder / name).unlink(missing_ok=True)
    for name, text in texts.items():
        path = found.folder / name
        if not path.is_file() or path.read_bytes() != text.encode():
            write_text(path, text)
