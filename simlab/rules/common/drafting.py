"""Sheets drafted from facts: the numbers noted as they come, and the sheet that they give."""

from collections.abc import Callable, Sequence
from typing import Any

from simlab.model.document import Document
from simlab.model.errors import InputError, Problem
from simlab.rules.common.facts import FactsRow
from simlab.rules.common.sheet_text import Layout
from simlab.rules.contract import Draft, DraftStep


class Record:
    """The steps of a draft as they come.

    unverified: columns of facts that nobody verified. between: what stands between the parts of a list.
    """

    def __init__(self, unverified: frozenset[str], between: str = "/") -> None:
        self._unverified = unverified
        self._between = between
        self.steps: list[DraftStep] = []

    def put(self, name: str, value: Any, formula: str, basis: str, **inputs: Any) -> Any:
        """Note a number and return it; inputs are columns of the facts or numbers that stand above it."""
        texts = tuple(f"{key} {self._text(given)}{self._mark(key)}" for key, given in inputs.items())
        self.steps.append(DraftStep(name, self._text(value), formula, texts, basis))
        return value

    def _mark(self, column: str) -> str:
        return " (unverified)" if column in self._unverified else ""

    def _text(self, value: Any) -> str:
        if value is None:
            return "-"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, float):
            return f"{value:.4g}"
        if isinstance(value, Sequence) and not isinstance(value, str):
            return self._between.join(self._text(part) for part in value)
        return str(value)


def heading(system: str, row: FactsRow, price: int, provenance: str, **more: str) -> dict[str, Any]:
    """Return the first keys of a drafted sheet, `more` behind its system: whose it is, its price, where it is from."""
    return {
        "system": system,
        **more,
        "name": row.vehicle.name,
        "nation": row.vehicle.nation,
        "ecv": {"value": price, "source": "draft"},
        "provenance": provenance,
    }


def plate_columns(row: FactsRow, face: str, parts: Sequence[str] = ("hull", "turret")) -> dict[str, float]:
    """Return the columns of a vehicle's plates on a face, each in mm and degrees, without empty ones."""
    columns = (f"{part}_{face}_{unit}" for part in parts for unit in ("mm", "deg"))
    values = ((column, getattr(row.vehicle, column)) for column in columns)
    return {column: value for column, value in values if value is not None}


def drafter(
    draw: Callable[[FactsRow, Record], dict[str, Any]],
    read: Callable[[Document, str], Any],
    layout: Layout,
    caution: str,
    between: str = "/",
) -> Callable[[FactsRow], Draft]:
    """Return a system's `draft_sheet`: from a row of facts a sheet, its file's text, and how its numbers came about.

    draw: gives the sheet as its file holds it, each number put into a record; read: makes a sheet of it; caution: what
    the file says above it; between: what stands between the parts of a list in a record. `draft_sheet` raises
    InputError, with the row's file and line, where a number is out of a sheet's bounds.
    """

    def draft_sheet(row: FactsRow) -> Draft:
        record = Record(row.unverified, between)
        mapping = draw(row, record)
        try:
            sheet = read(Document("", mapping), row.vehicle.id)
        except InputError as error:
            raise InputError(
                Problem(row.file, row.line, f"{row.vehicle.id}.{p.field}", p.found, p.allowed)
                for p in error.problems
            ) from None
        return Draft(sheet, layout.text(mapping, f"{row.vehicle.name}: {caution}"), tuple(record.steps))

    return draft_sheet
