"""The dice of one Blitzkrieg volley, read and written as tokens: `4+5/H/7/14:3` (BK-68).

Where no die chooses the level (BK-50, BK-52) the token has no level field: `4+5/7/14:3`, or `4+5//7/14:3`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from simlab.dice import recorded
from simlab.dice.scripted import EXPLODING
from simlab.dice.slots import CONTEST, FIRST, LEVEL, SLOTS, START
from simlab.model.errors import InputError, shown
from simlab.rules.blitzkrieg.compile import CONTESTS, contest_won
from simlab.rules.blitzkrieg.options import Options
from simlab.rules.blitzkrieg.shots import level_names

LETTERS = {"high": "H", "mid": "M", "low": "L"}


class DiceBox:
    """What the faces of a fight's dice mean.

    levels: of the die for the level, face by face; none where no die is thrown. ranked: pairs of contest dice, those
    in which the attacker wins first: the faces of the die that is thrown for them.
    """

    def __init__(self, options: Options, distance: float) -> None:
        names = level_names(options, distance)
        self.levels: tuple[str, ...] = names if len(names) > 1 else ()
        self.options = options
        self.ranked = tuple(sorted(CONTESTS, key=lambda dice: not contest_won(dice[0], dice[1], options)))


@dataclass(frozen=True)
class Throw:
    """Dice of a volley. rolls: the to-hit dice in order. level: high, mid or low, None where no die chose it. start:
    line from 1. contests: attacker's and defender's die."""

    rolls: tuple[int, ...]
    level: str | None = None
    start: int | None = None
    contests: tuple[tuple[int, int], ...] = ()

    @property
    def total(self) -> int:
        """The total of the to-hit dice."""
        return sum(self.rolls)

    def token(self) -> str:
        """Return the dice as they are typed."""
        fields = ["+".join(map(str, self.rolls))]
        fields += [LETTERS[self.level]] if self.level else []
        fields += [str(self.start)] if self.start else []
        fields += [",".join(f"{a}:{d}" for a, d in self.contests)] if self.contests else []
        return "/".join(fields)


def throw_of_record(record: npt.NDArray[np.uint64], box: DiceBox) -> Throw:
    """Return the dice written down in a record of `simlab.dice.recorded`."""
    rolled = [int(roll) - 1 for roll in record[recorded.ROLLS :] if roll]
    rolls = tuple(face + 1 for roll in rolled for face in divmod(roll, 6))
    faces = [int(face) - 1 for face in record[recorded.FACES : recorded.FACES + SLOTS]]
    if not rolls and faces[FIRST] >= 0:
        rolls = (faces[FIRST] + 1,)
    return Throw(
        rolls,
        box.levels[faces[LEVEL]] if faces[LEVEL] >= 0 else None,
        faces[START] + 1 if faces[START] >= 0 else None,
        tuple(box.ranked[face] for face in faces[CONTEST:] if face >= 0),
    )


def _refuse(number: int, found: str, allowed: str) -> InputError:
    return InputError.one("dice", f"exchange {number}: {found}", allowed)


def _die(number: int, text: str, faces: int, what: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= faces):
        raise _refuse(number, f"{what} {shown(text)}", f"a whole number from 1 to {faces}")
    return int(text)


def throw_of_token(token: str, number: int, box: DiceBox) -> Throw | None:
    """Return the dice typed for an exchange: to-hit dice by `+`, level, start line, contests; None for `-`.

    Raises InputError for a field that cannot be read.
    """
    if token == "-":
        return None
    fields = token.split("/")
    names = {letter: name for name, letter in LETTERS.items()}
    if not box.levels and len(fields) > 1 and fields[1] not in ("", *names):
        fields.insert(1, "")
    if len(fields) > 4:
        raise _refuse(
            number,
            f"{len(fields)} fields in {shown(token)}",
            "at most 4: to-hit dice/level/start line/contests",
        )
    rolls = tuple(_die(number, text, 6, "to-hit die") for text in fields[0].split("+"))
    level = None
    if len(fields) > 1 and (box.levels or fields[1]):
        level = names.get(fields[1])
        if level is None or (box.levels and level not in box.levels):
            raise _refuse(
                number, f"level {shown(fields[1])}", _either([LETTERS[name] for name in box.levels])
            )
    start = _die(number, fields[2], 20, "start line") if len(fields) > 2 else None
    contests = [_contest(number, text) for text in fields[3].split(",")] if len(fields) > 3 else []
    return Throw(rolls, level, start, tuple(contests))


def _either(words: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _contest(number: int, text: str) -> tuple[int, int]:
    dice = text.split(":")
    if len(dice) != 2:
        raise _refuse(number, f"contest {shown(text)}", "attacker:defender, two d20")
    return _die(number, dice[0], 20, "contest die"), _die(number, dice[1], 20, "contest die")


def script_of_throw(throw: Throw | None, box: DiceBox) -> npt.NDArray[np.int64]:
    """Return the faces by slot of a throw: int64 (SLOTS,)."""
    script = np.zeros(SLOTS, np.int64)
    if throw is None:
        return script
    script[FIRST] = throw.rolls[0] - 1
    if len(throw.rolls) > 1:
        twelves, rest = _twelves(throw.rolls)
        script[FIRST] = 10 * twelves + rest - 2 if rest else 10 * twelves
    if throw.level in box.levels:
        script[LEVEL] = box.levels.index(throw.level)
    if throw.start:
        script[START] = throw.start - 1
    for place, contest in enumerate(throw.contests[: SLOTS - CONTEST]):
        script[CONTEST + place] = 0 if contest_won(*contest, box.options) else 1
    return script


def _twelves(rolls: tuple[int, ...]) -> tuple[int, int]:
    """Return how many twelves lead a row of 2d6, and the sum of the roll after them (0 if there is none)."""
    pairs = [sum(rolls[place : place + 2]) for place in range(0, len(rolls), 2)]
    twelves = 0
    while twelves < len(pairs) and pairs[twelves] == 12:
        twelves += 1
    return twelves, pairs[twelves] if twelves < len(pairs) else 0


def check_throw(throw: Throw | None, asked: Any, number: int, lost: bool) -> None:
    """Raise InputError if dice were given that were not asked for, or asked for and not given.

    asked: int64 (SLOTS,), row 1 of the script after the volley. lost: the target had fallen, no die is thrown.
    """
    if lost or throw is None:
        if lost and throw is not None:
            raise _refuse(number, throw.token(), "'-': the target has fallen, no die is thrown")
        if throw is None and not lost:
            raise _refuse(number, "'-'", "dice: the target stands")
        return
    _check_rolls(throw, int(asked[FIRST]), number)
    given = {"level": throw.level is not None, "start line": throw.start is not None}
    for (what, has), slot in zip(given.items(), (LEVEL, START), strict=True):
        _check_field(number, throw, what, int(has), int(asked[slot] != 0))
    _check_field(number, throw, "contest", len(throw.contests), int(np.count_nonzero(asked[CONTEST:])))


def _check_field(number: int, throw: Throw, what: str, given: int, wanted: int) -> None:
    if given < wanted:
        raise _refuse(
            number,
            f"{shown(throw.token())} with no {what}" if not given else f"{given} {what}s",
            f"{wanted} {what}",
        )
    if given > wanted:
        raise _refuse(number, f"a superfluous {what} in {shown(throw.token())}", f"{wanted or 'no'} {what}")


def _check_rolls(throw: Throw, asked: int, number: int) -> None:
    if asked < EXPLODING:
        if len(throw.rolls) != 1:
            raise _refuse(number, f"{len(throw.rolls)} to-hit dice", "one die: the sight is lost")
        return
    if len(throw.rolls) < 2 or len(throw.rolls) % 2:
        raise _refuse(number, f"{len(throw.rolls)} to-hit dice", "two dice, and two more after every 12")
    twelves, rest = _twelves(throw.rolls)
    needed = twelves + 1 if 12 * twelves < asked - EXPLODING else twelves
    if len(throw.rolls) != 2 * needed or (rest == 0 and needed > twelves):
        raise _refuse(
            number,
            f"to-hit dice {throw.token().split('/')[0]}",
            f"{2 * needed} dice: two more after every 12",
        )
