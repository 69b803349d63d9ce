"""Commands about changed sheets: what a change does, which numbers matter, which value is even, why a unit wins."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from simlab.cli import options
from simlab.cli.output import emit, emit_json, say
from simlab.cli.progress import Progress
from simlab.cli.values import Values
from simlab.model.document import parse_document
from simlab.model.errors import InputError, Problem, shown
from simlab.model.typed_situation import read_number

LEGAL_FIGHTS = "a whole number from 320 to 10^12"
LEGAL_VALUE = "FIELD=VALUE, the value as in a sheet: armor.front=7, weapons.cannon.high=[6,4,3]"

Changes = Annotated[
    list[str],
    typer.Argument(metavar="FIELD=VALUE", help="a number of the sheet and its new value: armor.front=7"),
]
Field = Annotated[
    str, typer.Argument(metavar="FIELD", help="a number of the sheet: armor.front, weapons.cannon.high.0")
]
Against = Annotated[
    list[str],
    typer.Option("--against", metavar="B[,C...]", help="opponents: ids or paths, or all; may be repeated"),
]
Ranges = Annotated[
    list[str] | None,
    typer.Option(
        "--range",
        metavar="INCHES",
        help="distance, 0 to 999; by turn: 36,30,24; repeated: a mix of equal weights  [default: 24]",
    ),
]
Target = Annotated[
    str, typer.Option("--target", metavar="SHARE", help="win share of UNIT that is wanted, 0 to 1")
]
Bound = Annotated[
    str | None,
    typer.Option("--bound", metavar="B", help="error of --exact at most, 1e-11 to 0.5  [default: 1e-6]"),
]
Fights = Annotated[
    str | None, typer.Option("--n", metavar="N", help="fights to sample for each duel, from 320")
]
NoEcv = Annotated[
    bool, typer.Option("--no-ecv", help="leave out what a step is worth, which takes most of the time")
]
Step = Annotated[
    list[str] | None,
    typer.Option(
        "--step",
        metavar="[FIELD=]STEP",
        help="how far numbers move, all of them or those that FIELD begins: 2, armor=10; may be repeated  "
        "[default: the system's own, 1 for most]",
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE.png",
        help="where the tornado plot goes  [default: results/sensitivity/<unit>.png]",
    ),
]


def whatif(
    unit: options.Unit,
    changes: Changes,
    against: Against,
    range: Ranges = None,
    aspect_a: options.AspectA = "front",
    aspect_b: options.AspectB = "front",
    first_fire: options.FirstFire = None,
    turns: options.Turns = "12",
    n: Fights = None,
    precision: options.Precision = None,
    exact: options.Exact = False,
    bound: Bound = None,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = None,
    settings: options.Settings = None,
    workers: options.Workers = None,
    system: options.System = "blitzkrieg",
    units: options.Units = None,
    as_json: options.Json = False,
) -> None:
    """Fight UNIT with and without changes of its sheet, at the same dice, and show the difference.

    The sheet's file stays as it is. A number that no die sees changes exactly nothing.
    """
    given = _given(locals())
    fields = typed_fields(changes)
    from simlab.lab.changed_duels import whatif as ask

    with Progress() as progress:
        found = ask(unit, fields, against, **given, progress=progress)
    if as_json:
        emit_json(found.to_dict())
    else:
        from simlab.cli.whatif_text import whatif_text

        emit(whatif_text(found))


def sensitivity(
    unit: options.Unit,
    against: Against,
    range: Ranges = None,
    aspect_a: options.AspectA = "front",
    aspect_b: options.AspectB = "front",
    first_fire: options.FirstFire = None,
    turns: options.Turns = "12",
    n: Fights = None,
    precision: options.Precision = None,
    exact: options.Exact = False,
    bound: Bound = None,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = None,
    settings: options.Settings = None,
    workers: options.Workers = None,
    step: Step = None,
    no_ecv: NoEcv = False,
    output: Output = None,
    system: options.System = "blitzkrieg",
    units: options.Units = None,
    as_json: options.Json = False,
) -> None:
    """Make every number of UNIT's sheet a step more and a step less, and rank what that does to its win share.

    A step is 1, and for measures such as millimetres what the rule system calls one. Over all opponents and ranges
    together, at the same dice. Draws a tornado plot. What a step is worth in ECV is read from how many opponents are
    even with the unit.
    """
    given = _given(locals()) | {"step": typed_steps(step or ())}
    from simlab.lab.nudges import prepare_picture
    from simlab.lab.nudges import sensitivity as ask

    if output is not None:
        prepare_picture(output)
    with Progress("numbers") as progress:
        found = ask(unit, against, **given, ecv=not no_ecv, progress=progress)
    drawn = found.draw(f"results/sensitivity/{found.unit.id}.png" if output is None else output)
    if as_json:
        emit_json(found.to_dict())
        say(f"plot: {drawn}")
    else:
        from simlab.cli.sensitivity_text import sensitivity_text

        emit(sensitivity_text(found, drawn))


def solve(
    unit: options.Unit,
    field: Field,
    against: Against,
    target: Target = "0.5",
    range: Ranges = None,
    aspect_a: options.AspectA = "front",
    aspect_b: options.AspectB = "front",
    first_fire: options.FirstFire = None,
    turns: options.Turns = "12",
    n: Fights = None,
    precision: options.Precision = None,
    exact: options.Exact = False,
    bound: Bound = None,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = None,
    settings: options.Settings = None,
    workers: options.Workers = None,
    system: options.System = "blitzkrieg",
    units: options.Units = None,
    as_json: options.Json = False,
) -> None:
    """Find the value of a number of UNIT's sheet at which its win share is the target."""
    given = _given(locals())
    from simlab.lab.solving_for import solve as ask

    with Progress() as progress:
        found = ask(unit, field, against, **given, progress=progress)
    if as_json:
        emit_json(found.to_dict())
    else:
        from simlab.cli.whatif_text import solve_text

        emit(solve_text(found))


def why(
    a: options.UnitA,
    b: options.UnitB,
    range: Ranges = None,
    aspect_a: options.AspectA = "front",
    aspect_b: options.AspectB = "front",
    first_fire: options.FirstFire = None,
    turns: options.Turns = "12",
    n: Fights = None,
    precision: options.Precision = None,
    exact: options.Exact = False,
    bound: Bound = None,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = None,
    settings: options.Settings = None,
    workers: options.Workers = None,
    system: options.System = "blitzkrieg",
    units: options.Units = None,
    as_json: options.Json = False,
) -> None:
    """Say why A wins or loses against B.

    Makes one stage of the shot equal at a time (B gets A's numbers), and lets one part fail at a time, all at
    the same dice. Effects need not add up, and the gap is shown.
    """
    given = _given(locals())
    from simlab.lab.reasons import why as ask

    with Progress("duels") as progress:
        found = ask(a, b, **given, progress=progress)
    if as_json:
        emit_json(found.to_dict())
    else:
        from simlab.cli.whatif_text import why_text

        emit(why_text(found))


_WHOLE = ("turns", "n", "seed", "workers")
_NUMBERS = ("bound", "time_limit", "target")
_ELSEWHERE = ("a", "b", "unit", "field", "changes", "against", "output", "no_ecv", "step", "as_json")


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a verb of lab from those of a command, texts read as numbers and pairs.

    Raises InputError with all that is no number or pair.
    """
    values = Values(n=LEGAL_FIGHTS, target="a number from 0 to 1")
    given: dict[str, Any] = {}
    for name, value in arguments.items():
        if name in _ELSEWHERE:
            continue
        if name in _WHOLE:
            given[name] = values.whole(name, value)
        elif name in _NUMBERS:
            given[name] = values.number(name, value)
        elif name == "range":
            texts = [values.by_turn("range", text) for text in value or ()]
            given["ranges" if len(texts) > 1 else "range"] = texts if len(texts) > 1 else (*texts, None)[0]
        elif name == "settings":
            given["set"] = values.settings(value or ())
        else:
            given[name] = value
    values.check()
    return given


def typed_steps(texts: Sequence[str]) -> dict[str, float] | None:
    """Return the steps that are typed, `10` or `armor=10`, by what they are for; None for none. Raises InputError."""
    from simlab.lab.steps import LEGAL_STEP, OTHERS

    found: dict[str, float] = {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        step = read_number(number)
        if step is None or (equals and not name):
            raise InputError.one("step", shown(text), f"{LEGAL_STEP}, or FIELD=STEP")
        if found.setdefault(name or OTHERS, step) != step:
            raise InputError.one("step", shown(text), f"one step for {name or 'all numbers'}")
    return found or None


def typed_fields(texts: Sequence[str]) -> dict[str, Any]:
    """Return the values of `FIELD=VALUE` by field, read as in a sheet. InputError lists what is none."""
    found: dict[str, Any] = {}
    problems: list[Problem] = []
    for text in texts:
        path, equals, value = text.partition("=")
        try:
            if not equals or not path.strip():
                raise InputError.one("FIELD=VALUE", shown(text), LEGAL_VALUE)
            read = parse_document(f"{value}\n".encode(), "").value if value.strip() else None
            if read is None and value.strip() not in ("null", "~"):
                raise InputError.one("FIELD=VALUE", shown(text), LEGAL_VALUE)
            if found.setdefault(path.strip(), read) != read:
                raise InputError.one("FIELD=VALUE", shown(text), f"one value for {path.strip()}")
        except InputError as error:
            own = error.problems[0].field == "FIELD=VALUE"
            problems += (
                error.problems if own else InputError.one("FIELD=VALUE", shown(text), LEGAL_VALUE).problems
            )
    if problems:
        raise InputError(problems)
    return found
