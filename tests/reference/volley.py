"""One gunner's volley under given dice, step by step as in BK-68."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from . import stages
from .condition import Fire, Number, State, capability_of, is_destroyed
from .settings import Settings, settle
from .sheet import Sheet, Unit, read_sheet


class Dice(Protocol):
    """A volley asks for its dice as it needs them, each at most once but for the contests."""

    def to_hit(self, dice: int) -> int | Sequence[int]:
        """The total, or all faces in order, of two dice with box-cars rolled on, or of one die."""

    def level(self, letters: str) -> str:
        """One of the letters: H high, M mid, L low."""

    def start(self) -> int:
        """The d20 of the first line."""

    def contest(self) -> tuple[int, int]:
        """The next contest: attacker's d20, defender's d20."""


@dataclass
class Given:
    """Dice written down beforehand; ValueError when one is asked for that is not there."""

    total: int | Sequence[int] | None = None
    level_letter: str | None = None
    start_line: int | None = None
    contests: Sequence[tuple[int, int]] = ()
    used_contests: int = field(default=0, init=False)

    def to_hit(self, dice: int) -> int | Sequence[int]:
        if self.total is None:
            raise ValueError(f"no dice given for the total of {dice} dice")
        return self.total

    def level(self, letters: str) -> str:
        if self.level_letter is None:
            raise ValueError(f"no dice given for a level of {letters}")
        return self.level_letter

    def start(self) -> int:
        if self.start_line is None:
            raise ValueError("no dice given for the start line")
        return self.start_line

    def contest(self) -> tuple[int, int]:
        if self.used_contests == len(self.contests):
            raise ValueError(f"no dice given for contest {self.used_contests + 1}")
        self.used_contests += 1
        return self.contests[self.used_contests - 1]


def total_of(rolled: int | Sequence[int], dice: int, exploding: bool = True) -> int:
    """Check a to-hit roll and add it up; totals above 204 become 204.

    ValueError for what cannot stand: 12 and 13 (a sum of 12 is rolled on), 24 and 25, and so on. Where dice do not
    explode, 12 stands and nothing above it.
    """
    if isinstance(rolled, int):
        total = rolled
    else:
        faces = list(rolled)
        total = sum(faces)
        pairs = [faces[place : place + 2] for place in range(0, len(faces), 2)]
        if (dice == 1 and len(faces) != 1) or (dice == 2 and any(len(pair) != 2 for pair in pairs)):
            raise ValueError(f"{faces} is no roll of {dice} dice")
        if dice == 2 and any(sum(pair) != 12 for pair in pairs[:-1]):
            raise ValueError(f"{faces} goes on after a pair that is not box-cars")
    total = min(total, stages.TOP_TOTAL)
    if dice == 2 and not exploding and not 2 <= total <= 12:
        raise ValueError(f"a total of {total} on two dice")
    if dice == 2 and exploding and total != stages.TOP_TOTAL and not 2 <= total % 12 <= 11:
        raise ValueError(f"a total of {total} never stands")
    if dice == 1 and not 1 <= total <= 6:
        raise ValueError(f"{total} is no face of one die")
    return total


@dataclass(frozen=True)
class Record:
    """What happened in a volley; a part that was not reached keeps its default.

    `weapons` fired (numbers of the sheet, each costs a round), `thresholds` (weapon, THR), `hits` (weapons),
    `factor` (lucky shot), `sums` d/s/p, `points` internal by armour, shock, penetration, `lines` 0 to 9 or 10
    for the dead column, `crossed` in the order crossed, `lost` items by place (lowest first), `contests`
    (item, attacker, defender), `destroyed`: the target afterwards. `lost_shot`: the target was destroyed
    before, nothing was rolled.
    """

    weapons: tuple[int, ...]
    dice: int
    lost_shot: bool = False
    total: int | None = None
    thresholds: tuple[tuple[int, int], ...] = ()
    verdict: str | None = None
    hits: tuple[int, ...] = ()
    level: str | None = None
    factor: int = 1
    sums: tuple[int, int, int] = (0, 0, 0)
    points: tuple[int, int, int] = (0, 0, 0)
    lines: int = 0
    start: int | None = None
    crossed: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    contests: tuple[tuple[int, int, int], ...] = ()
    exploded: bool = False
    destroyed: bool = False


@dataclass(frozen=True)
class Situation:
    """One gunner's shot without its dice: who fires with what, at whom, from where.

    `side` is the shooter's; `aspect` is the target's that is hit; `target_id` is its number on its side.
    """

    shooter: Unit
    gunner: int
    fire: Fire
    target: Unit
    target_unbuttoned: bool
    aspect: str
    distance: Number
    settings: Settings
    side: str = "a"
    target_id: int = 0

    def thresholds(self) -> dict[int, int]:
        """THR of each weapon fired."""
        skill = self.shooter.gunners[self.gunner].skill
        return {
            place: stages.to_hit_number(
                self.target,
                self.shooter.weapons[place],
                skill,
                self.aspect,
                self.distance,
                self.settings,
                unbuttoned=self.target_unbuttoned,
                moved=bool(self.settings["moved_b" if self.side == "a" else "moved_a"]),
                bonus=stages.zeroing_bonus(skill, self.fire, self.target_id),
            )
            for place in self.fire.weapons
        }

    def inflict(self, hit: stages.ToHit, level: str, armor: tuple[int, int, int, int]) -> stages.Damage:
        """What the weapons that hit do to the target with that much armour left."""
        weapons = [self.shooter.weapons[place] for place in hit.hits]
        return stages.inflict(
            weapons, level, hit.factor, self.target, armor, self.aspect, self.target_unbuttoned, self.settings
        )


def resolve(shot: Situation, state: State, dice: Dice) -> tuple[State, Record]:
    """The target's state after the volley, and the record of it. ValueError if no weapon can fire."""
    settings = shot.settings
    if not shot.fire.weapons:
        raise ValueError("no weapon of this gunner can fire")
    record = Record(shot.fire.weapons, shot.fire.dice)
    if is_destroyed(shot.target, state, settings):
        return state, replace(record, lost_shot=True, destroyed=True)
    rolled = dice.to_hit(shot.fire.dice) if shot.fire.dice else 0
    total = total_of(rolled, shot.fire.dice, bool(settings["exploding"])) if shot.fire.dice else 0
    thresholds = shot.thresholds()
    hit = stages.read_total(total, shot.fire.dice, thresholds, settings)
    record = replace(
        record,
        total=total,
        thresholds=tuple(thresholds.items()),
        verdict=hit.verdict,
        hits=hit.hits,
        factor=hit.factor,
    )
    if hit.verdict == "instant_death":
        return replace(state, cause="instant_death"), replace(record, destroyed=True)
    if hit.verdict != "hit":
        return state, record
    letters = stages.level_letters(shot.distance, settings)
    level = dice.level(letters) if len(letters) > 1 else letters
    if level not in letters:
        raise ValueError(f"level {level!r} is none of {letters}")
    damage = shot.inflict(hit, level, state.armor)
    record = replace(record, level=level, sums=damage.sums, points=damage.points, lines=damage.lines)
    worn = state.with_armor(damage.armor)
    if damage.lines == stages.DEAD:
        return replace(worn, cause="dead_column"), replace(record, destroyed=True)
    if damage.lines == 0:
        return worn, record
    return _internal(shot, worn, damage.lines, dice, record)


def _internal(shot: Situation, worn: State, lines: int, dice: Dice, record: Record) -> tuple[State, Record]:
    settings = shot.settings
    start = dice.start()
    crossing = stages.cross_off(shot.target, worn, lines, start, settings)
    contests = []
    exploded = False
    for place in crossing.contests:
        attacker, defender = dice.contest()
        contests.append((place, attacker, defender))
        if stages.contest_explodes(attacker, defender, int(settings["contest_lead"])):
            exploded = True
            break
    after = stages.explode(crossing) if exploded else stages.survive(crossing, settings)
    return after, replace(
        record,
        start=start,
        crossed=crossing.lines,
        lost=stages.newly_lost(shot.target, worn, after, settings),
        contests=tuple(contests),
        exploded=exploded,
        destroyed=is_destroyed(shot.target, after, settings),
    )


def situation(
    shooter_sheet: Sheet,
    shooter_state: State,
    gunner: int,
    target_sheet: Sheet,
    target_unbuttoned: bool,
    aspect: str,
    distance: Number,
    options: Mapping[str, Any] | None = None,
    *,
    side: str = "a",
    target_id: int = 0,
    causes: int = 0,
) -> Situation:
    """The shot of that gunner from his unit's state at the start of the combat phase."""
    settings = settle(options)
    shooter = read_sheet(shooter_sheet)
    able = capability_of(shooter, shooter_state, side, distance, settings, causes)
    return Situation(
        shooter,
        gunner,
        able.gunners[gunner],
        read_sheet(target_sheet),
        target_unbuttoned,
        aspect,
        distance,
        settings,
        side,
        target_id,
    )


def volley(
    shooter_sheet: Sheet,
    shooter_state: State,
    gunner: int,
    target_sheet: Sheet,
    target_state: State,
    target_unbuttoned: bool,
    aspect: str,
    distance: Number,
    options: Mapping[str, Any] | None,
    dice: Dice,
    *,
    side: str = "a",
    target_id: int = 0,
    causes: int = 0,
) -> tuple[State, Record]:
    """One volley of `gunner` under given dice: the target's new state and the record."""
    shot = situation(
        shooter_sheet,
        shooter_state,
        gunner,
        target_sheet,
        target_unbuttoned,
        aspect,
        distance,
        options,
        side=side,
        target_id=target_id,
        causes=causes,
    )
    return resolve(shot, target_state, dice)
