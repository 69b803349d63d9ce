"""The options of a fight: readings, charts and house numbers (TD-1 to TD-9)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from simlab.model.errors import InputError, Problem
from simlab.rules.common.catalogue import Catalogue, ChosenOptions
from simlab.rules.common.choices import Value
from simlab.rules.tank_d20.charts_file import Charts, draft_charts, read_charts
from simlab.rules.tank_d20.readings import CATALOGUE

CHARTS = "charts"


@dataclass(frozen=True)
class Options(ChosenOptions):
    """What differs from the defaults, sorted by name, and the charts."""

    catalogue: ClassVar[Catalogue] = CATALOGUE
    charts: Charts = field(default_factory=draft_charts)

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Any], constants: Mapping[str, Any] | None = None
    ) -> "Options":
        """Options from names and values, typed on the command line or read from YAML.

        A name without `_a` or `_b` sets both sides. Raises InputError that lists all that is unknown or not legal;
        a problem's field is the name, of a house number `constants.<name>`.
        """
        problems: list[Problem] = []
        values: dict[str, Value] = {}
        charts = draft_charts()
        for written, value in settings.items():
            if written != CHARTS:
                problems += CATALOGUE.settle(values, written, value)
                continue
            try:
                charts = read_charts(value)
            except InputError as error:
                problems += error.problems
        numbers, faults = CATALOGUE.house_numbers(constants)
        if problems or faults:
            raise InputError(dict.fromkeys([*problems, *faults]))
        return cls(*cls.changed(values, numbers), charts)

    def value(self, name: str) -> Any:
        """The value in force of a reading. InputError for an unknown name."""
        return self.charts.name if name == CHARTS else super().value(name)

    def side(self, name: str, side: str) -> Any:
        """The value in force of a reading that each side has for itself."""
        return self.value(f"{name}_{side}")

    def non_default(self) -> dict[str, Any]:
        """What differs from the defaults; house numbers as `constants.<name>`, charts with all that they say.

        The charts count by their content, wherever they lie, and can be read again from it.
        """
        found = super().non_default()
        charts = {} if self.charts == draft_charts() else {CHARTS: self.charts.content()}
        return found | charts
