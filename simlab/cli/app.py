"""The commands and their help."""

from functools import cache
from typing import Annotated, Any

import typer

from simlab.cli import (
    across,
    compare,
    drafting,
    fights,
    formula,
    library,
    price,
    readings,
    referee,
    report,
    spreadsheet,
    standing,
    whatif,
)
from simlab.cli.output import emit
from simlab.cli.usage import PlainCommand, PlainGroup

INTRODUCTION = """Does a tank's price match what happens on the table?

Fights the record sheets of tabletop tank wargames against each other, by the million, and says
what came of it. `simlab COMMAND --help` shows an example of each command.
"""

COMMANDS = (
    (library.units, "which units there are", "simlab units"),
    (library.show, "the record sheet of a unit", "simlab show panther_g"),
    (
        library.check,
        "what is wrong with sheets and studies",
        "simlab check units/blitzkrieg",
    ),
    (spreadsheet.export, "units as a table for spreadsheets", "simlab export units.csv panther_g"),
    (spreadsheet.import_, "units out of such a table", "simlab import units.csv --check"),
    (drafting.draft, "record sheets from facts", "simlab draft tiger_ii --explain"),
    (
        fights.duel,
        "one unit against another",
        "simlab duel panther_g m4a3_sherman_lp --range 12 --aspect-a front_left",
    ),
    (
        fights.engage,
        "sides of units against each other",
        'simlab engage "2 panther_g" "3 m4a3_sherman_lp, 1 sherman_firefly_vc" --range 24',
    ),
    (
        fights.odds,
        "what a unit has to roll, what a volley does",
        "simlab odds panther_g m4a3_sherman_lp --range 14",
    ),
    (
        fights.trace,
        "one fight, die by die",
        "simlab trace panther_g m4a3_sherman_lp --range 14 --seed 1 --replicate 3",
    ),
    (
        whatif.whatif,
        "what a change of a sheet does",
        "simlab whatif m4a3_sherman_lp armor.front=7 --against panther_g",
    ),
    (
        whatif.sensitivity,
        "which numbers of a sheet matter",
        "simlab sensitivity panther_g --against m4a3_sherman_lp,sherman_firefly_vc",
    ),
    (
        whatif.solve,
        "which value of a number is even",
        "simlab solve m4a3_sherman_lp gunners.0.skill --against panther_g --target 0.3",
    ),
    (whatif.why, "why a unit wins or loses", "simlab why panther_g m4a3_sherman_lp"),
    (
        library.run,
        "a study: tables and plots",
        "simlab run studies/panther_vs_sherman.yaml",
    ),
    (price.price, "what units are worth by what happens on the table", "simlab price roster"),
    (formula.formula, "what a point of armour or skill is worth", "simlab formula roster"),
    (price.appraise, "what one sheet is worth against priced units", "simlab appraise my_panther.yaml"),
    (standing.status, "how a run stands, what has changed since", "simlab status panther_vs_sherman"),
    (library.plot, "the plots of a run again", "simlab plot panther_vs_sherman"),
    (report.report, "a run as one page to pass on", "simlab report panther_vs_sherman -o report.html"),
    (
        readings.readings,
        "which reading of the rules matters",
        "simlab readings studies/panther_vs_sherman.yaml --only loss_of_function",
    ),
    (compare.compare, "what changed between two runs", "simlab compare before/x after/x --gate"),
    (across.across, "one study under several rule systems", "simlab across studies/three_systems.yaml"),
    (
        referee.referee,
        "sampled figures against exact ones",
        "simlab referee panther_vs_sherman --time-limit 1",
    ),
)


def _version(wanted: bool) -> None:
    if wanted:
        from simlab import __version__

        emit(f"simlab {__version__}")
        raise typer.Exit


def _introduce(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Show the version and exit.",
        ),
    ] = False,
) -> None:
    """Take the options before the command."""


@cache
def command_line() -> Any:
    """Return the whole command line, ready to be called with arguments."""
    app = typer.Typer(
        name="simlab",
        help=INTRODUCTION,
        cls=PlainGroup,
        add_completion=False,
        no_args_is_help=False,
        invoke_without_command=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(help=INTRODUCTION, cls=PlainGroup)(_introduce)
    for body, summary, example in COMMANDS:
        epilog = f"Example:\n\n\b\n  {example}"
        app.command(body.__name__.rstrip("_"), cls=PlainCommand, short_help=summary, epilog=epilog)(body)
    return typer.main.get_command(app)
