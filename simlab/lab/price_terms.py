"""What is asked of a pricing: how battles are fought, how often, and by what prices are measured."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simlab.model.errors import InputError, nearest
from simlab.model.situation import Situation, by_turn_text

if TYPE_CHECKING:
    import pandas as pd

    from simlab.studies.pricing import Setting
    from simlab.studies.study_file import Study

ROSTER = "roster"
"""The anchor that keeps the geometric mean of all ECVs."""
DEFAULT_SIZE, OTHER_SIZES = 2350.0, (1000.0, 7000.0)
"""ECV of a side: that of the first battle of Blitzkrieg's rules, a small and a large one."""
FIRST_FIGHTS, OTHER_FIGHTS = 320, 64
"""Fights a rung in the first stage, and for the settings that only tell the spread."""
LEVEL = 0.95
"""Level of the intervals over all stages together."""


@dataclass(frozen=True)
class Asked:
    """What a call asks for."""

    size: float
    policy: str
    tolerance: float
    precision: float
    step: float | None
    n: int | None
    anchor: str | None

    def check_anchor(self, study: "Study") -> None:
        """Raise InputError for an anchor that the study lacks or that has no ECV."""
        if self.anchor is None or self.anchor == ROSTER:
            return
        known = {sheet.id: sheet for sheet in study.sheets}
        if self.anchor not in known:
            allowed = "a unit of the run, or roster"
            raise InputError.one("anchor", self.anchor, allowed, nearest(self.anchor, [*known, ROSTER]))
        if known[self.anchor].ecv.value is None:
            raise InputError.one(
                "anchor", f"{self.anchor}, which has no ECV", "a unit with an ECV, or roster"
            )

    def chosen_anchor(self, units: "pd.DataFrame") -> str | None:
        """Return the id of the unit that keeps its ECV, None for the mean of the roster."""
        from simlab.analysis.prices import choose_anchor

        if self.anchor is None:
            return choose_anchor(units)
        return None if self.anchor == ROSTER else self.anchor

    def settings(self, n: int) -> "list[Setting]":
        """Return the ways to fight: the one that gives the prices first."""
        from simlab.studies.pricing import Setting

        other = n if self.n is not None else max(OTHER_FIGHTS, n // 5)
        sizes = [size for size in sorted({DEFAULT_SIZE, *OTHER_SIZES}) if size != self.size]
        return [
            Setting(self.size, self.policy, n),
            *(Setting(size, self.policy, other) for size in sizes),
            Setting(self.size, "spread" if self.policy == "first" else "first", other),
        ]

    def stages(self) -> tuple[int, ...]:
        """Return the fights a rung of each stage."""
        from simlab.analysis.price_verdicts import plan_stages

        return plan_stages(FIRST_FIGHTS) if self.n is None else (self.n,)


def worths(study: "Study") -> dict[str, float]:
    """Return the ECV of each unit; one without counts as the geometric mean of those that have one."""
    known = {sheet.id: float(sheet.ecv.value) for sheet in study.sheets if sheet.ecv.value is not None}
    mean = math.exp(sum(map(math.log, known.values())) / len(known)) if known else DEFAULT_SIZE / 4
    return {sheet.id: known.get(sheet.id, mean) for sheet in study.sheets}


def mix_text(study: "Study") -> str:
    """Return the mix of situations in words."""
    axes: tuple[tuple[str, Callable[[Situation], str]], ...] = (
        ("range", lambda place: by_turn_text(place.range)),
        ("aspect of the first", lambda place: by_turn_text(place.aspect_a).replace("_", " ")),
        ("aspect of the second", lambda place: by_turn_text(place.aspect_b).replace("_", " ")),
        ("first fire", lambda place: place.first_fire or "nobody"),
    )
    parts = []
    for name, tell in axes:
        weights: dict[str, float] = {}
        for place, weight in study.situations:
            weights[tell(place)] = weights.get(tell(place), 0.0) + weight
        kept = {value: weight for value, weight in weights.items() if weight > 0}
        if name == "first fire" and list(kept) == ["nobody"]:
            continue
        even = len({f"{weight:.6f}" for weight in kept.values()}) == 1
        words = [value if even else f"{value} ({100 * weight:.3g}%)" for value, weight in kept.items()]
        parts.append(f"{name} {', '.join(words)}")
    return "; ".join(parts)
