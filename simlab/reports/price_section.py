"""Prices of a price run: what each unit is worth, with its intervals. None of it is judged again here."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from simlab.reports import captions
from simlab.reports.contents import Contents, PricesLike
from simlab.reports.matchups import Strip, Strips
from simlab.reports.price_pairs import (
    cycle_table,
    lanchester_table,
    limit_sentences,
    one_row,
    pair_table,
    worst_pairs,
)
from simlab.reports.scales import Scale, log_scale
from simlab.reports.tables import Cell, Choice, Column, Table, dash, figure, options_in
from simlab.reports.words import (
    ecv_text,
    estimate,
    is_known,
    minus,
    span,
    text_of,
    three_digits,
)

Row = Mapping[Hashable, Any]


@dataclass(frozen=True)
class PriceView:
    """What a page shows of a price run."""

    chart: Strips
    table: Table
    table_caption: str
    situations: Table | None
    situations_caption: str
    settings: Table | None
    settings_caption: str
    pairs: Table
    pairs_caption: str
    lanchester: Table | None
    lanchester_caption: str
    limits: tuple[str, ...]
    worst: Table | None
    cycles: Table | None
    limits_caption: str
    cycles_caption: str


def price_chart(contents: Contents, prices: PricesLike) -> Strips:
    """Return the units by price, the dearest first, with sheet, spread, mix and sampling on one axis."""
    rows = _by_price(prices)
    ends = ["ecv", "priced", "low", "high", "mix_low", "mix_high", "spread_low", "spread_high"]
    scale = log_scale(float(row[name]) for row in rows for name in ends if is_known(row[name]))
    heads = ("priced", "sheet", "verdict")
    strips = tuple(_strip(contents, row, scale, verdict_text(prices, row)) for row in rows)
    return Strips(scale, heads, strips, captions.price_chart(prices))


def verdict_text(prices: PricesLike, row: Row) -> str:
    """Return the verdict on a unit; the anchor has none, for its price is assumed."""
    anchor = one_row(prices.record.get("anchor"))
    return "anchor" if anchor.get("id") == row["id"] else text_of(row["verdict"], 40)


def _by_price(prices: PricesLike) -> list[dict[Hashable, Any]]:
    return list(prices.units.sort_values("priced", ascending=False, kind="stable").to_dict("records"))


def _strip(contents: Contents, row: Row, scale: Scale, verdict: str) -> Strip:
    bars = [
        (look, *scale.bar(float(row[low]), float(row[high])))
        for look, low, high in (("spread", "spread_low", "spread_high"), ("mix", "mix_low", "mix_high"),
                                ("sampling", "low", "high"))
        if is_known(row["priced"]) and is_known(row[low]) and is_known(row[high])
    ]  # fmt: skip
    marks = []
    if is_known(row["ecv"]):
        marks.append(("sheet draft" if row["draft"] else "sheet", scale.left(float(row["ecv"]))))
    if is_known(row["priced"]):
        marks.append(("value", scale.left(float(row["priced"]))))
    priced = estimate(row["priced"], row["low"], row["high"])
    sheet = ecv_text(row["ecv"], row["source"])
    return Strip(
        name=contents.name(row["id"]),
        note="",
        ends=(priced, sheet, verdict),
        bars=tuple(bars),
        marks=tuple(marks),
        said=f"priced {priced} ({span(row['low'], row['high'])}), sheet {sheet}, {verdict}",
    )


def price_table(contents: Contents, prices: PricesLike) -> Table:
    """Return every price with its intervals, the spread first, which is the widest."""
    rows = tuple(_price_row(contents, row, verdict_text(prices, row)) for row in _by_price(prices))
    columns = (
        Column("unit"), Column("verdict"), Column("sheet", True, "ECV on the sheet"),
        Column("priced", True, "priced ECV, with the anchor at its printed price"),
        Column("size and policy", True, "spread of the price over sizes and policies"),
        Column("mix", True, "mix interval: opponents and situations weighted anew"),
        Column("sampling", True, "simultaneous over all units"),
        Column("sheet / priced", True, "ECV on the sheet divided by the priced one"),
        Column("its interval", True), Column("roster anchor", True, "the geometric mean of all ECVs kept"),
        Column("its interval", True), Column("head to head", True, "by the fair numbers against the anchor alone"),
        Column("its interval", True), Column("strength", True, "Bradley-Terry on win shares, a logarithm of odds"),
    )  # fmt: skip
    choices = (Choice(1, "verdict", "all verdicts", options_in(rows, 1)),)
    return Table("price-table", "Prices", columns, rows, search="Find a unit", choices=choices, unit="units")


def _price_row(contents: Contents, row: Row, verdict: str) -> tuple[Cell, ...]:
    ratio_half = _half(row, "ratio")
    return (
        Cell(contents.name(row["id"])),
        Cell(verdict, look=f"v-{verdict.replace(' ', '-')}"),
        figure(ecv_text(row["ecv"], row["source"]), row["ecv"]),
        figure(estimate(row["priced"], row["low"], row["high"]), row["priced"], "strong"),
        _interval(row, "spread_low", "spread_high", 5),
        _interval(row, "mix_low", "mix_high", 5),
        _interval(row, "low", "high"),
        figure(estimate(row["ratio"], row["ratio_low"], row["ratio_high"]), row["ratio"]),
        figure(span(row["ratio_low"], row["ratio_high"], ratio_half), row["ratio_low"], "faint"),
        figure(estimate(row["priced_roster"], row["roster_low"], row["roster_high"]), row["priced_roster"]),
        _interval(row, "roster_low", "roster_high"),
        figure(estimate(row["head_to_head"], row["head_low"], row["head_high"]), row["head_to_head"]),
        _interval(row, "head_low", "head_high"),
        figure(minus(f"{row['strength']:.2f}"), row["strength"]) if is_known(row["strength"]) else dash(),
    )


def _half(row: Row, name: str) -> float | None:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return (high - low) / 2 if is_known(low) and is_known(high) and high > low else None


def _interval(row: Row, low: str, high: str, finer: float = 1.0) -> Cell:
    ends = row[low], row[high]
    if not all(map(is_known, ends)):
        return dash()
    if ends[0] == ends[1]:
        return Cell("fixed", f"{ends[0]:.6g}", "faint")
    return figure(span(*ends, (ends[1] - ends[0]) / 2 / finer), ends[0], "faint")


def situation_table(contents: Contents, prices: PricesLike) -> Table | None:
    """Return the price under a mix of one range, or one aspect, alone; None where there is nothing to tell apart."""
    frame = prices.situations
    if frame is None or not {"id", "by", "value", "priced"} <= set(frame.columns) or frame.empty:
        return None
    heads = list(dict.fromkeys(zip(frame["by"], frame["value"].map(_value_text), strict=True)))
    heads = [head for head in heads if sum(head[0] == other for other, _ in heads) > 1]
    known = {
        (str(row["id"]), row["by"], _value_text(row["value"])): row["priced"]
        for row in frame.to_dict("records")
    }
    labels = [f"{text_of(by, 20).replace('_', ' ')} {value}" for by, value in heads]
    return _crossed(contents, prices, "situation-table", "Prices by situation", labels, heads, known)


def _value_text(value: Any) -> str:
    return text_of(value, 40).replace("_", " ") if isinstance(value, str) else f"{value:g}"


def setting_table(contents: Contents, prices: PricesLike) -> Table | None:
    """Return the prices by size of battle and policy; None where there is one way to fight alone."""
    frame = getattr(prices, "settings", None)
    if frame is None or not {"id", "size", "policy", "priced"} <= set(frame.columns):
        return None
    heads = list(dict.fromkeys(zip(frame["size"], frame["policy"], strict=True)))
    known = {(str(row["id"]), row["size"], row["policy"]): row["priced"] for row in frame.to_dict("records")}
    labels = [f"{size:,g} ECV, {text_of(policy, 20)}" for size, policy in heads]
    return _crossed(contents, prices, "setting-table", "Prices by size and policy", labels, heads, known)


def _crossed(
    contents: Contents,
    prices: PricesLike,
    name: str,
    label: str,
    labels: list[str],
    heads: list[tuple[Any, Any]],
    known: Mapping[tuple[Any, ...], Any],
) -> Table | None:
    """A table with a row a unit and a column a head; `known` by id and head. None for a single column."""
    if len(heads) < 2:
        return None
    rows = []
    for row in _by_price(prices):
        cells = [known.get((str(row["id"]), *head)) for head in heads]
        figures = [figure(three_digits(value), value) if is_known(value) else dash() for value in cells]
        rows.append((Cell(contents.name(row["id"])), *figures))
    columns = (Column("unit"), *(Column(text, True) for text in labels))
    return Table(name, label, columns, tuple(rows), unit="units")


def describe_prices(contents: Contents) -> PriceView | None:
    """Return all that a page shows of the price run; None where there is none."""
    prices = contents.prices
    if prices is None:
        return None
    return PriceView(
        chart=price_chart(contents, prices),
        table=price_table(contents, prices),
        table_caption=captions.price_table(contents, prices),
        situations=situation_table(contents, prices),
        situations_caption=captions.situations(prices),
        settings=setting_table(contents, prices),
        settings_caption=captions.settings(prices),
        pairs=pair_table(contents, prices),
        pairs_caption=captions.pairs(prices),
        lanchester=lanchester_table(prices),
        lanchester_caption=captions.lanchester(prices),
        limits=limit_sentences(prices),
        worst=worst_pairs(contents, prices),
        cycles=cycle_table(contents, prices),
        limits_caption=captions.limits(prices),
        cycles_caption=captions.cycles(prices),
    )
