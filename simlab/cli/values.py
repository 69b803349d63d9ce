"""What is typed after an option, as numbers; whether a number is legal is for lab to say."""

import re
from collections.abc import Iterable

from simlab.model.errors import InputError, Problem
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
    "time_limit": "a number from 0.001 to 86400",
}

_WHOLE = re.compile(r"[-+]?[0-9]{1,30}")


class Values:
    """Reads the texts of a command's options and keeps all that is wrong with them until `check`."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []

    def whole(self, name: str, text: str | None) -> int | None:
        """Return the integer that was typed, None for none."""
        return int(text) if self._is(_WHOLE, name, text) and text is not None else None

    def number(self, name: str, text: str | None) -> float | None:
        """Return the number that was typed, None for none."""
        found = None if text is None else read_number(text)
        if text is not None and found is None:
            self._refuse(name, text, LEGAL[name])
        return found

    def by_turn(self, name: str, text: str) -> float | list[float | None] | None:
        """Return the number that was typed, or the numbers between commas."""
        parts = text.split(",")
        found = [read_number(part.strip()) for part in parts]
        if len(parts) == 1:
            return self.number(name, text)
        for turn, (part, number) in enumerate(zip(parts, found, strict=True), 1):
            if number is None:
                self._refuse(name, Unfit(part, turn).found(_typed), LEGAL[name])
                break
        return found

    def settings(self, texts: Iterable[str]) -> dict[str, str]:
        """Return the `name=value` pairs of `--set`."""
        found: dict[str, str] = {}
        for text in texts:
            name, equals, value = text.partition("=")
            if not (equals and name and value):
                self._refuse("settings", text, "name=value")
            elif found.setdefault(name, value) != value:
                self._refuse("settings", text, f"one value for {name}, {found[name]} came first")
        return found

    def check(self) -> None:
        """Raise InputError if any text so far was no number or pair."""
        if self._problems:
            raise InputError(self._problems)

    def _is(self, pattern: re.Pattern[str], name: str, text: str | None) -> bool:
        if text is None:
            return False
        if pattern.fullmatch(text) is None:
            self._refuse(name, text, LEGAL[name])
            return False
        return True

    def _refuse(self, name: str, text: str, allowed: str) -> None:
        self._problems.append(Problem("", None, name, _typed(text), allowed))


def _typed(text: str) -> str:
    return text or '""'
