"""What units are worth by what happens on the table: prices with intervals, from the fights of a whole study."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.engine.policies import POLICIES
from simlab.lab.arguments import Arguments, between, check_workers
from simlab.lab.roster import Folder
from simlab.lab.run_study import study_of_run
from simlab.lab.study import PathLike, Progress, make_folder, run_folder
from simlab.model.errors import InputError, nearest
from simlab.model.keys import digest
from simlab.model.situation import Situation, by_turn_text

if TYPE_CHECKING:
    import pandas as pd

    from simlab.studies.pricing import PricePlan, Setting
    from simlab.studies.rows import DuelRow
    from simlab.studies.study_file import Study

FOLDER = "prices"
RECORD = "prices.json"
FACTS, KILLS = "engagements.parquet", "kills.parquet"
SCHEMA = 1
DEFAULT_SIZE, OTHER_SIZES = 2350.0, (1000.0, 7000.0)
"""ECV of a side: that of the book's first battle, a small and a large one."""
DEFAULT_TURNS = 20
FIRST_FIGHTS, OTHER_FIGHTS = 320, 64
"""Fights a rung in the first stage, and for the settings that only tell the spread."""
GROWTH, STAGES = 4, 5
LEVEL = 0.95
FRAMES = ("units", "pairs", "cycles", "cyclic", "lanchester", "situations", "settings", "order", "swapped")
"""Frames of `Prices` that are kept in the record."""


@dataclass(frozen=True, eq=False)
class Prices:
    """What the units of a run are worth.

    folder: where the tables lie. record: what was fought and assumed. units: one row a unit with its price, intervals
    and verdict. pairs: one row a pair with what no price can fix. cycles: units of which each beats the next. cyclic:
    the share of all differences that no price can explain. lanchester: exponent a policy. situations: prices in a mix
    of one range or aspect alone. settings: prices by size of battle and policy. order: whether strengths in duels order
    the units as prices do; swapped: neighbours that they order otherwise. facts: the rungs next to each even fight.
    kills: chances of a turn's fire, solved, for a row of each pair. fights: how many fights this call fought.
    """

    folder: Path
    record: dict[str, Any] = field(repr=False)
    units: "pd.DataFrame" = field(repr=False)
    pairs: "pd.DataFrame" = field(repr=False)
    cycles: "pd.DataFrame" = field(repr=False)
    cyclic: "pd.DataFrame" = field(repr=False)
    lanchester: "pd.DataFrame" = field(repr=False)
    situations: "pd.DataFrame" = field(repr=False)
    settings: "pd.DataFrame" = field(repr=False)
    order: "pd.DataFrame" = field(repr=False)
    swapped: "pd.DataFrame" = field(repr=False)
    facts: "pd.DataFrame" = field(repr=False)
    kills: "pd.DataFrame" = field(repr=False)
    fights: int = 0

    @cached_property
    def series(self) -> "pd.DataFrame":
        """One row a pair, situation, size and policy: the fair number, or on which side of it there is none."""
        from simlab.analysis.price_series import collect_series

        return collect_series(self.facts)

    def to_frame(self) -> "pd.DataFrame":
        """Return the table of units."""
        return self.units

    def to_dict(self) -> dict[str, Any]:
        """Return anchor, assumptions and units as plain values; figures without a value are None."""
        from simlab.analysis.readings import as_records

        rows = as_records(self.units)
        return {
            "schema": SCHEMA,
            "run": self.record["run"],
            "system": self.record["system"],
            "anchor": self.record["anchor"],
            "assumptions": {
                name: self.record[name]
                for name in (
                    "size",
                    "policy",
                    "mix",
                    "sizes",
                    "policies",
                    "turns",
                    "tolerance",
                    "level",
                    "n",
                    "seed",
                )
            },
            "units": {row.pop("id"): row for row in rows},
            **{name: as_records(getattr(self, name)) for name in FRAMES if name not in ("units", "pairs")},
            "rules_version": self.record["rules_version"],
            "readings": self.record["readings"],
        }

    def headlines(self) -> list[str]:
        """Return the main findings in plain sentences."""
        from simlab.lab.price_words import write_price_headlines

        return write_price_headlines(self)


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
    target = folder / FOLDER
    make_folder(target, "results")
    with locked(target), Journal(target / JOURNAL) as journal:
        pricing = _Pricing(study, record, asked, target, journal, threads, progress or _silent)
        return pricing.result(lambda: load_duels(folder))


def load_prices(run: PathLike, results: PathLike = "results") -> Prices | None:
    """Return the prices that were stored with a run, None if there are none, or if the run is another one since.

    Raises InputError.
    """
    from simlab.studies.store import load_record

    folder = run_folder(run, results)
    found = _load(folder / FOLDER)
    same = found is not None and found.record.get("run_digest") == load_record(folder)["digest"]
    return found if same else None


@dataclass(frozen=True)
class Asked:
    """What a call asks for."""

    size: float
    policy: str
    tolerance: float
    precision: float
    step: float | None
    n: int | None
    anchor: str | None

    def check_anchor(self, study: "Study") -> None:
        """Raise InputError for an anchor that the study lacks or that has no ECV."""
        if self.anchor is None or self.anchor == "roster":
            return
        known = {sheet.id: sheet for sheet in study.sheets}
        if self.anchor not in known:
            allowed = "a unit of the run, or roster"
            raise InputError.one("anchor", self.anchor, allowed, nearest(self.anchor, [*known, "roster"]))
        if known[self.anchor].ecv.value is None:
            raise InputError.one(
                "anchor", f"{self.anchor}, which has no ECV", "a unit with an ECV, or roster"
            )

    def chosen_anchor(self, units: "pd.DataFrame") -> str | None:
        """Return the id of the unit that keeps its ECV, None for the mean of the roster."""
        from simlab.analysis.prices import choose_anchor

        if self.anchor is None:
            return choose_anchor(units)
        return None if self.anchor == "roster" else self.anchor

    def settings(self, n: int) -> "list[Setting]":
        """Return the ways to fight: the one that gives the prices first."""
        from simlab.studies.pricing import Setting

        other = n if self.n is not None else max(OTHER_FIGHTS, n // 5)
        sizes = [size for size in sorted({DEFAULT_SIZE, *OTHER_SIZES}) if size != self.size]
        return [
            Setting(self.size, self.policy, n),
            *(Setting(size, self.policy, other) for size in sizes),
            Setting(self.size, "spread" if self.policy == "first" else "first", other),
        ]

    def stages(self) -> list[int]:
        """Return the fights a rung of each stage."""
        return [FIRST_FIGHTS * GROWTH**stage for stage in range(STAGES)] if self.n is None else [self.n]


def _run_of(run: PathLike, results: PathLike) -> tuple[Path, dict[str, Any]]:
    from simlab.studies.store import load_record

    folder = run_folder(run, results)
    return folder, load_record(folder)


def load_duels(folder: Path) -> "pd.DataFrame":
    """Return the duels of a run."""
    from simlab.studies.store import DUELS, load_table

    found = load_table(folder, DUELS)
    if found is None:
        raise InputError.one("run", f"no {DUELS}", "the folder of a finished run", file=str(folder))
    return found


def worths(study: "Study") -> dict[str, float]:
    """Return the ECV of each unit; one without counts as the geometric mean of those that have one."""
    import math

    known = {sheet.id: float(sheet.ecv.value) for sheet in study.sheets if sheet.ecv.value is not None}
    mean = math.exp(sum(map(math.log, known.values())) / len(known)) if known else DEFAULT_SIZE / 4
    return {sheet.id: known.get(sheet.id, mean) for sheet in study.sheets}


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
        stored = _load_sound(self.folder)
        if stored is not None and stored.record.get("digest") == record["digest"]:
            return stored
        found = self._fight(record, load())
        _save(found)
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
            "fight_turns": self.turns,
            "mix": mix_text(self.study),
            "run_digest": self.run["digest"],
            "estimates": sources_id(),
        }
        content["turns"] = self.turns
        return content | {"digest": digest(content)}


_TOLD = (
    *("name", "study", "system", "rules_version", "kernel", "seed", "range_unit", "units", "readings"),
    *("non_default", "versions"),
)


def mix_text(study: "Study") -> str:
    """Return the mix of situations in words."""
    axes: tuple[tuple[str, Callable[[Situation], str]], ...] = (
        ("range", lambda place: by_turn_text(place.range)),
        ("aspect of the first", lambda place: by_turn_text(place.aspect_a).replace("_", " ")),
        ("aspect of the second", lambda place: by_turn_text(place.aspect_b).replace("_", " ")),
        ("first fire", lambda place: place.first_fire or "nobody"),
    )
    parts = []
    for name, tell in axes:
        weights: dict[str, float] = {}
        for place, weight in study.situations:
            weights[tell(place)] = weights.get(tell(place), 0.0) + weight
        kept = {value: weight for value, weight in weights.items() if weight > 0}
        if name == "first fire" and list(kept) == ["nobody"]:
            continue
        even = len({f"{weight:.6f}" for weight in kept.values()}) == 1
        words = [value if even else f"{value} ({100 * weight:.3g}%)" for value, weight in kept.items()]
        parts.append(f"{name} {', '.join(words)}")
    return "; ".join(parts)


def _silent(done: int, total: int, text: str) -> None:
    pass


def _load_sound(folder: Path) -> Prices | None:
    """Prices as they were stored; None also where they cannot be read, for they can be made again."""
    try:
        return _load(folder)
    except InputError:
        return None


def _load(folder: Path) -> Prices | None:
    import pandas as pd

    from simlab.studies.store import load_table

    try:
        stored = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        found = "an unreadable record"
        raise InputError.one("run", found, "a record of prices", file=str(folder / RECORD)) from error
    if not isinstance(stored, dict) or stored.get("schema") != SCHEMA or "tables" not in stored:
        return None
    facts, kills = load_table(folder, FACTS), load_table(folder, KILLS)
    if facts is None or kills is None:
        return None
    tables = stored.pop("tables")
    frames: dict[str, Any] = {
        name: pd.DataFrame(tables[name]["rows"], columns=tables[name]["columns"]) for name in FRAMES
    }
    return Prices(folder=folder, record=stored, facts=facts, kills=kills, **frames)


def _save(found: Prices) -> None:
    """Write record and tables; the record last, so that whoever finds one finds its tables."""
    from simlab.analysis.csv_text import format_csv
    from simlab.plots.prices import write_price_picture
    from simlab.studies.store import named_errors, write_json, write_text, write_whole

    with named_errors(found.folder / RECORD):
        (found.folder / RECORD).unlink(missing_ok=True)
    write_whole(found.folder / FACTS, found.facts.to_parquet)
    write_whole(found.folder / KILLS, found.kills.to_parquet)
    for name in ("units", "pairs", "cycles", "situations", "settings"):
        write_text(
            found.folder / f"{'prices' if name == 'units' else name}.csv", format_csv(getattr(found, name))
        )
    write_price_picture(found.units, found.record, found.folder)
    tables = {name: _table(getattr(found, name)) for name in FRAMES}
    write_json(found.folder / RECORD, found.record | {"tables": tables})


def _table(frame: "pd.DataFrame") -> dict[str, Any]:
    from simlab.analysis.readings import as_records

    return {"columns": list(frame.columns), "rows": as_records(frame)}
