"""The verbs that fight: `duel` and `engage`."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simlab.analysis.intervals import estimate_share, estimate_wilson
from simlab.lab.arguments import (
    MAX_SEED,
    MAX_TURNS,
    Arguments,
    Method,
    as_list,
    as_mapping,
    check_method,
    check_workers,
    refuse_exact,
    split_side,
)
from simlab.lab.losing import check_breaks, mean_loss, refuse_unpriced, what_is_left
from simlab.lab.notes import note_of, say_beforehand
from simlab.lab.results import DuelResult, EngageResult
from simlab.lab.roster import find_sheets
from simlab.lab.wording import naming_arguments
from simlab.model.errors import InputError, Problem
from simlab.model.keys import fight_key
from simlab.model.outcome import OUTCOMES, Tally
from simlab.model.situation import Situation, by_turn_text
from simlab.rules.contract import Fight, System
from simlab.rules.registry import get_system

if TYPE_CHECKING:
    from simlab.exact.solution import Solution

Progress = Callable[..., None]
DEFAULT_SEED = 1


@dataclass(frozen=True, eq=False)
class Prepared:
    """A compiled fight with its key and what of the call belongs into the result."""

    system: System
    fight: Fight
    key: int
    readings: dict[str, Any]
    constants: dict[str, Any]
    seed: int = DEFAULT_SEED


def find_side(side: Any, system: str, units: Any, field: str = "side", *, bare: bool = False) -> list[Any]:
    """Return the sheets of a side: `COUNT UNIT[, ...]`, or a sequence of sheets, ids and paths."""
    if isinstance(side, str):
        groups = split_side(side, field, bare=bare)
        sheets = find_sheets([(field, name) for _, name in groups], system, units)
        return [sheet for (count, _), sheet in zip(groups, sheets, strict=True) for _ in range(count)]
    items = as_list(side, field) if isinstance(side, Sequence) else [side]
    known: dict[Any, Any] = {}
    for item in items:
        known.setdefault(_name_of(item), item)
    found = find_sheets([(field, item) for item in known.values()], system, units)
    by_name = dict(zip(known, found, strict=True))
    return [by_name[_name_of(item)] for item in items]


def find_sides(
    sides: Sequence[tuple[str, Any]], system: str, units: Any, *, bare: bool = False
) -> list[list[Any]]:
    """Return the sheets of sides, each a field for messages and what `find_side` takes; all faults are said at once."""
    found: list[list[Any]] = []
    problems: list[Problem] = []
    for field, side in sides:
        try:
            found.append(find_side(side, system, units, field, bare=bare))
        except InputError as error:
            problems.extend(problem for problem in error.problems if problem not in problems)
    if problems:
        raise InputError(problems)
    return found


def _name_of(item: Any) -> Any:
    """What tells a unit of a side from others: a text itself, else which object it is."""
    return item if isinstance(item, str) else id(item)


def prepare(
    system: System,
    sheets_a: Sequence[Any],
    sheets_b: Sequence[Any],
    situation: Situation,
    settings: Mapping[str, Any] | None,
    turns: int,
    constants: Mapping[str, Any] | None = None,
) -> Prepared:
    """Return the compiled fight; InputError if neither side has a weapon that can ever fire."""
    options = system.options(as_mapping("set", settings), as_mapping("constants", constants))
    fight = system.compile_fight(sheets_a, sheets_b, situation, options, turns)
    if not (fight.can_fire_a or fight.can_fire_b):
        raise InputError.one(
            "range",
            f"{by_turn_text(situation.range)}, at which neither side has a weapon that can ever fire",
            "a situation in which at least one side can fire",
        )
    return Prepared(system, fight, fight_key_of(fight), options.built(), options.house_numbers())


def split_options(non_default: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return readings and house numbers apart from what differs from the defaults, as runs keep it."""
    mark = "constants."
    readings = {name: value for name, value in non_default.items() if not name.startswith(mark)}
    numbers = {name.removeprefix(mark): value for name, value in non_default.items() if name not in readings}
    return readings, numbers


def fight_key_of(fight: Fight) -> int:
    """Return the key under which a fight's dice are drawn."""
    system = fight.system
    hashes: dict[int, str] = {}
    sides = [
        [hashes.setdefault(id(sheet), system.fight_hash(sheet)) for sheet in side]
        for side in (fight.sheets_a, fight.sheets_b)
    ]
    return fight_key(
        system.name, system.version, sides[0], sides[1], fight.situation, fight.options.non_default()
    )


def duel(
    a: Any,
    b: Any,
    *,
    range: Any = 24.0,
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
    set: Mapping[str, Any] | None = None,
    constants: Mapping[str, Any] | None = None,
    workers: int | None = None,
    system: str = "blitzkrieg",
    units: Any = None,
    progress: Progress | None = None,
) -> DuelResult:
    """Return how a duel of `a` against `b` comes out where ranges and aspects are given.

    a, b: sheets, ids or paths. range: in the system's unit. aspect_a: the aspect of A that B hits. Each of the three
    is one value, or values by turn (a sequence, or a text like "36,30,24"), the last of which holds. first_fire:
    "a:2" keeps b silent in turns 1 and 2. n fights, or so many that shares have a 95% half-width of `precision`;
    or exact, with an error of at most `bound` (1e-9), if that is forecast to take less than `time_limit` seconds (60);
    without any of these, what is forecast cheaper than sampling to a precision of 0.001. set: readings and optional
    rules. constants: house numbers. progress: called with fights or turns done and to do; with 0 to do it is told a
    note. Raises InputError for anything that is not allowed.
    """
    rules = get_system(system)
    given = Arguments()
    situation = given.situation(rules, range, aspect_a, aspect_b, first_fire)
    turns = given.whole("turns", turns, 1, MAX_TURNS)
    method = check_method(given, n, precision, exact, bound, seed, time_limit)
    seed = given.whole("seed", DEFAULT_SEED if seed is None else seed, 0, MAX_SEED)
    workers = check_workers(given, workers)
    given.check()
    sheets: list[Any] = find_sheets([("a", a), ("b", b)], system, units)
    ready = prepare(rules, sheets[:1], sheets[1:], situation, set, turns, constants)
    say_beforehand(rules, ready.fight.options, progress)
    found = _answer(ready, method, seed, workers, progress)
    return DuelResult(
        **found,
        sheets={side: _sheet_facts(rules, sheet) for side, sheet in zip("ab", sheets, strict=True)},
        names={side: sheet.name for side, sheet in zip("ab", sheets, strict=True)},
        ecvs={side: sheet.ecv for side, sheet in zip("ab", sheets, strict=True)},
        a=sheets[0].id,
        b=sheets[1].id,
        kill_rate_a=found["side_b"]["destroyed"],
        kill_rate_b=found["side_a"]["destroyed"],
    )


def _answer(
    ready: Prepared, method: Method, seed: int, workers: int, progress: Progress | None
) -> dict[str, Any]:
    """Return what a duel comes to, solved or sampled."""
    from simlab.lab.exact_duels import solve, warn
    from simlab.studies.method import choose_method

    exact, why = bool(method.exact), ""
    if method.exact is None:
        choice = choose_method(ready.fight, method.n, method.bound, lambda: warn(ready.fight, progress))
        exact, why = choice.exact, choice.why
    if exact:
        with naming_arguments():
            solution, seconds = solve(ready.fight, method.bound, method.time_limit, progress)
        return {**_solved(ready, solution, seconds), "why": why}
    tally, seconds = _play(ready, method.n, seed, workers, "spread", "spread", progress)
    sides = {f"side_{side}": _side_figures(ready, tally, unit) for unit, side in enumerate("ab")}
    return {**_common(ready, tally, seed, seconds), **sides, "why": why}


def engage(
    side_a: Any,
    side_b: Any,
    *,
    range: Any = 24.0,
    aspect_a: Any = "front",
    aspect_b: Any = "front",
    first_fire: Any = None,
    turns: int = 20,
    policy_a: str = "spread",
    policy_b: str = "spread",
    breaks: float | None = None,
    n: int | None = None,
    precision: Any = None,
    exact: bool = False,
    bound: float | None = None,
    time_limit: float | None = None,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,
    constants: Mapping[str, Any] | None = None,
    workers: int | None = None,
    system: str = "blitzkrieg",
    units: Any = None,
    progress: Progress | None = None,
) -> EngageResult:
    """Return how a fight of sides of units comes out where ranges and aspects are given; arguments as those of `duel`.

    side_a, side_b: `COUNT UNIT[, COUNT UNIT]...`, or sequences of sheets, ids and paths. policy_a, policy_b: who
    shoots at whom: first, spread, focus, weakest, dangerous or random. breaks: the share of its ECV, above 0 up to 1,
    at the loss of which a side breaks; the fight then ends with the turn, and a side that is broken or destroyed loses
    to one that is not. Sides are never solved: exact, bound and time_limit are refused.
    """
    from simlab.engine.policies import POLICIES

    rules = get_system(system)
    given = Arguments()
    situation = given.situation(rules, range, aspect_a, aspect_b, first_fire)
    turns = given.whole("turns", turns, 1, MAX_TURNS)
    refuse_exact(given, exact, bound, time_limit)
    n = check_method(given, n, precision, exact=False).n
    seed = given.whole("seed", DEFAULT_SEED if seed is None else seed, 0, MAX_SEED)
    workers = check_workers(given, workers)
    policy_a, policy_b = (
        given.choice(f"policy_{s}", p, POLICIES) for s, p in (("a", policy_a), ("b", policy_b))
    )
    breaks = check_breaks(given, breaks)
    given.check()
    sides = find_sides([("side_a", side_a), ("side_b", side_b)], system, units)
    if breaks is not None:
        refuse_unpriced(sides)
    ready = prepare(rules, sides[0], sides[1], situation, set, turns, constants)
    say_beforehand(rules, ready.fight.options, progress)
    tally, seconds = _play(ready, n, seed, workers, policy_a, policy_b, progress, breaks)
    return EngageResult(
        **_common(ready, tally, seed, seconds),
        sheets={
            s: [_sheet_facts(rules, sheet) for sheet in side] for s, side in zip("ab", sides, strict=True)
        },
        names={sheet.id: sheet.name for side in sides for sheet in side},
        ecvs={sheet.id: sheet.ecv for side in sides for sheet in side},
        a=tuple(sheet.id for sheet in sides[0]),
        b=tuple(sheet.id for sheet in sides[1]),
        policy_a=policy_a,
        policy_b=policy_b,
        breaks=breaks,
        **what_is_left(ready.fight, tally),
    )


def _play(
    ready: Prepared,
    n: int,
    seed: int,
    workers: int,
    policy_a: str,
    policy_b: str,
    progress: Progress | None,
    breaks: float | None = None,
) -> tuple[Tally, float]:
    from simlab.engine.play import compile_ahead, play_fights

    # Outside the clock: `seconds` is playing, not loading or compiling.
    compile_ahead(ready.fight, note_of(progress), policy_a, policy_b)
    started = time.perf_counter()
    tally = play_fights(
        ready.fight,
        n=n,
        seed=seed,
        key=ready.key,
        workers=workers,
        policy_a=policy_a,
        policy_b=policy_b,
        breaks=breaks,
        progress=progress,
    )
    return tally, time.perf_counter() - started


def _terms(ready: Prepared, seconds: float) -> dict[str, Any]:
    """Return under which terms a fight was answered."""
    situation = ready.fight.situation
    return {
        "system": ready.system.name,
        "range": situation.range,
        "aspect_a": situation.aspect_a,
        "aspect_b": situation.aspect_b,
        "first_fire": situation.first_fire,
        "turns": ready.fight.turns,
        "readings": ready.readings,
        "constants": ready.constants,
        "rules_version": ready.system.version,
        "seconds": seconds,
    }


def _common(ready: Prepared, tally: Tally, seed: int, seconds: float) -> dict[str, Any]:
    counts = {name: int(count) for name, count in zip(OUTCOMES, tally.outcomes, strict=True)}
    share, low, high = (float(x) for x in estimate_share(tally.outcomes))
    intervals = {name: _wilson(count, tally.n) for name, count in counts.items()}
    return {
        **_terms(ready, seconds),
        "method": "monte_carlo",
        "error_bound": None,
        "n": tally.n,
        "seed": seed,
        "outcomes": {name: count / tally.n for name, count in counts.items()},
        "counts": counts,
        "intervals": {**intervals, "win_share_a": (low, high)},
        "win_share_a": share,
        "win_share_b": 1 - share,
        "no_decision": 2 * counts["neither"] > tally.n,
    }


def _solved(ready: Prepared, solution: "Solution", seconds: float) -> dict[str, Any]:
    from simlab.lab.exact_duels import by_turn_of, outcomes_of, rounded, side_figures

    outcomes = outcomes_of(solution)
    share = rounded(outcomes["a_wins"] + (1 - outcomes["a_wins"] - outcomes["b_wins"]) / 2)
    return {
        **_terms(ready, seconds),
        "method": "exact",
        "error_bound": solution.error_bound,
        "n": None,
        "seed": None,
        "outcomes": outcomes,
        "counts": None,
        "intervals": None,
        "win_share_a": share,
        "win_share_b": rounded(1 - share),
        "no_decision": outcomes["neither"] > 0.5,
        "by_turn": by_turn_of(solution),
        **{f"side_{side}": side_figures(solution, ready.fight, unit) for unit, side in enumerate("ab")},
    }


def _wilson(count: int, n: int) -> tuple[float, float]:
    low, high = estimate_wilson(count, n)
    return float(low), float(high)


def _side_figures(ready: Prepared, tally: Tally, unit: int) -> dict[str, Any]:
    """Return what happened to one unit of a duel."""
    names = ("destroyed", *ready.system.kinds)
    counts = {name: int(tally.with_flag(bit)[unit]) for bit, name in enumerate(names)}
    turns = int(tally.turn_sum[unit])
    sheet = (ready.fight.sheets_a + ready.fight.sheets_b)[unit]
    can_fire = ready.fight.can_fire_b if unit else ready.fight.can_fire_a
    return {
        **{name: count / tally.n for name, count in counts.items()},
        "mean_turn_destroyed": turns / counts["destroyed"] if counts["destroyed"] else None,
        "ecv_lost": mean_loss([sheet], [counts["destroyed"] / tally.n]),
        "cannot_fire": not can_fire,
        "counts": {**counts, "turns_destroyed": turns},
        "intervals": {name: _wilson(count, tally.n) for name, count in counts.items()},
    }


def _sheet_facts(rules: System, sheet: Any) -> dict[str, str]:
    return {"id": sheet.id, "sheet_hash": rules.sheet_hash(sheet), "fight_hash": rules.fight_hash(sheet)}
