"""By how much each number of a sheet is moved: by the step that its system names, or by one that was asked for."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from simlab.lab.arguments import Arguments
from simlab.model.errors import nearest

MOST_STEP = 999
LEGAL_STEP = f"a number above 0, up to {MOST_STEP}"
OTHERS = ""
"""Names all numbers of a sheet for which no other step is asked for."""


def read_steps(asked: Any, numbers: Collection[str], usual: Callable[[str], float]) -> dict[str, float]:
    """Return the step of each number of a sheet by its path.

    asked: a step for all, or steps by path or by the beginning of paths, as `armor` of `armor.front.hull`; the longest
    that fits counts, `""` fits all; None for `usual`. Raises InputError for what is no step, and for paths that no
    number of the sheet begins with.
    """
    if asked is None:
        return {path: usual(path) for path in numbers}
    steps = asked if isinstance(asked, Mapping) else {OTHERS: asked}
    given = Arguments()
    for name, step in steps.items():
        if not isinstance(name, str) or not any(_fits(name, path) for path in numbers):
            heads = dict.fromkeys(path.partition(".")[0] for path in numbers)
            allowed = f"a number of the sheet, or the beginning of some: {', '.join(heads)}"
            given.refuse("step", name, allowed, nearest(name, (*heads, *numbers)))
        elif _legal(step) is None:
            given.refuse("step", step, LEGAL_STEP)
    given.check()
    return {path: _step(path, steps, usual) for path in numbers}


def _step(path: str, steps: Mapping[str, Any], usual: Callable[[str], float]) -> float:
    fitting = [name for name in steps if _fits(name, path)]
    found = _legal(steps[max(fitting, key=len)]) if fitting else None
    return usual(path) if found is None else found


def _fits(name: str, path: str) -> bool:
    return name in (OTHERS, path) or path.startswith(f"{name}.")


def _legal(step: Any) -> float | None:
    """The step as a number, whole ones as such; None for what is none."""
    if isinstance(step, bool) or not isinstance(step, int | float) or not 0 < step <= MOST_STEP:
        return None
    return int(step) if float(step).is_integer() else float(step)
