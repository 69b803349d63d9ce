"""Fair numbers of pairs beside prices, and what no price can fix."""

import math
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from simlab.analysis.digits import NOTHING
from simlab.reports.contents import Contents, PricesLike
from simlab.reports.tables import Cell, Choice, Column, Table, dash, figure, options_in
from simlab.reports.words import (
    TO,
    count,
    estimate,
    factor_percent,
    is_known,
    minus,
    plural,
    span,
    text_of,
    three_digits,
)

Row = Mapping[Hashable, Any]
PRINTED_ROWS = 60
NO_PRICE = "no price fixes this pair"


def cyclic_text(share: Mapping[str, Any]) -> str:
    """Return the cyclic share as a percentage with its interval."""
    value, low, high = (100 * float(share[name]) for name in ("share", "low", "high"))
    half = max((high - low) / 2, 0.05)
    return f"{minus(estimate(value, value - half, value + half))}% ({span(low, high, half)}%)"


def one_row(value: Any) -> dict[str, Any]:
    """Return a mapping, or the first row of a frame, by name; nothing for None or an empty frame."""
    if isinstance(value, pd.DataFrame):
        rows = value.to_dict("records")
        return {str(name): cell for name, cell in rows[0].items()} if rows else {}
    return dict(value) if isinstance(value, Mapping) else {}


def pair_table(contents: Contents, prices: PricesLike) -> Table:
    """Return the fair number of every pair beside what the prices say."""
    rows = tuple(_pair_row(contents, row) for row in prices.pairs.to_dict("records"))
    choices = (Choice(7, "prices", "all pairs", options_in(rows, 7)),)
    return Table(
        "pair-table", "Fair numbers and prices", PAIR_COLUMNS, rows,
        search="Find a unit", choices=choices, unit="pairs", printed=PRINTED_ROWS,
    )  # fmt: skip


PAIR_COLUMNS = (
    Column("A"), Column("B"), Column("B for one A", True, "fair number, mean of logarithms over situations"),
    Column("by prices", True, "ratio of the priced ECVs"), Column("off by", True, "fair number by ratio of prices"),
    Column("interval", True), Column("one-sided", True, "share of the weight without a fair number within 1 to 40"),
    Column("prices"),
)  # fmt: skip


def _pair_row(contents: Contents, row: Row) -> tuple[Cell, ...]:
    values = [row[name] for name in ("log_rho", "fitted", "residual", "low", "high")]
    log_rho, fitted, residual, low, high = values
    known = is_known(low) and is_known(high)
    interval = f"{factor_percent(low)}{TO}{factor_percent(high)}" if known else NOTHING
    return (
        Cell(contents.name(row["a"])),
        Cell(contents.name(row["b"])),
        figure(_factor(log_rho), log_rho, "strong"),
        figure(_factor(fitted), fitted),
        figure(factor_percent(residual), residual) if is_known(residual) else dash(),
        figure(interval, low, "faint"),
        figure(f"{100 * row['one_sided']:.0f}%", row["one_sided"], "" if row["one_sided"] > 0 else "faint"),
        Cell(text_of(row["fixable"], 40), look=f"v-{str(row['fixable']).replace(' ', '-')}"),
    )


def _factor(log_value: Any) -> str:
    return three_digits(math.exp(log_value)) if is_known(log_value) else NOTHING


def worst_pairs(contents: Contents, prices: PricesLike, most: int = 12) -> Table | None:
    """Return the pairs that the prices miss most, beyond their interval or not; None without any."""
    frame = prices.pairs[prices.pairs["residual"].notna()]
    if frame.empty:
        return None
    frame = frame.assign(size=frame["residual"].abs(), broken=frame["fixable"] == NO_PRICE)
    frame = frame.sort_values(["broken", "size"], ascending=[False, False], kind="stable").head(most)
    rows = tuple(_pair_row(contents, row) for row in frame.to_dict("records"))
    return Table("worst-table", "Pairs that prices miss most", PAIR_COLUMNS, rows, unit="pairs")


def cycle_table(contents: Contents, prices: PricesLike) -> Table | None:
    """Return the cycles of units that beat each other in turn by their fair numbers; None without any."""
    frame = prices.cycles
    if frame is None or frame.empty:
        return None
    rows = []
    for row in frame.to_dict("records"):
        interval = f"{factor_percent(row['low'])}{TO}{factor_percent(row['high'])}"
        rows.append(
            (
                Cell(members_text(contents, row["members"])),
                figure(factor_percent(row["curl"]), row["curl"]),
                figure(interval, row["low"], "faint"),
            )
        )
    columns = (Column("cycle"), Column("once around", True, "product of the fair numbers around, less one"),
               Column("interval", True))  # fmt: skip
    return Table("cycle-table", "Cycles", columns, tuple(rows), unit="cycles")


def members_text(contents: Contents, members: Any) -> str:
    """Return the members of a cycle by name: ids as a sequence, or as a text `a > b > c`."""
    ids = members.split(" > ") if isinstance(members, str) else list(members)
    return " \u2192 ".join(contents.name(unit) for unit in [*ids, ids[0]])


def lanchester_table(prices: PricesLike) -> Table | None:
    """Return the Lanchester exponent of the rules by policy."""
    frame = prices.lanchester
    if frame is None or frame.empty:
        return None
    rows = tuple(
        (
            Cell(text_of(row["policy"], 20)),
            figure(estimate(row["exponent"], row["low"], row["high"]), row["exponent"]),
            figure(span(row["low"], row["high"]), row["low"], "faint"),
            figure(count(row["pairs"]), row["pairs"], "faint"),
        )
        for row in frame.to_dict("records")
    )
    columns = (
        Column("policy"),
        Column("exponent", True),
        Column("95% interval", True),
        Column("pairs", True),
    )
    return Table("lanchester-table", "Lanchester exponent", columns, rows, sortable=False, unit="policies")


def limit_sentences(prices: PricesLike) -> tuple[str, ...]:
    """Return what no price can fix, in words."""
    said = []
    share = one_row(prices.cyclic)
    if is_known(share.get("share")):
        said.append(
            f"{cyclic_text(share)} of what pairs come to over all situations (squares of logarithms) goes round in "
            "circles, beyond any price, the noise of the dice taken off."
        )
    total = plural(len(prices.pairs), "pair")
    for name, number in prices.pairs["fixable"].value_counts().items():
        said.append(f"{count(number)} of {total}: {text_of(name, 40)}.")
    return tuple(said)
