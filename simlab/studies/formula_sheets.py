"""Sheets that fill the space of a roster's stats."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from simlab.model.errors import InputError
from simlab.rules.contract import Sheet, System

SEED = 1_806
DRAWN = 512
"""Points drawn at least."""
SPARE = 1.25
"""Points drawn for each sheet at least."""


@dataclass(frozen=True)
class Axis:
    """A stat with the whole numbers between which sheets are drawn; base: what the base has. varied: the roster too."""

    stat: str
    low: int
    high: int
    base: float
    varied: bool


def list_axes(system: System, sheets: Sequence[Sheet], base: Sheet) -> list[Axis]:
    """Return the stats of a roster with their ranges; one that all units share is taken one further each way.

    That goes as far as the base may have it; a stat that then has one number only is left out.
    """
    stats = [system.formula_stats(sheet) for sheet in sheets]
    axes = []
    for stat, value in system.formula_stats(base).items():
        values = [round(each[stat]) for each in stats if stat in each]
        low, high = min(values), max(values)
        varied = low < high
        if not varied:
            low -= try_stats(system, base, {stat: low - 1}, stat) is not None
            high += try_stats(system, base, {stat: high + 1}, stat) is not None
        if low < high:
            axes.append(Axis(stat, low, high, value, varied))
    return axes


def try_stats(system: System, base: Sheet, stats: Mapping[str, float], name: str) -> Sheet | None:
    """Return the sheet with these stats, None where no sheet may have them."""
    try:
        found: Sheet = system.with_stats(base, stats, name)
    except InputError:
        return None
    return found


@dataclass(frozen=True, eq=False)
class Drawn:
    """Sheets with their stats, one row a sheet under its id.

    Points dropped: illegal, for no sheet may be so; unfit, for it could not fight; alike, for one before fights alike.
    """

    sheets: tuple[Sheet, ...]
    stats: pd.DataFrame
    illegal: int
    unfit: int
    alike: int


def draw_sheets(
    system: System,
    base: Sheet,
    axes: Sequence[Axis],
    count: int,
    fits: Callable[[Sheet], bool],
    taken: Collection[str] = (),
) -> Drawn:
    """Return `count` sheets like the base with stats from Sobol points over the axes' whole numbers, or fewer.

    Points that no sheet may have are dropped, not moved, and so are those that do not fit and those that fight like one
    before. taken: ids that the sheets must not have.
    """
    points = _sobol(len(axes), count)
    spans = np.array([axis.high - axis.low + 1 for axis in axes])
    lows = np.array([axis.low for axis in axes])
    values = lows + np.minimum(np.floor(points * spans), spans - 1).astype(np.int64)
    sheets: list[Sheet] = []
    rows: list[dict[str, int]] = []
    known: set[str] = set()
    dropped = {"illegal": 0, "unfit": 0, "alike": 0}
    for number, point in enumerate(values):
        if len(sheets) == count:
            break
        name = f"{base.id}*{number}"
        while name in taken:
            name += "*"
        stats = {axis.stat: int(value) for axis, value in zip(axes, point, strict=True)}
        sheet = try_stats(system, base, stats, name)
        if sheet is None:
            dropped["illegal"] += 1
        elif (told := system.fight_hash(sheet)) in known:
            dropped["alike"] += 1
        elif not fits(sheet):
            dropped["unfit"] += 1
        else:
            known.add(told)
            sheets.append(sheet)
            rows.append(stats)
    index = pd.Index([sheet.id for sheet in sheets], name="sheet")
    frame = pd.DataFrame(rows, index=index, columns=[axis.stat for axis in axes])
    return Drawn(tuple(sheets), frame, **dropped)


def _sobol(dimensions: int, count: int) -> Any:
    """Scrambled Sobol points, shape (points, dimensions): more than sheets, as some are dropped."""
    from scipy.stats import qmc

    power = math.ceil(math.log2(max(DRAWN, SPARE * count)))
    return qmc.Sobol(dimensions, scramble=True, rng=np.random.default_rng(SEED)).random_base2(power)
