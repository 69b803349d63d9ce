"""What every rule system must keep in its kernel functions, whatever its rules are.

Looked at in walks through duels of a few sheets (`contract_walk`). What else holds for every system is in
`test_every_system_*`.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from contract_dice import Dice
from contract_turns import Turns
from contract_walk import (
    Fired,
    Rules,
    Walk,
    duels,
    fired,
    stages,
    volley_ways,
    walk,
    walks,
    whole,
)
from samples import CASES, SYSTEMS, assert_share

from simlab.dice.slots import START
from simlab.engine.play import play_fights
from simlab.exact.solve import solve_duel
from simlab.model.errors import InputError
from simlab.model.outcome import OUTCOMES
from simlab.rules import registry
from simlab.tables.expand import expand_volley

for_all_cases = pytest.mark.parametrize(("name", "number"), CASES)
LIGHT, MANY = 12, 100
"""Volleys of a case whose stages are thrown in every way, in plain Python and compiled."""


def test_the_toy_system_is_registered_by_name(toy):
    assert registry.get_system("toy") is toy
    assert set(registry.system_names()) == set(SYSTEMS)
    with pytest.raises(InputError, match="did you mean toy"):
        registry.get_system("toys")


def different(name: str, number: int) -> list[tuple[Walk, Fired]]:
    """The volleys of a case without those that were asked before."""
    found = {(id(seen.fight.program), one.volley.asked): (seen, one) for seen, one in fired(name, number)}
    return list(found.values())


def sheet_of(each: Walk, type_: int) -> str:
    """The id of a unit's sheet."""
    fight = each.fight
    return str((fight.sheets_a if type_ == fight.types_a[0] else fight.sheets_b)[0].id)


def some(name: str, number: int, most: int) -> list[tuple[Walk, Fired]]:
    """Some of them, drawn."""
    every = different(name, number)
    places = np.random.default_rng(8).permutation(len(every))[:most]
    return [every[place] for place in places]


@for_all_cases
def test_walks_see_every_phase_and_every_gunner_who_can_fire(name, number):
    """What the tests below hold for, they hold for all of it."""
    seen = walks(name, number)
    phases = {phase for each in seen for phase in each.fight.phases}
    assert {each.fight.phases[one.volley.phase] for each, one in fired(name, number)} == phases
    for each in seen:
        assert len(set(each.fight.phases)) == len(each.fight.phases)
    shot = {(sheet_of(each, one.volley.shooter), one.volley.gunner) for each, one in fired(name, number)}
    begun = {
        (sheet_of(each, start.type), gunner)
        for each in seen
        for start in each.starts[: 2 * len(each.fight.phases)]
        for gunner in each.rules.ready(start.type, start.ability)
    }
    assert begun <= shot


@for_all_cases
def test_a_side_can_fire_if_some_gunner_is_ever_ready(name, number):
    for each in walks(name, number):
        for side, type_ in enumerate((each.fight.types_a[0], each.fight.types_b[0])):
            if not (each.fight.can_fire_b if side else each.fight.can_fire_a):
                assert not any(each.rules.ready(type_, start.ability) for start in each.starts[side::2])
    assert any(each.fired for each in walks(name, number))


@for_all_cases
def test_a_fresh_unit_stands(name, number):
    for fight in duels(name, number):
        rules = Rules(fight)
        for type_ in (fight.types_a[0], fight.types_b[0]):
            body, memory = rules("fresh", type_)
            assert not rules("fallen", type_, body)
            assert rules("flags", type_, body) == 0
            assert rules("recall", type_, body, memory) == memory


@for_all_cases
def test_weights_of_every_expansion_sum_to_one(name, number):
    """In states that a fight comes to, in every phase, for each gunner; what happened is what may happen."""
    for each, one in some(name, number, MANY):
        found = expand_volley(each.fight, *one.volley.asked)
        assert found.weights.min() > 0
        assert abs(found.weights.sum() - 1) < 1e-12
        ends = set(zip(found.bodies.tolist(), found.notes.tolist(), strict=True))
        assert len(ends) == len(found.weights)
        assert (one.after, one.note) in ends


@for_all_cases
def test_stages_in_a_row_are_the_volley_and_dice_decide_both(name, number):
    """The same dice, asked for in the same order, come to the same, however often."""
    for each, one in fired(name, number):
        for _ in range(2):
            dice, again = Dice(dict(one.faces)), Dice(dict(one.faces))
            assert whole(each.rules, one.volley, dice) == (one.after, one.note)
            assert stages(each.rules, one.volley, again) == (one.struck, one.more, one.after, one.note)
            assert tuple(dice.asked) == tuple(again.asked) == one.slots
    assert len({(one.struck == 0, one.after == one.volley.body) for _, one in fired(name, number)}) >= 2


@for_all_cases
def test_dice_are_asked_for_in_the_order_of_their_slots_and_without_a_gap(name, number):
    """Below the first slot for any dice, one may be left out; from there on none."""
    for _, one in fired(name, number):
        assert list(one.slots) == sorted(one.slots)
        high = [slot for slot in one.slots if slot >= START]
        assert high == list(range(START, START + len(high)))


@for_all_cases
def test_stages_thrown_in_every_way_come_to_the_compiled_table(name, number):
    """Each stage by dice of its own, in plain Python: chances of states and notes are those of the compiled volley."""
    for each, one in some(name, number, LIGHT):
        found: dict[tuple[int, int], float] = {}
        for (_, after, note), chance in volley_ways(each.rules, one.volley).items():
            found[after, note] = found.get((after, note), 0.0) + chance
        table = expand_volley(each.fight, *one.volley.asked)
        ends = zip(table.bodies.tolist(), table.notes.tolist(), strict=True)
        assert found == pytest.approx(
            dict(zip(ends, table.weights.tolist(), strict=True)), rel=1e-9, abs=1e-15
        )


@for_all_cases
def test_destroyed_is_absorbing(name, number):
    """The fallen stay fallen whatever hits them, and no figure that has come true ends, by fire or by rest."""
    fallen = 0
    for each, one in different(name, number):
        type_ = one.volley.target
        before, after = (each.rules("flags", type_, body) for body in (one.volley.body, one.after))
        assert before & after == before
        if not after & 1 or fallen >= LIGHT:
            continue
        fallen += 1
        again = expand_volley(each.fight, *one.volley.asked[:-1], one.after)
        for body in again.bodies.tolist():
            assert each.rules("fallen", type_, body)
            assert after & each.rules("flags", type_, body) == after
    assert fallen
    for each in walks(name, number):
        for rest in each.rests:
            assert each.rules("flags", rest.type, rest.before[0]) == each.rules(
                "flags", rest.type, rest.after[0]
            )


@for_all_cases
def test_bit_zero_of_the_flags_is_fallen(name, number):
    kinds = set()
    for each, one in fired(name, number):
        flags = each.rules("flags", one.volley.target, one.after)
        assert flags & 1 == each.rules("fallen", one.volley.target, one.after)
        assert flags < 1 << (1 + len(each.fight.system.kinds))
        kinds.add(flags & 1)
    assert kinds == {0, 1}


def capabilities(each: Walk, type_: int, body: int, memory: int) -> tuple[int, ...]:
    """What a unit could do in each phase of each scene."""
    return tuple(
        each.rules("capability", type_, scene, phase, body, memory)
        for scene in sorted(set(each.fight.scene_of_turn))
        for phase in range(len(each.fight.phases))
    )


@for_all_cases
def test_capability_and_flags_depend_on_the_core_alone(name, number):
    """`weakened` tells whether cores differ; a blow that leaves no more to come changes the shell alone, one that
    does leaves the shell to `hurt`."""
    kinds = set()
    for each, one in different(name, number):
        type_, before, after = one.volley.target, one.volley.body, one.after
        cores = [each.rules.bare("core", body) for body in (before, after)]
        weakened = bool(each.rules.bare("weakened", before, after))
        assert weakened == (cores[0] != cores[1])
        kinds.add(weakened)
        if not one.more:
            assert not weakened
        if not weakened and not each.rules("fallen", type_, before):
            memory = each.rules("fresh", type_)[1]
            assert each.rules("flags", type_, before) == each.rules("flags", type_, after)
            assert capabilities(each, type_, before, memory) == capabilities(each, type_, after, memory)
    assert kinds == {True, False}


@for_all_cases
def test_exposure_is_all_of_an_ability_that_its_enemies_look_at(name, number):
    """Of two abilities with the same exposure, a volley comes to the same with the same dice."""
    known: dict[Any, set[int]] = {}
    for each in walks(name, number):
        for start in each.starts:
            exposure = each.rules("exposure", start.type, start.ability)
            known.setdefault((id(each.fight.program), start.type, exposure), set()).add(start.ability)
    for each, one in different(name, number):
        exposure = each.rules("exposure", one.volley.target, one.volley.target_ability)
        for ability in sorted(known[id(each.fight.program), one.volley.target, exposure])[:4]:
            other = replace(one.volley, target_ability=ability)
            found = stages(each.rules, other, Dice(dict(one.faces)))
            assert found == (one.struck, one.more, one.after, one.note)


@for_all_cases
def test_memory_that_no_longer_matters_is_left_out_without_a_trace(name, number):
    for each in walks(name, number):
        for start in each.starts:
            recalled = each.rules("recall", start.type, start.body, start.memory)
            assert each.rules("recall", start.type, start.body, recalled) == recalled
            assert capabilities(each, start.type, start.body, recalled) == capabilities(
                each, start.type, start.body, start.memory
            )


@for_all_cases
def test_only_who_remembers_has_another_memory_after_firing(name, number):
    """A first target is no other target than before."""
    for each in walks(name, number):
        assert all(before == after for before, after in each.turned)
        for one in each.fired:
            if not each.rules("remembers", one.volley.shooter):
                words = one.volley.shooter, one.volley.gunner, one.volley.ability, one.volley.memory
                assert each.rules("spend", *words, 0) == one.volley.memory == one.memory
                bits = 1 << one.volley.gunner
                assert each.rules("settle", one.volley.shooter, one.memory, bits) == one.memory


@for_all_cases
def test_who_does_not_act_in_a_phase_has_nobody_ready_and_remembers_as_before(name, number):
    passed = 0
    for each in walks(name, number):
        for start in each.starts:
            if not each.rules("acts", start.type, start.phase, start.body, start.memory):
                passed += 1
                assert each.rules.ready(start.type, start.ability) == []
                assert each.rules("settle", start.type, start.memory, 0) == start.memory
    assert passed or not (name == "wwiisim" and number == 0), "units of several initiatives"


@for_all_cases
def test_in_fights_that_are_not_coupled_no_die_is_remembered_and_nobody_rests(name, number):
    """And nothing is remembered of dice that nobody threw."""
    for each, one in fired(name, number):
        assert each.rules.bare("mark", 0) == 0
        if each.fight.coupled:
            continue
        volley = one.volley
        words = volley.shooter, volley.gunner, volley.ability, volley.memory
        mark = each.rules.bare("mark", one.struck)
        assert each.rules("spend", *words, mark) == each.rules("spend", *words, 0)
        for type_, body, memory in (
            (volley.target, one.after, each.rules("fresh", volley.target)[1]),
            (volley.shooter, each.rules("fresh", volley.shooter)[0], one.memory),
        ):
            if not each.rules("fallen", type_, body):
                assert each.rules("rest", type_, body, memory) == (body, memory)


@for_all_cases
def test_a_walk_by_the_same_dice_is_the_same(name, number):
    fight = next(iter(duels(name, number)))
    one, two = (walk(fight, np.random.default_rng(11)) for _ in range(2))
    assert one.fired == two.fired
    assert (one.starts, one.rests) == (two.starts, two.rests)


@for_all_cases
def test_compiled_twice_the_program_is_the_same(name, number):
    for one, two in zip(duels(name, number), duels(name, number), strict=True):
        assert one.program is not two.program
        assert one.program.dtype == np.uint64
        assert one.program.tobytes() == two.program.tobytes()
        assert vars(replace(one, program=None)) == vars(replace(two, program=None))
        assert len(one.scene_of_turn) == one.turns == 12


@for_all_cases
def test_the_first_turns_are_those_of_the_sampler_and_of_the_solver(name, number):
    """By all dice of all volleys, turn after turn, as the contract says it, against the loops of the product."""
    n, bound = 400_000, 1e-7
    first, second, *_ = duels(name, number, turns=3)
    fights = [first] if first.coupled else [first, second]
    for fight in fights:
        truth = Turns(fight)
        short = compile_again(fight, truth.turns)
        tally = play_fights(short, n=n, seed=4, key=0xFEDCBA9876543210)
        comparisons = len(fights) * (4 + 2 * tally.flags.shape[1])
        outcomes = [0.0] * 4
        flags = np.zeros(tally.flags.shape)
        for (a, b), chance in truth.flags.items():
            outcomes[(2 if b & 1 else 1) if a & 1 else (0 if b & 1 else 3)] += chance
            flags[0, a] += chance
            flags[1, b] += chance
        assert sum(outcomes) == pytest.approx(1, abs=1e-9)
        for count, chance in zip(tally.outcomes, outcomes, strict=True):
            assert_share(count, n, min(chance, 1.0), comparisons)
        for unit in (0, 1):
            for count, chance in zip(tally.flags[unit], flags[unit], strict=True):
                assert_share(count, n, min(float(chance), 1.0), comparisons)
        solved = solve_duel(short, bound=bound)
        assert dict(zip(OUTCOMES, solved.outcomes.tolist(), strict=True)) == pytest.approx(
            dict(zip(OUTCOMES, outcomes, strict=True)), abs=bound + 1e-9
        )
        bits = np.arange(flags.shape[1])[:, None] >> np.arange(solved.figures.shape[1]) & 1
        assert solved.figures == pytest.approx(flags @ bits, abs=bound + 1e-9)


def compile_again(fight: Any, turns: int) -> Any:
    """The same fight with another limit of turns."""
    return fight.system.compile_fight(fight.sheets_a, fight.sheets_b, fight.situation, fight.options, turns)
