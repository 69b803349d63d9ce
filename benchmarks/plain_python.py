"""The Sherman duel in plain Python: one duel after the other, as one would write it down first."""

from random import Random

import facts


class Tank:
    """The state of a tank."""

    __slots__ = ("armor", "crossed", "destroyed")

    def __init__(self) -> None:
        self.armor, self.crossed, self.destroyed = facts.ARMOR, 0, False


def to_hit_total(die: Random, sighted: bool) -> int:
    """Return the total of two exploding dice, or of the one that is left without a sight."""
    if not sighted:
        return die.randint(1, 6)
    total, roll = 0, 12
    while roll == 12:
        roll = die.randint(1, 6) + die.randint(1, 6)
        total += roll
    return total


def cross_off(die: Random, target: Tank, count: int) -> None:
    """Cross lines off and see what that does to the tank."""
    before = target.crossed
    for line in range(die.randint(1, 20), 21):
        bit = 1 << (line - 1)
        if count and not target.crossed & bit:
            target.crossed |= bit
            count -= 1
    now = target.crossed
    for item in facts.EXPLOSIVE:
        if now & item and not before & item and die.randint(1, 20) > die.randint(1, 20):
            target.destroyed = True
            return
    unarmed = now & facts.CANNON and now & facts.COAXIAL and now & facts.PINTLE_MG
    if now & (facts.CREW | facts.ENGINE) or unarmed or (now & facts.LEFT_TREAD and now & facts.RIGHT_TREAD):
        target.destroyed = True


def fire(die: Random, crossed: int, target: Tank) -> None:
    """Fire one volley by a shooter with these lines crossed off."""
    total = to_hit_total(die, not crossed & facts.PERISCOPE)
    hits = []
    if total >= facts.CANNON_NEEDS and not crossed & facts.CANNON:
        hits.append(facts.CANNON_DSP)
    if total >= facts.COAXIAL_NEEDS and not crossed & facts.COAXIAL:
        hits.append(facts.COAXIAL_DSP)
    if not hits:
        return
    heads = die.randint(0, 1)
    damage, shock, penetration = (sum(weapon[heads][part] for weapon in hits) for part in range(3))
    worn = min(damage, target.armor)
    target.armor -= worn
    points = (
        damage - worn + max(shock - facts.SHOCK_THRESHOLD, 0) + max(penetration - facts.PENETRATION_FACTOR, 0)
    )
    if points >= facts.DEAD_FROM:
        target.destroyed = True
    elif points:
        cross_off(die, target, facts.LINES_OF_POINTS[points])


def play(fights: int, seed: int) -> tuple[list[int], int]:
    """Return outcomes (a wins, b wins, both destroyed, neither) and the number of exchanges."""
    die, outcomes, exchanges = Random(seed), [0, 0, 0, 0], 0
    for _ in range(fights):
        a, b = Tank(), Tank()
        for _ in range(facts.TURNS):
            before = ((a.crossed, b), (b.crossed, a))
            for crossed, target in before:
                if not (crossed & facts.CANNON and crossed & facts.COAXIAL):
                    fire(die, crossed, target)
                    exchanges += 1
            if a.destroyed or b.destroyed:
                break
        outcomes[(2 if a.destroyed else 0) if b.destroyed else (1 if a.destroyed else 3)] += 1
    return outcomes, exchanges
