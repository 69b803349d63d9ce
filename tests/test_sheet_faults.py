"""Every fault of a sheet's keys, values and chart, by the text of its message."""

import re

import pytest
from sheet_texts import SHERMAN, edited, faults, numbered, read

from simlab.model.errors import InputError
from simlab.rules.blitzkrieg.sheet import Sheet


@pytest.fixture(scope="module")
def sherman() -> Sheet:
    return read(SHERMAN)


class TestFaultsOfKeys:
    """The messages, to the letter."""

    @pytest.mark.rule("BK-1", "BK-2", "BK-3", "BK-4", "BK-8", "BK-9", "BK-10")
    @pytest.mark.parametrize(
        ("old", "new", "line"),
        [
            (
                "physical: 4",
                "physical: 100",
                "defense.physical: found 100, allowed a whole number from -9 to 99",
            ),
            (
                "{front_back: 13, sides: 10}",
                "{front_back: -10, sides: 10}",
                "defense.anti_personnel.front_back: found -10, allowed a whole number from -9 to 99",
            ),
            ("front: 6", "front: 64", "armor.front: found 64, allowed a whole number from 0 to 63"),
            ("front: 6", "front: 6.0", "armor.front: found 6.0, allowed a whole number from 0 to 63"),
            ("front: 6", "front: true", "armor.front: found true, allowed a whole number from 0 to 63"),
            ("front: 6", "front: '6'", 'armor.front: found "6", allowed a whole number from 0 to 63'),
            ("front: 6", "front: 6_0", 'armor.front: found "6_0", allowed a whole number from 0 to 63'),
            ("front: 6", "front: null", "armor.front: found null, allowed a whole number from 0 to 63"),
            ("front: 6", "front: [6]", "armor.front: found [6], allowed a whole number from 0 to 63"),
            (
                "shock_threshold: 3",
                "shock_threshold: -1",
                "shock_threshold: found -1, allowed a whole number from 0 to 99",
            ),
            (
                "shock_threshold: 3",
                f"shock_threshold: {10**30}",
                f"shock_threshold: found {10**30}, allowed a whole number from 0 to 99",
            ),
            ("{front: 1,", "{front: 64,", "penetration.front: found 64, allowed a whole number from 0 to 63"),
            ("speed: 10", "speed: 100", "movement.speed: found 100, allowed a whole number from 0 to 99"),
            ("amphibious: false", "amphibious: 0", "movement.amphibious: found 0, allowed true or false"),
            ("amphibious: false", "amphibious: no", "movement.amphibious: found no, allowed true or false"),
            ("damage: 0.58", "damage: .nan", "ram.damage: found .nan, allowed a number from 0 to 99"),
            ("damage: 0.58", "damage: .inf", "ram.damage: found .inf, allowed a number from 0 to 99"),
            (
                "damage: 0.58",
                f"damage: {'9' * 900}",
                "ram.damage: found a number of more than 80 digits, allowed ",
            ),
            (
                "penetration: 0.23",
                "penetration: 99.5",
                "ram.penetration: found 99.5, allowed a number from 0 to 99",
            ),
            ("plate: false", "plate: maybe", "ram.plate: found maybe, allowed true or false"),
            ("value: 558", "value: 0", "ecv.value: found 0, allowed a number from 10^-9 to 10^100 or null"),
            ("value: 558", "value: -3", "ecv.value: found -3, allowed a number from 10^-9 to 10^100 or null"),
            (
                "value: 558",
                "value: .nan",
                "ecv.value: found .nan, allowed a number from 10^-9 to 10^100 or null",
            ),
            (
                "source: rulebook",
                "source: rulebok",
                "ecv.source: found rulebok, allowed rulebook, draft, priced; did you mean rulebook?",
            ),
            ("nation: USA", "nation: 51", "nation: found 51, allowed text of 1 to 200 printable characters"),
            ("nation: USA", "nation: ''", 'nation: found "", allowed text of 1 to 200 printable characters'),
            (
                "nation: USA",
                "nation: ' '",
                'nation: found " ", allowed text of 1 to 200 printable characters',
            ),
        ],
    )
    def test_values(self, old: str, new: str, line: str) -> None:
        (found,) = faults((old, new))
        assert found == line if not line.endswith(" ") else found.startswith(line)

    @pytest.mark.rule("BK-1", "BK-2", "BK-8")
    def test_unknown_key(self) -> None:
        assert faults(("armor: {front: 6,", "armor: {frnot: 6, front: 6,")) == [
            "armor.frnot: found an unknown key, allowed front, left, right, back; did you mean front?"
        ]
        assert faults(("{speed: 10,", "{speed: 10, 7: x,"))[0].startswith(
            "movement.7: found an unknown key, allowed speed,"
        )

    def test_keys_outside_the_file_are_unknown_inside(self) -> None:
        lines = faults(("system: blitzkrieg", "system: blitzkrieg\nid: x\nfile: y"))
        assert [line.split(":")[0] for line in lines] == ["id", "file"]

    def test_missing_keys(self) -> None:
        assert faults(("shock_threshold: 3\n", "")) == [
            "shock_threshold: found nothing (the key is missing), allowed a whole number from 0 to 99"
        ]
        assert faults(("left: 2, ", "")) == [
            "armor.left: found nothing (the key is missing), allowed a whole number from 0 to 63"
        ]
        assert faults(("ammo: 36, ", "")) == [
            "weapons.cannon.ammo: found nothing (the key is missing), allowed a whole number from 0 to 9999"
        ]

    def test_duplicate_keys_are_listed_with_the_rest(self) -> None:
        assert faults(
            ("shock_threshold: 3", "shock_threshold: 3\nshock_threshold: 4"), ("front: 6", "front: 99")
        ) == [
            "armor.front: found 99, allowed a whole number from 0 to 63",
            f"shock_threshold: found the key a second time (first in line {numbered('shock_threshold')}), "
            "allowed each key once",
        ]

    @pytest.mark.parametrize(
        ("text", "found"), [("[1, 2]", "[1, 2]"), ("just text", '"just text"'), ("3", "3"), ("null", "null")]
    )
    def test_what_is_no_mapping(self, text: str, found: str) -> None:
        with pytest.raises(
            InputError, match=f"^x.yaml:1: document: found {re.escape(found)}, allowed a mapping with"
        ):
            read(text, "x.yaml")

    def test_a_section_that_is_no_mapping(self) -> None:
        assert faults(("armor: {front: 6, left: 2, right: 2, back: 1}", "armor: 6")) == [
            "armor: found 6, allowed a mapping with the keys front, left, right, back"
        ]

    def test_lines_and_order_are_those_of_the_file(self) -> None:
        text = edited(("physical: 4", "physical: x"), ("front: 6", "front: -1"), ("side: right", "side: up"))
        with pytest.raises(InputError) as caught:
            read(text)
        expected = [numbered("physical"), numbered("armor:"), numbered("side: right")]
        assert [problem.line for problem in caught.value.problems] == expected

    def test_other_systems_and_kinds_get_one_error(self) -> None:
        broken = ("front: 6", "front: 99")
        assert faults(("system: blitzkrieg", "system: wwiisim"), broken) == [
            "system: found wwiisim, allowed blitzkrieg"
        ]
        for kind in ("infantry", "field_gun"):
            assert faults(("kind: vehicle", f"kind: {kind}"), broken) == [
                f"kind: found {kind} (known, not built yet), allowed vehicle"
            ]

    def test_misspelt_system_and_kind(self) -> None:
        assert faults(("system: blitzkrieg", "system: blitzkreig"), ("kind: vehicle", "kind: vehicel")) == [
            "system: found blitzkreig, allowed blitzkrieg; did you mean blitzkrieg?",
            "kind: found vehicel, allowed vehicle; did you mean vehicle?",
        ]

    def test_hostile_names_are_refused_and_shown_escaped(self) -> None:
        assert faults(("name: M4A3 Sherman LP", 'name: "\\e[31mred\\u202e"')) == [
            'name: found "\\x1b[31mred\\u202e", allowed text of 1 to 200 printable characters'
        ]
        (line,) = faults(
            ("  cannon:", '  "can\\nnon":'),
            ("[cannon,", '["can\\nnon",'),
            ("weapon: cannon", 'weapon: "can\\nnon"'),
        )
        assert (
            line
            == 'weapons.can\\nnon: found the key "can\\nnon", allowed text of 1 to 200 printable characters'
        )

    @pytest.mark.parametrize(
        "name", ["<b>Tank</b>", "../../etc", "=cmd|' /C calc'!A0", "Тигр II", "[red]x[/red]", "a\u00a0b"]
    )
    def test_printable_names_are_kept(self, sherman: Sheet, name: str) -> None:
        assert sherman.replaced(name=name).name == name

    def test_provenance_may_have_lines_but_no_controls(self, sherman: Sheet) -> None:
        assert sherman.replaced(provenance="one\ntwo\t").provenance == "one\ntwo\t"
        with pytest.raises(InputError, match=r'^provenance: found "\\x1b", allowed printable text$'):
            sherman.replaced(provenance="\x1b")

    def test_an_id_that_could_move_a_cursor_is_refused(self) -> None:
        with pytest.raises(
            InputError, match=r'^a\\x1b\.yaml: id: found "a\\x1b", allowed a file name of printable'
        ):
            read(SHERMAN, "a\x1b.yaml")


class TestFaultsOfTheChart:
    CHART = "[1, null, 2, 3, 4, 5, null, 6, 7, 8]"

    @pytest.mark.rule("BK-5")
    @pytest.mark.parametrize(
        ("chart", "lines"),
        [
            (
                "[1, null, 2, 3, 4, 5, null, 6, 8]",
                [
                    "internal_amount: found [1, null, 2, 3, 4, 5, null, 6, 8], "
                    "allowed a list of 10, each a whole number from 1 to 99 or null"
                ],
            ),
            (
                "[1, null, 2, 2, 4, 5, null, 6, 7, 8]",
                ["internal_amount.3: found 2, allowed a number above 2, as the chart rises"],
            ),
            (
                "[5, null, 2, 3, 4, 6, null, 7, 8, 9]",
                [
                    f"internal_amount.{n}: found {n}, allowed a number above 5, as the chart rises"
                    for n in (2, 3, 4)
                ],
            ),
            (
                "[1, null, 2, 3, 4, 5, null, 6, 7, null]",
                ["internal_amount.9: found null, allowed a whole number from 1 to 99 (the column dead)"],
            ),
            (
                "[0, null, 2, 3.0, 4, 5, null, 6, 7, 100]",
                [
                    "internal_amount.0: found 0, allowed a whole number from 1 to 99 or null",
                    "internal_amount.3: found 3.0, allowed a whole number from 1 to 99 or null",
                    "internal_amount.9: found 100, allowed a whole number from 1 to 99 or null",
                ],
            ),
        ],
    )
    def test_message(self, chart: str, lines: list[str]) -> None:
        assert faults((self.CHART, chart)) == lines

    @pytest.mark.rule("BK-5")
    def test_only_dead_is_needed(self, sherman: Sheet) -> None:
        lethal = sherman.replaced(internal_amount=[None] * 9 + [1])
        assert lethal.internal_amount == (*[None] * 9, 1)


class TestAllFaultsAtOnce:
    def test_typed_faults_hide_no_others(self) -> None:
        lines = faults(
            ("kind: vehicle", "kind: vehicel"),
            ("physical: 4", "physical: 4.0"),
            ("[1, null, 2, 3,", "[1, null, 2, 2,"),
            ("mount: pintle", "mount: pintel"),
            ("weapons: [cannon, coaxial]", "weapons: [cannon]"),
            ("lines: [19]", "lines: [20]"),
            ("item: fuel", "item: fuel, hits: 2"),
        )
        assert [line.split(": found")[0] for line in lines] == [
            "kind",
            "defense.physical",
            "internal_amount.3",
            "weapons.coaxial",
            "weapons.pintle_mg.mount",
            "manifest.1.lines",
            "manifest.2.hits",
        ]

    def test_an_empty_mapping_misses_every_key(self) -> None:
        with pytest.raises(InputError) as caught:
            read("{}")
        assert len(caught.value.problems) == 16
