"""The layout of a sheet's file."""

import re

from simlab.rules.common.sheet_text import Layout

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[ /-][A-Za-z0-9_]+)*")
_RESERVED = frozenset({"yes", "no", "on", "off", "y", "n", "true", "false", "null"})


def _is_plain(text: str) -> bool:
    """Whether a text is plain words."""
    return _PLAIN.fullmatch(text) is not None and text.lower() not in _RESERVED


LAYOUT = Layout(blocks=("armor",), spaced=("armor",), plain=_is_plain)
