"""Why one unit beats another: what of it goes away when a stage of the shot is made equal, or a part fails."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simlab.analysis.paired_difference import WIN_SHARE, Figure, constant
from simlab.analysis.readings_paired import Estimate
from simlab.lab.mix import SCHEMA, Mix, Terms, read_mix
from simlab.lab.same_dice import Answer, Change, Pair, methods_of
from simlab.rules.contract import Sheet

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[..., None]
PRECISION = "0.002"
STAGE, KNOCK_OUT = "stage", "knock-out"


@dataclass(frozen=True)
class Reason:
    """What one change does to the win share of a.

    kind: stage or knock-out. name: of the stage, or the part that fails. step: where a stage is on the way of a shot,
    or the side whose part fails, a or b. what: in words. share: win share of a after the change. change: against the
    duel as it is. same: no die sees the change, so that it is exactly 0.
    """

    kind: str
    name: str
    step: str
    what: str
    share: Estimate
    change: Estimate
    same: bool

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "kind": self.kind,
            "name": self.name,
            "step": self.step,
            "what": self.what,
            "win_share_a": self.share.value,
            "interval": [self.share.low, self.share.high],
            "change": self.change.value,
            "change_interval": [self.change.low, self.change.high],
            "same_fights": self.same,
        }


@dataclass(frozen=True, eq=False)
class Why:
    """Why a wins or loses against b.

    share: win share of a. stages: one stage made equal at a time, in the order of a shot. equal: win share with all of
    them equal, which is one half where both show the same. total: equal - share. sum: of the changes of the stages.
    gap: sum - total, what stages do together and not one at a time. knock_outs: one part at a time, a weapon or what
    else can fail, those of a first.
    """

    a: Sheet = field(repr=False)
    b: Sheet = field(repr=False)
    share: Estimate
    stages: tuple[Reason, ...]
    equal: Estimate
    total: Estimate
    sum: Estimate
    gap: Estimate
    knock_outs: tuple[Reason, ...]
    method: str
    error_bound: float | None
    n: int | None
    record: dict[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        record = dict(self.record)
        first = {name: record.pop(name) for name in ("system", "a")}
        record.pop("b")
        return {
            "schema": SCHEMA,
            **first,
            "b": self.b.id,
            **{
                name: {"value": found.value, "interval": [found.low, found.high]}
                for name, found in (
                    ("win_share_a", self.share),
                    ("all_equal", self.equal),
                    ("total", self.total),
                    ("sum", self.sum),
                    ("gap", self.gap),
                )
            },
            "stages": [reason.to_dict() for reason in self.stages],
            "knock_outs": [reason.to_dict() for reason in self.knock_outs],
            "method": self.method,
            "error_bound": self.error_bound,
            "n": self.n,
            **record,
        }

    def to_frame(self) -> "pd.DataFrame":
        """Return one row a stage or knock-out: kind, step, name, what, win_share, change, low, high, same."""
        import pandas as pd

        rows = [
            {
                "kind": each.kind,
                "step": each.step,
                "name": each.name,
                "what": each.what,
                "win_share": each.share.value,
                "change": each.change.value,
                "low": each.change.low,
                "high": each.change.high,
                "same": each.same,
            }
            for each in (*self.stages, *self.knock_outs)
        ]
        return pd.DataFrame(rows)


def why(
    a: Any,
    b: Any,
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
    system: str = "blitzkrieg",
    units: Any = None,
    progress: Progress | None = None,
) -> Why:
    """Return what makes `a` win or lose against `b`: the win share with one stage of the shot made equal at a time, and
    without one part at a time, a weapon or what else can fail.

    In a stage b takes the numbers of a; chance that the stage is about falls out for both. All duels throw the dice of
    the duel as it is, or are solved. Effects need not add up: `gap` says by how much they do not. Arguments as those of
    `whatif`; the usual precision is 0.002. progress is called with duels done and to do. Raises InputError.
    """
    terms = Terms(
        range, ranges, aspect_a, aspect_b, first_fire, turns, n, precision, exact, bound, time_limit, seed, set,
        constants, workers, system, units,
    )  # fmt: skip
    mix = read_mix(a, [b], terms, PRECISION, notes_alone(progress), names=("a", "b"))
    mix.check_fire(lambda place: (mix.unit, place.b))
    return _Inquiry(mix, progress).answer()


def notes_alone(progress: Progress | None) -> Progress | None:
    """Return what tells `progress` notes and nothing of the work within a part."""
    if progress is None:
        return None
    tell = progress

    def note(done: int, total: int, what: str = "") -> None:
        if not total:
            tell(done, total, what)

    return note


class _Inquiry:
    def __init__(self, mix: Mix, progress: Progress | None) -> None:
        self.mix, self.progress = mix, progress
        self.a, self.b = mix.unit, mix.opponents[0]
        self.answers: list[Answer] = []
        rules = mix.rules
        self.outs = [
            (side, out) for side, sheet in (("a", self.a), ("b", self.b)) for out in rules.knock_outs(sheet)
        ]
        self.total, self.done = len(rules.stages) + len(self.outs) + 2, 0

    def answer(self) -> Why:
        mix, rules, options = self.mix, self.mix.rules, self.mix.asker.options
        base = mix.base()
        self._report("the duel as it is")
        self.answers += base
        stages, parts = [], []
        for stage in rules.stages:
            changes = self._changes(rules.equalised(self.a, self.b, [stage.name], options), stage.what)
            stages.append(self._reason(STAGE, stage.name, stage.step, stage.what, changes))
            parts.append([change.difference(WIN_SHARE) for change in changes])
        everything = rules.equalised(self.a, self.b, [stage.name for stage in rules.stages], options)
        equal = self._equal(everything)
        total = [after - before.figure(WIN_SHARE) for after, before in zip(equal, base, strict=True)]
        added = [_added(each) for each in zip(*parts, strict=True)]
        knock_outs = []
        for side, out in self.outs:
            pair = (out.sheet, self.b) if side == "a" else (self.a, out.sheet)
            changes = self._changes(pair, out.part)
            knock_outs.append(self._reason(KNOCK_OUT, out.part, side, out.what, changes))
        record = mix.record()
        return Why(
            a=self.a,
            b=self.b,
            share=mix.share(base),
            stages=tuple(stages),
            equal=mix.mean(equal, 0.0, 1.0),
            total=mix.mean(total),
            sum=mix.mean(added, -1e9, 1e9),
            gap=mix.mean([one - other for one, other in zip(added, total, strict=True)], -1e9, 1e9),
            knock_outs=tuple(knock_outs),
            record={**record, "seed": record["seed"] if any(a.n for a in self.answers) else None},
            **methods_of(self.answers),
        )

    def _changes(self, pair: Pair, what: str) -> list[Change]:
        changes = [
            self.mix.asker.change((self.a, self.b), pair, place.situation) for place in self.mix.places
        ]
        self.answers += [change.after for change in changes]
        self._report(what)
        return changes

    def _equal(self, pair: Pair) -> list[Figure]:
        """The win share with everything equal; a duel of twins needs no fight: it is one half."""
        asker, found = self.mix.asker, []
        for place in self.mix.places:
            if asker.compiled(pair, place.situation).twins and place.situation.first_fire is None:
                found.append(constant(0.5))
            else:
                found.append(asker.change((self.a, self.b), pair, place.situation).after.figure(WIN_SHARE))
        self._report("everything equal")
        return found

    def _reason(self, kind: str, name: str, step: str, what: str, changes: Sequence[Change]) -> Reason:
        return Reason(
            kind,
            name,
            step,
            what,
            self.mix.share([change.after for change in changes]),
            self.mix.mean([change.difference(WIN_SHARE) for change in changes]),
            all(change.same for change in changes),
        )

    def _report(self, what: str) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total, what)


def _added(figures: Sequence[Figure]) -> Figure:
    total = constant(0.0)
    for figure in figures:
        total = total + figure
    return total
