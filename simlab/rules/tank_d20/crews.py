"""Who does what when men are lost: named rules of this project (TD-9, `stand_in`).

The loader takes a lost gunner's place, without a loader the commander; neither is qualified for it. The bow gunner
takes the loader's place, else the driver's; without one the man at the gun loads, and needs twice as long, at least an
action more. Nobody takes the commander's place.
"""

from collections.abc import Collection
from dataclasses import dataclass

from simlab.rules.tank_d20.charts_file import Charts
from simlab.rules.tank_d20.names import POSITIONS, Position
from simlab.rules.tank_d20.sheet import Sheet

MOST_LOAD = 20


@dataclass(frozen=True)
class Stations:
    """Who serves the gun, loads and drives, None for nobody; whether the commander directs the fire."""

    gun: Position | None
    loading: Position | None
    driving: Position | None
    directs: bool

    @property
    def loads_alone(self) -> bool:
        """Whether the man at the gun loads it."""
        return self.gun is not None and self.loading == self.gun


def stations(men: Collection[str], stand_in: bool, busy: bool = False) -> Stations:
    """Return what the men who are left do. busy: the commander has other things to do than to direct the fire."""
    gun = _first(men, ("gunner", "loader", "commander") if stand_in else ("gunner",))
    free = [man for man in men if man != gun]
    loading = _first(free, ("loader", "bow_gunner") if stand_in else ("loader",))
    free = [man for man in free if man != loading]
    driving = _first(free, ("driver", "bow_gunner") if stand_in else ("driver",))
    return Stations(gun, loading or gun, driving, "commander" in free and not busy)


def load_actions(sheet: Sheet, charts: Charts, placed: Stations) -> int:
    """Return the actions that loading takes this crew (TD-2, TD-9)."""
    actions: int = sheet.gun.load_time + getattr(charts.crew.quality, sheet.crew.quality).load
    if placed.loads_alone:
        actions = max(2 * actions, actions + 1)
    elif placed.loading != "loader" and not placed.loads_alone:
        actions += charts.crew.stand_in_load
    return min(actions, MOST_LOAD)


def seats(man: Position, placed: Stations) -> frozenset[str]:
    """Return the seats in which a man is missed when he loses an action: gun, command, loading (TD-7)."""
    if man == placed.gun:
        return frozenset({"gun"})
    if man == placed.loading:
        return frozenset({"loading"})
    return frozenset({"command"} if man == "commander" and placed.directs else ())


def men_after(lost: int) -> tuple[Position, ...]:
    """Return the men who are left of a full crew, `lost` as bits."""
    return tuple(man for place, man in enumerate(POSITIONS) if not lost >> place & 1)


def lost_at_start(sheet: Sheet) -> int:
    """Return the men whom a crew does not have, as bits."""
    return sum(1 << place for place, man in enumerate(POSITIONS) if man not in sheet.crew.positions)


def _first(men: Collection[str], wanted: tuple[Position, ...]) -> Position | None:
    return next((man for man in wanted if man in men), None)
