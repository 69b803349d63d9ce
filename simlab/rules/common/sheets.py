"""Record sheets of any system: texts on them, and reading a sheet of one's own out of a document."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field

from simlab.model.document import Document
from simlab.model.errors import InputError, Problem, nearest, shown
from simlab.model.validation import StrictModel, validate
from simlab.rules.common.sheet_changes import changed_mapping

LONGEST_TEXT = 200
IDENTITY = ("id", "name", "nation", "provenance", "ecv")
"""What of a sheet no fight can depend on."""
S = TypeVar("S", bound=StrictModel)


def _one_line(text: str) -> str:
    """The text, if it is not blank and holds no controls, direction marks and the like."""
    if not text.strip() or not all(c.isprintable() or unicodedata.category(c) == "Zs" for c in text):
        raise ValueError("unprintable")
    return text


def _many_lines(text: str) -> str:
    """The text, if it is printable but for line ends and tabs."""
    if not text.translate({9: None, 10: None, 13: None}).isprintable():
        raise ValueError("unprintable")
    return text


Line = Annotated[
    str,
    Field(
        min_length=1, max_length=LONGEST_TEXT, description=f"text of 1 to {LONGEST_TEXT} printable characters"
    ),
    AfterValidator(_one_line),
]
FreeText = Annotated[str, Field(description="printable text"), AfterValidator(_many_lines)]


def foreign_problem(document: Document, system: str) -> Problem | None:
    """The one problem of a sheet of another system than `system`."""
    found = document.value.get("system") if isinstance(document.value, dict) else None
    if isinstance(found, str) and found != system and nearest(found, [system]) is None:
        return document.problem(("system",), shown(found), system)
    return None


def read_sheet(
    sheet: type[S],
    body: type[StrictModel],
    document: Document,
    identity: str,
    foreign: Callable[[Document], Problem | None],
    check: Callable[[Document], Iterable[Problem]] = lambda document: (),
) -> S:
    """The sheet in a document under an id, its keys those of `body`. InputError with all problems.

    foreign: finds the problem that stands for all others, as of another system's sheet; check: finds what keys say
    against each other.
    """
    if not identity.isprintable():
        raise InputError.one("id", shown(identity), "a file name of printable characters", file=document.file)
    problem = foreign(document)
    if problem is not None:
        raise InputError([problem])
    return whole_sheet(sheet, validate(body, document, list(check(document))), identity, document.file)


def whole_sheet(sheet: type[S], body: StrictModel, identity: str, file: str) -> S:
    """The sheet of a checked body, with its id and the file that it comes from."""
    fields: dict[str, Any] = {name: getattr(body, name) for name in type(body).model_fields}
    return sheet(**fields | {"id": identity, "file": file})


def replaced(mapping: dict[str, Any], changes: Mapping[str, object], read: Callable[[Document], S]) -> S:
    """The sheet that `read` makes of another one's mapping with the fields at dotted paths changed.

    Raises InputError that names the fields.
    """
    problems: list[Problem] = []
    changed = changed_mapping(mapping, changes, problems)
    if problems:
        raise InputError(problems)
    return read(Document("", changed))
