"""A volley told in words: what was needed, what fell, what it did."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from simlab.rules.common.narrating import Dice, FightTeller
from simlab.rules.contract import Fight
from simlab.rules.wwiisim import shots
from simlab.rules.wwiisim.kernel import layout as at
from simlab.rules.wwiisim.kernel import shooting, tables
from simlab.rules.wwiisim.sheet import Sheet, Weapon
from simlab.rules.wwiisim.throws import (
    Throw,
    check_throw,
    script_of_throw,
    throw_of_record,
    throw_of_token,
)

EFFECTS = {
    at.NOTHING: "no effect",
    at.ZEROES: "initiative lost",
    at.STUNS: "crew stunned",
    at.DISARMS: "a weapon destroyed",
    at.HALTS: "immobilised",
    at.ABANDONED: "destroyed, the crew lives",
    at.CREW_LOST: "destroyed with its crew",
    at.BURNS: "destroyed with its crew, burning",
}


DICE = Dice(throw_of_record, throw_of_token, script_of_throw, check_throw, Throw.token)


class Teller(FightTeller[Throw]):
    """Tells the volleys of one fight."""

    def __init__(self, fight: Fight) -> None:
        super().__init__(fight, DICE)

    def _told(self, event: Any) -> list[str]:
        if event.note & int(at.BLOCKED):
            return ["smoke hides the target; no fire"]
        weapon = self._sheets[event.unit].arms[event.gunner][1]
        dice = iter(event.throw.values)
        row = self._row(event)
        needed = int(self._word(row, at.ROW_OWN_SMOKE if event.ability & int(at.SMOKED) else at.ROW_NEEDED))
        if weapon.kind.mortar:
            told = self._shell_lines(event, row, needed, dice)
        else:
            told = [self._firing_line(event, weapon, needed, dice)]
        if event.note & int(at.JAM):
            told.append("a double of 1s or 2s: the gun jams")
        if not event.note >> at.HIT_SHIFT & int(at.HIT_MASK):
            return told
        target = self._sheets[event.target]
        minor = event.note >> at.MINOR_SHIFT & int(at.MINOR_MASK)
        if not target.is_vehicle:
            return [*told, self._men_line(event, target, minor, dice)]
        armor = shots.shot_armor(target, self._scene(event)[1], weapon, self._fight.options)
        return [*told, *self._vehicle_lines(event, weapon, armor, dice)]

    def _row(self, event: Any) -> int:
        scene = self._fight.scene_of_turn[event.turn - 1]
        pair = self._types[event.unit], self._types[event.target]
        aimed = self._answer(shooting.aim, *pair, scene)
        return self._answer(shooting.gunner_row, aimed, event.gunner, event.target_ability)

    def _word(self, row: int, field: int) -> int:
        return int(self._fight.program[row + field])

    def _needs(self, needed: int) -> str:
        high = shots.is_high(self._fight.options)
        die = int(self._fight.options.value("die"))
        if needed < 1 and not high:
            return f"needs less than 1 of d{die}"
        if needed > die and high:
            return f"needs more than {die} of d{die}"
        return f"needs {needed} or {'more' if high else 'less'} of d{die}"

    def _firing_line(self, event: Any, weapon: Weapon, needed: int, dice: Iterator[int]) -> str:
        struck = event.note >> at.HIT_SHIFT & int(at.HIT_MASK)
        number = shots.dice_of(weapon, self._fight.options)
        hit = {0: "misses", 1: "1 hit"}.get(struck, f"{struck} hits")
        if not event.throw.values or (struck and not event.note >> at.DICE_SHIFT & int(at.DICE_MASK)):
            return f"{self._needs(needed)}: {hit}"
        rolls = ", ".join(str(next(dice)) for _ in range(number))
        return f"rolls {rolls}; {self._needs(needed)}: {hit}"

    def _shell_lines(self, event: Any, row: int, needed: int, dice: Iterator[int]) -> list[str]:
        high = shots.is_high(self._fight.options)
        roll = next(dice)
        hit = bool(shooting.hits(roll, needed, high))
        thrown = [next(dice)] + ([] if hit else [next(dice)])
        place = int(self._fight.program[self._types[event.unit] + at.SHELL_PLACE + event.gunner])
        shells = event.ability >> place & int(at.SHELLS) if place else 0
        seen = int(self._fight.options.constant("spotter_sees"))
        only = self._fight.options.value("scatter_bonus") == "miss_only"
        inches = int(shooting.scattered(sum(thrown), seen, shells, hit, only))
        degrees = self._word(row, at.ROW_COVERED + inches)
        covered = bool(event.note & int(at.TEMPLATE))
        away = ""
        if 0 < degrees < at.COVERS:
            away = f" {next(dice) - 0.5:g} degrees off the line"
        scatter = " + ".join(map(str, thrown))
        return [
            f"rolls {roll}; {self._needs(needed)}: {'hit' if hit else 'miss'}",
            f"scatter {scatter}, {seen + shells} earlier help: {inches} inches{away};"
            f" the template {'covers' if covered else 'misses'} the target",
        ]

    def _men_line(self, event: Any, target: Sheet, minor: int, dice: Iterator[int]) -> str:
        rolls = list(dice)
        lost = event.before & int(at.LOSSES)
        left = shots.men_or_arms(target) - lost
        after = 0 if event.after & int(at.DESTROYED) else left - (event.after & int(at.LOSSES)) + lost
        said = f"wound rolls {', '.join(map(str, rolls))}, {minor + 1} or more" if rolls else "wound rolls"
        if not rolls:
            said = "all fall" if not minor else "no wound is possible"
        return f"{said}: {left - after} of {left} men fall{', destroyed' if not after else ''}"

    def _vehicle_lines(self, event: Any, weapon: Weapon, armor: int, dice: Iterator[int]) -> list[str]:
        """Tell hit after hit what the dice of a volley did to a vehicle."""
        told: list[str] = []
        state = event.before
        number = event.note >> at.HIT_SHIFT & int(at.HIT_MASK)
        minor = event.note >> at.MINOR_SHIFT & int(at.MINOR_MASK)
        source = _Given(tuple(dice))
        used = 0
        for _ in range(number):
            if state & int(at.DESTROYED):
                break
            told.append(self._hit_text(event, weapon, armor, state, source.values[used:]))
            state, used = source.strike(self._fight.program, self._types[event.target], state, minor, used)
        return told

    def _hit_text(self, event: Any, weapon: Weapon, armor: int, state: int, values: tuple[int, ...]) -> str:
        dice = iter(values)
        minor = event.note >> at.MINOR_SHIFT & int(at.MINOR_MASK)
        serious = minor == 0
        said = f"strength {weapon.strength} against {armor}"
        if 0 < minor < shots.SIDES:
            face = next(dice)
            serious = bool(tables.penetrates(face, weapon.strength, armor))
            said = f"{face} + {weapon.strength} = {face + weapon.strength} against {armor}"
        face = next(dice)
        stands = shots.men_or_arms(self._sheets[event.target])
        bare = state & int(at.LOSSES) == stands
        none_halts = self._fight.options.value("no_weapon_left") == "immobilised"
        table = tables.serious_result if serious else tables.minor_result
        result = tables.settled_result(table(face), bare, none_halts)
        words = [f"{said}: {'penetrates' if serious else 'a minor hit'}", f"table {face}, {EFFECTS[result]}"]
        if result == at.HALTS and state & int(at.IMMOBILE):
            if self._fight.options.value("immobilised_again") == "none":
                words.append("immobile already")
            else:
                again = tables.second_face(next(dice), bare, none_halts)
                result = tables.settled_result(tables.serious_result(again), bare, none_halts)
                words.append(f"immobile already, serious table {again}, {EFFECTS[result]}")
        if result == at.DISARMS:
            words.append(self._weapon_lost(event, state))
        return "; ".join(words)

    def _weapon_lost(self, event: Any, state: int) -> str:
        sheet = self._sheets[event.target]
        number = shots.loss_order(sheet, self._fight.options)[state & int(at.LOSSES)]
        name: str = sheet.arms[number][1].name
        return name


class _Given:
    """Dice as a source for the kernel's own function of one hit."""

    def __init__(self, values: tuple[int, ...]) -> None:
        self.values = values

    def strike(self, program: Any, target: int, body: int, minor: int, used: int) -> tuple[int, int]:
        """Return the body after one hit, and how many dice have fallen."""
        from types import FunctionType

        def draw_face(source: _Given, slot: int, faces: int) -> Any:
            return np.uint64(source.values[slot] - 1)

        strike = tables.hit_vehicle
        names = {**vars(tables), "draw_face": draw_face}
        with np.errstate(over="ignore"):
            after, slot = FunctionType(strike.__code__, names)(
                program, np.uint64(target), np.uint64(body), np.uint64(minor), used, self
            )
        return int(after), int(slot)
