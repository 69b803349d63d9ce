"""House numbers: constants of the rules that a table may set for itself; and the catalogue of all that it may."""

from dataclasses import dataclass, fields
from typing import Any

from simlab.model.errors import InputError, Problem
from simlab.rules.blitzkrieg.readings import PAIR, READINGS
from simlab.rules.common.catalogue import Catalogue
from simlab.rules.common.choices import HouseNumber

HOUSE_NUMBERS = (
    HouseNumber("range_step", 12, "BK-12", "inches that make hitting harder by one", 1, 999),
    HouseNumber(
        "ap_reach", 30, "BK-15", "reach of machine guns whose sheet sets no range of its own", 0, 999
    ),
    HouseNumber("exploding", True, "BK-11", "box-cars are thrown again; without that a 12 stands"),
    HouseNumber(
        "contest_lead",
        1,
        "BK-26",
        "by how much the attacker's die has to be higher to explode a bin: 20 never, -19 always",
        -19,
        20,
        whole=True,
    ),
)
"""All constants, in the order of the rules."""

CATALOGUE = Catalogue(
    READINGS,
    HOUSE_NUMBERS,
    called="the name of a reading or optional rule",
    together=dict.fromkeys(PAIR, PAIR),
)
"""All that a table may settle for itself."""


@dataclass(frozen=True)
class Constants:
    """The constants in force. InputError for a value that is not legal."""

    range_step: int | float = 12
    ap_reach: int | float = 30
    exploding: bool = True
    contest_lead: int = 1

    def __post_init__(self) -> None:
        values = {
            field.name: CATALOGUE.house_number(field.name, getattr(self, field.name))
            for field in fields(self)
        }
        problems = [value for value in values.values() if isinstance(value, Problem)]
        if problems:
            raise InputError(problems)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def values(self) -> dict[str, Any]:
        """Return all constants by name, in the order of the rules."""
        return {number.name: getattr(self, number.name) for number in HOUSE_NUMBERS}

    def non_default(self) -> dict[str, Any]:
        """Return the constants that differ from the book, as `constants.<name>`."""
        return {
            f"constants.{name}": value
            for name, value in self.values().items()
            if value != CATALOGUE.number_by_name[name].default
        }
