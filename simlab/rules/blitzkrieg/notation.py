"""Weapons, gunners and manifest in one cell of a spreadsheet each, as people would write them.

    cannon: 76mm Rifled Cannon; ballistic; high 5/4/3; mid 4/3/2; low 3/2/1; 36 rounds; turret
    gunner (skill 1): cannon, coaxial; commander (skill 1): pintle_mg
    crew 20; engine 19 (5 hits); fuel 16-18; weapon 9-11 (cannon, ammo_bin); tread 1-2 (right)

A name or key that holds a sign of the notation stands in quotation marks; marks within are doubled. What is written is
read back to the same values; whether they are legal is the sheet's business.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from simlab.model.errors import nearest, shown

TYPES = ("ballistic", "anti_personnel", "indirect")
MOUNTS = ("turret", "fixed", "pintle", "bow")
STRIKES = ("high", "mid", "low")
OFF_MANIFEST = "off_manifest"
LONGEST_CELL = 20_000

WEAPON_FORM = "a weapon like cannon: 76mm Gun; ballistic; high 5/4/3; mid 4/3/2; low 3/2/1; 36 rounds; turret"
GUNNER_FORM = "gunners like gunner (skill 1): cannon, coaxial; commander (skill 1): pintle_mg"
MANIFEST_FORM = (
    "items like crew 20; engine 19 (5 hits); fuel 16-18; weapon 9-11 (cannon, ammo_bin); tread 3-4 (left)"
)

_WEAPON_PARTS = ", ".join(
    (*TYPES, *MOUNTS, "high 5/4/3", "mid 4/3/2", "low 3/2/1", "36 rounds", "reach 30", OFF_MANIFEST)
)
_WEAPON_WORDS = (*TYPES, *MOUNTS, *STRIKES, "rounds", "reach", OFF_MANIFEST)
_FEEDING = ("weapon", "pintle_mount", "ammo_bin")
"""Items that may name a weapon."""

_QUOTED = re.compile(r'"[^"]*(?:""[^"]*)*"')
_STRIKE = re.compile(r"(high|mid|low)\s+([0-9]{1,9})\s*/\s*([0-9]{1,9})\s*/\s*([0-9]{1,9})")
_AMMO = re.compile(r"([0-9]{1,9})\s+rounds?")
_REACH = re.compile(r"reach\s+([0-9]{1,40}(?:\.[0-9]{1,400})?(?:[eE][-+]?[0-9]{1,4})?)")
_GUNNER = re.compile(r'("[^"]*(?:""[^"]*)*"\s*|[^"(][^(]*)\(skill\s+([-+]?[0-9]{1,9})\)\s*:(.*)', re.DOTALL)
_ITEM = re.compile(
    r"([A-Za-z]\w*(?:[ \t]+[A-Za-z]\w*)*)\s+([0-9]{1,9})(?:\s*[-–]\s*([0-9]{1,9}))?\s*(?:\((.*)\))?",
    re.DOTALL,
)
_LETTERS = re.compile(r"[A-Za-z_]{2,}")
_HITS = re.compile(r"([0-9]{1,9})\s+hits?")
_DETAILS = frozenset({"left", "right", "ammo_bin"})

Tell: TypeAlias = Callable[[str, str, str | None], None]
"""Takes what cannot be read: found, allowed, likely spelling."""


def write_weapon(key: str, weapon: Mapping[str, Any]) -> str:
    """The cell of a weapon in the form of `sheet_form.to_mapping`."""
    strikes = (f"{level} {'/'.join(map(str, weapon[level]))}" for level in STRIKES)
    parts = [f"{_bare(key, ':;')}: {_bare(weapon['name'], ';')}", weapon["type"], *strikes]
    parts += [f"{weapon['ammo']} rounds", weapon["mount"]]
    if "max_range" in weapon:
        reach = float(weapon["max_range"])
        parts.append(f"reach {int(reach) if reach.is_integer() else repr(reach)}")
    if weapon.get("off_manifest"):
        parts.append(OFF_MANIFEST)
    return "; ".join(parts)


def read_weapon(cell: str, tell: Tell) -> tuple[str, dict[str, Any]]:
    """The key and the keys of a weapon; unreadable parts are told."""
    parts = _pieces(cell, ";", tell)
    key, *name = _pieces(parts[0], ":", tell, most=2) if parts else ("",)
    if not name:
        tell(shown(cell), WEAPON_FORM, None)
        return "", {}
    weapon: dict[str, Any] = {"name": _unquoted(name[0])}
    for part in parts[1:]:
        found = _weapon_part(part)
        if found is None:
            tell(shown(part), _WEAPON_PARTS, _likely(part))
        elif found[0] in weapon:
            tell(f"{shown(part)} beside another {found[0]}", "each part once", None)
        else:
            weapon[found[0]] = found[1]
    return _unquoted(key), weapon


def _weapon_part(part: str) -> tuple[str, Any] | None:
    """The key and value that a part of a weapon's cell stands for."""
    if part in TYPES:
        return "type", part
    if part in MOUNTS:
        return "mount", part
    if part.replace(" ", "_") == OFF_MANIFEST:
        return OFF_MANIFEST, True
    if match := _STRIKE.fullmatch(part):
        return match[1], [int(number) for number in match.groups()[1:]]
    if match := _AMMO.fullmatch(part):
        return "ammo", int(match[1])
    if match := _REACH.fullmatch(part):
        return "max_range", float(match[1])
    return None


def _likely(part: str) -> str | None:
    """The word of the notation that is spelt most like the first one of a part."""
    return nearest(next(iter(_LETTERS.findall(part)), part), _WEAPON_WORDS)


def write_gunners(gunners: Iterable[Mapping[str, Any]]) -> str:
    """The cell of all gunners."""
    return "; ".join(
        f"{_bare(gunner['name'], '(;')} (skill {gunner['skill']}): "
        + ", ".join(_bare(key, ",;") for key in gunner["weapons"])
        for gunner in gunners
    )


def read_gunners(cell: str, tell: Tell) -> list[dict[str, Any]]:
    """The gunners of a cell; unreadable ones are told."""
    gunners = []
    for part in _pieces(cell, ";", tell):
        match = _GUNNER.fullmatch(part)
        if match is None:
            tell(shown(part), GUNNER_FORM, None)
            continue
        keys = [_unquoted(key) for key in _pieces(match[3], ",", tell)]
        gunners.append({"name": _unquoted(match[1].strip()), "skill": int(match[2]), "weapons": keys})
    return gunners


def write_manifest(items: Iterable[Mapping[str, Any]]) -> str:
    """The cell of the whole manifest."""
    return "; ".join(map(_write_item, items))


def _write_item(item: Mapping[str, Any]) -> str:
    first, last = item["lines"][0], item["lines"][-1]
    details = []
    if "hits" in item:
        details.append("1 hit" if item["hits"] == 1 else f"{item['hits']} hits")
    if "side" in item:
        details.append(item["side"])
    if "weapon" in item:
        details.append(_bare_detail(item["weapon"]))
    if item.get("ammo_bin"):
        details.append("ammo_bin")
    lines = str(first) if first == last else f"{first}-{last}"
    return f"{item['item']} {lines}" + (f" ({', '.join(details)})" if details else "")


def read_manifest(cell: str, tell: Tell) -> list[dict[str, Any]]:
    """The items of a cell; unreadable ones are told."""
    items = []
    for part in _pieces(cell, ";", tell):
        match = _ITEM.fullmatch(part)
        if match is None:
            tell(shown(part), MANIFEST_FORM, None)
            continue
        kind, first, last = "_".join(match[1].split()), int(match[2]), int(match[3] or match[2])
        if not 1 <= first <= last <= 20:
            tell(
                f"the lines {match[2]}-{match[3]}" if match[3] else f"the line {first}",
                "lines from 1 to 20",
                None,
            )
            continue
        item: dict[str, Any] = {"lines": list(range(first, last + 1)), "item": kind}
        for detail in _pieces(match[4] or "", ",", tell):
            _take_detail(item, detail, tell)
        items.append(item)
    return items


def _take_detail(item: dict[str, Any], detail: str, tell: Tell) -> None:
    """Put what stands in parentheses behind an item under its key."""
    hits = _HITS.fullmatch(detail)
    value: Any
    if hits:
        key, value = "hits", int(hits[1])
    elif detail in ("left", "right"):
        key, value = "side", detail
    elif detail.replace(" ", "_") == "ammo_bin":
        key, value = "ammo_bin", True
    elif item["item"] in _FEEDING:
        key, value = "weapon", _unquoted(detail)
    else:
        tell(f"{shown(detail)} at {shown(item['item'])}", "5 hits, left, right, or nothing", None)
        return
    if key in item:
        tell(f"{shown(detail)} beside another of its kind", "each detail once", None)
    item[key] = value


@dataclass
class _Splitter:
    """Cuts a text at a sign outside quotation marks; a mark opens at the start of a name or key alone."""

    text: str
    sign: str

    def pieces(self, most: int | None) -> list[str]:
        """The pieces, blanks around them taken off; the last of `most` holds the rest."""
        pieces: list[str] = []
        start, at, opens = 0, 0, True
        while at < len(self.text):
            character = self.text[at]
            if opens and character == '"':
                match = _QUOTED.match(self.text, at)
                if match is None:
                    raise ValueError
                at, opens = match.end(), False
                continue
            if character == self.sign and (most is None or len(pieces) < most - 1):
                pieces.append(self.text[start:at].strip())
                start = at + 1
            opens = character in ";:,(" or (opens and character.isspace())
            at += 1
        return [*pieces, self.text[start:].strip()]


def _pieces(text: str, sign: str, tell: Tell, most: int | None = None) -> list[str]:
    """The pieces of a text between signs that are not blank; none if they cannot be told apart."""
    if len(text) > LONGEST_CELL:
        tell(f"{len(text)} characters", f"at most {LONGEST_CELL}", None)
        return []
    try:
        return [piece for piece in _Splitter(text, sign).pieces(most) if piece]
    except ValueError:
        tell(
            f"{shown(text)}, a quotation mark without end",
            "marks in pairs, those within a name doubled",
            None,
        )
        return []


def _bare(text: str, signs: str) -> str:
    """A name or key as it stands, or in quotation marks where it would be misread."""
    if text == text.strip() and '"' not in text and not any(sign in text for sign in signs):
        return text
    return '"' + text.replace('"', '""') + '"'


def _bare_detail(key: str) -> str:
    """A key among other details of an item."""
    reserved = key.replace(" ", "_") in _DETAILS or _HITS.fullmatch(key)
    return '"' + key.replace('"', '""') + '"' if reserved else _bare(key, ",;()")


def _unquoted(text: str) -> str:
    """The name or key that stands bare or in quotation marks."""
    return text[1:-1].replace('""', '"') if _QUOTED.fullmatch(text) else text
