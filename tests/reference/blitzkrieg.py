"""The Blitzkrieg rules in slow plain Python: the oracle for the fast code, with which it shares nothing.

Sheets are the mappings that a YAML parse of a record sheet gives (or the `Unit` that `read_sheet` makes of
one); options are mappings of reading names to values, what is missing has its default (`settle`). Distances
are inches, as int, float or Fraction. All probabilities are `fractions.Fraction`. Everything is for
fights at a fixed range: BK-1 to BK-31, BK-50 to BK-55, BK-60, BK-61, BK-64, BK-66 to BK-70; no movement,
rams or men.

- `fresh(sheet)` -> `State`: armour, crossed lines, engine hits, cause, rounds, zeroed targets; hashable.
- `capability(sheet, state, side, distance, options, causes=0)` -> `Capability`: unbuttoned, and for each
  gunner a `Fire`: weapons that can fire (numbers in sheet order), dice (2, 1, 0), whom he has zeroed in on.
- `to_hit_total_distribution(dice)` -> {total: P}; 204 stands for all totals from 204 on.
- `volley(shooter_sheet, shooter_state, gunner, target_sheet, target_state, target_unbuttoned, aspect,
  distance, options, dice, side=, target_id=, causes=)` -> (target state, `Record`). `dice` is `Given(total or
  faces, level, start, contests)` or anything with its four methods; a die that is wanted and missing is a
  ValueError. `side` is the shooter's; `aspect` the target's that is hit.
- `volley_distribution(...)` (no dice) -> {target state: P}; `literal_distribution(situation(...), state)` the
  same by one run of the volley for every sequence of dice.
- `fire_distribution(shooter_sheet, shooter_state, target_sheet, target_state, side, aspect, distance,
  options)` -> {((0 or None for each gunner: did he fire), target state before it spends rounds): P}.
- `turn_distribution(sheet_a, state_a, sheet_b, state_b, distance, aspect_a, aspect_b, options)` ->
  {(state a, state b): P} after a whole turn, rounds spent. The number of pairs is the product of the two
  sides' numbers of states: with two or more gunners a side use `fire_distribution`.
- `duel_distribution(sheet_a, sheet_b, distance, aspect_a, aspect_b, options, turns, states=None,
  first_fire=None)` -> a_wins, b_wins, both_destroyed, neither, and side_a, side_b with the figures at the end
  and `destroyed_by_turn`.
- `figures(sheet, state, options)` -> destroyed, mobility_kill, firepower_kill, crew_kill, catastrophic_kill.
- `play_fight(sheets_a, sheets_b, distance, aspect_a, aspect_b, options, turns, policy_a, policy_b, dice)` ->
  `Fight`: outcome, turns played, states, turn in which each unit fell, list of `Exchange`s.

In `duel_distribution` and `play_fight` distance and aspects are one value or a sequence by turn, the last
value of which stays; `first_fire=("a", 2)` keeps b silent in turns 1 and 2.

`volley_order: random` shuffles a side's gunners in the distributions; `play_fight` is told the order. Causes of
a lost die other than the periscope need a map; `causes` adds them by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .chance import CONTESTS, to_hit_total_distribution
from .condition import FIGURES, Capability, Fire, Number, State, capability_of, figures_of, fresh_state
from .fight import Exchange, Fight, choose, play_fight
from .settings import CONSTANTS, READINGS, settle
from .sheet import ASPECTS, Sheet, Unit, read_sheet
from .stages import DEAD, TOP_TOTAL, column, to_hit_number
from .turns import (
    duel_distribution,
    fire_distribution,
    literal_distribution,
    turn_distribution,
    volley_distribution,
)
from .volley import Given, Record, Situation, situation, volley

__all__ = [
    "ASPECTS",
    "CONSTANTS",
    "CONTESTS",
    "DEAD",
    "FIGURES",
    "READINGS",
    "TOP_TOTAL",
    "Capability",
    "Exchange",
    "Fight",
    "Fire",
    "Given",
    "Record",
    "Situation",
    "State",
    "Unit",
    "capability",
    "choose",
    "column",
    "duel_distribution",
    "figures",
    "fire_distribution",
    "fresh",
    "literal_distribution",
    "play_fight",
    "read_sheet",
    "settle",
    "situation",
    "to_hit_number",
    "to_hit_total_distribution",
    "turn_distribution",
    "volley",
    "volley_distribution",
]


def fresh(sheet: Sheet, options: Mapping[str, Any] | None = None) -> State:
    """The unit as its sheet prints it. No option changes it; they are only checked."""
    settle(options)
    return fresh_state(read_sheet(sheet))


def capability(
    sheet: Sheet,
    state: State,
    side: str,
    distance: Number,
    options: Mapping[str, Any] | None = None,
    causes: int = 0,
) -> Capability:
    """Who can fire what in the combat phase that begins in `state` (BK-11, BK-27, BK-30, BK-31)."""
    return capability_of(read_sheet(sheet), state, side, distance, settle(options), causes)


def figures(sheet: Sheet, state: State, options: Mapping[str, Any] | None = None) -> dict[str, bool]:
    """The five figures of a unit (BK-69), `destroyed` by the reading `loss_of_function` (BK-29)."""
    return figures_of(read_sheet(sheet), state, settle(options))
