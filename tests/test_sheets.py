"""Record sheets: the three of the project, changed fields, plain forms."""

import pickle
import time

import numpy as np
import pytest
import yaml
from sheet_texts import IDS, SHERMAN, UNITS, read

from simlab.model.document import Document
from simlab.model.errors import InputError
from simlab.rules.blitzkrieg.sheet import (
    Sheet,
    canonical,
    fight_hash,
    load_sheet,
    parse_sheet,
    replace_fields,
    to_mapping,
)


@pytest.fixture(scope="module")
def sherman() -> Sheet:
    return read(SHERMAN)


class TestTheThreeSheets:
    @pytest.mark.parametrize("name", IDS)
    def test_each_is_sound(self, name: str) -> None:
        sheet = load_sheet(UNITS / f"{name}.yaml")
        assert sheet.id == name
        assert sheet.file == str(UNITS / f"{name}.yaml")
        assert sheet.ecv.is_draft == (name != "m4a3_sherman_lp")

    @pytest.mark.rule("BK-1", "BK-2", "BK-3", "BK-4", "BK-5")
    def test_the_sherman_stands_as_printed(self, sherman: Sheet) -> None:
        defense = sherman.defense
        assert (defense.ballistic.front_back, defense.ballistic.sides) == (8, 4)
        assert (defense.indirect.front_back, defense.indirect.sides) == (10, 6)
        assert (defense.anti_personnel.front_back, defense.anti_personnel.sides) == (13, 10)
        assert defense.physical == 4
        assert sherman.armor.model_dump() == {"front": 6, "left": 2, "right": 2, "back": 1}
        assert sherman.shock_threshold == 3
        assert list(sherman.penetration.model_dump().values()) == [1, 0, 0, 0, 0, 0]
        assert sherman.internal_amount == (1, None, 2, 3, 4, 5, None, 6, 7, 8)

    @pytest.mark.rule("BK-6")
    def test_its_weapons_and_gunners(self, sherman: Sheet) -> None:
        strikes = {key: (w.high, w.mid, w.low, w.ammo, w.type, w.mount) for key, w in sherman.weapons.items()}
        assert strikes == {
            "cannon": ((5, 4, 3), (4, 3, 2), (3, 2, 1), 36, "ballistic", "turret"),
            "coaxial": ((2, 2, 0), (1, 1, 0), (1, 1, 0), 19, "anti_personnel", "turret"),
            "pintle_mg": ((3, 2, 2), (2, 1, 1), (1, 1, 1), 19, "anti_personnel", "pintle"),
        }
        assert [(g.skill, g.weapons) for g in sherman.gunners] == [
            (1, ("cannon", "coaxial")),
            (1, ("pintle_mg",)),
        ]

    @pytest.mark.rule("BK-7")
    def test_its_manifest_fills_all_lines(self, sherman: Sheet) -> None:
        items = {item.lines: (item.item, item.weapon, item.ammo_bin) for item in sherman.manifest}
        assert items == {
            (20,): ("crew", None, False),
            (19,): ("engine", None, False),
            (16, 17, 18): ("fuel", None, False),
            (14, 15): ("periscope", None, False),
            (12, 13): ("turret", None, False),
            (9, 10, 11): ("weapon", "cannon", True),
            (7, 8): ("weapon", "coaxial", True),
            (6,): ("pintle_mount", "pintle_mg", True),
            (5,): ("weapon", "pintle_mg", False),
            (3, 4): ("tread", None, False),
            (1, 2): ("tread", None, False),
        }
        assert [item.side for item in sherman.manifest if item.item == "tread"] == ["left", "right"]
        assert [item.hits for item in sherman.manifest if item.item == "engine"] == [5]

    @pytest.mark.rule("BK-8", "BK-9", "BK-10")
    def test_its_movement_ram_and_price(self, sherman: Sheet) -> None:
        movement = sherman.movement
        assert (movement.speed, movement.road, movement.water, movement.trees) == (10, 15, 4, 2)
        assert (movement.one_level, movement.two_levels) == (2, 3)
        assert (movement.extra_maneuverable, movement.amphibious, movement.moves_on_one_side) == (False,) * 3
        assert (sherman.ram.damage, sherman.ram.shock, sherman.ram.penetration) == (0.58, 0.58, 0.23)
        assert sherman.ram.plate is False
        assert (sherman.ecv.value, sherman.ecv.source) == (558, "rulebook")

    @pytest.mark.rule("BK-15")
    def test_machine_guns_reach_30_inches_unless_their_sheet_says_otherwise(self, sherman: Sheet) -> None:
        assert {key: (w.max_range, w.default_reach) for key, w in sherman.weapons.items()} == {
            "cannon": (None, False),
            "coaxial": (30.0, True),
            "pintle_mg": (30.0, True),
        }
        own = sherman.replaced(**{"weapons.coaxial.max_range": 30, "weapons.cannon.max_range": 48.5})
        assert (own.weapons["coaxial"].max_range, own.weapons["coaxial"].default_reach) == (30.0, False)
        assert (own.weapons["cannon"].max_range, own.weapons["cannon"].default_reach) == (48.5, False)


class TestChangedFields:
    def test_a_changed_sheet_is_new_and_keeps_id_and_file(self, sherman: Sheet) -> None:
        changed = sherman.replaced(
            **{"armor.front": 7, "weapons.cannon.high": (6, 4, 3), "gunners.0.skill": 2}
        )
        assert (changed.armor.front, changed.weapons["cannon"].high, changed.gunners[0].skill) == (
            7,
            (6, 4, 3),
            2,
        )
        assert (sherman.armor.front, sherman.weapons["cannon"].high, sherman.gunners[0].skill) == (
            6,
            (5, 4, 3),
            1,
        )
        assert (changed.id, changed.file) == (sherman.id, sherman.file)

    def test_no_change_is_an_equal_sheet(self, sherman: Sheet) -> None:
        assert replace_fields(sherman, {}) == sherman

    def test_optional_keys_can_be_added(self, sherman: Sheet) -> None:
        assert sherman.replaced(**{"movement.moves_on_one_side": True}).movement.moves_on_one_side

    def test_integers_of_numpy_are_whole_numbers(self, sherman: Sheet) -> None:
        changed = sherman.replaced(**{"armor.front": np.int64(7), "weapons.cannon.high": (np.int32(6), 4, 3)})
        assert (changed.armor.front, changed.weapons["cannon"].high) == (7, (6, 4, 3))

    def test_keys_with_dots(self, sherman: Sheet) -> None:
        mapping = to_mapping(sherman)
        mapping["weapons"] = {
            "7.92mm" if key == "coaxial" else key: w for key, w in mapping["weapons"].items()
        }
        mapping["gunners"][0]["weapons"] = ["cannon", "7.92mm"]
        mapping["manifest"][6]["weapon"] = "7.92mm"
        sheet = parse_sheet(Document("x.yaml", mapping))
        assert sheet.replaced(**{"weapons.7.92mm.ammo": 5}).weapons["7.92mm"].ammo == 5

    @pytest.mark.parametrize(
        ("path", "value", "line"),
        [
            ("armor.front", 64, "armor.front: found 64, allowed a whole number from 0 to 63"),
            ("armor.front", 7.0, "armor.front: found 7.0, allowed a whole number from 0 to 63"),
            (
                "armor.fron",
                7,
                "armor.fron: found an unknown key, allowed front, left, right, back; did you mean front?",
            ),
            ("gunners.2.skill", 1, "gunners.2.skill: found the position 2, allowed 0 to 1"),
            ("gunners.first.skill", 1, "gunners.first.skill: found the position first, allowed 0 to 1"),
            (
                "armor.front.x",
                1,
                "armor.front.x: found a key below armor.front, which is 6, allowed a field of the sheet; "
                "did you mean armor.front?",
            ),
            (
                "manifest.1.lines",
                [3],
                "manifest.9.lines: found line 3, which is item 1's, allowed each line in one item",
            ),
            (
                "weapons.gun.high.0",
                3,
                "weapons.gun.high.0: found the unknown key gun, allowed cannon, coaxial, pintle_mg",
            ),
            (
                "name",
                object(),
                "name: found a value of type object, allowed text of 1 to 200 printable characters",
            ),
        ],
    )
    def test_faults_name_the_field(self, sherman: Sheet, path: str, value: object, line: str) -> None:
        with pytest.raises(InputError) as caught:
            replace_fields(sherman, {path: value})
        assert str(caught.value).replace('"2"', "2") == line

    def test_sheets_are_frozen_and_survive_pickling(self, sherman: Sheet) -> None:
        with pytest.raises(ValueError, match="frozen"):
            sherman.armor.front = 3
        copy = pickle.loads(pickle.dumps(sherman))
        assert copy == sherman
        assert fight_hash(copy) == fight_hash(sherman)


class TestForms:
    @pytest.mark.parametrize("name", IDS)
    def test_the_mapping_reads_back_as_the_sheet(self, name: str) -> None:
        sheet = load_sheet(UNITS / f"{name}.yaml")
        text = yaml.safe_dump(to_mapping(sheet), sort_keys=False, allow_unicode=True)
        again = read(text, sheet.file)
        assert again == sheet
        assert canonical(again) == canonical(sheet)
        assert to_mapping(again) == yaml.safe_load((UNITS / f"{name}.yaml").read_text(encoding="utf-8"))

    def test_explicit_optional_keys_stay_in_the_mapping(self, sherman: Sheet) -> None:
        changed = sherman.replaced(**{"weapons.coaxial.max_range": 30, "movement.moves_on_one_side": True})
        again = parse_sheet(Document(sherman.file, to_mapping(changed)))
        assert not again.weapons["coaxial"].default_reach
        assert again.movement.moves_on_one_side


def test_a_thousand_sheets_are_read_in_seconds() -> None:
    start = time.process_time()
    for _ in range(200):
        load_sheet(UNITS / "panther_g.yaml")
    assert time.process_time() - start < 1.0
