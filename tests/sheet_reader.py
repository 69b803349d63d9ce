"""Reads a drawn record sheet back by looking where numbers stand; shares no code with the display."""

import re
from typing import Any

from simlab.rules.blitzkrieg.sheet import Sheet

MANIFEST_COLUMN = 38
PENETRATION_COLUMN = 17


def numbers(text: str) -> list[float | None]:
    """The numbers in a text, in order; a lone dash is None."""
    found = re.findall(r"(?<![\w.-])-?\d+(?:\.\d+)?(?:e-?\d+)?|(?<=\s)-(?=\s)", text)
    return [None if each == "-" else float(each) for each in found]


def the_line(lines: list[str], start: str) -> int:
    """The place of the only line that begins with `start`."""
    (place,) = (i for i, line in enumerate(lines) if line.startswith(start))
    return place


def read_defense(lines: list[str]) -> dict[str, Any]:
    """BK-1: rows front/back, sides; the physical row has one number."""
    left = [line[:MANIFEST_COLUMN] for line in lines]
    rows = {key: left[the_line(left, start)] for key, start in DEFENSE_ROWS.items()}
    head = left[the_line(left, "DEFENSE VALUES")]
    ends = {name: head.index(name) + len(name) for name in ("front/back", "sides")}
    read: dict[str, Any] = {}
    for key, row in rows.items():
        at = {match.end(): int(match.group()) for match in re.finditer(r"-?\d+", row)}
        read[key] = {name: at[end] for name, end in ends.items() if end in at}
    return read


DEFENSE_ROWS = {
    "ballistic": "Ballistic (B)",
    "indirect": "Indirect (I)",
    "anti_personnel": "Anti-personnel (AP)",
    "physical": "Physical",
}


def read_armor(lines: list[str]) -> dict[str, float | None]:
    """BK-2: the numbers above, beside and below the hull."""
    block = [line[:PENETRATION_COLUMN] for line in lines[the_line(lines, "ARMOR") :]]
    top = next(i for i, line in enumerate(block) if "┌" in line)
    side = next(i for i, line in enumerate(block) if "┤" in line)
    bottom = next(i for i, line in enumerate(block) if "└" in line)
    before, after = block[side].split("┤")
    assert numbers(after.split("├")[0]) == []
    (front,), (back,) = numbers(block[top - 1]), numbers(block[bottom + 1])
    (left,), (right,) = numbers(before), numbers(after.split("├")[1])
    return {"front": front, "left": left, "right": right, "back": back}


def read_penetration(lines: list[str]) -> dict[str, float | None]:
    """BK-4: the numbers at the six edges of the hexagon."""
    rows = lines[the_line(lines, "ARMOR") : the_line(lines, "SHOCK")]
    block = [line[PENETRATION_COLUMN:MANIFEST_COLUMN] for line in rows]
    top = next(i for i, line in enumerate(block) if line.strip().startswith("▁"))
    bottom = next(i for i, line in enumerate(block) if "╲▁" in line)
    upper_left, upper_right = re.split(r"╱ *╲", block[top + 1])
    lower_left, lower_right = re.split(r"╲▁*╱", block[bottom])
    places = {
        "front": block[top - 1],
        "front_left": upper_left,
        "front_right": upper_right,
        "rear_left": lower_left,
        "rear_right": lower_right,
        "rear": block[bottom + 1],
    }
    return {aspect: numbers(text)[0] for aspect, text in places.items() if len(numbers(text)) == 1}


def read_manifest(lines: list[str]) -> list[tuple[tuple[int, ...], str]]:
    """BK-7: the boxes from the top down, each with its line numbers and what it says."""
    start = next(i for i, line in enumerate(lines) if "MANIFEST" in line)
    boxes: list[tuple[list[int], list[str]]] = []
    for line in lines[start + 1 :]:
        row = re.search(r" (\d+) │ (.*) │$", line)
        if re.search(r"[┌├]─+[┐┤]$", line):
            boxes.append(([], []))
        elif row:
            boxes[-1][0].append(int(row[1]))
            boxes[-1][1].extend(row[2].split())
        elif re.search(r"└─+┘$", line):
            break
    return [(tuple(places), " ".join(words)) for places, words in boxes]


def read_chart(lines: list[str]) -> dict[str, float | None]:
    """BK-5: the number below each head of the chart."""
    heads = lines[the_line(lines, "INTERNAL AMOUNT")].split("│")[1:-1]
    points = lines[the_line(lines, "least points")].replace("+", " ").split("│")[1:-1]
    return {head.strip(): numbers(f" {point} ")[0] for head, point in zip(heads, points, strict=True)}


def read_weapons(
    lines: list[str],
) -> list[tuple[str, float | None, list[tuple[str, list[str]]]]]:
    """BK-6: gunners in order with skill, and for each weapon its name and the words of its row."""
    gunners: list[tuple[str, float | None, list[tuple[str, list[str]]]]] = []
    rows = lines[the_line(lines, "GUNNERS") + 2 :]
    for row in rows[: rows.index("")]:
        if row.startswith("    "):
            gunners[-1][2][-1][1].extend(row.split())
        elif row.startswith("  "):
            gunners[-1][2].append((row.strip(), []))
        else:
            name, skill = row.split("  2d6 ")
            gunners.append((name, float(skill), []))
    return gunners


def expected_weapons(
    sheet: Sheet,
) -> list[tuple[str, float, list[tuple[str, list[str]]]]]:
    """What `read_weapons` has to find."""
    types = {"ballistic": "B", "indirect": "I", "anti_personnel": "AP"}
    gunners = []
    for gunner in sheet.gunners:
        rows = []
        for key in gunner.weapons:
            weapon = sheet.weapons[key]
            levels = ["/".join(map(str, level)) for level in (weapon.high, weapon.mid, weapon.low)]
            reach = "sight" if weapon.max_range is None else f'{weapon.max_range:g}"'
            rows.append(
                (
                    weapon.name,
                    [
                        key,
                        types[weapon.type],
                        *levels,
                        str(weapon.ammo),
                        reach,
                        weapon.mount,
                    ],
                )
            )
        gunners.append((gunner.name, float(gunner.skill), rows))
    return gunners


def expected_manifest(sheet: Sheet) -> list[tuple[tuple[int, ...], set[str]]]:
    """Boxes from the top down: lines, and words that the box must hold."""
    boxes = []
    for item in sheet.manifest:
        words = (
            set(sheet.weapons[item.weapon].name.split()) if item.item == "weapon" and item.weapon else set()
        )
        words |= {item.weapon} if item.weapon else set()
        words |= {f"[{item.hits}]"} if item.hits else set()
        words |= {"bin"} if item.ammo_bin else set()
        words |= {item.side.capitalize(), "tread"} if item.side else set()
        titles = {"pintle_mount": "Pintle", "ammo_bin": "Ammo"}
        if item.item not in ("weapon", "tread"):
            words.add(titles.get(item.item, item.item.capitalize()))
        boxes.append((tuple(sorted(item.lines, reverse=True)), words))
    covered = {line for lines, _ in boxes for line in lines}
    free = [line for line in range(20, 0, -1) if line not in covered]
    for line in free:
        if boxes and boxes[-1][1] == {"·"} and boxes[-1][0][-1] == line + 1:
            boxes[-1] = ((*boxes[-1][0], line), {"·"})
        else:
            boxes.append(((line,), {"·"}))
    return sorted(boxes, reverse=True)


def check_defense(sheet: Sheet, lines: list[str]) -> bool:
    rows = read_defense(lines)
    wanted: dict[str, Any] = {
        kind: {
            "front/back": getattr(sheet.defense, kind).front_back,
            "sides": getattr(sheet.defense, kind).sides,
        }
        for kind in ("ballistic", "indirect", "anti_personnel")
    }
    return rows == {**wanted, "physical": {"front/back": sheet.defense.physical}}


def check_armor(sheet: Sheet, lines: list[str]) -> bool:
    return read_armor(lines) == sheet.armor.model_dump()


def check_shock(sheet: Sheet, lines: list[str]) -> bool:
    return numbers(lines[the_line(lines, "SHOCK")][:MANIFEST_COLUMN]) == [sheet.shock_threshold]


def check_penetration(sheet: Sheet, lines: list[str]) -> bool:
    return read_penetration(lines) == sheet.penetration.model_dump()


def check_chart(sheet: Sheet, lines: list[str]) -> bool:
    heads = [*map(str, range(1, 10)), "dead"]
    return read_chart(lines) == dict(zip(heads, sheet.internal_amount, strict=True))


def check_weapons(sheet: Sheet, lines: list[str]) -> bool:
    return read_weapons(lines) == expected_weapons(sheet)


def check_manifest(sheet: Sheet, lines: list[str]) -> bool:
    boxes, wanted = read_manifest(lines), expected_manifest(sheet)
    return [box[0] for box in boxes] == [box[0] for box in wanted] and all(
        words <= set(said.replace("+", " ").split())
        for (_, said), (_, words) in zip(boxes, wanted, strict=True)
    )


def check_movement(sheet: Sheet, lines: list[str]) -> bool:
    move = sheet.movement
    left = [line[:MANIFEST_COLUMN] for line in lines]
    rows = (left[the_line(left, "Speed")], left[the_line(left, "Road")])
    first = re.fullmatch(r"Speed +(\d+)(\*?) +Water +(\d+) +Trees/RG +(\d+) *", rows[0])
    second = re.fullmatch(r"Road +(\d+) +1 level +(\d+) +2 levels +(\d+) *", rows[1])
    assert first
    assert second
    star = "*" if move.extra_maneuverable else ""
    flags = [move.extra_maneuverable, move.amphibious, move.moves_on_one_side]
    said = [any(line.startswith(word) for line in left) for word in ("extra man", "amphib", "moves on one")]
    return (
        first.groups() == (str(move.speed), star, str(move.water), str(move.trees))
        and second.groups() == (str(move.road), str(move.one_level), str(move.two_levels))
        and said == flags
    )


def check_ram(sheet: Sheet, lines: list[str]) -> bool:
    row = lines[the_line(lines, "RAM") + 2][:MANIFEST_COLUMN]
    ram = sheet.ram
    return numbers(row) == [ram.damage, ram.shock, ram.penetration] and ram.plate == ("no ram" not in row)


def check_title(sheet: Sheet, lines: list[str]) -> bool:
    said = re.fullmatch(r"║ (.*?)  +ECV (\S+) \((\w+)\) ║", lines[1])
    assert said
    return said.groups() == (sheet.name, f"{sheet.ecv.value:g}", sheet.ecv.source)
