"""Facts as they come: what is wrong with them is listed at once, by file, line and column."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from effort import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from simlab.cli import main
from simlab.model.errors import InputError
from simlab.rules.blitzkrieg.draft import draft_sheet
from simlab.rules.common.facts import GUNS, SOURCES, VEHICLES, Gun, Vehicle, columns_of, read_facts

FACTS = Path(__file__).parent.parent / "units" / "facts"
TABLES = {name: (FACTS / name).read_text(encoding="utf-8") for name in (VEHICLES, GUNS, SOURCES)}
TIGER = 1 + [line.split(",")[0] for line in TABLES[VEHICLES].splitlines()].index("tiger_ii")


def with_cells(table: str, row: str, **cells: str) -> str:
    """A table with other cells in the row of an id."""
    rows = list(csv.DictReader(io.StringIO(TABLES[table])))
    (found,) = [each for each in rows if each["id"] == row]
    found.update({name.removesuffix("_"): cell for name, cell in cells.items()})
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def put(folder: Path, **tables: str | None) -> Path:
    """The facts in a folder, with other texts for some of its tables; None leaves one out."""
    for name, text in (TABLES | {f"{table}.csv": text for table, text in tables.items()}).items():
        if text is not None:
            (folder / name).write_text(text, encoding="utf-8")
    return folder


def faults(folder: Path) -> list[str]:
    """The error lines of the facts in a folder, without its name."""
    with pytest.raises(InputError) as caught:
        read_facts(folder)
    return [line.removeprefix(f"{folder}/") for line in str(caught.value).splitlines()]


class TestTheCommittedFacts:
    def test_rows_and_guns(self) -> None:
        facts = read_facts(FACTS)
        assert len(facts) == 38
        assert len({row.gun.id for row in facts.values()}) == TABLES[GUNS].count("\n") - 1 == 31
        assert facts["tiger_ii"].line == TIGER
        assert facts["elefant"].vehicle.hull_front_deg is None
        assert [gun.place for gun in facts["panther_g"].vehicle.secondary] == ["coaxial", "bow"]
        assert facts["su100"].vehicle.secondary == ()

    def test_what_is_unverified_is_marked(self) -> None:
        facts = read_facts(FACTS)
        assert {"width_m", "height_m", "year"} <= facts["panther_g"].unverified
        assert "weight_t" not in facts["panther_g"].unverified
        assert {"weight_t", "power_hp"} <= facts["jagdtiger"].unverified
        assert {"pen_500_mm", "shell_kg"} <= facts["comet"].unverified
        assert TABLES[SOURCES].count("unverified") > 50

    def test_sources_are_public_and_name_no_place_of_this_machine(self) -> None:
        for row in csv.DictReader(io.StringIO(TABLES[SOURCES])):
            text = " ".join(filter(None, row.values()))
            assert not any(part in text for part in ("../", "/home", "/work", "/tmp", "seed"))

    def test_without_sources_nothing_is_asked(self, tmp_path: Path) -> None:
        facts = read_facts(put(tmp_path, sources=None))
        assert all(not row.unverified for row in facts.values())
        assert draft_sheet(facts["kv1"]).text == draft_sheet(read_facts(FACTS)["kv1"]).text

    def test_columns_may_come_in_any_order_and_with_semicolons(self, tmp_path: Path) -> None:
        rows = list(csv.DictReader(io.StringIO(TABLES[VEHICLES])))
        buffer = io.StringIO()
        writer = csv.DictWriter(buffer, sorted(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows({key: cell.replace(";", " ; ") for key, cell in row.items()} for row in rows)
        assert (
            read_facts(put(tmp_path, vehicles="\ufeff" + buffer.getvalue())).keys()
            == read_facts(FACTS).keys()
        )


VEHICLE_FAULTS: list[tuple[dict[str, str], str]] = [
    ({"weight_t": "heavy"}, "weight_t: found heavy, allowed 0.5 to 300 t"),
    ({"weight_t": "-3"}, "weight_t: found -3, allowed 0.5 to 300 t"),
    ({"weight_t": ""}, "weight_t: found nothing, allowed 0.5 to 300 t"),
    ({"weight_t": "1e999"}, 'weight_t: found "1e999", allowed 0.5 to 300 t'),
    ({"weight_t": "nan"}, "weight_t: found nan, allowed 0.5 to 300 t"),
    ({"weight_t": "69,7"}, 'weight_t: found "69,7", allowed 0.5 to 300 t; did you mean 69.7?'),
    ({"crew": "2.5"}, "crew: found 2.5, allowed a whole number from 1 to 20"),
    ({"crew": "0"}, "crew: found 0, allowed a whole number from 1 to 20"),
    ({"main_gun_rounds": "yes"}, "main_gun_rounds: found yes, allowed a whole number from 1 to 1000"),
    ({"class": "hevy"}, "class: found hevy, allowed light, medium, heavy"),
    ({"turret": "ful"}, "turret: found ful, allowed full, full_open, fixed, fixed_open; did you mean full?"),
    ({"extra_manoeuvrable": "maybe"}, "extra_manoeuvrable: found maybe, allowed yes, no"),
    ({"main_gun": "de_88mm_kwk43"}, "allowed the id of a gun in guns.csv; did you mean de_88mm_kwk43_l71?"),
    ({"secondary": "7.92mm@coax"}, 'secondary: found "7.92mm@coax", allowed none, or machine guns like 7.92mm@coaxial'),
    ({"secondary": "7.92mm@coax"}, "; did you mean coaxial?"),
    ({"secondary": "7.92mm@bow;7.92mm@bow"}, 'secondary: found "7.92mm@bow", allowed none, or'),
    ({"secondary": ""}, "secondary: found nothing, allowed none, or"),
    ({"hull_front_deg": "71"}, "hull_front_deg: found 71, allowed a slope of 0 to 70 degrees"),
    ({"hull_side_mm": ""}, "hull_side_mm: found nothing, allowed a plate of 1 to 1000 mm"),
    ({"turret_side_mm": ""}, "turret_side_mm: found nothing, allowed a plate of 1 to 1000 mm, beside the other plates"),
    ({"turret_rear_mm": ""}, "turret_rear_deg: found 21, allowed an empty cell, as there is no plate"),
    ({"name": ""}, "name: found nothing, allowed text of 1 to 200 printable characters"),
    ({"id": "Tiger II"}, 'id: found "Tiger II", allowed a name of 1 to 64 small letters, digits and underscores'),
]  # fmt: skip


class TestFaults:
    @pytest.mark.parametrize(("cells", "wanted"), VEHICLE_FAULTS)
    def test_a_wrong_cell_of_a_vehicle(self, cells: dict[str, str], wanted: str, tmp_path: Path) -> None:
        lines = faults(put(tmp_path, vehicles=with_cells(VEHICLES, "tiger_ii", **cells)))
        assert all(line.startswith(f"{VEHICLES}:{TIGER}: ") for line in lines)
        assert any(wanted in line for line in lines), lines

    def test_a_turret_needs_its_plates(self, tmp_path: Path) -> None:
        cells = {f"turret_{face}_{unit}": "" for face in ("front", "side", "rear") for unit in ("mm", "deg")}
        lines = faults(put(tmp_path, vehicles=with_cells(VEHICLES, "tiger_ii", **cells)))
        assert [line.split(": ")[1] for line in lines] == [
            "turret_front_mm",
            "turret_side_mm",
            "turret_rear_mm",
        ]
        assert all("as the turret is full" in line for line in lines)

    @pytest.mark.parametrize(
        ("cells", "wanted"),
        [
            ({"shell_kg": "0"}, "shell_kg: found 0, allowed 0.01 to 500 kg"),
            ({"pen_1000_mm": "240"}, "pen_1000_mm: found 240, allowed at most 235 mm, as at 500 m"),
            ({"calibre_mm": ""}, "calibre_mm: found nothing, allowed 5 to 500 mm"),
        ],
    )
    def test_a_wrong_cell_of_a_gun(self, cells: dict[str, str], wanted: str, tmp_path: Path) -> None:
        lines = faults(put(tmp_path, guns=with_cells(GUNS, "de_88mm_kwk43_l71", **cells)))
        assert len(lines) == 1
        assert wanted in lines[0]

    def test_all_faults_of_all_tables_come_at_once(self, tmp_path: Path) -> None:
        put(
            tmp_path,
            vehicles=with_cells(VEHICLES, "tiger_ii", weight_t="x", crew="y"),
            guns=with_cells(GUNS, "us_37mm_m6", shell_kg="x"),
        )
        lines = faults(tmp_path)
        assert [line.split(":")[0] for line in lines] == [GUNS, VEHICLES, VEHICLES]

    def test_columns(self, tmp_path: Path) -> None:
        head, _, rest = TABLES[VEHICLES].partition("\n")
        text = head.replace("weight_t", "wieght_t").replace(",year", "") + "\n" + rest
        lines = faults(put(tmp_path, vehicles=text))
        assert any("wieght_t: found an unknown column" in line and "mean weight_t?" in line for line in lines)
        assert any("year: found no such column, allowed a column of that name" in line for line in lines)

    @pytest.mark.parametrize("table", [VEHICLES, GUNS])
    def test_an_id_comes_once(self, table: str, tmp_path: Path) -> None:
        text = TABLES[table] + TABLES[table].splitlines()[1] + "\n"
        (line,) = faults(put(tmp_path, **{table.removesuffix(".csv"): text}))
        assert "as in line 2, allowed each id once" in line

    @pytest.mark.parametrize(
        ("change", "wanted"),
        [
            (lambda text: text + "tiger_3,crew,x,\n", "id: found the unknown id tiger_3"),
            (lambda text: text + "tiger_ii,crow,x,\n", "allowed columns of vehicles.csv; did you mean crew?"),
            (lambda text: text + "elefant,hull_front_deg,x,\n", "columns: found hull_front_deg, an empty cell"),
            (lambda text: text + "tiger_ii,crew,,\n", "source: found nothing, allowed text of 1 to 200"),
            (lambda text: text.replace("tiger_ii,weight_t,", "tiger_ii,crew,"), f":{TIGER}: weight_t: found 69.7"),
        ],
    )  # fmt: skip
    def test_sources(self, change: Callable[[str], str], wanted: str, tmp_path: Path) -> None:
        (line,) = faults(put(tmp_path, sources=change(TABLES[SOURCES])))
        assert wanted in line

    def test_missing_tables_are_named(self, tmp_path: Path) -> None:
        lines = faults(put(tmp_path, vehicles=None, guns=None))
        assert [line.split(":")[0] for line in lines] == [GUNS, VEHICLES]
        assert all("no such file" in line for line in lines)

    def test_the_command_line_says_each_in_a_line(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        put(tmp_path, vehicles=with_cells(VEHICLES, "tiger_ii", weight_t="x", crew="y"))
        assert main(["draft", "kv1", "--facts", str(tmp_path)]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert [line.split(": ")[0] for line in said.err.splitlines()] == [
            f"{tmp_path}/{VEHICLES}:{TIGER}"
        ] * 2

    @settings(max_examples=examples(150), deadline=None)
    @given(data=st.data())
    def test_whatever_cells_hold_is_read_or_refused(
        self, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        table, model, row = data.draw(
            st.sampled_from([(VEHICLES, Vehicle, "tiger_ii"), (GUNS, Gun, "us_37mm_m6")])
        )
        hostile = st.sampled_from(
            [
                "",
                "0",
                "-1",
                "1e9",
                "nan",
                "inf",
                "9" * 400,
                "none",
                ";",
                "=1+1",
                "\x1b[31m",
                "a\nb",
                "1_0",
                "٣",
            ]
        )
        values = hostile | st.text(max_size=6) | st.floats().map(str) | st.integers(-5, 2000).map(str)
        cells = data.draw(st.dictionaries(st.sampled_from(columns_of(model)), values, min_size=1, max_size=3))
        text = with_cells(table, row, **cells)
        folder = put(tmp_path_factory.mktemp("facts"), **{table.removesuffix(".csv"): text}, sources=None)
        try:
            for each in read_facts(folder).values():
                draft_sheet(each)
        except InputError as error:
            assert all(str(problem).isprintable() for problem in error.problems)
