"""A sheet as plain values: as its file holds it, and in the canonical form that hashes are made of."""

from typing import TYPE_CHECKING, Any

from simlab.model.keys import canonical_value, digest_canonical
from simlab.rules.common.sheets import IDENTITY

if TYPE_CHECKING:
    from simlab.rules.blitzkrieg.sheet import Sheet, SheetFile


def to_mapping(sheet: "SheetFile") -> dict[str, Any]:
    """The sheet as plain dicts and lists, keys in the file's order, optional keys at their default left out.

    Reading the mapping again gives an equal sheet.
    """
    values: dict[str, Any] = sheet.model_dump(mode="json", exclude={"id", "file"})
    if not values["movement"]["moves_on_one_side"]:
        del values["movement"]["moves_on_one_side"]
    for key, weapon in sheet.weapons.items():
        plain = values["weapons"][key]
        if weapon.max_range is None or weapon.default_reach:
            del plain["max_range"]
        if not weapon.off_manifest:
            del plain["off_manifest"]
    values["manifest"] = [
        {k: v for k, v in item.items() if v not in (None, False)} for item in values["manifest"]
    ]
    return values


def canonical(sheet: "Sheet") -> dict[str, Any]:
    """Everything that the sheet says, id included, in one form for all sheets that say the same.

    Defaults are filled in. Weapons stand in a list under their order number (from 0), by which gunners and
    items name them; items stand in the order of their lines; whole floats are integers.
    """
    values: dict[str, Any] = sheet.model_dump(mode="json", exclude={"file"})
    number = {key: place for place, key in enumerate(sheet.weapons)}
    values["weapons"] = [
        {"key": key, **values["weapons"][key], "default_reach": weapon.default_reach}
        for key, weapon in sheet.weapons.items()
    ]
    for gunner in values["gunners"]:
        gunner["weapons"] = [number[key] for key in gunner["weapons"]]
    for item in values["manifest"]:
        item["weapon"] = None if item["weapon"] is None else number[item["weapon"]]
    values["manifest"].sort(key=lambda item: item["lines"])
    plain: dict[str, Any] = canonical_value(values)
    return plain


def sheet_hash(sheet: "Sheet") -> str:
    """16 hexadecimal digits of everything on the sheet."""
    return digest_canonical(canonical(sheet))


def fight_hash(sheet: "Sheet") -> str:
    """16 hexadecimal digits of what a fight can depend on: no ids, names, nation, provenance or ECV."""
    values = {key: value for key, value in canonical(sheet).items() if key not in IDENTITY}
    for weapon in values["weapons"]:
        del weapon["key"], weapon["name"]
    for gunner in values["gunners"]:
        del gunner["name"]
    return digest_canonical(values)
