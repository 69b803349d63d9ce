"""Every notebook runs from top to bottom."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
QUICK_AND_LONG = [NOTEBOOKS[0], *(pytest.param(path, marks=pytest.mark.long) for path in NOTEBOOKS[1:])]


@pytest.mark.parametrize("path", QUICK_AND_LONG, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_notebook_runs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(ROOT)}})
    client.execute()
    printed = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert printed
    assert not [
        output for output in printed if output.output_type == "error" or output.get("name") == "stderr"
    ]


@pytest.mark.long
def test_running_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "small.ipynb"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("print(6 * 7)", id="one")])
    nbformat.write(notebook, path)
    texts = []
    for _ in range(2):
        command = [sys.executable, "-m", "tests.run_notebooks", str(path)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        texts.append(path.read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    assert "42" in texts[0]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_time_of_day_is_kept(path: Path) -> None:
    assert "iopub" not in path.read_text(encoding="utf-8")


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS
