"""Compiles what most tests need before they start: each loop once, and not by every process that meets it first."""

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAIR = ("m4a3_sherman_lp", "panther_g")
COMMANDS = (
    ("engage", "2 m4a3_sherman_lp", "2 panther_g", "--n", "1", "--policy-a", "focus"),
    ("duel", *PAIR, "--exact", "--turns", "2"),
    *(
        ("engage", "2 panther_g", "2 t34_85", "--n", "1", "--system", system)
        for system in ("wwiisim", "tank_d20")
    ),
    ("duel", *PAIR, "--n", "1"),
    ("odds", *PAIR),
    *(
        (*command, "--system", system)
        for system in ("wwiisim", "tank_d20")
        for command in (
            ("duel", "panther_g", "t34_85", "--exact", "--turns", "1"),
            ("duel", "panther_g", "t34_85", "--n", "1"),
            ("odds", "panther_g", "t34_85"),
        )
    ),
)
PROCESSES = 2


def compile_all(commands: Sequence[Sequence[str]] = COMMANDS) -> None:
    """Run command lines whose loops are then on disk; what they come to is for the tests to judge."""
    with ThreadPoolExecutor(PROCESSES) as pool:
        list(pool.map(_run, commands))


def _run(command: Sequence[str]) -> None:
    whole = [sys.executable, "-m", "simlab", *command, "--units", str(ROOT / "units")]
    subprocess.run(whole, cwd=ROOT, capture_output=True, check=False)


if __name__ == "__main__":
    compile_all()
