"""What every rule system must keep, whatever its rules are."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples import (
    CASES,
    SETTINGS,
    SYSTEMS,
    assert_share,
    compile_sample,
    sample_sheets,
    sheet_paths,
    system_of,
)

from simlab.engine.play import play_fights
from simlab.model.errors import InputError
from simlab.model.situation import Situation
from simlab.model.table import parse_table, write_table
from simlab.rules import registry
from simlab.rules.contract import Fight
from simlab.studies.paired import fight_digest
from simlab.tables.expand import Questions, expand_fire, expand_volley
from simlab.traces.told import tell_dice, tell_replicate

for_all_systems = pytest.mark.parametrize("name", SYSTEMS)
for_all_cases = pytest.mark.parametrize(("name", "number"), CASES)
for_all_cases_the_toy_s_in_long_runs = pytest.mark.parametrize(
    ("name", "number"),
    [pytest.param(*case, marks=pytest.mark.long) if case[0] == "toy" else case for case in CASES],
)
"""Told fights are a loop of their own, to be compiled for every system."""
WIDTH = 12
"""States of a depth that are looked at further."""


def compile_case(name: str, number: int, turns: int = 12) -> Fight:
    """The first sheet against the second, where one side shows another aspect than the front."""
    sheets, system = sample_sheets(name), system_of(name)
    where = Situation(10.0, system.aspects[0], system.aspects[-1])
    return compile_sample(name, sheets[:1], sheets[1:2], SETTINGS[name][number], where, turns)


def abilities(fight: Fight) -> tuple[int, int]:
    """The capabilities of both sides' first units when fresh."""
    ask = Questions(fight)
    found = [ask.capability(type_, 0, 0, *ask.fresh(type_)) for type_ in (fight.types_a[0], fight.types_b[0])]
    return found[0], found[1]


@cache
def steps(name: str, number: int) -> list[tuple[int, Any]]:
    """States of b's first unit, from fresh on, with what one volley of a's gunners may make of each.

    From every depth a few states are followed, fallen ones among them.
    """
    fight = compile_case(name, number)
    ask, rng = Questions(fight), np.random.default_rng(5)
    shooter, target = fight.types_a[0], fight.types_b[0]
    able, foe_able = abilities(fight)
    ready = [gunner for gunner in range(ask.gunners(shooter)) if ask.ready(shooter, gunner, able)]
    found, level, seen = [], [ask.fresh(target)[0]], set()
    for _ in range(3):
        following: set[int] = set()
        for body, gunner in product(level, ready):
            outcomes = expand_volley(fight, shooter, gunner, able, target, foe_able, 0, body)
            found.append((body, outcomes))
            following.update(outcomes.bodies.tolist())
        seen.update(level)
        new = sorted(following - seen)
        fallen = [body for body in new if ask.fallen(target, body)]
        standing = [body for body in new if not ask.fallen(target, body)]
        level = [
            int(body)
            for some in (fallen, standing)
            for body in rng.permutation(np.array(some, np.uint64))[:WIDTH]
        ]
    return found


@for_all_systems
def test_every_system_has_names_aspects_phases_and_sheets(name):
    system = system_of(name)
    assert system.name == name
    assert system.title
    assert system.version.startswith(name)
    assert "front" in system.aspects
    assert system.phases
    assert len(set(system.kinds)) == len(system.kinds)
    assert len(sample_sheets(name)) >= 2
    for sheet in sample_sheets(name):
        assert sheet.id
        assert sheet.name
        assert system.gunner_count(sheet) >= 1
        assert sheet.ecv.source in ("rulebook", "draft", "priced")
        assert all(system.gunner_name(sheet, gunner) for gunner in range(system.gunner_count(sheet)))
        assert system.render_sheet(sheet)


def test_the_toy_system_is_registered_by_name(toy):
    assert registry.get_system("toy") is toy
    assert set(registry.system_names()) == set(SYSTEMS)
    with pytest.raises(InputError, match="did you mean toy"):
        registry.get_system("toys")


@for_all_systems
def test_hashes_tell_fights_apart_and_names_do_not_matter_in_them(name):
    system, (sheet, other, *_) = system_of(name), sample_sheets(name)
    renamed = system.replace_fields(sheet, {"name": "Somebody Else"})
    assert renamed is not sheet
    assert renamed.name == "Somebody Else"
    assert sheet.name != renamed.name
    assert system.fight_hash(renamed) == system.fight_hash(sheet) != system.fight_hash(other)
    assert system.sheet_hash(renamed) != system.sheet_hash(sheet)


@for_all_systems
@pytest.mark.parametrize("semicolon", [False, True])
def test_sheets_are_rows_of_a_table_and_back_without_a_loss(name, semicolon):
    system, sheets = system_of(name), sample_sheets(name)
    rows = [system.sheet_to_row(sheet) for sheet in sheets]
    assert system.row_columns[0] == "id"
    assert all(set(row) <= set(system.row_columns) for row in rows)
    columns = [column for column in system.row_columns if any(column in row for row in rows)]
    text = write_table(columns, rows, semicolon=semicolon)
    table = parse_table(text.encode(), "x.csv", system.row_columns)
    assert not table.problems
    again = [system.sheet_from_row(row) for row in table.rows]
    assert [sheet.id for sheet in again] == [sheet.id for sheet in sheets]
    assert [system.sheet_hash(sheet) for sheet in again] == [system.sheet_hash(sheet) for sheet in sheets]


@for_all_systems
def test_the_text_of_a_sheet_reads_as_the_sheet(name, tmp_path):
    system = system_of(name)
    for sheet in sample_sheets(name):
        path = tmp_path / f"{sheet.id}.yaml"
        path.write_text(system.sheet_text(sheet), encoding="utf-8")
        assert system.sheet_hash(system.load_sheet(path)) == system.sheet_hash(sheet)


@for_all_systems
def test_numbers_of_a_sheet_stand_at_their_fields_and_may_be_changed_alone(name):
    system = system_of(name)
    for sheet in sample_sheets(name):
        numbers = system.sheet_numbers(sheet)
        assert len(numbers) >= 5
        changed = 0
        for path, value in numbers.items():
            assert system.field_value(sheet, path) == value
            try:
                other = system.replace_fields(sheet, {path: value + 1})
            except InputError as error:
                assert error.problems[0].field.split(".")[0] == path.split(".")[0]
                continue
            assert system.sheet_numbers(other) == {**numbers, path: value + 1}
            changed += system.fight_hash(other) != system.fight_hash(sheet)
        assert changed >= 5
        assert system.field_value(sheet, "no_such_field.0") is None


@for_all_systems
def test_sheets_made_equal_in_every_stage_fight_alike_and_in_none_stay_as_they_are(name):
    system, sheets = system_of(name), sample_sheets(name)
    options, names = system.options({}), [stage.name for stage in system.stages]
    assert len(set(names)) == len(names) >= 3
    assert all(stage.step and stage.what for stage in system.stages)

    def fights(*pair: Any) -> str:
        return fight_digest(compile_sample(name, pair[:1], pair[1:]))

    for a, b in permutations(sheets, 2):
        for same, sheet in zip(system.equalised(a, b, [], options), (a, b), strict=True):
            assert system.fight_hash(same) == system.fight_hash(sheet)
        one, other = system.equalised(a, b, names, options)
        assert fights(one, other) == fights(one, one)
        assert fights(other, one) == fights(one, one)
        assert fights(a, b) != fights(a, a)
        assert any(fights(*system.equalised(a, b, [each], options)) != fights(a, b) for each in names)


@for_all_systems
def test_knock_outs_have_names_of_their_own_and_change_the_sheet(name):
    system = system_of(name)
    for sheet in sample_sheets(name):
        outs = system.knock_outs(sheet)
        assert len({(out.part, out.what) for out in outs}) == len(outs) >= 1
        for out in outs:
            assert out.sheet.id == sheet.id
            assert system.fight_hash(out.sheet) != system.fight_hash(sheet)
            assert compile_sample(name, [out.sheet], [sheet]).can_fire_b


@for_all_systems
def test_a_sheet_of_another_system_is_refused(name, tmp_path):
    others: list[Path] = [path for other in SYSTEMS if other != name for path in sheet_paths(other)]
    foreign = tmp_path / "foreign.yaml"
    foreign.write_text("{system: toy, name: Toy}" if name != "toy" else "{system: chess}", encoding="utf-8")
    for path in [foreign, *others]:
        with pytest.raises(InputError, match="system"):
            system_of(name).load_sheet(path)


@for_all_cases_the_toy_s_in_long_runs
def test_compiled_twice_the_program_is_the_same(name, number):
    one, two = compile_case(name, number), compile_case(name, number)
    assert one.program is not two.program
    assert np.array_equal(one.program, two.program)
    assert vars(replace(one, program=None)) == vars(replace(two, program=None))
    assert len(one.scene_of_turn) == one.turns == 12


@for_all_cases_the_toy_s_in_long_runs
def test_weights_of_every_expansion_sum_to_one(name, number):
    for _, outcomes in steps(name, number):
        assert outcomes.weights.min() > 0
        assert abs(outcomes.weights.sum() - 1) < 1e-12
        pairs = set(zip(outcomes.bodies.tolist(), outcomes.notes.tolist(), strict=True))
        assert len(pairs) == len(outcomes.weights)


@for_all_cases_the_toy_s_in_long_runs
def test_an_expansion_is_the_same_every_time(name, number):
    fight = compile_case(name, number)
    able, foe_able = abilities(fight)
    again = [
        expand_volley(fight, fight.types_a[0], 0, able, fight.types_b[0], foe_able, 0, body)
        for body, _ in steps(name, number)[:1]
    ]
    for (_, first), second in zip(steps(name, number), again, strict=False):
        assert first.bodies.tolist() == second.bodies.tolist()
        assert first.notes.tolist() == second.notes.tolist()
        assert first.weights.tolist() == second.weights.tolist()


@for_all_cases_the_toy_s_in_long_runs
def test_a_fresh_unit_stands_and_fires_if_it_ever_can(name, number):
    fight = compile_case(name, number)
    ask = Questions(fight)
    for type_, able, can_fire in zip(
        (fight.types_a[0], fight.types_b[0]),
        abilities(fight),
        (fight.can_fire_a, fight.can_fire_b),
        strict=True,
    ):
        body, memory = ask.fresh(type_)
        assert not ask.fallen(type_, body)
        assert ask.flags(type_, body) == 0
        assert any(ask.ready(type_, gunner, able) for gunner in range(ask.gunners(type_))) == can_fire
        for gunner in range(ask.gunners(type_)):
            changed = ask.spend(type_, gunner, able, memory) != memory
            assert not changed or ask._ask("remembers", type_)


@for_all_cases_the_toy_s_in_long_runs
def test_bit_zero_of_the_flags_is_fallen(name, number):
    fight = compile_case(name, number)
    ask, target = Questions(fight), fight.types_b[0]
    bodies = {body for _, outcomes in steps(name, number) for body in outcomes.bodies.tolist()}
    flags = {body: ask.flags(target, body) for body in bodies}
    assert all(flag & 1 == ask.fallen(target, body) for body, flag in flags.items())
    assert max(flags.values()) < 1 << (1 + len(fight.system.kinds))
    assert {flag & 1 for flag in flags.values()} == {0, 1}


@for_all_cases_the_toy_s_in_long_runs
def test_destroyed_is_absorbing(name, number):
    """The fallen stay fallen whatever hits them, and no figure that has come true ends."""
    fight = compile_case(name, number)
    ask, target = Questions(fight), fight.types_b[0]
    fallen = 0
    for body, outcomes in steps(name, number):
        before = ask.flags(target, body)
        fallen += before & 1
        assert all(before & ask.flags(target, after) == before for after in outcomes.bodies.tolist())
    assert fallen >= 1


@for_all_cases_the_toy_s_in_long_runs
def test_what_is_not_weakened_can_do_and_counts_the_same(name, number):
    fight = compile_case(name, number)
    ask, target = Questions(fight), fight.types_b[0]
    weakened = fight.system.kernels[-1].weakened
    memory = ask.fresh(target)[1]
    kinds = set()
    for body, outcomes in steps(name, number):
        for after in set(outcomes.bodies.tolist()):
            changed = bool(weakened(np.uint64(body), np.uint64(after)))
            kinds.add((changed, after == body))
            if not changed:
                assert ask.flags(target, after) == ask.flags(target, body)
                assert ask.capability(target, 0, 0, after, memory) == ask.capability(
                    target, 0, 0, body, memory
                )
    assert {(True, False), (False, True)} <= kinds


@for_all_cases_the_toy_s_in_long_runs
def test_a_told_fight_is_repeated_by_its_own_dice(name, number):
    """Given the dice, all is given."""
    sheets = sample_sheets(name)
    where = Situation(10.0, "front", "rear")
    fight = compile_sample(name, sheets[:2], sheets[1:3], SETTINGS[name][number], where, 8)
    narrator = fight.system.narrator(fight)
    policies = {"policy_a": "spread", "policy_b": "first"}
    for replicate in range(20):
        told = tell_replicate(fight, narrator, seed=3, key=9, replicate=replicate, **policies)
        tokens = [narrator.token(event.throw) for event in told.events]
        again = tell_dice(fight, narrator, tokens, **policies)
        assert again.bodies == told.bodies
        assert again.fell == told.fell
        assert [vars(event) for event in again.events] == [vars(event) for event in told.events]
        assert all(narrator.tell(event) for event in told.events)
        for event in told.events:
            assert event.throw is not None or event.before == event.after


@for_all_cases_the_toy_s_in_long_runs
def test_stages_one_by_one_come_to_what_the_whole_volley_comes_to(name, number):
    """Loops call the stages, tables the volley: what happened in fights is what may happen, and only that."""
    fight = compile_case(name, number)
    narrator, types = fight.system.narrator(fight), (fight.types_a[0], fight.types_b[0])
    policies = {"policy_a": "first", "policy_b": "first"}
    seen = set()
    for replicate in range(12):
        told = tell_replicate(fight, narrator, seed=8, key=1, replicate=replicate, **policies)
        for event in told.events:
            if event.throw is None:
                continue
            asked = (event.ability, types[event.target], event.target_ability, 0, event.before)
            found = expand_volley(fight, types[event.unit], event.gunner, *asked)
            ends = set(zip(found.bodies.tolist(), found.notes.tolist(), strict=True))
            assert (event.after, event.note) in ends
            seen.add(event.after == event.before)
    assert seen == {True, False}


def mirrored_rows(name: str, number: int, aspects: tuple[str, str]) -> Iterator[tuple[Any, Any]]:
    """The rows of one turn of a against b, and of the same units with sides exchanged."""
    sheets = sample_sheets(name)
    here = compile_sample(name, sheets[:1], sheets[1:2], SETTINGS[name][number], Situation(10.0, *aspects))
    there = compile_sample(
        name, sheets[1:2], sheets[:1], SETTINGS[name][number], Situation(10.0, *aspects[::-1])
    )
    ask = Questions(here)
    for shooter, target in ((0, 1), (1, 0)):
        rows = []
        for fight, order in ((here, (shooter, target)), (there, (target, shooter))):
            types, able = (fight.types_a[0], fight.types_b[0]), abilities(fight)
            body = ask.fresh(here.types_a[0] if target == 0 else here.types_b[0])[0]
            one, two = (order[0], order[1]) if fight is here else (1 - shooter, 1 - target)
            rows.append(expand_fire(fight, types[one], able[one], types[two], able[two], 0, body))
        yield rows[0], rows[1]


@for_all_cases_the_toy_s_in_long_runs
def test_sides_are_symmetric(name, number):
    """a against b, showing x and y, is b against a, showing y and x."""
    aspects = system_of(name).aspects
    for pair in ((aspects[0], aspects[0]), (aspects[0], aspects[-1]), (aspects[1], aspects[0])):
        for here, there in mirrored_rows(name, number, pair):
            assert here.bodies.tolist() == there.bodies.tolist()
            assert here.weights.tolist() == there.weights.tolist()


@for_all_cases_the_toy_s_in_long_runs
def test_one_turn_of_sampled_duels_agrees_with_the_tables(name, number):
    fight = compile_case(name, number, turns=1)
    ask, n = Questions(fight), 1_000_000
    tally = play_fights(fight, n=n, seed=4, key=0xFEDCBA9876543210)
    types, able = (fight.types_a[0], fight.types_b[0]), abilities(fight)
    falls = []
    for unit in (0, 1):
        row = expand_fire(
            fight, types[1 - unit], able[1 - unit], types[unit], able[unit], 0, ask.fresh(types[unit])[0]
        )
        chances = np.zeros(tally.flags.shape[1])
        for body, weight in zip(row.bodies.tolist(), row.weights.tolist(), strict=True):
            chances[ask.flags(types[unit], body)] += weight
        falls.append(float(chances[1::2].sum()))
        for flag, chance in enumerate(chances.tolist()):
            assert_share(tally.flags[unit, flag], n, min(chance, 1.0), 2 * len(chances) + 4)
    lost_a, lost_b = falls
    truth = (lost_b * (1 - lost_a), lost_a * (1 - lost_b), lost_a * lost_b, (1 - lost_a) * (1 - lost_b))
    for count, chance in zip(tally.outcomes, truth, strict=True):
        assert_share(count, n, chance, 2 * tally.flags.shape[1] + 4)
