"""The record sheet of a vehicle: models whose attributes are the file's keys, and its reader (TD-3 to TD-9)."""

from functools import partial
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from simlab.model.ecv import Ecv
from simlab.model.keys import canonical_value, digest_canonical
from simlab.model.validation import StrictModel
from simlab.rules.common.sheets import IDENTITY, FreeText, Line, NamedSheet, SheetForm, foreign_problem
from simlab.rules.tank_d20.names import POSITIONS, GunSize, Position, Quality, Round, Size

SYSTEM_NAME = "tank_d20"
MEN = f"a list of positions, each once, the gunner among them: {', '.join(POSITIONS)}"


def _manned(positions: tuple[Position, ...]) -> tuple[Position, ...]:
    """The positions in the order of the game, if each comes once and somebody serves the gun."""
    if len(set(positions)) != len(positions) or "gunner" not in positions:
        raise ValueError("positions")
    return tuple(position for position in POSITIONS if position in positions)


Millimetres = Annotated[int, Field(ge=0, le=999)]


class Crew(StrictModel):
    """A crew: its quality and whether it is qualified for the vehicle and uses its own side's (TD-3).

    leader: the modifier x of a leader in the commander's place, 0 for none. positions: the men (TD-9).
    """

    quality: Quality
    qualified: bool
    captured: bool
    leader: Annotated[int, Field(ge=0, le=5)]
    positions: Annotated[tuple[Position, ...], Field(strict=False, description=MEN), AfterValidator(_manned)]


class Gun(StrictModel):
    """The main gun. size: its column of the charts (TD-1, TD-6). penetration: its figure in mm of upright plate.

    round: HEAT is harder to hit with unless it is a missile carried by infantry (TD-3). load_time: actions that
    loading takes (TD-9). rounds: shots that it has.
    """

    name: Line
    size: GunSize
    calibre: Annotated[float, Field(ge=1, le=500)]
    penetration: Millimetres
    round: Round
    hand_held: bool
    load_time: Annotated[int, Field(ge=0, le=5)]
    rounds: Annotated[int, Field(ge=0, le=999)]


class Plates(StrictModel):
    """Armour of one facing in mm: turret, hull, and lower hull with tracks and wheels (TD-6)."""

    turret: Millimetres
    hull: Millimetres
    lower: Millimetres


class Armor(StrictModel):
    """Armour by facing (TD-6)."""

    front: Plates
    side: Plates
    rear: Plates


class SheetFile(StrictModel):
    """What a sheet's file holds. size: the target's (TD-4). open_top: the men at the gun are always exposed (TD-7)."""

    system: Literal["tank_d20"]
    name: Line
    nation: Line
    ecv: Ecv
    provenance: FreeText
    size: Size
    open_top: bool
    crew: Crew
    gun: Gun
    armor: Armor


class Sheet(NamedSheet, SheetFile):
    """A valid record sheet."""

    def replaced(self, **changes: Any) -> "Sheet":
        """A new sheet with changed fields: `sheet.replaced(**{"armor.front.hull": 90})`; see `replace_fields`."""
        return replace_fields(self, changes)


def to_mapping(sheet: SheetFile) -> dict[str, Any]:
    """The sheet as plain dicts and lists, keys in the file's order; reading it again gives an equal sheet."""
    values: dict[str, Any] = sheet.model_dump(mode="json", exclude={"id", "file"})
    return values


FORM = SheetForm(Sheet, SheetFile, to_mapping, partial(foreign_problem, system=SYSTEM_NAME))
load_sheet, parse_sheet, named_sheet, replace_fields = FORM.load, FORM.parse, FORM.named, FORM.replaced


def canonical(sheet: Sheet) -> dict[str, Any]:
    """Everything that the sheet says, id included, in one form for all sheets that say the same."""
    plain: dict[str, Any] = canonical_value(sheet.model_dump(mode="json", exclude={"file"}))
    return plain


def sheet_hash(sheet: Sheet) -> str:
    """16 hexadecimal digits of everything on the sheet."""
    return digest_canonical(canonical(sheet))


def fight_hash(sheet: Sheet) -> str:
    """16 hexadecimal digits of what a fight can depend on: no id, names, nation, provenance or ECV."""
    values = {key: value for key, value in canonical(sheet).items() if key not in IDENTITY}
    del values["gun"]["name"]
    return digest_canonical(values)
