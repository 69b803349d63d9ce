"""The catalogue of readings, in the order of the rules, and of house numbers: what a table settles for itself."""

from simlab.rules.common.catalogue import Catalogue
from simlab.rules.common.choices import HouseNumber, NumberRange, Reading, built


def _number(name: str, default: int, low: int, high: int | None, rule: str, effect: str) -> Reading:
    return built(name, NumberRange(low, high), rule, effect, default)


READINGS: tuple[Reading, ...] = (
    _number("die", 10, 4, 20, "WS-1", "sides of the firing die"),
    built("firing_skill", ("sheet", *range(1, 10)), "WS-1", "one firing skill for all units"),
    _number(
        "long_range", -2, -9, 0, "WS-1", "change of the firing skill in the long band; with at_least it rises"
    ),
    built("direction", ("at_most", "at_least"), "WS-1", "rolls of the firing skill and more hit"),
    _number("muzzle_smoke", 2, 0, None, "WS-3", "inches of smoke before the muzzle; 0 leaves none"),
    _number("mg_dice", 3, 1, 3, "WS-4", "dice of a machine gun's burst"),
    built("jam_scope", ("after", "lost"), "WS-4", "the roll that jams the gun hits nothing"),
    built("mg_go_fast", (False, True), "WS-4", "machine guns of vehicles fire while they Go Fast"),
    built(
        "repair",
        ("idle", "at_once", "never"),
        "WS-4",
        "when a crew repairs a jam: in the very next turn, all its weapons silent, or never",
    ),
    built("fires_once", ("turn", "game"), "WS-5", "a Panzerfaust or grenade fires once a game"),
    built("facing", ("quadrants", "six"), "WS-6", "front and rear are 60 degrees wide instead of 90"),
    built("minor_smoke", ("separate", "same"), "WS-8", "the table die says whether a minor hit smokes"),
    built(
        "smoke_sight",
        ("none", "hinders", "blocks"),
        "WS-8",
        "smoke at either end of a line of fire makes hitting harder, or stops the fire",
    ),
    built("initiative_zero", ("game", "turn"), "WS-9", "initiative is back at the end of the turn"),
    built(
        "initiative_order",
        ("descending", "simultaneous"),
        "WS-9",
        "all units of a phase fire at the same time",
    ),
    built("immobilised_again", ("reroll", "none"), "WS-9", "a further immobilisation has no effect"),
    built(
        "no_weapon_left",
        ("nothing", "immobilised"),
        "WS-10",
        "a weapon destroyed where none is left immobilises",
    ),
    built(
        "weapon_choice",
        ("strongest", "first"),
        "WS-10",
        "the attacker takes weapons in the order of the sheet",
    ),
    built("range_guess", ("exact", "given"), "WS-12", "the distance called is a house number"),
    built("scatter_bonus", ("both", "miss_only"), "WS-12", "bonuses shorten only the scatter of a miss"),
    built("mortar_armour", ("rear", "front"), "WS-12", "shells of mortars meet the front value"),
)
"""Every reading, the default first."""

HOUSE_NUMBERS: tuple[HouseNumber, ...] = (
    HouseNumber(
        "wound_above",
        6,
        "WS-12",
        "a man who is hit falls when d6 and strength together are above it",
        0,
        30,
        whole=True,
    ),
    HouseNumber("template_radius", 2, "WS-12", "inches from the middle of a template to its edge", 0, 12),
    HouseNumber(
        "template_men", 3, "WS-12", "men of a team under a template that covers it", 1, 3, whole=True
    ),
    HouseNumber("spotter_sees", True, "WS-12", "whether the spotter of a mortar sees the target"),
    HouseNumber("guessed_range", 24, "WS-12", "inches that are called, where they are given", 0, 999),
    HouseNumber(
        "smoke_skill", -2, "WS-8", "change of the firing skill by smoke that hinders", -9, 0, whole=True
    ),
    HouseNumber("smoke_turns", 1, "WS-8", "turns after its own at whose end smoke is gone", 0, 2, whole=True),
)
"""All constants, in the order of the rules."""
CATALOGUE = Catalogue(READINGS, HOUSE_NUMBERS, true=("true", "yes"), false=("false", "no"))
"""All that a table may settle for itself."""
