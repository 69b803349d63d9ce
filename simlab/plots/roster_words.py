"""Titles and captions of the pictures of a whole roster."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from simlab.analysis.digits import format_bound
from simlab.analysis.roster import Roster
from simlab.analysis.roster_findings import (
    CLEAR,
    count_clear,
    count_priced_pairs,
    find_swings,
    find_upsets,
    format_measure,
    format_ranks,
    situations_text,
    swing_ends,
)
from simlab.model.situation import turns_text
from simlab.model.typed_situation import NO_FIRST_FIRE
from simlab.plots.captions import range_label, readings_sentences
from simlab.plots.style import aspect_words

Record = Mapping[str, Any]
Row = Mapping[Hashable, Any]


def price(ecv: float, draft: bool) -> str:
    """Return an ECV as text, a dash without one."""
    return "–" if np.isnan(ecv) else f"{ecv:g}{' (draft)' if draft else ''}"


def abreast(roster: Roster) -> pd.DataFrame | None:
    """Return each unit by range where both sides show the same and fire from the start; None if that is all there is.

    Of several such aspects, the first of the study.
    """
    frame: pd.DataFrame = roster.situations
    seen = frame[["shows", "opponent_shows", "alone"]].drop_duplicates()
    same = seen[(seen["shows"] == seen["opponent_shows"]) & (seen["alone"] == NO_FIRST_FIRE)]
    if same.empty or len(seen) == 1:
        return None
    aspect = same["shows"].iloc[0]
    shown = (frame["shows"] == aspect) & (frame["opponent_shows"] == aspect)
    chosen: pd.DataFrame = frame.loc[shown & (frame["alone"] == NO_FIRST_FIRE)]
    return chosen


def range_axis(record: Record, roster: Roster) -> str:
    """Return the label of an axis of ranges."""
    return range_label(record, roster.ranges["range"])


def map_title(roster: Roster, names: Mapping[str, str]) -> str:
    """Return the finding of the map of win shares."""
    best = roster.ladder.sort_values("beats", ascending=False, kind="stable").iloc[0]
    beaten = (
        f"all {best['opponents']}"
        if best["beats"] == best["opponents"]
        else f"{best['beats']} of {best['opponents']}"
    )
    pairs = len(roster.matchups) // 2
    return (
        f"{names[best['unit']]} beats {beaten} opponents; in {count_clear(roster.matchups)} of {pairs} matchups "
        f"one side wins {CLEAR:.0%} or more"
    )


def map_caption(record: Record, roster: Roster, drawn: int) -> list[str]:
    """Return the caption of the map of win shares."""
    reach = float(((roster.matchups["win_share_high"] - roster.matchups["win_share_low"]) / 2).max())
    sentences = [
        f"Numbers: win share of the row's unit against the column's, in percent. {_definition(roster)}",
        "Rows and columns: units that fare alike stand together (average linkage of the rows, the tree at the left), "
        "the stronger branch first.",
        *_sampling(record, roster, f"{_at_most(reach)} in a cell"),
    ]
    if roster.matchups["no_decision"].any():
        sentences.append(
            "Grey and crossed: more than half of the fights undecided at the turn limit, no verdict."
        )
    return [*sentences, *_first_of(roster, drawn), *_terms(record)]


def ladder_title(roster: Roster, names: Mapping[str, str]) -> str:
    """Return the finding of the ladder."""
    first = roster.ladder.to_dict("records")[0]
    count, name, share = len(roster.ladder), names[first["unit"]], format_measure(first)
    if int(first["worst_rank"]) == 1:
        return f"{name} is the strongest of {count} units: a mean win share of {share}"
    rivals = int(first["worst_rank"]) - 1
    more = "another is" if rivals == 1 else f"{rivals} others are"
    return f"{name} leads {count} units with a mean win share of {share}, but {more} too near to tell apart"


def ladder_caption(record: Record, roster: Roster, drawn: int) -> list[str]:
    """Return the caption of the ladder."""
    reach = float(((roster.ladder["win_share_high"] - roster.ladder["win_share_low"]) / 2).max())
    sentences = [
        f"Points: win share averaged over all opponents. {_definition(roster)}",
        *_sampling(record, roster, f"{_at_most(reach)}, drawn as bars"),
        "Beside the name: the rank, or the ranks that the interval leaves open.",
        *_drafts(roster, "hollow"),
    ]
    return [*sentences, *_first_of(roster, drawn), *_terms(record)]


def ranges_title(record: Record, roster: Roster, names: Mapping[str, str]) -> str:
    """Return the finding of the win shares by range."""
    swings = find_swings(roster.ranges).to_dict("records")
    found = []
    if swings and swings[0]["swing_high"] < 0:
        found.append(_swing(swings[0], "falls", names))
    if swings and swings[-1]["swing_low"] > 0:
        found.append(_swing(swings[-1], "rises", names))
    if not found:
        return "Win share of each unit by range, over all opponents"
    near, far = roster.ranges["range"].min(), roster.ranges["range"].max()
    return f"From {near:g} to {far:g} {record['range_unit']}, {' and '.join(found)}"


def _swing(row: Row, verb: str, names: Mapping[str, str]) -> str:
    return f"{names[row['unit']]} {verb} from {swing_ends(row)}"


def ranges_caption(record: Record, roster: Roster, drawn: int) -> list[str]:
    """Return the caption of the win shares by range."""
    both = abreast(roster)
    sentences = [
        f"Blue: win share over all opponents. {_definition(roster)}",
        *(["Grey: the other units."] if is_numeric_dtype(roster.ranges["range"]) else []),
        *([] if both is None else [f"Orange: only where both show {aspect_words(both['shows'].iloc[0])}."]),
        *_sampling(record, roster, "drawn as bars"),
        "In the order of the ladder.",
    ]
    return [*sentences, *_first_of(roster, drawn), *_terms(record)]


def kills_title(roster: Roster) -> str:
    """Return the finding of the kill rates against ratios of ECVs."""
    won, pairs = len(find_upsets(roster.matchups)), count_priced_pairs(roster.matchups)
    return f"The cheaper unit wins {won} of {pairs} matchups of units that differ in price"


def kills_caption(record: Record, roster: Roster, frame: pd.DataFrame) -> list[str]:
    """Return the caption of the kill rates against ratios of ECVs."""
    reach = float(((frame["kill_rate_high"] - frame["kill_rate_low"]) / 2).max())
    sentences = [
        "Points: chance that one unit destroys another before the turn limit, the mean over all situations by weight, "
        "each pair both ways round; every pair of units gives two points.",
        "A → B: A kills B. Line: the usual rate at that ratio of prices (local regression). Named: the furthest "
        "from it, each unit once a side as the one that kills.",
        *_sampling(record, roster, _at_most(reach)),
    ]
    if frame["draft"].any():
        which = "all of them" if frame["draft"].all() else f"{int(frame['draft'].sum())} of {len(frame)}"
        sentences.append(
            f"Hollow, {which}: one ECV or both are drafts: estimates, which are shown and never judged."
        )
    return [*sentences, *_terms(record)]


def page_title(row: Row, count: int, names: Mapping[str, str]) -> str:
    """Return the finding of the page of a unit, `row` of the ladder."""
    place = format_ranks(row)
    return f"{names[row['unit']]}: rank {place} of {count}, mean win share {format_measure(row)}"


def page_line(row: Row) -> str:
    """Return the line below the title of a page."""
    parts = [
        f"ECV {price(row['ecv'], row['draft'])}",
        f"kills {format_measure(row, 'kill_rate')}, is killed {format_measure(row, 'loss_rate')}",
        f"beats {row['beats']} of {row['opponents']}, loses to {row['loses_to']}",
    ]
    if row["cannot_tell"]:
        parts.append(f"{row['cannot_tell']} too near to tell")
    if row["undecided"]:
        parts.append(f"{row['undecided']} without decision")
    return "   ·   ".join(parts)


def page_caption(record: Record, roster: Roster) -> list[str]:
    """Return the caption of the page of a unit."""
    sentences = [
        f"Left: win share against each opponent. {_definition(roster)} Right: over all opponents.",
        *_sampling(record, roster, "drawn as bars"),
    ]
    if roster.matchups["no_decision"].any():
        sentences.append("Crossed: more than half of the fights undecided at the turn limit, no verdict.")
    return [*sentences, *_drafts(roster, "marked"), *_terms(record)]


def _definition(roster: Roster) -> str:
    return (
        "Win share: fights won, and half of those in which both or neither fell; the mean over "
        f"{situations_text(roster)}, each pair fought both ways round."
    )


def _at_most(reach: float) -> str:
    """Half-width of an interval in points of a hundred."""
    size = format_bound(100 * reach)
    return f"at most ±{size} point{'' if size == '1' else 's'}"


def _sampling(record: Record, roster: Roster, size: str) -> list[str]:
    """What is in the intervals, and from how many fights they are."""
    once = roster.views[roster.views["first"]]
    solved = int((once["n"] == 0).sum())
    bound = format_bound(2 * float(once["win_share_slack"].max())) if solved else ""
    if solved == len(once):
        return [f"All duels solved, errors at most {bound}; bars are bounds."]
    text = f"n = {record['n']:,} fights a situation, seed {record['seed']}; 95% intervals, sampling alone, {size}."
    if solved:
        text = f"{solved:,} of {len(once):,} duels solved, errors at most {bound}; for the others {text}"
    return [text]


def _drafts(roster: Roster, how: str) -> list[str]:
    count = int(roster.units["draft"].sum())
    if not count:
        return []
    return [
        f"{count} of {len(roster.units)} ECVs are drafts ({how}): estimates, which are shown and never judged."
    ]


def _first_of(roster: Roster, drawn: int) -> list[str]:
    count = len(roster.ladder)
    return [] if drawn >= count else [f"The {drawn} strongest of {count} units are drawn."]


def _terms(record: Record) -> list[str]:
    return [f"Duels of one against one, {turns_text(record['turns'])} at most.", *readings_sentences(record)]
