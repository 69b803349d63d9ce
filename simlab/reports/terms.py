"""Assumptions and provenance: all that decides the figures of a page."""

import json

from simlab.reports.contents import Contents
from simlab.reports.tables import Cell, Column, Table, dash, figure
from simlab.reports.words import count, is_known, text_of

Fact = tuple[str, str]


def facts(contents: Contents) -> tuple[Fact, ...]:
    """Return what the run was made from, a name and a text each."""
    record = contents.record
    engagements = record["engagements"]
    found: list[Fact] = [
        ("study", text_of(record["name"])),
        ("rule system", f"{text_of(record['system'], 40)}, rules {text_of(record['rules_version'], 40)}"),
        ("seed", str(record["seed"])),
        ("fights", f"{count(record['n'])} for each duel and situation that was sampled"),
        ("turn limit", f"{record['turns']} in duels" + _engaged(contents)),
        ("ranges in", text_of(record["range_unit"], 20)),
    ]
    if engagements is not None:
        sizes = ", ".join(str(size) for size in engagements["sizes"])
        found.append(("sizes (N)", f"{sizes}; policies {', '.join(map(text_of, engagements['policies']))}"))
    found.append(("anchor", _anchor(contents)))
    found += [
        (
            "versions",
            ", ".join(f"{text_of(k, 20)} {text_of(v, 20)}" for k, v in record.get("versions", {}).items()),
        )
    ]
    found += [(name, text_of(record[name], 40)) for name in ("kernel", "solver") if name in record]
    found.append(("digest of the run", text_of(record["digest"], 40)))
    if "seconds" in record:
        found.append(("time taken", f"{record['seconds']:g} s"))
    return tuple(found)


def _engaged(contents: Contents) -> str:
    engagements = contents.record["engagements"]
    return "" if engagements is None else f", {engagements['turns']} in engagements"


def _anchor(contents: Contents) -> str:
    if contents.anchor is None:
        return "none: no unit has a printed ECV"
    ecv = float(contents.units.loc[contents.units["id"] == contents.anchor, "ecv"].iloc[0])
    return f"{contents.name(contents.anchor)}, printed ECV {ecv:g}"


def settings_table(contents: Contents) -> Table:
    """Return every reading and optional rule with its value, those that differ from their default first."""
    record = contents.record
    changed = record["non_default"]
    rows = [
        (Cell(text_of(name, 40)), Cell(_value(value)), Cell("changed", look="strong"))
        for name, value in changed.items()
    ]
    rows += [
        (Cell(text_of(name, 40)), Cell(_value(value)), Cell("default", look="faint"))
        for name, value in record["readings"].items()
        if name not in changed
    ]
    columns = (Column("reading"), Column("value"), Column(""))
    return Table(
        "settings-table", "Readings of the rules", columns, tuple(rows), sortable=False, unit="readings"
    )


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else text_of(value, 40)


def unit_table(contents: Contents) -> Table:
    """Return the units with prices, their sources, and the hashes of their sheets."""
    rows = tuple(
        (
            Cell(contents.name(unit["id"])),
            Cell(text_of(unit["id"], 60)),
            Cell(text_of(unit.get("nation", ""), 40)),
            figure(f"{unit['ecv']:g}", unit["ecv"]) if is_known(unit["ecv"]) else dash(),
            Cell(text_of(unit["source"], 20)),
            Cell(text_of(unit.get("sheet_hash", ""), 40), look="code"),
            Cell(text_of(unit.get("fight_hash", ""), 40), look="code"),
        )
        for unit in contents.record["units"]
    )
    columns = (
        Column("unit"), Column("id"), Column("nation"), Column("ECV", True), Column("source"), Column("sheet hash"),
        Column("fight hash", False, "of what takes part in fights: not name, nation, price or provenance"),
    )  # fmt: skip
    return Table("unit-table", "Units", columns, rows, unit="units")


def study_text(contents: Contents) -> str:
    """Return the study as it was asked for."""
    return json.dumps(contents.record["study"], indent=2, ensure_ascii=True)
