"""The record sheet as monospace text, laid out like the printed one (BK-1 to BK-10)."""

from collections.abc import Sequence

from simlab.rules.blitzkrieg.sheet import ManifestItem, Sheet, Weapon
from simlab.rules.common.text import WIDTH, beside, drawn, fit, number, pad, spread, title_box

LEFT = 36
GAP = 2
RIGHT = WIDTH - LEFT - GAP
TYPES = {"ballistic": "B", "indirect": "I", "anti_personnel": "AP"}
ITEMS = {
    "crew": "Crew",
    "engine": "Engine",
    "fuel": "Fuel tank",
    "periscope": "Periscope",
    "turret": "Turret",
    "pintle_mount": "Pintle mount",
    "ammo_bin": "Ammo bin",
    "other": "Other",
}


def render_sheet(sheet: Sheet) -> str:
    """Return the sheet as plain text of at most 78 columns, without colour or control characters.

    Every number of the sheet is in it: header with the ECV and its source (BK-10), defense values (BK-1),
    armor (BK-2), shock threshold (BK-3), penetration factors (BK-4), chart (BK-5), gunners with their
    weapons (BK-6), movement (BK-8), ram (BK-9), and the manifest from line 20 down to 1 (BK-7).
    """
    left = [
        *defense_lines(sheet),
        "",
        *beside(armor_lines(sheet), penetration_lines(sheet), 17),
        "",
        *movement_lines(sheet),
        "",
        *ram_lines(sheet),
    ]
    body = beside(left, manifest_lines(sheet), LEFT + GAP)
    return drawn(sheet, header_lines(sheet), body, chart_lines(sheet), gunner_lines(sheet))


def header_lines(sheet: Sheet) -> list[str]:
    """Return the title box: name, nation, kind, id and the ECV with its source (BK-10)."""
    return title_box(sheet, (sheet.kind, sheet.system))


def defense_lines(sheet: Sheet) -> list[str]:
    """Return the table of defense values: front/back, sides, and the one physical value (BK-1)."""
    defense = sheet.defense
    rows = [
        ("Ballistic (B)", defense.ballistic),
        ("Indirect (I)", defense.indirect),
        ("Anti-personnel (AP)", defense.anti_personnel),
    ]
    return [
        f"{'DEFENSE VALUES':<20}{'front/back':>10}{'sides':>6}",
        "─" * LEFT,
        *(f"{title:<20}{row.front_back:>10}{row.sides:>6}" for title, row in rows),
        f"{'Physical':<20}{defense.physical:>10}",
    ]


def armor_lines(sheet: Sheet) -> list[str]:
    """Return the armor around the hull seen from above, nose up (BK-2), and the shock threshold (BK-3)."""
    armor = sheet.armor
    return [
        "ARMOR",
        f"{armor.front:^15}",
        "    ┌──┴──┐",
        "    │  ▲  │",
        f"{armor.left:>3} ┤     ├ {armor.right}",
        "    │     │",
        "    └──┬──┘",
        f"{armor.back:^15}",
        "",
        f"SHOCK THRESHOLD  {sheet.shock_threshold}",
    ]


def penetration_lines(sheet: Sheet) -> list[str]:
    """Return the penetration factors on the six edges of a hexagon, front up (BK-4)."""
    factor = sheet.penetration
    return [
        "PENETRATION",
        f"{factor.front:^19}",
        "      ▁▁▁▁▁▁▁",
        f"{factor.front_left:>4} ╱       ╲ {factor.front_right}",
        "    ╱    ▲    ╲",
        "    ╲         ╱",
        f"{factor.rear_left:>4} ╲▁▁▁▁▁▁▁╱ {factor.rear_right}",
        f"{factor.rear:^19}",
    ]


def movement_lines(sheet: Sheet) -> list[str]:
    """Return speeds, terrain costs and the abilities of the hull (BK-8); `*` is extra maneuverable."""
    move = sheet.movement
    star = "*" if move.extra_maneuverable else ""
    abilities = [
        ("extra maneuverable (*)", move.extra_maneuverable),
        ("amphibious", move.amphibious),
        ("moves on one side", move.moves_on_one_side),
    ]
    named = [name for name, has in abilities if has]
    costs = [f"{move.water:>2}", f"{move.trees:>2}", f"{move.one_level:>2}", f"{move.two_levels:>2}"]
    return [
        "MOVEMENT",
        "─" * LEFT,
        f"{'Speed':<6}{move.speed:>3}{star:<4}{'Water':<8}{costs[0]}  {'Trees/RG':<9}{costs[1]}",
        f"{'Road':<6}{move.road:>3}    {'1 level':<8}{costs[2]}  {'2 levels':<9}{costs[3]}",
        *named,
    ]


def ram_lines(sheet: Sheet) -> list[str]:
    """Return the ram multipliers for damage, shock and penetration and the ram plate (BK-9)."""
    ram = sheet.ram
    plate = "ram plate" if ram.plate else "no ram plate"
    heads = ["RAM, d/s/p for each point of speed", "─" * LEFT]
    factors = [number(ram.damage), number(ram.shock), number(ram.penetration)]
    row = " / ".join(factors)
    if len(row) + 2 + len(plate) > LEFT:
        return [*heads, *factors, plate]
    return [*heads, spread(row, plate, LEFT)]


def manifest_lines(sheet: Sheet) -> list[str]:
    """Return the 20 lines of the manifest, 20 at the top, each item in a box of its own (BK-7)."""
    inner = RIGHT - 7
    items = {line: item for item in sheet.manifest for line in item.lines}
    rows = ["MANIFEST"]
    previous: ManifestItem | None = None
    texts: list[str] = []
    for line in range(20, 0, -1):
        item = items.get(line)
        if line == 20 or item is not previous:
            left, right = "┌┐" if line == 20 else "├┤"
            rows.append(f"   {left}{'─' * (inner + 2)}{right}")
            texts = item_texts(sheet, item, inner)
        rows.append(f"{line:>2} │ {pad(texts.pop(0) if texts else '', inner)} │")
        previous = item
    rows.append(f"   └{'─' * (inner + 2)}┘")
    return rows


def item_texts(sheet: Sheet, item: ManifestItem | None, width: int) -> list[str]:
    """Return what the box of an item says, at most one text a line, each of at most `width` cells."""
    if item is None:
        return ["·"]
    notes = []
    if item.hits is not None:
        notes.append(f"[{item.hits}] hits")
    if item.item == "weapon" and item.weapon is not None:
        title = sheet.weapons[item.weapon].name
        notes.append(item.weapon)
        notes.extend(["ammo bin"] if item.ammo_bin else [])
        if len(item.lines) > 1:
            return [fit(title, width), spread("", " + ".join(notes), width)]
    elif item.item == "tread":
        title = f"{item.side} tread".capitalize()
    else:
        title = ITEMS[item.item]
        if item.ammo_bin or item.item == "ammo_bin":
            notes.append("ammo bin" if item.weapon is None else f"bin of {item.weapon}")
    return [spread(title, " + ".join(notes), width)]


def chart_lines(sheet: Sheet) -> list[str]:
    """Return the internal amount chart: the least points that cross 1 to 9 lines, or destroy (BK-5)."""
    heads = [*(str(line) for line in range(1, 10)), "dead"]
    points = ["-" if least is None else str(least) for least in sheet.internal_amount]
    points[-1] += "+"
    title = 16
    rule = [f"{'─' * 4}" for _ in heads[:-1]] + ["─" * 6]
    edge = " " * title

    def row(label: str, cells: Sequence[str]) -> str:
        body = "│".join([*(f"{cell:^4}" for cell in cells[:-1]), f"{cells[-1]:^6}"])
        return f"{label:<{title}}│{body}│"

    return [
        f"{edge}┌{'┬'.join(rule)}┐",
        row("INTERNAL AMOUNT", heads),
        f"{edge}├{'┼'.join(rule)}┤",
        row("least points", points),
        f"{edge}└{'┴'.join(rule)}┘",
    ]


def gunner_lines(sheet: Sheet) -> list[str]:
    """Return each gunner with his skill and, under him, the weapons that he fires (BK-6)."""
    columns = f"{'high':^8} {'mid':^8} {'low':^8} {'rounds':>6} {'reach':>6} {'mount':<6}"
    lines = [f"{'GUNNERS AND WEAPONS':<25}{'type':<5}{columns}", "─" * WIDTH]
    for gunner in sheet.gunners:
        lines.append(f"{fit(gunner.name, 60)}  2d6 {gunner.skill:+d}")
        for key in gunner.weapons:
            lines.extend(weapon_lines(key, sheet.weapons[key]))
    return lines


def weapon_lines(key: str, weapon: Weapon) -> list[str]:
    """Return one weapon: its name; below its key, type, d/s/p at three levels, rounds, reach and mount."""
    levels = " ".join(f"{'/'.join(map(str, level)):^8}" for level in (weapon.high, weapon.mid, weapon.low))
    reach = "sight" if weapon.max_range is None else f'{number(weapon.max_range)}"'
    notes = f", reach {reach}" if len(reach) > 6 else ""
    notes += ", off the manifest" if weapon.off_manifest else ""
    cell = "above" if len(reach) > 6 else reach
    figures = f"{TYPES[weapon.type]:<5}{levels} {weapon.ammo:>6} {cell:>6} {weapon.mount:<6}"
    name = fit(weapon.name, WIDTH - 2 - len(notes))
    return [f"  {name}{notes}", f"    {pad(fit(key, 20), 21)}{figures}"]
