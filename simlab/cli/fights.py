"""Commands about fights: one against one, sides of units, one volley, one fight told."""

from collections.abc import Mapping
from typing import Any

from simlab.cli import options
from simlab.cli.output import emit, emit_json
from simlab.cli.progress import Progress
from simlab.cli.values import Values


def duel(
    a: options.UnitA,
    b: options.UnitB,
    range: options.Range = "24",
    aspect_a: options.AspectA = "front",
    aspect_b: options.AspectB = "front",
    first_fire: options.FirstFire = None,
    turns: options.Turns = "12",
    n: options.Fights = None,
    precision: options.Precision = None,
    exact: options.Exact = False,
    bound: options.Bound = None,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = None,
    settings: options.Settings = None,
    workers: options.Workers = None,
    system: options.System = "blitzkrieg",
    units: options.Units = None,
    as_json: options.Json = False,
) -> None:
    """Fight A against B, one against one at a fixed range, and count who wins and what breaks.

    Fights are sampled, or with --exact the duel is solved: every chance within an error bound, turn by turn.
    Without --exact, --n, --precision or --seed it takes what is forecast to be quicker, and says which.
    """
    from simlab import lab

    given = _given(locals())
    with Progress() as progress:
        result = lab.duel(a, b, **given, progress=progress)
    if as_json:
        emit_json(result.to_dict())
    else:
        from simlab.cli.fight_tables import duel_text

        emit(duel_text(result))


def engage(
    side_a: options.SideA,
    side_b: options.SideB,
    range: options.Range = "24",
    aspect_a: options.AspectA = "front",
    aspect_b: options.AspectB = "front",
    first_fire: options.FirstFire = None,
    turns: options.Turns = "20",
    policy_a: options.PolicyA = "spread",
    policy_b: options.PolicyB = "spread",
    breaks: options.Break = None,
    n: options.Fights = None,
    precision: options.Precision = None,
    exact: options.NeverExact = False,
    bound: options.NeverBound = None,
    time_limit: options.NeverTimeLimit = None,
    seed: options.Seed = None,
    settings: options.Settings = None,
    workers: options.Workers = None,
    system: options.System = "blitzkrieg",
    units: options.Units = None,
    as_json: options.Json = False,
) -> None:
    """Fight a side of units against another at a fixed range, and count who is left.

    With --break a side that has lost so much of its ECV breaks, and the fight ends with the turn.
    """
    from simlab import lab

    given = _given(locals())
    with Progress() as progress:
        result = lab.engage(side_a, side_b, **given, progress=progress)
    if as_json:
        emit_json(result.to_dict())
    else:
        from simlab.cli.fight_tables import engage_text

        emit(engage_text(result))


def odds(
    a: options.UnitA,
    b: options.OtherUnit = None,
    range: options.Range = "24",
    aspect: options.Aspect = None,
    first_fire: options.FirstFire = None,
    settings: options.Settings = None,
    system: options.System = "blitzkrieg",
    units: options.Units = None,
) -> None:
    """Show what A fires with and what that hits at a range; with B, what one volley of each does to a fresh B."""
    from simlab import lab

    given = _given(locals())
    with Progress() as progress:
        found = lab.odds(a, b, **given, progress=progress)
    emit(found.lines())


def trace(
    a: options.Teller,
    b: options.OtherSide = None,
    range: options.TraceRange = None,
    aspect_a: options.TraceAspectA = None,
    aspect_b: options.TraceAspectB = None,
    first_fire: options.FirstFire = None,
    turns: options.TraceTurns = None,
    policy_a: options.TracePolicyA = None,
    policy_b: options.TracePolicyB = None,
    seed: options.Seed = None,
    replicate: options.TraceReplicate = None,
    dice: options.Dice = None,
    row: options.Row = None,
    results: options.TraceResults = None,
    settings: options.Settings = None,
    system: options.TraceSystem = None,
    units: options.Units = None,
) -> None:
    """Tell one fight, die by die.

    The fight that a duel or an engagement counted under this seed and number, or one of a row of a study's
    run, or one with given dice: a token for each exchange, in the form in which the told fight has them in brackets.
    Those of Blitzkrieg have fields separated by `/`: to-hit dice joined by `+`, then, as far as they are rolled, H, M
    or L, the start line, and contests `attacker:defender` joined by `,`.
    """
    from simlab import lab

    given = _given(locals())
    with Progress() as progress:
        told = lab.trace(a, b, **given, progress=progress)
    emit(told.text)


_WHOLE = ("turns", "n", "seed", "workers", "replicate", "row")
_NUMBERS = ("bound", "time_limit", "breaks")
_ELSEWHERE = ("a", "b", "side_a", "side_b", "as_json", "lab")


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a verb of lab from those of a command, texts read as numbers and pairs.

    Raises InputError with all that is no number or pair.
    """
    values = Values()
    given: dict[str, Any] = {}
    for name, value in arguments.items():
        if name in _ELSEWHERE:
            continue
        if name in _WHOLE:
            given[name] = values.whole(name, value)
        elif name in _NUMBERS:
            given[name] = values.number(name, value)
        elif name == "range":
            given[name] = None if value is None else values.by_turn(name, value)
        elif name == "settings":
            given["set"] = values.settings(value or ())
        else:
            given[name] = value
    values.check()
    return given
