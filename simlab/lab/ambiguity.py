"""A study under every reading and optional rule, one at a time: which of them matter."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.analysis.intervals import MAX_FIGHTS
from simlab.lab.arguments import Arguments, check_one_method, check_precision, check_workers
from simlab.lab.notes import note_of, say_beforehand
from simlab.lab.roster import Folder, is_folder_name
from simlab.lab.study import PathLike, Progress, make_folder, read_study
from simlab.lab.variants import Refusal, Variant, find_variants
from simlab.model.errors import InputError
from simlab.rules.contract import HouseNumber, Options, Reading
from simlab.rules.registry import get_system
from simlab.studies.paired import PairedWorker

if TYPE_CHECKING:
    import pandas as pd

    from simlab.analysis.readings import Duels, Series
    from simlab.studies.rows import DuelRow
    from simlab.studies.study_file import Study

FOLDER = "readings"
RECORD = "readings.json"
PICTURE = "readings.png"
SCHEMA = 1
DEFAULT_PRECISION = "0.01"
LEAST_FIGHTS = 320
BATCHES = 16
"""Batches of a duel in a situation."""
MIXED_BATCHES = 32
"""Batches of an engagement over all situations together, and the least in one situation."""
LEAST_BATCHES = 4
LEAST_SIZE = 10


@dataclass(frozen=True, eq=False)
class Readings:
    """What changes in a study with each reading and optional rule.

    folder: where the tables and the picture lie. record: what was compared. ranking: one row a variant, the one that
    moves most first. matchups: one row a variant and ordered pair, averaged over the situations. situations: the same
    for each situation. fair_numbers: one row a variant, pair, N and policy. refused: variants that could not be had,
    or are doubles of others. fights: how many fights this call fought.
    """

    folder: Path
    record: dict[str, Any] = field(repr=False)
    ranking: "pd.DataFrame"
    matchups: "pd.DataFrame" = field(repr=False)
    situations: "pd.DataFrame" = field(repr=False)
    fair_numbers: "pd.DataFrame" = field(repr=False)
    refused: tuple[Refusal, ...] = field(repr=False)
    fights: int = 0

    def to_frame(self) -> "pd.DataFrame":
        """Return the ranking."""
        return self.ranking

    def flips(self) -> list[str]:
        """Return a line for each answer that a variant turns into its opposite."""
        from simlab.analysis.readings import describe_flips

        return describe_flips(self.matchups, self.fair_numbers)

    def to_dict(self) -> dict[str, Any]:
        """Return record, ranking, matchups and fair numbers as plain values; figures without a value are None."""
        from simlab.analysis.readings import as_records

        return {
            **self.record,
            "ranking": as_records(self.ranking),
            "matchups": as_records(self.matchups),
            "fair_numbers": as_records(self.fair_numbers),
            "flips": self.flips(),
            "refused": [{"variant": each.label, "reason": each.reason} for each in self.refused],
        }


def list_readings(system: str = "blitzkrieg") -> tuple[Reading, ...]:
    """Return all readings and optional rules of a system, those that are not built yet included."""
    return tuple(get_system(system).readings)


def list_house_numbers(system: str = "blitzkrieg") -> tuple[HouseNumber, ...]:
    """Return the constants of a system that a table may set for itself."""
    return tuple(get_system(system).house_numbers)


def readings(
    study: PathLike,
    *,
    only: Sequence[str] = (),
    n: int | None = None,
    precision: Any = None,
    results: PathLike = "results",
    workers: int | None = None,
    units: Folder = None,
    progress: Progress | None = None,
) -> Readings:
    """Return what changes in a study with every built reading and optional rule, one at a time, at the same dice.

    only: names, or `name=value`, of the variants wanted; a text alone is one of them. n fights for each duel in each
    situation, and for each number tried for a fair number over all situations together; or so many that shares have a
    half-width of `precision` (default 0.01). Tables and a picture go to `results/<the study's stem>/readings/`;
    finished work is kept over interrupts. progress: called with parts finished, parts in all, and what is under way;
    with 0 parts in all it is a note. Raises InputError.
    """
    from simlab.studies.journal import JOURNAL, Journal, locked

    given = Arguments()
    count = _count(given, n, precision)
    chosen = given.texts("only", only, "names of readings and optional rules, or name=value")
    threads = check_workers(given, workers)
    if not is_folder_name(results):
        given.refuse("results", results, "a folder")
    given.check()
    wanted = read_study(study, units)
    variants, refused = find_variants(wanted.system, wanted.options, chosen)
    say_beforehand(wanted.system, wanted.options, progress)
    folder = Path(results) / wanted.stem / FOLDER
    make_folder(folder, "results")
    with locked(folder), Journal(folder / JOURNAL) as journal:
        note = note_of(progress)
        worker = PairedWorker(wanted.system, wanted.options, wanted.seed, journal, threads, note)
        survey = _Survey(wanted, worker, count, variants, progress)
        found = [survey.compare(variant) for variant in variants]
        refused += [each for each in found if isinstance(each, Refusal)]
        result = _result(folder, survey, [each for each in found if isinstance(each, tuple)], refused)
        _save(result)
    return result


def _count(given: Arguments, n: int | None, precision: Any) -> int:
    check_one_method(given, {"n": n, "precision": precision})
    if n is not None:
        return given.whole("n", n, LEAST_FIGHTS, MAX_FIGHTS)
    return check_precision(given, DEFAULT_PRECISION if precision is None else precision, LEAST_FIGHTS)


Compared = tuple[Variant, "Duels", "Duels", list[tuple["Series", "Series"]]]


class _Survey:
    """Fights a study under one set of options after the other; each set once."""

    def __init__(
        self,
        study: "Study",
        worker: PairedWorker,
        n: int,
        variants: Sequence[Variant],
        progress: Progress | None,
    ) -> None:
        from simlab.studies.run import plan_duels

        self.study, self.worker, self.n = study, worker, n
        self.weights = {place: weight for place, weight in study.situations if weight > 0}
        self.rows = [row for row in plan_duels(study) if row.weight > 0]
        wanted = study.engagements
        self.series = (
            [
                (a, b, policy, size)
                for a, b in product(study.sheets, repeat=2)
                for policy, size in product(wanted.policies, wanted.sizes)
                if a.id != b.id
            ]
            if wanted
            else []
        )
        self.progress = progress
        sets = {study.options, *(v.base for v in variants), *(v.options for v in variants)}
        self.total = len(sets) * (len(self.rows) + len(self.series))
        self.done = 0
        self._duels: dict[Options, Duels] = {}
        self._fair: dict[Options, list[Series]] = {}

    def compare(self, variant: Variant) -> Compared | Refusal:
        """Return the fights of a variant beside those of its base, or why they cannot be had."""
        try:
            study = self._fight(self.study.options, "the study as it is", None)
            base = self._fight(variant.base, variant.given_text, study[1])
            changed = self._fight(variant.options, variant.label, base[1])
        except InputError as error:
            return Refusal(variant.label, str(error.problems[0]))
        return variant, base[0], changed[0], list(zip(base[1], changed[1], strict=True))

    def _fight(
        self, options: Options, what: str, base: "list[Series] | None"
    ) -> "tuple[Duels, list[Series]]":
        if options not in self._duels:
            duels = self._fight_duels(options, what)
            self._fair[options] = self._fight_series(options, what, base)
            self._duels[options] = duels
        return self._duels[options], self._fair[options]

    def _fight_duels(self, options: Options, what: str) -> "Duels":
        from simlab.analysis.readings import Duels
        from simlab.studies.work import Matchup

        size = -(-self.n // BATCHES)
        fought = []
        for row in self.rows:
            matchup = Matchup(row.a, row.b, 1, 1, row.situation, "spread", self.study.turns)
            fought.append(self.worker.fight(matchup, options, size, BATCHES))
            self._report(what)
        return Duels.collect(fought)

    def _fight_series(self, options: Options, what: str, base: "list[Series] | None") -> "list[Series]":
        from simlab.analysis.readings import Series

        found: list[Series] = []
        for number, (a, b, policy, size_n) in enumerate(self.series):
            series = Series(a.id, b.id, policy, size_n)
            before = found[-1] if found and (found[-1].a, found[-1].b) == (a.id, b.id) else None
            sizes = list(base[number].bracket()) if base is not None else []
            start = series.start(before)
            while (size_m := sizes.pop(0) if sizes else series.next(start)) is not None:
                series.add(size_m, self._fight_mix(options, a, b, (size_n, size_m), policy), self._mix())
            found.append(series)
            self._report(what)
        return found

    def _mix(self) -> Any:
        import numpy as np

        return np.array(list(self.weights.values()))

    def _fight_mix(self, options: Options, a: Any, b: Any, sizes: tuple[int, int], policy: str) -> list[Any]:
        """The batches of an engagement in each situation; the heavier a situation, the more fights."""
        from simlab.studies.work import Matchup

        assert self.study.engagements is not None
        turns = self.study.engagements.turns
        batches = max(LEAST_BATCHES, -(-MIXED_BATCHES // len(self.weights)))
        return [
            self.worker.fight(
                Matchup(a, b, *sizes, place, policy, turns),
                options,
                max(LEAST_SIZE, round(self.n * weight / batches)),
                batches,
            )
            for place, weight in self.weights.items()
        ]

    def _report(self, what: str) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total, what)


def _result(folder: Path, survey: _Survey, compared: list[Compared], refused: list[Refusal]) -> Readings:
    from simlab.analysis.prices import choose_anchor
    from simlab.analysis.readings import rank_variants, tell_fair_numbers, tell_matchups, tell_situations
    from simlab.analysis.tables import describe_units

    study = survey.study
    units = describe_units(
        [{"id": s.id, "name": s.name, "ecv": s.ecv.value, "source": s.ecv.source} for s in study.sheets]
    )
    anchor = choose_anchor(units)
    heads = [
        {"reading": variant.reading, "value": variant.value, "given": variant.given_text}
        for variant, *_ in compared
    ]
    places = [_place(row) for row in survey.rows]
    duels = [(head, base, changed) for head, (_, base, changed, _) in zip(heads, compared, strict=True)]
    fair = [(head, pairs) for head, (*_, pairs) in zip(heads, compared, strict=True)]
    matchups = tell_matchups(duels, places)
    fair_numbers = tell_fair_numbers(fair, survey._mix(), units, anchor)
    situations = tell_situations(duels, places)
    return Readings(
        folder=folder,
        record=_record(study, survey.n, anchor, units),
        ranking=rank_variants(heads, matchups, situations, fair_numbers),
        matchups=matchups,
        situations=situations,
        fair_numbers=fair_numbers,
        refused=tuple(refused),
        fights=survey.worker.fights,
    )


def _place(row: "DuelRow") -> dict[str, Any]:
    from simlab.model.situation import by_turn_text

    place = row.situation
    return {
        "a": row.a.id,
        "b": row.b.id,
        "range": by_turn_text(place.range),
        "aspect_a": by_turn_text(place.aspect_a),
        "aspect_b": by_turn_text(place.aspect_b),
        "first_fire": place.first_fire or "",
        "weight": row.weight,
    }


def _record(study: "Study", n: int, anchor: str | None, units: "pd.DataFrame") -> dict[str, Any]:
    wanted = study.engagements
    return {
        "schema": SCHEMA,
        "study": study.stem,
        "name": study.name,
        "system": study.system.name,
        "rules_version": study.system.version,
        "method": "monte_carlo",
        "seed": study.seed,
        "n": -(-n // BATCHES) * BATCHES,
        "turns": study.turns,
        "engagement_turns": None if wanted is None else wanted.turns,
        "readings": study.options.built(),
        "constants": study.options.house_numbers(),
        "anchor": anchor,
        "units": {str(unit): str(name) for unit, name in zip(units["id"], units["name"], strict=True)},
    }


def _save(found: Readings) -> None:
    """Write tables, picture and, last, the record; an older record goes first."""
    from simlab.analysis.csv_text import format_csv
    from simlab.plots.readings import write_readings_plot
    from simlab.studies.store import write_text

    (found.folder / RECORD).unlink(missing_ok=True)
    tables: Mapping[str, pd.DataFrame] = {
        "ranking.csv": found.ranking,
        "matchups.csv": found.matchups,
        "situations.csv": found.situations,
        "fair_numbers.csv": found.fair_numbers,
    }
    for name, table in tables.items():
        write_text(found.folder / name, format_csv(table))
    write_readings_plot(
        found.record, found.ranking, found.matchups, found.fair_numbers, found.folder / PICTURE
    )
    write_text(found.folder / RECORD, json.dumps(found.to_dict(), indent=1, allow_nan=False) + "\n")
