"""Numbers as text, with no more digits than their interval supports."""

import math

MOST_DECIMALS = 9
PLAINEST = 1e15
"""From here on numbers are shown with an exponent."""
NOTHING = "–"


def format_percent(value: float, low: float, high: float) -> str:
    """Return a probability as a percentage, rounded to the first digit of its half-width.

    `low` and `high` are the ends of the interval (or of the bounds); equal ends mean an exact value. Only
    an exact 0 or 1 is shown as 0% or 100%, others say how near they are: `< 0.01%`, `> 99.99%`.
    NaN is shown as a dash.
    """
    if math.isnan(value):
        return NOTHING
    if low == high and value in (0.0, 1.0):
        return f"{value:.0%}"
    decimals = _decimals(100 * (high - low) / 2) if high > low else 4
    text = f"{100 * value:.{decimals}f}"
    if float(text) <= 0.0:
        return f"< {_plain(_round_up(100 * max(high, value)))}%"
    if float(text) >= 100.0:
        return f"> {_plain(100 - _round_up(100 * (1 - min(low, value))))}%"
    return f"{text if high > low else _strip(text)}%"


def format_estimate(value: float, low: float, high: float) -> str:
    """Return a number rounded to the first digit of its half-width; NaN is shown as a dash.

    Where one end is infinite, the other one speaks for both; where both are, two digits are shown.
    """
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return str(value)
    half = _half_width(value, low, high)
    return _rounded(value, half) if half > 0 else _strip(f"{value:.6f}")


def format_amount(value: float, low: float, high: float) -> str:
    """Return a number that is never negative like `format_estimate`; 0 only if exact, else below the high end."""
    text = format_estimate(value, low, high)
    return f"< {_plain(_round_up(high))}" if high > 0 and text.strip("0.") == "" else text


def format_interval(value: float, low: float, high: float) -> str:
    """Return `value (low to high)` at one rounding; an end without bound is said in words."""
    middle = format_estimate(value, low, high)
    if low == high:
        return middle
    half = _half_width(value, low, high)
    if math.isinf(high):
        return f"{middle} (no bounds)" if math.isinf(low) else f"{middle} (from {_rounded(low, half)})"
    if math.isinf(low):
        return f"{middle} (up to {_rounded(high, half)})"
    return f"{middle} ({_rounded(low, half)} to {_rounded(high, half)})"


def format_bound(bound: float) -> str:
    """Return a positive error bound rounded up to one digit: 0.01, 4e-7."""
    place = _place(bound)
    digit = math.ceil(round(bound / 10.0**place, 9))
    if digit == 10:
        digit, place = 1, place + 1
    return f"{digit}e{place}" if place < -3 else _strip(f"{digit * 10.0**place:.{max(0, -place)}f}")


def _half_width(value: float, low: float, high: float) -> float:
    if math.isinf(high) and math.isinf(low):
        return abs(value) / 10
    if math.isinf(high):
        return abs(value - low)
    if math.isinf(low):
        return abs(high - value)
    return (high - low) / 2


def _place(half: float) -> int:
    """Decimal place of the first digit of `half`: 0.0049 gives -3."""
    return math.floor(round(math.log10(half), 9))


def _decimals(half: float) -> int:
    return min(max(0, -_place(half)), MOST_DECIMALS)


def _rounded(value: float, half: float) -> str:
    if abs(value) >= PLAINEST:
        return f"{value:.3g}"
    if half <= 0:
        return _strip(f"{value:.6f}")
    place = _place(half)
    return f"{round(value, -place):.{min(max(0, -place), MOST_DECIMALS)}f}"


def _round_up(value: float) -> float:
    """Return a positive number rounded up to one digit."""
    if value <= 0:
        return 10.0**-MOST_DECIMALS
    unit = 10.0 ** _place(value)
    return math.ceil(round(value / unit, 9)) * unit


def _plain(value: float) -> str:
    return _strip(f"{value:.{MOST_DECIMALS}f}")


def _strip(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
