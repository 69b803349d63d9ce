"""The dice of one shot, read and written as tokens: d20s in the order of the rules, `12/7/15` (TD-10).

To hit; after a hit the location; under `penetration=roll` the penetration; then effects, or a check of morale.
"""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from simlab.dice import recorded
from simlab.dice.slots import SLOTS, START
from simlab.model.errors import InputError, shown
from simlab.rules.tank_d20.names import FACES

Throw: TypeAlias = tuple[int, ...]
"""Dice of a shot, 1 to 20, in the order in which they fall."""
MOST_DICE = 4
FORM = "d20s by /: to hit, location, penetration if it is rolled, effects or morale"


def throw_of_record(record: npt.NDArray[np.uint64]) -> Throw:
    """Return the dice written down in a record of `simlab.dice.recorded`."""
    faces = record[recorded.FACES + START : recorded.FACES + START + MOST_DICE]
    return tuple(int(face) for face in faces if face)


def throw_of_token(token: str, number: int) -> Throw | None:
    """Return the dice typed for an exchange, None for `-`. Raises InputError for what cannot be read."""
    if token == "-":
        return None
    fields = token.split("/")
    if len(fields) > MOST_DICE:
        raise refuse(number, f"{len(fields)} fields in {shown(token)}", f"at most {MOST_DICE}, {FORM}")
    for text in fields:
        if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= FACES):
            raise refuse(number, f"d20 {shown(text)}", f"a whole number from 1 to {FACES}")
    return tuple(int(text) for text in fields)


def script_of_throw(throw: Throw | None) -> npt.NDArray[np.int64]:
    """Return the faces by slot, int64 (SLOTS,)."""
    script = np.zeros(SLOTS, np.int64)
    for place, die in enumerate(throw or ()):
        script[START + place] = die - 1
    return script


def token_of(throw: Throw | None) -> str:
    """Return a throw as it is typed."""
    return "-" if throw is None else "/".join(map(str, throw))


def check_throw(throw: Throw | None, asked: Any, number: int, lost: bool) -> None:
    """Raise InputError if dice were not asked for, or asked for and not given.

    asked: row 1 of the script after the fight. lost: the target had fallen, so that no die is thrown.
    """
    wanted = 0 if lost else int(np.count_nonzero(asked[START : START + MOST_DICE]))
    given = 0 if throw is None else len(throw)
    if given != wanted or (throw is None) != lost:
        found = "no dice" if throw is None else token_of(throw)
        raise refuse(number, found, _wanted(wanted) if wanted else "- as the target has fallen already")


def refuse(number: int, found: str, allowed: str) -> InputError:
    """Return the error of the dice of an exchange."""
    return InputError.one("dice", f"exchange {number}: {found}", allowed)


def _wanted(count: int) -> str:
    return "1 die" if count == 1 else f"{count} dice, {FORM}"
