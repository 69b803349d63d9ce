"""What holds for told fights of every rule system: told twice the same, repeated by their dice, as they ever were."""

import difflib
from typing import Any

import pytest
from contract_told import FOLDER, tell
from samples import CASES, SETTINGS, SYSTEMS, compile_sample, sample_sheets, system_of

from simlab.engine.play import play_fights
from simlab.model.errors import InputError
from simlab.model.situation import Situation
from simlab.rules import registry
from simlab.tables.expand import expand_volley
from simlab.traces.told import Told, tell_dice, tell_replicate

AT_LENGTH = ("tank_d20", "wwiisim")
"""Told at length, several a side and by given dice, in long runs only: their loops take a minute to compile."""
for_all_cases = pytest.mark.parametrize(
    ("name", "number"),
    [pytest.param(*case, marks=pytest.mark.long) if case[0] in AT_LENGTH else case for case in CASES],
)
for_all_systems = pytest.mark.parametrize("name", SYSTEMS)
for_quick_systems = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name in AT_LENGTH else name for name in SYSTEMS]
)
POLICIES = {"policy_a": "spread", "policy_b": "first"}
FIGHTS, EXPANDED = 6, 8
"""Fights that are told, and of each the exchanges that are held against the table of all that may happen."""
WHERE = Situation(10.0, "front", "rear")


def skirmish(name: str, number: int) -> Any:
    """Two units a side."""
    sheets = sample_sheets(name)
    return compile_sample(name, sheets[:2], sheets[1:3], SETTINGS[name][number], WHERE, 6)


def told(fight: Any, replicate: int) -> Told:
    narrator = fight.system.narrator(fight)
    return tell_replicate(fight, narrator, seed=3, key=9, replicate=replicate, **POLICIES)


def lines(fight: Any, found: Told) -> list[str]:
    narrator = fight.system.narrator(fight)
    return [text for event in found.events for text in (narrator.token(event.throw), *narrator.tell(event))]


@for_all_cases
def test_a_told_fight_is_repeated_by_its_own_dice(name, number):
    """Given the dice, all is given."""
    fight = skirmish(name, number)
    narrator = fight.system.narrator(fight)
    for replicate in range(FIGHTS):
        found = told(fight, replicate)
        tokens = [narrator.token(event.throw) for event in found.events]
        assert not any(set(token) & set(" \t\n") for token in tokens)
        again = tell_dice(fight, narrator, tokens, **POLICIES)
        assert (again.bodies, again.fell) == (found.bodies, found.fell)
        assert [vars(event) for event in again.events] == [vars(event) for event in found.events]
        assert lines(fight, again) == lines(fight, found) == lines(fight, told(fight, replicate))
        for event in found.events:
            assert narrator.tell(event)
            assert all(line and "\n" not in line for line in narrator.tell(event))
            assert event.throw is not None or event.before == event.after


@for_all_cases
def test_what_is_told_is_what_was_counted_and_what_may_happen(name, number):
    fight = skirmish(name, number)
    types = fight.types_a + fight.types_b
    phases = set()
    for replicate in range(FIGHTS):
        found = told(fight, replicate)
        tally = play_fights(fight, n=1, first=replicate, seed=3, key=9, workers=1, **POLICIES)
        assert len(found.events) == tally.exchanges
        assert tally.turn_sum.tolist() == list(found.fell)
        for event in found.events:
            phases.add(event.phase)
            if event.throw is not None and event.number <= EXPANDED:
                asked = event.ability, types[event.target], event.target_ability, 0, event.before
                table = expand_volley(fight, types[event.unit], event.gunner, *asked)
                ends = set(zip(table.bodies.tolist(), table.notes.tolist(), strict=True))
                assert (event.after, event.note) in ends
    assert phases <= set(range(len(fight.phases)))


@for_quick_systems
@pytest.mark.parametrize("wrong", ["", "?", "-", "999999", "1/2/3/4/5/6/7/8/9", "¼"])
def test_dice_that_cannot_have_fallen_are_refused_in_one_line(name, wrong):
    fight = skirmish(name, 0)
    narrator = fight.system.narrator(fight)
    found = told(fight, 0)
    tokens = [narrator.token(event.throw) for event in found.events]
    with pytest.raises(InputError, match="exchange 1") as raised:
        tell_dice(fight, narrator, [wrong, *tokens[1:]], **POLICIES)
    assert len(raised.value.problems) == 1


@for_all_systems
def test_traces_are_as_they_were(name, toy):
    """Where this fails on purpose, `python -m tests.contract_told` writes the traces anew, to be read as a diff."""
    registry.register_system(system_of(name))
    path = FOLDER / f"{name}.txt"
    before, now = path.read_text(encoding="utf-8"), tell(name)
    shown = "\n".join(
        difflib.unified_diff(before.splitlines(), now.splitlines(), "before", "now", lineterm="")
    )
    assert now == before, f"run: python -m tests.contract_told {name}\n{shown}"


def test_every_system_has_traces_and_nothing_else_has():
    assert {path.name for path in FOLDER.iterdir()} == {f"{name}.txt" for name in SYSTEMS}
