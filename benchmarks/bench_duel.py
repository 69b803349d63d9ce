"""How fast fights are played, against the same duel in hand-written C, in NumPy and in plain Python.

All are measured in turn, round after round, so that a busy machine slows all of them; the best round of each counts.
"""

import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from typing import Any

import numpy_masks
import plain_python
import pytest
from facts import KNOWN

from simlab.engine.play import play_fights
from simlab.lab.fights import fight_key_of
from simlab.model.situation import Situation
from simlab.rules.registry import get_system

HERE = Path(__file__).parent
UNITS = HERE.parent / "units" / "blitzkrieg"
ROUNDS = 5
SHERMAN, PANTHER, FIREFLY = "m4a3_sherman_lp", "panther_g", "sherman_firefly_vc"
OURS, C, NUMPY, PYTHON = "simlab, one worker", "C by hand", "NumPy masks", "plain Python"
TWO, MIXED, EIGHT = "simlab, two workers", "Panther v Firefly", "4 v 4 Shermans"
LIST, PAIRS = "20 pairs of the list", 20
OTHERS = (MIXED, EIGHT, LIST)
SHARES = ("a wins", "b wins", "both", "neither")


@dataclass(frozen=True)
class Measure:
    """One round of a contender: outcomes, exchanges, wall and CPU seconds."""

    outcomes: list[int]
    exchanges: int
    wall: float
    cpu: float


@dataclass
class Contender:
    """Something that plays a number of fights."""

    name: str
    fights: int
    play: Callable[[int, int], Measure]
    rounds: list[Measure] = field(default_factory=list)

    def best(self, clock: str) -> float:
        """Return the nanoseconds of an exchange in the best round by a clock, wall or cpu."""
        return min(1e9 * getattr(found, clock) / found.exchanges for found in self.rounds)

    @property
    def load(self) -> float:
        """CPU time over wall time in the round that was shortest: the cores that were at work."""
        best = min(self.rounds, key=lambda found: found.wall)
        return best.cpu / best.wall


def timed(play: Callable[[int, int], tuple[list[int], int]]) -> Callable[[int, int], Measure]:
    """Return the measured form of a function that returns outcomes and exchanges."""

    def measured(fights: int, seed: int) -> Measure:
        wall, cpu = time.perf_counter(), time.process_time()
        outcomes, exchanges = play(fights, seed)
        return Measure(outcomes, exchanges, time.perf_counter() - wall, time.process_time() - cpu)

    return measured


def simlab_player(a: str, b: str, size: int = 1, workers: int = 1) -> Callable[[int, int], Measure]:
    """Return what plays fights of two units, `size` a side, every figure counted."""
    system = get_system("blitzkrieg")
    sides = [[system.load_sheet(UNITS / f"{unit}.yaml")] * size for unit in (a, b)]
    fight = system.compile_fight(*sides, Situation(14.0), system.options({}), 12)
    key = fight_key_of(fight)

    def play(fights: int, seed: int) -> tuple[list[int], int]:
        tally = play_fights(fight, n=fights, seed=seed, key=key, workers=workers)
        return tally.outcomes.tolist(), tally.exchanges

    return timed(play)


def list_player(pairs: int) -> Callable[[int, int], Measure]:
    """Return what plays as many fights of each of some pairs of units, drawn by a fixed seed from all of them."""
    units = sorted(path.stem for path in UNITS.glob("*.yaml"))
    lots = random.Random(0)
    players = [simlab_player(lots.choice(units), lots.choice(units)) for _ in range(pairs)]

    def play(fights: int, seed: int) -> Measure:
        found = [player(fights // pairs, seed) for player in players]
        outcomes = [sum(counts) for counts in zip(*(each.outcomes for each in found), strict=True)]
        sums = (sum(getattr(each, name) for each in found) for name in ("exchanges", "wall", "cpu"))
        return Measure(outcomes, *sums)

    return play


def compiled_yardstick(folder: Path) -> Callable[[int, int], Measure] | None:
    """Return the C version, compiled on the spot; None where no compiler is."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    program = folder / "duel_yardstick"
    source = HERE / "duel_yardstick.c"
    subprocess.run([compiler, "-O3", "-march=native", "-o", str(program), str(source)], check=True)

    def play(fights: int, seed: int) -> Measure:
        command = [str(program), str(fights), str(seed)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        *counts, exchanges = map(int, said[:5])
        return Measure(counts, exchanges, float(said[5]), float(said[6]))

    return play


def contenders(folder: Path) -> list[Contender]:
    """Return all contenders in the order in which they are measured and shown."""
    yardstick = compiled_yardstick(folder)
    found = [Contender(OURS, 1_000_000, simlab_player(SHERMAN, SHERMAN))]
    if yardstick is not None:
        found.append(Contender(C, 1_000_000, yardstick))
    return [
        *found,
        Contender(NUMPY, 200_000, timed(numpy_masks.play)),
        Contender(PYTHON, 4_000, timed(plain_python.play)),
        Contender(MIXED, 500_000, simlab_player(PANTHER, FIREFLY)),
        Contender(LIST, 1_000_000, list_player(PAIRS)),
        Contender(EIGHT, 100_000, simlab_player(SHERMAN, SHERMAN, size=4)),
        Contender(TWO, 2_000_000, simlab_player(SHERMAN, SHERMAN, workers=2)),
    ]


def table(found: list[Contender]) -> list[str]:
    """Return the measured speeds as lines: per exchange by both clocks, per second by the wall, against C by both."""
    by_name = {contender.name: contender for contender in found}
    yardstick = by_name.get(C)
    lines = [
        f"{'':<20}{'ns/exchange':>14}{'':>10}{'exchanges/s':>13}{'fights/s':>12}{'cpu/wall':>10}{'against C':>12}",
        f"{'':<20}{'wall':>14}{'cpu':>10}{'wall':>13}{'wall':>12}{'':>10}{'wall':>6}{'cpu':>6}",
    ]
    for contender in found:
        wall, cpu = contender.best("wall"), contender.best("cpu")
        one = contender.rounds[0]
        fights = 1e9 / wall * contender.fights / one.exchanges
        ratios = (
            (yardstick.best(clock) / contender.best(clock) for clock in ("wall", "cpu")) if yardstick else ()
        )
        against = "".join(f"{ratio:>6.2f}" if ratio >= 0.095 else f"{ratio:>6.3f}" for ratio in ratios)
        lines.append(
            f"{contender.name:<20}{wall:>14.1f}{cpu:>10.1f}{1e9 / wall:>13,.0f}{fights:>12,.0f}"
            f"{contender.load:>10.2f}{against}"
        )
    return lines


def ratios(found: list[Contender]) -> dict[str, float]:
    """Return how the further fights compare with the Sherman duel of one worker, by the wall clock."""
    by_name = {contender.name: contender for contender in found}
    duel = by_name[OURS].best("wall")
    rates = {
        f"{name}: exchanges a second against the duel's": duel / by_name[name].best("wall") for name in OTHERS
    }
    rates["two workers against one"] = duel / by_name[TWO].best("wall")
    if C in by_name:
        rates["Sherman duel against C"] = by_name[C].best("wall") / duel
    return rates


def shares(found: list[Contender]) -> list[str]:
    """Return the outcome shares of everybody who plays the Sherman duel, over all rounds."""
    lines = [f"{'':<20}{'fights':>12}" + "".join(f"{share:>10}" for share in SHARES)]
    for contender in found:
        if contender.name not in OTHERS:
            counts = total(contender)
            numbers = "".join(f"{count / sum(counts):>10.5f}" for count in counts)
            lines.append(f"{contender.name:<20}{sum(counts):>12,}{numbers}")
    lines.append(f"{'known':<32}" + "".join(f"{chance:>10.5f}" for chance in KNOWN))
    return lines


def total(contender: Contender) -> list[int]:
    """Return the outcomes of all rounds together."""
    return [sum(counts) for counts in zip(*(found.outcomes for found in contender.rounds), strict=True)]


@pytest.mark.benchmark(group="all contenders, one round")
def test_duels_side_by_side(benchmark: Any, tmp_path: Path) -> None:
    found = contenders(tmp_path)
    for contender in found:
        contender.play(min(contender.fights, 10_000), 0)
    seeds = iter(range(1, 1000))

    def play_round() -> None:
        seed = next(seeds)
        for contender in found:
            contender.rounds.append(contender.play(contender.fights, seed))

    benchmark.pedantic(play_round, rounds=ROUNDS, iterations=1)
    compared = ratios(found)
    benchmark.extra_info.update(compared)
    print("\n")
    print(
        f"Two Sherman LPs, front, 14 inches, 12 turns; best of {ROUNDS} rounds in turn; {os.cpu_count()} cores"
    )
    print("\n".join(["", *table(found), "", *(f"{name}: {ratio:.2f}" for name, ratio in compared.items())]))
    print("\n".join(["", *shares(found), ""]))
    for contender in found:
        if contender.name not in OTHERS:
            counts = total(contender)
            for count, chance in zip(counts, KNOWN, strict=True):
                allowed = 5 * sqrt(chance * (1 - chance) / sum(counts)) + 1e-5
                assert abs(count / sum(counts) - chance) < allowed, contender.name
