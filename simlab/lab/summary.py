"""What a study found, in words."""

import math
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import pandas as pd

from simlab.analysis.digits import format_interval
from simlab.analysis.tables import display_names
from simlab.model.errors import escaped, shortened

Record = Mapping[str, Any]
Row = Mapping[Hashable, Any]
_MARKUP = str.maketrans({char: f"\\{char}" for char in r"\`*_{}[]<>#|$~"})


def as_text(text: object) -> str:
    """Return text on one line without control characters."""
    return shortened(escaped(str(text)), 80)


def as_markdown(text: object) -> str:
    """Return text that Markdown shows as it stands."""
    return as_text(text).translate(_MARKUP)


def write_summary(
    record: Record, units: pd.DataFrame, kill_rates: pd.DataFrame, prices: pd.DataFrame, anchor: str | None
) -> str:
    """Return the findings of a run as Markdown.

    The arguments are the record and the frames of `lab.Run`. Prices are implied by fair numbers against the
    anchor; without an anchor or engagements the text says so. A draft ECV is named and not judged.
    """
    parts = [f"# {as_markdown(record['name'])}", _terms(record)]
    parts += [f"- {line}" for line in write_headlines(record, units, prices, anchor, as_markdown)]
    undecided = int(kill_rates["no_decision"].sum())
    if undecided:
        parts.append(
            f"In {undecided} of {len(kill_rates)} rows more than half of the duels had no decision in time."
        )
    names = {unit: as_markdown(name) for unit, name in display_names(units).items()}
    for unit, rows in prices.groupby("unit", sort=False):
        name, other = names[str(unit)], names[str(anchor)]
        parts.append(f"## {name}")
        for (policy, asked), table in rows.groupby(["policy", "asked"], sort=False):
            parts.append(_table(table, str(asked), str(policy), name, other, record))
    return "\n\n".join(parts) + "\n"


def write_headlines(
    record: Record,
    units: pd.DataFrame,
    prices: pd.DataFrame,
    anchor: str | None,
    safe: Callable[[object], str] = as_text,
) -> list[str]:
    """Return the main findings, a sentence or two for each unit; `safe` makes names fit for where they go."""
    if anchor is None:
        return ["No unit of this study has a printed ECV, so there is nothing to measure prices by."]
    if prices.empty:
        return ["The study asks for no engagements, so there are no fair numbers and no prices."]
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
    return f"at {row['range']:g} {safe(record['range_unit'])} ({row['size_n']} {a} against {b}; {shows})"


def _aspect(aspect: object, safe: Callable[[object], str]) -> str:
    return safe(str(aspect).replace("_", " "))


def _terms(record: Record) -> str:
    text = f"{record['n']:,} fights for each figure, seed {record['seed']}, 95% intervals. "
    text += f"Duels last {record['turns']} turns at most."
    if record["engagements"] is not None:
        text += f" Engagements last {record['engagements']['turns']} turns at most."
    if record["non_default"]:
        changed = (
            f"{as_markdown(name)} = {as_markdown(value)}" for name, value in record["non_default"].items()
        )
        text += f" Readings that differ from their defaults: {', '.join(changed)}."
    return text


def _price(row: Row) -> str:
    if row["status"] == "unbounded above":
        return f"over {row['low']:.0f}"
    if row["status"] == "unbounded below":
        return f"under {row['high']:.0f}"
    return format_interval(float(row["priced"]), float(row["low"]), float(row["high"]))


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
    for (aspect_a, aspect_b, distance), group in rows.groupby(["aspect_a", "aspect_b", "range"], sort=False):
        shown = [_aspect(aspect, as_markdown) for aspect in (aspect_a, aspect_b)]
        by_size = {
            row["size_n"]: _price(row) + (" \\*" if row["no_decision"] else "")
            for row in group.to_dict("records")
        }
        lines.append(
            f"| {' | '.join([f'{distance:g}', *shown, *(by_size.get(size, '') for size in sizes)])} |"
        )
    if rows["no_decision"].any():
        lines += ["", "\\* more than half of the fights there had no decision at the turn limit: no verdict."]
    return "\n".join(lines)
