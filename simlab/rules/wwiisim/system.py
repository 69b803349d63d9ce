"""WWIISIM as a rule system: what the rooms above see of it."""

from collections.abc import Sequence
from typing import Any

from simlab.rules.common import usual
from simlab.rules.common.system import Compiled, DraftingSystem
from simlab.rules.contract import Parts
from simlab.rules.wwiisim import compile as compiler
from simlab.rules.wwiisim import scatter, shots, weapons
from simlab.rules.wwiisim.compile import compile_program, list_types, plan_phases, type_place
from simlab.rules.wwiisim.kernel import contract, layout, shooting, tables
from simlab.rules.wwiisim.options import Options
from simlab.rules.wwiisim.readings import HOUSE_NUMBERS, READINGS
from simlab.rules.wwiisim.sheet import SYSTEM_NAME, Sheet
from simlab.rules.wwiisim.stages import STAGES

VERSION = "wwiisim-1"
"""Changes when behaviour changes, and only then."""
CAVEAT = (
    "WWIISIM: armour values, firing skills and initiative are drafts of ours, and what its base rules would settle"
    " is a reading or a house number."
)


class Wwiisim(DraftingSystem[Sheet, Options]):
    """WWIISIM World War II, version 1.5."""

    package = "simlab.rules.wwiisim"
    name = SYSTEM_NAME
    title = "WWIISIM"
    version = VERSION
    caveat = CAVEAT
    shooter = "weapon"
    aspects = shots.ASPECTS
    kernels = (usual, layout, tables, shooting, contract)
    sources = (compiler, shots, scatter, weapons)
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
        """Return what types of units come to; the phases of a turn are those that the plan has."""
        units = list_types(types, scenes, options)
        plan = plan_phases(units, options)
        program = compile_program(units, scenes, plan, options)
        return Compiled(
            program,
            places=[type_place(number) for number in range(len(units))],
            armed=[bool(unit.armed) for unit in units],
            phases=plan.names,
            coupled=is_coupled(program, len(units)),
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


def is_coupled(program: Any, types: int) -> bool:
    """Tell whether a unit's own dice or the end of a turn may change what it can do."""
    fields = (layout.REMEMBERS, layout.CAN_STUN)
    words = [program[type_place(number) + field] for number in range(types) for field in fields]
    return any(words) or bool(program[layout.SMOKE_TURNS])


SYSTEM = Wwiisim()
