"""What a study found, in words."""

import math
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import pandas as pd

from simlab.analysis.digits import format_bound, format_interval
from simlab.analysis.tables import display_names
from simlab.model.errors import brief, escaped, shortened
from simlab.model.situation import first_fire_text, turns_text
from simlab.rules.registry import caveats_of

Record = Mapping[str, Any]
Row = Mapping[Hashable, Any]
_MARKUP = str.maketrans({char: f"\\{char}" for char in r"\`*_{}[]<>#|$~"})


def as_text(text: object) -> str:
    """Return text on one line without control characters."""
    return shortened(escaped(str(text)), 80)


def as_markdown(text: object) -> str:
    """Return text that Markdown shows as it stands."""
    return as_text(text).translate(_MARKUP)


def whole_markdown(sentence: str) -> str:
    """Return a sentence of any length that Markdown shows as it stands."""
    return escaped(sentence).translate(_MARKUP)


def write_summary(
    record: Record, units: pd.DataFrame, kill_rates: pd.DataFrame, prices: pd.DataFrame, anchor: str | None
) -> str:
    """Return the findings of a run as Markdown.

    The arguments are the record and the frames of `lab.Run`. Prices are implied by fair numbers against the
    anchor; without an anchor or engagements the text says so. A draft ECV is named and not judged.
    """
    parts = [f"# {as_markdown(record['name'])}", describe_terms(record, kill_rates["error_bound"])]
    parts += [f"- {line}" for line in write_headlines(record, units, prices, anchor, as_markdown)]
    undecided = int(kill_rates["no_decision"].sum())
    if undecided:
        parts.append(
            f"In {undecided} of {len(kill_rates)} rows more than half of the duels had no decision in time."
        )
    return "\n\n".join([*parts, *price_sections(record, units, prices, anchor)]) + "\n"


def price_sections(
    record: Record, units: pd.DataFrame, prices: pd.DataFrame, anchor: str | None
) -> list[str]:
    """Return a heading and tables of implied prices for each unit that has any, as Markdown."""
    names = {unit: as_markdown(name) for unit, name in display_names(units).items()}
    parts = []
    for unit, rows in prices.groupby("unit", sort=False):
        name, other = names[str(unit)], names[str(anchor)]
        parts.append(f"## {name}")
        for (policy, asked), table in rows.groupby(["policy", "asked"], sort=False):
            parts.append(_table(table, str(asked), str(policy), name, other, record))
    return parts


def write_headlines(
    record: Record,
    units: pd.DataFrame,
    prices: pd.DataFrame,
    anchor: str | None,
    safe: Callable[[object], str] = as_text,
) -> list[str]:
    """Return the main findings, a sentence or two for each unit; `safe` makes names fit for where they go."""
    if anchor is None:
        return ["No unit of this study has a printed ECV, so that fair numbers name no prices."]
    if prices.empty:
        return [
            "The study asks for no engagements, so there are no fair numbers here; `simlab price` searches them."
        ]
    names = display_names(units)
    by_id = {unit["id"]: {**unit, "name": names[unit["id"]]} for unit in units.to_dict("records")}
    return [
        _headline(rows, by_id[unit], by_id[anchor], record, safe)
        for unit, rows in prices.groupby("unit", sort=False)
    ]


def _headline(
    prices: pd.DataFrame, unit: Row, anchor: Row, record: Record, safe: Callable[[object], str]
) -> str:
    name, other = safe(unit["name"]), safe(anchor["name"])
    start = f"If one {other} is worth its printed {anchor['ecv']:g}, one {name} is worth"
    known = prices[(prices["status"] == "value") & ~prices["no_decision"].astype(bool)]
    ours = known[known["asked"] == "anchors"]
    if ours.empty:
        text = f"{start} what no fair number of this study tells: all are unbounded or undecided."
    else:
        smallest = ours[ours["size_n"] == ours["size_n"].min()]
        usual = max(smallest.to_dict("records"), key=lambda row: row["weight"])
        least, *_, most = sorted([*known.to_dict("records"), usual], key=lambda row: row["priced"])
        text = f"{start} {_price(usual)} {_where(usual, name, other, record, safe)}."
        text += f" Least: {_price(least)} {_where(least, name, other, record, safe)}."
        text += f" Most: {_price(most)} {_where(most, name, other, record, safe)}."
    if unit["draft"]:
        text += f" The ECV {unit['ecv']:g} on its sheet is a draft, so nothing here calls it right or wrong."
    elif not math.isnan(unit["ecv"]):
        text += f" Its own ECV is {unit['ecv']:g} ({unit['source']})."
    return text


def _where(row: Row, name: str, other: str, record: Record, safe: Callable[[object], str]) -> str:
    a, b = (name, other) if row["asked"] == "anchors" else (other, name)
    shows = f"{a} showing {_aspect(row['aspect_a'], safe)}, {b} {_aspect(row['aspect_b'], safe)}"
    shows += "".join(f", {text}" for text in _first_fire(row["first_fire"], a, b))
    return f"at {_distance(row['range'])} {safe(record['range_unit'])} ({row['size_n']} {a} against {b}; {shows})"


def _aspect(aspect: object, safe: Callable[[object], str]) -> str:
    return safe(str(aspect).replace("_", " "))


def _distance(distance: Any) -> str:
    """A range, or ranges by turn as they stand in the table."""
    return distance if isinstance(distance, str) else f"{distance:g}"


def _first_fire(first_fire: str, a: str, b: str) -> list[str]:
    """Who fires alone at first, nothing for nobody."""
    found = first_fire_text(first_fire)
    return [] if found is None else [f"{a if found[0] == 'a' else b} alone fires in {found[1]}"]


def describe_terms(record: Record, bounds: "pd.Series[float]") -> str:
    """Return how the figures were got; `bounds`: error bound of each row of duels, missing where they were fought."""
    exact = bounds.notna()
    sampled = f"seed {record['seed']}, 95% intervals. "
    if not exact.any():
        text = f"{record['n']:,} fights for each figure, {sampled}"
    else:
        which = "All duels" if exact.all() else f"{exact.sum()} of {len(exact)} rows of duels"
        text = f"{which} are solved, with errors of at most {format_bound(float(bounds.max()))}. "
        if not exact.all():
            text += f"{record['n']:,} fights for each figure of the others"
            text += " and of the engagements, " if record["engagements"] is not None else ", "
            text += sampled
        elif record["engagements"] is not None:
            text += f"Engagements: {record['n']:,} fights for each figure, {sampled}"
    text += f"Duels last {turns_text(record['turns'])} at most."
    if record["engagements"] is not None:
        text += f" Engagements last {turns_text(record['engagements']['turns'])} at most."
    if record["non_default"]:
        changed = (
            f"{as_markdown(name)} = {as_markdown(brief(value))}"
            for name, value in record["non_default"].items()
        )
        text += f" Readings that differ from their defaults: {', '.join(changed)}."
    return " ".join([text, *map(whole_markdown, caveats_of(record))])


def _price(row: Row) -> str:
    if row["status"] == "unbounded above":
        return f"over {row['low']:.0f}"
    if row["status"] == "unbounded below":
        return f"under {row['high']:.0f}"
    low = float(row["low"]) if row["low_status"] == "value" else -math.inf
    high = float(row["high"]) if row["high_status"] == "value" else math.inf
    return format_interval(float(row["priced"]), low, high)


def _table(rows: pd.DataFrame, asked: str, policy: str, name: str, other: str, record: Record) -> str:
    """A Markdown table of prices: a line for each situation, a column for each size."""
    a, b = (name, other) if asked == "anchors" else (other, name)
    sizes = sorted(rows["size_n"].unique())
    head = [
        f"range ({as_markdown(record['range_unit'])})",
        f"{a} shows",
        f"{b} shows",
        *(f"N = {n}" for n in sizes),
    ]
    lines = [
        f"Worth of one {name} by the fair number of {b} for N of {a}, policy {as_markdown(policy)}:",
        "",
        f"| {' | '.join(head)} |",
        "|---:|---|---|" + "---:|" * len(sizes),
    ]
    places = ["aspect_a", "aspect_b", "first_fire", "range"]
    for (aspect_a, aspect_b, first_fire, distance), group in rows.groupby(places, sort=False):
        shown = [_aspect(aspect, as_markdown) for aspect in (aspect_a, aspect_b)]
        shown[1] += "".join(f"; {text}" for text in _first_fire(str(first_fire), a, b))
        by_size = {
            row["size_n"]: _price(row) + (" \\*" if row["no_decision"] else "")
            for row in group.to_dict("records")
        }
        lines.append(
            f"| {' | '.join([_distance(distance), *shown, *(by_size.get(size, '') for size in sizes)])} |"
        )
    if rows["no_decision"].any():
        lines += ["", "\\* more than half of the fights there had no decision at the turn limit: no verdict."]
    return "\n".join(lines)
