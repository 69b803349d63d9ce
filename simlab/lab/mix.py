"""Who is asked about against whom, where and how: what `whatif`, `sensitivity`, `solve` and `why` have in common."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simlab.analysis.paired_difference import WIN_SHARE, Figure, estimate
from simlab.analysis.readings_paired import Estimate
from simlab.lab.arguments import (
    MAX_SEED,
    MAX_TURNS,
    Arguments,
    Method,
    as_mapping,
    check_method,
    check_workers,
)
from simlab.lab.fights import DEFAULT_SEED
from simlab.lab.notes import say_beforehand
from simlab.lab.roster import find_sheets, sheet_files, typed
from simlab.lab.same_dice import Answer, Pair, Place, SameDice
from simlab.model.errors import InputError, shown
from simlab.model.keys import canonical_value
from simlab.model.situation import Situation, by_turn_text
from simlab.rules.contract import Sheet, System
from simlab.rules.registry import get_system

SCHEMA = 1
ALL = "all"
LEAST_FIGHTS = 320
USUAL_BOUND = 1e-6
"""Error of a solved duel where none is asked for: far below any difference that matters, and quicker than 1e-9."""
ALLOWED_AGAINST = "ids or paths of units, or all"


@dataclass(frozen=True)
class Terms:
    """The arguments that the verbs share, as they were given; see `simlab.lab.duel`.

    ranges: several ranges, each as `range`, of equal weight; they exclude `range`.
    """

    range: Any = None
    ranges: Any = None
    aspect_a: Any = "front"
    aspect_b: Any = "front"
    first_fire: Any = None
    turns: int = 12
    n: int | None = None
    precision: Any = None
    exact: bool = False
    bound: float | None = None
    time_limit: float | None = None
    seed: int | None = None
    set: Mapping[str, Any] | None = None
    constants: Mapping[str, Any] | None = None
    workers: int | None = None
    system: str = "blitzkrieg"
    units: Any = None


@dataclass(frozen=True, eq=False)
class Mix:
    """A unit, its opponents and the situations, all of equal weight, and who answers their duels."""

    rules: System
    unit: Sheet
    opponents: tuple[Sheet, ...]
    situations: tuple[Situation, ...]
    asker: SameDice

    @property
    def places(self) -> list[Place]:
        """Every opponent in every situation, with its weight."""
        weight = 1 / (len(self.opponents) * len(self.situations))
        return [Place(b, situation, weight) for b in self.opponents for situation in self.situations]

    @property
    def weights(self) -> list[float]:
        """The weights of the places."""
        return [place.weight for place in self.places]

    def share(self, answers: Sequence[Answer]) -> Estimate:
        """Return the win share of the unit over all places."""
        return self.mean([answer.figure(WIN_SHARE) for answer in answers], 0.0, 1.0)

    def mean(self, figures: Sequence[Figure], low: float = -1.0, high: float = 1.0) -> Estimate:
        """Return the mean of a figure over all places."""
        return estimate(figures, self.weights, low, high)

    def base(self) -> list[Answer]:
        """Return what the unit's duels come to, place by place."""
        return [self.asker.base((self.unit, place.b), place.situation) for place in self.places]

    def check_fire(self, *pairs: Callable[[Place], Pair]) -> None:
        """Raise InputError where no side can ever fire, in any place, with any of the pairs of sheets."""
        asker = self.asker
        if not any(asker.can_fire(pair(place), place.situation) for place in self.places for pair in pairs):
            places = " and ".join(by_turn_text(situation.range) for situation in self.situations)
            found = f"{places}, at which neither side has a weapon that can ever fire"
            raise InputError.one("range", found, "a situation in which at least one side can fire")

    def record(self) -> dict[str, Any]:
        """Return who fought under which terms, as plain values."""
        asker, rules = self.asker, self.rules
        return {
            "system": rules.name,
            "a": self.unit.id,
            "b": [sheet.id for sheet in self.opponents],
            "ranges": [canonical_value(situation.range) for situation in self.situations],
            "aspect_a": canonical_value(self.situations[0].aspect_a),
            "aspect_b": canonical_value(self.situations[0].aspect_b),
            "first_fire": self.situations[0].first_fire,
            "turns": asker.turns,
            "seed": asker.seed,
            "readings": asker.options.built(),
            "constants": asker.options.house_numbers(),
            "rules_version": rules.version,
            "sheets": {
                "a": self.hashes(self.unit),
                "b": [self.hashes(sheet) for sheet in self.opponents],
            },
        }

    def hashes(self, sheet: Sheet) -> dict[str, str]:
        """Return id and hashes of a sheet."""
        rules = self.rules
        return {"id": sheet.id, "sheet_hash": rules.sheet_hash(sheet), "fight_hash": rules.fight_hash(sheet)}


def read_mix(
    unit: Any,
    against: Any,
    terms: Terms,
    usual_precision: str,
    progress: Callable[..., None] | None,
    given: Arguments | None = None,
    names: tuple[str, str] = ("unit", "against"),
) -> Mix:
    """Return the question that arguments ask; InputError lists all that is wrong with them.

    usual_precision: of a share, where neither fights nor precision are given. given: what was found wrong so far.
    names: what messages call the unit and its opponents.
    """
    rules, given = get_system(terms.system), given or Arguments()
    situations = _situations(given, rules, terms)
    turns = given.whole("turns", terms.turns, 1, MAX_TURNS)
    method = _method(given, terms, usual_precision)
    seed = given.whole("seed", DEFAULT_SEED if terms.seed is None else terms.seed, 0, MAX_SEED)
    workers = check_workers(given, terms.workers)
    given.check()
    sheets = _sheets(unit, against, terms, names)
    options = rules.options(as_mapping("set", terms.set), as_mapping("constants", terms.constants))
    say_beforehand(rules, options, progress)
    asker = SameDice(rules, options, turns, method, seed, workers, progress)
    return Mix(rules, sheets[0], tuple(sheets[1:]), situations, asker)


def _situations(given: Arguments, rules: System, terms: Terms) -> tuple[Situation, ...]:
    wanted = [24.0 if terms.range is None else terms.range]
    if terms.ranges is not None:
        given.refuse_all({"range": terms.range}, "with ranges")
        if not isinstance(terms.ranges, Sequence) or isinstance(terms.ranges, str) or not len(terms.ranges):
            given.refuse("ranges", terms.ranges, "a list of ranges")
        else:
            wanted = list(terms.ranges)
    aspects = terms.aspect_a, terms.aspect_b, terms.first_fire
    found = [given.situation(rules, distance, *aspects) for distance in wanted]
    given.problems[:] = dict.fromkeys(given.problems)
    return tuple(dict.fromkeys(found))


def _method(given: Arguments, terms: Terms, usual_precision: str) -> Method:
    named = terms.n is None and terms.precision is None
    precision = usual_precision if named and terms.exact is not True else terms.precision
    found = check_method(given, terms.n, precision, terms.exact, terms.bound, terms.seed, terms.time_limit)
    if terms.n is not None:
        given.whole("n", terms.n, LEAST_FIGHTS, 10**12)
    elif found.n < LEAST_FIGHTS:
        given.refuse("precision", precision, f"a half-width that takes {LEAST_FIGHTS} fights at least")
    exact = None if named and terms.seed is None and found.exact is not True else found.exact
    bound = USUAL_BOUND if terms.bound is None else found.bound
    return Method(True if found.exact else exact, found.n, bound, found.time_limit)


def _sheets(unit: Any, against: Any, terms: Terms, fields: tuple[str, str]) -> list[Sheet]:
    """The unit and its opponents, each once."""
    names = _names(against)
    if ALL in names:
        own = unit if isinstance(unit, str) else getattr(unit, "id", "")
        names = [name for name in sheet_files(terms.system, terms.units) if name != own]
    wanted = [(fields[0], unit), *((fields[1], name) for name in names)]
    return find_sheets(wanted, terms.system, terms.units)


def _names(against: Any) -> list[Any]:
    several = [against] if isinstance(against, str | os.PathLike) or hasattr(against, "id") else against
    if not isinstance(several, Iterable) or isinstance(several, Mapping | bytes):
        raise InputError.one("against", "nothing" if against is None else typed(against), ALLOWED_AGAINST)
    names: list[Any] = []
    for each in several:
        parts = [part.strip() for part in each.split(",")] if isinstance(each, str) else [each]
        if "" in parts:
            raise InputError.one("against", shown(each), ALLOWED_AGAINST)
        names += [part for part in parts if not any(part is known or part == known for known in names)]
    if not names:
        raise InputError.one("against", "nothing", ALLOWED_AGAINST)
    return names
