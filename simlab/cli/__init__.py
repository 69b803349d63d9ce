"""The command line: parse, one call of lab, print."""

import sys
from collections.abc import Sequence

from simlab.cli.output import UnwritableError, emit_problems, flush, prepare_streams, say

INTERRUPTED = 130
BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (default: that of the process) and return its exit code.

    0 done; 2 bad input or usage, each problem a line on standard error; 130 interrupted.
    """
    prepare_streams()
    try:
        code = run(sys.argv[1:] if arguments is None else list(arguments))
        flush()
        return code
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED
    except UnwritableError as error:
        say(f"standard output: found {error}, allowed a file or pipe that takes the text")
        return BAD_INPUT


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code; KeyboardInterrupt and `UnwritableError` pass through."""
    from typer import TyperException

    from simlab.cli.app import command_line
    from simlab.cli.usage import usage_problem
    from simlab.model.errors import InputError

    try:
        code = command_line().main(args=list(arguments), prog_name="simlab", standalone_mode=False)
    except InputError as error:
        emit_problems(error.problems)
        return BAD_INPUT
    except TyperException as error:
        emit_problems([usage_problem(error, command_line())])
        return BAD_INPUT
    except SystemExit:
        return 0  # so typer leaves when the reader of its help is gone
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    return code if isinstance(code, int) else 0
