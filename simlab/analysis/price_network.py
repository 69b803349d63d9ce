"""Which units can be priced against each other, and their prices.

Fair numbers tie units together. A group of units that only one-sided readings tie to the rest, all in one direction, is
worth more (or less) than any number says: no price of it is a best fit, and it is left out of the fit of the others.
That can leave another group without a second direction, so it is asked again until every group that is left stands.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simlab.analysis.price_fit import Bounds, Floats, Places, Problem, Solution, fit_prices, merge_bounds
from simlab.analysis.price_rows import Bools, PriceRows, sum_readings

PRICED, OVER, UNDER, UNKNOWN = "priced", "unbounded above", "unbounded below", "cannot tell"


@dataclass(frozen=True, eq=False)
class Network:
    """The part of the rows that prices are fitted to, and what was found.

    use: shape (rows,), the rows among the units that are fitted. kept: places of these units. pairs: places, among all
    pairs, of the pairs that the fit has. bound_rows: the places of the rows of the fit's bounds.
    problem, solution: the fit, with one column. status: by unit, one of `PRICED`, `OVER`, `UNDER`, `UNKNOWN`; only
    priced units have a price that means something.
    """

    rows: PriceRows
    use: Bools
    kept: Places
    pairs: Places
    bound_rows: Places
    problem: Problem
    solution: Solution
    status: tuple[str, ...]

    @property
    def priced(self) -> Bools:
        """Shape (units,): whether a unit has a price."""
        return np.array([each == PRICED for each in self.status], bool)

    def log_prices(self) -> Floats:
        """Return the logarithms of the prices, up to a common constant, shape (units,); NaN without one."""
        return self.spread(self.solution.price)[:, 0]

    def spread(self, price: Floats) -> Floats:
        """Return prices of the fitted units, shape (fitted units, columns), as those of all units; NaN without one."""
        whole = np.full((len(self.status), price.shape[1]), np.nan)
        whole[self.kept] = price
        whole[~self.priced] = np.nan
        return whole

    def refit(self, moved: Floats) -> Solution:
        """Return the fits after the weighted sums of readings moved, `moved` of shape (all pairs, columns).

        Bounds that say the same are taken together, so `tied` has fewer rows than `bound_rows`.
        """
        problem = self.problem
        total = problem.total + moved[self.pairs]
        changed = Problem(
            problem.size, problem.first, problem.second, problem.weight, total, merge_bounds(problem.bounds)
        )
        return fit_prices(changed, self.solution.price[:, 0])


def fit_network(rows: PriceRows, use: Bools | None = None, centre: str | None = None) -> Network:
    """Return the prices of the units that the rows tie together.

    `use`: shape (rows,), which rows count; all by default. `centre`: the unit to which the others must be tied;
    by default the largest group that fair numbers tie together.
    """
    chosen = rows.usable if use is None else rows.usable & use
    status = np.full(len(rows.units), UNKNOWN, object)
    centre_place = None if centre is None else rows.units.index(centre)
    kept, main = _settle(rows, chosen, centre_place, status)
    inside = chosen & kept[rows.first[rows.pair]] & kept[rows.second[rows.pair]]
    places = np.flatnonzero(kept)
    local = np.cumsum(kept) - 1
    pairs = np.unique(rows.pair[inside])
    problem, bound_rows = _problem(rows, inside, pairs, local, len(places))
    solution = fit_prices(problem)
    tied_rows = inside & rows.measured
    tied_rows[bound_rows[solution.tied[:, 0]]] = True
    group = _groups(rows, tied_rows)
    status[kept & (group == group[main])] = PRICED
    return Network(rows, inside, places, pairs, bound_rows, problem, solution, tuple(status))


def _problem(rows: PriceRows, use: Bools, pairs: Places, local: Places, size: int) -> tuple[Problem, Places]:
    measured = use & rows.measured
    bound_rows = np.flatnonzero(use & ~rows.measured)
    bound_rows = bound_rows[np.argsort(rows.pair[bound_rows], kind="stable")]
    bounds = Bounds(
        np.searchsorted(pairs, rows.pair[bound_rows]),
        rows.sense[bound_rows],
        rows.reading[bound_rows],
        rows.weight[bound_rows],
    )
    weight, total = rows.weigh(measured)[pairs], sum_readings(rows, use)[pairs]
    first, second = local[rows.first[pairs]], local[rows.second[pairs]]
    return Problem(size, first, second, weight, total[:, None], bounds), bound_rows


def _settle(
    rows: PriceRows, use: Bools, centre: int | None, status: npt.NDArray[np.object_]
) -> tuple[Bools, int]:
    """The units to fit and one of the group that all must be tied to; writes what is known of the others."""
    group = _groups(rows, use & rows.measured)
    main = int(np.bincount(group).argmax()) if centre is None else int(group[centre])
    member = int(np.flatnonzero(group == main)[0])
    alive = np.ones(len(rows.units), bool)
    one, two = group[rows.first[rows.pair]], group[rows.second[rows.pair]]
    across = use & (one != two)
    while True:
        # A bound of a pair speaks of its first unit; of its second one it says the opposite.
        standing = across & alive[rows.first[rows.pair]] & alive[rows.second[rows.pair]]
        count = len(rows.units)
        over = _any(one, standing & (rows.sense > 0), count) | _any(two, standing & (rows.sense < 0), count)
        under = _any(one, standing & (rows.sense < 0), count) | _any(two, standing & (rows.sense > 0), count)
        leaving = ~(over & under)
        leaving[main] = False
        going = alive & leaving[group]
        if not going.any():
            return alive, member
        status[going & (over & ~under)[group]] = OVER
        status[going & (under & ~over)[group]] = UNDER
        alive &= ~going


def _any(group: Places, rows: Bools, count: int) -> Bools:
    return np.bincount(group[rows], minlength=count) > 0


def _groups(rows: PriceRows, use: Bools) -> Places:
    """Numbers of the groups of units that the rows in use tie together, shape (units,): the place of their first."""
    group = np.arange(len(rows.units))
    pairs = np.unique(rows.pair[use])
    first, second = rows.first[pairs], rows.second[pairs]
    while True:
        least = group.copy()
        np.minimum.at(least, first, group[second])
        np.minimum.at(least, second, group[first])
        least = least[least]
        if (least == group).all():
            return group
        group = least
