"""What a change of a sheet does to its duels."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simlab.analysis.paired_difference import OUTCOME_SCORES, SCORES, SHARE_SCORES, estimate
from simlab.analysis.readings_paired import Estimate
from simlab.lab.mix import SCHEMA, Mix, Terms, read_mix
from simlab.lab.roster import changed as changed_sheet
from simlab.lab.roster import typed
from simlab.lab.same_dice import Change, Place, methods_of
from simlab.model.errors import InputError
from simlab.model.keys import canonical_value
from simlab.rules.contract import Sheet

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[..., None]
PRECISION = "0.001"


@dataclass(frozen=True, eq=False)
class Effect:
    """Figures before and after a change, and their differences with 95% intervals.

    base, changed: the four outcomes and win shares and kill rates by name. difference, intervals: the same names. same:
    the fights are the same, die by die, so that the differences are exactly 0.
    """

    base: dict[str, float]
    changed: dict[str, float]
    difference: dict[str, Estimate]
    same: bool
    method: str
    error_bound: float | None
    n: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return the contract's keys; `shares` has the figures that are no outcomes."""
        return {
            "base": {name: self.base[name] for name in OUTCOME_SCORES},
            "changed": {name: self.changed[name] for name in OUTCOME_SCORES},
            "shares": {
                when: {name: values[name] for name in SHARE_SCORES}
                for when, values in (("base", self.base), ("changed", self.changed))
            },
            "difference": {name: found.value for name, found in self.difference.items()},
            "intervals": {name: (found.low, found.high) for name, found in self.difference.items()},
            "same_fights": self.same,
            "method": self.method,
            "error_bound": self.error_bound,
            "n": self.n,
        }


@dataclass(frozen=True, eq=False)
class Matchup:
    """The effect on the duels against one opponent in one situation. cannot_fire: of a after the change, and of b."""

    b: str
    range: Any
    effect: Effect
    cannot_fire: tuple[bool, bool]


@dataclass(frozen=True, eq=False)
class WhatIf:
    """What a change of a sheet does to its duels.

    unit: the sheet before the change; sheet: after it. fields: by dotted path what stood there and what stands there
    now. overall: over all opponents and ranges, equally weighted. record: the terms of the fights, and hashes.
    """

    unit: Sheet = field(repr=False)
    sheet: Sheet = field(repr=False)
    fields: dict[str, tuple[Any, Any]]
    overall: Effect
    matchups: tuple[Matchup, ...]
    record: dict[str, Any] = field(repr=False)

    @property
    def difference(self) -> Estimate:
        """The change of the win share of the unit, with its 95% interval."""
        return self.overall.difference["win_share_a"]

    def to_dict(self) -> dict[str, Any]:
        """Return the contract's JSON object."""
        record = dict(self.record)
        first = {name: record.pop(name) for name in ("system", "a", "b")}
        return {
            "schema": SCHEMA,
            **first,
            "fields": {
                path: {"from": canonical_value(old), "to": canonical_value(new)}
                for path, (old, new) in self.fields.items()
            },
            **self.overall.to_dict(),
            "matchups": [
                {
                    "b": each.b,
                    "range": canonical_value(each.range),
                    **each.effect.to_dict(),
                    "cannot_fire_a": each.cannot_fire[0],
                    "cannot_fire_b": each.cannot_fire[1],
                }
                for each in self.matchups
            ],
            **record,
        }

    def to_frame(self) -> "pd.DataFrame":
        """Return one row an opponent, range and figure.

        Columns: b, range, figure, base, changed, difference, low, high, same.
        """
        import pandas as pd

        from simlab.model.situation import by_turn_text

        rows = [
            {
                "b": each.b,
                "range": by_turn_text(each.range) if isinstance(each.range, tuple) else each.range,
                "figure": name,
                "base": each.effect.base[name],
                "changed": each.effect.changed[name],
                "difference": found.value,
                "low": found.low,
                "high": found.high,
                "same": each.effect.same,
            }
            for each in self.matchups
            for name, found in each.effect.difference.items()
        ]
        return pd.DataFrame(rows)


def whatif(
    unit: Any,
    fields: Mapping[str, Any],
    against: Any,
    *,
    range: Any = None,
    ranges: Any = None,
    aspect_a: Any = "front",
    aspect_b: Any = "front",
    first_fire: Any = None,
    turns: int = 12,
    n: int | None = None,
    precision: Any = None,
    exact: bool = False,
    bound: float | None = None,
    time_limit: float | None = None,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,
    constants: Mapping[str, Any] | None = None,
    workers: int | None = None,
    system: str = "blitzkrieg",
    units: Any = None,
    progress: Progress | None = None,
) -> WhatIf:
    """Return what changing fields of a unit's sheet, `{"armor.front": 7}`, does to its duels.

    against: an opponent or several: sheets, ids, paths, or "all". range: one (24) as for `duel`; ranges: several of
    them instead, of equal weight. The changed sheet throws the dice of the sheet as it is, so that small differences
    show; or both duels are solved. Without n, precision, exact or seed, what is forecast cheaper than sampling to a
    precision of 0.001 is taken; solved duels have an error of at most `bound` (1e-6). All else as for `duel`. Raises
    InputError.
    """
    if not fields:
        raise InputError.one(
            "fields", typed(fields), "dotted paths of the sheet with new values: armor.front=7"
        )
    terms = Terms(
        range, ranges, aspect_a, aspect_b, first_fire, turns, n, precision, exact, bound, time_limit, seed, set,
        constants, workers, system, units,
    )  # fmt: skip
    mix = read_mix(unit, against, terms, PRECISION, progress)
    sheet = changed_sheet(mix.unit, fields, system)
    mix.check_fire(lambda place: (mix.unit, place.b), lambda place: (sheet, place.b))
    places = mix.places
    changes = [mix.asker.change((mix.unit, p.b), (sheet, p.b), p.situation) for p in places]
    answers = [answer for change in changes for answer in (change.before, change.after)]
    matchups = tuple(_matchup(place, change) for place, change in zip(places, changes, strict=True))
    return WhatIf(
        unit=mix.unit,
        sheet=sheet,
        fields={
            path: (mix.rules.field_value(mix.unit, path), mix.rules.field_value(sheet, path))
            for path in fields
        },
        overall=_effect(changes, mix.weights),
        matchups=matchups,
        record=_record(mix, sheet, any(answer.n for answer in answers)),
    )


def _matchup(place: Place, change: Change) -> Matchup:
    silent = change.after.silent
    return Matchup(place.b.id, place.situation.range, _effect([change], [1.0]), silent)


def _effect(changes: list[Change], weights: list[float]) -> Effect:
    def means(when: str, name: str) -> float:
        low, high = 0.0, 1.0
        figures = [getattr(change, when).figure(name) for change in changes]
        return estimate(figures, weights, low, high).value

    return Effect(
        base={name: means("before", name) for name in SCORES},
        changed={name: means("after", name) for name in SCORES},
        difference={
            name: estimate([change.difference(name) for change in changes], weights) for name in SCORES
        },
        same=all(change.same for change in changes),
        **methods_of([answer for change in changes for answer in (change.before, change.after)]),
    )


def _record(mix: Mix, sheet: Sheet, sampled: bool) -> dict[str, Any]:
    record = mix.record()
    record["sheets"]["changed"] = mix.hashes(sheet)
    return {**record, "seed": record["seed"] if sampled else None}
