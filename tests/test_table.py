"""Tables for spreadsheets: what is written is read back, nothing is taken for a formula, number or date."""

import csv
import io
import re

import pytest
from effort import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from simlab.model.errors import InputError
from simlab.model.table import Cell, Table, guarded, parse_table, unguarded, write_table

PIECES = (
    *"= + - @ ' ; , \t \r \n \" : ( ) 5 . / % € e".split(" "),
    " ", "''", "may", "true", "1e5", "\r\n", "=cmd|' /C calc'!A0", "＝", "x", "Ä", "\u00a0", "\U0001f480",
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=8).map("".join)
cells = texts.filter(
    lambda text: not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]", text)
)


def read(text: str, *columns: str) -> Table:
    return parse_table(text.encode(), "units.csv", columns)


def refusal(text: str | bytes, *columns: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        parse_table(text if isinstance(text, bytes) else text.encode(), "units.csv", columns)
    return str(caught.value).splitlines()


class TestGuard:
    @settings(max_examples=examples(1000))
    @given(texts)
    def test_guarding_loses_nothing(self, text: str) -> None:
        assert unguarded(guarded(text)) == text

    @settings(max_examples=examples(1000))
    @given(texts)
    def test_no_cell_starts_like_a_formula_whatever_the_delimiter(self, text: str) -> None:
        for cell in re.split(r"[,;\t\r\n]", guarded(text)):
            assert not cell.lstrip(" ").startswith(tuple("=+-@＝＋－＠"))
        assert not guarded(text).lstrip(" ").startswith(("\t", "\r", "\n"))

    @pytest.mark.parametrize(
        "text",
        ["=1+1", "+x", "-x", "@x", "\tx", "  =x", "88", "1e5", "7/42", "16-18", "1,5", "5 May 1944", "May 44",
         "TRUE", "12:30", "50%", "(5)", "€ 5", "3 pm", "007"],
    )  # fmt: skip
    def test_what_a_spreadsheet_would_change_is_guarded(self, text: str) -> None:
        assert guarded(text).lstrip(" ").startswith("'")

    @pytest.mark.parametrize(
        "text",
        ["M4A3 Sherman LP", "T-34/85", "76mm", "KV-1 (1941)", "crew 20; engine 19", "", "'tis", "Mayor", "e"],
    )
    def test_other_texts_stay_as_they_are(self, text: str) -> None:
        assert guarded(text) == text == unguarded(text)


class TestWriting:
    def test_the_form_is_that_which_spreadsheets_take(self) -> None:
        rows: list[dict[str, Cell]] = [
            {"a": "x;y", "b": -2, "c": 0.58, "d": True},
            {"a": 'say "so"', "b": None},
        ]
        text = write_table(["a", "b", "c", "d"], rows)
        assert text == '\ufeffa,b,c,d\r\nx;y,-2,0.58,yes\r\n"say ""so""",,,\r\n'
        text = write_table(["a", "b", "c", "d"], rows, semicolon=True)
        assert text == '\ufeffa;b;c;d\r\n"x;y";-2;0,58;yes\r\n"say ""so""";;;\r\n'

    @settings(max_examples=examples(300))
    @given(st.lists(st.tuples(cells, cells), min_size=1), st.booleans())
    def test_texts_come_back(self, values: list[tuple[str, str]], semicolon: bool) -> None:
        rows: list[dict[str, Cell]] = [
            {"id": f"x{place}", "a": a, "b": b} for place, (a, b) in enumerate(values)
        ]
        text = write_table(["id", "a", "b"], rows, semicolon=semicolon)
        table = read(text, "id", "a", "b")
        assert [dict(row.cells) for row in table.rows] == rows
        delimiter = ";" if semicolon else ","
        taken = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter))
        assert [[unguarded(cell) for cell in row] for row in taken[1:]] == [
            list(row.values()) for row in rows
        ]

    @given(st.floats(0, 1e9) | st.integers(-(10**9), 10**9), st.booleans())
    def test_numbers_come_back(self, number: float, semicolon: bool) -> None:
        (row,) = read(
            write_table(["id", "a"], [{"id": "x", "a": number}], semicolon=semicolon), "id", "a"
        ).rows
        assert row.value("a") == number


class TestReading:
    def test_rows_are_numbered_as_in_the_spreadsheet_and_blank_ones_skipped(self) -> None:
        table = read('\r\nid,a\r\n\r\nx,"two\nlines"\r\n,\r\n  ,\ny,1', "a", "id")
        assert table.head == 2
        assert [(row.number, dict(row.cells)) for row in table.rows] == [
            (4, {"id": "x", "a": "two\nlines"}),
            (7, {"id": "y", "a": "1"}),
        ]

    @pytest.mark.parametrize("mark", ["", "\ufeff"])
    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_marks_and_line_ends_of_all_kinds(self, mark: str, end: str) -> None:
        table = read(mark + end.join(["id;a", "x;0,5"]) + end, "id", "a")
        assert [row.value("a") for row in table.rows] == [0.5]

    def test_a_decimal_comma_counts_in_a_semicolon_file_alone(self) -> None:
        (row,) = read('id,a\nx,"0,5"\n', "id", "a").rows
        assert row.value("a") == "0,5"
        assert str(row.problem("a", "0,5", "a number")).endswith("did you mean 0.5?")

    @pytest.mark.parametrize(
        "text", ["1_0", "٣", "0x1F", "nan", "inf", "1e99999", "1e9999", "--1", "1.2.3", "", "9" * 50]
    )
    def test_what_is_no_plain_number_stays_text(self, text: str) -> None:
        (row,) = read(f"id,a\nx,{text}\n", "id", "a").rows
        assert row.value("a") == text

    def test_short_rows_are_filled_and_long_ones_refused(self) -> None:
        table = read("id,a,b\nx\ny,1,2,,\nz,1,2,3\n", "id", "a", "b")
        assert dict(table.rows[0].cells) == {"id": "x", "a": "", "b": ""}
        assert list(map(str, table.problems)) == [
            "units.csv:4: row: found 4 cells, allowed at most 3, as in the first"
        ]

    def test_columns_are_known_once_and_by_name(self) -> None:
        table = read("id,armour,a,a,, b \nx,1,2,3,,4\n", "id", "a", "b", "armor")
        assert list(map(str, table.problems)) == [
            "units.csv:1: armour: found an unknown column, allowed id, a, b, armor; did you mean armor?",
            "units.csv:1: a: found the column a second time, allowed each column once",
        ]
        assert dict(table.rows[0].cells) == {"id": "x", "a": "2", "b": "4"}

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("", "units.csv:1: document: found an empty file, allowed a first row with id"),
            ("\n,,\n", "units.csv:1: document: found an empty file, allowed a first row with id"),
            ('id\nx\n"y\nz\n', "units.csv:3: row: found a quotation mark without end, allowed "),
            ('id\nx\n"y"z\n', "units.csv:3: row: found text behind a closing quotation mark, allowed "),
            (b"id\n\xff\xfe", "units.csv:2: document: found bytes that are not UTF-8, allowed UTF-8 text"),
            (b"id\n\0", "units.csv:2: document: found binary data, allowed UTF-8 text"),
            (b"id\n" * 8_000_000, "units.csv:1: document: found more than 16384 KiB, allowed at most 16384 KiB"),
        ],
    )  # fmt: skip
    def test_what_is_no_table_is_one_line(self, text: str | bytes, line: str) -> None:
        (found,) = refusal(text, "id")
        assert found.startswith(line)
