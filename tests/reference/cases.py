"""Units, states and shots that the tests of the reference share."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

from . import blitzkrieg as bk
from .sherman import sherman


def changed(sheet: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """The sheet with fields changed in place: `__` in a keyword stands for the dot of a path."""
    for path, value in fields.items():
        *parents, last = (int(key) if key.isdigit() else key for key in path.split("__"))
        place: Any = sheet
        for key in parents:
            place = place[key]
        place[last] = value
    return sheet


def one_hit(needed: int = 7, ammo: int = 99) -> dict[str, Any]:
    """A unit whose one weapon always destroys by the dead column; a total of `needed` hits it."""
    sheet = sherman()
    sheet["weapons"] = {"cannon": sheet["weapons"]["cannon"]}
    changed(
        sheet,
        weapons__cannon__high=[99, 99, 99],
        weapons__cannon__mid=[99, 99, 99],
        weapons__cannon__low=[99, 99, 99],
        weapons__cannon__ammo=ammo,
        defense__ballistic={"front_back": needed, "sides": needed},
        gunners=[{"name": "gunner", "skill": 0, "weapons": ["cannon"]}],
        manifest=[{"lines": [7], "item": "weapon", "weapon": "cannon"}],
    )
    return sheet


def two_guns() -> dict[str, Any]:
    """The two weapons with low 3/2/2 of the book's damage example, fired by one gunner."""
    sheet = sherman()
    for name in ("cannon", "coaxial"):
        changed(sheet, **{f"weapons__{name}__low": [3, 2, 2], f"weapons__{name}__type": "ballistic"})
    return sheet


def after(state: bk.State, **fields: Any) -> bk.State:
    return bk.State(**{name: fields.get(name, getattr(state, name)) for name in vars(state)})


def crossed(*lines: int, **fields: Any) -> bk.State:
    return after(bk.fresh(sherman()), crossed=frozenset(lines), **fields)


def shoot(
    dice: bk.Given,
    target_state: bk.State | None = None,
    *,
    shooter: dict[str, Any] | None = None,
    target: dict[str, Any] | None = None,
    aspect: str = "front",
    distance: float = 14,
    unbuttoned: bool = False,
    gunner: int = 0,
    shooter_state: bk.State | None = None,
    **options: Any,
) -> tuple[bk.State, bk.Record]:
    """Sherman at Sherman unless told otherwise."""
    shooter = shooter or sherman()
    target = target or sherman()
    return bk.volley(
        shooter,
        shooter_state or bk.fresh(shooter),
        gunner,
        target,
        target_state or bk.fresh(target),
        unbuttoned,
        aspect,
        distance,
        options,
        dice,
    )


def kill_chance(dist: dict[bk.State, Fraction], sheet: dict[str, Any], **options: Any) -> Fraction:
    assert sum(dist.values()) == 1
    return sum(
        (weight for state, weight in dist.items() if bk.figures(sheet, state, options)["destroyed"]),
        Fraction(0),
    )


def random_case(seed: int) -> tuple[dict[str, Any], dict[str, Any], bk.State, bool, str, int, dict[str, Any]]:
    """Two altered Shermans, a battered target, an aspect, a range and three readings off their defaults."""
    draw = random.Random(seed)
    shooter, target = sherman(), sherman()
    for weapon in shooter["weapons"].values():
        for level in ("high", "mid", "low"):
            weapon[level] = [draw.randint(0, 5) for _ in range(3)]
    shooter["gunners"][0]["skill"] = draw.randint(-1, 3)
    changed(target, shock_threshold=draw.randint(0, 5), manifest__1__hits=draw.randint(1, 3))
    lines = frozenset(line for line in range(1, 20) if draw.random() < 0.25)
    state = after(
        bk.fresh(target),
        crossed=lines,
        armor=tuple(draw.randint(0, 4) for _ in range(4)),
        rounds=tuple(draw.choice((0, 5)) for _ in range(3)),
    )
    names = draw.sample(sorted(bk.READINGS), 6)
    options = {name: draw.choice(bk.READINGS[name]) for name in names} | {"loss_of_function": "crew"}
    if draw.random() < 0.3:
        options["constants"] = {
            "range_step": draw.choice((6, 12, 30)),
            "contest_lead": draw.choice((-19, 1, 5, 20)),
        }
    aspect, distance = draw.choice(bk.ASPECTS), draw.choice((1, 8, 14, 31))
    return shooter, target, state, draw.random() < 0.4, aspect, distance, options


def small() -> tuple[dict[str, Any], bk.State]:
    """A unit of few states: hits cross one line, only lines 1, 3, 5 are open, the cannon has two rounds."""
    sheet = sherman()
    sheet["weapons"] = {
        "cannon": {**sheet["weapons"]["cannon"], "high": [0, 4, 0], "low": [0, 0, 0], "ammo": 2},
        "bow_mg": {**sheet["weapons"]["coaxial"], "high": [0, 4, 0], "mount": "bow"},
    }
    manifest = [
        {"lines": list(range(6, 21)), "item": "other"},
        {"lines": [5], "item": "weapon", "weapon": "bow_mg", "ammo_bin": True},
        {"lines": [3], "item": "weapon", "weapon": "cannon"},
        {"lines": [1], "item": "periscope"},
    ]
    gunners = [
        {"name": "gunner", "skill": 2, "weapons": ["cannon"]},
        {"name": "bow gunner", "skill": 1, "weapons": ["bow_mg"]},
    ]
    changed(sheet, manifest=manifest, gunners=gunners)
    return sheet, after(bk.fresh(sheet), crossed=frozenset({2, 4, *range(6, 21)}))


LINES_3 = changed(sherman(), weapons__cannon__low=[0, 0, 3])
