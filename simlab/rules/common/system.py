"""A rule system whose parts lie in one package, under the same names in every such package."""

# What a module of a package returns is known by its name alone.
# mypy: disable-error-code="no-any-return"

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from simlab.model.document import Document
from simlab.model.situation import Situation
from simlab.model.table import Cell, Row
from simlab.rules.common.choices import HouseNumber, Reading
from simlab.rules.common.sheet_changes import value_at
from simlab.rules.common.sides import number_types
from simlab.rules.contract import Arms, Draft, Fight, KnockOut, Narrator, Parts, Stage, VolleyReport

if TYPE_CHECKING:
    from simlab.rules.common.facts import FactsRow

S = TypeVar("S")
Opt = TypeVar("Opt")


@dataclass(frozen=True)
class Compiled:
    """What a system makes of the types of a fight; other names are those of `Fight`.

    places: for each type where its block begins. armed: for each type whether it can ever fire. twins: whether the
    two types are the same in all that counts, asked of duels alone.
    """

    program: Any
    places: Sequence[int]
    armed: Sequence[bool]
    declared: bool = False
    shuffled: bool = False
    twins: bool = False
    phases: tuple[str, ...] = ("combat",)
    coupled: bool = False


class FolderSystem(ABC, Generic[S, Opt]):
    """What a system does through the modules of `package`, each imported when it is first asked for.

    `sheet` reads and hashes, `sheet_text` holds the `LAYOUT` of files, `sheet_rows` the `COLUMNS` of tables,
    `sheet_numbers` (with `STEPS` by pattern of paths, where they are not 1) and `formula_stats` what of a sheet may
    change, `stages` what `simlab why` makes alike, `display`
    draws, `options` holds the class `Options`, `narrate` the class `Teller`, `report` the figures of a volley.
    """

    package: str
    name: str
    title: str
    version: str
    caveat: str = ""
    range_unit: str = "inches"
    shooter: str = "gunner"
    aspects: tuple[str, ...]
    kinds: tuple[str, ...] = ("mobility_kill", "firepower_kill", "crew_kill", "catastrophic_kill")
    kernels: tuple[ModuleType, ...]
    sources: tuple[ModuleType, ...]
    readings: tuple[Reading, ...]
    house_numbers: tuple[HouseNumber, ...]
    stages: tuple[Stage, ...]

    def _part(self, name: str) -> Any:
        """A module of the package."""
        return import_module(f"{self.package}.{name}")

    def load_sheet(self, path: Path) -> S:
        """Return the sheet in a file; InputError lists all that is wrong with it."""
        return self._part("sheet").load_sheet(path)

    def parse_sheet(self, document: Document) -> S:
        """Return the sheet in a document, as `load_sheet` does."""
        return self._part("sheet").parse_sheet(document)

    def sheet_text(self, sheet: S, heading: str = "") -> str:
        """Return the text of a sheet's file, below a comment of one line."""
        return self._part("sheet_text").LAYOUT.text(self._part("sheet").to_mapping(sheet), heading)

    @property
    def row_columns(self) -> tuple[str, ...]:
        """The columns that a sheet may fill in a table of units, in order."""
        return self._part("sheet_rows").COLUMNS

    def sheet_to_row(self, sheet: S) -> dict[str, Cell]:
        """Return the cells of a sheet by column."""
        return self._part("sheet_rows").sheet_to_row(sheet)

    def sheet_from_row(self, row: Row) -> S:
        """Return the sheet of a row; InputError lists all that is wrong with it, by column."""
        return self._part("sheet_rows").sheet_from_row(row)

    def replace_fields(self, sheet: S, fields: Mapping[str, Any]) -> S:
        """Return a new sheet with fields, named by dotted paths, changed."""
        return self._part("sheet").replace_fields(sheet, fields)

    def field_value(self, sheet: S, field: str) -> Any:
        """Return what stands at a dotted path, None for nothing; a number that is filled in counts as written."""
        numbers = self.sheet_numbers(sheet)
        return numbers[field] if field in numbers else value_at(self._part("sheet").to_mapping(sheet), field)

    def sheet_numbers(self, sheet: S) -> dict[str, float]:
        """Return the numbers of a sheet by their dotted paths, in its order."""
        return self._part("sheet_numbers").sheet_numbers(sheet)

    def sheet_step(self, field: str) -> float:
        """Return by how much a number of a sheet is moved: 1, or what `STEPS` of `sheet_numbers` has for its path."""
        steps: Mapping[str, float] = getattr(self._part("sheet_numbers"), "STEPS", {})
        return next((step for pattern, step in steps.items() if fnmatchcase(field, pattern)), 1)

    def formula_stats(self, sheet: S) -> dict[str, float]:
        """Return the stats of a sheet that a points formula is made of."""
        return self._part("formula_stats").formula_stats(sheet)

    def with_stats(self, sheet: S, stats: Mapping[str, float], name: str) -> S:
        """Return a sheet with these stats under another id, else like a given one."""
        return self._part("formula_stats").with_stats(sheet, stats, name)

    def equalised(self, a: S, b: S, stages: Collection[str], options: Opt) -> tuple[S, S]:
        """Return two sheets that are alike in what the stages are about."""
        return self._part("stages").equalised(a, b, stages, options)

    def knock_outs(self, sheet: S) -> tuple[KnockOut, ...]:
        """Return the parts of a sheet that can fail, each with the sheet without it."""
        return self._part("stages").knock_outs(sheet)

    def sheet_hash(self, sheet: S) -> str:
        """Return the hash of all of a sheet."""
        return self._part("sheet").sheet_hash(sheet)

    def fight_hash(self, sheet: S) -> str:
        """Return the hash of what dice can see of a sheet."""
        return self._part("sheet").fight_hash(sheet)

    def render_sheet(self, sheet: S) -> str:
        """Return the sheet drawn as text."""
        return self._part("display").render_sheet(sheet)

    def options(self, settings: Mapping[str, Any], constants: Mapping[str, Any] | None = None) -> Opt:
        """Return the options with these readings and house numbers, all others at their defaults."""
        return self._part("options").Options.from_settings(settings, constants)

    def compile_fight(
        self,
        sheets_a: Sequence[S],
        sheets_b: Sequence[S],
        situation: Situation,
        options: Opt,
        turns: int,
        parts: Parts | None = None,
    ) -> Fight:
        """Return the compiled fight of two sides whose ranges and aspects are given."""
        types: list[tuple[S, str]] = []
        numbers_a = number_types(sheets_a, types, lambda sheet: (sheet, "a"))
        numbers_b = number_types(sheets_b, types, lambda sheet: (sheet, "b"))
        scenes, scene_of_turn = situation.scenes(turns)
        found = self.compile_types(types, scenes, options, turns, Parts() if parts is None else parts)
        return Fight(
            system=self,
            program=found.program,
            types_a=tuple(found.places[number] for number in numbers_a),
            types_b=tuple(found.places[number] for number in numbers_b),
            sheets_a=tuple(sheets_a),
            sheets_b=tuple(sheets_b),
            situation=situation,
            options=options,
            turns=turns,
            scene_of_turn=scene_of_turn,
            declared=found.declared,
            can_fire_a=any(found.armed[number] for number in numbers_a),
            can_fire_b=any(found.armed[number] for number in numbers_b),
            shuffled=found.shuffled,
            twins=len(sheets_a) == len(sheets_b) == 1 and found.twins,
            phases=found.phases,
            coupled=found.coupled,
        )

    @abstractmethod
    def compile_types(
        self, types: Sequence[tuple[S, str]], scenes: Sequence[Any], options: Opt, turns: int, parts: Parts
    ) -> Compiled:
        """Return what types of units, each a sheet on side a or b, come to: a first, each side's once."""

    @abstractmethod
    def gunner_count(self, sheet: S) -> int:
        """Return the number of gunners of a sheet: exchanges a turn at most."""

    @abstractmethod
    def gunner_name(self, sheet: S, gunner: int) -> str:
        """Return the name of a gunner."""

    def narrator(self, fight: Fight) -> Narrator:
        """Return the teller of a fight."""
        return self._part("narrate").Teller(fight)

    def to_hit_table(
        self, sheet: S, situation: Situation, options: Opt
    ) -> tuple[tuple[str, ...], tuple[tuple[str, tuple[float, ...]], ...]]:
        """Return the kinds of roll, and by what is needed the chance of each."""
        return self._part("report").to_hit_table(sheet, options)

    def report_arms(self, sheet: S, situation: Situation, options: Opt) -> Arms:
        """Return gunners, weapons and their reach, and what hits, at the range of the first turn."""
        return self._part("report").report_arms(sheet, situation, options)

    def report_volleys(self, fight: Fight, expand: Any, ask: Any) -> list[VolleyReport]:
        """Return the exact figures of one volley of each gunner of side a against a fresh target."""
        return self._part("report").report_volleys(fight, expand, ask)


class DraftingSystem(FolderSystem[S, Opt]):
    """A system that can make sheets of facts as well, by the module `draft` of its package."""

    def read_facts(self, folder: Path) -> "dict[str, FactsRow]":
        """Return the rows of facts in a folder by id; InputError lists all that is wrong with them."""
        from simlab.rules.common.facts import read_facts

        return read_facts(folder)

    def draft_sheet(self, row: "FactsRow") -> Draft:
        """Return the sheet that a row of facts gives; InputError where a number is out of a sheet's bounds."""
        return self._part("draft").draft_sheet(row)
