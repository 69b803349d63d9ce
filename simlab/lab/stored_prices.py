"""The prices of a run as they are told and kept: facts and frames in a folder of the run."""

import json
import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.lab.roster import is_path, typed
from simlab.lab.study import PathLike, run_folder
from simlab.model.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

FOLDER = "prices"
RECORD = "prices.json"
FACTS, KILLS = "engagements.parquet", "kills.parquet"
SCHEMA = 1
MOST_NAMED = 5
"""Runs that a message names."""
FRAMES = ("units", "pairs", "cycles", "cyclic", "lanchester", "situations", "settings", "order", "swapped")
"""Frames of `Prices` that are kept in the record."""
TABLES = {
    "units": "prices",
    "pairs": "pairs",
    "cycles": "cycles",
    "situations": "situations",
    "settings": "settings",
}
"""Those that are written as tables too, and the names of their files."""
ASSUMPTIONS = ("size", "policy", "mix", "sizes", "policies", "turns", "tolerance", "level", "n", "seed")
"""Entries of the record that say under which terms prices hold."""


@dataclass(frozen=True, eq=False)
class Prices:
    """What the units of a run are worth.

    folder: where the tables lie. record: what was fought and assumed. units: one row a unit with its price, intervals
    and verdict. pairs: one row a pair with what no price can fix. cycles: units of which each beats the next. cyclic:
    the share of all differences that no price can explain. lanchester: exponent a policy. situations: prices in a mix
    of one range or aspect alone. settings: prices by size of battle and policy. order: whether strengths in duels order
    the units as prices do; swapped: neighbours that they order otherwise. facts: the rungs next to each even fight.
    kills: chances of a turn's fire, solved, for a row of each pair. fights: how many fights this call fought.
    """

    folder: Path
    record: dict[str, Any] = field(repr=False)
    units: "pd.DataFrame" = field(repr=False)
    pairs: "pd.DataFrame" = field(repr=False)
    cycles: "pd.DataFrame" = field(repr=False)
    cyclic: "pd.DataFrame" = field(repr=False)
    lanchester: "pd.DataFrame" = field(repr=False)
    situations: "pd.DataFrame" = field(repr=False)
    settings: "pd.DataFrame" = field(repr=False)
    order: "pd.DataFrame" = field(repr=False)
    swapped: "pd.DataFrame" = field(repr=False)
    facts: "pd.DataFrame" = field(repr=False)
    kills: "pd.DataFrame" = field(repr=False)
    fights: int = 0

    @cached_property
    def series(self) -> "pd.DataFrame":
        """One row a pair, situation, size and policy: the fair number, or on which side of it there is none."""
        from simlab.analysis.price_series import collect_series

        return collect_series(self.facts)

    def to_frame(self) -> "pd.DataFrame":
        """Return the table of units."""
        return self.units

    def to_dict(self) -> dict[str, Any]:
        """Return anchor, assumptions and units as plain values; figures without a value are None."""
        from simlab.analysis.readings import as_records

        rows = as_records(self.units)
        return {
            "schema": SCHEMA,
            "run": self.record["run"],
            "system": self.record["system"],
            "anchor": self.record["anchor"],
            "assumptions": {name: self.record[name] for name in ASSUMPTIONS},
            "units": {row.pop("id"): row for row in rows},
            **{name: as_records(getattr(self, name)) for name in FRAMES if name not in ("units", "pairs")},
            "rules_version": self.record["rules_version"],
            "readings": self.record["readings"],
        }

    def headlines(self) -> list[str]:
        """Return the main findings in plain sentences."""
        from simlab.lab.price_words import write_price_headlines

        return write_price_headlines(self)


def load_prices(run: PathLike, results: PathLike = "results") -> Prices | None:
    """Return the prices that were stored with a run, None if there are none, or if the run is another one since.

    Raises InputError.
    """
    from simlab.studies.store import load_record

    folder = run_folder(run, results)
    found = _load(folder / FOLDER)
    same = found is not None and found.record.get("run_digest") == load_record(folder)["digest"]
    return found if same else None


def priced_run(run: PathLike, results: PathLike) -> tuple[Path, dict[str, Any], Prices]:
    """Return the folder of a run, its record, and its prices. Raises InputError, also if it has none as it is now."""
    from simlab.studies.store import load_record

    folder = run_folder(run, results)
    prices = load_prices(folder, results)
    if prices is None:
        allowed = f"a run with prices of its present state: simlab price {os.fspath(run)}"
        raise InputError.one("run", "a run without prices", allowed, file=str(folder))
    return folder, load_record(folder), prices


def check_system(run: PathLike, results: PathLike, system: str) -> None:
    """Raise InputError for a run of another system than `system`; it says which runs of that one `results` has."""
    from simlab.studies.store import load_record

    try:
        own = load_record(run_folder(run, results))["system"]
    except InputError:
        if not is_path(results) or not any(_runs_of(system, results)):
            raise
        raise InputError.one("run", typed(run), _allowed_runs(system, results)) from None
    if own != system:
        raise InputError.one("run", f"{typed(run)}, a run of {own}", _allowed_runs(system, results))


def _allowed_runs(system: str, results: PathLike) -> str:
    """Which runs of a system have prices, or how to get some."""
    priced, bare = _runs_of(system, results)
    allowed = f"a run of {system} with prices: "
    if priced:
        return allowed + ", ".join(priced[:MOST_NAMED])
    if bare:
        others = f", or of {', '.join(bare[1:MOST_NAMED])}" if len(bare) > 1 else ""
        return f"{allowed}simlab price {bare[0]} makes them{others}"
    return f"{allowed}simlab run a study of {system}, then simlab price its run"


def _runs_of(system: str, results: PathLike) -> tuple[list[str], list[str]]:
    """The names of runs of a system in a folder and in the folders in it: those with prices, and those without."""
    from simlab.studies import store

    priced, bare = list[str](), list[str]()
    files = [file for depth in ("*", "*/*") for file in Path(results).glob(f"{depth}/{store.RECORD}")]
    for folder in sorted(file.parent for file in files):
        try:
            own = store.load_record(folder)["system"] == system
            prices = load_prices(folder, results) if own else None
        except InputError:
            continue
        if own:
            (bare if prices is None else priced).append(folder.relative_to(results).as_posix())
    return priced, bare


def load_sound(folder: Path) -> Prices | None:
    """Prices as they were stored; None also where they cannot be read, for they can be made again."""
    try:
        return _load(folder)
    except InputError:
        return None


def _load(folder: Path) -> Prices | None:
    import pandas as pd

    from simlab.studies.store import load_table

    try:
        stored = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        found = "an unreadable record"
        raise InputError.one("run", found, "a record of prices", file=str(folder / RECORD)) from error
    if not isinstance(stored, dict) or stored.get("schema") != SCHEMA or "tables" not in stored:
        return None
    facts, kills = load_table(folder, FACTS), load_table(folder, KILLS)
    if facts is None or kills is None:
        return None
    tables = stored.pop("tables")
    frames: dict[str, Any] = {
        name: pd.DataFrame(tables[name]["rows"], columns=tables[name]["columns"]) for name in FRAMES
    }
    return Prices(folder=folder, record=stored, facts=facts, kills=kills, **frames)


def save_prices(found: Prices) -> None:
    """Write record and tables; the record last, so that whoever finds one finds its tables."""
    from simlab.analysis.csv_text import format_csv
    from simlab.plots.prices import write_price_picture
    from simlab.studies.store import named_errors, write_json, write_text, write_whole

    with named_errors(found.folder / RECORD):
        (found.folder / RECORD).unlink(missing_ok=True)
    write_whole(found.folder / FACTS, found.facts.to_parquet)
    write_whole(found.folder / KILLS, found.kills.to_parquet)
    for name, file in TABLES.items():
        write_text(found.folder / f"{file}.csv", format_csv(getattr(found, name)))
    write_price_picture(found.units, found.record, found.folder)
    tables = {name: _table(getattr(found, name)) for name in FRAMES}
    write_json(found.folder / RECORD, found.record | {"tables": tables})


def _table(frame: "pd.DataFrame") -> dict[str, Any]:
    from simlab.analysis.readings import as_records

    return {"columns": list(frame.columns), "rows": as_records(frame)}
