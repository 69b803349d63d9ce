"""Why a unit wins: stages made equal one at a time, and parts that fail, on sheets made for the purpose."""

import json

import pytest
from samples import sherman
from shell import PAIR, Shell
from toy_system import ToySheet

from simlab import lab
from simlab.rules.registry import get_system

PANTHER, SHERMAN = PAIR
RULES = get_system("blitzkrieg")
ALL = [stage.name for stage in RULES.stages]
ONLY = [
    ("skill", {"gunners__0__skill": 3}),
    ("defence", {"defense__ballistic__front_back": 10}),
    ("damage", {"weapons__cannon__high__0": 9, "weapons__cannon__low__0": 8}),
    ("armour", {"armor__front": 12}),
    ("shock", {"weapons__cannon__low__1": 5}),
    ("threshold", {"shock_threshold": 5}),
    ("penetration", {"weapons__cannon__low__2": 4}),
    ("factors", {"penetration__front": 3}),
    ("chart", {"internal_amount": [1, 3, 5, 7, 9, 11, 13, 15, 17, 19]}),
    ("manifest", {"manifest__1__item": "other", "manifest__1__hits": None}),
    ("arms", {"weapons__cannon__ammo": 2}),
]


def changed(fields):
    """A Sherman with fields changed; None takes a key of the manifest away."""
    if "manifest__1__item" in fields:
        manifest = [{"lines": [19], "item": "other"}]
        whole = RULES.field_value(sherman(), "manifest")
        return sherman(manifest=[whole[0], *manifest, *whole[2:]])
    return sherman(**fields)


@pytest.mark.parametrize(("stage", "fields"), ONLY, ids=[stage for stage, _ in ONLY])
def test_a_difference_in_one_stage_goes_away_with_it_and_with_no_other(stage, fields):
    unit, base = changed(fields), sherman()
    options = RULES.options({})
    for name in ALL:
        if name in ("coin", "explosion"):
            continue
        one, other = RULES.equalised(unit, base, [name], options)
        assert RULES.fight_hash(one) == RULES.fight_hash(unit)
        kept = unit if name == stage else base
        assert RULES.fight_hash(other) == RULES.fight_hash(kept)


def test_one_difference_is_the_whole_of_it_and_there_is_no_gap(toy):
    found = lab.why(ToySheet("a", hit_points=3), ToySheet("b"), system="toy", turns=8, exact=True)
    aim, body, supply = found.stages
    assert body.share.value == pytest.approx(0.5, abs=1e-9)
    assert body.change.value == pytest.approx(0.5 - found.share.value, abs=1e-9)
    for other in (aim, supply):
        assert other.same
        assert (other.change.value, other.change.low, other.change.high) == (0, 0, 0)
    assert found.gap.value == pytest.approx(0, abs=1e-9)
    assert found.total.value == pytest.approx(0.5 - found.share.value, abs=1e-9)
    assert (found.equal.low, found.equal.high) == pytest.approx((0.5, 0.5), abs=1e-9)


def test_stages_that_need_each_other_leave_a_gap(toy):
    """With two hits to take and to give, neither alone is worth half of both."""
    a, b = ToySheet("a", hit_points=3, needs=3), ToySheet("b", hit_points=1, needs=6)
    found = lab.why(a, b, system="toy", turns=8, exact=True)
    shares = [
        lab.duel(a, ToySheet("c", **fields), system="toy", turns=8, exact=True).win_share_a
        for fields in (
            {"hit_points": 1, "needs": 6},
            {"hit_points": 1, "needs": 3},
            {"hit_points": 3, "needs": 6},
        )
    ]
    aim, body = shares[1] - shares[0], shares[2] - shares[0]
    assert found.gap.value == pytest.approx(aim + body - (0.5 - shares[0]), abs=1e-5)
    assert abs(found.gap.value) > 0.05


def test_all_stages_equal_are_exactly_the_mirror_duel():
    options = RULES.options({})
    sheets = [lab.find_sheet(name) for name in reversed(PAIR)]
    one, other = RULES.equalised(*sheets, ALL, options)
    mirror = lab.duel(one, one, exact=True, bound=1e-6)
    for pair in ((one, other), (other, one)):
        assert lab.duel(*pair, exact=True, bound=1e-6).outcomes == mirror.outcomes
    assert mirror.win_share_a == pytest.approx(0.5, abs=1e-9)
    # Seen from unlike sides it is not even, and then it is fought.
    found = lab.why(PANTHER, SHERMAN, aspect_b="rear", n=640)
    assert found.equal.value > 0.6
    assert found.equal.low < found.equal.value < found.equal.high


def test_coin_and_explosions_fall_out_for_both():
    one, other = RULES.equalised(sherman(), lab.find_sheet(PANTHER), ["coin", "explosion"], RULES.options({}))
    for sheet in (one, other):
        assert all(weapon.high == weapon.low == weapon.mid for weapon in sheet.weapons.values())
        assert not any(item.ammo_bin or item.item in ("fuel", "ammo_bin") for item in sheet.manifest)
    without = RULES.options({"dsp": "always_high"})
    one, _ = RULES.equalised(sherman(), sherman(), ["coin"], without)
    assert RULES.fight_hash(one) == RULES.fight_hash(sherman())


def test_sum_total_and_gap_are_what_they_say():
    found = lab.why(PANTHER, SHERMAN, n=3200)
    added = sum(reason.change.value for reason in found.stages)
    assert found.sum.value == pytest.approx(added)
    assert found.total.value == pytest.approx(found.equal.value - found.share.value)
    assert found.gap.value == pytest.approx(added - found.total.value)
    for reason in (*found.stages, *found.knock_outs):
        assert reason.share.value == pytest.approx(found.share.value + reason.change.value)
        assert reason.change.low <= reason.change.value <= reason.change.high


def test_knock_outs_are_sheets_without_the_part():
    manifest = RULES.field_value(sherman(), "manifest")
    by_hand = {
        "cannon": sherman(weapons__cannon__ammo=0),
        "crew, line 20": sherman(manifest=[{"lines": [20], "item": "other"}, *manifest[1:]]),
        "treads, lines 1 to 4": sherman(
            manifest=[
                {"lines": item["lines"], "item": "other"} if item["item"] == "tread" else item
                for item in manifest
            ]
        ),
    }
    outs = {out.part: out.sheet for out in RULES.knock_outs(sherman())}
    for part, sheet in by_hand.items():
        assert RULES.fight_hash(outs[part]) == RULES.fight_hash(sheet)


def test_without_its_gun_a_unit_never_wins(toy):
    a, b = ToySheet("a", hit_points=1), ToySheet("b", needs=6)
    found = lab.why(a, b, system="toy", turns=3, exact=True)
    # B hits one of six a turn: A stands with (5/6)^3, and half of that is A's share. With A's gun alone, two hits of
    # three are needed: 1/2.
    shares = {reason.step: reason.share.value for reason in found.knock_outs}
    assert shares["a"] == pytest.approx((5 / 6) ** 3 / 2, abs=2e-6)
    assert shares["b"] == pytest.approx(0.5 + 0.5 / 2, abs=2e-6)


def test_knocked_out_parts_of_a_sheet():
    outs = {out.part: out for out in RULES.knock_outs(sherman(weapons__pintle_mg__ammo=0))}
    assert [part for part, out in outs.items() if out.what == "never fires"] == ["cannon", "coaxial"]
    assert "fuel, lines 16 to 18" in outs
    box = outs["cannon, lines 9 to 11"].sheet
    assert box.weapons["cannon"].off_manifest
    assert box.weapons["cannon"].ammo == 36
    assert not any(item.weapon == "cannon" for item in box.manifest)


def test_weapons_without_a_counterpart_keep_what_they_do():
    """The Panther's bow gun has none on the Sherman, whose pintle gun has none on the Panther."""
    panther = lab.find_sheet(PANTHER)
    _, armed = RULES.equalised(panther, sherman(), ["arms"], RULES.options({}))
    assert list(armed.weapons) == ["cannon", "coaxial", "bow_mg"]
    assert armed.weapons["cannon"].high == (5, 4, 3)
    assert armed.weapons["bow_mg"].high == (2, 2, 0)
    assert armed.weapons["bow_mg"].off_manifest
    assert [gunner.weapons for gunner in armed.gunners] == [("cannon", "coaxial"), ("bow_mg",)]
    assert not any(item.weapon == "pintle_mg" for item in armed.manifest)
    _, laid = RULES.equalised(panther, sherman(), ["manifest"], RULES.options({}))
    assert laid.weapons["pintle_mg"].off_manifest
    assert {tuple(item.lines) for item in laid.manifest} == {tuple(item.lines) for item in panther.manifest}


def test_weapons_are_matched_by_type_and_mount_where_their_keys_differ():
    plain = RULES.field_value(sherman(), "weapons")
    gun = {"main_gun": {**plain["cannon"], "high": [9, 9, 9]}, "coaxial": plain["coaxial"]}
    manifest = [
        {**item, "weapon": "main_gun"} if item.get("weapon") == "cannon" else item
        for item in RULES.field_value(sherman(), "manifest")
        if item.get("weapon") != "pintle_mg"
    ]
    other = sherman(
        weapons=gun,
        gunners=[{"name": "gunner", "skill": 4, "weapons": ["main_gun", "coaxial"]}],
        manifest=manifest,
    )
    _, hard = RULES.equalised(sherman(), other, ["damage"], RULES.options({}))
    assert hard.weapons["main_gun"].high == (5, 9, 9)
    _, skilled = RULES.equalised(sherman(), other, ["skill"], RULES.options({}))
    assert [gunner.skill for gunner in skilled.gunners] == [1]
    _, armed = RULES.equalised(sherman(), other, ["arms"], RULES.options({}))
    assert armed.weapons["cannon"].high == (9, 9, 9)
    assert [gunner.skill for gunner in armed.gunners] == [4, 1]
    assert any(item.weapon == "cannon" for item in armed.manifest)


def test_the_json_and_the_text(simlab: Shell):
    said = simlab("why", PANTHER, SHERMAN, "--n", "640", "--json")
    assert (said.code, said.errors) == (0, [])
    found = json.loads(said.out)
    assert [stage["name"] for stage in found["stages"]] == ALL
    assert (found["a"], found["b"], found["n"]) == (PANTHER, SHERMAN, 640)
    assert {reason["step"] for reason in found["knock_outs"]} == {"a", "b"}
    assert found["gap"]["value"] == pytest.approx(found["sum"]["value"] - found["total"]["value"])
    text = simlab("why", PANTHER, SHERMAN, "--n", "640").out
    assert max(map(len, text.splitlines())) <= 80
    for words in ("all of them at once", "gap", "Effects need not add up", "A   cannon: never fires"):
        assert words in text
    frame = lab.why(PANTHER, SHERMAN, n=640).to_frame()
    assert len(frame) == len(found["stages"]) + len(found["knock_outs"])
    assert set(frame["kind"]) == {"stage", "knock-out"}


def test_any_system_has_reasons(toy):
    found = lab.why(ToySheet("a", needs=3), ToySheet("b", hit_points=3), system="toy", n=3200)
    assert [reason.name for reason in found.stages] == ["aim", "body", "supply"]
    assert found.stages[0].change.value < 0 < found.stages[1].change.value
    assert found.stages[2].same
    assert [(reason.step, reason.name) for reason in found.knock_outs] == [("a", "gun"), ("b", "gun")]


def test_unknown_units_are_one_line(simlab: Shell):
    said = simlab("why", PANTHER, "m4a3_sherman", "--n", "640")
    assert said.code == 2
    assert said.errors[0].startswith("B: found m4a3_sherman")
