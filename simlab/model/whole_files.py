"""Several files written as one: each whole or not at all, and all of them or, short of a kill, none."""

import errno
import os
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from simlab.model.errors import InputError

FLUSHES = 16
"""Files that are forced to disk at a time: together that is far quicker than in a row."""
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)
"""How file systems without second names for a file refuse them."""


def write_files(files: Mapping[Path, bytes], *, replace: bool = False) -> None:
    """Write files, and make the folders that they need; existing ones only with `replace`.

    On an error or interrupt what was there before is there again. Raises InputError that names the file or folder.
    """
    folders = list(dict.fromkeys(path.parent for path in files))
    with _made(folders), _beside(files) as beside:
        placed: list[tuple[Path, Path | None]] = []
        try:
            for path, fresh in beside.items():
                with _named(path):
                    placed.append((path, _keep_old(path) if replace else None))
                    _place(fresh, path, replace)
        except BaseException:
            for path, old in reversed(placed):
                with suppress(OSError):
                    _restore(path, old, beside[path])
            raise
        finally:
            for _, old in placed:
                if old is not None:
                    old.unlink(missing_ok=True)
        for folder in folders:
            _to_disk(folder)


def exists_already(path: Path) -> InputError:
    """Return the error of a file that is there and may not be replaced."""
    return InputError.one("file", "a file that exists", "a new file, or --force", file=str(path))


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Turn an error of the system into one that names the file."""
    try:
        yield
    except (OSError, ValueError) as error:
        found = getattr(error, "strerror", None) or "a path that cannot be used"
        raise InputError.one("file", found, "a file that can be written", file=str(path)) from error


@contextmanager
def _made(folders: list[Path]) -> Iterator[None]:
    """Make folders; those that were made go away again if anything fails."""
    made: list[Path] = []
    try:
        for folder in folders:
            with _named(folder):
                for each in [*reversed(folder.parents), folder]:
                    if not each.is_dir():
                        each.mkdir()
                        made.append(each)
        yield
    except BaseException:
        for folder in reversed(made):
            with suppress(OSError):
                folder.rmdir()
        raise


@contextmanager
def _beside(files: Mapping[Path, bytes]) -> Iterator[dict[Path, Path]]:
    """Write each file under another name in its folder and force it to disk; what is left of them goes away."""
    beside = {
        path: path.with_name(f".simlab.{os.getpid()}.{number}.tmp") for number, path in enumerate(files)
    }
    try:
        for path, fresh in beside.items():
            with _named(path):
                fresh.write_bytes(files[path])
        with ThreadPoolExecutor(FLUSHES) as pool:
            list(pool.map(_flush, beside, beside.values()))
        yield beside
    finally:
        for fresh in beside.values():
            with suppress(OSError):
                fresh.unlink(missing_ok=True)


def _keep_old(path: Path) -> Path | None:
    """Give the file that is there a second name, from which it can come back."""
    old = path.with_name(f".simlab.{os.getpid()}.{path.stat().st_ino}.old") if path.is_file() else None
    if old is not None:
        old.unlink(missing_ok=True)
        try:
            os.link(path, old)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            shutil.copy2(path, old)
    return old


def _place(fresh: Path, path: Path, replace: bool) -> None:
    if replace:
        fresh.replace(path)
        return
    try:
        os.link(fresh, path)
    except FileExistsError as error:
        raise exists_already(path) from error
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(path):
            raise exists_already(path) from error
        fresh.replace(path)


def _restore(path: Path, old: Path | None, fresh: Path) -> None:
    """Put the old file back, or take the new one away if it had come as far as its place."""
    if old is not None:
        old.replace(path)
    elif not fresh.exists() or (path.exists() and path.samefile(fresh)):
        path.unlink(missing_ok=True)


def _flush(path: Path, fresh: Path) -> None:
    """Force what will be at `path` to disk."""
    with _named(path):
        _to_disk(fresh)


def _to_disk(path: Path) -> None:
    """Force a file or the names in a folder to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
