"""YAML text to plain values that remember their lines.

A small, harmless part of YAML: mappings, lists and scalars of the 1.2 core schema in one UTF-8 document.
Anchors, aliases, tags, merge keys and directives are refused, and size and depth are bounded, so that no
file can cost much time or memory.
"""

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import yaml

from simlab.model.errors import InputError, Problem, shown
from simlab.model.text_file import decoded, read_bytes

LARGEST_FILE = 256 * 1024
DEEPEST = 32
LONGEST_NUMBER = 1000

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_WORDS: Mapping[str, Any] = MappingProxyType(
    {
        **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
        **dict.fromkeys(("true", "True", "TRUE"), True),
        **dict.fromkeys(("false", "False", "FALSE"), False),
        **{sign + word: float(sign + "inf") for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")},
        **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    }
)

Where: TypeAlias = tuple[Hashable, ...]


def dotted(path: Sequence[object]) -> str:
    """A path as users write it: `weapons.cannon.high`; the whole file is `document`."""
    return (
        ".".join(
            part if isinstance(part, str) and part and part == part.strip() else shown(part) for part in path
        )
        or "document"
    )


@dataclass(frozen=True)
class Document:
    """A parsed file: plain dicts, lists, text, numbers, booleans and None.

    `lines` maps paths to lines counted from 1 and is empty for values that come from no file. `problems`
    are duplicate keys (the first one counts in `value`): `validation.validate` lists them with its own; who
    reads `value` otherwise calls `checked()`.
    """

    file: str
    value: Any
    lines: Mapping[Where, int] = field(default_factory=dict, repr=False)
    problems: tuple[Problem, ...] = ()

    def line_of(self, path: Sequence[Hashable]) -> int:
        """Line of the key or list item at the path, or of its nearest parent that exists."""
        parts = tuple(path)
        while parts and parts not in self.lines:
            parts = parts[:-1]
        return self.lines.get(parts, 1)

    def problem(self, path: Sequence[Hashable], found: str, allowed: str, hint: str | None = None) -> Problem:
        """A problem at the path, with file and line where they are known."""
        line = self.line_of(path) if self.lines else None
        return Problem(self.file, line, dotted(path), found, allowed, hint)

    def located(self, error: InputError, prefix: Sequence[Hashable] = ()) -> InputError:
        """The error of a value under `prefix` in this document, with file, line and whole field names."""
        return InputError.listed(
            self.problem([*prefix, *p.field.split(".")], p.found, p.allowed, p.hint) for p in error.problems
        )

    def checked(self) -> "Document":
        """The document itself; InputError if it has duplicate keys."""
        if self.problems:
            raise InputError.listed(self.problems)
        return self


def load_document(path: Path) -> Document:
    """Read a YAML file of at most 256 KiB. Messages show the path as it was given.

    Raises InputError: no readable regular file, too large, and all that `parse_document` refuses.
    """
    return parse_document(read_bytes(path, LARGEST_FILE), str(path))


def parse_document(text: bytes, file: str) -> Document:
    """Parse the bytes of one YAML document; `file` is its name in messages.

    Raises InputError with the line: empty, too large (256 KiB), not UTF-8, binary, not YAML, several
    documents, deeper than 32, tags, anchors, aliases, merge keys, directives, keys that are no scalars.
    """
    content = decoded(text, file, LARGEST_FILE)
    _check_start(content, file)
    builder = _Builder(file)
    try:
        for event in yaml.parse(content, Loader=_LOADER):
            builder.take(event)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = 1 if mark is None else min(_line(mark), len(content.splitlines()))
        reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
        builder.refuse(line, (), f"text that is not YAML ({reason})", "well-formed YAML")
        raise InputError.listed(builder.problems) from error
    return builder.document()


def _check_start(text: str, file: str) -> None:
    """Refuse directives and files without content."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("%"):
            raise InputError.one("document", "a YAML directive", "a plain document", file=file, line=number)
        if line.strip() and not line.lstrip().startswith("#"):
            return
    raise InputError.one("document", "an empty file", "a YAML document", file=file, line=1)


def _line(mark: Any) -> int:
    return int(mark.line) + 1


class _Level:
    """A mapping or list under construction; `key` is the mapping key whose value comes next."""

    __slots__ = ("container", "has_key", "is_list", "keep", "key", "path")

    def __init__(self, container: dict[Any, Any] | list[Any], path: Where) -> None:
        self.container = container
        self.path = path
        self.is_list = isinstance(container, list)
        self.key: Any = None
        self.has_key = False
        self.keep = True


class _Builder:
    """Builds values from parse events without recursion."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.fatal = False
        self.lines: dict[Where, int] = {}
        self.levels: list[_Level] = []
        self.value: Any = None
        self.documents = 0

    def refuse(self, line: int, path: Where, found: str, allowed: str, hint: str | None = None) -> None:
        self.fatal = True
        self.problems.append(Problem(self.file, line, dotted(path), found, allowed, hint))

    def document(self) -> Document:
        if self.fatal:
            raise InputError.listed(self.problems)
        return Document(self.file, self.value, self.lines, tuple(self.problems))

    def take(self, event: Any) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._open(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self.levels.pop()
        elif isinstance(event, yaml.AliasEvent):
            where = self._here()
            self.refuse(_line(event.start_mark), where, f"the alias *{event.anchor}", "the value itself")
            self._place(None, where, _line(event.start_mark))
        elif isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                self.refuse(_line(event.start_mark), (), "a second document", "one document a file")
                raise InputError.listed(self.problems)

    def _here(self) -> Where:
        """Path of the value that comes next."""
        if not self.levels:
            return ()
        level = self.levels[-1]
        if level.is_list:
            return (*level.path, len(level.container))
        return (*level.path, level.key) if level.has_key else level.path

    def _plain(self, event: Any, path: Where) -> None:
        """Refuse tags and anchors on a node."""
        if event.tag is not None:
            self.refuse(_line(event.start_mark), path, f"the tag {event.tag}", "values without tags")
        if event.anchor is not None:
            self.refuse(
                _line(event.start_mark), path, f"the anchor &{event.anchor}", "values without anchors"
            )

    def _open(self, event: Any) -> None:
        path, line = self._here(), _line(event.start_mark)
        self._plain(event, path)
        if self.levels and isinstance(self.levels[-1].container, dict) and not self.levels[-1].has_key:
            self.refuse(line, path, "a key that is a list or mapping", "keys that are text or numbers")
            raise InputError.listed(self.problems)
        if len(self.levels) >= DEEPEST:
            self.refuse(line, path[:4], f"more than {DEEPEST} levels", f"at most {DEEPEST} levels")
            raise InputError.listed(self.problems)
        container: dict[Any, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        self._place(container, path, line)
        self.levels.append(_Level(container, path))

    def _scalar(self, event: Any) -> None:
        level, line = self.levels[-1] if self.levels else None, event.start_mark.line + 1
        path = self._here()
        if event.tag is not None or event.anchor is not None:
            self._plain(event, path)
        value = self._resolved(event, path)
        if level is not None and not level.has_key and not level.is_list:
            self._key(level, value, event, line)
        else:
            self._place(value, path, line)

    def _key(self, level: _Level, key: Any, event: Any, line: int) -> None:
        path = (*level.path, key)
        if key == "<<" and event.implicit[0]:
            self.refuse(line, path, "a merge key", "keys written out")
        level.key, level.has_key, level.keep = key, True, key not in level.container
        if level.keep:
            self.lines.setdefault(path, line)
        else:
            found = f"the key a second time (first in line {self.lines.get(path, 1)})"
            self.problems.append(Problem(self.file, line, dotted(path), found, "each key once"))

    def _place(self, value: Any, path: Where, line: int) -> None:
        if not self.levels:
            self.value = value
            self.lines[()] = line
            return
        level = self.levels[-1]
        if isinstance(level.container, list):
            self.lines.setdefault(path, line)
            level.container.append(value)
            return
        if level.keep:
            level.container[level.key] = value
        level.has_key = False

    def _resolved(self, event: Any, path: Where) -> Any:
        """The value of a scalar by the core schema; quoted and block scalars are text."""
        text: str = event.value
        if not event.implicit[0]:
            return text
        if text in _WORDS:
            return _WORDS[text]
        if text[0] not in "+-.0123456789":
            return text
        if _INTEGER.fullmatch(text):
            if len(text) <= LONGEST_NUMBER:
                return int(text)
            self.refuse(_line(event.start_mark), path, f"a number of {len(text)} digits", "a shorter number")
            return 0
        return float(text) if _FLOAT.fullmatch(text) else text
