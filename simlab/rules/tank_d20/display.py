"""The record sheet as monospace text of at most 78 columns."""

import textwrap

from rich.cells import cell_len, set_cell_size

from simlab.model.errors import escaped
from simlab.model.situation import number_text
from simlab.rules.tank_d20 import rules_charts
from simlab.rules.tank_d20.names import BANDS, FACINGS, PLATES
from simlab.rules.tank_d20.sheet import Sheet

WIDTH = 78
PROVENANCE_LINES = 4


def render_sheet(sheet: Sheet) -> str:
    """Return the sheet as plain text, every number of it: header, crew, gun with its bands, armour, source."""
    lines = [
        *header_lines(sheet),
        *crew_lines(sheet),
        "",
        *gun_lines(sheet),
        "",
        *armor_lines(sheet),
        "",
        *provenance_lines(sheet),
    ]
    return "\n".join(line.rstrip() for line in lines)


def header_lines(sheet: Sheet) -> list[str]:
    """Return the title box: name, nation, id, size, and the ECV with its source."""
    inner = WIDTH - 4
    value = "not priced" if sheet.ecv.value is None else number_text(sheet.ecv.value)
    target = f"{sheet.size.replace('_', ' ')} target ({rules_charts.SIZES[sheet.size]:+d})"
    roof = ", open top" if sheet.open_top else ""
    rows = [
        ends(sheet.name, f"ECV {value} ({sheet.ecv.source})", inner),
        ends(f"{escaped(sheet.nation)} · {sheet.system}", sheet.id, inner),
        ends(f"{target}{roof}", "", inner),
    ]
    bar = "═" * (WIDTH - 2)
    return [f"╔{bar}╗", *(f"║ {row} ║" for row in rows), f"╚{bar}╝"]


def crew_lines(sheet: Sheet) -> list[str]:
    """Return the crew: its men, quality, leader (TD-3, TD-9)."""
    crew = sheet.crew
    qualified = "qualified" if crew.qualified else "not qualified"
    words = [f"{crew.quality} ({rules_charts.QUALITIES[crew.quality]:+d})", qualified]
    words += ["captured vehicle"] if crew.captured else []
    words += [f"leader -{crew.leader}"] if crew.leader else ["no leader"]
    men = ", ".join(man.replace("_", " ") for man in crew.positions)
    return ["CREW", "─" * WIDTH, ", ".join(words), men]


def gun_lines(sheet: Sheet) -> list[str]:
    """Return the gun, and by band its reach in inches, base number and figure (TD-1, TD-6)."""
    gun = sheet.gun
    reaches = rules_charts.REACHES[gun.size]
    constant = gun.round == "heat"
    figures = [
        rules_charts.figure_in_band(gun.penetration, gun.size, band, constant) for band in range(len(BANDS))
    ]
    kind = "HEAT" if constant else "AP"
    carried = ", infantry's missile" if gun.hand_held else ""
    load = "1 action" if gun.load_time == 1 else f"{gun.load_time} actions"
    return [
        "GUN",
        "─" * WIDTH,
        ends(gun.name, f"{kind}{carried}, {number_text(gun.calibre)} mm, size {gun.size}", WIDTH),
        f"figure {gun.penetration} mm, loading {load}, {gun.rounds} rounds",
        f"{'':<14}" + "".join(f"{band:>12}" for band in BANDS),
        f"{'up to inches':<14}" + "".join(f"{'-' if reach is None else reach:>12}" for reach in reaches),
        f"{'base number':<14}" + "".join(f"{base:>12}" for base in rules_charts.BASES),
        f"{'figure in mm':<14}" + "".join(f"{figure:>12g}" for figure in figures),
    ]


def armor_lines(sheet: Sheet) -> list[str]:
    """Return the plates by facing, in mm (TD-6)."""
    heads = f"{'ARMOUR in mm':<14}" + "".join(f"{plate:>12}" for plate in PLATES)
    rows = [
        f"{facing:<14}" + "".join(f"{getattr(getattr(sheet.armor, facing), plate):>12}" for plate in PLATES)
        for facing in FACINGS
    ]
    return [heads, "─" * WIDTH, *rows]


def provenance_lines(sheet: Sheet) -> list[str]:
    """Return where the sheet comes from, wrapped, at most four lines."""
    lines = textwrap.wrap(escaped(f"Source: {sheet.provenance}"), WIDTH)
    if len(lines) > PROVENANCE_LINES:
        lines = [*lines[: PROVENANCE_LINES - 1], fit(" ".join(lines[PROVENANCE_LINES - 1 :]), WIDTH)]
    return lines


def fit(text: str, width: int) -> str:
    """Return `text` made printable and cut to `width` terminal cells, an ellipsis marking the cut."""
    plain = escaped(text)
    return plain if cell_len(plain) <= width else set_cell_size(plain, width - 1).rstrip() + "…"


def ends(left: str, right: str, width: int) -> str:
    """Return `left` and `right` at the two ends of `width` cells; the longer gives way."""
    right = fit(right, max(width - 12, width // 2) if left else width)
    left = fit(left, width - cell_len(right) - 2)
    return left + " " * (width - cell_len(left) - cell_len(right)) + right
