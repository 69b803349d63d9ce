"""What stands below each figure: what is shown, how it is defined, from how many fights, with what intervals."""

from collections.abc import Mapping
from typing import Any

from simlab.analysis.digits import NOTHING, format_bound
from simlab.analysis.roster import Roster
from simlab.reports.contents import Contents, PricesLike
from simlab.reports.sampling import how_engaged, how_fought, share_definition
from simlab.reports.words import count, is_known, listed, points, text_of

FAIR_NUMBER = (
    "Fair number: how many B leave N of A a win share of one half, divided by N; between whole numbers interpolated "
    "in their logarithm, looked for from one B to 40 N."
)
NO_INTERVALS = (
    "Three digits; these figures have no intervals of their own, those above hold for the whole mix."
)


def ladder(contents: Contents, roster: Roster) -> str:
    """Below the ladder."""
    frame = roster.ladder
    reach = float(((frame["win_share_high"] - frame["win_share_low"]) / 2).max())
    return (
        f"Dots: mean win share over all opponents, each counting the same; lines: intervals, {points(reach)}. "
        f"{_shares(contents)} Beats\u2013loses: opponents by the whole interval. Ranks that the intervals leave open "
        "are given from best to worst. ECV: price on the sheet; drafts are estimates that nobody printed."
    )


def share_map(contents: Contents, roster: Roster) -> str:
    """Below the map of win shares."""
    frame = roster.matchups
    reach = float(((frame["win_share_high"] - frame["win_share_low"]) / 2).max())
    text = (
        "Numbers: win share of the row\u2019s unit against the column\u2019s, in percent; blue is won, orange is lost; "
        f"in the order of the ladder. {_shares(contents)} In a cell: {points(reach)}."
    )
    if frame["no_decision"].any():
        text += " \u00d7: more than half of the fights had no decision at the turn limit, so no verdict."
    if (frame["silent"] > 0).any():
        text += " Underlined: the row\u2019s unit can never fire in some situations."
    return text


def matchups(contents: Contents, roster: Roster) -> str:
    """Below the table of matchups."""
    counts = roster.matchups["n"]
    same = counts.nunique() == 1 and counts.iloc[0] > 0
    return (
        f"{_shares(contents)}{f' n = {count(counts.iloc[0])} a matchup.' if same else ''} Verdict: wins or loses where "
        "the whole interval is on one side of one half. ECV ratio: draft where one of the two ECVs is an estimate that "
        "nobody printed; it is shown and never judged."
    )


def wheels(contents: Contents) -> str:
    """Below units that beat each other in a circle."""
    return f"{_shares(contents)} Each beats the next by the whole interval."


def curves(contents: Contents, many: bool, by_turn: bool) -> str:
    """Below the win shares by range."""
    blue = "win share over all opponents; grey: the other units" if many else "win share of the first unit"
    unit = text_of(contents.record["range_unit"], 20)
    return (
        f"Blue: {blue}. Across: range in {unit}{', by turn' if by_turn else ''}; up: win share, 0 to 100%. Upright "
        f"bars: intervals. {_shares(contents)} In the order of the ladder."
    )


def fair_chart(contents: Contents) -> str:
    """Below the usual fair numbers."""
    return (
        f"{FAIR_NUMBER} Dots: the middle one of all situations by weight; bars: from the least to the most of any "
        "situation, double ends where one B is too many or 40 N are too few. Diamonds: the ratio of the ECVs on the "
        f"sheets, which is what the prices promise; hollow where one is a draft. {how_engaged(contents)}"
    )


def fair_table(contents: Contents) -> str:
    """Below the fair numbers by situation."""
    return f"{FAIR_NUMBER} {how_engaged(contents)}"


def price_chart(prices: PricesLike) -> str:
    """Below the chart of prices."""
    return (
        "Dots: priced ECV, at which all pairs and situations of the mix come nearest to even by their fair numbers "
        "(least squares of logarithms). Pale bars: spread over size and policy; darker bars: the middle 95% of other "
        f"mixes of opponents and situations; brackets: {_level(prices)} interval of the sampling, for all units "
        "together. Diamonds: ECV on the sheet, hollow where it is a draft, which is never judged. Axis in logarithms. "
        f"{price_terms(prices)}"
    )


def price_table(contents: Contents, prices: PricesLike) -> str:
    """Below the table of prices."""
    anchor: Any = prices.record.get("anchor")
    fixed = ""
    if isinstance(anchor, Mapping) and anchor.get("id") not in (None, "roster"):
        at = f" at {anchor['ecv']:g}" if is_known(anchor.get("ecv")) else ""
        fixed = f"Anchor: {contents.name(anchor['id'])}{at}. "
    return (
        f"{fixed}Roster anchor: the same prices, scaled so that the geometric mean of all ECVs stays. Verdict: "
        f"overpriced or underpriced where the whole interval of sheet / priced lies beyond {_tolerance(prices)}, fair "
        f"where it lies inside; a draft is never judged. Sampling: {_level(prices)}, for all units together. "
        f"{price_terms(prices)}"
    )


def situations(prices: PricesLike) -> str:
    """Below the prices by situation."""
    return f"Priced ECV in a mix of that situation alone. {NO_INTERVALS} {price_terms(prices)}"


def settings(prices: PricesLike) -> str:
    """Below the prices by size and policy."""
    return (
        f"Priced ECV by the ECV of a side and the policy of both sides. {NO_INTERVALS} {price_terms(prices)}"
    )


def pairs(prices: PricesLike) -> str:
    """Below the fair numbers of all pairs."""
    return (
        "B for one A: how many B are even with one A (win share one half), the mean of logarithms over all situations "
        "by weight. By prices: the ratio of the priced ECVs. Off by: how far the fair number lies from that, with its "
        "interval. One-sided: share of the weight in which the even number lies beyond what was fought. "
        f"{price_terms(prices)}"
    )


def lanchester(prices: PricesLike) -> str:
    """Below the Lanchester exponents."""
    return (
        "Exponent by which numbers count: 1 where twice the numbers make up for half the quality (linear law), 2 where "
        "they make up for a quarter (square law). Slope of log kills a turn, A over B, on log fair number over all "
        f"pairs; {_level(prices)} intervals. {price_terms(prices)}"
    )


def limits(prices: PricesLike) -> str:
    """Below the pairs that prices miss most."""
    return (
        "No price fixes this pair: its fair number is off from the ratio of the prices by more than 10%, with its "
        f"whole interval, which holds for all pairs at once. B for one A: how many B are even with one A. "
        f"{price_terms(prices)}"
    )


def cycles(prices: PricesLike) -> str:
    """Below the cycles."""
    return (
        "Each is better than its price against the next. Once around: their three fair numbers multiplied, less one; "
        "every price cancels from that, so no price changes it. Interval: for all threes at once. "
        f"{price_terms(prices)}"
    )


def readings(record: Mapping[str, Any]) -> str:
    """Below the ranking of readings."""
    return (
        "Each reading of the rules at another value, one at a time, with the same dice as the study itself. Win "
        "share: fights won, and half of those in which both or neither fell. "
        f"n = {count(record['n'])} fights a duel and number tried, seed {record['seed']}; 95% intervals of the paired "
        "difference, each for itself."
    )


def referee(record: Mapping[str, Any]) -> str:
    """Below the tests of the referee."""
    family = record["family"]
    return (
        f"Exact to {format_bound(record['bound'])}. Of {count(record['cells_of_run'])} duels in the run, "
        f"{record['drawn']} drawn by seed {record['seed']} and the {record['extremes']} most extreme are chosen; "
        f"n: the fights of the run. One family of {count(family['tests'])} tests ({text_of(family['method'], 40)}): a "
        f"sound run fails once in {1 / family['level']:,.0f}."
    )


def price_terms(prices: PricesLike) -> str:
    """Return how the prices were got: mix, sizes, policies, number of fights, seed."""
    record = prices.record
    parts = []
    if "mix" in record:
        parts.append(f"Mix: {text_of(record['mix'])}.")
    if record.get("sizes"):
        parts.append(f"Sizes (ECV of a side): {listed([f'{size:g}' for size in record['sizes']])}.")
    if record.get("policies"):
        names = [text_of(policy, 20) for policy in record["policies"]]
        parts.append(f"Policies: {listed(names)}, the same on both sides.")
    if "n" in record:
        stage = f", stage {record['stage']}" if "stage" in record else ""
        seed = record.get("seed", NOTHING)
        parts.append(f"n = {count(record['n'])} fights a number tried{stage}, seed {seed}.")
    return " ".join(parts)


def _shares(contents: Contents) -> str:
    return f"{share_definition(contents)} {how_fought(contents)}"


def _level(prices: PricesLike) -> str:
    level: Any = prices.record.get("level")
    return f"{100 * level:g}%" if is_known(level) else "95%"


def _tolerance(prices: PricesLike) -> str:
    tolerance: Any = prices.record.get("tolerance")
    return f"{100 * tolerance:g}%" if is_known(tolerance) else "the tolerance"
