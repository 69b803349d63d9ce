"""Runs a study in children of a process that has all modules and compiled code in memory, and kills them.

A child is a whole run that costs only its fights. Each line on standard input is a JSON list: the folder of results;
the end of a file's name for which to wait, or nothing; the seconds after which the child is killed, or null. How the
child ended is printed: 0, or a negative signal.
"""

import json
import os
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

from simlab.lab.study import run

PATIENCE = 0.2
"""Seconds in which a file may appear."""


def serve(study: str, units: str) -> None:
    """Start a child for each line until the input ends."""
    with tempfile.TemporaryDirectory() as folder:
        run(study, results=folder, units=units)
    print("ready", flush=True)
    for line in sys.stdin:
        results, name, delay = json.loads(line)
        child = os.fork()
        if not child:
            work(study, Path(results), units)
        if delay is not None:
            wait_for(Path(results) / Path(study).stem, name)
            time.sleep(delay)
            os.kill(child, signal.SIGKILL)  # a child that has ended keeps its number until it is waited for
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def wait_for(folder: Path, name: str) -> None:
    """Wait until a file whose name ends so is there, for a little while."""
    until = time.monotonic() + PATIENCE
    while name and time.monotonic() < until:
        if any(each.name.endswith(name) for each in folder.glob("*")):
            return
        time.sleep(0.0005)


def work(study: str, results: Path, units: str) -> None:
    """Be the child: run the study and leave without a word to the parent's buffers."""
    code = 1
    try:
        run(study, results=results, units=units, workers=2)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    serve(*sys.argv[1:])
