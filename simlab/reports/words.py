"""Numbers and names as a page shows them."""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from simlab.analysis.digits import NOTHING, format_bound, format_estimate
from simlab.analysis.tables import display_names
from simlab.model.errors import escaped, shortened

if TYPE_CHECKING:
    import pandas as pd

Row = Mapping[Hashable, Any]

LONGEST_NAME = 60
LONGEST_TEXT = 240
TO = "\u2009to\u2009"
MINUS = "\u2212"
FINEST = 1e-3
"""Half-width below which a share gets no more digits: one decimal of a percentage."""


def text_of(value: object, longest: int = LONGEST_TEXT) -> str:
    """Return a text on one line: control characters and direction marks spelt out, cut where it is long."""
    return shortened(escaped(str(value)), longest)


def safe_names(units: "pd.DataFrame") -> dict[str, str]:
    """Return the name of each unit by id, with the id behind it where units share a name."""
    return {str(unit): text_of(name, LONGEST_NAME) for unit, name in display_names(units).items()}


def spaced(identifier: object) -> str:
    """Return an identifier as words: `front_left` is `front left`; aspects by turn one after the other."""
    return text_of(", then ".join(str(identifier).replace("_", " ").split(",")))


def count(number: float) -> str:
    """Return a whole number with commas."""
    return f"{int(number):,}"


def plural(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: `1 unit`, `38 units`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def is_known(value: Any) -> TypeGuard[float]:
    """Return whether a value is a finite number."""
    return isinstance(value, int | float) and math.isfinite(value)


def percent_range(row: Row, measure: str) -> str:
    """Return the interval of a share as percentages: `51.2 to 53.4%`; a dash where it has none."""
    low, high = float(row[f"{measure}_low"]), float(row[f"{measure}_high"])
    if math.isnan(low) or math.isnan(high):
        return NOTHING
    if low == high:
        return "exact"
    half = max((high - low) / 2, FINEST / 2)
    decimals = max(1, -math.floor(math.log10(100 * half)))
    return f"{100 * low:.{decimals}f}{TO}{100 * high:.{decimals}f}%"


def estimate(value: Any, low: Any, high: Any) -> str:
    """Return a number rounded to the first digit of its half-width; a dash where there is none."""
    if not is_known(value):
        return NOTHING
    if not (is_known(low) and is_known(high)):
        return f"{value:.3g}"
    return format_estimate(float(value), float(low), float(high))


def three_digits(value: float) -> str:
    """Return a number with three significant digits, without an exponent up to a million: 1710, 5.50."""
    if not 1e-4 <= abs(value) < 1e6:
        return f"{value:.3g}"
    return f"{round(float(f'{value:.3g}')):d}" if abs(value) >= 100 else f"{value:#.3g}"


def span(low: Any, high: Any, half: float | None = None) -> str:
    """Return two ends of an interval at one rounding, that of its half-width; a dash where one is missing."""
    if not (is_known(low) and is_known(high)):
        return NOTHING
    reach = (float(high) - float(low)) / 2 if half is None else half
    around = [format_estimate(float(end), float(end) - reach, float(end) + reach) for end in (low, high)]
    return TO.join(minus(text) for text in around)


def minus(text: str) -> str:
    """Return the text of a number with a true minus sign."""
    return text.replace("-", MINUS, 1) if text.startswith("-") else text


def factor_percent(log_value: float, decimals: int = 1) -> str:
    """Return a logarithm of a factor as a signed percentage: log 1.12 is `+12.0%`."""
    change = 100 * math.expm1(log_value)
    text = f"{change:+.{decimals}f}"
    return f"{MINUS if text.startswith('-') else '+'}{text[1:]}%"


def ecv_text(ecv: Any, source: Any) -> str:
    """Return the price on a sheet: `558`, `996 draft`, or that there is none."""
    if not is_known(ecv):
        return "none"
    return f"{float(ecv):g}" if source == "rulebook" else f"{float(ecv):g} {text_of(source, 20)}"


def points(reach: float) -> str:
    """Return the half-width of an interval of shares: `at most ±0.3 points`."""
    size = format_bound(100 * reach) if reach > 0 else "0"
    return f"at most ±{size} point{'' if size == '1' else 's'}"


def listed(items: Sequence[str], last: str = "and") -> str:
    """Return words as a list in a sentence: `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"
