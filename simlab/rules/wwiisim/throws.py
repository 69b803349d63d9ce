"""The dice of one volley, read and written as tokens: every die in the order in which it falls, `3+7+1+4+6` (WS-15).

`x` is a volley whose dice could change nothing, and `-` one at a target that has fallen.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from simlab.dice import recorded
from simlab.dice.slots import SLOTS, START
from simlab.model.errors import InputError, shown

NO_DICE, FALLEN = "x", "-"
ROOM = SLOTS - START
MOST_FACES = 180


@dataclass(frozen=True)
class Throw:
    """Dice as they show, from 1."""

    values: tuple[int, ...]

    def token(self) -> str:
        """Return the dice as they are typed."""
        return "+".join(map(str, self.values)) or NO_DICE


def throw_of_record(record: npt.NDArray[np.uint64]) -> Throw:
    """Return the dice written down in a record of `simlab.dice.recorded`."""
    faces = record[recorded.FACES + START : recorded.FACES + SLOTS]
    return Throw(tuple(int(face) for face in faces if face))


def throw_of_token(token: str, number: int) -> Throw | None:
    """Return the dice typed for an exchange, None for `-`. InputError for what is none."""
    if token == FALLEN:
        return None
    if token == NO_DICE:
        return Throw(())
    values = []
    for text in token.split("+"):
        if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= MOST_FACES):
            allowed = f"a whole number from 1 to {MOST_FACES}"
            raise InputError.one("dice", f"exchange {number}: a die {shown(text)}", allowed)
        values.append(int(text))
    if len(values) > ROOM:
        raise InputError.one("dice", f"exchange {number}: {len(values)} dice", f"at most {ROOM}")
    return Throw(tuple(values))


def script_of_throw(throw: Throw | None) -> npt.NDArray[np.int64]:
    """Return the faces by slot, int64 (SLOTS,), of a throw."""
    script = np.zeros(SLOTS, np.int64)
    if throw is not None:
        script[START : START + len(throw.values)] = [value - 1 for value in throw.values]
    return script


def check_throw(throw: Throw | None, asked: Any, number: int, lost: bool) -> None:
    """Raise InputError if there are too many dice, too few, or faces that a die does not have.

    asked: int64 (SLOTS,), the sides of the die in each slot, 0 for none. lost: the target had fallen.
    """
    if lost != (throw is None):
        allowed = "'-': the target has fallen, no die is thrown" if lost else "dice, or x: the target stands"
        raise InputError.one("dice", f"exchange {number}: {throw.token() if throw else FALLEN}", allowed)
    if throw is None:
        return
    sides = [int(count) for count in asked[START:] if count]
    if len(throw.values) != len(sides):
        wanted = f"{len(sides)} dice: {', '.join(f'd{count}' for count in sides)}" if sides else "x: no die"
        raise InputError.one("dice", f"exchange {number}: {throw.token()}", wanted)
    for value, count in zip(throw.values, sides, strict=True):
        if value > count:
            raise InputError.one(
                "dice", f"exchange {number}: a die {value}", f"a whole number from 1 to {count}"
            )
