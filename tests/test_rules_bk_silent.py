"""Where the text is silent and the code decides: what docs/rules.md lists and no other test holds it to."""

import pytest
from bench import SHERMAN, Duel, box, crate, punch
from rule_index import DECIDED, IN_FORCE

from simlab.model.situation import Situation
from simlab.rules.blitzkrieg.kernel import layout
from simlab.rules.blitzkrieg.system import SYSTEM
from simlab.tables.expand import Questions


def test_decisions_belong_to_rules_in_force() -> None:
    assert {decision["rule"] for decision in DECIDED} <= set(IN_FORCE)
    assert all(set(decision) == {"rule", "case", "chosen", "why"} for decision in DECIDED)


@pytest.mark.rule("BK-26")
def test_a_bin_that_got_no_contest_of_its_one_volley_never_explodes() -> None:
    target = crate(box("fuel", 3, 4), box("ammo_bin", 5, 6), box("crew", 20))
    duel = Duel(punch(2), target, explosion_rolls="per_volley")
    first = duel.shoot("4+5/L/3/1:1")
    assert first.crossed == (3, 4, 5)
    again = Duel(punch(1), target, explosion_rolls="per_volley").shoot("4+5/L/6", body=first.body)
    assert (again.crossed, again.figures) == ((6,), frozenset())
    repeated = Duel(punch(1), target, explosion_rolls="per_volley", explosion_repeat="each_volley")
    assert repeated.shoot("4+5/L/6/2:1", body=first.body).exploded == 1


@pytest.mark.rule("BK-23", "BK-26")
def test_the_bin_of_a_destroyed_box_is_skipped_with_it() -> None:
    """The bin is the middle line of the box; the box is lost with its top line."""
    target = crate(box("weapon", 9, 10, 11, weapon="cannon", ammo_bin=True), box("crew", 20))
    readings = {"bin_in_box": "line", "skip": "destroyed"}
    duel = Duel(punch(1), target, **readings)
    assert duel.shoot("4+5/L/10/2:1").exploded == 1
    assert duel.shoot("4+5/L/10", body=duel.body(crossed=[11])).crossed == (12,)


@pytest.mark.rule("BK-28")
@pytest.mark.parametrize("runs_on", [False, True])
def test_one_tread_makes_immobile_who_could_run_on_it(runs_on: bool) -> None:
    sheet = SHERMAN.replaced(**{"movement.moves_on_one_side": runs_on})
    for value, immobile in (("both", False), ("one_tread", True)):
        duel = Duel(b=sheet, immobile=value)
        assert ("mobility_kill" in duel.figures("b", duel.body(crossed=[1]))) is immobile


@pytest.mark.rule("BK-31")
@pytest.mark.parametrize(("policy", "unbuttoned"), [("never", False), ("in_range", False), ("always", True)])
def test_hatches_of_a_side_that_holds_its_fire(policy: str, unbuttoned: bool) -> None:
    situation = Situation(14.0, first_fire="a:1")
    options = SYSTEM.options({"pintle_policy": policy})
    fight = SYSTEM.compile_fight([SHERMAN], [SHERMAN], situation, options, 2)
    ask, silent = Questions(fight), fight.types_b[0]
    open_in_turn = [
        bool(ask.capability(silent, scene, 0, *ask.fresh(silent)) & int(layout.UNBUTTONED))
        for scene in fight.scene_of_turn
    ]
    assert open_in_turn == [unbuttoned, policy != "never"]


@pytest.mark.rule("BK-52")
@pytest.mark.parametrize(("distance", "level"), [(12, 0), (12.5, 1), (24, 1), (24.5, 2)])
def test_levels_by_range_know_no_other_range_step(distance: float, level: int) -> None:
    strikes = {"high": [9, 0, 0], "mid": [8, 0, 0], "low": [7, 0, 0]}
    shooter = SHERMAN.replaced(**{f"weapons.cannon.{name}": strike for name, strike in strikes.items()})
    target = SHERMAN.replaced(**{"armor.front": 63, "defense.anti_personnel.front_back": 99})
    for step in (5, 12, 30):
        duel = Duel(shooter, target, distance=distance, dsp="by_range", constants={"range_step": step})
        assert duel.shoot("6+5").armor["front"] == 63 - (9, 8, 7)[level]
