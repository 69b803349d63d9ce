"""A volley told in words: what was needed, what fell, what it broke."""

from functools import partial
from typing import Any

from simlab.rules.blitzkrieg import program as place
from simlab.rules.blitzkrieg.kernel import layout
from simlab.rules.blitzkrieg.kernel.loss import flags, gunner_weapons
from simlab.rules.blitzkrieg.kernel.special import zeroing_bonus
from simlab.rules.blitzkrieg.options import Options
from simlab.rules.blitzkrieg.sheet import ManifestItem
from simlab.rules.blitzkrieg.shots import level_names, to_hit, verdicts
from simlab.rules.blitzkrieg.throws import (
    DiceBox,
    Throw,
    check_throw,
    script_of_throw,
    throw_of_record,
    throw_of_token,
)
from simlab.rules.blitzkrieg.unit_types import UnitType, unit_type
from simlab.rules.common.narrating import Dice, FightTeller
from simlab.rules.contract import Fight

FACES = ("front", "left side", "right side", "back")
KINDS = {
    layout.MOBILITY: "immobile",
    layout.FIREPOWER: "no weapon left",
    layout.CREW_KILL: "crew dead",
}


class Teller(FightTeller[Throw]):
    """Tells the volleys of one fight."""

    def __init__(self, fight: Fight) -> None:
        box = DiceBox(fight.options, fight.situation.scene(1).range)
        super().__init__(
            fight,
            Dice(
                partial(throw_of_record, box=box),
                partial(throw_of_token, box=box),
                partial(script_of_throw, box=box),
                check_throw,
                Throw.token,
            ),
        )
        self._units: list[UnitType] = [unit_type(sheet, "a") for sheet in fight.sheets_a]
        self._units += [unit_type(sheet, "b") for sheet in fight.sheets_b]
        self._verdicts = {dice: verdicts(fight.options, dice) for dice in (1, 2)}

    def _told(self, event: Any) -> list[str]:
        told = [self._roll_line(event)]
        if event.note >> layout.NOTE_INSTANT & 1:
            return [*told, "instant death: destroyed"]
        if event.note:
            told.append(self._damage_line(event))
        if (event.note >> layout.NOTE_DEAD) & 1:
            told.append("dead column: destroyed")
            return told
        if event.throw.start is not None:
            told.extend(self._line_lines(event))
        return told

    def _roll_line(self, event: Any) -> str:
        shooter, target = self._units[event.unit], self._units[event.target]
        distance, aspect = self._scene(event)
        firing = (self._types[event.unit], event.gunner, event.ability)
        able = self._answer(gunner_weapons, *firing)
        bonus = self._answer(zeroing_bonus, *firing)
        needs = []
        for number, name in enumerate(shooter.sheet.gunners[event.gunner].weapons):
            if able >> number & 1:
                unbuttoned = bool(event.target_ability & int(layout.UNBUTTONED))
                shot = (target.sheet, distance, aspect, unbuttoned, self._fight.options, target.side)
                needed = to_hit(shooter.sheet, event.gunner, name, *shot) - bonus
                hit = "hit" if event.note >> number & 1 else "miss"
                needs.append(f"{shooter.sheet.weapons[name].name} needs {needed}: {hit}")
        dice = "+".join(map(str, event.throw.rolls))
        total = f"{dice} = {event.throw.total}" if len(event.throw.rolls) > 1 else dice
        verdict = self._verdict(event)
        marks = [f"zeroed in, {bonus} less needed"] if bonus else []
        marks += ["snake-eyes, all miss"] if verdict & int(layout.CHOKES) else []
        if verdict & int(layout.KILLS):
            marks, needs = ["6-6 twice running"], []
        return f"rolls {total}; {'; '.join([*marks, *needs])}"

    def _verdict(self, event: Any) -> int:
        """Return what the total means beside hits."""
        rolls = event.throw.rolls
        total: int = min(event.throw.total, layout.TOTAL_CAP)
        return self._verdicts[1 if len(rolls) == 1 else 2][total]

    def _damage_line(self, event: Any) -> str:
        shift = int(self._fight.program[self._row(event) + place.ROW_FACE])
        before, after = event.before >> shift & 63, event.after >> shift & 63
        face = FACES[(shift - layout.ARMOR_SHIFT) // layout.ARMOR_BITS]
        points = [
            event.note >> first & 0xFFF
            for first in (layout.NOTE_DAMAGE, layout.NOTE_SHOCK, layout.NOTE_PENETRATION)
        ]
        lines = event.note >> layout.NOTE_LINES & 31
        armor = f"{face} armour {before} to {after}" if before != after else f"{face} armour {before} holds"
        if not before:
            armor = f"{face} armour gone"
        internal = f"internal {points[0]} + {points[1]} + {points[2]} = {sum(points)}"
        tail = f", {lines} lines" if lines else ("" if event.note >> layout.NOTE_DEAD & 1 else ", no line")
        scene = self._fight.situation.scene(event.turn)
        level = event.throw.level or level_names(self._fight.options, scene.range)[0]
        doublings = self._verdict(event) & int(layout.DOUBLINGS)
        luck = f" times {1 << doublings}, a lucky shot" if doublings else ""
        return f"{level} damage{luck}; {armor}; {internal} (damage, shock, penetration){tail}"

    def _row(self, event: Any) -> int:
        program = self._fight.program
        types = int(program[place.TYPES])
        numbers = [int(program[self._types[unit] + place.NUMBER]) for unit in (event.unit, event.target)]
        scene = self._fight.scene_of_turn[event.turn - 1]
        pair = (scene * types + numbers[0]) * types + numbers[1]
        row: int = (pair * layout.GUNNERS + event.gunner) * 2
        return int(program[place.PAIRS]) + row * int(program[place.ROW])

    def _line_lines(self, event: Any) -> list[str]:
        unit = self._units[event.target]
        crossed = (event.after & ~event.before) & int(layout.ALL_LINES)
        numbers = [line + 1 for line in range(layout.LINES) if crossed >> line & 1]
        told = [f"d20 {event.throw.start}: lines {_ranges(numbers)} crossed: {self._items(unit, event)}"]
        contests = event.throw.contests
        for number, (attacker, defender) in enumerate(contests, 1):
            blown = number == event.note >> layout.NOTE_ITEM & 31
            told.append(f"contest {attacker} against {defender}: {'explodes' if blown else 'no explosion'}")
        found = self._answer(flags, self._types[event.target], event.after)
        if found & int(layout.DESTROYED):
            causes = [text for bit, text in KINDS.items() if found & int(bit)]
            told.append(
                f"destroyed: {', '.join(['explosion'] * bool(found & int(layout.CATASTROPHIC_KILL)) + causes)}"
            )
        return told

    def _items(self, unit: UnitType, event: Any) -> str:
        told = [self._struck(item, unit, event) for item in unit.sheet.manifest]
        return ", ".join(filter(None, told)) or "nothing new"

    def _struck(self, item: ManifestItem, unit: UnitType, event: Any) -> str:
        """Return the name of an item that a volley destroyed; of an engine that still holds with its count."""
        options = self._fight.options
        if is_lost(item, unit, event.before, options):
            return ""
        name = item_name(item, unit)
        if is_lost(item, unit, event.after, options):
            return name
        before, after = (volleys_counted(item, unit, body, options) for body in (event.before, event.after))
        return f"{name} ({after} of {item.hits} hits)" if after > before else ""


def is_lost(item: ManifestItem, unit: UnitType, body: int, options: Options) -> bool:
    """Tell whether an item is destroyed: a line of it is crossed off; a counted engine by its last hit (BK-24)."""
    if _is_counted(item, options):
        return volleys_counted(item, unit, body, options) >= (item.hits or 1)
    return any(body >> (line - 1) & 1 for line in item.lines)


def volleys_counted(item: ManifestItem, unit: UnitType, body: int, options: Options) -> int:
    """Return how many volleys count against an engine; 0 for all that is lost with its first line (BK-24)."""
    if not _is_counted(item, options):
        return 0
    engines = [each for each in unit.sheet.manifest if each.item == "engine"]
    shift = layout.ENGINE_SHIFT + layout.ENGINE_BITS * engines.index(item)
    return body >> shift & int(layout.ENGINE_MASK)


def _is_counted(item: ManifestItem, options: Options) -> bool:
    return item.item == "engine" and options.value("engine_hits") == "count"


def item_name(item: ManifestItem, unit: UnitType) -> str:
    if item.item == "weapon":
        return unit.sheet.weapons[str(item.weapon)].name + (" with its bin" if item.ammo_bin else "")
    if item.item == "tread":
        return f"{item.side} tread"
    return item.item.replace("_", " ")


def _ranges(numbers: list[int]) -> str:
    """Return whole numbers as ranges: 7 to 9, 12."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    texts = [str(part[0]) if len(part) == 1 else f"{part[0]} to {part[-1]}" for part in parts]
    return ", ".join(texts) if texts else "none"
