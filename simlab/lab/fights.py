"""The verbs that fight: `duel` and `engage`."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simlab.analysis.intervals import estimate_share, estimate_wilson
from simlab.lab.arguments import (
    MAX_SEED,
    MAX_TURNS,
    Arguments,
    as_list,
    check_workers,
    count_fights,
    split_side,
)
from simlab.lab.results import DuelResult, EngageResult
from simlab.lab.roster import find_sheet
from simlab.model.errors import InputError
from simlab.model.keys import fight_key
from simlab.model.outcome import OUTCOMES, Tally
from simlab.rules.contract import Fight, System
from simlab.rules.registry import get_system

Progress = Callable[..., None]
DEFAULT_SEED = 1


@dataclass(frozen=True, eq=False)
class Prepared:
    """A compiled fight with its key and what of the call belongs into the result."""

    system: System
    fight: Fight
    key: int
    distance: float
    readings: dict[str, Any]
    seed: int = DEFAULT_SEED


def find_side(side: Any, system: str, units: Any, field: str = "side", *, bare: bool = False) -> list[Any]:
    """Return the sheets of a side: `COUNT UNIT[, ...]`, or a sequence of sheets, ids and paths."""
    if isinstance(side, str):
        found = []
        for count, name in split_side(side, field, bare=bare):
            found.extend([find_sheet(name, system, units)] * count)
        return found
    items = as_list(side, field) if isinstance(side, Sequence) else [side]
    return [find_sheet(item, system, units) if isinstance(item, str) else item for item in items]


def prepare(
    system: System,
    sheets_a: Sequence[Any],
    sheets_b: Sequence[Any],
    situation: Any,
    settings: Mapping[str, Any] | None,
    turns: int,
) -> Prepared:
    """Return the compiled fight; InputError if neither side has a weapon that can ever fire."""
    options = system.options(settings or {})
    fight = system.compile_fight(sheets_a, sheets_b, situation, options, turns)
    if not (fight.can_fire_a or fight.can_fire_b):
        raise InputError.one(
            "range",
            f"{situation.range:g}, at which neither side has a weapon that can ever fire",
            "a situation in which at least one side can fire",
        )
    return Prepared(system, fight, fight_key_of(fight), situation.range, options.built())


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
    range: float = 24.0,
    aspect_a: str = "front",
    aspect_b: str = "front",
    turns: int = 12,
    n: int | None = None,
    precision: Any = None,
    exact: bool = False,
    bound: float | None = None,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,
    workers: int | None = None,
    system: str = "blitzkrieg",
    units: Any = None,
    progress: Progress | None = None,
) -> DuelResult:
    """Return how a duel of `a` against `b` at a fixed range comes out.

    a, b: sheets, ids or paths. range: in the system's unit. aspect_a: the aspect of A that B hits. n fights, or so
    many that shares have a 95% half-width of `precision` (default 0.001). set: readings and optional rules. Raises
    InputError for anything that is not allowed.
    """
    rules = get_system(system)
    given = Arguments()
    situation = given.situation(rules, range, aspect_a, aspect_b)
    turns = given.whole("turns", turns, 1, MAX_TURNS)
    n = count_fights(given, n, precision, exact, bound)
    seed = given.whole("seed", DEFAULT_SEED if seed is None else seed, 0, MAX_SEED)
    workers = check_workers(given, workers)
    given.check()
    sheets = [find_sheet(unit, system, units) if isinstance(unit, str) else unit for unit in (a, b)]
    ready = prepare(rules, sheets[:1], sheets[1:], situation, set, turns)
    tally, seconds = _play(ready, n, seed, workers, "spread", "spread", progress)
    side_a, side_b = (_side_figures(ready, tally, unit) for unit in (0, 1))
    return DuelResult(
        **_common(ready, tally, seed, seconds),
        sheets={side: _sheet_facts(rules, sheet) for side, sheet in zip("ab", sheets, strict=True)},
        names={side: sheet.name for side, sheet in zip("ab", sheets, strict=True)},
        ecvs={side: sheet.ecv for side, sheet in zip("ab", sheets, strict=True)},
        a=sheets[0].id,
        b=sheets[1].id,
        kill_rate_a=side_b["destroyed"],
        kill_rate_b=side_a["destroyed"],
        side_a=side_a,
        side_b=side_b,
    )


def engage(
    side_a: Any,
    side_b: Any,
    *,
    range: float = 24.0,
    aspect_a: str = "front",
    aspect_b: str = "front",
    turns: int = 20,
    policy_a: str = "spread",
    policy_b: str = "spread",
    n: int | None = None,
    precision: Any = None,
    exact: bool = False,
    bound: float | None = None,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,
    workers: int | None = None,
    system: str = "blitzkrieg",
    units: Any = None,
    progress: Progress | None = None,
) -> EngageResult:
    """Return how a fight of sides of units at a fixed range comes out; arguments as those of `duel`.

    side_a, side_b: `COUNT UNIT[, COUNT UNIT]...`, or sequences of sheets, ids and paths. policy_a, policy_b: who
    shoots at whom, first or spread.
    """
    from simlab.engine.policies import PLANNED, POLICIES

    rules = get_system(system)
    given = Arguments()
    situation = given.situation(rules, range, aspect_a, aspect_b)
    turns = given.whole("turns", turns, 1, MAX_TURNS)
    n = count_fights(given, n, precision, exact, bound)
    seed = given.whole("seed", DEFAULT_SEED if seed is None else seed, 0, MAX_SEED)
    workers = check_workers(given, workers)
    policy_a, policy_b = (
        given.choice(f"policy_{s}", p, POLICIES, PLANNED) for s, p in (("a", policy_a), ("b", policy_b))
    )
    given.check()
    sides = [find_side(s, system, units, f) for s, f in ((side_a, "side_a"), (side_b, "side_b"))]
    ready = prepare(rules, sides[0], sides[1], situation, set, turns)
    tally, seconds = _play(ready, n, seed, workers, policy_a, policy_b, progress)
    destroyed = (tally.destroyed() / tally.n).tolist()
    first_b = ready.fight.n_a
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
        survivors={
            "a": [float(chance) for chance in tally.survivors_a / tally.n],
            "b": [float(chance) for chance in tally.survivors_b / tally.n],
        },
        ecv_lost={
            "a": _ecv_lost(sides[0], destroyed[:first_b]),
            "b": _ecv_lost(sides[1], destroyed[first_b:]),
        },
        exchanges=tally.exchanges / tally.n,
        cannot_fire_a=not ready.fight.can_fire_a,
        cannot_fire_b=not ready.fight.can_fire_b,
    )


def _play(
    ready: Prepared, n: int, seed: int, workers: int, policy_a: str, policy_b: str, progress: Progress | None
) -> tuple[Tally, float]:
    from simlab.engine.play import is_compiled, play_fights

    if progress is not None and not is_compiled(ready.fight):
        progress(0, n, "compiling the rules, once")
    # A first fight outside the clock: `seconds` is playing, not loading or compiling.
    play_fights(ready.fight, n=1, seed=seed, key=ready.key, workers=1)
    started = time.perf_counter()
    tally = play_fights(
        ready.fight,
        n=n,
        seed=seed,
        key=ready.key,
        workers=workers,
        policy_a=policy_a,
        policy_b=policy_b,
        progress=progress,
    )
    return tally, time.perf_counter() - started


def _common(ready: Prepared, tally: Tally, seed: int, seconds: float) -> dict[str, Any]:
    counts = {name: int(count) for name, count in zip(OUTCOMES, tally.outcomes, strict=True)}
    share, low, high = (float(x) for x in estimate_share(tally.outcomes))
    intervals = {name: _wilson(count, tally.n) for name, count in counts.items()}
    situation = ready.fight.situation
    return {
        "system": ready.system.name,
        "range": ready.distance,
        "aspect_a": situation.aspect_a,
        "aspect_b": situation.aspect_b,
        "turns": ready.fight.turns,
        "readings": ready.readings,
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
        "rules_version": ready.system.version,
        "seconds": seconds,
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
        "ecv_lost": _ecv_lost([sheet], [counts["destroyed"] / tally.n]),
        "cannot_fire": not can_fire,
        "counts": {**counts, "turns_destroyed": turns},
        "intervals": {name: _wilson(count, tally.n) for name, count in counts.items()},
    }


def _ecv_lost(sheets: Sequence[Any], destroyed: Sequence[float]) -> float | None:
    """Return the mean sum of the ECV of destroyed units, None if any unit has none."""
    if any(sheet.ecv.value is None for sheet in sheets):
        return None
    return float(sum(sheet.ecv.value * chance for sheet, chance in zip(sheets, destroyed, strict=True)))


def _sheet_facts(rules: System, sheet: Any) -> dict[str, str]:
    return {"id": sheet.id, "sheet_hash": rules.sheet_hash(sheet), "fight_hash": rules.fight_hash(sheet)}
