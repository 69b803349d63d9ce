"""The loop that throws every die of a volley. Knows no rule: `volley` is the system's, bound by name."""
# mypy: ignore-errors

import numpy as np

from simlab.dice.scripted import face_count, face_weight

U64 = np.uint64


def expand_dice(
    program, shooter, gunner, ability, target, target_ability, scene, body, script, bodies, notes, weights
):
    """Fill the arrays with all ways the dice of a volley can fall; return their number, also if it is too large.

    script: zeros of shape (2, SLOTS). Dice are asked for in the order of their slots, so the next way is the last
    die asked for, one face on.
    """
    slots = script.shape[1]
    found = 0
    aimed = aim(memory(program), shooter, target, scene)
    while True:
        for slot in range(slots):
            script[1, slot] = 0
        after, note = volley(
            memory(program), shooter, gunner, ability, target, target_ability, aimed, body, script
        )
        weight = 1.0
        for slot in range(slots):
            if script[1, slot] != 0:
                weight *= face_weight(script[1, slot], script[0, slot])
        if found < bodies.shape[0]:
            bodies[found], notes[found], weights[found] = after, note, weight
        found += 1
        slot = slots - 1
        while slot >= 0:
            if script[1, slot] != 0:
                script[0, slot] += 1
                if script[0, slot] < face_count(script[1, slot]):
                    break
                script[0, slot] = 0
            slot -= 1
        if slot < 0:
            return found
