"""What is installed is whole: every module, the sheets, and the facts behind the drafts."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE_PARTS = ("page.html", "macros.html", "page.css", "page.js")
BUILD = """
import sys, setuptools
from distutils.core import run_setup
distribution = run_setup("setup.py", stop_after="init")
command = distribution.get_command_obj("build_py")
command.build_lib = sys.argv[1]
command.ensure_finalized()
command.run()
"""
ASK = """
import simlab
from pathlib import Path
from simlab.lab.roster import sheet_files
print(Path(simlab.__file__).parent, *sheet_files())
print(*{path.parent.parent for path in sheet_files().values()})
print(simlab.find_sheet("panther_g").name)
"""


def run(text: str, *arguments: str, folder: Path, **variables: str) -> str:
    """Run Python code in a process of its own and return what it prints."""
    command = [sys.executable, "-c", text, *arguments]
    kept = {name: value for name, value in os.environ.items() if name not in ("SIMLAB_UNITS", "PYTHONPATH")}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**kept, **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what a wheel puts into site-packages."""
    if importlib.util.find_spec("setuptools") is None:
        pytest.skip("setuptools builds the wheel")
    folder = tmp_path_factory.mktemp("site")
    run(BUILD, str(folder), folder=ROOT)
    return folder


def test_every_module_and_every_sheet_is_packaged(installed: Path) -> None:
    packed = {str(path.relative_to(installed)) for path in installed.rglob("*") if path.is_file()}
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "simlab").rglob("*.py")}
    sheets = {f"simlab/{path.relative_to(ROOT)}" for path in (ROOT / "units").rglob("*.*")}
    assert sheets
    parts = {f"simlab/reports/templates/{name}" for name in PAGE_PARTS}
    charts = {str(path.relative_to(ROOT)) for path in (ROOT / "simlab").rglob("charts/*.yaml")}
    assert charts
    assert {name for name in packed if not name.endswith(".md")} == modules | sheets | parts | charts


def test_packaged_sheets_are_found_from_anywhere(installed: Path, tmp_path: Path) -> None:
    where, folders, name = run(ASK, folder=tmp_path, PYTHONPATH=str(installed)).splitlines()
    assert where.split() == [
        str(installed / "simlab"),
        *sorted(path.stem for path in (ROOT / "units" / "blitzkrieg").glob("*.yaml")),
    ]
    assert folders == str(installed / "simlab" / "units")
    assert name == "Panther G"
