"""The compiled kernel against the plain-Python reference: random units, states and readings, every die enumerated."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from effort import LONG
from reference import wwiisim as ref
from reference import wwiisim_turns as turns
from samples import assert_share

from simlab.engine.play import play_fights
from simlab.model.document import Document
from simlab.model.situation import Situation
from simlab.rules.contract import Fight
from simlab.rules.wwiisim.kernel import layout as at
from simlab.rules.wwiisim.options import Options
from simlab.rules.wwiisim.readings import HOUSE_NUMBERS, READINGS
from simlab.rules.wwiisim.sheet import Sheet, named_sheet
from simlab.rules.wwiisim.system import SYSTEM
from simlab.rules.wwiisim.weapons import CLASSES
from simlab.tables.expand import Questions, expand_volley
from simlab.traces.told import tell_replicate

MOST_WAYS = 20_000
"""Volleys with more are left out."""
DRAWS = 400 if LONG else 100
TURNS = 60 if LONG else 8
FATES = {
    "alive": at.DESTROYED,
    "dead": at.DESTROYED | at.CREW_DEAD,
    "burning": at.DESTROYED | at.CREW_DEAD | at.BURNING,
}
CHOICES: Mapping[str, tuple[Any, ...]] = {
    reading.name: reading.values for reading in READINGS if isinstance(reading.values, tuple)
}
ON_A_MAP = ("mg_go_fast", "facing")
PLAIN = [name for name in CLASSES if not CLASSES[name].mortar]


def draw_settings(rng: random.Random) -> dict[str, Any]:
    """Readings at random, dice of few sides."""
    settings = {name: rng.choice(values) for name, values in CHOICES.items() if name not in ON_A_MAP}
    settings |= {"die": rng.choice([4, 5, 6]), "long_range": rng.choice([0, -1, -2])}
    settings["muzzle_smoke"] = rng.choice([0, 2])
    settings["mg_dice"] = rng.choice([1, 2, 2, 3])
    if rng.random() < 0.7:
        settings["firing_skill"] = "sheet"
    return settings


def draw_constants(rng: random.Random) -> dict[str, Any]:
    return {
        "wound_above": rng.choice([4, 6, 9]),
        "template_radius": rng.choice([0, 2, 3.5, 9]),
        "template_men": rng.choice([1, 2]),
        "spotter_sees": rng.random() < 0.5,
        "guessed_range": rng.choice([8, 12, 17]),
        "smoke_skill": rng.choice([-1, -2]),
        "smoke_turns": rng.choice([0, 1]),
    }


def draw_sheet(rng: random.Random, name: str) -> Sheet:
    vehicle = rng.random() < 0.7
    weapons = {}
    for number in range(rng.choice([1, 2, 3])):
        mortar = rng.random() < 0.15
        kind = rng.choice(["mortar_light", "mortar_heavy"] if mortar else PLAIN)
        weapons[f"arm_{number}"] = {"name": kind, "type": kind}
        if rng.random() < 0.5:
            weapons[f"arm_{number}"]["strength"] = rng.choice([2, 4, 6, 9])
    body = {"armor": rng.choice([7, 9, 12])} if vehicle else {"men": rng.choice([1, 2, 4])}
    values = {
        "system": "wwiisim", "kind": "vehicle" if vehicle else "team", "name": name, "nation": "x",
        "ecv": {"value": None, "source": "draft"}, "provenance": "", **body,
        "skill": rng.choice([1, 2, 3, 5]), "initiative": rng.choice([0, 3, 5]), "weapons": weapons,
    }  # fmt: skip
    return named_sheet(Document("", values), name)


def unit_of(sheet: Sheet) -> ref.Unit:
    """The sheet as the reference has it: from the table of the rules, whose notes it reads for itself."""
    arms = []
    for key, weapon in sheet.arms:
        name = weapon.type
        how = (
            "machine gun"
            if name.startswith("machine_gun")
            else "mortar"
            if name.startswith("mortar")
            else "plain"
        )
        how = "twice" if name == "submachine_gun" else how
        heavy = name.startswith("cannon") or name in ("bazooka", "panzerschreck", "mortar_heavy")
        thrown = name in ("panzerfaust", "hand_grenade")
        arms.append(ref.Arm(weapon.strength, weapon.short, weapon.long, how, heavy, thrown))
        assert key
    return ref.Unit(tuple(arms), sheet.skill, sheet.initiative, sheet.armor, sheet.men)


@dataclass(frozen=True)
class Draw:
    """A compiled fight of one against one, and the same for the reference."""

    fight: Fight
    ask: Questions
    rules: ref.Rules
    units: tuple[ref.Unit, ref.Unit]
    place: ref.Place

    def type_of(self, side: int) -> int:
        return (self.fight.types_a + self.fight.types_b)[side]

    def field(self, side: int, name: int) -> int:
        return int(self.fight.program[self.type_of(side) + name])

    def body(self, side: int, state: ref.State) -> int:
        """The kernel's word for a state."""
        unit = self.units[side]
        immobile = int(at.IMMOBILE) * state.immobile
        if state.fate:
            bare = unit.men is None and len(state.lost) == len(unit.arms)
            return int(FATES[state.fate]) | immobile | int(at.DISARMED) * bare
        found = (state.fallen_men if unit.men is not None else len(state.lost)) | immobile
        found |= int(at.ZEROED) * state.zero * self.field(side, at.CAN_ZERO)
        found |= int(at.STUNNED) * state.stunned * self.field(side, at.CAN_STUN)
        return found | state.smoke << at.SMOKE_SHIFT

    def memory(self, side: int, state: ref.State) -> int:
        """The kernel's word for what a state remembers, without the jams of weapons that are gone."""
        unit = self.units[side]
        if state.fate:
            return 0
        there = [
            n for n in range(len(unit.arms))
            if n not in state.lost and not (unit.men is not None and n >= unit.men - state.fallen_men)
        ]  # fmt: skip
        found = sum(1 << n for n in there if n in state.jammed or n in state.used_up)
        place = self.type_of(side)
        for part, bit in (("firing", at.FIRED_FIRST), ("secondary", at.FIRED_SECOND)):
            noted = any(
                int(self.fight.program[place + at.SPENT + n]) & int(bit) for n in range(len(unit.arms))
            )
            found |= int(bit) * (part in state.fired and noted)
        found |= state.muzzle << at.MUZZLE_SHIFT
        for n, count in enumerate(state.shells):
            most = int(self.fight.program[place + at.SHELLS_MOST + n])
            if most:
                found |= min(count, most) << int(self.fight.program[place + at.SHELL_PLACE + n])
        return found

    def kept(self, side: int, body: int, memory: int) -> int:
        """A memory without the jams of weapons that are gone; none of the fallen."""
        type_ = self.type_of(side)
        return 0 if self.ask.fallen(type_, body) else int(self.ask._ask("recall", type_, body, memory))


def make_draw(seed: int) -> Draw:
    rng = random.Random(seed)
    settings, constants = draw_settings(rng), draw_constants(rng)
    sheets = draw_sheet(rng, "one"), draw_sheet(rng, "two")
    distance = float(rng.choice([6, 12, 12.5, 20, 30]))
    aspects = rng.choice(SYSTEM.aspects), rng.choice(SYSTEM.aspects)
    fight = SYSTEM.compile_fight(
        [sheets[0]], [sheets[1]], Situation(distance, *aspects), SYSTEM.options(settings, constants), 12
    )
    used = {name: value for name, value in settings.items() if name not in ON_A_MAP}
    rules = ref.Rules(**used, **constants)
    return Draw(
        fight, Questions(fight), rules, (unit_of(sheets[0]), unit_of(sheets[1])), ref.Place(distance, aspects)
    )


def phase_of(name: str) -> tuple[str, int | None]:
    """The reference's name for a phase."""
    part, _, rank = name.partition(", initiative ")
    return ("secondary" if part == "secondary firing" else "firing"), int(rank) if rank else None


def wander(draw: Draw, rng: random.Random) -> list[tuple[tuple[str, int | None], turns.Pair]]:
    """States at the starts of phases of a few turns, dice thrown at random."""
    found = []
    for _ in range(3):
        pair = ref.fresh(draw.units[0]), ref.fresh(draw.units[1])
        for _ in range(3):
            for name in draw.fight.phases:
                phase = phase_of(name)
                found.append((phase, pair))
                pair = play_phase(draw, pair, phase, lambda sides: rng.randint(1, sides))
            if pair[0].fate or pair[1].fate:
                break
            pair = ref.rest(draw.rules, pair[0]), ref.rest(draw.rules, pair[1])
    return found


def play_phase(draw: Draw, pair: turns.Pair, phase: Any, throw: ref.Throw) -> turns.Pair:
    """A phase by the reference, with dice that are given."""
    start = pair
    if start[0].fate or start[1].fate:
        return pair
    for side in (0, 1):
        foe = 1 - side
        hidden = ref.has_smoke(draw.rules, start[side]), ref.has_smoke(draw.rules, start[foe])
        for number in ref.able(draw.rules, draw.units[side], start[side], phase, draw.place):
            if pair[foe].fate:
                break
            own, other = ref.fire(
                draw.rules, draw.units[side], pair[side], number, hidden, draw.units[foe], pair[foe],
                (draw.place.distance, draw.place.aspects[foe]), throw,
            )  # fmt: skip
            own = pair[side] if pair[side].fate else own
            pair = (own, other) if side == 0 else (other, own)
    return pair


def check_phase(draw: Draw, phase: Any, pair: turns.Pair, number: int) -> int:
    """Capabilities of both sides, and the volleys of all their weapons, against a state; how many volleys."""
    ask, checked = draw.ask, 0
    if pair[0].fate or pair[1].fate:
        return 0
    words = [(draw.body(side, state), draw.memory(side, state)) for side, state in enumerate(pair)]
    able = [ask.capability(draw.type_of(side), 0, number, *words[side]) for side in (0, 1)]
    hidden = [ref.has_smoke(draw.rules, state) for state in pair]
    for side in (0, 1):
        foe, type_ = 1 - side, draw.type_of(side)
        wanted = ref.able(draw.rules, draw.units[side], pair[side], phase, draw.place)
        assert [g for g in range(ask.gunners(type_)) if ask.ready(type_, g, able[side])] == wanted
        for gunner in wanted:
            if ways_of(draw, side, gunner) > MOST_WAYS:
                continue
            check_volley(draw, side, gunner, pair, able, (hidden[side], hidden[foe]))
            checked += 1
    return checked


def ways_of(draw: Draw, side: int, gunner: int) -> float:
    """About how many ways the dice of a volley can fall."""
    arm, target = draw.units[side].arms[gunner], draw.units[1 - side]
    if arm.how == "mortar":
        a_hit = 80.0 if target.armor is not None else 6.0**draw.rules.template_men
        return draw.rules.die * 55 * a_hit * (180 if draw.rules.range_guess == "given" else 1)
    needed = ref.skill_number(draw.rules, draw.units[side], arm, draw.place.distance, False) or 0
    hits = sum(ref.is_hit(draw.rules, value, needed) for value in range(1, draw.rules.die + 1))
    a_hit = 6.0 if target.armor is None else 80.0
    return (draw.rules.die - hits + hits * a_hit) ** ref.firing_dice(draw.rules, arm)


def check_volley(
    draw: Draw, side: int, gunner: int, pair: turns.Pair, able: list[int], hidden: tuple[bool, bool]
) -> None:
    foe, ask = 1 - side, draw.ask
    ways = turns.every_way(
        lambda throw: ref.fire(
            draw.rules, draw.units[side], pair[side], gunner, hidden, draw.units[foe], pair[foe],
            (draw.place.distance, draw.place.aspects[foe]), throw,
        )
    )  # fmt: skip
    wanted: dict[tuple[int, int], float] = {}
    for (own, other), weight in ways.items():
        memory = draw.kept(side, draw.body(side, own), draw.memory(side, own))
        end = draw.body(foe, other), memory
        wanted[end] = wanted.get(end, 0.0) + float(weight)
    rows = expand_volley(
        draw.fight,
        draw.type_of(side),
        gunner,
        able[side],
        draw.type_of(foe),
        able[foe],
        0,
        draw.body(foe, pair[foe]),
    )
    found: dict[tuple[int, int], float] = {}
    before = draw.body(side, pair[side]), draw.memory(side, pair[side])
    for body, note, weight in zip(
        rows.bodies.tolist(), rows.notes.tolist(), rows.weights.tolist(), strict=True
    ):
        mark = int(SYSTEM.kernels[-1].mark(np.uint64(note)))
        spent = int(ask._ask("spend", draw.type_of(side), gunner, able[side], before[1], mark))
        end = body, draw.kept(side, before[0], spent)
        found[end] = found.get(end, 0.0) + weight
    assert found.keys() == wanted.keys()
    for end, weight in wanted.items():
        assert found[end] == pytest.approx(weight, abs=1e-12)


@pytest.mark.rule(*(f"WS-{n}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15)))
@pytest.mark.parametrize("block", range(5))
def test_capabilities_and_volleys_agree_with_the_reference(block: int) -> None:
    checked = 0
    for seed in range(block * DRAWS // 5, (block + 1) * DRAWS // 5):
        draw = make_draw(seed)
        rng = random.Random(seed)
        seen = wander(draw, rng)
        for phase, pair in rng.sample(seen, min(2, len(seen))):
            number = [phase_of(name) for name in draw.fight.phases].index(phase)
            checked += check_phase(draw, phase, pair, number)
    assert checked > DRAWS // 5


@pytest.mark.rule("WS-4", "WS-8", "WS-9", "WS-10")
def test_turns_end_as_the_reference_ends_them() -> None:
    changed = 0
    for seed in range(DRAWS):
        draw = make_draw(seed)
        for _, pair in wander(draw, random.Random(seed)):
            for side, state in enumerate(pair):
                if state.fate:
                    continue
                words = draw.body(side, state), draw.memory(side, state)
                body, memory = map(int, draw.ask._ask("rest", draw.type_of(side), *words))
                after = ref.rest(draw.rules, state)
                if not draw.field(side, at.CAN_STUN) and state.stunned:
                    continue
                assert body == draw.body(side, after)
                assert memory == draw.memory(side, after)
                changed += (body, memory) != words
    assert changed > DRAWS


@pytest.mark.rule("WS-9", "WS-10", "WS-15")
def test_whole_turns_agree_with_the_reference() -> None:
    """Sampled duels of one turn: the flags of both units, within the standard error of the reference's chances."""
    n, compared = 20_000, 0
    for seed in range(1000, 1000 + 3 * TURNS):
        draw = make_draw(seed)
        volleys = [ways_of(draw, side, n) for side in (0, 1) for n in range(len(draw.units[side].arms))]
        if max(volleys) > 800 or len(volleys) > 4 or compared == TURNS:
            continue
        compared += 1
        fight = replace(draw.fight, turns=1, scene_of_turn=(0,))
        tally = play_fights(fight, n=n, seed=seed, key=seed)
        start = ref.fresh(draw.units[0]), ref.fresh(draw.units[1])
        chances: list[dict[int, float]] = [{}, {}]
        for pair, weight in turns.turn_rows(draw.rules, draw.units, start, draw.place).items():
            for side, state in enumerate(pair):
                flags = draw.ask.flags(draw.type_of(side), draw.body(side, state))
                chances[side][flags] = chances[side].get(flags, 0.0) + float(weight)
        for side in (0, 1):
            assert sum(chances[side].values()) == pytest.approx(1)
            for flags, count in enumerate(tally.flags[side].tolist()):
                assert_share(count, n, min(1.0, chances[side].get(flags, 0.0)), 64 * TURNS)
    assert compared == TURNS


@pytest.mark.rule("WS-15")
def test_sampled_fights_are_replayed_die_by_die() -> None:
    exchanges = 0
    for seed in range(40):
        draw = make_draw(seed + 500)
        narrator = SYSTEM.narrator(draw.fight)
        for replicate in range(3):
            told = tell_replicate(
                draw.fight,
                narrator,
                seed=seed,
                key=7,
                replicate=replicate,
                policy_a="first",
                policy_b="first",
            )
            exchanges += replay(draw, told, narrator)
    assert exchanges > 300


def replay(draw: Draw, told: Any, narrator: Any) -> int:
    """Let the reference play a told fight with its dice; return the number of exchanges."""
    events = iter(told.events)
    pair = ref.fresh(draw.units[0]), ref.fresh(draw.units[1])
    played = 0
    for turn in range(1, draw.fight.turns + 1):
        for name in draw.fight.phases:
            start, phase = pair, phase_of(name)
            for side in (0, 1):
                foe = 1 - side
                hidden = ref.has_smoke(draw.rules, start[side]), ref.has_smoke(draw.rules, start[foe])
                for number in ref.able(draw.rules, draw.units[side], start[side], phase, draw.place):
                    if pair[foe].fate:
                        break
                    event = next(events)
                    assert (event.turn, event.unit, event.gunner) == (turn, side, number)
                    values = iter(event.throw.values)
                    assert event.before == draw.body(foe, pair[foe])
                    own, other = ref.fire(
                        draw.rules, draw.units[side], pair[side], number, hidden, draw.units[foe], pair[foe],
                        (draw.place.distance, draw.place.aspects[foe]), lambda _, dice=values: next(dice),
                    )  # fmt: skip
                    assert next(values, None) is None
                    assert event.after == draw.body(foe, other)
                    assert narrator.tell(event)
                    own = pair[side] if pair[side].fate else own
                    pair = (own, other) if side == 0 else (other, own)
                    played += 1
        if pair[0].fate or pair[1].fate:
            break
        pair = ref.rest(draw.rules, pair[0]), ref.rest(draw.rules, pair[1])
    assert next(events, None) is None
    return played


def test_the_reference_has_every_reading_and_house_number_of_a_fight_at_its_default() -> None:
    options = Options()
    names = [
        *(each.name for each in READINGS if each.name not in ON_A_MAP),
        *(each.name for each in HOUSE_NUMBERS),
    ]
    usual = {**options.built(), **options.house_numbers()}
    assert {name: usual[name] for name in names} == vars(ref.Rules())
