"""What hits and what goes through: the charts and modifiers of tank_d20 against the rules' own numbers."""

from fractions import Fraction
from typing import Any

import pytest
from reference import tank_d20 as ref
from tank_d20_bridge import Bridge, sheet

from simlab.model.situation import Situation
from simlab.rules.registry import get_system
from simlab.rules.tank_d20 import rules_charts as charts
from simlab.rules.tank_d20.kernel import layout
from simlab.tables.expand import expand_volley

PANZER = sheet("panzer_iv_h")
PLAIN = {"gun__calibre": 75, "gun__penetration": 100}


def chances(bridge: Bridge, own: int = 0, shots: int = 0, **memory: Any) -> tuple[Fraction, Fraction]:
    """The chances of a hit and of a jam of a side's shot, as twentieths."""
    words = [bridge.ask.fresh(type_) for type_ in bridge.types]
    body, _ = words[own]
    words[own] = body | memory.get("body", 0), shots << layout.SHOTS_SHIFT
    able = [bridge.ability(number, words[number]) for number in (0, 1)]
    assert bridge.ask.ready(bridge.types[own], 0, able[own])
    found = bridge.shot(own, able[own], able[1 - own], words[1 - own][0])
    hit, jam = (
        sum(
            weight
            for note, weight in zip(found.notes.tolist(), found.weights.tolist(), strict=True)
            if note & int(bit)
        )
        for bit in (layout.NOTE_HIT, layout.NOTE_JAM)
    )
    return Fraction(hit).limit_denominator(400), Fraction(jam).limit_denominator(400)


def hit(
    distance: float = 24.0, aspects: tuple[str, str] = ("front", "front"), shots: int = 0, **settings: Any
) -> Fraction:
    """The chance of a Panzer IV, or of `shooter`, to hit another, or `target`."""
    shooter, target = settings.pop("shooter", PANZER), settings.pop("target", PANZER)
    body = settings.pop("body", 0)
    bridge = Bridge((shooter, target), settings, {}, distance, aspects)
    found, jam = chances(bridge, shots=shots, body=body)
    assert jam == Fraction(1, 20)
    return found


@pytest.mark.rule("TD-1", "TD-10")
@pytest.mark.parametrize(("distance", "faces"), [(8, 16), (30, 14), (75, 12), (103, 8), (300, 4)])
def test_base_chances_of_a_standard_gun(distance: float, faces: int):
    assert hit(distance) == Fraction(faces, 20)
    assert hit(distance, hit="roll_plus_drm_below") == Fraction(faces - 1, 20)


@pytest.mark.rule("TD-1")
@pytest.mark.parametrize(
    ("size", "ends"),
    [
        ("S", (5, 23, 60, 75, 90)),
        ("standard", (8, 30, 75, 103)),
        ("L", (8, 45, 90, 113)),
        ("XL", (10, 53, 113, 150)),
    ],
)
def test_bands_end_where_the_chart_says_ends_included(size: str, ends: tuple[int, ...]):
    gun = sheet("panzer_iv_h", gun__size=size)
    bases = (16, 14, 12, 8, 4)
    for band, end in enumerate(ends):
        assert hit(end, shooter=gun) == Fraction(bases[band], 20)
        if end < 90:
            assert hit(end + 0.01, shooter=gun) == Fraction(bases[band + 1], 20)
    if size != "S":
        assert hit(900, shooter=gun) == Fraction(4, 20)


@pytest.mark.rule("TD-1")
def test_short_guns_reach_ninety_inches_unless_all_are_open():
    gun = sheet("panzer_iv_h", gun__size="S")
    assert not Bridge((gun, PANZER), {}, {}, 90.5).fight.can_fire_a
    assert Bridge((gun, PANZER), {}, {}, 90.0).fight.can_fire_a
    assert hit(200, shooter=gun, extreme="all_open") == Fraction(4, 20)


@pytest.mark.rule("TD-2", "TD-3", "TD-10")
def test_a_sure_hit_leaves_the_jam():
    """Elite, aimed, zeroed in, acquired twice, short range: 14 + 2 + 2 + 4 + 2 = 24."""
    elite = sheet("panzer_iv_h", crew__quality="elite")
    assert charts.needed(14, -10) == 19
    assert hit(shooter=elite, shots=2, aim_a="always", zeroed_in_a=True) == Fraction(19, 20)
    assert hit(shooter=sheet("panzer_iv_h", crew__captured=True, crew__quality="green"), distance=300) == 0


@pytest.mark.rule("TD-3")
@pytest.mark.parametrize(
    ("changes", "settings", "faces"),
    [
        ({"crew__quality": "green"}, {}, 12),
        ({"crew__quality": "elite"}, {}, 16),
        ({"crew__qualified": False}, {}, 12),
        ({"crew__captured": True}, {}, 11),
        ({"crew__quality": "green", "crew__qualified": False, "crew__captured": True}, {}, 7),
        ({}, {"aim": "always"}, 16),
        ({}, {"buttoned_a": True}, 12),
        ({"open_top": True}, {"buttoned_a": True}, 14),
        ({}, {"buttoned_b": True}, 14),
        ({"gun__round": "heat"}, {}, 12),
        ({"gun__round": "heat", "gun__hand_held": True}, {}, 14),
        ({}, {"movement_a": "moved"}, 9),
        ({}, {"movement_a": "firing"}, 2),
        ({}, {"movement_a": "firing", "move_stack": "add"}, 0),
        ({}, {"movement_a": "firing", "fire_on_move": "half"}, 7),
        ({}, {"movement_a": "firing", "fire_on_move": "half", "move_stack": "add"}, 2),
        ({}, {"movement_a": "moved", "fire_on_move": "half"}, 9),
        ({"crew__positions": ["gunner", "loader", "driver"]}, {}, 11),
        ({}, {"commander_a": "busy"}, 11),
        ({"crew__leader": 3}, {}, 17),
        ({"crew__leader": 3}, {"leader_on": "location"}, 14),
        ({"crew__leader": 3}, {"commander_a": "busy"}, 11),
        ({}, {"zeroed_in_a": True}, 18),
        ({}, {"zeroed_in_a": True, "movement_a": "moved"}, 9),
        ({}, {"area_fire_a": True}, 7),
        ({}, {"area_fire_b": True}, 14),
        ({"crew__quality": "green"}, {"area_fire_a": True}, 5),
        ({"crew__quality": "green"}, {"area_fire_a": True, "no_target": "final"}, 6),
        ({"crew__captured": True}, {"area_fire_a": True, "no_target": "final"}, 5),
    ],
)
def test_modifiers_of_the_shooter(changes: dict[str, Any], settings: dict[str, Any], faces: int):
    assert hit(shooter=sheet("panzer_iv_h", **changes), **settings) == Fraction(faces, 20)


@pytest.mark.rule("TD-3")
def test_acquiring_a_target_takes_shots_and_a_halted_shooter():
    assert [hit(shots=number) for number in (0, 1, 2)] == [Fraction(n, 20) for n in (14, 15, 16)]
    assert hit(shots=2, movement_a="moved") == Fraction(9, 20)
    immobile = int(layout.IMMOBILE)
    assert hit(shots=2, movement_a="moved", body=immobile) == Fraction(16, 20)


@pytest.mark.rule("TD-3", "TD-9")
def test_men_who_are_missed():
    """Bits of a body: commander 1, gunner 2, loader 4."""
    assert hit(body=1) == Fraction(11, 20)
    assert hit(body=2) == Fraction(12, 20)
    assert hit(body=6) == Fraction(9, 20)
    assert hit(body=2, shooter=sheet("panzer_iv_h", crew__qualified=False)) == Fraction(12, 20)


@pytest.mark.rule("TD-4")
@pytest.mark.parametrize(
    ("size", "faces"), [("very_small", 12), ("small", 13), ("medium", 14), ("large", 15), ("very_large", 16)]
)
def test_sizes_of_targets(size: str, faces: int):
    assert hit(target=sheet("panzer_iv_h", size=size)) == Fraction(faces, 20)


@pytest.mark.rule("TD-4")
@pytest.mark.parametrize(
    ("aspect", "settings", "faces"),
    [
        ("front", {"movement_b": "moved"}, 13),
        ("rear", {"movement_b": "moved"}, 13),
        ("rear", {"movement_b": "firing"}, 13),
        ("side", {"movement_b": "moved", "inches_b": 8}, 12),
        ("side", {"movement_b": "moved", "inches_b": 9}, 11),
        ("side", {"movement_b": "moved", "inches_b": 8, "per3": "part"}, 11),
        ("side", {"movement_b": "moved", "inches_b": 2}, 14),
        ("side", {"inches_b": 9}, 14),
        ("front", {"light_woods_b": True}, 11),
        ("front", {"light_woods_a": True}, 14),
    ],
)
def test_motion_and_woods_of_targets(aspect: str, settings: dict[str, Any], faces: int):
    assert hit(aspects=("front", aspect), **settings) == Fraction(faces, 20)


@pytest.mark.rule("TD-4")
def test_a_target_that_drives_at_the_shooter_crosses_nothing():
    assert [charts.target_motion("side", 9, straight=straight) for straight in (True, False)] == [0, 3]
    assert charts.target_motion("front", 9) == 1


@pytest.mark.rule("TD-4")
def test_an_immobilised_target_does_not_move():
    bridge = Bridge((PANZER, PANZER), {"movement_b": "moved"})
    words = [bridge.ask.fresh(type_) for type_ in bridge.types]
    shares = []
    for body in (words[1][0], words[1][0] | int(layout.IMMOBILE)):
        able = bridge.ability(0, words[0]), bridge.ability(1, (body, words[1][1]))
        found = bridge.shot(0, able[0], able[1], body)
        shares.append(float(found.weights @ (found.notes & layout.NOTE_HIT != 0)))
    assert shares == pytest.approx([13 / 20, 14 / 20])


@pytest.mark.rule("TD-6")
@pytest.mark.parametrize(
    ("size", "figures"),
    [
        ("S", (100, 90, 75, 50, 25)),
        ("standard", (125, 100, 90, 75, 50)),
        ("L", (125, 100, 100, 90, 75)),
        ("XL", (125, 100, 100, 100, 90)),
    ],
)
def test_figures_change_by_bands(size: str, figures: tuple[int, ...]):
    """Just so much armour is gone through, a millimetre more is not: places 2 to 20 of the front."""
    ends = {"S": (5, 23, 60, 75, 90)}.get(size, (8, 30, 75, 103, 200))
    ends = {"L": (8, 45, 90, 113, 200), "XL": (10, 53, 113, 150, 200)}.get(size, ends)
    for end, figure in zip(ends, figures, strict=True):
        for armour, expected in ((figure, 1.0), (figure + 1, 1 / 20)):
            plates = {"turret": armour, "hull": armour, "lower": armour}
            bridge = Bridge(
                (sheet("panzer_iv_h", gun__size=size, **PLAIN), sheet("panzer_iv_h", armor__front=plates)),
                {},
                {},
                end,
            )
            assert through(bridge) == pytest.approx(expected)


def through(bridge: Bridge, own: int = 0) -> float:
    """The share of hits that go through."""
    words = [bridge.ask.fresh(type_) for type_ in bridge.types]
    able = [bridge.ability(number, words[number]) for number in (0, 1)]
    found = bridge.shot(own, able[own], able[1 - own], words[1 - own][0])
    hits = float(found.weights @ (found.notes & layout.NOTE_HIT != 0))
    return float(found.weights @ (found.notes & layout.NOTE_THROUGH != 0)) / hits


@pytest.mark.rule("TD-6")
def test_distance_does_not_weaken_heat_unless_it_counts_as_ap():
    gun = sheet("panzer_iv_h", gun__round="heat", **PLAIN)
    wall = sheet("panzer_iv_h", armor__front={"turret": 100, "hull": 100, "lower": 100})
    assert through(Bridge((gun, wall), {}, {}, 75.0)) == pytest.approx(1)
    assert through(Bridge((gun, wall), {"heat_bands": "as_ap"}, {}, 75.0)) == pytest.approx(1 / 20)


@pytest.mark.rule("TD-6")
def test_a_roll_for_penetration_follows_its_chart():
    """100 mm against 90: 10 mm more, 15 or less goes through; place 1 needs no roll."""
    wall = sheet("panzer_iv_h", armor__front={"turret": 90, "hull": 90, "lower": 90})
    bridge = Bridge((sheet("panzer_iv_h", **PLAIN), wall), {"penetration": "roll"})
    assert through(bridge) == pytest.approx((1 + 19 * 15 / 20) / 20)
    thick = sheet("panzer_iv_h", armor__front={"turret": 131, "hull": 131, "lower": 131})
    assert through(Bridge((sheet("panzer_iv_h", **PLAIN), thick), {"penetration": "roll"})) == pytest.approx(
        1 / 20
    )
    thin = sheet("panzer_iv_h", armor__front={"turret": 20, "hull": 20, "lower": 20})
    assert through(Bridge((sheet("panzer_iv_h", **PLAIN), thin), {"penetration": "roll"})) == pytest.approx(1)


@pytest.mark.rule("TD-1", "TD-3", "TD-6")
def test_odds_of_a_unit_alone_show_bands_reach_and_figures():
    system = get_system("tank_d20")
    gun = sheet("panzer_iv_h", gun__size="S", crew__quality="green", crew__leader=1, gun__penetration=100)
    rolls, rows = system.to_hit_table(gun, Situation(24.0), system.options({}))
    assert rolls == ("d20",)
    assert [chance for _, (chance,) in rows] == pytest.approx([15 / 20, 13 / 20, 11 / 20, 7 / 20, 3 / 20])
    arms = system.report_arms(gun, Situation(24.0), system.options({}))
    assert arms.reached == (
        ("5 inches", "100 mm"),
        ("23 inches", "90 mm"),
        ("60 inches", "75 mm"),
        ("75 inches", "50 mm"),
        ("90 inches", "25 mm"),
    )
    assert any("effective range" in line for line in arms.lines)
    assert "  green crew +2" in arms.lines
    open_ended = system.report_arms(gun, Situation(95.0), system.options({"extreme": "all_open"}))
    assert open_ended.reached[-1][0] == "no limit"
    busy = system.to_hit_table(gun, Situation(24.0), system.options({"commander_a": "busy"}))
    assert busy[1][0][1][0] == pytest.approx(11 / 20)


@pytest.mark.rule("TD-10")
def test_odds_of_a_pair_are_those_of_the_reference():
    bridge = Bridge((PANZER, sheet("m4a3_sherman_75")))
    (report,) = get_system("tank_d20").report_volleys(bridge.fight, expand_volley, bridge.ask)
    found = {section.title: section.chances for section in report.sections}
    start = ref.fresh(bridge.units[0], bridge.game), ref.fresh(bridge.units[1], bridge.game)
    shot = ref.shot_chances(bridge.units[0], start[0], bridge.units[1], start[1], start[1], bridge.game)
    dead = sum(chance for (state, _), chance in shot.items() if state.fate)
    lost = sum(chance for (state, _), chance in shot.items() if "driver" in state.lost)
    assert found["destroyed"]["in all"] == pytest.approx(float(dead))
    assert found["lost by a target that stands"]["driver"] == pytest.approx(float(lost))
    assert found["to hit"]["jam"] == pytest.approx(1 / 20)
    assert sum(found["where it strikes"].values()) == pytest.approx(found["to hit"]["hit"])
    assert sum(found["effects of what goes through"].values()) == pytest.approx(
        found["to hit"]["goes through"]
    )
    silent = Bridge((sheet("panzer_iv_h", gun__rounds=0), PANZER))
    assert get_system("tank_d20").report_volleys(silent.fight, expand_volley, silent.ask)[0].sections == ()
