"""Controls of the sampler that need no solution: dice, neighbours, units against themselves, renamed copies."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from simlab import jit
from simlab.analysis.tails import binomial_both, chi_square_tail, shared_tail
from simlab.dice import census, cut, sampled, words
from simlab.engine.play import compiled_loop, fight_setting, fight_word, play_fights
from simlab.lab.fights import fight_key_of
from simlab.model.keys import digest
from simlab.model.outcome import OUTCOMES, Tally
from simlab.rules.contract import Fight, System

DRAWS = 10**8
"""Draws of every die."""
DICE_PAIRS = 10**7
FIGHT_PAIRS = 20_000
SELF_FIGHTS = 100_000
COPY_FIGHTS = 20_000
LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class Control:
    """A control: what it is about, its p-value (0 or 1 where nothing is left to chance), and a remark."""

    name: str
    p: float
    remark: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {"name": self.name, "p": self.p, "remark": self.remark}


def judge_dice(seed: int, draws: int = DRAWS) -> Iterator[Control]:
    """Yield a control for the faces of every die, and for pairs of dice at neighbouring replicates and seeds."""
    dice = np.array(census.DICE, np.int64)
    faces = np.zeros((len(dice), census.MOST_FACES), np.int64)
    key = int(digest(["dice", seed]), 16)
    sources = (words, cut, sampled)
    fight = fight_word(seed, key)
    jit.bound(census.count_faces, sources, "census")(0, draws, fight, dice, faces)
    for (slot, sides), counts in zip(census.DICE, faces, strict=True):
        p = _flat(counts[:sides])
        yield Control(f"faces of a die of {sides} in slot {slot}", p, f"{draws:,} draws")
    neighbours = (
        ("replicates", fight, 1),
        ("seeds", fight_word(neighbour(seed), key), 0),
        ("fights", fight_word(seed, key ^ 1), 0),
    )
    pairs = min(DICE_PAIRS, draws)
    for name, other, step in neighbours:
        counts = np.zeros((36, 36), np.int64)
        jit.bound(census.count_pairs, sources, "census")(pairs, fight, other, step, counts)
        yield Control(f"dice of neighbouring {name}", _flat(counts), f"{pairs:,} pairs of 2d6")


def judge_neighbours(fight: Fight, name: str, seed: int) -> Iterator[Control]:
    """Yield a control for the outcomes of neighbouring replicates, and one for those of neighbouring seeds."""
    key = fight_key_of(fight)
    own = outcomes_of(fight, seed, key, 2 * FIGHT_PAIRS)
    other = outcomes_of(fight, neighbour(seed), key, FIGHT_PAIRS)
    for what, first, second in (
        ("replicates", own[::2], own[1::2]),
        ("seeds", own[:FIGHT_PAIRS], other),
    ):
        p = pairs_tail(first, second)
        yield Control(f"outcomes of neighbouring {what}", p, f"{FIGHT_PAIRS:,} pairs, {name}")


def judge_self(fight: Fight, unit: str, seed: int, workers: int) -> Control:
    """Return the control of a unit against itself: who wins is a coin."""
    tally = play_fights(fight, n=SELF_FIGHTS, seed=seed, key=fight_key_of(fight), workers=workers)
    a_wins, b_wins = int(tally.outcomes[0]), int(tally.outcomes[1])
    p = binomial_both(a_wins, a_wins + b_wins, 0.5, 0.5)
    return Control(f"{unit} against itself", p, f"{a_wins:,} wins of a, {b_wins:,} of b")


def judge_copy(
    system: System, unit: Any, compile_against: Callable[[Any], Fight], seed: int, workers: int
) -> Control:
    """Return the control of a copy of a unit with another name and price: its fights are the same, bit by bit."""
    copy = system.replace_fields(unit, {"name": f"{unit.name} again", **_other_price(unit)})
    tallies = []
    for sheet in (unit, copy):
        fight = compile_against(sheet)
        tallies.append(play_fights(fight, n=COPY_FIGHTS, seed=seed, key=fight_key_of(fight), workers=workers))
    another = system.sheet_hash(unit) != system.sheet_hash(copy)
    same = another and _same(*tallies)
    return Control(f"{unit.id} renamed and repriced", float(same), f"{COPY_FIGHTS:,} fights bit by bit")


def outcomes_of(fight: Fight, seed: int, key: int, count: int) -> Any:
    """Return the outcome of each of the first replicates, as its place in `OUTCOMES`: shape (count,)."""
    play = compiled_loop(fight)
    setting = fight_setting(fight, "spread", "spread")
    types = np.array(fight.types_a + fight.types_b, np.uint64)
    scenes = np.array(fight.scene_of_turn, np.uint64)
    word, flag_sets = fight_word(seed, key), 1 << (1 + len(fight.system.kinds))
    return np.array(
        [
            int(np.argmax(play(fight.program, setting, types, scenes, word, np.uint64(i), 1, flag_sets)[0]))
            for i in range(count)
        ]
    )


def pairs_tail(first: Any, second: Any) -> float:
    """Return the p-value of paired outcomes: each outcome by Fisher's exact test, times the number of outcomes."""
    chances = []
    for outcome in range(len(OUTCOMES)):
        here, there = first == outcome, second == outcome
        if here.any() and there.any():
            chances.append(
                shared_tail(int((here & there).sum()), int(here.sum()), int(there.sum()), len(first))
            )
    return min(1.0, min(chances, default=1.0) * max(1, len(chances)))


def neighbour(seed: int) -> int:
    """Return the next seed, of the last one the one before."""
    return seed + 1 if seed < LARGEST_SEED else seed - 1


def _flat(counts: Any) -> float:
    """The two-sided p-value of counts of equally likely faces: too even is as bad as too uneven."""
    expected = counts.sum() / counts.size
    tail = chi_square_tail(float(((counts - expected) ** 2).sum() / expected), counts.size - 1)
    return min(1.0, 2 * min(tail, 1 - tail))


def _other_price(unit: Any) -> Mapping[str, Any]:
    value = 1.0 if unit.ecv.value != 1.0 else 2.0
    return {"ecv": {"value": value, "source": "priced"}}


def _same(one: Tally, other: Tally) -> bool:
    return one.exchanges == other.exchanges and all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("outcomes", "flags", "turn_sum", "survivors_a", "survivors_b")
    )
