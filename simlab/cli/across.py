"""The command that asks several rule systems the same question."""

import textwrap
from typing import TYPE_CHECKING

from simlab.cli import options
from simlab.cli.output import emit, emit_json
from simlab.cli.progress import Progress
from simlab.cli.values import Values
from simlab.model.errors import escaped

if TYPE_CHECKING:
    from simlab.lab.several_systems import Across


def across(
    study: options.Study,
    results: options.Results = "results",
    workers: options.Workers = None,
    units: options.Units = None,
    as_json: options.Json = False,
) -> None:
    """Run a study under several rule systems and say how far they agree on the same units.

    Its line `system:` is a list, and its units are ids that each of these systems has. The run of each system goes to a
    folder of its own, and is kept and used again as by `simlab run`.
    """
    from simlab import lab

    values = Values()
    threads = values.whole("workers", workers)
    values.check()
    with Progress("parts") as progress:
        found = lab.across(study, results=results, workers=threads, units=units, progress=progress)
    if as_json:
        emit_json(found.to_dict())
    else:
        emit(across_text(found))


def across_text(found: "Across") -> str:
    """Return the findings as text, and where tables and figure are."""
    from simlab.lab.several_systems import FIGURE, TABLES

    lines = [line for text in found.findings for line in (*textwrap.wrap(escaped(text), 78), "")]
    for text in found.caveats:
        lines += [*textwrap.wrap(escaped(f"(draft) {text}"), 78), ""]
    files = [*(f"{name}.csv" for name in TABLES), "summary.md", FIGURE]
    return "\n".join([*lines, f"tables and figure in {found.folder}:", *(f"  {name}" for name in files)])
