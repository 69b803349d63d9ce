"""What `odds` and traces say of losses and numbers, against what the kernel does: BK-12, BK-24, BK-60, BK-61, BK-67."""

from typing import Any

import pytest
from bench import SHERMAN, Duel, box, crate, punch
from plain_kernels import plain

from simlab.model.situation import Situation
from simlab.rules.blitzkrieg import shots
from simlab.rules.blitzkrieg.system import SYSTEM
from simlab.tables.expand import expand_volley

SILENT = {f"weapons.{name}.ammo": 0 for name in SHERMAN.weapons}


def report(duel: Duel) -> dict[str, dict[str, float]]:
    """The sections of the report on the first gunner's volley."""
    with plain():
        first = SYSTEM.report_volleys(duel.fight, expand_volley, duel.ask)[0]
    return {section.title: section.chances for section in first.sections}


@pytest.mark.rule("BK-24")
@pytest.mark.parametrize(("hits", "counted"), [(1, True), (2, False), (5, False)])
def test_an_engine_is_listed_as_lost_when_it_is(hits: int, counted: bool) -> None:
    """Nothing but the engine can be lost here, and its loss destroys."""
    target = crate(box("engine", 10, 11, hits=hits), box("other", 20))
    for value, lost in (("first", True), ("count", counted)):
        found = report(Duel(punch(1), target, engine_hits=value))
        engine = found["items lost"]["11-10 engine"]
        assert engine == pytest.approx(found["destroyed"]["by loss of function"], abs=1e-15)
        assert (engine > 0) is lost


@pytest.mark.rule("BK-24")
def test_each_of_several_engines_is_listed_by_its_own_count() -> None:
    target = crate(box("engine", 8, hits=3), box("engine", 5, hits=1), box("engine", 3, hits=2))
    items = report(Duel(punch(4), target, engine_hits="count"))["items lost"]
    assert {name: chance > 0 for name, chance in items.items()} == {
        "8 engine": False,
        "5 engine": True,
        "3 engine": False,
    }


def told(target: Any, dice: str, **readings: Any) -> list[str]:
    """What is said of the items of each volley whose lines are crossed."""
    duel = Duel(punch(1), target, turns=len(dice.split()), **readings)
    narrator = SYSTEM.narrator(duel.fight)
    lines = [line for event in duel.told(dice).events for line in narrator.tell(event)]
    return [line.rsplit(": ", 1)[1] for line in lines if "crossed: " in line or line.startswith("destroyed")]


ENGINE = crate(box("engine", 10, 11, hits=3), box("fuel", 12), **SILENT)


@pytest.mark.rule("BK-24")
def test_a_counted_engine_is_named_lost_by_the_volley_that_takes_it() -> None:
    """The last only passes over it; one that does not come near it says nothing of it."""
    said = told(ENGINE, "4+5/L/10 4+5/L/9 4+5/L/10 4+5/L/9/1:1", engine_hits="count")
    assert said == ["engine (1 of 3 hits)", "nothing new", "engine (2 of 3 hits)", "engine, fuel", "immobile"]


@pytest.mark.rule("BK-24")
def test_a_lost_engine_is_named_once() -> None:
    said = told(ENGINE, "4+5/L/10 4+5/L/10 4+5/L/10/1:1", loss_of_function="crew")
    assert said == ["engine", "nothing new", "fuel"]
    said = told(
        ENGINE, "4+5/L/10 " * 2 + "4+5/L/10/1:1 4+5/L/10", loss_of_function="crew", engine_hits="count"
    )
    assert said == ["engine (1 of 3 hits)", "engine (2 of 3 hits)", "engine, fuel", "nothing new"]


NEAR = {"immobile_targets": True, "point_blank": True}
HALVED = [
    ({}, 14, "defence value (DV) + 1"),
    (NEAR, 1, "defence value (DV), halved twice and rounded up, + 0"),
    ({**NEAR, "half_round": "down"}, 1, "defence value (DV), halved twice and rounded down, + 0"),
    ({**NEAR, "halving_stack": "once"}, 1, "defence value (DV), halved and rounded up, + 0"),
    (NEAR, 14, "defence value (DV), halved and rounded up, + 1"),
    ({"point_blank": True}, 1, "defence value (DV), halved and rounded up, + 0"),
    ({"hull_down": True, "half_round": "down"}, 24, "defence value (DV), halved and rounded down, + 2"),
    ({"immobile_targets": True, "moved_a": True}, 1, "defence value (DV), halved and rounded up, + 0"),
    ({"immobile_targets": True, "moved_b": True}, 1, "defence value (DV) + 0"),
]
"""Readings, range, and the value and the range as the rule for a unit alone puts them."""
TARGETS = {value: SHERMAN.replaced(**{"defense.ballistic.front_back": value}) for value in range(-9, 100)}


@pytest.mark.rule("BK-12", "BK-60", "BK-61", "BK-67")
@pytest.mark.parametrize(("readings", "distance", "value"), HALVED)
def test_a_unit_alone_hits_what_it_hits_against_a_target(
    readings: dict[str, Any], distance: float, value: str
) -> None:
    options = SYSTEM.options(readings)
    arms = SYSTEM.report_arms(SHERMAN, Situation(distance), options)
    said = "chance of a number, and the highest it hits"
    assert arms.rule == f"number needed = {value} for the range - skill; {said}"
    assert arms.columns == ("DV at +1",)
    needed = {
        defence: shots.to_hit(SHERMAN, 0, "cannon", target, distance, "front", False, options)
        for defence, target in TARGETS.items()
    }
    for number, (highest,) in zip(shots.NUMBERS, arms.reached, strict=True):
        hit = {defence for defence in needed if needed[defence] <= number}
        assert hit == {defence for defence in needed if defence <= int(highest)}
