"""What a points formula says, as tables: what a point of each stat is worth, and how far the formula is off."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from simlab.analysis.formula_fit import (
    CONSTANT,
    LINEAR,
    Law,
    choose_kind,
    fit_law,
    fitting_kinds,
    rate_predictions,
    validate_law,
)

WORTH, UNTOLD, UNSEEN = "worth", "cannot tell", "no die sees it"
FORMULA, SINGLE, EVERY, OWN = "formula", "best single stat", "constant", "ECV on the sheets"


@dataclass(frozen=True, eq=False)
class Sample:
    """Priced sheets. stats: one row a sheet, one column a stat. log_price: of the same sheets."""

    stats: pd.DataFrame
    log_price: "pd.Series[float]"


@dataclass(frozen=True, eq=False)
class Findings:
    """A formula with all that is said of it.

    law: the one chosen; linear: the simplest, one number a stat. stats: what a point of each is worth. errors: of the
    formula and of simpler ones, on the drawn sheets (cross-validated) and on the roster; the single stat is the best of
    those in which the roster differs. laws: cross-validated error of each kind of law. units: prices of the roster
    beside those of the formula.
    """

    law: Law
    linear: Law
    stats: pd.DataFrame
    errors: pd.DataFrame
    laws: pd.DataFrame
    units: pd.DataFrame


def describe_formula(
    drawn: Sample, roster: Sample, centre: "pd.Series[float]", ecv: pd.Series, *, price: float, level: float
) -> Findings:
    """Return the formula of drawn sheets and what it is worth on a roster that it has not seen.

    centre: the stats of the sheet at which points are told, of the price `price`. ecv: those on the roster's sheets,
    NaN where there is none. The kind of law is chosen by the drawn sheets alone.
    """
    laws = {
        kind: validate_law(drawn.stats, drawn.log_price, centre, kind) for kind in fitting_kinds(drawn.stats)
    }
    kind = choose_kind(laws)
    law = fit_law(drawn.stats, drawn.log_price, centre, kind, level)
    linear = law if kind == LINEAR else fit_law(drawn.stats, drawn.log_price, centre, LINEAR, level)
    errors = _errors(drawn, roster, centre, ecv, laws, law, linear)
    told = pd.DataFrame(
        {"kind": list(laws), "cv": list(laws.values()), "chosen": [each == kind for each in laws]}
    )
    return Findings(
        law,
        linear,
        _points(drawn, centre, law, linear, price),
        errors,
        told,
        _units(roster, law, linear, drawn),
    )


def _points(drawn: Sample, centre: "pd.Series[float]", law: Law, linear: Law, price: float) -> pd.DataFrame:
    """One row a stat: its range, and by how much a price grows with a point of it."""
    rows = []
    for stat in centre.index:
        here = law.terms.set_index("term").loc[stat]
        mean = linear.terms.set_index("term").loc[stat]
        share = np.expm1(here[["coefficient", "low", "high"]].to_numpy(np.float64))
        average = np.expm1(mean[["coefficient", "low", "high"]].to_numpy(np.float64))
        rows.append(
            {
                "stat": stat,
                "least": drawn.stats[stat].min(),
                "most": drawn.stats[stat].max(),
                "base": centre[stat],
                **dict(zip(("share", "share_low", "share_high"), share, strict=True)),
                **dict(zip(("ecv", "ecv_low", "ecv_high"), price * share, strict=True)),
                **dict(zip(("average", "average_low", "average_high"), average, strict=True)),
                "verdict": UNTOLD if share[1] <= 0 <= share[2] else WORTH,
            }
        )
    return pd.DataFrame(rows)


def _errors(
    drawn: Sample,
    roster: Sample,
    centre: "pd.Series[float]",
    ecv: pd.Series,
    laws: dict[str, float],
    law: Law,
    linear: Law,
) -> pd.DataFrame:
    differing = [stat for stat in centre.index if roster.stats[stat].nunique() > 1]
    singles = {
        stat: validate_law(drawn.stats[[stat]], drawn.log_price, centre[[stat]], LINEAR)
        for stat in differing or centre.index
    }
    best = min(singles, key=lambda stat: singles[stat])
    single = fit_law(drawn.stats[[best]], drawn.log_price, centre[[best]], LINEAR, 0.95)
    flat = fit_law(drawn.stats[[best]], drawn.log_price, centre[[best]], CONSTANT, 0.95)
    constant = validate_law(drawn.stats[[best]], drawn.log_price, centre[[best]], CONSTANT)
    told = [(FORMULA, "", laws[law.kind], law)]
    if law.kind != LINEAR:
        told.append((LINEAR, "", laws[LINEAR], linear))
    told += [(SINGLE, best, singles[best], single), (EVERY, "", constant, flat)]
    rows = [
        {
            "by": name,
            "stat": stat,
            "cv": error,
            **rate_predictions(each.predict(roster.stats), roster.log_price),
        }
        for name, stat, error, each in told
    ]
    known = ecv.notna().to_numpy()
    if known.any():
        worth = np.log(ecv[known].to_numpy(np.float64))
        rated = rate_predictions(worth, roster.log_price[known])
        rows.append({"by": OWN, "stat": "", "cv": float("nan"), **rated})
    return pd.DataFrame(rows)


def _units(roster: Sample, law: Law, linear: Law, drawn: Sample) -> pd.DataFrame:
    """One row a unit: `priced`, `formula`, `linear` (ECV), `error` (log formula / priced), the largest first."""
    predicted = law.predict(roster.stats)
    ends = drawn.stats.min(), drawn.stats.max()
    inside = ((roster.stats >= ends[0]) & (roster.stats <= ends[1])).all(axis=1)
    found = pd.DataFrame(
        {
            "id": roster.stats.index,
            "priced": np.exp(roster.log_price.to_numpy(np.float64)),
            "formula": np.exp(predicted),
            "linear": np.exp(linear.predict(roster.stats)),
            "error": predicted - roster.log_price.to_numpy(np.float64),
            "inside": inside.to_numpy(bool),
        }
    )
    order = found["error"].abs().sort_values(ascending=False, kind="stable").index
    return found.reindex(order).reset_index(drop=True)
