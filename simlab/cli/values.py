"""What is typed after an option, as numbers; whether a number is legal is for lab to say."""

import re
from collections.abc import Iterable

from simlab.model.errors import InputError, Problem

LEGAL = {
    "range": "a finite number from 0 to 999",
    "turns": "a whole number from 1 to 1000",
    "n": "a whole number from 1 to 10^12",
    "seed": "a whole number from 0 to 2^63-1",
    "replicate": "a whole number from 0 to 2^63-1",
    "row": "a whole number of at least 0",
    "workers": "a whole number of at least 1",
    "bound": "a number above 0 and below 1",
}

_WHOLE = re.compile(r"[-+]?[0-9]{1,30}")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,5})?|[-+]?(?:nan|inf)")


class Values:
    """Reads the texts of a command's options and keeps all that is wrong with them until `check`."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []

    def whole(self, name: str, text: str | None) -> int | None:
        """Return the integer that was typed, None for none."""
        return int(text) if self._is(_WHOLE, name, text) and text is not None else None

    def number(self, name: str, text: str | None) -> float | None:
        """Return the number that was typed, None for none."""
        if not self._is(_NUMBER, name, text) or text is None:
            return None
        return int(text) if _WHOLE.fullmatch(text) else float(text)

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
        self._problems.append(Problem("", None, name, text or '""', allowed))
