"""What a unit's shot at another comes to under the options of a fight (TD-1, TD-3, TD-4, TD-6)."""

from dataclasses import dataclass

from simlab.rules.tank_d20 import rules_charts as charts
from simlab.rules.tank_d20.options import Options
from simlab.rules.tank_d20.sheet import Sheet


@dataclass(frozen=True)
class Modifier:
    """Something that makes hitting harder, or easier if it is below 0."""

    name: str
    value: int


def moves(options: Options, side: str) -> bool:
    """Tell whether a side's units drive, as long as they can (TD-3)."""
    return bool(options.side("movement", side) != "halted")


def buttoned(sheet: Sheet, options: Options, side: str) -> bool:
    """Tell whether a unit's hatches are closed; a vehicle without a roof has none (TD-3, TD-7)."""
    return bool(options.side("buttoned", side)) and not sheet.open_top


def band_at(sheet: Sheet, distance: float, options: Options) -> int | None:
    """Return the band of a range for a gun, None out of its reach (TD-1)."""
    return charts.band_of(sheet.gun.size, distance, options.value("extreme") == "all_open")


def shooter_modifiers(sheet: Sheet, options: Options, side: str, moving: bool) -> list[Modifier]:
    """Return what the shooter's sheet and way of fighting add to every one of his rolls (TD-3)."""
    crew, gun = sheet.crew, sheet.gun
    found = [
        Modifier(f"{crew.quality} crew", charts.QUALITIES[crew.quality]),
        Modifier("not qualified", 0 if crew.qualified else charts.UNQUALIFIED),
        Modifier("captured", charts.CAPTURED if crew.captured else 0),
        Modifier("aimed", charts.AIMED if options.side("aim", side) == "always" else 0),
        Modifier("buttoned up", charts.BUTTONED if buttoned(sheet, options, side) else 0),
        Modifier("HEAT", charts.HEAT if gun.round == "heat" and not gun.hand_held else 0),
    ]
    if moving:
        firing = options.side("movement", side) == "firing"
        if firing and options.value("fire_on_move") == "plus_12":
            found.append(Modifier("fire on the move", charts.FIRE_ON_MOVE))
        if not firing or options.value("move_stack") == "add":
            found.append(Modifier("moved", charts.MOVED))
    if options.side("zeroed_in", side) and not moves(options, side):
        found.append(Modifier("zeroed in", charts.ZEROED))
    return [modifier for modifier in found if modifier.value]


def target_modifiers(sheet: Sheet, options: Options, side: str, aspect: str, moving: bool) -> list[Modifier]:
    """Return what the target adds to the roll: motion, size, woods (TD-4)."""
    motion = 0
    if moving:
        part = options.value("per3") == "part"
        motion = charts.target_motion(aspect, options.side("inches", side), part=part)
    found = [
        Modifier("moving", motion),
        Modifier(f"{sheet.size.replace('_', ' ')} target", charts.SIZES[sheet.size]),
        Modifier("light woods", charts.LIGHT_WOODS if options.side("light_woods", side) else 0),
    ]
    return [modifier for modifier in found if modifier.value]


def faces_that_hit(band: int, modifiers: int, options: Options, side: str, moving: bool) -> int:
    """Return how many faces of the d20 hit (TD-10)."""
    area = options.side("area_fire", side)
    halved = moving and options.side("movement", side) == "firing" and options.value("fire_on_move") == "half"
    return charts.needed(
        charts.BASES[band],
        modifiers,
        options.value("no_target") if area else None,
        halved,
        options.value("hit") == "roll_plus_drm_below",
    )


def figure_at(sheet: Sheet, band: int, options: Options) -> float:
    """Return the gun's figure in mm in a band (TD-6)."""
    constant = sheet.gun.round == "heat" and options.value("heat_bands") == "constant"
    return charts.figure_in_band(sheet.gun.penetration, sheet.gun.size, band, constant)


def faces_through(figure: float, armour: int, options: Options) -> int:
    """Return how many faces of a d20 go through: 0 or 20 where none is thrown (TD-6, `penetration`)."""
    if options.value("penetration") == "roll":
        return options.charts.highest_roll(figure - armour)
    return 20 if figure >= armour else 0


def over_steps(figure: float, armour: int, options: Options) -> int:
    """Return what over-penetration adds to the roll for effects (TD-8)."""
    over = options.charts.penetration_effects.over
    return max(0, min(over.most, int((figure - armour) // over.step)))
