"""A record sheet as plain tuples, read from the mapping that a YAML parse gives (BK-1 to BK-8).

The sheet is taken to be legal; nothing is checked here but what reading it needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

ASPECTS = ("front", "front_left", "front_right", "rear_left", "rear_right", "rear")
FACES = ("front", "left", "right", "back")
LEVELS = {"H": "high", "M": "mid", "L": "low"}


@dataclass(frozen=True)
class Weapon:
    """`levels` maps H, M, L to (damage, shock, penetration); `own_range` is the sheet's explicit maximum."""

    name: str
    kind: str
    levels: dict[str, tuple[int, int, int]]
    ammo: int
    mount: str
    own_range: Fraction | None


@dataclass(frozen=True)
class Gunner:
    """`weapons` by their places on the sheet."""

    skill: int
    weapons: tuple[int, ...]


@dataclass(frozen=True)
class Item:
    """A box of the manifest. `weapon`: the weapon in the box, or the one that its bin feeds.

    `explosive`: lines whose crossing hits its fuel or bin, by the value of `bin_in_box` (BK-26).
    """

    kind: str
    lines: frozenset[int]
    weapon: int | None
    explosive: dict[str, frozenset[int]]
    hits: int

    def label(self) -> str:
        """Such as `fuel` or `weapon 0`, the number being the weapon's place on the sheet."""
        return self.kind if self.weapon is None else f"{self.kind} {self.weapon}"


@dataclass(frozen=True, eq=False)
class Unit:
    """A parsed sheet; items stand in the order of their lowest lines."""

    defense: dict[str, tuple[int, int]]
    armor: tuple[int, int, int, int]
    threshold: int
    factors: dict[str, int]
    chart: tuple[int | None, ...]
    weapons: tuple[Weapon, ...]
    gunners: tuple[Gunner, ...]
    items: tuple[Item, ...]

    def items_of(self, kind: str) -> list[int]:
        """Places of the items of that kind, lowest first."""
        return [place for place, item in enumerate(self.items) if item.kind == kind]


Sheet = Mapping[str, Any] | Unit


def read_sheet(sheet: Sheet) -> Unit:
    """The sheet's `Unit`; a `Unit` is handed back as it is."""
    if isinstance(sheet, Unit):
        return sheet
    names = list(sheet["weapons"])
    defense = {
        kind: (sheet["defense"][kind]["front_back"], sheet["defense"][kind]["sides"])
        for kind in ("ballistic", "indirect", "anti_personnel")
    }
    armor = sheet["armor"]
    items = [_read_item(entry, names) for entry in sheet["manifest"]]
    return Unit(
        defense=defense,
        armor=(armor["front"], armor["left"], armor["right"], armor["back"]),
        threshold=sheet["shock_threshold"],
        factors={aspect: sheet["penetration"][aspect] for aspect in ASPECTS},
        chart=tuple(sheet["internal_amount"]),
        weapons=tuple(_read_weapon(name, sheet["weapons"][name]) for name in names),
        gunners=tuple(
            Gunner(entry["skill"], tuple(names.index(name) for name in entry["weapons"]))
            for entry in sheet["gunners"]
        ),
        items=tuple(sorted(items, key=lambda item: min(item.lines))),
    )


def _read_weapon(name: str, entry: Mapping[str, Any]) -> Weapon:
    own = entry.get("max_range")
    return Weapon(
        name=name,
        kind=entry["type"],
        levels={letter: (entry[key][0], entry[key][1], entry[key][2]) for letter, key in LEVELS.items()},
        ammo=entry["ammo"],
        mount=entry["mount"],
        own_range=None if own is None else Fraction(str(own)),
    )


def _read_item(entry: Mapping[str, Any], names: list[str]) -> Item:
    kind = entry["item"]
    has_bin = kind == "ammo_bin" or (
        kind in ("weapon", "pintle_mount") and bool(entry.get("ammo_bin", False))
    )
    weapon = entry.get("weapon") if kind == "weapon" or has_bin else None
    hits = entry.get("hits")
    lines = sorted(entry["lines"])
    bin_line = lines[-2:-1] or lines
    return Item(
        kind=kind,
        lines=frozenset(lines),
        weapon=None if weapon is None else names.index(weapon),
        explosive={
            "box": frozenset(lines if has_bin or kind == "fuel" else ()),
            "line": frozenset(lines if kind in ("fuel", "ammo_bin") else bin_line if has_bin else ()),
        },
        hits=1 if hits is None else hits,
    )
