"""The study of a finished run, with the sheets as they are now."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from simlab.lab.roster import Folder, find_own_sheet, is_path
from simlab.lab.study import system_of_run
from simlab.model.document import Document
from simlab.model.errors import InputError
from simlab.model.keys import canonical_json
from simlab.model.typed_situation import read_number
from simlab.studies.study_file import Library, Study, parse_study


def study_of_run(folder: Path, record: Mapping[str, Any], units: Folder = None) -> Study:
    """Return the study of a run's record. `folder`: that of the run.

    Units named by path are looked up from where the study file lay. Raises InputError if a sheet or the rules do not
    fight like those of the run any more; another ECV or name is no matter.
    """
    system_of_run(dict(record))
    content = dict(record["study"]) | {"situations": _with_numbers(record["study"]["situations"])}
    listed = content.get("units")
    content["units"] = listed if isinstance(listed, list) else [unit["id"] for unit in record["units"]]
    library = Library(
        ids=lambda system: [unit["id"] for unit in record["units"]],
        find=lambda unit, system: find_own_sheet(unit, system, units),
    )
    study = parse_study(Document(str(folder), content), folder.name, _study_folder(folder), library)
    _check_sheets(study, record)
    _check_options(study, record)
    return study


def _with_numbers(situations: Mapping[str, Any]) -> dict[str, Any]:
    """The situations as they stand in the study: the record has texts where ranges with weights are keys."""
    ranges = situations.get("range")
    if not isinstance(ranges, dict):
        return dict(situations)
    typed = {key if read_number(key) is None else read_number(key): weight for key, weight in ranges.items()}
    return dict(situations) | {"range": typed}


def _check_sheets(study: Study, record: Mapping[str, Any]) -> None:
    hashes = {unit["id"]: unit["fight_hash"] for unit in record["units"]}
    for sheet in study.sheets:
        if study.system.fight_hash(sheet) != hashes.get(sheet.id):
            found = f"another sheet of {sheet.id}"
            raise InputError.one("run", found, "the sheets as they are now: run the study again")


def _check_options(study: Study, record: Mapping[str, Any]) -> None:
    """Charts that a reading names by their folder may have changed since."""
    if canonical_json(study.options.non_default()) != canonical_json(record["non_default"]):
        raise InputError.one("run", "other readings or charts", "those of the run: run the study again")


def _study_folder(folder: Path) -> Path:
    """The folder of the study file that the run was made of."""
    import json

    from simlab.studies.store import PLAN

    try:
        told = json.loads((folder / PLAN).read_text(encoding="utf-8")).get("study_file")
    except (OSError, ValueError, AttributeError):
        told = None
    return (folder / told).parent if is_path(told) else folder
