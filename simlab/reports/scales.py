"""Where figures stand on an axis, and the colours of a map of shares."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

STEPS = 20
"""Colours of a map of shares, less one: one for each twentieth."""
LIGHT = ("#8f3d06", "#c9611b", "#f0b98a", "#f6f4f1", "#a9c1e4", "#4470b8", "#0b2a6f")
DARK = ("#ffb887", "#d97b34", "#74421f", "#20242b", "#2a4778", "#5a8cdc", "#b5d0ff")
"""From lost to won on a light page and on a dark one: orange and blue, told apart without red and green."""


@dataclass(frozen=True)
class Scale:
    """An axis: what it reaches from and to, whether in logarithms, and its ticks as places in percent and labels."""

    low: float
    high: float
    log: bool
    ticks: tuple[tuple[str, str], ...]

    def at(self, value: float) -> float:
        """Return the place of a value in percent of the axis, cut at its ends."""
        if self.log:
            place = math.log(value / self.low) / math.log(self.high / self.low) if value > 0 else 0.0
        else:
            place = (value - self.low) / (self.high - self.low)
        return 100 * min(max(place, 0.0), 1.0)

    def left(self, value: float) -> str:
        """Return the place of a value as a CSS percentage."""
        return f"{self.at(value):.2f}%"

    def bar(self, low: float, high: float) -> tuple[str, str]:
        """Return where a bar begins and how long it is, as CSS percentages."""
        start = self.at(low)
        return f"{start:.2f}%", f"{max(self.at(high) - start, 0.0):.2f}%"


def share_scale(low: float, high: float) -> Scale:
    """Return an axis of shares whose ends are tenths around the values."""
    start, end = max(0.0, math.floor(low * 10) / 10), min(1.0, math.ceil(high * 10) / 10)
    if end <= start:
        start, end = max(0.0, start - 0.1), min(1.0, end + 0.1)
    step = 0.1 if end - start <= 0.5 else 0.2 if end - start <= 0.8 else 0.25
    first = math.ceil(round(start / step, 6)) * step
    places = [first + step * i for i in range(12) if first + step * i <= end + 1e-9]
    scale = Scale(start, end, False, ())
    return Scale(start, end, False, tuple((scale.left(x), f"{100 * x:.0f}%") for x in places))


def log_scale(values: Iterable[float]) -> Scale:
    """Return an axis in logarithms around positive values, with ticks at round numbers."""
    known = [value for value in values if math.isfinite(value) and value > 0]
    low, high = (min(known), max(known)) if known else (1.0, 10.0)
    low, high = low / 1.06, high * 1.06
    if high / low < 1.5:
        low, high = low / 1.25, high * 1.25
    scale = Scale(low, high, True, ())
    return Scale(low, high, True, tuple((scale.left(x), f"{x:g}") for x in _round_numbers(low, high)))


def _round_numbers(low: float, high: float) -> list[float]:
    """Round numbers between two ends, about three to seven of them."""
    found: list[float] = []
    for leads in (
        (1,),
        (1, 3),
        (1, 2, 5),
        (1, 1.5, 2, 3, 5, 7),
        (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 8),
    ):
        decades = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
        fine = [round(lead * 10.0**decade, 12) for decade in decades for lead in leads]
        fine = [value for value in fine if low <= value <= high]
        if found and len(fine) > 7:
            break
        found = fine
        if len(found) >= 4:
            break
    return found


def colour_rules(anchors: Sequence[str]) -> list[tuple[str, str]]:
    """Return background and ink of each step of a map of shares, from 0 to 1."""
    fills = [_mixed(anchors, step / STEPS) for step in range(STEPS + 1)]
    return [(_hex(fill), "#ffffff" if _prefers_white(fill) else "#000000") for fill in fills]


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21, as accessibility guidelines define it."""
    lights = sorted((_luminance(_rgb(one)), _luminance(_rgb(other))))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def step_of(share: float) -> int:
    """Return the number of the colour of a share."""
    return math.floor(share * STEPS + 0.5)


Colour = tuple[float, float, float]


def _mixed(anchors: Sequence[str], place: float) -> Colour:
    along = place * (len(anchors) - 1)
    first = min(int(along), len(anchors) - 2)
    one, other = _rgb(anchors[first]), _rgb(anchors[first + 1])
    part = along - first
    red, green, blue = (a + (b - a) * part for a, b in zip(one, other, strict=True))
    return red, green, blue


def _prefers_white(fill: Colour) -> bool:
    light = _luminance(fill)
    return 1.05 / (light + 0.05) >= (light + 0.05) / 0.05


def _luminance(colour: Colour) -> float:
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _rgb(text: str) -> Colour:
    red, green, blue = (int(text[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return red, green, blue


def _hex(colour: Colour) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)
