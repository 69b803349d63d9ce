"""The catalogue of readings of tank_d20 and its house numbers, in the order of the rules."""

from simlab.rules.common.catalogue import Catalogue
from simlab.rules.common.choices import HouseNumber, NumberRange, Reading, built, sided

READINGS: tuple[Reading, ...] = (
    built(
        "hit",
        ("roll_plus_drm_at_most", "roll_plus_drm_below"),
        "TD-1",
        "roll_plus_drm_below: a roll that comes to just the base number misses",
    ),
    built("extreme", ("s_90", "all_open"), "TD-1", "all_open: S guns reach as far as all others"),
    built("jam_round", ("kept", "spent"), "TD-2", "spent: the round that jammed is gone"),
    built(
        "fire_on_move",
        ("plus_12", "half"),
        "TD-3",
        "half: fire on the move halves the base number instead of +12",
    ),
    built(
        "move_stack",
        ("replace", "add"),
        "TD-3",
        "add: fire on the move counts the +5 for having moved as well",
    ),
    built(
        "leader_on", ("to_hit", "location"), "TD-3", "location: a leader helps where hits land, not to hit"
    ),
    built("no_target", ("base", "final"), "TD-3", "final: fire into an area is halved after all modifiers"),
    *sided(
        "movement",
        ("halted", "moved", "firing"),
        "TD-3",
        "moved: in the action before each shot; firing: fires on the move; until it is immobilised",
    ),
    *sided("buttoned", (False, True), "TD-3", "hatches closed: +2 to hit with, and nobody is exposed"),
    *sided("commander", ("directs", "busy"), "TD-3", "busy: the commander never directs the fire"),
    *sided(
        "zeroed_in",
        (False, True),
        "TD-3",
        "fires into a place that is zeroed in, while the unit does not move",
    ),
    *sided(
        "area_fire", (False, True), "TD-3", "fires into an area, as a cloud of smoke, and not at a target"
    ),
    *sided("light_woods", (False, True), "TD-4", "the unit stands in light woods: +3 to hit it"),
    *sided(
        "inches",
        NumberRange(0, 99),
        "TD-4",
        "how far a moving unit drives in an action, seen from the side",
        6,
    ),
    built("per3", ("full", "part"), "TD-4", "part: every started 3 inches of movement count"),
    built(
        "charts",
        ("draft",),
        "TD-5",
        "a folder: its charts take the place of the shipped drafts (docs/tank_d20.md)",
    ),
    built("penetration", ("compare", "roll"), "TD-6", "roll: a d20 against the chart of penetration rolls"),
    built("heat_bands", ("constant", "as_ap"), "TD-6", "as_ap: distance changes the figure of HEAT as well"),
    built("exposed", ("kia", "mc"), "TD-7", "mc: an exposed man may stand it, by a d20 against his morale"),
    built(
        "knock_out",
        ("wreck", "firepower", "any"),
        "TD-8",
        "firepower: destroyed as well when it cannot fire any more; any: or when it is immobilised",
    ),
    built("actions", NumberRange(1, 6), "TD-9", "actions of a crew a turn", 2),
    *sided("aim", ("never", "always"), "TD-9", "always: an action of aiming before every shot, for -2"),
    built("stand_in", (True, False), "TD-9", "no: nobody takes another man's place"),
)

HOUSE_NUMBERS = (
    HouseNumber("clear_actions", 1, "TD-2", "actions that clearing a jam takes", 0, 5, whole=True),
    HouseNumber(
        "least_calibre",
        37,
        "TD-7",
        "calibre in mm from which a round that does not go through counts",
        0,
        500,
    ),
    HouseNumber("least_crew", 2, "TD-8", "men without whom a vehicle is given up", 1, 5, whole=True),
)

CATALOGUE = Catalogue(READINGS, HOUSE_NUMBERS, true=("true",), false=("false",))
"""All that a table may settle for itself."""
