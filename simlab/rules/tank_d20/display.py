"""The record sheet as monospace text of at most 78 columns."""

from simlab.model.situation import number_text
from simlab.rules.common.text import WIDTH, drawn, spread, title_box
from simlab.rules.tank_d20 import rules_charts
from simlab.rules.tank_d20.names import BANDS, FACINGS, PLATES
from simlab.rules.tank_d20.sheet import Sheet


def render_sheet(sheet: Sheet) -> str:
    """Return the sheet as plain text, every number of it: header, crew, gun with its bands, armour, source."""
    return drawn(sheet, header_lines(sheet), crew_lines(sheet), gun_lines(sheet), armor_lines(sheet))


def header_lines(sheet: Sheet) -> list[str]:
    """Return the title box: name, nation, id, size, and the ECV with its source."""
    target = f"{sheet.size.replace('_', ' ')} target ({rules_charts.SIZES[sheet.size]:+d})"
    return title_box(sheet, (sheet.system,), f"{target}{', open top' if sheet.open_top else ''}")


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
        spread(gun.name, f"{kind}{carried}, {number_text(gun.calibre)} mm, size {gun.size}", WIDTH),
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
