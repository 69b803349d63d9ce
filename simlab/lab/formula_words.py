"""What a points formula says, in sentences: first how far it is off."""

import math
from typing import TYPE_CHECKING, Any

from simlab.analysis.formula_fit import LINEAR, SQUARES, SURFACE
from simlab.analysis.formula_tables import EVERY, FORMULA, OWN, SINGLE, UNTOLD, WORTH

if TYPE_CHECKING:
    from simlab.lab.points_formula import Formula

BAD = 0.10
"""Error on the roster from which a formula is no price list."""
MOST_WORST, MOST_POINTS = 3, 4
KIND_WORDS = {LINEAR: "the stats alone", SQUARES: "stats and squares", SURFACE: "stats, squares and products"}


def write_formula_headlines(found: "Formula") -> list[str]:
    """Return how far the formula is off on the roster, beside simpler ones, its worst units, what points are worth."""
    rows = {row["by"]: row for row in found.errors.to_dict("records")}
    return [
        text
        for text in (_error(found, rows), _others(rows), _worst(found), _points(found), _untold(found))
        if text
    ]


def percent(log_error: float) -> str:
    """A log error as a percentage with two digits."""
    share = abs(100 * math.expm1(abs(log_error)))
    return "0%" if share == 0 else f"{share:.{max(0, 1 - math.floor(math.log10(share)))}f}%"


def _error(found: "Formula", rows: dict[Any, Any]) -> str:
    row = rows[FORMULA]
    count = len(found.units)
    text = (
        f"On the roster, {count} units of which the formula knows none, it is off by {percent(row['rms'])} (root "
        f"mean square), on drawn sheets by {percent(row['cv'])} (cross-validated); {row['within_10']:.0%} of the "
        f"units are within 10%, {row['within_20']:.0%} within 20%"
    )
    if math.isfinite(row["rank"]):
        text += f", rank correlation {row['rank']:.2f}"
    if abs(row["bias"]) > row["rms"] / 2:
        text += f". Most of it is one-sided: on average {percent(row['bias'])} too "
        text += "much" if row["bias"] > 0 else "little"
    useless = row["rms"] >= rows[EVERY]["rms"]
    if useless:
        return f"The formula is of no use here: one price for all units would do better. {text}."
    return f"The formula is no price list. {text}." if row["rms"] > BAD else f"{text}."


def _others(rows: dict[Any, Any]) -> str:
    parts = []
    for name, words in (
        (LINEAR, "a formula of the stats alone"),
        (SINGLE, f"the best single stat ({rows[SINGLE]['stat']})"),
        (EVERY, "one price for all"),
        (OWN, "the ECV on the sheets"),
    ):
        if name in rows:
            parts.append(f"{words} by {percent(rows[name]['rms'])}")
    return f"For comparison, on the roster: {', '.join(parts)}."


def _worst(found: "Formula") -> str:
    parts = []
    for row in found.units.head(MOST_WORST).to_dict("records"):
        share = math.expm1(row["error"])
        parts.append(f"{row['name']} {abs(share):.0%} too {'much' if share > 0 else 'little'}")
    return f"Worst: {', '.join(parts)}."


def _points(found: "Formula") -> str:
    told = found.stats[found.stats["verdict"] == WORTH]
    told = told.reindex(told["share"].abs().sort_values(ascending=False, kind="stable").index)
    if told.empty:
        return "No stat's point can be told from nothing."
    parts = [f"{row['stat']} {row['ecv']:+.0f} ECV" for row in told.head(MOST_POINTS).to_dict("records")]
    base = found.record["base"]
    return f"One point more on {base['name']} ({base['priced']:.0f} ECV): {', '.join(parts)}."


def _untold(found: "Formula") -> str:
    names = list(found.stats.loc[found.stats["verdict"] == UNTOLD, "stat"])
    parts = [f"Cannot tell there whether a point is worth anything: {', '.join(names)}"] if names else []
    if found.record["unpriced"]:
        parts.append(f"No sheet with another number has a price: {', '.join(found.record['unpriced'])}")
    if found.record["unseen"]:
        parts.append(f"No die sees: {', '.join(found.record['unseen'])}")
    return f"{'. '.join(parts)}." if parts else ""
