"""A shot told in words: what was needed, what fell, where it struck and what it broke."""

from typing import Any

from simlab.rules.common.narrating import Dice, FightTeller
from simlab.rules.contract import Fight
from simlab.rules.tank_d20 import rules_charts, shots
from simlab.rules.tank_d20.compile import AUTOMATIC
from simlab.rules.tank_d20.kernel import layout
from simlab.rules.tank_d20.kernel.crew import flags
from simlab.rules.tank_d20.names import BANDS, POSITIONS
from simlab.rules.tank_d20.sheet import Sheet
from simlab.rules.tank_d20.shots import Modifier
from simlab.rules.tank_d20.throws import (
    Throw,
    check_throw,
    script_of_throw,
    throw_of_record,
    throw_of_token,
    token_of,
)

CAUSES = {
    layout.CATASTROPHIC: "burnt out or blown up",
    layout.CREW_KILL: "given up by what is left of the crew",
    layout.FIREPOWER: "it cannot fire",
    layout.MOBILITY: "it cannot drive",
}


DICE = Dice(throw_of_record, throw_of_token, script_of_throw, check_throw, token_of)


class Teller(FightTeller[Throw]):
    """Tells the shots of one fight."""

    def __init__(self, fight: Fight) -> None:
        super().__init__(fight, DICE)

    def _told(self, event: Any) -> list[str]:
        if event.note & int(layout.NOTE_JAM):
            return ["d20 20: the gun jams"]
        needed = self._needed(event)
        hit = bool(event.note & int(layout.NOTE_HIT))
        told = [f"d20 {event.throw[0]}, {needed}: {'hit' if hit else 'miss'}"]
        if hit:
            told += [self._place_line(event), *self._effect_lines(event)]
        return told

    def _needed(self, event: Any) -> str:
        """What hits, and the sum that it comes from."""
        distance, aspect = self._scene(event)
        options, shooter = self._fight.options, self._sheets[event.unit]
        band = shots.band_at(shooter, distance, options)
        assert band is not None
        moving, target_moves = (
            bool(ability & int(layout.MOVING)) for ability in (event.ability, event.target_ability)
        )
        side, foe = self._side(event.unit), self._side(event.target)
        named = [
            *shots.shooter_modifiers(shooter, options, side, moving),
            *crew_modifiers(event.ability, shooter, options),
            *shots.target_modifiers(self._sheets[event.target], options, foe, aspect, target_moves),
        ]
        faces = shots.faces_that_hit(band, sum(each.value for each in named), options, side, moving)
        words = [
            f"{BANDS[band]} {rules_charts.BASES[band]}",
            *(f"{each.name} {each.value:+d}" for each in named),
        ]
        if options.side("area_fire", side):
            words.append("no target, halved")
        hits = f"{faces} or less hits" if faces else "nothing hits"
        return f"{hits} ({', '.join(words)})"

    def _place_line(self, event: Any) -> str:
        distance, aspect = self._scene(event)
        options, shooter, target = self._fight.options, self._sheets[event.unit], self._sheets[event.target]
        number = event.note >> layout.NOTE_PLACE & 31
        place = options.charts.places(aspect)[number - 1]
        band = shots.band_at(shooter, distance, options)
        assert band is not None
        figure = shots.figure_at(shooter, band, options)
        armour = getattr(getattr(target.armor, aspect), place.plate)
        shifted = f" less {event.throw[1] - number}" if event.throw[1] != number else ""
        start = f"d20 {event.throw[1]}{shifted}: {place.name}"
        if number == 1 and aspect in AUTOMATIC:
            return f"{start}, an automatic penetration"
        through = bool(event.note & int(layout.NOTE_THROUGH))
        rolled = ""
        faces = shots.faces_through(figure, armour, options)
        if 0 < faces < rules_charts.JAM_FACE + 1:
            rolled = f", d20 {event.throw[2]} with {faces} or less"
        verdict = "goes through" if through else "does not go through"
        return f"{start}, {figure:g} mm against {armour} mm{rolled}: {verdict}"

    def _effect_lines(self, event: Any) -> list[str]:
        told = []
        if event.note & int(layout.NOTE_THROUGH):
            rolled = event.note >> layout.NOTE_EFFECT & 63
            row = self._fight.options.charts.effect_rows()[rolled - 1]
            over = rolled - event.throw[-1]
            sum_words = f"d20 {event.throw[-1]} + {over} = {rolled}" if over else f"d20 {rolled}"
            told.append(f"{sum_words}: {row.name}")
        told += self._changes(event)
        return told

    def _changes(self, event: Any) -> list[str]:
        """What is new about the target."""
        fate = event.after >> layout.FATE_SHIFT
        if fate:
            causes = [text for bit, text in CAUSES.items() if fate & int(bit)]
            return [f"destroyed: {causes[0]}"]
        new = event.after & ~event.before
        words = [f"{man.replace('_', ' ')} lost" for place, man in enumerate(POSITIONS) if new >> place & 1]
        words += ["gun out"] if new & int(layout.GUN_OUT) else []
        words += ["immobilised"] if new & int(layout.IMMOBILE) else []
        for seat, text in (
            (layout.AT_GUN, "at the gun"),
            (layout.IN_COMMAND, "in command"),
            (layout.LOADING, "loading"),
        ):
            words += [f"one action lost {text}"] if new >> layout.STUN_SHIFT & int(seat) else []
        before, after = (
            self._answer(flags, self._types[event.target], body) for body in (event.before, event.after)
        )
        if (after & ~before) & int(layout.FIREPOWER) and not new & int(layout.GUN_OUT):
            words.append("nobody left at the gun")
        return [", ".join(words) or "nothing new"]


def crew_modifiers(ability: int, sheet: Sheet, options: Any) -> list[Modifier]:
    """Return what the state of a crew adds to the roll (TD-3): commander, leader, stand-in, acquired target."""
    rest = (ability >> layout.CODE_SHIFT & int(layout.CODE_MASK)) - layout.CODE_ZERO
    found = []
    if ability & int(layout.LEADING):
        leader = sheet.crew.leader if options.value("leader_on") == "to_hit" else 0
        rest += leader
        found.append(Modifier("leader", -leader))
    else:
        rest -= rules_charts.NO_COMMANDER
        found.append(Modifier("no commander", rules_charts.NO_COMMANDER))
    stand_in = rules_charts.UNQUALIFIED if ability & int(layout.UNQUALIFIED) else 0
    found += [Modifier("not qualified at the gun", stand_in), Modifier("acquired target", rest - stand_in)]
    return [modifier for modifier in found if modifier.value]
