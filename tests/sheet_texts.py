"""Texts of the Sherman's sheet for tests: edited, read, refused."""

import re
from pathlib import Path

import pytest

from simlab.model.document import parse_document
from simlab.model.errors import InputError
from simlab.rules.blitzkrieg.sheet import Sheet, parse_sheet

UNITS = Path(__file__).parent.parent / "units" / "blitzkrieg"
SHERMAN = (UNITS / "m4a3_sherman_lp.yaml").read_text(encoding="utf-8")
IDS = ("m4a3_sherman_lp", "panther_g", "sherman_firefly_vc")


def read(text: str, file: str = "some/sherman.yaml") -> Sheet:
    return parse_sheet(parse_document(text.encode(), file))


def edited(*changes: tuple[str, str]) -> str:
    """The Sherman's text with pieces replaced that occur once."""
    text = SHERMAN
    for old, new in changes:
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
        text = text.replace(old, new)
    return text


def faults(*changes: tuple[str, str]) -> list[str]:
    """The error lines of the edited Sherman, without file and line."""
    with pytest.raises(InputError) as caught:
        read(edited(*changes))
    lines = str(caught.value).splitlines()
    assert all(re.match(r"some/sherman\.yaml:\d+: ", line) for line in lines)
    return [line.split(": ", 1)[1] for line in lines]


def numbered(fragment: str) -> int:
    """The line of the Sherman's file that holds the fragment, from 1."""
    (number,) = [n for n, line in enumerate(SHERMAN.splitlines(), 1) if fragment in line]
    return number
