"""A run as one page for people: what its folder holds, put together."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.lab.roster import typed
from simlab.lab.study import PathLike, Run, load_run
from simlab.model.errors import InputError
from simlab.rules.registry import caveats_of

if TYPE_CHECKING:
    from simlab.reports.contents import Contents

PAGE = "report.html"
ALLOWED_OUTPUT = "a file that can be written"


def report(run: "Run | PathLike", output: PathLike | None = None, *, results: PathLike = "results") -> Path:
    """Write the report of a run (or of the one of that name or path) as one HTML file and return its path.

    The file needs nothing else: no network, no other file. `output`: where it goes, `report.html` in the run's folder
    if it is left out; a file that is there is replaced, whole or not at all. The same run gives the same bytes. What
    the folder holds of prices, readings and the referee is in it. Raises InputError.
    """
    from simlab.model.whole_files import write_files
    from simlab.reports.page import write_page

    if output is not None and not _is_file_name(output):
        raise InputError.one("output", typed(output), ALLOWED_OUTPUT)
    found = run if isinstance(run, Run) else load_run(run, results)
    target = found.folder / PAGE if output is None else Path(output)
    if target.is_dir():
        raise InputError.one("output", "a folder", ALLOWED_OUTPUT, file=str(target))
    write_files({target: write_page(contents_of(found)).encode()}, replace=True)
    return target


def contents_of(run: Run) -> "Contents":
    """Return all that the report of a run shows. Raises InputError for a record in its folder that cannot be read."""
    from simlab.lab import ambiguity, verdict
    from simlab.lab.stored_prices import load_prices
    from simlab.reports.contents import Contents

    prices = load_prices(run.folder)
    silent = prices is not None and run.prices.empty and not run.is_many
    said = [] if silent else run.headlines()  # it would only say that there are no prices
    priced = [] if prices is None else prices.headlines()
    return Contents(
        run=run.folder.resolve().name,
        record=run.record,
        units=run.units,
        roster=run.roster,
        fair_numbers=run.fair_numbers,
        kill_rates=run.kill_rates,
        anchor=run.anchor,
        headlines=[*priced, *said, *caveats_of(run.record)],
        prices=prices,
        readings=_record(run.folder / ambiguity.FOLDER / ambiguity.RECORD, ambiguity.SCHEMA, READINGS_KEYS),
        referee=_record(run.folder / verdict.RECORD, verdict.SCHEMA, REFEREE_KEYS),
    )


READINGS_KEYS = ("ranking", "flips", "n", "seed", "units", "rules_version")
REFEREE_KEYS = (
    *("run", "failures", "cells", "skipped", "judged", "passed", "family", "bound", "cells_of_run", "drawn"),
    *("extremes", "seed", "together", "controls"),
)


def _record(path: Path, schema: int, keys: tuple[str, ...]) -> Mapping[str, Any] | None:
    """The JSON object in a file, None if there is no file."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError.one("run", "an unreadable record", _ALLOWED, file=str(path)) from error
    known = isinstance(record, dict) and record.get("schema") == schema and all(key in record for key in keys)
    if not known:
        raise InputError.one("run", "a record of another kind", _ALLOWED, file=str(path))
    return dict(record)


_ALLOWED = "the record of a finished command, or no such file"


def _is_file_name(output: object) -> bool:
    text = os.fspath(output) if isinstance(output, str | os.PathLike) else None
    return isinstance(text, str) and text != "" and "\0" not in text
