"""Runs notebooks and keeps their output, but not when it was made: `python -m tests.run_notebooks [FILE...]`."""

import sys
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "notebooks"


def main(files: Sequence[str]) -> None:
    """Run the notebooks in place, all of them without any named."""
    for path in map(Path, files or sorted(map(str, FOLDER.glob("*.ipynb")))):
        notebook = nbformat.read(path, as_version=4)
        where = {"metadata": {"path": str(path.parent)}}
        NotebookClient(notebook, resources=where, record_timing=False).execute()
        nbformat.write(notebook, path)


if __name__ == "__main__":
    main(sys.argv[1:])
