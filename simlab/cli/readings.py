"""The command that tells which reading of the rules matters, and the list of them."""

import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from simlab.cli import options
from simlab.cli.output import emit, emit_json
from simlab.cli.progress import Progress
from simlab.cli.values import Values
from simlab.model.errors import InputError, escaped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simlab.lab.ambiguity import Readings
    from simlab.rules.contract import HouseNumber, Reading

Study = Annotated[str | None, typer.Argument(metavar="STUDY", help="study file; none with --list")]
List = Annotated[
    bool,
    typer.Option("--list", help="list all readings and optional rules: values, default, whether built"),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="NAME[=VALUE]",
        help="this reading, or this value of a reading or house number, alone; may be repeated",
    ),
]
Fights = Annotated[
    str | None, typer.Option("--n", metavar="N", help="fights for each duel and number tried, from 320")
]
Precision = Annotated[
    str | None,
    typer.Option(
        "--precision",
        metavar="P",
        help="half-width of shares; fixes the number of fights  [default: 0.01]",
    ),
]

ListSystem = Annotated[
    str | None,
    typer.Option(
        "--system", metavar="NAME", help=f"{options.RULE_SYSTEM}; with --list  [default: blitzkrieg]"
    ),
]

DEFAULT_SYSTEM = "blitzkrieg"
LEGAL_FIGHTS = "a whole number from 320 to 10^12"
NOTHING = "–"
WIDTH = 80
MOST_TOLD = 5
MOST_DECIMALS = 4


def readings(
    study: Study = None,
    listed: List = False,
    only: Only = None,
    n: Fights = None,
    precision: Precision = None,
    results: options.TraceResults = None,
    workers: options.Workers = None,
    system: ListSystem = None,
    units: options.Units = None,
    as_json: options.Json = False,
) -> None:
    """Run a study under each reading and optional rule, one at a time, and rank what moves.

    Every value that the study does not have, of a number its neighbours, is fought with the same dice as the study
    itself, so that small differences show. Tables and a picture go to results/<study>/readings/.
    """
    from simlab.lab import ambiguity
    from simlab.lab.arguments import Arguments

    given = Arguments()
    if listed:
        if study is not None:
            given.refuse("study", study, "no study with --list")
        unwanted = {"only": only or None, "n": n, "precision": precision, "results": results}
        given.refuse_all({**unwanted, "workers": workers, "units": units}, "with --list")
        given.check()
        _list(DEFAULT_SYSTEM if system is None else system, as_json)
        return
    if study is None:
        raise InputError.one("study", "nothing", "a study file, or --list")
    given.refuse_all({"system": system}, "for a study, which names its own")
    given.check()
    values = Values(n=LEGAL_FIGHTS)
    count, threads = values.whole("n", n), values.whole("workers", workers)
    values.check()
    with Progress("parts") as progress:
        found = ambiguity.readings(
            study,
            only=only or (),
            n=count,
            precision=precision,
            results="results" if results is None else results,
            workers=threads,
            units=units,
            progress=progress,
        )
    if as_json:
        emit_json(found.to_dict())
    else:
        emit(readings_text(found))


def _list(system: str, as_json: bool) -> None:
    from simlab.lab.ambiguity import list_house_numbers, list_readings

    catalogue, numbers = list_readings(system), list_house_numbers(system)
    if not as_json:
        emit(list_text(catalogue, numbers))
        return
    emit_json(
        {
            "schema": 1,
            "readings": [_facts(reading) for reading in catalogue],
            "shared": [{"name": name, "sets": sets} for name, sets in shared_names(catalogue).items()],
            "constants": [
                {
                    "name": number.name,
                    "values": number.allowed(),
                    "default": number.default,
                    "rule": number.rule,
                    "effect": number.effect,
                }
                for number in numbers
            ],
        }
    )


def shared_names(catalogue: "Sequence[Reading]") -> dict[str, list[str]]:
    """Return the names that set several readings at once, with the names of these."""
    found: dict[str, list[str]] = {}
    for reading in catalogue:
        if reading.shared is not None:
            found.setdefault(reading.shared, []).append(reading.name)
    return found


def _facts(reading: "Reading") -> dict[str, Any]:
    return {
        "name": reading.name,
        "values": list(reading.choices()),
        "default": reading.word(reading.default),
        "rule": reading.rule,
        "effect": reading.effect,
        "built": reading.built,
        "optional_rule": reading.optional_rule,
    }


def list_text(catalogue: "Sequence[Reading]", numbers: "Sequence[HouseNumber]" = ()) -> str:
    """Return all readings, optional rules and house numbers, two lines each, at most 80 columns wide."""
    lines: list[str] = []
    shared = shared_names(catalogue)
    for title, optional in (("Optional rules", True), ("Readings", False)):
        group = [reading for reading in catalogue if reading.optional_rule == optional]
        if group:
            lines += [f"{title} (values: the default first)", ""]
        for reading in group:
            sets = shared.pop(reading.shared, None) if reading.shared is not None else None
            if sets is not None:
                lines += _entry(reading, f"{reading.shared}", f"sets {' and '.join(sets)}")
            lines += _entry(reading, reading.name, reading.effect)
        lines += [""] if group else []
    built = sum(reading.built for reading in catalogue)
    lines.append(f"{len(catalogue)} names, {built} built (*); the others take their default only")
    if numbers:
        lines += ["", "House numbers: under `constants:` of a study, `constants=` in Python", ""]
    for number in numbers:
        words = f"{str(number.default).lower()}; {number.allowed()}"
        lines += _lines(f"* {number.name:<20} {number.rule:<6} ", words, number.effect)
    return "\n".join(lines)


def _entry(reading: "Reading", name: str, effect: str) -> list[str]:
    default = reading.word(reading.default)
    others = [choice for choice in reading.choices() if choice != default]
    head = f"{'*' if reading.built else ' '} {name:<20} {reading.rule:<6} "
    return _lines(head, ", ".join([default, *others]), effect)


def _lines(head: str, words: str, said: str) -> list[str]:
    """A name with its values, and what it does below."""
    values = textwrap.wrap(escaped(words), WIDTH - len(head))
    effect = textwrap.wrap(escaped(said), WIDTH - 6)
    return [
        head + values[0],
        *(" " * len(head) + line for line in values[1:]),
        *(f"      {line}" for line in effect),
    ]


def readings_text(found: "Readings") -> str:
    """Return the ranking, the answers that flip, and what has no effect, at most 80 columns wide."""
    from simlab.cli.tables import plain_table, to_text

    rows = found.ranking.to_dict("records")
    moving = [row for row in rows if row["effect"] in ("moves", "cannot tell")]
    record = found.record
    fair = bool(len(found.fair_numbers))
    heads = ["changed", "win share", "95% interval", *(["fair number"] if fair else []), "flips"]
    table = plain_table(heads, [_cells(row, fair) for row in moving])
    parts: list[Any] = [
        f"{escaped(record['name'])}: {len(rows)} variant{'' if len(rows) == 1 else 's'} at the same dice"
    ]
    if moving:
        parts.append("")
        given = any(row["given"] for row in moving)
        parts += [table, "", *_explained(fair, given)]
        parts += _listed("What moves most", [_moved(row, found) for row in moving[:MOST_TOLD]])
    parts += _listed("Flips", found.flips())
    parts += _unjudged(found)
    parts += _named("No effect here (the same fights, die by die)", rows, "none")
    parts += _named(f"No difference seen in {record['n']:,} fights each", rows, "not seen")
    parts += _listed("Not compared", [f"{each.label}: {each.reason}" for each in found.refused])
    parts += ["", f"n {record['n']:,}, seed {record['seed']}, {record['rules_version']}"]
    parts += [f"tables and picture: {found.folder}"]
    return to_text(*parts)


def _cells(row: Any, fair: bool) -> list[str]:
    given = "+" if row["given"] else ""
    change, low, high = (100 * row[name] for name in ("change", "change_low", "change_high"))
    digits = _finer(high - low, low, high)
    cells = [f"{row['reading']}={row['value']}{given}", _signed(change, digits)]
    cells.append(f"{_signed(low, digits)} to {_signed(high, digits)}" if high > low else "exact")
    if fair:
        cells.append(_percent(row["fair_change"], row["fair_change_low"], row["fair_change_high"]))
    return [*cells, str(row["flips"]) if row["flips"] else NOTHING]


def _percent(change: Any, low: Any, high: Any) -> str:
    """A change of a fair number in percent, with no more digits than its interval supports; marked if it moved."""
    from math import isfinite

    if change is None or not isfinite(change):
        return NOTHING
    if not isfinite(high):
        return f"{_signed(100 * change, 0)}% ?"
    mark = "* " if low > 0 or high < 0 else ""
    return f"{mark}{_signed(100 * change, _digits(100 * (high - low)))}%"


def _signed(number: float, digits: int) -> str:
    """A number with its sign; what rounds to nothing has none."""
    text = f"{number:+.{digits}f}"
    return text[1:] if float(text) == 0 else text


def _digits(width: float) -> int:
    """Decimals for a figure with an interval of this width."""
    from math import floor, log10

    return min(max(0, -floor(log10(width / 2))), MOST_DECIMALS) if width > 0 else 1


def _finer(width: float, low: float, high: float) -> int:
    """Decimals for an interval of which one sees whether zero is in it: one more, and no end looks like zero."""
    digits = min(_digits(width) + 1, MOST_DECIMALS)
    while digits < MOST_DECIMALS and any(end and round(end, digits) == 0 for end in (low, high)):
        digits += 1
    return digits


def _explained(fair: bool, given: bool) -> list[str]:
    lines = ["win share: largest change of a matchup, over all situations, in points of %"]
    if fair:
        lines.append("fair number: largest change of one, in percent; * = its interval excludes zero,")
        lines.append("? = without an interval")
    if given:
        lines.append("+: under the optional rule that it is about, and so is its base")
    return lines


def _moved(row: Any, found: "Readings") -> str:
    """Where a variant has its largest changes, from what to what."""
    given = f" with {row['given']}" if row["given"] else ""
    text = f"{row['reading']}={row['value']}{given}: "
    named = ("reading", "value", "given")
    duel = _row_of(found.matchups, {**{name: row[name] for name in named}, "a": row["a"], "b": row["b"]})
    width = 100 * (duel["change_high"] - duel["change_low"])
    before, after = (f"{100 * duel[name]:.{_digits(width)}f}%" for name in ("win_share_base", "win_share"))
    text += f"win share of {duel['a']} v {duel['b']} {before} to {after}"
    if row["fair_a"] is None or row["fair_a"] != row["fair_a"]:
        return text
    place = {name: row[f"fair_{name}"] for name in ("a", "b", "size_n", "policy")}
    fair = _row_of(found.fair_numbers, {**{name: row[name] for name in named}, **place})
    ends = [_ratio(fair, end) for end in ("_base", "")]
    return f"{text}; {fair['b']} for one of {fair['size_n']} {fair['a']} {ends[0]} to {ends[1]}"


def _ratio(fair: Any, end: str) -> str:
    """A fair number per unit of the other side, or beyond which it lies."""
    from simlab.analysis.fair import LIMIT_PER_UNIT

    status = fair[f"status{end}"]
    if status == "value":
        return f"{fair[f'ratio{end}']:.2f}"
    return f"above {LIMIT_PER_UNIT}" if status == "above" else f"below {1 / fair['size_n']:.2g}"


def _row_of(table: Any, wanted: Any) -> Any:
    """The row of a table that has these values."""
    kept = table
    for name, value in wanted.items():
        kept = kept[kept[name] == value]
    return kept.iloc[0]


def _unjudged(found: "Readings") -> list[str]:
    """Say so where there are prices, and none of them is judged."""
    priced = found.fair_numbers[found.fair_numbers["unit"] != ""]
    if priced.empty or not priced["verdict"].isin(["draft", "not printed"]).all():
        return []
    return ["", "Prices: drafts, and what no rulebook prints, are never judged, so none flips."]


def _listed(title: str, lines: "Sequence[str]") -> list[str]:
    if not lines:
        return []
    wrapped = [part for line in lines for part in _wrapped(line)]
    return ["", f"{title}:", *wrapped]


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(
        escaped(line), WIDTH, initial_indent="  ", subsequent_indent="    ", break_long_words=False
    )


def _named(title: str, rows: "Sequence[Any]", effect: str) -> list[str]:
    names = [f"{row['reading']}={row['value']}" for row in rows if row["effect"] == effect]
    return ["", f"{title}:", *_wrapped(", ".join(names))] if names else []
