"""One fight told: the loop and stages of the counted fight, at the same addresses, written down."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from simlab import jit
from simlab.dice import cut, recorded, scripted, words
from simlab.dice.slots import SLOTS
from simlab.engine import layout, lists, loop, policies, remembering
from simlab.engine.judging import asking_plainly
from simlab.engine.play import fight_setting, fight_word
from simlab.model.errors import InputError, shown
from simlab.rules.contract import Fight, Narrator


@dataclass(frozen=True, eq=False)
class Event:
    """One exchange. Units are numbered over both sides, side a first; words are the system's.

    throw: the dice as the system's narrator reads them; None where the target had fallen and no die was thrown.
    """

    number: int
    turn: int
    phase: int
    unit: int
    gunner: int
    target: int
    ability: int
    target_ability: int
    before: int
    after: int
    note: int
    throw: Any


@dataclass(frozen=True, eq=False)
class Told:
    """A told fight: its exchanges, and of each unit its final flags and the turn in which it fell (0: stands)."""

    events: tuple[Event, ...]
    bodies: tuple[int, ...]
    fell: tuple[int, ...]


def _loop(fight: Fight, *dice: ModuleType) -> Callable[..., Any]:
    """The loop over a single fight with a source of dice, run by Python: the rules need not be compiled for it."""
    return jit.interpreted(
        loop.play_logged,
        (words, *dice, lists, policies, remembering, asking_plainly(), *fight.system.kernels),
    )


def tell_replicate(
    fight: Fight, narrator: Narrator, *, seed: int, key: int, replicate: int, policy_a: str, policy_b: str
) -> Told:
    """Return the fight that `play_fights` counted under this seed, key and replicate."""
    play = _loop(fight, cut, recorded)
    size = _most_exchanges(fight)
    log = np.zeros((size, layout.LOG_FIELDS), np.uint64)
    records = np.zeros((size, recorded.RECORD), np.uint64)
    with np.errstate(over="ignore"):
        records[0, recorded.REPLICATE] = words.replicate_word(fight_word(seed, key), np.uint64(replicate))
    played, units = play(fight.program, *_arguments(fight, policy_a, policy_b), records, log)
    throws = [narrator.read_record(records[number]) for number in range(played)]
    return _told(log[:played], units, throws)


def tell_dice(
    fight: Fight, narrator: Narrator, tokens: Sequence[str], *, policy_a: str, policy_b: str
) -> Told:
    """Return the fight that falls out with these dice, one token an exchange.

    Raises InputError that names the exchange whose dice are missing, superfluous or unreadable.
    """
    if fight.shuffled:
        raise InputError.one("dice", "volleys in a random order", "dice for volleys in the listed order only")
    if "random" in (policy_a, policy_b):
        raise InputError.one("dice", "targets chosen at random", "dice for policies that need none")
    play = _loop(fight, scripted)
    throws = [narrator.read_token(token, number) for number, token in enumerate(tokens, 1)]
    size = max(_most_exchanges(fight), len(tokens))
    scripts = np.zeros((size, 2, SLOTS), np.int64)
    log = np.zeros((size, layout.LOG_FIELDS), np.uint64)
    for number, throw in enumerate(throws):
        scripts[number, 0] = narrator.script(throw)
    played, units = play(fight.program, *_arguments(fight, policy_a, policy_b), scripts, log)
    for number in range(played):
        lost = bool(log[number, layout.LOG_LOST])
        if number >= len(tokens):
            raise InputError.one("dice", f"no dice for exchange {number + 1}", "one token an exchange")
        narrator.check_throw(throws[number], scripts[number, 1], number + 1, lost)
    if len(tokens) > played:
        found = f"dice for exchange {played + 1}, {shown(tokens[played])}"
        raise InputError.one("dice", found, f"dice for the {played} exchanges of this fight")
    return _told(log[:played], units, throws)


def _arguments(fight: Fight, policy_a: str, policy_b: str) -> tuple[Any, ...]:
    types = np.array(fight.types_a + fight.types_b, np.uint64)
    return fight_setting(fight, policy_a, policy_b), types, np.array(fight.scene_of_turn, np.uint64)


def _most_exchanges(fight: Fight) -> int:
    per_turn = sum(fight.system.gunner_count(sheet) for sheet in fight.sheets_a + fight.sheets_b)
    return max(1, per_turn * fight.turns * len(fight.phases))


def _told(log: npt.NDArray[np.uint64], units: npt.NDArray[np.uint64], throws: Sequence[Any]) -> Told:
    fields = (
        "turn",
        "phase",
        "unit",
        "gunner",
        "target",
        "ability",
        "target_ability",
        "before",
        "after",
        "note",
    )
    events = [
        Event(
            number=number + 1,
            throw=None if row[layout.LOG_LOST] else throws[number],
            **{name: int(row[place]) for place, name in enumerate(fields)},
        )
        for number, row in enumerate(log)
    ]
    bodies = tuple(int(body) for body in units[:, layout.BODY])
    return Told(tuple(events), bodies, tuple(int(turn) for turn in units[:, layout.FELL]))
