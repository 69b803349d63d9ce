"""Frames as CSV text that no spreadsheet takes for formulas."""

import io

import pandas as pd

from simlab.model.errors import escaped

_STARTERS = ("=", "+", "-", "@", "\t", "\r", "\n")


def format_csv(frame: pd.DataFrame) -> str:
    """Return the frame as CSV: text cells defused, control characters spelt out, infinity as `inf`."""
    shown = frame.copy()
    for column in shown.columns:
        if not pd.api.types.is_numeric_dtype(shown[column]):
            shown[column] = [defused(str(cell)) for cell in shown[column]]
    buffer = io.StringIO()
    shown.to_csv(buffer, index=False, lineterminator="\n", float_format="%.6g")
    return buffer.getvalue()


def defused(text: str) -> str:
    """Return the text behind an apostrophe if a spreadsheet would run it, and without control characters."""
    quoted = f"'{text}" if text.lstrip(" ").startswith(_STARTERS) else text
    return escaped(quoted)
