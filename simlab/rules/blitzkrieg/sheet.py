"""The Blitzkrieg record sheet (BK-1 to BK-10): models whose attributes are the file's keys, and its reader.

Beyond the printed sheet's own limits, a sheet has 1 to 12 weapons, 1 to 12 gunners and at most 3 engine
items, and texts that are shown in one line hold 1 to 200 printable characters.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from simlab.model.ecv import Ecv
from simlab.model.validation import StrictModel
from simlab.rules.blitzkrieg.sheet_checks import MOST_GUNNERS, MOST_WEAPONS, check_sheet, foreign_problem
from simlab.rules.blitzkrieg.sheet_form import canonical, fight_hash, sheet_hash, to_mapping
from simlab.rules.common.sheets import FreeText, Line, NamedSheet, SheetForm

__all__ = [
    "AP_REACH",
    "FORM",
    "Armor",
    "Defense",
    "FrontSides",
    "Gunner",
    "ManifestItem",
    "Movement",
    "Penetration",
    "Ram",
    "Sheet",
    "Weapon",
    "canonical",
    "fight_hash",
    "load_sheet",
    "named_sheet",
    "parse_sheet",
    "replace_fields",
    "sheet_hash",
    "to_mapping",
]

AP_REACH = 30.0
"""Reach in inches of an anti-personnel weapon whose sheet gives none (BK-15)."""

Factor = Annotated[int, Field(ge=0, le=63)]
DefenseValue = Annotated[int, Field(ge=-9, le=99)]
Amount = Annotated[int, Field(ge=0, le=99)]
Column = Annotated[int, Field(ge=1, le=99)]
Speed = Annotated[int, Field(ge=0, le=99)]
Multiplier = Annotated[float, Field(ge=0, le=99)]
Strike = Annotated[tuple[Amount, Amount, Amount], Field(strict=False)]
ManifestLine = Annotated[int, Field(ge=1, le=20)]
WeaponType = Literal["ballistic", "anti_personnel", "indirect"]
Mount = Literal["turret", "fixed", "pintle", "bow"]
ItemKind = Literal[
    "crew", "engine", "fuel", "periscope", "turret", "pintle_mount", "weapon", "ammo_bin", "tread", "other"
]


class FrontSides(StrictModel):
    """Defence values of one weapon type: from front or rear, and from the sides."""

    front_back: DefenseValue
    sides: DefenseValue


class Defense(StrictModel):
    """Defence values (BK-1)."""

    ballistic: FrontSides
    indirect: FrontSides
    anti_personnel: FrontSides
    physical: DefenseValue


class Armor(StrictModel):
    """Armour points by face (BK-2)."""

    front: Factor
    left: Factor
    right: Factor
    back: Factor


class Penetration(StrictModel):
    """Penetration factors by aspect (BK-4)."""

    front: Factor
    front_left: Factor
    front_right: Factor
    rear_left: Factor
    rear_right: Factor
    rear: Factor


class Movement(StrictModel):
    """Speeds in inches a turn and costs in points an inch (BK-8); `moves_on_one_side` is BK-28."""

    speed: Speed
    road: Speed
    extra_maneuverable: bool
    water: Speed
    trees: Speed
    one_level: Speed
    two_levels: Speed
    amphibious: bool
    moves_on_one_side: bool = False


class Ram(StrictModel):
    """Multipliers of a ram's speed, and whether there is a ram plate (BK-9)."""

    damage: Multiplier
    shock: Multiplier
    penetration: Multiplier
    plate: bool


def _default_reach(fields: dict[str, Any]) -> float | None:
    return AP_REACH if fields.get("type") == "anti_personnel" else None


class Weapon(StrictModel):
    """A weapon (BK-6): its (damage, shock, penetration), rounds, mount, and reach in inches or None."""

    name: Line
    type: WeaponType
    high: Strike
    mid: Strike
    low: Strike
    ammo: Annotated[int, Field(ge=0, le=9999)]
    mount: Mount
    max_range: Annotated[
        float | None,
        Field(ge=0, le=999, default_factory=_default_reach, description="a number from 0 to 999"),
    ]
    off_manifest: bool = False

    @property
    def default_reach(self) -> bool:
        """Whether `max_range` was filled in, so that the reading `mg_range` may lift it (BK-15)."""
        return self.type == "anti_personnel" and "max_range" not in self.model_fields_set


class Gunner(StrictModel):
    """A gunner (BK-6): his skill, and the keys of the weapons that he fires with one roll."""

    name: Line
    skill: Annotated[int, Field(ge=-9, le=9)]
    weapons: Annotated[
        tuple[str, ...],
        Field(
            strict=False,
            min_length=1,
            max_length=MOST_WEAPONS,
            description=f"a list of 1 to {MOST_WEAPONS} weapons",
        ),
    ]


class ManifestItem(StrictModel):
    """An item of the manifest (BK-7) on consecutive lines, kept in rising order.

    `weapon` is the weapon on these lines or the one that a bin feeds, `hits` is an engine's, `side` a
    tread's.
    """

    lines: Annotated[
        tuple[ManifestLine, ...],
        Field(strict=False, min_length=1, max_length=20),
        AfterValidator(lambda lines: tuple(sorted(lines))),
    ]
    item: ItemKind
    weapon: Annotated[str | None, Field(description="a weapon of the sheet")] = None
    hits: Annotated[int | None, Field(ge=1, le=20, description="a whole number from 1 to 20")] = None
    side: Annotated[Literal["left", "right"] | None, Field(description="left, right")] = None
    ammo_bin: bool = False


class SheetFile(StrictModel):
    """What a sheet's file holds."""

    system: Literal["blitzkrieg"]
    kind: Literal["vehicle"]
    name: Line
    nation: Line
    ecv: Ecv
    provenance: FreeText
    defense: Defense
    armor: Armor
    shock_threshold: Amount
    penetration: Penetration
    internal_amount: Annotated[tuple[Column | None, ...], Field(strict=False, min_length=10, max_length=10)]
    movement: Movement
    ram: Ram
    weapons: Annotated[
        dict[Line, Weapon],
        Field(min_length=1, max_length=MOST_WEAPONS, description=f"a mapping of 1 to {MOST_WEAPONS} weapons"),
    ]
    gunners: Annotated[
        tuple[Gunner, ...],
        Field(
            strict=False,
            min_length=1,
            max_length=MOST_GUNNERS,
            description=f"a list of 1 to {MOST_GUNNERS} gunners",
        ),
    ]
    manifest: Annotated[
        tuple[ManifestItem, ...], Field(strict=False, max_length=20, description="a list of at most 20 items")
    ]


class Sheet(NamedSheet, SheetFile):
    """A valid, fightable record sheet."""

    def replaced(self, **changes: Any) -> "Sheet":
        """A new sheet with changed fields: `sheet.replaced(**{"armor.front": 7})`; see `replace_fields`."""
        return replace_fields(self, changes)


FORM = SheetForm(Sheet, SheetFile, to_mapping, foreign_problem, check_sheet)
load_sheet, parse_sheet, named_sheet, replace_fields = FORM.load, FORM.parse, FORM.named, FORM.replaced
