"""At which value of a number of a sheet its duels are as even as wanted."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from simlab.analysis.paired_difference import WIN_SHARE
from simlab.analysis.readings_paired import Estimate
from simlab.lab.arguments import Arguments, between
from simlab.lab.mix import SCHEMA, Mix, Terms, read_mix
from simlab.lab.same_dice import Answer, Change, Pair, Place, methods_of
from simlab.model.errors import InputError, nearest, shown
from simlab.rules.contract import Sheet

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[..., None]
PRECISION = "0.001"
FARTHEST = 10_000
"""How far from what a sheet has values are tried at most."""
GRID = 8
"""Values between the ends that are tried before it is said that none does."""
CLEAR = 2.0
"""A step against the trend is one if it is larger than so many half-widths of its interval."""


@dataclass(frozen=True)
class Tried:
    """A value that was tried, and the win share of the unit with it."""

    value: float
    share: Estimate


@dataclass(frozen=True, eq=False)
class Solved:
    """The value of a field at which a unit's win share is the target.

    value: what the sheet has. legal: the ends of what it may have. tried: in rising order. between: the two
    neighbouring values on either side of the target, twice the same one if it hits the target exactly, None if no value
    that was tried reaches it. possible: the smallest and largest value between which the target may lie as far as the
    intervals tell. nearest: the value whose win share is nearest to the target. monotone: whether the win share goes
    one way over the values tried. others: further pairs of values tried that have the target between them.
    """

    unit: Sheet = field(repr=False)
    field: str
    target: float
    value: float
    legal: tuple[float, float]
    tried: tuple[Tried, ...]
    between: tuple[float, float] | None
    possible: tuple[float, float] | None
    nearest: float
    monotone: bool
    others: tuple[tuple[float, float], ...]
    method: str
    error_bound: float | None
    n: int | None
    record: dict[str, Any]

    def share(self, value: float) -> Estimate:
        """Return the win share at a value that was tried."""
        return next(each.share for each in self.tried if each.value == value)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        record = dict(self.record)
        first = {name: record.pop(name) for name in ("system", "a", "b")}
        return {
            "schema": SCHEMA,
            **first,
            "field": self.field,
            "target": self.target,
            "value": self.value,
            "legal": list(self.legal),
            "between": None if self.between is None else list(self.between),
            "possible": None if self.possible is None else list(self.possible),
            "nearest": self.nearest,
            "monotone": self.monotone,
            "others": [list(pair) for pair in self.others],
            "tried": [
                {
                    "value": each.value,
                    "win_share_a": each.share.value,
                    "interval": [each.share.low, each.share.high],
                }
                for each in self.tried
            ],
            "method": self.method,
            "error_bound": self.error_bound,
            "n": self.n,
            **record,
        }

    def to_frame(self) -> "pd.DataFrame":
        """Return one row a value tried: value, win_share, low, high."""
        import pandas as pd

        rows = [(each.value, each.share.value, each.share.low, each.share.high) for each in self.tried]
        return pd.DataFrame(rows, columns=["value", "win_share", "low", "high"])


def solve(
    unit: Any,
    field: str,
    against: Any,
    target: float = 0.5,
    *,
    range: Any = None,
    ranges: Any = None,
    aspect_a: Any = "front",
    aspect_b: Any = "front",
    first_fire: Any = None,
    turns: int = 12,
    n: int | None = None,
    precision: Any = None,
    exact: bool = False,
    bound: float | None = None,
    time_limit: float | None = None,
    seed: int | None = None,
    set: Any = None,
    constants: Any = None,
    workers: int | None = None,
    system: str = "blitzkrieg",
    units: Any = None,
    progress: Progress | None = None,
) -> Solved:
    """Return the value of a number of a unit's sheet, `armor.front`, at which its win share is `target`.

    Legal values are halved until two neighbours have the target between them; all of them throw the dice of the sheet
    as it is. Where both ends of what is legal lie on one side of the target, values between them are tried too.
    Opponents, ranges and all else as for `whatif`. Raises InputError.
    """
    terms = Terms(
        range, ranges, aspect_a, aspect_b, first_fire, turns, n, precision, exact, bound, time_limit, seed, set,
        constants, workers, system, units,
    )  # fmt: skip
    given = Arguments()
    wanted = between(given, "target", target, 0.0, 1.0)
    mix = read_mix(unit, against, terms, PRECISION, progress, given)
    search = _Search(mix, field, wanted)
    return search.solve()


class _Search:
    """The values that were tried, and what came of them."""

    def __init__(self, mix: Mix, field: str, target: float) -> None:
        self.mix, self.field, self.target = mix, field, target
        numbers = mix.rules.sheet_numbers(mix.unit)
        if not isinstance(field, str) or field not in numbers:
            raise _no_number(field, list(numbers))
        self.start = numbers[field]
        self.low, self.high = self._limit(-1), self._limit(1)
        self.answers: dict[float, list[Answer]] = {}
        self.shares: dict[float, Estimate] = {}

    def solve(self) -> Solved:
        ends = [self._sheet(value) for value in (self.start, self.low, self.high)]
        self.mix.check_fire(*(partial(_pair, sheet) for sheet in ends))
        for value in (self.start, self.low, self.high):
            self._ask(value)
        if not self._crossings():
            step = max((self.high - self.low) / (GRID + 1), 1)
            places = [self.low + round(step * place) for place in range(1, GRID + 1)]
            for value in places:
                if value < self.high and not self._crossings():
                    self._ask(value)
        found, others = self._halve()
        answers = [answer for each in self.answers.values() for answer in each]
        record = self.mix.record()
        return Solved(
            unit=self.mix.unit,
            field=self.field,
            target=self.target,
            value=self.start,
            legal=(self.low, self.high),
            between=found,
            possible=None if found is None else self._possible(*found),
            nearest=min(self._values(), key=lambda value: abs(self.shares[value].value - self.target)),
            monotone=self._is_monotone(),
            others=others,
            tried=tuple(Tried(value, self.shares[value]) for value in self._values()),
            record={**record, "seed": record["seed"] if any(a.n for a in answers) else None},
            **methods_of(answers),
        )

    def _sheet(self, value: float) -> Sheet:
        sheet: Sheet = self.mix.rules.replace_fields(self.mix.unit, {self.field: value})
        return sheet

    def _is_legal(self, value: float) -> bool:
        try:
            self._sheet(value)
        except InputError:
            return False
        return True

    def _limit(self, way: int) -> float:
        """The last legal value on a way, up or down; legal values have no gaps."""
        good, bad = 0, 1
        while bad <= FARTHEST and self._is_legal(self.start + way * bad):
            good, bad = bad, 2 * bad
        bad = min(bad, FARTHEST + 1)
        while bad - good > 1:
            middle = (good + bad) // 2
            good, bad = (middle, bad) if self._is_legal(self.start + way * middle) else (good, middle)
        return self.start + way * good

    def _values(self) -> list[float]:
        return sorted(self.shares)

    def _ask(self, value: float) -> Estimate:
        if value not in self.shares:
            mix, sheet = self.mix, self._sheet(value)
            self.answers[value] = [
                mix.asker.change((mix.unit, place.b), (sheet, place.b), place.situation).after
                for place in mix.places
            ]
            self.shares[value] = mix.share(self.answers[value])
        return self.shares[value]

    def _side(self, value: float) -> int:
        """Whether a win share is below (-1) or above (1) the target, or hits it (0)."""
        share = self.shares[value].value
        exact = all(answer.n is None for answer in self.answers[value])
        if exact and self.shares[value].low <= self.target <= self.shares[value].high:
            return 0
        return -1 if share < self.target else 1 if share > self.target else 0

    def _crossings(self) -> list[tuple[float, float]]:
        """Neighbours among the values tried with the target between them; twice the same value that hits it."""
        values = self._values()
        hits = [(value, value) for value in values if self._side(value) == 0]
        pairs = list(pairwise(values))
        return [*hits, *(pair for pair in pairs if self._side(pair[0]) * self._side(pair[1]) < 0)]

    def _halve(self) -> tuple[tuple[float, float] | None, tuple[tuple[float, float], ...]]:
        """The narrowest pair, the one nearest to what the sheet has, and the others as far as they are known."""

        def far(pair: tuple[float, float]) -> float:
            return min(abs(pair[0] - self.start), abs(pair[1] - self.start))

        while crossings := sorted(self._crossings(), key=far):
            low, high = crossings[0]
            if high - low <= 1:
                return crossings[0], tuple(sorted(crossings[1:]))
            self._ask(low + (high - low) // 2)
        return None, ()

    def _possible(self, low: float, high: float) -> tuple[float, float]:
        """How far from an answer the target may lie as far as the intervals tell."""
        ends = []
        for value, way, last in ((low, -1, self.low), (high, 1, self.high)):
            end, step = value, 1
            while (
                end != last
                and self._side(end) != 0
                and self._ask(end).low <= self.target <= self._ask(end).high
            ):
                end = max(end - step, last) if way < 0 else min(end + step, last)
                step *= 2
                self._ask(end)
            ends.append(end)
        return ends[0], ends[1]

    def _is_monotone(self) -> bool:
        """Whether no step between neighbours among the values tried clearly goes against another."""
        values, ways = self._values(), set()
        for one, other in pairwise(values):
            changes = map(Change, self.answers[one], self.answers[other])
            step = self.mix.mean([change.difference(WIN_SHARE) for change in changes])
            if abs(step.value) > CLEAR * (step.high - step.low) / 2:
                ways.add(step.value > 0)
        return len(ways) < 2


def _pair(sheet: Sheet, place: Place) -> Pair:
    return sheet, place.b


def _no_number(field: object, numbers: list[str]) -> InputError:
    below = [path for path in numbers if path.startswith(f"{field}.")]
    if below:
        return InputError.one(
            "field", f"{field}, which has {len(below)} numbers", "a field of one number", below[0]
        )
    hint = nearest(field, numbers)
    return InputError.one(
        "field", shown(field), "a number of the sheet, which `simlab sensitivity` lists", hint
    )
