"""Two runs of a study side by side: what moved, and what in rules, units and settings differs."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simlab.lab.arguments import Arguments, between
from simlab.lab.compared_runs import Compared, read_run
from simlab.lab.roster import is_path, typed
from simlab.lab.study import PathLike, Run
from simlab.model.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from simlab.analysis.compare_fair import Anchor, MatchedSeries

SCHEMA = 1
METHOD = "Bonferroni"


@dataclass(frozen=True, eq=False)
class Comparison:
    """What changed from one run to another.

    before, after: the folders of the runs. name, range_unit: those of the study. changes: one row a difference of
    units, rules, readings, settings and versions: what, name, before, after. duels: one row an ordered pair and
    situation that both have; matchups: one row an ordered pair, averaged over these situations; fair_numbers: one row a
    fair number that both have; what moved first, the largest change first. alone: rows that one run has alone. level:
    chance that any of the `tests` intervals of the family misses; z: their normal point. more_than: what a movement has
    to exceed.
    """

    before: str
    after: str
    name: str
    range_unit: str
    more_than: float
    level: float
    tests: int
    z: float
    changes: "pd.DataFrame" = field(repr=False)
    matchups: "pd.DataFrame" = field(repr=False)
    duels: "pd.DataFrame" = field(repr=False)
    fair_numbers: "pd.DataFrame" = field(repr=False)
    alone: "pd.DataFrame" = field(repr=False)

    @property
    def moved(self) -> bool:
        """Tell whether any win share, kill rate or fair number moved, or any answer flipped."""
        return any(self.count_moved().values()) or bool(self.flips())

    def count_moved(self) -> dict[str, int]:
        """Return how many matchups, duels and fair numbers moved."""
        from simlab.analysis.compare import is_moved
        from simlab.analysis.compare_fair import is_fair_number_moved

        return {
            "matchups": int(is_moved(self.matchups).sum()),
            "duels": int(is_moved(self.duels).sum()),
            "fair_numbers": int(is_fair_number_moved(self.fair_numbers).sum()),
        }

    def flips(self, unit: str = "") -> list[str]:
        """Return a line for each answer that turned into its opposite; `unit` stands behind ranges."""
        from simlab.analysis.compare import describe_flips

        return [*describe_flips(self.matchups), *describe_flips(self.duels, unit)]

    def to_frame(self) -> "pd.DataFrame":
        """Return the duels."""
        return self.duels

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values; figures without a value are None."""
        from simlab.analysis.readings import as_records

        return {
            "schema": SCHEMA,
            "before": self.before,
            "after": self.after,
            "name": self.name,
            "moved": self.moved,
            "more_than": self.more_than,
            "family": {"level": self.level, "tests": self.tests, "z": self.z, "method": METHOD},
            "counts": {
                "matchups": len(self.matchups),
                "duels": len(self.duels),
                "fair_numbers": len(self.fair_numbers),
                "moved": self.count_moved(),
            },
            "changes": as_records(self.changes),
            "flips": self.flips(),
            "matchups": as_records(self.matchups),
            "duels": as_records(self.duels),
            "fair_numbers": as_records(self.fair_numbers),
            "alone": as_records(self.alone),
        }


def compare(
    run_a: "Run | PathLike",
    run_b: "Run | PathLike",
    *,
    more_than: float = 0.0,
    results: PathLike = "results",
) -> Comparison:
    """Return what changed from run_a to run_b, in the duels and fair numbers that both have.

    Runs, their folders, or the names of their folders in `results`. A win share or kill rate moved if its whole
    interval is further from 0 than `more_than` (0.01: one point of a percentage), a fair number likewise as a part of
    what it was. The intervals hold all together with 95%; nothing is fought. Raises InputError, also where the runs
    have nothing in common.
    """
    given = Arguments()
    least = between(given, "more_than", more_than, 0.0, 1.0)
    if not is_path(results):
        given.refuse("results", typed(results), "a folder")
    given.check()
    before, after = read_run(run_a, results, "run_a"), read_run(run_b, results, "run_b")
    return _compare(before, after, least)


def _compare(before: Compared, after: Compared, more_than: float) -> Comparison:
    from simlab.analysis.compare import find_alone, match_duels, tell
    from simlab.analysis.compare_fair import match_series, no_fair_numbers, tell_fair_numbers
    from simlab.analysis.compare_limits import LEVEL, family_point
    from simlab.analysis.compare_records import list_changes

    _check_systems(before, after)
    records = before.record, after.record
    matched = match_duels(before.duels, after.duels, records)
    if matched.rows.empty:
        found = f"runs without a duel in common: {before.label}, {after.label}"
        raise InputError.one("run_b", found, "a run that shares a pair and a situation with the first")
    series: MatchedSeries | None = None
    if before.engagements is not None and after.engagements is not None:
        series = match_series(before.engagements, after.engagements, records)
    tests = matched.tests + (series.tests if series is not None else 0)
    z = family_point(tests)
    duels, matchups = tell(matched, z, more_than)
    fair_numbers = no_fair_numbers()
    if series is not None:
        fair_numbers = tell_fair_numbers(series, z, more_than, _anchor(before, after))
    return Comparison(
        before=before.label,
        after=after.label,
        name=str(after.record["name"]),
        range_unit=str(after.record["range_unit"]),
        more_than=more_than,
        level=LEVEL,
        tests=tests,
        z=z,
        changes=list_changes(records, (before.duels, after.duels), matched.weights_differ),
        matchups=matchups,
        duels=duels,
        fair_numbers=fair_numbers,
        alone=find_alone(before.duels, after.duels),
    )


def _check_systems(before: Compared, after: Compared) -> None:
    systems = [str(run.record["system"]) for run in (before, after)]
    if systems[0] != systems[1]:
        raise InputError.one("run_b", f"a run of {systems[1]}", f"a run of {systems[0]}, like the first")


def _anchor(before: Compared, after: Compared) -> "Anchor | None":
    """The unit whose printed ECV is the measure in both runs, None if there is no such unit."""
    from simlab.analysis.compare_fair import Anchor
    from simlab.analysis.prices import choose_anchor
    from simlab.analysis.tables import describe_units

    units = [describe_units(run.record["units"]) for run in (before, after)]
    chosen = [choose_anchor(each) for each in units]
    if chosen[0] is None or chosen[0] != chosen[1]:
        return None
    prices = [float(each.loc[each["id"] == chosen[0], "ecv"].iloc[0]) for each in units]
    return Anchor(chosen[0], *prices)
