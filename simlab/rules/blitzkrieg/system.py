"""Blitzkrieg as a rule system: what the rooms above see of it."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from simlab.model.document import Document
from simlab.model.situation import Situation
from simlab.model.table import Cell, Row
from simlab.rules.blitzkrieg import compile as compiler
from simlab.rules.blitzkrieg import memory_words, shots, unit_types
from simlab.rules.blitzkrieg import program as place
from simlab.rules.blitzkrieg import sheet as sheets
from simlab.rules.blitzkrieg.compile import ASPECTS, compile_program
from simlab.rules.blitzkrieg.constants import HOUSE_NUMBERS
from simlab.rules.blitzkrieg.kernel import contract, damage, layout, loss, manifest, special, to_hit, volley
from simlab.rules.blitzkrieg.options import READINGS, Options
from simlab.rules.blitzkrieg.program import type_place
from simlab.rules.blitzkrieg.sheet import Sheet
from simlab.rules.blitzkrieg.stage_names import STAGES
from simlab.rules.blitzkrieg.unit_types import UnitType, unit_type
from simlab.rules.common.choices import HouseNumber, Reading
from simlab.rules.common.sheet_changes import value_at
from simlab.rules.common.sides import number_types
from simlab.rules.contract import Arms, Draft, Fight, KnockOut, Narrator, Parts, Stage, VolleyReport

if TYPE_CHECKING:
    from simlab.rules.common.facts import FactsRow

VERSION = "blitzkrieg-1"
"""Changes when behaviour changes, and only then."""


class Blitzkrieg:
    """The Shellshock Combat System for the Second World War."""

    name = "blitzkrieg"
    title = "Blitzkrieg"
    version = VERSION
    caveat = ""
    range_unit = "inches"
    aspects: tuple[str, ...] = ASPECTS
    kinds: tuple[str, ...] = ("mobility_kill", "firepower_kill", "crew_kill", "catastrophic_kill")
    kernels: tuple[ModuleType, ...] = (layout, to_hit, special, damage, manifest, loss, volley, contract)
    sources: tuple[ModuleType, ...] = (compiler, memory_words, shots, unit_types, place)
    readings: tuple[Reading, ...] = READINGS
    house_numbers: tuple[HouseNumber, ...] = HOUSE_NUMBERS
    stages: tuple[Stage, ...] = STAGES

    def load_sheet(self, path: Path) -> Sheet:
        """Return the record sheet in a file; InputError lists all that is wrong with it."""
        return sheets.load_sheet(path)

    def parse_sheet(self, document: Document) -> Sheet:
        """Return the record sheet in a document, as `load_sheet` does."""
        return sheets.parse_sheet(document)

    def sheet_text(self, sheet: Sheet, heading: str = "") -> str:
        """Return the text of a sheet's file, below a comment of one line."""
        from simlab.rules.blitzkrieg.sheet_text import LAYOUT

        return LAYOUT.text(sheets.to_mapping(sheet), heading)

    @property
    def row_columns(self) -> tuple[str, ...]:
        """The columns that a sheet may fill in a table of units, in order."""
        from simlab.rules.blitzkrieg.sheet_rows import COLUMNS

        return COLUMNS

    def sheet_to_row(self, sheet: Sheet) -> dict[str, Cell]:
        """Return the cells of a sheet by column."""
        from simlab.rules.blitzkrieg.sheet_rows import sheet_to_row

        return sheet_to_row(sheet)

    def sheet_from_row(self, row: Row) -> Sheet:
        """Return the sheet of a row; InputError lists all that is wrong with it, by column."""
        from simlab.rules.blitzkrieg.sheet_rows import sheet_from_row

        return sheet_from_row(row)

    def replace_fields(self, sheet: Sheet, fields: Mapping[str, Any]) -> Sheet:
        """Return a new sheet with fields, named by dotted paths, changed."""
        return sheets.replace_fields(sheet, dict(fields))

    def field_value(self, sheet: Sheet, field: str) -> Any:
        """Return what stands at a dotted path, None for nothing; a reach that is filled in counts as written."""
        return self.sheet_numbers(sheet).get(field, value_at(sheets.to_mapping(sheet), field))

    def sheet_numbers(self, sheet: Sheet) -> dict[str, float]:
        """Return the numbers of a sheet by their dotted paths, in its order; multipliers of rams are left out."""
        from simlab.rules.blitzkrieg.sheet_numbers import sheet_numbers

        return sheet_numbers(sheet)

    def formula_stats(self, sheet: Sheet) -> dict[str, float]:
        """Return the stats of a sheet that a points formula is made of."""
        from simlab.rules.blitzkrieg.formula_stats import formula_stats

        return formula_stats(sheet)

    def with_stats(self, sheet: Sheet, stats: Mapping[str, float], name: str) -> Sheet:
        """Return a sheet with these stats under another id, else like a given one."""
        from simlab.rules.blitzkrieg.formula_stats import with_stats

        return with_stats(sheet, stats, name)

    def equalised(self, a: Sheet, b: Sheet, stages: Collection[str], options: Options) -> tuple[Sheet, Sheet]:
        """Return two sheets that are alike in what the stages are about."""
        from simlab.rules.blitzkrieg.stages import equalised

        return equalised(a, b, stages, options)

    def knock_outs(self, sheet: Sheet) -> tuple[KnockOut, ...]:
        """Return the weapons and items of a sheet, each with the sheet without it."""
        from simlab.rules.blitzkrieg.stages import knock_outs

        return knock_outs(sheet)

    def sheet_hash(self, sheet: Sheet) -> str:
        """Return the hash of all of a sheet."""
        return sheets.sheet_hash(sheet)

    def fight_hash(self, sheet: Sheet) -> str:
        """Return the hash of what dice can see of a sheet."""
        return sheets.fight_hash(sheet)

    def render_sheet(self, sheet: Sheet) -> str:
        """Return the sheet drawn as text."""
        from simlab.rules.blitzkrieg.display import render_sheet

        return render_sheet(sheet)

    def read_facts(self, folder: Path) -> "dict[str, FactsRow]":
        """Return the rows of facts in a folder by id; InputError lists all that is wrong with them."""
        from simlab.rules.common.facts import read_facts

        return read_facts(folder)

    def draft_sheet(self, row: "FactsRow") -> Draft:
        """Return the sheet that a row of facts gives; InputError where a number is out of a sheet's bounds."""
        from simlab.rules.blitzkrieg.draft import draft_sheet

        return draft_sheet(row)

    def options(self, settings: Mapping[str, Any], constants: Mapping[str, Any] | None = None) -> Options:
        """Return the options with these readings, optional rules and house numbers, all others at their defaults."""
        return Options.from_settings(dict(settings), constants)

    def compile_fight(
        self,
        sheets_a: Sequence[Sheet],
        sheets_b: Sequence[Sheet],
        situation: Situation,
        options: Options,
        turns: int,
        parts: Parts | None = None,
    ) -> Fight:
        """Return the compiled fight of two sides whose ranges and aspects are given (BK-70)."""
        units: list[UnitType] = []
        types_a = number_types(sheets_a, units, lambda sheet: unit_type(sheet, "a"))
        types_b = number_types(sheets_b, units, lambda sheet: unit_type(sheet, "b"))
        scenes, scene_of_turn = situation.scenes(turns)
        program = compile_program(units, scenes, options, turns, Parts() if parts is None else parts)
        armed = [bool(_ever_armed(program, number, len(scenes))) for number in range(len(units))]
        return Fight(
            system=self,
            program=program,
            types_a=tuple(type_place(number) for number in types_a),
            types_b=tuple(type_place(number) for number in types_b),
            sheets_a=tuple(sheets_a),
            sheets_b=tuple(sheets_b),
            situation=situation,
            options=options,
            turns=turns,
            scene_of_turn=scene_of_turn,
            declared=options.value("fire_allocation") == "declared",
            can_fire_a=any(armed[number] for number in types_a),
            can_fire_b=any(armed[number] for number in types_b),
            shuffled=options.value("volley_order") == "random",
            twins=len(sheets_a) == len(sheets_b) == 1 and place.are_twins(program, len(scenes)),
        )

    def gunner_count(self, sheet: Sheet) -> int:
        """Return the number of gunners of a sheet: exchanges a turn at most."""
        return len(sheet.gunners)

    def gunner_name(self, sheet: Sheet, gunner: int) -> str:
        """Return the name of a gunner."""
        return sheet.gunners[gunner].name

    def narrator(self, fight: Fight) -> Narrator:
        """Return the teller of a fight."""
        from simlab.rules.blitzkrieg.narrate import BlitzkriegNarrator

        return BlitzkriegNarrator(fight)

    def to_hit_table(
        self, sheet: Sheet, situation: Situation, options: Options
    ) -> tuple[tuple[str, ...], tuple[tuple[str, tuple[float, ...]], ...]]:
        """Return the kinds of roll, and by number needed the chance of each (BK-11, BK-13, BK-27, BK-53)."""
        chances = [(number, shots.hit_chance(number, options)) for number in shots.NUMBERS]
        rows = tuple((f"{number} or more", chance) for number, chance in chances)
        return ("2d6", "1d6, no sight"), rows

    def report_arms(self, sheet: Sheet, situation: Situation, options: Options) -> Arms:
        """Return gunners, weapons and their reach, and what numbers hit, at the range of the first turn."""
        from simlab.rules.blitzkrieg.report import report_arms

        return report_arms(sheet, situation, options)

    def report_volleys(self, fight: Fight, expand: Any, ask: Any) -> list[VolleyReport]:
        """Return the exact figures of one volley of each gunner of side a against a fresh target."""
        from simlab.rules.blitzkrieg.report import report_volleys

        return report_volleys(fight, expand, ask)


def _ever_armed(program: Any, number: int, scenes: int) -> int:
    """Return the weapons of a fresh unit that can fire in some turn (BK-15, BK-16, BK-31)."""
    start = place.type_place(number)
    able = int(program[start + place.ARMED])
    if program[start + place.PINTLE_POLICY] == layout.PINTLE_NEVER:
        able &= ~int(program[start + place.PINTLES])
    types = int(program[place.TYPES])
    reach = 0
    for scene in range(scenes):
        reach |= int(program[place.scene_place(types, scene, number) + place.REACH])
    return able & reach


SYSTEM = Blitzkrieg()
