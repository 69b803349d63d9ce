"""Blitzkrieg as a rule system: what the rooms above see of it."""

from collections.abc import Sequence
from typing import Any

from simlab.rules.blitzkrieg import compile as compiler
from simlab.rules.blitzkrieg import memory_words, shots, unit_types
from simlab.rules.blitzkrieg import program as place
from simlab.rules.blitzkrieg.compile import ASPECTS, compile_program
from simlab.rules.blitzkrieg.constants import HOUSE_NUMBERS
from simlab.rules.blitzkrieg.kernel import contract, damage, layout, loss, manifest, special, to_hit, volley
from simlab.rules.blitzkrieg.options import READINGS, Options
from simlab.rules.blitzkrieg.sheet import Sheet
from simlab.rules.blitzkrieg.stage_names import STAGES
from simlab.rules.blitzkrieg.unit_types import unit_type
from simlab.rules.common import usual
from simlab.rules.common.system import Compiled, DraftingSystem
from simlab.rules.contract import Parts

VERSION = "blitzkrieg-1"
"""Changes when behaviour changes, and only then."""


class Blitzkrieg(DraftingSystem[Sheet, Options]):
    """The Shellshock Combat System for the Second World War."""

    package = "simlab.rules.blitzkrieg"
    name = "blitzkrieg"
    title = "Blitzkrieg"
    version = VERSION
    aspects = ASPECTS
    kernels = (usual, layout, to_hit, special, damage, manifest, loss, volley, contract)
    sources = (compiler, memory_words, shots, unit_types, place)
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
        """Return what types of units come to (BK-70)."""
        units = [unit_type(sheet, side) for sheet, side in types]
        program = compile_program(units, scenes, options, turns, parts)
        numbers = range(len(units))
        return Compiled(
            program,
            places=[place.type_place(number) for number in numbers],
            armed=[bool(_ever_armed(program, number, len(scenes))) for number in numbers],
            declared=options.value("fire_allocation") == "declared",
            shuffled=options.value("volley_order") == "random",
            twins=len(units) == 2 and place.are_twins(program, len(scenes)),
        )

    def gunner_count(self, sheet: Sheet) -> int:
        """Return the number of gunners of a sheet: exchanges a turn at most."""
        return len(sheet.gunners)

    def gunner_name(self, sheet: Sheet, gunner: int) -> str:
        """Return the name of a gunner."""
        return sheet.gunners[gunner].name


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
