"""Pictures of a run that need not be drawn again: those of the same tables by the same program."""

import json
import pkgutil
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from simlab.lab.study import PLOTS, Progress, Run, plot

MARK = ".drawn"
ROOMS = ("model", "analysis", "plots")
"""Rooms whose sources decide how pictures look."""
LIBRARIES = ("matplotlib", "numpy", "pandas")
_PASSING = ("seconds", "fights", "solved", "reused")
"""Entries of a record that are of one call alone."""


def plot_changed(run: Run, progress: Progress | None = None) -> tuple[Path, ...]:
    """Return the pictures in the folder of a run; they are drawn if any is missing, or would be another.

    Raises InputError as `plot`.
    """
    from simlab.studies.store import write_text

    mark = run.folder / PLOTS / MARK
    made_from = _made_from(run)
    found = _read(mark)
    if found.get("made_from") == made_from and _are_whole(run.folder, found.get("pictures")):
        return tuple(run.folder / name for name in found["pictures"])
    mark.unlink(missing_ok=True)
    drawn = plot(run, progress=progress)
    pictures = {path.relative_to(run.folder).as_posix(): _digest([path.read_bytes()]) for path in drawn}
    write_text(mark, json.dumps({"made_from": made_from, "pictures": pictures}, indent=1) + "\n")
    return drawn


def _made_from(run: Run) -> str:
    """Return a digest of all that pictures are made from: record, tables, sources, versions of libraries."""
    from simlab.studies.store import DUELS, ENGAGEMENTS

    record = {name: value for name, value in run.record.items() if name not in _PASSING}
    tables = [run.folder / name for name in (DUELS, ENGAGEMENTS)]
    versions = [version(name) for name in LIBRARIES]
    parts = [json.dumps([record, versions], sort_keys=True).encode()]
    parts += [path.read_bytes() for path in tables if path.is_file()]
    parts += [path.read_bytes() for room in ROOMS for path in _sources(room)]
    return _digest(parts)


def _sources(room: str) -> Iterable[Path]:
    folders = import_module(f"simlab.{room}").__path__
    names = sorted(module.name for module in pkgutil.iter_modules(folders))
    return [path for folder in folders for name in names if (path := Path(folder) / f"{name}.py").is_file()]


def _read(mark: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(mark.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _are_whole(folder: Path, pictures: Any) -> bool:
    if not isinstance(pictures, dict) or not pictures:
        return False
    try:
        return all(_digest([(folder / name).read_bytes()]) == kept for name, kept in pictures.items())
    except OSError:
        return False


def _digest(parts: Iterable[bytes]) -> str:
    found = blake2b(digest_size=8)
    for part in parts:
        found.update(len(part).to_bytes(8, "little"))
        found.update(part)
    return found.hexdigest()
