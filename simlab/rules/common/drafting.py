"""Sheets drafted from facts: the numbers noted as they come, and the sheet that they give."""

from collections.abc import Callable, Mapping, Sequence
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


def drafted(
    row: FactsRow,
    record: Record,
    mapping: Mapping[str, Any],
    read: Callable[[Document, str], Any],
    layout: Layout,
    caution: str,
) -> Draft:
    """The sheet that `read` makes of a mapping, the text of its file below a caution, and the steps that led to it.

    Raises InputError, with the row's file and line, where a number is out of a sheet's bounds.
    """
    try:
        sheet = read(Document("", mapping), row.vehicle.id)
    except InputError as error:
        raise InputError(
            Problem(row.file, row.line, f"{row.vehicle.id}.{p.field}", p.found, p.allowed)
            for p in error.problems
        ) from None
    return Draft(sheet, layout.text(mapping, f"{row.vehicle.name}: {caution}"), tuple(record.steps))
