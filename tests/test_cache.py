"""Compiled code on disk is used again, and never after an edit of what it was compiled from.

The edits are made in a copy of the package; every question is asked in a fresh process.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
RULES = "simlab/rules/blitzkrieg"


@dataclass(frozen=True)
class Answer:
    """What a process found, and how many compiled functions it wrote to disk and read from there."""

    found: dict[str, Any]
    saved: int
    loaded: int


@dataclass(frozen=True)
class Copy:
    """A copy of the package with a cache of its own."""

    folder: Path

    def ask(self, questions: str, *systems: str) -> Answer:
        environment = {
            **os.environ,
            "NUMBA_CACHE_DIR": str(self.folder / "cache"),
            "NUMBA_DEBUG_CACHE": "1",
            "PYTHONPATH": str(self.folder),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        said = subprocess.run(
            [sys.executable, "cache_probe.py", questions, *systems],
            cwd=self.folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert said.returncode == 0, said.stderr
        lines = said.stdout.splitlines()
        saved, loaded = (sum(f"data {verb}" in line for line in lines) for verb in ("saved", "loaded"))
        return Answer(json.loads(lines[-1]), saved, loaded)

    @contextmanager
    def edited(self, file: str, old: str, new: str) -> Iterator[None]:
        """Replace a text that occurs once in a file, for a while."""
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {file}"
        path.write_text(text.replace(old, new), encoding="utf-8")
        yield
        path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    folder = tmp_path_factory.mktemp("copy")
    for name in ("simlab", "units"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("toy_system.py", "toy_kernel.py", "cache_probe.py"):
        shutil.copy(ROOT / "tests" / name, folder)
    return Copy(folder)


@pytest.fixture(scope="module")
def first(copy: Copy) -> Answer:
    """The answers of the first process, which has to compile."""
    return copy.ask("duels volley", "toy", "blitzkrieg")


@pytest.fixture(scope="module")
def keyed(copy: Copy) -> Answer:
    """The keys as they are, for which nothing is compiled."""
    return copy.ask("keys", "toy", "blitzkrieg")


@pytest.mark.long
def test_systems_bound_to_the_same_loops_run_their_own_rules_also_from_disk(copy, first):
    assert first.saved >= 4
    toy, blitzkrieg = first.found["toy"], first.found["blitzkrieg"]
    assert toy["volley"] == [[1, 2], [0.5, 0.5]]
    assert len(blitzkrieg["volley"][0]) > 20
    assert sum(blitzkrieg["volley"][1]) == pytest.approx(1)
    assert len(toy["duels"][0][0]) == 4
    assert len(blitzkrieg["duels"][0][0]) == 32
    # The other system first, so that nothing hangs on who came first.
    again = copy.ask("duels volley", "blitzkrieg", "toy")
    assert again.found == first.found
    assert again.saved == 0
    assert again.loaded == first.saved


def test_an_edited_kernel_takes_effect(copy):
    before = copy.ask("volley", "toy")
    with copy.edited("toy_kernel.py", "+ U64(1) >= row", "+ U64(1) > row"):
        edited = copy.ask("volley", "toy")
    assert before.found["toy"]["volley"] == [[1, 2], [0.5, 0.5]]
    assert edited.found["toy"]["volley"] == [[1, 2], pytest.approx([1 / 3, 2 / 3])]
    assert edited.found["toy"]["kernel"] != before.found["toy"]["kernel"]
    assert edited.saved == 1


@pytest.mark.long
def test_an_edited_kernel_of_the_toy_system_takes_effect_and_leaves_the_other_alone(copy, first):
    with copy.edited("toy_kernel.py", "+ U64(1) >= row", "+ U64(1) > row"):
        edited = copy.ask("duels volley", "toy", "blitzkrieg")
    assert edited.found["toy"]["volley"] == [[1, 2], pytest.approx([1 / 3, 2 / 3])]
    assert edited.found["toy"]["duels"] != first.found["toy"]["duels"]
    assert edited.found["toy"]["kernel"] != first.found["toy"]["kernel"]
    assert edited.found["blitzkrieg"] == first.found["blitzkrieg"]
    assert edited.saved == edited.loaded == first.saved / 2


@pytest.mark.long
def test_an_edited_kernel_of_blitzkrieg_takes_effect(copy, first):
    with copy.edited(
        f"{RULES}/kernel/damage.py", "return min(damage, left)", "return min(damage, left, U64(1))"
    ):
        edited = copy.ask("volley", "blitzkrieg")
    assert edited.found["blitzkrieg"]["volley"] != first.found["blitzkrieg"]["volley"]
    assert edited.found["blitzkrieg"]["kernel"] != first.found["blitzkrieg"]["kernel"]
    assert edited.saved == 1


@pytest.mark.long
def test_an_edited_constant_takes_effect_where_it_was_compiled_in(copy, first):
    """The layout is shared by the compiler of sheets and the kernels: both move, and nothing changes."""
    with copy.edited(
        f"{RULES}/program.py",
        "ROW_STRIKES, ROW_LEVELS = 0, 1, 208, 4",
        "ROW_STRIKES, ROW_LEVELS = 0, 1, 211, 4",
    ):
        edited = copy.ask("volley", "blitzkrieg")
    assert edited.found["blitzkrieg"]["volley"] == first.found["blitzkrieg"]["volley"]
    assert edited.saved == 1


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (
            "units/blitzkrieg/m4a3_sherman_lp.yaml",
            "[1, null, 2, 3, 4, 5, null, 6, 7, 8]",
            "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]",
        ),
        (f"{RULES}/system.py", 'VERSION = "blitzkrieg-', 'VERSION = "blitzkrieg-9'),
    ],
    ids=["chart", "version"],
)
@pytest.mark.long
def test_an_edited_chart_or_version_gives_other_fights_without_compiling(copy, first, file, old, new):
    with copy.edited(file, old, new):
        edited = copy.ask("duels volley", "blitzkrieg")
    before, after = first.found["blitzkrieg"], edited.found["blitzkrieg"]
    assert after["key"] != before["key"]
    assert after["duels"] != before["duels"]
    assert (after["volley"] != before["volley"]) == file.startswith("units")
    assert edited.saved == 0
    assert edited.loaded == first.saved / 2


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("simlab/version.py", '__version__ = "', '__version__ = "9.'),
        ("simlab/engine/loop.py", "import numpy as np\n", "import numpy as np\n\n"),
        ("simlab/dice/cut.py", "import numpy as np\n", "import numpy as np\n\n"),
        ("simlab/dice/slots.py", "REROLL = 64", "REROLL = 65"),
        (f"{RULES}/kernel/loss.py", "import numpy as np\n", "import numpy as np\n\n"),
    ],
)
def test_results_are_stored_under_all_sources_that_they_depend_on(copy, keyed, file, old, new):
    with copy.edited(file, old, new):
        edited = copy.ask("keys", "toy", "blitzkrieg")
    for name in ("toy", "blitzkrieg"):
        same = "kernel/loss.py" in file and name == "toy"
        assert (edited.found[name]["kernel"] == keyed.found[name]["kernel"]) == same
        assert edited.found[name]["key"] == keyed.found[name]["key"]
