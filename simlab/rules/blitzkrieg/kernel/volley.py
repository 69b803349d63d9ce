"""One volley from the roll to the loss of function: the stages in the order of the book (BK-68)."""

import numpy as np

from simlab.dice.draws import draw_chance, draw_face
from simlab.dice.slots import CONTEST, LEVEL, START
from simlab.jit import kernel, kernel_call
from simlab.rules.blitzkrieg.kernel.damage import (
    armor_left,
    armor_points,
    internal_points,
    strike_damage,
    strike_penetration,
    strike_shock,
)
from simlab.rules.blitzkrieg.kernel.layout import (
    ALL_LINES,
    CHART_LOSS,
    DEAD,
    EXPLOSION_LOSS,
    GUNNERS,
    INSTANT,
    INSTANT_LOSS,
    LINES,
    NOTE_DAMAGE,
    NOTE_DEAD,
    NOTE_INSTANT,
    NOTE_ITEM,
    NOTE_LEVEL,
    NOTE_LINES,
    NOTE_PENETRATION,
    NOTE_SHOCK,
    STRUCK_INSTANT,
    UNBUTTONED,
)
from simlab.rules.blitzkrieg.kernel.loss import gunner_weapons
from simlab.rules.blitzkrieg.kernel.manifest import (
    crossed_lines,
    engine_volleys,
    line_events,
    loaded_bins,
    lost_lines,
    walked_lines,
)
from simlab.rules.blitzkrieg.kernel.special import special_roll
from simlab.rules.blitzkrieg.kernel.to_hit import draw_total
from simlab.rules.blitzkrieg.program import (
    CHART,
    CONTEST_FACES,
    CONTEST_WINS,
    EACH_VOLLEY,
    ENGINE_COUNT,
    EXPLOSIVE,
    HIT_MASK,
    INERT,
    LEVELS,
    LIMIT,
    NUMBER,
    ONE_CONTEST,
    PAIRS,
    ROW,
    ROW_FACE,
    ROW_HITS,
    ROW_LEVELS,
    ROW_STRIKES,
    SKIP,
    SPECIAL,
    TYPES,
    WRAP,
)

U64 = np.uint64


@kernel
def aim(program, shooter, target, situation):
    """Return the place of the rows of a shooter against a target in a situation."""
    types = program[U64(TYPES)]
    pair = (situation * types + program[shooter + U64(NUMBER)]) * types + program[target + U64(NUMBER)]
    return program[U64(PAIRS)] + pair * U64(GUNNERS * 2) * program[U64(ROW)]


@kernel
def gunner_row(program, aimed, gunner, target_ability):
    """Return the place of the row of a gunner, by whether his target is unbuttoned (BK-31)."""
    row = gunner * U64(2)
    if target_ability & UNBUTTONED:
        row += U64(1)
    return aimed + row * program[U64(ROW)]


@kernel
def explodes(program, target, target_ability, taken, before, source):
    """Return which contest, from 1, blew the unit up, item by item from the lowest line up; 0 if none did (BK-26).

    `taken`: the lines that this volley crossed off; `before`: the events of those crossed earlier.
    """
    struck = line_events(program, target, taken) & program[target + U64(EXPLOSIVE)]
    if not program[U64(EACH_VOLLEY)]:
        struck &= ~before
    if program[target + U64(INERT)]:
        struck = loaded_bins(program, target, target_ability, before, struck)
    slot = CONTEST
    while struck:
        if draw_chance(source, slot, program[U64(CONTEST_WINS)], program[U64(CONTEST_FACES)]):
            return U64(slot - CONTEST + 1)
        if program[target + U64(ONE_CONTEST)]:
            return U64(0)
        struck &= struck - U64(1)
        slot += 1
    return U64(0)


@kernel
def roll(program, shooter, gunner, ability, row, source):
    """Return the weapons of a gunner that hit, as bits of his own list; 0 ends the volley (BK-68, 2 to 5).

    Under some options more than that, see `special_roll`.
    """
    able = gunner_weapons(program, shooter, gunner, ability)
    if program[U64(SPECIAL)]:
        return special_roll(program, shooter, gunner, ability, row, able, source)
    total = draw_total(source, ability, program[U64(LIMIT)])
    return program[row + U64(ROW_HITS) + total] & able


@kernel
def hurt(program, target, row, body, struck, source):
    """Return the target's body after level, armour and chart, a note of it, and the chart's answer (BK-68, 6 to 9).

    The answer is the number of lines to cross off, `DEAD` for the dead column, `INSTANT` for instant death, which asks
    for no die and wears nothing (BK-55); 0 ends the volley.
    """
    if struck == STRUCK_INSTANT:
        return body, U64(1) << U64(NOTE_INSTANT), U64(INSTANT)
    level = draw_face(source, LEVEL, program[U64(LEVELS)])
    strike = program[row + U64(ROW_STRIKES) + struck * U64(ROW_LEVELS) + level]
    shift = program[row + U64(ROW_FACE)]
    worn = armor_points(strike_damage(strike), armor_left(body, shift))
    body -= worn << shift
    by_damage = strike_damage(strike) - worn
    points = internal_points(by_damage, strike_shock(strike), strike_penetration(strike))
    note = (struck & program[U64(HIT_MASK)]) | (level << U64(NOTE_LEVEL)) | (by_damage << U64(NOTE_DAMAGE))
    note |= strike_shock(strike) << U64(NOTE_SHOCK) | strike_penetration(strike) << U64(NOTE_PENETRATION)
    return body, note, program[target + U64(CHART) + points]


@kernel_call
def wreck(program, target, target_ability, body, note, count, source):
    """Return body and note after the dead column, or after lines, items and contests (BK-68, 9 to 12)."""
    if count == U64(DEAD):
        return body | CHART_LOSS, note | (U64(1) << U64(NOTE_DEAD))
    if count == U64(INSTANT):
        return body | INSTANT_LOSS, note
    start = draw_face(source, START, LINES)
    before = line_events(program, target, body)
    skipped = body & ALL_LINES
    if program[U64(SKIP)]:
        skipped |= lost_lines(program, target, body)
    taken = crossed_lines(skipped, start, count, program[U64(WRAP)])
    body |= taken
    if program[target + U64(ENGINE_COUNT)]:
        walked = walked_lines(taken, start, count, program[U64(WRAP)])
        body = engine_volleys(program, target, body, walked)
    item = explodes(program, target, target_ability, taken, before, source)
    if item:
        body |= EXPLOSION_LOSS
    return body, note | (count << U64(NOTE_LINES)) | (item << U64(NOTE_ITEM))
