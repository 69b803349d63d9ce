"""Problems of arguments, in whose texts other arguments are named: each as Python spells it, or a command line."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from simlab.model.errors import InputError, Problem

_OPTION = re.compile(r"--([a-z][a-z-]*)")


@dataclass(frozen=True)
class ArgumentProblem(Problem):
    """A problem whose text names arguments: as Python spells them, and in `options` as a command line does.

    options: found and allowed with names like `--time-limit`.
    """

    options: tuple[str, str] = ("", "")


def problem_of(name: str, found: str, allowed: str, hint: str | None = None, option: str = "") -> Problem:
    """Return a problem of an argument. allowed, option: texts in which arguments are named like `--time-limit`.

    option: what was found, in the words of a command line; without it `found`.
    """
    options = (option or found, allowed)
    return ArgumentProblem("", None, name, found, as_arguments(allowed), hint, options)


@contextmanager
def naming_arguments() -> Iterator[None]:
    """Let an InputError whose texts name options, `--force`, name arguments in Python."""
    try:
        yield
    except InputError as error:
        raise InputError(_naming_arguments(problem) for problem in error.problems) from error


def _naming_arguments(problem: Problem) -> Problem:
    if isinstance(problem, ArgumentProblem):
        return problem
    place = problem.file, problem.line, problem.field, problem.found
    options = problem.found, problem.allowed
    return ArgumentProblem(*place, as_arguments(problem.allowed), problem.hint, options)


def as_arguments(text: str) -> str:
    """Return a text with the options in it spelled as arguments: `time_limit` for `--time-limit`."""
    return _OPTION.sub(lambda found: found[1].replace("-", "_"), text)


def as_option(name: str) -> str:
    """Return the option of an argument: `--time-limit` for `time_limit`."""
    return f"--{name.replace('_', '-')}"
