"""Which numbers of a sheet are armour and which are gun, system by system, and where a chart breaks the order.

What is meant: with more of it a unit is hit less hard, or hits harder. `-` before a pattern: the smaller the better.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ARMOUR: Mapping[str, tuple[str, ...]] = {
    "blitzkrieg": (
        r"armor\..*",
        r"shock_threshold",
        r"penetration\..*",
        r"defense\.(ballistic|anti_personnel|indirect)\..*",
        r"internal_amount\..*",
    ),
    "tank_d20": (r"armor\..*",),
    "toy": (r"hit_points",),
    "wwiisim": (r"armor",),
}
GUN: Mapping[str, tuple[str, ...]] = {
    "blitzkrieg": (r"weapons\..*\.(high|mid|low)\..*", r"gunners\..*\.skill"),
    "tank_d20": (r"gun\.penetration", r"gun\.calibre"),
    "toy": (r"-needs", r"reach"),
    "wwiisim": (r"weapons\..*\.strength", r"skill"),
}


@dataclass(frozen=True)
class Break:
    """Where more of a number may do its owner harm. field: a pattern. settings: under which alone it may.

    figure: what need not move as it should: `owner`, the chance that its owner is destroyed, or `enemy`.
    """

    system: str
    field: str
    figure: str
    reason: str
    settings: Mapping[str, Any] = field(default_factory=dict)


BREAKS: tuple[Break, ...] = (
    *(
        Break(
            "wwiisim", r"skill", figure,
            "under this reading a hit takes the firing skill or more, so that a small one is the better",
            {"direction": "at_least"},
        )
        for figure in ("owner", "enemy")
    ),
)  # fmt: skip


def direction(patterns: tuple[str, ...], path: str) -> int:
    """Return 1 where more of a number is better, -1 where less is, 0 if no pattern is about it."""
    for pattern in patterns:
        if re.fullmatch(pattern.removeprefix("-"), path):
            return -1 if pattern.startswith("-") else 1
    return 0


def breaks(system: str, path: str, figure: str, options: Any) -> bool:
    """Tell whether the order of a number is known to be broken."""
    return any(
        (each.system, each.figure) == (system, figure)
        and re.fullmatch(each.field, path)
        and all(options.value(name) == value for name, value in each.settings.items())
        for each in BREAKS
    )
