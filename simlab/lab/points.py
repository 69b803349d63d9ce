"""What a changed number of a sheet is worth in ECV: by how much it moves the number of opponents that is even."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from simlab.analysis.paired_difference import WIN_SHARE
from simlab.analysis.readings import Series
from simlab.analysis.readings_paired import Crossing, Estimate, compare_crossings
from simlab.lab.arguments import Method
from simlab.lab.fights import fight_key_of
from simlab.lab.mix import Mix
from simlab.lab.notes import note_of
from simlab.lab.same_dice import Answer, Place, SameDice
from simlab.rules.contract import Fight, Sheet
from simlab.studies.batched import batches_of, play_batches
from simlab.studies.paired import fight_digest, widen

SIZE = 2350
"""ECV of a side, as in `simlab price`: it makes the number of the stronger unit."""
FIGHTS = 19_200
"""Fights for each number of opponents that is tried."""
TURNS = 20
ALONE = np.ones(1)
UNKNOWN = Estimate(0.0, -math.inf, math.inf)


@dataclass(frozen=True, eq=False)
class _Fought:
    """The batches of one engagement, as `Series` takes them."""

    outcomes: Any
    fight: str
    counts: str = ""


class Points:
    """Prices changed sheets of a unit, at the dice of the sheet as it is.

    The price is read from fair numbers: how many of the weaker unit are even with N of the stronger one, both sides
    under the policy spread. What moves the logarithm of that number moves the logarithm of the unit's price, the
    opponents' prices kept; over opponents and situations the mean is taken.
    """

    def __init__(self, mix: Mix, base: list[Answer]) -> None:
        asker = mix.asker
        turns = max(asker.turns, TURNS)
        method = Method(False, FIGHTS, asker.method.bound, asker.method.time_limit)
        self.mix = mix
        self.asker = SameDice(
            mix.rules, asker.options, turns, method, asker.seed, asker.workers, asker.progress
        )
        self.fights = math.prod(batches_of(FIGHTS))
        """Fights for each number tried."""
        self._places = [
            _Even(self.asker, mix.unit, place, float(answer.figure(WIN_SHARE).values.mean()) >= 0.5)
            for place, answer in zip(mix.places, base, strict=True)
        ]

    @property
    def numbers(self) -> list[int]:
        """How many of the stronger unit stand against the weaker one, place by place."""
        return [place.number for place in self._places]

    def change(self, sheet: Sheet) -> Estimate:
        """Return by what part the price of the unit changes with a sheet, 0.05 for 5% more; no ends where unknown."""
        found = [place.change(sheet) for place in self._places]
        if any(math.isinf(each.high) for each in found):
            return UNKNOWN
        value = float(np.mean([each.value for each in found]))
        reach = math.hypot(*((each.high - each.low) / 2 for each in found)) / len(found)
        return Estimate(math.expm1(value), math.expm1(value - reach), math.expm1(value + reach))


class _Even:
    """The fair number of a unit against one opponent in one situation; the stronger one of a duel is counted as N."""

    def __init__(self, asker: SameDice, unit: Sheet, place: Place, stronger: bool) -> None:
        self.asker, self.unit, self.place, self.stronger = asker, unit, place, stronger
        prices = [sheet.ecv.value for sheet in (unit, place.b)]
        known = [price for price in prices if price is not None]
        self.number = max(1, int(SIZE // max(known))) if len(known) == 2 else 1
        self.base_fight = self._compiled(unit)
        self.base_digest = fight_digest(self.base_fight)
        self.base = self._search(self.base_fight, None)

    def change(self, sheet: Sheet) -> Estimate:
        """Return by how much the logarithm of the unit's price changes."""
        fight = self._compiled(sheet)
        same = fight_digest(fight) == self.base_digest
        series = self.base if same else self._search(fight, self.base)
        if self.base.status() != "value" or series.status() != "value":
            return UNKNOWN
        crossings: tuple[Crossing, Crossing] = self.base.crossing(ALONE), series.crossing(ALONE)
        found = compare_crossings(self.base.fought, series.fought, ALONE, crossings, same)
        return found if self.stronger else Estimate(-found.value, -found.high, -found.low)

    def _compiled(self, sheet: Sheet) -> Fight:
        """The duel of the stronger one, as side a, against the weaker one."""
        if self.stronger:
            return self.asker.compiled((sheet, self.place.b), self.place.situation)
        return self.asker.compiled((self.place.b, sheet), self.place.situation.mirrored())

    def _search(self, duel: Fight, base: Series | None) -> Series:
        series = Series("a", "b", "spread", self.number)
        sizes = [] if base is None else list(base.bracket())
        while (size := sizes.pop(0) if sizes else series.next(self.number)) is not None:
            asker = self.asker
            outcomes = play_batches(
                widen(duel, self.number, size),
                n=asker.method.n,
                seed=asker.seed,
                key=fight_key_of(widen(self.base_fight, self.number, size)),
                workers=asker.workers,
                note=note_of(asker.progress),
            )
            series.add(size, [_Fought(outcomes, "")], ALONE)
        return series
