"""Record sheets of any system: texts on them, and reading a sheet of one's own out of a document."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

from pydantic import AfterValidator, Field

from simlab.model.document import Document, load_document
from simlab.model.errors import InputError, Problem, nearest, shown
from simlab.model.validation import StrictModel, validate
from simlab.rules.common.sheet_changes import changed_mapping

LONGEST_TEXT = 200
IDENTITY = ("id", "name", "nation", "provenance", "ecv")
"""What of a sheet no fight can depend on."""


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


class NamedSheet(StrictModel):
    """What a sheet is beside its file's keys. `id` is the file's stem, `file` the path that it was read from."""

    id: str
    file: str


S = TypeVar("S", bound=NamedSheet)


def _nothing(document: Document) -> Iterable[Problem]:
    return ()


@dataclass(frozen=True)
class SheetForm(Generic[S]):
    """How the sheets of a system are read and changed.

    sheet: a `body`, which are the keys of a file, with its name. to_mapping: gives plain values that read as an equal
    sheet. foreign: finds the problem that stands for all others, as of another system's sheet; check: finds what keys
    say against each other.
    """

    sheet: type[S]
    body: type[StrictModel]
    to_mapping: Callable[[S], dict[str, Any]]
    foreign: Callable[[Document], Problem | None]
    check: Callable[[Document], Iterable[Problem]] = _nothing

    def load(self, path: Path) -> S:
        """Read and check a sheet's file; the id is its stem. InputError lists all that is wrong with it."""
        return self.parse(load_document(path))

    def parse(self, document: Document) -> S:
        """Return the sheet in a document, checked wholly: each key by itself and what they say about each other.

        Raises InputError with all problems in the order of lines; of a foreign sheet that one alone.
        """
        return self.named(document, Path(document.file).stem)

    def named(self, document: Document, identity: str) -> S:
        """Return the sheet in a document under an id of its own; see `parse`."""
        if not identity.isprintable():
            allowed = "a file name of printable characters"
            raise InputError.one("id", shown(identity), allowed, file=document.file)
        self.refuse_foreign(document)
        body = validate(self.body, document, list(self.check(document)))
        return self.whole(body, identity, document.file)

    def of_values(self, values: dict[str, Any], identity: str) -> S:
        """Return the sheet of plain values that come from no file."""
        return self.named(Document("", values), identity)

    def refuse_foreign(self, document: Document) -> None:
        """Raise InputError for a sheet that is not read here at all."""
        problem = self.foreign(document)
        if problem is not None:
            raise InputError([problem])

    def whole(self, body: StrictModel, identity: str, file: str) -> S:
        """Return the sheet of a checked body, with its id and the file that it comes from."""
        fields: dict[str, Any] = {name: getattr(body, name) for name in type(body).model_fields}
        return self.sheet(**fields | {"id": identity, "file": file})

    def replaced(self, sheet: S, changes: Mapping[str, object]) -> S:
        """Return a sheet with the fields at dotted paths changed and all checked again; id and file stay.

        `{"armor.front": 7, "weapons.cannon.high": [6, 4, 3]}`. Raises InputError that names the fields.
        """
        problems: list[Problem] = []
        changed = changed_mapping(self.to_mapping(sheet), changes, problems)
        if problems:
            raise InputError(problems)
        return self.of_values(changed, sheet.id).model_copy(update={"file": sheet.file})
