"""Monospace text of terminal cells: fitting, filling, wrapping, and what all drawn sheets open and end with."""

from collections.abc import Sequence

from rich.cells import cell_len, chop_cells, set_cell_size

from simlab.model.errors import escaped
from simlab.rules.contract import Sheet

WIDTH = 78
"""Columns of a drawn sheet."""
PROVENANCE_LINES = 4


def drawn(sheet: Sheet, title: Sequence[str], *blocks: Sequence[str]) -> str:
    """Return a sheet of a title box, blocks of lines with an empty line between, and where it comes from."""
    lines = [*title, *blocks[0]]
    for block in (*blocks[1:], provenance_lines(sheet)):
        lines += ["", *block]
    return "\n".join(line.rstrip() for line in lines)


def title_box(sheet: Sheet, kinds: Sequence[str], *more: str) -> list[str]:
    """Return the box at the top of a sheet: name, nation, kinds, id, the ECV with its source, and more lines."""
    inner = WIDTH - 4
    value = "not priced" if sheet.ecv.value is None else number(sheet.ecv.value)
    rows = [
        spread(sheet.name, f"ECV {value} ({sheet.ecv.source})", inner),
        spread(" · ".join([escaped(sheet.nation), *kinds]), sheet.id, inner),
        *(spread(line, "", inner) for line in more),
    ]
    bar = "═" * (WIDTH - 2)
    return [f"╔{bar}╗", *(f"║ {row} ║" for row in rows), f"╚{bar}╝"]


def provenance_lines(sheet: Sheet) -> list[str]:
    """Return where the sheet comes from, wrapped, at most four lines."""
    lines = wrap(escaped(f"Source: {sheet.provenance}"), WIDTH)
    if len(lines) > PROVENANCE_LINES:
        lines = [
            *lines[: PROVENANCE_LINES - 1],
            fit(" ".join(lines[PROVENANCE_LINES - 1 :]), WIDTH),
        ]
    return lines


def wrap(text: str, width: int) -> list[str]:
    """Return `text` in lines of at most `width` cells, broken at blanks where there are any."""
    lines = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}".lstrip()
        if cell_len(joined) <= width:
            lines[-1] = joined
        else:
            lines.extend(chop_cells(word, width))
    return [line for line in lines if line]


def number(value: float) -> str:
    """Return the shortest decimal text of a number: 558 for 558.0, 0.58, 1e+30."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def fit(text: str, width: int) -> str:
    """Return `text` made printable and cut to `width` terminal cells, an ellipsis marking the cut."""
    plain = escaped(text)
    if cell_len(plain) <= width:
        return plain
    return set_cell_size(plain, width - 1).rstrip() + "…"


def pad(text: str, width: int) -> str:
    """Return `text` filled with blanks to `width` terminal cells."""
    return text + " " * (width - cell_len(text))


def spread(left: str, right: str, width: int) -> str:
    """Return `left` and `right` at the two ends of `width` cells; the longer gives way."""
    right = fit(right, max(width - 12, width // 2) if left else width)
    left = fit(left, width - cell_len(right) - 2)
    return pad(left, width - cell_len(right)) + right


def beside(left: Sequence[str], right: Sequence[str], column: int) -> list[str]:
    """Return two blocks of lines next to each other, the second one starting at `column`."""
    height = max(len(left), len(right))
    rows = zip(
        [*left, *[""] * (height - len(left))],
        [*right, *[""] * (height - len(right))],
        strict=True,
    )
    return [pad(first, column) + second for first, second in rows]
