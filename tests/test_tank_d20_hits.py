"""What a hit does, and how a crew's actions go on: by given dice through the reference's terms."""

from typing import Any

import numpy as np
import pytest
from reference import tank_d20 as ref
from tank_d20_bridge import Bridge, sheet

from simlab.dice import scripted
from simlab.dice.slots import SLOTS, START
from simlab.rules.tank_d20.kernel import layout

PANZER = sheet("panzer_iv_h")
WALL = {"turret": 300, "hull": 300, "lower": 300}
WALLED = {"armor__front": WALL, "armor__side": WALL, "armor__rear": WALL}
HALT = frozenset[str]()


def bridge_of(target: dict[str, Any] | None = None, aspect: str = "front", **settings: Any) -> Bridge:
    shooter = settings.pop("shooter", PANZER)
    constants = settings.pop("constants", {})
    return Bridge(
        (shooter, sheet("panzer_iv_h", **(target or {}))), settings, constants, 24.0, ("front", aspect)
    )


def struck(bridge: Bridge, *dice: int, body: int | None = None) -> ref.State:
    """The target of side a's shot with these dice, which must be all that are asked for."""
    from unittest.mock import patch

    from simlab.rules.tank_d20.kernel import shot

    script = np.zeros((2, SLOTS), np.int64)
    script[0, START : START + len(dice)] = [die - 1 for die in dice]
    words = [bridge.ask.fresh(type_) for type_ in bridge.types]
    target = words[1][0] if body is None else body
    able = [bridge.ability(0, words[0]), bridge.ability(1, (target, words[1][1]))]
    program = bridge.fight.program
    shooter, victim, shown = (np.uint64(word) for word in (*bridge.types, able[1]))
    with np.errstate(over="ignore"), patch.object(shot, "draw_face", scripted.draw_face):
        aimed = shot.aim(program, shooter, victim, np.uint64(0))
        row = shot.gunner_row(program, aimed, np.uint64(0), shown)
        found = shot.roll(program, shooter, np.uint64(0), np.uint64(able[0]), row, script)
        after = np.uint64(target)
        if found:
            after, note, more = shot.hurt(program, victim, row, after, found, script)
            after, _ = (
                shot.wreck(program, victim, shown, after, note, more, script) if more else (after, note)
            )
    assert row >= aimed
    assert np.count_nonzero(script[1]) == len(dice)
    return bridge.state(1, int(after), 0)


@pytest.mark.rule("TD-5", "TD-6")
@pytest.mark.parametrize(("aspect", "automatic"), [("front", True), ("rear", True), ("side", False)])
def test_location_one_from_front_or_rear_is_an_automatic_penetration(aspect: str, automatic: bool):
    gun = sheet("panzer_iv_h", gun__calibre=20, gun__penetration=1)
    bridge = bridge_of(WALLED, aspect, shooter=gun)
    if automatic:
        assert struck(bridge, 5, 1, 20).fate == {"catastrophic"}
        assert struck(bridge, 5, 1, 3).lost
    else:
        assert struck(bridge, 5, 1) == ref.State()


@pytest.mark.rule("TD-7")
@pytest.mark.parametrize(("calibre", "counts"), [(36.9, False), (37, True), (75, True)])
def test_from_37_mm_on_a_round_counts_that_does_not_go_through(calibre: float, counts: bool):
    bridge = bridge_of(WALLED, shooter=sheet("panzer_iv_h", gun__calibre=calibre))
    assert struck(bridge, 5, 2).immobile == counts
    assert struck(bridge, 5, 13).stunned == ({"gun"} if counts else HALT)


@pytest.mark.rule("TD-7")
def test_the_calibre_that_counts_is_a_house_number():
    bridge = bridge_of(WALLED, shooter=sheet("panzer_iv_h", gun__calibre=50), constants={"least_calibre": 51})
    assert struck(bridge, 5, 2) == ref.State()


@pytest.mark.rule("TD-7")
def test_an_exposed_man_is_killed_or_stands_it():
    assert struck(bridge_of(WALLED), 5, 20).lost == {"commander"}
    assert struck(bridge_of(WALLED, buttoned_b=True), 5, 20).stunned == {"command"}
    assert struck(bridge_of({**WALLED, "open_top": True}, buttoned_b=True), 5, 13).lost == {"gunner"}
    checked = bridge_of(WALLED, exposed="mc")
    assert struck(checked, 5, 20, 12).stunned == {"command"}
    assert struck(checked, 5, 20, 13).lost == {"commander"}
    green = bridge_of({**WALLED, "crew__quality": "green"}, exposed="mc")
    assert struck(green, 5, 20, 9).lost == {"commander"}
    assert struck(bridge_of({**WALLED, "crew__positions": ["gunner", "loader"]}), 5, 20) == ref.State()


@pytest.mark.rule("TD-5", "TD-8")
def test_effects_of_a_round_that_goes_through():
    """A Panzer IV goes through 85 mm with 123 mm: a step of 25 mm more, + 1."""
    bridge = bridge_of()
    assert struck(bridge, 5, 4, 1) == ref.State()
    assert struck(bridge, 5, 4, 2).lost == {"driver"}
    assert struck(bridge, 5, 4, 8).lost == {"driver", "bow_gunner"}
    assert struck(bridge, 5, 2, 1).immobile
    wrecked = struck(bridge, 5, 18, 13 - 2)
    assert wrecked.gun_out
    assert wrecked.lost == {"gunner"}
    assert struck(bridge, 5, 7, 14).immobile
    assert struck(bridge, 5, 7, 16).fate == {"catastrophic"}
    assert struck(bridge, 5, 7, 19).fate == {"catastrophic"}
    assert struck(bridge, 5, 4, 3, body=8).lost == {"driver", "bow_gunner"}


@pytest.mark.rule("TD-8")
def test_over_penetration_is_added_up_to_its_limit():
    strong = sheet("panzer_iv_h", gun__penetration=400)
    assert struck(bridge_of(shooter=strong), 5, 4, 15).fate == HALT | {"catastrophic"}
    assert not struck(bridge_of(), 5, 4, 14).fate
    assert struck(bridge_of(shooter=strong), 5, 4, 11).immobile
    assert not struck(bridge_of(shooter=strong), 5, 4, 7).gun_out


@pytest.mark.rule("TD-8")
def test_what_destroys_a_unit():
    gun_out = {"wreck": HALT, "firepower": {"firepower"}, "any": {"firepower"}}
    for reading, fate in gun_out.items():
        assert struck(bridge_of(knock_out=reading), 5, 18, 11).fate == fate
    halted = {"wreck": HALT, "firepower": HALT, "any": {"mobility"}}
    for reading, fate in halted.items():
        assert struck(bridge_of(WALLED, knock_out=reading), 5, 2).fate == fate
    three_lost = 1 | 2 | 4
    assert struck(bridge_of(), 5, 4, 2, body=three_lost).fate == {"crew", "mobility", "firepower"}
    assert not struck(bridge_of(constants={"least_crew": 1}), 5, 4, 2, body=three_lost).fate


@pytest.mark.rule("TD-3", "TD-5")
def test_a_leader_may_help_where_hits_land():
    led = sheet("panzer_iv_h", crew__leader=3)
    assert struck(bridge_of(WALLED, shooter=led, leader_on="location"), 5, 5).immobile
    assert struck(bridge_of(WALLED, shooter=led, leader_on="location"), 5, 3, 20).fate
    assert struck(bridge_of(WALLED, shooter=led), 5, 3).immobile
    assert struck(bridge_of(WALLED, shooter=led, leader_on="location", commander_a="busy"), 5, 3).immobile


class Crew:
    """A crew's memory through actions in which it fires, jams, or works."""

    def __init__(self, body: int = 0, **settings: Any) -> None:
        changes = settings.pop("changes", {})
        self.bridge = Bridge(
            (sheet("panzer_iv_h", **changes), PANZER), settings, settings.pop("constants", {})
        )
        self.body = self.bridge.ask.fresh(self.bridge.types[0])[0] | body
        self.memory = self.bridge.ask.fresh(self.bridge.types[0])[1]

    def fires(self, jam: bool = False) -> bool:
        """Do an action; tell whether the gun was fired."""
        ask, kind = self.bridge.ask, self.bridge.types[0]
        able = ask.capability(kind, 0, 0, self.body, self.memory)
        fired = ask.ready(kind, 0, able)
        if fired:
            mark = int(layout.NOTE_JAM) if jam else 0
            self.memory = int(ask._ask("spend", kind, 0, able, self.memory, mark))
        self.memory = int(ask._ask("settle", kind, self.memory, int(fired)))
        return fired

    def rest(self, stunned: int = 0) -> None:
        body = self.body | stunned << layout.STUN_SHIFT
        self.body, self.memory = (
            int(word) for word in self.bridge.ask._ask("rest", self.bridge.types[0], body, self.memory)
        )

    def pattern(self, actions: int) -> str:
        return "".join("x" if self.fires() else "." for _ in range(actions))

    @property
    def shots(self) -> int:
        return self.memory >> layout.SHOTS_SHIFT & 3


@pytest.mark.rule("TD-9")
@pytest.mark.parametrize(
    ("changes", "settings", "body", "pattern"),
    [
        ({}, {}, 0, "x.x.x."),
        ({"gun__load_time": 0}, {}, 0, "xxxxxx"),
        ({"gun__load_time": 3}, {}, 0, "x...x."),
        ({"crew__quality": "green"}, {}, 0, "x..x.."),
        ({}, {"aim": "always"}, 0, ".x..x."),
        ({}, {}, 4, "x..x.."),  # the bow gunner loads
        ({}, {}, 4 | 16, "x..x.."),  # the gunner loads, twice as long
        ({"gun__load_time": 2}, {}, 4 | 16, "x....x"),
        ({}, {"stand_in": False}, 4, "x..x.."),
        ({}, {}, 2, "x..x.."),  # the loader fires, the bow gunner loads
        ({}, {"stand_in": False}, 2, "......"),
        ({}, {}, 2 | 4, "x..x.."),  # the commander fires
        ({"crew__positions": ["gunner", "driver"]}, {}, 0, "x..x.."),
    ],
)
def test_loading_takes_actions(changes: dict[str, Any], settings: dict[str, Any], body: int, pattern: str):
    assert Crew(body, changes=changes, **settings).pattern(6) == pattern


@pytest.mark.rule("TD-2")
def test_a_jam_is_cleared_and_the_gun_loaded_again():
    crew = Crew()
    assert crew.fires(jam=True)
    assert crew.pattern(4) == "..x."
    quick = Crew(constants={"clear_actions": 0})
    assert quick.fires(jam=True)
    assert quick.pattern(3) == ".x."


@pytest.mark.rule("TD-2", "TD-3")
def test_a_jam_is_no_shot_at_the_target():
    crew = Crew()
    counts = []
    for jam in (False, True, False, False):
        while not crew.fires(jam):
            pass
        counts.append(crew.shots)
    assert counts == [1, 1, 2, 2]
    moving = Crew(movement_a="moved")
    assert moving.fires()
    assert moving.shots == 0


@pytest.mark.rule("TD-2")
@pytest.mark.parametrize(("reading", "left"), [("kept", 3), ("spent", 2)])
def test_the_round_that_jams_is_kept_or_gone(reading: str, left: int):
    crew = Crew(changes={"gun__rounds": 3}, jam_round=reading)
    assert crew.fires(jam=True)
    assert crew.memory >> layout.ROUND_SHIFT == left
    shots = [crew.fires() for _ in range(20)]
    assert sum(shots) == left


@pytest.mark.rule("TD-3")
def test_another_target_starts_anew():
    crew = Crew()
    crew.fires()
    crew.fires()
    ask, kind = crew.bridge.ask, crew.bridge.types[0]
    able = ask.capability(kind, 0, 0, crew.body, crew.memory)
    anew, memory = (int(word) for word in ask._ask("retarget", kind, 0, able, crew.memory))
    code = layout.CODE_SHIFT
    assert (anew >> code & 15) - (able >> code & 15) == 1
    assert memory >> layout.SHOTS_SHIFT & 3 == 0
    assert ask.capability(kind, 0, 0, crew.body, memory) == anew


@pytest.mark.rule("TD-7")
@pytest.mark.parametrize(
    ("stunned", "settings", "before", "pattern"),
    [
        (1, {}, 2, ".x.x"),  # the gunner of a loaded gun
        (1, {}, 1, ".x.x"),  # loading goes on without him
        (4, {}, 1, "..x."),  # not without the loader
        (4, {}, 2, "x.x."),
        (1, {"body": 4 | 16}, 1, "...x"),  # who loads for himself
        (1, {"aim": "always"}, 3, "..x."),
    ],
)
def test_who_is_stunned_loses_an_action_of_the_next_turn(
    stunned: int, settings: dict[str, Any], before: int, pattern: str
):
    crew = Crew(**settings)
    crew.pattern(before)
    crew.rest(stunned)
    assert crew.pattern(4) == pattern


@pytest.mark.rule("TD-3", "TD-7")
def test_a_stunned_commander_directs_no_fire_in_the_next_action():
    crew = Crew()
    crew.pattern(2)
    crew.rest(2)
    ask, kind = crew.bridge.ask, crew.bridge.types[0]
    codes = []
    for _ in range(3):
        able = ask.capability(kind, 0, 0, crew.body, crew.memory)
        codes.append((able >> layout.CODE_SHIFT & 15) - layout.CODE_ZERO)
        crew.fires()
    assert codes[::2] == [3 - 1, -2]


@pytest.mark.rule("TD-9")
@pytest.mark.parametrize("actions", [1, 2, 6])
def test_the_actions_of_a_turn_are_its_phases(actions: int):
    bridge = Bridge((PANZER, PANZER), {"actions": actions})
    assert bridge.fight.phases == tuple(f"action {number}" for number in range(1, actions + 1))
