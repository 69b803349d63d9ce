"""One function a question: the Python API, and all that the command line and notebooks call.

Names are imported when they are first used, so that a question loads only what it needs.
"""

import importlib
from typing import Any

_HOMES = {
    "duel": "fights",
    "engage": "fights",
    "odds": "chances",
    "trace": "telling",
    "find_sheet": "roster",
    "units": "roster",
    "check": "checking",
    "show": "roster",
    "changed": "roster",
    "export_units": "spreadsheet",
    "import_units": "spreadsheet",
    "draft": "drafting",
    "drafts": "drafting",
    "run": "study",
    "load_run": "study",
    "plot": "study",
    "report": "reporting",
    "status": "standing",
    "readings": "ambiguity",
    "referee": "verdict",
    "compare": "comparison",
    "across": "several_systems",
    "whatif": "changed_duels",
    "sensitivity": "nudges",
    "solve": "solving_for",
    "why": "reasons",
    "price": "pricing",
    "appraise": "appraising",
    "formula": "points_formula",
    "load_prices": "stored_prices",
    "price_changes": "price_writing",
    "write_changes": "price_writing",
}
VERBS = tuple(_HOMES)
__all__ = list(VERBS)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*VERBS, *(name for name in globals() if name.startswith("__"))})
