"""Units to a spreadsheet and back: nothing is lost, nothing is run, and what people type is understood."""

import csv
import random
from pathlib import Path

import pytest
from effort import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_sheets import odd_sheet, odd_sheets
from toy_system import ToySheet
from unit_tables import ALL, SHERMAN, rewritten

from simlab import lab
from simlab.lab.spreadsheet import export_units, import_units
from simlab.model.table import Row, parse_table, write_table
from simlab.rules.blitzkrieg.sheet import Sheet, canonical, load_sheet, replace_fields, sheet_hash
from simlab.rules.blitzkrieg.sheet_rows import COLUMNS, sheet_from_row, sheet_to_row
from simlab.rules.blitzkrieg.system import SYSTEM


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, no $SIMLAB_UNITS."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.delenv("SIMLAB_UNITS", raising=False)
    return work


def through_a_table(sheets: list[Sheet], semicolon: bool = False) -> list[Sheet]:
    """The sheets that come back from a table of these sheets."""
    rows = [sheet_to_row(sheet) for sheet in sheets]
    columns = [column for column in COLUMNS if any(column in row for row in rows)]
    table = parse_table(write_table(columns, rows, semicolon=semicolon).encode(), "units.csv", COLUMNS)
    assert not table.problems
    return [sheet_from_row(row) for row in table.rows]


class TestWithoutLoss:
    @settings(max_examples=examples(300), deadline=None)
    @given(odd_sheets, st.booleans())
    def test_every_legal_sheet_comes_back(self, sheet: Sheet, semicolon: bool) -> None:
        (again,) = through_a_table([sheet], semicolon)
        assert canonical(again) == canonical(sheet)
        assert sheet_hash(again) == sheet_hash(sheet)
        assert again.model_copy(update={"file": sheet.file}) == sheet

    @settings(max_examples=examples(100), deadline=None)
    @given(odd_sheets)
    def test_the_file_of_every_legal_sheet_reads_as_the_sheet(self, sheet: Sheet) -> None:
        Path("odd.yaml").write_text(SYSTEM.sheet_text(sheet), encoding="utf-8", newline="")
        assert canonical(load_sheet(Path("odd.yaml"))) == canonical(sheet)

    @pytest.mark.parametrize(
        "text",
        [
            "-",
            "---",
            "- a",
            "?",
            "#",
            "a: b",
            "yes",
            "1e5",
            "007",
            "12:30",
            "~",
            "[",
            "{}",
            "&a",
            "*a",
            "%",
            " x",
        ],
    )
    def test_a_name_that_yaml_would_misread_is_quoted(self, text: str) -> None:
        sheet = replace_fields(
            SHERMAN, {"name": text, "nation": text, "gunners.0.name": text, "provenance": text}
        )
        Path("odd.yaml").write_text(SYSTEM.sheet_text(sheet), encoding="utf-8", newline="")
        assert load_sheet(Path("odd.yaml")).model_copy(update={"id": sheet.id, "file": sheet.file}) == sheet

    def test_many_sheets_share_the_columns(self) -> None:
        sheets = [odd_sheet(random.Random(seed), f"unit {seed}") for seed in range(30)]
        assert list(map(canonical, through_a_table(sheets))) == list(map(canonical, sheets))

    def test_files_come_back(self) -> None:
        assert export_units("units.csv").ids == ALL
        found = import_units("units.csv", "mine")
        assert found.new == ALL
        assert found.written == tuple(Path("mine/blitzkrieg", f"{unit}.yaml") for unit in ALL)
        for unit, path in zip(ALL, found.written, strict=True):
            assert sheet_hash(load_sheet(path)) == sheet_hash(lab.find_sheet(unit))
            assert lab.find_sheet(unit, units="mine").file == str(path)

    def test_columns_are_the_paths_of_fields(self) -> None:
        row = sheet_to_row(SHERMAN)
        assert row["armor.front"] == 6
        assert row["internal_amount.1"] is None
        fields = [
            c for c in row if "." in c or c in ("name", "nation", "kind", "shock_threshold", "provenance")
        ]
        changes = {column: row[column] for column in fields}
        assert canonical(replace_fields(SHERMAN, changes)) == canonical(SHERMAN)
        assert len(fields) > 45

    def test_the_notation(self) -> None:
        row = sheet_to_row(SHERMAN)
        assert row["weapon_2"] == (
            "coaxial: 7.92mm Coaxial MG; anti_personnel; high 2/2/0; mid 1/1/0; low 1/1/0; 19 rounds; turret"
        )
        assert row["gunners"] == "gunner (skill 1): cannon, coaxial; commander (skill 1): pintle_mg"
        assert str(row["manifest"]).startswith(
            "crew 20; engine 19 (5 hits); fuel 16-18; periscope 14-15; turret"
        )

    def test_a_toy_goes_through_the_same_door(self, toy: object) -> None:
        toys = [ToySheet("=toy", 3, reach=0.5, name="=1+1", provenance="a;\nb"), ToySheet("plain", needs=5)]
        done = export_units("toys.csv", toys, system="toy", semicolon=True)
        assert done.ids == ("=toy", "plain")
        found = import_units("toys.csv", system="toy")
        assert list(found.sheets) == toys
        assert lab.find_sheet("=toy", "toy") == toys[0]


class TestWhatPeopleWrite:
    """Cells as they are typed, and as spreadsheets leave them."""

    @pytest.mark.parametrize(
        ("changes", "fields"),
        [
            ({"movement.amphibious": "TRUE"}, {"movement.amphibious": True}),
            ({"ram.plate": " Yes "}, {"ram.plate": True}),
            ({"armor.front": " 7 "}, {"armor.front": 7}),
            ({"armor.front": "007"}, {"armor.front": 7}),
            ({"movement.moves_on_one_side": ""}, {}),
            ({"ecv.value": ""}, {"ecv.value": None}),
            ({"name": "'King's Tiger"}, {"name": "'King's Tiger"}),
            ({"gunners": "gunner(skill +1):cannon,coaxial ;commander (skill 1): pintle_mg;"}, {}),
            ({"manifest": "crew 20; weapon 1 – 3 (cannon); weapon 4 (coaxial);pintle mount 5 (ammo bin,pintle_mg); "
                          "weapon 6(pintle_mg)"},
             {"manifest": [{"lines": [20], "item": "crew"},
                           {"lines": [1, 2, 3], "item": "weapon", "weapon": "cannon"},
                           {"lines": [4], "item": "weapon", "weapon": "coaxial"},
                           {"lines": [5], "item": "pintle_mount", "weapon": "pintle_mg", "ammo_bin": True},
                           {"lines": [6], "item": "weapon", "weapon": "pintle_mg"}]}),
            ({"weapon_1": "cannon: 76mm Rifled Cannon;turret;36 rounds; low 3/2/1;ballistic; mid 4 / 3/ 2 ;high 5/4/3"},
             {}),
            ({"weapon_1": 'cannon: "Gun; long"; ballistic; high 5/4/3; mid 4/3/2; low 3/2/1; 1 round; bow; reach 2.5'},
             {"weapons.cannon.name": "Gun; long", "weapons.cannon.ammo": 1, "weapons.cannon.mount": "bow",
              "weapons.cannon.max_range": 2.5}),
        ],
    )  # fmt: skip
    def test_it_is_understood(self, changes: dict[str, str], fields: dict[str, object]) -> None:
        (sheet,) = import_units(rewritten({"id": "x", **changes}), check=True).sheets
        expected = replace_fields(SHERMAN, fields).model_copy(update={"id": "x"})
        assert canonical(sheet) == canonical(expected)  # type: ignore[arg-type]

    def test_optional_columns_may_be_missing_and_columns_stand_in_any_order(self) -> None:
        rewritten({"id": "x"}, drop=("movement.moves_on_one_side",))
        rows = list(csv.reader(Path("units.csv").read_text(encoding="utf-8-sig").splitlines()))
        with Path("units.csv").open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, delimiter=";").writerows(list(reversed(row)) for row in rows)
        (sheet,) = import_units("units.csv").sheets
        assert sheet.id == "x"


def test_no_formula_is_in_a_table_whatever_the_delimiter() -> None:
    for seed in range(200):
        row = sheet_to_row(odd_sheet(random.Random(seed)))
        text = write_table([column for column in COLUMNS if column in row], [row])
        for cells in (parsed for sign in ",;\t" for parsed in csv.reader(text.splitlines(), delimiter=sign)):
            for cell in cells:
                shown = cell.lstrip()
                assert shown[:1] not in tuple("=+@") or not shown
                assert shown[:1] != "-" or shown[1:].replace(".", "").isdigit(), cell


def test_a_row_that_comes_from_no_table_is_read_alike() -> None:
    cells = {column: "" if value is None else str(value) for column, value in sheet_to_row(SHERMAN).items()}
    assert canonical(sheet_from_row(Row("x.csv", 1, cells))) == canonical(SHERMAN)
