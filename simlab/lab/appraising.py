"""The price of one sheet against a roster whose prices stand."""

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.lab.arguments import Arguments, between, check_workers
from simlab.lab.notes import say_caveat
from simlab.lab.price_terms import LEVEL, worths
from simlab.lab.roster import Folder, find_own_sheet, own_system
from simlab.lab.run_study import study_of_run
from simlab.lab.stored_prices import FOLDER, Prices, check_system, priced_run
from simlab.lab.study import PathLike, Progress
from simlab.model.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from simlab.analysis.appraisal import Appraisal
    from simlab.rules.contract import Sheet
    from simlab.studies.study_file import Study

FIGHTS, OTHER_FIGHTS = 512, 128


@dataclass(frozen=True, eq=False)
class Appraised:
    """What a sheet is worth against a roster.

    ecv, source: those of the sheet. priced to mix_high: ECV, None without a price. spread_low, spread_high: over sizes
    of battle and policies. stored: the price that the run has for the unit of that name, None if none.
    series: one row an opponent, situation, size and policy.
    """

    unit: str
    name: str
    run: str
    ecv: float | None
    source: str
    status: str
    priced: float | None
    low: float | None
    high: float | None
    mix_low: float | None
    mix_high: float | None
    spread_low: float | None
    spread_high: float | None
    ratio: float | None
    verdict: str
    stored: float | None
    record: dict[str, Any] = field(repr=False)
    series: "pd.DataFrame" = field(repr=False)
    fights: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        names = [name for name in vars(self) if name not in ("record", "series", "fights")]
        told = {name: getattr(self, name) for name in names}
        return {"schema": 1, **told, "assumptions": self.record}

    def to_frame(self) -> "pd.DataFrame":
        """Return it as a table of one row."""
        import pandas as pd

        told = self.to_dict()
        return pd.DataFrame([{name: value for name, value in told.items() if not isinstance(value, dict)}])


def appraise(
    sheet: Any,
    run: PathLike = "roster",
    *,
    n: int = FIGHTS,
    tolerance: float = 0.05,
    results: PathLike = "results",
    units: Folder = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Appraised:
    """Return what a sheet is worth against the units of a run that has prices, these taken as they stand.

    sheet: an id, a path or a sheet; a stored unit of the same id does not meet it. n: fights for each number of units
    tried. Raises InputError, also if the run was never priced, or is of another system than the sheet.
    """
    from simlab.studies.journal import JOURNAL, Journal, locked

    given = Arguments()
    count = given.whole("n", n, 2, 10**6)
    within = between(given, "tolerance", tolerance, 0.0, 1.0)
    threads = check_workers(given, workers)
    given.check()
    system = own_system(sheet, "")
    if system:
        check_system(run, results, system)
    folder, record, prices = priced_run(run, results)
    study = study_of_run(folder, record, units)
    wanted = find_own_sheet(sheet, study.system.name, units)
    say_caveat(study.system, progress)
    target = folder / FOLDER
    with locked(target), Journal(target / JOURNAL) as journal:
        return _Appraising(study, prices, wanted, count, within).result(journal, threads, progress or _silent)


class _Appraising:
    """The fights of one sheet against all others."""

    def __init__(self, study: "Study", prices: Prices, sheet: "Sheet", n: int, tolerance: float) -> None:
        self.study, self.prices, self.sheet, self.n, self.tolerance = study, prices, sheet, n, tolerance
        fought = set(prices.settings["id"])  # of units that fight alike, one
        self.others = tuple(each for each in study.sheets if each.id != sheet.id and each.id in fought)
        if not self.others:
            raise InputError.one("run", "no other unit", "a run with other units than the sheet's")

    def result(self, journal: Any, threads: int, progress: Progress) -> Appraised:
        from dataclasses import replace

        from simlab.analysis.price_series import collect_series
        from simlab.studies.pricing import PricePlan, Setting, plan_price_rows, run_prices
        from simlab.studies.work import Worker

        study = replace(self.study, sheets=(self.sheet, *self.others))
        rows = [row for row in plan_price_rows(study) if self.sheet.id in (row.a.id, row.b.id)]
        record = self.prices.record
        size, policy = float(record["size"]), str(record["policy"])
        other = min(self.n, OTHER_FIGHTS)
        settings = [Setting(size, policy, self.n)]
        settings += [Setting(float(each), policy, other) for each in record["sizes"] if each != size]
        settings += [Setting(size, each, other) for each in record["policies"] if each != policy]
        worker = Worker(study.system, study.options, study.seed, lambda text: progress(0, 0, text))
        plan = PricePlan(rows, settings, worker, int(record["turns"]), worths(study))
        series = collect_series(run_prices(plan, journal, threads, progress))
        return self._told(series, settings, worker.fights)

    def _told(self, series: "pd.DataFrame", settings: Any, fights: int) -> Appraised:
        ours = [
            self._appraise(series[(series["size"] == each.size) & (series["policy"] == each.policy)], each)
            for each in settings
        ]
        main, sheet = ours[0], self.sheet
        first = series[(series["size"] == settings[0].size) & (series["policy"] == settings[0].policy)]
        undecided = float(first.loc[first["status"] == "no decision", "weight"].sum() / first["weight"].sum())
        spread = [each.priced for each in ours if each.status == "priced"]
        ecv = sheet.ecv.value
        stored = self.prices.units.set_index("id")["priced"]
        known = main.status == "priced"
        return Appraised(
            unit=sheet.id,
            name=sheet.name,
            run=Path(self.prices.folder).parent.name,
            ecv=ecv,
            source=sheet.ecv.source,
            status=main.status,
            **{
                name: _number(getattr(main, name))
                for name in ("priced", "low", "high", "mix_low", "mix_high")
            },
            spread_low=min(spread) if spread else None,
            spread_high=max(spread) if spread else None,
            ratio=ecv / main.priced if known and ecv is not None else None,
            verdict=self._verdict(main, undecided),
            stored=_number(stored[sheet.id]) if sheet.id in stored else None,
            record={
                "anchor": self.prices.record["anchor"],
                **{
                    name: self.prices.record[name]
                    for name in ("size", "policy", "sizes", "policies", "mix", "turns")
                },
                "n": self.n,
                "seed": self.study.seed,
                "level": LEVEL,
                "tolerance": self.tolerance,
                "rules_version": self.prices.record["rules_version"],
                "fight_hash": self.study.system.fight_hash(sheet),
            },
            series=series,
            fights=fights,
        )

    def _appraise(self, series: "pd.DataFrame", setting: Any) -> "Appraisal":
        """The price in a setting, by the prices that the others have in it."""
        import pandas as pd

        from simlab.analysis.appraisal import appraise_unit

        known, frame = self.prices.units, self.prices.settings
        if setting.size != self.prices.record["size"] or setting.policy != self.prices.record["policy"]:
            known = frame[(frame["size"] == setting.size) & (frame["policy"] == setting.policy)]
        ids = [each.id for each in self.others]
        prices = known.set_index("id")["priced"].reindex(ids)
        return appraise_unit(series, self.sheet.id, prices, pd.Series(1, index=ids), level=LEVEL)

    def _verdict(self, found: "Appraisal", undecided: float) -> str:
        import pandas as pd

        from simlab.analysis.price_verdicts import hold_back, rate_units

        ecv = self.sheet.ecv
        worth = math.nan if ecv.value is None else ecv.value
        facts = {"ecv": worth, "draft": ecv.is_draft, "status": found.status, "no_decision": undecided}
        facts |= {"ratio_low": worth / found.high, "ratio_high": worth / found.low}
        verdict = rate_units(pd.DataFrame([facts]), self.tolerance)
        return str(hold_back(verdict, bool(self.prices.record["draft_level"])).iloc[0])


def _number(value: float) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _silent(done: int, total: int, text: str) -> None:
    pass
