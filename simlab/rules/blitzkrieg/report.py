"""One volley of each gunner against a fresh target, exactly: what hits, what goes in, what breaks."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from simlab.model.situation import Situation, number_text
from simlab.rules.blitzkrieg import shots
from simlab.rules.blitzkrieg.kernel import layout
from simlab.rules.blitzkrieg.narrate import is_lost, item_name
from simlab.rules.blitzkrieg.options import Options
from simlab.rules.blitzkrieg.sheet import Sheet, Weapon
from simlab.rules.blitzkrieg.shots import BOXCARS, level_names, roll_chances, to_hit, verdicts
from simlab.rules.blitzkrieg.unit_types import unit_type
from simlab.rules.contract import Arms, Fight, Section, VolleyReport

Chances = dict[str, float]


def to_hit_table(
    sheet: Sheet, options: Options
) -> tuple[tuple[str, ...], tuple[tuple[str, tuple[float, ...]], ...]]:
    """Return the kinds of roll, and by number needed the chance of each (BK-11, BK-13, BK-27, BK-53)."""
    chances = [(number, shots.hit_chance(number, options)) for number in shots.NUMBERS]
    rows = tuple((f"{number} or more", chance) for number, chance in chances)
    return ("2d6", "1d6, no sight"), rows


def report_arms(sheet: Sheet, situation: Situation, options: Options) -> Arms:
    """Return the gunners of a unit with their weapons, and the highest defence value that each number hits (BK-12).

    Range and settings are those of the first turn. A column is for all gunners of one skill.
    """
    distance = situation.scene(1).range
    by_skill: dict[int, list[str]] = {}
    lines = []
    for gunner in sheet.gunners:
        lines.append(f"{gunner.name}, skill {gunner.skill:+d}")
        lines += [f"  {_arm(sheet.weapons[key], distance, options)}" for key in gunner.weapons]
        by_skill.setdefault(gunner.skill, []).append(gunner.name)
    bonus, times = shots.full_steps(distance, options), shots.halvings(options, distance, "b")
    down = options.value("half_round") == "down"
    reached = tuple(
        tuple(str(_highest_value(number - bonus + skill, times, down)) for skill in by_skill)
        for number in shots.NUMBERS
    )
    rule = (
        f"number needed = {_value_words(times, down)} + {bonus} for the range - skill; "
        "chance of a number, and the highest it hits"
    )
    return Arms(tuple(lines), tuple(f"DV at {skill:+d}" for skill in by_skill), reached, rule)


def _highest_value(left: int, times: int, down: bool) -> int:
    """Return the highest defence value that is no more than `left` when it is halved so many times (BK-67)."""
    return ((left + 1) << times) - 1 if down else left << times


def _value_words(times: int, down: bool) -> str:
    if not times:
        return "defence value (DV)"
    halved = "halved" if times == 1 else "halved twice"
    return f"defence value (DV), {halved} and rounded {'down' if down else 'up'},"


def _arm(weapon: Weapon, distance: float, options: Options) -> str:
    reach = shots.weapon_reach(weapon, options)
    if weapon.ammo == 0:
        said = "no rounds"
    elif reach is None:
        said = "reaches"
    else:
        said = f"{'reaches' if distance <= reach else 'out of reach'}, at most {number_text(reach)} inches"
    return f"{weapon.name} ({weapon.type.replace('_', '-')}): {said}"


def report_volleys(fight: Fight, expand: Callable[..., Any], ask: Any) -> list[VolleyReport]:
    """Return a report on one volley of each gunner of side a's first unit against side b's first unit, both fresh.

    `expand` is `simlab.tables.expand.expand_volley`, `ask` its `Questions`. Gunners without a weapon that can fire
    are reported without chances.
    """
    shooter, target = fight.types_a[0], fight.types_b[0]
    body, memory = ask.fresh(target)
    ability = ask.capability(shooter, 0, 0, *ask.fresh(shooter))
    foe_ability = ask.capability(target, 0, 0, body, memory)
    reports = []
    for gunner, facts in enumerate(fight.sheets_a[0].gunners):
        if gunner >= ask.gunners(shooter) or not ask.ready(shooter, gunner, ability):
            reports.append(VolleyReport(facts.name, ()))
            continue
        found = expand(fight, shooter, gunner, ability, target, foe_ability, 0, body)
        able = ask.weapons(shooter, gunner, ability)
        unbuttoned = bool(foe_ability & int(layout.UNBUTTONED))
        reports.append(VolleyReport(facts.name, _sections(fight, ask, gunner, able, unbuttoned, found)))
    return reports


def _sections(
    fight: Fight, ask: Any, gunner: int, able: int, unbuttoned: bool, found: Any
) -> tuple[Section, ...]:
    body, _ = ask.fresh(fight.types_b[0])
    bodies, notes, weights = found.bodies.tolist(), found.notes.tolist(), found.weights
    more = (Section("what the roll and the level add", special),) if (special := _special(fight)) else ()
    return (
        Section("to hit", _to_hit(fight, gunner, able, unbuttoned, notes, weights)),
        *more,
        Section("internal points of the volley", _counted(map(_points, notes), weights)),
        Section("lines crossed off", _lines(bodies, body, notes, weights)),
        Section("destroyed", _destroyed(fight, ask, bodies, weights)),
        Section("items lost", _items(fight, bodies, weights)),
    )


def _share(flags: Any, weights: Any) -> float:
    return float(np.dot(np.fromiter(flags, np.float64, len(weights)), weights))


def _to_hit(
    fight: Fight, gunner: int, able: int, unbuttoned: bool, notes: list[int], weights: Any
) -> Chances:
    shooter, target = fight.sheets_a[0], fight.sheets_b[0]
    scene = fight.situation.scene(1)
    chances = {}
    for number, name in enumerate(shooter.gunners[gunner].weapons):
        if able >> number & 1:
            needed = to_hit(
                shooter, gunner, name, target, scene.range, scene.aspect_b, unbuttoned, fight.options
            )
            label = f"{shooter.weapons[name].name}, {needed} or more"
            chances[label] = _share((note >> number & 1 for note in notes), weights)
    return chances


def _special(fight: Fight) -> Chances:
    """Chances of what two dice mean beside hits, and of the levels where no coin decides (BK-50 to BK-55)."""
    options, judged = fight.options, verdicts(fight.options, 2)
    sums: dict[str, Fraction] = {}
    for total, weight in roll_chances(options, 2, BOXCARS + 1).items():
        label = _verdict_words(judged[total])
        if label:
            sums[label] = sums.get(label, Fraction(0)) + weight
    chances = {label: float(weight) for label, weight in sums.items()}
    if options.value("dsp") != "coin":
        names = level_names(options, fight.situation.scene(1).range)
        chances.update({f"{name} level": 1 / len(names) for name in names})
    return chances


def _verdict_words(verdict: int) -> str:
    if verdict & int(layout.KILLS):
        return "6-6 twice running, instant death"
    if verdict & int(layout.CHOKES):
        return "1-1, all miss"
    doublings = verdict & int(layout.DOUBLINGS)
    return f"6-6, what hits counts {1 << doublings} times" if doublings else ""


def _points(note: int) -> int:
    shifts = (layout.NOTE_DAMAGE, layout.NOTE_SHOCK, layout.NOTE_PENETRATION)
    return sum(note >> shift & int(layout.NOTE_POINTS) for shift in shifts)


def _counted(values: Any, weights: Any) -> Chances:
    sums: dict[int, float] = {}
    for value, weight in zip(values, weights.tolist(), strict=True):
        sums[value] = sums.get(value, 0.0) + weight
    return {str(value): sums[value] for value in sorted(sums)}


def _lines(bodies: list[int], fresh: int, notes: list[int], weights: Any) -> Chances:
    """Lines really crossed off: what would have passed line 20 is lost (BK-23)."""
    crossed = [((body & ~fresh) & int(layout.ALL_LINES)).bit_count() for body in bodies]
    dead = [bool(note >> layout.NOTE_DEAD & 1) for note in notes]
    labels = [f"{count}" if not gone else "dead column" for count, gone in zip(crossed, dead, strict=True)]
    sums: Chances = {}
    for label, weight in zip(labels, weights.tolist(), strict=True):
        sums[label] = sums.get(label, 0.0) + weight
    return {label: sums[label] for label in sorted(sums, key=lambda text: (len(text), text))}


def _destroyed(fight: Fight, ask: Any, bodies: list[int], weights: Any) -> Chances:
    target = fight.types_b[0]
    chart = [bool(body & int(layout.CHART_LOSS)) for body in bodies]
    blown = [bool(body & int(layout.EXPLOSION_LOSS)) for body in bodies]
    fallen = [ask.fallen(target, body) for body in bodies]
    instant = [bool(body & int(layout.INSTANT_LOSS)) for body in bodies]
    lost = [gone and not (c or e or i) for gone, c, e, i in zip(fallen, chart, blown, instant, strict=True)]
    causes = {
        "by the dead column": chart,
        "by explosion": blown,
        **({"by instant death": instant} if fight.options.value("instant_death") else {}),
        "by loss of function": lost,
        "in all": fallen,
    }
    return {cause: _share(flags, weights) for cause, flags in causes.items()}


def _items(fight: Fight, bodies: list[int], weights: Any) -> Chances:
    unit = unit_type(fight.sheets_b[0], "b")
    chances: Chances = {}
    for item in sorted(unit.sheet.manifest, key=lambda item: -max(item.lines)):
        lines = f"{max(item.lines)}-{min(item.lines)}" if len(item.lines) > 1 else f"{item.lines[0]}"
        lost = (is_lost(item, unit, body, fight.options) for body in bodies)
        chances[f"{lines} {item_name(item, unit)}"] = _share(lost, weights)
    return chances
