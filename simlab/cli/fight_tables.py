"""What fights came to, as text for people: no digit that an interval denies."""

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import count, takewhile
from typing import TYPE_CHECKING, Any

from rich.table import Table

from simlab.analysis.digits import format_amount, format_bound, format_estimate, format_percent
from simlab.analysis.intervals import Z95, estimate_wilson
from simlab.analysis.losses import quantile_interval
from simlab.cli.tables import DRAFT_NOTE, NOTHING, ecv_text, plain_table, to_text
from simlab.model.errors import shortened
from simlab.model.situation import by_turn_text, first_fire_text, turns_text
from simlab.rules.registry import get_system

if TYPE_CHECKING:
    from simlab.lab.results import DuelResult, EngageResult

CANNOT_FIRE = "cannot fire"
NEVER, ALWAYS = "0%", "100%"
LONGEST_NAME = 24
FIRST_TURNS = 12
"""Turns of a solved duel that are all shown; of later ones the first turns of ever longer spans."""
FINEST = 5e-7
"""Solved chances are shown as if their error were no smaller: nobody reads more digits."""
OUTCOMES = {"A wins": "a_wins", "B wins": "b_wins", "both destroyed": "both_destroyed", "neither": "neither"}
QUANTILES = {
    "in 5% of fights": 0.05,
    "in 25%": 0.25,
    "in half": 0.5,
    "in 75%": 0.75,
    "in 95%": 0.95,
}
BOUNDS = {"<": "up to ", ">": "from "}
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
            by_turn_text(getattr(result, f"aspect_{side}")),
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
        *turn_tables(result),
        *notes(result, any(ecv.is_draft for ecv in result.ecvs.values())),
    )


def turn_tables(result: "DuelResult") -> list[Any]:
    """Return, of a solved duel, a table of the chances that a side or both still stand, by turn.

    After the first dozen of turns they are shown at 24, 48, 96 and so on, and the last one. From where nothing changes
    any more in the digits that are shown, the turns to the end share a row.
    """
    if result.by_turn is None:
        return []
    last = result.turns
    cells = {turn: _standing_cells(result, turn) for turn in range(1, last + 1)}
    still = last
    while still > 1 and cells[still - 1] == cells[last]:
        still -= 1
    rows = [[str(turn), *cells[turn]] for turn in _some(still)]
    rows.append([str(last) if still == last else f"{still} to {last}", *cells[last]])
    return [plain_table(["after turn", "A stands", "B stands", "both stand"], rows), ""]


def _standing_cells(result: "DuelResult", turn: int) -> list[str]:
    """The chances that A, B, and both still stand after a turn."""
    both = chance_text((result.by_turn or {})["neither"][turn], None, result)
    return [*(_survival_text(result, side, turn) for side in SIDES), both]


def _some(end: int) -> list[int]:
    """Return the first dozen of turns, then twice as many each, all of them before `end`."""
    later = takewhile(lambda turn: turn < end, (FIRST_TURNS << step for step in count(1)))
    return [*range(1, min(end, FIRST_TURNS + 1)), *later]


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

    What a side that cannot fire would need fire for is said in words; then never are both destroyed.
    """
    ends = result.intervals or {}
    share, between = result.win_share_a, ends.get("win_share_a")
    if result.n is not None and share in (0.0, 1.0):
        # All fights ended alike, so their scores do not vary; the chance is no more certain than n fights make it.
        low, high = estimate_wilson(share * result.n, result.n)
        between = (float(low), float(high))
    rows = [
        chance_row(title, result.outcomes[name], ends.get(name), result)
        for title, name in outcome_titles(result).items()
    ]
    rows.append(chance_row("win share of A", share, between, result))
    rows.append(chance_row("win share of B", result.win_share_b, _mirrored(between), result))
    rows.extend(chance_row(*rate, result) for rate in rates)
    for side, silent in (("A", silent_a), ("B", silent_b)):
        if silent:
            words = {
                f"{side} wins": CANNOT_FIRE,
                f"kill rate of {side}": CANNOT_FIRE,
                "both destroyed": NEVER,
                "both broken": NEVER,
            }
            rows = [[row[0], words[row[0]], ""] if row[0] in words else row for row in rows]
    between_title = "" if result.n is None else "95% interval"
    return plain_table([f'{by_turn_text(result.range)}", {_turns(result)}', "chance", between_title], rows)


def outcome_titles(result: Any) -> dict[str, str]:
    """Return the names of the outcomes by their titles; where sides break, both may."""
    if getattr(result, "breaks", None) is None:
        return OUTCOMES
    return {"both broken" if title == "both destroyed" else title: name for title, name in OUTCOMES.items()}


def side_table(result: "DuelResult") -> Table:
    """Return what happened to each side of a duel."""
    kinds = get_system(result.system).kinds
    rows = []
    for name in ("destroyed", *kinds):
        cells = [
            chance_text(getattr(result, f"side_{side}")[name], _of_side(result, side, name), result)
            for side in SIDES
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
        *loss_tables(result),
        f"A: hit from {by_turn_text(result.aspect_a)}, policy {result.policy_a}",
        f"B: hit from {by_turn_text(result.aspect_b)}, policy {result.policy_b}",
        f"{_mean_text(result.exchanges, result.n)} volleys a fight",
        *break_lines(result),
        *notes(result, any(ecv.is_draft for ecv in result.ecvs.values())),
    )


def survivor_table(result: "EngageResult") -> Table:
    """Return how many units are left of each side, and the mean loss of ECV."""
    left = result.survivors
    rows = [
        [f"{count} left", *(_survivor_text(result, side, count) for side in SIDES)]
        for count in range(max(len(left["a"]), len(left["b"])))
    ]
    rows.append(["ECV lost", *(_losses_text(result, side) for side in SIDES)])
    return plain_table(["units of", "A", "B"], rows)


def loss_tables(result: "EngageResult") -> list[Any]:
    """Return a table of how much ECV was lost at most in shares of the fights; where it is not known, why."""
    known = {side: found for side, found in result.ecv_lost_distribution.items() if found is not None}
    many = [
        f"ECV lost of {side.upper()}: too many different losses to tell them apart"
        for side in SIDES
        if side not in known and result.ecv_lost[side] is not None
    ]
    if not known:
        return [*many, ""] if many else []
    rows = [
        [title, *(_quantile_text(result, side, share) for side in SIDES)]
        for title, share in QUANTILES.items()
    ]
    return [plain_table(["ECV lost at most", "A", "B"], rows), "", *many]


def break_lines(result: "EngageResult") -> list[str]:
    """Return a line that says when sides break, none where they do not."""
    if result.breaks is None:
        return []
    return [
        f"a side breaks when {100 * result.breaks:.10g}% of its ECV is lost; the fight ends with that turn"
    ]


def notes(result: Any, draft: bool) -> list[str]:
    """Return the lines below the tables: no decision, how the figures were got, readings, drafts."""
    lines = [f"no decision within {_turns(result)}: no verdict"] if result.no_decision else []
    lines.extend(first_fire_line(result.first_fire))
    if result.n is None:
        lines.append(f"exact, error at most {format_bound(result.error_bound)}, {result.rules_version}")
    else:
        how = result.method.replace("_", " ")
        lines.append(f"{how}, {result.n:,} fights, seed {result.seed}, {result.rules_version}")
    lines.extend([result.why] if getattr(result, "why", "") else [])
    usual = get_system(result.system).options({})
    lines.extend(_changed("reading", result.readings, usual.built()))
    lines.extend(_changed("house number", result.constants, usual.house_numbers()))
    return [*lines, DRAFT_NOTE] if draft else lines


def _changed(what: str, values: Mapping[str, Any], usual: Mapping[str, Any]) -> list[str]:
    """A line for each value that differs from its default."""
    return [f"{what} {name}={said(value)}" for name, value in values.items() if value != usual.get(name)]


def first_fire_line(first_fire: str | None) -> list[str]:
    """Return a line that says who is silent at first, none for nobody."""
    found = first_fire_text(first_fire)
    return [] if found is None else [f"{'B' if found[0] == 'a' else 'A'} is silent in {found[1]}"]


def said(value: object) -> str:
    """Return the value of a reading as it is typed."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def chance_row(title: str, value: float, interval: Interval | None, result: Any) -> list[str]:
    """Return title, chance and its interval; a chance that was solved has none."""
    text = chance_text(value, interval, result)
    return [title, text, "" if interval is None else interval_text(value, *interval)]


def chance_text(value: float, interval: Interval | None, result: Any) -> str:
    """Return a chance with the digits that its interval, or the error bound of a solution, supports."""
    if interval is None and result.n is None:
        half = max(result.error_bound, FINEST)
        return format_percent(value, max(0.0, value - half), min(1.0, value + half))
    low, high = (value, value) if interval is None else interval
    return format_percent(value, low, high)


def interval_text(value: float, low: float, high: float) -> str:
    """Return the ends of an interval with the decimals of its value, rounded outwards.

    An end at which nothing is excluded is left out: `up to 0.0004%`, `from 99.9996%`; where the value itself is
    shown as a bound, it is that bound. Ends that meet, where no fight differed from the others, tell nothing and
    are shown as a dash.
    """
    if low == high:
        return NOTHING
    text = format_percent(value, low, high)
    if text[0] in BOUNDS:
        return BOUNDS[text[0]] + text[2:]
    decimals = len(text.rstrip("%").partition(".")[2])
    grain = Decimal(1).scaleb(-decimals)
    least = (Decimal(low) * 100).quantize(grain, ROUND_FLOOR)
    most = (Decimal(high) * 100).quantize(grain, ROUND_CEILING)
    if least <= 0:
        return f"up to {most}%"
    return f"from {least}%" if most >= 100 else f"{least}% to {most}%"


def _turns(result: Any) -> str:
    return turns_text(result.turns)


def _of_side(result: Any, side: str, name: str = "destroyed") -> Interval | None:
    if _is_safe(result, side):
        return 0.0, 0.0
    intervals: Mapping[str, Interval] = getattr(result, f"side_{side}").get("intervals") or {}
    return intervals.get(name)


def _is_safe(result: Any, side: str) -> bool:
    """Whether nothing can happen to a side, for the other one cannot fire."""
    other = {"a": "b", "b": "a"}[side]
    figures = getattr(result, f"side_{other}", None)
    return bool(getattr(result, f"cannot_fire_{other}") if figures is None else figures["cannot_fire"])


def _survival_text(result: "DuelResult", side: str, turn: int) -> str:
    if _is_safe(result, side):
        return ALWAYS
    return chance_text(getattr(result, f"side_{side}")["survival"][turn], None, result)


def _mirrored(interval: Interval | None) -> Interval | None:
    return None if interval is None else (1 - interval[1], 1 - interval[0])


def _turn_text(result: "DuelResult", side: str) -> str:
    """The mean turn; between turns 1 and `turns` its half-width is at most z (turns - 1) / (2 sqrt(k)).

    However wide that is, it is shown as a turn that there is: rounded to whole turns at most.
    """
    figures = getattr(result, f"side_{side}")
    mean, counts = figures["mean_turn_destroyed"], figures.get("counts")
    if mean is None:
        return NOTHING
    half = result.error_bound or 0.0
    if counts:
        half = Z95 * (result.turns - 1) / (2 * math.sqrt(counts["destroyed"]))
    half = min(max(half, 1e-4), 1.0)
    return format_estimate(mean, mean - half, mean + half)


def _loss_text(result: "DuelResult", side: str) -> str:
    figures, ecv = getattr(result, f"side_{side}"), result.ecvs[side].value
    if figures["ecv_lost"] is None or ecv is None:
        return NOTHING
    half = result.error_bound or 0.0
    low, high = _of_side(result, side) or (figures["destroyed"] - half, figures["destroyed"] + half)
    return format_amount(figures["ecv_lost"], ecv * low, ecv * high)


def _survivor_text(result: "EngageResult", side: str, count: int) -> str:
    chances, n = result.survivors[side], result.n
    if count >= len(chances):
        return ""
    if _is_safe(result, side):
        return ALWAYS if count == len(chances) - 1 else NEVER
    value = chances[count]
    if n is None:
        return format_percent(value, value, value)
    low, high = estimate_wilson(round(value * n), n)
    return format_percent(value, float(low), float(high))


def _losses_text(result: "EngageResult", side: str) -> str:
    """The mean loss; where no fight had any, below what a loss of all in as few as the interval allows would be."""
    mean, n = result.ecv_lost[side], result.n
    if mean == 0 and n and not _is_safe(result, side):
        total = sum(result.ecvs[unit].value or 0.0 for unit in getattr(result, side))
        return format_amount(0.0, 0.0, total * float(estimate_wilson(0, n)[1]))
    return _mean_text(mean, n)


def _quantile_text(result: "EngageResult", side: str, share: float) -> str:
    """What is lost at most in a share of the fights; where so many fights leave it open, from where to where."""
    found = result.ecv_lost_distribution[side]
    if found is None:
        return NOTHING
    values, counts = found["values"], found["counts"]
    low, high = quantile_interval(values, counts, share)
    texts = dict.fromkeys(format_amount(value, value, value) for value in (low, high))
    return " to ".join(texts)


def _mean_text(mean: float | None, n: int | None) -> str:
    """A mean loss; its spread is at most its size, so its half-width is at most z mean / sqrt(n)."""
    if mean is None:
        return NOTHING
    half = Z95 * mean / math.sqrt(n) if n else 0.0
    return format_estimate(mean, mean - half, mean + half)
