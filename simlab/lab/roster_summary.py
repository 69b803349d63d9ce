"""What a study of many units found: in words, and as small tables."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import pandas as pd

from simlab.analysis.readings import CANNOT_TELL
from simlab.analysis.roster import Roster, average_views
from simlab.analysis.roster_findings import (
    CLEAR,
    count_clear,
    count_priced_pairs,
    find_swings,
    find_upsets,
    find_wheels,
    format_measure,
    format_ranks,
    situations_text,
    swing_ends,
)
from simlab.analysis.tables import display_names
from simlab.lab.summary import as_markdown, as_text, describe_terms, price_sections, write_headlines
from simlab.model.keys import alike
from simlab.model.situation import first_fire_text

Record = Mapping[str, Any]
Row = Mapping[Hashable, Any]
Safe = Callable[[object], str]

MOST_UPSETS = 12
MOST_SWINGS = 3
LADDER, MATCHUPS, SITUATIONS = "ladder.csv", "matchups.csv", "by_situation.csv"
TABLES = (LADDER, MATCHUPS, SITUATIONS)


def write_roster_summary(
    record: Record, roster: Roster, kill_rates: pd.DataFrame, prices: pd.DataFrame, anchor: str | None
) -> str:
    """Return the findings about many units as Markdown; the other arguments are those of `write_summary`."""
    parts = [f"# {as_markdown(record['name'])}", describe_terms(record, kill_rates["error_bound"])]
    parts.append(
        "\n".join(f"- {line}" for line in write_roster_headlines(record, roster, prices, anchor, as_markdown))
    )
    parts.append(_definitions(roster))
    parts.append(_ladder(roster))
    parts += [text for text in (_upsets(roster), _swings(record, roster), _aspects(roster)) if text]
    return "\n\n".join([*parts, *price_sections(record, roster.units, prices, anchor)]) + "\n"


def write_roster_headlines(
    record: Record, roster: Roster, prices: pd.DataFrame, anchor: str | None, safe: Safe = as_text
) -> list[str]:
    """Return the main findings about many units, a sentence or two each, those about prices last.

    `safe` makes names fit for where they go.
    """
    names = {unit: safe(name) for unit, name in display_names(roster.units).items()}
    found = [_strongest(roster, names), _one_sided(roster)]
    upsets = find_upsets(roster.matchups)
    if count_priced_pairs(roster.matchups):
        found.append(_cheaper(roster, upsets, names))
    wheels = find_wheels(roster)
    if len(wheels):
        found.append(_wheel(wheels, names))
    swings = find_swings(roster.ranges)
    if len(swings):
        found.append(_range_swing(record, roster, swings, names))
    worth = [] if prices.empty else write_headlines(record, roster.units, prices, anchor, safe)
    return [text for text in (*found, _drafts(roster), *_caveats(roster, names, record), *worth) if text]


def _strongest(roster: Roster, names: Mapping[str, str]) -> str:
    ladder = roster.ladder.to_dict("records")
    first, last = ladder[0], ladder[-1]
    leads = "is the strongest of" if int(first["worst_rank"]) == 1 else "leads, within its interval, the"
    others = ", ".join(f"{names[row['unit']]} {format_measure(row)}" for row in ladder[1:3])
    text = f"{names[first['unit']]} {leads} {len(ladder)} units: a mean win share of {format_measure(first)}"
    text += f" over all opponents and situations; then {others}."
    return f"{text} Last is {names[last['unit']]} with {format_measure(last)}."


def _one_sided(roster: Roster) -> str:
    pairs, clear = len(roster.matchups) // 2, count_clear(roster.matchups)
    open_pairs = int((roster.matchups["verdict"] == CANNOT_TELL).sum()) // 2
    text = f"In {clear} of {pairs} matchups one side wins {CLEAR:.0%} or more"
    return f"{text}; {open_pairs} are too near to one half to tell." if open_pairs else f"{text}."


def _cheaper(roster: Roster, upsets: pd.DataFrame, names: Mapping[str, str]) -> str:
    pairs = count_priced_pairs(roster.matchups)
    text = f"The cheaper unit wins {len(upsets)} of {pairs} matchups of units that differ in ECV."
    if upsets.empty:
        return text
    row = upsets.to_dict("records")[0]
    return f"{text} The largest gap: {_upset(row, names)}."


def _upset(row: Row, names: Mapping[str, str]) -> str:
    cheap, dear = (
        f"{names[row[side]]} ({_price(row[f'{side}_ecv'], row[f'{side}_draft'])})"
        for side in ("unit", "opponent")
    )
    return f"{cheap} wins {format_measure(row)} against {dear}"


def _price(ecv: float, draft: bool) -> str:
    return "no ECV" if pd.isna(ecv) else f"{ecv:g}{', draft' if draft else ''}"


def _wheel(wheels: pd.DataFrame, names: Mapping[str, str]) -> str:
    row = wheels.to_dict("records")[0]
    a, b, c = (names[row[place]] for place in ("first", "second", "third"))
    many = "1 three of units goes" if len(wheels) == 1 else f"{len(wheels):,} threes of units go"
    return f"{many} round in a circle; the clearest: {a} beats {b}, {b} beats {c}, {c} beats {a}."


def _range_swing(record: Record, roster: Roster, swings: pd.DataFrame, names: Mapping[str, str]) -> str:
    near, far = roster.ranges["range"].min(), roster.ranges["range"].max()
    falls, rises = swings.to_dict("records")[0], swings.to_dict("records")[-1]
    parts = []
    if falls["swing_high"] < 0:
        parts.append(f"{names[falls['unit']]} loses most, from {swing_ends(falls)}")
    if rises["swing_low"] > 0:
        parts.append(f"{names[rises['unit']]} gains most, from {swing_ends(rises)}")
    if not parts:
        return ""
    return f"From {near:g} to {far:g} {as_text(record['range_unit'])}, {'; '.join(parts)}."


def _drafts(roster: Roster) -> str:
    count, total = int(roster.units["draft"].sum()), len(roster.units)
    if not count:
        return ""
    which = "All ECVs" if count == total else f"{count} of the {total} ECVs"
    return f"{which} are drafts, estimates that nobody printed: nothing here calls them right or wrong."


def _caveats(roster: Roster, names: Mapping[str, str], record: Record) -> list[str]:
    """What a reader has to know of some pairs: no decision, units that cannot fire, units that fight alike."""
    found = []
    undecided = int(roster.matchups["no_decision"].sum()) // 2
    if undecided:
        found.append(
            f"{undecided} matchups have no decision in time in more than half of the fights, so no verdict."
        )
    silent = roster.matchups[roster.matchups["silent"] > 0]
    if len(silent):
        who = ", ".join(names[unit] for unit in dict.fromkeys(silent["unit"]))
        found.append(f"In some situations these can never fire: {who}.")
    hashes = ((unit["id"], unit.get("fight_hash", unit["id"])) for unit in record["units"])
    found += [
        f"{' and '.join(names[unit] for unit in group)} fight alike and throw the same dice."
        for group in alike(hashes)
    ]
    return found


def _definitions(roster: Roster) -> str:
    return (
        "Win share: fights won, and half of those in which both or neither fell. A matchup is the mean over "
        f"{situations_text(roster)}, each pair fought both ways round, either unit standing "
        "where the study puts the second one; the mean of a unit is that over all its opponents, each counting the "
        "same. Intervals hold the sampling alone: not the choice of units and situations, not the readings of the "
        "rules, not the errors of sheets. Each holds for itself at 95%, so that among many some fail.\n\n"
        "Pictures: [map of win shares](plots/win_share_map.png), [ladder](plots/ladder.png), the other files in "
        f"`plots/`, and a page for each unit in `plots/unit_pages/`. Tables: `{LADDER}`, `{MATCHUPS}`, `{SITUATIONS}`."
    )


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [
        f"| {' | '.join(heads)} |",
        f"|{'|'.join('---:' if head != 'unit' else '---' for head in heads)}|",
    ]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _ladder(roster: Roster) -> str:
    names = {unit: as_markdown(name) for unit, name in display_names(roster.units).items()}
    rows = [
        [
            format_ranks(row),
            names[row["unit"]],
            format_measure(row),
            format_measure(row, "kill_rate"),
            format_measure(row, "loss_rate"),
            str(row["beats"]),
            str(row["loses_to"]),
            _price(row["ecv"], row["draft"]),
        ]
        for row in roster.ladder.to_dict("records")
    ]
    heads = ["rank", "unit", "win share", "kills", "is killed", "beats", "loses to", "ECV"]
    return f"## Ladder\n\n{_table(heads, rows)}"


def _upsets(roster: Roster) -> str:
    upsets = find_upsets(roster.matchups)
    if upsets.empty:
        return ""
    names = {unit: as_markdown(name) for unit, name in display_names(roster.units).items()}
    shown = upsets.head(MOST_UPSETS).to_dict("records")
    lines = [f"- {_upset(row, names)}: {1 / float(row['ecv_ratio']):.2f} times its price." for row in shown]
    more = f"\n\nThe {len(shown)} largest gaps in price of {len(upsets)}." if len(upsets) > len(shown) else ""
    return "## The cheaper unit wins\n\n" + "\n".join(lines) + more


def _swings(record: Record, roster: Roster) -> str:
    swings = find_swings(roster.ranges)
    if swings.empty:
        return ""
    names = {unit: as_markdown(name) for unit, name in display_names(roster.units).items()}
    falls = swings[swings["swing_high"] < 0].head(MOST_SWINGS).to_dict("records")
    rises = swings[swings["swing_low"] > 0].tail(MOST_SWINGS)[::-1].to_dict("records")
    near, far = roster.ranges["range"].min(), roster.ranges["range"].max()
    lines = [f"- {names[row['unit']]}: {swing_ends(row)}." for row in (*falls, *rises)]
    if not lines:
        return ""
    head = f"Win share over all opponents at {near:g} and at {far:g} {as_markdown(record['range_unit'])}:"
    return f"## Who is better near, who far\n\n{head}\n\n" + "\n".join(lines)


def _aspects(roster: Roster) -> str:
    """The mean of the first units of all pairs by what the two show."""
    first = roster.views[roster.views["first"]]
    frame = average_views(first, ("shows", "opponent_shows", "alone"))
    if len(frame) == 1:
        return ""
    lines = []
    for row in frame.to_dict("records"):
        shown = [as_markdown(str(row[name]).replace("_", " ")) for name in ("shows", "opponent_shows")]
        who, _, turns = str(row["alone"]).partition(":")
        fires = first_fire_text(f"a:{turns}") if turns else None
        alone = f", {'itself' if who == 'unit' else 'the other'} alone firing in {fires[1]}" if fires else ""
        lines.append(f"- showing {shown[0]}, the other {shown[1]}{alone}: {format_measure(row)}")
    return "## What the two show\n\nWin share of the first unit over all pairs:\n\n" + "\n".join(lines)


def roster_tables(roster: Roster) -> dict[str, pd.DataFrame]:
    """Return the small tables of a study of many units by file name."""
    names = dict(zip(roster.units["id"], roster.units["name"], strict=True))
    measures = [
        f"{name}{end}" for name in ("win_share", "kill_rate", "loss_rate") for end in ("", "_low", "_high")
    ]
    ranks = ["rank", "best_rank", "worst_rank", "unit", "name", "ecv", "source"]
    verdicts = ["beats", "loses_to", "cannot_tell", "undecided", "opponents"]
    pair = ["unit", "opponent", "unit_name", "opponent_name", "unit_ecv", "opponent_ecv", "ecv_ratio"]
    matchups = roster.matchups.assign(
        unit_name=roster.matchups["unit"].map(names), opponent_name=roster.matchups["opponent"].map(names)
    )
    seen = ["unit", "range", "shows", "opponent_shows", "alone"]
    counted = ["neither", "silent", "opponent_silent", "n"]
    return {
        LADDER: roster.ladder[[*ranks, *measures, "neither", *verdicts, "n"]],
        MATCHUPS: matchups[[*pair, "unit_draft", "opponent_draft", "verdict", *measures, *counted]],
        SITUATIONS: roster.situations[[*seen, *measures, *counted]],
    }
