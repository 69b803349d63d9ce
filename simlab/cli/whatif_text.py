"""What came of changed sheets, as text for people: no digit that an interval denies."""

import textwrap
from collections.abc import Iterable, Sequence
from math import floor, log10
from typing import TYPE_CHECKING, Any

from simlab.analysis.digits import format_bound, format_percent
from simlab.cli.tables import page_width, plain_table, to_text
from simlab.model.errors import escaped, shown
from simlab.model.situation import by_turn_text, first_fire_text, number_text, turns_text
from simlab.rules.registry import get_system

if TYPE_CHECKING:
    from simlab.analysis.readings_paired import Estimate
    from simlab.lab.changed_duels import Matchup, WhatIf
    from simlab.lab.reasons import Reason, Why
    from simlab.lab.solving_for import Solved

FIGURES = {
    "a_wins": "A wins",
    "b_wins": "B wins",
    "both_destroyed": "both destroyed",
    "neither": "neither",
    "win_share_a": "win share of A",
    "kill_rate_a": "kill rate of A",
    "kill_rate_b": "kill rate of B",
}
EXACTLY_NOTHING = "exactly 0"
MOST_DECIMALS = 4
FINEST = 1e-6
EXACT = 2e-5
"""Intervals narrower than this are errors of solved duels, which are shown as exact."""
WIDTH = 80


def whatif_text(found: "WhatIf") -> str:
    """Return what a change does: all figures against one opponent, win shares against several."""
    heads = [f"{path} {_value(old)} -> {_value(new)}" for path, (old, new) in found.fields.items()]
    table = _figures(found) if len(found.matchups) == 1 else _matchups(found)
    notes = (
        []
        if not found.overall.same
        else [
            "No die sees this change: the fights are the same, one by one.",
            "",
        ]
    )
    return to_text(
        *wrapped(f"{found.unit.id} (A) with {', '.join(heads)}", ""),
        *wrapped(against(found.record), ""),
        "",
        table,
        "",
        *notes,
        *(
            f"{side} has no weapon that can ever fire at {by_turn_text(each.range)}"
            for each in found.matchups
            for side, silent in zip((f"{found.unit.id}, changed,", each.b), each.cannot_fire, strict=True)
            if silent
        ),
        *how(found.overall, found.record),
    )


def _figures(found: "WhatIf") -> Any:
    effect = found.overall
    rows = [
        [
            title,
            _share(effect.base[name], effect.n, effect.error_bound),
            _share(effect.changed[name], effect.n, effect.error_bound),
            *_change(effect.difference[name], effect.same),
        ]
        for name, title in FIGURES.items()
    ]
    return plain_table(["in %", "before", "after", "change", "95% interval"], rows)


def _matchups(found: "WhatIf") -> Any:
    several = len({str(each.range) for each in found.matchups}) > 1
    rows = [_matchup(each, several) for each in found.matchups]
    effect = found.overall
    rows.append(
        [
            f"all {len(found.matchups)}",
            *([""] if several else []),
            _share(effect.base["win_share_a"], effect.n, effect.error_bound),
            _share(effect.changed["win_share_a"], effect.n, effect.error_bound),
            *_change(found.difference, effect.same),
        ]
    )
    heads = [
        "win share in % against",
        *(["range"] if several else []),
        "before",
        "after",
        "change",
        "95% interval",
    ]
    return plain_table(heads, rows)


def _matchup(each: "Matchup", several: bool) -> list[str]:
    effect = each.effect
    return [
        each.b,
        *([by_turn_text(each.range)] if several else []),
        _share(effect.base["win_share_a"], effect.n, effect.error_bound),
        _share(effect.changed["win_share_a"], effect.n, effect.error_bound),
        *_change(effect.difference["win_share_a"], effect.same),
    ]


def plus_minus(change: "Estimate", same: bool) -> str:
    """Return a change in points of percent with its half-width."""
    if same:
        return EXACTLY_NOTHING
    text, reach = _signed(change)
    return text if change.high - change.low < EXACT else f"{text} ±{reach}"


def solve_text(found: "Solved") -> str:
    """Return the values that were tried and the one that was asked for."""
    rows = [
        [
            f"{each.value:g}{' (now)' if each.value == found.value else ''}",
            f"{percent(each.share)}%",
            _interval_percent(each.share),
        ]
        for each in found.tried
    ]
    return to_text(
        f"{found.field} of {found.unit.id}, from {found.legal[0]:g} to {found.legal[1]:g}",
        *wrapped(against(found.record), ""),
        "",
        plain_table([found.field, "win share", "95% interval"], rows),
        "",
        *(part for line in answer_lines(found) for part in wrapped(line, "")),
        "",
        *how(found, found.record),
    )


def answer_lines(found: "Solved") -> list[str]:
    """Return at which value the target is met, in sentences."""
    target = f"{100 * found.target:g}%"
    shares = [each.share.value for each in found.tried]
    ends = [found.share(value) for value in found.legal]
    if found.between is None:
        low, high = (f"{percent(end)}%" for end in ends)
        lines = [
            f"{target}: no value between {found.legal[0]:g} and {found.legal[1]:g} does: from {low} to {high}."
        ]
        if min(shares) < min(shares[0], shares[-1]) or max(shares) > max(shares[0], shares[-1]):
            lines.append(f"Nearest of those tried: {_with_share(found, found.nearest)}.")
    elif found.between[0] == found.between[1]:
        lines = [f"{target}: at {_with_share(found, found.between[0])}."]
    else:
        low, high = (_with_share(found, value) for value in found.between)
        lines = [f"{target}: between {low} and {high}; nearest is {found.nearest:g}."]
        if found.possible != found.between and found.possible is not None:
            lines.append(
                f"So few fights cannot tell it closer than between {found.possible[0]:g} and {found.possible[1]:g}."
            )
    if not found.monotone:
        lines.append("The win share goes up and down over the values tried; other values may do as well.")
    if found.others:
        pairs = ", ".join(f"{low:g} and {high:g}" for low, high in found.others)
        lines.append(f"The target also lies between {pairs}.")
    return lines


def _with_share(found: "Solved", value: float) -> str:
    share = found.share(value)
    return f"{value:g} ({percent(share)}%)"


def why_text(found: "Why") -> str:
    """Return what each stage and each part does to the win share of A, and how far stages do not add up."""
    share = f"{percent(found.share)}%"
    stages = [
        [each.step, each.what, percent(each.share), plus_minus(each.change, each.same)]
        for each in found.stages
    ]
    totals = [
        ["", "sum of these", "", plus_minus(found.sum, False)],
        ["", "all of them at once", percent(found.equal), plus_minus(found.total, False)],
        ["", "gap", "", plus_minus(found.gap, False)],
    ]
    outs = sorted(found.knock_outs, key=lambda each: -abs(each.change.value))
    parts = [
        [
            each.step.upper(),
            f"{each.name}: {each.what}",
            percent(each.share),
            plus_minus(each.change, each.same),
        ]
        for each in outs
        if not _is_nothing(each)
    ]
    idle = [f"{each.step.upper()}'s {each.name}" for each in outs if _is_nothing(each)]
    heads = ["win share of A", "change"]
    return to_text(
        f"{found.a.id} (A) has a win share of {share} against {found.b.id} (B)",
        *wrapped(_where(found.record), ""),
        "",
        plain_table(["stage", "with B as A in", *heads], [*stages, *totals], left=2),
        "",
        plain_table(["", "without", *heads], parts, left=2),
        "",
        *wrapped(
            "In %, each change with its own 95% interval. Effects need not add up: what one stage does depends on "
            "the others.",
            "",
        ),
        *([""] * bool(idle)),
        *wrapped(f"No effect: {'; '.join(idle)}." if idle else "", ""),
        "",
        *how(found, found.record),
    )


def _is_nothing(reason: "Reason") -> bool:
    return reason.same or reason.change.value == 0.0


def percent(share: "Estimate") -> str:
    """Return a win share in percent without the sign, no finer than anybody reads."""
    if share.low == share.high:
        return f"{100 * share.value:g}"
    half = max((share.high - share.low) / 2, FINEST)
    low, high = max(share.value - half, 0.0), min(share.value + half, 1.0)
    return format_percent(share.value, low, high).rstrip("%")


def _value(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return number_text(value)
    return value if isinstance(value, str) else shown(value)


def _share(value: float, n: int | None, bound: float | None) -> str:
    """A chance in percent without the sign, as finely as so many fights tell it."""
    from simlab.analysis.readings_paired import Estimate

    reach = bound or 0.0 if n is None else 1.96 * (max(value * (1 - value), 1 / n) / n) ** 0.5
    return percent(Estimate(value, max(value - reach, 0.0), min(value + reach, 1.0)))


def _change(change: "Estimate", same: bool) -> list[str]:
    """A change in points of percent and its interval."""
    if same:
        return [EXACTLY_NOTHING, ""]
    text, _ = _signed(change)
    digits = len(text.partition(".")[2])
    ends = 100 * change.low, 100 * change.high
    # One sees whether 0 is in it: no other end looks like 0.
    while digits < MOST_DECIMALS and any(end and round(end, digits) == 0 for end in ends):
        digits += 1
    if change.high - change.low < EXACT:
        return [text, "exact"]
    return [text, " to ".join(fixed(end, digits) for end in ends)]


def _signed(change: "Estimate") -> tuple[str, str]:
    """A change in points with its sign, and its half-width, one digit more than that has."""
    reach = 100 * (change.high - change.low) / 2
    digits = min(max(0, -floor(log10(reach))), MOST_DECIMALS) if reach > 0 else MOST_DECIMALS
    return fixed(100 * change.value, digits), f"{max(reach, 10.0**-digits):.{digits}f}"


def fixed(number: float, digits: int) -> str:
    """Return a number with its sign; what rounds to nothing has none."""
    text = f"{number:+.{digits}f}"
    return text[1:] if float(text) == 0 else text


def _interval_percent(share: "Estimate") -> str:
    if share.high - share.low < EXACT:
        return "exact"
    digits = max(0, -floor(log10(100 * (share.high - share.low) / 2)))
    return f"{100 * share.low:.{digits}f} to {100 * share.high:.{digits}f}"


def against(record: Any) -> str:
    """Return who it is fought against, and where."""
    names = record["b"]
    who = f"{names[0]} (B)" if len(names) == 1 else f"{len(names)} opponents"
    return f"against {who} {_where(record)}"


def _where(record: Any) -> str:
    ranges = " and ".join(f"{by_turn_text(_tuple(distance))}{_unit(record)}" for distance in record["ranges"])
    aspects = f"{by_turn_text(_tuple(record['aspect_a']))} v {by_turn_text(_tuple(record['aspect_b']))}"
    text = f"at {ranges}, {aspects}, {turns_text(record['turns'])}"
    first = first_fire_text(record["first_fire"])
    return text if first is None else f"{text}; {first[0]} alone fires in {first[1]}"


def _unit(record: Any) -> str:
    return '"' if get_system(record["system"]).range_unit == "inches" else ""


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def how(found: Any, record: Any) -> list[str]:
    """Return how figures were got, and what of the rules is not at its default."""
    parts = [] if found.n is None else [f"{found.n:,} fights a duel at the same dice, seed {record['seed']}"]
    if found.error_bound:
        parts.append(f"solved, error at most {format_bound(found.error_bound)}")
    usual = get_system(record["system"]).options({})
    changed = [
        f"{what} {name}={shown(value)}"
        for what, values, defaults in (
            ("reading", record["readings"], usual.built()),
            ("house number", record["constants"], usual.house_numbers()),
        )
        for name, value in values.items()
        if value != defaults.get(name)
    ]
    return [", ".join([*(parts or ["nobody can fire"]), record["rules_version"]]), *changed]


def listed(title: str, names: Sequence[str]) -> list[str]:
    """Return names below a title, nothing for none."""
    return ["", f"{title}:", *wrapped(", ".join(names), "  ")] if names else []


def wrapped(text: str, indent: str) -> Iterable[str]:
    """Return a text in lines that fit the page."""
    width = max(page_width(), WIDTH)
    return textwrap.wrap(
        escaped(text), width, initial_indent=indent, subsequent_indent=indent or "  ", break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
