"""A rule system of a few lines, to show that nothing above the rules knows any other.

A unit hits when its die shows at least the number that it needs, one less from behind, and falls with its last hit
point.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import toy_kernel

from simlab.dice import recorded
from simlab.dice.slots import SLOTS, START
from simlab.model.document import Document, load_document
from simlab.model.ecv import Ecv
from simlab.model.errors import InputError, shown
from simlab.model.keys import digest
from simlab.model.situation import Situation
from simlab.model.table import EMPTY, Cell, Row
from simlab.rules.common import usual
from simlab.rules.contract import Arms, Fight, KnockOut, Parts, Section, Stage, VolleyReport

FIGHTING = ("hit_points", "faces", "needs", "rounds", "reach")
LEAST, MOST = {"hit_points": 1, "faces": 1, "needs": 0, "rounds": 0, "reach": -1.0}, 99
STAGE_FIELDS = {"aim": ("faces", "needs"), "body": ("hit_points",), "supply": ("rounds", "reach")}
"""Stages, and what of a sheet each is about."""


@dataclass(frozen=True)
class ToySheet:
    """Two hit points, and a d6 that hits on 4 or more, unless something else is said; rounds 0: without end."""

    id: str = "toy"
    hit_points: int = 2
    faces: int = 6
    needs: int = 4
    rounds: int = 0
    reach: float = 30.0
    name: str = "Toy"
    nation: str = "Toyland"
    provenance: str = "made up"
    ecv: Ecv = field(default_factory=lambda: Ecv(value=10.0, source="rulebook"))

    @property
    def system(self) -> str:
        return "toy"


@dataclass(frozen=True)
class ToyOptions:
    """One reading: whether targets are fixed before any die."""

    declared: bool = False

    def value(self, name: str) -> Any:
        return getattr(self, name)

    def built(self) -> dict[str, Any]:
        return asdict(self)

    def house_numbers(self) -> dict[str, Any]:
        return {}

    def non_default(self) -> dict[str, Any]:
        return {"declared": True} if self.declared else {}


class ToyNarrator:
    """A throw is the face of the one die, from 1; None where none was thrown."""

    def read_record(self, record: Any) -> int:
        return int(record[recorded.FACES + START])

    def read_token(self, token: str, number: int) -> int | None:
        if token != "-" and not (token.isascii() and token.isdigit()):
            raise InputError.one("dice", f"exchange {number}: {shown(token)}", "one die, - at the fallen")
        return None if token == "-" else int(token)

    def script(self, throw: int | None) -> Any:
        script = np.zeros(SLOTS, np.int64)
        script[START] = (throw or 1) - 1
        return script

    def check_throw(self, throw: int | None, asked: Any, number: int, lost: bool) -> None:
        if lost != (throw is None) or not (lost or 1 <= int(throw or 0) <= asked[START]):
            raise InputError.one(
                "dice", f"exchange {number}: {self.token(throw)}", "one die, - at the fallen"
            )

    def token(self, throw: int | None) -> str:
        return "-" if throw is None else str(throw)

    def tell(self, event: Any) -> list[str]:
        return ["hit" if event.note else "miss"]


class Toy:
    """The toy system."""

    name, title, version = "toy", "Toy", "toy-1"
    range_unit, caveat, shooter = "inches", "", "gunner"
    aspects = ("front", "rear")
    kinds = ("scratched",)
    kernels = (usual, toy_kernel)
    sources = ()
    readings = ()
    house_numbers = ()
    stages = tuple(Stage(name, name, ", ".join(fields)) for name, fields in STAGE_FIELDS.items())
    row_columns = ("id", "name", "nation", "provenance", "ecv", *FIGHTING)

    def load_sheet(self, path: Path) -> ToySheet:
        return self.parse_sheet(load_document(path))

    def parse_sheet(self, document: Document) -> ToySheet:
        values, path = document.value, Path(document.file)
        if not isinstance(values, dict) or values.pop("system", None) != self.name:
            raise InputError.one("system", "another system", self.name, file=document.file)
        if "ecv" in values:
            values["ecv"] = Ecv(**values["ecv"])
        return ToySheet(id=path.stem, **values)

    def sheet_text(self, sheet: ToySheet, heading: str = "") -> str:
        values = {"system": self.name, **asdict(sheet), "ecv": sheet.ecv.model_dump()}
        del values["id"]
        return "".join(f"{key}: {json.dumps(value)}\n" for key, value in values.items())

    def sheet_to_row(self, sheet: ToySheet) -> dict[str, Cell]:
        return {**asdict(sheet), "ecv": sheet.ecv.value}

    def sheet_from_row(self, row: Row) -> ToySheet:
        texts = ("id", "name", "nation", "provenance")
        values = {column: row.cells[column] if column in texts else row.value(column) for column in row.cells}
        faults = [
            row.problem(column, value or EMPTY, "a number")
            for column, value in values.items()
            if column not in texts and isinstance(value, str)
        ]
        faults += [
            row.problem(column, EMPTY, "a cell") for column in self.row_columns if column not in values
        ]
        if faults:
            raise InputError(faults)
        return ToySheet(**{**values, "ecv": Ecv(value=values["ecv"], source="rulebook")})

    def replace_fields(self, sheet: ToySheet, fields: Mapping[str, Any]) -> ToySheet:
        for name, value in fields.items():
            if not hasattr(sheet, name):
                raise InputError.one(name, "an unknown key", ", ".join(asdict(sheet)))
            if name in LEAST and not LEAST[name] <= value <= MOST:
                raise InputError.one(name, str(value), f"a number from {LEAST[name]} to {MOST}")
        return replace(sheet, **fields)

    def field_value(self, sheet: ToySheet, field: str) -> Any:
        return getattr(sheet, field, None)

    def sheet_numbers(self, sheet: ToySheet) -> dict[str, float]:
        return {name: getattr(sheet, name) for name in FIGHTING}

    def sheet_step(self, field: str) -> float:
        """A die of one more face is no die that anybody has."""
        return 2 if field == "faces" else 1

    def formula_stats(self, sheet: ToySheet) -> dict[str, float]:
        """Rounds are no stat: none stands for any number of them."""
        names = [name for name in FIGHTING if name != "rounds"]
        return {name.replace("_", " "): float(getattr(sheet, name)) for name in names}

    def with_stats(self, sheet: ToySheet, stats: Mapping[str, float], name: str) -> ToySheet:
        fields = {stat.replace(" ", "_"): int(value) for stat, value in stats.items()}
        return replace(self.replace_fields(sheet, fields), id=name)

    def equalised(self, a: ToySheet, b: ToySheet, stages: Collection[str], options: ToyOptions) -> Any:
        taken = {name: getattr(a, name) for stage in stages for name in STAGE_FIELDS[stage]}
        return a, replace(b, **taken)

    def knock_outs(self, sheet: ToySheet) -> tuple[KnockOut, ...]:
        return (KnockOut("gun", "never fires", replace(sheet, reach=-1.0)),)

    def sheet_hash(self, sheet: ToySheet) -> str:
        return digest({**asdict(sheet), "ecv": sheet.ecv.value})

    def fight_hash(self, sheet: ToySheet) -> str:
        return digest({name: getattr(sheet, name) for name in FIGHTING})

    def render_sheet(self, sheet: ToySheet) -> str:
        return f"{sheet.name}: {sheet.hit_points} hit points, d{sheet.faces} {sheet.needs}+"

    def options(self, settings: Mapping[str, Any], constants: Mapping[str, Any] | None = None) -> ToyOptions:
        if constants:
            raise InputError.one("constants", ", ".join(constants), "no house numbers")
        return ToyOptions(**settings)

    def compile_fight(
        self,
        sheets_a: Sequence[ToySheet],
        sheets_b: Sequence[ToySheet],
        situation: Situation,
        options: ToyOptions,
        turns: int,
        parts: Parts | None = None,
    ) -> Fight:
        sides = [(s, situation.aspect_a) for s in sheets_a] + [(s, situation.aspect_b) for s in sheets_b]
        blocks = [
            (s.hit_points, s.faces, s.needs, s.rounds, situation.range <= s.reach, aspect == "rear")
            for s, aspect in sides
        ]
        places = tuple(number * toy_kernel.TYPE_SIZE for number in range(len(blocks)))
        reaches = [bool(block[toy_kernel.IN_RANGE]) for block in blocks]
        first_b = len(sheets_a)
        return Fight(
            system=self,
            program=np.array(blocks, np.uint64).ravel(),
            types_a=places[:first_b],
            types_b=places[first_b:],
            sheets_a=tuple(sheets_a),
            sheets_b=tuple(sheets_b),
            situation=situation,
            options=options,
            turns=turns,
            scene_of_turn=(0,) * turns,
            declared=options.declared,
            can_fire_a=any(reaches[:first_b]),
            can_fire_b=any(reaches[first_b:]),
        )

    def gunner_count(self, sheet: ToySheet) -> int:
        return 1

    def gunner_name(self, sheet: ToySheet, gunner: int) -> str:
        return "gunner"

    def narrator(self, fight: Fight) -> ToyNarrator:
        return ToyNarrator()

    def to_hit_table(self, sheet: ToySheet, situation: Situation, options: ToyOptions) -> Any:
        chances = [
            max(0, sheet.faces + 1 - needed) / sheet.faces for needed in (sheet.needs, sheet.needs - 1)
        ]
        return ("one die",), tuple(
            (aspect, (chance,)) for aspect, chance in zip(self.aspects, chances, strict=True)
        )

    def report_arms(self, sheet: ToySheet, situation: Situation, options: ToyOptions) -> Arms:
        return Arms(("gunner",), (), ((),) * len(self.aspects), "one die")

    def report_volleys(self, fight: Fight, expand: Any, ask: Any) -> list[VolleyReport]:
        shooter, target = fight.types_a[0], fight.types_b[0]
        able = [ask.capability(place, 0, 0, *ask.fresh(place)) for place in (shooter, target)]
        if not ask.ready(shooter, 0, able[0]):
            return [VolleyReport("gunner", ())]
        found = expand(fight, shooter, 0, able[0], target, able[1], 0, ask.fresh(target)[0])
        return [VolleyReport("gunner", (Section("to hit", {"hit": float(found.weights @ found.notes)}),))]


SYSTEM = Toy()
