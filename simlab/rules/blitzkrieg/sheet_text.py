"""The layout of a sheet's file."""

from simlab.rules.common.sheet_text import Layout

LAYOUT = Layout(
    blocks=("defense", "weapons", "gunners", "manifest"),
    spaced=("defense", "weapons", "manifest"),
)
