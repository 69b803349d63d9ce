"""The sheet of a vehicle or of a team of men, and its reader.

A vehicle has the armour value of its front (WS-6), a team its number of men. Both have a firing skill (WS-1), an
initiative, and weapons by the words of the table, whose numbers a sheet may overrule.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from simlab.model.document import Document
from simlab.model.ecv import Ecv
from simlab.model.errors import Problem, shown
from simlab.model.keys import canonical_value, digest_canonical
from simlab.model.situation import number_text
from simlab.model.validation import MISSING, StrictModel
from simlab.rules.common.sheets import IDENTITY, FreeText, Line, NamedSheet, SheetForm, foreign_problem
from simlab.rules.wwiisim.weapons import CLASSES, WeaponClass

SYSTEM_NAME = "wwiisim"
MOST_WEAPONS = 12
MOST_MEN = 12
MOST_MORTARS = 8
NO_BAND = "-"
_KEY = re.compile(r"[a-z0-9_]{1,40}")
_OPTIONAL = ("tiger", "commandos", "smoke_grenades")


def _key(text: str) -> str:
    if not _KEY.fullmatch(text):
        raise ValueError("no key")
    return text


Key = Annotated[
    str,
    Field(description="a key of 1 to 40 small letters, digits and underscores"),
    AfterValidator(_key),
]
WeaponType = Literal[
    "bazooka", "cannon_5", "cannon_75", "cannon_88", "cannon_105", "cannon_150",
    "machine_gun_light", "machine_gun_medium", "machine_gun_heavy", "mortar_light", "mortar_medium", "mortar_heavy",
    "panzerfaust", "hand_grenade", "panzerschreck", "pistol", "rifle", "submachine_gun",
]  # fmt: skip
Inches = Annotated[float, Field(ge=0, le=999, description="a number from 0 to 999")]


def _of_class(name: str) -> Any:
    """What the table says where a weapon does not."""
    return lambda fields: getattr(CLASSES.get(fields.get("type", "")), name, None)


class Weapon(StrictModel):
    """A weapon: its class in the table, how many of it there are, its strength and the ends of its bands in inches.

    short, long: None for a band that it has not; without both it never fires.
    """

    name: Line
    type: WeaponType
    count: Annotated[int, Field(ge=1, le=MOST_WEAPONS)] = 1
    strength: Annotated[
        int,
        Field(ge=0, le=20, default_factory=_of_class("strength"), description="a whole number from 0 to 20"),
    ]
    short: Annotated[Inches | None, Field(default_factory=_of_class("short"))]
    long: Annotated[Inches | None, Field(default_factory=_of_class("long"))]

    @property
    def kind(self) -> WeaponClass:
        """Its row of the table."""
        return CLASSES[self.type]

    @property
    def ends(self) -> str:
        """The ends of its bands as they are written: `12/48`, `12`, `-/48` without a short one, `-` without both."""
        short = NO_BAND if self.short is None else number_text(self.short)
        return short if self.long is None else f"{short}/{number_text(self.long)}"


class SheetFile(StrictModel):
    """What a sheet's file holds. armor: of the front, for vehicles; men: for teams. tiger: it never may Go Fast."""

    system: Literal["wwiisim"]
    kind: Literal["vehicle", "team"]
    name: Line
    nation: Line
    ecv: Ecv
    provenance: FreeText
    armor: Annotated[int | None, Field(ge=0, le=30, description="a whole number from 0 to 30")] = None
    men: Annotated[
        int | None, Field(ge=1, le=MOST_MEN, description=f"a whole number from 1 to {MOST_MEN}")
    ] = None
    skill: Annotated[int, Field(ge=1, le=9)]
    initiative: Annotated[int, Field(ge=0, le=10)]
    tiger: bool = False
    commandos: bool = False
    smoke_grenades: bool = False
    weapons: Annotated[
        dict[Key, Weapon],
        Field(min_length=1, max_length=MOST_WEAPONS, description=f"a mapping of 1 to {MOST_WEAPONS} weapons"),
    ]


class Sheet(NamedSheet, SheetFile):
    """A valid sheet."""

    @property
    def is_vehicle(self) -> bool:
        """Whether it has armour; else it is men."""
        return self.kind == "vehicle"

    @property
    def arms(self) -> tuple[tuple[str, Weapon], ...]:
        """Every single weapon in the order of the sheet, each with its key: two of a kind are two."""
        return tuple((key, weapon) for key, weapon in self.weapons.items() for _ in range(weapon.count))


def check_sheet(document: Document) -> Iterator[Problem]:
    """Give what the keys of a sheet say against each other; parts that are ill-typed are passed over."""
    value = document.value
    if not isinstance(value, dict):
        return
    wanted, other = ("armor", "men") if value.get("kind") == "vehicle" else ("men", "armor")
    if value.get("kind") in ("vehicle", "team"):
        legal = f"a whole number from {'0 to 30' if wanted == 'armor' else f'1 to {MOST_MEN}'}"
        if value.get(wanted) is None:
            found = "null" if wanted in value else MISSING
            yield document.problem((wanted,), found, legal)
        if other in value:
            yield document.problem((other,), f"a key that a {value['kind']} does not have", f"{wanted} alone")
        if value["kind"] == "team" and value.get("tiger") is True:
            yield document.problem(("tiger",), "true for a team", "false")
    weapons = value.get("weapons")
    if isinstance(weapons, dict) and len(weapons) <= MOST_WEAPONS:
        yield from _check_weapons(document, weapons)


def _check_weapons(document: Document, weapons: Mapping[Any, Any]) -> Iterator[Problem]:
    number = mortars = 0
    for key, weapon in weapons.items():
        if not isinstance(weapon, dict):
            continue
        kind = CLASSES.get(str(weapon.get("type")))
        count = weapon.get("count", 1)
        count = count if type(count) is int else 0
        number += count
        mortars += count if kind is not None and kind.mortar else 0
        ends = [weapon.get(name, getattr(kind, name, None)) for name in ("short", "long")]
        numbers = [end for end in ends if isinstance(end, int | float)]
        if len(numbers) == 2 and numbers[1] < numbers[0]:
            yield document.problem(
                ("weapons", key, "long"), shown(ends[1]), f"null or a number from {shown(ends[0])} to 999"
            )
        if "strength" in weapon and weapon["strength"] is None:
            yield document.problem(("weapons", key, "strength"), "null", "a number, or no such key")
    if number > MOST_WEAPONS:
        yield document.problem(("weapons",), f"{number} weapons in all", f"at most {MOST_WEAPONS}")
    if mortars > MOST_MORTARS:
        yield document.problem(("weapons",), f"{mortars} mortars", f"at most {MOST_MORTARS}")


def to_mapping(sheet: SheetFile) -> dict[str, Any]:
    """Return the sheet as plain values in the file's order; what is as the table says is left out."""
    values: dict[str, Any] = sheet.model_dump(mode="json", exclude={"id", "file"})
    for name in ("armor", "men"):
        if values[name] is None:
            del values[name]
    for name in _OPTIONAL:
        if not values[name]:
            del values[name]
    for key, weapon in sheet.weapons.items():
        plain = values["weapons"][key]
        for name in ("strength", "short", "long"):
            if getattr(weapon, name) == getattr(weapon.kind, name):
                del plain[name]
        if weapon.count == 1:
            del plain["count"]
    return values


FORM = SheetForm(Sheet, SheetFile, to_mapping, partial(foreign_problem, system=SYSTEM_NAME), check_sheet)
load_sheet, parse_sheet, named_sheet, replace_fields = FORM.load, FORM.parse, FORM.named, FORM.replaced


def canonical(sheet: Sheet) -> dict[str, Any]:
    """Return everything that the sheet says, id included, with all numbers filled in and weapons in a list."""
    values: dict[str, Any] = sheet.model_dump(mode="json", exclude={"file"})
    values["weapons"] = [{"key": key, **weapon} for key, weapon in values["weapons"].items()]
    plain: dict[str, Any] = canonical_value(values)
    return plain


def sheet_hash(sheet: Sheet) -> str:
    """Return 16 hexadecimal digits of everything on the sheet."""
    return digest_canonical(canonical(sheet))


def fight_hash(sheet: Sheet) -> str:
    """Return 16 hexadecimal digits of what dice can see: no ids, names, nation, provenance or ECV."""
    values = {key: value for key, value in canonical(sheet).items() if key not in IDENTITY}
    for weapon in values["weapons"]:
        del weapon["key"], weapon["name"]
    return digest_canonical(values)
