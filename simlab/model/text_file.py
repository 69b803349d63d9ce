"""Files of text, read whole: small, UTF-8, without control characters; anything else is a fault with its line."""

import re
from pathlib import Path

from simlab.model.errors import InputError, escaped

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")


def read_bytes(path: Path, largest: int) -> bytes:
    """The content of a regular file, cut one byte after `largest`; InputError shows the path as it was given."""
    file = str(path)
    try:
        if not path.is_file():
            found = "something that is no file" if path.exists() else "no such file"
            raise InputError.one("document", found, "a readable file", file=file)
        with path.open("rb") as stream:
            return stream.read(largest + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "a path that cannot be opened"
        raise InputError.one("document", reason, "a readable file", file=file) from error


def decoded(content: bytes, file: str, largest: int) -> str:
    """The bytes as text, a byte order mark dropped. InputError with the line: too large, binary, not UTF-8."""

    def refused(found: str, allowed: str, line: int = 1) -> InputError:
        return InputError.one("document", found, allowed, file=file, line=line)

    if len(content) > largest:
        raise refused(f"more than {largest // 1024} KiB", f"at most {largest // 1024} KiB")
    if b"\0" in content:
        raise refused("binary data", "UTF-8 text", content.count(b"\n", 0, content.index(b"\0")) + 1)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refused(
            "bytes that are not UTF-8", "UTF-8 text", content.count(b"\n", 0, error.start) + 1
        ) from error
    control = _CONTROL.search(text)
    if control is not None:
        number = text.count("\n", 0, control.start()) + 1
        raise refused(f"the control character {escaped(control.group())}", "printable text", number)
    return text
