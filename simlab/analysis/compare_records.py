"""What differs between the records of two runs: units, rules, readings, numbers of fights, versions."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from simlab.analysis.tables import SITUATION
from simlab.model.errors import brief

Record = Mapping[str, Any]
COLUMNS = ("what", "name", "before", "after")
NOTHING = "–"
UNIT, READING, VERSION = "unit", "reading", "version"
FIGHTS, SHEET = "fights as", "sheet"
_TERMS = {
    "name": "study",
    "rules_version": "rules",
    "n": "fights a row",
    "turns": "turns",
}
_CODE = {"kernel": "code of the fights", "solver": "code of the solver"}
_WORDS = {"range": "range", "aspect_a": "first shows", "aspect_b": "second shows", "first_fire": "first fire"}


def list_changes(
    records: tuple[Record, Record], tables: tuple[pd.DataFrame, pd.DataFrame], weights_differ: bool
) -> pd.DataFrame:
    """Return what differs between two runs, one row a difference, as texts: what, name, before, after.

    what: unit (name: its id; added, removed, another sheet that fights alike, or fights otherwise), rules, code, seed,
    fights a row, turns, method, reading (name: the reading or constant), engagements, situations (only in one run),
    weights, version (name: the package). `tables`: the duels of both.
    """
    rows = [*_units(records)]
    one, other = records
    for key, what in _TERMS.items():
        rows += _differing(what, "", one.get(key), other.get(key))
    for key, what in _CODE.items():
        rows += _differing(what, "", _digest(one.get(key)), _digest(other.get(key)))
    rows += _differing("seed", "", str(one["seed"]), str(other["seed"]))
    rows += _differing("method", "", one["study"].get("method", "auto"), other["study"].get("method", "auto"))
    rows += _readings(records)
    rows += _differing(
        "engagements", "", _engagements(one["engagements"]), _engagements(other["engagements"])
    )
    rows += _situations(tables)
    if weights_differ:
        rows.append(("weights of situations", "", "those used here", "others"))
    rows += _versions(records)
    return pd.DataFrame(rows, columns=list(COLUMNS))


Rows = list[tuple[str, str, str, str]]


def _differing(what: str, name: str, before: Any, after: Any) -> Rows:
    return [] if before == after else [(what, name, _text(before), _text(after))]


def _text(value: Any) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:,}" if isinstance(value, int) else brief(value)


def _digest(value: Any) -> str | None:
    return None if value is None else str(value)[:8]


def _units(records: tuple[Record, Record]) -> Rows:
    before, after = ({unit["id"]: unit for unit in record["units"]} for record in records)
    rows: Rows = [(UNIT, unit, "there", NOTHING) for unit in before if unit not in after]
    rows += [(UNIT, unit, NOTHING, "there") for unit in after if unit not in before]
    for unit in before:
        if unit in after:
            rows += _sheets(unit, before[unit], after[unit])
    return rows


def _sheets(unit: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Rows:
    """How the sheet of a unit changed: what is fought with, or only its name, price and the like."""
    if before["sheet_hash"] == after["sheet_hash"]:
        return []
    word, key = (
        (SHEET, "sheet_hash") if before["fight_hash"] == after["fight_hash"] else (FIGHTS, "fight_hash")
    )
    rows = [(UNIT, unit, f"{word} {before[key][:8]}", f"{word} {after[key][:8]}")]
    rows += _differing("name", unit, before["name"], after["name"])
    return rows + _differing("ECV", unit, _ecv(before), _ecv(after))


def _ecv(unit: Mapping[str, Any]) -> str:
    if unit["ecv"] is None:
        return NOTHING
    return f"{unit['ecv']:g}" if unit["source"] == "rulebook" else f"{unit['ecv']:g} ({unit['source']})"


def _readings(records: tuple[Record, Record]) -> Rows:
    """Readings and constants that differ; what a run does not name has its default."""
    names = dict.fromkeys(name for record in records for name in record["non_default"])
    rows: Rows = []
    for name in names:
        before, after = (
            record["non_default"].get(name, record["readings"].get(name, "default")) for record in records
        )
        rows += _differing(READING, str(name), before, after)
    return rows


def _engagements(wanted: Mapping[str, Any] | None) -> str | None:
    if wanted is None:
        return None
    sizes, policies = (", ".join(map(str, wanted.get(name) or ())) for name in ("sizes", "policies"))
    return f"sizes {sizes}; {policies}; {wanted.get('turns')} turns"


def _situations(tables: tuple[pd.DataFrame, pd.DataFrame]) -> Rows:
    """Values of each axis of the situations that only one of the runs has."""
    rows: Rows = []
    for column in SITUATION:
        before, after = (list(dict.fromkeys(table[column])) for table in tables)
        for place, (ours, others) in enumerate(((before, after), (after, before))):
            alone = ", ".join(str(value) for value in ours if value not in others)
            if alone:
                values = (alone, NOTHING) if place == 0 else (NOTHING, alone)
                rows.append((_WORDS[column], "", *values))
    return rows


def _versions(records: tuple[Record, Record]) -> Rows:
    before, after = (record.get("versions") or {} for record in records)
    return [
        row
        for name in dict.fromkeys([*before, *after])
        for row in _differing(VERSION, str(name), before.get(name), after.get(name))
    ]
