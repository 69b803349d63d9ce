"""Facts about vehicles and guns, as three CSV files hold them: what sheets are drafted from.

`vehicles.csv` and `guns.csv` have one row each; `sources.csv` says where each filled cell comes from, and
which cells nobody could verify. Without a `sources.csv` no sources are asked for.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from simlab.model.errors import InputError, Problem, nearest, shown
from simlab.model.table import EMPTY, Row
from simlab.model.typed_rows import filled, read_rows, typed_row
from simlab.model.validation import StrictModel, fields_of
from simlab.rules.common.sheets import Line

VEHICLES, GUNS, SOURCES = "vehicles.csv", "guns.csv", "sources.csv"
PLACES = ("coaxial", "bow", "pintle")
UNVERIFIED = "unverified"
MACHINE_GUNS = "none, or machine guns like 7.92mm@coaxial;12.7mm@pintle, each place once"
IDENTITY = "a name of 1 to 64 small letters, digits and underscores"

_MACHINE_GUN = re.compile(r"([0-9]{1,2}(?:\.[0-9]{1,3})?)mm@([a-z_]+)")
_IDENTITY = re.compile(r"[a-z0-9_]{1,64}")


@dataclass(frozen=True)
class MachineGun:
    """A machine gun: its calibre in mm, as written, and where it stands."""

    calibre: str
    place: str

    @property
    def heavy(self) -> bool:
        """Whether it is above rifle calibre: 12 mm and more."""
        return float(self.calibre) >= 12


def _identity(text: str) -> str:
    if not _IDENTITY.fullmatch(text):
        raise ValueError("no identity")
    return text


def _machine_guns(text: Any) -> tuple[MachineGun, ...]:
    """The list in a cell; each place once."""
    guns: list[MachineGun] = []
    for part in () if text == "none" else str(text).split(";"):
        found = _MACHINE_GUN.fullmatch(part.strip())
        if found is None or found[2] not in PLACES or any(gun.place == found[2] for gun in guns):
            hint = found and nearest(found[2], [place for place in PLACES if place != found[2]])
            raise PydanticCustomError(
                "machine_guns",
                "no machine gun",
                {"found": shown(part), "allowed": MACHINE_GUNS, "hint": hint},
            )
        guns.append(MachineGun(found[1], found[2]))
    return tuple(guns)


def _yes(text: Any) -> Any:
    return {"yes": True, "no": False}.get(text, text)


Identity = Annotated[str, Field(description=IDENTITY), AfterValidator(_identity)]
Plate = Annotated[float, Field(ge=1, le=1000, description="a plate of 1 to 1000 mm")]
Degrees = Annotated[float, Field(ge=0, le=70, description="a slope of 0 to 70 degrees")]
Metres = Annotated[float, Field(ge=0.5, le=30, description="0.5 to 30 m")]
Penetration = Annotated[float, Field(ge=0, le=1000, description="0 to 1000 mm")]
MachineGuns = Annotated[
    tuple[MachineGun, ...], Field(strict=False, description=MACHINE_GUNS), BeforeValidator(_machine_guns)
]
Class: TypeAlias = Literal[
    "light", "medium", "heavy", "tank_destroyer", "assault_gun", "self_propelled_artillery"
]
Turret: TypeAlias = Literal["full", "full_open", "fixed", "fixed_open"]


class Vehicle(StrictModel):
    """A vehicle; lengths in m, plates in mm, slopes in degrees from upright (none if nobody gives them).

    `length_m` is the hull's. The hull's columns are its plates above the tracks; the turret's are those of a
    superstructure where it is a box of its own, and none where hull and superstructure are one plate.
    """

    id: Identity
    name: Line
    nation: Line
    vehicle_class: Annotated[Class, Field(alias="class")]
    year: Annotated[int, Field(ge=1900, le=2100)]
    crew: Annotated[int, Field(ge=1, le=20)]
    weight_t: Annotated[float, Field(ge=0.5, le=300, description="0.5 to 300 t")]
    power_hp: Annotated[float, Field(ge=1, le=5000, description="1 to 5000 hp")]
    road_speed_kmh: Annotated[float, Field(ge=1, le=150, description="1 to 150 km/h")]
    main_gun: Annotated[str, Field(description=f"the id of a gun in {GUNS}")]
    main_gun_rounds: Annotated[int, Field(ge=1, le=1000)]
    turret: Turret
    secondary: MachineGuns
    hull_front_mm: Plate
    hull_front_deg: Degrees | None = None
    hull_side_mm: Plate
    hull_side_deg: Degrees | None = None
    hull_rear_mm: Plate
    hull_rear_deg: Degrees | None = None
    turret_front_mm: Plate | None = None
    turret_front_deg: Degrees | None = None
    turret_side_mm: Plate | None = None
    turret_side_deg: Degrees | None = None
    turret_rear_mm: Plate | None = None
    turret_rear_deg: Degrees | None = None
    length_m: Metres
    width_m: Metres
    height_m: Metres
    extra_manoeuvrable: Annotated[bool, Field(description="yes, no"), BeforeValidator(_yes)]

    @property
    def fixed_gun(self) -> bool:
        """Whether the gun sits in the hull."""
        return self.turret.startswith("fixed")

    @property
    def open_top(self) -> bool:
        """Whether there is no roof."""
        return self.turret.endswith("open")

    def machine_gun(self, place: str) -> MachineGun | None:
        """The machine gun at a place, if there is one."""
        return next((gun for gun in self.secondary if gun.place == place), None)


class Gun(StrictModel):
    """A gun with its usual armour-piercing round; penetration in mm of upright plate at 100 to 2,000 m."""

    id: Identity
    name: Line
    calibre_mm: Annotated[float, Field(ge=5, le=500, description="5 to 500 mm")]
    muzzle_velocity_ms: Annotated[float, Field(ge=50, le=2500, description="50 to 2500 m/s")]
    shell_kg: Annotated[float, Field(ge=0.01, le=500, description="0.01 to 500 kg")]
    pen_100_mm: Penetration
    pen_500_mm: Penetration
    pen_1000_mm: Penetration
    pen_1500_mm: Penetration
    pen_2000_mm: Penetration


class Source(StrictModel):
    """Where cells of a vehicle or gun come from: `columns` is a list with commas, `hull_*` all that begin so."""

    id: Identity
    columns: Line
    source: Line
    note: Line | None = None


@dataclass(frozen=True)
class FactsRow:
    """All that is known of a vehicle: the row itself, its gun, and the columns that are unverified."""

    vehicle: Vehicle
    gun: Gun
    file: str
    line: int
    unverified: frozenset[str] = frozenset()


F = TypeVar("F", bound=BaseModel)


def read_facts(folder: Path) -> dict[str, FactsRow]:
    """Read and check the facts in a folder: rows by id, in the order of the file.

    Raises InputError with all that is wrong in all three files.
    """
    problems: list[Problem] = []
    guns, gun_rows = _table(folder / GUNS, Gun, ("id", "name"), problems)
    vehicles, vehicle_rows = _table(
        folder / VEHICLES,
        Vehicle,
        ("id", "name", "nation", "class", "main_gun", "turret", "secondary", "extra_manoeuvrable"),
        problems,
    )
    names = [row.cells["id"].strip() for row in gun_rows]
    problems += (problem for row in gun_rows for problem in _gun_problems(row))
    problems += (problem for row in vehicle_rows for problem in _vehicle_problems(row, names))
    marks: dict[str, frozenset[str]] = {}
    if not problems and (folder / SOURCES).exists():
        marks = _unverified(folder / SOURCES, [*vehicle_rows, *gun_rows], problems)
    if problems:
        raise InputError(problems)
    by_id = {gun.id: gun for _, gun in guns}
    nothing: frozenset[str] = frozenset()
    return {
        vehicle.id: FactsRow(
            vehicle,
            by_id[vehicle.main_gun],
            row.file,
            row.number,
            marks.get(vehicle.id, nothing) | marks.get(vehicle.main_gun, nothing),
        )
        for row, vehicle in vehicles
    }


def columns_of(model: type[BaseModel]) -> list[str]:
    """The columns of a table: its model's fields by the names that they have in the file."""
    return list(fields_of(model))


def _table(
    path: Path, model: type[F], text: Sequence[str], problems: list[Problem]
) -> tuple[list[tuple[Row, F]], tuple[Row, ...]]:
    """The sound rows of a file, each id once, and all of its rows; what is wrong with them goes to `problems`."""
    try:
        rows = read_rows(path, columns_of(model))
    except InputError as error:
        problems += error.problems
        return [], ()
    found: list[tuple[Row, F]] = []
    lines: dict[str, int] = {}
    for row in rows:
        identity = row.cells["id"].strip()
        if identity and identity in lines and model is not Source:
            problems.append(row.problem("id", f"{identity}, as in line {lines[identity]}", "each id once"))
        lines.setdefault(identity, row.number)
        try:
            found.append((row, typed_row(model, row, text)))
        except InputError as error:
            problems += error.problems
    return found, rows


def _vehicle_problems(row: Row, guns: Sequence[str]) -> Iterator[Problem]:
    """What the cells of a vehicle say about each other and about the guns that there are."""
    cells = filled(row)
    gun, turret = cells.get("main_gun"), cells.get("turret", "")
    if guns and gun is not None and gun not in guns:
        yield row.problem(
            "main_gun", f"the unknown gun {shown(gun)}", f"the id of a gun in {GUNS}", nearest(gun, guns)
        )
    faces = ("front", "side", "rear")
    plates = [f"turret_{face}_mm" for face in faces if f"turret_{face}_mm" in cells]
    for face in faces:
        column = f"turret_{face}_mm"
        if column not in cells and (plates or turret.startswith("full")):
            why = "beside the other plates" if plates else f"as the turret is {turret}"
            yield row.problem(column, EMPTY, f"a plate of 1 to 1000 mm, {why}")
        if column not in cells and f"turret_{face}_deg" in cells:
            yield row.problem(
                f"turret_{face}_deg", cells[f"turret_{face}_deg"], "an empty cell, as there is no plate"
            )


def _gun_problems(row: Row) -> Iterator[Problem]:
    """No shot goes through more at a longer distance."""
    for near, far in pairwise((100, 500, 1000, 1500, 2000)):
        most, value = row.value(f"pen_{near}_mm"), row.value(f"pen_{far}_mm")
        if not isinstance(most, str | None) and not isinstance(value, str | None) and value > most:
            yield row.problem(f"pen_{far}_mm", f"{value:g}", f"at most {most:g} mm, as at {near} m")


def _unverified(path: Path, rows: Sequence[Row], problems: list[Problem]) -> dict[str, frozenset[str]]:
    """The unverified columns by id; cells without a source and sources without a cell go to `problems`."""
    cells = {row.cells["id"].strip(): row for row in rows}
    covered: dict[str, set[str]] = {identity: set() for identity in cells}
    marks: dict[str, set[str]] = {identity: set() for identity in cells}
    before = len(problems)
    for row, source in _table(path, Source, columns_of(Source), problems)[0]:
        if source.id not in cells:
            found, hint = f"the unknown id {shown(source.id)}", nearest(source.id, cells)
            problems.append(row.problem("id", found, f"an id of {VEHICLES} or {GUNS}", hint))
            continue
        named = _named(row, source, cells[source.id], problems)
        covered[source.id] |= named
        if UNVERIFIED in f"{source.source} {source.note or ''}":
            marks[source.id] |= named
    if len(problems) == before:
        problems += (
            row.problem(column, f"{cell}, which has no source", f"a source in {path.name}")
            for identity, row in cells.items()
            for column, cell in filled(row).items()
            if column not in covered[identity]
        )
    return {identity: frozenset(columns) for identity, columns in marks.items()}


def _named(row: Row, source: Source, facts: Row, problems: list[Problem]) -> set[str]:
    """The filled columns that a source names."""
    every = columns_of(Vehicle if Path(facts.file).name == VEHICLES else Gun)
    named: set[str] = set()
    for part in (part.strip() for part in source.columns.split(",")):
        matching = [
            name for name in every if name == part or (part[-1:] == "*" and name.startswith(part[:-1]))
        ]
        if not matching:
            hint = nearest(part, every)
            problems.append(row.problem("columns", shown(part), f"columns of {Path(facts.file).name}", hint))
        elif part in every and part not in filled(facts):
            problems.append(row.problem("columns", f"{part}, an empty cell", "columns with a value"))
        named |= set(matching) & set(filled(facts))
    return named
