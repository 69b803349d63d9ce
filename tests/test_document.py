"""YAML text to plain values with lines, and the faults of text that is not a small plain document."""

import math
import time
from pathlib import Path

import pytest

from simlab.model.document import Document, load_document, parse_document
from simlab.model.errors import InputError, Problem, escaped, nearest, shown

PLAIN = b"""# a comment
a: 1
b:
  - x
  - {c: 2.5,
     d: null}
"""


def fault(text: bytes) -> list[str]:
    """The error lines of a text that must be refused."""
    with pytest.raises(InputError) as caught:
        parse_document(text, "f.yaml").checked()
    return str(caught.value).splitlines()


class TestValues:
    def test_mappings_and_lists(self) -> None:
        assert parse_document(PLAIN, "f.yaml").value == {"a": 1, "b": ["x", {"c": 2.5, "d": None}]}

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("true", True),
            ("False", False),
            ("~", None),
            ("", None),
            ("Null", None),
            ("-0", 0),
            ("+12", 12),
            ("1000000000000000000000000000000", 10**30),
            ("2.0", 2.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("1e3", 1000.0),
            ("-.INF", -math.inf),
            ("1e999", math.inf),
        ],
    )
    def test_words_and_numbers_of_the_core_schema(self, text: str, value: object) -> None:
        found = parse_document(f"key: {text}".encode(), "f").value["key"]
        assert (type(found), found) == (type(value), value)

    @pytest.mark.parametrize(
        "text", ["yes", "off", "012", "1_000", "12:30", "2024-05-01", "0x10", "tRUE", "1.2.3", "+", ".", "<"]
    )
    def test_all_else_is_text(self, text: str) -> None:
        assert parse_document(f"key: {text}".encode(), "f").value == {"key": text}

    @pytest.mark.parametrize("text", ["'1'", '"true"', '"~"', "|-\n  null"])
    def test_quoted_is_text(self, text: str) -> None:
        assert isinstance(parse_document(f"key: {text}".encode(), "f").value["key"], str)

    def test_nan(self) -> None:
        assert math.isnan(parse_document(b"- .nan", "f").value[0])

    def test_a_byte_order_mark_is_no_text(self) -> None:
        assert parse_document(b"\xef\xbb\xbfa: 1", "f").value == {"a": 1}


class TestLines:
    @pytest.mark.parametrize(
        ("path", "line"),
        [
            ((), 2),
            (("a",), 2),
            (("b",), 3),
            (("b", 0), 4),
            (("b", 1), 5),
            (("b", 1, "d"), 6),
            (("b", 1, "missing"), 5),
            (("missing", "deeper"), 2),
        ],
    )
    def test_line_of_keys_items_and_the_parents_of_missing_ones(
        self, path: tuple[str | int, ...], line: int
    ) -> None:
        assert parse_document(PLAIN, "f").line_of(path) == line

    def test_values_from_no_file_have_no_lines(self) -> None:
        assert str(Document("", {"a": 1}).problem(("a",), "1", "2")) == "a: found 1, allowed 2"

    def test_errors_of_a_part_are_placed_in_the_whole(self) -> None:
        part = InputError.one("d.x", "1", "2", "z")
        located = parse_document(PLAIN, "f").located(part, ("b", 1))
        assert str(located) == "f:6: b.1.d.x: found 1, allowed 2; did you mean z?"


class TestDuplicates:
    def test_all_are_listed_and_the_first_value_counts(self) -> None:
        document = parse_document(b"a: 1\nb: {c: 1, c: 2}\na: {x: 1}\n", "f.yaml")
        assert document.value == {"a": 1, "b": {"c": 1}}
        with pytest.raises(InputError) as caught:
            document.checked()
        assert str(caught.value).splitlines() == [
            "f.yaml:2: b.c: found the key a second time (first in line 2), allowed each key once",
            "f.yaml:3: a: found the key a second time (first in line 1), allowed each key once",
        ]

    def test_a_sound_document_passes(self) -> None:
        document = parse_document(PLAIN, "f")
        assert document.checked() is document


class TestRefused:
    @pytest.mark.parametrize(
        ("text", "line"),
        [
            (b"", "f.yaml:1: document: found an empty file, allowed a YAML document"),
            (b"# only\n# comments\n", "f.yaml:1: document: found an empty file, allowed a YAML document"),
            (b"a: 1\nb: \0", "f.yaml:2: document: found binary data, allowed UTF-8 text"),
            (b"a: 1\nb: \xff", "f.yaml:2: document: found bytes that are not UTF-8, allowed UTF-8 text"),
            (b"a: \x1b[31m", "f.yaml:1: document: found the control character \\x1b, allowed printable text"),
            (b"%YAML 1.1\n---\na: 1", "f.yaml:1: document: found a YAML directive, allowed a plain document"),
            (b"a: 1\n---\nb: 1", "f.yaml:2: document: found a second document, allowed one document a file"),
            (b"a:\n  - !x 1", "f.yaml:2: a.0: found the tag !x, allowed values without tags"),
            (b"a: &x 1", "f.yaml:1: a: found the anchor &x, allowed values without anchors"),
            (b"a: *x", "f.yaml:1: a: found the alias *x, allowed the value itself"),
            (b"a: {<<: 1}", "f.yaml:1: a.<<: found a merge key, allowed keys written out"),
            (
                b"[1]: 2",
                "f.yaml:1: document: found a key that is a list or mapping, "
                "allowed keys that are text or numbers",
            ),
            (b"a: " + b"9" * 2000, "f.yaml:1: a: found a number of 2000 digits, allowed a shorter number"),
            (b"a" * 300_000, "f.yaml:1: document: found more than 256 KiB, allowed at most 256 KiB"),
        ],
    )
    def test_message(self, text: bytes, line: str) -> None:
        assert fault(text) == [line]

    def test_text_that_is_no_yaml_names_the_line(self) -> None:
        (line,) = fault(b"a: 1\nb: [1, 2\nc: 3\n")
        assert line.startswith("f.yaml:3: document: found text that is not YAML (")

    def test_nesting_ends_at_32(self) -> None:
        assert parse_document(b"[" * 32 + b"]" * 32, "f").value
        assert fault(b"[" * 33 + b"]" * 33) == [
            "f.yaml:1: 0.0.0.0: found more than 32 levels, allowed at most 32 levels"
        ]

    def test_several_faults_are_listed_together(self) -> None:
        lines = fault(b"a: !x 1\nb: *y\nc: 1\nc: 2\n")
        assert [line.split(": found")[0] for line in lines] == ["f.yaml:1: a", "f.yaml:2: b", "f.yaml:4: c"]

    @pytest.mark.parametrize(
        "unit",
        [
            b"[",
            b"{",
            b"- ",
            b"? ",
            b"{a: ",
            b"[*a, ",
            b"!",
            b"&a ",
            b"%TAG !a! b\n",
            b"- {}\n",
            b"'",
            b"|",
            b"--- a\n",
        ],
    )
    def test_bombs_cost_little(self, unit: bytes) -> None:
        start = time.process_time()
        with pytest.raises(InputError) as caught:
            parse_document(unit * (250_000 // len(unit)) + b"!", "f")
        assert time.process_time() - start < 5
        assert len(caught.value.problems) <= 101


class TestFiles:
    def test_the_name_in_messages_is_the_path_as_given(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "x.yaml").write_text("a: [")
        monkeypatch.chdir(tmp_path)
        with pytest.raises(InputError, match=r"^x\.yaml:1: document: found text that is not YAML"):
            load_document(Path("x.yaml"))

    def test_a_missing_file(self) -> None:
        with pytest.raises(InputError) as caught:
            load_document(Path("no/such.yaml"))
        assert str(caught.value) == "no/such.yaml: document: found no such file, allowed a readable file"

    @pytest.mark.parametrize("path", [".", "/dev/zero", "a\0b", "x" * 5000])
    def test_what_is_no_file(self, path: str) -> None:
        with pytest.raises(InputError, match=r": document: found .*, allowed a readable file$"):
            load_document(Path(path))

    def test_a_file_too_large_is_not_read_whole(self, tmp_path: Path) -> None:
        path = tmp_path / "large.yaml"
        with path.open("wb") as stream:
            stream.truncate(10**12)
        with pytest.raises(InputError, match="found more than 256 KiB"):
            load_document(path)


class TestMessages:
    def test_parts_that_are_unknown_are_left_out(self) -> None:
        assert str(Problem("f", 3, "a.b", "1", "2", "c")) == "f:3: a.b: found 1, allowed 2; did you mean c?"
        assert str(Problem("f", None, "a.b", "1", "2")) == "f: a.b: found 1, allowed 2"
        assert str(Problem("", 3, "a.b", "1", "2")) == "a.b: found 1, allowed 2"

    def test_whatever_is_in_it_a_problem_is_one_printable_line(self) -> None:
        hostile = "\x1b[2J\nx\r\u202e\u2028" + "y" * 1000
        text = str(Problem(hostile[:8], 1, hostile, hostile, hostile, hostile))
        assert text.isprintable()
        assert text.startswith(r"\x1b[2J\nx\r\u202e:1: \x1b[2J\nx\r\u202e\u2028yy")
        assert len(text) < 700

    def test_a_flood_is_cut(self) -> None:
        flood = InputError.listed(Problem("f", n, "a", "1", "2") for n in range(1000, 0, -1))
        lines = str(flood).splitlines()
        assert len(lines) == 101
        assert lines[0] == "f:1: a: found 1, allowed 2"
        assert lines[-1] == "f:100: document: found more than 100 errors, allowed no errors"

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (True, "true"),
            (None, "null"),
            (2.0, "2.0"),
            (float("nan"), ".nan"),
            (-math.inf, "-.inf"),
            ("turret", "turret"),
            ("true", '"true"'),
            ("two words", '"two words"'),
            ("", '""'),
            ([5, [4, "x"]], "[5, [4, x]]"),
            ({"a": None}, "{a: null}"),
            (10**200, "a number of more than 80 digits"),
            (object(), "a value of type object"),
        ],
    )
    def test_values_are_shown_as_they_are_written(self, value: object, text: str) -> None:
        assert shown(value) == text

    def test_long_values_are_cut(self) -> None:
        assert len(shown("z" * 10**6)) < 90
        assert len(shown([0] * 10**6)) < 100

    def test_escapes(self) -> None:
        assert escaped("plain ü") == "plain ü"
        assert escaped("\x07\u202e") == r"\x07\u202e"

    @pytest.mark.parametrize(
        ("word", "found"),
        [("frnot", "front"), ("FRONT", "front"), ("wheel", None), ("f" * 100, None), (5, None), ("", None)],
    )
    def test_nearest(self, word: object, found: str | None) -> None:
        assert nearest(word, ["front", "rear", "front_left"]) == found
