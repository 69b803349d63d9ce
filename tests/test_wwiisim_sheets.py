"""Sheets of WWIISIM: their files, faults, rows, drafts, stages, and how they are shown."""

from pathlib import Path
from typing import Any

import pytest
from rule_index import marked_tests

from simlab.model.document import parse_document
from simlab.model.errors import InputError
from simlab.model.situation import Situation
from simlab.model.table import parse_table, write_table
from simlab.rules.wwiisim import draft
from simlab.rules.wwiisim.options import Options
from simlab.rules.wwiisim.sheet import Sheet
from simlab.rules.wwiisim.system import SYSTEM
from simlab.tables.expand import Questions, expand_volley

ROOT = Path(__file__).parent.parent
UNITS, FACTS = ROOT / "units" / "wwiisim", ROOT / "units" / "facts"
SHEETS = {path.stem: SYSTEM.load_sheet(path) for path in sorted(UNITS.glob("*.yaml"))}
SOUND = {
    "system": "wwiisim", "kind": "vehicle", "name": "X", "nation": "Y", "ecv": "{value: null, source: draft}",
    "provenance": '""', "armor": "12", "skill": "5", "initiative": "5",
    "weapons": "{gun: {name: Gun, type: cannon_75}}",
}  # fmt: skip


def read(**changes: str | None) -> Sheet:
    lines = {**SOUND, **changes}
    text = "".join(f"{key}: {value}\n" for key, value in lines.items() if value is not None)
    return SYSTEM.parse_sheet(parse_document(text.encode(), "x.yaml"))


@pytest.mark.parametrize(("changes", "fault"), [
    ({"armor": None}, "armor: found nothing (the key is missing), allowed a whole number from 0 to 30"),
    ({"armor": "31"}, "armor: found 31, allowed a whole number from 0 to 30"),
    ({"men": "3"}, "men: found a key that a vehicle does not have, allowed armor alone"),
    ({"kind": "team", "armor": None}, "men: found nothing"),
    ({"kind": "team", "armor": None, "men": "3", "tiger": "true"}, "tiger: found true for a team, allowed false"),
    ({"skill": "0"}, "skill: found 0, allowed a whole number from 1 to 9"),
    ({"initiative": "2.0"}, "initiative: found 2.0"),
    ({"skil": "5"}, "did you mean skill?"),
    ({"weapons": "{gun: {name: Gun, type: canon_75}}"}, "did you mean cannon_75?"),
    ({"weapons": "{gun: {name: Gun, type: rifle, long: 5}}"}, "weapons.gun.long: found 5"),
    ({"weapons": "{gun: {name: Gun, type: rifle, strength: null}}"}, "weapons.gun.strength: found null"),
    ({"weapons": "{gun: {name: Gun, type: rifle, short: -1}}"}, "weapons.gun.short: found -1, allowed a number from 0"),
    ({"weapons": "{gun: {name: Gun, type: rifle, count: 12}, o: {name: O, type: pistol}}"}, "13 weapons in all"),
    ({"weapons": "{gun: {name: Gun, type: mortar_light, count: 9}}"}, "9 mortars"),
    ({"weapons": "{}"}, "weapons: found {}"),
    ({"weapons": "{Gun 1: {name: Gun, type: rifle}}"}, "the key \"Gun 1\""),
    ({"system": "chess"}, "system: found chess, allowed wwiisim"),
])  # fmt: skip
def test_a_faulty_sheet_is_refused_with_field_and_legal_values(changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(InputError) as refused:
        read(**changes)
    assert any(fault in str(problem) for problem in refused.value.problems), str(refused.value)
    assert all(problem.file == "x.yaml" and problem.line for problem in refused.value.problems)


def test_what_the_table_says_may_be_written_or_left_out() -> None:
    plain = read()
    written = read(
        weapons="{gun: {name: Gun, type: cannon_75, count: 1, strength: 10, short: 12, long: 48.0}}"
    )
    other = read(weapons="{gun: {name: Gun, type: cannon_75, strength: 11, long: null}}")
    assert SYSTEM.sheet_hash(written) == SYSTEM.sheet_hash(plain) != SYSTEM.sheet_hash(other)
    assert SYSTEM.sheet_text(written) == SYSTEM.sheet_text(plain)
    assert SYSTEM.replace_fields(
        plain, {"weapons.gun.strength": 11, "weapons.gun.long": None}
    ) == other.model_copy(update={"id": plain.id})


@pytest.mark.rule("WS-2")
@pytest.mark.parametrize(("written", "ends", "reached"), [
    ("", "12/24", {0, 12, 24}),
    (", long: null", "12", {0, 12}),
    (", short: null", "-/24", {0, 12, 24}),
    (", short: 0, long: null", "0", {0}),
    (", short: null, long: null", "-", set()),
])  # fmt: skip
def test_a_weapon_fires_in_the_bands_that_it_has(written: str, ends: str, reached: set[float]) -> None:
    sheet = read(weapons=f"{{gun: {{name: Gun, type: rifle{written}}}}}")
    assert sheet.weapons["gun"].ends == ends
    assert {distance for distance in (0, 12, 24, 25) if fires(sheet, distance)} == reached
    assert f"x1 s2 {ends} | Gun" in str(SYSTEM.sheet_to_row(sheet)["weapon_1"])
    table = parse_table(
        write_table(SYSTEM.row_columns, [SYSTEM.sheet_to_row(sheet)]).encode(), "x.csv", SYSTEM.row_columns
    )
    assert SYSTEM.sheet_hash(SYSTEM.sheet_from_row(table.rows[0])) == SYSTEM.sheet_hash(sheet)
    again = parse_document(SYSTEM.sheet_text(sheet).encode(), "x.yaml")
    assert SYSTEM.sheet_hash(SYSTEM.parse_sheet(again)) == SYSTEM.sheet_hash(sheet)
    assert ends in SYSTEM.render_sheet(sheet).partition("notes")[2]


def fires(sheet: Sheet, distance: float) -> bool:
    fight = SYSTEM.compile_fight([sheet], [SHEETS["t34_85"]], Situation(distance), SYSTEM.options({}), 12)
    return fight.can_fire_a


def test_a_weapon_that_is_knocked_out_is_still_there_to_be_lost() -> None:
    panther = SHEETS["panther_g"]
    outs = {out.part: out.sheet for out in SYSTEM.knock_outs(panther)}
    assert list(outs) == ["cannon", "coaxial", "bow_mg"]
    for part, sheet in outs.items():
        assert [key for key, _ in sheet.arms] == [key for key, _ in panther.arms]
        assert [out.part for out in SYSTEM.knock_outs(sheet)] == [key for key in outs if key != part]


@pytest.mark.rule("WS-6")
def test_the_roster_has_vehicles_and_teams_in_plausible_bounds() -> None:
    vehicles = [sheet for sheet in SHEETS.values() if sheet.is_vehicle]
    assert len(vehicles) >= 16
    assert {
        "panther_g",
        "m4a3_sherman_lp",
        "sherman_firefly_vc",
        "tiger_i_e",
        "t34_85",
        "panzer_iv_h",
    } <= set(SHEETS)
    assert all(7 <= (sheet.armor or 0) <= 15 for sheet in vehicles)
    assert {name for name, sheet in SHEETS.items() if sheet.tiger} == {"tiger_i_e", "tiger_ii"}
    kinds = {
        weapon.type for sheet in SHEETS.values() if not sheet.is_vehicle for weapon in sheet.weapons.values()
    }
    assert {
        "bazooka",
        "panzerschreck",
        "machine_gun_medium",
        "mortar_medium",
        "rifle",
        "panzerfaust",
    } <= kinds
    assert all(sheet.ecv.source == "draft" for sheet in SHEETS.values())


def test_vehicles_are_what_the_facts_give() -> None:
    rows = SYSTEM.read_facts(FACTS)
    for name, row in rows.items():
        made = SYSTEM.draft_sheet(row)
        assert (UNITS / f"{name}.yaml").read_text(encoding="utf-8") == made.text
        assert SYSTEM.sheet_hash(made.sheet) == SYSTEM.sheet_hash(SHEETS[name])
        noted = {step.field for step in made.steps}
        assert {"armor", "skill", "initiative", "ecv.value", "weapons.cannon.type"} <= noted


@pytest.mark.parametrize(("made", "wanted"), [
    (draft.armor_points(139), 14), (draft.armor_points(1000), 15), (draft.armor_points(0), 8),
    (draft.cannon_class(75, 168), "cannon_88"), (draft.cannon_class(76.2, 116), "cannon_75"),
    (draft.cannon_class(37, 57), "cannon_5"), (draft.cannon_class(88, 235), "cannon_105"),
    (draft.cannon_class(152.4, 137), "cannon_150"), (draft.machine_gun_class(12.7), "machine_gun_heavy"),
    (draft.machine_gun_class(7.92), "machine_gun_medium"), (draft.initiative(True, 5, 45), 7),
    (draft.initiative(False, 4, 70), 4), (draft.draft_price(13, 11, 2, 7), 179),
    (round(draft.sight_mm(80, 60)), 160),
])  # fmt: skip
def test_the_rules_of_thumb(made: Any, wanted: Any) -> None:
    assert made == wanted


def test_sheets_go_through_a_table_and_come_back() -> None:
    rows = [SYSTEM.sheet_to_row(sheet) for sheet in SHEETS.values()]
    for semicolon in (False, True):
        text = write_table(SYSTEM.row_columns, rows, semicolon=semicolon)
        table = parse_table(text.encode(), "x.csv", SYSTEM.row_columns)
        again = [SYSTEM.sheet_from_row(row) for row in table.rows]
        assert [SYSTEM.sheet_hash(sheet) for sheet in again] == [
            SYSTEM.sheet_hash(s) for s in SHEETS.values()
        ]


@pytest.mark.parametrize(("column", "cell", "fault"), [
    ("weapon_1", "gun", "weapon_1: found gun, allowed a weapon like"),
    ("weapon_1", "gun: canon x1 s1 12 | G", "weapon_1.type: found canon"),
    ("weapon_2", "cannon: rifle x1 s2 12/24 | G", "weapon_2: found the key cannon again"),
    ("skill", "ten", "skill: found ten"), ("tiger", "perhaps", "tiger: found perhaps, allowed yes or no"),
    ("id", "", "id: found nothing"), ("kind", "boat", "kind: found boat"), ("armor", "", "armor: found nothing"),
])  # fmt: skip
def test_a_faulty_row_is_refused_by_column(column: str, cell: str, fault: str) -> None:
    row = {**SYSTEM.sheet_to_row(SHEETS["panther_g"]), column: cell}
    table = parse_table(write_table(SYSTEM.row_columns, [row]).encode(), "x.csv", SYSTEM.row_columns)
    with pytest.raises(InputError, match=r"x\.csv:2") as refused:
        SYSTEM.sheet_from_row(table.rows[0])
    assert any(fault in str(problem) for problem in refused.value.problems), str(refused.value)


def test_options_are_read_from_words_and_refused_by_name() -> None:
    options = SYSTEM.options({"die": "12", "long_range": "-3", "mg_go_fast": "yes", "firing_skill": "4"})
    found = [options.value(name) for name in ("die", "long_range", "mg_go_fast", "firing_skill")]
    assert found == [12, -3, True, 4]
    assert SYSTEM.options({}, {"smoke_turns": 2}).non_default() == {"constants.smoke_turns": 2}
    for settings, constants, fault in (
        ({"dice": 3}, None, "did you mean die?"), ({"die": 3}, None, "die: found 3, allowed a whole number from 4"),
        ({"repair": "idel"}, None, "did you mean idle?"), ({"wound_above": 3}, None, "a house number"),
        ({}, {"die": 3}, "stands under readings"), ({}, {"spotter_sees": 1}, "allowed true or false"),
        ({}, {"template_radius": "x"}, "allowed a number from 0 to 12"),
    ):  # fmt: skip
        with pytest.raises(InputError) as refused:
            SYSTEM.options(settings, constants)
        assert fault in str(refused.value)
    with pytest.raises(InputError, match="unknown name"):
        Options().value("nothing")


@pytest.mark.parametrize("name", ["tiger_i_e", "rifle_squad_german"])
def test_a_sheet_is_shown_with_all_its_numbers(name: str) -> None:
    sheet = SHEETS[name]
    shown = SYSTEM.render_sheet(sheet)
    assert max(map(len, shown.split("\n"))) <= 78
    assert all(f"{int(value)}" in shown for value in SYSTEM.sheet_numbers(sheet).values())
    assert ("never goes fast" in shown) == sheet.tiger


def test_stats_move_the_numbers_that_they_stand_for() -> None:
    panther = SHEETS["panther_g"]
    stats = SYSTEM.formula_stats(panther)
    assert stats == {
        "armour": 14, "firing skill": 5, "initiative": 7, "gun strength": 11, "machine gun strength": 4
    }  # fmt: skip
    moved = SYSTEM.with_stats(panther, {**stats, "armour": 12, "machine gun strength": 5}, "other")
    assert (moved.id, moved.armor, moved.weapons["bow_mg"].strength) == ("other", 12, 5)
    assert SYSTEM.fight_hash(SYSTEM.with_stats(panther, stats, "same")) == SYSTEM.fight_hash(panther)
    assert SYSTEM.formula_stats(SHEETS["bazooka_team"])["men"] == 2
    with pytest.raises(InputError, match="did you mean armour"):
        SYSTEM.with_stats(panther, {"armor": 3}, "x")


def test_stages_make_equal_what_they_are_about() -> None:
    a, b = SHEETS["panther_g"], SHEETS["su85"]
    _, armoured = SYSTEM.equalised(a, b, ["armour"], Options())
    assert (armoured.armor, armoured.weapons["cannon"].strength) == (a.armor, 10)
    _, stronger = SYSTEM.equalised(a, b, ["strength"], Options())
    assert (stronger.armor, stronger.weapons["cannon"].strength) == (b.armor, 11)
    _, armed = SYSTEM.equalised(a, b, ["arms"], Options())
    assert list(armed.weapons) == ["cannon", "coaxial", "bow_mg"]
    assert armed.weapons["cannon"].strength == 10
    names = [stage.name for stage in SYSTEM.stages]
    for pair in ((a, b), (b, a), (a, SHEETS["rifle_squad_us"])):
        one, other = SYSTEM.equalised(*pair, names, Options())
        hashes = {SYSTEM.fight_hash(sheet) for sheet in (one, other)}
        assert len(hashes) == 1


def test_reports_of_one_volley_add_up() -> None:
    fight = SYSTEM.compile_fight(
        [SHEETS["panther_g"]], [SHEETS["t34_85"]], Situation(20.0), SYSTEM.options({}), 12
    )
    reports = SYSTEM.report_volleys(fight, expand_volley, Questions(fight))
    assert [report.gunner for report in reports] == [
        SYSTEM.gunner_name(SHEETS["panther_g"], n) for n in range(3)
    ]
    hit, armour, after = (section.chances for section in reports[0].sections)
    assert hit == {"misses": pytest.approx(0.7), "1 hit": pytest.approx(0.3)}
    assert armour["penetrates"] == pytest.approx(5 / 6)
    assert after["destroyed in all"] == pytest.approx(0.125)
    arms = SYSTEM.report_arms(SHEETS["panther_g"], Situation(20.0), SYSTEM.options({}))
    columns, rows = SYSTEM.to_hit_table(SHEETS["panther_g"], Situation(20.0), SYSTEM.options({}))
    assert columns == ("1d10",)
    assert rows[2] == ("3 or less", (0.3,))
    assert arms.reached[2] == ("needed",) * 3
    assert len(arms.reached) == len(rows)


def test_every_rule_is_named_by_a_test() -> None:
    assert set(marked_tests(system="WS")) == {f"WS-{n}" for n in range(1, 16)}
