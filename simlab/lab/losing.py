"""What sides of units lose, and when they break."""

from collections.abc import Sequence
from typing import Any

from simlab.lab.arguments import Arguments
from simlab.model.errors import InputError, shown
from simlab.model.outcome import Tally
from simlab.rules.contract import Fight

LEGAL_BREAK = "a number above 0, up to 1"


def check_breaks(given: Arguments, breaks: Any) -> float | None:
    """Return the share of its ECV at the loss of which a side breaks, None for never."""
    if breaks is None:
        return None
    number = isinstance(breaks, int | float) and not isinstance(breaks, bool)
    if not number or not 0 < breaks <= 1:
        given.refuse("breaks", breaks, LEGAL_BREAK)
        return None
    return float(breaks)


def refuse_unpriced(sides: Sequence[Sequence[Any]]) -> None:
    """Raise InputError if a unit has no ECV, for then nobody knows when its side breaks."""
    lacking = dict.fromkeys(sheet.id for side in sides for sheet in side if sheet.ecv.value is None)
    if lacking:
        found = f"no ECV of {', '.join(map(shown, lacking))}"
        raise InputError.one("breaks", found, "sides whose units all have an ECV")


def loss_distributions(fight: Fight, tally: Tally) -> dict[str, dict[str, list[Any]] | None]:
    """Return by side how much ECV was lost in how many fights: `values`, rising, and `counts`.

    None where a unit has no ECV, or where units can fall in too many combinations.
    """
    from simlab.engine.play import side_losses

    losses_a, losses_b = side_losses(fight)
    sides = ("a", fight.sheets_a, losses_a, tally.losses_a), ("b", fight.sheets_b, losses_b, tally.losses_b)
    found: dict[str, dict[str, list[Any]] | None] = {}
    for side, sheets, losses, counts in sides:
        costs = [sheet.ecv.value for sheet in sheets]
        if counts is None or None in costs:
            found[side] = None
            continue
        by_value: dict[float, int] = {}
        for number, count in enumerate(counts.tolist()):
            value = round(losses.cost(number, costs), 9)
            by_value[value] = by_value.get(value, 0) + count
        values = sorted(by_value)
        found[side] = {"values": values, "counts": [by_value[value] for value in values]}
    return found


def mean_loss(sheets: Sequence[Any], destroyed: Sequence[float]) -> float | None:
    """Return the mean sum of the ECV of destroyed units, None if any unit has none."""
    if any(sheet.ecv.value is None for sheet in sheets):
        return None
    return float(sum(sheet.ecv.value * chance for sheet, chance in zip(sheets, destroyed, strict=True)))


def what_is_left(fight: Fight, tally: Tally) -> dict[str, Any]:
    """Return who is left of an engagement, what the others cost, and how much was fired."""
    destroyed = (tally.destroyed() / tally.n).tolist()
    return {
        "survivors": {
            "a": [float(chance) for chance in tally.survivors_a / tally.n],
            "b": [float(chance) for chance in tally.survivors_b / tally.n],
        },
        "ecv_lost": {
            "a": mean_loss(fight.sheets_a, destroyed[: fight.n_a]),
            "b": mean_loss(fight.sheets_b, destroyed[fight.n_a :]),
        },
        "ecv_lost_distribution": loss_distributions(fight, tally),
        "exchanges": tally.exchanges / tally.n,
        "cannot_fire_a": not fight.can_fire_a,
        "cannot_fire_b": not fight.can_fire_b,
    }
