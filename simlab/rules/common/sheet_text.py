"""A sheet as the text of its file, in the layout of the sheets in `units/`."""

import json
import textwrap
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from simlab.model.document import parse_document
from simlab.model.errors import InputError

WIDTH = 122
_RESERVED = frozenset({"yes", "no", "on", "off", "y", "n"})
_PLAIN = frozenset(" _./()-'°")


@lru_cache(maxsize=4096)
def reads_plainly(text: str) -> bool:
    """Whether a text reads as itself without quotes; the keys and words of sheets come again and again."""
    if not (text[:1].isalnum() or text[:1] == "_") or text.lower() in _RESERVED:
        return False
    if not all(c.isalnum() or c in _PLAIN for c in text):
        return False
    try:
        return bool(parse_document(f"- [{text}]\n- {text}\n".encode(), "").value == [[text], text])
    except InputError:
        return False


@dataclass(frozen=True)
class Layout:
    """How the keys of a system's sheets are laid out; a key that is not named stands on one line with its value.

    blocks: keys whose mappings and lists have a line for each part. spaced: those of them below an empty line. folded:
    keys of free texts, which an empty line follows. plain: whether a text stands without quotes.
    """

    blocks: Collection[str] = ()
    spaced: Collection[str] = ()
    folded: Collection[str] = ("provenance",)
    plain: Callable[[str], bool] = reads_plainly

    def text(self, mapping: Mapping[str, Any], comment: str = "") -> str:
        """The text of a file that reads as `mapping`, below a line of comment.

        Small mappings stand on one line each, as a person would write them.
        """
        lines = [f"# {comment}"] if comment else []
        for key, value in mapping.items():
            if key in self.blocks:
                lines += [""] if key in self.spaced and lines[-1:] != [""] else []
                lines += self._block(key, value)
            elif key in self.folded:
                lines += [*_free_text(key, value), ""]
            else:
                lines.append(f"{key}: {self._flow(value)}")
        return "\n".join(lines) + "\n"

    def _block(self, key: str, value: Any) -> list[str]:
        """A key with the parts of its value below it."""
        if isinstance(value, Mapping):
            return [
                f"{key}:",
                *(f"  {self._scalar(name)}: {self._flow(part)}" for name, part in value.items()),
            ]
        return [f"{key}:", *(f"  - {self._flow(part)}" for part in value)] if value else [f"{key}: []"]

    def _flow(self, value: Any) -> str:
        """A value on one line."""
        if isinstance(value, Mapping):
            parts = (f"{self._scalar(key)}: {self._flow(part)}" for key, part in value.items())
            return "{" + ", ".join(parts) + "}"
        if isinstance(value, list | tuple):
            return "[" + ", ".join(self._flow(part) for part in value) + "]"
        return self._scalar(value)

    def _scalar(self, value: Any) -> str:
        """A text, number, truth or null; texts are quoted unless they are plain."""
        if value is None:
            return "null"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int):
            return str(value)
        if isinstance(value, float):
            return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        text = str(value)
        return text if self.plain(text) else json.dumps(text, ensure_ascii=False)


def _free_text(key: str, text: str) -> list[str]:
    """A quoted text, folded at single spaces where it is long."""
    line = f"{key}: {json.dumps(text, ensure_ascii=False)}"
    if len(line) <= WIDTH or "  " in text or text != text.strip() or not text.isprintable():
        return [line]
    return textwrap.wrap(line, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
