"""What lab answers about fights: frozen results that know the contract's JSON and a tidy table."""

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from simlab.model.ecv import Ecv

SCHEMA = 1
_DISPLAY_ONLY = ("names", "ecvs")


@dataclass(frozen=True)
class FightResult:
    """What every fight's result holds. Probabilities of all fights; intervals are 95%."""

    system: str
    range: float
    aspect_a: str
    aspect_b: str
    turns: int
    readings: dict[str, Any]
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
        for name in [name for name in ("counts", "intervals") if content[name] is None]:
            del content[name]
        first = {name: content.pop(name) for name in ("system", "a", "b")}
        return {"schema": SCHEMA, **first, **content}


@dataclass(frozen=True)
class DuelResult(FightResult):
    """One against one. `side_a` says what happened to A; `kill_rate_a` = B destroyed by the end."""

    a: str = ""
    b: str = ""
    kill_rate_a: float = 0.0
    kill_rate_b: float = 0.0
    side_a: dict[str, Any] = field(default_factory=dict)
    side_b: dict[str, Any] = field(default_factory=dict)

    def to_frame(self) -> "pd.DataFrame":
        """Return one row an outcome: a, b, outcome, probability, low, high, count."""
        return _frame({"a": self.a, "b": self.b}, self)


@dataclass(frozen=True)
class EngageResult(FightResult):
    """Sides of units. survivors: by side, chances of 0, 1, ... units left. exchanges: mean volleys a fight."""

    a: tuple[str, ...] = ()
    b: tuple[str, ...] = ()
    policy_a: str = "spread"
    policy_b: str = "spread"
    survivors: dict[str, list[float]] = field(default_factory=dict)
    ecv_lost: dict[str, float | None] = field(default_factory=dict)
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
