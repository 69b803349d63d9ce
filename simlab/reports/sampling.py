"""How figures were got: the words that stand below each of them."""

from simlab.analysis.digits import format_bound
from simlab.analysis.roster_findings import situations_text
from simlab.model.situation import turns_text
from simlab.reports.contents import Contents
from simlab.reports.words import count, text_of

WIN_SHARE = "Win share: fights won, and half of those in which both or neither fell"


def share_definition(contents: Contents) -> str:
    """Return what the win share of a matchup is an average of."""
    assert contents.roster is not None
    return f"{WIN_SHARE}; the mean over {situations_text(contents.roster)}, each pair both ways round."


def how_fought(contents: Contents) -> str:
    """Return how many fights duels are from, their seed, and what their intervals hold."""
    record, exact = contents.record, contents.kill_rates["error_bound"].notna()
    sampled = (
        f"n = {count(record['n'])} fights a duel and situation, seed {record['seed']}; "
        "95% intervals of the sampling alone."
    )
    bound = format_bound(float(contents.kill_rates["error_bound"].max())) if exact.any() else ""
    if exact.all():
        text = f"All duels solved, errors at most {bound}: intervals are bounds."
    elif exact.any():
        solved = f"{count(exact.sum())} of {count(len(exact))} duels solved"
        text = f"{solved}, errors at most {bound}; the others: {sampled}"
    else:
        text = sampled
    return f"{text} Duels: {turns_text(record['turns'])} at most.{readings_sentence(contents)}"


def how_engaged(contents: Contents) -> str:
    """Return how many fights engagements are from, and how long they last."""
    record = contents.record
    turns = turns_text(record["engagements"]["turns"])
    return (
        f"n = {count(record['n'])} fights a number tried, seed {record['seed']}; 95% intervals of the sampling alone. "
        f"Engagements: {turns} at most; both sides choose targets by the policy named."
        f"{readings_sentence(contents)}"
    )


def readings_sentence(contents: Contents) -> str:
    """Return a sentence on readings that differ from their defaults, with a blank before it; nothing without."""
    changed = contents.record["non_default"]
    if not changed:
        return ""
    settings = (f"{text_of(name, 40)} = {text_of(value, 40)}" for name, value in changed.items())
    return f" Readings that differ from their defaults: {', '.join(settings)}."
