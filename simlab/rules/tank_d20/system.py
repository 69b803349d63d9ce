"""Tank gunnery with a d20 as a rule system: what the rooms above see of it."""

from collections.abc import Sequence
from typing import Any

from simlab.rules.common import usual
from simlab.rules.common.system import Compiled, DraftingSystem
from simlab.rules.contract import Parts
from simlab.rules.tank_d20 import charts_file, crews, rules_charts, shots
from simlab.rules.tank_d20 import compile as compiler
from simlab.rules.tank_d20.compile import Unit, compile_program, type_place
from simlab.rules.tank_d20.kernel import crew, layout, shot, turn
from simlab.rules.tank_d20.names import FACINGS
from simlab.rules.tank_d20.options import Options
from simlab.rules.tank_d20.readings import HOUSE_NUMBERS, READINGS
from simlab.rules.tank_d20.sheet import Sheet
from simlab.rules.tank_d20.stage_names import STAGES

VERSION = "tank_d20-1"
"""Changes when behaviour changes, and only then."""


class TankD20(DraftingSystem[Sheet, Options]):
    """Tank gunnery with a d20."""

    package = "simlab.rules.tank_d20"
    name = "tank_d20"
    title = "Tank gunnery d20"
    version = VERSION
    caveat = (
        "Hit location, penetration effects, crews and the shipped sheets of tank_d20 are drafts of this project:"
        " the published rules do not print them."
    )
    shooter = "gun"
    aspects = FACINGS
    kernels = (usual, layout, crew, shot, turn)
    sources = (compiler, shots, crews, rules_charts, charts_file)
    readings = READINGS
    house_numbers = HOUSE_NUMBERS
    stages = STAGES

    def compile_types(
        self,
        types: Sequence[tuple[Sheet, str]],
        scenes: Sequence[Any],
        options: Options,
        turns: int,
        parts: Parts,
    ) -> Compiled:
        """Return what types of units come to; the phases of a turn are actions (TD-9)."""
        units = [Unit(sheet, side) for sheet, side in types]
        program = compile_program(units, scenes, options, turns, parts)
        return Compiled(
            program,
            places=[type_place(number) for number in range(len(units))],
            armed=[compiler.ever_fires(unit, scenes, options) for unit in units],
            twins=len(units) == 2 and compiler.are_twins(program, len(scenes)),
            phases=tuple(f"action {number}" for number in range(1, options.value("actions") + 1)),
            coupled=True,
        )

    def gunner_count(self, sheet: Sheet) -> int:
        """Return the number of gunners of a sheet: one main gun."""
        return 1

    def gunner_name(self, sheet: Sheet, gunner: int) -> str:
        """Return the name of a gunner."""
        return "main gun"


SYSTEM = TankD20()
