"""What fights came to, as text for people: no digit that an interval denies."""

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Any

from rich.table import Table

from simlab.analysis.digits import format_estimate, format_percent
from simlab.analysis.intervals import Z95, estimate_wilson
from simlab.cli.tables import DRAFT_NOTE, NOTHING, ecv_text, plain_table, to_text
from simlab.model.errors import shortened
from simlab.rules.registry import get_system

if TYPE_CHECKING:
    from simlab.lab.results import DuelResult, EngageResult

CANNOT_FIRE = "cannot fire"
LONGEST_NAME = 24
OUTCOMES = {"A wins": "a_wins", "B wins": "b_wins", "both destroyed": "both_destroyed", "neither": "neither"}
SIDES = ("a", "b")
Interval = tuple[float, float]


def duel_text(result: "DuelResult") -> str:
    """Return the tables of a duel: who met, how it ended, what happened to each."""
    units = [
        [
            side.upper(),
            getattr(result, side),
            shortened(result.names[side], LONGEST_NAME),
            ecv_text(result.ecvs[side].value, result.ecvs[side].source),
            getattr(result, f"aspect_{side}"),
        ]
        for side in SIDES
    ]
    return to_text(
        plain_table(["", "unit", "name", "ECV", "hit from"], units, left=5),
        "",
        outcome_table(result, result.side_a["cannot_fire"], result.side_b["cannot_fire"], kill_rates(result)),
        "",
        side_table(result),
        "",
        *notes(result, any(ecv.is_draft for ecv in result.ecvs.values())),
    )


def kill_rates(result: "DuelResult") -> list[tuple[str, float, Interval | None]]:
    """Return title, kill rate and interval of each side: how often it destroys the other."""
    return [
        (f"kill rate of {side.upper()}", getattr(result, f"kill_rate_{side}"), _of_side(result, other))
        for side, other in (("a", "b"), ("b", "a"))
    ]


def outcome_table(
    result: Any, silent_a: bool, silent_b: bool, rates: Sequence[tuple[str, float, Interval | None]] = ()
) -> Table:
    """Return the chances of the four outcomes, win shares and kill rates, each with its 95% interval.

    What a side that cannot fire would need fire for is said in words.
    """
    ends = result.intervals or {}
    share, between = result.win_share_a, ends.get("win_share_a")
    if result.n is not None and share in (0.0, 1.0):
        # All fights ended alike, so their scores do not vary; the chance is no more certain than n fights make it.
        low, high = estimate_wilson(share * result.n, result.n)
        between = (float(low), float(high))
    rows = [chance_row(title, result.outcomes[name], ends.get(name)) for title, name in OUTCOMES.items()]
    rows.append(chance_row("win share of A", share, between))
    rows.append(chance_row("win share of B", result.win_share_b, _mirrored(between)))
    rows.extend(chance_row(*rate) for rate in rates)
    for side, silent in (("A", silent_a), ("B", silent_b)):
        if silent:
            said = (f"{side} wins", f"kill rate of {side}")
            rows = [[row[0], CANNOT_FIRE, ""] if row[0] in said else row for row in rows]
    return plain_table([f'{result.range:g}", {_turns(result)}', "chance", "95% interval"], rows)


def side_table(result: "DuelResult") -> Table:
    """Return what happened to each side of a duel."""
    kinds = get_system(result.system).kinds
    rows = []
    for name in ("destroyed", *kinds):
        cells = [
            chance_text(getattr(result, f"side_{side}")[name], _of_side(result, side, name)) for side in SIDES
        ]
        rows.append([name.replace("_", " "), *cells])
    rows.append(["mean turn destroyed", *(_turn_text(result, side) for side in SIDES)])
    rows.append(["ECV lost", *(_loss_text(result, side) for side in SIDES)])
    return plain_table(["what happened to", "A", "B"], rows)


def engage_text(result: "EngageResult") -> str:
    """Return the tables of an engagement: who met, how it ended, who is left."""
    units = [
        [
            side.upper() if place == 0 else "",
            str(getattr(result, side).count(unit)),
            unit,
            shortened(result.names[unit], LONGEST_NAME),
            ecv_text(result.ecvs[unit].value, result.ecvs[unit].source),
        ]
        for side in SIDES
        for place, unit in enumerate(dict.fromkeys(getattr(result, side)))
    ]
    return to_text(
        plain_table(["", "", "unit", "name", "ECV"], units, left=5),
        "",
        outcome_table(result, result.cannot_fire_a, result.cannot_fire_b),
        "",
        survivor_table(result),
        "",
        f"A: hit from {result.aspect_a}, policy {result.policy_a}",
        f"B: hit from {result.aspect_b}, policy {result.policy_b}",
        f"{_mean_text(result.exchanges, result.n)} volleys a fight",
        *notes(result, any(ecv.is_draft for ecv in result.ecvs.values())),
    )


def survivor_table(result: "EngageResult") -> Table:
    """Return how many units are left of each side, and the mean loss of ECV."""
    left = result.survivors
    rows = [
        [f"{count} left", *(_survivor_text(left[side], count, result.n) for side in SIDES)]
        for count in range(max(len(left["a"]), len(left["b"])))
    ]
    rows.append(["ECV lost", *(_mean_text(result.ecv_lost[side], result.n) for side in SIDES)])
    return plain_table(["units of", "A", "B"], rows)


def notes(result: Any, draft: bool) -> list[str]:
    """Return the lines below the tables: no decision, how the figures were got, readings, drafts."""
    lines = [f"no decision within {_turns(result)}: no verdict"] if result.no_decision else []
    if result.n is None:
        lines.append(f"{result.method}, error at most {result.error_bound:g}, {result.rules_version}")
    else:
        how = result.method.replace("_", " ")
        lines.append(f"{how}, {result.n:,} fights, seed {result.seed}, {result.rules_version}")
    usual = get_system(result.system).options({}).built()
    changed = [f"{name}={said(value)}" for name, value in result.readings.items() if value != usual.get(name)]
    lines.extend(f"reading {text}" for text in changed)
    return [*lines, DRAFT_NOTE] if draft else lines


def said(value: object) -> str:
    """Return the value of a reading as it is typed."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def chance_row(title: str, value: float, interval: Interval | None) -> list[str]:
    """Return title, chance and its interval; a chance that was solved has none."""
    return [title, chance_text(value, interval), "" if interval is None else interval_text(value, *interval)]


def chance_text(value: float, interval: Interval | None) -> str:
    """Return a chance with the digits that its interval supports."""
    low, high = (value, value) if interval is None else interval
    return format_percent(value, low, high)


def interval_text(value: float, low: float, high: float) -> str:
    """Return the ends of an interval with the decimals of its value, rounded outwards.

    An end at which nothing is excluded is left out: `up to 0.0004%`, `from 99.9996%`. Ends that meet, where
    no fight differed from the others, tell nothing and are shown as a dash.
    """
    if low == high:
        return NOTHING
    decimals = len(format_percent(value, low, high).rstrip("%").partition(".")[2])
    grain = Decimal(1).scaleb(-decimals)
    least = (Decimal(low) * 100).quantize(grain, ROUND_FLOOR)
    most = (Decimal(high) * 100).quantize(grain, ROUND_CEILING)
    if least <= 0:
        return f"up to {most}%"
    return f"from {least}%" if most >= 100 else f"{least}% to {most}%"


def _turns(result: Any) -> str:
    return "1 turn" if result.turns == 1 else f"{result.turns} turns"


def _of_side(result: Any, side: str, name: str = "destroyed") -> Interval | None:
    intervals: Mapping[str, Interval] = getattr(result, f"side_{side}").get("intervals") or {}
    return intervals.get(name)


def _mirrored(interval: Interval | None) -> Interval | None:
    return None if interval is None else (1 - interval[1], 1 - interval[0])


def _turn_text(result: "DuelResult", side: str) -> str:
    """The mean turn; between turns 1 and `turns` its half-width is at most z (turns - 1) / (2 sqrt(k))."""
    figures = getattr(result, f"side_{side}")
    mean, counts = figures["mean_turn_destroyed"], figures.get("counts")
    if mean is None:
        return NOTHING
    half = Z95 * (result.turns - 1) / (2 * math.sqrt(counts["destroyed"])) if counts else 0.0
    return format_estimate(mean, mean - half, mean + half)


def _loss_text(result: "DuelResult", side: str) -> str:
    figures, ecv = getattr(result, f"side_{side}"), result.ecvs[side].value
    if figures["ecv_lost"] is None or ecv is None:
        return NOTHING
    low, high = _of_side(result, side) or (figures["destroyed"], figures["destroyed"])
    return format_estimate(figures["ecv_lost"], ecv * low, ecv * high)


def _survivor_text(chances: Sequence[float], count: int, n: int | None) -> str:
    if count >= len(chances):
        return ""
    value = chances[count]
    if n is None:
        return chance_text(value, None)
    low, high = estimate_wilson(round(value * n), n)
    return format_percent(value, float(low), float(high))


def _mean_text(mean: float | None, n: int | None) -> str:
    """A mean loss; its spread is at most its size, so its half-width is at most z mean / sqrt(n)."""
    if mean is None:
        return NOTHING
    half = Z95 * mean / math.sqrt(n) if n else 0.0
    return format_estimate(mean, mean - half, mean + half)
