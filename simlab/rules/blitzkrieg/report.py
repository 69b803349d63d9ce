"""One volley of each gunner against a fresh target, exactly: what hits, what goes in, what breaks."""

from collections.abc import Callable
from typing import Any

import numpy as np

from simlab.rules.blitzkrieg.compile import to_hit, unit_type
from simlab.rules.blitzkrieg.kernel import layout
from simlab.rules.blitzkrieg.narrate import item_name
from simlab.rules.contract import Fight, Section, VolleyReport

Chances = dict[str, float]


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
    return (
        Section("to hit", _to_hit(fight, gunner, able, unbuttoned, notes, weights)),
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
    chances = {}
    for number, name in enumerate(shooter.gunners[gunner].weapons):
        if able >> number & 1:
            needed = to_hit(
                shooter, gunner, name, target, fight.situation.range, fight.situation.aspect_b, unbuttoned
            )
            label = f"{shooter.weapons[name].name}, {needed} or more"
            chances[label] = _share((note >> number & 1 for note in notes), weights)
    return chances


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
    lost = [gone and not (c or e) for gone, c, e in zip(fallen, chart, blown, strict=True)]
    causes = {
        "by the dead column": chart,
        "by explosion": blown,
        "by loss of function": lost,
        "in all": fallen,
    }
    return {cause: _share(flags, weights) for cause, flags in causes.items()}


def _items(fight: Fight, bodies: list[int], weights: Any) -> Chances:
    unit = unit_type(fight.sheets_b[0], "b")
    chances: Chances = {}
    for item in sorted(unit.sheet.manifest, key=lambda item: -max(item.lines)):
        mask = sum(1 << (line - 1) for line in item.lines)
        lines = f"{max(item.lines)}-{min(item.lines)}" if len(item.lines) > 1 else f"{item.lines[0]}"
        chances[f"{lines} {item_name(item, unit)}"] = _share((bool(body & mask) for body in bodies), weights)
    return chances
