"""Counts against exact chances: which cells are judged, how each is judged, and what all of them together say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from simlab.analysis.tails import (
    binomial_both,
    binomial_place,
    combined,
    mean_tail,
    uniform_distance,
)
from simlab.model.keys import digest

LEVEL = 1e-6
"""Chance that any test of a sound run fails."""
MOST_CELLS, EXTREMES = 200, 10
WORTH = 1.0
"""Expected count from which on an outcome takes part in the comparison with the uniform distribution."""
BLUR = 0.1
"""Standard errors by which an error bound may shift a count that takes part in it."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Truth:
    """Exact chances of a duel: lower bounds, the four outcomes leaving out at most `error_bound` in all.

    outcomes: (4,). figures: (2, kinds), a's then b's kill kinds. fell: (2, turns + 1), destroyed in each turn from 1.
    """

    outcomes: Floats
    figures: Floats
    fell: Floats
    error_bound: float


@dataclass(frozen=True, eq=False)
class Seen:
    """Counts of n fights. outcomes: (4,). figures: (2, kinds). turn_sums: (2,), of the turns of destruction."""

    n: int
    outcomes: Integers
    figures: Integers
    turn_sums: Integers


@dataclass(frozen=True)
class Judgement:
    """p-values of a cell. uniform: that of the outcomes made continuous by a known fraction; None if too rare."""

    outcomes: float
    figures: Mapping[str, float]
    uniform: float | None


def choose_cells(duels: pd.DataFrame, seed: int, every: bool = False) -> tuple[list[int], list[int]]:
    """Return the rows to judge: those drawn, and the most extreme by win share among the others.

    Rows are drawn by the seed alone, in turn from each combination of range, aspects and first fire.
    """
    rows = [int(row) for row in duels["row"]]
    if every or len(rows) <= MOST_CELLS:
        return rows, []
    strata: dict[tuple[Any, ...], list[int]] = {}
    places = zip(*(duels[name] for name in ("range", "aspect_a", "aspect_b", "first_fire")), strict=True)
    for row, place in zip(rows, places, strict=True):
        strata.setdefault(place, []).append(row)
    lots = {row: digest(["referee", seed, row]) for row in rows}
    queues = sorted(
        (sorted(queue, key=lots.__getitem__) for queue in strata.values()), key=lambda queue: lots[queue[0]]
    )
    ranked = [(place, number, row) for number, queue in enumerate(queues) for place, row in enumerate(queue)]
    drawn = sorted(row for _, _, row in sorted(ranked)[:MOST_CELLS])
    taken = set(drawn)
    share = duels["a_wins"] + (duels["both_destroyed"] + duels["neither"]) / 2
    distance = dict(zip(rows, abs(share - 0.5), strict=True))
    left = sorted((row for row in rows if row not in taken), key=lambda row: (-distance[row], row))
    return drawn, sorted(left[:EXTREMES])


def judge(seen: Seen, truth: Truth, kinds: Sequence[str], fractions: Sequence[float]) -> Judgement:
    """Return the p-values of a cell's counts; `fractions`: three numbers from 0 to 1 that know nothing of them."""
    figures = {}
    for place, side in enumerate("ab"):
        for kind, count, chance in zip(kinds, seen.figures[place], truth.figures[place], strict=True):
            high = min(1.0, float(chance) + truth.error_bound)
            figures[f"{kind}_{side}"] = binomial_both(int(count), seen.n, float(chance), high)
        fell = truth.fell[place]
        standing = max(0.0, 1 - float(fell.sum()))
        figures[f"turn_{side}"] = mean_tail(
            int(seen.turn_sums[place]), seen.n, [standing, *map(float, fell[1:])], truth.error_bound
        )
    order = [int(place) for place in np.argsort(truth.outcomes, kind="stable")]
    chances = [float(truth.outcomes[place]) for place in order]
    counts = [int(seen.outcomes[place]) for place in order]
    return Judgement(
        judge_outcomes(counts, chances, truth.error_bound),
        figures,
        uniform_value(counts, chances, truth.error_bound, fractions),
    )


def judge_outcomes(counts: Sequence[int], chances: Sequence[float], missing: float) -> float:
    """Return the p-value of counts by the sum of chi-squares over outcomes, each given those before it.

    chances: lower bounds that leave out at most `missing`. Given the counts before it each count is binomial, and its
    p-value exact, so that the sum needs no large counts: rare outcomes only make it cautious. With large counts it is
    Pearson's chi-square, outcomes - 1 degrees of freedom.
    """
    left, parts = sum(counts), []
    for place, count in enumerate(counts[:-1]):
        rest = sum(chances[place + 1 :])
        own = chances[place]
        low = _ratio(own, own + rest + missing)
        high = _ratio(own + missing, own + missing + rest)
        parts.append(binomial_both(count, left, low, high))
        left -= count
    return combined(parts)


def uniform_value(
    counts: Sequence[int], chances: Sequence[float], missing: float, fractions: Sequence[float]
) -> float | None:
    """Return a p-value like that of `judge_outcomes` that is uniform for sound counts, None if all are too rare."""
    n = sum(counts)
    left, parts = n, []
    for place, count in enumerate(counts[:-1]):
        chance = _ratio(chances[place], sum(chances[place:]))
        expected = n * chances[place]
        if expected >= max(WORTH, (n * missing / BLUR) ** 2):
            at = binomial_place(count, left, chance, fractions[place])
            parts.append(max(min(1.0, 2 * min(at, 1 - at)), 1e-12))
        left -= count
    return combined(parts) if parts else None


def _ratio(part: float, whole: float) -> float:
    return min(1.0, part / whole) if whole > 0 else 1.0


def fractions_of(seed: int, row: int) -> list[float]:
    """Return three fractions for a row: fixed, and without any tie to its counts."""
    return [int(digest(["fraction", seed, row, place]), 16) / 2**64 for place in range(3)]


def judge_together(judgements: Sequence[Judgement]) -> dict[str, Any]:
    """Return what the cells say together: `p_uniform` of their p-values' distance from the uniform distribution,
    `p_sum` of the sum of their scores, which many small deviations move. Both are exact."""
    values = [each.uniform for each in judgements if each.uniform is not None]
    distance, p = uniform_distance(values)
    return {"cells": len(values), "distance": distance, "p_uniform": p, "p_sum": combined(values)}


def find_failures(chances: Mapping[str, float], size: int, level: float = LEVEL) -> list[str]:
    """Return the tests that fail, by Holm's procedure, in a family of `size` tests (at least as many as are named).

    A test that was left out counts like one that found nothing.
    """
    failed = []
    for place, (name, chance) in enumerate(sorted(chances.items(), key=lambda item: item[1])):
        if chance > level / (size - place):
            break
        failed.append(name)
    return failed


def smallest_shift(chance: float, n: int, tests: int, sure: float = 0.99) -> float:
    """Return the least change of a chance that n fights show with probability `sure`, one of `tests` in a family.

    By the normal approximation, for a change of one outcome against all others: at most the true one's, as the
    chi-square of three degrees of freedom asks for somewhat more than that of one.
    """
    from statistics import NormalDist

    from simlab.analysis.tails import chi_square_tail

    low, high = 0.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if chi_square_tail(middle**2, 3) > LEVEL / tests else (low, middle)
    reach, certain = high, NormalDist().inv_cdf(sure)
    shift = 0.0
    for _ in range(100):
        moved = min(1.0, chance + shift)
        shift = reach * (chance * (1 - chance) / n) ** 0.5 + certain * (moved * (1 - moved) / n) ** 0.5
    return shift


def seen_in_row(facts: Mapping[str, Any], kinds: Sequence[str]) -> Seen | None:
    """Return the counts of a row of a run's duels, `facts` by column; None if it was solved instead."""
    if facts["method"] != "monte_carlo":
        return None
    n = int(facts["n"])

    def count(rate: Any) -> int:
        return round(float(rate) * n)

    turns = []
    for side in "ab":
        destroyed = count(facts[f"destroyed_{side}"])
        turns.append(round(float(facts[f"mean_turn_destroyed_{side}"]) * destroyed) if destroyed else 0)
    return Seen(
        n,
        np.array([int(facts[f"count_{name}"]) for name in _OUTCOMES], np.int64),
        np.array([[count(facts[f"{kind}_{side}"]) for kind in kinds] for side in "ab"], np.int64),
        np.array(turns, np.int64),
    )


_OUTCOMES = ("a_wins", "b_wins", "both_destroyed", "neither")
