"""One question to a worker of studies, answered by itself."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

from simlab.studies.journal import Journal
from simlab.studies.pool import Piece, Pool


def answered(question: Generator[Piece, Any, Any], journal: Path, threads: int = 2) -> Any:
    """Return what a question comes to; what is found out is kept in a journal."""
    found: list[Any] = []

    def job() -> Generator[Piece, Any, None]:
        found.append((yield from question))

    with Journal(journal) as kept:
        Pool(kept, threads, lambda number, seconds: None).run([(0, job())])
    return found[0]
