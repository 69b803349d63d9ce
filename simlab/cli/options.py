"""The arguments and options that several commands share, each declared once."""

from typing import Annotated

import typer

from simlab.rules.registry import system_names

RULE_SYSTEM = f"rule system: {', '.join(system_names())}"

UnitA = Annotated[
    str,
    typer.Argument(metavar="A", help="a unit: an id, SYSTEM/ID, or the path of a .yaml sheet"),
]
Unit = Annotated[
    str,
    typer.Argument(metavar="UNIT", help="a unit: an id, SYSTEM/ID, or the path of a .yaml sheet"),
]
UnitB = Annotated[str, typer.Argument(metavar="B", help="the other unit: an id, SYSTEM/ID, or a path")]
OtherUnit = Annotated[
    str | None,
    typer.Argument(metavar="B", help="the other unit: an id, SYSTEM/ID, or a path"),
]
SideA = Annotated[
    str,
    typer.Argument(
        metavar="SIDE_A",
        help='units of side a, "COUNT UNIT, COUNT UNIT ...": "2 panther_g"',
    ),
]
SideB = Annotated[str, typer.Argument(metavar="SIDE_B", help="units of side b, in the same form")]

Teller = Annotated[
    str,
    typer.Argument(metavar="A", help='a unit, a side "COUNT UNIT, ...", or with --row the run of a study'),
]
OtherSide = Annotated[str | None, typer.Argument(metavar="B", help="the other unit or side")]

Range = Annotated[
    str,
    typer.Option(
        "--range",
        metavar="INCHES",
        help="distance, centre to centre, 0 to 999; by turn: 36,30,24, the last holds",
    ),
]
AspectA = Annotated[
    str,
    typer.Option("--aspect-a", metavar="ASPECT", help="the aspect of A that B hits; by turn: rear,front"),
]
AspectB = Annotated[
    str,
    typer.Option("--aspect-b", metavar="ASPECT", help="the aspect of B that A hits; by turn: rear,front"),
]
Aspect = Annotated[
    str | None,
    typer.Option("--aspect", metavar="ASPECT", help="the aspect of B that A hits  [default: front]"),
]
FirstFire = Annotated[
    str | None,
    typer.Option("--first-fire", metavar="SIDE:N", help="a:2 keeps b silent for the first 2 turns"),
]
Turns = Annotated[str, typer.Option("--turns", metavar="N", help="turn limit, 1 to 1000")]
Fights = Annotated[str | None, typer.Option("--n", metavar="N", help="number of fights to sample")]
Precision = Annotated[
    str | None,
    typer.Option(
        "--precision",
        metavar="P",
        help="half-width wanted of shares; fixes the number of fights",
    ),
]
Exact = Annotated[bool, typer.Option("--exact", help="solve instead of sampling: no chance, an error bound")]
Bound = Annotated[
    str | None,
    typer.Option("--bound", metavar="B", help="error of --exact at most, 1e-11 to 0.5  [default: 1e-9]"),
]
TimeLimit = Annotated[
    str | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="refuse --exact that is forecast to take longer  [default: 60]",
    ),
]
NeverExact = Annotated[bool, typer.Option("--exact", hidden=True)]
NeverBound = Annotated[str | None, typer.Option("--bound", hidden=True)]
NeverTimeLimit = Annotated[str | None, typer.Option("--time-limit", hidden=True)]
"""Options of duels that other fights refuse, each with its reason."""
Seed = Annotated[
    str | None,
    typer.Option("--seed", metavar="S", help="seed of the dice  [default: 1]"),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="a reading or optional rule, see readings --list; may be repeated",
    ),
]
TraceTurns = Annotated[
    str | None, typer.Option("--turns", metavar="N", help="turn limit  [default: 12, sides of units 20]")
]
TraceRange = Annotated[
    str | None,
    typer.Option("--range", metavar="INCHES", help="distance, 0 to 999; by turn: 36,30,24  [default: 24]"),
]
TraceAspectA = Annotated[
    str | None,
    typer.Option("--aspect-a", metavar="ASPECT", help="the aspect of A that B hits  [default: front]"),
]
TraceAspectB = Annotated[
    str | None,
    typer.Option("--aspect-b", metavar="ASPECT", help="the aspect of B that A hits  [default: front]"),
]
TracePolicyA = Annotated[
    str | None,
    typer.Option("--policy-a", metavar="POLICY", help="how side a chooses  [default: spread]"),
]
TracePolicyB = Annotated[
    str | None,
    typer.Option("--policy-b", metavar="POLICY", help="how side b chooses  [default: spread]"),
]
TraceSystem = Annotated[
    str | None, typer.Option("--system", metavar="NAME", help=f"{RULE_SYSTEM}  [default: blitzkrieg]")
]
TraceResults = Annotated[
    str | None,
    typer.Option(
        "--results", metavar="DIR", help="folder that holds the results of all studies  [default: results]"
    ),
]
TraceReplicate = Annotated[
    str | None, typer.Option("--replicate", metavar="I", help="number of the fight, from 0  [default: 0]")
]
Row = Annotated[
    str | None, typer.Option("--row", metavar="R", help="number of a row of the run, which says all but I")
]
Dice = Annotated[
    str | None,
    typer.Option(
        "--dice",
        metavar="DICE",
        help='given dice, a token an exchange as the told fight has them; of Blitzkrieg "2+3 4+5/H/7/14:3", no level '
        "where no die chooses it",
    ),
]
Workers = Annotated[
    str | None,
    typer.Option("--workers", metavar="N", help="threads  [default: all cores]"),
]
PolicyA = Annotated[
    str,
    typer.Option(
        "--policy-a",
        metavar="POLICY",
        help="how side a chooses: first, spread, focus, weakest, dangerous, random",
    ),
]
PolicyB = Annotated[
    str,
    typer.Option(
        "--policy-b", metavar="POLICY", help="how side b chooses: in the same way as side a, or another"
    ),
]
Break = Annotated[
    str | None,
    typer.Option("--break", metavar="SHARE", help="a side breaks when so much of its ECV is lost: 0.5"),
]
System = Annotated[str, typer.Option("--system", metavar="NAME", help=RULE_SYSTEM)]
Units = Annotated[
    str | None,
    typer.Option(
        "--units",
        metavar="DIR",
        help="folder to look up ids in before $SIMLAB_UNITS and ./units",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="print one JSON object and nothing else")]
Study = Annotated[str, typer.Argument(metavar="STUDY", help="study file")]
Results = Annotated[
    str,
    typer.Option("--results", metavar="DIR", help="folder that holds the results of all studies"),
]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="name or path of a folder of results")]
