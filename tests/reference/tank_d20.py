"""A slow, plain reading of the tank_d20 rules, for tests: dice in, states out, every way of the dice enumerated.

It reads sheets and charts as plain values, works with sets and words instead of bits, and shares nothing with simlab.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

CHARTS = Path(__file__).parents[2] / "simlab" / "rules" / "tank_d20" / "charts"
BANDS = {
    "S": [(5, 16, 0), (23, 14, -10), (60, 12, -25), (75, 8, -50), (90, 4, -75)],
    "standard": [(8, 16, 25), (30, 14, 0), (75, 12, -10), (103, 8, -25), (None, 4, -50)],
    "L": [(8, 16, 25), (45, 14, 0), (90, 12, 0), (113, 8, -10), (None, 4, -25)],
    "XL": [(10, 16, 25), (53, 14, 0), (113, 12, 0), (150, 8, 0), (None, 4, -10)],
}
"""For each gun: up to how many inches, base number, change of the figure in per cent."""
DEFAULTS: dict[str, Any] = {
    "hit": "roll_plus_drm_at_most", "extreme": "s_90", "jam_round": "kept", "fire_on_move": "plus_12",
    "move_stack": "replace", "leader_on": "to_hit", "no_target": "base", "per3": "full", "penetration": "compare",
    "exposed": "kia", "actions": 2, "heat_bands": "constant", "knock_out": "wreck", "stand_in": True,
    "movement": "halted", "buttoned": False, "commander": "directs", "zeroed_in": False, "area_fire": False,
    "light_woods": False, "inches": 6, "aim": "never", "clear_actions": 1, "least_calibre": 37, "least_crew": 2,
}  # fmt: skip


def draft_charts() -> dict[str, Any]:
    """Return the shipped charts as plain values."""
    return {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in CHARTS.glob("*.yaml")}


@dataclass(frozen=True)
class Game:
    """What holds in a fight: settings by name, of a side as `name_a`; charts; where the sides stand."""

    settings: Mapping[str, Any]
    charts: Mapping[str, Any] = field(default_factory=draft_charts)
    distance: float = 24.0
    aspects: Mapping[str, str] = field(default_factory=lambda: {"a": "front", "b": "front"})

    def get(self, name: str, side: str = "") -> Any:
        default = DEFAULTS[name]
        return self.settings.get(f"{name}_{side}", default) if side else self.settings.get(name, default)


@dataclass(frozen=True)
class State:
    """A unit: men lost, what is broken, who was stunned this turn; how it was destroyed, if it was.

    left: actions until it can fire. shots: in a row at the target. dazed: the commander loses his next action.
    rounds: what is left of them.
    """

    lost: frozenset[str] = frozenset()
    gun_out: bool = False
    immobile: bool = False
    stunned: frozenset[str] = frozenset()
    fate: frozenset[str] = frozenset()
    left: int = 0
    shots: int = 0
    dazed: bool = False
    rounds: int = 999


@dataclass(frozen=True)
class Unit:
    """A sheet, as plain values, on a side."""

    sheet: Mapping[str, Any]
    side: str


Dice = Callable[[], int]


def fresh(unit: Unit, game: Game) -> State:
    """A loaded gun; who aims has not aimed yet."""
    return State(left=int(game.get("aim", unit.side) == "always"), rounds=unit.sheet["gun"]["rounds"])


def duties(unit: Unit, state: State, game: Game) -> dict[str, str | None]:
    """Who is at the gun, loads, drives, commands."""
    men = [man for man in unit.sheet["crew"]["positions"] if man not in state.lost]
    swap = game.get("stand_in")
    found: dict[str, str | None] = dict.fromkeys(("gun", "load", "drive", "command"))
    for duty, wanted in (
        ("gun", ["gunner", "loader", "commander"]),
        ("load", ["loader", "bow_gunner"]),
        ("drive", ["driver", "bow_gunner"]),
        ("command", ["commander"]),
    ):
        for man in wanted if swap else wanted[:1]:
            if man in men:
                found[duty] = man
                men.remove(man)
                break
    if found["load"] is None:
        found["load"] = found["gun"]
    if game.get("commander", unit.side) == "busy":
        found["command"] = None
    return found


def load_time(unit: Unit, state: State, game: Game) -> int:
    crew, doing = unit.sheet["crew"], duties(unit, state, game)
    time: int = unit.sheet["gun"]["load_time"] + game.charts["crew"]["quality"][crew["quality"]]["load"]
    if doing["load"] == doing["gun"]:
        return min(20, max(2 * time, time + 1))
    return min(20, time + (0 if doing["load"] == "loader" else game.charts["crew"]["stand_in_load"]))


def is_moving(unit: Unit, state: State, game: Game) -> bool:
    has_driver = "driver" in unit.sheet["crew"]["positions"]
    able = has_driver and not state.immobile and duties(unit, state, game)["drive"] is not None
    return able and game.get("movement", unit.side) != "halted"


def band(unit: Unit, game: Game) -> tuple[int, int] | None:
    """Base number and change in per cent at the range, None out of reach."""
    rows = BANDS[unit.sheet["gun"]["size"]]
    for up_to, base, change in rows:
        if up_to is None or game.distance <= up_to:
            return base, change
    return rows[-1][1:] if game.get("extreme") == "all_open" else None


def can_fire(unit: Unit, state: State, game: Game) -> bool:
    gun = not state.gun_out and duties(unit, state, game)["gun"] is not None
    return gun and state.left == 0 and state.rounds > 0 and band(unit, game) is not None


def modifiers(shooter: Unit, state: State, target: Unit, other: State, game: Game) -> int:
    """The sum of TD-3 and TD-4."""
    side, foe = shooter.side, target.side
    crew, gun, doing = shooter.sheet["crew"], shooter.sheet["gun"], duties(shooter, state, game)
    total = {"green": 2, "regular": 0, "elite": -2}[crew["quality"]]
    total += 0 if crew["qualified"] and doing["gun"] == "gunner" else 2
    total += 3 if crew["captured"] else 0
    total += -2 if game.get("aim", side) == "always" else 0
    total += 2 if game.get("buttoned", side) and not shooter.sheet["open_top"] else 0
    total += 2 if gun["round"] == "heat" and not gun["hand_held"] else 0
    if is_moving(shooter, state, game):
        if game.get("movement", side) == "firing":
            total += 12 if game.get("fire_on_move") == "plus_12" else 0
            total += 5 if game.get("move_stack") == "add" else 0
        else:
            total += 5
    else:
        total -= min(2, state.shots)
    if doing["command"] is None or state.dazed:
        total += 3
    elif game.get("leader_on") == "to_hit":
        total -= crew["leader"]
    if game.get("zeroed_in", side) and game.get("movement", side) == "halted":
        total -= 4
    if is_moving(target, other, game):
        inches = game.get("inches", foe)
        full, started = inches // 3, (inches + 2) // 3
        across = full if game.get("per3") == "full" else started
        total += across if game.aspects[foe] == "side" else 1
    total += {"very_small": 2, "small": 1, "medium": 0, "large": -1, "very_large": -2}[target.sheet["size"]]
    return total + (3 if game.get("light_woods", foe) else 0)


def hits(roll: int, shooter: Unit, state: State, target: Unit, other: State, game: Game) -> bool:
    """Whether a d20 that is no 20 hits (TD-10)."""
    at_range = band(shooter, game)
    assert at_range is not None
    base, side = at_range[0], shooter.side
    total = modifiers(shooter, state, target, other, game)
    if (
        game.get("fire_on_move") == "half"
        and game.get("movement", side) == "firing"
        and is_moving(shooter, state, game)
    ):
        base //= 2
    final = game.get("area_fire", side) and game.get("no_target") == "final"
    if game.get("area_fire", side) and not final:
        base //= 2
    needed = (base - total) // 2 if final else base - total
    return roll < needed if game.get("hit") == "roll_plus_drm_below" else roll <= needed


def place_of(facing: str, roll: int, game: Game) -> dict[str, Any]:
    rows = game.charts["hit_location"]["places"][facing]
    return next(row for row in rows if row["rolls"][0] <= roll <= row["rolls"][1])


def penetrates(roll: int, place: dict[str, Any], shooter: Unit, target: Unit, game: Game, dice: Dice) -> bool:
    """TD-6; throws a die only where it is needed."""
    if roll == 1 and game.aspects[target.side] in ("front", "rear"):
        return True
    excess = figure(shooter, game) - target.sheet["armor"][game.aspects[target.side]][place["plate"]]
    if game.get("penetration") == "compare":
        return excess >= 0
    steps = [step for step in game.charts["penetration_roll"]["steps"] if step["excess"] <= excess]
    most = max((step["roll"] for step in steps), default=0)
    return most == 20 or (most > 0 and dice() <= most)


def figure(shooter: Unit, game: Game) -> Fraction:
    gun, at_range = shooter.sheet["gun"], band(shooter, game)
    assert at_range is not None
    change = 0 if gun["round"] == "heat" and game.get("heat_bands") == "constant" else at_range[1]
    return Fraction(gun["penetration"] * (100 + change), 100)


def fire(
    shooter: Unit, state: State, target: Unit, now: State, seen: State, game: Game, dice: Dice
) -> tuple[State, bool]:
    """One shot: the target afterwards, and whether the gun jammed.

    state, seen: shooter and target at the start of the action; now: the target when the shot comes.
    """
    roll = dice()
    if roll == 20:
        return now, True
    if not hits(roll, shooter, state, target, seen, game):
        return now, False
    return land(shooter, state, target, now, game, dice), False


def land(shooter: Unit, state: State, target: Unit, now: State, game: Game, dice: Dice) -> State:
    """The target after a hit (TD-5 to TD-8)."""
    where = dice()
    commands = duties(shooter, state, game)["command"] is not None and not state.dazed
    if game.get("leader_on") == "location" and commands:
        where = max(1, where - shooter.sheet["crew"]["leader"])
    place = place_of(game.aspects[target.side], where, game)
    if penetrates(where, place, shooter, target, game, dice):
        return judge(break_in(place, shooter, target, now, game, dice), target, game)
    if shooter.sheet["gun"]["calibre"] >= game.get("least_calibre"):
        return judge(glance(place, target, now, game, dice), target, game)
    return now


def break_in(place: dict[str, Any], shooter: Unit, target: Unit, now: State, game: Game, dice: Dice) -> State:
    """TD-8."""
    chart = game.charts["penetration_effects"]
    armour = target.sheet["armor"][game.aspects[target.side]][place["plate"]]
    over = (figure(shooter, game) - armour) // chart["over"]["step"]
    rolled = dice() + min(chart["over"]["most"], max(0, int(over)))
    row = next(row for row in chart["effects"] if row["rolls"][0] <= rolled <= row["rolls"][1])
    effects = [*row["effects"], *place.get("penetrating", [])]
    for effect in effects:
        if effect == "casualty":
            living = [
                m for m in place["crew"] if m in target.sheet["crew"]["positions"] and m not in now.lost
            ]
            now = replace(now, lost=now.lost | set(living[:1]))
        elif effect == "gun_out":
            now = replace(now, gun_out=True)
        elif effect == "immobilised":
            now = replace(now, immobile=True)
        else:
            now = replace(now, fate=now.fate | {"catastrophic"})
    return now


def glance(place: dict[str, Any], target: Unit, now: State, game: Game, dice: Dice) -> State:
    """TD-7."""
    if place.get("immobilises"):
        now = replace(now, immobile=True)
    man = place.get("stuns")
    if man is None or man in now.lost or man not in target.sheet["crew"]["positions"]:
        return now
    if target.sheet["open_top"]:
        exposed = man in ("commander", "gunner", "loader")
    else:
        exposed = man == "commander" and not game.get("buttoned", target.side)
    killed = exposed
    if exposed and game.get("exposed") == "mc":
        killed = dice() > game.charts["crew"]["quality"][target.sheet["crew"]["quality"]]["morale"]
    if killed:
        return replace(now, lost=now.lost | {man})
    doing = duties(target, now, game)
    missed = next((duty for duty in ("gun", "load", "command") if doing[duty] == man), None)
    return now if missed is None else replace(now, stunned=now.stunned | {missed})


def troubles(unit: Unit, state: State, game: Game) -> frozenset[str]:
    """What is wrong with a unit, by the names of the kinds of kill."""
    positions, doing = unit.sheet["crew"]["positions"], duties(unit, state, game)
    found = set(state.fate)
    if state.immobile or ("driver" in positions and doing["drive"] is None):
        found.add("mobility")
    if state.gun_out or doing["gun"] is None:
        found.add("firepower")
    if len(set(positions) - state.lost) < min(game.get("least_crew"), len(positions)):
        found.add("crew")
    return frozenset(found)


def judge(state: State, target: Unit, game: Game) -> State:
    """Whether a unit that was hit is destroyed."""
    found = troubles(target, state, game)
    fatal = {"wreck": {"crew", "catastrophic"}, "firepower": {"crew", "catastrophic", "firepower"}}
    if found & fatal.get(game.get("knock_out"), {"crew", "catastrophic", "firepower", "mobility"}):
        return State(fate=found)
    return replace(state, stunned=frozenset() if "firepower" in found else state.stunned)


def after_shot(unit: Unit, state: State, jammed: bool, before: State, game: Game) -> State:
    """The shooter after his shot or jam; `before` is he at the start of the action."""
    aim = int(game.get("aim", unit.side) == "always")
    left = load_time(unit, before, game) + aim + (game.get("clear_actions") if jammed else 0)
    shots = state.shots if jammed else min(2, state.shots + 1)
    if is_moving(unit, before, game):
        shots = 0
    spent = not jammed or game.get("jam_round") == "spent"
    return replace(state, left=min(31, left), shots=shots, rounds=state.rounds - spent, dazed=False)


def after_action(state: State, fired: bool) -> State:
    return replace(state, dazed=False, left=state.left if fired else max(0, state.left - 1))


def after_turn(unit: Unit, state: State, game: Game) -> State:
    """Who was stunned in the turn loses an action of the next one."""
    if state.fate:
        return state
    aim, doing = int(game.get("aim", unit.side) == "always"), duties(unit, state, game)
    loading = state.left > aim
    left = state.left + ("load" in state.stunned and loading)
    if "gun" in state.stunned and (not loading or doing["load"] == doing["gun"]):
        left += 1
    dazed = "command" in state.stunned and left == 0
    return replace(
        state, stunned=frozenset(), left=min(31, left), dazed=dazed or (state.dazed and not state.stunned)
    )


def act(
    units: tuple[Unit, Unit], states: tuple[State, State], game: Game, dice: tuple[Dice, Dice]
) -> tuple[State, State]:
    """One action of both sides, at the same time."""
    now = list(states)
    for own in (0, 1):
        foe = 1 - own
        fired = can_fire(units[own], states[own], game)
        if fired:
            now[foe], jammed = fire(
                units[own], states[own], units[foe], now[foe], states[foe], game, dice[own]
            )
            if not now[own].fate:
                now[own] = after_shot(units[own], now[own], jammed, states[own], game)
        if not now[own].fate:
            now[own] = after_action(now[own], fired)
    return now[0], now[1]


class _Script:
    """Dice in the order in which they are asked for, all ways one after the other."""

    def __init__(self) -> None:
        self.faces: list[int] = []
        self.asked = 0

    def __call__(self) -> int:
        if self.asked == len(self.faces):
            self.faces.append(1)
        self.asked += 1
        return self.faces[self.asked - 1]

    def turn_on(self) -> bool:
        while self.faces and self.faces[-1] == 20:
            self.faces.pop()
        if self.faces:
            self.faces[-1] += 1
        self.asked = 0
        return bool(self.faces)


def every_way(play: Callable[[Dice], Any]) -> dict[Any, Fraction]:
    """The distribution of what `play` returns, over all d20s that it asks for."""
    script, found = _Script(), dict[Any, Fraction]()
    while True:
        result = play(script)
        found[result] = found.get(result, Fraction(0)) + Fraction(1, 20 ** len(script.faces))
        if not script.turn_on():
            return found


def shot_chances(
    shooter: Unit, state: State, target: Unit, now: State, seen: State, game: Game
) -> dict[tuple[State, bool], Fraction]:
    """The target after one shot, and whether the gun jammed."""
    good = sum(hits(roll, shooter, state, target, seen, game) for roll in range(1, 20))
    found = {(now, True): Fraction(1, 20), (now, False): Fraction(19 - good, 20)}
    if good:
        for after, chance in every_way(lambda dice: land(shooter, state, target, now, game, dice)).items():
            found[after, False] = found.get((after, False), Fraction(0)) + Fraction(good, 20) * chance
    return found


def turn_chances(
    units: tuple[Unit, Unit], start: tuple[State, State], game: Game
) -> dict[tuple[State, State], float]:
    """Both units at the end of a turn: shots at the same time are independent of each other given its start."""
    row = {start: 1.0}
    known: dict[tuple[int, State, State], Any] = {}
    for _ in range(game.get("actions")):
        after: dict[tuple[State, State], float] = {}
        for states, weight in row.items():
            for pair, chance in _action_chances(units, states, game, known):
                after[pair] = after.get(pair, 0.0) + weight * chance
        row = after
    done: dict[tuple[State, State], float] = {}
    for (a, b), weight in row.items():
        pair = (a, b)
        if not (a.fate or b.fate):
            pair = (after_turn(units[0], a, game), after_turn(units[1], b, game))
        done[pair] = done.get(pair, 0.0) + weight
    return done


def _action_chances(
    units: tuple[Unit, Unit],
    states: tuple[State, State],
    game: Game,
    known: dict[tuple[int, State, State], Any],
) -> Iterator[tuple[tuple[State, State], float]]:
    if states[0].fate or states[1].fate:
        yield states, 1.0
        return
    sides = []
    for own in (0, 1):
        foe = 1 - own
        key = own, states[own], states[foe]
        if key not in known:
            known[key] = [(states[foe], None, 1.0)]
            if can_fire(units[own], states[own], game):
                shots = shot_chances(units[own], states[own], units[foe], states[foe], states[foe], game)
                known[key] = [(struck, jam, float(chance)) for (struck, jam), chance in shots.items()]
        sides.append(known[key])
    for hit_b, jam_a, chance_a in sides[0]:
        for hit_a, jam_b, chance_b in sides[1]:
            a = _after(units[0], hit_a, jam_a, states[0], game)
            yield (a, _after(units[1], hit_b, jam_b, states[1], game)), chance_a * chance_b


def _after(unit: Unit, struck: State, jam: bool | None, before: State, game: Game) -> State:
    if struck.fate:
        return struck
    fired = struck if jam is None else after_shot(unit, struck, jam, before, game)
    return after_action(fired, jam is not None)
