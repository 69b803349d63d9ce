"""What prices say, in sentences."""

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from simlab.lab.stored_prices import Prices

NO_PRICE = "no price fixes this pair"
MOST_NAMED = 4
MOST_LISTED, SOME = 8, 3
SQUARE = 2.0
LEAST_PAIRS, LEAST_UNITS = 10, 5
VERDICTS = ("overpriced", "underpriced", "fair", "cannot tell", "unbounded above", "unbounded below")


def write_price_headlines(found: "Prices") -> list[str]:
    """Return the main findings: what moves a price, what none can fix, who is overpriced and who not."""
    return [
        text
        for text in (
            _answer(found),
            _movement(found.units, found.situations),
            _verdicts(found.units[found.units["id"] != found.record["anchor"]["id"]]),
            _cyclic(found),
            _lanchester(found.lanchester),
            _order(found),
            _precision(found),
        )
        if text
    ]


def _answer(found: "Prices") -> str:
    """What units are worth: all of a few, the dearest and cheapest of many."""
    anchor, units = found.record["anchor"], found.units
    others = units[units["priced"].notna() & (units["id"] != anchor["id"])]
    if others.empty:
        return ""
    ordered = others.sort_values("priced", ascending=False, kind="stable").to_dict("records")
    told = [f"{row['name']} {_amount(row)}" for row in ordered]
    if len(told) > MOST_LISTED:
        told = [*told[:SOME], "…", *told[-SOME:]]
    names = dict(zip(units["id"], units["name"], strict=True))
    kept = f"If one {names.get(anchor['id'])} is worth {_plain(anchor['ecv'])}"
    if anchor["id"] == "roster":
        kept = "At the mean ECV of the roster"
    return f"{kept}: {', '.join(told).replace(', …,', ' …')}."


def _amount(row: Any) -> str:
    from simlab.analysis.digits import format_amount

    return format_amount(row["priced"], row["low"], row["high"])


def _movement(units: "pd.DataFrame", situations: "pd.DataFrame") -> str:
    """The parts of the uncertainty, the largest first."""
    priced = units[units["priced"].notna()]
    if units["ecv"].isna().all():
        return "No unit has an ECV, so that there is nothing to measure prices by."
    if len(priced) < 2:
        return "There are no prices: no fight that was decided ties the units together."
    parts = []
    for name, text in (
        ("spread", "over sizes of battle and policies"),
        ("mix", "over other mixes of opponents and situations"),
        ("", "by sampling"),
    ):
        low, high = (priced[f"{name}_{end}" if name else end].astype(float) for end in ("low", "high"))
        half = ((high - low) / 2 / priced["priced"]).median()
        if half > 0:
            parts.append((float(half), text))
    by_unit = situations[situations["priced"].notna()].groupby("id")["priced"]
    half = ((by_unit.max() - by_unit.min()) / 2 / priced.set_index("id")["priced"]).median()
    if half > 0:
        parts.append((float(half), "from one range or aspect alone to another"))
    parts.sort(reverse=True)
    told = ", ".join(f"± {_percent(half)} {text}" for half, text in parts)
    return f"Half of the units move by more than this: {told}."


def _percent(share: float) -> str:
    """A share in percent with two digits."""
    if share == 0:
        return "0%"
    return f"{100 * share:.{max(0, 1 - math.floor(math.log10(100 * share)))}f}%"


def _verdicts(units: "pd.DataFrame") -> str:
    parts = []
    for verdict in VERDICTS:
        names = list(units.loc[units["verdict"] == verdict, "name"])
        if names:
            parts.append(f"{verdict}: {_named(names)}")
    drafts = int((units["verdict"] == "draft").sum())
    if drafts:
        parts.append(f"{drafts} draft{'' if drafts == 1 else 's'}, not judged")
    return f"Verdicts: {'; '.join(parts)}." if parts else ""


def _named(names: list[Any]) -> str:
    named = ", ".join(map(str, names[:MOST_NAMED]))
    return named if len(names) <= MOST_NAMED else f"{named} and {len(names) - MOST_NAMED} more"


def _cyclic(found: "Prices") -> str:
    if found.cyclic.empty or not _is_number(found.cyclic["share"].iloc[0]) or len(found.pairs) < 3:
        return ""
    row = found.cyclic.iloc[0]
    count = int((found.pairs["fixable"] == NO_PRICE).sum())
    text = (
        f"{_percent(row['share'])} ({_percent(row['low'])} to {_percent(row['high'])}) of what pairs come to over all "
        "situations goes round in circles, which no price can explain"
    )
    return f"{text}; {count:,} of {len(found.pairs):,} pairs are more than 10% from what these prices say."


def _lanchester(rows: "pd.DataFrame") -> str:
    known = [
        row for row in rows.to_dict("records") if _is_number(row["exponent"]) and row["pairs"] >= LEAST_PAIRS
    ]
    if not known:
        return ""
    told = "; ".join(
        f"{row['policy']} {row['exponent']:.2f} ({row['low']:.2f} to {row['high']:.2f})" for row in known
    )
    text = f"Lanchester's exponent of a turn's kills (1: linear law, 2: square law), by policy: {told}."
    if min(row["low"] for row in known) > SQUARE:
        text += (
            " Above 2, units wear each other down: a turn's kills differ by more than what fights come to."
        )
    return text


def _order(found: "Prices") -> str:
    if found.order.empty or not _is_number(found.order["tau"].iloc[0]) or len(found.units) < LEAST_UNITS:
        return ""
    tau = float(found.order["tau"].iloc[0])
    text = f"Rank correlation of prices with strength in duels: {tau:.2f}"
    return f"{text}; {len(found.swapped)} neighbours are swapped." if len(found.swapped) else f"{text}."


def _precision(found: "Prices") -> str:
    if found.record["precise"] or found.record["precision"] is None:
        return ""
    wanted = _percent(float(found.record["precision"]))
    return f"The wanted precision of {wanted} was not reached in {found.record['stage']} stage(s)."


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
