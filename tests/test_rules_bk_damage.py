"""From hits to lines: BK-17 to BK-22."""

import pytest
from bench import SHERMAN, Duel, punch

UNREACHED = [None] * 9 + [99]
TWO_GUNS = SHERMAN.replaced(
    **{
        f"weapons.{name}.{field}": value
        for name in ("cannon", "coaxial")
        for field, value in (("type", "ballistic"), ("low", [3, 2, 2]))
    }
)
"""Two weapons of low 3/2/2, as in the book's example."""


@pytest.mark.rule("BK-17")
@pytest.mark.parametrize(
    ("dice", "left"), [("6+6+1+1/H", 20 - 5 - 2), ("6+6+1+1/L", 20 - 3 - 1), ("4+5/H", 20 - 5)]
)
def test_one_coin_sets_the_level_of_all_weapons_that_hit(dice: str, left: int) -> None:
    target = SHERMAN.replaced(**{"armor.front": 20}, internal_amount=UNREACHED)
    shot = Duel(SHERMAN, target).shoot(dice)
    assert shot.armor["front"] == left
    assert shot.asked == ("roll", "level")


@pytest.mark.rule("BK-17")
def test_damage_shock_and_penetration_are_added_up_each() -> None:
    target = SHERMAN.replaced(armor=dict.fromkeys(("front", "left", "right", "back"), 0), shock_threshold=0)
    target = target.replaced(**{"penetration.front": 0}, internal_amount=UNREACHED)
    duel = Duel(SHERMAN, target)
    assert duel.shoot("6+6+1+1/H").points == (5 + 2, 4 + 2, 3 + 0)
    assert duel.shoot("6+6+1+1/L").points == (3 + 1, 2 + 1, 1 + 0)
    assert duel.shoot("4+5/L").points == (3, 2, 1)


@pytest.mark.rule("BK-17")
def test_high_and_low_are_equally_likely() -> None:
    outcomes = Duel(SHERMAN, SHERMAN.replaced(internal_amount=UNREACHED)).outcomes()
    hit = outcomes.notes & 1 != 0
    high = outcomes.weights[hit & (outcomes.notes >> 12 & 3 == 0)].sum()
    low = outcomes.weights[hit & (outcomes.notes >> 12 & 3 == 1)].sum()
    assert high == pytest.approx(low, abs=1e-15)
    assert high + low == pytest.approx(15 / 36, abs=1e-15)


@pytest.mark.rule("BK-18")
def test_damage_wears_the_armour_of_the_face_and_the_rest_is_internal() -> None:
    duel = Duel(
        SHERMAN.replaced(**{"weapons.cannon.low": [4, 0, 0]}), SHERMAN.replaced(internal_amount=UNREACHED)
    )
    first = duel.shoot("4+5/L")
    second = duel.shoot("4+5/L", body=first.body)
    third = duel.shoot("4+5/L", body=second.body)
    assert [shot.armor["front"] for shot in (first, second, third)] == [2, 0, 0]
    assert [shot.points for shot in (first, second, third)] == [(0, 0, 0), (2, 0, 0), (4, 0, 0)]
    assert {shot.armor["left"] for shot in (first, second, third)} == {2}


@pytest.mark.rule("BK-19")
@pytest.mark.parametrize(("shock", "internal"), [(2, 0), (3, 0), (4, 1), (9, 6)])
def test_shock_above_the_threshold_is_internal(shock: int, internal: int) -> None:
    target = SHERMAN.replaced(internal_amount=UNREACHED)
    duel = Duel(SHERMAN.replaced(**{"weapons.cannon.low": [0, shock, 0]}), target)
    assert duel.shoot("4+5/L").points == (0, internal, 0)


@pytest.mark.rule("BK-19")
def test_the_shock_of_all_weapons_meets_the_threshold_once() -> None:
    duel = Duel(
        TWO_GUNS.replaced(**{"weapons.coaxial.type": "anti_personnel"}),
        SHERMAN.replaced(internal_amount=UNREACHED),
    )
    assert duel.shoot("6+6+1+1/L").points[1] == 2 + 2 - 3


@pytest.mark.rule("BK-20")
@pytest.mark.parametrize(("penetration", "internal"), [(0, 0), (1, 0), (2, 1), (7, 6)])
def test_penetration_above_the_factor_is_internal(penetration: int, internal: int) -> None:
    target = SHERMAN.replaced(internal_amount=UNREACHED)
    duel = Duel(SHERMAN.replaced(**{"weapons.cannon.low": [0, 0, penetration]}), target)
    assert duel.shoot("4+5/L").points == (0, 0, internal)


@pytest.mark.rule("BK-21", "BK-22")
@pytest.mark.parametrize(
    ("aspect", "dice", "points", "lines"),
    [
        ("front", "4+5/L/20", (0, 1, 3), 5),
        ("front_left", "4+5/L", (4, 1, 4), 10),
        ("rear", "4+5/L", (5, 1, 4), 10),
    ],
)
def test_the_book_s_two_hits(aspect: str, dice: str, points: tuple[int, int, int], lines: int) -> None:
    shot = Duel(TWO_GUNS, aspect=aspect).shoot(dice)
    assert shot.hits == ("cannon", "coaxial")
    assert (shot.points, shot.lines) == (points, lines)


@pytest.mark.rule("BK-21")
def test_internal_points_are_the_sum_of_the_three() -> None:
    target = SHERMAN.replaced(**{"armor.front": 0}, internal_amount=[None, None, 6, *[None] * 6, 99])
    for strike, lines in (([2, 5, 3], 3), ([2, 5, 2], 0), ([1, 5, 3], 0), ([2, 4, 3], 0)):
        duel = Duel(SHERMAN.replaced(**{"weapons.cannon.low": strike}), target)
        assert duel.shoot("4+5/L/20" if lines else "4+5/L").lines == lines


@pytest.mark.rule("BK-22")
@pytest.mark.parametrize(("points", "lines"), [(1, 1), (2, 3), (3, 4), (4, 5), (5, 6), (6, 8), (7, 9)])
def test_points_cross_lines(points: int, lines: int) -> None:
    shot = Duel(punch(points), SHERMAN.replaced(manifest=[], **OFF)).shoot("4+5/L/1")
    assert shot.lines == lines
    assert shot.crossed == tuple(range(1, lines + 1))
    assert "destroyed" not in shot.figures


OFF = {f"weapons.{name}.off_manifest": True for name in SHERMAN.weapons}


@pytest.mark.rule("BK-22")
@pytest.mark.parametrize("points", [8, 9, 60, 98])
def test_the_dead_column_destroys_at_once(points: int) -> None:
    shot = Duel(punch(points)).shoot("4+5/L")
    assert shot.lines == 10
    assert shot.crossed == ()
    assert shot.figures == {"destroyed", "catastrophic_kill"}


@pytest.mark.rule("BK-22")
def test_fewer_points_than_the_first_number_cross_nothing() -> None:
    late = SHERMAN.replaced(internal_amount=[None, 5, None, None, 7, None, None, None, None, 9])
    assert Duel(punch(4), late).shoot("4+5/L").lines == 0
    assert Duel(punch(5), late).shoot("4+5/L/20").lines == 2
    assert Duel(punch(6), late).shoot("4+5/L/20").lines == 2
    assert Duel(punch(8), late).shoot("4+5/L/20").lines == 5
