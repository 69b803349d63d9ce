"""`make` makes again what is missing, and does nothing where nothing is."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
RUN = Path("results") / "panther_vs_sherman"
COMMAND = """#!/bin/sh
[ "$1" = run ] || exit 0
mkdir -p {run}/plots
for file in run.json summary.md plots/a.png; do [ -f {run}/$file ] || echo text > {run}/$file; done
echo "$2" >> calls
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The Makefile beside an environment whose simlab only writes files."""
    if shutil.which("make") is None:
        pytest.skip("there is no make")
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("requirements.lock", "pyproject.toml", "studies/panther_vs_sherman.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    binaries = tmp_path / ".venv" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "simlab").write_text(COMMAND.format(run=RUN))
    (binaries / "simlab").chmod(0o755)
    (tmp_path / ".venv" / ".installed").touch()
    return tmp_path


def make(project: Path, *targets: str) -> int:
    """Run `make` and return how often simlab has run a study so far."""
    done = subprocess.run(
        ["make", *targets], cwd=project, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return len((project / "calls").read_text().split())


def test_a_missing_output_is_made_again(project: Path) -> None:
    assert make(project) == make(project) == 1
    for count, name in enumerate(("plots/a.png", "run.json", "summary.md"), 2):
        (project / RUN / name).unlink()
        assert make(project) == count
        assert (project / RUN / name).is_file()
        assert make(project) == count
    shutil.rmtree(project / RUN)
    assert make(project) == make(project) == 5


def test_a_changed_study_runs_again(project: Path) -> None:
    assert make(project) == 1
    (project / "units" / "blitzkrieg").mkdir(parents=True)
    (project / "units" / "blitzkrieg" / "new.yaml").touch()
    assert make(project) == make(project) == 2


def test_results_are_those_of_the_roster_and_simlab_says_what_is_to_do(project: Path) -> None:
    (project / "results").mkdir()
    assert make(project, "results") == 1
    assert make(project, "results") == 2
    assert (project / "calls").read_text().split() == ["studies/roster.yaml"] * 2
    assert (ROOT / "studies" / "roster.yaml").is_file()
