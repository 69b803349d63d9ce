"""Prices as text for people."""

import math
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from simlab.cli.tables import DRAFT_NOTE, NOTHING, ecv_text, plain_table, table_width, to_text
from simlab.model.errors import escaped

if TYPE_CHECKING:
    from simlab.lab.appraising import Appraised
    from simlab.lab.stored_prices import Prices

WIDTH = 80
MOST_PAIRS, MOST_CYCLES = 5, 5
HEADS = ("unit", "ECV", "priced", "size, policy", "mix", "alone", "at mean", "verdict")
PAIRS_NOTE = "pairs that no price fixes (how much more one is worth against the other than its price says):"
OF_ANCHOR = (5, 6)
"""Columns that say nothing where no unit is the anchor, but the mean is kept."""
NOTE = (
    "size, policy: over battles of other sizes and another policy; mix: over other weights of opponents and "
    "situations; ±: by chance alone, {level} for all units together"
)
NOTE_OF_ANCHOR = (
    "; alone: from the fights against the anchor alone; at mean: where the geometric mean of all ECVs is kept"
)


def price_text(found: "Prices") -> str:
    """Return the findings in words, the table of units, and what no price can fix."""
    record = found.record
    anchor = record["anchor"]
    by_mean = anchor["id"] == "roster"
    kept = "the mean ECV of the roster" if by_mean else f"{anchor['id']} = {anchor['ecv']:g}"
    battle = f"{record['size']:g} ECV a side, {record['policy']}, {record['turns']} turns"
    title = f"{record['name']}: {battle}; kept: {kept}"
    ordered = found.units.sort_values("priced", ascending=False, kind="stable", na_position="last")
    heads, *rows = (
        [cell for place, cell in enumerate(row) if not (by_mean and place in OF_ANCHOR)]
        for row in (HEADS, *(_row(row, anchor["id"]) for row in ordered.to_dict("records")))
    )
    width = table_width(heads, rows)
    table = plain_table(heads, rows, width=width)
    note = NOTE.format(level=f"{100 * record['level']:g}%") + ("" if by_mean else NOTE_OF_ANCHOR)
    notes = textwrap.wrap(note, WIDTH)
    if any(row["draft"] for row in found.units.to_dict("records")):
        notes.append(DRAFT_NOTE)
    return to_text(
        *textwrap.wrap(escaped(title), WIDTH),
        "",
        *(line for text in found.headlines() for line in (*textwrap.wrap(escaped(text), 78), "")),
        table,
        "",
        *notes,
        "",
        *_pairs(found),
        f"tables in {found.folder}",
        width=width,
    )


def _row(row: Mapping[Any, Any], anchor: str) -> tuple[str, ...]:
    ecv = None if row["ecv"] is None or row["ecv"] != row["ecv"] else row["ecv"]
    head = (escaped(row["id"]), ecv_text(ecv, row["source"]))
    if not _is_number(row["priced"]):
        return (*head, *[NOTHING] * 5, row["verdict"])
    rounded = row.get("rounded")
    return (
        *head,
        f"{f'{rounded:g}' if rounded and row['id'] != anchor else _number(row['priced'], row)} {_reach(row)}".rstrip(),
        _between(row, "spread"),
        _between(row, "mix"),
        _estimate(row, "head_to_head", "head"),
        _estimate(row, "priced_roster", "roster"),
        "anchor" if row["id"] == anchor else row["verdict"],
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _number(value: float, row: Mapping[Any, Any]) -> str:
    """A price with no more digits than its sampling interval has."""
    from simlab.analysis.digits import format_amount

    if not (_is_number(row["low"]) and _is_number(row["high"])):
        return f"{value:.3g}"
    return format_amount(value, row["low"], row["high"])


def _between(row: Mapping[Any, Any], name: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    if not (_is_number(low) and _is_number(high)) or low == high:
        return NOTHING
    return f"{_number(low, row)} to {_number(high, row)}"


def _reach(row: Mapping[Any, Any]) -> str:
    if not (_is_number(row["low"]) and _is_number(row["high"])):
        return NOTHING
    half = (row["high"] - row["low"]) / 2
    return "" if half == 0 else f"± {half:.2g}"


def _estimate(row: Mapping[Any, Any], name: str, ends: str) -> str:
    from simlab.analysis.digits import format_estimate

    value, low, high = (row[column] for column in (name, f"{ends}_low", f"{ends}_high"))
    return format_estimate(value, low, high) if all(map(_is_number, (value, low, high))) else NOTHING


def _pairs(found: "Prices") -> list[str]:
    """The pairs and cycles that no price fixes, the worst first."""
    lines: list[str] = []
    pairs = found.pairs
    broken = pairs[pairs["fixable"] == "no price fixes this pair"] if len(pairs) else pairs
    if len(broken):
        lines += textwrap.wrap(PAIRS_NOTE, WIDTH, subsequent_indent="  ")
        worst = broken.reindex(broken["residual"].abs().sort_values(ascending=False, kind="stable").index)
        for row in worst.head(MOST_PAIRS).to_dict("records"):
            strong, weak = (row["a"], row["b"]) if row["residual"] > 0 else (row["b"], row["a"])
            lines.append(f"  {strong} against {weak}: × {math.exp(abs(row['residual'])):.2f}")
        if len(broken) > MOST_PAIRS:
            lines.append(f"  and {len(broken) - MOST_PAIRS} more: pairs.csv")
        lines.append("")
    if len(found.cycles):
        lines.append("cycles, each beating the next beyond its price (what is gained by going round):")
        for row in found.cycles.head(MOST_CYCLES).to_dict("records"):
            lines += [f"  {row['members']}: × {math.exp(row['curl']):.2f}"]
        lines.append("")
    return [escaped(line) for line in lines]


def appraisal_text(found: "Appraised") -> str:
    """Return what a sheet is worth, what moves that, and the verdict."""
    from simlab.analysis.digits import format_interval

    record = found.record
    head = f"{found.name} ({found.unit}) against the priced units of {found.run}"
    lines = [*textwrap.wrap(escaped(head), WIDTH), ""]
    if found.priced is None or found.low is None or found.high is None:
        lines.append(f"no price: {found.status}")
    else:
        low, high = found.low, found.high

        def told(start: float | None, end: float | None) -> str:
            if start is None or end is None:
                return NOTHING
            ends = [_number(each, {"low": low, "high": high}) for each in (start, end)]
            return f"{ends[0]} to {ends[1]}"

        lines += [
            f"worth          {format_interval(found.priced, low, high)} ECV by sampling alone (95%)",
            f"size, policy   {told(found.spread_low, found.spread_high)}",
            f"mix            {told(found.mix_low, found.mix_high)}",
        ]
        if found.ecv is not None and found.ratio is not None:
            lines.append(
                f"ECV            {ecv_text(found.ecv, found.source)}, {_times(found, found.ratio)} the price"
            )
        if found.stored is not None:
            lines.append(f"in the run     {_number(found.stored, {'low': low, 'high': high})}")
    anchor = record["anchor"]
    level = (
        "the mean ECV of the run's units" if anchor["ecv"] is None else f"{anchor['id']} at {anchor['ecv']:g}"
    )
    lines += [f"measured by    {level}", f"verdict        {found.verdict}"]
    battle = f"{record['size']:g} ECV a side, {record['policy']}, {record['turns']} turns"
    battle += f", {record['n']:,} fights a number"
    lines += ["", *textwrap.wrap(escaped(f"{battle}; {record['mix']}"), WIDTH)]
    if found.source == "draft":
        lines.append(DRAFT_NOTE)
    return to_text(*lines)


def _times(found: "Appraised", ratio: float) -> str:
    from simlab.analysis.digits import format_estimate

    assert found.ecv is not None
    assert found.low is not None
    assert found.high is not None
    return f"{format_estimate(ratio, found.ecv / found.high, found.ecv / found.low)} times"
