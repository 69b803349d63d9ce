"""What pieces of work come to: plain values as the journal keeps them, and what is read out of these."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simlab.model.outcome import Tally
from simlab.rules.contract import Fight

if TYPE_CHECKING:
    from simlab.exact.solution import Solution

Content = dict[str, Any]


@dataclass(frozen=True)
class SideCounts:
    """What happened to the units of a side, over all of them: `flags[0]` destroyed, then the kill kinds."""

    flags: tuple[int, ...]
    turn_sum: int
    cannot_fire: bool


@dataclass(frozen=True)
class Counts:
    """Counts of a matchup over n fights; `outcomes` in the order a wins, b wins, both destroyed, neither."""

    n: int
    outcomes: tuple[int, int, int, int]
    exchanges: int
    side_a: SideCounts
    side_b: SideCounts


@dataclass(frozen=True)
class SolvedSide:
    """What happened to a unit of a solved duel: chances `flags[0]` destroyed, then the kill kinds."""

    flags: tuple[float, ...]
    mean_turn: float | None
    cannot_fire: bool


@dataclass(frozen=True)
class Solved:
    """A solved duel; `outcomes` in the order of `Counts`, 12 decimals."""

    outcomes: tuple[float, float, float, float]
    error_bound: float
    side_a: SolvedSide
    side_b: SolvedSide


def solved_content(solution: "Solution", fight: Fight) -> Content:
    """Return what is kept of a solved duel."""
    content: Content = {
        "outcomes": [round(float(chance), 12) for chance in solution.outcomes],
        "error_bound": solution.error_bound,
        "silent": [not fight.can_fire_a, not fight.can_fire_b],
    }
    for unit, side in enumerate("ab"):
        mean_turn = solution.mean_turn(unit)
        content[f"flags_{side}"] = [round(float(chance), 12) for chance in solution.figures[unit]]
        content[f"turn_{side}"] = None if mean_turn is None else round(mean_turn, 12)
    return content


def read_solved(content: Content) -> Solved:
    """Return the solved duel that was kept."""
    side_a, side_b = (
        SolvedSide(tuple(content[f"flags_{side}"]), content[f"turn_{side}"], silent)
        for side, silent in zip("ab", content["silent"], strict=True)
    )
    a_wins, b_wins, both, neither = content["outcomes"]
    return Solved((a_wins, b_wins, both, neither), content["error_bound"], side_a, side_b)


def fought_content(tally: Tally, size_a: int, kinds: int) -> Content:
    """Return what is kept of fights, the first `size_a` units being those of a."""
    flags = [tally.with_flag(bit) for bit in range(1 + kinds)]
    return {
        "n": tally.n,
        "outcomes": tally.outcomes.tolist(),
        "exchanges": int(tally.exchanges),
        "flags_a": [int(flag[:size_a].sum()) for flag in flags],
        "flags_b": [int(flag[size_a:].sum()) for flag in flags],
        "turns_a": int(tally.turn_sum[:size_a].sum()),
        "turns_b": int(tally.turn_sum[size_a:].sum()),
    }


def unfought_content(n: int, kinds: int) -> Content:
    """Return the counts of fights in which nobody can fire."""
    none = [0] * (1 + kinds)
    counts = {"n": n, "outcomes": [0, 0, 0, n], "exchanges": 0}
    return {**counts, "flags_a": none, "flags_b": none, "turns_a": 0, "turns_b": 0}


def added(one: Content, other: Content) -> Content:
    """Return the counts of both; what says no count is that of the first."""
    return {
        name: [a + b for a, b in zip(value, other[name], strict=True)]
        if isinstance(value, list)
        else value + other[name]
        for name, value in one.items()
        if name != "silent"
    } | {"silent": one["silent"]}


def read_counts(content: Content) -> Counts:
    """Return the counts that were kept."""
    a_wins, b_wins, both, neither = content["outcomes"]
    silent_a, silent_b = content["silent"]
    return Counts(
        n=content["n"],
        outcomes=(a_wins, b_wins, both, neither),
        exchanges=content["exchanges"],
        side_a=SideCounts(tuple(content["flags_a"]), content["turns_a"], silent_a),
        side_b=SideCounts(tuple(content["flags_b"]), content["turns_b"], silent_b),
    )
