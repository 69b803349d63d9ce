"""What the keys of a record sheet must say about each other, checked on the plain values of its file.

The checks work beside the typed models, not after them: parts that are ill-typed are the models' business
and passed over here, so that all faults of a file are listed at once.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from simlab.model.document import Document
from simlab.model.errors import Problem, nearest, shown
from simlab.model.validation import MISSING
from simlab.rules.common import sheets

SYSTEM_NAME = "blitzkrieg"
LINES = 20
MOST_WEAPONS = 12
MOST_GUNNERS = 12
MOST_ENGINES = 3
KINDS_NOT_BUILT = ("infantry", "field_gun")

ITEM_KEYS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "crew": (),
        "engine": ("hits",),
        "fuel": (),
        "periscope": (),
        "turret": (),
        "pintle_mount": ("ammo_bin", "weapon"),
        "weapon": ("weapon", "ammo_bin"),
        "ammo_bin": ("weapon",),
        "tread": ("side",),
        "other": (),
    }
)
"""The keys that an item of each kind may carry beside `lines` and `item`."""

_REQUIRED: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "engine": {"hits": "a whole number from 1 to 20"},
        "weapon": {"weapon": "a weapon of the sheet"},
        "tread": {"side": "left, right"},
    }
)


def foreign_problem(document: Document) -> Problem | None:
    """The one problem of a sheet of another system, or of a kind that is not built."""
    kind = document.value.get("kind") if isinstance(document.value, dict) else None
    foreign = sheets.foreign_problem(document, SYSTEM_NAME)
    if foreign is None and kind in KINDS_NOT_BUILT:
        return document.problem(("kind",), f"{kind} (known, not built yet)", "vehicle")
    return foreign


def check_sheet(document: Document) -> list[Problem]:
    """All problems between the keys of a sheet's document, in no order.

    None if there are too many weapons, gunners or items, which the models refuse: the work stays bounded.
    """
    value = document.value
    if not isinstance(value, dict):
        return []
    weapons = {key: weapon for key, weapon in _dict(value.get("weapons")).items() if isinstance(key, str)}
    gunners, manifest = value.get("gunners"), value.get("manifest")
    if len(weapons) > MOST_WEAPONS or len(_list(gunners)) > MOST_GUNNERS or len(_list(manifest)) > LINES:
        return []
    return [
        *_check_chart(document, value.get("internal_amount")),
        *_check_nulls(document, weapons, _list(manifest)),
        *_check_gunners(document, weapons, gunners),
        *_check_items(document, _list(manifest)),
        *_check_lines(document, _list(manifest)),
        *_check_places(document, weapons, manifest),
    ]


def _dict(value: Any) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_chart(document: Document, chart: Any) -> Iterator[Problem]:
    """BK-5: strictly rising, and a number for dead."""
    below = 0
    for place, number in enumerate(_list(chart)[:10]):
        if not _whole(number) or not 1 <= number <= 99:
            continue
        if number <= below:
            path = ("internal_amount", place)
            yield document.problem(path, shown(number), f"a number above {below}, as the chart rises")
        below = max(below, number)
    if len(_list(chart)) == 10 and chart[9] is None:
        yield document.problem(
            ("internal_amount", 9), "null", "a whole number from 1 to 99 (the column dead)"
        )


def _check_nulls(document: Document, weapons: dict[str, Any], manifest: list[Any]) -> Iterator[Problem]:
    """Optional keys are left out rather than set to null."""
    for key, weapon in weapons.items():
        if "max_range" in _dict(weapon) and weapon["max_range"] is None:
            yield document.problem(
                ("weapons", key, "max_range"), "null", "a number from 0 to 999, or no such key"
            )
    for place, item in enumerate(manifest):
        for key in ("weapon", "hits", "side"):
            if key in _dict(item) and item[key] is None:
                yield document.problem(("manifest", place, key), "null", "a value, or no such key")


def _weapon_problem(
    document: Document, path: tuple[str | int, ...], key: str, weapons: dict[str, Any]
) -> Problem:
    return document.problem(path, f"the unknown weapon {shown(key)}", _names(weapons), nearest(key, weapons))


def _names(weapons: dict[str, Any]) -> str:
    return ", ".join(shown(key) for key in weapons)


def _check_gunners(document: Document, weapons: dict[str, Any], gunners: Any) -> Iterator[Problem]:
    """BK-6: gunners name weapons of the sheet; every weapon is on one gunner, once."""
    served: dict[str, int] = {}
    complete = isinstance(gunners, list)
    for place, gunner in enumerate(_list(gunners)):
        fired = _dict(gunner).get("weapons")
        complete = complete and isinstance(fired, list)
        for position, key in enumerate(_list(fired)[: MOST_WEAPONS + 1]):
            path = ("gunners", place, "weapons", position)
            if not isinstance(key, str) or not weapons:
                continue
            if key not in weapons:
                yield _weapon_problem(document, path, key, weapons)
                served.setdefault(nearest(key, weapons) or key, place)
            elif key in served:
                yield document.problem(
                    path, f"{shown(key)} again (on gunner {served[key]} already)", "each weapon once"
                )
            else:
                served[key] = place
    for key in weapons:
        if complete and key not in served:
            yield document.problem(("weapons", key), "a weapon without a gunner", "each weapon on one gunner")


def _check_items(document: Document, manifest: list[Any]) -> Iterator[Problem]:
    """BK-7: the keys that belong to each kind of item."""
    engines = 0
    for place, item in enumerate(manifest):
        kind = _dict(item).get("item")
        if not isinstance(kind, str) or kind not in ITEM_KEYS:
            continue
        path = ("manifest", place)
        for key in ("weapon", "hits", "side", "ammo_bin"):
            if key in item and key not in ITEM_KEYS[kind]:
                allowed = ", ".join(("lines", "item", *ITEM_KEYS[kind]))
                yield document.problem((*path, key), f"a key that {kind} does not have", allowed)
        for needed, meaning in _REQUIRED.get(kind, {}).items():
            if needed not in item:
                yield document.problem((*path, needed), MISSING, meaning)
        if kind == "pintle_mount" and "weapon" in item and item.get("ammo_bin", False) is False:
            yield document.problem(
                (*path, "weapon"), "a weapon fed without a bin", "weapon beside ammo_bin: true"
            )
        engines += kind == "engine"
        if kind == "engine" and engines == MOST_ENGINES + 1:
            yield document.problem(path, f"more than {MOST_ENGINES} engines", f"at most {MOST_ENGINES}")


def _check_lines(document: Document, manifest: list[Any]) -> Iterator[Problem]:
    """BK-7: consecutive lines, each of one item."""
    owner: dict[int, int] = {}
    for place, item in enumerate(manifest):
        path = ("manifest", place, "lines")
        lines = _list(_dict(item).get("lines"))
        taken = [line for line in lines if _whole(line) and 1 <= line <= LINES]
        for line in dict.fromkeys(taken):
            if line in owner:
                found = f"line {line}, which is item {owner[line]}'s"
                yield document.problem(path, found, "each line in one item")
            owner.setdefault(line, place)
        if len(set(taken)) < len(taken):
            yield document.problem(path, f"{shown(lines)}, a line twice", "each line once")
        elif taken and len(taken) == len(lines) and max(taken) - min(taken) >= len(taken):
            yield document.problem(path, shown(lines), "consecutive lines")


def _check_places(document: Document, weapons: dict[str, Any], manifest: Any) -> Iterator[Problem]:
    """Items name weapons of the sheet; each weapon is on the manifest or `off_manifest`, never both."""
    placed: set[str] = set()
    for place, item in enumerate(_list(manifest)):
        key = _dict(item).get("weapon")
        if not isinstance(key, str) or not weapons:
            continue
        if key not in weapons:
            yield _weapon_problem(document, ("manifest", place, "weapon"), key, weapons)
        if item.get("item") == "weapon":
            placed.add(key if key in weapons else nearest(key, weapons) or key)
    for key, weapon in weapons.items():
        off = _dict(weapon).get("off_manifest", False)
        path = ("weapons", key)
        if off is True and key in placed:
            yield document.problem((*path, "off_manifest"), "true for a weapon on the manifest", "false")
        elif off is False and key not in placed and isinstance(manifest, list) and isinstance(weapon, dict):
            yield document.problem(
                path, "a weapon on no line", "an item weapon in the manifest, or off_manifest: true"
            )
