"""What holds for duels of every rule system: sampled or exact, from both sides, with more armour or a stronger gun."""

import re
from functools import cache
from itertools import permutations, product
from typing import Any

import hypothesis.strategies as st
import pytest
from contract_numbers import ARMOUR, BREAKS, GUN, breaks, direction
from effort import examples
from hypothesis import assume, given, settings
from samples import CASES, FAMILY, SETTINGS, SYSTEMS, compile_sample, family_z, sample_sheets, system_of

from simlab.engine.play import play_fights
from simlab.exact.solution import A_WINS, B_WINS, BOTH, NEITHER, Solution
from simlab.exact.solve import solve_duel
from simlab.model.errors import InputError
from simlab.model.situation import Situation
from simlab.rules.contract import Fight

for_all_systems = pytest.mark.parametrize("name", SYSTEMS)
for_all_cases = pytest.mark.parametrize(("name", "number"), CASES)
TURNS, N, BOUND = (3, 2), 200_000, 1e-6
"""Turns of duels under the default options and under others."""
SIDES_CHANGED = [B_WINS, A_WINS, BOTH, NEITHER]
PAIRS = list(product(range(3), repeat=2))
FEW = [(0, 1), (1, 0), (2, 2)]
"""Pairs under other options than the default ones."""


def pairs(number: int) -> list[tuple[int, int]]:
    return FEW if number else PAIRS


def duel(name: str, number: int, pair: tuple[int, int], aspects: tuple[int, int] = (0, -1)) -> Fight:
    """A sample sheet against another or itself; aspects by their numbers."""
    sheets, known = sample_sheets(name), system_of(name).aspects
    where = Situation(10.0, *(known[aspect] for aspect in aspects))
    return compile_sample(
        name, [sheets[pair[0]]], [sheets[pair[1]]], SETTINGS[name][number], where, TURNS[number > 0]
    )


@cache
def solved(name: str, number: int, pair: tuple[int, int], aspects: tuple[int, int] = (0, -1)) -> Solution:
    return solve_duel(duel(name, number, pair, aspects), bound=BOUND)


@for_all_cases
def test_the_sampler_is_within_the_standard_error_of_exact(name, number):
    """All outcomes and all figures of all pairs of a few sheets, a unit against itself included."""
    kinds = 1 + len(system_of(name).kinds)
    z = family_z(len(PAIRS) * (4 + 2 * kinds) * len(SETTINGS[name]))
    for pair in pairs(number):
        exact = solved(name, number, pair)
        assert exact.error_bound <= BOUND
        tally = play_fights(duel(name, number, pair), n=N, seed=6, key=0x5EED)
        counts = list(zip(exact.outcomes, tally.outcomes, strict=True))
        for unit in (0, 1):
            counts += list(
                zip(exact.figures[unit], [tally.destroyed()[unit], *_kinds(tally, unit)], strict=True)
            )
        for chance, count in counts:
            error = (chance * (1 - chance) / N) ** 0.5
            assert abs(count / N - chance) <= z * error + BOUND + FAMILY, (pair, chance, count / N)


@for_all_cases
def test_both_loops_play_the_same_duels(name, number):
    """The loop over duels and the one over any number of units, fight by fight."""
    for pair in pairs(number):
        quick, general = (
            play_fights(duel(name, number, pair), n=4_000, seed=6, key=0x5EED, general=general)
            for general in (False, True)
        )
        assert quick.outcomes.tolist() == general.outcomes.tolist()
        assert quick.flags.tolist() == general.flags.tolist()
        assert quick.turn_sum.tolist() == general.turn_sum.tolist()
        assert quick.exchanges == general.exchanges


def _kinds(tally: Any, unit: int) -> list[int]:
    flags = tally.flags[unit]
    bits = range(1, len(flags).bit_length() - 1)
    return [sum(int(count) for flag, count in enumerate(flags) if flag >> bit & 1) for bit in bits]


@for_all_cases
def test_sides_are_symmetric(name, number):
    """a against b, showing x and y, is b against a, showing y and x; and a against itself fares alike."""
    for pair in [pair for pair in pairs(number) if pair[0] <= pair[1]]:
        for aspects in ((0, -1), (0, 0)) if pair == (2, 2) else ((0, -1),):
            here = solved(name, number, pair, aspects)
            there = solved(name, number, (pair[1], pair[0]), (aspects[1], aspects[0]))
            slack = here.error_bound + there.error_bound
            assert here.outcomes == pytest.approx(there.outcomes[SIDES_CHANGED], abs=slack)
            assert here.by_turn == pytest.approx(there.by_turn[:, SIDES_CHANGED], abs=slack)
            assert here.figures == pytest.approx(there.figures[::-1], abs=slack)
            if pair[0] == pair[1] and aspects[0] == aspects[1]:
                assert here.outcomes[A_WINS] == pytest.approx(here.outcomes[B_WINS], abs=slack)
                assert here.figures[0] == pytest.approx(here.figures[1], abs=slack)


@for_all_cases
def test_a_longer_duel_is_the_shorter_one_and_more(name, number):
    """What has been decided stays so: nobody rises, and every turn that both survive is fought."""
    for pair in FEW:
        by_turn = solved(name, number, pair).by_turn
        assert (by_turn[1:, :3] - by_turn[:-1, :3]).min() >= -BOUND
        assert by_turn[0].tolist() == [0, 0, 0, 1]
        assert by_turn[-1, NEITHER] < 1


Numbers = dict[str, float]


def changed(name: str, sheet: Any, path: str, value: float) -> Any:
    """The sheet with a number changed, None where no sheet may have it."""
    try:
        return system_of(name).replace_fields(sheet, {path: value})
    except InputError:
        return None


@st.composite
def drawn_sheet(draw: st.DrawFn, name: str) -> Any:
    """A sample sheet, some of whose numbers are others."""
    sheet = draw(st.sampled_from(sample_sheets(name)))
    for _ in range(draw(st.integers(0, 3))):
        numbers = system_of(name).sheet_numbers(sheet)
        path = draw(st.sampled_from(sorted(numbers)))
        step = draw(st.sampled_from((-20, -5, -2, -1, 1, 2, 5, 20)))
        sheet = changed(name, sheet, path, numbers[path] + step) or sheet
    return sheet


@st.composite
def drawn_change(draw: st.DrawFn, name: str, patterns: tuple[str, ...]) -> tuple[Any, Any, str]:
    """A sheet, the same with one number better, and which."""
    sheet = draw(drawn_sheet(name))
    numbers = system_of(name).sheet_numbers(sheet)
    path = draw(st.sampled_from([path for path in sorted(numbers) if direction(patterns, path)]))
    for step in (draw(st.sampled_from((1, 2, 3, 8, 25, 60))), 1):
        better = changed(name, sheet, path, numbers[path] + direction(patterns, path) * step)
        if better is not None:
            return sheet, better, path
    assume(False)
    raise AssertionError


def destroyed(name: str, number: int, owner: Any, enemy: Any, where: Situation) -> tuple[float, float, float]:
    """The chances that a sheet's owner and his enemy are destroyed, and the error of both."""
    try:
        fight = compile_sample(name, [owner], [enemy], SETTINGS[name][number], where, 1 if number else 2)
    except InputError:  # nobody can ever fire
        assume(False)
        raise
    if len(fight.phases) > 1:  # a turn of several phases is long enough
        fight = compile_sample(name, [owner], [enemy], SETTINGS[name][number], where, 1)
    found = solve_duel(fight, bound=1e-7)
    return float(found.figures[0, 0]), float(found.figures[1, 0]), found.error_bound


def check_order(name: str, patterns: tuple[str, ...], data: st.DataObject) -> None:
    system = system_of(name)
    plain, better, path = data.draw(drawn_change(name, patterns))
    enemy = data.draw(drawn_sheet(name))
    number = data.draw(st.sampled_from(range(len(SETTINGS[name]))))
    aspects = data.draw(st.tuples(st.sampled_from(system.aspects), st.sampled_from(system.aspects)))
    where = Situation(data.draw(st.sampled_from((2.0, 10.0, 24.0))), *aspects)
    before = destroyed(name, number, plain, enemy, where)
    after = destroyed(name, number, better, enemy, where)
    slack, options = before[2] + after[2], system.options(SETTINGS[name][number])
    if not breaks(name, path, "owner", options):
        assert after[0] <= before[0] + slack, path
    if not breaks(name, path, "enemy", options):
        assert after[1] >= before[1] - slack, path


def few(test: Any) -> Any:
    return settings(max_examples=examples(100) // 2, deadline=None, derandomize=True)(test)


@for_all_systems
@few
@given(data=st.data())
def test_more_armour_never_helps_the_shooter(name, data):
    check_order(name, ARMOUR[name], data)


@for_all_systems
@few
@given(data=st.data())
def test_a_stronger_gun_never_helps_the_target(name, data):
    check_order(name, GUN[name], data)


@for_all_systems
def test_every_system_says_what_is_armour_and_what_is_gun(name):
    for patterns in (ARMOUR[name], GUN[name]):
        paths = {path for sheet in sample_sheets(name) for path in system_of(name).sheet_numbers(sheet)}
        for pattern in patterns:
            assert any(direction((pattern,), path) for path in paths), pattern


@pytest.mark.parametrize("each", BREAKS, ids=lambda each: f"{each.system}-{each.field}-{each.figure}")
def test_a_broken_order_is_broken_and_gives_its_reason(each):
    """Some sheet with a little more of the number fares the worse for it."""
    assert len(each.reason) > 20
    system = system_of(each.system)
    place = ("owner", "enemy").index(each.figure)
    sets = [n for n, chosen in enumerate(SETTINGS[each.system]) if each.settings.items() <= chosen.items()]
    worse = []
    for number, (owner, enemy) in product(sets, permutations(sample_sheets(each.system), 2)):
        for path, value in system.sheet_numbers(owner).items():
            sign = direction((*ARMOUR[each.system], *GUN[each.system]), path)
            better = (
                changed(each.system, owner, path, value + sign) if re.fullmatch(each.field, path) else None
            )
            if better is not None:
                before, after = (
                    destroyed(each.system, number, sheet, enemy, Situation(10.0)) for sheet in (owner, better)
                )
                moved = (after[place] - before[place]) * (1, -1)[place]
                worse.append(moved > before[2] + after[2])
    assert any(worse)
