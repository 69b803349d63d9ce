"""What tellers of fights have in common: dice read and written, who stands where, questions to a kernel function."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from simlab.rules.contract import Fight

T = TypeVar("T")
FALLEN = "the target has fallen already; the shot is lost"


@dataclass(frozen=True)
class Dice(Generic[T]):
    """How the throws of a fight are read and written; each part is what the narrator's method of its name says."""

    read_record: Callable[[Any], T]
    read_token: Callable[[str, int], T | None]
    script: Callable[[T | None], Any]
    check_throw: Callable[[T | None, Any, int, bool], None]
    token: Callable[[T], str]


class FightTeller(ABC, Generic[T]):
    """Tells the volleys of one fight. A throw is None where the target had fallen, and is typed as `-` then."""

    def __init__(self, fight: Fight, dice: Dice[T]) -> None:
        self._fight = fight
        self._dice = dice
        self._sheets: tuple[Any, ...] = fight.sheets_a + fight.sheets_b
        self._types = fight.types_a + fight.types_b

    def read_record(self, record: Any) -> T:
        """Return the dice in a record."""
        return self._dice.read_record(record)

    def read_token(self, token: str, number: int) -> T | None:
        """Return the dice typed for an exchange, None for `-`."""
        return self._dice.read_token(token, number)

    def script(self, throw: T | None) -> Any:
        """Return the faces by slot of a throw."""
        return self._dice.script(throw)

    def check_throw(self, throw: T | None, asked: Any, number: int, lost: bool) -> None:
        """Raise InputError for dice that were not asked for, or asked for and not given."""
        self._dice.check_throw(throw, asked, number, lost)

    def token(self, throw: T | None) -> str:
        """Return a throw as it is typed."""
        return "-" if throw is None else self._dice.token(throw)

    def tell(self, event: Any) -> list[str]:
        """Return what an exchange did, in lines."""
        return [FALLEN] if event.throw is None else self._told(event)

    @abstractmethod
    def _told(self, event: Any) -> list[str]:
        """What an exchange did in which dice fell."""

    def _side(self, unit: int) -> str:
        return "a" if unit < self._fight.n_a else "b"

    def _scene(self, event: Any) -> tuple[float, str]:
        """Range and aspect of the target."""
        scene = self._fight.situation.scene(event.turn)
        return scene.range, scene.aspect_a if self._side(event.target) == "a" else scene.aspect_b

    def _answer(self, function: Any, *values: int) -> int:
        """A kernel function's answer about the fight's program for plain numbers, without compiling it."""
        with np.errstate(over="ignore"):
            return int(function(self._fight.program, *(np.uint64(value) for value in values)))
