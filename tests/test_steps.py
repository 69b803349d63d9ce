"""By how much numbers of sheets are moved: steps of systems, steps that are asked for, and how they are told."""

import json
import re
from pathlib import Path

import pytest
import yaml
from samples import SYSTEMS, compile_sample, sample_sheets, system_of
from shell import ROOT, Shell
from toy_system import ToySheet

from simlab import lab
from simlab.lab.steps import read_steps
from simlab.model.errors import InputError
from simlab.model.situation import Situation
from simlab.rules.registry import get_system
from simlab.rules.wwiisim.weapons import CLASSES
from simlab.studies.paired import fight_digest

NUMBERS = ("armor.front.hull", "armor.side.hull", "armory", "gun.penetration", "crew")
BEGINNINGS = "a number of the sheet, or the beginning of some: armor, armory, gun, crew"
UNIT, FOE = ToySheet("unit", hit_points=1, needs=4), ToySheet("foe", hit_points=2, faces=8)


def usual(path: str) -> float:
    return 25 if path.startswith("armor.") else 1


@pytest.mark.parametrize(("asked", "steps"), [
    (None, (25, 25, 1, 1, 1)),
    (3, (3, 3, 3, 3, 3)),
    (2.0, (2, 2, 2, 2, 2)),
    (0.5, (0.5, 0.5, 0.5, 0.5, 0.5)),
    ({"armor": 10}, (10, 10, 1, 1, 1)),
    ({"": 2, "armor": 10, "armor.side": 5}, (10, 5, 2, 2, 2)),
    ({"armor.front.hull": 7}, (7, 25, 1, 1, 1)),
])  # fmt: skip
def test_the_longest_name_that_fits_says_the_step(asked, steps):
    found = read_steps(asked, NUMBERS, usual)
    assert tuple(found.items()) == tuple(zip(NUMBERS, steps, strict=True))
    assert {type(found[name]) for name in NUMBERS} <= {int, float}


@pytest.mark.parametrize(("asked", "line"), [
    (0, "step: found 0, allowed a number above 0, up to 999"),
    ({"armor": 1000}, "step: found 1000, allowed a number above 0, up to 999"),
    (True, "step: found true, allowed a number above 0, up to 999"),
    (float("nan"), "step: found .nan, allowed a number above 0, up to 999"),
    ("ten", "step: found ten, allowed a number above 0, up to 999"),
    ({"armr": 1}, f"step: found armr, allowed {BEGINNINGS}; did you mean armor?"),
    ({"armor.front.hul": 1}, f"step: found armor.front.hul, allowed {BEGINNINGS}; did you mean armor.front.hull?"),
])  # fmt: skip
def test_what_is_no_step_is_refused(asked, line):
    with pytest.raises(InputError) as refused:
        read_steps(asked, NUMBERS, usual)
    assert str(refused.value) == line


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_number_of_every_system_has_a_step(name):
    system = system_of(name)
    for sheet in sample_sheets(name):
        steps = {path: system.sheet_step(path) for path in system.sheet_numbers(sheet)}
        assert all(0 < step <= 999 for step in steps.values())
        if name == "blitzkrieg":
            assert set(steps.values()) == {1}


def test_steps_of_tank_d20_are_those_of_its_chart_of_effects():
    chart = ROOT / "simlab" / "rules" / "tank_d20" / "charts" / "penetration_effects.yaml"
    step = yaml.safe_load(chart.read_text(encoding="utf-8"))["over"]["step"]
    system = get_system("tank_d20")
    millimetres = {"armor.front.turret", "armor.rear.lower", "gun.penetration", "gun.calibre"}
    assert {system.sheet_step(path) for path in millimetres} == {step}
    assert {system.sheet_step(path) for path in ("crew.leader", "gun.load_time", "gun.rounds")} == {1}


def test_a_step_of_a_plate_shows_in_every_fight_in_which_rounds_go_through_it():
    """Where one millimetre does not."""
    system = get_system("tank_d20")
    gun, target = (
        system.load_sheet(ROOT / "units" / "tank_d20" / f"{unit}.yaml") for unit in ("su100", "t34_85")
    )
    seen = {1: set[str](), system.sheet_step("armor.front.hull"): set[str]()}
    for step, paths in seen.items():
        for plate in ("turret", "hull", "lower"):
            path = f"armor.front.{plate}"
            thicker = system.replace_fields(target, {path: system.field_value(target, path) + step})
            fights = [
                compile_sample("tank_d20", [gun], [each], {}, Situation(24.0)) for each in (target, thicker)
            ]
            if fight_digest(fights[0]) != fight_digest(fights[1]):
                paths.add(plate)
    assert list(seen.values()) == [set(), {"turret", "hull", "lower"}]


def test_steps_of_ranges_of_wwiisim_are_those_of_its_table():
    ends = [end for row in CLASSES.values() for end in (row.short, row.long) if end is not None]
    system = get_system("wwiisim")
    step = system.sheet_step("weapons.cannon.short")
    assert step == system.sheet_step("weapons.bow_mg.long") == 6
    assert all(end % step == 0 for end in ends)
    assert system.sheet_step("weapons.cannon.strength") == system.sheet_step("armor") == 1


def test_each_step_is_the_change_by_hand_and_is_in_what_comes_out(toy):
    terms = {"exact": True, "system": "toy", "turns": 4}
    found = lab.sensitivity(UNIT, FOE, ecv=False, step={"hit_points": 3, "reach": 20}, **terms)
    assert found.steps == {"hit_points": 3, "faces": 2, "needs": 1, "rounds": 1, "reach": 20}
    assert not found.by_points
    for nudge in found.nudges:
        by_hand = lab.whatif(UNIT, {nudge.field: nudge.value + nudge.step}, FOE, **terms)
        assert nudge.change == by_hand.difference
    told = {(each["field"], each["step"]) for each in found.to_dict()["numbers"]}
    assert {("hit_points", 3), ("faces", -2), ("faces", 2), ("reach", -20)} <= told
    assert {("hit_points", -3), ("rounds", -1)} == {(each.field, each.step) for each in found.refused}
    assert set(found.to_frame()["step"]) == {-2, 2, 3, -20, 20, -1, 1}
    assert lab.sensitivity(UNIT, FOE, ecv=False, step=1, **terms).by_points


def test_the_command_says_its_steps(simlab: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    arguments = (
        "sensitivity",
        "panther_g",
        "--against",
        "t34_85",
        "--system",
        "tank_d20",
        "--n",
        "320",
        "--no-ecv",
    )
    said = simlab(*arguments)
    assert said.code == 0
    lines = said.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(re.fullmatch(r"a step of +is +step +a step less +a step more", line) for line in lines)
    assert any(re.match(r"armor\.front\.turret +121 +25 +-", line) for line in lines)
    assert any(re.match(r"gun\.load_time +1 +1 +\+", line) for line in lines)
    found = json.loads(simlab(*arguments, "--step", "4", "--step", "armor=60", "--json").out)
    steps = {each["field"]: abs(each["step"]) for each in (*found["numbers"], *found["refused"])}
    assert (steps["armor.front.hull"], steps["gun.penetration"]) == (60, 4)
    one = simlab(*arguments, "--step", "1").out
    assert "one point of" in one
    assert "one less" in one


@pytest.mark.parametrize(("typed", "line"), [
    (["x"], "--step: found x, allowed a number above 0, up to 999, or FIELD=STEP"),
    (["=3"], '--step: found "=3", allowed a number above 0, up to 999, or FIELD=STEP'),
    (["3", "4"], '--step: found 4, allowed one step for all numbers'),
    (["armor=-3"], "--step: found -3, allowed a number above 0, up to 999"),
])  # fmt: skip
def test_a_step_that_is_typed_wrong_is_one_line(simlab: Shell, typed: list[str], line: str):
    steps = [part for step in typed for part in ("--step", step)]
    said = simlab("sensitivity", "panther_g", "--against", "m4a3_sherman_lp", *steps)
    assert (said.code, said.out, said.errors) == (2, "", [line])
