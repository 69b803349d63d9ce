"""Numbers of the rules that a house may set for itself."""

from typing import Any

import pytest
from bench import SHERMAN, Duel, box, crate, punch

from simlab.rules.blitzkrieg.kernel import layout

EASY = SHERMAN.replaced(
    **{f"defense.{kind}.front_back": -9 for kind in ("ballistic", "anti_personnel")},
    **{"internal_amount": [None] * 9 + [99], "armor.front": 63},
)
"""Every roll hits it; its armour shows the damage."""


def armor_worn(dice: str, **readings: Any) -> int:
    """Armour points that a volley of cannon (low 3) and coaxial (low 1) wears off."""
    return 63 - Duel(SHERMAN, EASY, **readings).shoot(dice).armor["front"]


@pytest.mark.rule("BK-12")
@pytest.mark.parametrize(
    ("step", "distance", "more"),
    [(6, 5.99, 0), (6, 6, 1), (6, 24, 4), (30, 29, 0), (4.9, 29.4, 6), (999, 998, 0)],
)
def test_house_number_range_step(step: float, distance: float, more: int) -> None:
    duel = Duel(distance=distance, constants={"range_step": step})
    assert duel.number("cannon") == 8 - 1 + more


@pytest.mark.rule("BK-15")
def test_house_number_ap_reach() -> None:
    """It takes the place of the thirty inches, not of a range that a sheet prints, and ends where it is lifted."""
    printed = SHERMAN.replaced(**{"weapons.coaxial.max_range": 30})
    reach = {"constants": {"ap_reach": 20}}
    both = ("cannon", "coaxial")
    assert Duel(distance=20, **reach).condition("a").weapons == both
    assert Duel(distance=20.5, **reach).condition("a").weapons == ("cannon",)
    assert Duel(printed, distance=30, **reach).condition("a").weapons == both
    assert Duel(distance=48, mg_range="unlimited", **reach).condition("a").weapons == both


@pytest.mark.rule("BK-11", "BK-13")
def test_house_number_exploding() -> None:
    """Without it a 12 stands: 12 is reached by one roll in 36, 13 by none; luck stays, instant death goes."""
    plain = {"constants": {"exploding": False}}
    for number, chance in ((11, 3 / 36), (12, 1 / 36), (13, 0)):
        target = EASY.replaced(
            **{"defense.ballistic.front_back": number, "defense.anti_personnel.front_back": 99}
        )
        outcomes = Duel(SHERMAN, target, **plain).outcomes()
        assert outcomes.weights[outcomes.notes != 0].sum() == pytest.approx(chance, abs=1e-15)
    assert armor_worn("6+6/L", **plain) == 4
    assert armor_worn("6+6/L", **plain, lucky_shot=True) == 8
    killed = Duel(SHERMAN, EASY, instant_death=True, **plain).outcomes().bodies & layout.INSTANT_LOSS
    assert not killed.any()


@pytest.mark.rule("BK-26")
@pytest.mark.parametrize(
    ("lead", "wins"), [(1, 190), (0, 210), (2, 171), (-18, 399), (-19, 400), (19, 1), (20, 0)]
)
def test_house_number_contest_lead(lead: int, wins: int) -> None:
    """Of 400 pairs of dice: the attacker higher by so much at least."""
    duel = Duel(punch(1), crate(box("fuel", *range(1, 21))), constants={"contest_lead": lead})
    outcomes = duel.outcomes()
    crossed = outcomes.bodies & layout.ALL_LINES != 0
    blown = outcomes.bodies & layout.EXPLOSION_LOSS != 0
    share = outcomes.weights[blown].sum() / outcomes.weights[crossed].sum()
    assert share == pytest.approx(wins / 400, abs=1e-14)
