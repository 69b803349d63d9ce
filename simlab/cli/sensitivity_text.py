"""Which numbers of a sheet matter, as text for people."""

from math import floor, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.analysis.readings_paired import Estimate
from simlab.cli.tables import NOTHING, ecv_text, plain_table, to_text
from simlab.cli.whatif_text import EXACTLY_NOTHING, against, fixed, how, listed, percent, plus_minus, wrapped

if TYPE_CHECKING:
    from simlab.lab.nudges import Sensitivity

SIGNS = (-1, 1)


def sensitivity_text(found: "Sensitivity", drawn: Path) -> str:
    """Return the ranking of a sheet's numbers, those without an effect, and the steps that are not legal."""
    from simlab.lab.nudges import NONE, UNSEEN

    idle = {*found.with_effect(NONE, UNSEEN)}
    seen: dict[str, dict[int, Any]] = {}
    for nudge in found.nudges:
        if nudge.field not in idle:
            seen.setdefault(nudge.field, {})[_sign(nudge)] = nudge
    values = {nudge.field: nudge.value for nudge in found.nudges}
    rows = [
        [path, f"{values[path]:g}", *_step(found, path), *(_nudge(steps.get(sign)) for sign in SIGNS)]
        for path, steps in seen.items()
    ]
    head = ["one point of", "is"] if found.by_points else ["a step of", "is", "step"]
    n = found.n
    share = f"{percent(found.share)}%"
    unseen = [path for path in found.with_effect(NONE, UNSEEN) if path not in found.unseen]
    return to_text(
        f"Win share of {found.unit.id}: {share}",
        *wrapped(against(found.record), ""),
        "",
        plain_table([*head, *_ways(found)], rows),
        "",
        "changes of the win share in points of %, each with its own 95% interval",
        *_worth(found),
        *listed("No die sees (exactly 0)", found.unseen),
        *listed(f"No difference in {n:,} fights each" if n else "No difference beyond the error", unseen),
        *_refused(found),
        "",
        *how(found, found.record),
        f"plot: {drawn}",
    )


def _sign(step: Any) -> int:
    return 1 if step.step > 0 else -1


def _ways(found: "Sensitivity") -> tuple[str, str]:
    """What a step down and a step up are called."""
    return ("one less", "one more") if found.by_points else ("a step less", "a step more")


def _step(found: "Sensitivity", path: str) -> list[str]:
    """The cell with a number's step, none where all are 1."""
    return [] if found.by_points else [f"{found.steps[path]:g}"]


def _worth(found: "Sensitivity") -> list[Any]:
    """What steps are worth in ECV, those that show, the largest first."""
    if found.fights is None:
        return []
    worth: dict[str, dict[int, Estimate]] = {}
    for nudge in found.nudges:
        ecv = found.ecv(nudge)
        if ecv is not None:
            worth.setdefault(nudge.field, {})[_sign(nudge)] = ecv
    if not worth:
        what = "point" if found.by_points else "step"
        return ["", f"What a {what} is worth is not known: no ECV, or an opponent is beyond 40:1."]
    shown = {
        path: steps for path, steps in worth.items() if any(each.excludes_zero for each in steps.values())
    }
    largest = sorted(shown, key=lambda path: -max(abs(each.value) for each in shown[path].values()))
    rows = [[path, *_step(found, path), *(_ecv(shown[path].get(sign)) for sign in SIGNS)] for path in largest]
    title = f"worth in ECV, of {ecv_text(found.unit.ecv.value, found.unit.ecv.source)}"
    note = (
        "ECV by how many opponents are even with the unit (sides of 2,350 ECV), theirs kept; "
        f"{found.fights:,} fights for each number of them."
    )
    heads = [title, *([] if found.by_points else ["step"]), *_ways(found)]
    return ["", plain_table(heads, rows), "", *wrapped(note, "")]


def _ecv(found: "Estimate | None") -> str:
    if found is None:
        return NOTHING
    if found.low == found.high:
        return EXACTLY_NOTHING
    reach = (found.high - found.low) / 2
    digits = max(0, -floor(log10(reach))) if reach > 0 else 0
    return f"{fixed(found.value, digits)} ±{reach:.{digits}f}"


def _nudge(nudge: Any) -> str:
    return NOTHING if nudge is None else plus_minus(nudge.change, nudge.effect == "none")


def _refused(found: "Sensitivity") -> list[str]:
    """The steps that are not legal, a line each for a step less, a step more, and both."""
    steps: dict[str, set[int]] = {}
    for each in found.refused:
        steps.setdefault(each.field, set()).add(_sign(each))
    less, more = _ways(found)
    kinds = ((less, {-1}), (more, {1}), ("both ways", {-1, 1}))
    lines: list[str] = []
    for title, wanted in kinds:
        paths = [path for path, taken in steps.items() if taken == wanted]
        if paths:
            lines += wrapped(f"{title}: {', '.join(paths)}", "  ")
    return ["", "Left out, not legal:", *lines] if lines else []
