"""What changed between two runs, as text: differences of the runs, what moved, which answers flipped."""

import math
import textwrap
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from simlab.analysis.compare import CONTRADICTS, MOVED, SAME, is_moved, place_text
from simlab.analysis.compare_fair import is_fair_number_moved
from simlab.analysis.digits import format_percent
from simlab.analysis.readings import A_WINS, B_WINS, CANNOT_TELL, NO_DECISION
from simlab.cli.tables import GAP, NOTHING, page_width, to_text
from simlab.model.errors import escaped

if TYPE_CHECKING:
    import pandas as pd

    from simlab.lab.comparison import Comparison

Row = Mapping[Hashable, Any]
Line = str | Sequence[str]
"""A line of a table: cells, or a text over all columns."""

WIDTH = 80
MOST_SHOWN = 10
MOST_LISTED = 5
MOST_EXAMPLES = 3
MOST_UNITS = 6
MOST_DECIMALS = 4
MOST_EXACT = 2e-6
"""Half-width of a share below which no more decimals are shown."""
UNITS = {"inches": '"'}
WINS = {A_WINS: "a", B_WINS: "b", CANNOT_TELL: "?", NO_DECISION: NOTHING}
HEADS = ("before", "after", "change", "alone", "together")


def compare_text(found: "Comparison") -> str:
    """Return what changed, 80 columns wide if the ids let it; what moved is listed with the largest first."""
    unit = UNITS.get(found.range_unit, f" {found.range_unit}")
    parts = [
        *_wrapped(f"{found.name}: what changed between two runs", ""),
        "",
        *_changes(found),
        *_summary(found),
        *_matchups(found, unit),
        *_duels(found, unit),
        *_kill_rates(found, unit),
        *_fair_numbers(found, unit),
        *_flips(found, unit),
        *_remarks(found),
        "",
        *_wrapped(_legend(found), ""),
        _verdict(found),
    ]
    return to_text(*parts)


def _changes(found: "Comparison") -> list[str]:
    rows = [["run", found.before, found.after]]
    rows += [
        [f"{row['what']} {row['name']}".strip(), row["before"], row["after"]]
        for row in found.changes.to_dict("records")
    ]
    alike = ["no difference of units, rules, settings or versions"] if len(rows) == 1 else []
    return [*_grid(["", "before", "after"], rows, left=3), *alike, ""]


def _summary(found: "Comparison") -> list[str]:
    moved = found.count_moved()
    within = f"not beyond {found.more_than:g}" if found.more_than else "within their intervals"
    lines = [
        _counted(found.matchups, moved["matchups"], "matchup", within),
        _counted(found.duels, moved["duels"], "duel", within),
    ]
    if len(found.fair_numbers):
        lines.append(_counted(found.fair_numbers, moved["fair_numbers"], "fair number", within))
    by_run = found.alone["run"].value_counts()
    alone = [(int(by_run[run]), run) for run in ("before", "after") if run in by_run]
    return [
        *lines,
        *(f"not compared: {_number(count, 'duel')} only in the run {run}" for count, run in alone),
    ]


def _counted(table: "pd.DataFrame", moved: int, what: str, within: str) -> str:
    """How many there are, how many moved, and how many were the same."""
    columns = [name for name in ("effect", "kill_effect") if name in table]
    same = int((table[columns] == SAME).all(axis=1).sum())
    counts = [
        f"{moved:,} moved",
        f"{same:,} the same",
        f"{len(table) - moved - same:,} {within}",
    ]
    told = [text for text in counts if not text.startswith("0 ")]
    return f"{_number(len(table), what)}: {', '.join(told)}"


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _matchups(found: "Comparison", unit: str) -> list[str]:
    """The matchups that moved, or the largest changes if none did; duels where each has one situation alone."""
    several = _has_places(found)
    table, place = (found.matchups, _over) if several else (found.duels, lambda row: place_text(row, unit))
    rows = table[table["effect"].isin([MOVED, CONTRADICTS])]
    title = f"{'Matchups' if several else 'Duels'} that moved, by the win share of the first unit in %:"
    if rows.empty:
        rows = table[table["effect"] == CANNOT_TELL].head(MOST_EXAMPLES)
        title = "The largest changes, by the win share of the first unit in %:"
    if rows.empty:
        return []
    return ["", title, "", *_moved(rows, place), *_more(rows), *_by_unit(found)]


def _by_unit(found: "Comparison") -> list[str]:
    """Which units have most of the matchups that moved, where these are too many to be listed."""
    moved = found.matchups[is_moved(found.matchups)]
    if len(moved) <= MOST_SHOWN:
        return []
    counts: dict[str, list[int]] = {}
    for table, place in ((found.matchups, 1), (moved, 0)):
        for a, b in zip(table["a"], table["b"]):
            for unit in dict.fromkeys((a, b)):
                counts.setdefault(unit, [0, 0])[place] += 1
    ranked = sorted(counts.items(), key=lambda item: -item[1][0] / item[1][1])[:MOST_UNITS]
    most = ranked[0][1][0] / ranked[0][1][1]
    told = ", ".join(f"{unit} {few} of {all_}" for unit, (few, all_) in ranked if 2 * few >= most * all_)
    return ["", *_wrapped(f"Units with most of them: {told}", "")]


def _duels(found: "Comparison", unit: str) -> list[str]:
    rows = found.duels[found.duels["effect"].isin([MOVED, CONTRADICTS])]
    if rows.empty or not _has_places(found):
        return []
    lines = _moved(rows, lambda row: place_text(row, unit))
    return ["", "Duels that moved, likewise:", "", *lines, *_more(rows)]


def _moved(rows: "pd.DataFrame", place: Callable[[Row], str]) -> list[str]:
    """A table of win shares; the pair stands on a line of its own where the page is too narrow."""
    entries = [
        (f"{row['a']} v {row['b']}", place(row), _cells(row))
        for row in rows.head(MOST_SHOWN).to_dict("records")
    ]
    return _two_ways([*HEADS, "wins"], entries)


def _two_ways(heads: Sequence[str], entries: Sequence[tuple[str, str, list[str]]]) -> list[str]:
    wide = _grid(["", *heads], [[f"{who}, {where}", *cells] for who, where, cells in entries])
    if max(map(cell_len, wide)) <= page_width():
        return wide
    lines: list[Line] = []
    for place, (who, where, cells) in enumerate(entries):
        if place == 0 or entries[place - 1][0] != who:
            lines.append(escaped(who))
        lines.append([f"  {where}", *cells])
    narrow = _grid(["", *heads], lines)
    fits = max(map(cell_len, narrow)) <= page_width()
    return narrow if fits else _grid(["", *heads], lines, gap=GAP - 1)


def _cells(row: Row) -> list[str]:
    """Both win shares, the change, the half-widths of its intervals, and who wins."""
    own = _reach(row, "change", "change_low", "change_high")
    family = _reach(row, "change", "family_low", "family_high")
    shares = (_percent(row[f"win_share_{run}"], own)[:-1] for run in ("before", "after"))
    digits = _digits(100 * own)
    widths = ["exact"] * 2 if own == family else [_half(100 * own, digits), _half(100 * family, digits)]
    wins = [WINS[row[f"answer_{run}"]] for run in ("before", "after")]
    turned = f"{wins[0]} > {wins[1]}" if wins[0] != wins[1] else wins[0]
    return [*shares, _signed(100 * row["change"], digits), *widths, turned]


def _reach(row: Row, change: str, low: str, high: str) -> float:
    """The half-width of an interval, the longer one."""
    return float(max(row[change] - row[low], row[high] - row[change]))


def _percent(value: float, half: float) -> str:
    """A chance as a percentage with the decimals of a change; only exact ones are 0% or 100%."""
    half = max(half, MOST_EXACT) if half else 0.0
    return format_percent(value, max(0.0, value - half / 2), min(1.0, value + half / 2))


def _digits(half: float) -> int:
    """Decimals for a figure whose interval has this half-width: down to its first digit, its second after a 1."""
    return min(max(0, -math.floor(math.log10(half / 2))), MOST_DECIMALS) if half > 0 else 1


def _half(half: float, digits: int) -> str:
    """A half-width, rounded up."""
    step = 10.0**-digits
    return f"±{math.ceil(half / step - 1e-9) * step:.{digits}f}" if math.isfinite(half) else "?"


def _signed(number: float, digits: int) -> str:
    """A number with its sign; what rounds to nothing has none."""
    text = f"{number:+.{digits}f}"
    return text[1:] if float(text) == 0 else text


def _kill_rates(found: "Comparison", unit: str) -> list[str]:
    """The matchups and duels whose kill rate moved and whose win share did not."""
    lines = _killed(found.matchups, _over) if _has_places(found) else []
    lines += _killed(found.duels, lambda row: place_text(row, unit))
    title = "Kill rates of the first unit that moved where the win share did not, in %:"
    return ["", title, *lines] if lines else []


def _killed(table: "pd.DataFrame", place: Callable[[Row], str]) -> list[str]:
    counted = [MOVED, CONTRADICTS]
    rows = table[table["kill_effect"].isin(counted) & ~table["effect"].isin(counted)]
    rows = rows.loc[rows["kill_change"].abs().sort_values(ascending=False, kind="stable").index]
    lines = []
    for row in rows.head(MOST_LISTED).to_dict("records"):
        own = _reach(row, "kill_change", "kill_change_low", "kill_change_high")
        rates = [_percent(row[f"kill_rate_{run}"], own)[:-1] for run in ("before", "after")]
        lines += _wrapped(f"{row['a']} v {row['b']}, {place(row)}: {rates[0]} to {rates[1]}")
    return [*lines, *_more(rows, MOST_LISTED)]


def _over(row: Row) -> str:
    return "1 situation" if row["situations"] == 1 else f"over {row['situations']} situations"


def _has_places(found: "Comparison") -> bool:
    """Whether duels say more than matchups."""
    return bool((found.matchups["situations"] > 1).any())


def _fair_numbers(found: "Comparison", unit: str) -> list[str]:
    rows = found.fair_numbers[is_fair_number_moved(found.fair_numbers)]
    if rows.empty:
        return []
    priced = bool((rows.head(MOST_SHOWN)["unit"] != "").any())
    entries = []
    for row in rows.head(MOST_SHOWN).to_dict("records"):
        who = f"{row['b']} for {row['size_n']} {row['a']}"
        policy = "" if row["policy"] == "spread" else f", {row['policy']}"
        entries.append((who, f"{place_text(row, unit)}{policy}", _fair_cells(row, priced)))
    title = "Fair numbers that moved: so many of the first for one of the second; change in %:"
    heads = [*HEADS, *(["ECV"] if priced else [])]
    return ["", title, "", *_two_ways(heads, entries), *_more(rows), *_priced(rows)]


def _priced(rows: "pd.DataFrame") -> list[str]:
    """What the column of ECVs means, where there is one."""
    known = rows[rows["unit"] != ""].head(1).to_dict("records")
    if not known or not (rows.head(MOST_SHOWN)["unit"] != "").any():
        return []
    row = known[0]
    anchor = row["a"] if row["unit"] == row["b"] else row["b"]
    return _wrapped(
        f"ECV: what the fair number makes the other unit worth, by the printed price of {anchor}", ""
    )


def _fair_cells(row: Row, priced: bool) -> list[str]:
    ratios = [_ratio(row, run) for run in ("before", "after")]
    if math.isnan(row["change"]):
        cells = [*ratios, NOTHING, NOTHING, NOTHING]
    else:
        own, family = (
            _reach(row, "change", "change_low", "change_high"),
            _reach(row, "change", "family_low", "family_high"),
        )
        digits = _digits(100 * own) if math.isfinite(own) else 0
        cells = [*ratios, _signed(100 * row["change"], digits)]
        cells += [_half(100 * own, digits), _half(100 * family, digits)]
    if not priced:
        return cells
    prices = [row["priced_before"], row["priced_after"]]
    known = row["unit"] != "" and not any(map(math.isnan, prices))
    return [*cells, f"{prices[0]:,.0f} > {prices[1]:,.0f}" if known else NOTHING]


def _ratio(row: Row, run: str) -> str:
    if row[f"status_{run}"] == "value":
        return f"{row[f'ratio_{run}']:#.3g}".rstrip(".")
    least = "< 1" if row["size_n"] == 1 else f"< 1/{row['size_n']}"
    return {"below": least, "above": "> 40"}.get(row[f"status_{run}"], "open")


def _flips(found: "Comparison", unit: str) -> list[str]:
    flips = found.flips(unit)
    if not flips:
        return []
    lines = [part for line in flips[:MOST_SHOWN] for part in _wrapped(line)]
    more = [f"  and {len(flips) - MOST_SHOWN} more"] if len(flips) > MOST_SHOWN else []
    return ["", "Answers that flipped:", *lines, *more]


def _remarks(found: "Comparison") -> list[str]:
    """What has to be known about the dice to read the figures."""
    duels = found.duels
    texts = []
    broken = int((duels["effect"] == CONTRADICTS).sum() + (found.fair_numbers["effect"] == CONTRADICTS).sum())
    if broken:
        texts.append(
            f"{broken:,} rows have other counts at the same fights and dice: one of the runs is damaged."
        )
    linked = duels[(duels["dice"] == SAME) & (duels["fights"] != SAME)]
    other = int((linked["effect"] != SAME).sum())
    if other:
        texts.append(
            f"{len(linked):,} duels threw the same dice under other code or turn limits, and {other:,} of them came to "
            "other counts. How far these hang together is not stored; their intervals hold whatever it is."
        )
    elif len(linked):
        told = "threw the same dice under other code or turn limits, and came to the same counts."
        texts.append(f"{_number(len(linked), 'duel')} {told}")
    chance = duels[is_moved(duels) & (duels["fights"] == SAME) & (duels["dice"] != SAME)]
    if len(chance):
        texts.append(
            f"{len(chance):,} of the duels that moved are the same fights by rules and code: chance, or a fault."
        )
    return [line for text in texts for line in ("", *_wrapped(text, ""))]


def _is_all_same(found: "Comparison") -> bool:
    tables = (found.matchups, found.duels, found.fair_numbers)
    return all(bool((table["effect"] == SAME).all()) for table in tables)


def _legend(found: "Comparison") -> str:
    if _is_all_same(found):
        return "Nothing to compare: all counts are the same, at the same dice."
    wins = "wins: a the first unit, b the second, ? cannot tell, – no decision; > where that turned."
    if not found.tests:
        return wins
    level = "alone: 95% for an interval by itself; together: 95% that all"
    return f"{wins} {level} {found.tests:,} of this comparison hold (Bonferroni)."


def _verdict(found: "Comparison") -> str:
    least = f" by more than {found.more_than:g}" if found.more_than else ""
    if not found.moved:
        return f"nothing moved{least}{_furthest(found)}"
    words = {"matchups": "matchup", "duels": "duel", "fair_numbers": "fair number"}
    moved = [_number(count, words[name]) for name, count in found.count_moved().items() if count]
    flips = len(found.flips())
    if flips:
        moved.append(f"{_number(flips, 'answer')} flipped")
    return f"moved{least}: {', '.join(moved)}"


def _furthest(found: "Comparison") -> str:
    """How far win shares may have moved all the same."""
    if not found.tests or _is_all_same(found):
        return ""
    reach = [
        _half(100 * max(-float(table["family_low"].min()), float(table["family_high"].max())), 1)[1:]
        for table in (found.matchups, found.duels)
    ]
    return f"; no matchup by {reach[0]} points of win share, no duel by {reach[1]}"


def _more(rows: "pd.DataFrame", shown: int = MOST_SHOWN) -> list[str]:
    left = len(rows) - shown
    return [f"and {left:,} more (--csv FILE, --json: all of them)"] if left > 0 else []


def _grid(heads: Sequence[str], lines: Iterable[Line], left: int = 1, gap: int = GAP) -> list[str]:
    """A table like all others, but for lines of one text over all columns; nothing is cut."""
    rows = [line if isinstance(line, str) else [escaped(cell) for cell in line] for line in lines]
    cells = [list(heads), *(row for row in rows if not isinstance(row, str))]
    widths = [max(cell_len(row[place]) for row in cells) for place in range(len(heads))]

    def line(row: Line) -> str:
        if isinstance(row, str):
            return row
        padded = []
        for place, (cell, width) in enumerate(zip(row, widths)):
            blank = " " * (width - cell_len(cell))
            padded.append(cell + blank if place < left else blank + cell)
        return (" " * gap).join(padded).rstrip()

    body = [line(row) for row in rows]
    return [line(heads), "─" * (sum(widths) + gap * (len(widths) - 1)), *body]


def _wrapped(text: str, indent: str = "  ") -> list[str]:
    return textwrap.wrap(
        escaped(text),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent}  " if indent else "",
        break_long_words=False,
        break_on_hyphens=False,
    )
