"""The worked examples of the book, played as a user would: traces under given dice, and kernel functions."""

from fractions import Fraction
from typing import Any

import pytest

from simlab import lab
from simlab.rules.blitzkrieg.compile import CONTESTS, chart_column
from simlab.rules.blitzkrieg.kernel.damage import excess
from simlab.rules.blitzkrieg.kernel.manifest import attacker_wins, crossed_lines
from simlab.rules.blitzkrieg.kernel.to_hit import reaches
from simlab.rules.blitzkrieg.sheet import Sheet
from simlab.rules.blitzkrieg.shots import to_hit

SHERMAN: Sheet = lab.find_sheet("m4a3_sherman_lp")
UNARMED = SHERMAN.replaced(**{f"weapons.{name}.ammo": 0 for name in SHERMAN.weapons})
TWO_GUNS = SHERMAN.replaced(
    **{
        f"weapons.{name}.{field}": value
        for name in ("cannon", "coaxial")
        for field, value in (("type", "ballistic"), ("low", [3, 2, 2]))
    }
)
"""Two weapons of low 3/2/2."""


def story(a: Any, b: Any, dice: str, **settings: Any) -> list[str]:
    """What a trace says of each exchange."""
    trace = lab.trace(a, b, dice=dice, **{"range": 14, "turns": 1, **settings})
    return [row["told"] for row in trace.exchanges]


@pytest.mark.rule("BK-12")
def test_a_nine_hits_with_the_cannon_only() -> None:
    """Sherman front at 14 inches by skill +1: 8 + 1 - 1 = 8 for the cannon, 13 + 1 - 1 = 13 for the machine gun."""
    needed = [to_hit(SHERMAN, 0, name, SHERMAN, 14, "front", False) for name in ("cannon", "coaxial")]
    assert needed == [8, 13]
    assert [reaches(9, number) for number in needed] == [True, False]
    (told,) = story(SHERMAN, UNARMED, "4+5/L")
    assert "76mm Rifled Cannon needs 8: hit" in told
    assert "7.92mm Coaxial MG needs 13: miss" in told


@pytest.mark.rule("BK-21")
@pytest.mark.parametrize(
    ("aspect", "dice", "points", "result"),
    [
        ("front", "4+5/L/1", "internal 0 + 1 + 3 = 4", "5 lines"),
        ("front_left", "4+5/L", "internal 4 + 1 + 4 = 9", "dead column: destroyed"),
        ("front_right", "4+5/L", "internal 4 + 1 + 4 = 9", "dead column: destroyed"),
        ("rear", "4+5/L", "internal 5 + 1 + 4 = 10", "dead column: destroyed"),
    ],
)
def test_two_hits_of_three_two_two(aspect: str, dice: str, points: str, result: str) -> None:
    """6/4/4 against a fresh Sherman: armour 6, 2, 1; threshold 3; factor 1 in front, 0 elsewhere."""
    (told,) = story(TWO_GUNS, UNARMED, dice, aspect_b=aspect)
    assert points in told
    assert result in told
    assert [excess(4, 3), excess(4, 1), excess(4, 0)] == [1, 3, 4]


@pytest.mark.rule("BK-5", "BK-22")
def test_the_sherman_s_chart() -> None:
    lines = [chart_column(SHERMAN.internal_amount, points) for points in range(1, 9)]
    assert lines == [1, 3, 4, 5, 6, 8, 9, 10]


@pytest.mark.rule("BK-23")
def test_five_points_and_a_seven_cross_seven_to_twelve() -> None:
    lines = chart_column(SHERMAN.internal_amount, 5)
    assert lines == 6
    assert crossed_lines(0, 7 - 1, lines, False) == sum(1 << (line - 1) for line in range(7, 13))
    gun = SHERMAN.replaced(**{"weapons.cannon.low": [0, 0, 6]})
    (told,) = story(gun, UNARMED, "4+5/L/7/1:1,1:1")
    assert "6 lines" in told
    assert "d20 7: lines 7 to 12 crossed" in told


@pytest.mark.rule("BK-26")
def test_a_contest_explodes_in_190_of_400() -> None:
    wins = sum(attacker_wins(attacker, defender) for attacker, defender in CONTESTS)
    assert Fraction(wins, len(CONTESTS)) == Fraction(190, 400)
    gun = SHERMAN.replaced(**{"weapons.cannon.low": [0, 0, 2]})
    for contest, said in (("10:10", "no explosion"), ("11:10", "explodes")):
        (told,) = story(gun, UNARMED, f"4+5/L/17/{contest}")
        assert f"contest {contest.replace(':', ' against ')}: {said}" in told


@pytest.mark.rule("BK-30")
def test_a_destroyed_unit_still_shoots() -> None:
    """Both Shermans destroy each other in the same turn."""
    gun = SHERMAN.replaced(**{"weapons.cannon.low": [0, 0, 9]})
    trace = lab.trace(gun, gun, range=14, dice="4+5/L 4+5/L")
    assert trace.outcome == "both_destroyed"
    assert len(trace.exchanges) == 2


@pytest.mark.rule("BK-11", "BK-13")
def test_box_cars_are_rolled_on_and_added() -> None:
    (told,) = story(SHERMAN, UNARMED, "6+6+1+2/L")
    assert "rolls 6+6+1+2 = 15" in told
    assert told.count(": hit") == 2


@pytest.mark.rule("BK-27")
def test_without_periscope_one_die() -> None:
    gun = SHERMAN.replaced(**{"weapons.cannon.low": [0, 0, 2]})
    told = story(gun, SHERMAN, "4+5/L/14 4+5/L 4+5/L/13 6", turns=2)
    assert "rolls 6; 76mm Rifled Cannon needs 8: miss" in told[-1]
