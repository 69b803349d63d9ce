"""What a unit can no longer do, and when that destroys it: BK-28, BK-29, BK-69."""

import pytest
from bench import SHERMAN, Duel, box, crate, punch

TREADS = (box("tread", 1, 2, side="right"), box("tread", 3, 4, side="left"))
LOSSES = {
    "any": {"crew", "weapons", "mobility", "both"},
    "all": {"crew", "both"},
    "firepower": {"crew", "weapons", "both"},
    "crew": {"crew"},
}
"""What destroys under each value of `loss_of_function`."""
LINES = {"crew": [20], "weapons": [5, 8, 9], "mobility": [2, 3], "both": [1, 4, 5, 7, 11]}
"""Lines of the Sherman that take the crew, all weapons, all treads, or weapons and treads."""


@pytest.mark.rule("BK-28")
@pytest.mark.parametrize(
    ("crossed", "immobile"), [([1], False), ([1, 2], False), ([3, 4], False), ([2, 3], True)]
)
def test_the_loss_of_all_treads_makes_immobile(crossed: list[int], immobile: bool) -> None:
    duel = Duel(b=crate(*TREADS))
    assert ("mobility_kill" in duel.figures("b", duel.body(crossed=crossed))) is immobile


@pytest.mark.rule("BK-28")
def test_the_loss_of_an_engine_makes_immobile() -> None:
    target = crate(box("engine", 5, hits=3), box("engine", 7, hits=1), *TREADS)
    duel = Duel(b=target)
    for line in (5, 7):
        assert "mobility_kill" in duel.figures("b", duel.body(crossed=[line]))
    assert duel.figures("b", duel.body(crossed=[6])) == frozenset()


@pytest.mark.rule("BK-28")
def test_a_unit_without_treads_and_engine_is_never_immobile() -> None:
    duel = Duel(b=crate())
    assert duel.figures("b", duel.body(crossed=range(1, 21))) == frozenset()


@pytest.mark.rule("BK-28")
def test_reading_immobile() -> None:
    """One lost tread is enough, or all have to go; a unit that runs on one or on three is no different."""
    three = (*TREADS, box("tread", 6, side="left"))
    for treads, lost in ((TREADS, [2, 3]), (three, [2, 3, 6]), (TREADS[:1], [1])):
        some = lost[:1]
        for value in ("both", "one_tread"):
            duel = Duel(b=crate(*treads), immobile=value)
            assert "mobility_kill" in duel.figures("b", duel.body(crossed=lost))
            early = "mobility_kill" in duel.figures("b", duel.body(crossed=some))
            assert early is (value == "one_tread" or some == lost)


@pytest.mark.rule("BK-29")
@pytest.mark.parametrize("value", LOSSES)
@pytest.mark.parametrize("lost", LINES)
def test_reading_loss_of_function(value: str, lost: str) -> None:
    """A dead crew always destroys; weapons and mobility by the reading: either, both at once, weapons, none."""
    duel = Duel(loss_of_function=value)
    figures = duel.figures("b", duel.body(crossed=LINES[lost]))
    assert ("destroyed" in figures) is (lost in LOSSES[value])


@pytest.mark.rule("BK-29")
def test_loss_of_function_is_judged_after_each_volley() -> None:
    shot = Duel(punch(2)).shoot("4+5/L/2")
    assert shot.crossed == (2, 3, 4)
    assert shot.figures == {"destroyed", "mobility_kill"}


@pytest.mark.rule("BK-29")
def test_an_unused_weapon_counts() -> None:
    """The pintle weapon that nobody fires is a weapon left."""
    duel = Duel(pintle_policy_b="never")
    assert duel.figures("b", duel.body(crossed=[8, 9])) == frozenset()
    assert duel.figures("b", duel.body(crossed=[5, 8, 9])) == {"destroyed", "firepower_kill"}


@pytest.mark.rule("BK-69")
@pytest.mark.parametrize(
    ("crossed", "figures"),
    [
        ([], set()),
        ([20], {"destroyed", "crew_kill"}),
        ([19], {"destroyed", "mobility_kill"}),
        ([1, 4], {"destroyed", "mobility_kill"}),
        ([5, 8, 9], {"destroyed", "firepower_kill"}),
        ([5, 8, 9, 19, 20], {"destroyed", "firepower_kill", "mobility_kill", "crew_kill"}),
        ([6, 12, 13, 14, 15, 16, 17, 18], set()),
    ],
)
def test_figures_of_crossed_lines(crossed: list[int], figures: set[str]) -> None:
    duel = Duel()
    assert duel.figures("b", duel.body(crossed=crossed)) == figures


@pytest.mark.rule("BK-69")
@pytest.mark.parametrize("value", LOSSES)
def test_figures_do_not_depend_on_what_destroys(value: str) -> None:
    duel = Duel(loss_of_function=value)
    held = {
        lost: duel.figures("b", duel.body(crossed=lines)) - {"destroyed"} for lost, lines in LINES.items()
    }
    assert held == {
        "crew": {"crew_kill"},
        "weapons": {"firepower_kill"},
        "mobility": {"mobility_kill"},
        "both": {"firepower_kill", "mobility_kill"},
    }


@pytest.mark.rule("BK-69")
def test_a_weapon_off_the_manifest_is_never_lost() -> None:
    target = crate(box("weapon", 1, weapon="cannon"), box("weapon", 2, weapon="coaxial"))
    duel = Duel(b=target)
    assert duel.figures("b", duel.body(crossed=range(1, 21))) == frozenset()
    assert duel.condition(body=duel.body(crossed=[1, 2])).weapons == ()


@pytest.mark.rule("BK-69")
def test_one_of_several_boxes_of_a_weapon_takes_it() -> None:
    boxes = [box("weapon", line, weapon=name) for line, name in enumerate((*SHERMAN.weapons, "cannon"), 5)]
    duel = Duel(b=crate(*boxes))
    for box_of_cannon in (5, 8):
        assert duel.figures("b", duel.body(crossed=[6, 7, box_of_cannon])) == {"destroyed", "firepower_kill"}
    assert duel.figures("b", duel.body(crossed=[5, 8, 6])) == frozenset()


@pytest.mark.rule("BK-69")
def test_no_rounds_and_no_range_are_no_firepower_kill() -> None:
    short = {f"weapons.{name}.{field}": 0 for name in SHERMAN.weapons for field in ("ammo", "max_range")}
    duel = Duel(b=SHERMAN.replaced(**short))
    assert duel.condition("b").weapons == ()
    assert duel.condition("b").figures == frozenset()


@pytest.mark.rule("BK-69")
def test_a_volley_that_explodes_still_counts_what_it_crossed() -> None:
    shot = Duel(punch(5)).shoot("4+5/L/15/2:1")
    assert shot.crossed == (15, 16, 17, 18, 19, 20)
    assert shot.figures == {"destroyed", "mobility_kill", "crew_kill", "catastrophic_kill"}


@pytest.mark.rule("BK-69")
def test_the_dead_column_crosses_nothing() -> None:
    duel = Duel(punch(8))
    shot = duel.shoot("4+5/L", body=duel.body(crossed=[14]))
    assert shot.crossed == ()
    assert shot.figures == {"destroyed", "catastrophic_kill"}
