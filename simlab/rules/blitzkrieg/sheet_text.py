"""A sheet as the text of its file, in the layout of the sheets in `units/`."""

import json
import textwrap
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from simlab.model.document import parse_document
from simlab.model.errors import InputError

WIDTH = 122
_RESERVED = frozenset({"yes", "no", "on", "off", "y", "n"})
_PLAIN = frozenset(" _./()-'°")


def sheet_text(mapping: Mapping[str, Any], comment: str = "") -> str:
    """The text of a file that reads as `mapping` (see `to_mapping`), below a line of comment.

    Small mappings stand on one line each, as a person would write them.
    """
    lines = [f"# {comment}"] if comment else []
    for key, value in mapping.items():
        if key in ("defense", "weapons"):
            lines += ["", f"{key}:"] if key == "weapons" or lines[-1] else [f"{key}:"]
            lines += [f"  {_scalar(name)}: {_flow(part)}" for name, part in value.items()]
        elif key in ("gunners", "manifest"):
            lines += ["", f"{key}:"] if key == "manifest" else [f"{key}:"]
            lines += [f"  - {_flow(part)}" for part in value]
            if not value:
                lines[-1] += " []"
        elif key == "provenance":
            lines += [*_free_text(key, value), ""]
        else:
            lines.append(f"{key}: {_flow(value)}")
    return "\n".join(lines) + "\n"


def _flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_scalar(key)}: {_flow(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flow(part) for part in value) + "]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    """A text, number, truth or null; texts are quoted unless they read as themselves without."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    text = str(value)
    return text if _is_plain(text) else json.dumps(text, ensure_ascii=False)


@lru_cache(maxsize=4096)
def _is_plain(text: str) -> bool:
    """Whether a text reads as itself without quotes; the keys and words of sheets come again and again."""
    if not (text[:1].isalnum() or text[:1] == "_") or text.lower() in _RESERVED:
        return False
    if not all(c.isalnum() or c in _PLAIN for c in text):
        return False
    try:
        return bool(parse_document(f"- [{text}]\n- {text}\n".encode(), "").value == [[text], text])
    except InputError:
        return False


def _free_text(key: str, text: str) -> list[str]:
    """A quoted text, folded at single spaces where it is long."""
    line = f"{key}: {json.dumps(text, ensure_ascii=False)}"
    if len(line) <= WIDTH or "  " in text or text != text.strip() or not text.isprintable():
        return [line]
    return textwrap.wrap(line, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
