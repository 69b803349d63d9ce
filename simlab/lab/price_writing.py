"""Prices into sheets: the two entries that change, the rest of a file as it was."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.lab.roster import Folder, sheet_files
from simlab.model.document import parse_document
from simlab.model.ecv import Ecv
from simlab.model.errors import InputError
from simlab.model.text_file import read_bytes
from simlab.model.whole_files import write_files
from simlab.rules.registry import get_system

if TYPE_CHECKING:
    from simlab.lab.stored_prices import Prices

LARGEST_FILE = 256 * 1024
PRICED = "priced"
ECV = "ecv"
WIDEST = 116
"""Letters of a line of a provenance."""
DIGITS = 3
"""Digits of a price that was not rounded to a multiple."""


@dataclass(frozen=True)
class PriceChange:
    """A sheet that gets its price. text: the whole file as it will be. old_text, new_text: the ECV in words."""

    unit: str
    file: Path
    text: str
    old_text: str
    new_text: str


def price_changes(prices: "Prices", units: Folder = None) -> list[PriceChange]:
    """Return what writing prices into their sheets would change; nothing is written.

    A unit without a price, and the anchor, keep what they have. The old ECV goes to the end of the provenance. Raises
    InputError for a sheet that is not the one that was priced.
    """
    system = str(prices.record["system"])
    rules, files = get_system(system), sheet_files(system, units)
    known = {unit["id"]: unit for unit in prices.record["units"]}
    changes = []
    for row in prices.units.to_dict("records"):
        unit = str(row["id"])
        value = _new_value(row)
        if value is None or unit == prices.record["anchor"]["id"]:
            continue
        if unit not in files:
            raise InputError.one(
                "write", f"{unit}, which lies in no folder of units", "sheets found by their id"
            )
        sheet = rules.load_sheet(files[unit])
        if rules.fight_hash(sheet) != known[unit]["fight_hash"]:
            raise InputError.one(
                "write", f"another sheet of {unit}", "the sheet that was priced", file=str(files[unit])
            )
        if sheet.ecv.value != value or sheet.ecv.source != PRICED:
            changes.append(_change(unit, files[unit], sheet, value, rules))
    return changes


def write_changes(changes: Sequence[PriceChange]) -> None:
    """Write all sheets, or none if one cannot be written. Raises InputError."""
    write_files({change.file: change.text.encode("utf-8") for change in changes}, replace=True)


def _new_value(row: Mapping[Any, Any]) -> float | None:
    value = row.get("rounded", row["priced"])
    if value is None or math.isnan(value):
        return None
    if "rounded" in row:
        return float(value)
    digits = DIGITS - len(str(int(value)))
    return float(round(value, max(digits, 0)))


def _change(unit: str, file: Path, sheet: Any, value: float, rules: Any) -> PriceChange:
    old = "none" if sheet.ecv.value is None else f"{sheet.ecv.value:g} ({sheet.ecv.source})"
    number = f"{value:g}" if value < 1e6 else repr(value)
    said = f"{sheet.provenance.rstrip()} ECV before it was priced: {old}."
    content = read_bytes(file, LARGEST_FILE)
    text = _replaced(content, str(file), ECV, [f"ecv: {{value: {number}, source: {PRICED}}}"])
    text = _replaced(text.encode("utf-8"), str(file), "provenance", _folded(said))
    written = rules.parse_sheet(parse_document(text.encode("utf-8"), str(file)))
    same = rules.fight_hash(written) == rules.fight_hash(sheet) and written.name == sheet.name
    if not same or written.ecv != Ecv(value=float(number), source="priced") or written.provenance != said:
        raise InputError.one(
            "write", "a sheet whose entries cannot be told apart", "one entry a line", file=str(file)
        )
    return PriceChange(unit, file, text, old, f"{number} ({PRICED})")


def _replaced(content: bytes, file: str, key: str, entry: list[str]) -> str:
    """The text of a file with another entry of a key at its top level, and all else as it was.

    Comments within the entry come to stand above it.
    """
    lines = content.decode("utf-8-sig").splitlines(keepends=True)
    document = parse_document(content, file)
    first = document.line_of([key]) - 1
    tops = sorted(line - 1 for path, line in document.lines.items() if len(path) == 1)
    after = next((line for line in tops if line > first), len(lines))
    while after > first + 1 and (not lines[after - 1].strip() or lines[after - 1].startswith("#")):
        after -= 1
    end = "\r\n" if lines[first].endswith("\r\n") else "\n"
    found = [_COMMENT.search(line) for line in lines[first:after]] if key == ECV else []
    comments = [each[0].strip() for each in found if each]
    return "".join([*lines[:first], *(line + end for line in [*comments, *entry]), *lines[after:]])


def _folded(text: str) -> list[str]:
    """A provenance as an entry of lines that are not too long: single blanks may become line ends."""
    words = re.split(r"(?<=[^ ]) (?=[^ ])", f"provenance: {json.dumps(text, ensure_ascii=False)}")
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) <= WIDEST or (len(lines) == 1 and lines[0] == "provenance:"):
            lines[-1] += f" {word}"
        else:
            lines.append(f"  {word}")
    return lines


_COMMENT = re.compile(r"(?:^|(?<=\s))#.*")
