"""Whatever is done to a table of units, its import gives sound sheets or well-formed errors; nothing else."""

import random
import re
import time
from pathlib import Path
from typing import Any

import pytest
from effort import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_sheets import FREE_SIGNS, odd_sheet
from test_sheet_fuzz import HOSTILE, UNITS, WORDS, check_sound

from simlab.lab.spreadsheet import import_units
from simlab.model.errors import InputError
from simlab.model.table import guarded, write_table
from simlab.rules.blitzkrieg.sheet import Sheet, load_sheet
from simlab.rules.blitzkrieg.sheet_rows import COLUMNS, sheet_to_row

LINE = re.compile(r"units\.csv:\d+: \S.*: found \S.*, allowed \S.*?(; did you mean \S.*\?)?")
SECONDS = 5.0

ROWS = [sheet_to_row(load_sheet(path)) for path in sorted(UNITS.glob("*.yaml"))[:3]]
ROWS += [sheet_to_row(odd_sheet(random.Random(seed), f"odd {seed}")) for seed in range(20)]
HEADS = [column for column in COLUMNS if any(column in row for row in ROWS)]

Grid = list[list[str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the table of a draw."""
    return tmp_path_factory.mktemp("tables")


def grid(rows: list[dict[str, Any]]) -> Grid:
    """The cells of a table of these units, as they are in its text."""
    written = [["" if row.get(column) is None else _cell(row[column]) for column in HEADS] for row in rows]
    return [list(HEADS), *written]


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return guarded(value) if isinstance(value, str) else str(value)


cell_texts = st.one_of(
    st.sampled_from(["", " ", "0", "-1", "64", "1e5", "0,5", "nan", "9" * 5000, "yes", "TRUE", "'", "''=", "; ", '"']),
    st.sampled_from([word for word in WORDS + HOSTILE if "\x00" not in word]),
    st.integers(-3, 25).map(str),
    st.floats().map(str),
    st.sampled_from([_cell(value) for row in ROWS for value in row.values() if value is not None]),
    st.text(max_size=12),
)  # fmt: skip


def spoilt(draw: st.DrawFn, text: str) -> str:
    """A cell with a piece cut out, doubled, moved or put in."""
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, min(len(text), start + 30)))
    piece = draw(st.one_of(st.sampled_from(FREE_SIGNS), st.just(text[start:end]), st.text(max_size=3)))
    return text[:start] + piece + text[end if draw(st.booleans()) else start :]


def mutate(draw: st.DrawFn, table: Grid) -> None:
    """One change of a table: a cell, a row or a column."""
    row = draw(st.integers(0, len(table) - 1))
    place = draw(st.integers(0, max(len(table[row]) - 1, 0)))
    act = draw(
        st.sampled_from(
            ["cell", "spoil", "spoil", "swap", "row", "double", "short", "long", "column", "turn"]
        )
    )
    if act == "row" and len(table) > 1:
        del table[row]
    elif act == "double":
        table.insert(draw(st.integers(0, len(table))), list(table[row]))
    elif act == "short":
        del table[row][place:]
    elif act == "long":
        table[row] += draw(st.lists(cell_texts, max_size=4))
    elif act == "column":
        for cells in table:
            del cells[place : place + 1]
    elif act == "turn":
        for cells in table:
            cells[place : place + 1] = reversed(cells[place : place + 2])
    elif place < len(table[row]):
        other = draw(st.integers(0, len(table[row]) - 1))
        if act == "swap":
            table[row][place], table[row][other] = table[row][other], table[row][place]
        else:
            table[row][place] = draw(cell_texts) if act == "cell" else spoilt(draw, table[row][place])


@st.composite
def mutated_tables(draw: st.DrawFn) -> bytes:
    """The text of a table after one to four changes of its structure, in commas or semicolons."""
    table = grid(
        draw(st.lists(st.sampled_from(ROWS), min_size=1, max_size=3, unique_by=lambda row: row["id"]))
    )
    for _ in range(draw(st.integers(1, 4))):
        mutate(draw, table)
    sign = draw(st.sampled_from(",;"))
    quoted = (sign.join('"' + cell.replace('"', '""') + '"' for cell in cells) for cells in table)
    return draw(st.sampled_from(["\n", "\r\n"])).join(quoted).encode("utf-8", "surrogatepass")


TOKENS = [
    b'"', b'""', b",", b";", b"\t", b"\r", b"\n", b"\r\n", b"\n\n", b"\0", b"\x1b", b"\xff", b"\xef\xbb\xbf", b"'",
    b"=", b"(", b")", b":", b"/", b"-", b"9" * 5000, b"x" * 30_000, b",,,,,,", b'";"', b"\xe2\x80\xa8", b"\xc2\x85",
    b"#", b"1e999", b"x\n" * 2000, b"sep=;\n",
]  # fmt: skip


@st.composite
def mangled_tables(draw: st.DrawFn) -> bytes:
    """The text of a table with tokens or bytes put in, pieces cut out and pieces doubled."""
    rows = draw(st.lists(st.sampled_from(ROWS), min_size=1, max_size=2, unique_by=lambda row: row["id"]))
    text = write_table(HEADS, rows, semicolon=draw(st.booleans())).encode()
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 60)))
        piece = draw(st.one_of(st.sampled_from(TOKENS), st.binary(max_size=6), st.just(text[start:end])))
        text = text[:start] + piece + text[end if draw(st.booleans()) else start :]
    return text


def check_import(folder: Path, content: bytes) -> None:
    """The property: sound sheets, or errors in the form of the contract, within bounded time; nothing is written."""
    file = folder / "units.csv"
    file.write_bytes(content)
    start = time.process_time()
    try:
        found = import_units(file, folder / "out", check=True)
    except InputError as error:
        lines = str(error).splitlines()
        assert 1 <= len(lines) == len(error.problems) <= 101
        for line in lines:
            assert LINE.fullmatch(line.removeprefix(f"{folder}/")), line
            assert line.isprintable()
            assert len(line) < 700
    else:
        assert found.sheets
        assert len({sheet.id for sheet in found.sheets}) == len(found.sheets)
        for sheet in found.sheets:
            assert isinstance(sheet, Sheet)
            check_sound(sheet.model_copy(update={"file": f"{sheet.id}.yaml"}))
            assert Path(f"{sheet.id}.yaml").name == f"{sheet.id}.yaml"
    assert time.process_time() - start < SECONDS
    assert not (folder / "out").exists()


@settings(max_examples=examples(400), deadline=None)
@given(mutated_tables())
def test_changed_structure(folder: Path, content: bytes) -> None:
    check_import(folder, content)


@settings(max_examples=examples(300), deadline=None)
@given(mangled_tables())
def test_mangled_text(folder: Path, content: bytes) -> None:
    check_import(folder, content)


@settings(max_examples=examples(200), deadline=None)
@given(
    st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
def test_any_bytes(folder: Path, content: bytes) -> None:
    check_import(folder, content)


@pytest.mark.parametrize(
    "column", ["weapon_1", "gunners", "manifest", "provenance", "name", "id", "armor.front"]
)
@pytest.mark.parametrize("piece", [" ", "(", '"', "; ", ", ", "a ", "1", "1-", "(a) ", '"" ', ": "])
def test_a_long_cell_costs_little(folder: Path, column: str, piece: str) -> None:
    for text in ("a" + piece * (19_000 // len(piece)) + "b", piece * 100_000):
        check_import(folder, write_table(HEADS, [{**ROWS[0], column: text}]).encode())


@pytest.mark.parametrize(
    "content", [b"id\n" + b"\n" * 10**6, b"id\n" + b"x\n" * 10**6, b"," * 10**6, b'"' * 10**6]
)
def test_a_long_table_costs_little(folder: Path, content: bytes) -> None:
    check_import(folder, content)


def test_unchanged_tables_are_fine(folder: Path) -> None:
    file = folder / "units.csv"
    for sign in ",;":
        text = "\n".join(
            sign.join('"' + cell.replace('"', '""') + '"' for cell in cells) for cells in grid(ROWS)
        )
        file.write_text(text, encoding="utf-8", newline="")
        assert len(import_units(file, folder / "out", check=True).sheets) == len(ROWS)
