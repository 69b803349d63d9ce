"""Charts that the published rules only mention, as data files: hit location, penetration effects, crews (TD-5 to TD-9).

The shipped ones are drafts of this project. A folder with files of the same names takes their place.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from simlab.model.document import Document, load_document
from simlab.model.errors import InputError, Problem, nearest, shown
from simlab.model.keys import digest
from simlab.model.validation import StrictModel, validate
from simlab.rules.common.sheets import Line
from simlab.rules.tank_d20.names import FACES, FACINGS, Plate, Position

DRAFT = "draft"
"""The name of the shipped charts."""
MOST_OVER = 20
Effect: TypeAlias = Literal["casualty", "gun_out", "immobilised", "fire", "explosion"]
Rolls = Annotated[
    tuple[
        Annotated[int, Field(ge=1, le=FACES + MOST_OVER)], Annotated[int, Field(ge=1, le=FACES + MOST_OVER)]
    ],
    Field(strict=False, description="the lowest and the highest roll, [4, 6]"),
]
Effects = Annotated[tuple[Effect, ...], Field(strict=False, max_length=8)]


class Place(StrictModel):
    """What a round meets at a location (TD-5). crew: who is behind it. stuns, immobilises: what a round that does not
    go through does there (TD-7); penetrating: what one that does adds to the effects."""

    rolls: Rolls
    name: Line
    plate: Plate
    crew: Annotated[tuple[Position, ...], Field(strict=False, max_length=5)]
    stuns: Position | None = None
    immobilises: bool = False
    penetrating: Effects = ()


Places = Annotated[tuple[Place, ...], Field(strict=False, min_length=1, max_length=FACES)]


class Facings(StrictModel):
    """The places of each facing."""

    front: Places
    side: Places
    rear: Places


class HitLocation(StrictModel):
    """The hit location chart (TD-5)."""

    chart: Literal["hit_location"]
    places: Facings


class Over(StrictModel):
    """By how many mm of figure above the armour a roll rises by one, and by how much at most."""

    step: Annotated[int, Field(ge=1, le=999)]
    most: Annotated[int, Field(ge=0, le=MOST_OVER)]


class EffectRow(StrictModel):
    """What a modified roll does."""

    rolls: Rolls
    name: Line
    effects: Effects


class PenetrationEffects(StrictModel):
    """The penetration effects chart (TD-8)."""

    chart: Literal["penetration_effects"]
    over: Over
    effects: Annotated[tuple[EffectRow, ...], Field(strict=False, min_length=1, max_length=FACES + MOST_OVER)]


class Step(StrictModel):
    """From how many mm of figure above the armour on a roll of at most so much goes through."""

    excess: Annotated[int, Field(ge=-999, le=999)]
    roll: Annotated[int, Field(ge=0, le=FACES)]


class PenetrationRoll(StrictModel):
    """The chart of the reading `penetration=roll` (TD-6)."""

    chart: Literal["penetration_roll"]
    steps: Annotated[tuple[Step, ...], Field(strict=False, min_length=1, max_length=99)]


class Quality(StrictModel):
    """What a crew's quality does: actions of loading beside the gun's, morale of exposed men."""

    load: Annotated[int, Field(ge=0, le=5)]
    morale: Annotated[int, Field(ge=0, le=FACES)]


class Qualities(StrictModel):
    """All qualities of crews."""

    green: Quality
    regular: Quality
    elite: Quality


class Crew(StrictModel):
    """The crew chart (TD-7, TD-9)."""

    chart: Literal["crew"]
    quality: Qualities
    stand_in_load: Annotated[int, Field(ge=0, le=5)]


_MODELS: Mapping[str, type[StrictModel]] = {
    "hit_location": HitLocation,
    "penetration_effects": PenetrationEffects,
    "penetration_roll": PenetrationRoll,
    "crew": Crew,
}
_FOLDER = Path(__file__).parent / "charts"


class Content(dict[str, Any]):
    """Charts as plain values, what keys and records are made of; shown by the name of their folder."""

    def __init__(self, values: Mapping[str, Any], name: str) -> None:
        super().__init__(values)
        self.name = name

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False)
class Charts:
    """All charts of a fight. name: the folder that they come from. code: digest of what they say."""

    name: str
    code: str
    hit_location: HitLocation
    penetration_effects: PenetrationEffects
    penetration_roll: PenetrationRoll
    crew: Crew

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Charts) and self.code == other.code

    def __hash__(self) -> int:
        return hash(self.code)

    def content(self) -> Content:
        """Return everything that the charts say, as plain values."""
        return Content({name: getattr(self, name).model_dump(mode="json") for name in _MODELS}, self.name)

    def places(self, facing: str) -> tuple[Place, ...]:
        """Return the place of each roll on a facing, that of roll 1 first."""
        return _spread(getattr(self.hit_location.places, facing))

    def effect_rows(self) -> tuple[EffectRow, ...]:
        """Return what each modified roll does, that of roll 1 first."""
        return _spread(self.penetration_effects.effects)

    def highest_roll(self, excess: float) -> int:
        """Return the highest d20 that goes through with so many mm of figure above the armour (TD-6, `roll`)."""
        reached = [step.roll for step in self.penetration_roll.steps if excess >= step.excess]
        return reached[-1] if reached else 0


def _spread(rows: Sequence[Any]) -> tuple[Any, ...]:
    by_roll = {roll: row for row in rows for roll in range(row.rolls[0], row.rolls[1] + 1)}
    return tuple(by_roll[roll] for roll in sorted(by_roll))


@functools.cache
def draft_charts() -> Charts:
    """Return the shipped charts, drafts of this project."""
    return _charts(DRAFT, {name: load_document(_FOLDER / f"{name}.yaml") for name in _MODELS})


def read_charts(value: object) -> Charts:
    """Return the charts that an option names: `draft`, a folder, or all that charts say as plain values.

    A chart that a folder lacks is the shipped one. Raises InputError with all that is wrong, by file and line.
    """
    if value == DRAFT:
        return draft_charts()
    if isinstance(value, Mapping):
        name = value.name if isinstance(value, Content) else "stored"
        documents = {each: Document("", value[each]) for each in _MODELS if each in value}
        return _or_draft(name, documents)
    if not isinstance(value, str) or not value.strip() or not Path(value).is_dir():
        raise InputError.one("charts", shown(value), f"{DRAFT}, or a folder of charts")
    return _or_draft(value, _documents(Path(value)))


def _documents(folder: Path) -> dict[str, Document]:
    """The documents of a folder by the names of their charts."""
    files = sorted([*folder.glob("*.yaml"), *folder.glob("*.yml")])
    unknown = [
        Problem(str(file), None, "charts", f"the file {file.name}", allowed, nearest(file.stem, _MODELS))
        for allowed in [", ".join(f"{name}.yaml" for name in _MODELS)]
        for file in files
        if file.stem not in _MODELS or file.suffix != ".yaml"
    ]
    if not files:
        allowed = ", ".join(f"{name}.yaml" for name in _MODELS)
        unknown.append(Problem("", None, "charts", f"no chart in {folder}", f"one of {allowed}"))
    if unknown:
        raise InputError(unknown)
    return {file.stem: load_document(file) for file in files}


def _or_draft(name: str, documents: Mapping[str, Document]) -> Charts:
    shipped = {
        each: documents.get(each) or Document("", values) for each, values in draft_charts().content().items()
    }
    charts = _charts(name, shipped)
    return draft_charts() if charts.code == draft_charts().code else charts


def _charts(name: str, documents: Mapping[str, Document]) -> Charts:
    found: dict[str, Any] = {}
    problems: list[Problem] = []
    for each, model in _MODELS.items():
        try:
            found[each] = validate(model, documents[each], _checks(each, documents[each]))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    code = digest({each: chart.model_dump(mode="json") for each, chart in found.items()})
    return Charts(name, code, **found)


def _checks(name: str, document: Document) -> list[Problem]:
    """What the rows of a chart must say together, checked on plain values beside the models."""
    value = document.value if isinstance(document.value, dict) else {}
    if name == "hit_location":
        places = value.get("places")
        facings = places if isinstance(places, dict) else {}
        return [
            problem
            for facing in FACINGS
            for problem in _gaps(document, ("places", facing), facings.get(facing), FACES)
        ]
    if name == "penetration_effects":
        over = value.get("over")
        most = over.get("most") if isinstance(over, dict) else None
        if type(most) is int and 0 <= most <= MOST_OVER:
            return list(_gaps(document, ("effects",), value.get("effects"), FACES + most))
    if name == "penetration_roll":
        return list(_falling(document, value.get("steps")))
    return []


def _gaps(document: Document, path: tuple[str, ...], rows: Any, last: int) -> Iterator[Problem]:
    """Rolls from 1 to `last` come once each, in order; silent about rows that are ill-formed by themselves."""
    spans: list[Any] = (
        [row.get("rolls") if isinstance(row, dict) else None for row in rows]
        if isinstance(rows, list)
        else []
    )
    if not spans or not all(
        isinstance(span, list) and len(span) == 2 and all(type(end) is int for end in span) for span in spans
    ):
        return
    following = 1
    for place, (low, high) in enumerate(spans):
        if low != following or high < low:
            allowed = f"rolls from {following} on, as the rows have each roll once"
            yield document.problem((*path, place, "rolls"), f"[{low}, {high}]", allowed)
            return
        following = high + 1
    if following != last + 1:
        yield document.problem(
            (*path, len(spans) - 1, "rolls"), f"{following - 1} as the last roll", str(last)
        )


def _falling(document: Document, rows: Any) -> Iterator[Problem]:
    """Steps rise in both columns: what exceeds by more goes through no less often."""
    steps = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    for place in range(1, len(steps)):
        for key, least in (("excess", 1), ("roll", 0)):
            before, after = steps[place - 1].get(key), steps[place].get(key)
            if type(before) is int and type(after) is int and after < before + least:
                yield document.problem(("steps", place, key), str(after), f"at least {before + least}")


DRAFT_CODE = int(draft_charts().code, 16)
"""What the shipped charts say, as a number: it tells stored results apart like the source of a module does."""
