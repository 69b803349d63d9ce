"""All that a pricing says, from its series: prices with their intervals, verdicts, and what no price can fix."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from simlab.analysis.price_fit import Floats
from simlab.analysis.price_intervals import (
    REWEIGHTINGS,
    Anchor,
    anchor_roster,
    anchor_unit,
    limit_each,
    limit_together,
    reweigh_prices,
    set_level,
    to_prices,
)
from simlab.analysis.price_network import Network, fit_network
from simlab.analysis.price_residuals import (
    estimate_cyclic_share,
    estimate_residuals,
    find_cycles,
    tabulate_pairs,
)
from simlab.analysis.price_rows import PriceRows, arrange_rows, throw_readings
from simlab.analysis.price_rungs import REPLICATES, SEED
from simlab.analysis.price_verdicts import TOLERANCE, rate_units, round_price
from simlab.analysis.strength import compare_orders

SETTING = ("size", "policy")
LEVEL = 0.95
FRONT = "front"

_FEWER = 10
"""Settings that only tell the spread are thrown so many times less often."""


@dataclass(frozen=True, eq=False)
class PriceTables:
    """What the series of a pricing say.

    units: one row per unit, in the order given: what was given (without the fight hash), then `status` (priced,
    unbounded above, unbounded below, cannot tell), `priced`, `low`, `high` (hold for all units at once), `mix_low`,
    `mix_high` (the middle 95% of other mixes, no chance in them), `spread_low`, `spread_high` (over sizes and
    policies), `priced_roster`, `roster_low`, `roster_high` (the geometric mean kept), `head_to_head`, `head_low`,
    `head_high` (from the fights against the anchor alone; each interval for itself), `strength`, `ratio` (ECV /
    priced), `ratio_low`, `ratio_high`, `no_decision` (share of its weight), `verdict`, and `rounded` if a multiple was
    asked for. NaN where there is no such figure.
    pairs: `tabulate_pairs`. cycles: `find_cycles`. cyclic: `estimate_cyclic_share`. situations: one row per unit and
    value of a part of the situation: `id`, `by` (range, aspect, first_fire), `value`, `priced`, `status`, from the
    fights of that value alone. settings: one row per size, policy and unit: `size`, `policy`, `id`, `priced`,
    `status`. order, swapped: `compare_orders`, empty without strengths.
    """

    units: pd.DataFrame
    pairs: pd.DataFrame
    cycles: pd.DataFrame
    cyclic: pd.DataFrame
    situations: pd.DataFrame
    settings: pd.DataFrame
    order: pd.DataFrame
    swapped: pd.DataFrame


def describe_prices(
    series: pd.DataFrame,
    units: pd.DataFrame,
    *,
    size: float,
    policy: str,
    anchor: str | None = None,
    level: float = LEVEL,
    tolerance: float = TOLERANCE,
    multiple: float | None = None,
    strength: "pd.Series[float] | None" = None,
    replicates: int = REPLICATES,
    reweightings: int = REWEIGHTINGS,
    seed: int = SEED,
) -> PriceTables:
    """Return what the series say about the units' prices.

    `series`: columns size, policy, a, b, range, aspect_a, aspect_b, first_fire, weight, status (value, above, below,
    no decision), log_rho, bound, x0, x1 and the counts of `Rungs.of`. `units`: columns id, name, nation, ecv, source,
    draft, and fight_hash if units may fight alike. `size`, `policy`: the setting that is priced. `anchor`: the unit
    that keeps its ECV; without one the geometric mean is kept. `level`: of all intervals but the mix. `multiple`: adds
    prices rounded to it. `strength`: by id (`rate_strengths`).

    Raises ValueError for an anchor that is not among the units or has no ECV, or a setting without series.
    """
    key = (float(size), policy)
    settings = dict(_settings(series, units))
    if key not in settings:
        raise ValueError(f"no series of size {size} and policy {policy}")
    level_of = _Level(tuple(units["id"]), units["ecv"].to_numpy(np.float64), anchor)
    rows, moved = throw_readings(settings.pop(key), replicates, seed)
    by_setting = _by_setting({key: rows} | _freed(settings, max(replicates // _FEWER, 2), seed), level_of)
    network = fit_network(rows, centre=anchor)
    thrown = network.refit(moved)
    throws = network.spread(thrown.price)
    frame = units.drop(columns=["fight_hash"], errors="ignore").reset_index(drop=True)
    frame = frame.assign(
        status=list(network.status),
        **_sampled(network, throws, level_of.anchor(network), level),
        **_mixed(network, level_of.anchor(network), reweightings),
        **_spread(by_setting, len(frame)),
        **_roster(network, throws, level_of.ecv, level),
        **_head_to_head(rows, moved, level_of, level),
        strength=np.nan if strength is None else frame["id"].map(strength).astype("float64"),
    )
    residuals = estimate_residuals(network, thrown, level)
    known = pd.Series(dtype="float64") if strength is None else strength
    prices = pd.DataFrame({"id": level_of.ids, "log_price": network.log_prices()})
    order, swapped = compare_orders(prices, throws, known, level)
    return PriceTables(
        units=_judge(frame, rows, tolerance, multiple),
        pairs=tabulate_pairs(network, residuals),
        cycles=find_cycles(network, residuals, level),
        cyclic=estimate_cyclic_share(residuals, level),
        situations=_by_situation(rows, level_of),
        settings=by_setting,
        order=order,
        swapped=swapped,
    )


@dataclass(frozen=True, eq=False)
class _Level:
    """What fixes the level of prices: the ECVs, and the unit that keeps its own."""

    ids: tuple[str, ...]
    ecv: Floats
    unit: str | None

    def __post_init__(self) -> None:
        known = self.unit is None or (
            self.unit in self.ids and np.isfinite(self.ecv[self.ids.index(self.unit)])
        )
        if not known:
            raise ValueError(f"the anchor {self.unit} is not among the units, or has no ECV")

    def anchor(self, network: Network) -> Anchor:
        if self.unit is None:
            return anchor_roster(network, self.ecv)
        return anchor_unit(network, self.unit, float(self.ecv[self.ids.index(self.unit)]))

    def prices(self, network: Network) -> pd.DataFrame:
        anchor = self.anchor(network)
        priced = to_prices(set_level(network.log_prices(), anchor), anchor)
        return pd.DataFrame({"id": self.ids, "priced": priced, "status": network.status})


def _settings(series: pd.DataFrame, units: pd.DataFrame) -> Iterator[tuple[tuple[float, str], PriceRows]]:
    ids = tuple(units["id"])
    hashes = dict(zip(ids, units["fight_hash"], strict=True)) if "fight_hash" in units else None
    for _, rows in series.groupby(list(SETTING), sort=False):
        key = float(rows["size"].iloc[0]), str(rows["policy"].iloc[0])
        yield key, arrange_rows(rows, ids, hashes)


def _freed(
    settings: Mapping[tuple[float, str], PriceRows], replicates: int, seed: int
) -> dict[tuple[float, str], PriceRows]:
    """The other settings freed of bias, like the one that is priced: what differs is not how they are read."""
    return {key: throw_readings(rows, replicates, seed)[0] for key, rows in settings.items()}


def _sampled(network: Network, throws: Floats, anchor: Anchor, level: float) -> dict[str, Floats]:
    value = set_level(network.log_prices(), anchor)
    low, high = limit_together(value, set_level(throws, anchor), level)
    ends = {"priced": value, "low": low, "high": high}
    return {name: to_prices(levelled, anchor) for name, levelled in ends.items()}


def _roster(network: Network, throws: Floats, ecv: Floats, level: float) -> dict[str, Floats]:
    found = _sampled(network, throws, anchor_roster(network, ecv), level)
    return dict(zip(("priced_roster", "roster_low", "roster_high"), found.values(), strict=True))


def _mixed(network: Network, anchor: Anchor, reweightings: int) -> dict[str, Floats]:
    value = set_level(network.log_prices(), anchor)
    mixes = set_level(reweigh_prices(network, reweightings), anchor)
    low, high = limit_each(value, mixes, LEVEL)
    return {"mix_low": to_prices(low, anchor), "mix_high": to_prices(high, anchor)}


def _by_setting(settings: Mapping[tuple[float, str], PriceRows], level_of: _Level) -> pd.DataFrame:
    frames = []
    for (size, policy), rows in settings.items():
        found = level_of.prices(fit_network(rows, centre=level_of.unit))
        frames.append(found.assign(size=size, policy=policy)[[*SETTING, *found.columns]])
    return pd.concat(frames, ignore_index=True)


def _spread(by_setting: pd.DataFrame, units: int) -> dict[str, Floats]:
    """The lowest and the highest price of each unit over sizes and policies."""
    found = by_setting["priced"].to_numpy(np.float64).reshape(-1, units)
    low = np.where(np.isnan(found), np.inf, found).min(axis=0)
    high = np.where(np.isnan(found), -np.inf, found).max(axis=0)
    known = np.isfinite(low)
    return {"spread_low": np.where(known, low, np.nan), "spread_high": np.where(known, high, np.nan)}


def _head_to_head(rows: PriceRows, moved: Floats, level_of: _Level, level: float) -> dict[str, Floats]:
    names = ("head_to_head", "head_low", "head_high")
    if level_of.unit is None:
        return {name: np.full(len(rows.units), np.nan) for name in names}
    place = rows.units.index(level_of.unit)
    facing = (rows.first[rows.pair] == place) | (rows.second[rows.pair] == place)
    network = fit_network(rows, facing, level_of.unit)
    anchor = level_of.anchor(network)
    value = set_level(network.log_prices(), anchor)
    throws = set_level(network.spread(network.refit(moved).price), anchor)
    figures = (value, *limit_each(value, throws, level))
    return {name: to_prices(figure, anchor) for name, figure in zip(names, figures, strict=True)}


def _judge(frame: pd.DataFrame, rows: PriceRows, tolerance: float, multiple: float | None) -> pd.DataFrame:
    everything = rows.weigh_units(rows.weight > 0)
    undecided = rows.weigh_units((rows.weight > 0) & ~rows.measured & (rows.sense == 0))
    share = np.divide(undecided, everything, out=np.zeros(len(frame)), where=everything > 0)
    judged = frame.assign(
        ratio=frame["ecv"] / frame["priced"],
        ratio_low=frame["ecv"] / frame["high"],
        ratio_high=frame["ecv"] / frame["low"],
        no_decision=share,
    )
    judged = judged.assign(verdict=rate_units(judged, tolerance))
    return judged if multiple is None else judged.assign(rounded=round_price(judged["priced"], multiple))


def _by_situation(rows: PriceRows, level_of: _Level) -> pd.DataFrame:
    """Prices from the fights at one range, with one pair of aspects, or with one first fire alone."""
    kinds = rows.situations
    plain = bool((kinds["aspect_a"] == FRONT).all())
    aspects = kinds["aspect_b"] if plain else kinds["aspect_a"] + "/" + kinds["aspect_b"]
    frames = []
    for by, values in (("range", kinds["range"]), ("aspect", aspects), ("first_fire", kinds["first_fire"])):
        for value in values.drop_duplicates():
            chosen = (values == value).to_numpy(bool)[rows.situation]
            found = level_of.prices(fit_network(rows, chosen, level_of.unit)).assign(by=by, value=value)
            frames.append(found[["id", "by", "value", "priced", "status"]].astype({"value": object}))
    return pd.concat(frames, ignore_index=True)
