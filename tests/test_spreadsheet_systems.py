"""Tables of units say of which rule system their rows are, and rows of another one are not read."""

from itertools import permutations
from pathlib import Path

import pytest
from samples import SAMPLES
from shell import Shell

from simlab.lab.spreadsheet import export_units, import_units
from simlab.model.errors import InputError
from simlab.rules.registry import system_names

SYSTEMS = system_names()
for_all_systems = pytest.mark.parametrize("name", SYSTEMS)
for_all_pairs = pytest.mark.parametrize(("name", "other"), list(permutations(SYSTEMS, 2)))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SIMLAB_UNITS", raising=False)


def lines() -> list[str]:
    return Path("units.csv").read_text(encoding="utf-8-sig").splitlines()


def write(*rows: str) -> None:
    Path("units.csv").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


def without_system() -> list[str]:
    """The rows of the table without their second cell."""
    cut = [line.split(",", 2) for line in lines()]
    return [f"{first},{rest}" for first, _, rest in cut]


@for_all_systems
def test_a_table_says_of_which_system_its_rows_are(name: str):
    export_units("units.csv", SAMPLES, system=name)
    head, *rows = lines()
    assert head.split(",")[:2] == ["id", "system"]
    assert [row.split(",")[:2] for row in rows] == [[unit, name] for unit in SAMPLES]
    assert [sheet.id for sheet in import_units("units.csv", system=name).sheets] == list(SAMPLES)


@for_all_systems
def test_a_table_without_the_column_and_one_with_empty_cells_are_read(name: str):
    export_units("units.csv", SAMPLES, system=name)
    whole = import_units("units.csv", system=name, check=True).sheets
    plain, table = without_system(), lines()
    write(*plain)
    assert import_units("units.csv", system=name, check=True).sheets == whole
    write(table[0], *(row.replace(f",{name},", ", ,", 1) for row in table[1:]))
    assert import_units("units.csv", system=name, check=True).sheets == whole


@for_all_pairs
def test_a_table_of_another_system_is_refused_in_one_line(simlab: Shell, name: str, other: str):
    export_units("units.csv", SAMPLES, system=other)
    said = simlab("import", "units.csv", "--system", name)
    assert (said.code, said.out) == (2, "")
    allowed = f"{name} or an empty cell; --system {other} reads such rows"
    assert said.errors == [f"units.csv:2: system: found {other} in all 3 rows, allowed {allowed}"]
    assert not Path("units").exists()


@for_all_pairs
def test_each_row_of_another_system_is_one_line(name: str, other: str):
    export_units("units.csv", SAMPLES, system=name)
    head, first, second, third = lines()
    write(head, first, second.replace(f",{name},", f",{other},", 1), third.replace(f",{name},", ",chess,", 1))
    with pytest.raises(InputError) as refused:
        import_units("units.csv", system=name)
    assert str(refused.value).splitlines() == [
        f"units.csv:3: system: found {other}, allowed {name} or an empty cell; system {other} reads such rows",
        f"units.csv:4: system: found chess, allowed {name} or an empty cell",
    ]


def test_a_misspelt_system_is_told_the_nearest():
    export_units("units.csv", ["panther_g"], system="wwiisim")
    write(*(line.replace(",wwiisim,", ",wwiism,", 1) for line in lines()))
    with pytest.raises(
        InputError, match="found wwiism, allowed wwiisim or an empty cell; did you mean wwiisim"
    ):
        import_units("units.csv", system="wwiisim")
