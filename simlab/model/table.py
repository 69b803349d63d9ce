"""Tables for spreadsheets: CSV that loses nothing, runs no formula, and reads what spreadsheets make of it.

Written are UTF-8 with a byte order mark (without one, Excel takes another encoding), lines that end in CR LF, commas
between cells, or semicolons and a decimal comma. Read are both, with or without the mark.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path
from typing import TypeAlias

from simlab.model.errors import MOST_LISTED, InputError, Problem, nearest
from simlab.model.text_file import decoded, read_bytes

LARGEST_TABLE = 16 * 1024 * 1024
MOST_ROWS = 100_000
EMPTY = "nothing"
"""What a problem says of an empty cell."""

Cell: TypeAlias = str | int | float | bool | None
"""A value to be written: text, number, yes or no, nothing."""

_DELIMITERS = ",;"
_QUOTED = re.compile(r'"([^"]*(?:""[^"]*)*)"')
_CELLS = {
    delimiter: re.compile(
        rf'(?:{_QUOTED.pattern}|([^{delimiter}"\r\n][^{delimiter}\r\n]*)?)({delimiter}|\r\n|\r|\n|\Z)'
    )
    for delimiter in _DELIMITERS
}
_WHOLE = re.compile(r"[-+]?[0-9]{1,30}")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]{1,40}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][-+]?[0-9]{1,4})?")
_COMMA_DECIMAL = re.compile(r"[-+]?[0-9]{1,40},[0-9]{1,400}(?:[eE][-+]?[0-9]{1,4})?")


@dataclass(frozen=True)
class Row:
    """The cells of a row by column, as text; `number` is the row's in the spreadsheet, whose first row is 1."""

    file: str
    number: int
    cells: Mapping[str, str]
    decimal_comma: bool = False

    def value(self, column: str) -> Cell:
        """Return a cell as the number that it shows; as its text, if it shows none."""
        text = self.cells[column].strip()
        if self.decimal_comma and _COMMA_DECIMAL.fullmatch(text):
            text = text.replace(",", ".")
        if _WHOLE.fullmatch(text):
            return int(text)
        number = float(text) if _DECIMAL.fullmatch(text) else inf
        return number if isfinite(number) else self.cells[column]

    def problem(self, field: str, found: str, allowed: str, hint: str | None = None) -> Problem:
        """Return a problem of this row."""
        text = self.cells.get(field, "").strip()
        if hint is None and not self.decimal_comma and _COMMA_DECIMAL.fullmatch(text):
            hint = text.replace(",", ".")
        return Problem(self.file, self.number, field, found, allowed, hint)


@dataclass(frozen=True)
class Table:
    """A table as it was read: the known columns that it has, its rows that are not blank, and what is wrong.

    `head` is the number of the row with the names of the columns.
    """

    file: str
    head: int
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]


def write_table(
    columns: Sequence[str], rows: Iterable[Mapping[str, Cell]], *, semicolon: bool = False
) -> str:
    """Return the text of a table; a column that a row lacks is an empty cell."""
    buffer = io.StringIO()
    buffer.write("\ufeff")
    writer = csv.writer(buffer, delimiter=";" if semicolon else ",", lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_written(row.get(column), semicolon) for column in columns])
    return buffer.getvalue()


def _written(cell: Cell, decimal_comma: bool) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, str):
        return guarded(cell)
    if isinstance(cell, int) or cell.is_integer():
        return str(int(cell))
    return repr(cell).replace(".", ",") if decimal_comma else repr(cell)


def load_table(path: Path, columns: Sequence[str]) -> Table:
    """Read a CSV file; see `parse_table`. InputError as well for what is no readable file."""
    return parse_table(read_bytes(path, LARGEST_TABLE), str(path), columns)


def parse_table(content: bytes, file: str, columns: Sequence[str]) -> Table:
    """Read CSV whose first row names columns, in any order; blank rows are skipped.

    Raises InputError for what is no CSV. Columns that are not among `columns` or come twice, and cells beside all
    columns, are in the table's problems.
    """
    text = decoded(content, file, LARGEST_TABLE)
    first = text.lstrip("\r\n").partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    rows = ((number, cells) for number, cells in _split(text, file, delimiter) if any(map(str.strip, cells)))
    head, names = next(rows, (1, []))
    if not names:
        raise InputError.one(
            "document", "an empty file", f"a first row with {', '.join(columns)}", file=file, line=1
        )
    problems: list[Problem] = []
    place_of = _places(file, head, [name.strip() for name in names], columns, problems)
    found: list[Row] = []
    for number, cells in rows:
        if len(found) == MOST_ROWS:
            problems.append(
                Problem(file, number, "row", f"more than {MOST_ROWS} rows", f"at most {MOST_ROWS}")
            )
            break
        if any(map(str.strip, cells[len(names) :])) and len(problems) <= MOST_LISTED:
            problems.append(
                Problem(file, number, "row", f"{len(cells)} cells", f"at most {len(names)}, as in the first")
            )
        filled = {
            name: unguarded(cells[place]) if place < len(cells) else "" for name, place in place_of.items()
        }
        found.append(Row(file, number, filled, delimiter == ";"))
    return Table(file, head, tuple(place_of), tuple(found), tuple(problems))


def _places(
    file: str, head: int, names: Sequence[str], columns: Sequence[str], problems: list[Problem]
) -> dict[str, int]:
    """Return where the known columns stand; what is wrong with the others goes to `problems`."""
    place_of: dict[str, int] = {}
    for place, name in enumerate(names):
        if name in place_of:
            problems.append(Problem(file, head, name, "the column a second time", "each column once"))
        elif name in columns:
            place_of[name] = place
        elif name:
            hint = nearest(name, [column for column in columns if column not in names])
            problems.append(Problem(file, head, name, "an unknown column", ", ".join(columns), hint))
    return place_of


def _split(text: str, file: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of CSV with their numbers; InputError at the first cell that cannot be read."""
    match_cell = _CELLS[delimiter].match
    at, number = 0, 1
    cells: list[str] = []
    while at < len(text) or cells:
        match = match_cell(text, at)
        if match is None:
            found = (
                "text behind a closing quotation mark"
                if _QUOTED.match(text, at)
                else "a quotation mark without end"
            )
            raise InputError.one(
                "row", found, 'cells like "so" or so, marks in them doubled', file=file, line=number
            )
        quoted, bare, end = match.groups()
        cells.append(quoted.replace('""', '"') if quoted is not None else bare or "")
        at = match.end()
        if end != delimiter:
            yield number, cells
            number, cells = number + 1, []


_STARTERS = "=+\\-@＝＋－＠"
_START = re.compile(rf"( *)('*)(?=[{_STARTERS}\t\r\n])")
_GUARDED_START = re.compile(rf"( *)'('*)(?=[{_STARTERS}\t\r\n])")
_INNER = re.compile(rf"([,;\t\r\n] *)('*)(?=[{_STARTERS}])")
_GUARDED_INNER = re.compile(rf"([,;\t\r\n] *)'('*)(?=[{_STARTERS}])")
_LONGEST_VALUE = 40
_VALUE_SIGNS = re.compile(r"[\s0-9.,:/%$€£¥()+-]*")
_WORD = re.compile(r"[^\W\d_]+")
_VALUE_WORDS = frozenset("e am pm".split())
_MONTHS = frozenset("jan feb mar apr may jun jul aug sep oct nov dec mai okt dez mär".split())
_TRUTHS = frozenset("true false wahr falsch".split())


def guarded(text: str) -> str:
    """Return the text with apostrophes where a spreadsheet would find a formula, a number or a date in it.

    Guarded is the start of the cell, and what would start a cell if another mark were taken for the delimiter.
    `unguarded` takes the apostrophes away again: the two are inverse for every text.
    """
    inner = _INNER.sub(r"\1'\2", text)
    if _START.match(text):
        return _START.sub(r"\1'\2", inner, count=1)
    return f"'{inner}" if _is_value(text.lstrip("'")) else inner


def unguarded(text: str) -> str:
    """Return the text that `guarded` made this cell of; a cell that it did not make stays as it is."""
    inner = _GUARDED_INNER.sub(r"\1\2", text)
    if _GUARDED_START.match(inner):
        return _GUARDED_START.sub(r"\1\2", inner, count=1)
    return inner[1:] if inner.startswith("'") and _is_value(inner.lstrip("'")) else inner


def _is_value(text: str) -> bool:
    """Whether a spreadsheet may take the text for a number, a date, a time or a truth value."""
    if len(text) > _LONGEST_VALUE:
        return False
    words = _WORD.findall(text.casefold())
    if not any("0" <= character <= "9" for character in text):
        return words[:1] == [text.strip().casefold()] and words[0] in _TRUTHS
    signs = _WORD.sub("", text)
    return _VALUE_SIGNS.fullmatch(signs) is not None and all(
        word in _VALUE_WORDS or word[:3] in _MONTHS for word in words
    )
