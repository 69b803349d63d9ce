"""What lab answers about fights: frozen results that know the contract's JSON and a tidy table."""

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from simlab.model.errors import InputError
from simlab.model.keys import canonical_value
from simlab.model.situation import Aspect, Range

if TYPE_CHECKING:
    import pandas as pd

    from simlab.model.ecv import Ecv

SCHEMA = 1
_DISPLAY_ONLY = ("names", "ecvs", "why")


@dataclass(frozen=True)
class FightResult:
    """What every fight's result holds. Probabilities of all fights; intervals are 95%.

    range, aspect_a, aspect_b: one value, or a tuple by turn. first_fire: "a:2", or None. readings: all built readings
    and optional rules with their values. constants: all house numbers with theirs.
    """

    system: str
    range: Range
    aspect_a: Aspect
    aspect_b: Aspect
    first_fire: str | None
    turns: int
    readings: dict[str, Any]
    constants: dict[str, Any]
    method: str
    error_bound: float | None
    n: int | None
    seed: int | None
    outcomes: dict[str, float]
    counts: dict[str, int] | None
    intervals: dict[str, tuple[float, float]] | None
    win_share_a: float
    win_share_b: float
    no_decision: bool
    rules_version: str
    sheets: dict[str, Any]
    seconds: float
    names: dict[str, str] = field(repr=False)
    ecvs: dict[str, "Ecv"] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the contract's JSON object."""
        content = {
            item.name: getattr(self, item.name) for item in fields(self) if item.name not in _DISPLAY_ONLY
        }
        for name in ("range", "aspect_a", "aspect_b"):
            content[name] = canonical_value(content[name])
        for name in [
            name for name in ("counts", "intervals", "by_turn", "breaks") if content.get(name, 0) is None
        ]:
            del content[name]
        first = {name: content.pop(name) for name in ("system", "a", "b")}
        return {"schema": SCHEMA, **first, **content}


@dataclass(frozen=True)
class DuelResult(FightResult):
    """One against one. `side_a` says what happened to A; `kill_rate_a` = B destroyed by the end.

    by_turn: of a solved duel, the outcomes if it had ended after turn 0, 1, 2, ... why: why this method was taken, if
    none was asked for.
    """

    a: str = ""
    b: str = ""
    kill_rate_a: float = 0.0
    kill_rate_b: float = 0.0
    side_a: dict[str, Any] = field(default_factory=dict)
    side_b: dict[str, Any] = field(default_factory=dict)
    by_turn: dict[str, list[float]] | None = None
    why: str = ""

    def to_frame(self) -> "pd.DataFrame":
        """Return one row an outcome: a, b, outcome, probability, low, high, count."""
        return _frame({"a": self.a, "b": self.b}, self)

    def turns_frame(self) -> "pd.DataFrame":
        """Return a solved duel turn by turn, a row for each side after turn 0, 1, 2, ...

        Columns: turn, side (a, b), unit, name, stands (chance not to be destroyed yet), destroyed (chance to be
        destroyed in this very turn), and the outcomes if the duel had ended then: wins (this side), both_destroyed,
        neither. Raises InputError for a sampled duel, whose turns were not counted.
        """
        import pandas as pd

        if self.by_turn is None:
            raise InputError.one("method", self.method, "exact: only a solved duel tells its turns")
        sides = (("a", self.a, self.side_a), ("b", self.b, self.side_b))
        rows = [
            {
                "turn": turn,
                "side": side,
                "unit": unit,
                "name": self.names[side],
                "stands": happened["survival"][turn],
                "destroyed": happened["destroyed_in_turn"][turn],
                "wins": self.by_turn[f"{side}_wins"][turn],
                "both_destroyed": self.by_turn["both_destroyed"][turn],
                "neither": self.by_turn["neither"][turn],
            }
            for turn in range(self.turns + 1)
            for side, unit, happened in sides
        ]
        return pd.DataFrame(rows)


@dataclass(frozen=True)
class EngageResult(FightResult):
    """Sides of units. survivors: by side, chances of 0, 1, ... units left. exchanges: mean volleys a fight.

    breaks: the share of its ECV at the loss of which a side broke, None if none did. ecv_lost_distribution: by side,
    `values` of ECV lost, rising, and `counts` of fights; None where a unit has no ECV or too many losses differ.
    """

    a: tuple[str, ...] = ()
    b: tuple[str, ...] = ()
    policy_a: str = "spread"
    policy_b: str = "spread"
    breaks: float | None = None
    survivors: dict[str, list[float]] = field(default_factory=dict)
    ecv_lost: dict[str, float | None] = field(default_factory=dict)
    ecv_lost_distribution: dict[str, dict[str, list[Any]] | None] = field(default_factory=dict)
    exchanges: float = 0.0
    cannot_fire_a: bool = False
    cannot_fire_b: bool = False

    def to_frame(self) -> "pd.DataFrame":
        """Return one row an outcome: a, b, outcome, probability, low, high, count."""
        return _frame({"a": ", ".join(self.a), "b": ", ".join(self.b)}, self)


def _frame(who: dict[str, str], result: FightResult) -> "pd.DataFrame":
    import pandas as pd

    rows = []
    for name, value in result.outcomes.items():
        low, high = (result.intervals or {}).get(name, (None, None))
        count = (result.counts or {}).get(name)
        rows.append({**who, "outcome": name, "probability": value, "low": low, "high": high, "count": count})
    return pd.DataFrame(rows)
