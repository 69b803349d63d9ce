"""The catalogue of readings and optional rules, in the order of the rules page."""

from simlab.rules.common.choices import NumberRange, Reading, Value, built, sided


def _option(name: str, rule: str, effect: str, values: tuple[Value, ...] = (False, True)) -> Reading:
    """An optional rule; its first value is the default."""
    return Reading(name, values, values[0], rule, effect, optional_rule=True)


def _built_option(name: str, rule: str, effect: str, values: tuple[Value, ...] = (False, True)) -> Reading:
    """An optional rule that is built; its first value is the default."""
    return Reading(name, values, values[0], rule, effect, built=True, optional_rule=True)


def _open(name: str, values: tuple[Value, ...], rule: str, effect: str) -> Reading:
    """A reading that is not built; its first value is the default."""
    return Reading(name, values, values[0], rule, effect)


def _halving(name: str, values: tuple[Value, ...], effect: str) -> Reading:
    """A reading about how defence values are halved, which two optional rules do."""
    under = ("immobile_targets", "point_blank")
    return Reading(name, values, values[0], "BK-67", effect, built=True, under=under)


_OPTIONAL_RULES = (
    _built_option(
        "dsp",
        "BK-50",
        "level of damage, shock, penetration without the coin: fixed, by a d3, or by range",
        ("coin", "mid", "always_high", "three", "by_range"),
    ),
    _built_option("snake_eyes_miss", "BK-53", "a roll that opens with 1-1 misses with every weapon"),
    _built_option("lucky_shot", "BK-54", "a roll that opens with 6-6 doubles what hits"),
    _built_option("instant_death", "BK-55", "6-6 twice running destroys the target outright"),
    _option("initiative_parts", "BK-56", "move in three or four rotations instead of two", (2, 3, 4)),
    _option("motion_sickness", "BK-57", "a gunner rolls one die after a move faster than his skill"),
    _option("suppressing_fire", "BK-58", "machine guns may spoil the aim of a tank instead of hurting it"),
    _option("tree_cover", "BK-59", "a unit at the edge of trees sees farther out than it is seen"),
    _built_option(
        "immobile_targets", "BK-60", "standing in the open halves the defence values; comes with hull_down"
    ),
    _built_option(
        "hull_down", "BK-60", "cover gives a standing unit its full values back; comes with immobile_targets"
    ),
    _built_option("point_blank", "BK-61", "defence values are halved within one inch"),
    _option("half_acceleration", "BK-62", "speed grows by at most half of the full speed a turn"),
    _option("no_magic_bullet", "BK-63", "from a flank the near tread is hit instead of the far one"),
    _built_option("zeroing_in", "BK-64", "firing on at the same tank makes hitting easier, up to the skill"),
    _option("phased", "BK-65", "phased play, which the book does not hold"),
)

_READINGS = (
    _open(
        "gunner_targets",
        ("one", "per_weapon"),
        "BK-11",
        "each weapon may take a target of its own, by the same roll",
    ),
    _open(
        "aspect_arcs",
        ("six", "four"),
        "BK-14",
        "defence and armour by quadrants on a map, penetration by sixths",
    ),
    _open("aspect_ties", ("front_rear", "flank"), "BK-14", "bearings right on a border count as flank"),
    built(
        "mg_range",
        ("hard", "unlimited"),
        "BK-15",
        "machine guns reach on where their sheet sets no range of its own",
    ),
    _open("hold_fire", (False, "policy"), "BK-16", "the policy of a side may keep weapons silent"),
    built("skip", ("crossed", "destroyed"), "BK-23", "lines of items that are lost already are skipped too"),
    built("manifest_overflow", ("stop", "wrap"), "BK-23", "lines past the top go on from the bottom"),
    built("engine_hits", ("first", "count"), "BK-24", "the engine lasts as many volleys as it has hits"),
    built("explosion_rolls", ("per_item", "per_volley"), "BK-26", "a volley starts no more than one contest"),
    built(
        "explosion_repeat",
        ("first", "each_volley"),
        "BK-26",
        "later volleys on the same item start contests again",
    ),
    built("empty_bin", ("explodes", "inert"), "BK-26", "a bin whose weapon is out of rounds cannot explode"),
    built(
        "bin_in_box",
        ("box", "line"),
        "BK-26",
        "a weapon's bin is on one line of its box only, the second from above",
    ),
    built("lost_bin", ("ammo_lost", "none"), "BK-26", "a bin that is hit costs no rounds"),
    built(
        "periscope_scope",
        ("unit", "enclosed"),
        "BK-27",
        "gunners of pintle weapons do not need the periscope",
    ),
    _open("one_die", ("floor", "none_left"), "BK-27", "two reasons for one die leave none"),
    _open("one_tread_reverse", (False, True), "BK-28", "one tread is enough to reverse"),
    built("immobile", ("both", "one_tread"), "BK-28", "the first lost tread makes immobile"),
    built(
        "loss_of_function",
        ("any", "all", "firepower", "crew"),
        "BK-29",
        "which losses beside the crew destroy: weapons and mobility only together, weapons only, none",
    ),
    built("volley_order", ("listed", "random"), "BK-30", "volleys come in a new order every turn"),
    built(
        "fire_allocation", ("sequential", "declared"), "BK-30", "targets are chosen before any die is thrown"
    ),
    *sided(
        "pintle_policy",
        ("never", "in_range", "always"),
        "BK-31",
        "when side {side} opens its hatches for the pintle weapon",
    ),
    built(
        "unbuttoned_mix",
        ("separate", "pooled"),
        "BK-31",
        "one cannon hit makes the machine guns' shock internal too",
    ),
    _open("ram_resolution", ("combat", "movement"), "BK-32", "rams are resolved as they happen"),
    _open(
        "ram_side", ("flanks", "quadrants"), "BK-33", "only hits from 45 to 135 degrees are hits on the side"
    ),
    _open("ram_rounding", ("nearest", "floor", "none"), "BK-34", "fractions of a ram are dropped, or kept"),
    _open("ram_back_speed", ("ram", "own"), "BK-34", "the rammer suffers by his own speed alone"),
    _open("initiative", ("halves", "chits"), "BK-36", "units move in the order of drawn chits"),
    _open("hidden_chits", (False, True), "BK-36", "chits stay face down until all are placed"),
    _open("chit_count", ("vehicles", "all"), "BK-36", "infantry and field guns draw chits too"),
    _open(
        "red_order", ("last", "interrupt"), "BK-36", "units without a place in the order may cut in anywhere"
    ),
    _open("level_cost", ("both_ways", "up_only"), "BK-37", "going down costs no more than level ground"),
    Reading("level_limit", NumberRange(0), 2, "BK-37", "the most levels that an inch may climb or drop"),
    _open("paved_turn", ("either", "both"), "BK-38", "turns on the spot need pavement inside a city"),
    _open(
        "reverse_terrain", ("double", "single"), "BK-39", "reversing adds one point to the cost of terrain"
    ),
    _open("hex_arc", ("angle", "picture"), "BK-40", "an arc on hexes follows the rows of hexes"),
    _open("swing", ("simultaneous", "movement_order"), "BK-40", "turrets swing in the order of movement"),
    _open("sight_edge", ("blocked", "open"), "BK-41", "a line that only touches an obstacle is free"),
    _open("infantry_sight", ("none", "enemy_blocks"), "BK-41", "enemy infantry hides what is behind it"),
    _open(
        "sight_levels",
        ("above_both", "above_lower"),
        "BK-41",
        "ground above the lower end is enough to block",
    ),
    Reading("split_needs", NumberRange(4, 8), 8, "BK-44", "how many men it takes to fire as two groups"),
    _open(
        "squad_rolls",
        ("each", "one_per_target"),
        "BK-44",
        "all fire of a squad at one target shares roll and coin",
    ),
    _open("squad_losses", ("riflemen_first", "random", "special_first"), "BK-44", "which men fall first"),
    _open("exhaustion", ("by_turn", "by_speed"), "BK-45", "faster moves tire more"),
    _open(
        "men_die", ("per_weapon", "per_volley"), "BK-46", "one die multiplies the shock of the whole volley"
    ),
    _open("indirect_sight", ("needed", "not_needed"), "BK-48", "mortars need not see their target"),
    _open("flame_range", (1, 2), "BK-48", "flames reach two inches"),
    _open(
        "flame_dv", ("anti_personnel", "ballistic"), "BK-48", "flames are aimed at men by the ballistic value"
    ),
    _open("flame_timing", ("before_combat", "next_turn"), "BK-48", "flames suppress from the next turn"),
    _open("field_gun_rear", ("zero", "front"), "BK-49", "the rear of a field gun is as strong as its front"),
    _open("field_gun_wear", ("restored", "worn"), "BK-49", "the shield of a field gun wears down"),
    built("snake_scope", ("first", "any"), "BK-53", "1-1 on a roll that goes on misses too"),
    built("snake_one_die", ("never", "one"), "BK-53", "a single die that shows 1 misses"),
    built("lucky_repeat", ("once", "each"), "BK-54", "every further 6-6 doubles again"),
    _open("motion_targets", ("all", "tanks"), "BK-57", "motion spoils only fire at tanks"),
    _open(
        "suppress_unbuttoned",
        ("all_internal", "shock_only", "none"),
        "BK-58",
        "how much suppressing fire goes through open hatches",
    ),
    _open("tree_edge", ("answer", "silent"), "BK-59", "at twelve inches sharp the other cannot answer yet"),
    _open("immobile_scope", ("all", "vehicles"), "BK-60", "men and field guns are never immobile targets"),
    built("moved_a", (False, True), "BK-60", "side a of a duel counts as moving"),
    built("moved_b", (False, True), "BK-60", "side b of a duel counts as moving"),
    _open("magic_lines", ("one", "both"), "BK-63", "the near tread is crossed off whole"),
    _open("zeroing_suppress", (False, True), "BK-64", "suppressing shots help zeroing in"),
    _open(
        "phased_interrupts",
        ("not_in_book", "none", "after_each_move"),
        "BK-65",
        "a phased play of our own, with fire in its own phase or after every move",
    ),
    _halving("halving_stack", ("multiply", "once"), "defence values are halved once at most"),
    _halving("half_round", ("up", "down"), "halves are rounded down"),
    built("duel_lock", ("none", "silent"), "BK-70", "weapons on a locked mount are silent in a duel"),
)

READINGS: tuple[Reading, ...] = (*_OPTIONAL_RULES, *_READINGS)
"""Every optional rule and every reading."""
PAIR = ("immobile_targets", "hull_down")
"""One switch with two names: setting either sets both (BK-60)."""
