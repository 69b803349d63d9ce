"""The catalogue of readings of tank_d20 and its house numbers, in the order of the rules."""

from simlab.rules.common.catalogue import Catalogue
from simlab.rules.common.choices import HouseNumber, NumberRange, Reading, Value


def _reading(
    name: str, values: tuple[Value, ...] | NumberRange, rule: str, effect: str, default: Value = ""
) -> Reading:
    """A reading that is built; of listed values the first one is the default."""
    first = values[0] if isinstance(values, tuple) else default
    return Reading(name, values, first, rule, effect, built=True)


def _sided(
    name: str, values: tuple[Value, ...] | NumberRange, rule: str, effect: str, default: Value = ""
) -> list[Reading]:
    """A reading of each side."""
    first = values[0] if isinstance(values, tuple) else default
    return [
        Reading(f"{name}_{side}", values, first, rule, effect, built=True, shared=name) for side in ("a", "b")
    ]


READINGS: tuple[Reading, ...] = (
    _reading(
        "hit",
        ("roll_plus_drm_at_most", "roll_plus_drm_below"),
        "TD-1",
        "roll_plus_drm_below: a roll that comes to just the base number misses",
    ),
    _reading("extreme", ("s_90", "all_open"), "TD-1", "all_open: S guns reach as far as all others"),
    _reading("jam_round", ("kept", "spent"), "TD-2", "spent: the round that jammed is gone"),
    _reading(
        "fire_on_move",
        ("plus_12", "half"),
        "TD-3",
        "half: fire on the move halves the base number instead of +12",
    ),
    _reading(
        "move_stack",
        ("replace", "add"),
        "TD-3",
        "add: fire on the move counts the +5 for having moved as well",
    ),
    _reading(
        "leader_on", ("to_hit", "location"), "TD-3", "location: a leader helps where hits land, not to hit"
    ),
    _reading(
        "no_target", ("base", "final"), "TD-3", "final: fire into an area is halved after all modifiers"
    ),
    *_sided(
        "movement",
        ("halted", "moved", "firing"),
        "TD-3",
        "moved: in the action before each shot; firing: fires on the move; until it is immobilised",
    ),
    *_sided("buttoned", (False, True), "TD-3", "hatches closed: +2 to hit with, and nobody is exposed"),
    *_sided("commander", ("directs", "busy"), "TD-3", "busy: the commander never directs the fire"),
    *_sided(
        "zeroed_in",
        (False, True),
        "TD-3",
        "fires into a place that is zeroed in, while the unit does not move",
    ),
    *_sided(
        "area_fire", (False, True), "TD-3", "fires into an area, as a cloud of smoke, and not at a target"
    ),
    *_sided("light_woods", (False, True), "TD-4", "the unit stands in light woods: +3 to hit it"),
    *_sided(
        "inches",
        NumberRange(0, 99),
        "TD-4",
        "how far a moving unit drives in an action, seen from the side",
        6,
    ),
    _reading("per3", ("full", "part"), "TD-4", "part: every started 3 inches of movement count"),
    _reading(
        "charts",
        ("draft",),
        "TD-5",
        "a folder: its charts take the place of the shipped drafts (docs/tank_d20.md)",
    ),
    _reading(
        "penetration", ("compare", "roll"), "TD-6", "roll: a d20 against the chart of penetration rolls"
    ),
    _reading(
        "heat_bands", ("constant", "as_ap"), "TD-6", "as_ap: distance changes the figure of HEAT as well"
    ),
    _reading(
        "exposed", ("kia", "mc"), "TD-7", "mc: an exposed man may stand it, by a d20 against his morale"
    ),
    _reading(
        "knock_out",
        ("wreck", "firepower", "any"),
        "TD-8",
        "firepower: destroyed as well when it cannot fire any more; any: or when it is immobilised",
    ),
    _reading("actions", NumberRange(1, 6), "TD-9", "actions of a crew a turn", 2),
    *_sided("aim", ("never", "always"), "TD-9", "always: an action of aiming before every shot, for -2"),
    _reading("stand_in", (True, False), "TD-9", "no: nobody takes another man's place"),
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
