"""Random record sheets, states, readings and fights, legal and as odd as the sheet allows.

Everything is drawn from a `random.Random`, so that a seed names a draw and hypothesis (`st.randoms()`) can shrink one.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st
from reference import blitzkrieg as bk

from simlab.rules.blitzkrieg.options import READINGS as CATALOGUE

READINGS: Mapping[str, tuple[Any, ...]] = {
    reading.name: tuple(reading.values)  # type: ignore[arg-type]
    for reading in CATALOGUE
    if reading.built
}
"""Whatever reading and optional rule is built, its default first."""
PAIR = ("immobile_targets", "hull_down")
"""One switch with two names (BK-60)."""
ASPECTS = ("front", "front_left", "front_right", "rear_left", "rear_right", "rear")
DISTANCES = (0, 0.5, 6, 11.999, 12, 14, 14, 18, 23.5, 24, 24, 29.4, 29.999, 30, 30.001, 36, 48, 60.25, 999)
TYPES = ("ballistic", "ballistic", "anti_personnel", "anti_personnel", "indirect")
MOUNTS = ("turret", "turret", "fixed", "bow", "pintle")


@dataclass(frozen=True)
class Scope:
    """How far draws may go: gunners of a sheet, columns of its chart before dead, extreme numbers."""

    gunners: int = 3
    columns: int = 9
    extreme: bool = False


def random_readings(rng: random.Random) -> dict[str, Any]:
    """No reading, one, some or all of those that are built at some value."""
    names = list(READINGS)
    count = rng.choice((0, 1, 3, 8, *[len(names)] * 3))
    readings = {name: rng.choice(READINGS[name]) for name in rng.sample(names, min(count, len(names)))}
    if set(PAIR) <= set(readings):
        del readings[rng.choice(PAIR)]
    return readings


def random_constants(rng: random.Random, distance: float) -> dict[str, Any]:
    """House numbers, most of them as in the book; no step so small that a to-hit number would pass 204."""
    if rng.random() < 0.7:
        return {}
    constants = {
        "range_step": rng.choice([step for step in (1, 4.9, 7.5, 12, 24, 999) if distance <= 83 * step]),
        "ap_reach": rng.choice((0, 12, 23.5, 30, 48, 999)),
        "exploding": rng.choice((True, False)),
        "contest_lead": rng.choice((-19, -3, 0, 1, 2, 19, 20)),
    }
    return {name: constants[name] for name in rng.sample(list(constants), rng.randint(1, 4))}


def random_settings(rng: random.Random, distance: float) -> dict[str, Any]:
    """Readings, and house numbers under `constants`, as the reference takes them."""
    constants = random_constants(rng, distance)
    return random_readings(rng) | ({"constants": constants} if constants else {})


def random_sheet(rng: random.Random, scope: Scope) -> dict[str, Any]:
    """A legal sheet as the mapping that its file would give."""
    gunners = [rng.choice((1, 1, 1, 2, 2, 3)) for _ in range(rng.randint(1, scope.gunners))]
    names = [f"w{number}" for number in range(sum(gunners))]
    weapons = {name: _weapon(rng, scope) for name in names}
    served = list(names)
    rng.shuffle(served)
    crews = []
    for count in gunners:
        crews.append({"name": f"gunner {len(crews)}", "skill": _skill(rng, scope), "weapons": served[:count]})
        served = served[count:]
    high = 99 if scope.extreme else 14
    low = -9 if scope.extreme else rng.choice((-9, 0, 2))
    return {
        "system": "blitzkrieg",
        "kind": "vehicle",
        "name": "Drawn",
        "nation": "Nowhere",
        "ecv": {"value": 100, "source": "draft"},
        "provenance": "drawn at random",
        "defense": {
            **{
                kind: {"front_back": rng.randint(low, high), "sides": rng.randint(low, high)}
                for kind in ("ballistic", "indirect", "anti_personnel")
            },
            "physical": 4,
        },
        "armor": {face: _few(rng, 63 if scope.extreme else 6) for face in ("front", "left", "right", "back")},
        "shock_threshold": _few(rng, 99 if scope.extreme else 4),
        "penetration": {aspect: _few(rng, 63 if scope.extreme else 4) for aspect in ASPECTS},
        "internal_amount": _chart(rng, scope),
        "movement": {
            "speed": 10, "road": 15, "extra_maneuverable": False, "water": 4, "trees": 2, "one_level": 2,
            "two_levels": 3, "amphibious": False,
        },
        "ram": {"damage": 0.5, "shock": 0.5, "penetration": 0.25, "plate": False},
        "weapons": weapons,
        "gunners": crews,
        "manifest": _manifest(rng, weapons),
    }  # fmt: skip


def _few(rng: random.Random, most: int) -> int:
    return rng.choice((0, rng.randint(0, most), rng.randint(0, most)))


def _skill(rng: random.Random, scope: Scope) -> int:
    return rng.randint(-9, 9) if scope.extreme else rng.randint(-2, 3)


def _weapon(rng: random.Random, scope: Scope) -> dict[str, Any]:
    most = 99 if scope.extreme else 7
    kind = rng.choice(TYPES)
    high, mid, low = ([rng.choice((0, *[rng.randint(1, most)] * 4)) for _ in range(3)] for _ in range(3))
    weapon: dict[str, Any] = {
        "name": "Gun",
        "type": kind,
        "high": high,
        "mid": mid,
        "low": list(high) if rng.random() < 0.3 else low,
        "ammo": rng.choice((0, 1, 2, 2, 3, 5, 7, 19, 36, 9999)),
        "mount": rng.choice(MOUNTS),
    }
    if rng.random() < 0.3:
        weapon["max_range"] = rng.choice((0, 6, 14, 24, 30, 48, 999, 29.999))
    return weapon


def _chart(rng: random.Random, scope: Scope) -> list[int | None]:
    """A rising chart with nulls; numbers low enough to be reached, some never."""
    columns = sorted(rng.sample(range(9), rng.choice((0, *[rng.randint(1, scope.columns)] * 9))))
    dead = rng.choice((len(columns) + 1, rng.randint(10, 24), 24, 99))
    numbers = sorted(rng.sample(range(1, min(dead, 20)), len(columns)))
    chart: list[int | None] = [None] * 9
    for column, number in zip(columns, numbers, strict=True):
        chart[column] = number
    return [*chart, dead]


def _manifest(rng: random.Random, weapons: dict[str, Any]) -> list[dict[str, Any]]:
    """Items on lines with gaps between, crew anywhere or nowhere; weapons that are not placed go off it."""
    items: list[dict[str, Any]] = []
    for name, weapon in weapons.items():
        if rng.random() < 0.15:
            weapon["off_manifest"] = True
            continue
        boxes = rng.choice((1, 1, 1, 1, 2))
        items.extend({"item": "weapon", "weapon": name, **_bin(rng, 0.5)} for _ in range(boxes))
    extras = _extras(rng, list(weapons))
    rng.shuffle(extras)
    items += extras[: 20 - len(items)]
    rng.shuffle(items)
    heights = [rng.choice((1, 1, 2, 2, 3)) for _ in items]
    gaps = [rng.choice((0, 0, 0, 1, 2)) for _ in items]
    while sum(heights) + sum(gaps) > 20:
        sizes = gaps if any(gaps) else heights
        sizes[sizes.index(max(sizes))] -= 1
    line = 0
    for item, height, gap in zip(items, heights, gaps, strict=True):
        item["lines"] = list(range(line + gap + 1, line + gap + height + 1))
        line += gap + height
    rng.shuffle(items)
    return items


def _bin(rng: random.Random, chance: float) -> dict[str, Any]:
    return {"ammo_bin": True} if rng.random() < chance else {}


def _extras(rng: random.Random, names: list[str]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = [{"item": "crew"} for _ in range(rng.choice((0, 1, 1, 1, 2)))]
    engines, treads = rng.choice((0, 1, 1, 1, 2, 3)), rng.choice((0, 1, 2, 2, 2, 3))
    items.extend({"item": "engine", "hits": rng.choice((1, 2, 3, 5, 20))} for _ in range(engines))
    items.extend({"item": "tread", "side": ("left", "right")[number % 2]} for number in range(treads))
    for _ in range(rng.choice((0, 0, 1, 2))):
        feeds = rng.choice((*names, None))
        items.append({"item": "ammo_bin", **({"weapon": feeds} if feeds else {})})
    if rng.random() < 0.3:
        mount: dict[str, Any] = {"item": "pintle_mount", **_bin(rng, 0.7)}
        if mount.get("ammo_bin") and rng.random() < 0.7:
            mount["weapon"] = rng.choice(names)
        items.append(mount)
    for kind, most in (("fuel", 2), ("periscope", 1), ("turret", 1), ("other", 1)):
        items += [{"item": kind} for _ in range(rng.randint(0, most))]
    return items


def random_state(
    rng: random.Random, sheet: dict[str, Any], readings: dict[str, Any], turns: int, most: int = 14
) -> bk.State:
    """A state that a fight of `turns` turns may lead to, of a unit that stands: worn armour, up to `most` crossed
    lines, engines hit, rounds left."""
    unit = bk.read_sheet(sheet)
    state = bk.fresh(unit)
    lines = rng.sample(range(1, 21), rng.choice((0, rng.randint(0, most), most)))
    for crossed in [set(), *({line} for line in lines)]:
        more = _state(rng, unit, readings, turns, state.crossed | crossed)
        if not bk.figures(unit, more, readings)["destroyed"]:
            state = more
    return state


def any_state(rng: random.Random, sheet: dict[str, Any], readings: dict[str, Any], turns: int) -> bk.State:
    """Like `random_state`, also of a unit that no longer stands."""
    unit = bk.read_sheet(sheet)
    state = _state(rng, unit, readings, turns, frozenset(rng.sample(range(1, 21), rng.randint(0, 20))))
    return replace(state, cause=rng.choice((None, None, "dead_column", "explosion")))


def _state(
    rng: random.Random, unit: bk.Unit, readings: dict[str, Any], turns: int, crossed: frozenset[int]
) -> bk.State:
    engines = [unit.items[place] for place in unit.items_of("engine")]
    counted = readings.get("engine_hits") == "count"
    return bk.State(
        armor=tuple(rng.choice((full, rng.randint(0, full))) for full in unit.armor),  # type: ignore[arg-type]
        crossed=crossed,
        engine_hits=tuple(
            rng.randint(1, engine.hits) if counted and not engine.lines.isdisjoint(crossed) else 0
            for engine in engines
        ),
        cause=None,
        rounds=_rounds_left(rng, unit, crossed, readings, turns),
        zeroed=tuple(_zeroed(rng, gunner.skill, readings, turns) for gunner in unit.gunners),
    )


def _zeroed(rng: random.Random, skill: int, readings: dict[str, Any], turns: int) -> tuple[int | None, int]:
    """Whom a gunner has zeroed in on, the only enemy, and for how many turns, in some later turn of the fight."""
    most = min(skill, turns - 1)
    if not readings.get("zeroing_in") or most <= 0 or rng.random() < 0.3:
        return None, 0
    return 0, rng.randint(1, most)


def _rounds_left(
    rng: random.Random, unit: bk.Unit, crossed: frozenset[int], readings: dict[str, Any], turns: int
) -> tuple[int, ...]:
    """Rounds of each weapon: none where a bin that feeds it is lost, all of them where they last for `turns`."""
    rounds = [
        weapon.ammo
        if weapon.ammo >= turns
        else rng.choice((0, *[rng.randint(min(1, weapon.ammo), weapon.ammo)] * 4))
        for weapon in unit.weapons
    ]
    if readings.get("lost_bin") != "none":
        for item in unit.items:
            lines = item.explosive[readings.get("bin_in_box", "box")]
            if item.weapon is not None and not lines.isdisjoint(crossed):
                rounds[item.weapon] = 0
    return tuple(rounds)


@dataclass(frozen=True)
class Draw:
    """Two units that face each other, in the middle of a fight of at most `turns` turns.

    `seed` names the dice of what else is drawn about them.
    """

    sheets: tuple[dict[str, Any], dict[str, Any]]
    states: tuple[bk.State, bk.State]
    readings: dict[str, Any]
    distance: float
    aspects: tuple[str, str]
    turns: int
    seed: int


def random_draw(rng: random.Random) -> Draw:
    """Sheets, states, readings and situation; one side can fire if that was found in some tries."""
    for _ in range(10):
        draw = _draw(rng)
        for sheet, state, side in zip(draw.sheets, draw.states, "ab", strict=True):
            able = bk.capability(sheet, state, side, draw.distance, draw.readings)
            if any(fire.weapons for fire in able.gunners):
                return draw
    return draw


def _draw(rng: random.Random) -> Draw:
    """The more gunners, the fewer columns and the more crossed lines: a whole turn can be enumerated."""
    gunners = rng.choice((1, 1, 1, 2, 2, 3))
    scope = Scope(gunners, {1: 9, 2: 2, 3: 1}[gunners], extreme=rng.random() < 0.15)
    distance = float(rng.choice(DISTANCES))
    readings = random_settings(rng, distance)
    turns = rng.choice((2, 3, 4, 6, 20))
    sheets = (random_sheet(rng, scope), random_sheet(rng, scope))
    most = {1: 10, 2: 14, 3: 18}[gunners]
    return Draw(
        sheets,
        (
            random_state(rng, sheets[0], readings, turns, most),
            random_state(rng, sheets[1], readings, turns, most),
        ),
        readings,
        distance,
        (rng.choice(ASPECTS), rng.choice(ASPECTS)),
        turns,
        rng.randrange(2**32),
    )


def random_fire(
    rng: random.Random, unit: bk.Unit, readings: dict[str, Any], turns: int
) -> tuple[bk.Fire, ...]:
    """What gunners can do, although no state need lead to it: any weapons, any turns zeroed in, periscope or not."""
    blind = rng.random() < 0.4
    fires = []
    for gunner in unit.gunners:
        weapons = tuple(weapon for weapon in gunner.weapons if rng.random() < 0.7)
        enclosed = any(unit.weapons[weapon].mount != "pintle" for weapon in gunner.weapons)
        sees = not blind or (readings.get("periscope_scope") == "enclosed" and not enclosed)
        fires.append(bk.Fire(weapons, 2 if sees else 1, _zeroed(rng, gunner.skill, readings, turns)))
    return tuple(fires)


sheets: st.SearchStrategy[dict[str, Any]] = st.builds(
    lambda rng, gunners: random_sheet(rng, Scope(gunners)),
    st.randoms(use_true_random=False),
    st.integers(1, 3),
)
"""Record sheets: one to three gunners, rounds that run short, empty lines, crew anywhere or nowhere, any treads."""


def random_pair(rng: random.Random, turns: int) -> Draw:
    """Two fresh units whose duel is short work for the reference: hits cross few lines, many destroy outright."""
    distance = float(rng.choice((0, 1, 6, 12, 14, 24, 30)))
    gunners = rng.randint(1, 3)
    scope = Scope(gunners, 1 if gunners > 1 else 2)
    sheets = (random_sheet(rng, scope), random_sheet(rng, scope))
    for sheet in sheets:
        for weapon in sheet["weapons"].values():
            weapon["low"] = weapon["high"] if rng.random() < 0.5 else weapon["low"]
    readings = random_settings(rng, distance)
    states = (bk.fresh(sheets[0]), bk.fresh(sheets[1]))
    aspects = (rng.choice(ASPECTS), rng.choice(ASPECTS))
    return Draw(sheets, states, readings, distance, aspects, turns, rng.randrange(2**32))


draws: st.SearchStrategy[Draw] = st.randoms(use_true_random=False).map(random_draw)
"""`random_draw` for hypothesis."""


@dataclass(frozen=True)
class Battle:
    """Sides of units at a fixed range, or where sequences say turn by turn; units of a side may share a sheet."""

    sheets_a: list[dict[str, Any]]
    sheets_b: list[dict[str, Any]]
    readings: dict[str, Any]
    distance: float
    aspects: tuple[str, str]
    policies: tuple[str, str]
    turns: int
    seed: int
    first_fire: tuple[str, int] | None = None

    @property
    def typed_first_fire(self) -> str | None:
        """First fire as it is typed."""
        return None if self.first_fire is None else f"{self.first_fire[0]}:{self.first_fire[1]}"


def random_battle(rng: random.Random, most: int = 4) -> Battle:
    """One to `most` units a side that can hurt each other slowly; rounds run out before the turns do."""
    kinds = [random_sheet(rng, Scope(rng.choice((1, 2, 3)))) for _ in range(rng.choice((1, 2, 3)))]
    for sheet in kinds:
        for weapon in sheet["weapons"].values():
            weapon["ammo"] = rng.choice((1, 2, 3, 4, 36))
            weapon.pop("max_range", None)
    distance = float(rng.choice((0, 6, 12, 14, 24, 30)))
    return Battle(
        [rng.choice(kinds) for _ in range(rng.randint(1, most))],
        [rng.choice(kinds) for _ in range(rng.randint(1, most))],
        random_settings(rng, distance),
        distance,
        (rng.choice(ASPECTS), rng.choice(ASPECTS)),
        (rng.choice(("first", "spread")), rng.choice(("first", "spread"))),
        rng.choice((1, 3, 6, 10)),
        rng.randrange(2**63),
    )
