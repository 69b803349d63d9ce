"""Tank gunnery with a d20 as a rule system: what the rooms above see of it."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from simlab.model.document import Document
from simlab.model.situation import Situation
from simlab.model.table import Cell, Row
from simlab.rules.common.choices import HouseNumber, Reading
from simlab.rules.common.sheet_changes import value_at
from simlab.rules.common.sides import number_types
from simlab.rules.contract import Arms, Draft, Fight, KnockOut, Narrator, Parts, Stage, VolleyReport
from simlab.rules.tank_d20 import charts_file, crews, rules_charts, shots
from simlab.rules.tank_d20 import compile as compiler
from simlab.rules.tank_d20 import sheet as sheets
from simlab.rules.tank_d20.compile import Unit, compile_program, type_place
from simlab.rules.tank_d20.kernel import crew, layout, shot, turn
from simlab.rules.tank_d20.names import FACINGS
from simlab.rules.tank_d20.options import Options
from simlab.rules.tank_d20.readings import HOUSE_NUMBERS, READINGS
from simlab.rules.tank_d20.sheet import Sheet
from simlab.rules.tank_d20.stage_names import STAGES

if TYPE_CHECKING:
    from simlab.rules.common.facts import FactsRow

VERSION = "tank_d20-1"
"""Changes when behaviour changes, and only then."""


class TankD20:
    """Tank gunnery with a d20."""

    name = "tank_d20"
    title = "Tank gunnery d20"
    version = VERSION
    caveat = (
        "Hit location, penetration effects, crews and the shipped sheets of tank_d20 are drafts of this project:"
        " the published rules do not print them."
    )
    range_unit = "inches"
    aspects: tuple[str, ...] = FACINGS
    kinds: tuple[str, ...] = ("mobility_kill", "firepower_kill", "crew_kill", "catastrophic_kill")
    kernels: tuple[ModuleType, ...] = (layout, crew, shot, turn)
    sources: tuple[ModuleType, ...] = (compiler, shots, crews, rules_charts, charts_file)
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
        from simlab.rules.tank_d20.sheet_text import LAYOUT

        return LAYOUT.text(sheets.to_mapping(sheet), heading)

    @property
    def row_columns(self) -> tuple[str, ...]:
        """The columns that a sheet may fill in a table of units, in order."""
        from simlab.rules.tank_d20.sheet_rows import COLUMNS

        return COLUMNS

    def sheet_to_row(self, sheet: Sheet) -> dict[str, Cell]:
        """Return the cells of a sheet by column."""
        from simlab.rules.tank_d20.sheet_rows import sheet_to_row

        return sheet_to_row(sheet)

    def sheet_from_row(self, row: Row) -> Sheet:
        """Return the sheet of a row; InputError lists all that is wrong with it, by column."""
        from simlab.rules.tank_d20.sheet_rows import sheet_from_row

        return sheet_from_row(row)

    def replace_fields(self, sheet: Sheet, fields: Mapping[str, Any]) -> Sheet:
        """Return a new sheet with fields, named by dotted paths, changed."""
        return sheets.replace_fields(sheet, dict(fields))

    def field_value(self, sheet: Sheet, field: str) -> Any:
        """Return what stands at a dotted path, None for nothing."""
        return value_at(sheets.to_mapping(sheet), field)

    def sheet_numbers(self, sheet: Sheet) -> dict[str, float]:
        """Return the numbers of a sheet by their dotted paths, in its order."""
        from simlab.rules.tank_d20.formula_stats import sheet_numbers

        return sheet_numbers(sheet)

    def formula_stats(self, sheet: Sheet) -> dict[str, float]:
        """Return the stats of a sheet that a points formula is made of."""
        from simlab.rules.tank_d20.formula_stats import formula_stats

        return formula_stats(sheet)

    def with_stats(self, sheet: Sheet, stats: Mapping[str, float], name: str) -> Sheet:
        """Return a sheet with these stats under another id, else like a given one."""
        from simlab.rules.tank_d20.formula_stats import with_stats

        return with_stats(sheet, stats, name)

    def equalised(self, a: Sheet, b: Sheet, stages: Collection[str], options: Options) -> tuple[Sheet, Sheet]:
        """Return two sheets that are alike in what the stages are about."""
        from simlab.rules.tank_d20.stages import equalised

        return equalised(a, b, stages)

    def knock_outs(self, sheet: Sheet) -> tuple[KnockOut, ...]:
        """Return the men of a crew and the gun, each with the sheet without it."""
        from simlab.rules.tank_d20.stages import knock_outs

        return knock_outs(sheet)

    def sheet_hash(self, sheet: Sheet) -> str:
        """Return the hash of all of a sheet."""
        return sheets.sheet_hash(sheet)

    def fight_hash(self, sheet: Sheet) -> str:
        """Return the hash of what dice can see of a sheet."""
        return sheets.fight_hash(sheet)

    def render_sheet(self, sheet: Sheet) -> str:
        """Return the sheet drawn as text."""
        from simlab.rules.tank_d20.display import render_sheet

        return render_sheet(sheet)

    def read_facts(self, folder: Path) -> "dict[str, FactsRow]":
        """Return the rows of facts in a folder by id; InputError lists all that is wrong with them."""
        from simlab.rules.common.facts import read_facts

        return read_facts(folder)

    def draft_sheet(self, row: "FactsRow") -> Draft:
        """Return the sheet that a row of facts gives; InputError where a number is out of a sheet's bounds."""
        from simlab.rules.tank_d20.draft import draft_sheet

        return draft_sheet(row)

    def options(self, settings: Mapping[str, Any], constants: Mapping[str, Any] | None = None) -> Options:
        """Return the options with these readings and house numbers, all others at their defaults."""
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
        """Return the compiled fight of two sides whose ranges and facings are given; its phases are actions (TD-9)."""
        units: list[Unit] = []
        types_a = number_types(sheets_a, units, lambda sheet: Unit(sheet, "a"))
        types_b = number_types(sheets_b, units, lambda sheet: Unit(sheet, "b"))
        scenes, scene_of_turn = situation.scenes(turns)
        program = compile_program(units, scenes, options, turns, Parts() if parts is None else parts)
        fires = [compiler.ever_fires(unit, scenes, options) for unit in units]
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
            declared=False,
            can_fire_a=any(fires[number] for number in types_a),
            can_fire_b=any(fires[number] for number in types_b),
            twins=len(sheets_a) == len(sheets_b) == 1 and compiler.are_twins(program, len(scenes)),
            phases=tuple(f"action {number}" for number in range(1, options.value("actions") + 1)),
            coupled=True,
        )

    def gunner_count(self, sheet: Sheet) -> int:
        """Return the number of gunners of a sheet: one main gun."""
        return 1

    def gunner_name(self, sheet: Sheet, gunner: int) -> str:
        """Return the name of a gunner."""
        return "main gun"

    def narrator(self, fight: Fight) -> Narrator:
        """Return the teller of a fight."""
        from simlab.rules.tank_d20.narrate import TankNarrator

        return TankNarrator(fight)

    def to_hit_table(
        self, sheet: Sheet, situation: Situation, options: Options
    ) -> tuple[tuple[str, ...], tuple[tuple[str, tuple[float, ...]], ...]]:
        """Return by band the chance to hit a medium target in the open (TD-1)."""
        from simlab.rules.tank_d20.report import to_hit_table

        return to_hit_table(sheet, options)

    def report_arms(self, sheet: Sheet, situation: Situation, options: Options) -> Arms:
        """Return the gun, its modifiers, and reach and figure of each band."""
        from simlab.rules.tank_d20.report import report_arms

        return report_arms(sheet, situation, options)

    def report_volleys(self, fight: Fight, expand: Any, ask: Any) -> list[VolleyReport]:
        """Return the exact figures of one shot of side a against a fresh target."""
        from simlab.rules.tank_d20.report import report_volleys

        return report_volleys(fight, expand, ask)


SYSTEM = TankD20()
