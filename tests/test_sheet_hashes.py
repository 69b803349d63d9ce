"""The two hashes of a sheet: what is in them and what is not."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from sheet_texts import IDS, SHERMAN, UNITS, read

from simlab.model.document import Document
from simlab.rules.blitzkrieg.sheet import (
    Sheet,
    fight_hash,
    load_sheet,
    parse_sheet,
    replace_fields,
    sheet_hash,
    to_mapping,
)


@pytest.fixture(scope="module")
def sherman() -> Sheet:
    return read(SHERMAN)


def _renamed(mapping: dict[str, Any]) -> None:
    """Give all that has a name another one."""
    mapping.update(name="Other", nation="Other", provenance="Other", ecv={"value": None, "source": "priced"})
    mapping["weapons"] = {
        f"new_{key}": weapon | {"name": "Other"} for key, weapon in mapping["weapons"].items()
    }
    for gunner in mapping["gunners"]:
        gunner.update(name="Other", weapons=[f"new_{key}" for key in gunner["weapons"]])
    for item in mapping["manifest"]:
        if "weapon" in item:
            item["weapon"] = f"new_{item['weapon']}"


def _reordered(mapping: dict[str, Any]) -> None:
    """Turn round every order that says nothing: keys, items, lines."""
    mapping["manifest"] = [dict(reversed(item.items())) for item in reversed(mapping["manifest"])]
    for item in mapping["manifest"]:
        item["lines"].reverse()
    for key in ("armor", "movement", "penetration"):
        mapping[key] = dict(reversed(mapping[key].items()))
    mapping["weapons"] = {key: dict(reversed(weapon.items())) for key, weapon in mapping["weapons"].items()}
    for key in list(mapping)[::-1]:
        mapping[key] = mapping.pop(key)


def _defaults_written(mapping: dict[str, Any]) -> None:
    mapping["movement"]["moves_on_one_side"] = False
    mapping["weapons"]["cannon"]["off_manifest"] = False
    mapping["manifest"][8]["ammo_bin"] = False


class TestHashes:
    def changed(
        self, sheet: Sheet, change: Callable[[dict[str, Any]], None], file: str = "other.yaml"
    ) -> Sheet:
        mapping = to_mapping(sheet)
        change(mapping)
        return parse_sheet(Document(file, mapping))

    def test_they_are_16_hexadecimal_digits_and_differ_between_sheets(self) -> None:
        sheets = [load_sheet(UNITS / f"{name}.yaml") for name in IDS]
        hashes = [function(sheet) for sheet in sheets for function in (sheet_hash, fight_hash)]
        assert len(set(hashes)) == 6
        assert all(re.fullmatch("[0-9a-f]{16}", text) for text in hashes)

    @pytest.mark.parametrize("change", [_renamed, _reordered, _defaults_written])
    def test_what_no_fight_depends_on_is_not_in_the_fight_hash(
        self, sherman: Sheet, change: Callable[[dict[str, Any]], None]
    ) -> None:
        assert fight_hash(self.changed(sherman, change)) == fight_hash(sherman)

    def test_the_sheet_hash_holds_the_names_but_no_order_of_keys(self, sherman: Sheet) -> None:
        assert sheet_hash(self.changed(sherman, _reordered, sherman.file)) == sheet_hash(sherman)
        assert sheet_hash(self.changed(sherman, _renamed, sherman.file)) != sheet_hash(sherman)
        assert sheet_hash(self.changed(sherman, _reordered)) != sheet_hash(sherman)

    def test_folders_do_not_enter(self, sherman: Sheet) -> None:
        assert sheet_hash(read(SHERMAN, "elsewhere/sherman.yaml")) == sheet_hash(sherman)

    @pytest.mark.parametrize(
        ("path", "value"),
        [
            ("defense.ballistic.front_back", 9),
            ("defense.physical", 5),
            ("armor.left", 3),
            ("shock_threshold", 4),
            ("penetration.rear", 1),
            ("internal_amount.1", None),
            ("internal_amount.9", 9),
            ("movement.speed", 11),
            ("movement.moves_on_one_side", True),
            ("ram.plate", True),
            ("ram.damage", 0.59),
            ("weapons.cannon.mid", [4, 3, 3]),
            ("weapons.cannon.ammo", 35),
            ("weapons.cannon.mount", "fixed"),
            ("weapons.cannon.max_range", 30),
            ("weapons.coaxial.max_range", 30),
            ("gunners.1.skill", 2),
            ("manifest.1.hits", 4),
            ("manifest.2.item", "other"),
            ("manifest.9.side", "right"),
        ],
    )
    def test_every_number_is_in_the_fight_hash(self, sherman: Sheet, path: str, value: object) -> None:
        same = path == "internal_amount.1"
        assert (fight_hash(replace_fields(sherman, {path: value})) == fight_hash(sherman)) is same

    def test_the_order_of_weapons_and_gunners_is_in_the_fight_hash(self, sherman: Sheet) -> None:
        mapping = to_mapping(sherman)
        turned = {"gunners": mapping["gunners"][::-1]}
        assert fight_hash(replace_fields(sherman, turned)) != fight_hash(sherman)
        turned = {"weapons": dict(reversed(mapping["weapons"].items()))}
        assert fight_hash(replace_fields(sherman, turned)) != fight_hash(sherman)

    def test_whole_floats_are_whole_numbers(self, sherman: Sheet) -> None:
        whole, real = (sherman.replaced(**{"weapons.cannon.max_range": reach}) for reach in (24, 24.0))
        assert sheet_hash(whole) == sheet_hash(real)
