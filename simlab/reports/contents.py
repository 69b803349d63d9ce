"""What a page is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from simlab.reports.words import safe_names, text_of

if TYPE_CHECKING:
    import pandas as pd

    from simlab.analysis.roster import Roster

Record = Mapping[str, Any]


class PricesLike(Protocol):
    """The frames of a price run that a page shows, as `lab.price` returns them."""

    @property
    def units(self) -> "pd.DataFrame": ...
    @property
    def pairs(self) -> "pd.DataFrame": ...
    @property
    def cycles(self) -> "pd.DataFrame": ...
    @property
    def cyclic(self) -> Any: ...
    @property
    def lanchester(self) -> "pd.DataFrame": ...
    @property
    def situations(self) -> "pd.DataFrame": ...
    @property
    def record(self) -> Record: ...
    def headlines(self) -> Sequence[str]: ...


@dataclass(frozen=True, eq=False)
class Contents:
    """Everything that a page shows of a run.

    run: what a reader types to name the run. record: the content of `run.json`. units: id, name, ecv, source, draft.
    roster: matchups and ladder, None for a single unit. fair_numbers: those of the study's engagements, maybe none.
    kill_rates: as in `lab.Run`. anchor: id of the unit by whose price others are measured. headlines: findings in
    words. prices: frames of a price run. readings, referee: contents of `readings.json` and `referee.json`. Each of
    the last three is None where the run has none.
    """

    run: str
    record: Record
    units: "pd.DataFrame"
    roster: "Roster | None"
    fair_numbers: "pd.DataFrame"
    kill_rates: "pd.DataFrame"
    anchor: str | None
    headlines: Sequence[str]
    prices: PricesLike | None = None
    readings: Record | None = None
    referee: Record | None = None
    names: Mapping[str, str] = field(init=False, repr=False)
    """Names by id, without control characters, cut where they are long."""

    def __post_init__(self) -> None:
        """Work out the names once."""
        object.__setattr__(self, "names", safe_names(self.units))

    def name(self, unit: object) -> str:
        """Return the name of a unit; its id where the study has none of that id."""
        return self.names.get(str(unit), text_of(unit))
