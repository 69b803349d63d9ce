"""What is typed after an option, as numbers; whether a number is legal is for lab to say."""

import re
from collections.abc import Iterable

from simlab.model.errors import InputError, Problem, shown
from simlab.model.typed_situation import LEGAL_RANGE, Unfit, read_number

LEGAL = {
    "range": LEGAL_RANGE,
    "turns": "a whole number from 1 to 1000",
    "n": "a whole number from 1 to 10^12",
    "seed": "a whole number from 0 to 2^63-1",
    "replicate": "a whole number from 0 to 10^12-1",
    "row": "a whole number of at least 0",
    "workers": "a whole number from 1 to 4096",
    "bound": "a number from 1e-11 to 0.5",
    "breaks": "a number above 0, up to 1",
    "time_limit": "a number from 0.001 to 86400",
}

_WHOLE = re.compile(r"[-+]?[0-9]{1,30}")


class Values:
    """Reads the texts of a command's options and keeps all that is wrong with them until `check`.

    legal: what is allowed for options of which a command takes less than others do.
    """

    def __init__(self, **legal: str) -> None:
        self._legal = {**LEGAL, **legal}
        self._problems: list[Problem] = []

    def whole(self, name: str, text: str | None) -> int | None:
        """Return the integer that was typed, None for none."""
        return int(text) if self._is(_WHOLE, name, text) and text is not None else None

    def number(self, name: str, text: str | None) -> float | None:
        """Return the number that was typed, None for none."""
        found = None if text is None else read_number(text)
        if text is not None and found is None:
            self._refuse(name, shown(text), self._legal[name])
        return found

    def by_turn(self, name: str, text: str) -> str:
        """Return what was typed, once it is a number, or numbers between commas."""
        parts = text.split(",")
        for turn, part in enumerate(parts, 1):
            if read_number(part.strip() if len(parts) > 1 else part) is None:
                unfit = Unfit(part.strip(), turn) if len(parts) > 1 else Unfit(part)
                self._refuse(name, unfit.found(shown), self._legal[name])
                break
        return text

    def settings(self, texts: Iterable[str]) -> dict[str, str]:
        """Return the `name=value` pairs of `--set`."""
        found: dict[str, str] = {}
        for text in texts:
            name, equals, value = text.partition("=")
            if not (equals and name and value):
                self._refuse("settings", shown(text), "name=value")
            elif found.setdefault(name, value) != value:
                self._refuse("settings", shown(text), f"one value for {name}, {found[name]} came first")
        return found

    def check(self) -> None:
        """Raise InputError if any text so far was no number or pair."""
        if self._problems:
            raise InputError(self._problems)

    def _is(self, pattern: re.Pattern[str], name: str, text: str | None) -> bool:
        if text is None:
            return False
        if pattern.fullmatch(text) is None:
            self._refuse(name, shown(text), self._legal[name])
            return False
        return True

    def _refuse(self, name: str, found: str, allowed: str) -> None:
        self._problems.append(Problem("", None, name, found, allowed))
