"""Sheets of tank_d20: strict reading, hashes, rows, texts, stats, stages, drafts; options and charts."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from tank_d20_bridge import UNITS, Bridge, sheet, shipped

from simlab.lab.fights import fight_key_of
from simlab.model.document import parse_document
from simlab.model.errors import InputError
from simlab.model.table import Row
from simlab.rules.registry import get_system
from simlab.rules.tank_d20.charts_file import DRAFT, draft_charts, read_charts
from simlab.rules.tank_d20.draft import ANCHOR_PRICE
from simlab.rules.tank_d20.stages import FIELDS

SYSTEM = get_system("tank_d20")
ROOT = Path(__file__).parent.parent
FACTS = ROOT / "units" / "facts"
CHARTS = ROOT / "simlab" / "rules" / "tank_d20" / "charts"
TEXT = (UNITS / "panther_g.yaml").read_text(encoding="utf-8")


def problems(run: Any, *arguments: Any, **more: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        run(*arguments, **more)
    return str(caught.value).splitlines()


def parse(text: str) -> Any:
    return SYSTEM.parse_sheet(parse_document(text.encode(), "panther.yaml"))


def cells(row: dict[str, Any]) -> dict[str, str]:
    """A row as a spreadsheet would hold it."""
    words = {"True": "yes", "False": "no", "None": ""}
    return {key: words.get(str(value), str(value)) for key, value in row.items()}


def test_sixteen_vehicles_and_more_are_shipped():
    assert len(shipped()) >= 16
    wanted = {"panther_g", "m4a3_sherman_lp", "sherman_firefly_vc", "tiger_i_e", "t34_85", "panzer_iv_h"}
    assert wanted <= {each.id for each in shipped()}
    assert all(each.ecv.is_draft for each in shipped())


@pytest.mark.rule("TD-4", "TD-9")
def test_the_shipped_sheets_are_what_the_facts_give():
    rows = SYSTEM.read_facts(FACTS)
    for each in shipped():
        draft = SYSTEM.draft_sheet(rows[each.id])
        assert draft.text == (UNITS / f"{each.id}.yaml").read_text(encoding="utf-8")
        named = {step.field for step in draft.steps}
        assert {
            "size",
            "gun.size",
            "gun.penetration",
            "gun.load_time",
            "crew.positions",
            "ecv.value",
        } <= named
        assert {
            f"armor.{face}.{plate}"
            for face in ("front", "side", "rear")
            for plate in ("turret", "hull", "lower")
        } <= named
    assert sheet("panzer_iv_h").size == "medium"
    assert sheet("m4a3_sherman_lp").ecv.value == pytest.approx(ANCHOR_PRICE, abs=1)


@pytest.mark.parametrize(
    ("line", "old", "new", "told"),
    [
        (
            9,
            "size: large",
            "size: larg",
            "size: found larg, allowed very_small, small, medium, large, very_large; did you",
        ),
        (
            11,
            "quality: regular",
            "quality: elit",
            "crew.quality: found elit, allowed green, regular, elite; did you",
        ),
        (12, "calibre: 75", "calibr: 75", "gun.calibr: found an unknown key"),
        (
            15,
            "turret: 121",
            "turret: 1.5",
            "armor.front.turret: found 1.5, allowed a whole number from 0 to 999",
        ),
        (11, "leader: 0", "leader: 6", "crew.leader: found 6, allowed a whole number from 0 to 5"),
        (11, "commander, gunner", "gunner, gunner", "crew.positions: found [gunner, gunner"),
        (11, "gunner, loader", "loader", "crew.positions: found [commander, loader"),
        (12, "size: XL", "size: M", "gun.size: found M, allowed S, standard, L, XL"),
        (10, "open_top: false", "open_top: no", "open_top: found"),
        (2, "system: tank_d20", "system: blitzkrieg", "system: found blitzkrieg, allowed tank_d20"),
    ],
)
def test_a_faulty_sheet_is_told_by_file_line_and_field(line: int, old: str, new: str, told: str):
    assert old in TEXT
    found = problems(parse, TEXT.replace(old, new, 1))
    assert any(each.startswith(f"panther.yaml:{line}: {told}") for each in found)


def test_hashes_see_what_they_should():
    panther = sheet("panther_g")
    named = SYSTEM.replace_fields(
        panther, {"name": "Another", "gun.name": "Gun", "ecv": {"value": 5, "source": "priced"}}
    )
    assert SYSTEM.fight_hash(named) == SYSTEM.fight_hash(panther)
    assert SYSTEM.sheet_hash(named) != SYSTEM.sheet_hash(panther)
    for path, value in (("gun.rounds", 3), ("armor.rear.lower", 7), ("crew.leader", 1), ("open_top", True)):
        changed = SYSTEM.replace_fields(panther, {path: value})
        assert SYSTEM.fight_hash(changed) != SYSTEM.fight_hash(panther)
        assert SYSTEM.field_value(changed, path) == value
    mixed = parse(
        TEXT.replace(
            "[commander, gunner, loader, driver, bow_gunner]",
            "[bow_gunner, loader, driver, gunner, commander]",
        )
    )
    assert SYSTEM.fight_hash(mixed) == SYSTEM.fight_hash(panther)
    assert SYSTEM.field_value(panther, "gun.nothing") is None


def test_sheets_survive_text_and_table():
    for each in shipped():
        again = SYSTEM.parse_sheet(parse_document(SYSTEM.sheet_text(each).encode(), each.file))
        assert again == each
        row = SYSTEM.sheet_to_row(each)
        assert tuple(row) == SYSTEM.row_columns
        read = SYSTEM.sheet_from_row(Row(each.file, 2, cells(row)))
        assert read == each
    odd = sheet(
        "panther_g",
        name="yes",
        nation="3",
        crew__positions=["gunner"],
        ecv={"value": None, "source": "draft"},
    )
    assert SYSTEM.parse_sheet(parse_document(SYSTEM.sheet_text(odd, "Odd.").encode(), odd.file)) == odd
    assert SYSTEM.sheet_from_row(Row(odd.file, 2, cells(SYSTEM.sheet_to_row(odd)))) == odd


def test_a_faulty_row_is_told_by_column():
    row = cells(SYSTEM.sheet_to_row(sheet("panther_g")))
    wrong = {
        **row,
        "gun.size": "XXL",
        "crew.positions": "gunner, cook",
        "open_top": "maybe",
        "armor.side.hull": "",
        "id": " ",
    }
    told = "\n".join(problems(SYSTEM.sheet_from_row, Row("t.csv", 3, wrong)))
    for column in ("gun.size", "crew.positions", "open_top", "armor.side.hull", "id"):
        assert f"{column}: found" in told
    assert "t.csv:3" in told


def test_the_drawing_holds_every_number():
    each = sheet("m7_priest", crew__leader=4)
    drawn = SYSTEM.render_sheet(each)
    assert all(len(line) <= 78 for line in drawn.splitlines())
    for path, number in SYSTEM.sheet_numbers(each).items():
        if path != "crew.leader":
            assert f"{number:g}" in drawn
    assert "leader -4" in drawn
    assert "HEAT" in drawn


def test_numbers_and_stats_can_be_turned():
    each = sheet("panther_g")
    numbers = SYSTEM.sheet_numbers(each)
    assert numbers["armor.front.hull"] == 143
    for path, number in numbers.items():
        turned = SYSTEM.replace_fields(each, {path: number + (1 if path != "crew.leader" else 2)})
        assert SYSTEM.sheet_numbers(turned)[path] != number
    stats = SYSTEM.formula_stats(each)
    assert SYSTEM.with_stats(each, stats, "panther_g") == each
    moved = SYSTEM.with_stats(each, {"armour side hull": 70, "gun size": 1, "target size": 0}, "mine")
    assert (moved.id, moved.armor.side.hull, moved.gun.size, moved.size) == (
        "mine",
        70,
        "standard",
        "very_small",
    )
    for stats in ({"armour side hulk": 1}, {"gun size": 4}, {"gun figure": 1.5}, {"gun figure": 1000}):
        assert problems(SYSTEM.with_stats, each, stats, "mine")


def test_stages_cover_what_a_fight_sees():
    a, b = sheet("tiger_i_e", crew__leader=2, crew__quality="elite"), sheet("m5a1_stuart", open_top=True)
    options = SYSTEM.options({})
    assert {stage.name for stage in SYSTEM.stages} == set(FIELDS)
    same = SYSTEM.equalised(a, b, list(FIELDS), options)
    assert SYSTEM.fight_hash(same[0]) == SYSTEM.fight_hash(same[1]) == SYSTEM.fight_hash(a)
    assert same[1].id == b.id
    alone = SYSTEM.equalised(a, b, ["armour"], options)[1]
    assert (alone.armor, alone.gun, alone.crew) == (a.armor, b.gun, b.crew)
    for part in SYSTEM.knock_outs(a):
        assert SYSTEM.fight_hash(part.sheet) != SYSTEM.fight_hash(a)
    assert [part.part for part in SYSTEM.knock_outs(a)] == [
        "gun",
        "leader",
        "commander",
        "loader",
        "driver",
        "bow gunner",
    ]


READINGS = {
    "hit": ("TD-1", "roll_plus_drm_at_most", "roll_plus_drm_below"),
    "extreme": ("TD-1", "s_90", "all_open"),
    "jam_round": ("TD-2", "kept", "spent"),
    "fire_on_move": ("TD-3", "plus_12", "half"),
    "move_stack": ("TD-3", "replace", "add"),
    "leader_on": ("TD-3", "to_hit", "location"),
    "no_target": ("TD-3", "base", "final"),
    "per3": ("TD-4", "full", "part"),
    "penetration": ("TD-6", "compare", "roll"),
    "exposed": ("TD-7", "kia", "mc"),
}


def test_the_readings_of_the_rules_have_their_names_values_and_defaults():
    by_name = {reading.name: reading for reading in SYSTEM.readings}
    for name, (rule, *values) in READINGS.items():
        reading = by_name[name]
        assert (reading.rule, reading.values, reading.default, reading.built) == (
            rule,
            tuple(values),
            values[0],
            True,
        )
    actions = by_name["actions"]
    assert (actions.rule, actions.default, actions.values.low, actions.values.high) == ("TD-9", 2, 1, 6)


def test_options_are_read_strictly():
    assert SYSTEM.options({"actions": "3", "buttoned": "true"}).value("buttoned_b") is True
    assert SYSTEM.options({"stand_in": "no"}) == SYSTEM.options({"stand_in": False})
    assert SYSTEM.options({"hit": "roll_plus_drm_at_most"}).non_default() == {}
    changed = SYSTEM.options({"aim": "always", "actions": 3}, {"least_crew": 3})
    assert changed.non_default() == {
        "actions": 3,
        "aim_a": "always",
        "aim_b": "always",
        "constants.least_crew": 3,
    }
    assert hash(changed) == hash(
        SYSTEM.options({"actions": 3, "aim_b": "always", "aim_a": "always"}, {"least_crew": 3})
    )
    told = problems(
        SYSTEM.options,
        {"hitt": 1, "actions": 7, "exposed": "kla", "least_crew": 2},
        {"least_crew": 9, "nonsense": 1},
    )
    wanted = (
        "hitt: found an unknown name",
        "actions: found 7, allowed a whole number from 1 to 6",
        "exposed: found kla, allowed kia, mc; did you mean kia?",
        "least_crew: found a house number",
        "constants.least_crew: found 9, allowed a whole number from 1 to 5",
        "constants.nonsense: found an unknown name",
    )
    assert all(any(line.startswith(start) for line in told) for start in wanted)
    assert len(told) == len(wanted)
    assert problems(SYSTEM.options, {"aim": "always", "aim_a": "never"}) == [
        "aim_a: found both always and never, allowed one value"
    ]
    assert problems(SYSTEM.options({}).value, "nothing")


def write_chart(folder: Path, name: str, old: str, new: str) -> Path:
    text = (CHARTS / f"{name}.yaml").read_text(encoding="utf-8")
    assert old in text
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.yaml").write_text(text.replace(old, new), encoding="utf-8")
    return folder


@pytest.mark.rule("TD-5", "TD-8")
def test_a_folder_of_charts_takes_the_place_of_the_drafts(tmp_path: Path):
    mine = write_chart(tmp_path / "mine", "penetration_effects", "step: 25, most: 4", "step: 30, most: 4")
    options = SYSTEM.options({"charts": str(mine)})
    assert options.value("charts") == options.built()["charts"] == str(mine)
    assert options.charts.penetration_effects.over.step == 30
    assert options.charts.hit_location == draft_charts().hit_location
    kept = options.non_default()
    assert str(kept["charts"]) == str(mine)
    assert SYSTEM.options(yaml.safe_load(yaml.safe_dump({"charts": dict(kept["charts"])}))) == options
    pair = sheet("panther_g"), sheet("t34_85")
    elsewhere = write_chart(
        tmp_path / "elsewhere", "penetration_effects", "step: 25, most: 4", "step: 30, most: 4"
    )
    keys = [fight_key_of(Bridge(pair, {"charts": str(place)}).fight) for place in (mine, elsewhere, DRAFT)]
    assert keys[0] == keys[1] != keys[2]
    same = write_chart(tmp_path / "same", "crew", "morale: 8", "morale: 8")
    assert SYSTEM.options({"charts": str(same)}) == SYSTEM.options({})


@pytest.mark.rule("TD-5", "TD-6", "TD-7", "TD-8")
@pytest.mark.parametrize(
    ("name", "line", "old", "new", "told"),
    [
        (
            "hit_location",
            10,
            "rolls: [2, 3]",
            "rolls: [2, 4]",
            "places.front.2.rolls: found [4, 6], allowed rolls from 5",
        ),
        (
            "hit_location",
            16,
            "[20, 20]",
            "[20, 19]",
            "places.front.8.rolls: found [20, 19], allowed rolls from 20",
        ),
        (
            "hit_location",
            9,
            "plate: lower",
            "plate: upper",
            "places.front.1.plate: found upper, allowed turret, hull",
        ),
        ("hit_location", 10, "stuns: driver", "stun: driver", "places.front.2.stun: found an unknown key"),
        (
            "penetration_effects",
            13,
            "most: 4",
            "most: 5",
            "effects.6.rolls: found 24 as the last roll, allowed 25",
        ),
        (
            "penetration_effects",
            12,
            "effects: [fire]",
            "effects: [fires]",
            "effects.5.effects.0: found fires, allowed cas",
        ),
        (
            "penetration_roll",
            8,
            "excess: -10",
            "excess: -20",
            "steps.2.excess: found -20, allowed at least -19",
        ),
        ("penetration_roll", 11, "roll: 17", "roll: 14", "steps.5.roll: found 14, allowed at least 15"),
        (
            "crew",
            7,
            "morale: 12",
            "morale: 21",
            "quality.regular.morale: found 21, allowed a whole number from 0 to 20",
        ),
    ],
)
def test_a_faulty_chart_is_told_by_file_line_and_field(
    tmp_path: Path, name: str, line: int, old: str, new: str, told: str
):
    folder = write_chart(tmp_path / "faulty", name, old, new)
    found = problems(SYSTEM.options, {"charts": str(folder)})
    assert any(each.startswith(f"{folder / name}.yaml:{line}: {told}") for each in found), found


def test_folders_without_charts_are_refused(tmp_path: Path):
    assert problems(read_charts, str(tmp_path))
    (tmp_path / "hit_locations.yaml").write_text("chart: hit_location\n", encoding="utf-8")
    assert problems(read_charts, str(tmp_path))[0].endswith("did you mean hit_location?")
    assert problems(read_charts, str(tmp_path / "none"))
    assert problems(read_charts, 3)
