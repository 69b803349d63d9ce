"""Faults between weapons, gunners and manifest of a sheet, by the text of their messages."""

import pytest
from sheet_texts import SHERMAN, UNITS, faults, read

from simlab.model.errors import InputError
from simlab.rules.blitzkrieg.sheet import Sheet, load_sheet, replace_fields, to_mapping


@pytest.fixture(scope="module")
def sherman() -> Sheet:
    return read(SHERMAN)


class TestFaultsOfWeapons:
    @pytest.mark.rule("BK-6")
    @pytest.mark.parametrize(
        ("changes", "lines"),
        [
            (
                [("high: [5, 4, 3]", "high: [5, 4]")],
                ["weapons.cannon.high: found [5, 4], allowed a list of 3, each a whole number from 0 to 99"],
            ),
            (
                [("high: [5, 4, 3]", "high: [5, 4, 3, 2]")],
                [
                    "weapons.cannon.high: found [5, 4, 3, 2], "
                    "allowed a list of 3, each a whole number from 0 to 99"
                ],
            ),
            (
                [("high: [5, 4, 3]", "high: [5, 100, true]")],
                [
                    "weapons.cannon.high.1: found 100, allowed a whole number from 0 to 99",
                    "weapons.cannon.high.2: found true, allowed a whole number from 0 to 99",
                ],
            ),
            (
                [("high: [5, 4, 3]", "high: 5")],
                ["weapons.cannon.high: found 5, allowed a list of 3, each a whole number from 0 to 99"],
            ),
            (
                [("type: ballistic", "type: balistic")],
                [
                    "weapons.cannon.type: found balistic, allowed ballistic, anti_personnel, indirect; "
                    "did you mean ballistic?"
                ],
            ),
            (
                [("mount: pintle", "mount: 1")],
                ["weapons.pintle_mg.mount: found 1, allowed turret, fixed, pintle, bow"],
            ),
            (
                [("ammo: 36", "ammo: 10000")],
                ["weapons.cannon.ammo: found 10000, allowed a whole number from 0 to 9999"],
            ),
            (
                [("ammo: 36", "ammo: 36, max_range: 1000")],
                ["weapons.cannon.max_range: found 1000, allowed a number from 0 to 999"],
            ),
            (
                [("ammo: 36", "ammo: 36, max_range: .inf")],
                ["weapons.cannon.max_range: found .inf, allowed a number from 0 to 999"],
            ),
            (
                [("ammo: 36", "ammo: 36, max_range: null")],
                ["weapons.cannon.max_range: found null, allowed a number from 0 to 999, or no such key"],
            ),
            (
                [("ammo: 36", "ammo: 36, default_reach: true")],
                [
                    "weapons.cannon.default_reach: found an unknown key, "
                    "allowed name, type, high, mid, low, ammo, "
                    "mount, max_range, off_manifest"
                ],
            ),
            (
                [("skill: 1, weapons: [cannon", "skill: 10, weapons: [cannon")],
                ["gunners.0.skill: found 10, allowed a whole number from -9 to 9"],
            ),
            (
                [("weapons: [pintle_mg]", "weapons: []")],
                [
                    "weapons.pintle_mg: found a weapon without a gunner, allowed each weapon on one gunner",
                    "gunners.1.weapons: found [], allowed a list of 1 to 12 weapons",
                ],
            ),
            (
                [("weapons: [pintle_mg]", "weapons: [pintle_mg, cannon]")],
                ["gunners.1.weapons.1: found cannon again (on gunner 0 already), allowed each weapon once"],
            ),
            (
                [("weapons: [pintle_mg]", "weapons: [pintle_mg, pintle_mg]")],
                [
                    "gunners.1.weapons.1: found pintle_mg again (on gunner 1 already), "
                    "allowed each weapon once"
                ],
            ),
            (
                [("weapons: [cannon, coaxial]", "weapons: [canon, coaxial]")],
                [
                    "gunners.0.weapons.0: found the unknown weapon canon, "
                    "allowed cannon, coaxial, pintle_mg; "
                    "did you mean cannon?"
                ],
            ),
            (
                [("weapons: [cannon, coaxial]", "weapons: [coaxial]")],
                ["weapons.cannon: found a weapon without a gunner, allowed each weapon on one gunner"],
            ),
            (
                [("lines: [5], item: weapon, weapon: pintle_mg", "lines: [5], item: other")],
                [
                    "weapons.pintle_mg: found a weapon on no line, "
                    "allowed an item weapon in the manifest, or off_manifest: true"
                ],
            ),
            (
                [("mount: pintle", "mount: pintle, off_manifest: true")],
                ["weapons.pintle_mg.off_manifest: found true for a weapon on the manifest, allowed false"],
            ),
            (
                [("mount: pintle", "mount: pintle, off_manifest: 1")],
                ["weapons.pintle_mg.off_manifest: found 1, allowed true or false"],
            ),
        ],
    )
    def test_message(self, changes: list[tuple[str, str]], lines: list[str]) -> None:
        assert faults(*changes) == lines

    @pytest.mark.rule("BK-6")
    def test_no_weapons(self, sherman: Sheet) -> None:
        with pytest.raises(InputError) as caught:
            replace_fields(sherman, {"weapons": {}, "gunners": [], "manifest": []})
        assert str(caught.value).splitlines() == [
            "weapons: found {}, allowed a mapping of 1 to 12 weapons",
            "gunners: found [], allowed a list of 1 to 12 gunners",
        ]

    @pytest.mark.rule("BK-6")
    def test_at_most_twelve_weapons_and_gunners(self, sherman: Sheet) -> None:
        def armed(count: int) -> Sheet:
            gun = to_mapping(sherman)["weapons"]["cannon"] | {"off_manifest": True}
            gunners = [{"name": "x", "skill": 0, "weapons": [f"gun{n}"]} for n in range(count)]
            changes = {"weapons": {f"gun{n}": gun for n in range(count)}, "gunners": gunners, "manifest": []}
            return replace_fields(sherman, changes)

        assert len(armed(12).weapons) == 12
        with pytest.raises(InputError) as caught:
            armed(13)
        assert [problem.field for problem in caught.value.problems] == ["weapons", "gunners"]


class TestFaultsOfTheManifest:
    @pytest.mark.rule("BK-7")
    @pytest.mark.parametrize(
        ("changes", "lines"),
        [
            (
                [("lines: [19]", "lines: [20]")],
                ["manifest.1.lines: found line 20, which is item 0's, allowed each line in one item"],
            ),
            (
                [("lines: [16, 17, 18]", "lines: [16, 18]")],
                ["manifest.2.lines: found [16, 18], allowed consecutive lines"],
            ),
            (
                [("lines: [16, 17, 18]", "lines: [17, 17, 18]")],
                ["manifest.2.lines: found [17, 17, 18], a line twice, allowed each line once"],
            ),
            (
                [("lines: [20]", "lines: [21]")],
                ["manifest.0.lines.0: found 21, allowed a whole number from 1 to 20"],
            ),
            (
                [("lines: [1, 2]", "lines: [0, 1, 2]")],
                ["manifest.10.lines.0: found 0, allowed a whole number from 1 to 20"],
            ),
            (
                [("lines: [20]", "lines: []")],
                ["manifest.0.lines: found [], allowed a list of 1 to 20, each a whole number from 1 to 20"],
            ),
            (
                [("lines: [20]", "lines: 20")],
                ["manifest.0.lines: found 20, allowed a list of 1 to 20, each a whole number from 1 to 20"],
            ),
            (
                [("item: fuel", "item: fule")],
                [
                    "manifest.2.item: found fule, "
                    "allowed crew, engine, fuel, periscope, turret, pintle_mount, weapon, "
                    "ammo_bin, tread, other; did you mean fuel?"
                ],
            ),
            (
                [("item: engine, hits: 5", "item: engine")],
                ["manifest.1.hits: found nothing (the key is missing), allowed a whole number from 1 to 20"],
            ),
            (
                [("hits: 5", "hits: 0")],
                ["manifest.1.hits: found 0, allowed a whole number from 1 to 20"],
            ),
            (
                [("item: tread, side: left", "item: tread")],
                ["manifest.9.side: found nothing (the key is missing), allowed left, right"],
            ),
            (
                [("side: left", "side: lefft")],
                ["manifest.9.side: found lefft, allowed left, right; did you mean left?"],
            ),
            (
                [("side: left", "side: null")],
                ["manifest.9.side: found null, allowed a value, or no such key"],
            ),
            (
                [("item: weapon, weapon: coaxial", "item: weapon")],
                [
                    "weapons.coaxial: found a weapon on no line, "
                    "allowed an item weapon in the manifest, or off_manifest: true",
                    "manifest.6.weapon: found nothing (the key is missing), allowed a weapon of the sheet",
                ],
            ),
            (
                [("item: weapon, weapon: coaxial", "item: weapon, weapon: coaxail")],
                [
                    "manifest.6.weapon: found the unknown weapon coaxail, "
                    "allowed cannon, coaxial, pintle_mg; "
                    "did you mean coaxial?"
                ],
            ),
            (
                [("ammo_bin: true, weapon: pintle_mg", "ammo_bin: true, weapon: nothing_like_it")],
                [
                    "manifest.7.weapon: found the unknown weapon nothing_like_it, "
                    "allowed cannon, coaxial, pintle_mg"
                ],
            ),
            (
                [("ammo_bin: true, weapon: pintle_mg", "weapon: pintle_mg")],
                ["manifest.7.weapon: found a weapon fed without a bin, allowed weapon beside ammo_bin: true"],
            ),
            (
                [("item: crew", "item: crew, hits: 5")],
                ["manifest.0.hits: found a key that crew does not have, allowed lines, item"],
            ),
            (
                [("item: fuel", "item: fuel, side: left")],
                ["manifest.2.side: found a key that fuel does not have, allowed lines, item"],
            ),
            (
                [("side: left", "side: left, ammo_bin: true")],
                ["manifest.9.ammo_bin: found a key that tread does not have, allowed lines, item, side"],
            ),
            (
                [("hits: 5", "hits: 5, weapon: cannon")],
                ["manifest.1.weapon: found a key that engine does not have, allowed lines, item, hits"],
            ),
        ],
    )
    def test_message(self, changes: list[tuple[str, str]], lines: list[str]) -> None:
        assert faults(*changes) == lines

    @pytest.mark.rule("BK-7")
    def test_every_item_is_optional(self, sherman: Sheet) -> None:
        bare = {f"weapons.{key}.off_manifest": True for key in sherman.weapons}
        assert replace_fields(sherman, {"manifest": [], **bare}).manifest == ()

    @pytest.mark.rule("BK-7")
    def test_items_may_occur_several_times_engines_three_times(self, sherman: Sheet) -> None:
        def engines(count: int) -> Sheet:
            items = [{"lines": [n], "item": "engine", "hits": 1} for n in range(1, count + 1)]
            bare = {f"weapons.{key}.off_manifest": True for key in sherman.weapons}
            return replace_fields(sherman, {"manifest": items, **bare})

        assert len(engines(3).manifest) == 3
        with pytest.raises(InputError, match=r"^manifest\.3: found more than 3 engines, allowed at most 3$"):
            engines(4)

    @pytest.mark.rule("BK-7", "BK-26")
    def test_a_bin_may_feed_a_weapon_without_carrying_it(self) -> None:
        panther = load_sheet(UNITS / "panther_g.yaml")
        (box,) = [item for item in panther.manifest if item.item == "ammo_bin"]
        assert (box.lines, box.weapon) == ((6,), "bow_mg")
        with pytest.raises(InputError, match=r"^weapons\.bow_mg: found a weapon on no line"):
            replace_fields(
                panther, {"manifest": [i for i in to_mapping(panther)["manifest"] if i["lines"] != [5]]}
            )

    def test_lines_are_sorted(self, sherman: Sheet) -> None:
        assert sherman.replaced(**{"manifest.2.lines": [18, 16, 17]}).manifest[2].lines == (16, 17, 18)
