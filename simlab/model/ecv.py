"""Estimated combat value: the price that a system prints on a unit (BK-10)."""

from typing import Annotated, Literal

from pydantic import Field

from simlab.model.validation import StrictModel


class Ecv(StrictModel):
    """A price in points, above 0 (0.001 to 10^9) or None while there is none, and where it comes from.

    rulebook: printed; draft: our estimate, never judged right or wrong; priced: fitted by simulation.
    """

    value: Annotated[float, Field(ge=1e-3, le=1e9, description="a number from 0.001 to 10^9")] | None
    source: Literal["rulebook", "draft", "priced"]

    @property
    def is_draft(self) -> bool:
        """Whether the value is only an estimate of ours."""
        return self.source == "draft"
