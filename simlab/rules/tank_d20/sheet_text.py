"""A sheet as the text of its file, in the layout of the sheets in `units/`."""

import json
import re
import textwrap
from collections.abc import Mapping
from typing import Any

WIDTH = 122
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[ /-][A-Za-z0-9_]+)*")
_RESERVED = frozenset({"yes", "no", "on", "off", "y", "n", "true", "false", "null"})


def sheet_text(mapping: Mapping[str, Any], comment: str = "") -> str:
    """The text of a file that reads as `mapping` (see `to_mapping`), below a line of comment."""
    lines = [f"# {comment}"] if comment else []
    for key, value in mapping.items():
        if key == "provenance":
            lines += [*_free_text(key, value), ""]
        elif key == "armor":
            lines += ["", f"{key}:", *(f"  {face}: {_flow(plates)}" for face, plates in value.items())]
        else:
            lines.append(f"{key}: {_flow(value)}")
    return "\n".join(lines) + "\n"


def _flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flow(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flow(part) for part in value) + "]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    """A text, number, truth or null; texts are quoted unless they are plain words."""
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and value.lower() not in _RESERVED
        return value if plain else json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return json.dumps(value)


def _free_text(key: str, text: str) -> list[str]:
    """A quoted text, folded at single spaces where it is long."""
    line = f"{key}: {json.dumps(text, ensure_ascii=False)}"
    if len(line) <= WIDTH or "  " in text or text != text.strip() or not text.isprintable():
        return [line]
    return textwrap.wrap(line, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
