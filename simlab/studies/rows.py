"""The rows of a study's tables: what they hold, and tables of them that need little memory."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from simlab.model.outcome import OUTCOMES
from simlab.model.situation import Situation, by_turn_text
from simlab.model.typed_situation import NO_FIRST_FIRE
from simlab.rules.contract import Sheet
from simlab.studies.contents import Counts, SideCounts, Solved, SolvedSide

Record = dict[str, Any]
"""A row of a table by column; None where there is no value."""


@dataclass(frozen=True)
class DuelRow:
    """A row of the plan: an ordered pair in a situation, with the situation's weight."""

    a: Sheet
    b: Sheet
    situation: Situation
    weight: float


class Table:
    """Rows of a table, given in any order, each with the place of its job.

    types: of each column str, bool, int64, Int64 (None is missing), float64 (None is a NaN), or range: numbers if all
    are single ones, else texts such as `36,30,24`. Rows of a place are given together and keep their order.
    """

    def __init__(self, types: Mapping[str, str]) -> None:
        self._types = dict(types)
        self._places = array("q")
        self._columns: dict[str, Any] = {name: _column(kind) for name, kind in self._types.items()}

    def add(self, place: int, records: Sequence[Record]) -> None:
        """Add the rows of a place."""
        for record in records:
            self._places.append(place)
            for name, kind in self._types.items():
                value = record[name]
                if value is None:
                    value = _MISSING if kind == "Int64" else np.nan
                self._columns[name].append(value)

    def frame(self) -> pd.DataFrame:
        """Return the table, its rows by place."""
        order = np.argsort(np.array(self._places, np.int64), kind="stable")
        series = {
            name: self._series(column, self._types[name], order) for name, column in self._columns.items()
        }
        return pd.DataFrame(series)

    def _series(self, column: Any, kind: str, order: Any) -> "pd.Series[Any]":
        if kind == "range":
            kind = "str" if any(isinstance(value, tuple) for value in column) else "float64"
            column = [by_turn_text(value) for value in column] if kind == "str" else column
        if kind == "str":
            return pd.Series([column[place] for place in order], dtype="str")
        values = np.array(column, "int64" if kind == "Int64" else kind)[order]
        if kind == "Int64":
            missing = values == _MISSING
            return pd.Series(pd.arrays.IntegerArray(np.where(missing, 1, values), missing))
        return pd.Series(values)


_MISSING = -(2**63)


def _column(kind: str) -> Any:
    """Return an empty column: plain numbers where it can be."""
    codes = {"int64": "q", "Int64": "q", "float64": "d"}
    return array(codes[kind]) if kind in codes else []


def place_of(row: DuelRow) -> dict[str, Any]:
    """Return the columns that tell in which situation a row is, and its weight."""
    where = row.situation
    return {
        "range": where.range,
        "aspect_a": by_turn_text(where.aspect_a),
        "aspect_b": by_turn_text(where.aspect_b),
        "first_fire": where.first_fire or NO_FIRST_FIRE,
        "weight": row.weight,
    }


def duel_record(number: int, row: DuelRow, found: Counts | Solved, kinds: Sequence[str]) -> dict[str, Any]:
    """Return the row of a duel, with the number that it gets, of what was counted or solved."""
    record = {"row": number, "a": row.a.id, "b": row.b.id, **place_of(row)}
    if isinstance(found, Solved):
        record |= {"method": "exact", "n": None, "error_bound": found.error_bound}
        record |= {f"count_{name}": None for name in OUTCOMES}
        record |= dict(zip(OUTCOMES, found.outcomes, strict=True))
        for side, sheet, solved in (("a", row.a, found.side_a), ("b", row.b, found.side_b)):
            record |= _solved_record(side, solved, kinds, sheet)
        return record
    record |= {"method": "monte_carlo", "n": found.n, "error_bound": None}
    record |= {f"count_{name}": count for name, count in zip(OUTCOMES, found.outcomes, strict=True)}
    record |= {name: count / found.n for name, count in zip(OUTCOMES, found.outcomes, strict=True)}
    for side, sheet, happened in (("a", row.a, found.side_a), ("b", row.b, found.side_b)):
        record |= _side_record(side, happened, found.n, kinds, sheet)
    return record


def _solved_record(side: str, solved: SolvedSide, kinds: Sequence[str], sheet: Sheet) -> dict[str, Any]:
    chances = zip(("destroyed", *kinds), solved.flags, strict=True)
    ecv = sheet.ecv.value
    return {
        **{f"{name}_{side}": chance for name, chance in chances},
        f"mean_turn_destroyed_{side}": solved.mean_turn,
        f"ecv_lost_{side}": None if ecv is None else ecv * solved.flags[0],
        f"cannot_fire_{side}": solved.cannot_fire,
    }


def _side_record(
    side: str, happened: SideCounts, n: int, kinds: Sequence[str], sheet: Sheet
) -> dict[str, Any]:
    destroyed = happened.flags[0]
    record: dict[str, Any] = {
        f"{name}_{side}": count / n for name, count in zip(("destroyed", *kinds), happened.flags, strict=True)
    }
    record[f"mean_turn_destroyed_{side}"] = happened.turn_sum / destroyed if destroyed else None
    record[f"ecv_lost_{side}"] = _ecv_lost(happened, n, sheet)
    record[f"cannot_fire_{side}"] = happened.cannot_fire
    return record


def _ecv_lost(happened: SideCounts, n: int, sheet: Sheet) -> float | None:
    """Mean ECV of the destroyed units of a fight, None without an ECV."""
    return None if sheet.ecv.value is None else sheet.ecv.value * happened.flags[0] / n


def engagement_record(row: DuelRow, policy: str, size_n: int, size_m: int, counts: Counts) -> dict[str, Any]:
    """Return the row of an engagement of `size_n` of a against `size_m` of b."""
    record = {
        "a": row.a.id,
        "b": row.b.id,
        "size_n": size_n,
        "size_m": size_m,
        "policy": policy,
        **place_of(row),
    }
    record["n"] = counts.n
    record |= {f"count_{name}": count for name, count in zip(OUTCOMES, counts.outcomes, strict=True)}
    record["ecv_lost_a"] = _ecv_lost(counts.side_a, counts.n, row.a)
    record["ecv_lost_b"] = _ecv_lost(counts.side_b, counts.n, row.b)
    return record


PLACE_TYPES = {
    "range": "range",
    "aspect_a": "str",
    "aspect_b": "str",
    "first_fire": "str",
    "weight": "float64",
}
_COUNT_TYPES = {f"count_{name}": "Int64" for name in OUTCOMES}
ENGAGEMENT_TYPES = {
    "a": "str",
    "b": "str",
    "size_n": "int64",
    "size_m": "int64",
    "policy": "str",
    **PLACE_TYPES,
    "n": "int64",
    **_COUNT_TYPES,
    "ecv_lost_a": "float64",
    "ecv_lost_b": "float64",
}


def duel_types(kinds: Sequence[str]) -> dict[str, str]:
    """Return the columns of the table of duels, see `Table`, for a system with these kill kinds."""
    sides: dict[str, str] = {}
    for side in ("a", "b"):
        figures = ("destroyed", *kinds, "mean_turn_destroyed", "ecv_lost")
        sides |= {f"{name}_{side}": "float64" for name in figures} | {f"cannot_fire_{side}": "bool"}
    head = {"row": "int64", "a": "str", "b": "str", **PLACE_TYPES, "method": "str", "n": "Int64"}
    return head | _COUNT_TYPES | dict.fromkeys(OUTCOMES, "float64") | {"error_bound": "float64"} | sides
