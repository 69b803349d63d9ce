"""Pages of text with examples: their fenced blocks, and the command lines in them with what they print."""

import re

COMPILING = "compiling the "
"""How a note begins that is said when the rules were never run before on this machine."""


def blocks(text: str, language: str) -> list[str]:
    """Return the contents of the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


def commands(session: str) -> list[tuple[str, str]]:
    """Return the command lines of a console block, each with the output below it."""
    parts = (part.partition("\n") for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:])
    return [(command, output) for command, _, output in parts]
