"""Estimated combat value: the price that a system prints on a unit (BK-10)."""

from typing import Annotated, Literal

from pydantic import Field

from simlab.model.validation import StrictModel


class Ecv(StrictModel):
    """A price in points, above 0, or None while there is none, and where it comes from.

    It lies between 10^-9 and 10^100, so that it can be shown and sums stay finite. rulebook: printed; draft: our
    estimate, never judged right or wrong; priced: fitted by simulation.
    """

    value: Annotated[float, Field(ge=1e-9, le=1e100, description="a number from 10^-9 to 10^100")] | None
    source: Literal["rulebook", "draft", "priced"]

    @property
    def is_draft(self) -> bool:
        """Whether the value is only an estimate of ours."""
        return self.source == "draft"
