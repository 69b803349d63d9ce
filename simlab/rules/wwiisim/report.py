"""One volley of each weapon against a fresh target, exactly: what hits, what goes in, what breaks."""

from collections.abc import Callable
from typing import Any

from simlab.model.situation import Situation
from simlab.rules.contract import Arms, Fight, Section, VolleyReport
from simlab.rules.wwiisim import shots
from simlab.rules.wwiisim.kernel import layout as at
from simlab.rules.wwiisim.options import Options
from simlab.rules.wwiisim.sheet import Sheet, Weapon
from simlab.rules.wwiisim.weapons import band

Chances = dict[str, float]
MEN = {1: "1 man falls"}


def to_hit_table(
    sheet: Sheet, options: Options
) -> tuple[tuple[str, ...], tuple[tuple[str, tuple[float, ...]], ...]]:
    """Return by number needed the chance of one die to hit (WS-1)."""
    die, high = int(options.value("die")), shots.is_high(options)
    rows = []
    for number in range(1, die + 1):
        chance = shots.burst(number, 1, False, options).get((1, False), 0)
        rows.append((f"{number} or {'more' if high else 'less'}", (float(chance),)))
    return (f"1d{die}",), tuple(rows)


def report_arms(sheet: Sheet, situation: Situation, options: Options) -> Arms:
    """Return a unit's weapons with skill, strength and bands, and which of them need each number, in the first turn."""
    distance = situation.scene(1).range
    lines = [f"firing skill {shots.firing_skill(sheet, options)}, initiative {sheet.initiative}"]
    lines += [f"  {_arm(weapon, distance)}" for weapon in sheet.weapons.values()]
    columns = tuple(weapon.name for weapon in sheet.weapons.values())
    needs = [shots.needed(sheet, weapon, distance, False, options) for weapon in sheet.weapons.values()]
    reached = tuple(
        tuple("needed" if number == need else "" for need in needs)
        for number in range(1, int(options.value("die")) + 1)
    )
    change = options.value("long_range")
    rule = f"number needed = firing skill, in the long band changed by {change}"
    return Arms(tuple(lines), columns, reached, rule)


def _arm(weapon: Weapon, distance: float) -> str:
    reached = band(distance, weapon.short, weapon.long)
    where = f"in the {reached} band" if reached else "out of reach"
    number = f"{weapon.count} x " if weapon.count > 1 else ""
    what = f"{number}{weapon.name} (strength {weapon.strength}, {', '.join(weapon.kind.notes)})"
    return f"{what}: {where} of {weapon.ends}"


def report_volleys(fight: Fight, expand: Callable[..., Any], ask: Any) -> list[VolleyReport]:
    """Return a report on one volley of each weapon of side a's first unit against side b's first unit, both fresh.

    `expand` is `simlab.tables.expand.expand_volley`, `ask` its `Questions`. Weapons that cannot fire have no chances.
    """
    shooter, target = fight.types_a[0], fight.types_b[0]
    body, memory = ask.fresh(target)
    foe_ability = ask.capability(target, 0, 0, body, memory)
    reports = []
    for gunner in range(ask.gunners(shooter)):
        name = fight.system.gunner_name(fight.sheets_a[0], gunner)
        for phase in range(len(fight.phases)):
            ability = ask.capability(shooter, 0, phase, *ask.fresh(shooter))
            if ask.ready(shooter, gunner, ability):
                found = expand(fight, shooter, gunner, ability, target, foe_ability, 0, body)
                reports.append(VolleyReport(name, _sections(fight, gunner, found)))
                break
        else:
            reports.append(VolleyReport(name, ()))
    return reports


def _sections(fight: Fight, gunner: int, found: Any) -> tuple[Section, ...]:
    target = fight.sheets_b[0]
    weapon = fight.sheets_a[0].arms[gunner][1]
    notes, bodies, weights = found.notes.tolist(), found.bodies.tolist(), found.weights.tolist()
    hits = [note >> at.HIT_SHIFT & int(at.HIT_MASK) for note in notes]
    title = "template" if weapon.kind.mortar else "to hit"
    words = ("covers the target",) if weapon.kind.mortar else ("1 hit", "2 hits", "3 hits")
    shown: Chances = {"misses": 0.0}
    for number, weight in zip(hits, weights, strict=True):
        word = words[number - 1] if number else "misses"
        shown[word] = shown.get(word, 0.0) + weight
    jam = sum(weight for note, weight in zip(notes, weights, strict=True) if note & int(at.JAM))
    sections = [Section(title, {**shown, **({"the gun jams": jam} if jam else {})})]
    armor = shots.shot_armor(target, fight.situation.scene(1).aspect_b, weapon, fight.options)
    through = 1 - shots.minor_faces(weapon.strength, armor) / shots.SIDES
    if target.is_vehicle:
        sections.append(
            Section(f"a hit against armour {armor}", {"penetrates": through, "is minor": 1 - through})
        )
        return (*sections, Section("after the volley", _vehicle_chances(bodies, weights)))
    sections.append(Section(f"a hit, d6 + {weapon.strength} above {armor}", {"a man falls": through}))
    return (*sections, Section("after the volley", _men_chances(target, bodies, weights)))


def _vehicle_chances(bodies: list[int], weights: list[float]) -> Chances:
    """Chances of what a volley leaves of a fresh vehicle."""
    alive = int(at.DESTROYED | at.CREW_DEAD | at.BURNING)
    signs: dict[str, Callable[[int], bool]] = {
        "initiative lost": lambda body: bool(body & int(at.ZEROED)),
        "stunned": lambda body: bool(body & int(at.STUNNED)),
        "a weapon destroyed": lambda body: bool(body & int(at.LOSSES)),
        "immobilised, not destroyed": lambda body: (
            bool(body & int(at.IMMOBILE)) and not body & int(at.DESTROYED)
        ),
        "destroyed, the crew lives": lambda body: body & alive == int(at.DESTROYED),
        "destroyed with its crew": lambda body: body & alive == int(at.DESTROYED | at.CREW_DEAD),
        "destroyed with its crew, burning": lambda body: bool(body & int(at.BURNING)),
        "destroyed in all": lambda body: bool(body & int(at.DESTROYED)),
    }
    pairs = list(zip(bodies, weights, strict=True))
    return {name: sum(weight for body, weight in pairs if holds(body)) for name, holds in signs.items()}


def _men_chances(target: Sheet, bodies: list[int], weights: list[float]) -> Chances:
    found: Chances = {}
    men = shots.men_or_arms(target)
    for body, weight in sorted(zip(bodies, weights, strict=True)):
        number = men if body & int(at.DESTROYED) else body & int(at.LOSSES)
        word = MEN.get(number, f"{number} men fall") if number else "nobody falls"
        found[word] = found.get(word, 0.0) + weight
    found["destroyed in all"] = sum(
        weight for body, weight in zip(bodies, weights, strict=True) if body & int(at.DESTROYED)
    )
    return found
