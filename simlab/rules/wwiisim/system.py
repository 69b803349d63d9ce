"""WWIISIM as a rule system: what the rooms above see of it."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from simlab.model.document import Document
from simlab.model.situation import Situation
from simlab.model.table import Cell, Row
from simlab.rules.common.choices import HouseNumber, Reading
from simlab.rules.common.sides import number_types
from simlab.rules.contract import Arms, Draft, Fight, KnockOut, Narrator, Parts, Stage, VolleyReport
from simlab.rules.wwiisim import compile as compiler
from simlab.rules.wwiisim import scatter, shots, weapons
from simlab.rules.wwiisim import sheet as sheets
from simlab.rules.wwiisim.compile import UnitType, compile_program, list_types, plan_phases, type_place
from simlab.rules.wwiisim.kernel import contract, layout, shooting, tables
from simlab.rules.wwiisim.options import Options
from simlab.rules.wwiisim.readings import HOUSE_NUMBERS, READINGS
from simlab.rules.wwiisim.sheet import Sheet
from simlab.rules.wwiisim.stages import STAGES

if TYPE_CHECKING:
    from simlab.rules.common.facts import FactsRow

VERSION = "wwiisim-1"
"""Changes when behaviour changes, and only then."""
CAVEAT = (
    "WWIISIM: armour values, firing skills and initiative are drafts of ours, and what its base rules would settle"
    " is a reading or a house number."
)


class Wwiisim:
    """WWIISIM World War II, version 1.5."""

    name = sheets.SYSTEM_NAME
    title = "WWIISIM"
    version = VERSION
    caveat = CAVEAT
    range_unit = "inches"
    aspects: tuple[str, ...] = shots.ASPECTS
    kinds: tuple[str, ...] = ("mobility_kill", "firepower_kill", "crew_kill", "catastrophic_kill")
    kernels: tuple[ModuleType, ...] = (layout, tables, shooting, contract)
    sources: tuple[ModuleType, ...] = (compiler, shots, scatter, weapons)
    readings: tuple[Reading, ...] = READINGS
    house_numbers: tuple[HouseNumber, ...] = HOUSE_NUMBERS
    stages: tuple[Stage, ...] = STAGES

    def load_sheet(self, path: Path) -> Sheet:
        """Return the sheet in a file; InputError lists all that is wrong with it."""
        return sheets.load_sheet(path)

    def parse_sheet(self, document: Document) -> Sheet:
        """Return the sheet in a document, as `load_sheet` does."""
        return sheets.parse_sheet(document)

    def sheet_text(self, sheet: Sheet, heading: str = "") -> str:
        """Return the text of a sheet's file, below a comment of one line."""
        from simlab.rules.wwiisim.sheet_text import LAYOUT

        return LAYOUT.text(sheets.to_mapping(sheet), heading)

    @property
    def row_columns(self) -> tuple[str, ...]:
        """The columns that a sheet may fill in a table of units, in order."""
        from simlab.rules.wwiisim.sheet_rows import COLUMNS

        return COLUMNS

    def sheet_to_row(self, sheet: Sheet) -> dict[str, Cell]:
        """Return the cells of a sheet by column."""
        from simlab.rules.wwiisim.sheet_rows import sheet_to_row

        return sheet_to_row(sheet)

    def sheet_from_row(self, row: Row) -> Sheet:
        """Return the sheet of a row; InputError lists all that is wrong with it, by column."""
        from simlab.rules.wwiisim.sheet_rows import sheet_from_row

        return sheet_from_row(row)

    def replace_fields(self, sheet: Sheet, fields: Mapping[str, Any]) -> Sheet:
        """Return a new sheet with fields, named by dotted paths, changed."""
        return sheets.replace_fields(sheet, fields)

    def field_value(self, sheet: Sheet, field: str) -> Any:
        """Return what stands at a dotted path, None for nothing; what the table fills in counts as written."""
        from simlab.rules.common.sheet_changes import value_at

        numbers = sheets.sheet_numbers(sheet)
        return numbers[field] if field in numbers else value_at(sheets.to_mapping(sheet), field)

    def sheet_numbers(self, sheet: Sheet) -> dict[str, float]:
        """Return the numbers of a sheet by their dotted paths, in its order."""
        return sheets.sheet_numbers(sheet)

    def formula_stats(self, sheet: Sheet) -> dict[str, float]:
        """Return the stats of a sheet that a points formula is made of."""
        from simlab.rules.wwiisim.formula_stats import formula_stats

        return formula_stats(sheet)

    def with_stats(self, sheet: Sheet, stats: Mapping[str, float], name: str) -> Sheet:
        """Return a sheet with these stats under another id, else like a given one."""
        from simlab.rules.wwiisim.formula_stats import with_stats

        return with_stats(sheet, stats, name)

    def equalised(self, a: Sheet, b: Sheet, stages: Collection[str], options: Options) -> tuple[Sheet, Sheet]:
        """Return two sheets that are alike in what the stages are about."""
        from simlab.rules.wwiisim.stages import equalised

        return equalised(a, b, stages)

    def knock_outs(self, sheet: Sheet) -> tuple[KnockOut, ...]:
        """Return the weapons of a sheet, each with the sheet without it."""
        from simlab.rules.wwiisim.stages import knock_outs

        return knock_outs(sheet)

    def sheet_hash(self, sheet: Sheet) -> str:
        """Return the hash of all of a sheet."""
        return sheets.sheet_hash(sheet)

    def fight_hash(self, sheet: Sheet) -> str:
        """Return the hash of what dice can see of a sheet."""
        return sheets.fight_hash(sheet)

    def render_sheet(self, sheet: Sheet) -> str:
        """Return the sheet drawn as text."""
        from simlab.rules.wwiisim.display import render_sheet

        return render_sheet(sheet)

    def read_facts(self, folder: Path) -> "dict[str, FactsRow]":
        """Return the rows of facts in a folder by id; InputError lists all that is wrong with them."""
        from simlab.rules.common.facts import read_facts

        return read_facts(folder)

    def draft_sheet(self, row: "FactsRow") -> Draft:
        """Return the sheet that a row of facts gives; InputError where a number is out of a sheet's bounds."""
        from simlab.rules.wwiisim.draft import draft_sheet

        return draft_sheet(row)

    def options(self, settings: Mapping[str, Any], constants: Mapping[str, Any] | None = None) -> Options:
        """Return the options with these readings and house numbers, all others at their defaults."""
        return Options.from_settings(settings, constants)

    def compile_fight(
        self,
        sheets_a: Sequence[Sheet],
        sheets_b: Sequence[Sheet],
        situation: Situation,
        options: Options,
        turns: int,
        parts: Parts | None = None,
    ) -> Fight:
        """Return the compiled fight of two sides whose ranges and aspects are given."""
        distinct: list[tuple[Sheet, str]] = []
        numbers = [
            number_types(sheets_a, distinct, lambda sheet: (sheet, "a")),
            number_types(sheets_b, distinct, lambda sheet: (sheet, "b")),
        ]
        scenes, scene_of_turn = situation.scenes(turns)
        types = list_types(distinct, scenes, options)
        plan = plan_phases(types, options)
        program = compile_program(types, scenes, plan, options)
        places = [tuple(type_place(number) for number in side) for side in numbers]
        return Fight(
            system=self,
            program=program,
            types_a=places[0],
            types_b=places[1],
            sheets_a=tuple(sheets_a),
            sheets_b=tuple(sheets_b),
            situation=situation,
            options=options,
            turns=turns,
            scene_of_turn=scene_of_turn,
            declared=False,
            can_fire_a=_is_armed(types, "a"),
            can_fire_b=_is_armed(types, "b"),
            phases=plan.names,
            coupled=is_coupled(program, len(types)),
        )

    def gunner_count(self, sheet: Sheet) -> int:
        """Return the number of single weapons of a sheet: exchanges a turn at most."""
        return len(sheet.arms)

    def gunner_name(self, sheet: Sheet, gunner: int) -> str:
        """Return the name of a single weapon, numbered where there are several of it."""
        key, weapon = sheet.arms[gunner]
        if weapon.count == 1:
            return weapon.name
        before = sum(other == key for other, _ in sheet.arms[:gunner])
        return f"{weapon.name} {before + 1}"

    def narrator(self, fight: Fight) -> Narrator:
        """Return the teller of a fight."""
        from simlab.rules.wwiisim.narrate import WwiisimNarrator

        return WwiisimNarrator(fight)

    def to_hit_table(
        self, sheet: Sheet, situation: Situation, options: Options
    ) -> tuple[tuple[str, ...], tuple[tuple[str, tuple[float, ...]], ...]]:
        """Return the chances of one firing die, by the number needed (WS-1)."""
        from simlab.rules.wwiisim.report import to_hit_table

        return to_hit_table(options)

    def report_arms(self, sheet: Sheet, situation: Situation, options: Options) -> Arms:
        """Return weapons and their bands, and the number that each needs, at the range of the first turn."""
        from simlab.rules.wwiisim.report import report_arms

        return report_arms(sheet, situation, options)

    def report_volleys(self, fight: Fight, expand: Any, ask: Any) -> list[VolleyReport]:
        """Return the exact figures of one volley of each weapon of side a against a fresh target."""
        from simlab.rules.wwiisim.report import report_volleys

        return report_volleys(fight, expand, ask)


def is_coupled(program: Any, types: int) -> bool:
    """Tell whether a unit's own dice or the end of a turn may change what it can do."""
    fields = (layout.REMEMBERS, layout.CAN_STUN)
    words = [program[type_place(number) + field] for number in range(types) for field in fields]
    return any(words) or bool(program[layout.SMOKE_TURNS])


def _is_armed(types: Sequence[UnitType], side: str) -> bool:
    return any(unit.armed for unit in types if unit.side == side)


SYSTEM = Wwiisim()
