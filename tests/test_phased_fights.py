"""Turns of several phases, guns that jam by the shooter's own dice, crews that are stunned until the turn ends: the
loops and the solver against all dice thrown one by one."""

from collections import defaultdict
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import jamming_kernel
import numpy as np
import pytest
from samples import assert_share
from toy_system import Toy, ToySheet

from simlab.engine.play import play_fights
from simlab.exact.solve import solve_duel
from simlab.model.situation import Situation
from simlab.rules.common import usual
from simlab.rules.contract import Fight
from simlab.traces.told import tell_replicate

N = 200_000


class Gun(NamedTuple):
    """A type: hit points, number to roll, phases in which it fires."""

    points: int
    needs: int
    fires: tuple[int, ...]


FIRST, SECOND, BOTH = (0,), (1,), (0, 1)
PAIRS = [
    (Gun(1, 4, FIRST), Gun(1, 4, FIRST)),
    (Gun(2, 4, FIRST), Gun(2, 3, SECOND)),
    (Gun(3, 5, BOTH), Gun(2, 4, BOTH)),
    (Gun(2, 2, SECOND), Gun(4, 3, FIRST)),
]


class Jamming(Toy):
    """The toy with guns that jam."""

    name, title, version = "jamming", "Jamming toy", "jamming-1"
    kernels = (usual, jamming_kernel)


SYSTEM = Jamming()


def compiled(side_a: list[Gun], side_b: list[Gun], turns: int) -> Fight:
    guns = [*side_a, *side_b]
    blocks = [(gun.points, gun.needs, sum(1 << phase for phase in gun.fires)) for gun in guns]
    places = tuple(number * jamming_kernel.TYPE_SIZE for number in range(len(guns)))
    sheets = [ToySheet(hit_points=gun.points, needs=gun.needs) for gun in guns]
    return Fight(
        system=SYSTEM,
        program=np.array(blocks, np.uint64).ravel(),
        types_a=places[: len(side_a)],
        types_b=places[len(side_a) :],
        sheets_a=tuple(sheets[: len(side_a)]),
        sheets_b=tuple(sheets[len(side_a) :]),
        situation=Situation(10.0),
        options=SYSTEM.options({}),
        turns=turns,
        scene_of_turn=(0,) * turns,
        declared=False,
        can_fire_a=True,
        can_fire_b=True,
        twins=side_a == side_b,
        phases=("early", "late"),
        coupled=True,
    )


class Crew(NamedTuple):
    """A unit in the reference: points left, stunned, jammed, has fired in this turn."""

    points: int
    stunned: bool = False
    jammed: bool = False
    fired: bool = False


def shot(shooter: Crew, target: Crew, needs: int, face: int) -> tuple[Crew, Crew]:
    """Return shooter and target after a d6."""
    shooter = shooter._replace(fired=True, jammed=face == 1 and needs > 1)
    return shooter, target._replace(points=target.points - 1, stunned=True) if face >= needs else target


def phase_of(a: Crew, b: Crew, guns: tuple[Gun, Gun], phase: int) -> dict[tuple[Crew, Crew], Fraction]:
    """Return what may become of both in a phase: they fire at the same time."""
    able = [
        phase in gun.fires and not crew.stunned and not crew.jammed
        for crew, gun in zip((a, b), guns, strict=True)
    ]
    after: dict[tuple[Crew, Crew], Fraction] = defaultdict(Fraction)
    for face_a, face_b in product(range(1, 7), repeat=2):
        now_a, now_b = a, b
        if able[0]:
            now_a, now_b = shot(now_a, now_b, guns[0].needs, face_a)
        if able[1]:
            now_b, now_a = shot(now_b, now_a, guns[1].needs, face_b)
        after[now_a, now_b] += Fraction(1, 36)
    return after


def rested(crew: Crew) -> Crew:
    return Crew(crew.points, jammed=crew.jammed and crew.fired)


def reference(guns: tuple[Gun, Gun], turns: int) -> list[Fraction]:
    """Return the four outcomes of a duel."""
    now = {(Crew(guns[0].points), Crew(guns[1].points)): Fraction(1)}
    for _ in range(turns):
        for phase in (0, 1):
            after: dict[tuple[Crew, Crew], Fraction] = defaultdict(Fraction)
            for (a, b), weight in now.items():
                if a.points <= 0 or b.points <= 0:
                    after[a, b] += weight
                    continue
                for pair, chance in phase_of(a, b, guns, phase).items():
                    after[pair] += weight * chance
            now = after
        ended: dict[tuple[Crew, Crew], Fraction] = defaultdict(Fraction)
        for (a, b), weight in now.items():
            ended[rested(a), rested(b)] += weight
        now = ended
    outcomes = [Fraction(0)] * 4
    for (a, b), weight in now.items():
        lost_a, lost_b = a.points <= 0, b.points <= 0
        outcomes[(2 if lost_b else 1) if lost_a else (0 if lost_b else 3)] += weight
    return outcomes


def play(fight: Fight, **asked: Any) -> Any:
    return play_fights(fight, **{"n": N, "seed": 1, "key": 5, "workers": 1, **asked})


@pytest.mark.parametrize("turns", [1, 2, 6])
@pytest.mark.parametrize("guns", PAIRS)
def test_the_solver_agrees_with_all_dice_thrown(guns: tuple[Gun, Gun], turns: int) -> None:
    solved = solve_duel(compiled([guns[0]], [guns[1]], turns), bound=1e-10)
    assert solved.error_bound <= 1e-10
    assert solved.outcomes == pytest.approx([float(chance) for chance in reference(guns, turns)], abs=1e-10)


@pytest.mark.parametrize("guns", PAIRS)
def test_the_loop_over_duels_agrees_with_all_dice_thrown(guns: tuple[Gun, Gun]) -> None:
    tally = play(compiled([guns[0]], [guns[1]], 6))
    for count, chance in zip(tally.outcomes, reference(guns, 6), strict=True):
        assert_share(int(count), N, float(chance), comparisons=16)


@pytest.mark.long
@pytest.mark.parametrize("guns", PAIRS)
def test_both_loops_play_the_same_duels(guns: tuple[Gun, Gun]) -> None:
    fight = compiled([guns[0]], [guns[1]], 6)
    quick, general = (play(fight, n=20_000, general=general) for general in (False, True))
    assert quick.outcomes.tolist() == general.outcomes.tolist()
    assert quick.flags.tolist() == general.flags.tolist()
    assert quick.turn_sum.tolist() == general.turn_sum.tolist()
    assert quick.exchanges == general.exchanges


def test_a_silent_unit_never_fires() -> None:
    """In one turn each face from 4 on of either phase's die destroys; a 1 in the first phase jams the second."""
    fight = compiled([Gun(1, 4, BOTH)], [Gun(1, 4, BOTH)], 1)
    solved = solve_duel(fight, bound=1e-12, silent=(False, True))
    assert solved.outcomes == pytest.approx([1 / 2 + 1 / 3 * 1 / 2, 0, 0, 1 / 2 - 1 / 6], abs=1e-12)


@pytest.mark.long
def test_units_of_several_a_side_jam_and_rest_each_for_itself() -> None:
    """Two that hit on 6 against one of many points: shots a turn follow from jams alone, for it never fires."""
    fight = compiled([Gun(1, 6, FIRST)] * 2, [Gun(7, 6, ())], 2)
    tally = play(fight)
    # Both fire in the first turn, in the second those who did not roll a 1.
    expected = 2 + 2 * 5 / 6
    assert abs(tally.exchanges / N - expected) < 6 * np.sqrt(2 * 5 / 36 / N)


def test_a_told_fight_says_in_which_phase_a_shot_falls() -> None:
    fight = compiled([Gun(3, 4, FIRST)], [Gun(3, 4, SECOND)], 3)
    told = tell_replicate(
        fight, SYSTEM.narrator(fight), seed=1, key=5, replicate=0, policy_a="first", policy_b="first"
    )
    assert {(event.unit, event.phase) for event in told.events} == {(0, 0), (1, 1)}
