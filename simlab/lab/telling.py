"""The verb that tells one fight, die by die."""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simlab.lab.arguments import MAX_SEED, MAX_TURNS, Arguments
from simlab.lab.fights import DEFAULT_SEED, Prepared, find_side, prepare
from simlab.model.errors import InputError, escaped
from simlab.rules.registry import get_system

if TYPE_CHECKING:
    import pandas as pd

    from simlab.traces.told import Told

MAX_REPLICATE = 10**12 - 1


@dataclass(frozen=True)
class Trace:
    """A told fight. text: for people. dice: its tokens, one an exchange, as `dice` takes them."""

    text: str
    dice: tuple[str, ...]
    outcome: str
    exchanges: tuple[dict[str, Any], ...]

    def to_frame(self) -> "pd.DataFrame":
        """Return one row an exchange: turn, side, unit, gunner, target, dice, told."""
        import pandas as pd

        return pd.DataFrame(list(self.exchanges))


def trace(
    a: Any,
    b: Any = None,
    *,
    range: float = 24.0,
    aspect_a: str = "front",
    aspect_b: str = "front",
    turns: int | None = None,
    policy_a: str = "spread",
    policy_b: str = "spread",
    seed: int | None = None,
    replicate: int = 0,
    dice: Any = None,
    row: int | None = None,
    results: Any = "results",
    set: Mapping[str, Any] | None = None,
    system: str = "blitzkrieg",
    units: Any = None,
) -> Trace:
    """Return one fight told: replicate `replicate` of what `duel` or `engage` counted under `seed`, or with given dice.

    a, b: units, or sides `COUNT UNIT[, ...]`. Without b, a is a study's run and `row` the number of its row. dice:
    tokens, one an exchange, a sequence or a text with blanks between them. Raises InputError.
    """
    if b is None:
        return _trace_row(a, row, replicate, seed, units, results)
    if row is not None:
        raise InputError.one("row", str(row), "no row without a run")
    from simlab.engine.policies import PLANNED, POLICIES

    rules = get_system(system)
    given = Arguments()
    situation = given.situation(rules, range, aspect_a, aspect_b)
    several = any(not isinstance(side, str) or len(side.split()) > 1 or "," in side for side in (a, b))
    turns = given.whole("turns", (20 if several else 12) if turns is None else turns, 1, MAX_TURNS)
    if dice is not None and seed is not None:
        given.refuse("seed", seed, "no seed with dice")
    seed = given.whole("seed", DEFAULT_SEED if seed is None else seed, 0, MAX_SEED)
    replicate = given.whole("replicate", replicate, 0, MAX_REPLICATE)
    for side, policy in (("a", policy_a), ("b", policy_b)):
        given.choice(f"policy_{side}", policy, POLICIES, PLANNED)
    given.check()
    ready = prepare(
        rules,
        find_side(a, system, units, "a", bare=True),
        find_side(b, system, units, "b", bare=True),
        situation,
        set,
        turns,
    )
    return _tell(ready, seed, replicate, dice, policy_a, policy_b)


def _tell(ready: Prepared, seed: int, replicate: int, dice: Any, policy_a: str, policy_b: str) -> Trace:
    from simlab.traces.told import tell_dice, tell_replicate

    narrator = ready.system.narrator(ready.fight)
    policies = {"policy_a": policy_a, "policy_b": policy_b}
    if dice is None:
        told = tell_replicate(
            ready.fight, narrator, seed=seed, key=ready.key, replicate=replicate, **policies
        )
        how = f"seed {seed}, replicate {replicate}"
    else:
        tokens = dice.split() if isinstance(dice, str) else list(dice)
        told = tell_dice(ready.fight, narrator, tokens, **policies)
        how = "given dice"
    return _compose(ready, narrator, told, how)


def _trace_row(
    run: Any, row: int | None, replicate: int, seed: int | None, units: Any, results: Any
) -> Trace:
    from simlab.lab.study import prepare_row

    if row is None:
        raise InputError.one("row", "no row", "the number of a row of the run, with --row")
    ready, n = prepare_row(run, row, units, results)
    given = Arguments()
    replicate = given.whole("replicate", replicate, 0, n - 1)
    if seed is not None and seed != ready.seed:
        given.refuse("seed", seed, f"{ready.seed}, the seed of the run")
    given.check()
    return _tell(ready, ready.seed, replicate, None, "spread", "spread")


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
    lines = wrapped(f"{_sides(fight)} at {fight.situation.range:g} {unit}, {how}", "")
    rows = []
    turn = 0
    for event in told.events:
        if event.turn != turn:
            turn = event.turn
            lines += ["", f"Turn {turn}"]
        gunner = ready.system.gunner_name(sheets[event.unit], event.gunner)
        token = narrator.token(event.throw)
        story = narrator.tell(event)
        head = f"{labels[event.unit]}, {escaped(gunner)}, at {labels[event.target]}  [{token}]"
        lines += wrapped(head, "  ")
        lines += [part for line in story for part in wrapped(escaped(line), "    ")]
        rows.append(
            {
                "turn": event.turn,
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
    ending = said.get(outcome, f"neither side is destroyed within {turns} turns")
    losses = f"; destroyed: {', '.join(fallen)}" if fallen else ""
    return f"After turn {turns if outcome == 'neither' else last}: {ending}{losses}"
