"""The options of a fight: readings and house numbers, as far as they differ from the defaults."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from simlab.model.errors import InputError
from simlab.rules.common.catalogue import Catalogue, ChosenOptions
from simlab.rules.common.choices import Value
from simlab.rules.wwiisim.readings import CATALOGUE


@dataclass(frozen=True)
class Options(ChosenOptions):
    """What differs from the defaults, sorted by name."""

    catalogue: ClassVar[Catalogue] = CATALOGUE

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Any], constants: Mapping[str, Any] | None = None
    ) -> "Options":
        """Return options from names and values, typed on the command line or read from YAML.

        InputError lists all that is wrong; the field of a problem is the name, of a house number
        `constants.<name>`.
        """
        values: dict[str, Value] = {}
        problems = [
            problem
            for written, value in settings.items()
            for problem in CATALOGUE.settle(values, written, value)
        ]
        numbers, faults = CATALOGUE.house_numbers(constants)
        if problems or faults:
            raise InputError([*problems, *faults])
        return cls(*cls.changed(values, numbers))
