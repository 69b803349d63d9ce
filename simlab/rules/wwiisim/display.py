"""A sheet as monospace text."""

from simlab.rules.common.text import WIDTH, drawn, fit, pad, title_box
from simlab.rules.wwiisim.sheet import Sheet
from simlab.rules.wwiisim.shots import FACING


def render_sheet(sheet: Sheet) -> str:
    """Return the sheet as plain text of at most 78 columns: every number of it, those of the table included."""
    title = title_box(sheet, (sheet.kind, sheet.system))
    weapons = [f"{'WEAPONS':<36}{'strength':>9}{'range':>12}  notes", "─" * WIDTH, *weapon_lines(sheet)]
    return drawn(sheet, title, body_lines(sheet), weapons)


def body_lines(sheet: Sheet) -> list[str]:
    """Return armour by aspect or men, skill, initiative and what else is special."""
    if sheet.armor is not None:
        body = "ARMOUR  " + "  ".join(f"{aspect} {sheet.armor + change}" for aspect, change in FACING.items())
    else:
        body = f"MEN  {sheet.men}"
    special = [
        ("never goes fast", sheet.tiger),
        ("commandos", sheet.commandos),
        ("smoke grenades", sheet.smoke_grenades),
    ]
    named = ", ".join(name for name, has in special if has)
    skill = f"FIRING SKILL  {sheet.skill}    INITIATIVE  {sheet.initiative}"
    return [body, skill, *([named] if named else [])]


def weapon_lines(sheet: Sheet) -> list[str]:
    """Return a line for each weapon: its name and number, strength, bands and notes, and its key."""
    lines = []
    for key, weapon in sheet.weapons.items():
        number = f"{weapon.count} x " if weapon.count > 1 else ""
        figures = f"{weapon.strength:>9}{weapon.ends:>12}  {', '.join(weapon.kind.notes)}"
        lines.append(pad(fit(number + weapon.name, 35), 36) + figures)
        lines.append(f"  {key}: {weapon.kind.title}")
    return lines
