"""What moves with a reading: matchups, fair numbers, answers, and a ranking of the readings."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pandas as pd

from simlab.analysis.fair import LIMIT_PER_UNIT, find_bracket, next_probe
from simlab.analysis.readings_paired import (
    Counts,
    Crossing,
    Estimate,
    Floats,
    average,
    average_share,
    compare_crossings,
    compare_shares,
    locate_crossing,
    score,
    spread_crossing,
    undecided,
)

NO_EFFECT, UNSEEN_EFFECT, MOVES, CANNOT_TELL = "none", "not seen", "moves", "cannot tell"
"""Effects: the very same fights; other fights with the same counts; more than the interval; less than the interval."""
A_WINS, B_WINS, NO_DECISION = "a", "b", "no decision"
UNDERPRICED, OVERPRICED = "underpriced", "overpriced"
DEFINITE = (A_WINS, B_WINS, UNDERPRICED, OVERPRICED)
FLIPS, OPENS, SETTLES = "flips", "opens", "settles"

Head = Mapping[str, str]
Place = Mapping[str, Any]


class Batched(Protocol):
    """Counts of one matchup in batches, with the digests of its fights and of its counts."""

    @property
    def outcomes(self) -> Counts: ...
    @property
    def fight(self) -> str: ...
    @property
    def counts(self) -> str: ...


@dataclass(frozen=True, eq=False)
class Duels:
    """All duels of a study under one set of options: counts (rows, batches, 4), digests of fights and of counts."""

    outcomes: Counts
    fights: tuple[str, ...]
    counts: tuple[str, ...]

    @classmethod
    def collect(cls, fought: Sequence[Batched]) -> "Duels":
        """Return what was fought, a row an item."""
        return cls(
            np.stack([item.outcomes for item in fought]),
            tuple(item.fight for item in fought),
            tuple(item.counts for item in fought),
        )


@dataclass(eq=False)
class Series:
    """The search for one fair number of b for `size_n` of a, over all situations together."""

    a: str
    b: str
    policy: str
    size_n: int
    fought: dict[int, Counts] = field(default_factory=dict)
    """Counts by M: (situations, batches, 4); the number of fights may differ between situations."""
    shares: dict[int, float] = field(default_factory=dict)
    fights: dict[int, tuple[str, ...]] = field(default_factory=dict)
    counts: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def start(self, before: "Series | None") -> int:
        """Return the M to begin with: at the ratio of the series before, else N."""
        low, high = (None, None) if before is None else before.bracket_ends()
        known = low if low is not None else high
        return self.size_n if known is None or before is None else round(known * self.size_n / before.size_n)

    def next(self, start: int) -> int | None:
        """Return the next M to fight, None when the fair number is settled."""
        return next_probe(self.shares, self.size_n, start)

    def add(self, size_m: int, fought: Sequence[Batched], weights: Floats) -> None:
        """Take up the fights against M of b, an item a situation."""
        self.fought[size_m] = np.stack([item.outcomes for item in fought])
        self.shares[size_m] = float(weights @ score(self.fought[size_m]).mean(axis=1))
        self.fights[size_m] = tuple(item.fight for item in fought)
        self.counts[size_m] = tuple(item.counts for item in fought)

    def bracket_ends(self) -> tuple[int | None, int | None]:
        """Return the sizes on both sides of one half, None where there is none."""
        return find_bracket(self.shares)

    def bracket(self) -> tuple[int, ...]:
        """Return the sizes that settle the fair number."""
        return tuple(size for size in self.bracket_ends() if size is not None)

    def status(self) -> str:
        """Return value, below (one of b is too many) or above (40 N are too few)."""
        low, high = self.bracket_ends()
        if high is None:
            return "above"
        return "below" if low is None and self.shares[high] < 0.5 else "value"

    def crossing(self, weights: Floats) -> Crossing:
        """Return the logarithm of the fair number; outside 1 to 40 N that of the end that it is beyond."""
        low, high = self.bracket_ends()
        if high is None:
            return Crossing(math.log(LIMIT_PER_UNIT * self.size_n), None)
        if low is None:
            return Crossing(math.log(high), None)
        return locate_crossing(self.fought, weights, low, high)

    def ratio(self, weights: Floats) -> Estimate:
        """Return the fair number per unit of a with its interval; NaN outside 1 to 40 N."""
        status, crossing = self.status(), self.crossing(weights)
        if status == "below":
            return Estimate(math.nan, 0.0, 1 / self.size_n)
        if status == "above":
            return Estimate(math.nan, float(LIMIT_PER_UNIT), math.inf)
        value = math.exp(crossing.value) / self.size_n
        parts = spread_crossing(self.fought, crossing)
        if parts is None:
            return Estimate(value, 0.0, math.inf)
        around = average(parts, weights)
        reach = math.exp((around.high - around.low) / 2)
        return Estimate(value, value / reach, value * reach)

    def no_decision(self, weights: Floats) -> bool:
        """Return whether most fights next to the crossing had no decision in time."""
        return any(undecided(self.fought[size], weights) for size in self.bracket())


def tell_situations(compared: Sequence[tuple[Head, Duels, Duels]], places: Sequence[Place]) -> pd.DataFrame:
    """Return one row a variant, ordered pair and situation: how far the win share of a moves, and the answer.

    Columns: reading, value, given; those of `places`; n, win_share_base, win_share, change, change_low, change_high
    (paired, 95%), effect, answer_base, answer (a, b, cannot tell, no decision), turn (flips, opens, settles, or
    nothing).
    """
    rows = []
    for head, base, variant in compared:
        for number, place in enumerate(places):
            facts = _compare(base, variant, [number], np.ones(1))
            rows.append({**head, **place, **facts})
    return pd.DataFrame(rows, columns=[*_HEAD, *_PLACE, *_DUEL])


def tell_matchups(compared: Sequence[tuple[Head, Duels, Duels]], places: Sequence[Place]) -> pd.DataFrame:
    """Return one row a variant and ordered pair, averaged over the situations; columns as `tell_situations`."""
    by_pair: dict[tuple[str, str], list[int]] = {}
    for number, place in enumerate(places):
        by_pair.setdefault((place["a"], place["b"]), []).append(number)
    rows = []
    for head, base, variant in compared:
        for (a, b), numbers in by_pair.items():
            weights = np.array([places[number]["weight"] for number in numbers])
            facts = _compare(base, variant, numbers, weights / weights.sum())
            rows.append({**head, "a": a, "b": b, **facts})
    return pd.DataFrame(rows, columns=[*_HEAD, "a", "b", *_DUEL])


_HEAD = ("reading", "value", "given")
_PLACE = ("a", "b", "range", "aspect_a", "aspect_b", "first_fire", "weight")
_CHANGE = ("change", "change_low", "change_high", "effect")
_DUEL = ("n", "win_share_base", "win_share", *_CHANGE, "answer_base", "answer", "turn")


def _compare(base: Duels, variant: Duels, rows: list[int], weights: Floats) -> dict[str, Any]:
    same = np.array([base.fights[row] == variant.fights[row] for row in rows])
    equal = all(base.counts[row] == variant.counts[row] for row in rows)
    before, after = base.outcomes[rows], variant.outcomes[rows]
    change = compare_shares(before, after, weights, same)
    answers = [_winner(counts, weights) for counts in (before, after)]
    return {
        "n": int(before.sum()),
        "win_share_base": average_share(before, weights).value,
        "win_share": average_share(after, weights).value,
        **_changed(change, bool(same.all()), equal),
        "answer_base": answers[0],
        "answer": answers[1],
        "turn": _turn(*answers),
    }


def _changed(change: Estimate, same: bool, equal: bool) -> dict[str, Any]:
    effect = CANNOT_TELL
    if same or equal:
        effect = NO_EFFECT if same else UNSEEN_EFFECT
    elif change.excludes_zero:
        effect = MOVES
    return {
        "change": change.value,
        "change_low": change.low,
        "change_high": change.high,
        "effect": effect,
    }


def _winner(counts: Counts, weights: Floats) -> str:
    """Who has more than half of the win share by more than its interval."""
    if undecided(counts, weights):
        return NO_DECISION
    share = average_share(counts, weights)
    return A_WINS if share.low > 0.5 else B_WINS if share.high < 0.5 else CANNOT_TELL


def _turn(before: str, after: str) -> str:
    """How an answer turns: into its opposite, from an answer to none, from none to one."""
    if before == after:
        return ""
    if before in DEFINITE and after in DEFINITE:
        return FLIPS
    if before in DEFINITE:
        return OPENS
    return SETTLES if after in DEFINITE else ""


def tell_fair_numbers(
    compared: Sequence[tuple[Head, Sequence[tuple[Series, Series]]]],
    weights: Floats,
    units: pd.DataFrame,
    anchor: str | None,
) -> pd.DataFrame:
    """Return one row a variant and fair number of b for `size_n` of a, over all situations together.

    ratio: the fair number / N, NaN with status below or above. change: ratio / ratio_base - 1, with the paired 95%
    interval; where one of the two fair numbers is outside 1 to 40 N it is the least change, without interval, and
    where both are there is none. Against the anchor: the unit, the price that the fair number implies for it, and
    whether that is over or under its printed ECV; draft ECVs, and those not printed, are not judged.
    """
    own = {unit["id"]: unit for unit in units.to_dict("records")}
    rows = [
        {**head, **_fair(base, variant, weights), **_price(base, variant, weights, own, anchor)}
        for head, pairs in compared
        for base, variant in pairs
    ]
    return pd.DataFrame(rows, columns=[*_HEAD, *_FAIR, *_CHANGE, *_PRICE])


_RATIOS = tuple(
    f"{name}{end}" for end in ("_base", "") for name in ("status", "ratio", "ratio_low", "ratio_high")
)
_FAIR = ("a", "b", "size_n", "policy", *_RATIOS)
_PRICE = ("unit", "ecv", "priced_base", "priced", "verdict_base", "verdict", "turn")


def _fair(base: Series, variant: Series, weights: Floats) -> dict[str, Any]:
    row: dict[str, Any] = {"a": base.a, "b": base.b, "size_n": base.size_n, "policy": base.policy}
    for end, series in (("_base", base), ("", variant)):
        ratio = series.ratio(weights)
        row |= {f"status{end}": series.status(), f"ratio{end}": ratio.value}
        row |= {f"ratio_low{end}": ratio.low, f"ratio_high{end}": ratio.high}
    used = {*base.bracket(), *variant.bracket()}
    same = all(base.fights.get(size) == variant.fights.get(size) for size in used)
    equal = all(base.counts.get(size) == variant.counts.get(size) for size in used)
    crossings = base.crossing(weights), variant.crossing(weights)
    change = compare_crossings(base.fought, variant.fought, weights, crossings, same)
    if not same and base.status() == variant.status() != "value":
        change = Estimate(math.nan, -math.inf, math.inf)
    return row | _changed(_relative(change), same, equal)


def _relative(change: Estimate) -> Estimate:
    """A change of logarithms as a part of the base: 0.1 is ten percent more."""
    return Estimate(*(math.expm1(end) for end in (change.value, change.low, change.high)))


def _price(
    base: Series, variant: Series, weights: Floats, own: Mapping[Any, Mapping[Any, Any]], anchor: str | None
) -> dict[str, Any]:
    """The price that the fair number implies; nothing if the pair is not one with the anchor."""
    if anchor is None or anchor not in (base.a, base.b):
        return {"unit": "", "verdict_base": "", "verdict": "", "turn": ""}
    unit = own[base.a if base.b == anchor else base.b]
    row: dict[str, Any] = {"unit": unit["id"], "ecv": unit["ecv"]}
    for end, series in (("_base", base), ("", variant)):
        price = _priced(series.ratio(weights), float(own[anchor]["ecv"]), series.b == anchor)
        row |= {f"priced{end}": price.value, f"verdict{end}": _judge(price, unit, series, weights)}
    return row | {"turn": _turn(row["verdict_base"], row["verdict"])}


def _priced(ratio: Estimate, worth: float, in_anchors: bool) -> Estimate:
    if in_anchors:
        return Estimate(worth * ratio.value, worth * ratio.low, worth * ratio.high)
    return Estimate(worth / ratio.value, worth / ratio.high, worth / ratio.low if ratio.low > 0 else math.inf)


def _judge(price: Estimate, unit: Mapping[Any, Any], series: Series, weights: Floats) -> str:
    if unit["draft"]:
        return "draft"
    if unit["source"] != "rulebook" or math.isnan(unit["ecv"]):
        return "not printed"
    if series.no_decision(weights):
        return NO_DECISION
    if price.low > unit["ecv"]:
        return UNDERPRICED
    return OVERPRICED if price.high < unit["ecv"] else CANNOT_TELL


def rank_variants(
    heads: Sequence[Head], matchups: pd.DataFrame, situations: pd.DataFrame, fair_numbers: pd.DataFrame
) -> pd.DataFrame:
    """Return one row a variant, the largest movement first.

    movement: the larger of the largest change of a matchup's win share and of a fair number (as a part of it), sign
    left out. change, change_low, change_high, a, b: that matchup; fair_change and so on, fair_a, fair_b, size_n: that
    fair number. flips: answers of matchups and prices that turn into their opposite; opens, settles: that are lost,
    or come about; flips_in_situations: the same for single situations. effect: the strongest of any matchup, situation
    or fair number.
    """
    tables = [(table, _grouped(table)) for table in (matchups, situations, fair_numbers)]
    rows = []
    for head in heads:
        key = tuple(head[name] for name in _HEAD)
        duels, places, fair = (table.loc[groups.get(key, [])] for table, groups in tables)
        row: dict[str, Any] = {**head, **_largest(duels, "", ("a", "b"))}
        row |= _largest(fair, "fair_", ("a", "b", "size_n", "policy"))
        turns = [*duels["turn"], *fair["turn"]]
        row |= {"flips": turns.count(FLIPS), "opens": turns.count(OPENS), "settles": turns.count(SETTLES)}
        row["flips_in_situations"] = int((places["turn"] == FLIPS).sum())
        effects = {*duels["effect"], *places["effect"], *fair["effect"]}
        row["effect"] = next(each for each in _STRENGTH if each in effects)
        row["movement"] = max(
            abs(row["change"]), abs(row["fair_change"]) if row["fair_change"] is not None else 0
        )
        rows.append(row)
    frame = pd.DataFrame(rows, columns=list(_RANKING))
    order = {effect: place for place, effect in enumerate(_STRENGTH)}
    by = frame.assign(strength=frame["effect"].map(order)).sort_values(
        ["movement", "strength"], ascending=[False, True], kind="stable"
    )
    return by[list(_RANKING)].reset_index(drop=True)


_STRENGTH = (MOVES, CANNOT_TELL, UNSEEN_EFFECT, NO_EFFECT)
_MOVED = ("change", "change_low", "change_high", "a", "b")
_RANKING = (
    *(*_HEAD, "movement", *_MOVED, *(f"fair_{name}" for name in _MOVED), "fair_size_n", "fair_policy"),
    *("flips", "opens", "settles", "flips_in_situations", "effect"),
)


def _grouped(table: pd.DataFrame) -> dict[tuple[str, ...], list[int]]:
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, key in enumerate(zip(*(table[name] for name in _HEAD), strict=True)):
        groups.setdefault(key, []).append(number)
    return groups


def _largest(rows: pd.DataFrame, prefix: str, names: Sequence[str]) -> dict[str, Any]:
    """The row with the largest change, as far as it has one."""
    known = rows[rows["change"].notna()]
    if known.empty:
        return {f"{prefix}{name}": None for name in ("change", "change_low", "change_high", *names)}
    row = known.iloc[int(known["change"].abs().to_numpy().argmax())]
    return {f"{prefix}{name}": row[name] for name in ("change", "change_low", "change_high", *names)}


def describe_flips(matchups: pd.DataFrame, fair_numbers: pd.DataFrame) -> list[str]:
    """Return a line for each answer that turns into its opposite."""
    lines = []
    for row in matchups[matchups["turn"] == FLIPS].to_dict("records"):
        winner = {A_WINS: row["a"], B_WINS: row["b"]}
        if row["a"] == row["b"]:
            winner = {A_WINS: "the first", B_WINS: "the second"}
        answers = f"{winner[row['answer']]} wins, not {winner[row['answer_base']]}"
        lines.append(f"{_label(row)}: {row['a']} v {row['b']}: {answers}")
    return lines + [
        f"{_label(row)}: {row['unit']} is {row['verdict']}, not {row['verdict_base']} "
        f"(fair number of {row['b']} for {row['size_n']} {row['a']}, policy {row['policy']})"
        for row in fair_numbers[fair_numbers["turn"] == FLIPS].to_dict("records")
    ]


def _label(row: Mapping[Any, Any]) -> str:
    given = f" with {row['given']}" if row["given"] else ""
    return f"{row['reading']}={row['value']}{given}"


def as_records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows as plain values; what has no value, or no end, is None."""
    return [{str(name): _plain(value) for name, value in row.items()} for row in frame.to_dict("records")]


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
