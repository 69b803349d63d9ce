"""Sheets that are alike in one stage of a shot, and sheets without one of their parts."""

from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from typing import Any

from simlab.rules.blitzkrieg import stage_names as names
from simlab.rules.blitzkrieg.options import Options
from simlab.rules.blitzkrieg.sheet import FORM, ManifestItem, Sheet
from simlab.rules.blitzkrieg.sheet_form import to_mapping
from simlab.rules.contract import KnockOut

LEVELS = ("high", "mid", "low")
STRIKES = (names.DAMAGE, names.SHOCK, names.PENETRATION)
"""The stages about what a weapon does, in the order of the three numbers of a level."""
FIELDS = {
    names.DEFENCE: "defense",
    names.ARMOUR: "armor",
    names.THRESHOLD: "shock_threshold",
    names.FACTORS: "penetration",
    names.CHART: "internal_amount",
}
BY_CHANCE = ("coin", "three")
"""The values of `dsp` under which a die chooses the level."""

Mapped = dict[str, Any]


def equalised(a: Sheet, b: Sheet, stages: Collection[str], options: Options) -> tuple[Sheet, Sheet]:
    """Return a and b, alike in what these stages are about (BK-17 to BK-26).

    b takes the numbers of a. Weapons belong together by their keys, then by type and mount; a number of a weapon that
    has no counterpart stays. Coin and explosions fall out for both; without a die for the level the coin is none.
    """
    wanted = set(stages)
    sheets = to_mapping(a), _taken(to_mapping(b), to_mapping(a), wanted)
    if names.COIN in wanted and options.value("dsp") in BY_CHANCE:
        for sheet in sheets:
            for weapon in sheet["weapons"].values():
                weapon["high"] = weapon["low"] = weapon["mid"]
    if names.EXPLOSION in wanted:
        for sheet in sheets:
            sheet["manifest"] = [_inert(item) for item in sheet["manifest"]]
    return FORM.of_values(sheets[0], a.id), FORM.of_values(sheets[1], b.id)


def knock_outs(sheet: Sheet) -> tuple[KnockOut, ...]:
    """Return the weapons of a sheet, each without rounds, and the items of its manifest, each with empty lines.

    Treads go together: a unit with one of two would lose all of them with the other one (BK-28).
    """
    found = []
    for key, weapon in sheet.weapons.items():
        if weapon.ammo:
            values = to_mapping(sheet)
            values["weapons"][key]["ammo"] = 0
            found.append(KnockOut(key, "never fires", FORM.of_values(values, sheet.id)))
    groups: dict[Any, list[int]] = {}
    for place, item in enumerate(sheet.manifest):
        if item.item != "other":
            groups.setdefault("treads" if item.item == "tread" else place, []).append(place)
    for places in groups.values():
        values = to_mapping(sheet)
        for place in places:
            values["manifest"][place] = {"lines": list(sheet.manifest[place].lines), "item": "other"}
        _mark_placed(values)
        name = _part_name([sheet.manifest[place] for place in places])
        found.append(KnockOut(name, "cannot be hit", FORM.of_values(values, sheet.id)))
    return tuple(found)


def _part_name(items: Sequence[ManifestItem]) -> str:
    """What lies where: `fuel, lines 16 to 18`, `treads, lines 1 to 4`."""
    first = items[0]
    what = first.weapon if first.item == "weapon" else first.item.replace("_", " ")
    what = f"{what}s" if len(items) > 1 else f"{what} {first.side}" if first.side else what
    lines = sorted(line for item in items for line in item.lines)
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][-1] + 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    texts = [str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]
    return f"{what}, line{'s' if len(lines) > 1 else ''} {', '.join(texts)}"


def _inert(item: Mapped) -> Mapped:
    """An item that cannot explode and feeds no weapon."""
    if item["item"] in ("fuel", "ammo_bin"):
        return {"lines": item["lines"], "item": "other"}
    fed = ("ammo_bin", "weapon") if item["item"] == "pintle_mount" else ("ammo_bin",)
    return {key: value for key, value in item.items() if key not in fed}


def _taken(own: Mapped, other: Mapped, wanted: Collection[str]) -> Mapped:
    """A sheet with what some stages are about taken from another."""
    found = deepcopy(own)
    for stage, field in FIELDS.items():
        if stage in wanted:
            found[field] = other[field]
    theirs = _counterparts(own, other)
    ours = {key: mine for mine, key in theirs.items()}
    armed, matched = (other, ours) if names.ARMS in wanted else (own, theirs)
    pairs = {key: _pair(key, matched, own, other, armed is other) for key in armed["weapons"]}
    found["weapons"] = {
        key: _weapon(armed["weapons"][key], *pairs[key], wanted=wanted) for key in armed["weapons"]
    }
    found["gunners"] = [
        {**gunner, "skill": _skill(gunner["weapons"][0], pairs, own, other, names.SKILL in wanted)}
        for gunner in armed["gunners"]
    ]
    laid = other if names.MANIFEST in wanted else own
    renamed = {key: key for key in own["weapons"] | other["weapons"]} if laid is armed else None
    if renamed is None:
        renamed = theirs if armed is other else ours
    found["manifest"] = [_item(item, renamed) for item in laid["manifest"]]
    _mark_placed(found)
    return found


def _counterparts(own: Mapped, other: Mapped) -> dict[str, str]:
    """The key of the weapon of the other sheet that belongs to each own one."""
    found = {key: key for key in own["weapons"] if key in other["weapons"]}
    for key, weapon in own["weapons"].items():
        if key in found:
            continue
        alike = [
            theirs
            for theirs, their in other["weapons"].items()
            if theirs not in found.values()
            and (their["type"], their["mount"]) == (weapon["type"], weapon["mount"])
        ]
        if alike:
            found[key] = alike[0]
    return found


def _pair(
    key: str, matched: Mapping[str, str], own: Mapped, other: Mapped, others: bool
) -> tuple[Mapped, Mapped]:
    """A weapon as it is on the own sheet and on the other; where it is missing, as it is on the one that has it."""
    here, there = (other, own) if others else (own, other)
    weapon = here["weapons"][key]
    counterpart = there["weapons"][matched[key]] if key in matched else weapon
    return (counterpart, weapon) if others else (weapon, counterpart)


def _weapon(armed: Mapped, mine: Mapped, theirs: Mapped, wanted: Collection[str]) -> Mapped:
    levels = {
        level: [(theirs if stage in wanted else mine)[level][place] for place, stage in enumerate(STRIKES)]
        for level in LEVELS
    }
    return {**armed, **levels}


def _skill(
    key: str, pairs: Mapping[str, tuple[Mapped, Mapped]], own: Mapped, other: Mapped, wanted: bool
) -> int:
    """The skill with which a weapon is fired on the sheet that is asked for, or on the only one that has it."""
    mine, theirs = pairs[key]
    asked = [(other, theirs), (own, mine)] if wanted else [(own, mine), (other, theirs)]
    for sheet, weapon in asked:
        for gunner in sheet["gunners"]:
            if any(sheet["weapons"][name] is weapon for name in gunner["weapons"]):
                return int(gunner["skill"])
    raise AssertionError(key)


def _item(item: Mapped, renamed: Mapping[str, str]) -> Mapped:
    """An item whose weapon has another key; where there is no such weapon, what is left of the item."""
    key = item.get("weapon")
    if key is None:
        return dict(item)
    if key in renamed:
        return {**item, "weapon": renamed[key]}
    if item["item"] == "weapon":
        return {"lines": item["lines"], "item": "ammo_bin" if item.get("ammo_bin") else "other"}
    return {name: value for name, value in item.items() if name != "weapon"}


def _mark_placed(values: Mapped) -> None:
    """Say of each weapon whether it lies on a line."""
    placed = {item["weapon"] for item in values["manifest"] if item["item"] == "weapon"}
    for key, weapon in values["weapons"].items():
        weapon.pop("off_manifest", None)
        if key not in placed:
            weapon["off_manifest"] = True
