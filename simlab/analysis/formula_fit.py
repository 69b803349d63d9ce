"""Points formulas: laws that give the log price of a sheet by its stats, and how far they are off.

A law is linear in its terms. The terms are the stats themselves, counted from those of a centre; `squares` adds their
squares, `surface` their products two by two as well. Counted from the centre, the coefficient of a stat is by how much
the log price grows with it there.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]

LINEAR, SQUARES, SURFACE = "linear", "squares", "surface"
KINDS = (LINEAR, SQUARES, SURFACE)
"""From the simplest law on."""
CONSTANT = "constant"
FOLDS = 10
FOLD_SEED = 1_066
CLEARLY = 0.9
"""A law with more terms is taken if its error is below this share of the simpler one's."""
MOST_TERMS = 0.5
"""Terms of a law for each sheet at most."""
NEAR, FAR = 0.10, 0.20


@dataclass(frozen=True, eq=False)
class Law:
    """A fitted law.

    kind: of KINDS, or constant. centre: the stats from which terms count. terms: one row a term, the constant first,
    with `term`, `coefficient`, `low`, `high` (of the log price; robust to errors that differ from sheet to sheet).
    """

    kind: str
    centre: pd.Series
    squared: tuple[str, ...]
    terms: pd.DataFrame

    def predict(self, stats: pd.DataFrame) -> Floats:
        """Return the log prices of sheets, shape (sheets,); stats: one column a stat of the centre."""
        matrix = arrange_terms(stats, self.centre, self.kind, self.squared)
        coefficients = self.terms["coefficient"].to_numpy(np.float64)
        found: Floats = matrix.to_numpy(np.float64) @ coefficients[1:] + coefficients[0]
        return found


def arrange_terms(
    stats: pd.DataFrame, centre: "pd.Series[float]", kind: str, squared: Sequence[str]
) -> pd.DataFrame:
    """Return the terms of a law, one column each without the constant. squared: stats whose squares are terms."""
    away = stats[list(centre.index)].astype(np.float64) - centre
    columns = {} if kind == CONSTANT else {str(name): away[name] for name in away.columns}
    if kind in (SQUARES, SURFACE):
        columns |= {f"{name}²": away[name] ** 2 for name in squared}
    if kind == SURFACE:
        pairs = itertools.combinations(away.columns, 2)
        columns |= {f"{first} × {second}": away[first] * away[second] for first, second in pairs}
    return pd.DataFrame(columns, index=stats.index)


def squared_stats(stats: pd.DataFrame) -> tuple[str, ...]:
    """Return the stats that take more than two values: with two a square says nothing new."""
    return tuple(str(name) for name in stats.columns if stats[name].nunique() > 2)


def fit_law(
    stats: pd.DataFrame, log_price: "pd.Series[float]", centre: "pd.Series[float]", kind: str, level: float
) -> Law:
    """Return the least-squares law of a kind, with intervals of White's robust variance (HC3).

    stats: one row a sheet. log_price: of the same sheets.
    """
    from statsmodels.regression.linear_model import OLS

    squared = squared_stats(stats)
    matrix = arrange_terms(stats, centre, kind, squared)
    columns = np.column_stack([np.ones(len(matrix)), matrix.to_numpy(np.float64)])
    found = OLS(log_price.to_numpy(np.float64), columns).fit(cov_type="HC3", use_t=True)
    ends = found.conf_int(1 - level)
    terms = pd.DataFrame(
        {
            "term": ["constant", *matrix.columns],
            "coefficient": found.params,
            "low": ends[:, 0],
            "high": ends[:, 1],
        }
    )
    return Law(kind, centre, squared, terms)


def validate_law(
    stats: pd.DataFrame, log_price: "pd.Series[float]", centre: "pd.Series[float]", kind: str
) -> float:
    """Return the root mean square error of the log prices of sheets by laws fitted without them, tenth by tenth."""
    matrix = arrange_terms(stats, centre, kind, squared_stats(stats)).to_numpy(np.float64)
    columns = np.column_stack([np.ones(len(matrix)), matrix])
    wanted = log_price.to_numpy(np.float64)
    folds = np.random.default_rng(FOLD_SEED).permutation(len(wanted)) % FOLDS
    errors = np.empty(len(wanted))
    for fold in range(min(FOLDS, len(wanted))):
        out = folds == fold
        solved = np.linalg.lstsq(columns[~out], wanted[~out], rcond=None)[0]
        errors[out] = wanted[out] - columns[out] @ solved
    return float(np.sqrt(np.mean(errors**2)))


def fitting_kinds(stats: pd.DataFrame) -> tuple[str, ...]:
    """Return the kinds of law that the sheets can tell, from the simplest on; none if not even that one.

    A law needs two sheets a term at least, and terms of which none follows from others.
    """
    squared, centre = squared_stats(stats), stats.mean()
    kinds = []
    for kind in KINDS:
        matrix = arrange_terms(stats, centre, kind, squared).to_numpy(np.float64)
        columns = np.column_stack([np.ones(len(matrix)), matrix])
        terms = columns.shape[1]
        if terms <= MOST_TERMS * len(stats) and np.linalg.matrix_rank(columns) == terms:
            kinds.append(kind)
    return tuple(kinds)


def choose_kind(errors: Mapping[str, float]) -> str:
    """Return the kind to use: one with more terms only where its error is clearly less.

    errors: validated, of one kind or more.
    """
    chosen, *others = [kind for kind in KINDS if kind in errors]
    for kind in others:
        if errors[kind] < CLEARLY * errors[chosen]:
            chosen = kind
    return chosen


def rate_predictions(predicted: npt.ArrayLike, log_price: npt.ArrayLike) -> dict[str, float]:
    """Return how far predictions are off.

    `rms`: root mean square of the log errors. `bias`: their mean, above 0 where too much is predicted. `within_10`,
    `within_20`: shares of sheets off by at most a factor of 1.1, 1.2. `rank`: Spearman's correlation, NaN if all are
    predicted alike.
    """
    told, true = pd.Series(np.asarray(predicted, float)), pd.Series(np.asarray(log_price, float))
    errors = told - true
    ordered = told.nunique() > 1 and true.nunique() > 1
    return {
        "rms": float(np.sqrt((errors**2).mean())),
        "bias": float(errors.mean()),
        "within_10": float((errors.abs() <= np.log1p(NEAR)).mean()),
        "within_20": float((errors.abs() <= np.log1p(FAR)).mean()),
        "rank": float(told.rank().corr(true.rank())) if ordered else float("nan"),
    }
