"""A points formula: what a point of each stat is worth, from sheets that fill the space of a roster's stats."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.lab.arguments import Arguments, check_workers
from simlab.lab.notes import say_caveat
from simlab.lab.price_terms import LEVEL
from simlab.lab.roster import Folder
from simlab.lab.run_study import study_of_run
from simlab.lab.stored_prices import FOLDER, Prices, priced_run
from simlab.lab.study import PathLike, Progress, make_folder
from simlab.model.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from simlab.analysis.formula_fit import Law
    from simlab.analysis.formula_tables import Findings, Sample
    from simlab.rules.contract import Sheet
    from simlab.studies.formula_sheets import Axis, Drawn
    from simlab.studies.study_file import Study

SUBFOLDER = "formula"
RECORD, FACTS, PICTURE = "formula.json", "engagements.parquet", "formula.png"
SCHEMA = 1
SHEETS, FIGHTS = 400, 64
LEAST_SHEETS, MOST_SHEETS = 10, 10_000
MOST_ROWS = 10**9
FRAMES = ("stats", "units", "errors", "laws", "terms", "linear_terms")


@dataclass(frozen=True, eq=False)
class Formula:
    """What a point of each stat is worth, and how far a formula of points is off.

    folder: where the tables lie. record: what was fought and assumed. stats: one row a stat with its range; `share`,
    by what part a price grows with a point at the base sheet, `ecv` the same in ECV, `average` by the linear formula,
    each with its interval; and a verdict. units: the roster's prices beside those of the formula, the worst first.
    errors: how far the formula, simpler ones and the sheets' ECV are off, on drawn sheets (`cv`) and on the roster.
    laws: the kinds of formula that were tried. terms, linear_terms: the chosen formula and the linear one. sheets: the
    drawn sheets with their stats and prices. fights: how many this call fought.
    """

    folder: Path
    record: dict[str, Any] = field(repr=False)
    stats: "pd.DataFrame" = field(repr=False)
    units: "pd.DataFrame" = field(repr=False)
    errors: "pd.DataFrame" = field(repr=False)
    laws: "pd.DataFrame" = field(repr=False)
    terms: "pd.DataFrame" = field(repr=False)
    linear_terms: "pd.DataFrame" = field(repr=False)
    sheets: "pd.DataFrame" = field(repr=False)
    law: "Law" = field(repr=False)
    fights: int = 0

    def to_frame(self) -> "pd.DataFrame":
        """Return the table of stats."""
        return self.stats

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values; figures without a value are None."""
        from simlab.analysis.readings import as_records

        return {
            "schema": SCHEMA,
            **self.record,
            **{name: as_records(getattr(self, name)) for name in FRAMES},
        }

    def headlines(self) -> list[str]:
        """Return the main findings in plain sentences, how far the formula is off first."""
        from simlab.lab.formula_words import write_formula_headlines

        return write_formula_headlines(self)

    def worth(self, stats: "pd.DataFrame") -> "pd.Series[float]":
        """Return the ECV of sheets by the formula; stats: one row a sheet, the columns those of `stats`."""
        import numpy as np
        import pandas as pd

        return pd.Series(np.exp(self.law.predict(stats)), stats.index, name="ecv")

    def plot(self, path: PathLike | None = None) -> Path:
        """Draw prices by formula against priced ones, and points with their intervals; return the file's path."""
        from simlab.plots.formula import write_formula

        place = self.folder / PICTURE if path is None else Path(path)
        write_formula(self.stats, self.units, self.errors, self.record, place)
        return place


def formula(
    run: PathLike = "roster",
    *,
    sheets: int = SHEETS,
    n: int = FIGHTS,
    results: PathLike = "results",
    units: Folder = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Formula:
    """Return what a point of each stat is worth, by `sheets` drawn sheets priced against the units of a priced run.

    The sheets are like the anchor's but for their stats, which fill the space between the lowest and the highest of the
    roster. n: fights for each number of units tried. Tables go to the folder `prices/formula` of the run; finished work
    is kept over interrupts. Raises InputError, also if the run was never priced.
    """
    from simlab.studies.journal import JOURNAL, Journal, locked

    given = Arguments()
    count = given.whole("sheets", sheets, LEAST_SHEETS, MOST_SHEETS)
    fights = given.whole("n", n, 2, 10**6)
    threads = check_workers(given, workers)
    given.check()
    folder, record, prices = priced_run(run, results)
    study = study_of_run(folder, record, units)
    say_caveat(study.system, progress)
    target = folder / FOLDER / SUBFOLDER
    make_folder(target, "results")
    with locked(target), Journal(target / JOURNAL) as journal:
        found = _Forming(study, prices, count, fights, target).result(journal, threads, progress or _silent)
        _save(found)
    return found


class _Forming:
    """The sheets of a formula, their prices, and what follows."""

    def __init__(self, study: "Study", prices: Prices, count: int, n: int, folder: Path) -> None:
        self.study, self.prices, self.count, self.n, self.folder = study, prices, count, n, folder
        units = prices.units.set_index("id")
        self.priced = units.loc[units["priced"].notna(), "priced"].astype(float)
        self.base = self._base()
        self.turns = int(prices.record["turns"])

    def _base(self) -> "Sheet":
        """The sheet that is changed: the anchor's, else that of the unit whose price is in the middle."""
        known = {sheet.id: sheet for sheet in self.study.sheets if sheet.id in self.priced.index}
        if len(known) < 2:
            raise InputError.one("run", "fewer than two units with a price", "a run whose units have prices")
        anchor = self.prices.record["anchor"]["id"]
        middle = self.priced[list(known)].sort_values(kind="stable").index[len(known) // 2]
        return known.get(anchor, known[str(middle)])

    def result(self, journal: Any, threads: int, progress: Progress) -> Formula:
        """Return the formula, its fights taken from the journal where it has them."""
        from dataclasses import replace

        from simlab.analysis.formula_tables import Sample, describe_formula
        from simlab.analysis.price_series import collect_series
        from simlab.studies.formula import FormulaPlan, plan_places, run_formula
        from simlab.studies.pricing import Setting
        from simlab.studies.work import Worker

        study, record = self.study, self.prices.record
        roster = tuple(sheet for sheet in study.sheets if sheet.id in self.priced.index)
        fought = replace(study, sheets=roster)
        everywhere = plan_places(fought, MOST_ROWS)
        worker = Worker(study.system, study.options, study.seed, lambda text: progress(0, 0, text))
        axes, unseen = self._axes(roster, everywhere)
        drawn = self._drawn(axes, everywhere)
        _told_stats(drawn.stats, axes)
        setting = Setting(float(record["size"]), str(record["policy"]), self.n)
        known = {str(unit): float(each) for unit, each in self.priced.items()}
        price = float(self.priced[self.base.id])
        designs = [plan_places(fought, deal=deal) for deal in range(len(drawn.sheets))]
        plan = FormulaPlan(drawn.sheets, designs, setting, worker, self.turns, known, price)
        facts = run_formula(plan, journal, threads, progress)
        sheets = self._priced(collect_series(facts), drawn)
        sample = Sample(sheets[_told_stats(sheets, axes)], sheets["log_price"])
        units = self._roster(roster, list(sample.stats.columns))
        centre = units.stats.T[self.base.id]
        ecv = self.prices.units.set_index("id")["ecv"][units.stats.index].astype(float)
        found = describe_formula(sample, units, centre, ecv, price=price, level=LEVEL)
        told = self._record(drawn, sheets, designs[0], price)
        told["unseen"] = unseen
        told["unpriced"] = [axis.stat for axis in axes if axis.stat not in sample.stats]
        return self._told(found, told, sheets, facts, worker.fights)

    def _axes(self, roster: Any, places: Any) -> "tuple[list[Axis], list[str]]":
        """The stats that dice see, and the names of the others."""
        from simlab.studies.formula import is_seen
        from simlab.studies.formula_sheets import list_axes

        system, options = self.study.system, self.study.options
        axes = list_axes(system, roster, self.base)
        seen = [is_seen(axis, system, self.base, places, options, self.turns) for axis in axes]
        if not any(seen):
            raise InputError.one("run", "units that dice cannot tell apart", "a run whose units differ")
        kept = [axis for axis, is_one in zip(axes, seen, strict=True) if is_one]
        return kept, [axis.stat for axis, is_one in zip(axes, seen, strict=True) if not is_one]

    def _drawn(self, axes: "list[Axis]", places: Any) -> "Drawn":
        from simlab.studies.formula import is_fightable
        from simlab.studies.formula_sheets import draw_sheets

        system, options = self.study.system, self.study.options
        return draw_sheets(
            system,
            self.base,
            axes,
            self.count,
            lambda sheet: is_fightable(sheet, system, places, options, self.turns),
            {sheet.id for sheet in self.study.sheets},
        )

    def _priced(self, series: "pd.DataFrame", drawn: "Drawn") -> "pd.DataFrame":
        """The drawn sheets with stats and prices, those without a price left out."""
        from simlab.analysis.formula_prices import price_sheets

        priced = price_sheets(series, self.priced)
        return drawn.stats.join(priced[priced["log_price"].notna()], how="inner")

    def _roster(self, roster: Any, names: list[str]) -> "Sample":
        import numpy as np
        import pandas as pd

        from simlab.analysis.formula_tables import Sample

        stats = {sheet.id: self.study.system.formula_stats(sheet) for sheet in roster}
        table = pd.DataFrame.from_dict(stats, orient="index")[names]
        return Sample(table, self.priced[table.index].map(np.log))

    def _record(self, drawn: "Drawn", sheets: "pd.DataFrame", places: Any, price: float) -> dict[str, Any]:
        from importlib.metadata import version

        record = self.prices.record
        return {
            "run": Path(self.prices.folder).parent.name,
            "name": record["name"],
            "system": self.study.system.name,
            "rules_version": record["rules_version"],
            "readings": record["readings"],
            "base": {"id": self.base.id, "name": self.base.name, "priced": price},
            "anchor": record["anchor"],
            "sheets": len(sheets),
            "dropped": {
                "illegal": drawn.illegal,
                "unfit": drawn.unfit,
                "alike": drawn.alike,
                "no price": len(drawn.sheets) - len(sheets),
            },
            "rows": len(places),
            "opponents": len({place.opponent.id for place in places}),
            "n": self.n,
            **{name: record[name] for name in ("size", "policy", "turns", "mix", "seed")},
            "level": LEVEL,
            "sampling": float(sheets["sd"].median()),
            "statsmodels": version("statsmodels"),
        }

    def _told(
        self,
        found: "Findings",
        record: dict[str, Any],
        sheets: "pd.DataFrame",
        facts: "pd.DataFrame",
        fights: int,
    ) -> Formula:
        from simlab.studies.store import write_whole

        write_whole(self.folder / FACTS, facts.to_parquet)
        names = {sheet.id: sheet.name for sheet in self.study.sheets}
        units = found.units.copy()
        units.insert(1, "name", units["id"].map(names))
        return Formula(
            folder=self.folder,
            record=record | {"kind": found.law.kind},
            stats=found.stats,
            units=units,
            errors=found.errors,
            laws=found.laws,
            terms=found.law.terms,
            linear_terms=found.linear.terms,
            sheets=sheets.reset_index(),
            law=found.law,
            fights=fights,
        )


def _told_stats(sheets: "pd.DataFrame", axes: "list[Axis]") -> list[str]:
    """The stats in which sheets differ; InputError where the sheets are too few to tell what they are worth."""
    from simlab.analysis.formula_fit import fitting_kinds

    told = [axis.stat for axis in axes if sheets[axis.stat].nunique() > 1]
    if len(sheets) < LEAST_SHEETS or not told or not fitting_kinds(sheets[told]):
        least = max(LEAST_SHEETS, 2 * (len(axes) + 1))
        stats = f"{len(axes)} stat{'' if len(axes) == 1 else 's'}"
        found = f"{len(sheets)} different sheets to learn from"
        raise InputError.one("sheets", found, f"at least {least} for {stats}")
    return told


def _save(found: Formula) -> None:
    """Write tables, picture and record; the record last, so that whoever finds one finds the tables."""
    from simlab.analysis.csv_text import format_csv
    from simlab.studies.store import named_errors, write_json, write_text

    with named_errors(found.folder / RECORD):
        (found.folder / RECORD).unlink(missing_ok=True)
    for name in (*FRAMES, "sheets"):
        write_text(found.folder / f"{name}.csv", format_csv(getattr(found, name)))
    found.plot()
    write_json(found.folder / RECORD, found.to_dict())


def _silent(done: int, total: int, text: str) -> None:
    pass
