"""Whatever is done to a sheet's file, reading it gives a sound sheet or well-formed errors; nothing else."""

import json
import math
import re
import time
from pathlib import Path
from typing import Any

import pytest
from effort import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from simlab.model.document import Document, parse_document
from simlab.model.errors import InputError
from simlab.rules.blitzkrieg.options import READINGS, Options
from simlab.rules.blitzkrieg.sheet import (
    Sheet,
    fight_hash,
    parse_sheet,
    replace_fields,
    sheet_hash,
    to_mapping,
)

UNITS = Path(__file__).parent.parent / "units" / "blitzkrieg"
TEXTS = [path.read_bytes() for path in sorted(UNITS.glob("*.yaml"))]
SHEETS = [parse_sheet(parse_document(text, "unit.yaml")) for text in TEXTS]
LINE = re.compile(r"(unit\.yaml:\d+|unit\.yaml): \S.*: found \S.*, allowed \S.*?(; did you mean \S.*\?)?")
FREE_LINE = re.compile(r"\S.*: found \S.*, allowed \S.*?(; did you mean \S.*\?)?")
SECONDS = 3.0

Pairs = list[tuple[Any, Any]]
"""A mapping as pairs, so that a key can occur twice."""


class Mapping:
    """A mapping under mutation."""

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs


def opened(value: Any) -> Any:
    """Plain values with mappings as pairs."""
    if isinstance(value, dict):
        return Mapping([(key, opened(item)) for key, item in value.items()])
    return [opened(item) for item in value] if isinstance(value, list) else value


def written(value: Any) -> str:
    """Flow YAML of a mutated value."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{written(key)}: {written(item)}" for key, item in value.pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    return json.dumps(value)


def places(value: Any) -> list[tuple[Any, int]]:
    """Every (container, position) below a mutated value."""
    items = list(enumerate(item for _, item in value.pairs)) if isinstance(value, Mapping) else []
    items = list(enumerate(value)) if isinstance(value, list) else items
    return [(value, place) for place, _ in items] + [below for _, item in items for below in places(item)]


WORDS = [
    "cannon",
    "coaxial",
    "bow_mg",
    "weapon",
    "ammo_bin",
    "infantry",
    "wwiisim",
    "lines",
    "item",
    "id",
    "<<",
    "",
    " ",
]
HOSTILE = [
    "\x1b[31m",
    "\x00",
    "a\nb",
    "\u202ex",
    "<b>x</b>",
    "../../x",
    "=cmd|' /C x'!A0",
    "[red]",
    "x" * 5000,
    "Тигр",
    "\U0001f480",
]
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 25),
    st.sampled_from([-(10**30), 10**30, 10**400, 64, 100, 1000, 10**4]),
    st.floats(),
    st.sampled_from(WORDS + HOSTILE),
    st.text(max_size=12),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def misspelt(draw: st.DrawFn, key: Any) -> Any:
    """Another key: two letters swapped, or anything."""
    if isinstance(key, str) and len(key) > 2 and draw(st.booleans()):
        place = draw(st.integers(0, len(key) - 2))
        return key[:place] + key[place + 1] + key[place] + key[place + 2 :]
    return draw(scalars)


def mutate(draw: st.DrawFn, tree: Any) -> None:
    """One change somewhere below the tree: drop, double, replace, misspell or move a value."""
    container, place = draw(st.sampled_from(places(tree)))
    items: list[Any] = container.pairs if isinstance(container, Mapping) else container
    act = draw(st.sampled_from(["drop", "double", "replace", "misspell", "nest", "borrow"]))
    key, old = items[place] if isinstance(container, Mapping) else (None, items[place])
    new: Any = old
    if act == "drop":
        del items[place]
        return
    if act == "double":
        items.insert(draw(st.integers(0, len(items))), items[place])
        return
    if act == "replace":
        new = opened(draw(values))
    elif act == "misspell":
        key = misspelt(draw, key)
    elif act == "nest":
        new = [old]
    elif act == "borrow":
        new = plain_copy(*draw(st.sampled_from(places(tree))))
    items[place] = (key, new) if isinstance(container, Mapping) else new


def plain_copy(container: Any, place: int) -> Any:
    """A copy of the value at a place, so that trees stay trees."""
    item = container.pairs[place][1] if isinstance(container, Mapping) else container[place]
    if isinstance(item, Mapping):
        return Mapping([(key, plain_copy(item, n)) for n, (key, _) in enumerate(item.pairs)])
    return [plain_copy(item, n) for n in range(len(item))] if isinstance(item, list) else item


@st.composite
def mutated_sheets(draw: st.DrawFn) -> bytes:
    """A sheet's text after one to four changes of its structure."""
    tree = opened(to_mapping(draw(st.sampled_from(SHEETS))))
    for _ in range(draw(st.integers(1, 4))):
        if places(tree):
            mutate(draw, tree)
    return written(tree).encode("utf-8", "surrogatepass")


TOKENS = [
    b"&a ", b"*a ", b"!!python/object/apply:os.system ", b"!!binary ", b"! ", b"\n---\n", b"\n...\n",
    b"<<: ", b"? ", b"- ", b"\x1b", b"\0", b"\t", b"\n%YAML 1.2\n", b"'", b'"', b"{", b"]", b": ", b"#",
    b"|\n", b">-\n", b"\xff", b"\xc2\x85", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"[" * 40, b"{a: " * 40,
    b"- " * 40, b"\n\n", b"\r", b"@", b"`", b"%", b",", b"9" * 5000, b"1e999", b".nan", b"0x1F", b"012",
    b"x" * 2000, b"- {}\n" * 2000,
]  # fmt: skip


@st.composite
def mangled_texts(draw: st.DrawFn) -> bytes:
    """A sheet's text with tokens or bytes put in, pieces cut out and pieces doubled."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 60)))
        piece = draw(st.one_of(st.sampled_from(TOKENS), st.binary(max_size=6), st.just(text[start:end])))
        cut = draw(st.booleans())
        text = text[:start] + piece + text[end if cut else start :]
    return text


def check_reading(text: bytes) -> None:
    """The property: a sound sheet, or errors in the form of the contract, within bounded time."""
    start = time.process_time()
    try:
        sheet = parse_sheet(parse_document(text, "unit.yaml"))
    except InputError as error:
        lines = str(error).splitlines()
        assert 1 <= len(lines) == len(error.problems) <= 101
        for line in lines:
            assert LINE.fullmatch(line), line
            assert line.isprintable()
            assert len(line) < 700
    else:
        check_sound(sheet)
    assert time.process_time() - start < SECONDS


def check_sound(sheet: Sheet) -> None:
    """What is read can be written, read again, and fight."""
    again = parse_sheet(Document(sheet.file, to_mapping(sheet)))
    assert again == sheet
    assert (fight_hash(again), sheet_hash(again)) == (fight_hash(sheet), sheet_hash(sheet))
    lines = [line for item in sheet.manifest for line in item.lines]
    assert len(set(lines)) == len(lines) <= 20
    served = [key for gunner in sheet.gunners for key in gunner.weapons]
    assert sorted(served) == sorted(sheet.weapons)
    carried = {item.weapon for item in sheet.manifest if item.item == "weapon"}
    assert all((key in carried) != weapon.off_manifest for key, weapon in sheet.weapons.items())
    chart = [number for number in sheet.internal_amount if number is not None]
    assert chart == sorted(set(chart))
    assert sheet.internal_amount[9] is not None


@pytest.mark.rule("BK-1", "BK-2", "BK-3", "BK-4", "BK-5", "BK-6", "BK-7", "BK-8", "BK-9", "BK-10")
@settings(max_examples=examples(300), deadline=None)
@given(mutated_sheets())
def test_changed_structure(text: bytes) -> None:
    check_reading(text)


@settings(max_examples=examples(300), deadline=None)
@given(mangled_texts())
def test_mangled_text(text: bytes) -> None:
    check_reading(text)


@settings(max_examples=examples(300), deadline=None)
@given(
    st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
def test_any_bytes(text: bytes) -> None:
    check_reading(text)


PATHS = [
    "armor.front",
    "weapons.cannon.high",
    "weapons.cannon.high.1",
    "gunners.0.weapons.0",
    "manifest.2.lines",
    "ecv.value",
    "x.y",
]


@settings(max_examples=examples(300), deadline=None)
@given(
    st.sampled_from(SHEETS), st.dictionaries(st.sampled_from(PATHS) | st.text(max_size=8), values, max_size=3)
)
def test_changed_fields(sheet: Sheet, changes: dict[str, Any]) -> None:
    try:
        check_sound(replace_fields(sheet, changes))
    except InputError as error:
        for line in str(error).splitlines():
            assert FREE_LINE.fullmatch(line), line


@settings(max_examples=examples(300), deadline=None)
@given(
    st.dictionaries(st.sampled_from([reading.name for reading in READINGS]) | scalars, scalars, max_size=4)
)
def test_option_settings(written_settings: dict[Any, Any]) -> None:
    try:
        options = Options.from_settings(written_settings)
    except InputError as error:
        for line in str(error).splitlines():
            assert FREE_LINE.fullmatch(line), line
    else:
        assert Options.from_settings(options.non_default()) == options
