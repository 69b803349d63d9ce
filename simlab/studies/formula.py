"""The fights that price the sheets of a points formula: balanced designs of opponents and situations."""

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from simlab import jit
from simlab.model.keys import digest
from simlab.rules.contract import Fight, Options, Parts, Sheet, System
from simlab.studies import pricing
from simlab.studies.contents import Content
from simlab.studies.formula_sheets import Axis, try_stats
from simlab.studies.journal import Journal
from simlab.studies.outlook import Progress, duration_text
from simlab.studies.paired import fight_digest, widen
from simlab.studies.pool import Begun, Job, Piece, Pool
from simlab.studies.pricing import (
    PRICE_TYPES,
    EvenSearch,
    Setting,
    list_rungs,
    middle,
    plan_price_rows,
    price_record,
    silent_side,
)
from simlab.studies.rows import DuelRow, Table
from simlab.studies.study_file import Study
from simlab.studies.work import Keys, Matchup, Worker

DEAL_SEED = 1_815
ROWS = 120
"""Fair numbers of a sheet, about."""


@dataclass(frozen=True)
class Place:
    """An opponent in a situation. first: the sheet is the first of the pair."""

    opponent: Sheet
    situation: Any
    first: bool
    weight: float


def is_seen(
    axis: Axis, system: System, base: Sheet, places: Sequence[Place], options: Options, turns: int
) -> bool:
    """Tell whether a die sees the stat: some fight of the base changes when its lowest or highest number is put in."""
    changed = [
        sheet
        for value in (axis.low, axis.high)
        if value != axis.base and (sheet := try_stats(system, base, {axis.stat: value}, axis.stat))
    ]
    parts = Parts()

    def seen(place: Place) -> set[str]:
        found = set()
        for sheet in (base, *changed):
            row = _row(sheet, place)
            fight = system.compile_fight([row.a], [row.b], row.situation, options, turns, parts)
            found.add(fight_digest(fight))
        return found

    return any(len(seen(place)) > 1 for place in places)


def plan_places(study: Study, wanted: int = ROWS, deal: int = 0) -> list[Place]:
    """Return opponents and situations in which a sheet is priced, about `wanted`, other ones for another `deal`.

    Situations are dealt to opponents like cards, a pack shuffled anew when it is at its end: every opponent gets the
    same number of different situations, every situation comes equally often or once more. Units that fight alike are
    one opponent. Weights are such that all opponents weigh the same, and situations as in the mix.
    """
    alike: dict[str, Sheet] = {}
    for sheet in study.sheets:
        alike.setdefault(study.system.fight_hash(sheet), sheet)
    opponents = list(alike.values())
    cards = _situations(study)
    each = min(len(cards), max(1, round(wanted / len(opponents))))
    generator = np.random.default_rng([DEAL_SEED, deal])
    pack: list[int] = []
    hands: list[list[int]] = []
    for _ in opponents:
        hand: list[int] = []
        while len(hand) < each:
            fitting = [card for card in pack if card not in hand]
            if not fitting:
                pack += generator.permutation(len(cards)).tolist()
                continue
            hand.append(fitting[0])
            pack.remove(fitting[0])
        hands.append(hand)
    weights = _balanced(hands, np.array([weight for *_, weight in cards]))
    return [
        Place(opponent, cards[card][0], cards[card][1], weight)
        for opponent, hand, row in zip(opponents, hands, weights, strict=True)
        for card, weight in zip(hand, row, strict=True)
    ]


def _situations(study: Study) -> list[tuple[Any, bool, float]]:
    """The situations of a pair: situation, whether the sheet is the first, weight in the mix."""
    first, other = study.sheets[0], study.sheets[1]
    rows = plan_price_rows(replace(study, sheets=(first, other)))
    return [(row.situation, row.a.id == first.id, row.weight) for row in rows]


def _balanced(hands: Sequence[Sequence[int]], shares: Any) -> list[list[float]]:
    """Weights by opponent and card whose sums are even over opponents, and over dealt cards as the mix has them."""
    opponents = np.repeat(np.arange(len(hands)), [len(hand) for hand in hands])
    cards = np.concatenate([np.asarray(hand, np.intp) for hand in hands])
    wanted = np.where(np.isin(np.arange(len(shares)), cards), shares, 0.0)
    wanted = wanted / wanted.sum()
    weights = wanted[cards]
    for _ in range(_ROUNDS):
        sums = np.bincount(cards, weights, len(shares))
        if np.abs(sums - wanted).max() < _EVEN:
            break
        weights = weights * (wanted / np.maximum(sums, _TINY))[cards]
        weights = weights / np.bincount(opponents, weights)[opponents] / len(hands)
    ends = np.cumsum([len(hand) for hand in hands])[:-1]
    return [part.tolist() for part in np.split(weights, ends)]


_ROUNDS, _EVEN, _TINY = 200, 1e-8, 1e-300


class FormulaPlan:
    """The jobs of a formula: one a sheet, in one piece, which looks for its fair numbers one after the other.

    What they said so far tells where the next is looked for, and how many units make a battle of a size.
    """

    def __init__(
        self,
        sheets: Sequence[Sheet],
        places: Sequence[Sequence[Place]],
        setting: Setting,
        worker: Worker,
        turns: int,
        prices: Mapping[str, float],
        start: float,
    ) -> None:
        """places: equally many for each sheet, by sheet. prices: of the opponents by id, in ECV. start: what a sheet is
        taken to be worth at first.
        """
        self.sheets, self.places, self.setting = tuple(sheets), tuple(map(tuple, places)), setting
        self.worker, self.turns = worker, turns
        self.prices, self.start = dict(prices), start
        self.table = Table(PRICE_TYPES)
        system = worker.system
        source = jit.source_id([pricing, sys.modules[__name__]])
        self._terms = [
            *(system.name, system.version, worker.kernel, worker.seed, worker.options.non_default(), source),
            *(setting.size, setting.policy, setting.n, turns, start),
        ]

    def jobs(self, told: Callable[[], None]) -> Iterator[tuple[int, Job]]:
        """Yield the jobs with their numbers; `told` is called when the fair numbers of a sheet are there."""
        for number, sheet in enumerate(self.sheets):
            yield number, self._job(number, sheet, told)

    def _job(self, number: int, sheet: Sheet, told: Callable[[], None]) -> Job:
        places = self.places[number]
        found = yield Piece(self._name(sheet, places), lambda: self._begin(sheet, places))
        for count, (place, (rungs, silent)) in enumerate(zip(places, found["places"], strict=True)):
            row = _row(sheet, place)
            records = [price_record(row, self.setting, rung, counts, silent) for rung, counts in rungs]
            self.table.add(number * len(places) + count, records)
        told()

    def _name(self, sheet: Sheet, places: Sequence[Place]) -> str:
        """The digest of all that decides what the fair numbers of a sheet come to."""
        told = self.worker.system.fight_hash
        where = [
            [told(each.opponent), asdict(each.situation), each.first, self.prices[each.opponent.id]]
            for each in places
        ]
        return digest([*self._terms, told(sheet), where])

    def _begin(self, sheet: Sheet, places: Sequence[Place]) -> Begun:
        for place in places:
            single = self._compiled(_row(sheet, place), Parts())
            if single.can_fire_a or single.can_fire_b:
                self.worker.compile_loop(single, True)
                self.worker.compile_loop(widen(single, 2, 2), False)
                break

        def join(found: list[tuple[list[Any], int]]) -> Content:
            places, fought = found[0]
            self.worker.fights += fought
            return {"places": places}

        return Begun((lambda: self._search_all(sheet, places),), join)

    def _search_all(self, sheet: Sheet, places: Sequence[Place]) -> tuple[list[Any], int]:
        """The rungs next to the even fight at every place, and how many fights it took."""
        parts, keys = Parts(), Keys(self.worker.system, self.worker.options)
        total, fought, found = math.log(self.start), 0, []
        for number, place in enumerate(places):
            row, believed = _row(sheet, place), total / (number + 1)
            known = math.log(self.prices[place.opponent.id])
            search = self._search(row, self._compiled(row, parts), keys, math.exp(believed))
            rungs = search.even(believed - known if place.first else known - believed)
            read = middle(rungs)
            total += known + (read if place.first else -read)
            fought += search.fought
            found.append([[[list(rung), list(counts)] for rung, counts in rungs], silent_side(search.single)])
        return found, fought

    def _search(self, row: DuelRow, single: Fight, keys: Keys, worth: float) -> EvenSearch:
        known = [self.prices.get(sheet.id, worth) for sheet in (row.a, row.b)]
        fixed = max(1, round(self.setting.size / max(known)))
        rungs = list_rungs(fixed, of_a=known[0] >= known[1])
        matchup = Matchup(row.a, row.b, 1, 1, row.situation, self.setting.policy, self.turns)
        return EvenSearch(single, matchup, rungs, keys.of, self.setting.n, self.worker.seed)

    def _compiled(self, row: DuelRow, parts: Parts) -> Fight:
        worker = self.worker
        return worker.system.compile_fight([row.a], [row.b], row.situation, worker.options, self.turns, parts)


def run_formula(plan: FormulaPlan, journal: Journal, threads: int, progress: Progress) -> pd.DataFrame:
    """Finish the searches of a plan and return the table of the rungs that they left, by sheet and place."""
    total, done, seconds = len(plan.sheets), 0, 0.0
    worked = 0

    def note(number: int, spent: float) -> None:
        nonlocal worked, seconds
        worked, seconds = worked + 1, seconds + spent

    def told() -> None:
        nonlocal done
        done += 1
        left = (total - done) * seconds / worked / threads if worked else 0.0
        text = f"{duration_text(left)} left" if worked and seconds > 1 else ""
        progress(done, total, text)

    Pool(journal, threads, note).run(plan.jobs(told))
    return plan.table.frame()


def _row(sheet: Sheet, place: Place) -> DuelRow:
    pair = (sheet, place.opponent) if place.first else (place.opponent, sheet)
    return DuelRow(*pair, place.situation, place.weight)


def is_fightable(sheet: Sheet, system: System, places: Sequence[Place], options: Options, turns: int) -> bool:
    """Tell whether a sheet can fire at some place."""
    for place in places:
        row = _row(sheet, place)
        fight = system.compile_fight([row.a], [row.b], row.situation, options, turns, Parts())
        if fight.can_fire_a if place.first else fight.can_fire_b:
            return True
    return False
