"""simlab: does the price of a unit match what happens on the table?

The verbs of `simlab.lab` are here as well: `simlab.duel("panther_g", "m4a3_sherman_lp", range=24)`.
"""

from typing import Any

from simlab.version import __version__

VERBS = (
    "across",
    "appraise",
    "changed",
    "check",
    "compare",
    "draft",
    "drafts",
    "duel",
    "engage",
    "export_units",
    "find_sheet",
    "formula",
    "import_units",
    "load_prices",
    "load_run",
    "odds",
    "plot",
    "price",
    "readings",
    "referee",
    "report",
    "run",
    "sensitivity",
    "show",
    "solve",
    "status",
    "trace",
    "units",
    "whatif",
    "why",
)
__all__ = ["__version__"]


def __getattr__(name: str) -> Any:
    if name not in VERBS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from simlab import lab

    return getattr(lab, name)


def __dir__() -> list[str]:
    return sorted({*VERBS, *(name for name in globals() if name.startswith("__"))})
