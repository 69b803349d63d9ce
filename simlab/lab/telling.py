"""The verb that tells one fight, die by die."""

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simlab.lab.arguments import MAX_SEED, MAX_TURNS, Arguments
from simlab.lab.fights import DEFAULT_SEED, Prepared, find_sides, prepare
from simlab.lab.notes import say_beforehand, say_compiling
from simlab.lab.roster import DEFAULT_SYSTEM
from simlab.lab.wording import problem_of
from simlab.model.errors import escaped
from simlab.model.situation import by_turn_text, first_fire_text, number_text, turns_text
from simlab.rules.registry import get_system

if TYPE_CHECKING:
    import pandas as pd

    from simlab.traces.told import Told

MAX_REPLICATE = 10**12 - 1
DEFAULT_POLICY = "spread"
Progress = Callable[..., None]


@dataclass(frozen=True)
class Trace:
    """A told fight. text: for people. dice: its tokens, one an exchange, as `dice` takes them."""

    text: str
    dice: tuple[str, ...]
    outcome: str
    exchanges: tuple[dict[str, Any], ...]

    def to_frame(self) -> "pd.DataFrame":
        """Return one row an exchange: turn, phase where there are several, unit, gunner, target, dice, told."""
        import pandas as pd

        return pd.DataFrame(list(self.exchanges))


def trace(
    a: Any,
    b: Any = None,
    *,
    range: Any = None,
    aspect_a: Any = None,
    aspect_b: Any = None,
    first_fire: Any = None,
    turns: int | None = None,
    policy_a: str | None = None,
    policy_b: str | None = None,
    seed: int | None = None,
    replicate: int | None = None,
    dice: Any = None,
    row: int | None = None,
    results: Any = None,
    set: Mapping[str, Any] | None = None,
    constants: Mapping[str, Any] | None = None,
    system: str | None = None,
    units: Any = None,
    progress: Progress | None = None,
) -> Trace:
    """Return one fight told: replicate `replicate` of what `duel` or `engage` counted under `seed`, or with given dice.

    a, b: units, or sides `COUNT UNIT[, ...]`. What is left out is as in `duel`, or as in `engage` where a side is of
    that form or a sequence. Without b, a is a study's run and `row` the number of its row, which says all but
    `replicate`. dice: tokens, one an exchange, a sequence or a text with blanks between them. progress: called with 0,
    0 and a note. Raises InputError.
    """
    if b is None:
        place = {"range": range, "aspect_a": aspect_a, "aspect_b": aspect_b, "first_fire": first_fire}
        rules_of_play = {"turns": turns, "policy_a": policy_a, "policy_b": policy_b, "set": set or None}
        rest = {"constants": constants or None, "dice": dice, "system": system}
        said_by_row = {**place, **rules_of_play, **rest}
        return _trace_row(a, row, replicate, seed, units, results, said_by_row, progress)
    given = Arguments()
    given.refuse_all({"row": row, "results": results}, "without a run")
    rules = get_system(_or(system, DEFAULT_SYSTEM))
    system = rules.name
    situation = given.situation(
        rules, _or(range, 24.0), _or(aspect_a, "front"), _or(aspect_b, "front"), first_fire
    )
    several = any(map(_is_counted, (a, b)))
    turns = given.whole("turns", _or(turns, 20 if several else 12), 1, MAX_TURNS)
    policies = [_policy(given, side, policy) for side, policy in (("a", policy_a), ("b", policy_b))]
    tokens = _tokens(given, dice)
    if tokens is not None:
        given.refuse_all({"seed": seed, "replicate": replicate}, "with --dice")
    seed = given.whole("seed", _or(seed, DEFAULT_SEED), 0, MAX_SEED)
    replicate = given.whole("replicate", _or(replicate, 0), 0, MAX_REPLICATE)
    given.check()
    sides = find_sides([("a", a), ("b", b)], system, units, bare=True)
    ready = prepare(rules, sides[0], sides[1], situation, set, turns, constants)
    say_beforehand(rules, ready.fight.options, progress)
    return _tell(ready, seed, replicate, tokens, policies[0], policies[1], progress)


def _tokens(given: Arguments, dice: Any) -> list[str] | None:
    """Return given dice as tokens, None for none."""
    if dice is None:
        return None
    tokens = dice.split() if isinstance(dice, str) else list(dice) if isinstance(dice, Sequence) else [dice]
    if not all(isinstance(token, str) for token in tokens):
        given.refuse("dice", dice, "tokens, one an exchange: a text with blanks between them, or a list")
    return tokens


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value


def _is_counted(side: Any) -> bool:
    """Whether a side is given as one of an engagement."""
    if isinstance(side, str):
        return "," in side or re.match(r"\s*[0-9]+\s", side) is not None
    return isinstance(side, Sequence)


def _policy(given: Arguments, side: str, policy: str | None) -> str:
    from simlab.engine.policies import POLICIES

    return given.choice(f"policy_{side}", _or(policy, DEFAULT_POLICY), POLICIES)


def _tell(
    ready: Prepared,
    seed: int,
    replicate: int,
    dice: list[str] | None,
    policy_a: str,
    policy_b: str,
    progress: Progress | None,
) -> Trace:
    from simlab.engine.judging import JUDGE_SECONDS, judge_is_ready
    from simlab.traces.told import tell_dice, tell_replicate

    policies, fight = {"policy_a": policy_a, "policy_b": policy_b}, ready.fight
    say_compiling(progress, lambda: judge_is_ready(fight, policy_a, policy_b), JUDGE_SECONDS)
    narrator = ready.system.narrator(ready.fight)
    if dice is None:
        told = tell_replicate(
            ready.fight, narrator, seed=seed, key=ready.key, replicate=replicate, **policies
        )
        how = f"seed {seed}, replicate {replicate}"
    else:
        told = tell_dice(ready.fight, narrator, dice, **policies)
        how = "given dice"
    chosen = [
        f"side {s} by the policy {p}" for s, p in (("a", policy_a), ("b", policy_b)) if p != DEFAULT_POLICY
    ]
    return _compose(ready, narrator, told, ", ".join([*chosen, how]))


def _trace_row(
    run: Any,
    row: int | None,
    replicate: int | None,
    seed: int | None,
    units: Any,
    results: Any,
    said_by_row: Mapping[str, Any],
    progress: Progress | None,
) -> Trace:
    """Tell a fight of a row; `said_by_row` are arguments that a row leaves nothing to say about."""
    from simlab.lab.study import prepare_row

    given = Arguments()
    if row is None:
        allowed = "the number of a row of the run, where there is no second unit"
        given.problems.append(problem_of("row", "no row", allowed))
    elif isinstance(row, bool) or not isinstance(row, int) or row < 0:
        given.refuse("row", row, "a whole number of at least 0")
    given.refuse_all(said_by_row, "for a row of a run: the study says it")
    given.check()
    assert row is not None
    ready, n = prepare_row(run, row, units, _or(results, "results"))
    replicate = given.whole("replicate", _or(replicate, 0), 0, MAX_REPLICATE if n is None else n - 1)
    if seed is not None and seed != ready.seed:
        given.refuse("seed", seed, f"{ready.seed}, the seed of the run")
    given.check()
    say_beforehand(ready.system, ready.fight.options, progress)
    return _tell(ready, ready.seed, replicate, None, DEFAULT_POLICY, DEFAULT_POLICY, progress)


def _labels(ready: Prepared) -> list[str]:
    fight = ready.fight
    labels = []
    for side, sheets in (("A", fight.sheets_a), ("B", fight.sheets_b)):
        for number, sheet in enumerate(sheets, 1):
            place = f"{side}{number}" if len(sheets) > 1 else side
            labels.append(f"{place} {escaped(sheet.name)}")
    return labels


def _compose(ready: Prepared, narrator: Any, told: "Told", how: str) -> Trace:
    fight, labels = ready.fight, _labels(ready)
    sheets = fight.sheets_a + fight.sheets_b
    unit = ready.system.range_unit
    lines = wrapped(
        f"{_sides(fight)} at {by_turn_text(fight.situation.range)} {unit}, {_terms(fight, how)}", ""
    )
    lines += wrapped(_readings(fight), "  ")
    rows = []
    turn, phase = 0, 0
    for event in told.events:
        if event.turn != turn:
            lines += ["", *wrapped(_heading(fight, turn, event.turn, unit), "")]
        if len(fight.phases) > 1 and (event.turn, event.phase) != (turn, phase):
            lines += wrapped(f"- {fight.phases[event.phase]}", " ")
        turn, phase = event.turn, event.phase
        gunner = ready.system.gunner_name(sheets[event.unit], event.gunner)
        token = narrator.token(event.throw)
        story = narrator.tell(event)
        head = f"{labels[event.unit]}, {escaped(gunner)}, at {labels[event.target]}  [{token}]"
        lines += wrapped(head, "  ")
        lines += [part for line in story for part in wrapped(escaped(line), "    ")]
        rows.append(
            {
                "turn": event.turn,
                **({"phase": fight.phases[phase]} if len(fight.phases) > 1 else {}),
                "unit": labels[event.unit],
                "gunner": gunner,
                "target": labels[event.target],
                "dice": token,
                "told": "; ".join(story),
            }
        )
    outcome = _outcome(told, fight.n_a)
    lines += ["", *wrapped(_ending(told, labels, outcome, turn, fight.turns), "")]
    return Trace("\n".join(lines), tuple(row["dice"] for row in rows), outcome, tuple(rows))


def _terms(fight: Any, how: str) -> str:
    """What a fight is fought under beside its range: aspects, first fire, turn limit, dice."""
    where = fight.situation
    shown = [by_turn_text(aspect).replace("_", " ") for aspect in (where.aspect_a, where.aspect_b)]
    found = first_fire_text(where.first_fire)
    silent = "" if found is None else f", {'B' if found[0] == 'a' else 'A'} silent in {found[1]}"
    return f"A shows {shown[0]}, B {shown[1]}{silent}, {turns_text(fight.turns)}, {how}"


def _readings(fight: Any) -> str:
    """Readings, optional rules and house numbers that differ from their defaults; nothing where none does."""
    changed = fight.options.non_default()
    words = (
        f"{name}={str(value).lower() if isinstance(value, bool) else value}"
        for name, value in changed.items()
    )
    return f"readings: {', '.join(words)}" if changed else ""


def _heading(fight: Any, before: int, turn: int, unit: str) -> str:
    """Return the title of a turn, with where the sides stand if that is not as in the turn told before."""
    situation = fight.situation
    scene = situation.scene(turn)
    if len(fight.situation.scenes(fight.turns)[0]) == 1 or (before and situation.scene(before) == scene):
        return f"Turn {turn}"
    shown = [aspect.replace("_", " ") for aspect in (scene.aspect_a, scene.aspect_b)]
    silent = "".join(
        f", {side} silent" for side, on in zip("AB", (scene.silent_a, scene.silent_b), strict=True) if on
    )
    return f"Turn {turn}: {number_text(scene.range)} {unit}, A shows {shown[0]}, B {shown[1]}{silent}"


def wrapped(text: str, indent: str) -> list[str]:
    """Return a text as lines of at most 80 columns, the first one indented and the others further."""
    return textwrap.wrap(
        text, 80, initial_indent=indent, subsequent_indent=indent + "    ", break_long_words=False
    )


def _sides(fight: Any) -> str:
    """Return who fights, units of one sheet counted."""
    sides = []
    for side, sheets in (("A", fight.sheets_a), ("B", fight.sheets_b)):
        names = [escaped(sheet.name) for sheet in sheets]
        groups = [f"{names.count(name)} {name}" if len(names) > 1 else name for name in dict.fromkeys(names)]
        sides.append(f"{side} {', '.join(groups)}")
    return " and ".join(sides)


def _outcome(told: "Told", n_a: int) -> str:
    lost_a, lost_b = all(told.fell[:n_a]), all(told.fell[n_a:])
    if lost_a and lost_b:
        return "both_destroyed"
    return "b_wins" if lost_a else "a_wins" if lost_b else "neither"


def _ending(told: "Told", labels: list[str], outcome: str, last: int, turns: int) -> str:
    fallen = [label for label, turn in zip(labels, told.fell, strict=True) if turn]
    said = {"a_wins": "A wins", "b_wins": "B wins", "both_destroyed": "both sides are destroyed"}
    ending = said.get(outcome, f"neither side is destroyed within {turns_text(turns)}")
    losses = f"; destroyed: {', '.join(fallen)}" if fallen else ""
    return f"After turn {turns if outcome == 'neither' else last}: {ending}{losses}"
