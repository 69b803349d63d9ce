"""One shot against a fresh target, exactly: what hits, where, what goes in, what breaks."""

from collections.abc import Callable, Iterable
from typing import Any

from simlab.model.situation import Situation, number_text
from simlab.rules.contract import Arms, Fight, Section, VolleyReport
from simlab.rules.tank_d20 import rules_charts, shots
from simlab.rules.tank_d20.kernel import layout
from simlab.rules.tank_d20.names import BANDS, POSITIONS
from simlab.rules.tank_d20.options import Options
from simlab.rules.tank_d20.sheet import Sheet

ROLL = "d20"


def to_hit_table(
    sheet: Sheet, options: Options
) -> tuple[tuple[str, ...], tuple[tuple[str, tuple[float, ...]], ...]]:
    """Return by band the chance of a unit that stands to hit a medium target in the open (TD-1, TD-3)."""
    modifiers = _fixed(sheet, options)
    rows = []
    for band, name in enumerate(BANDS):
        faces = shots.faces_that_hit(band, modifiers, options, "a", shots.moves(options, "a"))
        rows.append((name, (faces / 20,)))
    return (ROLL,), tuple(rows)


def _fixed(sheet: Sheet, options: Options) -> int:
    """What the shooter adds to every roll, his crew whole."""
    moving = shots.moves(options, "a")
    total = sum(modifier.value for modifier in shots.shooter_modifiers(sheet, options, "a", moving))
    directs = "commander" in sheet.crew.positions and options.side("commander", "a") == "directs"
    if not directs:
        return total + rules_charts.NO_COMMANDER
    return total - (sheet.crew.leader if options.value("leader_on") == "to_hit" else 0)


def report_arms(sheet: Sheet, situation: Situation, options: Options) -> Arms:
    """Return the gun with its modifiers, and for each band its reach in inches and figure in mm (TD-1, TD-6)."""
    distance = situation.scene(1).range
    band = shots.band_at(sheet, distance, options)
    gun = sheet.gun
    where = "out of reach" if band is None else f"{BANDS[band]} range"
    rounds = "no rounds" if not gun.rounds else f"{gun.rounds} rounds"
    lines = [
        "main gun",
        f"  {gun.name}: {gun.size}, {gun.penetration} mm, {rounds}; {where}",
        f"  loading takes {gun.load_time} of {options.value('actions')} actions a turn",
    ]
    moving = shots.moves(options, "a")
    lines += [
        f"  {modifier.name} {modifier.value:+d}"
        for modifier in shots.shooter_modifiers(sheet, options, "a", moving)
    ]
    reached = []
    for number, reach in enumerate(rules_charts.REACHES[gun.size]):
        open_end = reach is None or (number == len(BANDS) - 1 and options.value("extreme") == "all_open")
        reached.append(
            (
                "no limit" if open_end else f"{number_text(float(reach or 0))} inches",
                f"{shots.figure_at(sheet, number, options):g} mm",
            )
        )
    rule = "chance to hit a medium target in the open; the figure goes through armour of at most so many mm"
    return Arms(tuple(lines), ("up to", "goes through"), tuple(reached), rule)


def report_volleys(fight: Fight, expand: Callable[..., Any], ask: Any) -> list[VolleyReport]:
    """Return a report on one shot of side a's first unit against side b's first unit, both fresh and loaded.

    `expand` is `simlab.tables.expand.expand_volley`, `ask` its `Questions`. No sections if the gun cannot fire.
    """
    shooter, target = fight.types_a[0], fight.types_b[0]
    body, memory = ask.fresh(target)
    own_body, own_memory = ask.fresh(shooter)
    able = ask.capability(shooter, 0, 0, own_body, own_memory & ~int(layout.LEFT))
    foe_able = ask.capability(target, 0, 0, body, memory)
    if not ask.ready(shooter, 0, able):
        return [VolleyReport("main gun", ())]
    found = expand(fight, shooter, 0, able, target, foe_able, 0, body)
    ways = list(zip(found.bodies.tolist(), found.notes.tolist(), found.weights.tolist(), strict=True))
    return [VolleyReport("main gun", _sections(fight, ask, body, ways))]


Ways = list[tuple[int, int, float]]


def _sections(fight: Fight, ask: Any, fresh: int, ways: Ways) -> tuple[Section, ...]:
    target = fight.types_b[0]
    aspect = fight.situation.scene(1).aspect_b
    places = fight.options.charts.places(aspect)
    rows = fight.options.charts.effect_rows()
    hit, through, jam = (int(bit) for bit in (layout.NOTE_HIT, layout.NOTE_THROUGH, layout.NOTE_JAM))
    shot = {
        "hit": _share(ways, lambda body, note: bool(note & hit)),
        "jam": _share(ways, lambda body, note: bool(note & jam)),
        "goes through": _share(ways, lambda body, note: bool(note & through)),
    }
    where = _counted(
        (places[(note >> layout.NOTE_PLACE & 31) - 1].name, weight) for _, note, weight in ways if note & hit
    )
    effects = _counted(
        (rows[(note >> layout.NOTE_EFFECT & 63) - 1].name, weight)
        for _, note, weight in ways
        if note & through
    )
    standing = {
        man.replace("_", " "): _share(ways, _lost(place))
        for place, man in enumerate(POSITIONS)
        if not fresh >> place & 1
    }
    broken = {
        "gun out": _share(ways, lambda body, note: bool(body & int(layout.GUN_OUT))),
        "immobilised": _share(ways, lambda body, note: bool(body & int(layout.IMMOBILE))),
    }
    causes = {"by fire or explosion": layout.CATASTROPHIC, "by loss of crew": layout.CREW_KILL}
    destroyed = {
        name: _share(ways, lambda body, note, bit=int(bit): bool(body >> layout.FATE_SHIFT & bit))
        for name, bit in causes.items()
    }
    destroyed["in all"] = _share(ways, lambda body, note: ask.fallen(target, body))
    return (
        Section("to hit", shot),
        Section("where it strikes", where),
        Section("effects of what goes through", effects),
        Section("lost by a target that stands", {**standing, **broken}),
        Section("destroyed", destroyed),
    )


def _lost(place: int) -> Callable[[int, int], bool]:
    return lambda body, note: bool(body >> place & 1)


def _share(ways: Ways, holds: Callable[..., bool]) -> float:
    return float(sum(weight for body, note, weight in ways if holds(body, note)))


def _counted(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for name, weight in pairs:
        sums[name] = sums.get(name, 0.0) + weight
    return sums
