"""Fights told in words, and given dice read strictly."""

from typing import Any

import pytest
from tank_d20_bridge import sheet

from simlab import lab
from simlab.model.errors import InputError

PAIR = (sheet("panzer_iv_h"), sheet("m4a3_sherman_75"))


def told(*dice: str, pair: Any = PAIR, **more: Any) -> str:
    settings = {"range": 24, "system": "tank_d20", "turns": 2, **more}
    return " ".join(lab.trace(*pair, dice=list(dice), **settings).text.split())


def refused(*dice: str, **more: Any) -> str:
    with pytest.raises(InputError) as caught:
        told(*dice, **more)
    return str(caught.value)


@pytest.mark.rule("TD-10")
def test_a_duel_by_given_dice_is_told():
    """A: 123 mm standard, B: 81 mm; B's front 93 and 88 mm, A's lower hull 85, turret 51."""
    text = told("14/10/3", "15", "15/17/15", "20")
    assert "d20 14, 14 or less hits (short 14): hit" in text
    assert "d20 10: upper hull at the bow gunner, 123 mm against 93 mm: goes through" in text
    assert "d20 3 + 1 = 4: a man hit bow gunner lost" in text
    assert "d20 15, 14 or less hits (short 14): miss" in text
    assert "d20 15, 15 or less hits (short 14, acquired target -1): hit" in text
    assert "d20 15 + 1 = 16: on fire destroyed: burnt out or blown up" in text
    assert "d20 20: the gun jams" in text
    assert "After turn 2: A wins; destroyed: B M4A3(75)W Sherman" in text
    assert "action 1" in text
    assert "Turn 2" in text


@pytest.mark.rule("TD-6", "TD-7")
def test_what_does_not_go_through_is_told():
    text = told("12/1/20", "1/5", range=60)
    assert "an automatic penetration" in text
    assert "d20 20 + 0" not in text
    assert "destroyed: burnt out or blown up" in text
    assert "d20 5: lower hull, 72.9 mm against 85 mm: does not go through nothing new" in text
    stunned = told("15", "1/8", set={"buttoned": True, "exposed": "mc"}, turns=1)
    assert "upper hull at the driver, 81 mm against 86 mm: does not go through" in stunned
    assert "buttoned up +2" in stunned


@pytest.mark.rule("TD-3", "TD-5", "TD-6", "TD-7")
def test_readings_show_in_the_story():
    led = sheet("panzer_iv_h", crew__leader=3, crew__quality="elite"), PAIR[1]
    wall = PAIR[0], sheet("m4a3_sherman_75", armor__front={"turret": 200, "hull": 130, "lower": 200})
    text = told("16/11/1/9", "20", pair=led, set={"leader_on": "location", "penetration": "roll"}, turns=1)
    assert "elite crew -2" in text
    assert (
        "d20 11 less 3: upper hull at the driver, 123 mm against 93 mm, d20 1 with 17 or less: goes through"
        in text
    )
    assert "leader -3" in told("16/10/1", "20", pair=led, turns=1)
    checked = told("5/20/12", "20", pair=wall, set={"exposed": "mc"}, turns=1)
    assert "cupola, 123 mm against 200 mm: does not go through one action lost in command" in checked
    busy = told(
        "1/20",
        "20",
        pair=wall,
        set={"commander_a": "busy", "area_fire_a": True, "light_woods_b": True},
        turns=1,
    )
    assert "no commander +3" in busy
    assert "light woods +3" in busy
    assert "no target, halved" in busy
    assert "commander lost" in busy


@pytest.mark.rule("TD-3")
def test_a_stand_in_and_an_acquired_target_are_told_though_they_cancel_out():
    told = lab.trace(
        "panther_g", "t34_85", system="tank_d20", turns=3, dice=["19", "19", "5/13/4", "19", "19", "19"]
    )
    last = " ".join(told.text.split("Turn 3")[1].split())
    assert (
        "15 or less hits (short 14, not qualified at the gun +2, acquired target -2, large target -1)" in last
    )


@pytest.mark.parametrize(
    ("dice", "message"),
    [
        (("14", "15"), "dice: found exchange 1: 14, allowed 3 dice, d20s by /"),
        (("15/3", "15"), "dice: found exchange 1: 15/3, allowed 1 die"),
        (("15", "21"), 'dice: found exchange 2: d20 "21", allowed a whole number from 1 to 20'),
        (("15", "1/2/3/4/5"), "dice: found exchange 2: 5 fields"),
        (("15",), "dice: found no dice for exchange 2"),
        (("15", "20", "17", "15", "15"), 'dice: found dice for exchange 5, "15"'),
        (("-", "20"), "dice: found exchange 1: no dice, allowed 3 dice"),
    ],
)
def test_dice_that_do_not_fit_are_refused(dice: tuple[str, ...], message: str):
    assert refused(*dice).startswith(message)
