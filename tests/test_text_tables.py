"""Tables for people: numbers are whole, words wrap where a table would be wider than the page."""

import shlex
from pathlib import Path

import pytest
from rich.cells import cell_len
from samples import UNITS
from shell import Shell

from simlab.cli.tables import plain_table, to_text

HEADS = ["stage", "with B as A in", "win share of A", "change"]
WORDS = "quality, qualification, leader, captured use"
ROWS = [
    ["actions", "rounds of the gun", "85", "exactly 0"],
    ["penetration", WORDS, "85.25", "+10.12 ±0.44"],
    ["", "gap", "", "+2 ±2"],
]


def lines_of(width: int, rows: list[list[str]] | None = None, left: int = 2) -> list[str]:
    table = plain_table(HEADS, ROWS if rows is None else rows, left=left, width=width)
    return to_text(table, width=width).split("\n")


def test_a_table_that_fits_has_a_line_a_row():
    whole = lines_of(120)
    assert len(whole) == 2 + len(ROWS)
    assert lines_of(max(map(cell_len, whole))) == whole


@pytest.mark.parametrize("width", [76, 70, 62])
def test_words_wrap_with_a_hanging_indent_and_numbers_stay_whole(width: int):
    found = lines_of(width)
    assert max(map(cell_len, found)) <= width
    assert not any("…" in line for line in found)
    first = next(place for place, line in enumerate(found) if "quality," in line)
    assert found[first].split()[-3:] == ["85.25", "+10.12", "±0.44"]
    start = found[first].index("quality")
    rest = [
        line
        for line in found[first + 1 :]
        if line[:start].strip() == "" and line.startswith(" " * start + "  ")
    ]
    assert " ".join([found[first][start:].split("  ")[0], *(line.strip() for line in rest)]) == WORDS


def test_what_cannot_wrap_is_cut_and_numbers_are_whole_still():
    found = lines_of(54, [["x" * 40, "y" * 10, "85.25", "+10.12 ±0.44"]])
    assert max(map(cell_len, found)) <= 54
    assert found[-1].endswith("85.25   +10.12 ±0.44")
    assert "…" in found[-1]


def test_a_reading_breaks_between_its_name_and_its_value():
    found = lines_of(60, [["initiative_order=simultaneous", "gap", "85.25", "+10.12 ±0.44"]])
    assert found[-2].split() == ["initiative_order=", "gap", "85.25", "+10.12", "±0.44"]
    assert found[-1] == "  simultaneous"


def test_wide_characters_count_as_they_are_shown():
    found = lines_of(60, [["戦車", "主砲 " * 12, "85.25", "+10.12 ±0.44"]])
    assert max(map(cell_len, found)) <= 60
    assert any(line.endswith("85.25   +10.12 ±0.44") for line in found)


@pytest.mark.parametrize("system", ["blitzkrieg", "tank_d20", "wwiisim"])
@pytest.mark.parametrize("command", [
    "why panther_g t34_85 --n 320",
    "why sherman_firefly_vc tiger_i_e --range 5,6,7,8,9,10,11,12 --n 320",
    "whatif panther_g ecv.value=5 --against t34_85,sherman_firefly_vc,tiger_i_e --range 5,6,7,8 --range 30 --n 320",
    "duel sherman_firefly_vc m4a3_sherman_lp --range 30,28,26,24,22,20,18,16,14,12 --n 320",
    "engage '2 sherman_firefly_vc' '1 m4a3_sherman_lp, 2 panzer_iv_h' --n 320",
    "sensitivity sherman_firefly_vc --against m4a3_sherman_lp --n 320 --no-ecv",
    "odds sherman_firefly_vc m4a3_sherman_lp",
    "readings --list",
    "show sherman_firefly_vc",
    "units",
])  # fmt: skip
def test_every_system_is_told_in_80_columns_and_nothing_is_cut(
    simlab: Shell, system: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIMLAB_UNITS", str(UNITS))
    said = simlab(*shlex.split(command), "--system", system)
    assert said.code == 0
    assert [line for line in said.out.splitlines() if cell_len(line) > 80] == []
    assert command == "units" or "…" not in said.out
