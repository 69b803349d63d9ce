"""What a table may settle for itself: readings of the rules, optional rules, and house numbers."""

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeAlias

Value: TypeAlias = str | bool | int

_DIGITS = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class NumberRange:
    """Whole numbers from `low` to `high`, both included; without end if `high` is None."""

    low: int
    high: int | None = None

    def __contains__(self, number: int) -> bool:
        return self.low <= number and (self.high is None or number <= self.high)

    def read(self, written: object) -> int | None:
        """Return the number of the range that is written, itself or in digits; None for anything else."""
        number = written
        if isinstance(written, str):
            digits = written.removeprefix("-") if self.low < 0 else written
            number = int(written) if _DIGITS.fullmatch(digits) else None
        return number if type(number) is int and number in self else None


@dataclass(frozen=True)
class Reading:
    """A choice where the rules are silent or ambiguous, or an optional rule of theirs.

    values: the legal values, the default among them; of a switch False and True, elsewhere False is the word `no`.
    rule: the rule's number. effect: what the values other than the default do. built: whether others than the default
    are accepted. under: optional rules with another number without any of which it has no effect. shared: a name that
    sets it together with others.
    """

    name: str
    values: tuple[Value, ...] | NumberRange
    default: Value
    rule: str
    effect: str
    built: bool = False
    optional_rule: bool = False
    under: tuple[str, ...] = ()
    shared: str | None = None

    def word(self, value: Value) -> str:
        """A value as a user writes it: switches are true and false, `no` where the other value is a word."""
        if isinstance(value, bool):
            return ("true" if value else "false") if self.is_switch else ("yes" if value else "no")
        return str(value)

    @property
    def is_switch(self) -> bool:
        """Whether the only values are off and on."""
        return self.values == (False, True)

    def choices(self) -> tuple[str, ...]:
        """The legal values as a user writes them."""
        if isinstance(self.values, NumberRange):
            high = self.values.high
            return (f"a whole number from {self.values.low}" + ("" if high is None else f" to {high}"),)
        return tuple(self.word(value) for value in self.values)

    def meant(self, written: object, true: Collection[str] = (), false: Collection[str] = ()) -> Value | None:
        """Return the legal value that is written, itself or as its word or digits; None for anything else.

        true, false: words that mean True and False beside the reading's own.
        """
        if isinstance(self.values, NumberRange):
            return self.values.read(written)
        for value in self.values:
            if type(written) is type(value) and written == value:
                return value
            if isinstance(written, str):
                more = (true if value else false) if isinstance(value, bool) else ()
                if written == self.word(value) or written in more:
                    return value
        return None


def built(
    name: str,
    values: tuple[Value, ...] | NumberRange,
    rule: str,
    effect: str,
    default: Value = 0,
    shared: str | None = None,
) -> Reading:
    """Return a reading that is built; of listed values the first one is the default."""
    first = values[0] if isinstance(values, tuple) else default
    return Reading(name, values, first, rule, effect, built=True, shared=shared)


def sided(
    name: str, values: tuple[Value, ...] | NumberRange, rule: str, effect: str, default: Value = 0
) -> list[Reading]:
    """Return a reading of each side, built; the name without a side sets both. `{side}` of an effect is the side."""
    return [
        built(f"{name}_{side}", values, rule, effect.format(side=side), default, shared=name)
        for side in ("a", "b")
    ]


@dataclass(frozen=True)
class HouseNumber:
    """A constant with its legal values: a switch if `low` is None, else from `low` to `high`, whole or any number."""

    name: str
    default: int | bool
    rule: str
    effect: str
    low: int | None = None
    high: int | None = None
    whole: bool = False

    def allowed(self) -> str:
        """Return the legal values in words."""
        if self.low is None:
            return "true or false"
        return f"a {'whole ' if self.whole else ''}number from {self.low} to {self.high}"

    def read(self, value: object) -> int | float | bool | None:
        """Return a legal value, whole numbers as such; None for anything else."""
        if self.low is None or self.high is None:
            return value if isinstance(value, bool) else None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return None
        number = int(value) if float(value).is_integer() else value
        fits = self.low <= number <= self.high and not (self.whole and isinstance(number, float))
        return number if fits else None
