"""Runs as they are read to be compared: whatever their files hold, one line says what is wrong with it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.lab.study import PathLike, Run, run_folder
from simlab.model.errors import InputError
from simlab.model.outcome import OUTCOMES
from simlab.model.situation import by_turn_text, shortest
from simlab.model.typed_situation import NO_FIRST_FIRE, Unfit, read_first_fire, read_range

if TYPE_CHECKING:
    import pandas as pd

FINISHED = "the table of a finished run"
_PLACE = ("a", "b", "range", "aspect_a", "aspect_b")
_COUNTS = tuple(f"count_{name}" for name in OUTCOMES)
_DUELS = (
    *_PLACE,
    "weight",
    "method",
    "n",
    *_COUNTS,
    *OUTCOMES,
    "error_bound",
    "cannot_fire_a",
    "cannot_fire_b",
)
_SEARCHES = (*_PLACE, "size_n", "size_m", "policy", *_COUNTS)
_CHANCE_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Compared:
    """A run as it is compared: how it is called, its folder, `run.json`, and its tables with situations as texts."""

    label: str
    folder: Path
    record: Mapping[str, Any]
    duels: "pd.DataFrame"
    engagements: "pd.DataFrame | None"


def read_run(run: "Run | PathLike", results: PathLike, field: str) -> Compared:
    """Return a run by its folder, or by the folder's name in `results`; InputError where any of it cannot be used."""
    from simlab.studies import store

    if isinstance(run, Run):
        folder, label, record = run.folder, str(run.folder), run.record
        duels: pd.DataFrame | None = run.duels
        engagements: pd.DataFrame | None = run.engagements
    else:
        folder = run_folder(run, results, field)
        label = str(folder)
        record = store.load_record(folder)
        duels, engagements = (_load(folder, name) for name in (store.DUELS, store.ENGAGEMENTS))
    _check_record(record, str(folder / store.RECORD))
    if duels is None:
        raise store.without_duels(folder)
    units = {str(unit["id"]) for unit in record["units"]}
    read = _Reader(str(folder / store.DUELS), units).duels(duels)
    searches = None
    if engagements is not None and len(engagements):
        searches = _Reader(str(folder / store.ENGAGEMENTS), units).searches(engagements)
    return Compared(label, folder, record, read, searches)


def _load(folder: Path, name: str) -> "pd.DataFrame | None":
    from simlab.studies.store import load_table

    return load_table(folder, name)


def _check_record(record: Mapping[str, Any], file: str) -> None:
    """Raise InputError where a record lacks what a comparison reads, or has something else in its place."""
    fits: dict[str, Callable[[Any], bool]] = {
        "name": _is_text,
        "system": _is_text,
        "rules_version": _is_text,
        "study": _is_mapping,
        "seed": _is_whole,
        "n": _is_whole,
        "turns": _is_whole,
        "engagements": lambda value: value is None or _is_wanted(value),
        "units": lambda value: isinstance(value, list) and all(_is_unit(unit) for unit in value),
        "readings": _is_mapping,
        "non_default": _is_mapping,
        "versions": lambda value: value is None or _is_mapping(value),
    }
    for key, fit in fits.items():
        if not fit(record.get(key)):
            raise InputError.one(
                "run", f"a record with a faulty {key}", "the record of a finished run", file=file
            )
    if len({unit["id"] for unit in record["units"]}) < len(record["units"]):
        raise InputError.one("run", "a record with a unit twice", "the record of a finished run", file=file)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_wanted(value: Any) -> bool:
    """Whether a value says which engagements were asked for."""
    return _is_mapping(value) and all(isinstance(value.get(name), list) for name in ("sizes", "policies"))


def _is_unit(unit: Any) -> bool:
    if not _is_mapping(unit):
        return False
    price = unit.get("ecv")
    number = isinstance(price, int | float) and not isinstance(price, bool) and math.isfinite(price)
    texts = ("id", "name", "source", "sheet_hash", "fight_hash")
    return (price is None or number) and all(_is_text(unit.get(name)) for name in texts)


class _Reader:
    """Reads the tables of one run; InputErrors name the file."""

    def __init__(self, file: str, units: set[str]) -> None:
        self.file = file
        self.units = units

    def duels(self, table: "pd.DataFrame") -> "pd.DataFrame":
        """Return the duels with the types and places of a comparison."""
        from simlab.analysis.compare import ROW

        duels = self._places(self._with(table, _DUELS))
        duels["method"] = duels["method"].astype(str)
        sampled = duels["method"] == "monte_carlo"
        self._numbers(duels, ("weight", *OUTCOMES))
        for name in ("cannot_fire_a", "cannot_fire_b"):
            duels[name] = self._converted(duels[name], "bool", name)
        self._counts(duels, sampled)
        self._need(bool((sampled | (duels["method"] == "exact")).all()), "method")
        bounds = duels["error_bound"] = self._converted(duels["error_bound"], "float64", "error_bound")
        self._need(bool(bounds[~sampled].between(0, 1).all()), "error_bound")
        self._need(bool((duels["weight"] >= 0).all()), "weight")
        self._chances(duels, sampled)
        self._once(duels, list(ROW))
        return duels[[*ROW, *(name for name in _DUELS if name not in ROW)]]

    def searches(self, table: "pd.DataFrame") -> "pd.DataFrame":
        """Return the engagements likewise."""
        from simlab.analysis.tables import SERIES

        searches = self._places(self._with(table, _SEARCHES))
        searches["policy"] = searches["policy"].astype(str)
        for name in ("size_n", "size_m"):
            searches[name] = self._converted(searches[name], "int64", name)
            self._need(bool((searches[name] >= 1).all()), name)
        self._counts(searches, None)
        self._once(searches, [*SERIES, "size_m"])
        return searches[[*SERIES, "size_m", *_COUNTS]]

    def _with(self, table: "pd.DataFrame", columns: tuple[str, ...]) -> "pd.DataFrame":
        if not table.columns.is_unique:
            raise self._error("a table with a column twice")
        missing = [name for name in columns if name not in table]
        if missing:
            raise self._error(f"a table without {', '.join(missing)}")
        first_fire = ["first_fire"] if "first_fire" in table else []
        return table[[*columns, *first_fire]].reset_index(drop=True)

    def _places(self, table: "pd.DataFrame") -> "pd.DataFrame":
        """The table with ids and situations as texts, each situation in one form."""
        for side in "ab":
            table[side] = table[side].astype(str)
            self._need(set(table[side]) <= self.units, side)
        table["range"] = self._texts(table["range"], "range", _range_text)
        for name in ("aspect_a", "aspect_b"):
            table[name] = self._texts(table[name], name, _aspect_text)
        given = table["first_fire"] if "first_fire" in table else table["a"].map(lambda _: NO_FIRST_FIRE)
        table["first_fire"] = self._texts(given, "first_fire", _first_fire_text)
        return table

    def _texts(self, column: Any, name: str, text: Callable[[Any], str | None]) -> Any:
        try:
            texts = {value: text(value) for value in column.unique().tolist()}
        except TypeError as error:
            raise self._faulty(name) from error
        self._need(None not in texts.values(), name)
        return column.map(texts).astype(str)

    def _counts(self, table: "pd.DataFrame", sampled: Any) -> None:
        """Counts of fights are whole, not negative, not all nothing, and add up to n; a solved row has none."""
        rows = table if sampled is None else table[sampled]
        for name in (*_COUNTS, *(("n",) if "n" in table else ())):
            counts = self._converted(rows[name], "int64", name)
            self._need(bool((counts >= 0).all()), name)
            table[name] = counts.astype("Int64").reindex(table.index)
        total = table[list(_COUNTS)].sum(axis=1)[rows.index]
        self._need(bool((total > 0).all()), _COUNTS[0])
        if "n" in table:
            self._need(bool((total == table["n"][rows.index]).all()), "n")

    def _chances(self, duels: "pd.DataFrame", sampled: Any) -> None:
        """Chances are those of the counts where sampled, and add up to 1 but for the error bound where solved."""
        total = duels[list(OUTCOMES)].sum(axis=1)
        open_ = duels["error_bound"].where(~sampled, 0.0).fillna(0.0)
        fits = (total <= 1 + _CHANCE_ROUNDING) & (total >= 1 - open_ - _CHANCE_ROUNDING)
        self._need(bool(fits.all()), "chance")
        for name in OUTCOMES:
            self._need(bool(duels[name].between(0, 1).all()), name)
            counted = (duels[f"count_{name}"] / duels["n"])[sampled].astype("float64")
            self._need(bool(((counted - duels[name][sampled]).abs() < _CHANCE_ROUNDING).all()), name)

    def _numbers(self, table: "pd.DataFrame", names: tuple[str, ...]) -> None:
        for name in names:
            table[name] = self._converted(table[name], "float64", name)
            self._need(bool(table[name].abs().lt(math.inf).all()), name)

    def _converted(self, column: Any, kind: Any, name: str) -> Any:
        """A column as numbers, without change of value; InputError for what is none."""
        import pandas as pd

        if kind == "bool":
            self._need(column.dtype == "bool", name)
            return column
        self._need(pd.api.types.is_numeric_dtype(column) and column.dtype != "bool", name)
        try:
            converted = column.astype(kind)
        except (TypeError, ValueError, OverflowError) as error:
            raise self._faulty(name) from error
        self._need(kind != "int64" or bool((converted == column).all()), name)
        return converted

    def _once(self, table: "pd.DataFrame", keys: list[str]) -> None:
        if table.duplicated(keys).any():
            raise self._error("a row twice")

    def _need(self, fits: bool, name: str) -> None:
        if not fits:
            raise self._faulty(name)

    def _faulty(self, name: str) -> InputError:
        return self._error(f"a faulty column {name}")

    def _error(self, found: str) -> InputError:
        return InputError.one("run", found, FINISHED, file=self.file)


def _range_text(value: Any) -> str | None:
    found = read_range(value)
    return None if isinstance(found, Unfit) else by_turn_text(shortest(found))


def _aspect_text(value: Any) -> str | None:
    return by_turn_text(shortest(value.split(","))) if isinstance(value, str) and value else None


def _first_fire_text(value: Any) -> str | None:
    found = read_first_fire(value)
    return None if isinstance(found, Unfit) else found or NO_FIRST_FIRE
