"""The same units under several rule systems: do the games agree?"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.lab.notes import say_beforehand
from simlab.lab.roster import Folder
from simlab.lab.study import (
    SUMMARY,
    PathLike,
    Progress,
    Run,
    check_running,
    library_of,
    run_one,
    study_path,
)
from simlab.model.errors import InputError
from simlab.rules.contract import System
from simlab.rules.registry import get_system
from simlab.studies.study_file import Study

if TYPE_CHECKING:
    import pandas as pd

FIGURE = "systems.png"
TABLES = ("strengths", "pairs", "flips", "winners", "ranks")


@dataclass(frozen=True, eq=False)
class Across:
    """One study under several rule systems.

    folder: where it lies, a run of each system in a folder of the system's name. runs: by system. strengths, pairs,
    flips, winners, ranks: see `simlab.analysis.agreement`. findings: what they come to, in sentences.
    """

    folder: Path
    name: str
    runs: dict[str, Run] = field(repr=False)
    strengths: "pd.DataFrame" = field(repr=False)
    pairs: "pd.DataFrame" = field(repr=False)
    flips: "pd.DataFrame" = field(repr=False)
    winners: "pd.DataFrame" = field(repr=False)
    ranks: "pd.DataFrame" = field(repr=False)
    findings: tuple[str, ...]
    caveats: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the tables as records, with the findings."""
        tables = {name: getattr(self, name).astype(object) for name in TABLES}
        records = {
            name: table.where(table.notna(), None).to_dict("records") for name, table in tables.items()
        }
        return {"name": self.name, **records, "findings": list(self.findings), "caveats": list(self.caveats)}

    def summary(self) -> str:
        """Return the findings in words, as Markdown."""
        from simlab.lab.summary import as_markdown, whole_markdown

        lines = [
            f"# {as_markdown(self.name)}",
            "",
            *(f"- {whole_markdown(text)}" for text in self.findings),
            "",
        ]
        if self.caveats:
            lines += ["## Drafts", "", *(f"- {whole_markdown(text)}" for text in self.caveats), ""]
        return "\n".join(lines)


def across(
    study: PathLike,
    *,
    results: PathLike = "results",
    workers: int | None = None,
    progress: Progress | None = None,
    units: Folder = None,
) -> Across:
    """Run a study file whose `system` is a list under each of these rule systems, and compare what they say.

    The units are looked up by their ids in each system. Each system's run goes to `results/<the file's stem>/<system>/`
    and is kept and used again as by `run`; tables, figure and summary of the comparison lie beside them. Raises
    InputError.
    """
    from simlab.studies.across_file import load_across

    check_running(results, workers)
    path = study_path(study)
    studies = load_across(path, library_of(units))
    for each in studies:
        say_beforehand(each.system, each.options, progress)
    runs = {each.system.name: run_one(each, results, workers, progress) for each in studies}
    found = _compared(studies[0], runs, Path(results) / path.stem)
    _save(found)
    return found


def _compared(study: Study, runs: Mapping[str, Run], folder: Path) -> Across:
    from simlab.analysis import agreement

    rosters = {name: run.roster for name, run in runs.items() if run.roster is not None}
    if len(rosters) < len(runs) or len(study.units) < 3:
        raise InputError.one("units", f"{len(study.units)} of them", "three units or more", file=study.file)
    strengths, pairs = agreement.list_strengths(rosters), agreement.list_pairs(rosters)
    flips, winners = agreement.list_flips(pairs), agreement.compare_winners(pairs)
    ranks = agreement.correlate_ranks(rosters)
    first = next(iter(runs.values()))
    names = dict(zip(first.units["id"], first.units["name"], strict=True))
    systems = {name: get_system(name) for name in runs}
    titles = {name: system.title for name, system in systems.items()}
    said = agreement.describe_agreement(
        strengths, winners, flips, ranks, names, titles, next(iter(systems.values())).range_unit
    )
    caveats = tuple(said for name, system in systems.items() for said in _drafts(system, runs[name]))
    return Across(
        folder, study.name, dict(runs), strengths, pairs, flips, winners, ranks, tuple(said), caveats
    )


def _drafts(system: System, run: Run) -> list[str]:
    """What of a system is a draft: what its caveat says, else how many of its sheets."""
    drafts, number = int(run.units["draft"].sum()), len(run.units)
    if system.caveat or not drafts:
        return [system.caveat] if system.caveat else []
    return [f"{system.title}: {drafts} of these {number} sheets are drafts, estimates that nobody printed."]


def _save(found: Across) -> None:
    """Write tables, summary and figure; a file whose content would not change is left alone."""
    from simlab.analysis.csv_text import format_csv
    from simlab.plots.agreement import write_agreement
    from simlab.studies.store import write_text

    texts = {f"{name}.csv": format_csv(getattr(found, name)) for name in TABLES}
    for name, text in {**texts, SUMMARY: found.summary()}.items():
        path = found.folder / name
        if not path.is_file() or path.read_bytes() != text.encode():
            write_text(path, text)
    systems = {name: get_system(name) for name in found.runs}
    first = next(iter(found.runs.values()))
    write_agreement(
        {name: run.roster for name, run in found.runs.items() if run.roster is not None},
        {name: system.title for name, system in systems.items()},
        {name: system.range_unit for name, system in systems.items()},
        dict(zip(first.units["id"], first.units["name"], strict=True)),
        found.name,
        (
            "Above: how often the row's unit wins against the column's, in percent, all ranges and aspects together.",
            "Below: mean win share of each unit against the others by range, with 95% intervals for the sampling.",
            found.findings[0],
            *found.caveats,
        ),
        found.folder / FIGURE,
    )
