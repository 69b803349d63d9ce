"""Tables of units for tests: the Sherman's row, changed."""

from pathlib import Path
from typing import Any

from simlab.model.table import write_table
from simlab.rules.blitzkrieg.sheet import load_sheet
from simlab.rules.blitzkrieg.sheet_rows import sheet_to_row

UNITS = Path(__file__).parent.parent / "units" / "blitzkrieg"
SHERMAN = load_sheet(UNITS / "m4a3_sherman_lp.yaml")
ALL = tuple(sorted(path.stem for path in UNITS.glob("*.yaml")))
THREE = ("m4a3_sherman_lp", "panther_g", "sherman_firefly_vc")


def rewritten(changes: dict[str, str], drop: tuple[str, ...] = (), rows: int = 1) -> str:
    """Write units.csv, the Sherman `rows` times with cells changed, and return its name."""
    cells: dict[str, Any] = sheet_to_row(SHERMAN) | changes
    names = [column for column in cells if column not in drop]
    table = [{**cells, "id": changes.get("id", f"unit_{number}")} for number in range(rows)]
    Path("units.csv").write_text(write_table(names, table), encoding="utf-8")
    return "units.csv"
