"""What units are worth by what happens on the table: prices with intervals, from the fights of a whole study."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.engine.policies import POLICIES
from simlab.lab.arguments import Arguments, between, check_workers
from simlab.lab.notes import say_caveat
from simlab.lab.price_terms import DEFAULT_SIZE, FIRST_FIGHTS, LEVEL, Asked, mix_text, worths
from simlab.lab.roster import Folder
from simlab.lab.run_study import study_of_run
from simlab.lab.stored_prices import FOLDER, SCHEMA, Prices, load_sound, save_prices
from simlab.lab.study import PathLike, Progress, make_folder, run_folder
from simlab.model.errors import InputError
from simlab.model.keys import digest

if TYPE_CHECKING:
    import pandas as pd

    from simlab.studies.pricing import PricePlan
    from simlab.studies.rows import DuelRow
    from simlab.studies.study_file import Study

DEFAULT_TURNS = 20


def price(
    run: PathLike,
    *,
    size: float | None = None,
    policy: str = "spread",
    tolerance: float = 0.05,
    precision: float = 0.005,
    anchor: str | None = None,
    round: float | None = None,
    n: int | None = None,
    results: PathLike = "results",
    units: Folder = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Prices:
    """Return what the units of a finished run are worth, with intervals and verdicts.

    size: ECV of a side (2,350). policy: how both sides choose their targets. tolerance: how far ECV / price may be
    from 1 and still be fair. precision: relative half-width of every price by sampling alone, for which fights grow
    fourfold in at most five stages; or `n` fights a number of units. anchor: the unit that keeps its ECV (default: the
    first with a printed one), or `roster`: the geometric mean is kept. round: prices to a multiple of it. Tables go to
    the folder `prices` of the run; finished work is kept over interrupts. Raises InputError.
    """
    from simlab.studies.journal import JOURNAL, Journal, locked

    given = Arguments()
    asked = Asked(
        size=DEFAULT_SIZE if size is None else between(given, "size", size, 1.0, 1e6),
        policy=given.choice("policy", policy, POLICIES),
        tolerance=between(given, "tolerance", tolerance, 0.0, 1.0),
        precision=between(given, "precision", precision, 1e-4, 1.0),
        step=None if round is None else between(given, "round", round, 1e-3, 1e6),
        n=None if n is None else given.whole("n", n, 2, 10**6),
        anchor=anchor,
    )
    threads = check_workers(given, workers)
    given.check()
    folder, record = _run_of(run, results)
    study = study_of_run(folder, record, units)
    if len({study.system.fight_hash(sheet) for sheet in study.sheets}) < 2:
        raise InputError.one(
            "run", "a single kind of unit", "a run of two units that do not fight alike, at least"
        )
    asked.check_anchor(study)
    say_caveat(study.system, progress)
    target = folder / FOLDER
    make_folder(target, "results")
    with locked(target), Journal(target / JOURNAL) as journal:
        pricing = _Pricing(study, record, asked, target, journal, threads, progress or _silent)
        return pricing.result(lambda: load_duels(folder))


def _run_of(run: PathLike, results: PathLike) -> tuple[Path, dict[str, Any]]:
    from simlab.studies.store import load_record

    folder = run_folder(run, results)
    return folder, load_record(folder)


def load_duels(folder: Path) -> "pd.DataFrame":
    """Return the duels of a run."""
    from simlab.studies.store import DUELS, load_table, without_duels

    found = load_table(folder, DUELS)
    if found is None:
        raise without_duels(folder)
    return found


def _firsts(study: "Study", anchor: str | None) -> dict[str, str]:
    """The first unit of each kind that fights alike, the anchor before others: it is fought for all of them.

    By its id the fight hash.
    """
    ordered = sorted(study.sheets, key=lambda sheet: (sheet.id != anchor, sheet.ecv.source != "rulebook"))
    firsts: dict[str, str] = {}
    for sheet in ordered:
        firsts.setdefault(study.system.fight_hash(sheet), sheet.id)
    return {unit: fight_hash for fight_hash, unit in firsts.items()}


class _Pricing:
    """Prices of a study, stage by stage."""

    def __init__(
        self,
        study: "Study",
        record: Mapping[str, Any],
        asked: Asked,
        folder: Path,
        journal: Any,
        threads: int,
        progress: Progress,
    ) -> None:
        from simlab.studies.pricing import plan_price_rows
        from simlab.studies.work import Worker

        self.study, self.run, self.asked, self.folder = study, record, asked, folder
        self.journal, self.threads, self.progress = journal, threads, progress
        self.worker = Worker(study.system, study.options, study.seed, lambda text: progress(0, 0, text))
        self.firsts = _firsts(study, asked.anchor)
        alone = replace(study, sheets=tuple(each for each in study.sheets if each.id in self.firsts))
        self.rows: Sequence[DuelRow] = plan_price_rows(alone)
        self.turns = study.engagements.turns if study.engagements else DEFAULT_TURNS

    def result(self, load: "Callable[[], pd.DataFrame]") -> Prices:
        """Return the prices: those stored if nothing has changed. load: gives the duels of the run."""
        record = self._record()
        stored = load_sound(self.folder)
        if stored is not None and stored.record.get("digest") == record["digest"]:
            return stored
        found = self._fight(record, load())
        save_prices(found)
        return found

    def _fight(self, record: dict[str, Any], duels: "pd.DataFrame") -> Prices:
        from simlab.lab.price_estimates import estimate
        from simlab.studies.price_kills import choose_rows, run_kills
        from simlab.studies.pricing import run_prices

        solved, stages = choose_rows(self.rows), self.asked.stages()
        everything = len(solved) + self._plan(stages[0]).total
        kills = run_kills(
            solved, self.worker, self.journal, lambda done, _, text: self.progress(done, everything, text)
        )
        for n in stages:
            facts = run_prices(
                self._plan(n), self.journal, self.threads, self._counted(len(solved), everything)
            )
            level = 1 - (1 - LEVEL) / len(stages)
            found = estimate(facts, kills, duels, record["units"], self.firsts, self.asked, level)
            if found.precise:
                break
        frames: dict[str, Any] = found.frames()
        told: dict[str, Any] = {} if self.asked.n is None else {"precision": None}
        told |= {"n": n, "stage": stages.index(n) + 1, "precise": found.precise}
        told |= {"anchor": found.anchor, "draft_level": found.draft_level, "level": level}
        return Prices(
            folder=self.folder,
            record=record | told,
            **frames,
            facts=facts,
            kills=kills,
            fights=self.worker.fights,
        )

    def _counted(self, before: int, total: int) -> Progress:
        """Progress of fair numbers, counted on from the duels that were solved before."""
        return lambda done, whole, text: (
            self.progress(before + done, total, text) if whole else self.progress(0, 0, text)
        )

    def _plan(self, n: int) -> "PricePlan":
        from simlab.studies.pricing import PricePlan

        return PricePlan(self.rows, self.asked.settings(n), self.worker, self.turns, worths(self.study))

    def _record(self) -> dict[str, Any]:
        """Return what decides the prices, with a digest of it."""
        from dataclasses import asdict

        from simlab.lab.price_estimates import sources_id
        from simlab.studies.store import make_record

        settings = self.asked.settings(FIRST_FIGHTS)
        now = make_record(self.study, int(self.run["n"]), self.worker)
        content = {
            "schema": SCHEMA,
            "run": self.folder.parent.name,
            **{name: now[name] for name in _TOLD},
            **asdict(self.asked),
            "sizes": sorted({setting.size for setting in settings}),
            "policies": list(dict.fromkeys(setting.policy for setting in settings)),
            "turns": self.turns,
            "mix": mix_text(self.study),
            "run_digest": self.run["digest"],
            "estimates": sources_id(),
        }
        return content | {"digest": digest(content)}


_TOLD = (
    *("name", "study", "system", "rules_version", "kernel", "seed", "range_unit", "units", "readings"),
    *("non_default", "versions"),
)


def _silent(done: int, total: int, text: str) -> None:
    pass
