"""Which numbers of a sheet its duels turn on: each a step more and a step less, at the same dice."""

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.analysis.paired_difference import WIN_SHARE, estimate
from simlab.analysis.readings_paired import Estimate
from simlab.lab.mix import SCHEMA, Mix, Terms, read_mix
from simlab.lab.points import SIZE, Points
from simlab.lab.reasons import notes_alone
from simlab.lab.roster import check_truths, is_folder_name, typed
from simlab.lab.same_dice import Answer, Change, methods_of
from simlab.lab.steps import read_steps
from simlab.model.errors import InputError
from simlab.rules.contract import Sheet
from simlab.rules.registry import caveats_of

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[..., None]
PRECISION = "0.002"
SIGNS = (-1, 1)
UNKNOWN_WORTH = Estimate(math.nan, math.nan, math.nan)
MOVES, CANNOT_TELL, UNSEEN, NONE = "moves", "cannot tell", "not seen", "none"
"""More than its interval; less; other fights with the same counts; the very same fights."""


@dataclass(frozen=True)
class Nudge:
    """What a step of a number, more or less, does to the win share.

    step: what is added to the number. places: the same change by opponent and situation.
    effect: moves; cannot tell, where the interval holds 0; not seen, where all counts are the same, or solved chances
    within their error; none, where no die sees it, so that the change is exactly 0. price: by what part the price of
    the unit changes, 0.05 for 5% more; without ends where an opponent is beyond 40:1, None where it was not asked for.
    """

    field: str
    value: float
    step: float
    change: Estimate
    effect: str
    places: tuple[Estimate, ...] = dataclasses.field(repr=False)
    price: Estimate | None = None


@dataclass(frozen=True)
class Refused:
    """A step that no sheet may take, and what is allowed."""

    field: str
    step: float
    allowed: str


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """How far the win share of a unit moves with each number of its sheet, a step more and a step less of it.

    share: win share of the sheet as it is, over all opponents and ranges. nudges: those that moved it most first, by
    number. refused: steps that are not legal. places: opponent and situation of each `Nudge.places`. fights: for each
    number of opponents tried for what steps are worth, None where that was not asked for.
    """

    unit: Sheet = dataclasses.field(repr=False)
    share: Estimate
    nudges: tuple[Nudge, ...] = dataclasses.field(repr=False)
    refused: tuple[Refused, ...] = dataclasses.field(repr=False)
    places: tuple[tuple[str, Any], ...]
    method: str
    error_bound: float | None
    n: int | None
    record: dict[str, Any] = dataclasses.field(repr=False)
    fights: int | None = None

    def ecv(self, nudge: Nudge) -> Estimate | None:
        """Return what a step is worth in ECV; None where it is not known, or the unit has no ECV."""
        value, price = self.unit.ecv.value, nudge.price
        if value is None or price is None or math.isinf(price.high):
            return None
        return Estimate(value * price.value, value * price.low, value * price.high)

    def with_effect(self, *effects: str) -> list[str]:
        """Return the numbers of which all steps have one of these effects."""
        by_field: dict[str, list[str]] = {}
        for nudge in self.nudges:
            by_field.setdefault(nudge.field, []).append(nudge.effect)
        return [path for path, found in by_field.items() if {*found} <= {*effects}]

    @property
    def steps(self) -> dict[str, float]:
        """The step of each number, without its sign."""
        taken = [(each.field, each.step) for each in self.nudges]
        refused = [(each.field, each.step) for each in self.refused]
        return {path: abs(step) for path, step in (*taken, *refused)}

    @property
    def by_points(self) -> bool:
        """Whether every step is 1."""
        return set(self.steps.values()) <= {1}

    @property
    def unseen(self) -> list[str]:
        """The numbers that no die sees, whichever way they go."""
        return self.with_effect(NONE)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        record = dict(self.record)
        first = {name: record.pop(name) for name in ("system", "a", "b")}
        return {
            "schema": SCHEMA,
            **first,
            "win_share_a": self.share.value,
            "interval": [self.share.low, self.share.high],
            "numbers": [
                {
                    "field": each.field,
                    "value": each.value,
                    "step": each.step,
                    "change": each.change.value,
                    "interval": [each.change.low, each.change.high],
                    "effect": each.effect,
                    "ecv": _plain_estimate(self.ecv(each)),
                    "places": [found.value for found in each.places],
                }
                for each in self.nudges
            ],
            "refused": [
                {"field": each.field, "step": each.step, "allowed": each.allowed} for each in self.refused
            ],
            "ecv": {
                "value": self.unit.ecv.value,
                "source": self.unit.ecv.source,
                "size": SIZE,
                "fights": self.fights,
            },
            "places": [{"b": b, "range": distance} for b, distance in self.places],
            "method": self.method,
            "error_bound": self.error_bound,
            "n": self.n,
            **record,
        }

    def to_frame(self) -> "pd.DataFrame":
        """Return one row a number and step.

        Columns: field, value, step, change, low, high, effect; and what the step is worth, ecv, ecv_low, ecv_high, NaN
        where that is not known.
        """
        import pandas as pd

        worth = [self.ecv(each) or UNKNOWN_WORTH for each in self.nudges]
        rows = [
            {
                "field": each.field,
                "value": each.value,
                "step": each.step,
                "change": each.change.value,
                "low": each.change.low,
                "high": each.change.high,
                "effect": each.effect,
                "ecv": ecv.value,
                "ecv_low": ecv.low,
                "ecv_high": ecv.high,
            }
            for each, ecv in zip(self.nudges, worth, strict=True)
        ]
        return pd.DataFrame(rows)

    def draw(self, path: str | Path) -> Path:
        """Draw the tornado plot as a PNG file and return its path. Raises InputError where it cannot be written."""
        from simlab.plots.tornado import write_tornado

        place = prepare_picture(path)
        write_tornado(self.to_frame(), self._title(), self._caption(), place)
        return place

    def _title(self) -> str:
        step = "one point more or less" if self.by_points else "one step more or less"
        return f"What {step} does to {self.unit.name}"

    def _caption(self) -> list[str]:
        from simlab.analysis.digits import format_bound, format_percent

        record = self.record
        ranges = " and ".join(_range_text(distance) for distance in record["ranges"])
        share = format_percent(self.share.value, self.share.low, self.share.high)
        how = (
            [] if self.n is None else [f"n = {self.n:,} fights each at the same dice, seed {record['seed']}"]
        )
        if self.error_bound is not None:
            how.append(f"solved to {format_bound(self.error_bound)}")
        mixed = ", equally weighted" if len(self.places) > 1 else ""
        left = len(self.with_effect(NONE, UNSEEN))
        step = "one point of a number" if self.by_points else "one step of a number, which stands beside it"
        return [
            f"Win share of {self.unit.name} ({self.unit.id}) against {', '.join(record['b'])} at range "
            f"{ranges}{mixed}: {share} as it is. It counts wins and half of the duels that nobody wins.",
            f"Bars: its change in points of percent by {step}. Whiskers: 95% intervals; {', '.join(how)}.",
            *([f"{left} numbers without any effect here are left out."] if left else []),
            *caveats_of(record),
        ]


def sensitivity(
    unit: Any,
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
    set: Any = None,
    constants: Any = None,
    workers: int | None = None,
    ecv: bool = True,
    step: Any = None,
    system: str = "blitzkrieg",
    units: Any = None,
    progress: Progress | None = None,
) -> Sensitivity:
    """Return what a step more and a step less of every number of a unit's sheet does to its win share.

    And with `ecv` to its price, by how many opponents are even with it: see `simlab.lab.points`.

    Over all opponents and ranges together, equally weighted; all duels throw the dice of the sheet as it is, or are
    solved. step: of all numbers, or by path or the beginning of paths (see `read_steps`); without it the steps that the
    rule system names, 1 for most numbers. Other arguments as those of `whatif`; the usual precision is 0.002. progress
    is told numbers done and to do. Raises InputError.
    """
    check_truths(ecv=ecv)
    terms = Terms(
        range, ranges, aspect_a, aspect_b, first_fire, turns, n, precision, exact, bound, time_limit, seed, set,
        constants, workers, system, units,
    )  # fmt: skip
    mix = read_mix(unit, against, terms, PRECISION, notes_alone(progress))
    mix.check_fire(lambda place: (mix.unit, place.b))
    steps = read_steps(step, mix.rules.sheet_numbers(mix.unit), mix.rules.sheet_step)
    base = mix.base()
    points = Points(mix, base) if ecv else None
    nudges, refused, answers = _nudged(mix, steps, points, progress)
    answers += base
    record = mix.record()
    return Sensitivity(
        unit=mix.unit,
        share=mix.share(base),
        nudges=_ranked(nudges),
        refused=tuple(refused),
        fights=None if points is None else points.fights,
        places=tuple((place.b.id, _plain(place.situation.range)) for place in mix.places),
        record={**record, "seed": record["seed"] if any(answer.n for answer in answers) else None},
        **methods_of(answers),
    )


def _nudged(
    mix: Mix, steps: Mapping[str, float], points: Points | None, progress: Progress | None
) -> tuple[list[Nudge], list[Refused], list[Answer]]:
    """Every number a step less and a step more: what it does, the steps that are not legal, and all duels behind it."""
    nudges: list[Nudge] = []
    refused: list[Refused] = []
    answers: list[Answer] = []
    numbers = mix.rules.sheet_numbers(mix.unit)
    for done, (path, value) in enumerate(numbers.items(), 1):
        for sign in SIGNS:
            step = sign * steps[path]
            try:
                sheet = mix.rules.replace_fields(mix.unit, {path: value + step})
            except InputError as error:
                refused.append(Refused(path, step, error.problems[0].allowed))
                continue
            changes = _changes(mix, sheet)
            answers += [change.after for change in changes]
            nudge = _nudge(mix, path, value, step, changes)
            nudges.append(nudge if points is None else _priced(nudge, points, sheet))
        if progress is not None:
            progress(done, len(numbers), path)
    return nudges, refused, answers


def prepare_picture(path: str | Path) -> Path:
    """Return the path of a picture, its folder made. Raises InputError where no file can be written."""
    from simlab.lab.study import make_folder

    if not is_folder_name(path) or Path(path).is_dir():
        raise InputError.one("output", typed(path), "a file that can be written")
    make_folder(Path(path).parent, "output")
    return Path(path)


def _changes(mix: Mix, sheet: Sheet) -> list[Change]:
    return [mix.asker.change((mix.unit, place.b), (sheet, place.b), place.situation) for place in mix.places]


def _nudge(mix: Mix, path: str, value: float, step: float, changes: list[Change]) -> Nudge:
    figures = [change.difference(WIN_SHARE) for change in changes]
    return Nudge(
        path,
        value,
        step,
        mix.mean(figures),
        _effect(changes, mix.mean(figures)),
        tuple(estimate([figure], [1.0]) for figure in figures),
    )


def _priced(nudge: Nudge, points: Points, sheet: Sheet) -> Nudge:
    """A step with what it is worth; where no fight showed a difference, that is not looked for."""
    if nudge.effect == NONE:
        return dataclasses.replace(nudge, price=Estimate(0.0, 0.0, 0.0))
    return nudge if nudge.effect == UNSEEN else dataclasses.replace(nudge, price=points.change(sheet))


def _plain_estimate(found: Estimate | None) -> dict[str, Any] | None:
    return None if found is None else {"change": found.value, "interval": [found.low, found.high]}


def _effect(changes: list[Change], change: Estimate) -> str:
    if all(each.same for each in changes):
        return NONE
    if all(each.same or each.unseen for each in changes):
        return UNSEEN
    return MOVES if change.excludes_zero else CANNOT_TELL


def _ranked(nudges: list[Nudge]) -> tuple[Nudge, ...]:
    """The numbers that move the win share most first, both steps of a number together; what no die sees last."""
    largest: dict[str, tuple[bool, float]] = {}
    for nudge in nudges:
        same, size = largest.get(nudge.field, (True, 0.0))
        largest[nudge.field] = (same and nudge.effect == NONE, max(size, abs(nudge.change.value)))
    return tuple(sorted(nudges, key=lambda each: (largest[each.field][0], -largest[each.field][1])))


def _plain(distance: Any) -> Any:
    from simlab.model.keys import canonical_value

    return canonical_value(distance)


def _range_text(distance: Any) -> str:
    from simlab.model.situation import by_turn_text

    return by_turn_text(distance)
