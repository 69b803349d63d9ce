"""What is wrong with a table of units: a line each with row and column, all at once, and nothing is written."""

from pathlib import Path

import pytest
from shell import Shell
from unit_tables import rewritten

from simlab.lab.spreadsheet import import_units
from simlab.model.errors import InputError


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, no $SIMLAB_UNITS."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.delenv("SIMLAB_UNITS", raising=False)
    return work


def faults(changes: dict[str, str], drop: tuple[str, ...] = (), rows: int = 1) -> list[str]:
    """The error lines of a table with that in its rows, without the name of the file."""
    with pytest.raises(InputError) as caught:
        import_units(rewritten(changes, drop, rows))
    assert not Path("units").exists()
    lines = str(caught.value).splitlines()
    assert all(line.startswith("units.csv:") for line in lines)
    return [line.removeprefix("units.csv:") for line in lines]


class TestFaults:
    """Each a line with row and column; nothing is written."""

    @pytest.mark.parametrize(
        ("changes", "line"),
        [
            ({"armor.front": "x"}, "2: armor.front: found x, allowed a whole number from 0 to 63"),
            ({"armor.front": "64"}, "2: armor.front: found 64, allowed a whole number from 0 to 63"),
            ({"armor.front": "6.0"}, "2: armor.front: found 6.0, allowed a whole number from 0 to 63"),
            ({"armor.front": " "}, "2: armor.front: found nothing, allowed a whole number from 0 to 63"),
            ({"ram.damage": "0,5"}, '2: ram.damage: found "0,5", allowed a number from 0 to 99; did you mean 0.5?'),
            ({"ram.plate": "nope"}, "2: ram.plate: found nope, allowed yes or no"),
            ({"ecv.source": "rule book"},
             '2: ecv.source: found "rule book", allowed rulebook, draft, priced; did you mean rulebook?'),
            ({"internal_amount.9": ""}, "2: internal_amount.9: found nothing, allowed a whole number from 1 to 99"),
            ({"internal_amount.2": "1"}, "2: internal_amount.2: found 1, allowed a number above 1, as the chart rises"),
            ({"kind": "infantry"}, "2: kind: found infantry (known, not built yet), allowed vehicle"),
            ({"name": ""}, "2: name: found nothing, allowed text of 1 to 200 printable characters"),
            ({"name": "a\nb"}, "2: name: found \"a\\nb\", allowed text of 1 to 200 printable characters"),
            ({"gunners": ""}, "2: gunners: found nothing, allowed gunners like gunner (skill 1): cannon, coaxial"),
            ({"gunners": "gunner 1: cannon"}, '2: gunners: found "gunner 1: cannon", allowed gunners like gunner'),
            ({"gunners": "gunner (skill 1): canon, coaxial, pintle_mg"},
             "2: gunners.0.weapons.0: found the unknown weapon canon, allowed cannon, coaxial, pintle_mg; did you "
             "mean cannon?"),
            ({"gunners": 'gunner (skill 1): "cannon'}, '2: gunners: found "gunner (skill 1): "cannon", a quotation'),
            ({"manifest": "crw 20"}, "2: manifest.0.item: found crw, allowed crew, engine, fuel"),
            ({"manifest": "crew twenty"}, '2: manifest: found "crew twenty", allowed items like crew 20; engine'),
            ({"manifest": "crew 18-16"}, "2: manifest: found the lines 18-16, allowed lines from 1 to 20"),
            ({"manifest": "crew 21"}, "2: manifest: found the line 21, allowed lines from 1 to 20"),
            ({"manifest": "crew 20 (front)"}, "2: manifest: found front at crew, allowed 5 hits, left, right"),
            ({"manifest": "engine 20 (5 hits, 6 hits)"}, '2: manifest: found "6 hits" beside another of its kind'),
            ({"weapon_1": "cannon"}, "2: weapon_1: found cannon, allowed a weapon like cannon: 76mm Gun; ballistic"),
            ({"weapon_1": "cannon: Gun; balistic; high 5/4/3; mid 4/3/2; low 3/2/1; 36 rounds; turret"},
             "2: weapon_1: found balistic, allowed ballistic, anti_personnel"),
            ({"weapon_1": "cannon: Gun; ballistic; hgh 5/4/3; mid 4/3/2; low 3/2/1; 36 rounds; turret"},
             '2: weapon_1: found "hgh 5/4/3", allowed ballistic, anti_personnel'),
            ({"weapon_1": "cannon: Gun; ballistic; high 5/4/3; mid 4/3/2; low 3/2/1; 36 rounds; turret; bow"},
             "2: weapon_1: found bow beside another mount, allowed each part once"),
            ({"weapon_1": "cannon: Gun; ballistic; high 5/4/100; mid 4/3/2; low 3/2/1; 36 rounds; turret"},
             "2: weapon_1.high: found 100, allowed a whole number from 0 to 99"),
            ({"weapon_1": "cannon: Gun; ballistic; high 5/4/3; mid 4/3/2; low 3/2/1; turret"},
             "2: weapon_1.ammo: found nothing, allowed a whole number from 0 to 9999"),
            ({"weapon_2": "cannon: Gun; ballistic; high 5/4/3; mid 4/3/2; low 3/2/1; 36 rounds; turret"},
             "2: weapon_2: found the key cannon again, allowed a key that weapon_1 does not have"),
            ({"weapon_1": "", "weapon_2": "", "weapon_3": ""}, "2: weapon_1: found nothing, allowed a weapon like"),
            ({"id": "a/b"}, "2: id: found a/b, allowed a name of a file, without / and \\"),
            ({"id": "..\\b"}, "2: id: found ..\\b, allowed a name of a file, without / and \\"),
            ({"id": " x"}, '2: id: found " x", allowed an id without blanks at its ends'),
            ({"id": ""}, "2: id: found nothing, allowed an id, which becomes the name of the file"),
            ({"id": "a\tb"}, "2: id: found a\\tb, allowed printable characters"),
            ({"id": "x" * 251}, "2: id: found 251 characters, allowed a name of a file of at most 250 bytes"),
        ],
    )  # fmt: skip
    def test_a_fault_is_named(self, changes: dict[str, str], line: str) -> None:
        assert any(found.startswith(line) for found in faults(changes)), faults(changes)

    def test_likely_words_are_offered(self) -> None:
        (line,) = faults(
            {"weapon_1": "cannon: G; ballistic; hgh 5/4/3; mid 4/3/2; low 3/2/1; 36 rounds; turret"}
        )
        assert line.endswith("; did you mean high?")

    def test_all_faults_of_all_rows_come_at_once(self) -> None:
        lines = faults({"armor.front": "x", "manifest": "crew", "weapon_2": "?"}, rows=3)
        assert len(lines) == 9
        assert [line.split(":")[0] for line in lines] == ["2"] * 3 + ["3"] * 3 + ["4"] * 3

    def test_a_missing_column_is_said_once(self) -> None:
        lines = faults({}, drop=("armor.left", "internal_amount.3", "gunners", "manifest"), rows=3)
        assert [line for line in lines if line.startswith("1:")] == lines
        assert {line.split(": ")[1] for line in lines} == {
            "armor.left", "internal_amount.3", "gunners", "manifest"
        }  # fmt: skip
        assert all(line.endswith("found no such column, allowed a column of that name") for line in lines)

    def test_an_unknown_column_is_named_with_the_nearest(self) -> None:
        rewritten({})
        text = Path("units.csv").read_text(encoding="utf-8").replace("armor.front", "armour.front")
        Path("units.csv").write_text(text, encoding="utf-8")
        with pytest.raises(InputError) as caught:
            import_units("units.csv")
        first, second = str(caught.value).splitlines()
        assert first.startswith("units.csv:1: armor.front: found no such column")
        assert second.startswith(
            "units.csv:1: armour.front: found an unknown column, allowed id, system, kind, name"
        )
        assert second.endswith("did you mean armor.front?")

    def test_ids_come_once(self) -> None:
        assert faults({"id": "x"}, rows=3) == [
            "3: id: found x again (first in row 2), allowed each id once",
            "4: id: found x again (first in row 2), allowed each id once",
        ]

    def test_a_table_without_rows_is_a_fault(self) -> None:
        assert faults({}, rows=0) == ["1: row: found no row below the first, allowed a row for each unit"]

    def test_a_flood_of_faults_is_cut_and_quick(self) -> None:
        lines = faults({"armor.front": "x"}, rows=500)
        assert len(lines) == 101

    def test_a_sheet_that_no_file_can_hold(self) -> None:
        (line,) = faults({"provenance": "x" * 300_000})
        assert line.startswith("2: row: found a sheet of 30")
        assert line.endswith("allowed at most 256 KiB")

    @pytest.mark.parametrize("name", ["units", "units.xlsx", "", "nowhere.csv", ".csv"])
    def test_a_file_that_is_no_table(self, name: str, simlab: Shell) -> None:
        said = simlab("import", name)
        assert said.code == 2
        assert len(said.errors) == 1
